package httpapi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"brenner"
	"brenner/api"
	"brenner/policy"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Backend is what the server serves.
type Backend interface {
	// Authenticate says whom a token names. Code: UNAUTHENTICATED.
	Authenticate(ctx context.Context, token string) (Caller, error)
	// Owner is the person who started the server.
	Owner(ctx context.Context) (Caller, error)
	// Ready says why the server cannot work now, or nil.
	Ready(ctx context.Context) error
	// Wait returns when the journal holds more than after records.
	Wait(ctx context.Context, after int64) error
}

// Caller is who asks: the service as they have it, and how we know them.
type Caller struct {
	Service api.Service
	Name    brenner.ActorName
	// Auth is how they were authenticated, without any secret: token:ID, login.
	Auth string
	// May refuses who may do none of some acts, whatever they are about, before
	// a large body is read; nil: the service alone decides, after that.
	May func(ctx context.Context, acts []policy.Action) error
}

// Options are what a server can be told.
type Options struct {
	Backend Backend
	// Log takes one line a request.
	Log *slog.Logger
	// Hosts are the names the server answers to; empty: those of this machine
	// to itself. Another name in a request may be a page of a stranger that
	// made its own name point here.
	Hosts []string
	// Login allows the person who started the server to log in with a browser.
	Login bool
	// Secure says that clients come over TLS.
	Secure bool
	// MCP serves /mcp, to those who have a token; nil: nobody does.
	MCP http.Handler
	// Holder gives a request for a file, which that answers too, as one of who was given the
	// ticket that it shows. Code: UNAUTHENTICATED. Nil: there are no files.
	Holder func(*http.Request) (*http.Request, error)
	// Pages serves browsers whatever is not the API; nil: nothing does.
	Pages func(Visitors) http.Handler
	// Rate and Burst bound the requests of one token; 0: the limits of
	// brenner.
	Rate, Burst int
	// Deadlines are how long clients may take; zero: the limits of brenner.
	Deadlines Deadlines
	// Clock tells when logins end; nil: time.Now.
	Clock func() time.Time
	// Tracer gives each request a span; nil: none has one.
	Tracer trace.TracerProvider
	// Project is the one that is served, as spans name it.
	Project brenner.ProjectID
}

// Deadlines cut off clients that are slow.
type Deadlines struct {
	// Header is for the header of a request, and for taking one event of a
	// feed.
	Header time.Duration
	// Request is for the whole of a request, and for taking the answer.
	Request time.Duration
	// Heartbeat is how often a quiet feed says that it is still there, and
	// looks whether its reader still may read.
	Heartbeat time.Duration
}

// Visitors is what pages learn from the server.
type Visitors struct {
	// Who gives the service of whoever asks, and counts the request.
	Who func(*http.Request) (api.Service, error)
	// Wait returns when the journal holds more than after records, or the
	// server stops.
	Wait func(ctx context.Context, after int64) error
	// LogIn and LogOut are those of the server; where there are pages, these
	// answer /login and /logout.
	LogIn  func(w http.ResponseWriter, h *http.Request, admit func(api.Service) error) error
	LogOut func(http.ResponseWriter, *http.Request)
}

// Server answers requests. It is an http.Handler.
type Server struct {
	options  Options
	handler  http.Handler
	logins   *logins
	limits   *limits
	metrics  *meters
	tracer   trace.Tracer
	stopping atomic.Bool
	// live is done when the server stops: what never ends by itself ends then.
	live context.Context
	stop context.CancelFunc
}

// New makes a server.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Tracer == nil {
		o.Tracer = noop.NewTracerProvider()
	}
	if o.Deadlines == (Deadlines{}) {
		o.Deadlines = Deadlines{Header: brenner.HeaderDeadline, Request: brenner.RequestDeadline, Heartbeat: brenner.FeedHeartbeat}
	}
	s := &Server{options: o, tracer: o.Tracer.Tracer("brenner/http"), logins: newLogins(o.Clock), limits: newLimits(o.Rate, o.Burst), metrics: newMeters()}
	s.live, s.stop = context.WithCancel(context.Background())
	s.handler = s.chain(s.mux())
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, h *http.Request) { s.handler.ServeHTTP(w, h) }

