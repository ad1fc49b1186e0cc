package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
)

// waiting is a service whose session is answered by one agent after the other,
// one with each look.
type waiting struct {
	api.Service
	looks  int
	done   int                  // looks until it is complete; 0: never
	onLook func(look int)       // what happens meanwhile
	fetch  func(look int) error // what fetching gives
	slow   func(context.Context) error
}

// Project says that an agent looks.
func (w *waiting) Project(context.Context) (api.ProjectInfo, error) { return api.ProjectInfo{}, nil }

// RunCosts is not for who looks here.
func (w *waiting) RunCosts(context.Context, api.RunCostsRequest) (api.RunCosts, error) {
	return api.RunCosts{}, brenner.Errorf(brenner.CodeWriteDenied, "not for you")
}

func (w *waiting) SessionStatus(ctx context.Context, _ api.SessionStatusRequest) (api.SessionStatus, error) {
	w.looks++
	if w.onLook != nil {
		w.onLook(w.looks)
	}
	if w.slow != nil {
		return api.SessionStatus{}, w.slow(ctx)
	}
	st := api.SessionStatus{ID: "RS-1", State: api.SessionWaiting, Question: "Why?", Deltas: map[string]int{"pending": w.looks}}
	if w.fetch != nil {
		st.Transport = api.TransportAgentMail
	}
	if w.done > 0 && w.looks >= w.done {
		st.State = api.SessionComplete
	}
	return st, nil
}

func (w *waiting) FetchReplies(context.Context, api.FetchRepliesRequest) (api.FetchResult, error) {
	return api.FetchResult{}, w.fetch(w.looks)
}

// watch runs session status --watch on it.
func (w *waiting) watch(ctx context.Context, terminal bool, args ...string) (status int, out, errs string) {
	var stdout, stderr bytes.Buffer
	status = Run(ctx, Env{
		Out: &stdout, Err: &stderr, Terminal: terminal, Getenv: func(string) string { return "" },
		Open: func(context.Context, Where) (api.Service, func() error, error) {
			return w, func() error { return nil }, nil
		},
	}, append([]string{"session", "status", "RS-1", "--watch", "--interval", "1ms"}, args...))
	return status, stdout.String(), stderr.String()
}

// X4: progress on a terminal, the result alone in a pipe.
func TestSessionStatus_ShowsProgressOnATerminalOnly(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		w := &waiting{done: 3}
		status, out, progress := w.watch(t.Context(), terminal)
		if status != 0 || !strings.HasPrefix(out, "RS-1 complete") || strings.Count(out, "RS-1") != 1 {
			t.Errorf("terminal %v: status %d, printed %q", terminal, status, out)
		}
		if got, want := strings.Count(progress, "RS-1 waiting"), 2; terminal && got != want || !terminal && progress != "" {
			t.Errorf("terminal %v: progress %q", terminal, progress)
		}
	}
}

// X4: Ctrl-C ends the waiting, and says so.
func TestSessionStatus_CanBeStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	w := &waiting{onLook: func(int) { stop() }}
	status, out, errs := w.watch(ctx, false, "--interval", "1h")
	if status != 130 || out != "" || !strings.Contains(errs, string(brenner.CodeCanceled)) {
		t.Errorf("status %d, printed %q, said %q", status, out, errs)
	}
}

// X7, R10: --timeout holds from before the project is opened. A store that others have
// locked is refused then; a session that was seen is shown as it was seen.
func TestTimeout_HoldsFromTheStart(t *testing.T) {
	locked := func(ctx context.Context) error {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("it would wait for longer")
			return brenner.Errorf(brenner.CodeStoreBusy, "locked")
		}
		<-ctx.Done()
		return brenner.Errorf(brenner.CodeStoreBusy, "locked")
	}
	for _, args := range [][]string{{"status"}, {"status", "--watch"}, {"session", "status", "RS-1"}, {"session", "status", "RS-1", "--watch"}} {
		var out, errs bytes.Buffer
		status := Run(t.Context(), Env{
			Out: &out, Err: &errs, Getenv: func(string) string { return "" },
			Open: func(ctx context.Context, _ Where) (api.Service, func() error, error) { return nil, nil, locked(ctx) },
		}, append(args, "--timeout", "5ms"))
		if status != 9 || out.Len() > 0 || !strings.Contains(errs.String(), "STORE_BUSY: locked") {
			t.Errorf("%q: status %d, printed %q, said %q", args, status, out.String(), errs.String())
		}
	}
	w := &waiting{fetch: func(int) error { return nil }}
	w.onLook = func(look int) {
		if look == 3 { // from here on each look waits
			w.slow = locked
		}
	}
	status, out, errs := w.watch(t.Context(), false, "--timeout", "50ms")
	if status != 11 || !strings.HasPrefix(out, "RS-1 waiting") || errs != "" {
		t.Errorf("status %d, printed %q, said %q", status, out, errs)
	}
}

