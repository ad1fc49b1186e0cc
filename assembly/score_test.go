package assembly

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"brenner"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func ref(s string) brenner.Ref {
	r, err := brenner.ParseRef(s)
	if err != nil {
		panic(err)
	}
	return r
}

func hits(refs ...string) []Hit {
	var out []Hit
	for _, r := range refs {
		out = append(out, Hit{Ref: ref(r)})
	}
	return out
}

// C21: candidates come from links, tags, recency and full text; each says what
// brought it, and the rest are counted by cause.
func TestPreselect_CausesTakeTurnsAndTheRestIsCounted(t *testing.T) {
	leads, rest := Preselect([]Found{
		{Cause: ByFullText, Hits: []Hit{{Ref: ref("b@1"), Lexical: 2}, {Ref: ref("f@1"), Lexical: 1}, {Ref: ref("g@1"), Lexical: 0.5}}},
		{Cause: ByLinks, Hits: []Hit{{Ref: ref("a@1"), Distance: 1}, {Ref: ref("b@1"), Distance: 2}, {Ref: ref("c@1"), Distance: 2}, {Ref: ref("b@1"), Distance: 3}, {Ref: ref("c@1"), Distance: 1}}},
		{Cause: ByRecency, Hits: hits("d@1", "e@1", "g@1"), More: 7},
	}, 4)
	want := []Lead{
		{Ref: ref("a@1"), By: []Cause{ByLinks}, Distance: 1},
		{Ref: ref("b@1"), By: []Cause{ByLinks, ByFullText}, Distance: 2, Lexical: 2},
		{Ref: ref("c@1"), By: []Cause{ByLinks}, Distance: 1}, // the shorter of two ways
		{Ref: ref("d@1"), By: []Cause{ByRecency}},
	}
	if d := cmp.Diff(want, leads); d != "" {
		t.Error(d)
	}
	// f is left to full text; e and g to recency, which brought g first.
	if d := cmp.Diff([]Rest{{ByRecency, 9}, {ByFullText, 1}}, rest); d != "" {
		t.Error(d)
	}
}

// C21: whatever the causes bring, at most limit are chosen, all that are found
// are accounted for, and the order of the causes does not matter.
func TestPreselect_AccountsForEverything(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var found []Found
		all := map[brenner.Ref]bool{}
		for _, cause := range Causes() {
			f := Found{Cause: cause}
			for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(1, 30), 0, 20, rapid.ID).Draw(rt, string(cause)) {
				h := Hit{Ref: brenner.Ref{Artifact: brenner.ArtifactID(fmt.Sprintf("a%02d", n)), Version: 1}}
				f.Hits = append(f.Hits, h)
				all[h.Ref] = true
			}
			found = append(found, f)
		}
		limit := rapid.IntRange(0, 30).Draw(rt, "limit")
		leads, rest := Preselect(found, limit)
		counted := len(leads)
		for _, r := range rest {
			counted += r.Count
		}
		if len(leads) != min(limit, len(all)) || counted != len(all) {
			rt.Fatalf("%d chosen and %d counted of %d, limit %d", len(leads), counted, len(all), limit)
		}
		slices.Reverse(found)
		again, restAgain := Preselect(found, limit)
		if d := cmp.Diff(leads, again) + cmp.Diff(rest, restAgain); d != "" {
			rt.Fatal(d)
		}
		for i, f := range found { // the best of every cause is among the chosen
			if len(f.Hits) > 0 && limit >= len(Causes()) && !slices.ContainsFunc(leads, func(l Lead) bool { return l.Ref == f.Hits[0].Ref }) {
				rt.Fatalf("the best of %s is missing", found[i].Cause)
			}
		}
	})
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// C21: the score is explicit: seven parts and their weighted sum.
func TestRank_ScoreParts(t *testing.T) {
	w := Weights{Pinned: 10, Links: 5, Tags: 4, Recency: 3, Lexical: 2, Semantic: 1, Neighbours: 6}
	ranked := Rank(w, Query{Pinned: []brenner.ArtifactID{"a"}, Tags: []string{"x", "y", "y"}, Now: noon}, []Candidate{
		{Item: Item{Ref: ref("a@2"), Tags: []string{"y", "z"}, Updated: noon}, Distance: 2, Lexical: 3, Semantic: 0.5},
		{Item: Item{Ref: ref("b@1"), Tags: []string{"x", "y"}, Updated: noon.Add(-14 * 24 * time.Hour)}, Distance: 1, Lexical: 6, Semantic: -0.5, Neighbours: 0.25},
		{Item: Item{Ref: ref("c@1"), Updated: noon.Add(time.Hour)}, Lexical: math.NaN(), Semantic: math.Inf(1), Neighbours: math.NaN()},
	})
	want := []Score{
		{Pinned: 1, Links: 0.5, Tags: 0.5, Recency: 1, Lexical: 0.5, Semantic: 0.5, Total: 10 + 2.5 + 2 + 3 + 1 + 0.5},
		{Links: 1, Tags: 1, Recency: 0.5, Lexical: 1, Neighbours: 0.25, Total: 5 + 4 + 1.5 + 2 + 1.5},
		{Recency: 1, Total: 3},
	}
	for i, r := range ranked {
		if d := cmp.Diff(want[i], r.Score); d != "" {
			t.Errorf("%s: %s", r.Ref, d)
		}
	}
}

