package ledger

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
)

// WaitingForks lists where more than one version could be the truth (N1).
func (r *Room) WaitingForks(c *kernel.Call) ([]kernel.Waiting, error) {
	forks, err := AllForks(c)
	var out []kernel.Waiting
	for _, f := range forks {
		w := kernel.Waiting{Waiting: api.Waiting{
			Kind: api.WaitFork, Subject: f.Slot + string(f.Artifact), Title: f.Heads[0].Summary, Count: 1,
			Why: fmt.Sprintf("%d versions could each be the truth", len(f.Heads)),
		}}
		for _, h := range f.Heads {
			w.On = append(w.On, h.Ref)
			w.Members = append(w.Members, h.Ref.String())
			if h.At.After(w.Since) {
				w.Author, w.Since = h.Creator, h.At
			}
		}
		w.Members = w.Members[:min(len(w.Members), api.MaxMembers)]
		out = append(out, w)
	}
	return out, err
}

// WaitingStale lists the canonical versions that need an update, grouped by
// what moved (N1).
func (r *Room) WaitingStale(c *kernel.Call) ([]kernel.Waiting, error) {
	stale, err := AllStale(c)
	if err != nil {
		return nil, err
	}
	also, err := otherCauses(c, stale)
	if err != nil {
		return nil, err
	}
	groups := map[brenner.ArtifactID]*kernel.Waiting{}
	var causes []brenner.Ref
	for _, i := range stale {
		if i.Status != artifact.Canonical {
			continue
		}
		for n, moved := range append([]brenner.Ref{i.Path[len(i.Path)-1]}, also[i.Ref]...) {
			g := groups[moved.Artifact]
			if g == nil {
				g = &kernel.Waiting{Waiting: api.Waiting{Kind: api.WaitStale, Subject: string(moved.Artifact)}}
				groups[moved.Artifact] = g
				causes = append(causes, moved)
			}
			if g.Count++; g.Count <= api.MaxMembers {
				g.Members = append(g.Members, i.Ref.String())
			}
			if n > 0 {
				g.Shared++
			}
			g.On = append(g.On, i.Ref)
		}
	}
	artifacts, err := ArtifactsOf(c, causes)
	if err != nil {
		return nil, err
	}
	for n, moved := range causes {
		causes[n].Version = max(artifacts[moved.Artifact].Canonical, moved.Version)
	}
	nodes, err := NodesOf(c, artifacts, causes)
	if err != nil {
		return nil, err
	}
	var out []kernel.Waiting
	for _, n := range nodes {
		g := groups[n.Ref.Artifact]
		g.Title, g.Author, g.Since = n.Summary, n.Creator, n.At
		g.Why = fmt.Sprintf("it moved, and %d canonical versions rest on what it was: %s", g.Count, kernel.FirstFewOf(g.Members, g.Count))
		if g.Count == 1 {
			g.Why = fmt.Sprintf("it moved, and a canonical version rests on what it was: %s", g.Members[0])
		}
		out = append(out, *g)
	}
	return out, nil
}

// otherCauses lists, for stale versions, what has moved besides the artifact that the
// path of each leads to, of what it rests on itself: one version of each artifact.
func otherCauses(c *kernel.Call, stale []api.StaleItem) (map[brenner.Ref][]brenner.Ref, error) {
	if len(stale) == 0 {
		return nil, nil
	}
	end := map[brenner.Ref]brenner.ArtifactID{}
	refs := make([]brenner.Ref, len(stale))
	for n, i := range stale {
		refs[n], end[i.Ref] = i.Ref, i.Path[len(i.Path)-1].Artifact
	}
	links, err := c.LinksFrom(c.Ctx, refs)
	if err != nil {
		return nil, err
	}
	var to []brenner.Ref
	for _, l := range links {
		to = append(to, l.To)
	}
	slices.SortFunc(to, brenner.Ref.Compare)
	moved, err := c.Outdated(c.Ctx, slices.Compact(to))
	if err != nil {
		return nil, err
	}
	out := map[brenner.Ref][]brenner.Ref{}
	for _, l := range links {
		_, gone := slices.BinarySearchFunc(moved, l.To, brenner.Ref.Compare)
		known := l.To.Artifact == end[l.From] || slices.ContainsFunc(out[l.From], func(r brenner.Ref) bool { return r.Artifact == l.To.Artifact })
		if gone && !known && l.Rel.Carries() {
			out[l.From] = append(out[l.From], l.To)
		}
	}
	return out, nil
}

// WaitingSpine says what the spine lacks (N1).
func (r *Room) WaitingSpine(c *kernel.Call) ([]kernel.Waiting, error) {
	spine, err := SpineOf(c)
	if err == nil {
		err = nameDrafts(c, &spine)
	}
	if err != nil || len(spine.Missing) == 0 {
		return nil, err
	}
	w := kernel.Waiting{Waiting: api.Waiting{Kind: api.WaitSpine, Subject: "spine", Title: "The spine lacks something", Count: len(spine.Missing)}}
	for _, m := range spine.Missing {
		w.Members = append(w.Members, m.Message)
	}
	w.Why = strings.Join(w.Members, "; ")
	w.Members = w.Members[:min(len(w.Members), api.MaxMembers)]
	return []kernel.Waiting{w}, nil
}

// Resting counts, for each list of versions, those that link to one of them:
// how much rests on it.
func Resting(c *kernel.Call, on [][]brenner.Ref) ([]int, error) {
	all := slices.Concat(on...)
	slices.SortFunc(all, brenner.Ref.Compare)
	links, err := c.LinksTo(c.Ctx, slices.Compact(all))
	if err != nil {
		return nil, err
	}
	from := map[brenner.Ref][]brenner.Ref{}
	for _, l := range links {
		if l.Rel.Carries() {
			from[l.To] = append(from[l.To], l.From)
		}
	}
	counts := make([]int, len(on))
	for i, refs := range on {
		seen := map[brenner.Ref]bool{}
		for _, to := range refs {
			for _, f := range from[to] {
				seen[f] = true
			}
		}
		counts[i] = len(seen)
	}
	return counts, nil
}
