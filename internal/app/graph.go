package app

import (
	"context"
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/lineage"
	"brenner/policy"
)

// from and into bring the links that leave or reach versions.
func (c *call) from(refs []brenner.Ref) ([]lineage.Edge, error) {
	return edges(c.LinksFrom(c.ctx, refs))
}

func (c *call) into(refs []brenner.Ref) ([]lineage.Edge, error) {
	return edges(c.LinksTo(c.ctx, refs))
}

func edges(links []store.Link, err error) ([]lineage.Edge, error) {
	out := make([]lineage.Edge, len(links))
	for i, l := range links {
		out[i] = lineage.Edge{From: l.From, Rel: l.Rel, To: l.To}
	}
	return out, err
}

// nodes loads what the graph knows of some versions. The summary of what the
// actor may not read stays out.
func (c *call) nodes(refs []brenner.Ref) ([]lineage.Node, error) {
	artifacts, err := c.artifactsOf(refs)
	if err != nil {
		return nil, err
	}
	return c.nodesOf(artifacts, refs)
}

// nodesOf is nodes for versions whose artifacts are loaded.
func (c *call) nodesOf(artifacts map[brenner.ArtifactID]store.Artifact, refs []brenner.Ref) ([]lineage.Node, error) {
	versions, err := c.VersionsOf(c.ctx, refs)
	out := make([]lineage.Node, 0, len(versions))
	for _, v := range versions {
		out = append(out, c.node(artifacts[v.Artifact], v))
	}
	return out, err
}

// artifactsOf loads the artifacts of some versions, as far as they exist.
func (c *call) artifactsOf(refs []brenner.Ref) (map[brenner.ArtifactID]store.Artifact, error) {
	ids := make([]brenner.ArtifactID, len(refs))
	for i, r := range refs {
		ids[i] = r.Artifact
	}
	rows, err := c.Reader.Artifacts(c.ctx, store.ArtifactQuery{IDs: ids})
	out := make(map[brenner.ArtifactID]store.Artifact, len(rows))
	for _, a := range rows {
		out[a.ID] = a
	}
	return out, err
}

func (c *call) node(a store.Artifact, v store.Version) lineage.Node {
	n := lineage.Node{
		Ref: v.Ref(), Type: a.Type, Module: a.Module, Status: v.Status, Summary: v.Summary,
		Creator: v.Creator, Role: v.Role, Task: v.Task, At: v.Created, Canonical: a.Canonical, Slot: v.Slot,
	}
	if t, err := c.types.Lookup(a.Type); err == nil {
		n.Record = t.Record
	}
	if !c.may(policy.Read, a.Type, a.Module) {
		n.Summary = ""
	}
	return n
}

// carrying are the relations along which staleness travels (C26).
var carrying = slices.DeleteFunc(artifact.Relations(), func(r artifact.Relation) bool { return !r.Carries() })

// stalePath says why a version needs an update; nil if it does not.
func (c *call) stalePath(ref brenner.Ref) ([]brenner.Ref, error) {
	stale, err := lineage.StaleAmong([]brenner.Ref{ref}, c.from, func(some []brenner.Ref) ([]brenner.Ref, error) { return c.Outdated(c.ctx, some) }, brenner.MaxWalk)
	return stale.Path(ref), err
}

// restingOn lists, up to a bound, the versions in use that rest on some that
// have just moved.
func (c *call) restingOn(moved []brenner.Ref, most int) ([]brenner.Ref, error) {
	spread, err := lineage.Spread(moved, c.into, brenner.MaxWalk)
	if err != nil {
		return nil, err
	}
	items, err := c.staleItems(spread)
	var out []brenner.Ref
	for _, i := range items[:min(most, len(items))] {
		out = append(out, i.Ref)
	}
	return out, err
}

