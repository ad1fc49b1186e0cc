package app

import (
	"context"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/store"
)

// read runs a use case that shows knowledge. A person just reads. An agent
// reads through its newest context: inside its modules, charged to its budget
// and recorded in it (C3); what no longer fits is refused and not shown. refs
// says which versions a result shows in full; what is shown only as a summary
// in a list does not count as an input of the work.
func read[T any](ctx context.Context, s *service, what string, refs func(T) []brenner.Ref, fn func(*call) (T, error)) (T, error) {
	var zero T
	var through *invocation
	out, err := view(ctx, s, func(c *call) (T, error) {
		if c.actor.Kind == kindPerson {
			return fn(c)
		}
		var err error
		if through, err = c.newestInvocation(); err != nil {
			return zero, err
		}
		c.through = through
		return fn(c)
	})
	if err != nil || through == nil {
		return out, err
	}
	shown := []brenner.Ref{}
	if refs != nil {
		shown = refs(out)
	}
	if err := s.charge(ctx, through.ID, what, shown, canon.MustMarshal(out)); err != nil {
		return zero, err
	}
	return out, nil
}

// newestInvocation is the context that an agent reads through.
func (c *call) newestInvocation() (*invocation, error) {
	rows, err := c.Objects(c.ctx, store.ObjectQuery{
		Kind: objectInvocation, States: []string{string(c.actor.Name)}, Newest: true, Limit: 1,
	})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		c.decided = true
		return nil, brenner.Errorf(brenner.CodeContextRequired, "%s has no context to read through", c.actor.Name).
			WithHint("assemble one first: `brenner context assemble`, or the tool context_assemble")
	}
	var i invocation
	return &i, unmarshalBody(rows[0], &i)
}

// charge records a read in an invocation, or refuses it when the budget does
// not reach.
func (s *service) charge(ctx context.Context, id, what string, refs []brenner.Ref, shown []byte) error {
	_, err := write(ctx, s, "context.read", api.Write{}, nil, func(ch *change) (struct{}, error) {
		ch.decided = true // the read was decided upon; this is its price
		i, err := ch.findInvocation(id)
		if err != nil {
			return struct{}{}, err
		}
		counter, err := counterFor(i.Budget)
		if err != nil {
			return struct{}{}, err
		}
		p := contextRead{ID: id, What: what, Tokens: i.Budget.Measure(counter, string(shown))}
		if _, err := i.Budget.Charge(i.Used, p.Tokens); err != nil {
			return struct{}{}, err
		}
		if len(i.Later) >= brenner.MaxLaterReads {
			return struct{}{}, brenner.Errorf(brenner.CodeLimitExceeded, "%s was read through %d times", id, len(i.Later)).
				WithHint("assemble a new context")
		}
		if p.Reads, err = ch.pinsAt(refs); err != nil {
			return struct{}{}, err
		}
		_, err = ch.append(kindContextRead, p)
		return struct{}{}, err
	})
	return err
}

// inScope narrows a choice of modules to those an agent's context covers; none
// says that nothing is left. A person's choice stays as it is.
func (c *call) inScope(asked []brenner.Module) (modules []brenner.Module, none bool) {
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

func refsOfView(v api.ArtifactView) []brenner.Ref { return []brenner.Ref{v.Ref()} }

func refsOfDiff(d api.DiffResult) []brenner.Ref { return []brenner.Ref{d.From, d.To} }
