package app

import (
	"context"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/lineage"
	"brenner/policy"
	"brenner/snapshot"
)

// The renderings of a snapshot.
const (
	formatMarkdown = "markdown"
	formatHTML     = "html"
)

// Snapshot implements api.Overview.
func (s *service) Snapshot(ctx context.Context, req api.SnapshotRequest) (api.SnapshotResult, error) {
	return read(ctx, s, "snapshot", nil, func(c *call) (api.SnapshotResult, error) {
		if err := c.allow(policy.Status, "", "", "snapshot"); err != nil {
			return api.SnapshotResult{}, err
		}
		snap, err := c.snapshot()
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

// snapshot takes the state of the project from what is canonical and may be
// read.
func (c *call) snapshot() (snapshot.Snapshot, error) {
	p, err := c.Reader.Project(c.ctx)
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	out := snapshot.Snapshot{Project: p.Name, At: c.now, Position: c.size}
	stale, err := c.allStale()
	if err != nil {
		return out, err
	}
	out.Stale = make([]snapshot.Stale, 0, len(stale))
	isStale := map[brenner.Ref]bool{}
	for _, i := range stale {
		isStale[i.Ref] = true
		out.Stale = append(out.Stale, snapshot.Stale{Ref: i.Ref, Path: i.Path})
	}
	if err := c.addCanonical(&out, isStale); err != nil {
		return out, err
	}
	if out.Forks, err = c.forks(); err != nil {
		return out, err
	}
	spine, err := c.spine()
	out.Missing = spine.Missing
	return out, err
}

// addCanonical adds every canonical version that a snapshot shows. Only those
// types whose content it quotes are loaded.
func (c *call) addCanonical(out *snapshot.Snapshot, stale map[brenner.Ref]bool) error {
	modules, none := c.inScope(nil)
	if none {
		return nil
	}
	return c.eachArtifact(store.ArtifactQuery{Canonical: true, Modules: modules}, func(a store.Artifact) error {
		if !c.may(policy.Read, a.Type, a.Module) {
			return nil
		}
		v, err := c.inForce(a, a.Canonical)
		if err != nil {
			return err
		}
		entry := snapshot.Entry{Ref: v.Ref(), Type: a.Type, Module: a.Module, Summary: v.Summary, Stale: stale[v.Ref()]}
		content := snapshot.Content{Entry: entry}
		switch a.Type {
		case artifact.TypeProjectBrief, artifact.TypeAssumption, artifact.TypeSessionArtifact:
			content.Content, err = c.content(v)
			if brenner.CodeOf(err) == brenner.CodeRedacted {
				err = nil
			}
		}
		out.Add(content)
		return err
	})
}

// allStale lists every version in use that needs an update.
func (c *call) allStale() ([]api.StaleItem, error) {
	moved, err := c.OutdatedTargets(c.ctx)
	if err != nil {
		return nil, err
	}
	spread, err := lineage.Spread(moved, c.into, brenner.MaxWalk)
	if err != nil {
		return nil, err
	}
	return c.staleItems(spread)
}
