package runner

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"brenner"
	"brenner/internal/patience"
)

// loopback serves the tools to the programs of our runs, on a port of its own
// and to nobody without the token of a live run (W3).
type loopback struct {
	url  string
	http *http.Server

	mu     sync.RWMutex
	tokens map[string]*atomic.Bool // whether the project stayed away
}

// serveLoopback serves the tools, and files to whoever shows a ticket for one; a call waits
// for so long for a project that is away.
func serveLoopback(tools http.Handler, holder func(*http.Request) (*http.Request, error), wait time.Duration, log *slog.Logger) (*loopback, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, brenner.Errorf(brenner.CodeStoreUnavailable, "no port on this machine can be listened on").Because(err)
	}
	s := &loopback{url: "http://" + l.Addr().String() + "/mcp", tokens: map[string]*atomic.Bool{}}
	host := l.Addr().String()
	s.http = &http.Server{
		ReadHeaderTimeout: brenner.HeaderDeadline, MaxHeaderBytes: brenner.MaxHeaderBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			// A page in a browser reaches loopback too: under another name, or
			// with its origin.
			if req.Host != host || req.Header.Get("Origin") != "" {
				http.Error(w, "not for browsers", http.StatusForbidden)
				return
			}
			switch {
			case req.URL.Path == "/mcp":
			case req.URL.Path == "/mcp/file" && holder != nil:
				var err error
				if req, err = holder(req); err != nil {
					http.Error(w, err.Error(), http.StatusUnauthorized)
					return
				}
			default:
				http.NotFound(w, req)
				return
			}
			away := s.admits(strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer "))
			if away == nil {
				w.Header().Set("WWW-Authenticate", "Bearer")
				http.Error(w, "this is for the runs of one runner, by the token of a live one", http.StatusUnauthorized)
				return
			}
			tools.ServeHTTP(w, req.WithContext(patience.With(req.Context(), wait, away)))
		}),
	}
	go func() { _ = s.http.Serve(l) }()
	return s, nil
}

// admit lets the program of a run in; what it gives says whether the project
// stayed away from a call of it.
func (s *loopback) admit(token string) *atomic.Bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[token] = new(atomic.Bool)
	return s.tokens[token]
}

func (s *loopback) dismiss(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, token)
}

func (s *loopback) admits(token string) *atomic.Bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tokens[token]
}

func (s *loopback) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		return s.http.Close()
	}
	return nil
}
