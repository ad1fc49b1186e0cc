package mcpserver_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/roster"
)

// C34: what others are at, and one's own part, stand whole in one answer; those that
// follow name them, till they are asked for again or a context begins anew.
func TestStanding_WhatOthersAreAtIsSaidOnce(t *testing.T) {
	blue, red := duo(t)
	const title, part = "I measure counts in what reads show on the command line, lists and totals, whatever is cut at a bound and says so or does not", "limits that are enforced, at one less, at the number and at one more, against what the documents say"
	_, data := blue.call("request", arguments{"session": "RS-pair", "claim": true, "title": title, "parts": []any{"RedSky: " + part}})
	task := data["id"].(string)
	red.must(red.told(api.MessageTask), title, part)
	short := []string{task + " (BlueLake", "your part: as BlueLake divided it (" + task + ")\n"}
	again := func(words string) {
		t.Helper()
		red.must(words, short...)
		red.mustNot(words, title, part)
	}
	again(first(red.call("session_show", arguments{"session": "RS-pair"})))
	again(first(red.call("inbox", nil)))
	blue.submits(hypothesis("Parser", "", "the parser is slow"))
	again(first(red.call("inbox", nil)))

	const other = "I count the lines of the journal that a compile writes, twice, since the first count was of another project"
	_, data = blue.call("request", arguments{"session": "RS-pair", "claim": true, "title": other})
	mark := data["id"].(string)
	words, _ := red.call("inbox", nil)
	red.must(words, "under way: "+mark+" "+other+" (BlueLake, until ")
	again(words)
	words, _ = red.call("session_show", arguments{"session": "RS-pair"})
	red.must(words, mark+" (BlueLake, until ")
	red.must(words, "): I count the lines of the journal") // how it begins
	red.mustNot(words, other)
	again(words)

	whole := []string{"under way: " + mark + " " + other, "under way: " + task + " " + title, "your part, as BlueLake divides the work (" + task + ", data): " + part}
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "again": true})), whole...)
	red.must(first(red.call("status", nil)), whole...)
	again(first(red.call("session_show", arguments{"session": "RS-pair"})))
	red.must(first(red.call("context_assemble", arguments{"session": "RS-pair"})), whole...) // it has what it was given before no more
	again(first(red.call("inbox", nil)))
}

// D26: what an answer says of critiques is how they stand after the call.
func TestCritiques_AreCountedAfterTheCall(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("inbox", nil)
	attack := func(text string) string {
		return deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"`+text+`","evidence":"none"}`, "")
	}
	settle := func(n int) string {
		return fmt.Sprintf(`{"operation":"EDIT","section":"adversarial_critique","target_id":"C%d","payload":{"current_status":"settled"}}`, n) + "\n"
	}
	red.submits(attack("H1 is circular") + attack("H1 says too little") + attack("H1 was never measured"))
	blue.call("inbox", nil)
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"the sluice"}`, ""))
	words := red.submits(settle(1))
	red.must(words, "left for you in RS-pair: C2 (of H1, changed by BlueLake), C3 (of H1, changed by BlueLake) to settle, or to attack further\n", `"target_id":"C2"`)
	red.mustNot(words, "Critiques:", "C1 (of")
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"the weir"}`, ""))
	words = red.submits(settle(2) + settle(3))
	red.must(words, "BlueLake edited H1")
	red.mustNot(words, "ritiques:", "to settle", "as you wrote it is")
}

// D26: a name inside quoted output or code is nobody's reference; one in words, alone in
// code, or in a field of references is.
func TestCorrections_QuotedNamesAreNone(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	odd := func(text, more string) string {
		return deltaBlock("ADD", "", "anomaly_register", `{"name":"Odd","observation":"`+text+`"`+more+`}`, "")
	}
	red.submits(odd(`all were \"pending, would be applied H1\", and `+"`apply A1 H1`"+` said 'H1 is new'`, "") + odd("seen with H1", "") + odd("`H1` it is", "") + odd(`it said \"no\"`, `,"conflicts_with":["H1"]`))
	blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"the sluice"}`, ""))
	red.must(first(red.call("inbox", nil)), "named in yours: H1 (X2, X3, X4)")
}

// D26: whether an answer holds is asked when what it rests on claims, found or decides
// something else, and not when a plan is worded anew.
func TestConclude_PlansDoNotUpsetAnAnswer(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	var tests []string
	for i := range 9 {
		tests = append(tests, deltaBlock("ADD", "", "discriminative_tests", fmt.Sprintf(`{"name":"Run %d","procedure":"p","discriminates":"d","expected_outcomes":{"H1":"slow %d"}}`, i, i), ""))
	}
	red.submits(strings.Join(tests, ""))
	blue.call("inbox", nil)
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"context":"H1, by T1, T2, T3, T4, T5, T6, T7, T8, T9."}`, ""))
	edit := func(payload string, of ...int) string {
		var all strings.Builder
		for _, n := range of {
			all.WriteString(deltaBlock("EDIT", fmt.Sprintf("T%d", n), "discriminative_tests", payload, ""))
		}
		red.submits(all.String())
		return first(blue.call("inbox", nil))
	}
	blue.mustNot(edit(`{"procedure":"p, twice","potency_check":"c","score":{"cost":3}}`, 1), "does it still hold")
	blue.must(edit(`{"actual_outcomes":{"H1":"fast"}}`, 1), "`RT` rests on T1, changed by this: does it still hold?")
	blue.must(edit(`{"status":"run"}`, 1, 2, 3, 4, 5), "`RT` rests on T1, T2, T3, T4, T5, changed by this")
	blue.must(edit(`{"status":"dropped"}`, 1, 2, 3, 4, 5, 6, 7, 8, 9), "`RT` rests on T1, T2, T3, T4, T5, T6, T7, T8, T9, changed by this")
}

