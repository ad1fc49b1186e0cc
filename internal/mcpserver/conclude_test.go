package mcpserver_test

import (
	"testing"

	"brenner/api"
)

// D26: who says the answer is told so when a test has brought something or nobody else is at
// anything, not while it waits for the others.
func TestConclude_IsAskedForWhenSomethingCame(t *testing.T) {
	blue, red := duo(t)
	test := deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"p","discriminates":"H1","expected_outcomes":{"any":"slow"},"status":"running"}`, "")
	blue.submits(hypothesis("Parser", "", "the parser is slow"))
	red.submits(hypothesis("Disk", "", "the disk is slow") + test)
	blue.told(api.MessageCompiled)
	waiting := first(blue.call("inbox", nil))
	blue.mustNot(waiting, "no conclusion yet", "nothing is asked of you")
	red.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"status":"run","actual_outcomes":{"any":"slow"}}`, ""))
	blue.call("inbox", nil)
	blue.must(first(blue.call("inbox", nil)), "RS-pair has no conclusion yet: it is yours to say")
}

// D26: who is asked whether the answer still holds is told the call that says yes.
func TestConclude_ItStillHoldsInOneCall(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1, as measured."}`, ""))
	red.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the sluice leaks"}`, ""))
	blue.must(first(blue.call("inbox", nil)), "does it still hold?", `whether the answer still holds with what came since: H1 (claim by RedSky); if it does: delta_submit {"nothing":true,"session":"RS-pair","text":"RT holds"}`)
	blue.must(first(blue.call("delta_submit", arguments{"session": "RS-pair", "nothing": true, "text": "RT holds"})), "that is your answer")
	blue.mustNot(first(blue.call("inbox", nil)), "still holds")
}

// D26: what came out of a test is what who ran it wrote, not what it was run on.
func TestTests_TheResultIsWhatWhoRanItWrote(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	red.call("artifact_write", analysis("rule", nil))
	blue.submits(deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"p","discriminates":"H1","expected_outcomes":{"H1":"slow"}}`, ""))
	ran := func(result string) string {
		blue.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"status":"run","actual_outcomes":{"H1":"slow"},"last_run":{"result":"`+result+`"}}`, ""))
		return first(red.call("session_show", arguments{"session": "RS-pair", "again": true}))
	}
	red.mustNot(ran("rule@1 has it too"), "(BlueLake: rule@1")
	blue.call("artifact_write", analysis("log", nil))
	red.must(ran("log@1, on rule@1"), "run T1 (BlueLake: log@1")
}

// C34: what others did meanwhile is told against the version that the answer names.
func TestMeanwhile_NamesOneVersion(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("inbox", nil)
	red.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"the sluice"}`, ""))
	words := blue.submits(hypothesis("Net", "", "the net is slow"))
	blue.must(words, "compiled: RS-pair@4", "RS-pair: RedSky edited H1.")
	blue.mustNot(words, "is at version 3")
}

// D26: who wrote the answer is told what came of that which it names, as open or as what it
// rests on, until it says that it holds or writes another; nobody is told that it stands meanwhile.
func TestConclude_IsToldWhatCameOfWhatItNames(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	red.call("artifact_write", analysis("log", nil))
	red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"H1 is circular","evidence":"none"}`, "") +
		deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"p","discriminates":"H1","expected_outcomes":{"H1":"slow"}}`, ""))
	blue.call("inbox", nil)
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1, by log@1. Open: C1, and T1 is not run."}`, ""))
	blue.mustNot(first(blue.call("inbox", nil)), "what came since")
	holds := func() {
		t.Helper()
		blue.must(first(blue.call("delta_submit", arguments{"session": "RS-pair", "nothing": true, "text": "RT holds"})), "that is your answer")
		blue.mustNot(first(blue.call("inbox", nil)), "what came since", "duplicate")
	}
	for _, step := range []struct{ change, came string }{
		{deltaBlock("EDIT", "T1", "discriminative_tests", `{"last_run":{"by":"RedSky","how":"time"}}`, ""), "T1 (last_run by RedSky)"},
		{deltaBlock("EDIT", "C1", "adversarial_critique", `{"current_status":"settled"}`, ""), "C1 (settled by RedSky)"},
		{deltaBlock("ADD", "", "anomaly_register", `{"name":"Odd","observation":"two are fast","conflicts_with":["RT"],"status":"active"}`, ""), "X1 (added by RedSky)"},
		{deltaBlock("ADD", "", "anomaly_register", `{"name":"Even","observation":"four are fast","conflicts_with":["H1"],"status":"active"}`, ""), "X2 (added by RedSky)"},
	} {
		red.submits(step.change)
		blue.must(first(blue.call("inbox", nil)), "whether the answer still holds with what came since: "+step.came+"; if it does: delta_submit")
		blue.must(first(blue.call("inbox", nil)), step.came) // until it is said
		holds()
	}
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1, by log@1; C1 changed nothing."}`, ""))
	red.submits(deltaBlock("EDIT", "C1", "adversarial_critique", `{"current_status":"settled","evidence":"ten runs"}`, ""))
	blue.mustNot(first(blue.call("inbox", nil)), "what came since")
	red.call("artifact_write", arguments{"id": "log", "summary": "again", "content": arguments{"format": "text", "data": "measured again\n"}})
	blue.must(first(blue.call("inbox", nil)), "log@2 by RedSky")
	blue.must(first(blue.call("inbox", nil)), "log@2 (by RedSky); if it does")
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1, by log@2."}`, ""))
	blue.mustNot(first(blue.call("inbox", nil)), "what came since")
}

