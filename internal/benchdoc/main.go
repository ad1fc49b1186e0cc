// Command benchdoc runs the benchmarks that the document names and writes
// docs/benchmarks.md: the machine, the date, and each figure beside a reference
// that was measured in the same run, with its goal where there is one, met or
// not.
//
// `make bench` runs it. What the benchmarks print goes to standard output as
// they print it; kept in a file, it can be rendered again without measuring:
//
//	go run ./internal/benchdoc | tee bench.txt
//	go run ./internal/benchdoc -from bench.txt
//
// The list of figures is figures.go, how they are read parse.go, how they are
// shown render.go.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// document is what is written, below the root of the module.
const document = "docs/benchmarks.md"

func main() {
	from := flag.String("from", "", "read the output of an earlier run from this file instead of measuring")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *from)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchdoc:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, from string) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	output, err := os.ReadFile(from)
	if from == "" {
		output, err = runAll(ctx, root)
	}
	if err != nil {
		return err
	}
	m := thisMachine(ctx)
	r, err := parse(bytes.NewReader(output), m.procs)
	if err != nil {
		return err
	}
	m.processor, m.date = r.processor, began.UTC().Format(time.DateOnly)
	if from == "" {
		m.took = time.Since(began)
	}
	text, missing := render(m, areas, r)
	for _, name := range missing {
		fmt.Fprintln(os.Stderr, "benchdoc: not measured:", name)
	}
	return os.WriteFile(filepath.Join(root, filepath.FromSlash(document)), text, 0o644)
}

// runAll runs the benchmarks of the list, one package after the other so that
// they do not disturb each other, and gives all they print. A benchmark that
// fails fails the run, after the others had their turn.
func runAll(ctx context.Context, root string) ([]byte, error) {
	var all bytes.Buffer
	var failed error
	for _, p := range wanted(areas) {
		cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^("+strings.Join(p.benchmarks, "|")+")$", "-timeout", "1h", "./"+p.name)
		cmd.Dir = root
		// The figures named at 100,000 need the large sizes.
		cmd.Env = append(os.Environ(), "BRENNER_BENCH_LARGE=1", "BRENNER_BENCH_ARTIFACTS=100000")
		cmd.Stdout, cmd.Stderr = io.MultiWriter(os.Stdout, &all), os.Stderr
		if err := cmd.Run(); err != nil {
			failed = errors.Join(failed, fmt.Errorf("the benchmarks of %s: %w", p.name, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return all.Bytes(), failed
}

// packageRun is a package and those of its benchmarks that are wanted.
type packageRun struct {
	name       string
	benchmarks []string
}

// wanted gathers what the figures need, in the order of the list.
func wanted(areas []area) []packageRun {
	var runs []packageRun
	want := func(s source) {
		i := slices.IndexFunc(runs, func(p packageRun) bool { return p.name == s.pkg })
		if i < 0 {
			i = len(runs)
			runs = append(runs, packageRun{name: s.pkg})
		}
		if name := s.function(); !slices.Contains(runs[i].benchmarks, name) {
			runs[i].benchmarks = append(runs[i].benchmarks, name)
		}
	}
	for _, a := range areas {
		for _, f := range a.figures {
			want(f.source)
			if f.beside.of != "" {
				want(source{f.pkg, f.beside.of})
			}
		}
	}
	return runs
}

// moduleRoot finds the directory of go.mod.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	return strings.TrimSpace(string(out)), err
}
