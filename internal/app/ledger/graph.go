package ledger

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/lineage"
	"brenner/policy"
)

// LinksUp brings the links that leave versions.
func LinksUp(c *kernel.Call) lineage.Fetch {
	return func(refs []brenner.Ref) ([]lineage.Edge, error) { return edgesOf(c.LinksFrom(c.Ctx, refs)) }
}

// LinksDown brings the links that reach versions.
func LinksDown(c *kernel.Call) lineage.Fetch {
	return func(refs []brenner.Ref) ([]lineage.Edge, error) { return edgesOf(c.LinksTo(c.Ctx, refs)) }
}

func edgesOf(links []store.Link, err error) ([]lineage.Edge, error) {
	out := make([]lineage.Edge, len(links))
	for i, l := range links {
		out[i] = lineage.Edge{From: l.From, Rel: l.Rel, To: l.To}
	}
	return out, err
}

// Nodes loads what the graph knows of some versions. The summary of what the
// actor may not read stays out.
func Nodes(c *kernel.Call, refs []brenner.Ref) ([]lineage.Node, error) {
	artifacts, err := ArtifactsOf(c, refs)
	if err != nil {
		return nil, err
	}
	return NodesOf(c, artifacts, refs)
}

// NodesOf is nodes for versions whose artifacts are loaded.
func NodesOf(c *kernel.Call, artifacts map[brenner.ArtifactID]store.Artifact, refs []brenner.Ref) ([]lineage.Node, error) {
	versions, err := c.VersionsOf(c.Ctx, refs)
	out := make([]lineage.Node, 0, len(versions))
	for _, v := range versions {
		out = append(out, nodeOf(c, artifacts[v.Artifact], v))
	}
	return out, err
}

// ArtifactsOf loads the artifacts of some versions, as far as they exist.
func ArtifactsOf(c *kernel.Call, refs []brenner.Ref) (map[brenner.ArtifactID]store.Artifact, error) {
	ids := make([]brenner.ArtifactID, len(refs))
	for i, r := range refs {
		ids[i] = r.Artifact
	}
	rows, err := c.Reader.Artifacts(c.Ctx, store.ArtifactQuery{IDs: ids})
	out := make(map[brenner.ArtifactID]store.Artifact, len(rows))
	for _, a := range rows {
		out[a.ID] = a
	}
	return out, err
}

func nodeOf(c *kernel.Call, a store.Artifact, v store.Version) lineage.Node {
	n := lineage.Node{
		Ref: v.Ref(), Type: a.Type, Module: a.Module, Status: v.Status, Summary: v.Summary,
		Creator: v.Creator, Role: v.Role, Task: v.Task, At: v.Created, Demoted: v.Demoted, Canonical: a.Canonical, Head: a.Head, Slot: v.Slot,
	}
	n.Record = isRecord(c, a.Type)
	if !c.Sees(a.Type, a.Module) {
		n.Summary = ""
	}
	return n
}

// Carrying are the relations along which staleness travels (C26).
var Carrying = slices.DeleteFunc(artifact.Relations(), func(r artifact.Relation) bool { return !r.Carries() })

// stalePath says why a version needs an update; nil if it does not. Most do not,
// which the store sees at once; the way is looked for, step by step, only of one that
// does, and where there are more links than versions may be looked at.
func stalePath(c *kernel.Call, ref brenner.Ref) ([]brenner.Ref, error) {
	some, err := c.Reader.Stale(c.Ctx, []brenner.Ref{ref}, Carrying, brenner.MaxWalk)
	if err != nil && brenner.CodeOf(err) != brenner.CodeLimitExceeded || err == nil && len(some) == 0 {
		return nil, err
	}
	stale, err := lineage.StaleAmong([]brenner.Ref{ref}, LinksUp(c), func(some []brenner.Ref) ([]brenner.Ref, error) { return c.Outdated(c.Ctx, some) }, brenner.MaxWalk)
	return stale.Path(ref), err
}