// Stale implements api.Graph.
func (s *service) Stale(ctx context.Context, req api.StaleRequest) (api.StaleResult, error) {
	return view(ctx, s, func(c *call) (api.StaleResult, error) {
		if err := c.allow(policy.Status, "", "", "stale"); err != nil {
			return api.StaleResult{}, err
		}
		limit, err := pageSize(req.Limit)
		if err != nil {
			return api.StaleResult{}, err
		}
		start, err := openCursor[int](req.Cursor)
		if err != nil || start < 0 {
			return api.StaleResult{}, err
		}
		items, err := c.allStale()
		if err != nil {
			return api.StaleResult{}, err
		}
		if len(req.Modules) > 0 {
			items = slices.DeleteFunc(items, func(i api.StaleItem) bool { return !slices.Contains(req.Modules, i.Module) })
		}
		out := api.StaleResult{Total: len(items), Items: []api.StaleItem{}}
		start = min(start, len(items))
		end := min(start+limit, len(items))
		out.Items = append(out.Items, items[start:end]...)
		if end < len(items) {
			out.Cursor = makeCursor(end)
		}
		return out, nil
	})
}

// staleItems keeps the versions that matter: what is canonical, and the heads.
// A draft that a later version has replaced needs no update.
func (c *call) staleItems(spread lineage.Staleness) ([]api.StaleItem, error) {
	artifacts, err := c.artifactsOf(append(spread.Ends(), spread.Refs...))
	if err != nil {
		return nil, err
	}
	nodes, err := c.nodesOf(artifacts, spread.Refs)
	if err != nil {
		return nil, err
	}
	items := []api.StaleItem{}
	for _, n := range nodes {
		if !n.Status.Live() || n.Record {
			continue
		}
		if used, err := c.inUse(n, artifacts[n.Ref.Artifact].Latest); err != nil || !used {
			if err != nil {
				return nil, err
			}
			continue
		}
		path := spread.Path(n.Ref)
		moved := artifacts[path[len(path)-1].Artifact]
		items = append(items, api.StaleItem{
			Ref: n.Ref, Type: n.Type, Module: n.Module, Status: n.Status, Path: path, Now: moved.Canonical,
		})
	}
	return items, nil
}

// inUse reports whether a live version is canonical or a head. latest is the
// number of the last version of its artifact, from which none can descend.
func (c *call) inUse(n lineage.Node, latest brenner.Version) (bool, error) {
	if n.Status == artifact.Canonical || n.Ref.Version == latest {
		return true, nil
	}
	leaves, err := c.Leaves(c.ctx, n.Ref.Artifact)
	return slices.ContainsFunc(leaves, func(v store.Version) bool { return v.Version == n.Ref.Version }), err
}

// Forks implements api.Graph.
func (s *service) Forks(ctx context.Context) (api.ForksResult, error) {
	return view(ctx, s, func(c *call) (api.ForksResult, error) {
		if err := c.allow(policy.Status, "", "", "forks"); err != nil {
			return api.ForksResult{}, err
		}
		forks, err := c.forks()
		return api.ForksResult{Forks: forks}, err
	})
}

// forks lists where more than one version could be the truth.
func (c *call) forks() ([]lineage.Fork, error) {
	leaves, err := c.Leaves(c.ctx, "")
	if err != nil {
		return nil, err
	}
	refs := make([]brenner.Ref, 0, len(leaves))
	for _, v := range leaves {
		refs = append(refs, v.Ref())
	}
	slots, err := c.slotHeads()
	if err != nil {
		return nil, err
	}
	heads, err := c.nodes(append(refs, slots...))
	return lineage.Forks(heads), err
}

// slotHeads lists the heads of artifacts whose type has a singleton slot.
func (c *call) slotHeads() ([]brenner.Ref, error) {
	var types []brenner.TypeName
	for _, t := range c.types.Types() {
		if t.Singleton != "" {
			types = append(types, t.Name)
		}
	}
	var refs []brenner.Ref
	err := c.eachArtifact(store.ArtifactQuery{Types: types}, func(a store.Artifact) error {
		if a.HeadStatus.Live() {
			refs = append(refs, brenner.Ref{Artifact: a.ID, Version: a.Head})
		}
		return nil
	})
	return refs, err
}