// C21: a score says all its parts that count.
func TestScore_String(t *testing.T) {
	s := Score{Pinned: 1, Links: 0.5, Tags: 0.25, Recency: 0.125, Lexical: 0.75, Semantic: 0.6, Neighbours: 0.3, Total: 12.345678}
	if got, want := s.String(), "pinned 1.00, links 0.50, tags 0.25, recency 0.12, lexical 0.75, semantic 0.60, neighbours 0.30, total 12.35"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := (Score{}).String(); got != "total 0.00" {
		t.Error(got)
	}
}

// C21: scores of full-text indexes can be tiny; only their proportions count.
func TestRank_LexicalIsRelative(t *testing.T) {
	ranked := Rank(Weights{Lexical: 1}, Query{Now: noon}, []Candidate{
		{Item: Item{Ref: ref("a@1")}, Lexical: 1e-9}, {Item: Item{Ref: ref("b@1")}, Lexical: 4e-9},
	})
	if ranked[0].Ref != ref("b@1") || ranked[0].Score.Lexical != 1 || ranked[1].Score.Lexical != 0.25 {
		t.Errorf("%+v", ranked)
	}
}

// anyCandidate draws a candidate with scores that often tie.
func anyCandidate(rt *rapid.T, id string) Candidate {
	return Candidate{
		Item: Item{
			Ref:     brenner.Ref{Artifact: brenner.ArtifactID(id), Version: brenner.Version(rapid.IntRange(1, 3).Draw(rt, "version"))},
			Tags:    rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 3).Draw(rt, "tags"),
			Updated: noon.Add(-time.Duration(rapid.IntRange(0, 3).Draw(rt, "days")) * 24 * time.Hour),
		},
		Distance: rapid.IntRange(0, 3).Draw(rt, "distance"),
		Lexical:  float64(rapid.IntRange(0, 2).Draw(rt, "lexical")),
		Semantic: float64(rapid.IntRange(-1, 2).Draw(rt, "semantic")) / 2,
	}
}

// C21: the order is that of a slow definition: of what is left, take the one
// that no other beats. Ties go by id.
func TestRank_AgreesWithTheDumbOne(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := defaults().Weights
		q := Query{Pinned: []brenner.ArtifactID{"a01", "a04"}, Tags: []string{"x", "z"}, Now: noon}
		var all []Candidate
		for i := range rapid.IntRange(0, 25).Draw(rt, "n") {
			all = append(all, anyCandidate(rt, fmt.Sprintf("a%02d", i)))
		}
		got := Rank(w, q, rapid.Permutation(all).Draw(rt, "order"))
		for i, want := range dumbRank(w, q, all) {
			if got[i].Ref != want.Ref {
				rt.Fatalf("place %d: %s (%v), want %s", i, got[i].Ref, got[i].Score, want.Ref)
			}
		}
	})
}

// dumbRank is selection by a score computed in big steps from the definitions.
func dumbRank(w Weights, q Query, left []Candidate) []Candidate {
	best := 0.0
	for _, c := range left {
		best = math.Max(best, c.Lexical)
	}
	score := func(c Candidate) int64 {
		micro := func(x float64) float64 { return math.Round(x * 1e6) }
		total := 0.0
		for _, p := range q.Pinned {
			if p == c.Ref.Artifact {
				total += w.Pinned * 1e6
			}
		}
		if c.Distance > 0 {
			total += w.Links * micro(1/float64(c.Distance))
		}
		ours, theirs, both := map[string]bool{}, map[string]bool{}, 0
		for _, t := range q.Tags {
			ours[t] = true
		}
		for _, t := range c.Tags {
			if ours[t] && !theirs[t] {
				both++
			}
			theirs[t] = true
		}
		if both > 0 {
			total += w.Tags * micro(2*float64(both)/float64(len(ours)+len(theirs)))
		}
		days := q.Now.Sub(c.Updated).Hours() / 24
		total += w.Recency * micro(14/(14+days))
		if best > 0 {
			total += w.Lexical * micro(c.Lexical/best)
		}
		total += w.Semantic * micro(math.Min(1, math.Max(0, c.Semantic)))
		return int64(math.Round(total))
	}
	var out []Candidate
	left = slices.Clone(left)
	for len(left) > 0 {
		first := 0
		for i, c := range left {
			a, b := score(c), score(left[first])
			if a > b || a == b && c.Ref.Less(left[first].Ref) {
				first = i
			}
		}
		out = append(out, left[first])
		left = slices.Delete(left, first, first+1)
	}
	return out
}
