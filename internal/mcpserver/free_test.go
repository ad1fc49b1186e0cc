package mcpserver_test

import (
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/roster"
)

// separated is a session in which three divide the work by their roles, and in which the first
// has said the answer.
func separated(t *testing.T) (s *stage, blue, red, green *player) {
	t.Helper()
	s = newStage(t)
	s.do(s.pi.AddAgent(t.Context(), api.AddAgentRequest{Name: "RedSky", Role: roster.TestDesigner, Update: true}))
	team := roster.Roster{Mode: roster.RoleSeparated, Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "RedSky", Role: roster.TestDesigner}, {AgentName: "GreenValley", Role: roster.AdversarialCritic},
	}}
	s.do(s.pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-pair", Question: "Why?", Module: "lineage", Roster: team, Compile: api.CompileAnswered}))
	var all []*player
	for _, name := range []brenner.ActorName{"BlueLake", "RedSky", "GreenValley"} {
		all = append(all, &player{t: t, name: name, session: s.session(name)})
	}
	blue, red, green = all[0], all[1], all[2]
	red.must(red.told(api.MessageKickoff), "Words of it that are wrong replace yourself: an EDIT of `RT` with `answer` alone, in parts, 400 characters of it at most", "all of it if BlueLake has done nothing for 4 minutes.")
	green.told(api.MessageKickoff)
	blue.mustNot(blue.told(api.MessageKickoff), "that are wrong replace yourself")
	blue.submits(hypothesis("Parser", "", "the parser is slow") + "\n" + deltaBlock("EDIT", "RT", "research_thread", `{"answer":"The parser: H1."}`, ""))
	red.submits(deltaBlock("ADD", "", "assumption_ledger", `{"name":"Quiet","statement":"Nothing else runs"}`, ""))
	green.submits(deltaBlock("ADD", "", "anomaly_register", `{"name":"Odd","observation":"one run of ten is fast"}`, ""))
	for _, p := range all {
		p.call("inbox", nil)
	}
	return s, blue, red, green
}

const says = `{"answer":"The parser, in nine runs of ten: H1."}`

// ADR 217: any who takes part may replace words of the answer that are wrong; whoever says it is
// asked whether it holds with that, and who signed it before is not asked again.
func TestAnswer_IsCorrectedByWhoTakesPart(t *testing.T) {
	_, blue, red, green := separated(t)
	signed := func(want string) {
		t.Helper()
		green.must(first(green.call("session_show", arguments{"session": "RS-pair", "again": true})), "the answer of RS-pair, by BlueLake, as it stands is signed by "+want+"\n")
	}
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"The parser: H1. It reads each file twice, as ten runs over the logs of May show, and nothing else in them is slow."}`, ""))
	green.call("inbox", nil)
	red.call("inbox", nil)
	holds := arguments{"session": "RS-pair", "nothing": true, "text": "RT holds"}
	green.call("delta_submit", holds)
	red.must(red.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":{"old":"as ten runs","new":"as nine of ten runs"}}`, "")), "EDIT research_thread RT: applied", "now says (data): The parser: H1. It reads each file twice, as nine of ten runs")
	blue.must(first(blue.call("inbox", nil)), "as nine of ten runs", "left for you in RS-pair: whether the answer still holds with what came since: RT (answer by RedSky)")
	blue.must(first(blue.call("status", nil)), "left for you in RS-pair: whether the answer still holds with what came since: RT (answer by RedSky)")
	green.mustNot(first(green.call("inbox", nil)), "sign it: delta_submit")
	signed("GreenValley (before its last correction, which is enough), not by RedSky") // who corrects it has not said that it holds
	blue.call("delta_submit", holds)
	red.call("delta_submit", holds)
	signed("RedSky, GreenValley (before its last correction, which is enough)")
	words := first(blue.call("inbox", nil))
	blue.mustNot(words, "still holds with", "is not signed by")
	red.call("delta_submit", arguments{"session": "RS-pair", "nothing": true, "text": "I take my signature back: it was eight"})
	signed("GreenValley (before its last correction, which is enough), not by RedSky")
	red.must(red.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":{"old":"as nine of ten runs","new":"as eight of ten runs"}}`, "")+"\nRT holds\n"), "you stand behind the answer (RT) as it stands")
	signed("RedSky, GreenValley (before its last correction, which is enough)")
	long := strings.Repeat("The parser, in nine runs of ten: H1. ", 12)
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"`+long+`"}`, ""))
	red.call("inbox", nil)
	red.must(red.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":{"old":"`+strings.TrimSpace(long)+`","new":"H1."}}`, "")), "WRITE_DENIED", "others replace at most 400 characters of it at once, in parts")
	red.must(red.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":{"old":"H1. The","new":"H1. A"},"context":"ten"}`, "")), "WRITE_DENIED")
}

