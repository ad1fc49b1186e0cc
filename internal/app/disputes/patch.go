package disputes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"brenner"
	"brenner/anchor"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
)

// ApplyPatch implements api.Patches.
//
// A refused patch writes nothing in its own transaction. Once that is over, the
// refusal is explained and, by a small write of its own, counted (refusal.go).
func (s *Service) ApplyPatch(ctx context.Context, req api.ApplyPatchRequest) (api.PatchResult, error) {
	p, err := anchor.Parse(req.Patch)
	if err != nil {
		return api.PatchResult{}, err
	}
	if req.Session != "" {
		if err := req.Session.Check(); err != nil {
			return api.PatchResult{}, err
		}
	}
	var tried *patchTrial
	var dry api.PatchResult
	var a store.Artifact
	// To quote a text is to read it: refusals and rebased patches quote back.
	guard := kernel.All(s.Ledger.Writing(req.Task, req.Ref.Artifact, &a), ledger.ToArtifact(policy.Read, req.Ref.Artifact, &a))
	out, err := kernel.Write(ctx, s.caller, "patch.apply", req, guard, func(ch *kernel.Change) (api.PatchResult, error) {
		tried = nil // the store may run this again
		out, refused, err := s.applyPatch(ch, req, p, a)
		if err == nil && req.DryRun {
			dry, err = out, ledger.ErrDryRun
		}
		tried = refused
		return out, err
	})
	switch {
	case errors.Is(err, ledger.ErrDryRun):
		return dry, nil
	case tried != nil:
		return api.PatchResult{}, s.refusePatch(ctx, req, *tried)
	}
	return out, err
}

// patchTrial is a patch, the text it was tried on, and what was said.
type patchTrial struct {
	artifact store.Artifact
	version  store.Version
	role     brenner.Role // that the actor tried it in
	session  brenner.SessionID
	patch    anchor.Patch
	text     anchor.Text
	refusal  *brenner.Error
}

// applyPatch applies a patch and writes the version. The trial is for a refusal
// that is about patch and text, not about who asks or what is missing besides.
func (r *Room) applyPatch(ch *kernel.Change, req api.ApplyPatchRequest, p anchor.Patch, a store.Artifact) (api.PatchResult, *patchTrial, error) {
	v, text, err := textAt(ch.Call, a, req.Ref.Version)
	if err != nil {
		return api.PatchResult{}, nil, err
	}
	p.Path = string(a.ID)
	set := anchor.Set{Patches: []anchor.Patch{p}, Rebase: req.Rebase}
	if p.Base != text.Sum() {
		if set.Bases, err = baseOf(ch.Call, a, p.Base); err != nil {
			return api.PatchResult{}, nil, err
		}
	}
	changes, err := set.Plan(map[string]anchor.Text{p.Path: text})
	if refusal := (*brenner.Error)(nil); errors.As(err, &refusal) {
		session, err := r.patchSession(ch, req)
		if err != nil {
			return api.PatchResult{}, nil, err
		}
		return api.PatchResult{}, &patchTrial{a, v, ch.Who.Role, session, p, text, refusal}, refusal
	}
	if err != nil {
		return api.PatchResult{}, nil, err
	}
	c := changes[0]
	out := api.PatchResult{
		Outcome: c.Outcome, From: v.Ref(), Before: text.Sum(), After: c.After.Sum(), Rebased: c.Rebased, DryRun: req.DryRun,
	}
	if c.Outcome != anchor.Applied {
		return out, nil, nil
	}
	written, err := r.Ledger.Update(ch, api.UpdateArtifactRequest{
		ID: a.ID, Parent: v.Version, Summary: req.Summary, SummaryHolds: req.SummaryHolds, Change: req.Change, Task: req.Task,
		Content: &api.Body{Format: artifact.Text, Data: string(c.After.Bytes())},
	})
	out.Version = &written
	return out, nil, err
}

// patchSession is the session that a patch belongs to: its task's, or the one
// named.
func (r *Room) patchSession(ch *kernel.Change, req api.ApplyPatchRequest) (brenner.SessionID, error) {
	if req.Task == "" {
		return req.Session, nil
	}
	t, err := r.Tasks.Find(ch.Call, req.Task)
	if err != nil || t.Session == "" {
		return req.Session, err
	}
	return t.Session, nil
}

// textAt loads a version of a text artifact; version 0 is the head.
func textAt(c *kernel.Call, a store.Artifact, asked brenner.Version) (v store.Version, text anchor.Text, err error) {
	if asked == 0 {
		asked = a.Head
	}
	if v, err = ledger.InForce(c, a, asked); err != nil {
		return store.Version{}, anchor.Text{}, err
	}
	text, err = textOf(c, v)
	return v, text, err
}

// textOf gives the content of a version as text to be patched.
func textOf(c *kernel.Call, v store.Version) (anchor.Text, error) {
	if v.Format != artifact.Text {
		return anchor.Text{}, brenner.Errorf(brenner.CodeInvalidValue, "%s is JSON, and patches change text", v.Ref()).
			WithHint("write a new version with `brenner artifact update`")
	}
	content, err := ledger.ContentOf(c, v)
	if err != nil {
		return anchor.Text{}, err
	}
	return anchor.Canonical(content.Data)
}

// baseOf finds the version of an artifact whose text has a checksum (P13). Most
// texts are stored in canonical form, and their content has that very digest;
// one with a byte order mark or other line endings has to be read to know.
func baseOf(c *kernel.Call, a store.Artifact, sum brenner.Digest) (map[brenner.Digest]anchor.Text, error) {
	v, found, err := versionWith(c, a, sum)
	if err != nil {
		return nil, err
	}
	if found {
		text, err := textOf(c, v)
		return map[brenner.Digest]anchor.Text{sum: text}, err
	}
	var bases map[brenner.Digest]anchor.Text
	err = eachText(c, a, 0, func(_ store.Version, t anchor.Text) bool {
		if t.Sum() == sum {
			bases = map[brenner.Digest]anchor.Text{sum: t}
		}
		return bases == nil
	})
	return bases, err
}

