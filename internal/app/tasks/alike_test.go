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
	waits := api.TaskInfo{Creator: "BlueLake", Title: "I wait for T6/T7 and for csv-oracle on F, G1, G3 (reader-v@3), then write the answer"}
	mutates := api.TaskInfo{Creator: "GreenValley", Title: "automatic mutation of the fast paths of V3/V5, to see what csv-oracle does not notice; then sources that change the Reader's fields while it reads"}
	oracle := api.TaskInfo{Creator: "BlueLake", Title: "mutation of the fast paths, and what csv-oracle does not notice of them"}
	idle := api.TaskInfo{Creator: "PurpleMountain", Title: "nothing more of my own; I check the answer's numbers when it is there"}
	idleToo := api.TaskInfo{Creator: "BlueLake", Title: "nothing more of my own; I mend the answer if a check of it says so"}
	for _, c := range []struct {
		name string
		a, b api.TaskInfo
		want bool
	}{
		{"the same experiment", survey, scratch, true},
		{"the same title", api.TaskInfo{Title: "Measure the parser on large files"}, api.TaskInfo{Title: "Timing of the parser with large files"}, true},
		{"two documents of both", crossed, divides, true},
		{"as the other proposed", anew, divides, false},
		{"what another does is waited for", waits, mutates, false},
		{"what another does is done too", oracle, mutates, true},
		{"nothing is done by either", idle, idleToo, false},
		{"only how work is asked for", survey, handles, false},
		{"only how work is asked for, the other way", handles, scratch, false},
	} {
		if got := (likeness{names: []brenner.ActorName{"BlueLake", "PurpleMountain", "GreenValley"}}).overlaps(c.a, c.b); got != c.want {
			t.Errorf("%s: %v; words %v and %v", c.name, got, kernel.TellingWords(c.a.Title+" "+c.a.Spec), kernel.TellingWords(c.b.Title+" "+c.b.Spec))
		}
	}
}

// X11: those who have worked on one thing for a while use the same words of whatever they do;
// only most of both makes it the same then. The first three are of one session.
func TestOverlaps_Closely(t *testing.T) {
	names := []brenner.ActorName{"BlueLake", "PurpleMountain", "GreenValley"}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{
			"run H6's leaf through b64-oracle (LEVEL=2, also 386) as soon as it is an artifact; sthyb+table on the whole stream if PurpleMountain does not",
			"T5 (composition) with the leaf; T4 (cold) is left to BlueLake (task-64). nl, nl2 and the stream through b64-oracle LEVEL 2", false,
		},
		{
			"b64-leaf@1 passes the oracle (1M, LEVEL 2, 386 too), but it LOSES: strict+padding short 0.84, raw len%4!=0; tail step that also does raw and strict. Artifact in minutes",
			"nothing heavy: ready to re-measure the next b64-leaf (Raw/Strict tail), and to sign the answer", false,
		},
		{
			"b64-leaf@3: oracle clean (1M + 50k streams + 386), no loser but early corruption (b64-losers@2.6): take it as the first change; ready to sign the answer",
			"b64-first@1 is the candidate for the first change, measured (b64-compose@3.8) and through the oracle; waiting for the answer in RT, to sign", false,
		},
		{"run the leaf through the oracle, LEVEL 2, also on 386", "the oracle on the leaf with LEVEL 2, on 386 too", true},
	} {
		a, b := api.TaskInfo{Title: c.a, Creator: "GreenValley"}, api.TaskInfo{Title: c.b, Creator: "PurpleMountain"}
		got, byWords := likeness{names, true}.overlaps(a, b), likeness{names, false}.overlaps(a, b)
		if got != c.want || !byWords {
			t.Errorf("%q and %q: closely %v, by words %v", c.a, c.b, got, byWords)
		}
	}
}

// X11: what somebody announces is about the part that it has most words of: two parts of one
// question share words, and whoever does its own is not told that it does another's.
func TestLeavesTo(t *testing.T) {
	names := []brenner.ActorName{"BlueLake", "PurpleMountain", "GreenValley"}
	divides := api.TaskInfo{ID: "task-1", Creator: "BlueLake", Title: "I write the lazy DFA", Parts: []api.TaskPart{
		{Agent: "PurpleMountain", Part: "bit-parallel NFA: prototype on the corpus, speed against the stock matcher, differences"},
		{Agent: "GreenValley", Part: "lazy DFA's memory on the corpus; cache limits, patterns that blow up the stock matcher"},
	}}
	for what, c := range map[string]struct {
		by   brenner.ActorName
		want brenner.ActorName
	}{
		"prototype of the bit-parallel NFA and its speed against the stock matcher on the corpus": {"PurpleMountain", ""},
		"speed of a bit-parallel NFA prototype against the stock matcher":                         {"GreenValley", "PurpleMountain"},
		"memory and cache limits of the lazy DFA on the corpus":                                   {"PurpleMountain", "GreenValley"},
		"patterns that blow up the stock matcher: cache limits of the lazy DFA, memory, corpus":   {"GreenValley", ""},
		"cache limits and memory of the lazy DFA":                                                 {"BlueLake", "GreenValley"}, // it left itself none
		"printing of syntax trees":                                                                {"GreenValley", ""},
	} {
		var got brenner.ActorName
		if part := (likeness{names: names}).leavesTo(divides, api.TaskInfo{Creator: c.by, Title: what}); part != nil {
			got = part.Holder
		}
		if got != c.want {
			t.Errorf("%s, by %s: the part of %q, not of %q", what, c.by, got, c.want)
		}
	}
}
