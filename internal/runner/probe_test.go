package runner

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"brenner/internal/runner/modeltest"
	"brenner/program"
)

// W2, W10: an endpoint is looked at without asking a model: whether it is there,
// whether it knows us, and whether it has the model. The key goes with it, and
// nowhere else.
func TestProber_LooksAtAnEndpoint(t *testing.T) {
	var keys []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("a redirect was followed with %v", r.Header) }))
	defer elsewhere.Close()
	for name, c := range map[string]struct {
		status int
		body   string
		model  string
		cause  program.Cause
		said   string
	}{
		"it has the model":    {200, `{"data":[{"id":"other"},{"id":"local"}]}`, "local", program.Fine, ""},
		"the latest of it":    {200, `{"data":[{"id":"local:latest"}]}`, "local:latest", program.Fine, ""},
		"another model":       {200, `{"data":[{"id":"other"}]}`, "", program.NoModel, "has no local, but other"},
		"no list":             {404, `not here`, "", program.Fine, ""},
		"a list that is none": {200, `<html>`, "", program.Fine, ""},
		"an empty list":       {200, `{"data":[]}`, "", program.Fine, ""},
		"a wrong key":         {401, `{"error":{"message":"Incorrect API key"}}`, "", program.NotLoggedIn, "401 "},
		"too often":           {429, ``, "", program.RateLimited, "429"},
		"broken":              {500, ``, "", program.Overloaded, "500"},
		"a redirect":          {307, ``, "", program.Crashed, "307"},
	} {
		m := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" || r.Method != http.MethodGet {
				t.Errorf("%s: asked %s %s", name, r.Method, r.URL.Path)
			}
			keys = append(keys, r.Header.Get("Authorization"))
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		got := Prober{Environ: []string{"LOCAL_KEY=sk-of-the-endpoint"}}.Reaches(t.Context(), chatProgram(m.URL))
		m.Close()
		if got.Cause != c.cause || got.Model != c.model || !strings.Contains(got.Said, c.said) {
			t.Errorf("%s: %+v", name, got)
		}
		if gone := (Prober{}).Reaches(t.Context(), chatProgram(m.URL)); gone.Cause != program.Unreachable {
			t.Errorf("%s: one that is gone: %+v", name, gone)
		}
	}
	for _, k := range keys {
		if k != "Bearer sk-of-the-endpoint" {
			t.Errorf("the key was %q", k)
		}
	}
}

// W2, W9: a program is had to answer one word, for so long and no longer, with
// no tools; a model that is asked says what it used.
func TestProber_HasAProgramAnswer(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var said atomic.Pointer[modeltest.Answer] // what the model answers
	m := modeltest.New(func(a modeltest.Ask) modeltest.Answer {
		if len(a.Tools) != 0 || !strings.Contains(a.Text, "one word") {
			t.Errorf("asked %q with the tools %q", a.Text, a.Tools)
		}
		return *said.Load()
	})
	defer m.Close()
	play := writeScript(t, "== *\nreply\nready\n")
	noPlay := writeScript(t, "ready\n")
	for name, c := range map[string]struct {
		program program.Program
		answer  modeltest.Answer
		within  time.Duration
		cause   program.Cause
	}{
		"a model":             {chatProgram(m.URL()), modeltest.Answer{Text: "ready", In: 9, Out: 1}, 0, program.Fine},
		"a model with a wish": {chatProgram(m.URL()), modeltest.Answer{Calls: []modeltest.Call{{Name: "x", Arguments: map[string]any{}}}}, 0, program.OutOfTurns},
		"a slow model":        {chatProgram(m.URL()), modeltest.Answer{Text: "ready", Wait: time.Minute}, 200 * time.Millisecond, program.OutOfTime},
		"a limited one":       {chatProgram(m.URL()), modeltest.Answer{Status: 429}, 0, program.RateLimited},
		"a wrong key":         {chatProgram(m.URL()), modeltest.Answer{Status: 401}, 0, program.NotLoggedIn},
		"a command":           {acting("say", "ready"), modeltest.Answer{}, 0, program.Fine},
		"one that hangs":      {acting("deaf"), modeltest.Answer{}, 300 * time.Millisecond, program.OutOfTime},
		"one logged out":      {acting("logged-out"), modeltest.Answer{}, 0, program.NotLoggedIn},
		"one that is gone":    {program.Program{Profile: program.Command}.Resolve("/nowhere/to/be/found"), modeltest.Answer{}, 0, program.NotInstalled},
		"a poser":             {posing(t, program.Codex, "garbage"), modeltest.Answer{}, 0, program.Garbled},
		"a script":            {program.Program{Profile: program.Script, File: play}.Resolve(""), modeltest.Answer{}, 0, program.Fine},
		"no script":           {program.Program{Profile: program.Script, File: noPlay}.Resolve(""), modeltest.Answer{}, 0, program.NotReady},
	} {
		said.Store(&c.answer)
		got, _ := Prober{Environ: os.Environ(), Within: c.within}.Answers(context.Background(), c.program)
		if got.Cause != c.cause {
			t.Errorf("%s: %+v", name, got)
		}
		if name == "a model" && (got.Usage.Tokens == nil || *got.Usage.Tokens != program.Tokens{In: 9, Out: 1}) {
			t.Errorf("%s used %+v", name, got.Usage.Tokens)
		}
	}
	if n := marked(t, "BRENNER_RUN="+nobody); n != 0 {
		t.Errorf("%d processes go on", n)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "brenner-probe-*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// W4: what is asked about itself has the environment of a run: nothing of ours
// that is not named, and nothing of the PI.
func TestProber_GivesTheEnvironmentOfARun(t *testing.T) {
	p := Prober{Environ: append(os.Environ(), "BRENNER_TOKEN=brn_of-the-pi", "AWS_SECRET_ACCESS_KEY=hidden-from-all")}
	text, ok := p.Tells(t.Context(), acting(), []string{asProgram, "environment"})
	if !ok || !strings.Contains(text, "BRENNER_RUN=probe") || strings.Contains(text, "brn_of-the-pi") || strings.Contains(text, "hidden-from-all") {
		t.Errorf("%t, with\n%s", ok, text)
	}
	if _, ok := p.Tells(t.Context(), acting(), []string{asProgram, "crash"}); ok {
		t.Error("one that crashed tells something")
	}
	p.Within = 200 * time.Millisecond
	if _, ok := p.Tells(t.Context(), acting(), []string{asProgram, "hang"}); ok {
		t.Error("one that hangs tells something")
	}
}
