package postgres

import (
	"context"
	"slices"
	"time"

	"brenner/internal/store"
)

// tx is one write inside its group.
//
// It begins with the statements that earlier writes of the group have left
// held. A savepoint before its own changes is needed only if some of them are
// sent before it is known that it ends well, and if there is other work in the
// transaction to protect.
//
// Its statements do not end with the context of the caller: to break one off
// is to break the connection, and with it the other writes of the group. A
// caller who gives up is heard before the next statement; only if the one
// under way goes on for grace after that is the connection given up.
type tx struct {
	reader
	hashes int64 // how many there are
	known  known
	noted  int // artifacts for the full-text index
	// edge are the hashes that this write has written or read, edges those that
	// the writes before it have.
	edge   map[int64][32]byte
	edges  []map[int64][32]byte
	common *any
	// shared says that there are other writes in the transaction. others is
	// how many of the statements held are theirs, and sentOthers how many of
	// those last sent were.
	shared             bool
	others, sentOthers int
	// first is where among those held the first change of this write stands,
	// or none. changed says that changes have been sent, guarded that a
	// savepoint stands before them.
	first            int
	changed, guarded bool
	// late says that refusals may come later; see store.Tx.
	late bool
}

const none = -1

var _ store.Tx = (*tx)(nil)

func (t *tx) Shared() *any { return t.common }

func (t *tx) RefuseLate() { t.late = true }

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

// guard is called before statements are sent, and sets the savepoint if it is
// time to.
func (t *tx) guard() {
	if t.first != none {
		t.changed = true
		if t.shared && !t.guarded {
			t.held = slices.Insert(t.held, t.first, statement{sql: `SAVEPOINT write`, by: t.by})
			t.guarded = true
		}
	}
	t.sentOthers, t.others, t.first = t.others, 0, none
}

// brokenByOthers tells that it was a statement of an earlier write that failed.
func (t *tx) brokenByOthers() bool { return t.aborted && t.failed < t.sentOthers }

// doom notes that a writing method failed: nothing of the write will stand.
func (t *tx) doom(err error) error {
	if err != nil && t.fault == nil {
		t.fault = err
	}
	return err
}

// put holds a change, whose refusal, if there can be one, comes later. The
// project is its first parameter.
func (t *tx) put(ctx context.Context, sql string, args ...any) error {
	if t.first == none {
		t.first = len(t.held)
	}
	full, err := t.hold(ctx, sql, append([]any{t.project}, args...)...)
	if full {
		_, err = t.send(nil)
	}
	return t.doom(err)
}

// try makes a change that the database may refuse. If it is sure not to, it is
// held as it is; else it is checked, and at once unless a refusal may come later.
func (t *tx) try(ctx context.Context, sure bool, plain, checked string, args ...any) error {
	switch {
	case sure:
		return t.put(ctx, plain, args...)
	case t.late:
		return t.put(ctx, checked, args...)
	}
	return t.tryNow(ctx, checked, args...)
}

// tryNow makes a change that the database may refuse, so that the refusal comes
// from the method itself.
func (t *tx) tryNow(ctx context.Context, checked string, args ...any) error {
	if err := t.put(ctx, checked, args...); err != nil || len(t.held) == 0 {
		return err
	}
	_, err := t.send(nil)
	return err
}

func (t *tx) standing() standing {
	return standing{records: t.size, hashes: t.hashes}
}
