package mcpserver_test

import (
	"strings"
	"testing"
)

// D26: a name that a cited artifact has at the beginning of a line is a place in it, not
// the item of the session that is called the same.
func TestDoubt_LabelsOfWhatIsCited(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("inbox", nil)
	red.call("inbox", nil)
	red.call("artifact_write", analysis("log", arguments{"content": arguments{"format": "text", "data": "What was tried.\n\nH2 [W] the lexer reads twice\nmore of it\n"}}))
	red.submits(deltaBlock("EDIT", "H2", "hypothesis_slate", `{"claim":"the disk is slow at night"}`, ""))
	dry := func(text string) string {
		words, _ := blue.call("delta_submit", arguments{"session": "RS-pair", "dry_run": true, "text": deltaBlock("ADD", "", "anomaly_register", `{"name":"Odd","observation":"`+text+`"}`, "")})
		return words
	}
	blue.mustNot(dry("twice, as log@1 shows (H2)"), "REFERENCE_MOVED")
	red.call("artifact_write", analysis("table", arguments{"content": arguments{"format": "json", "data": `{"result":["H2: the lexer reads twice"],"supports":["H1"]}`}}))
	blue.mustNot(dry("twice, as table@1 shows (H2)"), "REFERENCE_MOVED")
	red.call("artifact_write", analysis("plain", arguments{"content": arguments{"format": "json", "data": `{"result":"the lexer reads twice","supports":["H2"]}`}}))
	// What stands in backticks is of something else, and so is a place such as H2.3.
	blue.mustNot(dry("as `H2` of the trial has it, see finding H2.3 there"), "REFERENCE_MOVED")
	blue.must(dry("twice, as plain@1 shows, unlike H2"), "REFERENCE_MOVED: H2 is named, and RedSky changed it since you read it")
}

// X11: who wrote the newer version of what it names need not be told of it; others are.
func TestDoubt_OnesOwnVersionsAreKnown(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	text := func(said string) arguments {
		return arguments{"content": arguments{"format": "text", "data": said}}
	}
	blue.call("artifact_write", analysis("log", text("twice\n")))
	blue.call("patch_apply", arguments{"ref": "log@1", "patch": `{"old_string":"twice","new_string":"thrice"}`, "summary_holds": true, "change": arguments{"what": "w", "why": "y"}})
	names := deltaBlock("ADD", "", "anomaly_register", `{"name":"Odd","observation":"it reads twice, as log@1 has it"}`, "")
	blue.mustNot(blue.submits(names), "REFERENCE_MOVED")
	blue.mustNot(first(blue.call("artifact_write", analysis("other", text("as log@1 has it")))), "REFERENCE_MOVED")
	red.must(red.submits(names), "REFERENCE_MOVED: log@1 is named, and log is at version 2 by now")
}

