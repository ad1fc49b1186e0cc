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
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// enough is the share of mutants that must be killed.
const enough = 0.90

func main() {
	var o options
	flag.IntVar(&o.most, "max", 30, "draw at most so many mutants of a package; 0: all, -1: none")
	flag.Uint64Var(&o.seed, "seed", 1, "draw them by this seed")
	flag.Func("tests", "run the tests of this package too; may be given again", func(pkg string) error {
		o.tests = append(o.tests, pkg)
		return nil
	})
	flag.StringVar(&o.skip, "skip", "", "of those packages not the tests that match")
	flag.BoolVar(&o.whole, "whole", false, "of those packages the long tests too")
	flag.DurationVar(&o.limit, "timeout", 4*time.Minute, "a mutant under which tests take longer, and without it not, is killed")
	flag.StringVar(&o.known, "known", "docs/mutants.md", "survivors that have a reason")
	flag.StringVar(&o.clauses, "clauses", "docs/conformance.md", "the tests that must kill the mutants of -hand")
	flag.IntVar(&o.jobs, "jobs", 1, "try so many mutants at a time; more than one where nothing else is done")
	hand := flag.String("hand", "", "try the mutants of this file too, and name the tests that kill them")
	flag.Parse()
	if *hand != "" {
		text, err := os.ReadFile(*hand)
		if err == nil {
			o.list, err = readHandMade(string(text))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "mutants:", err)
			os.Exit(2)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o.notes = os.Stderr
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
	most    int
	seed    uint64
	tests   []string
	skip    string
	whole   bool
	limit   time.Duration
	known   string
	clauses string
	dir     string // of the module; empty: here
	list    handMade
	jobs    int
	notes   io.Writer // how far it has come; nil: nobody wants to know
}

// run tries mutants of each package and says what became of them; ok if every
// package has enough killed and no survivor is without a reason.
func run(ctx context.Context, out io.Writer, o options, packages []string) (ok bool, err error) {
	reasons, err := readReasons(filepath.Join(o.dir, o.known))
	if err != nil {
		return false, err
	}
	var clauses named
	if len(o.list) > 0 {
		if clauses, err = readNamed(filepath.Join(o.dir, o.clauses)); err != nil {
			return false, err
		}
	}
	work, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	groups := slices.Collect(slices.Chunk(packages, 1))
	if len(o.tests) > 0 {
		groups = [][]string{packages} // they share a test binary
	}
	ok = true
	for _, g := range groups {
		b := bench{dir: o.dir, pkgs: g, tests: o.tests, skip: o.skip, whole: o.whole, limit: o.limit, work: work, named: clauses, jobs: max(1, o.jobs), notes: o.notes}
		tallies, err := b.tally(ctx, out, o, reasons)
		if err != nil {
			return false, err
		}
		for _, t := range tallies {
			fmt.Fprintln(out, t)
			ok = ok && t.unexplained == 0 && t.rate() >= enough
		}
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

// tally tries mutants of the packages and says of each what became of it, as
// soon as it is known.
func (b bench) tally(ctx context.Context, out io.Writer, o options, reasons map[string]string) ([]tally, error) {
	texts := map[string][]byte{}
	var drawn []mutant
	tallies := make([]tally, len(b.pkgs), len(b.pkgs)+1)
	byHand := &tally{pkg: "by hand"}
	at := map[string]*tally{} // by directory
	for i, pkg := range b.pkgs {
		files, err := b.sources(ctx, pkg)
		if err != nil {
			return nil, err
		}
		own := map[string][]byte{}
		var all []mutant
		for _, f := range files {
			if own[f], err = os.ReadFile(f); err != nil {
				return nil, err
			}
			found, err := mutants(f, own[f])
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
			at[filepath.Dir(f)] = &tallies[i]
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("%s: there is nothing to change", pkg)
		}
		some := sample(all, o.most, o.seed)
		made, err := o.list.of(own)
		if err != nil {
			return nil, err
		}
		tallies[i] = tally{pkg: pkg, all: len(all), tried: len(some)}
		byHand.all, byHand.tried = byHand.all+len(made), byHand.tried+len(made)
		drawn = slices.Concat(made, drawn, some) // those first that somebody thought of
		maps.Copy(texts, own)
	}
	err := b.outcomes(ctx, texts, drawn, func(m mutant, became outcome, by string) {
		t := at[filepath.Dir(m.file)]
		if m.operator == operatorHand {
			t = byHand
			fmt.Fprintf(out, "%s: %s, by %s\n", m.in, became, cmp.Or(by, "no test"))
			if became == stillborn {
				t.unexplained++ // somebody wrote it, and can mend it
			}
		}
		switch became {
		case killed:
			t.killed++
		case stillborn:
			t.stillborn++
		case survived, unreached:
			key := filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(m.file)), filepath.Base(m.file))) + " " + m.name()
			if reasons[key] != "" {
				t.excused++
				return
			}
			t.unexplained++
			fmt.Fprintf(out, "%s: %s\n  at %s:%d (%s)\n", became, key, m.file, m.line, m.operator)
		}
	})
	if byHand.tried > 0 {
		tallies = append(tallies, *byHand)
	}
	return tallies, err
}