// eachArtifact visits every artifact of a query in id order.
func (c *call) eachArtifact(q store.ArtifactQuery, fn func(store.Artifact) error) error {
	for q.Limit = brenner.MaxPage; ; {
		rows, err := c.Reader.Artifacts(c.ctx, q)
		if err != nil {
			return err
		}
		for _, a := range rows {
			if err := fn(a); err != nil {
				return err
			}
		}
		if len(rows) < q.Limit {
			return nil
		}
		q.After = rows[len(rows)-1].ID
	}
}

// Spine implements api.Graph.
func (s *service) Spine(ctx context.Context) (api.SpineResult, error) {
	return view(ctx, s, func(c *call) (api.SpineResult, error) {
		if err := c.allow(policy.Status, "", "", "spine"); err != nil {
			return api.SpineResult{}, err
		}
		spine, err := c.spine()
		return api.SpineResult{SpineView: spine}, err
	})
}

// spine is the canonical brief, the memo of each module and the summary.
func (c *call) spine() (lineage.SpineView, error) {
	var refs []brenner.Ref
	q := store.ArtifactQuery{
		Types:     []brenner.TypeName{artifact.TypeProjectBrief, artifact.TypeIntegratedMemo, artifact.TypeProjectSummary},
		Canonical: true,
	}
	err := c.eachArtifact(q, func(a store.Artifact) error {
		refs = append(refs, brenner.Ref{Artifact: a.ID, Version: a.Canonical})
		return nil
	})
	if err != nil {
		return lineage.SpineView{}, err
	}
	nodes, err := c.nodes(refs)
	if err != nil {
		return lineage.SpineView{}, err
	}
	if err := c.markStale(nodes); err != nil {
		return lineage.SpineView{}, err
	}
	return lineage.Spine(nodes, c.modules), nil
}

// markStale fills in which of some nodes need an update.
func (c *call) markStale(nodes []lineage.Node) error {
	refs := make([]brenner.Ref, len(nodes))
	for i, n := range nodes {
		refs[i] = n.Ref
	}
	stale, err := c.Reader.Stale(c.ctx, refs, carrying, brenner.MaxWalk)
	for i, n := range nodes {
		_, nodes[i].Stale = slices.BinarySearchFunc(stale, n.Ref, compareRefs)
	}
	return err
}

// The renderings of a lineage.
const (
	formatText = "text"
	formatSVG  = "svg"
	formatPROV = "prov"
)

// Lineage implements api.Graph.
func (s *service) Lineage(ctx context.Context, req api.LineageRequest) (api.LineageResult, error) {
	return read(ctx, s, "lineage", nil, func(c *call) (api.LineageResult, error) {
		a, err := c.findArtifact(req.Ref.Artifact, policy.Read)
		if err != nil {
			return api.LineageResult{}, err
		}
		v, err := c.inForce(a, req.Ref.Version)
		if err != nil {
			return api.LineageResult{}, err
		}
		if req.Depth < 0 || req.Limit < 0 {
			return api.LineageResult{}, brenner.Errorf(brenner.CodeInvalidValue, "a depth or limit cannot be negative")
		}
		if req.Limit == 0 || req.Limit > brenner.MaxWalk {
			req.Limit = brenner.MaxWalk
		}
		dir, fetch := lineage.Up, c.from
		if req.Down {
			dir, fetch = lineage.Down, c.into
		}
		g, err := lineage.Walk(v.Ref(), dir, fetch, req.Depth, req.Limit)
		if err != nil {
			return api.LineageResult{}, err
		}
		nodes, err := c.nodes(g.Refs())
		if err != nil {
			return api.LineageResult{}, err
		}
		if err := c.markStale(nodes); err != nil {
			return api.LineageResult{}, err
		}
		out := api.LineageResult{Graph: g.Describe(nodes)}
		out.Rendered, err = render(out.Graph, req.Format)
		return out, err
	})
}

func render(g lineage.Graph, format string) (string, error) {
	switch format {
	case "":
		return "", nil
	case formatText:
		return g.Tree(), nil
	case formatSVG:
		return g.SVG(), nil
	case formatPROV:
		return string(g.PROV()), nil
	}
	return "", brenner.Errorf(brenner.CodeInvalidValue, "%q is not a format of lineage", format).
		WithHint(fmt.Sprintf("formats: %s, %s, %s", formatText, formatSVG, formatPROV))
}
