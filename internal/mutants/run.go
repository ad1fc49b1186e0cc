package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
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
	work  string    // a scratch directory
	named named     // the tests that must kill what was made by hand
	jobs  int       // how many are tried at a time
	notes io.Writer // how far it has come; nil: nobody wants to know
}

// progress says what is done now.
func (b bench) progress(format string, args ...any) {
	if b.notes != nil {
		fmt.Fprintf(b.notes, time.Now().Format("15:04:05 ")+format+"\n", args...)
	}
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
	plain string   // the same without a mutant, where one is built in; empty: itself
	dir   string   // where they run
	flags []string // that they know
}

// errBuild is what the compiler says of changed files.
type errBuild string

func (e errBuild) Error() string { return string(e) }

// build compiles the tests of packages, and those of the other, with files in
// place of the real ones; name tells the binaries from others. A package without
// tests gives no binary.
func (b bench) build(ctx context.Context, name string, files map[string][]byte, packages []string) (all []binary, err error) {
	overlay, err := b.overlay(files)
	if err != nil {
		return nil, err
	}
	args := []string{"-overlay", overlay}
	var wanted []binary
	for i, p := range packages {
		args = append(args, "-gcflags="+p+"=-e") // every error, not the first ten
		wanted = append(wanted, binary{of: p, short: true, path: filepath.Join(b.work, fmt.Sprintf("%s-own%d.test", name, i))})
	}
	for i, p := range b.tests {
		wanted = append(wanted, binary{of: p, skip: b.skip, short: !b.whole, path: filepath.Join(b.work, fmt.Sprintf("%s-other%d.test", name, i))})
	}
	// What does not compile is told of all packages, before anything is linked.
	out, err := b.command(ctx, "go", slices.Concat([]string{"build", "-o", os.DevNull}, args, packages)...).CombinedOutput()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, errBuild(out)
	}
	for i, x := range wanted {
		b.progress("build the tests of %s, %d of %d", x.of, i+1, len(wanted))
		_ = os.Remove(x.path)
		out, err := b.command(ctx, "go", slices.Concat([]string{"test", "-c", "-vet=off"}, args, []string{"-o", x.path, x.of})...).CombinedOutput()
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
	ok    bool
	said  string
	late  bool // the clock ran out
	spent bool // the processor time ran out
}

// bounds is how long tests may take: by the clock, and of processor time (0: as
// much as they like). On a busy machine the clock says little.
type bounds struct{ clock, cpu time.Duration }

// run runs tests that match; alive is the mutant.
func (b bench) run(ctx context.Context, x binary, alive int, match string, limit bounds, more ...string) (told, error) {
	set := fmt.Sprintf("ulimit -v %d; ", memory)
	if limit.cpu > 0 {
		set += fmt.Sprintf("ulimit -t %d; ", int(math.Ceil(limit.cpu.Seconds())))
	}
	cmd := b.command(ctx, "sh", "-c", set+`exec "$0" "$@"`,
		x.path, "-test.short="+strconv.FormatBool(x.short), "-test.failfast", "-test.timeout="+limit.clock.String(), "-test.run="+match, "-test.skip="+x.skip)
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
	took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return told{
		ok: err == nil, said: string(out),
		late: err != nil && bytes.Contains(out, []byte("panic: test timed out after")),
		// The system ended it. It counts by its own ticks, also those that a host takes
		// away, and so may say that the time is over when less was used.
		spent: failed != nil && failed.ExitCode() < 0 && limit.cpu > 0 && took > limit.cpu/2,
	}, nil
}

func (b bench) traces() string { return filepath.Join(b.work, "reached") }

var failedTest = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)

// passing is what -test.v says of tests that are fine.
var passing = regexp.MustCompile(`(?m)^ *(=== \w+|--- PASS:|--- SKIP:) .*\n`)

var passed = regexp.MustCompile(`(?m)^( *)--- PASS: (\S+) \(([0-9.]+)s\)$`)

var paused = regexp.MustCompile(`(?m)^=== PAUSE +(\S+)$`)

