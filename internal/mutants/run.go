package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// outcome is what became of a mutant.
type outcome string

const (
	killed    outcome = "killed"
	survived  outcome = "survived"
	unreached outcome = "unreached" // it survived: no test comes there
	stillborn outcome = "stillborn" // it does not compile, and tells nothing
)

// bench tries mutants of packages: their tests, and those of another that uses
// them, are built with changed files in place of the real ones, and run.
type bench struct {
	dir   string   // of the module
	pkgs  []string // whose files are changed; their own tests are run
	tests []string // whose tests are run too
	skip  string   // which of those are not; may be empty
	whole bool     // the long ones among those are run too
	limit time.Duration
	work  string // a scratch directory
	named named  // the tests that must kill what was made by hand
}

// memory bounds what a mutant that never stops may take, in KiB.
const memory = 8 << 20

// sources are the Go files of a package, without its tests.
func (b bench) sources(ctx context.Context, pkg string) ([]string, error) {
	out, err := b.command(ctx, "go", "list", "-json=Dir,GoFiles", pkg).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", pkg, err)
	}
	var list struct {
		Dir     string
		GoFiles []string
	}
	if err := json.Unmarshal(out, &list); err != nil {
		return nil, err
	}
	for i, f := range list.GoFiles {
		list.GoFiles[i] = filepath.Join(list.Dir, f)
	}
	return list.GoFiles, nil
}

func (b bench) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = b.dir
	return cmd
}

// binary is the tests of a package, built with changed files.
type binary struct {
	of    string // the package
	skip  string // tests of it that are not run
	short bool   // its long tests are not run
	path  string
	dir   string   // where they run
	flags []string // that they know
}

// errBuild is what the compiler says of changed files.
type errBuild string

func (e errBuild) Error() string { return string(e) }

// build compiles the tests of packages, and those of the other, with files in
// place of the real ones. A package without tests gives no binary.
func (b bench) build(ctx context.Context, files map[string][]byte, packages []string) (all []binary, err error) {
	overlay, err := b.overlay(files)
	if err != nil {
		return nil, err
	}
	args := []string{"test", "-c", "-vet=off", "-overlay", overlay}
	var wanted []binary
	for i, p := range packages {
		args = append(args, "-gcflags="+p+"=-e") // every error, not the first ten
		wanted = append(wanted, binary{of: p, short: true, path: filepath.Join(b.work, fmt.Sprintf("own%d.test", i))})
	}
	for i, p := range b.tests {
		wanted = append(wanted, binary{of: p, skip: b.skip, short: !b.whole, path: filepath.Join(b.work, fmt.Sprintf("other%d.test", i))})
	}
	for _, x := range wanted {
		_ = os.Remove(x.path)
		out, err := b.command(ctx, "go", append(args, "-o", x.path, x.of)...).CombinedOutput()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, errBuild(out)
		}
		if _, err := os.Stat(x.path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		where, err := b.command(ctx, "go", "list", "-f", "{{.Dir}}", x.of).Output()
		if err != nil {
			return nil, err
		}
		x.dir = strings.TrimSpace(string(where))
		// A property test that fails looks for the smallest example and keeps
		// it; that it failed is enough.
		if help, _ := b.command(ctx, x.path, "-h").CombinedOutput(); bytes.Contains(help, []byte("-rapid.shrinktime")) {
			x.flags = []string{"-rapid.shrinktime=0s", "-rapid.nofailfile"}
		}
		all = append(all, x)
	}
	return all, nil
}

// overlay writes changed files and the file that puts them in place.
func (b bench) overlay(files map[string][]byte) (string, error) {
	places := map[string]string{}
	for name, text := range files {
		places[name] = filepath.Join(b.work, place(name))
		if err := os.WriteFile(places[name], text, 0o600); err != nil {
			return "", err
		}
	}
	raw, err := json.Marshal(map[string]map[string]string{"Replace": places})
	if err != nil {
		return "", err
	}
	name := filepath.Join(b.work, "overlay.json")
	return name, os.WriteFile(name, raw, 0o600)
}

