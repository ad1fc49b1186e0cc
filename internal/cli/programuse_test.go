package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// W2: init on a terminal offers the programs that are on PATH, remembers the one
// that was chosen, and ends with the first question; elsewhere it asks nothing.
func TestAskLine_OffersTheProgramsOnPath(t *testing.T) {
	bin := t.TempDir()
	for _, name := range []string{"codex", "claude"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	columns := func() int { return 80 }
	for name, c := range map[string]struct {
		path, typed    string
		terminal, json bool
		line, asked    string // what is printed, and what it asks with
	}{
		"the second":      {bin, "2\n", true, false, "brenner ask 'Why …?'", "2  Codex"},
		"the first":       {bin, " 1 \n", true, false, "brenner ask 'Why …?'", "1  Claude Code"},
		"later":           {bin, "\n", true, false, "brenner ask 'Why …?' --program claude", "number, or nothing"},
		"nonsense":        {bin, "9\n", true, false, "brenner ask 'Why …?' --program claude", "number, or nothing"},
		"nobody there":    {bin, "", true, false, "brenner ask 'Why …?' --program claude", "number, or nothing"},
		"a pipe":          {bin, "2\n", false, false, "brenner ask 'Why …?' --program claude", ""},
		"JSON":            {bin, "2\n", true, true, "brenner ask 'Why …?' --program claude", ""},
		"nothing on PATH": {t.TempDir(), "1\n", true, false, "brenner ask 'Why …?' (no program of an agent is installed here yet: see `brenner program check`)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", c.path)
			book := filepath.Join(t.TempDir(), "own", "programs.json")
			var errs bytes.Buffer
			r := &runner{json: c.json, env: Env{
				In: strings.NewReader(c.typed), Err: &errs, Terminal: c.terminal, Columns: columns,
				Getenv: func(name string) string {
					if name == "BRENNER_PROGRAMS" {
						return book
					}
					return ""
				},
			}, out: newPrinter(&bytes.Buffer{})}
			if got := r.askLine(); got != c.line {
				t.Errorf("it ends with %q, want %q", got, c.line)
			}
			if !strings.Contains(errs.String(), c.asked) || c.asked == "" && errs.Len() > 0 {
				t.Errorf("it asked %q", errs.String())
			}
			if _, err := os.Stat(book); (err == nil) != strings.HasPrefix(name, "the ") {
				t.Errorf("what was chosen is remembered: %v", err)
			}
			// Who has chosen is not asked again.
			if errs.Reset(); strings.HasPrefix(name, "the ") && (r.askLine() != "brenner ask 'Why …?'" || errs.Len() > 0) {
				t.Errorf("it asks again: %q", errs.String())
			}
		})
	}
}
