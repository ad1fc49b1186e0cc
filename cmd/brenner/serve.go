package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app"
	"brenner/internal/cli"
	"brenner/internal/httpapi"
	"brenner/internal/loopback"
	"brenner/internal/mcpserver"
	"brenner/internal/problem"
	"brenner/internal/tracing"
	"brenner/internal/web"
	"brenner/policy"
)

// backend is an application as the server asks it.
type backend struct{ *app.App }

func (b backend) Authenticate(ctx context.Context, token string) (httpapi.Caller, error) {
	who, err := b.App.Authenticate(ctx, token)
	if err != nil {
		return httpapi.Caller{}, err
	}
	return b.caller(who), nil
}

func (b backend) Owner(ctx context.Context) (httpapi.Caller, error) {
	name, err := b.App.Owner(ctx)
	return b.caller(app.Identity{Name: name, Auth: app.AuthLogin}), err
}

func (b backend) caller(who app.Identity) httpapi.Caller {
	may := func(ctx context.Context, acts []policy.Action) error { return b.May(ctx, who, acts) }
	return httpapi.Caller{Service: b.As(who), Name: who.Name, Auth: who.Auth, May: may}
}

// serveProject serves a project until the context is done.
func serveProject(ctx context.Context, w cli.Where, req cli.ServeRequest) (err error) {
	if w.Server != "" || w.As != "" {
		return brenner.Errorf(brenner.CodeUsage, "a server serves a store, for everybody").
			WithHint("name neither a server nor an agent, and unset BRENNER_SERVER and BRENNER_AGENT")
	}
	a, closer, err := openApp(ctx, w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer()) }()
	if err := mayListen(ctx, a, req.Addr); err != nil {
		return err
	}
	project, err := projectOf(ctx, a)
	if err != nil {
		return err
	}
	l, scheme, err := listen(ctx, req)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(req.Log, nil))
	tracer, flush, err := tracing.Start(ctx, tracing.Options{Version: version, Log: log})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer flush()
	tickets := mcpserver.NewTickets(nil)
	s := httpapi.New(httpapi.Options{
		Backend: backend{a}, Log: log, Tracer: tracer, Project: project,
		Hosts: hosts(req), Login: true, Secure: scheme == "https",
		MCP:    mcpserver.Handler(mcpserver.Options{Version: version, Service: asCaller, Log: log, Tracer: tracer, Leaving: ctx.Done(), Linger: mcpserver.Linger, Tickets: tickets}),
		Holder: tickets.Holder,
		Pages: func(v httpapi.Visitors) http.Handler {
			return web.New(web.Options{Service: v.Who, Wait: v.Wait, LogIn: v.LogIn, LogOut: v.LogOut, Log: log})
		},
	})
	a.WatchTurns(func(ctx context.Context, t app.Turn) {
		s.Turn(ctx, httpapi.Turn{Name: t.Name, Actor: t.Who.Name, Auth: t.Who.Auth, Took: t.Took, Over: t.Over})
	})
	boundMemory()
	go compileDue(ctx, a, log)
	base := scheme + "://" + l.Addr().String()
	if err := req.Announce(cli.Served{Address: base, Login: base + s.LoginPath()}); err != nil {
		return errors.Join(err, l.Close())
	}
	var sending sync.WaitGroup
	ctx, stop := context.WithCancel(ctx)
	sending.Go(func() { sendNotices(ctx, a, project, log) })
	sending.Go(func() { automate(ctx, a, log) })
	sending.Go(func() { readAhead(ctx, a, log) })
	defer sending.Wait() // before the store is closed
	defer stop()
	return s.Serve(ctx, l)
}

// boundMemory has the collector keep a server small, unless whoever starts it
// says how large it may be. Below that it need not hurry: most of what a call leaves
// behind is garbage at once.
func boundMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(brenner.ServerMemory)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(brenner.ServerGarbage)
	}
}

// readAhead keeps in memory what contexts will ask for, for as long as the process stays.
// It rests as long as it works: others have the processors.
func readAhead(ctx context.Context, a *app.App, log *slog.Logger) {
	for {
		if err := a.ReadAhead(ctx, func(worked time.Duration) { rest(ctx, worked) }); err != nil && ctx.Err() == nil {
			log.Error("artifacts could not be read ahead", "error", err)
		}
		if !rest(ctx, readAheadEvery) {
			return
		}
	}
}

// readAheadEvery is how often it looks for artifacts that are new.
const readAheadEvery = time.Minute

