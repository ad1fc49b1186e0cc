package history

import (
	"context"
	"time"

	"brenner/internal/store"
)

// waiter is a store that can tell when its journal has grown, whichever
// process wrote.
type waiter interface {
	Wait(ctx context.Context, after int64) error
}

// lookInterval is how often a store that cannot tell is looked at. It is a
// single read of a number, and sees what other processes wrote.
const lookInterval = 200 * time.Millisecond

// Wait returns when the journal holds more than after records, or when the
// context is done, which is an error.
func (a *Room) Wait(ctx context.Context, after int64) error {
	if w, ok := a.Store().(waiter); ok {
		return w.Wait(ctx, after)
	}
	look := time.NewTicker(lookInterval)
	defer look.Stop()
	for {
		var size int64
		err := a.Store().Read(ctx, func(r store.Reader) (err error) {
			size, err = r.Size(ctx)
			return err
		})
		if err != nil || size > after {
			return err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Ready reads the project, and says why it cannot.
func (a *Room) Ready(ctx context.Context) error {
	return a.Store().Read(ctx, func(r store.Reader) error {
		_, err := r.Project(ctx)
		return err
	})
}
