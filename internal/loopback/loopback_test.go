package loopback

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

// W3, X3: a port of this machine answers its own address and no page in a browser, and is
// closed with what it serves.
func TestServe_IsForProgramsOfThisMachine(t *testing.T) {
	s, err := Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("here")) }), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.URL, "http://127.0.0.1:") {
		t.Errorf("it serves at %s", s.URL)
	}
	ask := func(change func(*http.Request)) (int, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		change(req)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err
		}
		_, _ = io.Copy(io.Discard, res.Body)
		return res.StatusCode, res.Body.Close()
	}
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"a program", func(*http.Request) {}, http.StatusOK},
		{"a page", func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, http.StatusForbidden},
		{"a page of this machine", func(r *http.Request) { r.Header.Set("Origin", s.URL) }, http.StatusForbidden},
		{"another name", func(r *http.Request) { r.Host = "evil.example" }, http.StatusForbidden},
		{"another name for it", func(r *http.Request) { r.Host = "localhost" + s.URL[strings.LastIndexByte(s.URL, ':'):] }, http.StatusForbidden},
	} {
		if got, err := ask(c.change); err != nil || got != c.want {
			t.Errorf("%s: %d, %v", c.name, got, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
	if _, err := ask(func(*http.Request) {}); err == nil {
		t.Error("it is not closed")
	}
}
