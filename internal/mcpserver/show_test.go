package mcpserver_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/roster"

	"github.com/go-json-experiment/json"
)

var goesOn = regexp.MustCompile(`\[goes on(?: in a new context, which shows them if they fit: context_assemble (\{.*?\}); else|:) session_show (\{.*\})\]`)

// generatorAndCritic is a world in which BlueLake and GreenValley are asked in RS-1.
func generatorAndCritic(t *testing.T) (*world, api.Service) {
	t.Helper()
	w := newWorld(t)
	pi := w.local("ada")
	team := roster.Roster{Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "GreenValley", Role: roster.AdversarialCritic},
	}}
	if _, err := pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Module: "lineage", Roster: team}); err != nil {
		t.Fatal(err)
	}
	return w, pi
}

// C34: a document that is larger than any context is read to its end by doing
// what each answer says, without one refusal and without reading anything
// twice; what others propose is charged once, one's own proposals never.
func TestSessionShow_IsReadToItsEndWhateverItsSize(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole run has it")
	}
	w, pi := generatorAndCritic(t)
	const items = 40
	var long strings.Builder
	for i := range items {
		statement := fmt.Sprintf("statement-%02d.%s", i, strings.Repeat(" it holds in every case that was seen so far", 60))
		if i == 7 { // one that alone is longer than a page
			statement = "statement-07." + strings.Repeat(" and it goes on without a single line break", 900)
		}
		long.WriteString(deltaBlock("ADD", "", "assumption_ledger", fmt.Sprintf(`{"name":"a_%02d*","statement":%q}`, i, statement), ""))
	}
	if _, err := pi.SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", From: "GreenValley", Text: long.String()}); err != nil {
		t.Fatal(err)
	}
	if _, err := pi.CompileSession(t.Context(), api.CompileSessionRequest{ID: "RS-1"}); err != nil {
		t.Fatal(err)
	}
	blue := &player{t: t, name: "BlueLake", session: w.session("BlueLake")}
	blue.call("context_assemble", map[string]any{"session": "RS-1"})
	read, contexts := blue.readsSession("RS-1")
	for i := range items {
		if n := strings.Count(read, fmt.Sprintf("statement-%02d.", i)); n != 1 {
			t.Errorf("statement %d was read %d times", i, n)
		}
	}
	if contexts > 0 || blue.errors > 0 || // each goes on from the one before by itself (ADR 0221)
		strings.Contains(read, `\*`) {
		t.Errorf("%d contexts, %d errors", contexts, blue.errors)
	}

	// In a new context, one item, then what changed after the version it knew.
	_, assembled := blue.call("context_assemble", map[string]any{"session": "RS-1"})
	used := func() int {
		i, err := pi.Invocation(t.Context(), api.InvocationRequest{ID: assembled["invocation"].(string)})
		if err != nil {
			t.Fatal(err)
		}
		return i.Used
	}
	before := used()
	one, _ := blue.call("session_show", map[string]any{"session": "RS-1", "items": []any{"A3", "A5"}})
	if price := used() - before; price == 0 || price > 3000 || !strings.Contains(one, "statement-02.") || strings.Contains(one, "statement-03.") {
		t.Errorf("one item costs %d: %.200s", price, one)
	}
	blue.call("delta_submit", map[string]any{"session": "RS-1", "text": deltaBlock("ADD", "", "hypothesis_slate", `{"name":"Mine","claim":"mine","mechanism":"m"}`, "")})
	before = used()
	own, _ := blue.call("session_show", map[string]any{"session": "RS-1", "items": []any{"A3", "H1"}})
	if used() != before || !strings.Contains(own, "proposed by you") || !strings.Contains(own, "will be H1") {
		t.Errorf("one's own costs %d: %s", used()-before, own)
	}
	green := deltaBlock("EDIT", "A5", "assumption_ledger", `{"load":"heavy"}`, "")
	if _, err := pi.SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", From: "GreenValley", Text: green}); err != nil {
		t.Fatal(err)
	}
	others, _ := blue.call("session_show", map[string]any{"session": "RS-1", "items": []any{"A5"}, "since": 2})
	if charged := used(); charged == before || !strings.Contains(others, "proposed by GreenValley") || !strings.Contains(others, "load: heavy") {
		t.Errorf("another's proposal: %s", others)
	}
	before = used()
	if blue.call("session_show", map[string]any{"session": "RS-1", "items": []any{"A5"}, "since": 2}); used() != before {
		t.Error("it is charged twice")
	}
	if _, err := pi.CompileSession(t.Context(), api.CompileSessionRequest{ID: "RS-1"}); err != nil {
		t.Fatal(err)
	}
	changed, _ := blue.call("session_show", map[string]any{"session": "RS-1", "since": 2})
	if !strings.Contains(changed, "compiled as GreenValley proposed them to you: A5: a_04*") || strings.Contains(changed, "statement-0") {
		t.Errorf("since version 2: %.400s", changed)
	}
	if nothing, _ := blue.call("session_show", map[string]any{"session": "RS-1", "since": 3}); !strings.Contains(nothing, "nothing has changed since version 3") {
		t.Errorf("since version 3: %s", nothing)
	}
	if _, err := called[map[string]any](t.Context(), blue.session, "session_show", map[string]any{"session": "RS-1", "offset": 4000}); brenner.CodeOf(err) != brenner.CodeInvalidValue {
		t.Errorf("an offset that is none: %v", err)
	}
}