func (s *Server) mux() *http.ServeMux {
	m := http.NewServeMux()
	for _, r := range routes() {
		m.HandleFunc(r.method+" "+prefix+r.path, s.known(r.name, bodyOf(r.large), s.serve(r)))
	}
	m.HandleFunc("GET "+prefix+"/export", s.known("Export", bodyOf(nil), s.export))
	m.HandleFunc("GET "+prefix+"/feed", s.known("Feed", bodyOf(nil), s.feed))
	m.HandleFunc("GET "+prefix+"/openapi.json", s.named("OpenAPI", serveOpenAPI))
	m.HandleFunc("GET /healthz", s.named("Health", s.health))
	m.HandleFunc("GET /readyz", s.named("Ready", s.ready))
	m.HandleFunc("GET /metrics", s.known("Metrics", bodyOf(nil), func(w http.ResponseWriter, h *http.Request, _ Caller) { s.metrics.ServeHTTP(w, h) }))
	if s.options.MCP != nil {
		m.HandleFunc("/mcp", s.known("MCP", messages(), s.mcp))
	}
	if s.options.Holder != nil {
		m.HandleFunc("/mcp/file", s.named("File", s.file))
	}
	m.HandleFunc(prefix+"/", s.named("None", none))
	if s.options.Pages != nil {
		pages := s.options.Pages(Visitors{Who: s.visitor, Wait: s.wait, LogIn: s.LogIn, LogOut: s.LogOut})
		m.HandleFunc("/", s.named("Page", pages.ServeHTTP))
		return m
	}
	m.HandleFunc("GET /login", s.named("Login", s.login))
	m.HandleFunc("POST /login", s.named("Login", s.login))
	m.HandleFunc("POST /logout", s.named("Logout", s.logout))
	m.HandleFunc("/", s.named("None", none))
	return m
}

// none answers a program that asks for what there is not.
func none(w http.ResponseWriter, h *http.Request) {
	fail(w, h, brenner.Errorf(brenner.CodeNotFound, "nothing answers %s %s", h.Method, brenner.Clip(h.URL.Path, brenner.MaxQuote)).
		WithHint("see "+prefix+"/openapi.json"))
}

// serve is the handler of one row of the table.
func (s *Server) serve(r route) func(http.ResponseWriter, *http.Request, Caller) {
	return func(w http.ResponseWriter, h *http.Request, c Caller) {
		req, err := r.bind(h)
		if err != nil {
			fail(w, h, err)
			return
		}
		s.takeTime(w)
		ctx, repeated := api.WatchReplay(h.Context())
		result, err := r.invoke(ctx, c.Service, req)
		s.extend(w)
		if err != nil {
			fail(w, h, err)
			return
		}
		if *repeated {
			w.Header().Set(duplicateHeader, "true")
		}
		answer(w, h, result)
	}
}

// duplicateHeader says of a write that its key was used for the same request before, and
// that nothing was done again (X2).
const duplicateHeader = "Brenner-Duplicate"

// mcp lets a caller with a token through. Tools act for the caller of this very
// request: identity is the token, never a session.
func (s *Server) mcp(w http.ResponseWriter, h *http.Request, c Caller) {
	if bearer(h) == "" {
		fail(w, h, brenner.Errorf(brenner.CodeUnauthenticated, "tools are for those who have a token").
			WithHint("send Authorization: Bearer TOKEN"))
		return
	}
	s.options.MCP.ServeHTTP(w, h.WithContext(context.WithValue(h.Context(), callerKey{}, c)))
}

// file lets whoever shows a ticket through as the one who was given it.
func (s *Server) file(w http.ResponseWriter, h *http.Request) {
	h, err := s.options.Holder(h)
	if err != nil {
		if s.limits.allow("from:"+remote(h)) != nil {
			err = errTooMany
		}
		fail(w, h, err)
		return
	}
	s.known("File", messages(), s.mcp)(w, h)
}

type callerKey struct{}

// CallerOf is who asks for tools.
func CallerOf(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// known is a handler for somebody who is known and within their limits.
func (s *Server) known(name string, in intake, next func(http.ResponseWriter, *http.Request, Caller)) http.HandlerFunc {
	return s.named(name, func(w http.ResponseWriter, h *http.Request) {
		caller, err := s.admit(h)
		if err != nil {
			fail(w, h, err)
			return
		}
		leave, err := s.receive(h, caller, in)
		if err != nil {
			fail(w, h, err)
			return
		}
		defer leave()
		next(w, h, caller)
	})
}

// receive takes a place for a request, and room for what it brings.
func (s *Server) receive(h *http.Request, c Caller, in intake) (leave func(), err error) {
	place, err := s.limits.enter(c.Auth)
	if err != nil {
		return nil, err
	}
	room, err := s.limits.body(h, c, in)
	if err != nil {
		place()
		return nil, err
	}
	return func() { room(); place() }, nil
}

// admit lets somebody in who is known and within their limits.
func (s *Server) admit(h *http.Request) (Caller, error) {
	caller, err := s.caller(h)
	if err != nil {
		// Guessing costs the one who guesses.
		if s.limits.allow("from:"+remote(h)) != nil {
			err = errTooMany
		}
		return Caller{}, err
	}
	noteOf(h).caller = caller
	return caller, s.limits.allow(caller.Auth)
}

// visitor is who asks for a page, until it is answered.
func (s *Server) visitor(h *http.Request) (api.Service, error) {
	caller, err := s.admit(h)
	switch n := noteOf(h); {
	case n.leave != nil: // a page that stays open asks again
	case err == nil:
		n.leave, err = s.receive(h, caller, forms())
	default:
		if full := s.receiveForm(h); full != nil {
			err = full
		}
	}
	return caller.Service, err
}

// receiveForm takes room for the form of somebody who is not known, which is kept
// through the login.
func (s *Server) receiveForm(h *http.Request) error {
	n := noteOf(h)
	if n.leave != nil {
		return nil
	}
	leave, err := s.limits.body(h, Caller{Name: brenner.ActorName("from:" + remote(h))}, forms())
	if err == nil {
		n.leave = leave
	}
	return err
}

// wait waits for the journal to grow, no longer than the server lives.
func (s *Server) wait(ctx context.Context, after int64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.live, cancel)()
	return s.options.Backend.Wait(ctx, after)
}

