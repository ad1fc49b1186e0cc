package upkeep

import (
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
)

// WaitingFindings lists what checks found about versions that are in use still,
// by the artifact it is about (N1). A finding no longer waits when its critique
// is deprecated, or when what it judges was replaced.
func (r *Room) WaitingFindings(c *kernel.Call) ([]kernel.Waiting, error) {
	var critiques []brenner.Ref
	found := map[brenner.Ref]store.Artifact{}
	err := ledger.EachArtifact(c, store.ArtifactQuery{Types: []brenner.TypeName{artifact.TypeCritique}, Tag: ledger.CheckTag}, func(a store.Artifact) error {
		if a.HeadStatus.Live() {
			ref := brenner.Ref{Artifact: a.ID, Version: a.Head}
			critiques, found[ref] = append(critiques, ref), a
		}
		return nil
	})
	if err != nil || len(critiques) == 0 {
		return nil, err
	}
	links, err := c.LinksFrom(c.Ctx, critiques)
	if err != nil {
		return nil, err
	}
	about := map[brenner.Ref][]brenner.Ref{} // the critiques of each version
	var targets []brenner.Ref
	for _, l := range links {
		if l.Rel != artifact.Reviews {
			continue
		}
		if about[l.To] == nil {
			targets = append(targets, l.To)
		}
		about[l.To] = append(about[l.To], l.From)
	}
	slices.SortFunc(targets, brenner.Ref.Compare)
	artifacts, err := ledger.ArtifactsOf(c, targets)
	if err != nil {
		return nil, err
	}
	nodes, err := ledger.NodesOf(c, artifacts, targets)
	if err != nil {
		return nil, err
	}
	var out []kernel.Waiting
	for _, n := range nodes {
		used, err := ledger.InUse(c, n, artifacts[n.Ref.Artifact].Latest)
		if err != nil {
			return nil, err
		}
		if !used || !n.Status.Live() {
			continue
		}
		first := found[about[n.Ref][0]]
		w := kernel.Waiting{Waiting: api.Waiting{
			Kind: api.WaitFinding, Subject: n.Ref.String(), Title: n.Summary, Author: first.Creator, Since: first.Updated,
			Why: first.Summary, Count: len(about[n.Ref]),
		}, On: []brenner.Ref{n.Ref}}
		if w.Count > 1 {
			w.Why = fmt.Sprintf("%s, and %s", first.Summary, brenner.Plural(w.Count-1, "more finding", "more findings"))
		}
		for _, ref := range about[n.Ref][:min(w.Count, api.MaxMembers)] {
			w.Members = append(w.Members, ref.String())
		}
		out = append(out, w)
	}
	return out, nil
}