// R10: a mail server that is away does not end the waiting; it is said once.
func TestSessionStatus_WaitsForTheMailServer(t *testing.T) {
	w := &waiting{done: 8, fetch: func(look int) error {
		if look < 6 {
			return brenner.Errorf(brenner.CodeMailUnavailable, "away")
		}
		return nil
	}}
	status, _, errs := w.watch(t.Context(), false)
	if status != 0 || errs != "replies could not be fetched: MAIL_UNAVAILABLE: away\n" {
		t.Errorf("status %d, said %q", status, errs)
	}
	// Who may not fetch sees what others have.
	w = &waiting{done: 2, fetch: func(int) error { return brenner.Errorf(brenner.CodeWriteDenied, "no") }}
	if status, _, errs := w.watch(t.Context(), false); status != 0 || errs != "" {
		t.Errorf("status %d, said %q", status, errs)
	}
}

// D27: without whom a session went on is marked, and said.
func TestSessionStatus_MarksTheLate(t *testing.T) {
	st := api.SessionStatus{ID: "RS-1", State: api.SessionWaiting, Recipients: []api.RecipientStatus{
		{Recipient: api.Recipient{Name: "BlueLake"}, Delivery: api.Delivered},
		{Recipient: api.Recipient{Name: "RedSky", Waiting: true, Late: true}, Delivery: api.Delivered},
	}}
	text := textOf(func(w *printer) { printSessionStatus(w, st) })
	if strings.Count(text, "- (late)") != 1 || !strings.Contains(text, "\nlate: the session went on without the answer") {
		t.Errorf("printed\n%s", text)
	}
	st.Recipients[1].Late = false
	if text := textOf(func(w *printer) { printSessionStatus(w, st) }); strings.Contains(text, "late") {
		t.Errorf("printed\n%s", text)
	}
}

// W12: what runs cost is said as far as it was told: what is not told, or not yet, is not
// nothing.
func TestCostWords_WhatIsNotToldIsNotNothing(t *testing.T) {
	for _, c := range []struct {
		sum  api.RunSum
		want string
	}{
		{api.RunSum{Runs: 1}, "$0.00"},
		{api.RunSum{Runs: 1, Running: 1}, "cost not told yet"},
		{api.RunSum{Runs: 2, Running: 1, Unknown: 1}, "cost not told"},
		{api.RunSum{Runs: 3, Cost: 1_500_000, Running: 2}, "$1.50 and what 2 runs at work did not tell yet"},
		{api.RunSum{Runs: 2, Cost: 1_500_000, Unknown: 1}, "$1.50 and what 1 run did not tell"},
	} {
		if got := costWords(c.sum); got != c.want {
			t.Errorf("%+v: %q, want %q", c.sum, got, c.want)
		}
	}
}

// W11: that a run printed nothing that was kept is said, instead of nothing.
func TestUnprinted_SaysThatThereIsNoTranscript(t *testing.T) {
	for _, c := range []struct {
		log  api.RunLog
		want string
	}{
		{api.RunLog{ID: "run-3", Text: "hello"}, ""},
		{api.RunLog{ID: "run-3", Running: true}, "run-3 runs, and has printed nothing yet"},
		{api.RunLog{ID: "run-3"}, "run-3 left no transcript; `brenner run show run-3` says how it ended"},
	} {
		if got := unprinted(c.log); got != c.want {
			t.Errorf("%+v: %q", c.log, got)
		}
	}
}
