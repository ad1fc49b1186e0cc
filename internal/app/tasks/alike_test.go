package tasks

import (
	"testing"

	"brenner/api"
	"brenner/internal/app/kernel"
)

// X11: work that overlaps is recognised by the words that tell what it is about,
// not by those that any work is asked for in. The first two were asked for by two
// agents who then ran the same experiment.
func TestOverlaps(t *testing.T) {
	survey := api.TaskInfo{
		Title: "Survey the waits: what ends each (tasks, requests, session answers, waiting deltas, approvals, stalemates)",
		Spec:  "Read the source for each kind of wait, give file:line of what ends it; small scratch experiment with two agents that ask each other, and two deltas that refer to each other. Answer: an analysis_result.",
	}
	scratch := api.TaskInfo{
		Title: "Scratch experiments: which waits end when the other never comes",
		Spec:  "On a scratch project with two agents over MCP: (a) two crossed requests, each held by the other; leases run out; who may end them and who is told. (b) a request to a role nobody plays, never claimed: does anything end it or show it to the PI. (c) a session in the default compile mode with one silent agent. (d) a stalemate with a silent party and with no arbiter. Done: an analysis_result with the commands, outcomes and places in the source.",
	}
	handles := api.TaskInfo{Title: "Count open handles", Spec: "In a scratch project: run it for an hour and count the handles. Answer: an analysis_result with the numbers."}
	for _, c := range []struct {
		name string
		a, b api.TaskInfo
		want bool
	}{
		{"the same experiment", survey, scratch, true},
		{"the same title", api.TaskInfo{Title: "Measure the parser on large files"}, api.TaskInfo{Title: "Timing of the parser with large files"}, true},
		{"only how work is asked for", survey, handles, false},
		{"only how work is asked for, the other way", handles, scratch, false},
	} {
		if got := overlaps(kernel.TellingWords(c.a.Title), kernel.TellingWords(c.a.Title+" "+c.a.Spec), c.b); got != c.want {
			t.Errorf("%s: %v; words %v and %v", c.name, got, kernel.TellingWords(c.a.Title+" "+c.a.Spec), kernel.TellingWords(c.b.Title+" "+c.b.Spec))
		}
	}
}
