package app

import (
	"context"
	"io"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app/firings"
	"brenner/internal/app/kernel"
	"brenner/internal/app/notices"
	"brenner/internal/store"
	"brenner/policy"
)

// What the program asks of the whole project, outside any use case.

// Automation does what happens by itself, for a server (A2).
func (a *App) Automation() *firings.Worker { return a.firings.Worker() }

// AutomateAfterWrite does what is due if anything was written since it was
// called last, and says whether that is so: a few things, and quickly. That it cannot
// fails nobody (A2).
func (a *App) AutomateAfterWrite(ctx context.Context) bool {
	wrote := a.kernel.Wrote()
	if wrote {
		a.firings.Worker().After(ctx)
		a.kernel.Wrote()
	}
	return wrote
}

// Notices is the outbox of notifications, as the server keeps it (N7).
func (a *App) Notices(who Identity) *notices.Service { return a.notices.As(who) }

// Notice is a notification that waits to be sent.
type Notice = notices.Notice

// Init makes a project in an empty store, led by the person named.
func (a *App) Init(ctx context.Context, req api.InitRequest) (api.ProjectInfo, error) {
	return a.access.Init(ctx, req)
}

// Turn is the time one request had the store to itself among the writers.
type Turn = kernel.Turn

// WatchTurns has somebody told of every such turn. It is called before any use.
func (a *App) WatchTurns(tell func(context.Context, Turn)) { a.kernel.WatchTurns(tell) }

// ReadAhead remembers what contexts will ask for of the artifacts that are there, and the
// next time of those that have come since. After each portion pause is told how long it took.
func (a *App) ReadAhead(ctx context.Context, pause func(time.Duration)) error {
	return a.contexts.ReadAhead(ctx, pause)
}

// Owner names the person who leads the project (X8).
func (a *App) Owner(ctx context.Context) (brenner.ActorName, error) { return a.kernel.Owner(ctx) }

// Authenticate says whom a token's secret names.
func (a *App) Authenticate(ctx context.Context, secret string) (Identity, error) {
	return a.access.Authenticate(ctx, secret)
}

// May refuses who may do none of some acts, whatever they are about: before the
// server reads what they are to be done with.
func (a *App) May(ctx context.Context, who Identity, acts []policy.Action) error {
	return a.access.May(ctx, who, acts)
}

// HasTokens says whether any token is live.
func (a *App) HasTokens(ctx context.Context) (bool, error) { return a.access.HasTokens(ctx) }

// Import reads an export into an empty store.
func (a *App) Import(ctx context.Context, r io.Reader, tell api.Progress) (api.ImportResult, error) {
	return a.history.Import(ctx, r, tell)
}

// Wait returns when the journal holds more than after records.
func (a *App) Wait(ctx context.Context, after int64) error { return a.history.Wait(ctx, after) }

// Follow compares the journal with what is remembered of it outside the project,
// now, and remembers it as it grows until what it gives is called: at least
// every so often, and at the end (J8). A journal that is not the one remembered
// is not written to.
func (a *App) Follow(ctx context.Context, every time.Duration) (stop func()) {
	_ = a.history.Compare(ctx) // a store that cannot be read says so to who asks
	return a.history.Follow(every)
}

// Remember notes outside the project how far its journal is.
func (a *App) Remember(ctx context.Context) error { return a.history.Remember(ctx) }

// Size is how many records the journal holds.
func (a *App) Size(ctx context.Context) (size int64, err error) {
	err = a.kernel.Store().Read(ctx, func(r store.Reader) (err error) {
		size, err = r.Size(ctx)
		return err
	})
	return size, err
}

// Ready reads the project, and says why it cannot.
func (a *App) Ready(ctx context.Context) error { return a.history.Ready(ctx) }
