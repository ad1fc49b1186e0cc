package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
)

// The demo of a user whose environment is about another project is served from
// a scratch directory: the address logs in once, an interrupt ends it with
// success, and nothing is left.
func TestDemo_IsServedUntilInterrupted(t *testing.T) {
	s := newShell(t)
	scratch := filepath.Join(s.dir, "tmp")
	if err := os.Mkdir(scratch, 0o755); err != nil {
		t.Fatal(err)
	}
	s = s.with("TMPDIR", scratch).with("BRENNER_SERVER", "http://127.0.0.1:1").with("BRENNER_TOKEN", "brn_x").with("BRENNER_STORE", "sqlite:nowhere.db")
	cmd := s.process(t.Context(), "demo", "--serve", "--json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatalf("the demo was not served: %v, %v\n%s%s", err, cmd.Wait(), line, errs.String())
	}
	var answer struct {
		Data struct {
			Chapters []struct{ Title string }
			Serving  struct{ Address, Login string }
		}
	}
	if err := json.Unmarshal(line, &answer, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%v\n%s", err, line)
	}
	served := answer.Data.Serving
	if len(answer.Data.Chapters) < 10 || !strings.HasPrefix(served.Login, served.Address+"/") {
		t.Errorf("got %+v", answer)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) == 0 {
		t.Errorf("the project is not in the scratch directory: %v", err)
	}
	page := func(c *http.Client) string {
		res, err := c.Get(served.Login)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := page(&http.Client{Jar: jar}); !strings.Contains(got, "<h1>Inbox") || !strings.Contains(got, "Why does the Lärr lose its oxygen") {
		t.Errorf("the login address shows\n%s", got)
	}
	if got := page(&http.Client{}); !strings.Contains(got, "UNAUTHENTICATED") {
		t.Errorf("the login address works twice:\n%s", got)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || errs.String() != "" {
		t.Errorf("ended with %v\n%s", err, errs.String())
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) != 0 {
		t.Errorf("the scratch directory still has %v, %v", left, err)
	}
}