// versionWith finds a text version of an artifact by the digest of its content.
// Content of other artifacts does not count: who may change this one need not
// read those.
func versionWith(c *kernel.Call, a store.Artifact, d brenner.Digest) (store.Version, bool, error) {
	switch _, err := c.Blob(c.Ctx, d); brenner.CodeOf(err) {
	case "":
	case brenner.CodeNotFound, brenner.CodeRedacted:
		return store.Version{}, false, nil
	default:
		return store.Version{}, false, err
	}
	for after := brenner.Version(0); ; {
		rows, err := c.Versions(c.Ctx, a.ID, after, brenner.MaxPage)
		if err != nil || len(rows) == 0 {
			return store.Version{}, false, err
		}
		for _, v := range rows {
			if v.Content == d && v.Format == artifact.Text {
				return v, true, nil
			}
		}
		after = rows[len(rows)-1].Version
	}
}

// eachText visits the newest texts of an artifact, newest first, until visit
// says stop: of brenner.MaxPatchVersions versions, brenner.MaxPatchSetBytes
// together. One version can be left out; what is no text, or redacted, is.
func eachText(c *kernel.Call, a store.Artifact, but brenner.Version, visit func(store.Version, anchor.Text) bool) error {
	rows, err := c.Versions(c.Ctx, a.ID, max(0, a.Latest-brenner.MaxPatchVersions), brenner.MaxPatchVersions)
	if err != nil {
		return err
	}
	var total int64
	for _, v := range slices.Backward(rows) {
		if v.Version == but || v.Format != artifact.Text {
			continue
		}
		if total += v.Size; total > brenner.MaxPatchSetBytes {
			return nil
		}
		text, err := textOf(c, v)
		if brenner.CodeOf(err) == brenner.CodeRedacted {
			continue
		}
		if err != nil {
			return err
		}
		if !visit(v, text) {
			return nil
		}
	}
	return nil
}

// olderTexts lists the other versions of an artifact, by name, for the
// explainer to look in.
func olderTexts(c *kernel.Call, a store.Artifact, but brenner.Version) ([]anchor.Named, error) {
	var out []anchor.Named
	err := eachText(c, a, but, func(v store.Version, t anchor.Text) bool {
		out = append(out, anchor.Named{Name: v.Ref().String(), Text: t})
		return true
	})
	return out, err
}

// ExplainPatch implements api.Patches.
func (s *Service) ExplainPatch(ctx context.Context, req api.ExplainPatchRequest) (api.PatchExplanation, error) {
	p, err := anchor.Parse(req.Patch)
	if err != nil {
		return api.PatchExplanation{}, err
	}
	if len(req.Also) > brenner.MaxPatchVersions {
		return api.PatchExplanation{}, brenner.Errorf(brenner.CodeLimitExceeded, "at most %d other artifacts are looked in", brenner.MaxPatchVersions).At("/also")
	}
	shown := func(x api.PatchExplanation) []brenner.Ref { return []brenner.Ref{x.Ref} }
	var a store.Artifact
	return kernel.Read(ctx, s.caller, "explanation", shown, ledger.ToArtifact(policy.Read, req.Ref.Artifact, &a), func(c *kernel.Call) (api.PatchExplanation, error) {
		v, text, err := textAt(c, a, req.Ref.Version)
		if err != nil {
			return api.PatchExplanation{}, err
		}
		var elsewhere anchor.Elsewhere
		if elsewhere.Older, err = olderTexts(c, a, v.Version); err != nil {
			return api.PatchExplanation{}, err
		}
		for _, ref := range req.Also {
			other, err := ledger.FindArtifact(c, ref.Artifact, policy.Read)
			if err != nil {
				return api.PatchExplanation{}, err
			}
			v, text, err := textAt(c, other, ref.Version)
			if err != nil {
				return api.PatchExplanation{}, err
			}
			elsewhere.Others = append(elsewhere.Others, anchor.Named{Name: v.Ref().String(), Text: text})
		}
		p.Path = string(a.ID)
		return api.PatchExplanation{Ref: v.Ref(), Explanation: anchor.Explain(p, text, elsewhere)}, nil
	})
}

// PatchBetween implements api.Patches.
func (s *Service) PatchBetween(ctx context.Context, req api.PatchBetweenRequest) (api.PatchBetweenResult, error) {
	shown := func(r api.PatchBetweenResult) []brenner.Ref { return []brenner.Ref{r.From, r.To} }
	var a store.Artifact
	return kernel.Read(ctx, s.caller, "patch", shown, ledger.ToArtifact(policy.Read, req.From.Artifact, &a), func(c *kernel.Call) (api.PatchBetweenResult, error) {
		from, before, err := textAt(c, a, req.From.Version)
		if err != nil {
			return api.PatchBetweenResult{}, err
		}
		if req.To.Artifact != a.ID {
			return api.PatchBetweenResult{}, brenner.Errorf(brenner.CodeInvalidValue, "%s and %s are different artifacts", a.ID, req.To.Artifact).
				WithHint(fmt.Sprintf("name two versions of one artifact, such as %s@1 %s@2", a.ID, a.ID))
		}
		to, after, err := textAt(c, a, req.To.Version)
		if err != nil {
			return api.PatchBetweenResult{}, err
		}
		p, err := anchor.Diff(before, after, string(a.ID))
		return api.PatchBetweenResult{From: from.Ref(), To: to.Ref(), Patch: p}, err
	})
}
