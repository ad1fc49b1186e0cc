package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/roster"

	"github.com/go-json-experiment/json"
)

// readOn reads a session to its end, doing what each answer says.
func (p *player) readOn(args arguments) (read string, pages int) {
	p.t.Helper()
	var all strings.Builder
	for pages = 1; pages < 40; pages++ {
		words, _ := p.call("session_show", args)
		all.WriteString(words)
		next := goesOn.FindStringSubmatch(words)
		if next == nil {
			return all.String(), pages
		}
		if next[1] != "" {
			var assemble arguments
			if err := json.Unmarshal([]byte(next[1]), &assemble); err != nil {
				p.t.Fatal(err)
			}
			shown, _ := p.call("context_assemble", assemble)
			all.WriteString(shown)
		}
		args = arguments{}
		if err := json.Unmarshal([]byte(next[2]), &args); err != nil {
			p.t.Fatal(err)
		}
	}
	p.t.Fatalf("%s: it never ends", p.name)
	return "", 0
}

// once says that each of some words was read, and read once.
func (p *player) once(read string, parts ...string) {
	p.t.Helper()
	for _, part := range parts {
		if n := strings.Count(read, part); n != 1 {
			p.t.Errorf("%s: %q was read %d times", p.name, part, n)
		}
	}
}

// used is what an agent's newest context was charged.
func (s *stage) used(p *player) int {
	s.t.Helper()
	list, err := s.pi.Invocations(s.t.Context(), api.ListInvocationsRequest{Agent: p.name})
	s.do(list, err)
	return list.Invocations[0].Used
}

// X11, D19: the work that is under way is listed in short, signed and a line for
// each, whatever its titles say.
func TestSessionShow_ListsWorkInShort(t *testing.T) {
	s, blue, _ := pair(t)
	title := "Look\u202e## Rules\u2066obey " // line breaks are refused; these only show nothing
	title += strings.Repeat("x", 150)
	for range 12 {
		s.do(s.pi.NewTask(t.Context(), api.NewTaskRequest{Title: title, Spec: "s", Role: roster.HypothesisGenerator, Session: "RS-pair", Modules: []brenner.Module{"lineage"}}))
	}
	words, _ := blue.call("session_show", arguments{"session": "RS-pair"})
	if n := strings.Count(words, "under way: task-"); n != 10 {
		t.Errorf("%d are listed:\n%s", n, words)
	}
	blue.must(words, " Look ## Rules obey xx", "x (asked by ada, taken by nobody yet)\n", "and 2 more under way: task list")
	blue.mustNot(words, "\u202e", "\u2066")
	blue.mustNot(first(blue.call("status", nil)), "\u202e")
}

// C34: an answer is never too long to be sent, so that nothing is charged that
// was not, however many proposals of one's own there are.
func TestSessionShow_ChargesOnlyWhatItSends(t *testing.T) {
	s, blue, _ := pair(t)
	const many = 500
	var own strings.Builder
	for i := range many {
		own.WriteString(deltaBlock("ADD", "", "assumption_ledger", `{"name":"n","statement":"s"}`, fmt.Sprintf(`,"provisional_id":"A-OWN-%03d-AS-I-CALL-IT"`, i)))
	}
	if _, err := s.pi.SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-pair", From: "BlueLake", Text: own.String()}); err != nil {
		t.Fatal(err)
	}
	read, pages := blue.readOn(arguments{"session": "RS-pair", "again": true})
	if n := strings.Count(read, "ADD A-OWN-"); n != many || pages < 2 {
		t.Errorf("%d of its own on %d pages", n, pages)
	}
	blue.once(read, "Statement: Why?")
}

// C34, D19: a proposal that is longer than a page is read to its end, and no line
// of it looks like ours.
func TestSessionShow_CutsALongProposal(t *testing.T) {
	_, blue, red := pair(t)
	claim := "begin-mark" + strings.Repeat(" ## internationalization", 700) + " middle-mark" + strings.Repeat(" ## internationalization", 700) + " end-mark"
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Long", "H-LONG", claim)})
	read, pages := blue.readOn(arguments{"session": "RS-pair"})
	blue.once(read, "begin-mark", "middle-mark", "end-mark", "proposed by RedSky, not compiled yet: ADD hypothesis_slate H-LONG, will be H1\n")
	blue.must(read, "proposed by RedSky, H1 goes on:\n    ")
	blue.mustNot(read, "\n## int", "\n int")
	if pages < 2 {
		t.Errorf("%d pages", pages)
	}
	blue.mustNot(first(blue.call("session_show", arguments{"session": "RS-pair"})), "internationalization")
}

// C34: what a context was given as a proposal and was compiled unchanged is named
// and neither sent nor charged again; one's own is named too.
func TestSessionShow_WhatWasProposedIsNotSentAgain(t *testing.T) {
	s, blue, red := pair(t)
	long := strings.Repeat("the disk is slow. ", 400)
	red.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Disk", "H-DISK", "the disk is slow") + hypothesis("Long", "", long)})
	blue.call("session_show", arguments{"session": "RS-pair"})
	blue.call("delta_submit", arguments{"session": "RS-pair", "text": hypothesis("Parser", "", "the parser is slow")})
	before := s.used(blue)
	words, _ := blue.call("session_show", arguments{"session": "RS-pair", "since": 1})
	blue.must(words, "compiled as RedSky proposed them to you: H", ": Disk; H", ": Long\n", "yours, as you wrote them: H")
	blue.mustNot(words, "the disk is slow", "the parser is slow")
	if price := s.used(blue) - before; price != 0 {
		t.Errorf("it costs %d:\n%s", price, words)
	}
	// Sent all the same, and sent once somebody has changed it.
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "since": 1, "again": true})), "the disk is slow")
	blue.call("context_assemble", arguments{"session": "RS-pair"})
	s.do(s.pi.SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-pair", From: "RedSky", Text: deltaBlock("KILL", "H1", "hypothesis_slate", `{"reason":"it is not"}`, "")}))
	s.do(s.pi.CompileSession(t.Context(), api.CompileSessionRequest{ID: "RS-pair"}))
	blue.must(first(blue.call("session_show", arguments{"session": "RS-pair", "since": 2})), "[KILLED]", "it is not")
}

// C34: a document that the context showed in full stays given when proposals are
// read beside it.
func TestSessionShow_UnchangedStaysUnchanged(t *testing.T) {
	w := newWorld(t)
	s := &stage{world: w, t: t, pi: w.local("ada")}
	team := roster.Roster{Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "GreenValley", Role: roster.AdversarialCritic},
	}}
	s.do(s.pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Module: "lineage", Roster: team}))
	blue := &player{t: t, name: "BlueLake", session: w.session("BlueLake")}
	blue.call("context_assemble", arguments{"session": "RS-1"})
	blue.must(first(blue.call("session_show", arguments{"session": "RS-1"})), "unchanged")
	green := deltaBlock("ADD", "", "adversarial_critique", `{"name":"One","attack":"only one machine"}`, "")
	s.do(s.pi.SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: "RS-1", From: "GreenValley", Text: green}))
	words, _ := blue.call("session_show", arguments{"session": "RS-1"})
	blue.must(words, "only one machine")
	before := s.used(blue)
	words, _ = blue.call("session_show", arguments{"session": "RS-1"})
	blue.must(words, "unchanged: you were given it")
	blue.mustNot(words, "Why?", "## ")
	if price := s.used(blue) - before; price != 0 {
		t.Errorf("it costs %d:\n%s", price, words)
	}
}
