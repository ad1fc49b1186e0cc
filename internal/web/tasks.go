package web

import (
	"net/url"

	"brenner"
	"brenner/api"
)

// taskList is the board of tasks.
type taskList struct {
	api.TaskList
	Roles []brenner.Role
}

func loadTasks(v *visit) (string, any, error) {
	agents, err := v.svc.Agents(v.Context())
	if err != nil {
		return "", nil, err
	}
	list, err := v.svc.Tasks(v.Context(), api.ListTasksRequest{
		Page: v.page(perPage), States: one[api.TaskState](v.query("state")), Role: brenner.Role(v.query("role")),
		Newest: v.query("sort") != "",
	})
	return "Tasks", taskList{list, agents.Roles}, err
}

func taskPath(id string) string { return "/tasks/" + url.PathEscape(id) }

// tasksActs open tasks.
var tasksActs = map[string]act{
	"open": func(v *visit) (string, error) {
		req := api.NewTaskRequest{
			Write: v.write(), Title: v.field("title"), Spec: v.field("spec"), Role: brenner.Role(v.field("role")),
			CrossCutting: v.field("cross") != "",
		}
		for _, m := range v.PostForm["module"] {
			req.Modules = append(req.Modules, brenner.Module(m))
		}
		for _, line := range lines(v.field("inputs")) {
			ref, err := brenner.ParseRef(line)
			if err != nil {
				return "", err
			}
			req.Inputs = append(req.Inputs, ref)
		}
		t, err := v.svc.NewTask(v.Context(), req)
		return taskPath(t.ID), err
	},
}

// taskPage is one task and who could do it.
type taskPage struct {
	api.TaskInfo
	Agents []api.AgentInfo
	Open   bool
	// Results are what it was completed with, Drafts what else was written for it.
	Results, Drafts []api.TaskOutput
	Context         []api.InvocationItem
}

func loadTask(v *visit) (string, any, error) {
	t, err := v.svc.Task(v.Context(), api.TaskRequest{ID: v.PathValue("id")})
	if err != nil {
		return "", nil, err
	}
	agents, err := v.svc.Agents(v.Context())
	if err != nil {
		return "", nil, err
	}
	seen, err := v.svc.Invocations(v.Context(), api.ListInvocationsRequest{Task: t.ID, Page: api.Page{Limit: 20}})
	open := t.State == api.TaskOpen || t.State == api.TaskClaimed
	out := taskPage{TaskInfo: t, Agents: agents.Agents, Open: open, Context: seen.Invocations}
	for _, o := range t.Written {
		if o.Result {
			out.Results = append(out.Results, o)
		} else {
			out.Drafts = append(out.Drafts, o)
		}
	}
	return t.ID, out, err
}

// taskActs are what the PI does about a task.
var taskActs = map[string]act{
	"cancel": func(v *visit) (string, error) {
		t, err := v.svc.CancelTask(v.Context(), api.CancelTaskRequest{Write: v.write(), ID: v.PathValue("id"), Reason: v.field("reason")})
		return taskPath(t.ID), err
	},
	"reassign": func(v *visit) (string, error) {
		t, err := v.svc.ReassignTask(v.Context(), api.ReassignTaskRequest{Write: v.write(), ID: v.PathValue("id"), To: brenner.ActorName(v.field("to"))})
		return taskPath(t.ID), err
	},
}
