package web

import (
	"brenner"
	"brenner/api"
)

// contextList is the past contexts and the question "what would X see".
type contextList struct {
	api.InvocationList
	Agents []api.AgentInfo
	Tasks  []api.TaskInfo
}

func loadContexts(v *visit) (string, any, error) {
	out, err := previewChoices(v)
	if err != nil {
		return "", nil, err
	}
	out.InvocationList, err = v.svc.Invocations(v.Context(), api.ListInvocationsRequest{
		Page: v.page(perPage), Agent: brenner.ActorName(v.query("agent")), Task: v.query("task"),
	})
	return "Contexts", out, err
}

// previewChoices are whom and what a preview can be asked for.
func previewChoices(v *visit) (out contextList, err error) {
	agents, err := v.svc.Agents(v.Context())
	if err != nil {
		return out, err
	}
	for _, a := range agents.Agents {
		if a.Kind != "person" {
			out.Agents = append(out.Agents, a)
		}
	}
	tasks, err := v.svc.Tasks(v.Context(), api.ListTasksRequest{Page: api.Page{Limit: brenner.DefaultPage}})
	out.Tasks = tasks.Tasks
	return out, err
}

// previewPage is what an agent would see.
type previewPage struct {
	contextList
	Result *api.ContextResult
}

// loadPreview answers "what would agent X see for task T". It is a read, and
// so an address that can be kept.
func loadPreview(v *visit) (string, any, error) {
	choices, err := previewChoices(v)
	if err != nil {
		return "", nil, err
	}
	res, err := v.svc.PreviewContext(v.Context(), api.ContextRequest{
		As: brenner.ActorName(v.query("agent")), Task: v.query("task"), Question: v.query("question"),
		Modules: one[brenner.Module](v.query("module")),
	})
	return "What " + v.query("agent") + " would see", previewPage{choices, &res}, err
}

func loadInvocation(v *visit) (string, any, error) {
	info, err := v.svc.Invocation(v.Context(), api.InvocationRequest{ID: v.PathValue("id")})
	return "Context " + info.ID, info, err
}