// outcomes tries mutants and tells what became of each, and which test noticed:
// all that can be in one build, the others one by one.
func (b bench) outcomes(ctx context.Context, texts map[string][]byte, list []mutant, tell func(m mutant, became outcome, by string)) error {
	refused := make([]bool, len(list))
	all, alone, err := b.buildWoven(ctx, texts, list, refused)
	if err != nil {
		return err
	}
	var units []unit
	if slices.ContainsFunc(list, func(m mutant) bool { return len(b.named.of(m)) == 0 }) {
		if units, err = b.units(ctx, all); err != nil {
			return err
		}
	}
	if err := b.passNamed(ctx, all, list); err != nil {
		return err
	}
	var turn sync.Mutex
	tell = b.counting(len(list), tell)
	err = each(b.jobs, len(list), func(i int) error {
		if slices.Contains(alone, i+1) {
			return nil
		}
		m, became, by := list[i], stillborn, ""
		tests := b.named.of(m)
		var err error
		switch {
		case refused[i]:
		case len(tests) > 0:
			became, by, err = b.tryNamed(ctx, all, i+1, tests)
		default:
			became, by, err = b.try(ctx, all, units, i+1)
		}
		if err != nil {
			return err
		}
		turn.Lock()
		defer turn.Unlock()
		tell(m, became, by)
		return nil
	})
	if err != nil {
		return err
	}
	for _, n := range alone {
		m := list[n-1]
		became, by, err := b.tryAlone(ctx, all, m, texts[m.file], units)
		if err != nil {
			return err
		}
		tell(m, became, by)
	}
	return nil
}

// each does n things, at most jobs of them at a time, until one fails.
func each(jobs, n int, do func(i int) error) error {
	var next atomic.Int64
	ended := make(chan error, jobs)
	for range jobs {
		go func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					ended <- nil
					return
				}
				if err := do(i); err != nil {
					next.Store(int64(n))
					ended <- err
					return
				}
			}
		}()
	}
	var all []error
	for range jobs {
		all = append(all, <-ended)
	}
	return errors.Join(all...)
}

// counting says how far it has come whenever a mutant is told of.
func (b bench) counting(of int, tell func(mutant, outcome, string)) func(mutant, outcome, string) {
	done := 0
	return func(m mutant, became outcome, by string) {
		done++
		b.progress("mutant %d of %d, %s:%d: %s %s", done, of, filepath.Base(filepath.Dir(m.file))+"/"+filepath.Base(m.file), m.line, became, by)
		tell(m, became, by)
	}
}

// buildWoven builds the tests with all mutants that compile, and notes those
// that do not; alone are the numbers of those that cannot be woven.
func (b bench) buildWoven(ctx context.Context, texts map[string][]byte, list []mutant, refused []bool) (all []binary, alone []int, err error) {
	hooked, err := b.hooked(ctx)
	if err != nil {
		return nil, nil, err
	}
	for {
		b.progress("weave %d mutants", len(list))
		w, alone, err := weave(texts, list, func(n int) bool { return !refused[n-1] })
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(w.files, hooked)
		all, err := b.build(ctx, "woven", w.files, b.pkgs)
		var said errBuild
		if !errors.As(err, &said) {
			return all, alone, err
		}
		more := w.stillbirths(string(said))
		if len(more) == 0 {
			return nil, nil, err
		}
		for _, n := range more {
			refused[n-1] = true
		}
	}
}
