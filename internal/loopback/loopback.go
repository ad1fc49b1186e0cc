// Package loopback serves what is for the programs of this machine alone, on a port of its
// own. A page in a browser reaches such a port too: under another name, or with its origin.
package loopback

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"brenner"
)

// Server serves on a port of this machine.
type Server struct {
	// URL is where, without a path.
	URL  string
	http *http.Server
}

// Serve opens a port and serves there what asks for it by its own address.
func Serve(handler http.Handler, log *slog.Logger) (*Server, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, brenner.Errorf(brenner.CodeStoreUnavailable, "no port on this machine can be listened on").Because(err)
	}
	host := l.Addr().String()
	s := &Server{URL: "http://" + host, http: &http.Server{
		ReadHeaderTimeout: brenner.HeaderDeadline, MaxHeaderBytes: brenner.MaxHeaderBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if req.Host != host || req.Header.Get("Origin") != "" {
				http.Error(w, "not for browsers", http.StatusForbidden)
				return
			}
			handler.ServeHTTP(w, req)
		}),
	}}
	go func() { _ = s.http.Serve(l) }()
	return s, nil
}

// Close ends what it serves, and waits a moment for what is under way.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		return s.http.Close()
	}
	return nil
}
