package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner/api"
	"brenner/roster"
)

// D26: the document says which critiques are open; who wrote what one attacks is told,
// also when it comes after a round, and its critic when it was answered.
func TestCritiques_HaveAState(t *testing.T) {
	blue, red := duo(t)
	both(blue, red) // H1 of BlueLake, H2 of RedSky
	attack := func(provisional, text string) string {
		return deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"`+text+`","evidence":"none"}`, `,"provisional_id":"`+provisional+`"`)
	}
	blue.call("inbox", nil)
	red.submits(attack("C-ONE", "H1 is circular") + attack("C-TWO", "H2 says too little"))
	words := first(blue.call("inbox", nil))
	blue.must(words, "RS-pair is at version 3: RedSky added C1, C2.", "left for you in RS-pair: C1 (of H1) to answer\nwhere a critique is right, EDIT or KILL what it attacks", "left for others in RS-pair: the answer to C2")
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"the sluice, as measured"}`, ""))
	words = first(red.call("inbox", nil))
	red.must(words, "left for you in RS-pair: C1 (of H1, changed by BlueLake) to settle, or to attack further\n")
	red.submits(deltaBlock("EDIT", "C1", "adversarial_critique", `{"current_status":"settled"}`, ""))
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "brief": true})), "critiques: open C2 (of H2); settled C1 (of H1)\n")
}

// D26: a critic is told, where its critique is shown to it and nobody has answered it, how it
// takes it back, and others are not; that it is settled is not for whom it attacks to say.
func TestCritiques_AreTakenBackByTheirCritic(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	attack := func(text string) string {
		return deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"`+text+`","evidence":"none"}`, "")
	}
	blue.call("inbox", nil)
	red.submits(attack("H1 is circular") + attack("H1 was never measured"))
	const how = "What does not stand any more is taken back with an EDIT: `current_status` withdrawn.\n"
	show := arguments{"session": "RS-pair", "brief": true}
	red.must(first(red.call("session_show", show)), "critiques: open C1 (of H1), C2 (of H1)\nC1 is yours. "+how)
	blue.mustNot(first(blue.call("inbox", nil))+first(blue.call("session_show", show)), how)
	red.submits(deltaBlock("EDIT", "C1", "adversarial_critique", `{"current_status":"withdrawn: it was measured"}`, ""))
	blue.submits(deltaBlock("EDIT", "C2", "adversarial_critique", `{"current_status":"settled: it was measured"}`, ""))
	red.must(first(red.call("session_show", show)), "critiques: answered C2 (of H1, replied to by BlueLake); settled C1 (of H1)\n")
	red.must(first(red.call("inbox", nil)), "left for you in RS-pair: C2 (of H1, replied to by BlueLake) to settle, or to attack further")
}

// D26: what its author had under way when a critique came is no answer to it; what it
// changes after it was told of it is, and what names it.
func TestCritiques_AreAnsweredByWhoKnewOfThem(t *testing.T) {
	blue, red := duo(t)
	both(blue, red) // H1 of BlueLake, H2 of RedSky
	blue.call("inbox", nil)
	attack := deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"H1 is circular","evidence":"none"}`, "")
	edit := func(text string) {
		blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"`+text+`"}`, ""))
	}
	stands := func(want string) {
		t.Helper()
		red.must(first(red.call("session_show", arguments{"session": "RS-pair", "brief": true})), want+"\n")
	}
	red.submits(attack)
	edit("the sluice, which was under way")
	stands("critiques: open C1 (of H1)")
	blue.call("inbox", nil)
	edit("the sluice, as measured")
	stands("critiques: answered C1 (of H1, changed by BlueLake)")

	red.call("inbox", nil)
	// ADR 207: what only corrects it leaves the answer standing.
	red.submits(deltaBlock("EDIT", "C1", "adversarial_critique", `{"evidence":"the log of May","attack":"H1 is round"}`, ""))
	said := first(blue.call("inbox", nil))
	blue.must(said, "the log of May", "whether C1 is settled by your answer, which stands: its critic only corrected it since")
	blue.mustNot(said, "open again", "to answer")
	stands("critiques: answered C1 (of H1, changed by BlueLake)")
	red.submits(deltaBlock("EDIT", "C1", "adversarial_critique", `{"attack":"H1 is circular still"}`, ""))
	blue.must(first(blue.call("inbox", nil)), "C1 is open again: RedSky changed it in version 7.\n", "left for you in RS-pair: C1 (of H1, again: its critic changed it) to answer")
}

// D26: who wrote an artifact is told of a critique that names it or a place in it, and
// answers it with a new version.
func TestCritiques_OfAnArtifact(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("artifact_write", analysis("flow-log", nil))
	blue.call("inbox", nil)
	red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"flow-log/F3 counts the weir twice","evidence":"none"}`, ""))
	blue.must(first(blue.call("inbox", nil)), "left for you in RS-pair: C1 (of flow-log) to answer")
	blue.call("artifact_write", arguments{"id": "flow-log", "summary": "counted once", "content": arguments{"format": "text", "data": "counted once\n"}})
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "brief": true})), "critiques: answered C1 (of flow-log, changed by BlueLake)\n")
	red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak too","attack":"flow-log.3 counts the weir twice"}`, ""))
	told := first(blue.call("inbox", nil))
	blue.must(told, "C2 (of flow-log) to answer")
	blue.mustNot(told, "\n\n\n")
}