// caller finds out who asks: by a token, or by a browser that is logged in.
func (s *Server) caller(h *http.Request) (Caller, error) {
	if token := bearer(h); token != "" {
		return s.options.Backend.Authenticate(h.Context(), token)
	}
	if c, err := h.Cookie(cookieName); err == nil {
		if login, ok := s.logins.find(c.Value); ok {
			return s.loggedIn(h.Context(), login)
		}
	}
	return Caller{}, brenner.Errorf(brenner.CodeUnauthenticated, "nobody known is asking").
		WithHint("send Authorization: Bearer TOKEN; the PI makes a token").Try(brenner.Do("agent.token").Asking("name"))
}

func bearer(h *http.Request) string { return Bearer(h.Header) }

// Bearer gives the token that a request carries, "" if none.
func Bearer(h http.Header) string {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

func remote(h *http.Request) string {
	host, _, err := net.SplitHostPort(h.RemoteAddr)
	if err != nil {
		return h.RemoteAddr
	}
	return host
}

func (s *Server) health(w http.ResponseWriter, h *http.Request) {
	answer(w, h, map[string]string{"status": "ok"})
}

func (s *Server) ready(w http.ResponseWriter, h *http.Request) {
	if s.stopping.Load() {
		fail(w, h, errStopping)
		return
	}
	ctx, cancel := context.WithTimeout(h.Context(), 5*time.Second)
	defer cancel()
	if err := s.options.Backend.Ready(ctx); err != nil {
		fail(w, h, err)
		return
	}
	answer(w, h, map[string]string{"status": "ready"})
}

var errStopping = brenner.Errorf(brenner.CodeStoreUnavailable, "the server is stopping").WithHint("try again, or another server")

// resultTrailer carries what an export was, behind it.
const resultTrailer = "Brenner-Result"

// export streams the project. A refusal comes before the first byte; what
// breaks later breaks the connection, so that half an export never looks whole.
func (s *Server) export(w http.ResponseWriter, h *http.Request, c Caller) {
	w.Header().Set("Trailer", resultTrailer)
	s.takeTime(w)
	out := &late{w: w, extend: func() { s.extend(w) }}
	result, err := c.Service.Export(h.Context(), out)
	if err != nil && !out.started {
		w.Header().Del("Trailer")
		fail(w, h, err)
		return
	}
	if err != nil {
		noteOf(h).failed(err, newTrouble(err, ""))
		panic(http.ErrAbortHandler)
	}
	w.Header().Set(resultTrailer, string(mustJSON(result)))
}

// late is a body that starts with its first byte, and whose reader may take
// its time as long as it goes on reading.
type late struct {
	w       http.ResponseWriter
	extend  func()
	started bool
}

func (l *late) Write(p []byte) (int, error) {
	if !l.started {
		l.started = true
		l.w.Header().Set("Content-Type", "application/jsonl")
	}
	l.extend()
	return l.w.Write(p)
}

// takeTime ends the time a request may take to arrive, once it has: a use case
// that reads a whole journal takes longer.
func (s *Server) takeTime(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}

// extend gives the client of a long answer another while.
func (s *Server) extend(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.options.Deadlines.Request))
}

// Serve answers on a listener until the context is done; then it takes no more
// requests, finishes those under way and returns.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	hs := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.options.Deadlines.Header,
		ReadTimeout:       s.options.Deadlines.Request,
		WriteTimeout:      2 * s.options.Deadlines.Request,
		IdleTimeout:       s.options.Deadlines.Request,
		MaxHeaderBytes:    brenner.MaxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.options.Log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- hs.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	s.stop()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), brenner.ShutdownDeadline)
	defer cancel()
	if err := hs.Shutdown(late); err != nil {
		return errors.Join(fmt.Errorf("requests under way did not finish: %w", err), hs.Close())
	}
	return nil
}

// newID names a request in the log.
func newID() string { return rand.Text()[:16] }