// X11: a message that an answer opens is labelled as what it was till then.
func TestInbox_LabelsWhatWasUnread(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	red.call("inbox", nil)
	blue.call("request", arguments{"session": "RS-pair", "note": true, "items": []string{"H2"}, "title": "seen"})
	blue.submits(deltaBlock("EDIT", "H2", "hypothesis_slate", `{"mechanism":"the weir"}`, ""))
	words, _ := red.call("inbox", nil)
	red.must(words, " · unread · task · ", " · unread · compiled · ")
	red.mustNot(words, " · read · ")
	red.must(first(red.call("inbox", arguments{"states": []any{"read"}})), " · read · compiled · ")
}

// X11: what is written for a task says whether that is still open.
func TestWrite_SaysWhetherItsTaskIsOpen(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	_, data := blue.call("request", arguments{"session": "RS-pair", "claim": true, "title": "I measure"})
	task := data["id"].(string)
	still := task + " is still yours; your last write for it closes it: \"done\":true\n"
	blue.must(first(blue.call("artifact_write", analysis("log", arguments{"task": task}))), still)
	blue.must(first(blue.call("patch_apply", arguments{"ref": "log@1", "patch": `{"old_string":"measured for log","new_string":"measured"}`, "summary_holds": true, "task": task})), still)
	words, _ := blue.call("delta_submit", arguments{"session": "RS-pair", "task": task, "text": hypothesis("Third", "", "both are wrong")})
	blue.must(words, task+" · done · I measure")
	blue.mustNot(words, "still yours")
}

// X11: the kickoff says who sees what is written, how many requests there are, and what a
// part is.
func TestKickoff_SaysWhoSeesWhat(t *testing.T) {
	w := newWorld(t)
	team := roster.Roster{Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "RedSky", Role: roster.TestDesigner},
	}}
	if _, err := w.local("ada").StartSession(t.Context(), api.StartSessionRequest{ID: "RS-pair", Question: "Why?", Module: "lineage", Roster: team, Compile: api.CompileAnswered}); err != nil {
		t.Fatal(err)
	}
	red := &player{t: t, name: "RedSky", session: w.session("RedSky")}
	red.must(red.told(api.MessageKickoff), "no other agent sees it", "others see it till it is compiled, then who asks for the item",
		"`last_run`, a text or an object", "which you need not claim")
}

