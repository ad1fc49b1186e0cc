package tasks

import (
	"testing"

	"brenner"
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
	// Three who began at once: the second overlapped, and was made anew as the first
	// proposed.
	divides := api.TaskInfo{Creator: "BlueLake", Title: "I try the promises of README, docs/operations.md, docs/guide-pi.md, docs/runs.md (proposal: PurpleMountain guide-agents, protocol, programs, errors; GreenValley threat-model, spec, cli)"}
	crossed := api.TaskInfo{Creator: "PurpleMountain", Title: "I try operations.md, threat-model.md, runs.md (then programs.md, errors.md) with the binary. Free: guide-pi.md+README, guide-agents.md+protocol.md, spec.md, cli.md"}
	anew := api.TaskInfo{Creator: "PurpleMountain", Title: "I try guide-agents.md, protocol.md, programs.md, errors.md (as BlueLake proposes), and contradictions between documents (login code 12h/1h, runs.md:36 vs threat-model:114)"}
	for _, c := range []struct {
		name string
		a, b api.TaskInfo
		want bool
	}{
		{"the same experiment", survey, scratch, true},
		{"the same title", api.TaskInfo{Title: "Measure the parser on large files"}, api.TaskInfo{Title: "Timing of the parser with large files"}, true},
		{"two documents of both", crossed, divides, true},
		{"as the other proposed", anew, divides, false},
		{"only how work is asked for", survey, handles, false},
		{"only how work is asked for, the other way", handles, scratch, false},
	} {
		if got := overlaps(c.a, c.b, []brenner.ActorName{"BlueLake", "PurpleMountain", "GreenValley"}); got != c.want {
			t.Errorf("%s: %v; words %v and %v", c.name, got, kernel.TellingWords(c.a.Title+" "+c.a.Spec), kernel.TellingWords(c.b.Title+" "+c.b.Spec))
		}
	}
}
