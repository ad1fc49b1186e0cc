package delta

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// D4, D23. A sequence that was changed has what was put in, the one before it
// has not, and numbers that were left out are not found.
func TestSequence_VersionsShareAndStay(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, gaps := range []bool{false, true} {
		var versions []sequence
		var want [][]*Item
		var now sequence
		var list []*Item
		number := 0
		for range 40 {
			e := now.edit()
			list = slices.Clone(list)
			for range rng.IntN(60) {
				number++
				if gaps {
					number += rng.IntN(2)
				}
				it := &Item{number: number}
				e.add(it)
				list = append(list, it)
			}
			for range rng.IntN(5) {
				if len(list) > 0 {
					i := rng.IntN(len(list))
					list[i] = &Item{number: list[i].number, score: 1}
					e.set(i, list[i])
				}
			}
			now = e.sequence
			versions, want = append(versions, now), append(want, list)
		}
		for v := range versions {
			if got := slices.Concat(versions[v].chunks...); !slices.Equal(got, want[v]) || versions[v].len() != len(want[v]) {
				t.Fatalf("gaps %v: version %d has %d items, want %d", gaps, v, len(got), len(want[v]))
			}
			for i, it := range versions[v].all() {
				if at, ok := versions[v].search(it.number); it != want[v][i] || !ok || at != i {
					t.Fatalf("gaps %v: version %d, number %d is found at %d %v, want %d", gaps, v, it.number, at, ok, i)
				}
			}
			for _, n := range []int{-1, 0, number + 1} {
				if _, ok := versions[v].search(n); ok {
					t.Fatalf("there is no number %d", n)
				}
			}
		}
		if gaps {
			all := versions[len(versions)-1]
			for n, i := 1, 0; i < all.len(); n++ {
				if all.at(i).number == n {
					i++
				} else if _, ok := all.search(n); ok {
					t.Fatalf("number %d was left out", n)
				}
			}
		}
	}
}

// D19: ids stand in their order and before other words.
func TestCompareIDs_ItemsBeforeWords(t *testing.T) {
	words := []string{"b", "T1", "H10", "a", "H2", "RT", "P3"}
	slices.SortFunc(words, compareIDs)
	if got := strings.Join(words, " "); got != "RT H2 H10 P3 T1 a b" {
		t.Error(got)
	}
}