// place is what a changed file is called among those of all packages.
func place(name string) string {
	return strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(name)
}

// told is what tests came to.
type told struct {
	ok   bool
	said string
	cpu  time.Duration // processor time: on a busy machine the clock says little
}

// run runs tests that match; alive is the mutant.
func (b bench) run(ctx context.Context, x binary, alive int, match string, limit time.Duration, more ...string) (told, error) {
	cmd := b.command(ctx, "sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, memory),
		x.path, "-test.short="+strconv.FormatBool(x.short), "-test.failfast", "-test.timeout="+limit.String(), "-test.run="+match, "-test.skip="+x.skip)
	cmd.Args = append(append(cmd.Args, x.flags...), more...)
	cmd.Dir = x.dir
	cmd.Env = append(os.Environ(), chosen+"="+strconv.Itoa(alive), traceFile+"="+b.traces())
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return told{}, ctx.Err()
	case err != nil && !errors.As(err, &failed):
		return told{}, err
	}
	return told{err == nil, string(out), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

func (b bench) traces() string { return filepath.Join(b.work, "reached") }

// unit is the least that is run by itself: a test, or a part of one that is long
// and made of parts.
type unit struct {
	in      int // which binary
	match   string
	took    time.Duration
	reaches map[int]bool // places of mutants
}

var failedTest = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)

// passing is what -test.v says of tests that are fine.
var passing = regexp.MustCompile(`(?m)^ *(=== \w+|--- PASS:|--- SKIP:) .*\n`)

var passed = regexp.MustCompile(`(?m)^( *)--- PASS: (\S+) \(([0-9.]+)s\)$`)

// long is from when on a test is taken apart, in seconds.
const long = 0.5

// units runs the tests once as they are, which must pass, and then each by
// itself to see where it comes.
func (b bench) units(ctx context.Context, all []binary) (list []unit, err error) {
	for i, x := range all {
		whole, err := b.run(ctx, x, 0, ".", 10*b.limit, "-test.v")
		if err != nil {
			return nil, err
		}
		if !whole.ok {
			return nil, fmt.Errorf("%s fails without a mutant:\n%s", x.of, passing.ReplaceAllString(whole.said, ""))
		}
		for _, name := range parts(whole.said) {
			u := unit{in: i, match: exactly(name), reaches: map[int]bool{}}
			_ = os.Remove(b.traces())
			begun := time.Now()
			part, err := b.run(ctx, x, trace, u.match, 10*b.limit)
			if err != nil {
				return nil, err
			}
			if !part.ok {
				return nil, fmt.Errorf("%s fails by itself:\n%s", name, part.said)
			}
			u.took = time.Since(begun)
			text, err := os.ReadFile(b.traces())
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			for word := range strings.FieldsSeq(string(text)) {
				n, err := strconv.Atoi(word)
				if err != nil {
					return nil, err
				}
				u.reaches[n] = true
			}
			list = append(list, u)
		}
	}
	return list, nil
}

// parts are the tests in what -test.v says, a long one by its parts if they are
// most of it.
func parts(said string) (names []string) {
	seconds := map[string]float64{}
	inside := map[string][]string{}
	var top []string
	for _, line := range passed.FindAllStringSubmatch(said, -1) {
		name := line[2]
		seconds[name], _ = strconv.ParseFloat(line[3], 64)
		switch of, _, _ := strings.Cut(name, "/"); len(line[1]) {
		case 0:
			top = append(top, name)
		case 4:
			inside[of] = append(inside[of], name)
		}
	}
	for _, name := range top {
		sum := 0.0
		for _, p := range inside[name] {
			sum += seconds[p]
		}
		if seconds[name] > long && sum > seconds[name]/2 {
			names = append(names, inside[name]...)
		} else {
			names = append(names, name)
		}
	}
	return names
}