// C33: who changed what lies in another module is not told to those who read the document.
func TestCritiques_OfAnArtifactElsewhere(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("artifact_write", analysis("flow-log", arguments{"module": "gradient"}))
	red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"flow-log/F3 counts the weir twice","evidence":"none"}`, ""))
	blue.call("artifact_write", arguments{"id": "flow-log", "summary": "counted once", "content": arguments{"format": "text", "data": "counted once\n"}})
	red.mustNot(first(red.call("session_show", arguments{"session": "RS-pair", "brief": true})), "of flow-log")
}

// D6: of what was killed it is said so, and what lives in its place, to who writes a note or
// a critique about it; and nobody is asked to answer that.
func TestCritiques_OfTheDead(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.submits(hypothesis("Slow", "", "the parser reads every file twice at noon"))
	blue.submits(deltaBlock("KILL", "H1", "hypothesis_slate", `{"reason":"a case of H3"}`, ""))
	red.call("inbox", nil)
	blue.call("inbox", nil)
	red.must(first(red.call("request", arguments{"session": "RS-pair", "note": true, "items": []string{"H1"}, "title": "seen"})), "what it is about is dead: H1 killed for H3\n", "noted: ")
	blue.must(first(blue.call("inbox", nil)), "RedSky leaves a note on H1 of RS-pair@4 (H1 killed for H3). Nothing is asked of you")
	red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"H1 was circular","evidence":"none"}`, ""))
	blue.mustNot(first(blue.call("inbox", nil)), "Of what you wrote")
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "brief": true})), "critiques: settled C1 (of H1 killed for H3)\n")
}

// D26: who wrote what a critique attacks may say in a note why it stands, on several at once;
// and a critic settles several with a line each.
func TestCritiques_AreRepliedToAndSettledTogether(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("inbox", nil)
	attack := func(text string) string {
		return deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"`+text+`","evidence":"none"}`, "")
	}
	red.submits(attack("H1 is circular") + attack("H1 says too little") + attack("H1 was never measured"))
	blue.must(first(blue.call("inbox", nil)), "where not, say why: request {\"items\":[\"C1\"],\"note\":true,\"session\":\"RS-pair\"}")
	blue.call("request", arguments{"session": "RS-pair", "note": true, "items": []string{"C1", "C2"}, "title": "it is measured in flow-log@1"})
	red.call("request", arguments{"session": "RS-pair", "note": true, "items": []string{"C3"}, "title": "a word of its critic is no reply"})
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "brief": true})), "critiques: open C3 (of H1); answered C1 (of H1, replied to by BlueLake), C2 (of H1, replied to by BlueLake)\n")
	settle := `{"operation":"EDIT","section":"adversarial_critique","target_id":"C%d","payload":{"current_status":"settled"}}` + "\n"
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"the sluice"}`, ""))
	red.must(first(red.call("inbox", nil)), "C3 (of H1, changed by BlueLake) to settle, or to attack further\nto settle a critique of yours, a delta like any other, or a line of its own below `RT holds`: `"+strings.TrimSpace(fmt.Sprintf(settle, 1))+"`")
	red.submits(fmt.Sprintf(settle+settle, 1, 2))
	red.submits("As H1 says by now:\n\n" + deltaBlock("EDIT", "C3", "adversarial_critique", `{"current_status":"settled: it was measured"}`, "") + assumption("Sluice", "It is open"))
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "brief": true})), "critiques: settled C1 (of H1), C2 (of H1), C3 (of H1)\n")
}

