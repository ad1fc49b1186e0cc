package sessions

import (
	"context"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/policy"
)

const (
	mostWritten = 5  // versions are announced at a time
	lookedAt    = 50 // newest artifacts of the module
)

// readOfWritten is what contexts call it to be told what others wrote. It names no
// session: what was told in one is known in all.
const readOfWritten = "what others wrote"

// written announces versions that others wrote beside a session. A line of it is a
// read like any other (C33), and given once (C34); it shows none of them in full.
func (s *Service) written(ctx context.Context, req api.SessionRequest) (api.SessionView, error) {
	ask := kernel.Ask{What: readOfWritten, Peek: req.Unseen}
	refs := func(api.SessionView) []brenner.Ref { return []brenner.Ref{} }
	guard := kernel.Acting(kernel.Act{Action: policy.Read, Type: artifact.TypeSessionArtifact, Target: string(req.ID)})
	out, shown, err := kernel.ReadPassages(ctx, s.caller.Unasked(req.Unasked), ask, refs, guard, func(c *kernel.Call) (api.SessionView, []kernel.Passage, error) {
		info, err := findSession(c, req.ID)
		if err != nil {
			return api.SessionView{}, nil, err
		}
		if err := c.Allow(policy.Read, artifact.TypeSessionArtifact, info.Module, string(req.ID)); err != nil {
			return api.SessionView{}, nil, err
		}
		all, err := writtenBeside(c, info)
		lines := make([]kernel.Passage, len(all))
		for i, w := range all {
			lines[i] = kernel.Passage{Text: w.Words() + "\n", Says: []string{w.Ref.String()}}
		}
		return api.SessionView{SessionInfo: info, Ref: info.Artifact, Written: all}, lines, err
	})
	if err != nil {
		return api.SessionView{}, err
	}
	all := out.Written
	out.Written, out.Left = nil, shown.Left
	for _, i := range shown.Now {
		out.Written = append(out.Written, all[i])
	}
	return out, nil
}

// writtenBeside are the newest versions that others who were asked in a session wrote
// in its module since it began, that the caller may read, and of which its context
// has nothing.
func writtenBeside(c *kernel.Call, info api.SessionInfo) ([]api.WrittenVersion, error) {
	rows, err := c.Reader.Artifacts(c.Ctx, store.ArtifactQuery{
		Modules: []brenner.Module{info.Module}, Statuses: []artifact.Status{artifact.Draft, artifact.Canonical}, Recent: true, Limit: lookedAt,
	})
	if err != nil {
		return nil, err
	}
	var out []api.WrittenVersion
	for _, a := range rows {
		typ, err := c.Types.Lookup(a.Type)
		if err != nil || !typ.Contextual || typ.Record || a.Type == artifact.TypeSessionArtifact || !c.May(policy.Read, a.Type, a.Module) || a.Updated.Before(info.Created) {
			continue // a type that is not registered any more is nobody's news
		}
		ref := brenner.Ref{Artifact: a.ID, Version: a.Head}
		told := kernel.Passage{Says: []string{ref.String()}}
		if !c.Person() && (c.LastRead(a.ID) >= a.Head || c.Has(readOfWritten, told)) {
			continue
		}
		v, err := c.Reader.Version(c.Ctx, ref)
		if err != nil {
			return nil, err
		}
		if _, asked := recipientOf(info, v.Creator); !asked || v.Creator == c.Who.Name || v.Created.Before(info.Created) {
			continue
		}
		if out = append(out, api.WrittenVersion{Ref: ref, Agent: v.Creator, Summary: v.Summary}); len(out) == mostWritten {
			break
		}
	}
	return out, nil
}
