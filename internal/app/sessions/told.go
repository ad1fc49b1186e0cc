package sessions

import (
	"context"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/policy"
)

// tell notes that the caller is told some sentences of how a session stands, and says which
// of them its context was told before (ADR 141); with Unseen only that. They are paid for
// like news.
func (s *Service) tell(ctx context.Context, req api.SessionRequest) (api.SessionView, error) {
	if len(req.Tell) > brenner.MaxPage {
		return api.SessionView{}, brenner.Errorf(brenner.CodeLimitExceeded, "%d sentences at once", len(req.Tell)).At("/tell")
	}
	ask := kernel.Ask{What: "how " + string(req.ID) + " stands", Peek: req.Unseen}
	refs := func(api.SessionView) []brenner.Ref { return []brenner.Ref{} }
	guard := kernel.Acting(kernel.Act{Action: policy.Read, Type: artifact.TypeSessionArtifact, Target: string(req.ID)})
	out, shown, err := kernel.ReadPassages(ctx, s.caller.Unasked(true), ask, refs, guard, func(c *kernel.Call) (api.SessionView, []kernel.Passage, error) {
		info, err := findSession(c, req.ID)
		if err != nil {
			return api.SessionView{}, nil, err
		}
		if err := c.Allow(policy.Read, artifact.TypeSessionArtifact, info.Module, string(req.ID)); err != nil {
			return api.SessionView{}, nil, err
		}
		all := make([]kernel.Passage, len(req.Tell))
		for i, sentence := range req.Tell {
			all[i] = kernel.Passage{Text: sentence}
		}
		return api.SessionView{SessionInfo: info, Ref: info.Artifact}, all, nil
	})
	for _, i := range shown.Before {
		out.Told = append(out.Told, req.Tell[i])
	}
	return out, err
}
