package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// outcome is what became of a mutant.
type outcome string

const (
	killed    outcome = "killed"
	survived  outcome = "survived"
	stillborn outcome = "stillborn" // it does not compile, and tells nothing
)

// bench tries mutants of one package: its tests, or those of another that uses
// it, are built with the changed file in place of the real one, and run.
type bench struct {
	dir   string // of the module
	pkg   string // whose files are changed
	tests string // whose tests are run
	match string // which of them; empty: all
	limit time.Duration
	work  string // a scratch directory
}

// memory bounds what a mutant that never stops may take, in KiB.
const memory = 6 << 20

// sources are the Go files of the package, without its tests.
func (b bench) sources(ctx context.Context) ([]string, error) {
	out, err := b.command(ctx, "go", "list", "-json=Dir,GoFiles", b.pkg).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", b.pkg, err)
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

// try builds and runs the tests with a mutant; nil tries the package as it is.
func (b bench) try(ctx context.Context, m *mutant, src []byte) (outcome, error) {
	binary := filepath.Join(b.work, "tests")
	args := []string{"test", "-c", "-vet=off", "-o", binary}
	if m != nil {
		overlay, err := b.overlay(*m, src)
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay", overlay)
	}
	_ = os.Remove(binary)
	if out, err := b.command(ctx, "go", append(args, b.tests)...).CombinedOutput(); err != nil {
		if m == nil || ctx.Err() != nil {
			return "", errors.Join(ctx.Err(), fmt.Errorf("%s: %s", b.tests, out))
		}
		return stillborn, nil
	}
	where, err := b.command(ctx, "go", "list", "-f", "{{.Dir}}", b.tests).Output()
	if err != nil {
		return "", err
	}
	run := b.command(ctx, "sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, memory),
		binary, "-test.short", "-test.failfast", "-test.timeout="+b.limit.String(), "-test.run="+b.match)
	run.Dir = strings.TrimSpace(string(where))
	defer sweep(filepath.Join(run.Dir, "testdata", "rapid"))()
	var said bytes.Buffer
	run.Stdout, run.Stderr = &said, &said
	err = run.Run()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil:
		return survived, nil
	case errors.As(err, &failed):
		if m == nil {
			return "", fmt.Errorf("%s fails without a mutant:\n%s", b.tests, said.String())
		}
		return killed, nil
	}
	return "", err
}

// sweep notes what stands in a directory, and then removes what came since:
// property tests keep what made them fail, and mutants make them fail.
func sweep(dir string) func() {
	before := map[string]bool{}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		before[e.Name()] = true
	}
	return func() {
		if err != nil {
			_ = os.RemoveAll(dir) // it was not there
			return
		}
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if !before[e.Name()] {
				_ = os.RemoveAll(filepath.Join(dir, e.Name()))
			}
		}
	}
}

// overlay writes the changed file and the file that puts it in place.
func (b bench) overlay(m mutant, src []byte) (string, error) {
	changed := filepath.Join(b.work, "changed.go")
	if err := os.WriteFile(changed, m.apply(src), 0o600); err != nil {
		return "", err
	}
	raw, err := json.Marshal(map[string]map[string]string{"Replace": {m.file: changed}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(b.work, "overlay.json")
	return name, os.WriteFile(name, raw, 0o600)
}
