package tasks

import (
	"fmt"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
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

// WaitingRequests lists what agents have asked the PI for (N1).
func (r *Room) WaitingRequests(c *kernel.Call) ([]kernel.Waiting, error) {
	var out []kernel.Waiting
	err := tasks.Each(c.Ctx, c.Reader, kernel.Query{Group: string(brenner.PI), States: []string{string(api.TaskOpen)}}, func(row kernel.Row[task]) (bool, error) {
		t := row.Value
		why := string(t.Creator) + " asks the PI for it"
		if t.Creator == kernel.System {
			why = "a rule asks the PI for it"
		} else if asker, err := c.Actor(c.Ctx, t.Creator); err != nil || asker.Kind != kernel.Agent {
			return err == nil, err
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
				Why: fmt.Sprintf("%d artifacts changed since; cross-module work stands still", n),
			}})
		}
	}
	return out, nil
}
