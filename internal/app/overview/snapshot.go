package overview

import (
	"context"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/snapshot"
)

// The renderings of a snapshot.
const (
	formatMarkdown = "markdown"
	formatHTML     = "html"
)

// Snapshot implements api.Overview.
func (s *Service) Snapshot(ctx context.Context, req api.SnapshotRequest) (api.SnapshotResult, error) {
	return kernel.Read(ctx, s.caller, "snapshot", nil, kernel.To(policy.Status, "snapshot"), func(c *kernel.Call) (api.SnapshotResult, error) {
		snap, err := s.takeSnapshot(c)
		if err != nil {
			return api.SnapshotResult{}, err
		}
		out := api.SnapshotResult{Snapshot: snap}
		switch req.Format {
		case "":
		case formatMarkdown:
			out.Rendered = snap.Markdown()
		case formatHTML:
			out.Rendered, err = snap.HTML()
		default:
			err = brenner.Errorf(brenner.CodeInvalidValue, "%q is not a format of a snapshot", req.Format).WithHint("formats: markdown, html")
		}
		return out, err
	})
}

// takeSnapshot takes the state of the project from what is canonical and may be
// read.
func (r *Room) takeSnapshot(c *kernel.Call) (snapshot.Snapshot, error) {
	p, err := c.Reader.Project(c.Ctx)
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	out := snapshot.Snapshot{Project: p.Name, At: c.Now, Position: c.Position}
	stale, err := ledger.AllStale(c)
	if err != nil {
		return out, err
	}
	out.Stale = make([]snapshot.Stale, 0, len(stale))
	isStale := map[brenner.Ref]bool{}
	for _, i := range stale {
		isStale[i.Ref] = true
		out.Stale = append(out.Stale, snapshot.Stale{Ref: i.Ref, Path: i.Path})
	}
	if err := addCanonical(c, &out, isStale); err != nil {
		return out, err
	}
	if out.Forks, err = ledger.AllForks(c); err != nil {
		return out, err
	}
	if err := r.addFindings(c, &out); err != nil {
		return out, err
	}
	spine, err := ledger.SpineOf(c)
	out.Missing = spine.Missing
	return out, err
}

// addFindings adds what checks found and nobody has settled, as far as both the
// version and the critique may be read.
func (r *Room) addFindings(c *kernel.Call, out *snapshot.Snapshot) error {
	modules, none := c.InScope(nil)
	found, err := r.Checks.WaitingFindings(c)
	if err != nil || none {
		return err
	}
	critiques := make([]brenner.Ref, len(found)) // the first of each
	var refs []brenner.Ref
	for i, f := range found {
		if critiques[i], err = brenner.ParseRef(f.Members[0]); err != nil {
			return err
		}
		refs = append(refs, f.On[0], critiques[i])
	}
	artifacts, err := ledger.ArtifactsOf(c, refs)
	if err != nil {
		return err
	}
	reads := func(ref brenner.Ref) bool {
		a := artifacts[ref.Artifact]
		return c.Sees(a.Type, a.Module) && (len(modules) == 0 || slices.Contains(modules, a.Module))
	}
	for i, f := range found {
		if reads(f.On[0]) && reads(critiques[i]) {
			out.Findings = append(out.Findings, snapshot.Finding{Ref: f.On[0], Text: artifacts[critiques[i].Artifact].Summary, Count: f.Count})
		}
	}
	return nil
}

// addCanonical adds every canonical version that a snapshot shows. Only those
// types whose content it quotes are loaded.
func addCanonical(c *kernel.Call, out *snapshot.Snapshot, stale map[brenner.Ref]bool) error {
	modules, none := c.InScope(nil)
	if none {
		return nil
	}
	return ledger.EachArtifact(c, store.ArtifactQuery{Canonical: true, Modules: modules}, func(a store.Artifact) error {
		if !c.May(policy.Read, a.Type, a.Module) {
			return nil
		}
		v, err := ledger.InForce(c, a, a.Canonical)
		if err != nil {
			return err
		}
		entry := snapshot.Entry{Ref: v.Ref(), Type: a.Type, Module: a.Module, Summary: v.Summary, Stale: stale[v.Ref()]}
		content := snapshot.Content{Entry: entry}
		switch a.Type {
		case artifact.TypeProjectBrief, artifact.TypeAssumption, artifact.TypeSessionArtifact:
			content.Content, err = ledger.ContentOf(c, v)
			if brenner.CodeOf(err) == brenner.CodeRedacted {
				err = nil
			}
		}
		out.Add(content)
		return err
	})
}
