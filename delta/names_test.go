package delta

import (
	"slices"
	"testing"
	"time"
)

// D4: prose may use the names that an agent gave its items; whoever reads it is
// told which items these are.
func TestNamesIn_FindsTheItemsThatProseNames(t *testing.T) {
	add := func(id, name string) Entry {
		return Entry{Message: "m", Delta: Delta{
			DeltaID: id, Agent: "BlueLake", Operation: Add, Section: HypothesisSlate, ProvisionalID: name,
			Timestamp: "2026-03-14T15:09:26Z", Rationale: "seen", Payload: []byte(`{"name":"` + name + `","claim":"c","mechanism":"m"}`),
		}}
	}
	a, err := New("RS-1", "Why?", nil, time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	a = Merge(a, []Entry{add("d1", "H-INDEX"), add("d2", "parser"), add("d3", "LOCKS")}, Options{}).Artifact
	for text, want := range map[string][]string{
		"see H-INDEX.":                {"H-INDEX H1"},
		"(BlueLake:H-INDEX, LOCKS)":   {"H-INDEX H1", "LOCKS H3"},
		"the parser is slow":          nil, // a plain word
		"H-INDEXES and XH-INDEX, H-X": nil,
		"locks":                       nil,
	} {
		var got []string
		for _, n := range a.NamesIn(text) {
			if n.Agent != "BlueLake" {
				t.Errorf("%v", n)
			}
			got = append(got, n.Name+" "+string(n.Item))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