// ADR 199, 217: who would sign words that it was not shown has said nothing of them, and is asked
// still; who signed earlier words may sign these; and who says the answer reads what others wrote.
func TestAnswer_WhatWasNotShownIsNotSigned(t *testing.T) {
	_, blue, red, green := separated(t)
	holds := arguments{"session": "RS-pair", "nothing": true, "text": "RT holds"}
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"The parser: H1. It reads each file twice, as ten runs over the logs of May show, and nothing else in them is slow."}`, ""))
	green.call("inbox", nil)
	green.call("delta_submit", holds)
	red.call("inbox", nil)
	red.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":{"old":"as ten runs","new":"as nine of ten runs"}}`, ""))
	blue.must(first(blue.call("delta_submit", holds)), "not signed: the answer (RT) was changed since you were shown it", "as nine of ten runs", "whether the answer still holds with what came since: RT (answer by RedSky)")
	blue.must(first(blue.call("inbox", nil)), "whether the answer still holds with what came since: RT (answer by RedSky)")
	blue.must(first(blue.call("delta_submit", holds)), "you stand behind the answer (RT) as it stands")
	green.call("inbox", nil)
	green.must(first(green.call("inbox", nil)), "You signed it before it was last corrected, and need not again; if these words should have it too: delta_submit {")
	green.must(first(green.call("delta_submit", holds)), "you stand behind the answer (RT) as it stands")
	green.call("artifact_write", analysis("runs", nil))
	blue.call("inbox", nil)
	blue.must(first(blue.call("inbox", nil)), `left for you in RS-pair: whether the answer holds with what others wrote and you have not read: 1 (runs@1): artifact_get {"ref":"runs@1"}`)
	blue.call("artifact_get", arguments{"ref": "runs@1"})
	blue.mustNot(first(blue.call("inbox", nil)), "left for you")
}

