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
	name   string
	hashes int64 // how many there are
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

// put holds a change of the project, which is its first parameter.
func (t *tx) put(ctx context.Context, sql string, args ...any) error {
	if t.project == 0 {
		return t.doom(noProject())
	}
	return t.doom(t.hold(ctx, sql, append([]any{t.project}, args...)...))
}

func (t *tx) standing() standing {
	return standing{project: t.project, name: t.name, size: t.size, hashes: t.hashes}
}
