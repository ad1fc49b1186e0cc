package mcpserver_test

import (
	"testing"
)

// ADR 159: an answer in its own field concludes a session, part of it can be replaced, and
// what came out of a prediction stands with it; a test that was run and names one asks for it.
func TestSession_AnswerAndObserved(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "", "the parser is slow") + hypothesis("Disk", "", "the disk is slow") +
		deltaBlock("ADD", "", "predictions_table", `{"condition":"a warm start","predictions":{"H1":"as slow","H2":"faster"}}`, ""))
	red.submits(deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"Start twice, as in P1","discriminates":"H1 from H2","expected_outcomes":{"H1":"slow","H2":"fast"}}`, ""))
	ran := func(also string) string {
		return red.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"status":"run","actual_outcomes":{"H1":"slow"}}`, "") + also)
	}
	red.must(ran(""), "NO_RESULT: nothing says what was observed of P1, which the test names; EDIT P1 with observed: what came out")
	observed := deltaBlock("EDIT", "P1", "predictions_table", `{"observed":"as slow as before"}`, "")
	red.mustNot(ran(observed), "NO_RESULT", "UNKNOWN_FIELD")
	red.mustNot(ran(""), "NO_RESULT")
	show := func(p *player, more arguments) string {
		more["session"] = "RS-pair"
		return first(p.call("session_show", more))
	}
	blue.must(show(blue, arguments{"again": true}), "no conclusion yet: BlueLake has not said in RT (answer) what the answer is", "Observed: as slow as before\n")

	words := blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"The disk, by T1.","context":"Two machines."}`, ""))
	blue.mustNot(words, "UNKNOWN_FIELD")
	blue.must(blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":{"old":"The disk","new":"The parser"}}`, "")), "RT: applied")
	words = show(red, arguments{"items": []any{"RT"}, "again": true})
	red.must(words, "Answer: The parser, by T1.\nStatement: Why?\n", "Context: Two machines.\n")
	red.mustNot(show(red, arguments{"again": true}), "no conclusion yet")
	red.must(show(red, arguments{"brief": true}), "Conclusion, by BlueLake: The parser, by T1.\n")

	red.submits(deltaBlock("KILL", "H2", "hypothesis_slate", `{"reason":"T1"}`, ""))
	blue.must(show(blue, arguments{"items": []any{"P1"}, "again": true}), "H2 = N/A (foretold: faster)")
}

// D4: what items are about is shown by their ids, whatever the reply called them that put
// them up, and words of it can be replaced as they are shown or as they were sent.
func TestSession_ShowsIDsForNames(t *testing.T) {
	_, blue, red := pair(t)
	blue.submits(hypothesis("Parser", "H-PARSER", "the parser is slow") + hypothesis("Disk", "H-DISK", "the disk is slow") +
		deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"p","discriminates":"H-PARSER from H-DISK, off-line","expected_outcomes":{"H-PARSER":"slow"}}`, ""))
	red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"it is circular","targets":["BlueLake:H-PARSER"]}`, ""))
	show := func(id string) string {
		return first(red.call("session_show", arguments{"session": "RS-pair", "items": []any{id}, "again": true}))
	}
	red.must(show("T1"), "Discriminates: H1 from H2, off-line\n")
	red.must(show("C1"), "Targets: H1\n")
	blue.must(blue.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"discriminates":{"old":"from H-DISK","new":"and H-DISK"}}`, "")), "T1: applied")
	blue.must(blue.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"discriminates":{"old":"H1 and H2","new":"H1, H2"}}`, "")), "T1: applied")
	red.must(show("T1"), "Discriminates: H1, H2, off-line\n")
}

// ADR 159: who says what came out of several predictions is told of all at once, and how one
// reply says it of each.
func TestSubmit_ObservedOfSeveral(t *testing.T) {
	_, blue, red := pair(t)
	row := func(condition string) string {
		return deltaBlock("ADD", "", "predictions_table", `{"condition":"`+condition+`","predictions":{"H1":"slow"}}`, "")
	}
	blue.submits(hypothesis("Parser", "", "the parser is slow") + row("warm") + row("cold"))
	red.submits(deltaBlock("ADD", "", "discriminative_tests", `{"name":"Start","procedure":"Start twice, as in P1 and P2","discriminates":"H1","expected_outcomes":{"H1":"slow"}}`, ""))
	words := red.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"actual_outcomes":{"H1":"slow"}}`, ""))
	red.must(words, "nothing says what was observed of P1, P2, which the test names; EDIT each with observed: what came out; one block takes them as a list\n")
	both := deltaBlock("EDIT", "P1, P2", "predictions_table", `{"observed":"57 ms"}`, "")
	red.must(first(red.call("delta_submit", arguments{"session": "RS-pair", "text": both, "dry_run": true})),
		`"P1, P2" are several items, and a delta changes one`, `a block takes them as a list: [{…, "target_id": "P1"}, {…, "target_id": "P2"}]`)
	one := func(id string) string {
		return `{"operation":"EDIT","section":"predictions_table","target_id":"` + id + `","payload":{"observed":"57 ms"},"rationale":"r"}`
	}
	red.must(red.submits("```delta\n["+one("P1")+","+one("P2")+"]\n```\n"), "applied: EDIT P1, P2\n")
}
