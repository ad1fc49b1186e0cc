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
	blue.must(first(blue.call("inbox", nil)), "does it still hold?", `whether the answer still holds, as above; if it does: delta_submit {"nothing":true,"session":"RS-pair","text":"RT holds"}`)
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