// long is from when on a test is taken apart.
const long = 500 * time.Millisecond

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
	var there []unit
	for _, u := range units {
		if u.reaches[n] {
			there = append(there, u)
		}
	}
	if len(there) == 0 {
		return unreached, "", nil
	}
	return b.tryUnits(ctx, all, there, n)
}

// tryUnits runs tests under a mutant, the cheapest first, until one notices.
func (b bench) tryUnits(ctx context.Context, all []binary, units []unit, n int) (became outcome, by string, err error) {
	for _, s := range batches(units) {
		i := slices.IndexFunc(all, func(x binary) bool { return x.of == s.of })
		if i < 0 {
			return "", "", fmt.Errorf("the tests of %s are not built", s.of)
		}
		if by, err := b.notices(ctx, all[i], n, s.match, s.took); by != "" || err != nil {
			return killed, by, err
		}
	}
	return survived, "", nil
}

// packageOf is the package of a mutant, as it is named among those that are
// tried.
func (b bench) packageOf(m mutant) (string, error) {
	root, err := filepath.Abs(b.dir)
	if err != nil {
		return "", err
	}
	dir, err := filepath.Rel(root, filepath.Dir(m.file))
	if err != nil {
		return "", err
	}
	for _, p := range b.pkgs {
		if filepath.Clean(p) == dir {
			return p, nil
		}
	}
	return "", fmt.Errorf("%s is in none of %v", m.file, b.pkgs)
}

// tryAlone builds a mutant that could not be woven, and runs all tests.
func (b bench) tryAlone(ctx context.Context, woven []binary, m mutant, src []byte, units []unit) (became outcome, by string, err error) {
	pkg, err := b.packageOf(m)
	if err != nil {
		return "", "", err
	}
	all, err := b.build(ctx, "alone", map[string][]byte{m.file: m.apply(src)}, []string{pkg})
	var refused errBuild
	if errors.As(err, &refused) {
		return stillborn, "", nil
	}
	if err != nil {
		return "", "", err
	}
	var own []unit
	for i := range all {
		for _, x := range woven {
			if x.of == all[i].of {
				all[i].plain = x.path
			}
		}
		for _, u := range units {
			if u.of == all[i].of {
				own = append(own, u)
			}
		}
	}
	if tests := b.named.of(m); len(tests) > 0 {
		return b.tryNamed(ctx, all, 0, tests)
	}
	return b.tryUnits(ctx, all, own, 0)
}

// notices names a test that fails under a mutant, or none; took is how long the
// tests take without it. One that never ends fails, but not one that is only slow:
// it must have taken five times the processor time, or still wait when the clock
// has run out twice, the second time after four times as long. A test that fails
// without the mutant too is no test.
func (b bench) notices(ctx context.Context, x binary, alive int, match string, took time.Duration) (by string, err error) {
	limit := bounds{min(5*time.Second+10*took, b.limit), 5*time.Second + 5*took}
	for late := false; ; late = true {
		under, err := b.run(ctx, x, alive, match, limit)
		if under.ok || err != nil {
			return "", err
		}
		if under.late && !late {
			limit.clock *= 4
			continue
		}
		by, again := "a panic", match
		for _, line := range failedTest.FindAllStringSubmatch(under.said, -1) {
			by = line[1] // the innermost comes last
			again = exactly(by)
		}
		if under.late || under.spent {
			by, again = "a deadline", match
		}
		without, err := b.without(ctx, x, again, limit.cpu)
		if err == nil && under.spent && without.spent {
			limit.cpu *= 4 // they take longer than they seemed to
			continue
		}
		if err == nil && !without.ok {
			err = fmt.Errorf("%s: %s fails without a mutant:\n%s", x.of, again, passing.ReplaceAllString(without.said, ""))
		}
		return by, err
	}
}

// without runs tests that noticed a mutant once more without it.
func (b bench) without(ctx context.Context, x binary, match string, cpu time.Duration) (told, error) {
	x.path = cmp.Or(x.plain, x.path)
	return b.run(ctx, x, 0, match, bounds{10 * b.limit, cpu})
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