// Stale implements api.Graph.
func (s *Service) Stale(ctx context.Context, req api.StaleRequest) (api.StaleResult, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "stale"), func(c *kernel.Call) (api.StaleResult, error) {
		if err := c.KnownModules(req.Modules); err != nil {
			return api.StaleResult{}, err
		}
		items, err := StaleBy(c, req.Moved)
		if err != nil {
			return api.StaleResult{}, err
		}
		if len(req.Modules) > 0 {
			items = slices.DeleteFunc(items, func(i api.StaleItem) bool { return !slices.Contains(req.Modules, i.Module) })
		}
		out := api.StaleResult{Total: len(items)}
		if out.Items, out.Next, err = kernel.PageOf(items, req.Page); err != nil {
			return out, err
		}
		if err := markSuperseded(c, out.Items); err != nil || req.Cursor != "" || req.Moved != "" {
			return out, err
		}
		behind, err := allBehind(c, req.Modules)
		if err != nil {
			return api.StaleResult{}, err
		}
		out.BehindTotal = len(behind)
		out.Behind, _, err = kernel.PageOf(behind, req.Page)
		return out, err
	})
}

// markSuperseded says of stale versions what takes their place.
func markSuperseded(c *kernel.Call, items []api.StaleItem) error {
	refs := make([]brenner.Ref, len(items))
	for i, it := range items {
		refs[i] = it.Ref
	}
	befell, err := Befell(c, refs, artifact.Supersedes)
	for i, it := range items {
		for _, b := range befell[it.Ref] {
			items[i].Superseded = append(items[i].Superseded, b.By)
		}
	}
	return err
}

// staleItems keeps the versions that matter: what is canonical, and the heads.
// A draft that a later version has replaced needs no update.
func staleItems(c *kernel.Call, spread lineage.Staleness) ([]api.StaleItem, error) {
	ends := spread.Ends()
	artifacts, err := rowsOf(c, ends, spread.Refs)
	if err != nil {
		return nil, err
	}
	statuses, err := artifacts.statuses(c, spread.Refs)
	if err != nil {
		return nil, err
	}
	moved, err := c.VersionsOf(c.Ctx, ends)
	if err != nil {
		return nil, err
	}
	demoted := map[brenner.Ref]bool{}
	for _, v := range moved {
		demoted[v.Ref()] = v.Demoted
	}
	items := make([]api.StaleItem, 0, len(spread.Refs))
	for i, ref := range spread.Refs {
		a := artifacts.find(ref.Artifact)
		if a == nil || !statuses[i].Live() || isRecord(c, a.Type) {
			continue
		}
		if used, err := inUse(c, ref, statuses[i], a.Latest); err != nil || !used {
			if err != nil {
				return nil, err
			}
			continue
		}
		item := api.StaleItem{Ref: ref, Type: a.Type, Module: a.Module, Status: statuses[i], Path: spread.Path(ref)}
		end := item.Path[len(item.Path)-1]
		item.Demoted = demoted[end]
		if moved := artifacts.find(end.Artifact); moved != nil {
			item.Now, item.Head = moved.Canonical, moved.Head
		}
		items = append(items, item)
	}
	return items, nil
}

// rows are artifacts in order of their ids.
type rows []store.Artifact

