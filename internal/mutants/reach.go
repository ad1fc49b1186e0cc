package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Which places a test comes to is seen in one run of all tests. Starting each by
// itself cost as much again, since most of the time goes into a few tests that
// have hundreds of parts. So that one run can be cut into tests and their parts,
// package testing itself is changed in the overlay: it says which test is running,
// and a place that is reached is noted under that name.

// hooks are the places of package testing that begin a test, an example or a
// part, and the one where a test goes on after a part of it.
var hooks = []struct{ file, after, put string }{
	{"testing.go", "func tRunner(t *T, fn func(t *T)) {", "MutantTest.Store(&t.name)"},
	{"testing.go", "func (t *T) Run(name string, f func(t *T)) bool {", "defer MutantTest.Store(&t.name)"},
	{"fuzz.go", "func fRunner(f *F, fn func(*F)) {", "MutantTest.Store(&f.name)"},
	{"run_example.go", "func runExample(eg InternalExample) (ok bool) {", "MutantTest.Store(&eg.Name)"},
}

// hooked gives the files of package testing, changed so that they say which test
// is running.
func (b bench) hooked(ctx context.Context) (map[string][]byte, error) {
	root, err := b.command(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), "src", "testing")
	files := map[string][]byte{
		filepath.Join(dir, "mutanttest.go"): []byte("package testing\n\nimport \"sync/atomic\"\n\n" +
			"// MutantTest is the test that runs.\nvar MutantTest atomic.Pointer[string]\n"),
	}
	for _, h := range hooks {
		name := filepath.Join(dir, h.file)
		if files[name] == nil {
			if files[name], err = os.ReadFile(name); err != nil {
				return nil, err
			}
		}
		if bytes.Count(files[name], []byte(h.after)) != 1 {
			return nil, fmt.Errorf("package testing is not as it was: %q is not in %s once; see hooks in internal/mutants/reach.go", h.after, h.file)
		}
		files[name] = bytes.Replace(files[name], []byte(h.after), []byte(h.after+" "+h.put), 1)
	}
	return files, nil
}

// unit is the least that is run by itself: a test, or a part of one that is long
// and made of parts.
type unit struct {
	of      string // the package
	name    string
	whole   string        // the test that it is a part of, if it is one
	took    time.Duration // as the clock says, while one ran after the other
	reaches map[int]bool  // places of mutants
}

// units runs the tests once, which must pass, to see where each comes.
func (b bench) units(ctx context.Context, all []binary) (list []unit, err error) {
	for i, x := range all {
		b.progress("see where tests come: %s, %d of %d", x.of, i+1, len(all))
		_ = os.Remove(b.traces())
		told, err := b.run(ctx, x, trace, ".", bounds{clock: 10 * b.limit}, "-test.v", "-test.parallel=1")
		if err != nil {
			return nil, err
		}
		if !told.ok {
			return nil, fmt.Errorf("%s fails without a mutant:\n%s", x.of, passing.ReplaceAllString(told.said, ""))
		}
		text, err := os.ReadFile(b.traces())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		reached, err := readTrace(string(text))
		if err != nil {
			return nil, err
		}
		some := parts(told.said)
		for i := range some {
			some[i].of = x.of
			some[i].reach(reached)
		}
		list = append(list, some...)
	}
	return list, nil
}

// readTrace reads which places were reached under the names of tests.
func readTrace(text string) (map[string][]int, error) {
	reached := map[string][]int{}
	for line := range strings.Lines(text) {
		number, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil, err
		}
		reached[name] = append(reached[name], n)
	}
	return reached, nil
}

// reach notes the places that were reached under the unit's name or that of a
// part of it. What the test around it reaches outside of its parts, each of them
// reaches when it runs by itself, and so does what is reached in no test.
func (u *unit) reach(reached map[string][]int) {
	u.reaches = map[int]bool{}
	for name, places := range reached {
		if name == "" || name == u.name || name == u.whole || strings.HasPrefix(name, u.name+"/") {
			for _, n := range places {
				u.reaches[n] = true
			}
		}
	}
}

// parts are the tests in what -test.v says, a long one by its parts if they are
// most of it and come one after the other.
func parts(said string) (list []unit) {
	took := map[string]time.Duration{}
	inside := map[string][]string{}
	aside := map[string]bool{}
	for _, line := range paused.FindAllStringSubmatch(said, -1) {
		of, _, _ := strings.Cut(line[1], "/")
		aside[of] = true
	}
	var top []string
	for _, line := range passed.FindAllStringSubmatch(said, -1) {
		name := line[2]
		took[name], _ = time.ParseDuration(line[3] + "s")
		switch of, _, _ := strings.Cut(name, "/"); len(line[1]) {
		case 0:
			top = append(top, name)
		case 4:
			inside[of] = append(inside[of], name)
		}
	}
	for _, name := range top {
		sum := time.Duration(0)
		for _, p := range inside[name] {
			sum += took[p]
		}
		if took[name] <= long || sum <= took[name]/2 || aside[name] || strings.HasPrefix(name, "Fuzz") {
			list = append(list, unit{name: name, took: max(took[name], sum)}) // it does not count parts that were put aside
			continue
		}
		around := max(0, took[name]-sum) // is paid with each part
		for _, p := range inside[name] {
			list = append(list, unit{name: p, whole: name, took: around + took[p]})
		}
	}
	return list
}

// batch is some units of a package that run in one process.
type batch struct {
	of    string
	match string
	took  time.Duration
}

// batches puts units together, the cheapest first: most mutants are noticed by
// many tests, and it is enough to see one fail. Each batch may take four times as
// long as the one before it.
func batches(units []unit) (list []batch) {
	sorted := slices.Clone(units)
	slices.SortStableFunc(sorted, func(a, b unit) int { return cmp.Compare(a.took, b.took) })
	for room := time.Second; len(sorted) > 0; room *= 4 {
		var of []string // packages, in the order in which they come
		now := map[string]*batch{}
		match := map[string][]string{}
		sum, n := time.Duration(0), 0
		for n == 0 || n < len(sorted) && sum+sorted[n].took <= room {
			u := sorted[n]
			if now[u.of] == nil {
				now[u.of], of = &batch{of: u.of}, append(of, u.of)
			}
			now[u.of].took += u.took
			match[u.of] = append(match[u.of], exactly(u.name))
			sum += u.took
			n++
		}
		for _, pkg := range of {
			now[pkg].match = strings.Join(match[pkg], "|")
			list = append(list, *now[pkg])
		}
		sorted = sorted[n:]
	}
	return list
}
