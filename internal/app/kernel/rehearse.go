package kernel

import (
	"context"

	"brenner/api"
	"brenner/internal/store/rehearsal"
)

// isTried reports whether a request is a dry run. Write and WritePlan ask it of
// every request: none that only tries takes a writer's turn, whichever way its
// use case goes.
func isTried(req Keyed) bool {
	t, ok := req.(api.Tried)
	return ok && t.IsDryRun()
}

// rehearse runs a use case that writes on a snapshot and throws away what it
// wrote: it is refused where it would be, and says what it would say. There is
// no record of it, so it has no idempotency key either.
func (k Caller) rehearse(ctx context.Context, guard Guard, fn func(*Change) error) error {
	return k.view(ctx, guard, func(c *Call) error {
		tx := rehearsal.On(c.Reader)
		c.Reader = tx
		if err := c.Date(); err != nil {
			return err
		}
		if err := fn(&Change{Call: c, tx: tx}); err != nil {
			return err
		}
		return tx.Err()
	})
}
