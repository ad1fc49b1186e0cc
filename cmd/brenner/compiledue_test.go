package main

import (
	"context"
	"testing"
	"time"

	"brenner/api"
	"brenner/internal/app"
	"brenner/internal/store/memory"
	"brenner/roster"
)

// A1, D27: a session that compiles by itself when its time has come is compiled by
// automation, in the journal too, and not by the person who leads.
func TestCompileOnce_IsAutomation(t *testing.T) {
	ctx, clock := t.Context(), time.Now().Add(-time.Hour)
	a := app.New(memory.New(), app.Options{Clock: func() time.Time { return clock }})
	if _, err := a.Init(ctx, api.InitRequest{Name: "Fate", PI: "ada"}); err != nil {
		t.Fatal(err)
	}
	pi := a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	if _, err := pi.StartSession(ctx, api.StartSessionRequest{
		ID: "RS-1", Question: "Why?", Compile: "10m",
		Roster: roster.Roster{Entries: []roster.Entry{
			{AgentName: "BlueLake", Role: roster.HypothesisGenerator}, {AgentName: "RedSky", Role: roster.TestDesigner},
		}},
	}); err != nil {
		t.Fatal(err)
	}
	blue := a.As(app.Identity{Name: "BlueLake", Auth: app.AuthAs})
	if _, err := blue.SubmitDeltas(ctx, api.SubmitDeltasRequest{
		Session: "RS-1", Text: "```delta\n" + `{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"c","mechanism":"m"},"rationale":"r"}` + "\n```\n",
	}); err != nil {
		t.Fatal(err)
	}
	clock = time.Now()
	if err := compileOnce(ctx, a, allPages); err != nil {
		t.Fatal(err)
	}
	list, err := pi.Records(ctx, api.RecordsRequest{Kind: "session.compiled"})
	if err != nil || len(list.Records) != 1 {
		t.Fatalf("compiled %d times, %v", len(list.Records), err)
	}
	if r := list.Records[0]; r.Actor != "system" || r.Auth != "automation" {
		t.Errorf("compiled by %s, %s", r.Actor, r.Auth)
	}
}

// D27, A7: what everybody answered while what happens by itself was paused is compiled once
// it goes on, and nobody has to look.
func TestCompileOnce_AfterAPause(t *testing.T) {
	ctx := t.Context()
	a := app.New(memory.New(), app.Options{})
	if _, err := a.Init(ctx, api.InitRequest{Name: "Fate", PI: "ada"}); err != nil {
		t.Fatal(err)
	}
	pi := a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	if _, err := pi.StartSession(ctx, api.StartSessionRequest{
		ID: "RS-1", Question: "Why?", Compile: api.CompileAnswered, Roster: roster.Roster{Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.HypothesisGenerator}}},
	}); err != nil {
		t.Fatal(err)
	}
	turn := func(call func(context.Context, api.PauseAutomationRequest) (api.AutomationRules, error)) {
		if _, err := call(ctx, api.PauseAutomationRequest{}); err != nil {
			t.Fatal(err)
		}
		if err := compileOnce(ctx, a, allPages); err != nil {
			t.Fatal(err)
		}
	}
	turn(pi.PauseAutomation)
	blue := a.As(app.Identity{Name: "BlueLake", Auth: app.AuthAs})
	if _, err := blue.SubmitDeltas(ctx, api.SubmitDeltasRequest{
		Session: "RS-1", Text: "```delta\n" + `{"operation":"ADD","section":"hypothesis_slate","payload":{"claim":"c","mechanism":"m"},"rationale":"r"}` + "\n```\n",
	}); err != nil {
		t.Fatal(err)
	}
	turn(pi.ResumeAutomation)
	list, err := pi.Records(ctx, api.RecordsRequest{Kind: "session.compiled"})
	if err != nil || len(list.Records) != 1 {
		t.Fatalf("compiled %d times, %v", len(list.Records), err)
	}
}
