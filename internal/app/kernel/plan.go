package kernel

import (
	"context"
	"errors"
	"time"

	"brenner"
)

// Plan is the part of a use case that needs time and no lock: it is made on a
// snapshot, while others write, and carried out in a transaction (X9).
type Plan[P any] struct {
	// Make makes the plan: it checks everything and changes nothing, so it is
	// all there is to a dry run.
	Make func(*Call) (P, error)
	// Holds reports whether a plan still holds in the transaction that carries
	// it out; nil: as long as the journal has not grown. One that does not hold
	// is made again.
	Holds func(*Call, P) (bool, error)
	// Nothing reports whether a plan has nothing to carry out: then no writer's
	// turn is taken; nil: there always is something.
	Nothing func(P) bool
}

// Try makes a plan and changes nothing: a dry run. It takes no writer's turn.
func Try[P any](ctx context.Context, k Caller, guard Guard, plan Plan[P]) (P, error) {
	return View(ctx, k, guard, plan.Make)
}

// errOutdated ends a transaction that came too late for its plan.
var errOutdated = errors.New("the plan does not hold any more")

// early is a plan as it was made on a snapshot.
type early struct {
	plan any
	made int64 // the journal position it was made at; -1: none was made
	took time.Duration
}

// untyped is the plan for the functions below, which are not made anew for every
// type of a plan.
func (p Plan[P]) untyped() Plan[any] {
	plan := Plan[any]{Make: func(c *Call) (any, error) { return p.Make(c) }}
	if p.Holds != nil {
		plan.Holds = func(c *Call, made any) (bool, error) { return p.Holds(c, made.(P)) }
	}
	if p.Nothing != nil {
		plan.Nothing = func(made any) bool { return p.Nothing(made.(P)) }
	}
	return plan
}

// WritePlan makes a plan on a snapshot and carries it out in a transaction,
// where the policy is asked again. It is Write otherwise: once per idempotency
// key.
//
// A plan that no longer holds is made again: in the transaction if that is
// quick, and otherwise on a new snapshot, so that no request keeps the other
// writers waiting while it thinks. One that is overtaken again and again is
// STORE_BUSY. A request that is a dry run is rehearsed.
func WritePlan[P, T any](ctx context.Context, k Caller, name string, req Keyed, guard Guard, plan Plan[P], fn func(*Change, P) (T, error)) (T, error) {
	var out T
	err := k.writePlan(ctx, name, req, guard, plan.untyped(), &out, func(ch *Change, made any) (err error) {
		out, err = fn(ch, made.(P))
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

func (k Caller) writePlan(ctx context.Context, name string, req Keyed, guard Guard, plan Plan[any], out any, fn func(*Change, any) error) error {
	if isTried(req) {
		return k.rehearse(ctx, guard, func(ch *Change) error {
			made, err := plan.Make(ch.Call)
			if err != nil || plan.Nothing != nil && plan.Nothing(made) {
				return err
			}
			return fn(ch, made)
		})
	}
	for range brenner.MaxPlans {
		e, err := k.planEarly(ctx, req, guard, plan)
		if err != nil {
			return err
		}
		if e.made >= 0 && plan.Nothing != nil && plan.Nothing(e.plan) {
			return nil
		}
		err = k.write(ctx, name, req, guard, out, func(ch *Change) error {
			made, err := e.now(ch.Call, plan)
			if err != nil {
				return err
			}
			return fn(ch, made)
		})
		if !errors.Is(err, errOutdated) {
			return err
		}
	}
	return brenner.Errorf(brenner.CodeStoreBusy, "others changed what this rests on %d times while it was prepared", brenner.MaxPlans).
		WithHint("try again when less is being written, or with less at once")
}

// planEarly makes a plan on a snapshot.
func (k Caller) planEarly(ctx context.Context, req Keyed, guard Guard, plan Plan[any]) (early, error) {
	e := early{made: -1}
	err := k.view(ctx, planned(req, guard), func(c *Call) error {
		repeats, err := c.Repeats(req.IdempotencyKey())
		if repeats || err != nil {
			return err
		}
		start := k.clock()
		if e.plan, err = plan.Make(c); err == nil {
			e.made, e.took = c.Position, k.clock().Sub(start)
		}
		return err
	})
	return e, err
}

// now is the plan as it holds in the transaction.
func (e early) now(c *Call, plan Plan[any]) (any, error) {
	if e.made == c.Position {
		return e.plan, nil
	}
	if e.made >= 0 && plan.Holds != nil {
		holds, err := plan.Holds(c, e.plan)
		if holds || err != nil {
			return e.plan, err
		}
	}
	if e.took > brenner.QuickPlan {
		return nil, errOutdated
	}
	return plan.Make(c)
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
