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

	"github.com/go-json-experiment/json/jsontext"
)

// ApplyPatch implements api.Patches.
//
// What a patch comes to is found out on a snapshot; the transaction only writes
// the version, or seems to in a dry run. A refusal is explained once that is over
// and, by a small write of its own, counted (refusal.go).
func (s *Service) ApplyPatch(ctx context.Context, req api.ApplyPatchRequest) (api.PatchResult, error) {
	if req.Session != "" {
		if err := req.Session.Check(); err != nil {
			return api.PatchResult{}, err
		}
	}
	var tried *patchTrial
	var a store.Artifact
	// To quote a text is to read it: refusals and rebased patches quote back.
	guard := kernel.All(s.Ledger.Writing(req.Task, req.Ref.Artifact, &a), ledger.ToArtifact(policy.Read, req.Ref.Artifact, &a))
	plan := kernel.Plan[patchPlan]{
		Make: func(c *kernel.Call) (patchPlan, error) {
			p, refused, err := s.planPatch(c, req, a)
			tried = refused // made again in the transaction it may be refused there
			return p, err
		},
		// Versions do not change: what was planned on one holds as long as it
		// is in force and is still the one that was asked for.
		Holds: func(c *kernel.Call, p patchPlan) (bool, error) {
			_, err := ledger.InForce(c, a, p.version.Version)
			return err == nil && (req.Ref.Version != 0 || a.Head == p.version.Version), nil
		},
	}
	out, err := kernel.WritePlan(ctx, s.caller, "patch.apply", req, guard, plan, func(ch *kernel.Change, p patchPlan) (api.PatchResult, error) {
		out := p.result()
		out.DryRun = req.DryRun
		if p.change.Outcome != anchor.Applied {
			return out, nil
		}
		written, err := s.Ledger.Update(ch, p.update(req))
		if req.DryRun {
			written.Seq = 0 // there is no record of it
		}
		out.Version = &written
		return out, err
	})
	if tried != nil {
		return api.PatchResult{}, s.refusePatch(ctx, req, *tried)
	}
	return out, err
}

// patchPlan is what a patch makes of a version.
type patchPlan struct {
	version store.Version
	change  anchor.Change
}

func (p patchPlan) result() api.PatchResult {
	return api.PatchResult{
		Outcome: p.change.Outcome, From: p.version.Ref(), Before: p.change.Before.Sum(), After: p.change.After.Sum(),
		Rebased: p.change.Rebased, Already: p.change.Already, Warnings: p.change.Warnings,
	}
}

// update is the new version on the one that was patched.
func (p patchPlan) update(req api.ApplyPatchRequest) api.UpdateArtifactRequest {
	return api.UpdateArtifactRequest{
		ID: p.version.Artifact, Parent: p.version.Version, Summary: req.Summary, SummaryHolds: req.SummaryHolds, Links: req.Links, Change: req.Change, Task: req.Task,
		Content: &api.Body{Format: artifact.Text, Data: string(p.change.After.Bytes())},
	}
}

// patchTrial is a change, the text it was tried on, and what was said.
type patchTrial struct {
	artifact store.Artifact
	version  store.Version
	role     brenner.Role // that the actor tried it in
	session  brenner.SessionID
	raw      jsontext.Value // as it was sent
	edit     *anchor.Edit   // nil if it could not be read
	patch    *anchor.Patch  // nil if it could not be tied to a text
	text     anchor.Text
	refusal  *brenner.Error
}

// planPatch finds out what a patch makes of a version. The trial is for a
// refusal that is about patch and text, not about who asks or what is missing
// besides.
func (r *Room) planPatch(c *kernel.Call, req api.ApplyPatchRequest, a store.Artifact) (patchPlan, *patchTrial, error) {
	v, text, err := textAt(c, a, req.Ref.Version)
	if err != nil {
		return patchPlan{}, nil, err
	}
	t := &patchTrial{artifact: a, version: v, role: c.Who.Role, raw: req.Patch, text: text}
	if t.session, err = r.patchSession(c, req); err != nil {
		return patchPlan{}, nil, err
	}
	change, err := t.try(c, req)
	if errors.As(err, &t.refusal) && slices.Contains(patchRefusals, t.refusal.Code) {
		return patchPlan{}, t, err
	}
	return patchPlan{v, change}, nil, err
}

