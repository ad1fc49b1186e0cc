package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"
)

// X11: who has nothing left to do is told so plainly, and else what is left, by name.
func TestEnding_SaysWhatIsLeft(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	const over = "nothing more is asked of you in RS-pair: all have answered, the conclusion stands, no critique, test or task of yours is open. You may stop; whoever asked reads `RT`"
	conclude := func(text string) string {
		return blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"`+text+`"}`, ""))
	}
	words := first(red.call("inbox", nil))
	red.mustNot(words, "nothing more is asked of you")
	red.submits(assumption("Weir", "the weir is level"))
	blue.call("inbox", nil)
	conclude("H1, as measured.")
	words = first(red.call("inbox", nil))
	red.must(words, over)
	red.mustNot(words, "now: all have answered", "critiques:")

	attack := deltaBlock("ADD", "", "adversarial_critique", `{"name":"Too early","attack":"H2 was seen once only"}`, "")
	blue.submits(attack)
	words = first(red.call("inbox", nil))
	red.must(words, "left for you in RS-pair: C1 (of H2) to answer\nwhere a critique is right, EDIT or KILL what it attacks")
	red.mustNot(words, over)
	words = first(red.call("inbox", nil))
	red.must(words, "left for you in RS-pair: C1 to answer\n")
	red.mustNot(words, "where a critique is right")
	red.edits("H2", `{"claim":"seen twice"}`)
	blue.must(first(blue.call("inbox", nil)), "left for you in RS-pair: C1 (of H2, changed by RedSky) to settle, or to attack further\nto settle a critique of yours, a delta like any other")
	blue.submits(deltaBlock("EDIT", "C1", "adversarial_critique", `{"current_status":"settled"}`, ""))
	blue.submits(deltaBlock("ADD", "", "discriminative_tests", `{"name":"Cold","procedure":"p","discriminates":"d","expected_outcomes":{"H1":"slow"}}`, ""))
	red.must(first(red.call("inbox", nil)), "nothing is asked of you in RS-pair now; left for others: T1, which BlueLake has put up, to run or to drop. Wait for it: inbox {\"wait\":60}; or stop, if your part is done")
	red.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"status":"running"}`, ""))
	blue.must(first(blue.call("inbox", nil)), "nothing is asked of you in RS-pair now; left for others: the result of T1. Wait for it: inbox {\"wait\":60}; or stop, if your part is done")
	red.must(first(red.call("inbox", nil)), "left for you in RS-pair: the result of T1, which you said you run")
}

// X11: the end says what others wrote and its reader has not read, with the call that reads
// it, each once.
func TestEnding_CountsWhatWasNotRead(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	red.call("inbox", nil)
	for _, id := range []string{"weir", "mill"} {
		blue.call("artifact_write", analysis(id, nil))
	}
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"H1, as measured."}`, ""))
	words := first(red.call("inbox", nil))
	red.must(words, "You may stop", "written (data): ", "mill@1 by BlueLake", "weir@1 by BlueLake")
	red.mustNot(words, "not read by you") // it is told just now
	red.mustNot(first(blue.call("inbox", nil)), "not read by you")
	red.must(first(red.call("inbox", nil)), "\nwritten by others and not read by you (nobody waits for that): 2 (mill@1, weir@1): artifact_get {\"ref\":\"mill@1\",\"more\":[\"weir@1\"]}\n")
	red.mustNot(first(red.call("inbox", nil)), "not read by you") // it was told
	red.call("artifact_get", arguments{"ref": "weir@1"})
	red.mustNot(first(red.call("inbox", nil)), "not read by you")
	blue.call("artifact_write", analysis("sluice", nil))
	red.call("inbox", nil)
	red.must(first(red.call("inbox", nil)), "written by others and not read by you (nobody waits for that): 1 (sluice@1): artifact_get {\"ref\":\"sluice@1\"}\n") // mill@1 was named before
}

// C34: who is to sign an answer that it was sent in more than one part reads it whole once, when nothing is
// left to do, without the question; not who was given it whole since.
func TestEnding_GivesTheAnswerWholeOnce(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	red.call("inbox", nil)
	text := func(a, b string) string {
		return "The sluice, " + a + ". " + strings.Repeat("It was measured at the weir and at the mill. ", 20) + "Open is " + b + "."
	}
	const whole = "the answer as it stands, which you were sent in parts (data):"
	var answers []string
	for i, say := range []string{
		text("H1", "all"), text("H1 alone", "all"), text("H1 alone", "the mill"), text("H1 alone", "nothing"), text("H1 and H2", "nothing"),
		text("H1", "the weir"), text("H2", "the weir"), text("H2", "the mill"), text("H2", "nothing"), text("H1", "nothing"),
	} {
		if i == 6 {
			red.must(first(red.call("session_show", arguments{"session": "RS-pair", "items": []string{"RT"}, "again": true})), "Statement: ")
		}
		blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"context":"`+say+`"}`, ""))
		words := first(red.call("inbox", nil))
		red.must(words, "nothing more is asked of you in RS-pair")
		red.mustNot(words, "Statement: ")
		if strings.Contains(words, whole) && strings.Contains(words, "Context: "+say) {
			answers = append(answers, fmt.Sprint(i))
		}
	}
	if got := strings.Join(answers, ", "); got != "2, 4, 7, 9" {
		t.Errorf("it came whole: %s", got)
	}
}

