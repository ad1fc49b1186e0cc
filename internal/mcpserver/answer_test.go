package mcpserver_test

import "testing"

// D26: what is said against the answer stands beside it wherever the answer is read, and so
// does what is open against the items that it rests on; its author is told, and others are
// told how they say that it is wrong.
func TestAnswer_IsReadWithWhatIsSaidAgainstIt(t *testing.T) {
	blue, red := duo(t)
	both(blue, red) // H1 of BlueLake, H2 of RedSky
	critique := func(payload string) string {
		return deltaBlock("ADD", "", "adversarial_critique", `{"evidence":"none",`+payload+`}`, "")
	}
	red.call("inbox", nil)
	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"The parser is slow (H1), the disk is not."}`, ""))
	const how = "the answer is wrong? A critique whose targets name RT stands beside it, so does a note: request {\"items\":[\"RT\"],\"note\":true,\"session\":\"RS-pair\"}; its author is told\n"
	words := first(red.call("inbox", nil))
	red.must(words, "Answer: The parser is slow (H1), the disk is not.\n"+how)

	red.submits(critique(`"name":"Cold or warm","attack":"unlike H2 it does not say which start","targets":["RT"]`) + critique(`"name":"Circular","attack":"H1 is circular"`))
	told := first(blue.call("inbox", nil))
	blue.must(told, "left for you in RS-pair: C1 (of RT), C2 (of H1) to answer")
	const beside = "against RT, open C1 (of RT) by RedSky (data): Cold or warm\nagainst what RT rests on, open C2 (of H1) by RedSky (data): Circular\n"
	for _, asked := range []arguments{{"brief": true}, {"again": true}, {"items": []string{"RT"}, "again": true}} {
		asked["session"] = "RS-pair"
		words := first(red.call("session_show", asked))
		red.must(words, beside)
		red.mustNot(words, how, "critiques: ")
	}
	red.must(first(red.call("context_assemble", arguments{"session": "RS-pair"})), beside)
	shown := first(red.call("session_show", arguments{"session": "RS-pair", "items": []string{"H1"}, "again": true}))
	red.must(shown, "critiques: open C1 (of RT), C2 (of H1)\n")
	red.mustNot(shown, beside)

	blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"The parser is slow at a cold start (H1), the disk is not."}`, ""))
	red.must(first(red.call("inbox", nil)), "against RT, answered C1 (of RT, changed by BlueLake) by RedSky (data): Cold or warm\nagainst what RT rests on, open C2 (of H1) by RedSky")
	red.must(first(red.call("request", arguments{"session": "RS-pair", "items": []string{"RT"}, "note": true, "title": "not at noon"})), "noted: ")
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "items": []string{"RT"}, "again": true})), "note on RT by RedSky")
}
