package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"

	"brenner/api"
	"brenner/internal/cli"
	"brenner/internal/httpapi"
	"brenner/internal/locate"
	"brenner/internal/mcpserver"
	"brenner/internal/runner"
)

// newRunner makes what starts the agents of a project: beside its store, or of
// a server, where every run is known by its own token alike.
func newRunner(ctx context.Context, w cli.Where, req cli.RunnerRequest) (*runner.Runner, error) {
	o := runner.Options{
		Programs: req.Programs, TestAllowed: req.TestAllowed, Tell: req.Tell, Environ: os.Environ(), State: stateDir(), Dir: w.Dir,
	}
	if w.Server != "" {
		project, err := openServer(w)
		if err != nil {
			return nil, err
		}
		as := func(_ context.Context, token string) (api.Service, error) {
			own := w
			own.Token = token
			return openServer(own)
		}
		o.Project = project
		o.As = func(ctx context.Context, token string) (runner.Agent, error) { return as(ctx, token) }
		o.Handler, o.Holder = toolsFor(as)
		return runner.New(o)
	}
	a, closer, err := openApp(ctx, w)
	if err != nil {
		return nil, err
	}
	who, err := identify(ctx, a, w)
	if err != nil {
		_ = closer()
		return nil, err
	}
	if at, err := address(w); err == nil && at.SQLite != "" && filepath.Base(filepath.Dir(at.SQLite)) == locate.Dir {
		o.Dir = filepath.Dir(filepath.Dir(at.SQLite))
	}
	as := func(ctx context.Context, token string) (api.Service, error) {
		id, err := a.Authenticate(ctx, token)
		if err != nil {
			return nil, err
		}
		return a.As(id), nil
	}
	o.Project = a.As(who)
	o.As = func(ctx context.Context, token string) (runner.Agent, error) { return as(ctx, token) }
	o.Handler, o.Holder = toolsFor(as)
	stop := startAutomation(ctx, a, slog.New(slog.DiscardHandler))
	o.Close = func() error {
		stop()
		a.AutomateAfterWrite(ctx)
		return closer()
	}
	return runner.New(o)
}

// toolsFor serves Brenner's tools to whoever shows the token of a run, and files to whoever
// shows a ticket that was given to one.
func toolsFor(as func(context.Context, string) (api.Service, error)) (http.Handler, func(*http.Request) (*http.Request, error)) {
	tickets := mcpserver.NewTickets(nil)
	return mcpserver.Handler(mcpserver.Options{Version: version, Tickets: tickets, Service: func(ctx context.Context, h http.Header) (api.Service, error) {
		return as(ctx, httpapi.Bearer(h))
	}}), tickets.Holder
}

// stateDir is where runs keep their things on this machine while they last.
func stateDir() string {
	if d := os.Getenv("BRENNER_STATE"); d != "" {
		return d
	}
	if d := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "brenner", "runs")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "brenner", "runs")
}