// exactly matches one test.
func exactly(name string) string {
	words := strings.Split(name, "/")
	for i, w := range words {
		words[i] = "^" + regexp.QuoteMeta(w) + "$"
	}
	return strings.Join(words, "/")
}

// try lets a woven mutant live and runs the tests that come where it is; by is
// the one that noticed.
func (b bench) try(ctx context.Context, all []binary, units []unit, n int) (became outcome, by string, err error) {
	became = unreached
	for i, x := range all {
		var match []string
		limit := 5 * time.Second
		for _, u := range units {
			if u.in == i && u.reaches[n] {
				match = append(match, u.match)
				limit += 10 * u.took
			}
		}
		if len(match) == 0 {
			continue
		}
		by, err := b.notices(ctx, x, n, strings.Join(match, "|"), min(limit, b.limit))
		if err != nil {
			return "", "", err
		}
		if by != "" {
			return killed, by, nil
		}
		became = survived
	}
	return became, "", nil
}

// packageOf is the package of a mutant, as it is named among those that are
// tried.
func (b bench) packageOf(m mutant) (string, error) {
	root, err := filepath.Abs(b.dir)
	if err != nil {
		return "", err
	}
	dir, err := filepath.Rel(root, filepath.Dir(m.file))
	return "./" + filepath.ToSlash(dir), err
}

// tryAlone builds a mutant that could not be woven, and runs all tests.
func (b bench) tryAlone(ctx context.Context, m mutant, src []byte) (became outcome, by string, err error) {
	pkg, err := b.packageOf(m)
	if err != nil {
		return "", "", err
	}
	all, err := b.build(ctx, map[string][]byte{m.file: m.apply(src)}, []string{pkg})
	var refused errBuild
	if errors.As(err, &refused) {
		return stillborn, "", nil
	}
	if err != nil {
		return "", "", err
	}
	if tests := b.named.of(m); len(tests) > 0 {
		return b.tryNamed(ctx, all, 0, tests)
	}
	for _, x := range all {
		if by, err := b.notices(ctx, x, 0, ".", b.limit); by != "" || err != nil {
			return killed, by, err
		}
	}
	return survived, "", nil
}

// notices names a test that fails under a mutant, or none. One that never ends
// fails, but not one that is only slow: it must have taken five times the
// processor time that the same tests take without the mutant, or still wait
// after sixteen times the limit.
func (b bench) notices(ctx context.Context, x binary, alive int, match string, limit time.Duration) (by string, err error) {
	for range 3 {
		under, err := b.run(ctx, x, alive, match, limit)
		if under.ok || err != nil {
			return "", err
		}
		if !strings.Contains(under.said, "panic: test timed out after") {
			by = "a panic"
			for _, line := range failedTest.FindAllStringSubmatch(under.said, -1) {
				by = line[1] // the innermost comes last
			}
			return by, nil
		}
		without, err := b.run(ctx, x, 0, match, 10*limit)
		if err != nil {
			return "", err
		}
		if without.ok && under.cpu > 5*without.cpu {
			return "a deadline", nil
		}
		limit *= 4
	}
	return "a deadline", nil
}

// stillbirths reads from what the compiler says which mutants it refuses.
func (w woven) stillbirths(said string) (refused []int) {
	for _, line := range compilerLine.FindAllStringSubmatch(said, -1) {
		n, _ := strconv.Atoi(line[2])
		for name, spans := range w.copies {
			if place(name) != filepath.Base(line[1]) {
				continue
			}
			for _, s := range spans {
				if s.first <= n && n <= s.last {
					refused = append(refused, s.mutant)
				}
			}
		}
	}
	slices.Sort(refused)
	return slices.Compact(refused)
}

var compilerLine = regexp.MustCompile(`(?m)^(\S+\.go):([0-9]+):[0-9]+: `)
