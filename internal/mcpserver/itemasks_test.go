package mcpserver_test

import (
	"testing"

	"brenner/api"
)

// X11: what an item names an agent for is asked of that agent, until it is taken up, done, or
// declined in a note.
func TestEnding_WhatNamesAnAgentIsAskedOfIt(t *testing.T) {
	for _, c := range []struct {
		name, section, payload, asks string
		done                         func(blue *player)
	}{
		{
			"a test", "discriminative_tests", `{"name":"Warm","procedure":"BlueLake runs it warm","discriminates":"H1","expected_outcomes":{"H1":"slow"}}`, "T1 (procedure by RedSky)",
			func(blue *player) {
				blue.submits(deltaBlock("EDIT", "T1", "discriminative_tests", `{"status":"run","actual_outcomes":{"H1":"slow"}}`, ""))
			},
		},
		{
			"an anomaly", "anomaly_register", `{"name":"Odd","observation":"the log is short","resolution_plan":"counted by BlueLake, on two days"}`, "X1 (resolution_plan by RedSky)",
			func(blue *player) {
				blue.call("request", arguments{"session": "RS-pair", "items": []any{"X1"}, "note": true, "title": "I have no log of two days"})
			},
		},
		{
			"a critique", "adversarial_critique", `{"name":"Weak","attack":"H2 was seen once","evidence":"none","proposed_test":"BlueLake runs it cold"}`, "C1 (proposed_test by RedSky)",
			func(blue *player) {
				blue.submits(deltaBlock("ADD", "", "discriminative_tests", `{"name":"Cold","procedure":"cold, as C1 asks","discriminates":"H1","expected_outcomes":{"H1":"slow"},"status":"run","actual_outcomes":{"H1":"slow"}}`, ""))
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			blue, red := duo(t)
			both(blue, red)
			blue.told(api.MessageCompiled)
			blue.submits(deltaBlock("EDIT", "RT", "research_thread", `{"answer":"It is the parser."}`, ""))
			red.submits(deltaBlock("ADD", "", c.section, c.payload, ""))
			words := first(blue.call("inbox", nil))
			blue.must(words, "names you in its ", "left for you in RS-pair: ", c.asks+", which names you: do it and say so there or in a note on it, or that you do not")
			red.mustNot(first(red.call("inbox", nil)), "which names you")
			c.done(blue)
			blue.mustNot(first(blue.call("inbox", nil)), "which names you")
		})
	}
}

// Of what is somebody's a text asks nothing, and announced work is about the items that it is
// given, not about those that its title leaves to others.
func TestEnding_WhatOnlyMentionsAnAgent(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	red.submits(deltaBlock("ADD", "", "discriminative_tests",
		`{"name":"Warm","procedure":"BlueLake's parser in the same run","discriminates":"H1 from H2","expected_outcomes":{"H1":"slow","H2":"fast"}}`, ""))
	red.submits(deltaBlock("ADD", "", "adversarial_critique", `{"name":"Weak","attack":"H1 was seen once","proposed_test":"count again"}`, ""))
	words := first(blue.call("inbox", nil))
	blue.must(words, "T1: Warm")
	blue.mustNot(words, "names you in its", "which names you")
	blue.call("request", arguments{"session": "RS-pair", "claim": true, "items": []any{"C1"}, "title": "I count what C1 asks for. T1 stays RedSky's."})
	words = first(blue.call("session_show", arguments{"session": "RS-pair", "brief": true}))
	blue.must(words, "running C1 (BlueLake since")
	blue.mustNot(words, "running T1", "T1 (BlueLake")
}
