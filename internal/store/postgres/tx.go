package postgres

import (
	"context"
	"time"

	"brenner/internal/store"
)

// tx is one write inside its group.
//
// Its statements do not end with the context of the caller: to break one off
// is to break the connection, and with it the other writes of the group. A
// caller who gives up is heard before the next statement; only if the one
// under way goes on for grace after that is the connection given up.
type tx struct {
	reader
	hashes int64 // how many there are
	known  known
}

var _ store.Tx = (*tx)(nil)

const grace = 5 * time.Second

// serve lets the statements run for this caller, until stop.
func (t *tx) serve(ctx context.Context) (stop func()) {
	patient, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	t.ctx = patient
	return func() {
		unhook()
		cancel()
	}
}

// doom notes that a writing method failed: nothing of the write will stand.
func (t *tx) doom(err error) error {
	if err != nil && t.fault == nil {
		t.fault = err
	}
	return err
}

// put holds a change that cannot be refused. The project is its first
// parameter.
func (t *tx) put(ctx context.Context, sql string, args ...any) error {
	return t.doom(t.hold(ctx, sql, append([]any{t.project}, args...)...))
}

// try makes a change that the database may refuse. If it is sure not to, it is
// held as it is; else it is checked at once, so that the refusal comes from the
// method itself.
func (t *tx) try(ctx context.Context, sure bool, plain, checked string, args ...any) error {
	if sure {
		return t.put(ctx, plain, args...)
	}
	if err := t.put(ctx, checked, args...); err != nil {
		return err
	}
	return t.flush()
}

func (t *tx) standing() standing {
	return standing{records: t.size, hashes: t.hashes}
}
