package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"brenner"
	"brenner/anchor"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/policy"
)

// ApplyPatch implements api.Patches.
//
// A refused patch writes nothing in its own transaction. Once that is over, the
// refusal is explained and, by a small write of its own, counted (patchfail.go).
func (s *service) ApplyPatch(ctx context.Context, req api.ApplyPatchRequest) (api.PatchResult, error) {
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
	out, err := write(ctx, s, "patch.apply", req.Write, req, func(ch *change) (api.PatchResult, error) {
		tried = nil // the store may run this again
		out, refused, err := ch.applyPatch(req, p)
		if err == nil && req.DryRun {
			dry, err = out, errDryRun
		}
		tried = refused
		return out, err
	})
	switch {
	case errors.Is(err, errDryRun):
		return dry, nil
	case tried != nil:
		return api.PatchResult{}, s.refusePatch(ctx, req, *tried)
	}
	return out, err
}

// errDryRun ends the transaction of a dry run: it went all the way and is
// undone.
var errDryRun = errors.New("a dry run is undone")

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
func (ch *change) applyPatch(req api.ApplyPatchRequest, p anchor.Patch) (api.PatchResult, *patchTrial, error) {
	if err := ch.enterTask(req.Task); err != nil {
		return api.PatchResult{}, nil, err
	}
	// To quote a text is to read it: refusals and rebased patches quote back.
	a, v, text, err := ch.patchable(req.Ref, policy.Write, policy.Read)
	if err != nil {
		return api.PatchResult{}, nil, err
	}
	p.Path = string(a.ID)
	set := anchor.Set{Patches: []anchor.Patch{p}, Rebase: req.Rebase}
	if p.Base != text.Sum() {
		if set.Bases, err = ch.baseOf(a, p.Base); err != nil {
			return api.PatchResult{}, nil, err
		}
	}
	changes, err := set.Plan(map[string]anchor.Text{p.Path: text})
	if refusal := (*brenner.Error)(nil); errors.As(err, &refusal) {
		session, err := ch.patchSession(req)
		if err != nil {
			return api.PatchResult{}, nil, err
		}
		return api.PatchResult{}, &patchTrial{a, v, ch.actor.Role, session, p, text, refusal}, refusal
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
	written, err := ch.update(api.UpdateArtifactRequest{
		ID: a.ID, Parent: v.Version, Summary: req.Summary, SummaryHolds: req.SummaryHolds, Change: req.Change, Task: req.Task,
		Content: &api.Body{Format: artifact.Text, Data: string(c.After.Bytes())},
	})
	out.Version = &written
	return out, nil, err
}

// patchSession is the session that a patch belongs to: its task's, or the one
// named.
func (ch *change) patchSession(req api.ApplyPatchRequest) (brenner.SessionID, error) {
	if req.Task == "" {
		return req.Session, nil
	}
	t, err := ch.findTask(req.Task)
	if err != nil || t.Session == "" {
		return req.Session, err
	}
	return t.Session, nil
}

// patchable loads a version of a text artifact, for who may do all this to it;
// version 0 is the head.
func (c *call) patchable(ref brenner.Ref, actions ...policy.Action) (a store.Artifact, v store.Version, text anchor.Text, err error) {
	for _, action := range actions {
		if a, err = c.findArtifact(ref.Artifact, action); err != nil {
			return store.Artifact{}, store.Version{}, anchor.Text{}, err
		}
	}
	asked := ref.Version
	if asked == 0 {
		asked = a.Head
	}
	if v, err = c.inForce(a, asked); err != nil {
		return store.Artifact{}, store.Version{}, anchor.Text{}, err
	}
	text, err = c.textOf(v)
	return a, v, text, err
}

// textOf gives the content of a version as text to be patched.
func (c *call) textOf(v store.Version) (anchor.Text, error) {
	if v.Format != artifact.Text {
		return anchor.Text{}, brenner.Errorf(brenner.CodeInvalidValue, "%s is JSON, and patches change text", v.Ref()).
			WithHint("write a new version with `brenner artifact update`")
	}
	content, err := c.content(v)
	if err != nil {
		return anchor.Text{}, err
	}
	return anchor.Canonical(content.Data)
}

// baseOf finds the version of an artifact whose text has a checksum (P13). Most
// texts are stored in canonical form, and their content has that very digest;
// one with a byte order mark or other line endings has to be read to know.
func (c *call) baseOf(a store.Artifact, sum brenner.Digest) (map[brenner.Digest]anchor.Text, error) {
	v, found, err := c.versionWith(a, sum)
	if err != nil {
		return nil, err
	}
	if found {
		text, err := c.textOf(v)
		return map[brenner.Digest]anchor.Text{sum: text}, err
	}
	var bases map[brenner.Digest]anchor.Text
	err = c.eachText(a, 0, func(_ store.Version, t anchor.Text) bool {
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
func (c *call) versionWith(a store.Artifact, d brenner.Digest) (store.Version, bool, error) {
	switch _, err := c.Blob(c.ctx, d); brenner.CodeOf(err) {
	case "":
	case brenner.CodeNotFound, brenner.CodeRedacted:
		return store.Version{}, false, nil
	default:
		return store.Version{}, false, err
	}
	for after := brenner.Version(0); ; {
		rows, err := c.Versions(c.ctx, a.ID, after, brenner.MaxPage)
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
func (c *call) eachText(a store.Artifact, but brenner.Version, visit func(store.Version, anchor.Text) bool) error {
	rows, err := c.Versions(c.ctx, a.ID, max(0, a.Latest-brenner.MaxPatchVersions), brenner.MaxPatchVersions)
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
		text, err := c.textOf(v)
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
func (c *call) olderTexts(a store.Artifact, but brenner.Version) ([]anchor.Named, error) {
	var out []anchor.Named
	err := c.eachText(a, but, func(v store.Version, t anchor.Text) bool {
		out = append(out, anchor.Named{Name: v.Ref().String(), Text: t})
		return true
	})
	return out, err
}

// ExplainPatch implements api.Patches.
func (s *service) ExplainPatch(ctx context.Context, req api.ExplainPatchRequest) (api.PatchExplanation, error) {
	p, err := anchor.Parse(req.Patch)
	if err != nil {
		return api.PatchExplanation{}, err
	}
	if len(req.Also) > brenner.MaxPatchVersions {
		return api.PatchExplanation{}, brenner.Errorf(brenner.CodeLimitExceeded, "at most %d other artifacts are looked in", brenner.MaxPatchVersions).At("/also")
	}
	shown := func(x api.PatchExplanation) []brenner.Ref { return []brenner.Ref{x.Ref} }
	return read(ctx, s, "explanation", shown, func(c *call) (api.PatchExplanation, error) {
		a, v, text, err := c.patchable(req.Ref, policy.Read)
		if err != nil {
			return api.PatchExplanation{}, err
		}
		var elsewhere anchor.Elsewhere
		if elsewhere.Older, err = c.olderTexts(a, v.Version); err != nil {
			return api.PatchExplanation{}, err
		}
		for _, ref := range req.Also {
			_, v, text, err := c.patchable(ref, policy.Read)
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
func (s *service) PatchBetween(ctx context.Context, req api.PatchBetweenRequest) (api.PatchBetweenResult, error) {
	shown := func(r api.PatchBetweenResult) []brenner.Ref { return []brenner.Ref{r.From, r.To} }
	return read(ctx, s, "patch", shown, func(c *call) (api.PatchBetweenResult, error) {
		a, from, before, err := c.patchable(req.From, policy.Read)
		if err != nil {
			return api.PatchBetweenResult{}, err
		}
		if req.To.Artifact != a.ID {
			return api.PatchBetweenResult{}, brenner.Errorf(brenner.CodeInvalidValue, "%s and %s are different artifacts", a.ID, req.To.Artifact).
				WithHint(fmt.Sprintf("name two versions of one artifact, such as %s@1 %s@2", a.ID, a.ID))
		}
		_, to, after, err := c.patchable(req.To, policy.Read)
		if err != nil {
			return api.PatchBetweenResult{}, err
		}
		p, err := anchor.Diff(before, after, string(a.ID))
		return api.PatchBetweenResult{From: from.Ref(), To: to.Ref(), Patch: p}, err
	})
}