// D26: where an outcome is filed, and that an anomaly is resolved, reopens no answer; nor is a
// reader told in news of each version of a log, or that the document, which cites it, is its own.
func TestConclude_NotAskedForWhatDecidesNothing(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	red.call("artifact_write", analysis("log", nil))
	red.submits(deltaBlock("ADD", "", "anomaly_register", `{"name":"Odd","observation":"two are slow","status":"active"}`, "") +
		deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"p","discriminates":"H1","expected_outcomes":{"H1":"slow"}}`, ""))
	red.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"status":"run","actual_outcomes":{"H1":"slow"},"last_run":{"by":"RedSky","result":"log@1"}}`, ""))
	blue.call("inbox", nil)
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1, by T1 (log@1), whatever X1 is."}`, ""))
	blue.call("inbox", nil)
	red.submits(deltaBlock("EDIT", "X1", "anomaly_register", `{"status":"resolved"}`, "") + deltaBlock("EDIT", "T1", "discriminative_tests", `{"last_run":{"how":"time, 5 runs"}}`, ""))
	words := first(blue.call("inbox", nil))
	blue.must(words, "Status: resolved")
	blue.mustNot(words, "still hold")
	red.call("artifact_write", arguments{"id": "log", "summary": "again", "content": arguments{"format": "text", "data": "measured again\n"}, "change": arguments{"what": "w", "why": "y"}})
	words = first(blue.call("inbox", nil))
	blue.must(words, "log@2 by RedSky")
	blue.mustNot(words, "your RS-pair@", "by now @2")
	// An answer that has it open is told.
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1, by T1 (log@2). X2 is open."}`, ""))
	red.submits(deltaBlock("ADD", "", "anomaly_register", `{"name":"Odder","observation":"three are slow","status":"active"}`, ""))
	blue.call("inbox", nil)
	blue.call("delta_submit", arguments{"session": "RS-pair", "nothing": true, "text": "RT holds"})
	red.submits(deltaBlock("EDIT", "X2", "anomaly_register", `{"status":"resolved"}`, ""))
	blue.must(first(blue.call("inbox", nil)), "still holds with what came since: X2 (status by RedSky)")
}

// C2: how announced work is ended is said with the first thing that is written meanwhile.
func TestWrite_SaysOnceHowAnnouncedWorkEnds(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("request", arguments{"session": "RS-pair", "claim": true, "title": "Time the parser on a thousand files"})
	blue.must(first(blue.call("artifact_write", analysis("one", nil))), "which you announced, goes on; if this is what came of it: task_complete ")
	blue.mustNot(first(blue.call("artifact_write", analysis("two", nil))), "which you announced")
}
