package tasks

import (
	"fmt"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
)

// Outputs lists what finished tasks made, and which task (N1).
func (r *Room) Outputs(c *kernel.Call) (map[brenner.Ref]api.TaskInfo, error) {
	out := map[brenner.Ref]api.TaskInfo{}
	err := r.Each(c, []api.TaskState{api.TaskDone}, func(t api.TaskInfo) bool {
		for _, ref := range t.Outputs {
			out[ref] = t
		}
		return true
	})
	return out, err
}

// Waiting lists tasks whose lease has ended (N1).
func (r *Room) Waiting(c *kernel.Call) ([]kernel.Waiting, error) {
	var out []kernel.Waiting
	err := r.Each(c, []api.TaskState{api.TaskClaimed}, func(t api.TaskInfo) bool {
		if t.Overdue {
			out = append(out, kernel.Waiting{Waiting: api.Waiting{
				Kind: api.WaitTask, Subject: t.ID, Title: t.Title, Why: string(t.Holder) + " claimed it and let the lease end",
				Author: t.Holder, Since: t.LeaseUntil, Count: 1,
			}})
		}
		return true
	})
	return out, err
}

// patience is how long a request of an agent waits for its role before the PI is
// told of it.
const patience = time.Hour

// WaitingRequests lists what agents have asked the PI for, and what they have asked
// each other for that nobody takes (N1).
func (r *Room) WaitingRequests(c *kernel.Call) ([]kernel.Waiting, error) {
	out, err := r.askedOfPI(c)
	if err != nil {
		return nil, err
	}
	all, err := c.Actors(c.Ctx)
	if err != nil {
		return nil, err
	}
	agents := slices.DeleteFunc(slices.Clone(all), func(a store.Actor) bool { return a.Kind != kernel.Agent })
	err = tasks.Each(c.Ctx, c.Reader, kernel.Query{States: []string{string(api.TaskOpen)}}, func(row kernel.Row[task]) (bool, error) {
		t := row.Value.info(c.Clock)
		asked := slices.ContainsFunc(agents, func(a store.Actor) bool { return a.Name == t.Creator })
		if t.Role == brenner.PI || !asked {
			return true, nil
		}
		why := "nobody has taken it"
		if c.Now.Sub(t.Created) < patience {
			if manned, err := r.manned(c, t, agents); manned || err != nil {
				return err == nil, err
			}
			why = "nobody has that role"
		}
		out = append(out, kernel.Waiting{Waiting: api.Waiting{
			Kind: api.WaitRequest, Subject: t.ID, Title: t.Title, Why: fmt.Sprintf("%s asks %s for it, and %s", t.Creator, brenner.A(t.Role), why),
			Author: t.Creator, Since: t.Created, Count: 1,
		}})
		return true, nil
	})
	return out, err
}

// manned says whether an agent besides the one who asked may take a task.
func (r *Room) manned(c *kernel.Call, t api.TaskInfo, agents []store.Actor) (bool, error) {
	for _, a := range agents {
		if !a.Active || a.Name == t.Creator {
			continue
		}
		if ok, err := r.Eligible(c, t, a); err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}

// askedOfPI lists what agents, rules and other persons have asked the PI for, and
// what was sent back to it.
func (r *Room) askedOfPI(c *kernel.Call) ([]kernel.Waiting, error) {
	var out []kernel.Waiting
	err := tasks.Each(c.Ctx, c.Reader, kernel.Query{Group: string(brenner.PI), States: []string{string(api.TaskOpen)}}, func(row kernel.Row[task]) (bool, error) {
		t := row.Value
		why := string(t.Creator) + " asks the PI for it"
		switch {
		case t.Creator == kernel.System:
			why = "a rule asks the PI for it"
		case t.Kind == api.TaskRevise && len(t.Inputs) > 0:
			why = fmt.Sprintf("changes were requested in %s, and the PI is to make them", t.Inputs[0].Ref)
		default:
			// What the PI asks of itself does not wait for anybody.
			if asker, err := c.Actor(c.Ctx, t.Creator); err != nil || asker.Role == brenner.PI {
				return err == nil, err
			}
		}
		out = append(out, kernel.Waiting{Waiting: api.Waiting{
			Kind: api.WaitRequest, Subject: t.ID, Title: t.Title, Why: why,
			Author: t.Creator, Since: t.Created, Count: 1,
		}})
		return true, nil
	})
	return out, err
}

// WaitingMemos lists modules whose memo is so far behind that cross-module work
// stands still (C12, N1).
func (r *Room) WaitingMemos(c *kernel.Call) ([]kernel.Waiting, error) {
	var out []kernel.Waiting
	for _, m := range c.Modules {
		n, err := behindMemo(c, m)
		if err != nil {
			return nil, err
		}
		if n > c.Config.CompressionThreshold {
			out = append(out, kernel.Waiting{Waiting: api.Waiting{
				Kind: api.WaitMemo, Subject: string(m), Title: "The memo of " + string(m) + " is behind", Count: 1,
				Why: fmt.Sprintf("more than %s since; cross-module work stands still", brenner.Plural(c.Config.CompressionThreshold, "artifact changed", "artifacts changed")),
			}})
		}
	}
	return out, nil
}
