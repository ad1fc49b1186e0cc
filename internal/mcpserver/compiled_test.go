package mcpserver_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/roster"
)

// D27, R10: after a round everybody is told once who changed what; a reply that
// comes by itself afterwards is told to those whom it concerns and to nobody
// else. D4, D11: what does not stop a delta is said when it is handed in.
// C17: a task that rests on a session is not moved by its holder's own deltas.
// Whoever asked for work sees in its status whether somebody has taken it.
func TestSession_TellsWhomItConcerns(t *testing.T) {
	w := newWorld(t)
	pi := w.local("ada")
	team := roster.Roster{Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator},
		{AgentName: "PurpleMountain", Role: roster.TestDesigner},
		{AgentName: "GreenValley", Role: roster.AdversarialCritic},
	}}
	if _, err := pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Module: "lineage", Roster: team, Compile: api.CompileAnswered}); err != nil {
		t.Fatal(err)
	}
	players := map[brenner.ActorName]*player{}
	for _, e := range team.Entries {
		players[e.AgentName] = &player{t: t, name: e.AgentName, session: w.session(e.AgentName)}
		players[e.AgentName].call("context_assemble", map[string]any{"session": "RS-1"})
	}
	blue, purple, green := players["BlueLake"], players["PurpleMountain"], players["GreenValley"]
	submit := func(p *player, blocks string) string {
		t.Helper()
		words, _ := p.call("delta_submit", map[string]any{"session": "RS-1", "text": blocks})
		return words
	}
	compiled := func(p *player) (n int, newest string) {
		t.Helper()
		_, data := p.call("inbox", map[string]any{"states": []any{"all"}})
		for _, m := range data["items"].([]any) {
			if m := m.(map[string]any); m["kind"] == string(api.MessageCompiled) {
				n++
				newest = m["id"].(string)
			}
		}
		if newest != "" {
			newest, _ = p.call("inbox", map[string]any{"message": newest})
		}
		return n, newest
	}

	said := submit(blue, deltaBlock("ADD", "", "hypothesis_slate", `{"name":"Parser","claim":"c","mechanism":"m"}`, `,"provisional_id":"H-PARSER","timestamp":"2020-01-01T00:00:00Z"`)+
		deltaBlock("ADD", "", "hypothesis_slate", `{"name":"Disk","claim":"d","mechanism":"m","third_alternative":true}`, "")+
		deltaBlock("ADD", "", "hypothesis_slate", `{"name":"Net","claim":"e","mechanism":"m"}`, ""))
	blue.must(said, "H-PARSER: accepted, will be H", "TIMESTAMP_SKEW")
	blue.must(first(blue.call("inbox", map[string]any{"wait": 1})), "nothing new", "RS-1 is compiled when PurpleMountain, GreenValley have answered")
	test := func(keys string) string {
		return deltaBlock("ADD", "", "discriminative_tests", `{"name":"Warm","procedure":"p","discriminates":"d","expected_outcomes":{`+keys+`}}`, "")
	}
	purple.must(submit(purple, test(`"BlueLake:H-PARSER":"slow","H-PARSER":"?"`)), "warning DANGLING_REFERENCE", "write BlueLake:H-PARSER")
	last := submit(green, deltaBlock("ADD", "", "adversarial_critique", `{"name":"One machine","attack":"a"}`, ""))
	green.must(last, "applied: ADD C1", "compiled: RS-1@2")
	if strings.Count(last, "compiled") != 1 {
		t.Errorf("it says twice that it was compiled:\n%s", last)
	}
	for _, p := range []*player{blue, purple} {
		n, text := compiled(p)
		if n != 1 {
			t.Errorf("%s was told %d times", p.name, n)
		}
		p.must(text, "BlueLake added H1, H2, H3; GreenValley added C1; PurpleMountain added T1", "What became of your deltas")
		p.must(text, "C1: One machine")
	}
	if n, _ := compiled(green); n != 1 {
		t.Errorf("the last to answer was told %d times", n)
	}

	// Late replies: the first concerns who wrote H3, the second nobody else.
	submit(green, deltaBlock("KILL", "H3", "hypothesis_slate", `{"reason":"no net"}`, ""))
	submit(green, deltaBlock("ADD", "", "adversarial_critique", `{"name":"Two","attack":"b"}`, ""))
	if n, text := compiled(blue); n != 2 {
		t.Errorf("who wrote H3 was told %d times", n)
	} else {
		blue.must(text, "GreenValley killed H3")
	}
	if n, _ := compiled(green); n != 1 { // the answers to its calls said it
		t.Errorf("who sent them was told %d times", n)
	}
	if n, _ := compiled(purple); n != 1 {
		t.Errorf("whom it does not concern was told %d times", n)
	}

	// What came too late, and in whose place an edit stands, is said at once.
	blue.must(submit(blue, deltaBlock("KILL", "H3", "hypothesis_slate", `{"reason":"none"}`, "")), "skipped: the item was killed already by GreenValley")
	submit(blue, deltaBlock("ADD", "", "anomaly_register", `{"name":"Slow Monday","observation":"o","conflicts_with":["H1"]}`, ""))
	green.call("session_show", map[string]any{"session": "RS-1", "items": []any{"X1"}})
	green.must(submit(green, deltaBlock("EDIT", "X1", "anomaly_register", `{"name":"Slow weeks","observation":"p"}`, "")),
		"X1: applied; it takes the place of name by BlueLake in version 5", ", observation by BlueLake in version 5")
	if own := submit(green, deltaBlock("EDIT", "X1", "anomaly_register", `{"name":"Slow months"}`, "")); strings.Contains(own, "takes the place") {
		t.Errorf("its own words count as those of another:\n%s", own)
	}

	// A key that was wrong is taken out by null.
	purple.must(submit(purple, deltaBlock("EDIT", "T1", "discriminative_tests", `{"expected_outcomes":{"H-PARSER":null}}`, "")), "applied: EDIT T1\n")
	if shown, _ := purple.call("session_show", map[string]any{"session": "RS-1", "items": []any{"T1"}}); !strings.Contains(shown, "Expected outcomes: H1 = slow\n") {
		t.Errorf("T1 is\n%s", shown)
	}

	// A request, its taker seen, and work on it that moves nothing but itself.
	_, asked := purple.call("request", map[string]any{"role": "hypothesis_generator", "title": "Sharpen H1", "spec": "Name the file.", "about": []any{"RS-1"}, "session": "RS-1"})
	purple.must(first(purple.call("status", nil)), "Sharpen H1: nobody of role hypothesis_generator has taken it yet")
	blue.call("task_claim", map[string]any{"id": asked["id"]})
	purple.must(first(purple.call("status", nil)), "Sharpen H1: BlueLake works on it")
	green.must(first(green.call("session_show", map[string]any{"session": "RS-1", "since": 2})), "under way: "+asked["id"].(string)+" Sharpen H1 (asked by PurpleMountain, BlueLake, until ", "yours, as you wrote them: H3, C2")
	blue.call("context_assemble", map[string]any{"task": asked["id"]})
	blue.call("session_show", map[string]any{"session": "RS-1", "items": []any{"H1"}})
	submit(blue, deltaBlock("EDIT", "H1", "hypothesis_slate", `{"mechanism":"parse.go reads twice"}`, ""))
	if done, _ := blue.call("task_complete", map[string]any{"id": asked["id"]}); strings.Contains(done, "rebase") {
		t.Errorf("its own deltas ask for a rebase:\n%s", done)
	}
}
