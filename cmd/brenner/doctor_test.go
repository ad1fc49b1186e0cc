package main

import (
	"bytes"
	"context"
	"database/sql"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// ails runs doctor, which must print all of these.
func (s *shell) ails(status int, want ...string) {
	s.t.Helper()
	got, out, errs := s.run("doctor")
	for _, line := range want {
		if !strings.Contains(out, line) {
			s.t.Errorf("doctor does not print %q:\n%s%s", line, out, errs)
		}
	}
	if got != status {
		s.t.Errorf("doctor ends with %d, want %d:\n%s%s", got, status, out, errs)
	}
}

// setSchema makes a project file say that it has another schema.
func setSchema(t *testing.T, path string, n string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version = " + n); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDoctor_NamesASchemaThatIsNewer(t *testing.T) {
	s := newShell(t)
	s.must("init", "--name", "Fate", "--pi", "ada")
	setSchema(t, filepath.Join(s.dir, ".brenner", "brenner.db"), "99")
	s.ails(9, "FAIL store: the store has schema 99, this program knows ", "hint: upgrade this program")
}

// The client is told of a server: it answers or not, and knows the token or
// not.
func TestDoctor_AsksTheServerOfAClient(t *testing.T) {
	s := newShell(t)
	s.must("init", "--name", "Fate", "--pi", "ada")
	s.must("agent", "add", "BlueLake", "--role", "hypothesis_generator")
	ctx, stop := context.WithCancel(t.Context())
	address, ended := s.servesUntil(ctx)
	s.must("setup", "claude", "--server", address)
	s.must("setup", "codex", "--server", address)

	s.ails(0, "warn claude: .mcp.json leads to "+address+", which answers; BRENNER_TOKEN is not set here", "hint: set it where the client runs")
	secret := s.must("agent", "token", "BlueLake")
	known := s.with("BRENNER_TOKEN", secret)
	known.ails(0, "warn claude: .mcp.json leads to "+address+", which answers; BRENNER_TOKEN was not sent there")
	known = known.with("BRENNER_SERVER", address)
	known.ails(0, "ok   claude: .mcp.json leads to "+address+", which knows the token", "ok   codex: ")
	file := filepath.Join(s.dir, ".mcp.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte("${BRENNER_TOKEN}"), []byte(secret)), 0o600); err != nil {
		t.Fatal(err)
	}
	s.ails(0, "warn claude: .mcp.json holds a token")
	s.must("agent", "revoke", "BlueLake")
	s.ails(7, "FAIL claude: .mcp.json: the token was revoked", "hint: the PI makes one; run `brenner agent token NAME`")

	stop()
	<-ended
	s.ails(9, "FAIL claude: .mcp.json: ", "FAIL codex: ", "hint: start the server, or run `brenner setup claude` again")
	var out bytes.Buffer
	s.start(t.Context(), strings.NewReader(""), &out, io.Discard, "doctor", "--json")
	if strings.Contains(out.String(), secret) {
		t.Errorf("doctor says the token:\n%s", out.String())
	}
}

// X12: the file of a client may have come with a clone: its address never gets the
// person's token, nor does another port or scheme of a server that was named.
func TestDoctor_SendsNoTokenToAServerThatOnlyAFileNames(t *testing.T) {
	s := newShell(t)
	s.must("init", "--name", "Fate", "--pi", "ada")
	s.must("agent", "add", "BlueLake", "--role", "hypothesis_generator")
	var mu sync.Mutex
	asked, got := 0, ""
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, h *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		got += h.URL.String() + h.Header.Get("Authorization")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer stranger.Close()
	s.must("setup", "claude", "--server", stranger.URL)
	const secret = "brn_secretsecretsecretsecretsecretsecretsecrets"
	store := "sqlite:" + filepath.Join(s.dir, ".brenner", "brenner.db")
	for _, named := range []string{"", "https://" + strings.TrimPrefix(stranger.URL, "http://"), "http://127.0.0.1:1"} {
		known := s.with("BRENNER_TOKEN", secret).with("BRENNER_SERVER", named)
		known.run("doctor", "--store", store, "--as", "BlueLake")
	}
	if asked == 0 || strings.Contains(got, secret) {
		t.Errorf("the stranger was asked %d times, and got %s", asked, got)
	}
}
