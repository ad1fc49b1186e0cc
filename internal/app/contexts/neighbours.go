package contexts

import (
	"cmp"
	"slices"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/internal/store"
	"brenner/retrieval"
)

// reach is how many of the best texts are looked beside, and how many that stand
// beside them are brought at most.
const reach = 100

// byNeighbours finds what was written beside what fits best: linked with it, either
// way, for the same task, or under the same tag. It says of those that were found how well what stands
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
	if err != nil {
		return out, err
	}
	tagged, err := f.ofTags(refs)
	if err != nil {
		return out, err
	}
	var met []brenner.ArtifactID
	placed := func(id brenner.ArtifactID) int {
		at, known := place[id]
		if !known {
			at = len(scores)
			place[id] = at
			scores, met = append(scores, 0), append(met, id)
		}
		return at
	}
	for _, rows := range tagged {
		group := make([]int, len(rows))
		for i, a := range rows {
			if group[i] = placed(a.ID); i > 0 && a.Created.Sub(rows[i-1].Created) <= oneSitting {
				pairs = append(pairs, [2]brenner.ArtifactID{min(a.ID, rows[i-1].ID), max(a.ID, rows[i-1].ID)})
			}
		}
		groups = append(groups, group)
	}
	if len(pairs)+len(groups) == 0 {
		return out, nil
	}
	beside := make([][2]int, 0, len(pairs))
	for _, p := range unique(pairs) {
		beside = append(beside, [2]int{placed(p[0]), placed(p[1])})
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
// these, each once and in order. What very many link to joins none of them.
func (f *finder) linked(refs []brenner.Ref) ([][2]brenner.ArtifactID, error) {
	from, to, _, err := f.reading.links(refs)
	if err != nil {
		return nil, err
	}
	var out [][2]brenner.ArtifactID
	for _, l := range slices.Concat(from, to) {
		if a, b := l.From.Artifact, l.To.Artifact; a != b {
			out = append(out, [2]brenner.ArtifactID{min(a, b), max(a, b)})
		}
	}
	return unique(out), nil
}

// unique gives pairs in order, each once.
func unique(pairs [][2]brenner.ArtifactID) [][2]brenner.ArtifactID {
	slices.SortFunc(pairs, func(a, b [2]brenner.ArtifactID) int {
		if by := cmp.Compare(a[0], b[0]); by != 0 {
			return by
		}
		return cmp.Compare(a[1], b[1])
	})
	return slices.Compact(pairs)
}

const (
	// mostTags is how many tags, those of what fits best, are looked at for what else
	// has them, and manyTagged how many may have one that says what belongs together.
	mostTags   = 12
	manyTagged = 64
	// oneSitting is how long after each other two artifacts of one tag were written
	// that stand beside each other.
	oneSitting = time.Hour
)

// ofTags gives what has the same tag as some versions, each group in the order in
// which it was written: the turns of a conversation, the notes of a meeting. The
// versions come best first.
func (f *finder) ofTags(refs []brenner.Ref) ([][]*store.Artifact, error) {
	var tags []string
	for _, ref := range refs {
		for _, tag := range f.rows[ref.Artifact].Tags {
			if len(tags) < mostTags && !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
		}
	}
	if len(tags) == 0 {
		return nil, nil
	}
	groups, err := f.reading.tagged(tags)
	if err != nil {
		return nil, err
	}
	var out [][]*store.Artifact
	for _, group := range groups {
		group = slices.DeleteFunc(group, func(a *store.Artifact) bool { return !f.asks(a) })
		for _, a := range group {
			f.rows[a.ID] = a
		}
		if len(group) < 2 {
			continue
		}
		slices.SortFunc(group, func(a, b *store.Artifact) int {
			return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
		})
		out = append(out, group)
	}
	return out, nil
}

// ofTasks gives the places of those among some versions that were written for the
// same task.
func (f *finder) ofTasks(refs []brenner.Ref) ([][]int, error) {
	origins, err := f.reading.origins(refs)
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	var out [][]int
	for i, ref := range refs {
		t := origins[ref].task
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