// D26: that a critique was settled is no news for what names it, and asks nobody whether
// the answer still holds; another attack is.
func TestCritiques_ThatOneIsSettledUpsetsNothing(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"H1 is circular","evidence":"none"}`, ""))
	blue.call("inbox", nil)
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"context":"It is H1, in spite of C1."}`, "the question was put wrongly"))
	red.call("inbox", nil)
	red.submits(deltaBlock("EDIT", "C1", "adversarial_critique", `{"current_status":"settled"}`, ""))
	blue.mustNot(first(blue.call("inbox", nil)), "which your RT names", "does it still hold?")
	red.submits(deltaBlock("EDIT", "C1", "adversarial_critique", `{"attack":"H1 was never measured"}`, ""))
	blue.must(first(blue.call("inbox", nil)), "Attack: H1 was never measured\nWas: H1 is circular")
}

// D17: who may add no hypothesis is not told to add one.
func TestCritiques_TheLastThirdAlternativeStays(t *testing.T) {
	w := newWorld(t)
	team := roster.Roster{Mode: roster.RoleSeparated, Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "RedSky", Role: roster.TestDesigner},
	}}
	if _, err := w.local("ada").StartSession(t.Context(), api.StartSessionRequest{ID: "RS-pair", Question: "Why?", Module: "lineage", Roster: team, Compile: api.CompileAnswered}); err != nil {
		t.Fatal(err)
	}
	red := &player{t: t, name: "RedSky", session: w.session("RedSky")}
	blue := &player{t: t, name: "BlueLake", session: w.session("BlueLake")}
	for _, p := range []*player{blue, red} {
		p.must(p.told(api.MessageKickoff), "`conflicts_with` (list of item ids)", "`analysis_result`", " as text; `assumption` as json with statement (needed: ")
		p.call("context_assemble", nil)
	}
	blue.submits(deltaBlock("ADD", "", "hypothesis_slate", `{"claim":"both are wrong","mechanism":"the third","third_alternative":true}`, ""))
	said := first(red.call("delta_submit", arguments{"session": "RS-pair", "text": deltaBlock("KILL", "H1", "hypothesis_slate", `{"reason":"refuted"}`, "")}))
	red.must(said, "NO_THIRD_ALTERNATIVE", "; it can go once another live hypothesis has third_alternative true; who writes hypotheses may add that one")
}

// X11: who takes part in no session is not told that everybody has answered one.
func TestInbox_NothingToDo(t *testing.T) {
	w := newWorld(t)
	if _, err := w.local("ada").AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	alone := &player{t: t, name: "BlueLake", session: w.session("BlueLake")}
	said := first(alone.call("inbox", nil))
	alone.must(said, "nothing is asked of you, and no task is yours")
	alone.mustNot(said, "everybody has answered")
}

// D27, ADR 167: who has nothing more to add settles its critiques in the same reply; other
// deltas in it are still refused.
func TestCritiques_AreSettledWithTheLastReply(t *testing.T) {
	blue, red := duo(t)
	both(blue, red) // H1 of BlueLake, H2 of RedSky
	blue.call("inbox", nil)
	red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"H1 is circular"}`, ""))
	blue.call("inbox", nil)
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"as measured"}`, ""))
	red.must(first(red.call("inbox", nil)), "C1 (of H1, changed by BlueLake) to settle, or to attack further\n", "or a line of its own below `RT holds`: `{")
	settle := deltaBlock("EDIT", "C1", "adversarial_critique", `{"current_status":"settled"}`, "")
	_, _, err := answered[map[string]any](t.Context(), red.session, "delta_submit", arguments{"session": "RS-pair", "nothing": true, "text": settle + assumption("Weir", "It leaks")})
	if err == nil {
		t.Error("a reply adds something and says that it adds nothing")
	}
	words := first(red.call("delta_submit", arguments{"session": "RS-pair", "nothing": true, "text": "Nothing more.\n\n" + settle}))
	red.must(words, "applied: EDIT C1\n")
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "brief": true})), "critiques: settled C1 (of H1)\n")
}
