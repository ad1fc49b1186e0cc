package mcpserver_test

import (
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
	if price := used() - int(assembled["used"].(float64)); next == 0 || price > 8000 {
		t.Errorf("the first page costs %d and goes on at %v", price, next)
	}
	read(false, map[string]any{"ref": "log"}, "unchanged")
	read(true, map[string]any{"ref": "log", "offset": int(next)}, "one more line")
	read(true, map[string]any{"ref": "log", "brief": true}, "a long log")
	read(false, map[string]any{"ref": "log", "brief": true}, "unchanged")
	read(true, map[string]any{"ref": "log", "brief": true, "again": true}, "a long log")

	shown, _ := blue.call("session_show", map[string]any{"session": "RS-1"})
	again, _ := blue.call("session_show", map[string]any{"session": "RS-1"})
	if !strings.Contains(shown, "Why?") || !strings.Contains(again, "unchanged") {
		t.Errorf("shown %q, then %q", shown, again)
	}
	reply := map[string]any{"session": "RS-1", "key": "k1", "text": deltaBlock("ADD", "", "hypothesis_slate", `{"claim":"c","mechanism":"m"}`, "")}
	_, sent := blue.call("delta_submit", reply)
	if words, _ := blue.call("delta_submit", reply); !strings.Contains(words, "duplicate: true") {
		t.Errorf("the repeat says %q", words)
	}
	if shown, _ = blue.call("session_show", map[string]any{"session": "RS-1"}); !strings.Contains(shown, "proposed by you") {
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
