package program_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"brenner/program"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// outcome is what is read from a stream, as the golden files show it.
type outcome struct {
	Does   []string       `json:"does"`
	Result program.Result `json:"result"`
}

// W10, W12: what the programs really print (testdata/streams, recorded against
// a scripted model) is read into progress, the cause of an end, usage, cost and
// the conversation to resume.
func TestReader_ReadsWhatTheProgramsPrint(t *testing.T) {
	files, err := filepath.Glob("testdata/streams/*.txtar")
	if err != nil || len(files) < 30 {
		t.Fatalf("found %d streams, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			profile, _, _ := strings.Cut(name, "-")
			got := pretty(t, read(t, program.Profile(profile), archive))
			i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
			if *update {
				if i < 0 {
					archive.Files = append(archive.Files, txtar.File{Name: "want"})
					i = len(archive.Files) - 1
				}
				archive.Files[i].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if i < 0 {
				t.Fatal("the file does not say what is wanted")
			}
			if diff := cmp.Diff(string(archive.Files[i].Data), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func read(t *testing.T, p program.Profile, a *txtar.Archive) outcome {
	t.Helper()
	part := map[string]string{}
	for _, f := range a.Files {
		part[f.Name] = string(f.Data)
	}
	code, err := strconv.Atoi(strings.TrimSpace(part["exit"]))
	if err != nil {
		t.Fatal(err)
	}
	r := program.NewReader(p)
	var out outcome
	for line := range strings.Lines(part["stdout"]) {
		for _, e := range r.Line([]byte(strings.TrimSuffix(line, "\n"))) {
			out.Does = append(out.Does, e.Does)
		}
	}
	out.Does = slices.Compact(out.Does)
	out.Result = r.End(program.Exit{Code: code, Errors: part["stderr"]})
	return out
}

func pretty(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

// W10: a program that dies in the middle, prints garbage or says nothing has
// not answered, whatever its status.
func TestReader_AnEndInTheMiddleIsNoAnswer(t *testing.T) {
	for _, p := range []program.Profile{program.Claude, program.Codex, program.Gemini, program.Opencode} {
		archive, err := txtar.ParseFile("testdata/streams/" + string(p) + "-answered.txtar")
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "stdout" })
		lines := strings.SplitAfter(strings.TrimSuffix(string(archive.Files[i].Data), "\n"), "\n")
		for n := 1; n < len(lines)-1; n++ {
			if p == program.Opencode && strings.Contains(lines[n-1], "step_finish") {
				continue // it has no last event: between two steps is where it ends
			}
			for _, x := range []program.Exit{{Code: 0}, {Code: 1, Errors: "boom"}, {Code: -1, Signal: "killed"}} {
				r := program.NewReader(p)
				for _, line := range lines[:n] {
					r.Line([]byte(line))
				}
				if got := r.End(x); got.Cause != program.Crashed || got.Reply != "" {
					t.Errorf("%s after %d lines, exit %d: %+v", p, n, x.Code, got)
				}
			}
		}
		for text, want := range map[string]program.Cause{
			"":                             program.NoWords,
			"\x00\x01garbage\xff":          program.Garbled,
			"Usage: somethingelse [flags]": program.Garbled,
			"[1,2,3]":                      program.Garbled,
		} {
			r := program.NewReader(p)
			if text != "" {
				r.Line([]byte(text))
			}
			if got := r.End(program.Exit{}); got.Cause != want {
				t.Errorf("%s printed %q: cause %q, want %q", p, text, got.Cause, want)
			}
		}
	}
}

// W9: the usage that a program tells along the way is measured against each
// bound.
func TestUsage_IsMeasuredAgainstEveryBound(t *testing.T) {
	cost := func(m program.Money) *program.Money { return &m }
	used := program.Usage{Turns: 11, Tokens: &program.Tokens{In: 600, Cached: 1 << 40, Out: 401}, Cost: cost(2_000_001)}
	for _, c := range []struct {
		bounds program.Bounds
		want   program.Cause
	}{
		{program.Bounds{}, program.Fine},
		{program.Bounds{Turns: 11, Tokens: 1001, Cost: 2_000_001}, program.Fine},
		{program.Bounds{Turns: 10}, program.OutOfTurns},
		{program.Bounds{Tokens: 1000}, program.OutOfTokens},
		{program.Bounds{Cost: 2_000_000}, program.OutOfMoney},
	} {
		if got := used.Over(c.bounds); got != c.want {
			t.Errorf("%+v: %q, want %q", c.bounds, got, c.want)
		}
	}
	if got := (program.Usage{}).Over(program.Bounds{Tokens: 1, Cost: 1}); got != program.Fine {
		t.Errorf("unknown usage is over a bound: %q", got)
	}
}

// W12: what one start did not tell makes the sum unknown; it is never guessed.
func TestUsage_ASumOfTheUnknownIsUnknown(t *testing.T) {
	money := program.Money(250_000)
	told := program.Usage{Turns: 2, Tokens: &program.Tokens{In: 10, Cached: 5, Out: 3}, Cost: &money}
	twice := told.Plus(told)
	if twice.Turns != 4 || *twice.Tokens != (program.Tokens{In: 20, Cached: 10, Out: 6}) || *twice.Cost != 500_000 {
		t.Errorf("twice: %+v", twice)
	}
	if got := told.Plus(program.Usage{Turns: 1}); got.Turns != 3 || got.Tokens != nil || got.Cost != nil {
		t.Errorf("with one that told only its turns: %+v", got)
	}
	if got := (program.Usage{}).Plus(told); got.Cost == nil || *got.Cost != money {
		t.Errorf("with nothing: %+v", got)
	}
}

func FuzzReader(f *testing.F) {
	files, _ := filepath.Glob("testdata/streams/*.txtar")
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range a.Files {
			if part.Name == "stdout" {
				f.Add(string(part.Data), 0)
			}
		}
	}
	f.Fuzz(func(t *testing.T, out string, code int) {
		for _, p := range program.Profiles() {
			if !p.Process() {
				continue
			}
			r := program.NewReader(p)
			for line := range strings.Lines(out) {
				r.Line([]byte(line))
			}
			got := r.End(program.Exit{Code: code})
			if got.Cause == program.Fine && strings.TrimSpace(got.Reply) == "" {
				t.Errorf("%s: neither a reply nor a cause", p)
			}
			if code != 0 && got.Cause == program.Fine && p == program.Command {
				t.Errorf("%s failed and answered", p)
			}
		}
	})
}
