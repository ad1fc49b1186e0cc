package kernel

import (
	"context"
	"time"

	"brenner"
)

// Turn is the time one request had the store to itself among the writers.
type Turn struct {
	Name string // of the use case
	Who  Identity
	Took time.Duration
	// Over says that the turn has ended. One that takes longer than
	// brenner.LongTurn is told of once while it lasts, too: if it never ends,
	// somebody learns which request that is.
	Over bool
}

// WatchTurns has somebody told of every turn (X9). It is called before any use.
func (k *Kernel) WatchTurns(tell func(context.Context, Turn)) { k.turns = tell }

// takeTurn notes the beginning of a turn; what it gives is called at the end.
func (k Caller) takeTurn(ctx context.Context, name string) (done func()) {
	if k.turns == nil {
		return func() {}
	}
	start := time.Now()
	tell := func(over bool) {
		k.turns(ctx, Turn{Name: name, Who: k.Identity, Took: time.Since(start), Over: over})
	}
	watchdog := time.AfterFunc(brenner.LongTurn, func() { tell(false) })
	return func() {
		watchdog.Stop()
		tell(true)
	}
}