// C15: what became of a summary is said once: where it changed, or as it is now.
func TestArtifactGet_SaysOnceWhatASummaryBecame(t *testing.T) {
	blue, red := duo(t)
	long := strings.TrimSpace(strings.Repeat("counts in what reads show, lists and totals, ", 12))
	write := func(id, summary, text string, more arguments) {
		in := arguments{"id": id, "summary": summary, "content": arguments{"format": "text", "data": text}}
		maps.Copy(in, more)
		red.call("artifact_write", in)
	}
	since := func(id string) string { return first(blue.call("artifact_get", arguments{"ref": id, "since": 1})) }
	write("log", long+" at noon", "one\n", arguments{"type": "analysis_result", "module": "lineage"})
	write("log", long+" at night", "two\n", nil)
	words := since("log")
	blue.must(words, "summary: [", "characters as before]", "at [-noon-]{+night+}\n", "-one\n", "+two\n")
	blue.mustNot(words, long, "\nsummary:\n")
	write("other", "it is slow", "one\n", arguments{"type": "analysis_result", "module": "lineage"})
	write("other", "it is fast after all", "one\n", nil)
	words = since("other")
	blue.must(words, "summary: it is fast after all\n", "no more than the summary differs\n")
	if strings.Contains(words, "it is slow") || strings.Count(words, "after all") != 1 {
		t.Errorf("not once:\n%s", words)
	}
}

// C34: of a long paragraph in which a sentence changed who asks what changed is sent that
// sentence with a few words around it, and of those beside it no more than how they begin.
func TestArtifactGet_SinceGivesTheSentence(t *testing.T) {
	blue, red := duo(t)
	calm, other := strings.TrimSpace(strings.Repeat("the mill turns and the water runs, ", 20)), strings.TrimSpace(strings.Repeat("nobody looks at the weir, ", 20))
	write := func(text string, more arguments) {
		in := arguments{"id": "log", "summary": text, "content": arguments{"format": "text", "data": other + "\n" + calm + " " + text + " " + calm}}
		maps.Copy(in, more)
		red.call("artifact_write", in)
	}
	write("It rained at noon.", arguments{"type": "analysis_result", "module": "lineage"})
	write("It rained at night.", arguments{"change": arguments{"what": "w", "why": "y"}})
	words := first(blue.call("artifact_get", arguments{"ref": "log", "since": 1}))
	blue.must(words, " nobody looks at the weir", "\n~[", "characters as before] water runs, It rained at [-noon.-]{+night.+} the mill turns and the [")
	blue.mustNot(words, calm, other, "\n-the", "\n+the")
}

// X11: what was read and not acknowledged hides nothing that was not read.
func TestInbox_WhatWasReadHidesNothing(t *testing.T) {
	s, blue, _ := pair(t)
	ask := func(title string) {
		s.do(s.pi.NewTask(t.Context(), api.NewTaskRequest{Title: title, Spec: "s", Role: roster.HypothesisGenerator, Session: "RS-pair", Modules: []brenner.Module{"lineage"}}))
	}
	for i := range 30 {
		ask(fmt.Sprintf("Look at %d", i))
	}
	for i := 0; ; i++ {
		if words, _ := blue.call("inbox", nil); strings.Contains(words, "nothing new") {
			blue.mustNot(words, "read before: ") // what the session asks is said
			break
		}
		if i == 30 {
			t.Fatal("there is always something new")
		}
	}
	ask("Look once more")
	blue.must(first(blue.call("inbox", nil)), "Look once more")
}

// C34: that a hypothesis was put in other words, which is said beside the tests that foretold
// something under it, makes these no news to who was given them.
func TestNews_WhatIsWorkedOutIsNoNews(t *testing.T) {
	blue, red := duo(t)
	both(blue, red) // H1 of BlueLake, H2 of RedSky
	red.submits(deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"start it twice","discriminates":"H1","expected_outcomes":{"H1":"as slow"}}`, ""))
	blue.must(first(blue.call("inbox", nil)), "start it twice")
	blue.edits("H1", `{"claim":"the lexer is slow"}`)
	for i := range 9 { // more versions than are looked at for how it knows an item
		red.submits(deltaBlock("ADD", "", "anomaly_register", fmt.Sprintf(`{"name":"Odd","observation":"run %d"}`, i), ""))
		blue.mustNot(first(blue.call("inbox", nil)), "start it twice")
	}
	red.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"procedure":"start it three times"}`, ""))
	words := first(blue.call("inbox", nil))
	blue.must(words, "### T1: Warm · changed by RedSky\nProcedure: start it three times\nWas: start it twice\n")
	blue.mustNot(words, "as slow")
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "items": []any{"T1"}, "again": true})), "Changed since it was foretold: H1 claim")
}
