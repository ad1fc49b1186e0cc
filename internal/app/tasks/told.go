package tasks

import (
	"context"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/policy"
)

// readOfTasks is what contexts call it to be told what others are at.
const readOfTasks = "what is under way"

// tellTasks lists the tasks that a caller is told of by name. What each of them is an
// agent's context is given once (C34): it comes with the answer to something else, like
// news. A note nobody is at.
func (s *Service) tellTasks(ctx context.Context, ids []string) (api.TaskList, error) {
	if len(ids) > brenner.MaxPage {
		return api.TaskList{}, brenner.Errorf(brenner.CodeLimitExceeded, "%d tasks at once", len(ids)).At("/tell")
	}
	ask := kernel.Ask{What: readOfTasks}
	refs := func(api.TaskList) []brenner.Ref { return []brenner.Ref{} }
	out, shown, err := kernel.ReadPassages(ctx, s.caller.Unasked(true), ask, refs, kernel.To(policy.Status, "tasks"), func(c *kernel.Call) (api.TaskList, []kernel.Passage, error) {
		out := api.TaskList{Tasks: []api.TaskInfo{}}
		var all []kernel.Passage
		for _, id := range ids {
			t, err := s.Find(c, id)
			if err == nil {
				t, err = s.told(c, t)
			}
			if err != nil {
				return out, nil, err
			}
			t.Told = !c.Person() && t.Creator == c.Who.Name
			out.Tasks, all = append(out.Tasks, t), append(all, kernel.Passage{Text: saidOf(t), Own: t.Told})
		}
		out.Total = len(out.Tasks)
		return out, all, nil
	})
	for _, i := range shown.Before {
		out.Tasks[i].Told = true
	}
	return out, err
}

// saidOf is what those who take part in its session are told of a task.
func saidOf(t api.TaskInfo) string {
	var b strings.Builder
	b.WriteString(t.ID + " " + t.Title + "\n")
	for _, p := range t.Parts {
		b.WriteString(string(p.Agent) + ": " + p.Part + "\n")
	}
	return b.String()
}
