package kernel

import (
	"cmp"
	"errors"
	"fmt"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/policy"
)

// Act is something that somebody wants to do: what the policy is asked about.
type Act struct {
	Action policy.Action
	Type   brenner.TypeName
	Module brenner.Module
	// Target and Doing are shown in a refusal: what it is about, and what is done where
	// that is not called as the action.
	Target, Doing string
}

// Guard is what a use case must pass before it runs. There is no other way to
// make one than the functions below, and none of them can write.
type Guard struct{ ask func(*Call) error }

// To guards an act on nothing in particular: it is about no type and no module.
func To(action policy.Action, target string) Guard {
	return Acting(Act{Action: action, Target: target})
}

// Acting guards one act that is known beforehand.
func Acting(a Act) Guard { return Guard{func(c *Call) error { return c.Ask(a) }} }

// On guards an act that can only be named once something is loaded: what it is
// about has a type and a module. Find may load, and enter a task; it has
// nothing to write with.
func On(find func(*Call) (Act, error)) Guard {
	return Guard{func(c *Call) error {
		a, err := find(c)
		if err != nil {
			return err
		}
		return c.Ask(a)
	}}
}

// All guards several acts that are one use case.
func All(guards ...Guard) Guard {
	return Guard{func(c *Call) error {
		for _, g := range guards {
			if err := g.ask(c); err != nil {
				return err
			}
		}
		return nil
	}}
}

// Then adds something to be loaded once the guard is passed, such as the task
// that the use case is part of.
func (g Guard) Then(load func(*Call) error) Guard {
	return Guard{func(c *Call) error {
		if err := g.ask(c); err != nil {
			return err
		}
		return load(c)
	}}
}

// ItemByItem guards a use case on a list whose items are decided one by one,
// with Allow and May. A view that asks about nothing is a fault; a change cannot
// write before Allow has allowed something.
func ItemByItem() Guard { return Guard{func(*Call) error { return nil }} }

// Ever guards what somebody may do only who may do one of some acts, to
// whatever it be.
func Ever(acts ...policy.Action) Guard {
	return Guard{func(c *Call) error {
		for _, act := range acts {
			if policy.Ever(c.Policies, c.request(Act{Action: act})).Allowed {
				c.Settle()
				return nil
			}
		}
		return c.Ask(Act{Action: acts[0]})
	}}
}

// Either guards what is allowed by what it is, such as reading one's own words,
// or else by the guard.
func Either(itself func(*Call) (bool, error), or Guard) Guard {
	return Guard{func(c *Call) error {
		yes, err := itself(c)
		if err != nil || yes {
			return err
		}
		return or.ask(c)
	}}
}

// Settle notes that what is done follows from something that was allowed
// before.
func (c *Call) Settle() { c.asked, c.allowed = true, true }

// Settled guards what follows from an act that was allowed before: the price of
// a read, the delivery of a message. It asks nothing, and why says for the
// reader which act that was.
func Settled(_ string) Guard {
	return Guard{func(c *Call) error {
		c.Settle()
		return nil
	}}
}

// Allow asks the policy about an item; a refusal is kept for the audit.
func (c *Call) Allow(action policy.Action, typ brenner.TypeName, module brenner.Module, target string) error {
	return c.Ask(Act{Action: action, Type: typ, Module: module, Target: target})
}

// Ask is Allow for an act.
func (c *Call) Ask(a Act) error {
	req := c.request(a)
	d := c.decide(req)
	if d.Allowed {
		c.allowed = true
		return nil
	}
	c.denial = &store.Denial{
		At: c.Now, Actor: c.Who.Name, Role: c.Who.Role,
		Action: string(a.Action), Target: cmp.Or(a.Target, string(a.Type)), Reason: d.Reason,
	}
	err := d.Err(req)
	var refused *brenner.Error
	if c.outside(req) && errors.As(err, &refused) { // the call that would succeed (C35)
		return refused.WithHint("a context of that module reads it").Try(brenner.Do("context.assemble", "module", string(req.Module)))
	}
	if a.Action == policy.Write && a.Type == artifact.TypeSessionArtifact && errors.As(err, &refused) {
		return refused.WithHint("only deltas change a session").Try(brenner.Do("delta.submit", "session", a.Target).Asking("file"))
	}
	return err
}

// outside reports whether the policy would let something be read that the
// caller's context does not cover.
func (c *Call) outside(req policy.Request) bool {
	return c.through != nil && req.Action == policy.Read && req.Module != "" && !c.through.Scope.Covers(req.Module) &&
		policy.Decide(c.Policies, req).Allowed
}

// May asks the policy without making a refusal of it, for filtering lists.
func (c *Call) May(action policy.Action, typ brenner.TypeName, module brenner.Module) bool {
	return c.decide(c.request(Act{Action: action, Type: typ, Module: module})).Allowed
}

func (c *Call) request(a Act) policy.Request {
	return policy.Request{
		Actor: c.Who.Name, Person: c.Person(), Role: c.Who.Role,
		Action: a.Action, Type: a.Type, Module: a.Module, Target: a.Target, Doing: a.Doing,
	}
}

// decide is what the policy says, and for a read through a context also what
// the scope of that context says.
func (c *Call) decide(req policy.Request) policy.Decision {
	c.asked = true
	if c.Identity == Automation {
		return policy.DecideAutomation(req)
	}
	d := policy.Decide(c.Policies, req)
	if d.Allowed && c.outside(req) {
		return policy.Decision{
			Code:   brenner.CodeReadDenied,
			Reason: fmt.Sprintf("module %s is outside the scope of %s", req.Module, c.through.ID),
		}
	}
	return d
}
