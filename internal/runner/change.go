package runner

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"brenner"

	"brenner/api"
	"brenner/program"
)

// changeOf takes what a run changed in its worktree, and tries it where the PI
// named a test and the person here has allowed it (W15).
func (r *Runner) changeOf(ctx context.Context, run api.StartedRun, p *place, ended api.RunEnd) (*api.CodeChange, []string) {
	if p.tree == nil {
		return nil, nil
	}
	change, err := p.tree.change(ctx, run.Agent, fmt.Sprintf("%s for %s\n\nRun %s", run.Agent, run.Work, run.ID))
	if err != nil {
		return nil, []string{"its changes cannot be read: " + brenner.Clip(err.Error(), 300)}
	}
	if change == nil || run.Test == "" {
		return change, nil
	}
	if !ended.Outcome.Good() {
		return change, []string{"the test was not run: the run did not end well"}
	}
	if !r.o.TestAllowed(run.Test) {
		return change, []string{"the test was not run: it is not allowed on this machine"}
	}
	change.Test = r.test(ctx, run, p)
	return change, nil
}

// testDeadline bounds a test command.
const testDeadline = 10 * time.Minute

// test runs the test command of a task in the worktree, without any token.
func (r *Runner) test(ctx context.Context, run api.StartedRun, p *place) *api.TestResult {
	ctx, cancel := context.WithTimeout(ctx, testDeadline)
	defer cancel()
	env := buildEnvironment(r.o.Environ, program.Program{}, run.Agent, run.ID, "")
	tail := &lastBytes{most: 32 << 10}
	shell := []string{"/bin/sh", "-c", run.Test}
	if runtime.GOOS == "windows" {
		shell = []string{os.Getenv("ComSpec"), "/C", run.Test}
	}
	keep := func(line []byte) { tail.add(line) }
	exit, err := command{path: shell[0], args: shell[1:], dir: p.dir, env: env.with(nil), mark: rand.Text(), out: keep, errs: func([]byte) {}}.run(ctx, r.o.Grace)
	if err != nil {
		return &api.TestResult{Command: run.Test, Exit: -1, Output: err.Error()}
	}
	return &api.TestResult{Command: run.Test, Exit: exit.Code, Output: strings.ToValidUTF8(tail.String()+exit.Errors, "�")}
}
