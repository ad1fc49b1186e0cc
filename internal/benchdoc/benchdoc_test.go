package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sample is the output of a run on two cores, cut short: one table printed for
// people, one benchmark that was skipped.
func sample(t *testing.T) results {
	t.Helper()
	f, err := os.Open("testdata/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, err := parse(f, 2)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var sampleMachine = machine{
	date: "2026-03-14", processor: "A Processor @ 2.00GHz", procs: 2, memory: 8 << 30, system: "A System 1, linux/amd64", goVersion: "go1.26",
	git: "2.50.0", took: 90 * time.Second,
}

// The document shows a goal that is not met as not met, a reference that is
// worked out from its ratio, one row for each part a * stands for, and what the
// run has no result for.
func TestRender_ShowsARecordedRun(t *testing.T) {
	got, missing := render(sampleMachine, []area{
		{"Writes", "Of 2 KiB.", []figure{
			write("single", source{inSQLite, "Write_Single"}, "bare inserts", "raw-bare-ns/op", "×bare", 0.6),
			durable("one at a time", "single/writes=1000", 0.6),
			disk("disk", source{inService, "Disk"}, "of-content"),
			write("elsewhere", source{inPostgres, "Write_Single"}, "bare inserts", "raw-ns/op", "×raw", 0.6),
		}},
		{"Pages", "All.", []figure{areas[12].figures[0]}},
		{"Tools", "One.", tool("SQLite", "sqlite", "artifact_get")[:1]},
		{"Faults", "None.", []figure{fault("refused", "%-refused-or-right", 100)}},
	}, sample(t))
	want, err := os.ReadFile("testdata/document.md")
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("BRENNER_UPDATE") != "" {
		if err := os.WriteFile("testdata/document.md", got, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(got, want) {
		t.Errorf("got\n%s", got)
	}
	if len(missing) != 1 || missing[0] != "internal/store/postgres Write_Single" {
		t.Errorf("missing %v", missing)
	}
}

// A figure whose benchmark no longer reports what is shown is missing, not
// zero.
func TestRender_AMetricThatIsGoneIsMissing(t *testing.T) {
	f := fault("refused", "%-refused", 100)
	text, missing := render(sampleMachine, []area{{"Faults", "", []figure{f}}}, sample(t))
	if len(missing) != 1 || !strings.Contains(string(text), "not measured") || !strings.Contains(string(text), "0 of 0 goals") {
		t.Errorf("missing %v\n%s", missing, text)
	}
}

func TestParse_RefusesWhatHasNoResult(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":        "",
		"tests":          "ok  \tbrenner/delta\t0.1s\n",
		"a lone number":  "BenchmarkX-2 \t 10\t 5 ns/op\t 7\n",
		"a broken value": "BenchmarkX-2 \t 10\t five ns/op\n",
	} {
		if r, err := parse(strings.NewReader(text), 2); err == nil {
			t.Errorf("%s is read as %v", name, r.metrics)
		}
	}
}

func TestOwnName_LosesOnlyTheNumberOfProcessors(t *testing.T) {
	for _, c := range []struct {
		name  string
		procs int
		want  string
	}{
		{"BenchmarkPage//tasks/task-2-2", 2, "Page//tasks/task-2"},
		{"BenchmarkPage//tasks/task-2", 1, "Page//tasks/task-2"},
		{"BenchmarkApply-16", 16, "Apply"},
	} {
		if got := ownName(c.name, c.procs); got != c.want {
			t.Errorf("%s on %d: %s, want %s", c.name, c.procs, got, c.want)
		}
	}
}

func TestSignificant_WritesForReaders(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 12: "12", 0.598: "0.598", 0.07123: "0.0712", 1.5: "1.50", 12.34: "12.3", 123.4: "123", 1234.5: "1,234", 1234567: "1,234,567", -4321: "-4,321",
	} {
		if got := significant(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{12: "12 ns", 1500: "1.50 µs", 2.5e6: "2.50 ms", 3e9: "3 s"} {
		if got := nanoseconds(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

// The list names benchmarks by their names: each must be a function of its
// package, and each figure must say what it shows.
func TestFigures_EachIsABenchmarkOfTheTree(t *testing.T) {
	root, err := moduleRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	runs := wanted(areas)
	if len(runs) < 5 {
		t.Fatalf("the list has only %d packages: this test would pass on nothing", len(runs))
	}
	for _, p := range runs {
		there := benchmarksOf(t, filepath.Join(root, filepath.FromSlash(p.name)))
		for _, name := range p.benchmarks {
			if !there[name] {
				t.Errorf("%s has no %s", p.name, name)
			}
		}
	}
	for _, a := range areas {
		for _, f := range a.figures {
			if len(f.show) == 0 || (f.what == "") != strings.HasSuffix(f.name, "*") {
				t.Errorf("%s: %+v", a.title, f)
			}
		}
	}
}

func benchmarksOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Benchmark") {
				found[fn.Name.Name] = true
			}
		}
	}
	return found
}

func TestMachine_ReadsWhatLinuxSays(t *testing.T) {
	if got := memTotal("MemFree:  1 kB\nMemTotal:        8151234 kB\nBuffers: 2 kB\n"); got != 8151234<<10 {
		t.Errorf("memory %d", got)
	}
	if got := memTotal("nothing"); got != 0 {
		t.Errorf("memory %d from nothing", got)
	}
	if got := osName("ID=x\nPRETTY_NAME=\"Some Linux 12\"\n"); got != "Some Linux 12" {
		t.Errorf("system %q", got)
	}
}

// A reason belongs to a figure that has a goal, as every page has.
func TestReasons_AreOfFiguresWithGoals(t *testing.T) {
	left := maps.Clone(reasons)
	for _, a := range areas {
		for _, f := range a.figures {
			if len(f.goals) > 0 {
				delete(left, f.what)
			}
		}
	}
	for what := range left {
		if strings.HasPrefix(what, "`/") {
			continue // pages are listed as they are measured
		}
		t.Errorf("%q is no figure with a goal", what)
	}
}
