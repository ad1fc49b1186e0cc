package delta_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/delta"
)

// D9: what a test foretells is about the hypothesis as it was worded then: a hypothesis
// that claims something else since is said beside it, until the test foretells anew.
func TestReworded(t *testing.T) {
	n := 0
	of := func(agent, operation, target, section, payload string) string {
		n++
		id := fmt.Sprintf(`"target_id":%q`, target)
		if operation == "ADD" {
			id = fmt.Sprintf(`"provisional_id":%q`, target)
		}
		return fmt.Sprintf(`{"delta_id":"r%d","timestamp":"2026-01-01T10:00:%02dZ","agent":%q,"operation":%q,%s,"section":%q,"payload":%s}`, n, n, agent, operation, id, section, payload)
	}
	edit := func(agent, target, section, payload string) string {
		return of(agent, "EDIT", target, section, payload)
	}
	a := mergeAll(t, nil,
		of("Ann", "ADD", "H-OLD", "hypothesis_slate", `{"claim":"Cells keep a state","mechanism":"Marks"}`),
		of("Ann", "ADD", "H-TWO", "hypothesis_slate", `{"claim":"Cells read a gradient","mechanism":"Diffusion"}`),
		of("Bob", "ADD", "T-ONE", "discriminative_tests", `{"name":"n","procedure":"p","discriminates":"d","expected_outcomes":{"Ann:H-OLD":"keeps","Ann:H-TWO":"changes"}}`),
	).Artifact
	says := func(want string) {
		t.Helper()
		p, _ := a.Passage("T1")
		_, got, _ := strings.Cut(p.Text, "\nChanged since it was foretold: ")
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	tested := func(id delta.ItemID, want string) {
		t.Helper()
		got := ""
		for _, it := range a.Tested(id) {
			got += string(it.ID())
		}
		if got != want {
			t.Errorf("%s is tested by %q, want %q", id, got, want)
		}
	}
	says("")
	tested("H1", "T1")
	a = mergeAll(t, a, edit("Ann", "H1", "hypothesis_slate", `{"claim":"cells keep, a state.","anchors":["inference"],"name":"State"}`)).Artifact
	says("") // the same words
	a = mergeAll(t, a, edit("Cat", "H1", "hypothesis_slate", `{"claim":"Cells lose a state"}`)).Artifact
	says(`H1 claim: "Cells [-keep-]{+lose+} a state" (by Cat, 2026-01-01 10:00 UTC)`)
	tested("H1", "")
	tested("H2", "T1")
	kept := a
	a = mergeAll(t, a, edit("Cat", "H1", "hypothesis_slate", `{"claim":"Cells keep a state"}`)).Artifact
	says("") // put back
	tested("H1", "T1")
	a = kept
	a = mergeAll(t, a, edit("Ann", "H2", "hypothesis_slate", `{"mechanism":"Transport"}`)).Artifact
	says(`H1 claim: "Cells [-keep-]{+lose+} a state" (by Cat, 2026-01-01 10:00 UTC); H2 mechanism: "Diffusion" → "Transport" (by Ann, 2026-01-01 10:00 UTC)`)
	a = mergeAll(t, a, edit("Bob", "T1", "discriminative_tests", `{"expected_outcomes":{"H1":"loses"}}`)).Artifact
	says(`H2 mechanism: "Diffusion" → "Transport" (by Ann, 2026-01-01 10:00 UTC)`)
	tested("H1", "T1")
	a = mergeAll(t, a, of("Ann", "KILL", "H2", "hypothesis_slate", `{"reason":"r"}`)).Artifact
	says("") // nobody asks what is foretold under it
}
