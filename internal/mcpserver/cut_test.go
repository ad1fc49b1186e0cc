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
	blue.must(words, `what changed after RS-pair@2: session_show {"session":"RS-pair","since":2}`, "a line that is new", `more lines; all of it: artifact_get {"ref":"theirs@2","since":1,"again":true}]`)
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
