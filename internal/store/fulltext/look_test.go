package fulltext

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/retrieval"
)

// C21: what two processors find of many documents is what one finds that looks through
// them one after the other.
func TestLook_TwoFindWhatOneFinds(t *testing.T) {
	var views []retrieval.View
	var parts []part
	stats := retrieval.Statistics{}
	for n := range 3 {
		var b retrieval.Builder
		for i := range 14_000 - 1_000*n {
			text := strings.Repeat("filler ", i%5) + fmt.Sprintf("common w%d v%d u%d", i%7, i*i%101, i*31%1009)
			if err := b.Add(retrieval.Document{Name: retrieval.Name{Artifact: brenner.ArtifactID(fmt.Sprintf("n%d-%05d", n, i)), Version: 1}, Text: text}); err != nil {
				t.Fatal(err)
			}
		}
		built := b.Segment()
		p := part{pages: built.Pages}
		columns, err := built.Directory.ReadColumns(p.take(built.Directory.ColumnPages()))
		if err != nil {
			t.Fatal(err)
		}
		p.view = retrieval.View{Directory: built.Directory, Columns: columns}
		views, parts, stats = append(views, p.view), append(parts, p), stats.Plus(built.Statistics)
	}
	terms := retrieval.Question("common filler w3 w5 v4 v88 u7 u310 absent")
	have := make([]int64, len(terms))
	lists := make([][]retrieval.List, len(views))
	for i, term := range terms {
		for j, p := range parts {
			l, err := p.list(term.Word)
			if err != nil {
				t.Fatal(err)
			}
			have[i] += l.Have
			lists[j] = append(lists[j], l)
		}
	}
	for _, limit := range []int{1, 5, 250, 0} {
		any := func(retrieval.Kind) bool { return true }
		alone, two := retrieval.NewSearch(stats, terms, have, limit, any), retrieval.NewSearch(stats, terms, have, limit, any)
		for i, v := range views {
			each := make([]*retrieval.List, len(terms))
			for j := range each {
				each[j] = &lists[i][j]
			}
			if err := two.Add(v, each); err != nil {
				t.Fatal(err)
			}
			if err := alone.Segment(v, slices.Clone(lists[i])); err != nil {
				t.Fatal(err)
			}
		}
		r := &ranking{views: views}
		if err := r.look(two); err != nil {
			t.Fatal(err)
		}
		want := alone.Best()
		if got := two.Best(); !slices.Equal(got, want) || len(want) < limit {
			t.Errorf("of the best %d two find %d, one finds %d, or others", limit, len(got), len(want))
		}
	}
}
