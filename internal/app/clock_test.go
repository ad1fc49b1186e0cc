package app_test

import (
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app"
	"brenner/internal/store/memory"
)

// J1: the time of records does not go back when a clock does, be it of the machine
// that wrote the record before or of another; a record from far in the future does
// not stop the clock.
func TestClock_RecordsDoNotGoBackInTime(t *testing.T) {
	s := failingOften(t)
	defer func() { _ = s.Close() }()
	now := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	clock := func() time.Time { return now }
	a := app.New(s, app.Options{Clock: clock})
	if _, err := a.Init(t.Context(), api.InitRequest{Name: "Fate", PI: "ada"}); err != nil {
		t.Fatal(err)
	}
	other := app.New(s, app.Options{Clock: clock})
	write := func(a *app.App, at time.Time, id string) {
		t.Helper()
		now = at
		req := benchNote(1)
		req.ID, req.Module = "", "main"
		req.Summary = id
		if _, err := a.As(app.Identity{Name: "ada", Auth: app.AuthOwner}).CreateArtifact(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	start := now
	write(a, start.Add(time.Minute), "first")
	write(a, start.Add(time.Second), "set back")
	write(other, start.Add(2*time.Second), "of a machine that is behind")
	write(a, start.Add(2*time.Minute), "on")
	write(other, start.Add(24*time.Hour), "from the future")
	write(a, start.Add(3*time.Minute), "which is not followed")
	list, err := a.As(app.Identity{Name: "ada", Auth: app.AuthOwner}).Records(t.Context(), api.RecordsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var got []time.Duration
	for _, r := range list.Records {
		got = append(got, r.At.Sub(start))
	}
	want := []time.Duration{
		0, time.Minute, time.Minute + time.Microsecond, time.Minute + 2*time.Microsecond, 2 * time.Minute, 24 * time.Hour, 3 * time.Minute,
	}
	if len(got) != len(want) {
		t.Fatalf("records at %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("records at %v, want %v", got, want)
			break
		}
	}
}

// aheadBureau is a project on which another machine has written whose clock is
// eight minutes ahead.
func aheadBureau(t *testing.T) *bureau {
	t.Helper()
	d := newBureauOn(t, memory.New(), nil)
	d.start(api.TransportMailbox)
	right := d.now
	d.now = right.Add(8 * time.Minute)
	_, err := d.PI().NewTask(t.Context(), api.NewTaskRequest{Title: "From a clock that is ahead", Role: "writer"})
	d.must(err)
	d.now = right
	return d
}

// D10, J1: while the newest record is ahead of the clock, what is written later is
// later all the same: it conflicts with nothing, and a dry run says so.
func TestClock_WhatIsWrittenLaterIsLater(t *testing.T) {
	d := aheadBureau(t)
	edit := func(as brenner.ActorName, why string, try bool) string {
		t.Helper()
		d.now = d.now.Add(time.Minute)
		res, err := d.As(as).SubmitDeltas(t.Context(), api.SubmitDeltasRequest{
			Session: "RS-1", DryRun: try,
			Text: block(`{"operation":"EDIT","section":"research_thread","target_id":"RT","payload":{"why_it_matters":"` + why + `"},"rationale":"r"}`),
		})
		d.must(err)
		return string(res.Deltas[0].Will)
	}
	edit("BlueLake", "It is the first.", false)
	for _, try := range []bool{true, false} {
		if will := edit("PurpleMountain", "It is the second.", try); will != "applied" {
			t.Errorf("dry run %t: a minute later it is %q", try, will)
		}
	}
	if res := d.compile(); res.Conflicts != 0 {
		t.Errorf("edits a minute apart conflict: %+v", res.Outcomes)
	}
}

// C16, X8: a claim and a token last as long as was asked for by the clock of this
// machine, whatever time the newest record has; and one is not taken away before.
func TestClock_LeasesAndTokensAreAsLongAsAskedFor(t *testing.T) {
	d := aheadBureau(t)
	for _, name := range []brenner.ActorName{"RedFox", "GreyOwl"} {
		_, err := d.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: name, Role: "writer"})
		d.must(err)
	}
	task, err := d.As("RedFox").ClaimTask(t.Context(), api.ClaimTaskRequest{Lease: api.Duration(time.Minute)})
	d.must(err)
	token, err := d.PI().IssueToken(t.Context(), api.IssueTokenRequest{Actor: "RedFox", Expires: api.Duration(time.Minute)})
	d.must(err)
	claim := func() error {
		_, err := d.As("GreyOwl").ClaimTask(t.Context(), api.ClaimTaskRequest{ID: task.ID})
		return err
	}
	d.now = d.now.Add(30 * time.Second)
	if err := claim(); brenner.CodeOf(err) != brenner.CodeTaskTaken {
		t.Errorf("taken away after half of its lease: %v", err)
	}
	d.now = d.now.Add(30 * time.Second)
	if _, err := d.app.Authenticate(t.Context(), token.Secret); brenner.CodeOf(err) != brenner.CodeUnauthenticated {
		t.Errorf("the token outlives its minute: %v", err)
	}
	if err := claim(); err != nil {
		t.Errorf("still held after its minute: %v", err)
	}
}