// D26: who says itself that what it names is dead need not hear it, nor who kills what
// rested on it; else all that name it are said, with the first.
func TestDoubt_TheDead(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("inbox", nil)
	red.submits(deltaBlock("KILL", "H2", "hypothesis_slate", `{"reason":"measured"}`, ""))
	odd := func(name, text, conflicts string) string {
		return deltaBlock("ADD", "", "anomaly_register", `{"name":"`+name+`","observation":"`+text+`","conflicts_with":[`+conflicts+`]}`, `,"provisional_id":"X-`+name+`"`)
	}
	dry := func(text string) string {
		words, _ := blue.call("delta_submit", arguments{"session": "RS-pair", "dry_run": true, "text": text})
		return words
	}
	blue.mustNot(dry(odd("A", "since H2 is killed, H1 stands alone", "")), "KILLED_REFERENCE")
	blue.mustNot(dry(odd("A", "RedSky killed H2", "")), "KILLED_REFERENCE")
	blue.must(dry(odd("A", "seen. The old one is killed. As H2 says", "")), "KILLED_REFERENCE: H2 is named, and RedSky has killed it")
	words := dry(odd("A", "seen", `"H2"`) + odd("B", "seen too", `"H1"`) + odd("C", "seen again", `"H2"`))
	blue.must(words, "KILLED_REFERENCE: H2 is named, and RedSky has killed it; likewise in X-C\n")
	if n := strings.Count(words, "KILLED_REFERENCE"); n != 1 {
		t.Errorf("said %d times:\n%s", n, words)
	}
	blue.mustNot(dry(odd("A", "seen with H1-H2, as with H1 to H2", "")), "KILLED_REFERENCE")
	blue.must(dry(odd("A", "seen with H1, and H2", "")), "KILLED_REFERENCE")
	blue.submits(odd("A", "seen", `"H1"`) + deltaBlock("ADD", "", "discriminative_tests", `{"name":"Cold","procedure":"p","discriminates":"d","expected_outcomes":{"H1":"slow"}}`, ""))
	blue.mustNot(dry(deltaBlock("EDIT", "T1", "discriminative_tests", `{"actual_outcomes":{"H1":"slow, as H2 said"},"status":"passed","last_run":"2020-03-14T15:00:00Z"}`, "")), "KILLED_REFERENCE")
	blue.mustNot(dry(deltaBlock("KILL", "X1", "anomaly_register", `{"reason":"it rested on H2"}`, "")), "KILLED_REFERENCE")
	blue.mustNot(dry(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Too early","attack":"H2 was never measured in the cold"}`, "")), "KILLED_REFERENCE")
}

// D26: who kills an item hears which of its own claims still name it, but for those that the
// same reply changes; what was foretold of it is a record.
func TestDoubt_WhatStillNamesWhatIsKilled(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.submits(deltaBlock("ADD", "", "predictions_table", `{"condition":"cold","predictions":{"H1":"slow","H2":"fast"}}`, "") +
		deltaBlock("ADD", "", "discriminative_tests", `{"name":"Cold","procedure":"p","discriminates":"H1 from H2","expected_outcomes":{"H1":"slow","H2":"fast"}}`, "") +
		deltaBlock("ADD", "", "anomaly_register", `{"name":"Odd","observation":"not as H1 has it","conflicts_with":["H1"]}`, ""))
	dry := func(text string) string {
		words, _ := blue.call("delta_submit", arguments{"session": "RS-pair", "dry_run": true, "text": text})
		return words
	}
	kill := deltaBlock("KILL", "H1", "hypothesis_slate", `{"reason":"measured"}`, "")
	blue.mustNot(dry(kill), "KILLED_REFERENCE")
	blue.submits(assumption("Sluice", "the sluice is open, as H1 says"))
	blue.must(dry(kill), "KILLED_REFERENCE: what you claim still names H1: A1", "EDIT or KILL A1 if it does not hold without")
	blue.mustNot(dry(kill+deltaBlock("KILL", "A1", "assumption_ledger", `{"reason":"it rested on H1"}`, "")), "KILLED_REFERENCE")
	blue.mustNot(dry(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"another"}`, "")), "KILLED_REFERENCE")
}

// D26: who kills an item hears of the tests of it that others put up since it read the document.
func TestDoubt_TestsPutUpUnseen(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	test := deltaBlock("ADD", "", "discriminative_tests", `{"name":"Cold","procedure":"p","discriminates":"H1 from H2","expected_outcomes":{"H1":"slow","H2":"fast"}}`, "")
	blue.call("inbox", nil)
	red.submits(test)
	dry := func(p *player) string {
		return first(p.call("delta_submit", arguments{"session": "RS-pair", "dry_run": true, "text": deltaBlock("KILL", "H1", "hypothesis_slate", `{"reason":"too slow"}`, "")}))
	}
	blue.must(dry(blue), "REFERENCE_MOVED: H1 is to be tried by what others have put up since you read it: T1")
	red.mustNot(dry(red), "to be tried") // it is its own
	blue.call("inbox", nil)
	blue.mustNot(dry(blue), "to be tried") // it has read it
}

// D26: who has said what the answer is, is asked again when others change what it names,
// and not for whatever else they change.
func TestConclude_AsksAgainWhatConcernsTheAnswer(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"context":"H1, as measured."}`, ""))
	again := func(change string) string {
		red.submits(change)
		words, _ := blue.call("inbox", nil)
		return words
	}
	blue.mustNot(again(deltaBlock("EDIT", "H2", "hypothesis_slate", `{"claim":"the weir leaks"}`, "")), "does it still hold")
	blue.mustNot(again(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"the sluice, put otherwise"}`, "")), "does it still hold")
	blue.must(again(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"claim":"the sluice leaks"}`, "")), "`RT` rests on H1, changed by this: does it still hold?")
	blue.mustNot(again(deltaBlock("ADD", "", "anomaly_register", `{"name":"Odd","observation":"the log is short"}`, "")), "does it still hold")
	blue.mustNot(again(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"the sluice, slowly"}`, "")), "does it still hold")
}

// D26: names in prose may be of another project, and are not doubted; a slip, a link, and
// what stands alone is, unless the text quotes it elsewhere.
func TestDoubt_NamesOfOtherProjects(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	red.call("artifact_write", analysis("weir-log", nil))
	red.call("artifact_write", analysis("sluice", nil))
	write := func(text string) string {
		return first(blue.call("delta_submit", arguments{
			"session": "RS-pair", "dry_run": true,
			"text": deltaBlock("ADD", "", "anomaly_register", `{"name":"Odd","observation":"`+text+`","anchors":["gone@1"]}`, ""),
		}))
	}
	words := write(`s1@1 is canonical, 's1@2 draft of it', and rr@1 too`)
	blue.must(words, "not an artifact here: gone@1\n")
	blue.must(write(`it said 'nothing at all', see sluise@1`), "not an artifact here", "sluise@1")
	blue.must(write(`it said 'nothing at all', see weir-logs@1`), "weir-logs@1")
	blue.must(write(`no more was said, see [[nowhere@1]]`), "nowhere@1")
	blue.must(write(`no more was said:\nnowhere@1`), "nowhere@1")
	blue.mustNot(write(`in a scratch project RS-x@2 was at nowhere@1`), "nowhere@1", "RS-x@2")
}
