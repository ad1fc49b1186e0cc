package assembly

import (
	"fmt"
	"slices"

	"brenner"
	"brenner/internal/order"
)

// Cause is why an artifact is looked at at all.
type Cause string

// The causes, in the order in which a tie between them is settled.
const (
	ByLinks      Cause = "links"      // near to the task's inputs
	ByTags       Cause = "tags"       // shares their tags
	ByRecency    Cause = "recency"    // changed lately
	ByFullText   Cause = "full_text"  // shares words with the task
	ByNeighbours Cause = "neighbours" // written beside what shares words with it
)

// Causes lists every cause, in order.
func Causes() []Cause { return []Cause{ByLinks, ByTags, ByRecency, ByFullText, ByNeighbours} }

// Found is what one cause brought, best first.
type Found struct {
	Cause Cause
	Hits  []Hit
	// More is how many the cause would have brought besides, if known.
	More int
}

// Hit is a version that a cause brought.
type Hit struct {
	Ref brenner.Ref
	// Distance is the number of links between the version and the nearest
	// input of the task, 0 if not known.
	Distance int
	// Lexical is the score of the full-text index, 0 if it found nothing.
	Lexical float64
	// Neighbours says, from 0 to 1, how well what was written beside it fits.
	Neighbours float64
}

// Lead is a version that is worth a look, and what brought it.
type Lead struct {
	Ref        brenner.Ref
	By         []Cause
	Distance   int
	Lexical    float64
	Neighbours float64
}

// Rest counts what was not looked at, by the first cause that brought it.
type Rest struct {
	Cause Cause `json:"cause"`
	Count int   `json:"count"`
}

// String says how many there are of what.
func (r Rest) String() string {
	what := map[Cause]string{
		ByLinks: "linked to the inputs", ByTags: "with tags of the inputs", ByRecency: "changed longer ago", ByFullText: "with words of the task",
		ByNeighbours: "written beside what has words of the task",
	}
	return fmt.Sprintf("%d %s", r.Count, what[r.Cause])
}

// Preselect merges what the causes brought into at most limit leads, in id
// order (C21). The causes take turns, each giving its best that is still
// missing, so that none can crowd out the others; the rest are counted.
func Preselect(found []Found, limit int) ([]Lead, []Rest) {
	byCause := make([]Found, len(Causes()))
	for i, cause := range Causes() {
		for _, f := range found {
			if f.Cause == cause {
				byCause[i].Hits = slices.Concat(byCause[i].Hits, f.Hits)
				byCause[i].More += f.More
			}
		}
	}
	all := 0
	for _, f := range byCause {
		all += len(f.Hits)
	}
	leads := make([]Lead, 0, max(0, min(limit, all)))
	chosen := make(map[brenner.Ref]int, cap(leads)) // the place among the leads
	next := make([]int, len(byCause))
	for before := -1; before < len(leads); {
		before = len(leads)
		for i, f := range byCause {
			for next[i] < len(f.Hits) && has(chosen, f.Hits[next[i]].Ref) {
				next[i]++
			}
			if next[i] < len(f.Hits) && len(leads) < limit {
				ref := f.Hits[next[i]].Ref
				chosen[ref] = len(leads)
				leads = append(leads, Lead{Ref: ref})
			}
		}
	}
	return gather(byCause, leads, chosen)
}

func has[K comparable, V any](m map[K]V, key K) bool {
	_, there := m[key]
	return there
}

// gather completes the chosen leads from every hit, and counts the others.
func gather(byCause []Found, leads []Lead, chosen map[brenner.Ref]int) ([]Lead, []Rest) {
	rest := make([]Rest, len(byCause))
	by := make([]Cause, len(leads)*len(byCause)) // room for every cause of each
	for i := range leads {
		leads[i].By, by = by[:0:len(byCause)], by[len(byCause):]
	}
	counted := map[brenner.Ref]bool{}
	for i, cause := range Causes() {
		rest[i] = Rest{Cause: cause, Count: byCause[i].More}
		for _, h := range byCause[i].Hits {
			place, looked := chosen[h.Ref]
			if !looked {
				if !counted[h.Ref] {
					rest[i].Count++
				}
				counted[h.Ref] = true
				continue
			}
			lead := &leads[place]
			if !slices.Contains(lead.By, cause) {
				lead.By = append(lead.By, cause)
			}
			if h.Distance > 0 && (lead.Distance == 0 || h.Distance < lead.Distance) {
				lead.Distance = h.Distance
			}
			lead.Lexical = max(lead.Lexical, h.Lexical)
			lead.Neighbours = max(lead.Neighbours, h.Neighbours)
		}
	}
	order.By(leads, func(a, b Lead) int { return a.Ref.Compare(b.Ref) })
	return leads, slices.DeleteFunc(rest, func(r Rest) bool { return r.Count == 0 })
}

// inOrder compares what knows its own order.
func inOrder[T interface{ Less(T) bool }](a, b T) int {
	switch {
	case a.Less(b):
		return -1
	case b.Less(a):
		return 1
	}
	return 0
}
