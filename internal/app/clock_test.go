package app_test

import (
	"testing"
	"time"

	"brenner/api"
	"brenner/internal/app"
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
	want := []time.Duration{0, time.Minute, time.Minute, time.Minute, 2 * time.Minute, 24 * time.Hour, 3 * time.Minute}
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
