package firings

import (
	"context"
	"errors"
	"time"

	"brenner"
	"brenner/internal/app/kernel"
	"brenner/policy"
)

// unkeyed is a request that nobody repeats.
type unkeyed struct{}

func (unkeyed) IdempotencyKey() string { return "" }

// Worker fires what is due, as automation itself.
type Worker struct {
	*Room
	caller kernel.Caller
	// look is how long it looks before it notes how far it came, if that is far
	// enough to be noted; 0: as long as it takes.
	look time.Duration
}

// Worker gives the room as automation has it.
func (r *Room) Worker() *Worker { return &Worker{Room: r, caller: r.By(kernel.Automation)} }

// Run fires what is due, at most so many times or with 0 until nothing is. It
// gives how often it fired, and whether more may be due.
func (w *Worker) Run(ctx context.Context, most int) (n int, more bool, err error) {
	return w.run(ctx, func(n int) bool { return most > 0 && n >= most })
}

func (w *Worker) run(ctx context.Context, enough func(n int) bool) (n int, more bool, err error) {
	for !enough(n) {
		did, err := w.step(ctx)
		if err != nil {
			return n, true, err
		}
		if did.fired {
			n++
		}
		if !did.fired && !did.behind {
			return n, false, nil
		}
	}
	return n, true, nil
}

// After is Run for a command that has written: bounded, and never a reason for
// the command to fail (A2). What is left over is due at the next write, which
// goes on from there.
func (w *Worker) After(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, brenner.MaxAutomationAfterWrite)
	defer cancel()
	brief, began := *w, w.Now()
	brief.look = brenner.AutomationAfterWrite / 2
	_, _, _ = brief.run(ctx, func(n int) bool {
		return n >= brenner.MaxFiringsAfterWrite || brief.Now().Sub(began) >= brenner.AutomationAfterWrite
	})
}

// stepped says what a step came to.
type stepped struct{ fired, behind bool }

// step does the next thing that is due. What cannot be done is recorded as such,
// so that it holds nothing up.
func (w *Worker) step(ctx context.Context) (stepped, error) {
	out, failing, err := w.carryOut(ctx, "", nil)
	if err == nil || !final(err) || failing == "" {
		return out, err
	}
	out, _, err = w.carryOut(ctx, failing, err)
	return out, err
}

// final reports whether trying again would come to the same: not if the store
// could not be had, or nobody waits any more.
func final(err error) bool {
	switch brenner.ClassOf(brenner.CodeOf(err)) {
	case brenner.ClassUnavailable, brenner.ClassCanceled:
		return false
	}
	return !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// carryOut finds what is due and does it in one transaction with its record. A
// firing that was tried and refused is recorded with why; failing names the
// firing that was refused now.
func (w *Worker) carryOut(ctx context.Context, refused string, why error) (out stepped, failing string, err error) {
	plan := kernel.Plan[due]{Make: w.next, Nothing: func(d due) bool {
		out.behind = d.behind
		w.seen.note(d.keys, d.through) // on a snapshot, and so in the journal for good
		return d.nothing()
	}}
	_, err = kernel.WritePlan(ctx, w.caller, "automation.fire", unkeyed{}, kernel.To(policy.Status, "automation"), plan, func(ch *kernel.Change, d due) (struct{}, error) {
		out = stepped{behind: d.behind}
		if d.nothing() {
			return struct{}{}, nil
		}
		if !d.fires() {
			_, err := kindLooked.Append(ch, looked{Rules: d.looked, Through: d.through})
			return struct{}{}, err
		}
		out.fired = true
		id := firingID(d.rule.Name, d.event, d.deed.subject)
		rec := fired{
			Rule: d.rule.Name, Version: d.rule.Version(), Event: d.event, Subject: d.deed.subject, Depth: d.depth,
			Act: d.deed.act, Why: d.deed.why,
		}
		if id == refused {
			rec.Code, rec.Message = brenner.CodeInternal, "something failed inside"
			if own := (*brenner.Error)(nil); errors.As(why, &own) {
				rec.Code, rec.Message = own.Code, own.Message
			}
		} else {
			failing = id
			did, err := d.deed.do(ch)
			if err != nil {
				return struct{}{}, err
			}
			rec.Tasks, rec.Refs = did.tasks, did.refs
		}
		_, err := kindFired.Append(ch, rec)
		return struct{}{}, err
	})
	return out, failing, err
}

// Instants is the shortest time between two instants that some rule waits for; 0
// if none does.
func (w *Worker) Instants(ctx context.Context) (time.Duration, error) {
	return kernel.View(ctx, w.caller, kernel.To(policy.Status, "automation"), func(c *kernel.Call) (time.Duration, error) {
		rules, err := w.followers(c)
		var shortest time.Duration
		for _, f := range rules {
			if d := f.Period(); d > 0 && (shortest == 0 || d < shortest) {
				shortest = d
			}
		}
		return shortest, err
	})
}
