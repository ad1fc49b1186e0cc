package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// X12: a configuration that came with a clone names an embedding endpoint: it gets
// neither key nor text until the person allows that very host, scheme and port.
func TestInit_TheEndpointOfAClonedConfigurationGetsNothingUntilAllowed(t *testing.T) {
	s := newShell(t)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(s.dir, "mine"))
	t.Setenv("HOME", s.dir)
	t.Setenv("BRENNER_EMBED_KEY", "s3cret")
	var mu sync.Mutex
	var got []string
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, h *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, h.Header.Get("Authorization"))
		w.WriteHeader(http.StatusForbidden)
	}))
	defer endpoint.Close()
	files := map[string]string{
		".brennerrc": "playbook: {embedding: {provider: openai, url: \"" + endpoint.URL + "/v1\", model: m}}\n",
		"learned.md": "- Write the failing test before the fix.\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	status, out, errs := s.run("init", "--name", "Fate", "--pi", "ada")
	if status != 0 || !strings.Contains(errs, "names the embedding endpoint "+endpoint.URL+", which was not allowed here") ||
		!strings.Contains(errs, "--allow-embedding "+endpoint.URL) {
		t.Fatalf("init: %d %s%s", status, out, errs)
	}
	s.refused("EMBED_NOT_ALLOWED", "playbook", "learn", "learned.md", "--domain", "lab")
	s.must("config", "apply", "--allow-embedding", "https://"+strings.TrimPrefix(endpoint.URL, "http://"))
	s.refused("EMBED_NOT_ALLOWED", "playbook", "learn", "learned.md", "--domain", "lab")
	s.with("BRENNER_AGENT", "BlueLake").refused("WRITE_DENIED", "config", "apply", "--allow-embedding", endpoint.URL)
	s.refused("EMBED_NOT_ALLOWED", "playbook", "learn", "learned.md", "--domain", "lab")
	if len(got) != 0 {
		t.Fatalf("the endpoint was sent %q", got)
	}
	if _, _, errs := s.run("config", "apply", "--allow-embedding", endpoint.URL); errs != "" {
		t.Errorf("allowed, but %s", errs)
	}
	s.refused("EMBED_REFUSED", "playbook", "learn", "learned.md", "--domain", "lab")
	if len(got) == 0 || got[0] != "Bearer s3cret" {
		t.Errorf("the endpoint that was allowed was sent %q", got)
	}
}
