package tasks

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/policy"
)

// bounded prepares a task that an agent asks for: it is about the module the
// agent works on unless it names another, and there are only so many for each
// context, so that nobody floods the others.
func (r *Room) bounded(ch *kernel.Change, req api.NewTaskRequest) (api.NewTaskRequest, error) {
	if freely(ch.Call) {
		return req, nil
	}
	modules, opened, err := r.Contexts.Under(ch.Call, kindTaskOpened.Name)
	if err != nil {
		return req, err
	}
	if opened >= brenner.MaxRequestsPerContext {
		return req, brenner.Errorf(brenner.CodeLimitExceeded, "%d tasks were opened under this context, and no more may be", opened).
			WithHint("wait for what you asked for; another piece of work has a context of its own")
	}
	if len(req.Modules) == 0 && !req.CrossCutting {
		modules = slices.DeleteFunc(slices.Clone(modules), func(m brenner.Module) bool { return m == kernel.ProjectModule })
		if len(modules) == 1 {
			req.Modules = modules
		}
	}
	return req, nil
}

// tellOpened tells the agents that a task is for: those of its role, in a
// session those who play it there.
func (r *Room) tellOpened(ch *kernel.Change, t api.TaskInfo) error {
	all, err := ch.Actors(ch.Ctx)
	if err != nil {
		return err
	}
	told := 0
	for _, a := range all {
		if told == brenner.MaxToldOfTask {
			break
		}
		if a.Kind != kernel.Agent || !a.Active || a.Name == ch.Who.Name {
			continue
		}
		if ok, err := r.Eligible(ch.Call, t, a); err != nil {
			return err
		} else if !ok {
			continue
		}
		told++
		if err := r.tellTask(ch, t, a); err != nil {
			return err
		}
	}
	return nil
}

func (r *Room) tellTask(ch *kernel.Change, t api.TaskInfo, to store.Actor) error {
	what := "is open for your role"
	if t.Holder == to.Name {
		what = "was given to you"
	}
	kind, subject := api.MessageTask, fmt.Sprintf("TASK: %s %s", t.ID, what)
	if t.Kind == api.TaskRevise && len(t.Inputs) > 0 {
		kind, subject = api.MessageChanges, fmt.Sprintf("CHANGES: requested in %s, as %s", t.Inputs[0].Ref, t.ID)
	}
	return r.Mail.Tell(ch, to.Name, kind, subject, fmt.Sprintf(
		"%s (%s, role %s, module %s) %s. Take it: %s\n", t.ID, t.Kind, t.Role, kernel.Join(t.Modules), what, brenner.Do("task.claim", "id", t.ID).Mark()))
}

// tellAsker tells whoever asked for a task what came of it. The answer is what
// was written for it, never words of another agent (C2).
func (r *Room) tellAsker(ch *kernel.Change, t api.TaskInfo) error {
	var b strings.Builder
	if t.State == api.TaskCanceled {
		fmt.Fprintf(&b, "%s, which you asked for, was canceled by %s and will not be done.\n", t.ID, ch.Who.Name)
	} else {
		fmt.Fprintf(&b, "%s, which you asked for, was done by %s.\n", t.ID, ch.Who.Name)
	}
	for _, ref := range t.Outputs {
		fmt.Fprintf(&b, "- Read what came of it: %s\n", brenner.Do("artifact.show", "ref", ref.String()).Mark())
	}
	if len(t.Outputs) == 0 && t.State != api.TaskCanceled {
		b.WriteString("Nothing was written for it.\n")
	}
	return r.Mail.Tell(ch, t.Creator, api.MessageAnswered, fmt.Sprintf("ANSWERED: %s is %s", t.ID, t.State), b.String())
}

// opening is to open a task: freely, or as a request to others.
func opening(target string) kernel.Guard {
	return kernel.On(func(c *kernel.Call) (kernel.Act, error) {
		if !freely(c) {
			return kernel.Act{Action: policy.TaskRequest, Target: target}, nil
		}
		return kernel.Act{Action: policy.TaskCreate, Target: target}, nil
	})
}

func freely(c *kernel.Call) bool { return c.May(policy.TaskCreate, "", "") }

// checkCancels refuses to cancel what somebody else asked for.
func checkCancels(c *kernel.Call, t api.TaskInfo) error {
	if t.Creator == c.Who.Name || freely(c) {
		return nil
	}
	return brenner.Errorf(brenner.CodeTaskNotYours, "%s was asked for by %s", t.ID, t.Creator).WithHint("ask the PI")
}
