package mcpserver_test

import (
	"testing"

	"brenner/api"
)

// X11, D27: everybody sees which tests are planned, who runs one and which was run with which
// result; who would run one that another runs or has run is told at once, whichever way it says so.
func TestTests_WhoRunsOneIsSeen(t *testing.T) {
	w, blue, red := pair(t)
	w.waited = true // since when somebody is at an item is said by the clock of the server
	both(blue, red)
	blue.told(api.MessageCompiled)
	test := func(name string) string {
		return deltaBlock("ADD", "", "discriminative_tests", `{"name":"`+name+`","procedure":"`+name+`","discriminates":"H1 from H2","expected_outcomes":{"H1":"slow","H2":"fast"}}`, "")
	}
	edit := func(id, payload string) string {
		return deltaBlock("EDIT", id, "discriminative_tests", payload, "")
	}
	show := func(p *player) string {
		return first(p.call("session_show", arguments{"session": "RS-pair", "brief": true, "again": true}))
	}
	blue.submits(test("Warm") + test("Cold files") + test("Net off") + test("Dropped"))
	red.must(show(red), "tests: planned T1, T2, T3, T4\n")
	// By a word in the status, seen at once.
	blue.submits(edit("T1", `{"status":"running on the large machine"}`) + edit("T4", `{"status":"dropped"}`))
	red.must(show(red), "tests: planned T2, T3; running T1 (BlueLake since 15:09 UTC)\n")
	red.must(red.submits(edit("T1", `{"actual_outcomes":{"H1":"57 ms"},"last_run":{"how":"go test","result":"warm-log@1"}}`)), "warning TASK_TAKEN: BlueLake runs T1 since 15:09 UTC; settle who does it before both do")
	// With a result.
	said := blue.submits(edit("T1", `{"actual_outcomes":{"H2":"5 ms"},"feasibility":"easy"}`))
	blue.must(said, "warning ALREADY_EXISTS: T1 was run by RedSky: warm-log@1; a second run should say what it adds")
	blue.must(show(blue), "run T1 (RedSky: warm-log@1, BlueLake)\n")
	blue.mustNot(blue.submits(edit("T1", `{"potency_check":"drop the cache"}`)), "ALREADY_EXISTS", "TASK_TAKEN")
	// By announced work.
	red.call("request", arguments{"session": "RS-pair", "title": "Measuring T2 on 64 MB", "claim": true})
	blue.must(show(blue), "planned T3; running T2 (RedSky since 15:09 UTC); run T1 (")
	blue.submits(edit("T3", `{"status":"running"}`))
	red.must(first(red.call("request", arguments{"session": "RS-pair", "title": "Running T3 and T1", "claim": true})),
		"already run T1 (BlueLake); settle who does it before both do\n", "already running T3 (BlueLake since 15:09 UTC); settle who does it before both do\n")
	// By what was written of it.
	red.must(first(red.call("artifact_write", analysis("net", arguments{"summary": "T3: the net takes 2 ms", "session": "RS-pair"}))), "already running T3 (BlueLake since 15:09 UTC)")
	blue.call("inbox", nil)
	words := first(blue.call("inbox", nil))
	blue.must(words, "tests, what is new of them: running T3 (BlueLake since 15:09 UTC, RedSky since 15:09 UTC)\n")
	blue.mustNot(words, "T2, planned by you") // somebody runs it
	blue.mustNot(first(blue.call("inbox", nil)), "tests:")
}

// X11: of tests that were dropped no line is left.
func TestTests_OfTheDroppedNothingIsSaid(t *testing.T) {
	_, blue, red := pair(t)
	both(blue, red)
	blue.submits(deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"p","discriminates":"H1 from H2","expected_outcomes":{"H1":"slow"},"status":"dropped"}`, ""))
	red.mustNot(first(red.call("session_show", arguments{"session": "RS-pair", "brief": true})), "tests:")
}

// X11: a test that a critique asks for is among the tests; whoever takes it announces work on
// the critique, which everybody sees and who would take it too is told; it goes when somebody
// puts it up.
func TestTests_ACritiqueAsksForOne(t *testing.T) {
	w, blue, red := pair(t)
	w.waited = true
	both(blue, red)
	red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"H1 is circular","proposed_test":"start it without the cache"}`, ""))
	show := func(p *player) string {
		return first(p.call("session_show", arguments{"session": "RS-pair", "brief": true, "again": true}))
	}
	blue.must(show(blue), "tests: critique C1 proposes one that nobody has taken up\n")
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "items": []string{"C1"}, "again": true})), "Proposed test: start it without the cache\n")
	blue.call("request", arguments{"session": "RS-pair", "claim": true, "items": []string{"C1"}, "title": "Without the cache"})
	red.must(show(red), "tests: running C1 (BlueLake since 15:09 UTC)\n")
	red.must(first(red.call("request", arguments{"session": "RS-pair", "claim": true, "items": []string{"C1"}, "title": "No cache"})), "C1: BlueLake is at this", "settle who does it before both do\n")
	blue.submits(deltaBlock("ADD", "", "discriminative_tests", `{"name":"No cache","procedure":"as C1 asks","discriminates":"H1 from H2","expected_outcomes":{"H1":"slow","H2":"fast"},"status":"run"}`, ""))
	red.must(show(red), "tests: run T1 (BlueLake)\n")
}
