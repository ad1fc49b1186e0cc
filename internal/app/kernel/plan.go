package kernel

import (
	"context"
)

// Plan is the part of a use case that needs time and no lock: it is made on a
// snapshot, while others write, and carried out in a transaction.
type Plan[P any] struct {
	// Make makes the plan: it checks everything and changes nothing, so it is
	// all there is to a dry run.
	Make func(*Call) (P, error)
	// Holds reports whether a plan still holds in the transaction that carries
	// it out; nil: as long as the journal has not grown. One that does not hold
	// is made again there.
	Holds func(*Call, P) (bool, error)
}

// Try makes a plan and changes nothing: a dry run. It takes no writer's turn.
func Try[P any](ctx context.Context, k Caller, guard Guard, plan Plan[P]) (P, error) {
	return View(ctx, k, guard, plan.Make)
}

// WritePlan makes a plan on a snapshot and carries it out in a transaction,
// where the policy is asked again. It is Write otherwise: once per idempotency
// key.
func WritePlan[P, T any](ctx context.Context, k Caller, name string, req Keyed, guard Guard, plan Plan[P], fn func(*Change, P) (T, error)) (T, error) {
	var zero T
	var early P
	made := int64(-1) // the position the plan was made at; no plan before the first
	_, err := View(ctx, k, planned(req, guard), func(c *Call) (_ struct{}, err error) {
		repeats, err := c.Repeats(req.IdempotencyKey())
		if repeats || err != nil {
			return struct{}{}, err
		}
		if early, err = plan.Make(c); err == nil {
			made = c.Position
		}
		return struct{}{}, err
	})
	if err != nil {
		return zero, err
	}
	return Write(ctx, k, name, req, guard, func(ch *Change) (T, error) {
		p, holds := early, made == ch.Position
		if !holds && made >= 0 && plan.Holds != nil {
			var err error
			if holds, err = plan.Holds(ch.Call, p); err != nil {
				return zero, err
			}
		}
		if !holds {
			var err error
			if p, err = plan.Make(ch.Call); err != nil {
				return zero, err
			}
		}
		return fn(ch, p)
	})
}

// planned is the guard of a plan: nothing is planned, and so nothing asked, for
// a request that was carried out before.
func planned(req Keyed, guard Guard) Guard {
	return Guard{func(c *Call) error {
		repeats, err := c.Repeats(req.IdempotencyKey())
		if repeats || err != nil {
			c.asked = true
			return err
		}
		return guard.ask(c)
	}}
}
