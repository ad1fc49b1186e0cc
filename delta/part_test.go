package delta_test

import (
	"strings"
	"testing"
	"time"

	"brenner/delta"
)

// C34: a session is given by section, by item, and by what changed since a
// version, with who wrote what.
func TestRenderPart_ShowsWhatIsAskedForAndWhoWroteIt(t *testing.T) {
	empty, err := delta.New("RS-1", "why?", nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	merged := func(base *delta.Artifact, blocks ...string) *delta.Artifact {
		t.Helper()
		var entries []delta.Entry
		for i, b := range blocks {
			d, err := delta.Parse([]byte(b), delta.Envelope{Message: "m" + string(rune('0'+base.Version())), Agent: "Ann", Timestamp: "2026-01-01T00:00:00Z"}, i+1)
			if err != nil {
				t.Fatal(err)
			}
			entries = append(entries, delta.Entry{Delta: d, Message: "m" + string(rune('0'+base.Version()))})
		}
		return delta.Merge(base, entries, delta.Options{}).Artifact
	}
	one := merged(empty,
		`{"operation":"ADD","section":"hypothesis_slate","target_id":null,"payload":{"claim":"first claim","mechanism":"m"},"rationale":"r"}`,
		`{"operation":"ADD","section":"hypothesis_slate","target_id":null,"payload":{"claim":"second claim","mechanism":"m"},"rationale":"r"}`,
		`{"operation":"ADD","section":"anomaly_register","target_id":null,"payload":{"name":"odd","observation":"o"},"rationale":"r"}`)
	two := merged(one,
		`{"operation":"EDIT","section":"hypothesis_slate","target_id":"H2","timestamp":"2026-01-02T00:00:00Z","agent":"Bob","payload":{"claim":"better claim"},"rationale":"r"}`)
	for _, c := range []struct {
		name    string
		part    delta.Part
		has     []string
		hasNone []string
	}{
		{"all", delta.Part{}, []string{"first claim", "better claim", "odd", "H1 by Ann\n", "H2 by Ann, Bob\n"}, []string{"---", "Assumption"}},
		{"a section", delta.Part{Sections: []delta.Section{"anomaly_register"}}, []string{"odd"}, []string{"claim"}},
		{"an empty section by name", delta.Part{Sections: []delta.Section{"assumption_ledger"}}, []string{"None yet"}, []string{"claim", "odd"}},
		{"a section that is the same", delta.Part{Sections: []delta.Section{"anomaly_register"}, Since: one}, []string{"Unchanged"}, []string{"None yet", "odd"}},
		{"a section without the items", delta.Part{Sections: []delta.Section{"anomaly_register"}, Items: []delta.ItemID{"H1"}}, []string{"None of those asked for"}, []string{"None yet", "odd"}},
		{"an item", delta.Part{Items: []delta.ItemID{"H1"}}, []string{"first claim"}, []string{"better claim", "odd"}},
		{"what changed", delta.Part{Since: one}, []string{"better claim"}, []string{"first claim", "odd"}},
		{"nothing changed", delta.Part{Since: two}, nil, []string{"claim", "odd"}},
	} {
		got := delta.RenderPart(two, c.part)
		for _, want := range c.has {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, got)
			}
		}
		for _, none := range c.hasNone {
			if strings.Contains(got, none) {
				t.Errorf("%s: %q in\n%s", c.name, none, got)
			}
		}
	}
}

// C34: the deltas that an item took tell what it says, unless one of them came to
// something else than it said: then who was shown them does not have it.
func TestDeltasSince_TellWhatAnItemSays(t *testing.T) {
	empty, err := delta.New("RS-1", "why?", nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	merged := func(base *delta.Artifact, blocks ...string) *delta.Artifact {
		t.Helper()
		message := "m" + string(rune('0'+base.Version()))
		var entries []delta.Entry
		for i, b := range blocks {
			d, err := delta.Parse([]byte(b), delta.Envelope{Message: message, Agent: "Ann", Timestamp: "2026-01-01T00:00:00Z"}, i+1)
			if err != nil {
				t.Fatal(err)
			}
			entries = append(entries, delta.Entry{Delta: d, Message: message})
		}
		return delta.Merge(base, entries, delta.Options{}).Artifact
	}
	edit := func(agent, day, payload string) string {
		return `{"operation":"EDIT","section":"discriminative_tests","target_id":"T1","timestamp":"2026-01-` + day + `T00:00:00Z","agent":"` + agent + `","payload":` + payload + `,"rationale":"r"}`
	}
	kill := func(agent string) string {
		return `{"operation":"KILL","section":"discriminative_tests","target_id":"T1","timestamp":"2026-01-08T00:00:00Z","agent":"` + agent + `","payload":{"reason":"no"},"rationale":"r"}`
	}
	base := merged(empty, `{"operation":"ADD","section":"discriminative_tests","target_id":null,"payload":{"name":"n","procedure":"p","discriminates":"d","expected_outcomes":{"H1":"a"}},"rationale":"r"}`,
		edit("Ann", "05", `{"procedure":"p of the fifth"}`))
	for _, c := range []struct {
		name   string
		blocks []string
		since  *delta.Artifact
		want   int // how many deltas; none if they do not tell
	}{
		{"an edit", []string{edit("Bob", "06", `{"procedure":"q"}`)}, base, 1},
		{"of two texts", []string{edit("Bob", "06", `{"procedure":"q"}`), edit("Cid", "06", `{"name":"o"}`)}, base, 2},
		{"twice by one", []string{edit("Bob", "06", `{"procedure":"q"}`), edit("Bob", "07", `{"procedure":"r"}`)}, base, 2},
		{"by two", []string{edit("Bob", "06", `{"procedure":"q"}`), edit("Cid", "07", `{"procedure":"r"}`)}, base, 0},
		{"too late", []string{edit("Bob", "02", `{"procedure":"q"}`)}, base, 0},
		{"a cell", []string{edit("Bob", "06", `{"expected_outcomes":{"H2":"b"}}`)}, base, 1},
		{"a cell taken out", []string{edit("Bob", "06", `{"expected_outcomes":{"H1":null}}`)}, base, 1},
		{"a field of one's own", []string{edit("Bob", "06", `{"colour":"red"}`)}, base, 1},
		{"a kill", []string{kill("Bob")}, base, 1},
		{"two kills, of which the first counts", []string{kill("Bob"), kill("Cid")}, base, 1},
		{"all", []string{kill("Bob")}, nil, 3},
	} {
		it, ok := merged(base, c.blocks...).Item("T1")
		if !ok {
			t.Fatalf("%s: there is no T1", c.name)
		}
		if got, ok := it.DeltasSince(c.since); ok != (c.want > 0) || ok && len(got) != c.want {
			t.Errorf("%s: %d deltas, %v", c.name, len(got), ok)
		}
	}
	// D27: of an item that was edited and then killed both are shown.
	both := delta.Changes(merged(base, edit("Bob", "06", `{"feasibility":"by hand"}`), kill("Bob")), delta.Part{Since: base})
	if text := delta.Join(both); !strings.Contains(text, "by hand") || !strings.Contains(text, "Killed by: Bob") {
		t.Errorf("of an item that was edited and killed is shown\n%s", text)
	}
}
