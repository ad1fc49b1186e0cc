package fulltext

import (
	"fmt"
	"slices"
	"testing"

	"brenner"
	"brenner/retrieval"
)

// A search that began before the index was made anew reads numbers that mean
// something else now: it must neither find nor leave anything in the memory of
// the newer.
func TestIndex_GenerationsShareNoMemory(t *testing.T) {
	var x Index
	old := x.of(1)
	old.remember(Page{1, 0}, []byte("old"))
	if x.of(1) != old {
		t.Fatal("the same generation has two memories")
	}
	now := x.of(2)
	if _, known := now.pages[Page{1, 0}]; known {
		t.Error("a page of the last generation is known in this one")
	}
	late := x.of(1)
	late.remember(Page{1, 1}, []byte("late"))
	if x.of(2) != now || len(now.pages) != 0 {
		t.Error("an older reader took or changed the memory of the newer")
	}
}

// Names of documents are those that were remembered, and those asked for lately stay.
func TestMemory_Names(t *testing.T) {
	m := new(Index).of(1)
	segments := []Segment{{ID: 7}, {ID: 9}}
	name := func(f retrieval.Found) retrieval.Name {
		return retrieval.Name{Artifact: brenner.ArtifactID(fmt.Sprintf("note-%d-%d", f.Segment, f.Ordinal)), Version: brenner.Version(f.Ordinal%3 + 1)}
	}
	often := []retrieval.Found{{Segment: 0, Ordinal: 1}, {Segment: 1, Ordinal: 1}}
	m.rememberNames(segments, often, []int{0, 1}, []retrieval.Name{name(often[0]), name(often[1])})
	got := make([]retrieval.Name, 2)
	for i := range 5 * maxNames / 2 {
		f := retrieval.Found{Segment: i % 2, Ordinal: i + 2}
		m.rememberNames(segments, []retrieval.Found{f}, []int{0}, []retrieval.Name{name(f)})
		if i%1000 > 0 {
			continue
		}
		if missing := m.named(segments, often, got); len(missing) > 0 || got[0] != name(often[0]) || got[1] != name(often[1]) {
			t.Fatalf("after %d others: %v, without %v", i, got, missing)
		}
	}
	if n := len(m.names.places) + len(m.before.places); n > 2*maxNames {
		t.Errorf("%d names are remembered", n)
	}
	// What stands in no segment has no name here.
	if missing := m.named(segments, []retrieval.Found{{Segment: 2, Ordinal: 1}, {Segment: 0, Ordinal: 3}}, got); len(missing) != 2 {
		t.Errorf("only %v are missing", missing)
	}
}

// A word is counted once for all searches, however long it is.
func TestMemory_Counts(t *testing.T) {
	m := new(Index).of(1)
	segments := []Segment{{ID: 7}}
	words := []string{"rate", "sixteen-bytes-16", "seventeen-bytes17", "rat", ""}
	have := []int64{1, 2, 3, 4, 5}
	m.rememberCounts(segments, words, have, []int{0, 1, 2, 3})
	got, missing := m.counted(segments, words)
	if !slices.Equal(got, []int64{1, 2, 3, 4, 0}) || !slices.Equal(missing, []int{4}) {
		t.Errorf("%v, without %v", got, missing)
	}
	if _, missing := m.counted([]Segment{{ID: 8}}, words); len(missing) != len(words) {
		t.Errorf("of another segment only %v are missing", missing)
	}
}
