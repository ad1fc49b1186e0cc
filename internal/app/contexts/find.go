package contexts

import (
	"cmp"
	"maps"
	"slices"

	"brenner"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/retrieval"
)

const (
	// linkDistance is how many links away from the task's inputs is still near.
	linkDistance = 3
	// tagReach is how many artifacts all tags of the inputs together lead to,
	// those made last.
	tagReach = 1000
)

// finder asks the store, cause by cause, and keeps the rows it has seen.
type finder struct {
	*kernel.Call
	work
	types   []brenner.TypeName
	modules []brenner.Module
	inScope int // how many artifacts have one of the types in one of the modules
	behind  int // how many artifacts the full text has not caught up with
	counted retrieval.Counted
	rows    map[brenner.ArtifactID]*store.Artifact
	shelf   *shelf
	reading reading // of the shelf, as soon as the full text was asked
	// met is told what the full text has found, before the other causes are asked.
	met func([]assembly.Hit)
}

func newFinder(c *kernel.Call, w work, s *shelf) (*finder, error) {
	f := &finder{
		Call: c, work: w, modules: w.scope.Modules, rows: make(map[brenner.ArtifactID]*store.Artifact, 2*brenner.MaxCandidates),
		shelf: s, reading: reading{Call: c},
	}
	for _, t := range w.view.Types {
		f.types = append(f.types, t.Type)
	}
	kinds, err := s.kinds(c)
	for _, k := range kinds {
		if w.scope.All && !slices.Contains(f.modules, k.Module) {
			f.modules = append(f.modules, k.Module)
		}
		if f.covers(k.Type, k.Module) {
			f.inScope += k.Artifacts
		}
	}
	return f, err
}

func (f *finder) covers(t brenner.TypeName, m brenner.Module) bool {
	return slices.Contains(f.types, t) && slices.Contains(f.modules, m)
}

// asks says whether the store would be asked for an artifact: no types or no modules are all.
func (f *finder) asks(a *store.Artifact) bool {
	return (len(f.types) == 0 || slices.Contains(f.types, a.Type)) && (len(f.modules) == 0 || slices.Contains(f.modules, a.Module))
}

// all asks the causes in turn. Each may bring an equal part of what those
// before it left, and the newest fill up the rest.
func (f *finder) all() ([]assembly.Found, error) {
	left := brenner.MaxCandidates
	links, err := f.byLinks()
	if err != nil {
		return nil, err
	}
	left -= min(len(links.Hits), left/4)
	tagged, err := f.byTags(left / 3)
	if err != nil {
		return nil, err
	}
	left -= len(tagged.Hits)
	worded, err := f.byFullText(left / 2)
	if err != nil {
		return nil, err
	}
	beside, err := f.byNeighbours(&worded)
	if err != nil {
		return nil, err
	}
	newest, err := f.byRecency()
	if err != nil {
		return nil, err
	}
	newest.More = f.others(links, tagged, worded, beside, newest)
	return []assembly.Found{links, tagged, worded, beside, newest}, nil
}

// others counts what is in scope and was found by no cause. As everything in
// scope was new once, it counts as what recency would bring besides.
func (f *finder) others(found ...assembly.Found) int {
	n := f.inScope
	seen := make(map[brenner.Ref]bool, 2*brenner.MaxCandidates)
	for _, one := range found {
		for _, h := range one.Hits {
			a := f.rows[h.Ref.Artifact]
			if !seen[h.Ref] && f.covers(a.Type, a.Module) && h.Ref == inForceRef(a) {
				n--
			}
			seen[h.Ref] = true
		}
	}
	return n
}

// byLinks follows links both ways from the task's inputs.
func (f *finder) byLinks() (assembly.Found, error) {
	out := assembly.Found{Cause: assembly.ByLinks}
	seen := map[brenner.Ref]bool{}
	for _, r := range f.inputs {
		seen[r] = true
	}
	layer := f.inputs
	var met []brenner.ArtifactID
	for distance := 1; distance <= linkDistance && len(layer) > 0 && len(out.Hits) < brenner.MaxCandidates; distance++ {
		var next []brenner.Ref
		up, err := ledger.LinksUp(f.Call)(layer)
		if err != nil {
			return out, err
		}
		down, err := ledger.LinksDown(f.Call)(layer)
		if err != nil {
			return out, err
		}
		for _, e := range up {
			next = append(next, e.To)
		}
		for _, e := range down {
			next = append(next, e.From)
		}
		slices.SortFunc(next, brenner.Ref.Compare)
		layer = layer[:0:0]
		for _, r := range slices.Compact(next) {
			if seen[r] {
				continue
			}
			seen[r] = true
			layer = append(layer, r)
			if len(out.Hits) < brenner.MaxCandidates {
				out.Hits = append(out.Hits, assembly.Hit{Ref: r, Distance: distance})
				met = append(met, r.Artifact)
			}
		}
	}
	if err := f.know(met); err != nil {
		return out, err
	}
	return f.forward(out)
}