// patchRefusals are the codes of refusals that are about patch and text (P10).
var patchRefusals = []brenner.Code{
	brenner.CodeBaseMismatch, brenner.CodeBaseUnknown, brenner.CodeAnchorNotFound, brenner.CodeAnchorAmbiguous, brenner.CodeOldBlockMismatch,
	brenner.CodeOverlap, brenner.CodeResultMismatch, brenner.CodeInvalidPatch, brenner.CodeInvalidText, brenner.CodeRebaseConflict, brenner.CodeInexpressible,
}

// try reads a change, ties it to the text it was made for, and applies it.
func (t *patchTrial) try(c *kernel.Call, req api.ApplyPatchRequest) (anchor.Change, error) {
	edit, err := readEdit(req.Patch, req.Format)
	if err != nil {
		return anchor.Change{}, err
	}
	t.edit = &edit
	set := anchor.Set{Rebase: req.Rebase}
	base := t.text
	if edit.NeedsBase() {
		if base, err = t.madeFor(c, req); err != nil {
			return anchor.Change{}, err
		}
	}
	p, err := edit.Patch(base)
	if err != nil {
		return anchor.Change{}, err
	}
	p.Path = string(t.artifact.ID)
	t.patch, set.Patches = &p, []anchor.Patch{p}
	switch sum := t.text.Sum(); {
	case p.Base == sum:
	case p.Base == base.Sum():
		set.Bases = map[brenner.Digest]anchor.Text{p.Base: base}
	default:
		if set.Bases, err = baseOf(c, t.artifact, p.Base); err != nil {
			return anchor.Change{}, err
		}
	}
	changes, err := set.Plan(map[string]anchor.Text{p.Path: t.text})
	if err != nil {
		return anchor.Change{}, err
	}
	return changes[0], nil
}

// madeFor gives the text that a change without a checksum was made for: that of
// the version it names. Without one nobody could tell that the text has moved.
func (t *patchTrial) madeFor(c *kernel.Call, req api.ApplyPatchRequest) (anchor.Text, error) {
	switch {
	case req.Base != 0:
		_, text, err := textAt(c, t.artifact, req.Base)
		return text, err
	case req.Ref.Version == 0:
		return anchor.Text{}, brenner.Errorf(brenner.CodeInvalidValue, "a change without a checksum must name the version it was made for").
			WithHint(fmt.Sprintf("name the version you read, such as %s", t.version.Ref())).At("/ref")
	}
	return t.text, nil
}

// readEdit reads a change of one text.
func readEdit(raw jsontext.Value, f anchor.Format) (anchor.Edit, error) {
	edits, err := anchor.ReadEdits(raw, f)
	if err != nil {
		return anchor.Edit{}, err
	}
	if len(edits) != 1 {
		return anchor.Edit{}, brenner.Errorf(brenner.CodeInvalidPatch, "the change is about %d files, and an artifact is one text", len(edits)).
			WithHint("send the change of each text by itself")
	}
	return edits[0], nil
}

// patchSession is the session that a patch belongs to: its task's, or the one
// named.
func (r *Room) patchSession(c *kernel.Call, req api.ApplyPatchRequest) (brenner.SessionID, error) {
	if req.Task == "" {
		return req.Session, nil
	}
	t, err := r.Tasks.Find(c, req.Task)
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
	if err := c.Compares(v.Size); err != nil {
		return store.Version{}, anchor.Text{}, err
	}
	text, err = textOf(c, v)
	return v, text, err
}

// textOf gives the content of a version as text to be patched.
func textOf(c *kernel.Call, v store.Version) (anchor.Text, error) {
	if v.Format != artifact.Text {
		return anchor.Text{}, brenner.Errorf(brenner.CodeInvalidValue, "%s is JSON, and patches change text", v.Ref()).
			WithHint("write a new version of it whole").Try(brenner.Do("artifact.update", "id", string(v.Ref().Artifact)).Asking("summary", "content", "what", "why"))
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
		if total += v.Size; total > brenner.MaxPatchOlderBytes {
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
	edit, err := readEdit(req.Patch, req.Format)
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
		return api.PatchExplanation{Ref: v.Ref(), Explanation: edit.Named(string(a.ID)).Explain(text, elsewhere)}, nil
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
		p, whole, err := anchor.DiffUntil(c.Gone, before, after, string(a.ID))
		if !whole {
			err = c.Ctx.Err()
		}
		return api.PatchBetweenResult{From: from.Ref(), To: to.Ref(), Patch: p}, err
	})
}
