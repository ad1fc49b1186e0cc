package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/roster"
)

// C34: of an item that was shown as it was proposed, and that took more till it was
// compiled, only that is sent; who was never shown it gets it whole. What changes in a row
// because a hypothesis was killed is no news.
func TestNews_AreWhatCameToAnItemSinceItWasProposed(t *testing.T) {
	s, blue, red := pair(t)
	both(blue, red)
	blue.told(api.MessageCompiled)
	red.told(api.MessageCompiled)
	nudge := func() {
		s.do(s.pi.NudgeSession(t.Context(), api.NudgeSessionRequest{ID: "RS-pair", To: []brenner.ActorName{"BlueLake", "RedSky"}}))
		blue.call("inbox", nil)
		red.call("inbox", nil)
	}
	nudge()
	blue.submits(deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"read it twice, in one process","discriminates":"H1 from H2","expected_outcomes":{"H1":"slow twice","H2":"fast the second time"}}`, "") +
		deltaBlock("ADD", "", "predictions_table", `{"condition":"a warm cache","predictions":{"H1":"as slow","H2":"faster"}}`, ""))
	red.must(first(red.call("inbox", nil)), "read it twice, in one process", "a warm cache")
	blue.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"status":"run","actual_outcomes":{"H1":"57 ms both times"}}`, "") +
		deltaBlock("EDIT", "P1", "predictions_table", `{"observed":"57 ms both times"}`, ""))
	words := red.submits(hypothesis("Net", "", "the net is slow"))
	words += first(red.call("inbox", nil))
	red.must(words, "### T1: Warm · changed by BlueLake\n", "Actual outcomes: H1 = 57 ms both times\n", "Observed: 57 ms both times\n")
	red.mustNot(words, "read it twice", "slow twice", "H2 = faster")
	green := &player{t: t, name: "RedSky", session: s.session("RedSky")}
	green.must(first(green.call("session_show", arguments{"session": "RS-pair", "items": []any{"T1"}, "again": true})), "read it twice", "57 ms both times")

	blue.call("inbox", nil)
	nudge()
	blue.submits(deltaBlock("KILL", "H2", "hypothesis_slate", `{"reason":"T1 shows no disk"}`, "") +
		deltaBlock("EDIT", "P1", "predictions_table", `{"observed":"57 ms both times, and 58 ms cold"}`, ""))
	words = red.submits(deltaBlock("EDIT", "H3", "hypothesis_slate", `{"mechanism":"it drops packets"}`, "")+
		deltaBlock("KILL", "H1", "hypothesis_slate", `{"reason":"it is the net"}`, "")) + first(red.call("inbox", nil))
	red.must(words, "T1 shows no disk", "and 58 ms cold")
	red.mustNot(words, "foretold: faster", "unchanged, given to you before")
	blue.must(first(blue.call("inbox", nil)), "it is the net", "stays as the record, nothing is asked")
}

