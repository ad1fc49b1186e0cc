// Command mutants asks whether the tests bite. It changes the code of a package
// in one small place at a time (a condition turned round, a comparison moved by
// one, a statement dropped, a constant off by one, a result empty) and runs the
// tests that come to that place, without touching a file: the go command sees the
// changes through an overlay, all of a package in one build (see weave.go). A
// change that no test notices has survived.
//
//	go run ./internal/mutants -max 30 ./policy ./roster
//	go run ./internal/mutants -tests ./internal/app -skip 'OnSQLite|Faults' ./internal/app/ledger
//
// What survived and may, because it changes nothing that anybody can see, stands
// in docs/mutants.md with a reason. Any other survivor, or a kill rate below 90
// %, is an exit status of 1.
//
// Which changes are tried is drawn by a seed, so that a run can be repeated.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"
)

// enough is the share of mutants that must be killed.
const enough = 0.90

func main() {
	var o options
	flag.IntVar(&o.most, "max", 30, "try at most so many mutants of a package; 0: all")
	flag.Uint64Var(&o.seed, "seed", 1, "draw them by this seed")
	flag.StringVar(&o.tests, "tests", "", "run the tests of this package too")
	flag.StringVar(&o.skip, "skip", "", "of that package not the tests that match")
	flag.DurationVar(&o.limit, "timeout", time.Minute, "a mutant under which tests take longer, and without it not, is killed")
	flag.StringVar(&o.known, "known", "docs/mutants.md", "survivors that have a reason")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, os.Stdout, o, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

type options struct {
	most        int
	seed        uint64
	tests, skip string
	limit       time.Duration
	known       string
	dir         string // of the module; empty: here
}

// run tries mutants of each package and says what became of them; ok if every
// package has enough killed and no survivor is without a reason.
func run(ctx context.Context, out io.Writer, o options, packages []string) (ok bool, err error) {
	reasons, err := readReasons(filepath.Join(o.dir, o.known))
	if err != nil {
		return false, err
	}
	work, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	ok = true
	for _, p := range packages {
		b := bench{dir: o.dir, pkg: p, tests: o.tests, skip: o.skip, limit: o.limit, work: work}
		t, err := b.tally(ctx, out, o, reasons)
		if err != nil {
			return false, err
		}
		fmt.Fprintln(out, t)
		ok = ok && t.unexplained == 0 && t.rate() >= enough
	}
	return ok, nil
}

// tally is what became of the mutants of a package.
type tally struct {
	pkg                string
	all, tried, killed int
	excused, stillborn int
	unexplained        int
}

// rate is the share of killed mutants among those that compile and could have
// been noticed.
func (t tally) rate() float64 {
	if t.killed+t.unexplained == 0 {
		return 1
	}
	return float64(t.killed) / float64(t.killed+t.unexplained)
}

func (t tally) String() string {
	return fmt.Sprintf("%s: %.0f %% of %d killed (%d tried of %d; %d do not compile, %d survive with a reason, %d without)",
		t.pkg, 100*t.rate(), t.killed+t.unexplained, t.tried, t.all, t.stillborn, t.excused, t.unexplained)
}

func (b bench) tally(ctx context.Context, out io.Writer, o options, reasons map[string]string) (tally, error) {
	t := tally{pkg: b.pkg}
	files, err := b.sources(ctx)
	if err != nil {
		return t, err
	}
	texts := map[string][]byte{}
	var all []mutant
	for _, f := range files {
		if texts[f], err = os.ReadFile(f); err != nil {
			return t, err
		}
		found, err := mutants(f, texts[f])
		if err != nil {
			return t, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return t, fmt.Errorf("%s: there is nothing to change", b.pkg)
	}
	t.all = len(all)
	drawn := sample(all, o.most, o.seed)
	became, err := b.outcomes(ctx, texts, drawn)
	if err != nil {
		return t, err
	}
	for i, m := range drawn {
		t.tried++
		switch became[i] {
		case killed:
			t.killed++
		case stillborn:
			t.stillborn++
		case survived, unreached:
			key := filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(m.file)), filepath.Base(m.file))) + " " + m.name()
			if reasons[key] != "" {
				t.excused++
				continue
			}
			t.unexplained++
			fmt.Fprintf(out, "%s: %s\n  at %s:%d (%s)\n", became[i], key, m.file, m.line, m.operator)
		}
	}
	return t, nil
}

// outcomes tries mutants: all that can be in one build, the others one by one.
func (b bench) outcomes(ctx context.Context, texts map[string][]byte, list []mutant) ([]outcome, error) {
	became := make([]outcome, len(list))
	all, alone, err := b.buildWoven(ctx, texts, list, became)
	if err != nil {
		return nil, err
	}
	units, err := b.units(ctx, all)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if became[i] == stillborn || slices.Contains(alone, i+1) {
			continue
		}
		if became[i], err = b.try(ctx, all, units, i+1); err != nil {
			return nil, err
		}
	}
	for _, n := range alone {
		if became[n-1], err = b.tryAlone(ctx, list[n-1], texts[list[n-1].file]); err != nil {
			return nil, err
		}
	}
	return became, nil
}

// buildWoven builds the tests with all mutants that compile, and notes those
// that do not; alone are the numbers of those that cannot be woven.
func (b bench) buildWoven(ctx context.Context, texts map[string][]byte, list []mutant, became []outcome) (all []binary, alone []int, err error) {
	for {
		w, alone, err := weave(texts, list, func(n int) bool { return became[n-1] != stillborn })
		if err != nil {
			return nil, nil, err
		}
		all, err := b.build(ctx, w.files)
		var said errBuild
		if !errors.As(err, &said) {
			return all, alone, err
		}
		refused := w.stillbirths(string(said))
		if len(refused) == 0 {
			return nil, nil, fmt.Errorf("%s: %w", b.pkg, err)
		}
		for _, n := range refused {
			became[n-1] = stillborn
		}
	}
}