// forward leads from versions that others have taken the place of to those that
// are in force: work rests on what stands (C21), and the links say what stood.
func (f *finder) forward(found assembly.Found) (assembly.Found, error) {
	var old []brenner.Ref
	for _, h := range found.Hits {
		if a := f.rows[h.Ref.Artifact]; a != nil && h.Ref.Version != a.Head && h.Ref != inForceRef(a) {
			old = append(old, h.Ref)
		}
	}
	if len(old) == 0 {
		return found, nil
	}
	versions, err := f.VersionsOf(f.Ctx, old)
	if err != nil {
		return found, err
	}
	gone := map[brenner.Ref]bool{}
	for _, v := range versions {
		a := f.rows[v.Artifact]
		gone[v.Ref()] = v.Status == artifact.Superseded || v.Status == artifact.Draft && v.Version < a.Head
	}
	seen := map[brenner.Ref]bool{}
	out := assembly.Found{Cause: found.Cause}
	for _, h := range found.Hits {
		if gone[h.Ref] {
			h.Ref = inForceRef(f.rows[h.Ref.Artifact])
		}
		if !seen[h.Ref] && !slices.Contains(f.inputs, h.Ref) {
			seen[h.Ref] = true
			out.Hits = append(out.Hits, h)
		}
	}
	return out, nil
}

// byTags finds what shares tags with the task's inputs.
func (f *finder) byTags(most int) (assembly.Found, error) {
	out := assembly.Found{Cause: assembly.ByTags}
	tags := commonest(f.tags, brenner.MaxQueryTags)
	if len(tags) == 0 {
		return out, nil
	}
	rows, err := f.Tagged(f.Ctx, store.TagQuery{
		Tags: tags, Types: f.types, Modules: f.modules, Limit: most, Depth: tagReach / len(tags),
	})
	out.Hits = f.hits(rows)
	return out, err
}

// commonest gives up to n of some tags, those that come most often, ties in
// order.
func commonest(tags []string, n int) []string {
	times := map[string]int{}
	for _, tag := range tags {
		times[tag]++
	}
	out := slices.SortedFunc(maps.Keys(times), func(a, b string) int { return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), n)]
}

// byRecency finds what changed last: enough even if the others found the same.
func (f *finder) byRecency() (assembly.Found, error) {
	rows, err := f.reading.newest(f.types, f.modules, brenner.MaxCandidates)
	out := assembly.Found{Cause: assembly.ByRecency, Hits: make([]assembly.Hit, len(rows))}
	for i, a := range rows {
		f.rows[a.ID] = a
		out.Hits[i].Ref = inForceRef(a)
	}
	return out, err
}

// byFullText finds what says most about the work (C21): all words of a question
// count, of a task those less that tasks of the project often have.
func (f *finder) byFullText(most int) (assembly.Found, error) {
	out := assembly.Found{Cause: assembly.ByFullText}
	if len(f.terms) == 0 {
		return out, nil
	}
	ranking, err := f.Rank(f.Ctx, store.RankQuery{Terms: f.terms, Types: f.types, Modules: f.modules, Feedback: true, Bare: true, Counted: f.short, Limit: most})
	if err != nil {
		return out, err
	}
	f.behind, f.counted = ranking.Behind, ranking.Counted
	if f.reading, err = f.shelf.open(f.Call, ranking.Generation); err != nil {
		return out, err
	}
	ids := make([]brenner.ArtifactID, len(ranking.Hits))
	out.Hits = make([]assembly.Hit, len(ranking.Hits))
	for i, h := range ranking.Hits {
		ids[i] = h.ID
		out.Hits[i] = assembly.Hit{Ref: brenner.Ref{Artifact: h.ID, Version: h.Version}, Lexical: h.Score}
	}
	err = f.know(ids)
	out.Hits = slices.DeleteFunc(out.Hits, func(h assembly.Hit) bool { return f.rows[h.Ref.Artifact] == nil })
	f.met(out.Hits)
	return out, err
}

func (f *finder) hits(rows []store.Artifact) []assembly.Hit {
	out := make([]assembly.Hit, 0, len(rows))
	for i := range rows {
		f.rows[rows[i].ID] = &rows[i]
		out = append(out, assembly.Hit{Ref: inForceRef(&rows[i])})
	}
	return out
}

// inForceRef names the version of an artifact that is in force.
func inForceRef(a *store.Artifact) brenner.Ref {
	if a.Canonical != 0 {
		return brenner.Ref{Artifact: a.ID, Version: a.Canonical}
	}
	return brenner.Ref{Artifact: a.ID, Version: a.Head}
}

// know loads the rows of artifacts that were not met yet.
func (f *finder) know(ids []brenner.ArtifactID) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id brenner.ArtifactID) bool { _, known := f.rows[id]; return known })
	if len(ids) == 0 {
		return nil
	}
	rows, err := f.reading.artifacts(ids)
	maps.Copy(f.rows, rows)
	return err
}

// load gives, for each lead, what is needed to place it.
func (f *finder) load(leads []assembly.Lead) ([]assembly.Candidate, error) {
	out := make([]assembly.Candidate, len(leads))
	earlier := map[brenner.Ref]int{} // versions that are not the head, and their place
	for i, l := range leads {
		if a := f.rows[l.Ref.Artifact]; l.Ref.Version == a.Head {
			out[i].Item = headItem(a)
		} else {
			earlier[l.Ref] = i
		}
	}
	versions, err := f.VersionsOf(f.Ctx, slices.Collect(maps.Keys(earlier)))
	for _, v := range versions {
		out[earlier[v.Ref()]].Item = itemOf(*f.rows[v.Artifact], v)
	}
	return out, err
}
