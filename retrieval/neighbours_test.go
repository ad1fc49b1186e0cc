package retrieval_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"brenner/retrieval"
)

// C21. What stands beside a text that fits takes part of its score over, directly
// and once removed, and so do the others of a group; what stands alone takes none.
func TestNeighbours(t *testing.T) {
	// A chain 0–1–2–3, of which 0 fits best; 4 and 5 were written for one task;
	// 6 stands alone.
	scores := []float64{4, 0, 0, 0, 2, 1, 4}
	got := retrieval.Neighbours(scores, [][2]int{{0, 1}, {1, 2}, {2, 3}}, [][]int{{4, 5}})
	group := 0.4 / 3 // the best of the others is one of three that speak
	want := []float64{0, 0.6 + group, 0.6*0.9 + group, group, 0.4 * 1 / 3 / 4, 0.4 * 2 / 3 / 4, 0}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("%d: %v, want %v", i, got[i], want[i])
		}
	}
	for i, x := range retrieval.Neighbours([]float64{0, 0}, [][2]int{{0, 1}}, nil) {
		if x != 0 {
			t.Errorf("nothing fits, and %d takes over %v", i, x)
		}
	}
	// What everything refers to passes nothing on.
	hub := make([]float64, 40)
	hub[1] = 1
	var all [][2]int
	for i := 1; i < len(hub); i++ {
		all = append(all, [2]int{0, i})
	}
	if got := retrieval.Neighbours(hub, all, nil); got[0] != 0.6 || got[2] != 0 {
		t.Errorf("the hub takes over %v, what refers to it %v", got[0], got[2])
	}
}

// C21. Whatever refers to what: from 0 to 1, and the same in any order of the pairs.
func TestNeighbours_OrderDoesNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		scores := make([]float64, 1+r.IntN(30))
		for i := range scores {
			scores[i] = float64(r.IntN(4))
		}
		seen := map[[2]int]bool{}
		var pairs [][2]int
		for range r.IntN(60) {
			p := [2]int{r.IntN(len(scores)), r.IntN(len(scores))}
			p[0], p[1] = min(p[0], p[1]), max(p[0], p[1])
			if p[0] != p[1] && !seen[p] {
				seen[p] = true
				pairs = append(pairs, p)
			}
		}
		first := retrieval.Neighbours(scores, pairs, nil)
		r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		for i, x := range retrieval.Neighbours(scores, pairs, nil) {
			if x != first[i] || x < 0 || x > 1 {
				t.Fatalf("%d: %v, then %v", i, first[i], x)
			}
		}
	}
}

// C21. A group is spoken for by its best three: to each of them by the best of the others.
func TestNeighbours_AGroupIsSpokenForByItsBest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		scores := make([]float64, 1+r.IntN(12))
		best := 0.0
		for i := range scores {
			scores[i] = float64(r.IntN(5))
			best = max(best, scores[i])
		}
		group := r.Perm(len(scores))[:1+r.IntN(len(scores))]
		want := make([]float64, len(scores))
		for _, i := range group {
			others := []float64{0, 0, 0}
			for _, j := range group {
				if j != i {
					others = append(others, scores[j])
				}
			}
			slices.Sort(others)
			slices.Reverse(others)
			if best > 0 {
				want[i] = 0.4 * ((others[0] + others[1] + others[2]) / 3) / best
			}
		}
		for i, got := range retrieval.Neighbours(scores, nil, [][]int{group}) {
			if math.Abs(got-want[i]) > 1e-12 {
				t.Fatalf("%v of %v: %d takes over %v, not %v", group, scores, i, got, want[i])
			}
		}
	}
}