// rest waits, and reports whether there is still something to wait for.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// compileDue compiles the sessions whose time has come (D27), for as long as the
// process stays: that happens by itself, and the journal says so. Whoever is faster
// compiles; the other finds nothing to do.
func compileDue(ctx context.Context, a *app.App, log *slog.Logger) {
	tick := time.NewTicker(compileEvery)
	defer tick.Stop()
	for {
		if err := compileOnce(ctx, a, allPages); err != nil && ctx.Err() == nil {
			log.Error("sessions that are due could not be compiled", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// compileEvery is how often it looks for sessions that are due.
const compileEvery = 15 * time.Second

// How many pages of sessions, the newest first, are looked through: all by a process that
// stays, one by a command that has written.
const (
	allPages = -1
	onePage  = 1
)

// compileOnce compiles the sessions whose time has come.
func compileOnce(ctx context.Context, a *app.App, pages int) error {
	s := a.As(app.Automation)
	req := api.ListSessionsRequest{Page: api.Page{Limit: brenner.MaxPage}}
	for {
		list, err := s.Sessions(ctx, req)
		if err != nil {
			return err
		}
		for _, info := range list.Sessions {
			if !mayBeDue(info) {
				continue
			}
			st, err := s.SessionStatus(ctx, api.SessionStatusRequest{ID: info.ID})
			if err == nil && !st.CompileAt.IsZero() && !st.CompileAt.After(time.Now()) {
				_, err = s.CompileSession(ctx, api.CompileSessionRequest{ID: info.ID, Due: true})
			}
			if err != nil {
				return err
			}
		}
		if pages--; list.Cursor == "" || pages == 0 {
			return nil
		}
		req.Cursor = list.Cursor
	}
}

// mayBeDue says whether it is worth asking when a session is compiled: it is by itself, and
// something may wait. Of those who were asked that is known.
func mayBeDue(info api.SessionInfo) bool {
	_, timed := info.Compile.After()
	return timed || info.Compile == api.CompileAnswered && slices.ContainsFunc(info.Recipients, func(r api.Recipient) bool { return r.Pending > 0 })
}

func projectOf(ctx context.Context, a *app.App) (brenner.ProjectID, error) {
	owner, err := backend{a}.Owner(ctx)
	if err != nil {
		return "", err
	}
	info, err := owner.Service.Project(ctx)
	return info.ID, err
}

// asCaller acts for whoever's request a call of a tool is.
func asCaller(ctx context.Context, _ http.Header) (api.Service, error) {
	c, ok := httpapi.CallerOf(ctx)
	if !ok {
		return nil, brenner.Errorf(brenner.CodeUnauthenticated, "nobody known is asking")
	}
	return c.Service, nil
}

// mcpProject serves tools over a pair of streams, until one ends. Nobody gets
// tools without being named (X8).
func mcpProject(ctx context.Context, w cli.Where, in io.ReadCloser, out io.WriteCloser) (err error) {
	if w.As == "" && w.Token == "" {
		return brenner.Errorf(brenner.CodeUnauthenticated, "tools are for an agent that is named").
			WithHint("name the agent, or set BRENNER_AGENT or BRENNER_TOKEN").Try(brenner.Again("as", "NAME"))
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	s, closer, err := openForTools(ctx, w, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer()) }()
	info, err := s.Project(ctx)
	if err != nil {
		return err // a wrong name or token is found out now, not by the first tool
	}
	if w.As != "" && info.Actor != w.As { // a server goes by the token alone
		return brenner.Errorf(brenner.CodeUsage, "the agent that is named is %s, and the token in BRENNER_TOKEN is of %s", w.As, info.Actor).
			WithHint("leave out one of them: who acts must be plain")
	}
	tracer, flush, err := tracing.Start(ctx, tracing.Options{Version: version, Log: log})
	if err != nil {
		return err
	}
	defer flush()
	o := mcpserver.Options{
		Version: version, Log: log, Tracer: tracer, Linger: mcpserver.Linger, Tickets: mcpserver.NewTickets(nil),
		Service: func(context.Context, http.Header) (api.Service, error) { return s, nil },
	}
	files, stop := serveFiles(o)
	defer stop()
	o.Files = files
	server := mcpserver.New(o)
	if err := server.Run(ctx, mcpserver.Stdio(in, out, log)); err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// serveFiles serves the files of an agent over stdio to the programs that it starts, on a
// port of this machine that is opened when the first is asked for, and to nobody without a
// ticket.
func serveFiles(o mcpserver.Options) (base func() (string, error), stop func()) {
	var server atomic.Pointer[loopback.Server]
	base = sync.OnceValues(func() (string, error) {
		files := http.NewServeMux()
		files.Handle(mcpserver.FilePath, mcpserver.FileHandler(o))
		l, err := loopback.Serve(files, o.Log)
		if err != nil {
			e, _ := problem.From(err)
			return "", e.WithHint("leave file out: contents come and go with the calls")
		}
		server.Store(l)
		return l.URL, nil
	})
	return base, func() {
		if l := server.Load(); l != nil {
			_ = l.Close()
		}
	}
}

// mayListen keeps a server that knows no token on this machine: there is
// nobody elsewhere who could use it.
func mayListen(ctx context.Context, a *app.App, addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return brenner.Errorf(brenner.CodeUsage, "%q is not an address to listen on", addr).WithHint("write HOST:PORT, for example 127.0.0.1:7420")
	}
	if ip := net.ParseIP(host); host == "localhost" || (ip != nil && ip.IsLoopback()) {
		return nil
	}
	known, err := a.HasTokens(ctx)
	if err == nil && !known {
		err = brenner.Errorf(brenner.CodeUsage, "without tokens the server listens on this machine only, not on %s", addr).
			WithHint("make a token first").Try(brenner.Do("agent.token").Asking("name"))
	}
	return err
}

// hosts are the names the server answers to: those given, and the one it
// listens on.
func hosts(req cli.ServeRequest) []string {
	host, _, _ := net.SplitHostPort(req.Addr)
	if host == "" {
		return req.Hosts
	}
	return append([]string{host}, req.Hosts...)
}

func listen(ctx context.Context, req cli.ServeRequest) (net.Listener, string, error) {
	var config *tls.Config
	if req.TLSCert != "" {
		cert, err := tls.LoadX509KeyPair(req.TLSCert, req.TLSKey)
		if err != nil {
			return nil, "", brenner.Errorf(brenner.CodeFileError, "the certificate and its key cannot be used").
				WithHint("give both as PEM files that belong together").Because(err)
		}
		config = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", req.Addr)
	if err != nil {
		why := err
		if system := (*os.SyscallError)(nil); errors.As(err, &system) {
			why = system.Err
		}
		return nil, "", brenner.Errorf(brenner.CodeAddressUnavailable, "cannot listen on %s: %v", req.Addr, why).Because(err)
	}
	if config == nil {
		return l, "http", nil
	}
	return tls.NewListener(l, config), "https", nil
}
