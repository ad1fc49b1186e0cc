package runner

import (
	"context"
	"crypto/rand"

	"brenner/api"
	"brenner/internal/patience"
)

// patientAgent waits for a project that is away, as the tools of the program do:
// what it writes goes under a key, so that no call counts twice.
type patientAgent struct {
	Agent
}

func (a patientAgent) ReadMessage(ctx context.Context, req api.MessageRequest) (api.MessageView, error) {
	req.Key = rand.Text()
	return patience.Call(ctx, func(ctx context.Context) (api.MessageView, error) { return a.Agent.ReadMessage(ctx, req) })
}

func (a patientAgent) AckMessage(ctx context.Context, req api.MessageRequest) (api.MessageInfo, error) {
	req.Key = rand.Text()
	return patience.Call(ctx, func(ctx context.Context) (api.MessageInfo, error) { return a.Agent.AckMessage(ctx, req) })
}

func (a patientAgent) AssembleContext(ctx context.Context, req api.ContextRequest) (api.ContextResult, error) {
	req.Key = rand.Text()
	return patience.Call(ctx, func(ctx context.Context) (api.ContextResult, error) { return a.Agent.AssembleContext(ctx, req) })
}

func (a patientAgent) Views(ctx context.Context) (api.ViewList, error) {
	return patience.Call(ctx, a.Agent.Views)
}

func (a patientAgent) SubmitDeltas(ctx context.Context, req api.SubmitDeltasRequest) (api.Submission, error) {
	req.Key = rand.Text()
	return patience.Call(ctx, func(ctx context.Context) (api.Submission, error) { return a.Agent.SubmitDeltas(ctx, req) })
}

func (a patientAgent) SessionStatus(ctx context.Context, req api.SessionStatusRequest) (api.SessionStatus, error) {
	return patience.Call(ctx, func(ctx context.Context) (api.SessionStatus, error) { return a.Agent.SessionStatus(ctx, req) })
}

func (a patientAgent) Task(ctx context.Context, req api.TaskRequest) (api.TaskInfo, error) {
	return patience.Call(ctx, func(ctx context.Context) (api.TaskInfo, error) { return a.Agent.Task(ctx, req) })
}
