package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/roster"
)

// C34: what a context was given and has not changed is neither sent nor charged
// again; asking for it to be sent again is charged. X2: a repeated write says
// that it is one. C2: one's own reply can be read, nobody else's.
func TestReading_WhatWasGivenIsNotSentAgain(t *testing.T) {
	w := newWorld(t)
	pi := w.local("ada")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "log", Type: artifact.TypeAnalysisResult, Module: "lineage", Summary: "a long log",
		Content: api.Body{Format: artifact.Text, Data: strings.Repeat("one more line of the log\n", 2000)},
	})
	must(err)
	_, err = pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "count", Type: artifact.TypeAnalysisResult, Module: "lineage", Summary: "why clones keep their fate",
		Content: api.Body{Format: artifact.Text, Data: "nine of ten"},
	})
	must(err)
	team := roster.Roster{Entries: []roster.Entry{
		{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "GreenValley", Role: roster.AdversarialCritic},
	}}
	_, err = pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Module: "lineage", Roster: team})
	must(err)
	blue := &player{t: t, name: "BlueLake", session: w.session("BlueLake")}
	_, assembled := blue.call("context_assemble", map[string]any{"session": "RS-1"})
	id := assembled["invocation"].(string)
	used := func() int {
		i, err := pi.Invocation(t.Context(), api.InvocationRequest{ID: id})
		must(err)
		return i.Used
	}
	read := func(charged bool, arguments map[string]any, want string) map[string]any {
		t.Helper()
		before := used()
		words, data := blue.call("artifact_get", arguments)
		if !strings.Contains(words, want) {
			t.Errorf("%v: %q is not in the words", arguments, want)
		}
		if got := used() > before; got != charged {
			t.Errorf("%v: charged: %v, want %v", arguments, got, charged)
		}
		return data
	}
	page := read(true, map[string]any{"ref": "log"}, "one more line")
	next, _ := page["next_offset"].(float64)
	if price := used() - int(assembled["used"].(float64)); next == 0 || price > 12_000 {
		t.Errorf("the first page costs %d and goes on at %v", price, next)
	}
	read(false, map[string]any{"ref": "log"}, "unchanged")
	read(true, map[string]any{"ref": "log", "offset": int(next)}, "one more line")
	read(true, map[string]any{"ref": "log", "brief": true}, "a long log")
	read(false, map[string]any{"ref": "log", "brief": true}, "unchanged")
	read(true, map[string]any{"ref": "log", "brief": true, "again": true}, "a long log")

	// The context showed the document and the short result in full itself.
	read(false, map[string]any{"ref": "count"}, "unchanged")
	read(true, map[string]any{"ref": "count", "again": true}, "nine of ten")
	before := used()
	if words, _ := blue.call("session_show", map[string]any{"session": "RS-1"}); !strings.Contains(words, "unchanged") || strings.Contains(words, "Why?") || used() != before {
		t.Errorf("the document again, for %d: %q", used()-before, words)
	}
	if words, _ := blue.call("session_show", map[string]any{"session": "RS-1", "again": true}); !strings.Contains(words, "Why?") || used() == before {
		t.Errorf("the document all the same, for %d: %q", used()-before, words)
	}
	reply := map[string]any{"session": "RS-1", "key": "k1", "text": deltaBlock("ADD", "", "hypothesis_slate", `{"claim":"c","mechanism":"m"}`, "")}
	_, sent := blue.call("delta_submit", reply)
	if words, _ := blue.call("delta_submit", reply); !strings.Contains(words, "duplicate: true") {
		t.Errorf("the repeat says %q", words)
	}
	if shown, _ := blue.call("session_show", map[string]any{"session": "RS-1"}); !strings.Contains(shown, "proposed by you") {
		t.Errorf("after a reply: %q", shown)
	}

	own := map[string]any{"ref": sent["log"]}
	if words, _ := blue.call("artifact_get", own); !strings.Contains(words, "```delta") {
		t.Errorf("its own reply is %q", words)
	}
	green := w.session("GreenValley")
	if _, err := called[map[string]any](t.Context(), green, "context_assemble", map[string]any{"session": "RS-1"}); err != nil {
		t.Error(err)
	}
	if _, err := called[map[string]any](t.Context(), green, "artifact_get", own); brenner.CodeOf(err) != brenner.CodeReadDenied {
		t.Errorf("another's reply: %v", err)
	}
}

// C3, C34: what an agent reads is charged by the words it is sent, not by the
// data that goes to its program beside them.
func TestReading_IsChargedByWhatIsSent(t *testing.T) {
	w := newWorld(t)
	pi := w.local("ada")
	if _, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: roster.HypothesisGenerator}); err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		_, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: brenner.ArtifactID(fmt.Sprint("n", i)), Type: artifact.TypePaperNote, Module: "lineage", Summary: fmt.Sprint("note of clone ", i),
			Content: api.Body{Format: artifact.Text, Data: strings.Repeat("A clone keeps its fate.\n", 10+20*i)},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	blue := &player{t: t, name: "BlueLake", session: w.session("BlueLake")}
	_, assembled := blue.call("context_assemble", map[string]any{"question": "oxygen", "modules": []any{"lineage"}})
	// spent is in tokens as they are counted here, without what the budget adds
	// for the family of the model.
	spent := func() int {
		i, err := pi.Invocation(t.Context(), api.InvocationRequest{ID: assembled["invocation"].(string)})
		if err != nil {
			t.Fatal(err)
		}
		return i.Used * 100 / i.Record.Budget.Percent()
	}
	for _, call := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"artifact_get", map[string]any{"ref": "n1", "again": true}},
		{"artifact_get", map[string]any{"ref": "n11", "again": true}},
		{"artifact_get", map[string]any{"ref": "n2", "brief": true}},
		{"artifact_search", map[string]any{"text": "clone"}},
	} {
		before := spent()
		words, _ := blue.call(call.tool, call.arguments)
		if price, sent := spent()-before, tokens(t, words); price > sent+1 || price < sent*9/10 {
			t.Errorf("%s %v costs %d, and %d tokens are sent", call.tool, call.arguments, price, sent)
		}
	}
}