// readsSession reads a document page by page, in new contexts where it says so,
// until it is not told to go on.
func (p *player) readsSession(id string) (read string, contexts int) {
	p.t.Helper()
	var all strings.Builder
	arguments := map[string]any{"session": id}
	for pages := 0; ; pages++ {
		words, _ := p.call("session_show", arguments)
		all.WriteString(words)
		next := goesOn.FindStringSubmatch(words)
		if next == nil {
			return all.String(), contexts
		}
		if pages > 50 {
			p.t.Fatalf("it never ends:\n%s", words)
		}
		if next[1] != "" {
			contexts++
			var assemble map[string]any
			if err := json.Unmarshal([]byte(next[1]), &assemble); err != nil {
				p.t.Fatal(err)
			}
			shown, _ := p.call("context_assemble", assemble)
			all.WriteString(shown)
		}
		arguments = map[string]any{}
		if err := json.Unmarshal([]byte(next[2]), &arguments); err != nil {
			p.t.Fatal(err)
		}
	}
}

// C34, D19: what others propose is shown as far as there is room and goes on where
// it broke off: wherever a page ends, each piece of it is read, and paid for, once.
func TestSessionShow_WhatIsProposedIsReadOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole run has it")
	}
	w, pi := generatorAndCritic(t)
	const items = 24
	var long strings.Builder
	said := 0
	for i := range items {
		var statement strings.Builder
		for range 120 + 37*(i%9) { // two to five pieces
			fmt.Fprintf(&statement, "word-%04d holds in every case that was seen. ", said)
			said++
		}
		long.WriteString(deltaBlock("ADD", "", "assumption_ledger", fmt.Sprintf(`{"name":"a_%02d","statement":%q}`, i, statement.String()), ""))
	}
	if _, err := pi.SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", From: "GreenValley", Text: long.String()}); err != nil {
		t.Fatal(err)
	}
	blue := &player{t: t, name: "BlueLake", session: w.session("BlueLake")}
	first, _ := blue.call("context_assemble", map[string]any{"session": "RS-1"})
	rest, _ := blue.readsSession("RS-1")
	words := strings.Join(strings.Fields(first+rest), "") // a piece may end within a word
	var wrong []string
	for i := range said {
		if n := strings.Count(words, fmt.Sprintf("word-%04d", i)); n != 1 {
			wrong = append(wrong, fmt.Sprintf("%d: %d times", i, n))
		}
	}
	if len(wrong) > 0 || blue.errors > 0 {
		t.Errorf("%d errors; of %d sentences %d were not read once: %s", blue.errors, said, len(wrong), brenner.Clip(strings.Join(wrong, ", "), 300))
	}
}

// D4, D27: who asks for items by provisional ids gets them, its own proposals whole, and those
// of others as their authors call them; a name that two gave is told apart by its author.
func TestSessionShow_TakesProvisionalIDs(t *testing.T) {
	blue, red := duo(t)
	show := func(p *player, item string) string {
		return first(p.call("session_show", arguments{"session": "RS-pair", "items": []string{item}}))
	}
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Parser", "H-ONE", "the parser is slow")})
	blue.must(show(blue, "H-ONE"), "proposed by you, not compiled yet", "    claim: the parser is slow\n")
	red.must(show(red, "H-ONE"), "the parser is slow")
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "H-ONE", "the disk is slow")})
	red.must(show(red, "H-ONE"), "the disk is slow")
	red.must(first(red.call("session_show", arguments{"session": "RS-pair", "items": []string{"BlueLake:H-ONE"}, "again": true})), "the parser is slow")
	if _, words, err := answered[map[string]any](t.Context(), red.session, "session_show", arguments{"session": "RS-pair", "items": []string{"H-TWO"}}); err == nil {
		t.Errorf("an item that nobody put up is shown:\n%s", words)
	}
}
