package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/roster"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// X1: what was done is never reported as refused because there is much to say
// of it: too many lessons are refused before any is kept, and a reply of a
// thousand deltas is taken in with an answer that is cut and says so.
func TestTools_WhatWasDoneIsNotReportedAsRefused(t *testing.T) {
	w := newWorld(t)
	pi := w.local("ada")
	team := roster.Roster{Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.HypothesisGenerator}}}
	if _, err := pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Module: "lineage", Roster: team}); err != nil {
		t.Fatal(err)
	}
	blue := w.session("BlueLake")
	lessons := func(n int) []any {
		out := []any{}
		for i := range n {
			out = append(out, map[string]any{"section": "helpful", "content": fmt.Sprintf("Count %d clones in dish %d before noon", i, i*7)})
		}
		return out
	}
	if _, err := called[map[string]any](t.Context(), blue, "playbook_learn", map[string]any{"insights": lessons(300)}); brenner.CodeOf(err) != brenner.CodeLimitExceeded {
		t.Errorf("300 lessons: %v", err)
	}
	kept, err := pi.Bullets(t.Context(), api.ListBulletsRequest{})
	if err != nil || len(kept.Bullets) != 0 {
		t.Errorf("%d lessons were kept all the same, %v", len(kept.Bullets), err)
	}
	if _, err := called[map[string]any](t.Context(), blue, "playbook_learn", map[string]any{"insights": lessons(50)}); err != nil {
		t.Errorf("50 lessons: %v", err)
	}

	var reply strings.Builder
	for i := range 1000 {
		reply.WriteString(deltaBlock("ADD", "", "anomaly_register", fmt.Sprintf(`{"name":"anomaly %d","observation":"seen in dish %d","odd":"%d"}`, i, i, i), ""))
	}
	res, err := blue.CallTool(t.Context(), &mcp.CallToolParams{Name: "delta_submit", Arguments: map[string]any{"session": "RS-1", "text": reply.String()}})
	if err != nil || res.IsError || res.Meta["brenner/shortened"] != true {
		t.Fatalf("a long reply: %+v, %v", res, err)
	}
	words := res.Content[0].(*mcp.TextContent).Text
	if !strings.HasPrefix(words, "RS-1: 1000 deltas read\n") || !strings.Contains(words, "cut here") || tokens(t, words) > brenner.MaxToolResultTokens {
		t.Errorf("it says %.200s … of %d tokens", words, tokens(t, words))
	}
	if data := res.StructuredContent.(map[string]any); data["session"] != "RS-1" || len(data["deltas"].([]any)) == 0 {
		t.Errorf("the data is %v", data)
	}
}
