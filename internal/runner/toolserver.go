package runner

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"brenner/internal/loopback"
	"brenner/internal/patience"
)

// toolServer serves the tools to the programs of our runs, and to nobody without the token of
// a live run (W3).
type toolServer struct {
	*loopback.Server
	url string // of the tools

	mu     sync.RWMutex
	tokens map[string]*atomic.Bool // whether the project stayed away
}

// serveTools serves the tools, and files to whoever shows a ticket for one; a call waits for
// so long for a project that is away.
func serveTools(tools http.Handler, holder func(*http.Request) (*http.Request, error), wait time.Duration, log *slog.Logger) (*toolServer, error) {
	s := &toolServer{tokens: map[string]*atomic.Bool{}}
	server, err := loopback.Serve(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
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
	}), log)
	if err != nil {
		return nil, err
	}
	s.Server, s.url = server, server.URL+"/mcp"
	return s, nil
}

// admit lets the program of a run in; what it gives says whether the project
// stayed away from a call of it.
func (s *toolServer) admit(token string) *atomic.Bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[token] = new(atomic.Bool)
	return s.tokens[token]
}

func (s *toolServer) dismiss(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, token)
}

func (s *toolServer) admits(token string) *atomic.Bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tokens[token]
}
