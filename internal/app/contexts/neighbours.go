package contexts

import (
	"cmp"
	"slices"

	"brenner"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/retrieval"
)

// reach is how many of the best texts are looked beside, and how many that stand
// beside them are brought at most.
const reach = 100

// byNeighbours finds what was written beside what fits best: linked with it, either
// way, or for the same task. It says of those that were found how well what stands
// beside them fits.
func (f *finder) byNeighbours(worded *assembly.Found) (assembly.Found, error) {
	out := assembly.Found{Cause: assembly.ByNeighbours}
	if f.view.Weights.Neighbours == 0 {
		return out, nil
	}
	var refs []brenner.Ref
	place := map[brenner.ArtifactID]int{}
	var scores []float64
	for _, h := range worded.Hits[:min(len(worded.Hits), reach)] {
		// Everything is linked with the brief, which every context has anyway.
		if f.rows[h.Ref.Artifact].Type != artifact.TypeProjectBrief {
			place[h.Ref.Artifact] = len(refs)
			refs, scores = append(refs, h.Ref), append(scores, h.Lexical)
		}
	}
	pairs, err := f.linked(refs)
	if err != nil {
		return out, err
	}
	groups, err := f.ofTasks(refs)
	if err != nil || len(pairs)+len(groups) == 0 {
		return out, err
	}
	var met []brenner.ArtifactID
	for _, p := range pairs {
		for _, id := range p {
			if _, known := place[id]; !known {
				place[id] = len(scores)
				scores, met = append(scores, 0), append(met, id)
			}
		}
	}
	beside := make([][2]int, len(pairs))
	for i, p := range pairs {
		beside[i] = [2]int{place[p[0]], place[p[1]]}
	}
	worth := retrieval.Neighbours(scores, beside, groups)
	for i := range worded.Hits {
		if at, known := place[worded.Hits[i].Ref.Artifact]; known {
			worded.Hits[i].Neighbours = worth[at]
		}
	}
	if err := f.know(met); err != nil {
		return out, err
	}
	for _, id := range met {
		if a := f.rows[id]; a != nil && f.covers(a.Type, a.Module) {
			out.Hits = append(out.Hits, assembly.Hit{Ref: inForceRef(a), Neighbours: worth[place[id]]})
		}
	}
	slices.SortStableFunc(out.Hits, func(a, b assembly.Hit) int {
		return cmp.Or(cmp.Compare(b.Neighbours, a.Neighbours), a.Ref.Compare(b.Ref))
	})
	out.Hits = out.Hits[:min(len(out.Hits), reach)]
	return out, nil
}

// linked gives the pairs of artifacts that a link joins, of which one is among
// these, each once and in order.
func (f *finder) linked(refs []brenner.Ref) ([][2]brenner.ArtifactID, error) {
	from, err := f.LinksFrom(f.Ctx, refs)
	if err != nil {
		return nil, err
	}
	to, err := f.LinksTo(f.Ctx, refs)
	if err != nil {
		return nil, err
	}
	var out [][2]brenner.ArtifactID
	for _, l := range slices.Concat(from, to) {
		if a, b := l.From.Artifact, l.To.Artifact; a != b {
			out = append(out, [2]brenner.ArtifactID{min(a, b), max(a, b)})
		}
	}
	slices.SortFunc(out, func(a, b [2]brenner.ArtifactID) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return slices.Compact(out), nil
}

// ofTasks gives the places of those among some versions that were written for the
// same task.
func (f *finder) ofTasks(refs []brenner.Ref) ([][]int, error) {
	versions, err := f.VersionsOf(f.Ctx, refs)
	if err != nil {
		return nil, err
	}
	task := make(map[brenner.Ref]string, len(versions))
	for _, v := range versions {
		task[v.Ref()] = v.Task
	}
	at := map[string]int{}
	var out [][]int
	for i, ref := range refs {
		t := task[ref]
		if t == "" {
			continue
		}
		if _, known := at[t]; !known {
			at[t] = len(out)
			out = append(out, nil)
		}
		out[at[t]] = append(out[at[t]], i)
	}
	return slices.DeleteFunc(out, func(g []int) bool { return len(g) < 2 }), nil
}