// X11: how to answer is said once to who is waited for, then only whom else.
func TestInbox_SaysOnceHowToAnswer(t *testing.T) {
	_, blue, _ := pair(t)
	blue.must(first(blue.call("inbox", nil)), "RS-pair is compiled when you and RedSky have answered: delta_submit; what it asks: inbox {")
	words := first(blue.call("inbox", nil))
	blue.must(words, "RS-pair is compiled when you and RedSky have answered\n")
	blue.mustNot(words, "RS-pair is compiled when you and RedSky have answered:")
}

// X11: of a test that was run the version is named that its result was recorded with, and
// that there is a newer one; what becomes of a dead item is no news.
func TestStanding_ResultsInForceAndTheDead(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	blue.call("artifact_write", analysis("cold", nil))
	blue.submits(deltaBlock("ADD", "", "discriminative_tests", `{"name":"Cold","procedure":"p","discriminates":"d","expected_outcomes":{"H1":"slow"}}`, "") +
		deltaBlock("ADD", "", "predictions_table", `{"condition":"cold","predictions":{"H1":"slow","H2":"fast"}}`, ""))
	blue.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"actual_outcomes":{"H1":"slow, cold@1"},"status":"run"}`, ""))
	red.must(first(red.call("inbox", nil)), "run T1 (BlueLake: cold@1)")
	blue.call("artifact_write", arguments{"id": "cold", "summary": "in other words", "content": analysis("cold", nil)["content"], "change": map[string]any{"what": "w", "why": "y"}})
	red.mustNot(first(red.call("session_show", arguments{"session": "RS-pair", "again": true})), "by now @")
	blue.call("artifact_write", arguments{"id": "cold", "summary": "measured again", "content": map[string]any{"format": "text", "data": "again\n"}, "change": map[string]any{"what": "w", "why": "y"}})
	red.must(first(red.call("session_show", arguments{"session": "RS-pair"})), "run T1 (BlueLake: cold@1, by now @3)")

	red.call("inbox", nil)
	blue.submits(deltaBlock("KILL", "P1", "predictions_table", `{"reason":"too plain"}`, ""))
	red.must(first(red.call("inbox", nil)), "Reason: too plain")
	blue.submits(deltaBlock("KILL", "P1.H1", "predictions_table", `{"reason":"not meant"}`, "") + deltaBlock("EDIT", "P1.H2", "predictions_table", `{"outcome":"N/A"}`, "") + deltaBlock("KILL", "H1", "hypothesis_slate", `{"reason":"measured"}`, ""))
	words := first(red.call("inbox", nil))
	red.must(words, "### H1")
	red.mustNot(words, "P1")
}

// X11: of several versions of one's own that rest on what another has written anew, the
// newest is named.
func TestWritten_NamesTheNewestOfOnesOwn(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	again := func(p *player, id, text string, more arguments) {
		in := arguments{"id": id, "summary": text, "content": map[string]any{"format": "text", "data": text + "\n"}, "change": map[string]any{"what": "w", "why": "y"}}
		for k, v := range more {
			in[k] = v
		}
		p.call("artifact_write", in)
	}
	red.call("artifact_write", analysis("weir", nil))
	on := arguments{"links": []any{map[string]any{"rel": "derived_from", "artifact": "weir", "version": 1}}}
	blue.call("artifact_write", analysis("mill", on))
	again(blue, "mill", "the mill once more", on)
	again(red, "weir", "the weir once more", nil)
	words := first(blue.call("inbox", nil))
	blue.must(words, "your mill@2 derived_from weir@1")
	blue.mustNot(words, "your mill@1")
}

// X11: of critiques that are left for others it is said what each waits for: an answer, or that
// its critic is content with the one it has.
func TestEnding_SaysWhatCritiquesWaitFor(t *testing.T) {
	blue, red := duo(t)
	both(blue, red) // H1 of BlueLake, H2 of RedSky
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"The parser is slow."}`, ""))
	red.must(red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"H1 is circular"}`, "")), "left for others: the answer to C1.")
	blue.must(first(blue.call("inbox", nil)), "left for you in RS-pair: C1 (of H1) to answer\n")
	blue.submits(assumption("Weir", "It leaks"))
	red.must(red.submits(assumption("Sluice", "It is open")), "still left for others: the answer to C1. Wait, or stop if your part is done\n")
	blue.must(blue.submits(deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"as measured"}`, "")), "left for others: whether C1 is settled by your answer.")
}
