package mcpserver_test

import (
	"strings"
	"testing"
)

// C34: what is cut out of an answer does not count as given: of a session that has
// moved the call is named that shows how, and of a long change the one that shows all
// of it.
func TestMoved_WhatIsCutIsNotGiven(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("inbox", nil)
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Net", "", "the net is slow "+strings.Repeat("and slow ", 150))})
	red.call("artifact_write", analysis("theirs", nil))
	red.call("artifact_write", arguments{
		"id": "theirs", "summary_holds": true, "change": arguments{"what": "all of it", "why": "measured again"},
		"content": arguments{"format": "text", "data": strings.Repeat("a line that is new\n", 200) + "the end of it\n"},
	})
	words, _ := blue.call("artifact_write", analysis("mine", arguments{"content": arguments{"format": "text", "data": "See RS-pair@2 and theirs@1.\n"}}))
	blue.must(words, `what changed after RS-pair@2: session_show {"session":"RS-pair","since":2}`, "a line that is new", `bytes more; all of it: artifact_get {"ref":"theirs@2","since":1,"again":true}]`)
	blue.mustNot(words, "the end of it")
	blue.must(first(blue.call("artifact_get", arguments{"ref": "theirs@2", "since": 1, "again": true})), "the end of it")
	blue.must(words, "the net is slow and slow") // by what is new meanwhile
}

// C34: of several compiles that somebody is told of at once the last says what to do,
// and shows what changed since the first.
func TestInbox_SaysOnceWhatSeveralCompilesAsk(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("inbox", nil)
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("EDIT", "RT", "research_thread", `{"context":"It is H2."}`, "")})
	for _, claim := range []string{"the disk is old", "the disk is full"} {
		red.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("EDIT", "H2", "hypothesis_slate", `{"claim":"`+claim+`"}`, "")})
		red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Also", "", claim+" as well")})
	}
	words, _ := blue.call("inbox", nil)
	blue.mustNot(words, "Read what changed", "If you have more to say") // it stands there, and how was said in the beginning
	blue.must(words, "the disk is full", "the disk is old as well", "the disk is full as well")
	if n := strings.Count(words, "RS-pair is at version"); n < 2 {
		t.Errorf("%d compiles are told of:\n%s", n, words)
	}
}

// C34: one answer shows what changed in an artifact once, whatever names it, and no answer
// shows it again; what was measured on, and what an item named before, is not doubted.
func TestMoved_IsShownOnce(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("inbox", nil)
	text := func(said string) arguments {
		return arguments{"content": arguments{"format": "text", "data": said}}
	}
	rewrite := func(said string) {
		red.call("artifact_write", arguments{"id": "rule", "summary_holds": true, "change": arguments{"what": "more", "why": "measured"}, "content": arguments{"format": "text", "data": said}})
	}
	red.call("artifact_write", analysis("rule", text("one\n")))
	rewrite("one\ntwo\n")
	rewrite("one\ntwo\nthree\n")
	odd := func(text string) string {
		return deltaBlock("ADD", "", "anomaly_register", `{"name":"Odd","observation":"`+text+`"}`, "")
	}
	both := analysis("mine", text("on rule@1 and rule@2\n"))
	both["session"], both["deltas"] = "RS-pair", odd("rule@1 leaks")
	words := first(blue.call("artifact_write", both))
	blue.must(words, "REFERENCE_MOVED: rule@2 is named, and rule is at version 3 by now", "what rule@3 changed after rule@1 (data):", "+two\n+three\n")
	if n := strings.Count(words, "+three"); n != 1 {
		t.Errorf("shown %d times:\n%s", n, words)
	}
	blue.mustNot(words, "REFERENCE_MOVED: rule@1 is named, and rule is at version 3 by now (rule@1)")

	again := blue.submits(odd("rule@2 leaks as well"))
	blue.must(again, "REFERENCE_MOVED: rule@2", "given to you before: rule@3\n")
	blue.mustNot(again, "+three")

	rewrite("one\ntwo\nthree\nfour\n")
	words = blue.submits(odd("so does rule@3, where rule@1 did"))
	blue.must(words, "what rule@4 changed after rule@3 (data):", "+four")
	blue.mustNot(words, "+three\n", "REFERENCE_MOVED: rule@1")
	blue.mustNot(blue.submits(odd("rule@4 holds, rule@3 did not")), "REFERENCE_MOVED")
	blue.mustNot(blue.submits(deltaBlock("EDIT", "X2", "anomaly_register", `{"observation":"rule@2 leaks a little"}`, "")), "REFERENCE_MOVED")
	blue.mustNot(blue.submits(deltaBlock("ADD", "", "predictions_table", `{"condition":"cold","predictions":{"H1":"slow"},"observed":"slow on rule@2"}`, "")), "REFERENCE_MOVED")
}
