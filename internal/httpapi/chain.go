package httpapi

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/internal/admission"

	"go.opentelemetry.io/otel/trace"
)

// note is what is remembered about a request for the log and the metrics. It
// holds no secret: neither token nor cookie, query nor body.
type note struct {
	id     string
	name   string // of the use case
	route  string // the pattern of the path
	caller Caller
	code   brenner.Code
	cause  error
	status int
	bytes  int64
	leave  func() // the place of a page; nil: it has none
}

// failed notes the error that was answered.
func (n *note) failed(err error, t trouble) {
	n.code = t.Code
	if t.Code == brenner.CodeInternal {
		n.cause = err
	}
}

type noteKey struct{}

func noteOf(h *http.Request) *note {
	if n, ok := h.Context().Value(noteKey{}).(*note); ok {
		return n
	}
	return &note{}
}

// named notes which use case a request turned out to be.
func (s *Server) named(name string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, h *http.Request) {
		n := noteOf(h)
		n.name, n.route = name, routeOf(h)
		next(w, h)
	}
}

// routeOf is the pattern that a request matched, without the method.
func routeOf(h *http.Request) string {
	if _, path, ok := strings.Cut(h.Pattern, " "); ok {
		return path
	}
	return h.Pattern
}

// chain is what every request goes through.
func (s *Server) chain(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, h *http.Request) {
		fail(w, h, brenner.Errorf(brenner.CodeUnauthenticated, "the request comes from a page of another origin"))
	}))
	return s.watched(s.addressed(origin.Handler(next)))
}

// addressed refuses requests that were meant for another name, and any while
// the server stops.
func (s *Server) addressed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, h *http.Request) {
		head := w.Header()
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Cache-Control", "no-store")
		head.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		head.Set("Referrer-Policy", "no-referrer")
		switch {
		case !s.answersTo(h.Host) && !isProbe(h):
			fail(w, h, brenner.Errorf(brenner.CodeUnauthenticated, "this server does not answer to the name %q", brenner.Clip(h.Host, brenner.MaxQuote)).
				WithHint("use the address it printed, or name the host when starting it").Try(brenner.Do("serve").Asking("host")))
		case s.stopping.Load() && h.URL.Path != "/healthz":
			w.Header().Set("Connection", "close")
			fail(w, h, errStopping)
		default:
			next.ServeHTTP(w, h)
		}
	})
}

// isProbe says whether a load balancer asks, which may use any name: there is
// nothing to learn from the answer.
func isProbe(h *http.Request) bool { return h.URL.Path == "/healthz" || h.URL.Path == "/readyz" }

func (s *Server) answersTo(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	if ip := net.ParseIP(name); name == "localhost" || (ip != nil && ip.IsLoopback()) {
		return true
	}
	return slices.ContainsFunc(s.options.Hosts, func(h string) bool { return strings.EqualFold(h, name) })
}

// watched gives a request its id and its span, survives its panics, counts and
// logs it.
func (s *Server) watched(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, h *http.Request) {
		n := &note{id: newID()}
		ctx, span := s.span(h)
		ctx, leave := admission.Visit(ctx)
		defer leave()
		h = h.WithContext(context.WithValue(ctx, noteKey{}, n))
		out := &counted{ResponseWriter: w, note: n}
		out.Header().Set("X-Request-Id", n.id)
		start := time.Now()
		s.metrics.under.Add(1)
		defer func() {
			s.metrics.under.Add(-1)
			if n.leave != nil {
				n.leave()
			}
			p := recover()
			if p != nil && p != any(http.ErrAbortHandler) { //nolint:errorlint // a panic value is compared, not an error
				n.cause = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
				if n.status == 0 {
					fail(out, h, n.cause)
					out.Flush() // the end of the connection would take the answer with it
				}
			}
			s.ended(span, h, n)
			s.report(h, n, time.Since(start))
			if p != nil {
				panic(http.ErrAbortHandler) // the connection is not to be used again
			}
		}()
		sent := h.Body
		next.ServeHTTP(out, h)
		if n.status >= http.StatusBadRequest {
			s.hearOut(out, h, sent)
		}
	})
}

// hearOut lets a client that sends a large body which is refused send it to its
// end, for a while: many read nothing before they have, and a connection that is
// closed on them takes the answer with it. Nothing is kept of it.
func (s *Server) hearOut(w *counted, h *http.Request, sent io.Reader) {
	if h.ContentLength >= 0 && h.ContentLength <= brenner.SmallBodyBytes || h.Header.Get("Expect") != "" {
		return // the library does, and who asks before sending has sent nothing
	}
	select {
	case s.limits.refusals <- struct{}{}:
		defer func() { <-s.limits.refusals }()
	default:
		return
	}
	if http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.options.Deadlines.Header)) == nil {
		w.Flush()
		_, _ = io.CopyN(io.Discard, sent, 2*brenner.MaxRequestBytes)
	}
}

func (s *Server) report(h *http.Request, n *note, took time.Duration) {
	s.metrics.count(n, took)
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("id", n.id), slog.String("call", n.name), slog.String("method", h.Method),
		slog.Int("status", n.status), slog.Int64("bytes", n.bytes), slog.Duration("took", took),
	}
	if n.caller.Auth != "" {
		attrs = append(attrs, slog.String("actor", string(n.caller.Name)), slog.String("auth", n.caller.Auth))
	}
	if of := trace.SpanContextFromContext(h.Context()); of.HasTraceID() {
		attrs = append(attrs, slog.String("trace", of.TraceID().String()))
	}
	if n.code != "" {
		attrs = append(attrs, slog.String("code", string(n.code)))
	}
	if n.cause != nil {
		level = slog.LevelError
		attrs = append(attrs, slog.String("cause", n.cause.Error()))
	}
	s.options.Log.LogAttrs(h.Context(), level, "request", attrs...)
}

// counted notes what was answered.
type counted struct {
	http.ResponseWriter
	note *note
}

func (c *counted) WriteHeader(status int) {
	if c.note.status == 0 {
		c.note.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *counted) Write(p []byte) (int, error) {
	if c.note.status == 0 {
		c.note.status = http.StatusOK
	}
	n, err := c.ResponseWriter.Write(p)
	c.note.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Flush sends what was written; the MCP library asks for it by this name.
func (c *counted) Flush() { _ = http.NewResponseController(c.ResponseWriter).Flush() }