// ADR 216: whoever says the answer says it; when it has done nothing for a while, any who takes
// part may, with the answer alone, and not over words that it has not seen.
func TestAnswer_IsForOthersWhenItsAuthorIsAway(t *testing.T) {
	s, blue, red, green := separated(t)
	amend := deltaBlock("EDIT", "RT", "research_thread", says, "")
	red.must(red.submits(amend), "WRITE_DENIED", "BlueLake says the answer; others replace at most 400 characters of it at once, in parts", "once BlueLake has done nothing for 4 minutes, who takes part may say all of it")
	green.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Too sure","attack":"one run of ten is fast","targets":["RT"]}`, ""))
	red.must(first(red.call("inbox", nil)), "left for others: the answer to C1. Wait for it: inbox {\"wait\":60}; or stop, if your part is done")
	red.must(first(red.call("inbox", nil)), "still left for others: the answer to C1. Wait, or stop if your part is done")

	green.must(first(green.call("session_show", arguments{"session": "RS-pair", "items": []any{"RT"}})), "signed by nobody yet; open against it: C1")

	s.pass(roster.Patience)
	free := "BlueLake, who says the answer, has done nothing for a while: if you know what it should say, EDIT `RT` with `answer` alone"
	red.must(first(red.call("inbox", arguments{"wait": 1})), free)
	red.must(red.submits(deltaBlock("EDIT", "RT", "research_thread", `{"statement":"Why, and when?"}`, "")), "WRITE_DENIED")
	red.must(red.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1, in nine runs of ten.","context":"ten runs"}`, "")), "WRITE_DENIED")
	words := red.submits(amend) // refused before, word for word
	red.must(words, "EDIT research_thread RT: applied", "whether C1 is settled by your answer. Wait for it")
	red.mustNot(words, "done nothing for a while")
	green.must(first(green.call("session_show", arguments{"session": "RS-pair", "items": []any{"RT"}})), "The parser, in nine runs of ten: H1.", "signed by nobody yet")
	blue.must(first(blue.call("inbox", nil)), "The parser, in nine runs of ten: H1.", "RedSky")
	// It is there again, and the answer is its own to say.
	red.must(red.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1, mostly."}`, "")), "WRITE_DENIED")
	blue.must(blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":{"old":"nine","new":"most"}}`, "")), "EDIT research_thread RT: applied")
}

// ADR 216: who has said that it is at work is not offered to others as gone, while that stands;
// the answer may be written all the same.
func TestAnswer_IsNotOfferedWhileItsAuthorIsAtWork(t *testing.T) {
	const free = "BlueLake, who says the answer, has done nothing for a while"
	for tool, says := range inOrder(map[string]arguments{
		"inbox":   {"doing": "I time ten runs, with what C1 says"},
		"request": {"session": "RS-pair", "claim": true, "title": "I time ten runs, with what C1 says"},
	}) {
		t.Run(tool, func(t *testing.T) {
			s, blue, red, green := separated(t)
			green.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Too sure","attack":"one run of ten is fast","targets":["RT"]}`, ""))
			blue.call(tool, says)
			s.pass(roster.Patience)
			red.mustNot(first(red.call("inbox", arguments{"wait": 1})), free)
			red.must(red.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"The parser, in nine runs of ten: H1."}`, "")), "EDIT research_thread RT: applied")

			s, blue, red, green = separated(t)
			green.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Too sure","attack":"one run of ten is fast","targets":["RT"]}`, ""))
			blue.call(tool, says)
			s.pass(time.Hour) // what it said has run out
			red.must(first(red.call("inbox", arguments{"wait": 1})), free)
		})
	}
}

// ADR 216: a request about the thread is for who wrote the answer, not for who put the question.
func TestRequest_AboutTheAnswerIsForItsAuthor(t *testing.T) {
	_, blue, red, _ := separated(t)
	red.must(first(red.call("request", arguments{"session": "RS-pair", "items": []any{"RT"}, "title": "Say how often", "spec": "say in which runs"})), "open for a hypothesis_generator")
	blue.must(first(blue.call("inbox", nil)), "Say how often")
}

// ADR 199: a signature is taken back by who gave it, and given again.
func TestSign_IsTakenBack(t *testing.T) {
	_, _, red, green := separated(t)
	sign := func(p *player, text string) string {
		return first(p.call("delta_submit", arguments{"session": "RS-pair", "nothing": true, "text": text}))
	}
	signed := func() string {
		return first(green.call("session_show", arguments{"session": "RS-pair", "items": []any{"RT"}, "again": true}))
	}
	sign(red, "RT holds")
	green.must(signed(), "as it stands is signed by RedSky, not by GreenValley")
	green.mustNot(signed(), "open against it")
	red.must(sign(red, "I take my signature of 12:05 back: one run is fast"), "you stand behind the answer (RT) no longer")
	green.must(signed(), "signed by nobody yet")
	red.must(sign(red, "RT holds"), "you stand behind the answer (RT) as it stands")
	green.must(signed(), "signed by RedSky, not by GreenValley")
	red.must(sign(red, "RT does not hold."), "no longer")
	green.must(signed(), "signed by nobody yet")
}

// ADR 216: who waits is told which tests may still come, who says the answer what it has not
// read, and a note says of which version of the document it is.
func TestInbox_SaysWhatMayStillCome(t *testing.T) {
	_, blue, red, green := separated(t)
	red.submits(deltaBlock("ADD", "", "discriminative_tests", `{"name":"Runs","procedure":"run it ten times","discriminates":"H1 from none","expected_outcomes":{"H1":"all slow"},"potency_check":"an empty parser is fast"}`, ""))
	blue.must(first(blue.call("inbox", nil)), "left for others: T1, which RedSky has put up, to run or to drop")
	blue.must(first(blue.call("inbox", nil)), "still left for others: T1, which RedSky has put up, to run or to drop. Wait, or stop if your part is done", "here: RedSky (has T1 to run)")
	red.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"status":"running"}`, ""))
	blue.call("inbox", nil)
	blue.must(first(blue.call("inbox", nil)), "here: RedSky (runs T1)")
	red.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"status":"planned"}`, ""))
	blue.call("inbox", nil)
	green.call("artifact_write", analysis("runs", nil))
	blue.call("inbox", nil)
	blue.must(first(blue.call("inbox", nil)), "written by others and not read by you (what the answer says of it is yours to read there first): 1 (runs@1): artifact_get")
	red.call("inbox", nil)
	red.mustNot(first(red.call("inbox", nil)), "not read by you") // it has a test to run first
	red.call("request", arguments{"session": "RS-pair", "items": []any{"RT"}, "note": true, "title": "in nine runs of ten"})
	blue.must(first(blue.call("inbox", nil)), "RedSky leaves a note on RT of RS-pair@5. Nothing is asked of you")
}

// ADR 216: who has left a note on the answer since it was written is not asked to sign it as if
// nothing were open, and is again when it was changed.
func TestSign_WaitsForWhatBecomesOfANote(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1."}`, ""))
	red.call("inbox", nil)
	red.call("request", arguments{"session": "RS-pair", "items": []any{"RT"}, "note": true, "title": "in nine runs of ten"})
	const sign = `sign it: delta_submit`
	words := first(red.call("session_show", arguments{"session": "RS-pair", "brief": true}))
	red.mustNot(words, sign)
	blue.call("inbox", nil)
	blue.submits(deltaBlock("EDIT", "H2", "hypothesis_slate", `{"mechanism":"as measured"}`, ""))
	red.must(first(red.call("inbox", nil)), "Your note on `RT` is newer than the answer: wait for what becomes of it, or sign all the same: delta_submit")
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1, in nine runs of ten."}`, ""))
	red.must(first(red.call("inbox", nil)), sign)
}