// rowsOf loads the artifacts of some versions, each once.
func rowsOf(c *kernel.Call, lists ...[]brenner.Ref) (rows, error) {
	var ids []brenner.ArtifactID
	for _, refs := range lists {
		for i, r := range refs {
			if i == 0 || refs[i-1].Artifact != r.Artifact {
				ids = append(ids, r.Artifact)
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return c.Reader.Artifacts(c.Ctx, store.ArtifactQuery{IDs: ids})
}

// find gives the artifact of an id, nil if there is none.
func (all rows) find(id brenner.ArtifactID) *store.Artifact {
	i, found := slices.BinarySearchFunc(all, id, func(a store.Artifact, id brenner.ArtifactID) int { return cmp.Compare(a.ID, id) })
	if !found {
		return nil
	}
	return &all[i]
}

// statuses gives those of some versions, "" of one that is not there. What the row of its artifact
// says is not asked for again.
func (all rows) statuses(c *kernel.Call, refs []brenner.Ref) ([]artifact.Status, error) {
	out := make([]artifact.Status, len(refs))
	others := map[brenner.Ref]int{}
	for i, ref := range refs {
		switch a := all.find(ref.Artifact); {
		case a == nil:
		case ref.Version == a.Head:
			out[i] = a.HeadStatus
		case ref.Version == a.Canonical:
			out[i] = artifact.Canonical
		default:
			others[ref] = i
		}
	}
	if len(others) == 0 {
		return out, nil
	}
	versions, err := c.VersionsOf(c.Ctx, slices.SortedFunc(maps.Keys(others), brenner.Ref.Compare))
	for _, v := range versions {
		out[others[v.Ref()]] = v.Status
	}
	return out, err
}

// isRecord reports whether a type is one of records.
func isRecord(c *kernel.Call, name brenner.TypeName) bool {
	t, err := c.Types.Lookup(name)
	return err == nil && t.Record
}

// InUse reports whether a live version is canonical or a head. latest is the
// number of the last version of its artifact, from which none can descend.
func InUse(c *kernel.Call, n lineage.Node, latest brenner.Version) (bool, error) {
	return inUse(c, n.Ref, n.Status, latest)
}

func inUse(c *kernel.Call, ref brenner.Ref, status artifact.Status, latest brenner.Version) (bool, error) {
	if status == artifact.Canonical || ref.Version == latest {
		return true, nil
	}
	leaves, err := c.Leaves(c.Ctx, ref.Artifact)
	return slices.ContainsFunc(leaves, func(v store.Version) bool { return v.Version == ref.Version }), err
}

// Forks implements api.Graph.
func (s *Service) Forks(ctx context.Context) (api.ForksResult, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "forks"), func(c *kernel.Call) (api.ForksResult, error) {
		forks, err := AllForks(c)
		return api.ForksResult{Forks: forks}, err
	})
}

// AllForks lists where more than one version could be the truth.
func AllForks(c *kernel.Call) ([]lineage.Fork, error) {
	leaves, err := c.Leaves(c.Ctx, "")
	if err != nil {
		return nil, err
	}
	refs := make([]brenner.Ref, 0, len(leaves))
	for _, v := range leaves {
		refs = append(refs, v.Ref())
	}
	slots, err := slotHeads(c)
	if err != nil {
		return nil, err
	}
	heads, err := Nodes(c, append(refs, slots...))
	return lineage.Forks(heads), err
}

// slotHeads lists the heads of artifacts whose type has a singleton slot.
func slotHeads(c *kernel.Call) ([]brenner.Ref, error) {
	var types []brenner.TypeName
	for _, t := range c.Types.Types() {
		if t.Singleton != "" {
			types = append(types, t.Name)
		}
	}
	var refs []brenner.Ref
	err := EachArtifact(c, store.ArtifactQuery{Types: types}, func(a store.Artifact) error {
		if a.HeadStatus.Live() {
			refs = append(refs, brenner.Ref{Artifact: a.ID, Version: a.Head})
		}
		return nil
	})
	return refs, err
}

// EachArtifact visits every artifact of a query in id order.
func EachArtifact(c *kernel.Call, q store.ArtifactQuery, fn func(store.Artifact) error) error {
	for q.Limit = brenner.MaxPage; ; {
		rows, err := c.Reader.Artifacts(c.Ctx, q)
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
func (s *Service) Spine(ctx context.Context) (api.SpineResult, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "spine"), func(c *kernel.Call) (api.SpineResult, error) {
		spine, err := SpineOf(c)
		if err == nil {
			err = nameDrafts(c, &spine)
		}
		return api.SpineResult{SpineView: spine}, err
	})
}

// SpineOf is the canonical brief, the memo of each module and the summary.
func SpineOf(c *kernel.Call) (lineage.SpineView, error) {
	var refs []brenner.Ref
	q := store.ArtifactQuery{
		Types:     []brenner.TypeName{artifact.TypeProjectBrief, artifact.TypeIntegratedMemo, artifact.TypeProjectSummary},
		Canonical: true,
	}
	err := EachArtifact(c, q, func(a store.Artifact) error {
		refs = append(refs, brenner.Ref{Artifact: a.ID, Version: a.Canonical})
		return nil
	})
	if err != nil {
		return lineage.SpineView{}, err
	}
	nodes, err := Nodes(c, refs)
	if err != nil {
		return lineage.SpineView{}, err
	}
	if err := MarkStale(c, nodes); err != nil {
		return lineage.SpineView{}, err
	}
	return lineage.Spine(nodes, c.Modules), nil
}

// nameDrafts names, to a person, the drafts that would fill what the spine lacks.
func nameDrafts(c *kernel.Call, spine *lineage.SpineView) error {
	if len(spine.Missing) == 0 || c.Who.Kind == kernel.Agent {
		return nil
	}
	q := store.ArtifactQuery{
		Types:    []brenner.TypeName{artifact.TypeProjectBrief, artifact.TypeIntegratedMemo, artifact.TypeProjectSummary},
		Statuses: []artifact.Status{artifact.Draft},
	}
	newest := map[*lineage.Missing]store.Artifact{}
	err := EachArtifact(c, q, func(a store.Artifact) error {
		if m := spine.Lacks(a.Type, a.Module); m != nil && a.Canonical == 0 && !a.Updated.Before(newest[m].Updated) {
			newest[m] = a
		}
		return nil
	})
	for m, a := range newest {
		m.Drafted(brenner.Ref{Artifact: a.ID, Version: a.Head})
	}
	return err
}

// MarkStale fills in which of some nodes need an update.
func MarkStale(c *kernel.Call, nodes []lineage.Node) error {
	refs := make([]brenner.Ref, len(nodes))
	for i, n := range nodes {
		refs[i] = n.Ref
	}
	stale, err := c.Reader.Stale(c.Ctx, refs, Carrying, brenner.MaxWalk)
	for i, n := range nodes {
		_, nodes[i].Stale = slices.BinarySearchFunc(stale, n.Ref, brenner.Ref.Compare)
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
func (s *Service) Lineage(ctx context.Context, req api.LineageRequest) (api.LineageResult, error) {
	var a store.Artifact
	return kernel.Read(ctx, s.caller, "lineage", nil, ToArtifact(policy.Read, req.Ref.Artifact, &a), func(c *kernel.Call) (api.LineageResult, error) {
		v, err := InForce(c, a, req.Ref.Version)
		if err != nil {
			return api.LineageResult{}, err
		}
		if req.Depth < 0 || req.Limit < 0 {
			return api.LineageResult{}, brenner.Errorf(brenner.CodeInvalidValue, "a depth or limit cannot be negative")
		}
		if req.Limit == 0 || req.Limit > brenner.MaxWalk {
			req.Limit = brenner.MaxWalk
		}
		dir, fetch := lineage.Up, LinksUp(c)
		if req.Down {
			dir, fetch = lineage.Down, LinksDown(c)
		}
		g, err := lineage.Walk(v.Ref(), dir, fetch, req.Depth, req.Limit)
		if err != nil {
			return api.LineageResult{}, err
		}
		nodes, err := Nodes(c, g.Refs())
		if err != nil {
			return api.LineageResult{}, err
		}
		if err := MarkStale(c, nodes); err != nil {
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

// AllStale lists every version in use that needs an update.
func AllStale(c *kernel.Call) ([]api.StaleItem, error) { return StaleBy(c, "") }

// StaleBy lists the versions in use that need an update because an artifact has moved,
// whatever else they rest on has moved as well; with "" because anything has.
func StaleBy(c *kernel.Call, moved brenner.ArtifactID) ([]api.StaleItem, error) {
	spread, err := spreadFrom(c, func(ctx context.Context) ([]brenner.Ref, error) {
		refs, err := c.OutdatedTargets(ctx)
		return slices.DeleteFunc(refs, func(r brenner.Ref) bool { return moved != "" && r.Artifact != moved }), err
	})
	if err != nil {
		return nil, err
	}
	return staleItems(c, spread)
}

// allBehind lists every version in use that rests on a corrected draft and is
// not stale, in some modules or all.
func allBehind(c *kernel.Call, modules []brenner.Module) ([]api.StaleItem, error) {
	behind, err := spreadFrom(c, c.CorrectedTargets)
	if err != nil || len(behind.Refs) == 0 {
		return nil, err
	}
	stale, err := spreadFrom(c, c.OutdatedTargets)
	if err != nil {
		return nil, err
	}
	items, err := staleItems(c, behind.Without(stale))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(items, func(i api.StaleItem) bool { return len(modules) > 0 && !slices.Contains(modules, i.Module) }), nil
}

// spreadFrom follows links backwards from what has moved.
func spreadFrom(c *kernel.Call, moved func(context.Context) ([]brenner.Ref, error)) (lineage.Staleness, error) {
	refs, err := moved(c.Ctx)
	if err != nil {
		return lineage.Staleness{}, err
	}
	return lineage.Spread(refs, LinksDown(c), brenner.MaxWalk)
}