// C34: with the answer to a write comes no more of what others did than can be read beside
// it; the rest is named, with the call that shows it, and comes with that.
func TestMeanwhile_IsBounded(t *testing.T) {
	_, blue, red := pair(t)
	both(blue, red)
	red.told(api.MessageCompiled)
	var many strings.Builder
	for i := range 20 {
		many.WriteString(assumption(fmt.Sprintf("a%02d", i), fmt.Sprintf("statement-%02d %s", i, strings.Repeat("holds in all that was seen. ", 30))))
	}
	blue.submits(many.String() + deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"H2 is circular","evidence":"none"}`, ""))
	said := first(red.call("artifact_write", analysis("theirs", nil)))
	if n := utf8.RuneCountInString(said); n > 9000 {
		t.Errorf("%d characters:\n%s", n, said)
	}
	red.must(said, "H2 is circular", "statement-00", "more than this answer holds: ", "inbox {}") // what asks for an answer is not left out
	rest := first(red.call("inbox", nil))
	for i := range 20 {
		red.once(said+rest, fmt.Sprintf("statement-%02d", i))
	}
}

// C34: what is left over by no more than half of what there is room for comes with the rest, and
// nobody has to ask for it.
func TestMeanwhile_LeavesNothingSmallOver(t *testing.T) {
	_, blue, red := pair(t)
	both(blue, red)
	red.told(api.MessageCompiled)
	var many strings.Builder
	for i := range 8 {
		many.WriteString(assumption(fmt.Sprintf("a%02d", i), fmt.Sprintf("statement-%02d %s", i, strings.Repeat("holds in all that was seen. ", 28))))
	}
	blue.submits(many.String())
	said := first(red.call("artifact_write", analysis("theirs", nil)))
	for i := range 8 {
		red.once(said, fmt.Sprintf("statement-%02d", i))
	}
	red.mustNot(said, "more than this answer holds")
	if n := utf8.RuneCountInString(said); n < 6000 || n > 9500 {
		t.Errorf("%d characters", n)
	}
}

// C34, ADR 180: what was compiled and concerned nobody comes with the next message of a
// compile, which shows nothing that was shown.
func TestCompiled_ShowsWhatNobodyWasToldOf(t *testing.T) {
	_, blue, red := pair(t)
	both(blue, red)
	red.told(api.MessageCompiled)
	blue.submits(assumption("Level", "the weir is level"))
	blue.submits(deltaBlock("EDIT", "H2", "hypothesis_slate", `{"mechanism":"the sluice"}`, ""))
	words := first(red.call("inbox", nil))
	red.must(words, "RS-pair is at version 4: BlueLake edited H2.", "the weir is level", "Mechanism: the sluice")
	blue.submits(deltaBlock("EDIT", "H2", "hypothesis_slate", `{"anchors":["flow-log@1"]}`, ""))
	words = first(red.call("inbox", nil))
	red.must(words, "flow-log@1")
	red.mustNot(words, "the weir is level", "the sluice")
}

// D25, ADR 178: a critic who measured says what was observed of a prediction, and nothing else
// of it.
func TestSubmit_WhoMeasuresSaysWhatWasObserved(t *testing.T) {
	w, pi := generatorAndCritic(t)
	blue, green := &player{t: t, name: "BlueLake", session: w.session("BlueLake")}, &player{t: t, name: "GreenValley", session: w.session("GreenValley")}
	green.must(green.told(api.MessageKickoff), "Of a prediction you may set `observed`, alone in its EDIT")
	blue.mustNot(blue.told(api.MessageKickoff), "you may set `observed`")
	submit := func(p *player, blocks string) string {
		return first(p.call("delta_submit", arguments{"session": "RS-1", "text": blocks}))
	}
	submit(blue, hypothesis("Parser", "", "the parser is slow")+deltaBlock("ADD", "", "predictions_table", `{"condition":"a warm cache","predictions":{"H1":"as slow"}}`, ""))
	if _, err := pi.CompileSession(t.Context(), api.CompileSessionRequest{ID: "RS-1"}); err != nil {
		t.Fatal(err)
	}
	edit := func(payload string) string {
		return submit(green, deltaBlock("EDIT", "P1", "predictions_table", payload, ""))
	}
	green.must(edit(`{"observed":"57 ms","condition":"a cold cache"}`), "WRITE_DENIED", "send observed alone")
	green.must(edit(`{"condition":"a cold cache"}`), "WRITE_DENIED")
	green.must(submit(green, deltaBlock("ADD", "", "predictions_table", `{"condition":"c","predictions":{"H1":"slow"},"observed":"57 ms"}`, "")), "WRITE_DENIED")
	green.mustNot(edit(`{"observed":"57 ms"}`), "WRITE_DENIED", "refused")
}

// D25, ADR 191: a critic who ran a test itself says what came out of it, and nothing else of
// it; the test counts as run by it.
func TestSubmit_WhoRanATestSaysWhatCameOut(t *testing.T) {
	w := newWorld(t)
	pi := w.local("ada")
	team := roster.Roster{Entries: []roster.Entry{{AgentName: "RedSky", Role: roster.TestDesigner}, {AgentName: "GreenValley", Role: roster.AdversarialCritic}}}
	if _, err := pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Module: "lineage", Roster: team}); err != nil {
		t.Fatal(err)
	}
	red, green := &player{t: t, name: "RedSky", session: w.session("RedSky")}, &player{t: t, name: "GreenValley", session: w.session("GreenValley")}
	green.must(green.told(api.MessageKickoff), "Of a test that you ran yourself you may set `last_run`, `actual_outcomes` and `status`")
	submit := func(p *player, blocks string) string {
		return first(p.call("delta_submit", arguments{"session": "RS-1", "text": blocks}))
	}
	test := `{"name":"Warm","procedure":"time it warm","discriminates":"H1 from all else","expected_outcomes":{"H1":"slow"},"potency_check":"a known file"}`
	submit(red, deltaBlock("ADD", "", "discriminative_tests", test, ""))
	if _, err := pi.CompileSession(t.Context(), api.CompileSessionRequest{ID: "RS-1"}); err != nil {
		t.Fatal(err)
	}
	edit := func(payload string) string {
		return submit(green, deltaBlock("EDIT", "T1", "discriminative_tests", payload, ""))
	}
	for _, c := range [][2]string{
		{`{"actual_outcomes":{"H1":"57 ms"},"procedure":"time it cold"}`, "/payload/procedure"},
		{`{"actual_outcomes":{"H1":"57 ms"},"last_run":{"by":"BlueLake","how":"time"}}`, "/payload/last_run/by"},
		{`{"actual_outcomes":{"H1":"57 ms"},"a/b":1}`, "/payload/a~1b"},
		{`{"expected_outcomes":{"H1":"57 ms"}}`, "/section"},
		{`{"status":"dropped"}`, "/section"},
		{`{"actual_outcomes":{"H1":null}}`, "/section"},
	} {
		green.must(edit(c[0]), "WRITE_DENIED", "last_run, actual_outcomes and status alone", c[1])
	}
	green.mustNot(edit(`{"actual_outcomes":{"H1":"57 ms"},"last_run":{"by":"GreenValley","how":"time, 20 runs","result":"log@1"},"status":"run"}`), "WRITE_DENIED", "refused")
	if _, err := pi.CompileSession(t.Context(), api.CompileSessionRequest{ID: "RS-1"}); err != nil {
		t.Fatal(err)
	}
	view, err := pi.Session(t.Context(), api.SessionRequest{ID: "RS-1"})
	if err != nil || len(view.Tests) != 1 || len(view.Tests[0].Done) != 1 || view.Tests[0].Done[0].By != "GreenValley" {
		t.Errorf("%v: %+v", err, view.Tests)
	}
}

// X11: where a change is too long to stand below an answer, the lines that were added and
// removed do, and not those around them.
func TestMoved_ShowsTheLinesThatChanged(t *testing.T) {
	_, blue, red := pair(t)
	around := func(n int) string { return strings.Repeat(fmt.Sprintf("around-%d ", n), 60) + "\n" }
	text, rest := around(1)+around(2)+around(3), ""
	for n := 4; n < 12; n++ {
		rest += around(n)
	}
	blue.call("artifact_write", analysis("diary", arguments{"content": arguments{"format": "text", "data": text + rest}}))
	red.must(first(red.call("artifact_get", arguments{"ref": "diary"})), "around-3")
	blue.call("artifact_write", arguments{"id": "diary", "summary": "it was full", "content": arguments{"format": "text", "data": text + "the disk was full\n" + rest + "and slow\n"}})
	words := red.submits(assumption("Logs", "diary@1 counts"))
	red.must(words, "what diary@2 changed after diary@1 (data):", "+the disk was full\n", "[without the lines around; all of it: artifact_get ")
	red.mustNot(words, "around-")
}
