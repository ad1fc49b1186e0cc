package kernel

import (
	"context"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/assembly"
	"brenner/canon"
)

// Through is the context that an agent reads through.
type Through struct {
	ID    string
	Scope assembly.Scope
	// Role is the one it was made in: inside a session's task the roster's, for
	// reading as for writing (C8).
	Role brenner.Role
	// Measure says what a text costs in it.
	Measure func(shown []byte) int
}

// Meter counts what agents read through their contexts.
type Meter interface {
	// Newest is the context that the caller reads through: CONTEXT_REQUIRED if
	// it has none, CONTEXT_OVERFLOW if nothing more fits into it.
	Newest(c *Call) (Through, error)
	// Current names the context that the caller writes under: the newest of the
	// task it entered, or of all; "" if it has none.
	Current(c *Call) (string, error)
	// Charge records a read in a context, or refuses it when the budget does
	// not reach for its price.
	Charge(ch *Change, context, what string, refs []brenner.Ref, price int) error
}

// Read runs a use case that shows knowledge. A person just reads. An agent
// reads through its newest context: inside its modules, charged to its budget
// and recorded in it (C3); what no longer fits is refused and not shown. refs
// says which versions a result shows in full; what is shown only as a summary
// in a list does not count as an input of the work.
func Read[T any](ctx context.Context, k Caller, what string, refs func(T) []brenner.Ref, guard Guard, fn func(*Call) (T, error)) (T, error) {
	var zero T
	var through *Through
	enter := Guard{func(c *Call) error {
		if !c.Person() {
			newest, err := k.meter.Newest(c)
			if err != nil {
				return err
			}
			c.through, c.Who.Role = &newest, newest.Role
		}
		through = c.through
		return guard.ask(c)
	}}
	out, err := View(ctx, k, enter, fn)
	if err != nil || through == nil {
		return out, err
	}
	shown := []brenner.Ref{}
	if refs != nil {
		shown = refs(out)
	}
	price := through.Measure(canon.MustMarshal(out)) // takes a while, and needs no turn
	_, err = Write(ctx, k, "context.read", api.Write{}, Settled("the read; this is its price"), func(ch *Change) (struct{}, error) {
		return struct{}{}, k.meter.Charge(ch, through.ID, what, shown, price)
	})
	if err != nil {
		return zero, err
	}
	return out, nil
}

// InScope narrows a choice of modules to those an agent's context covers; none
// says that nothing is left. A person's choice stays as it is.
func (c *Call) InScope(asked []brenner.Module) (modules []brenner.Module, none bool) {
	if c.through == nil || c.through.Scope.All {
		return asked, false
	}
	if len(asked) == 0 {
		return c.through.Scope.Modules, false
	}
	for _, m := range asked {
		if slices.Contains(c.through.Scope.Modules, m) {
			modules = append(modules, m)
		}
	}
	return modules, len(modules) == 0
}
