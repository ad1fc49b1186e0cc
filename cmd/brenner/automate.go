package main

import (
	"context"
	"log/slog"
	"time"

	"brenner/api"
	"brenner/internal/app"
	"brenner/internal/cli"
)

const (
	// automateEvery is how often a process looks whether the time of a rule has
	// come, automatePause how long it lets changes gather.
	automateEvery = 30 * time.Second
	automatePause = 200 * time.Millisecond
)

// automate does what happens by itself until the context is done (A2): after
// every change, and when the time of a rule has come. However many processes do
// so, each thing happens once.
func automate(ctx context.Context, a *app.App, log *slog.Logger) {
	worker := a.Automation()
	for ctx.Err() == nil {
		seen, err := a.Size(ctx)
		if err == nil {
			_, _, err = worker.Run(ctx, 0)
		}
		if err != nil && ctx.Err() == nil {
			log.Error("what happens by itself did not", "error", err)
		}
		wait, cancel := context.WithTimeout(ctx, automateEvery)
		_ = a.Wait(wait, seen) // or it is time to look at the clock
		cancel()
		select {
		case <-ctx.Done():
		case <-time.After(automatePause):
		}
	}
}

// startAutomation does the same in the background, and compiles the sessions that
// are due; what it gives ends it.
func startAutomation(ctx context.Context, a *app.App, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		automate(ctx, a, log)
	}()
	due := make(chan struct{})
	go func() {
		defer close(due)
		compileDue(ctx, a, log)
	}()
	return func() {
		cancel()
		<-done
		<-due
	}
}

// openForTools is openProject for a process that stays: what happens by itself
// does not wait for its end.
func openForTools(ctx context.Context, w cli.Where, log *slog.Logger) (api.Service, func() error, error) {
	if w.Server != "" {
		return openProject(ctx, w)
	}
	a, s, closer, err := openLocal(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	stop := startAutomation(ctx, a, log)
	return s, func() error {
		stop()
		a.AutomateAfterWrite(ctx)
		return closer()
	}, nil
}
