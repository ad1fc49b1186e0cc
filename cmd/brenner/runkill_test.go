//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/api"
	"brenner/internal/pgtest"
)

// fleet is a project with tasks, agents and a program that does them.
type fleet struct {
	*shell
	tasks int
}

// newFleet makes a project in a store; empty: in its own directory.
func newFleet(t *testing.T, store string, tasks int) *fleet {
	s := newShell(t)
	s.env["BRENNER_PROGRAMS"] = filepath.Join(s.dir, "own", "programs.json")
	s.env["BRENNER_STATE"] = filepath.Join(s.dir, "state")
	if store != "" {
		s.env["BRENNER_STORE"] = store
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	steps, err := json.Marshal([]string{
		actAsProgram, "wait 150ms",
		`tool artifact_write {"type":"manuscript_section","task":"{task}","summary":"what came of {task}","content":{"format":"text","data":"done"},"change":{"what":"it","why":"asked for"}}`,
		"wait 50ms", `tool task_complete {"id":"{task}"}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	rc := fmt.Sprintf("programs:\n  worker: {profile: command, executable: %q, args: %s}\n", exe, steps)
	if err := os.WriteFile(filepath.Join(s.dir, ".brennerrc"), []byte(rc), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &fleet{shell: s, tasks: tasks}
	s.must("init", "--name", "Fate", "--pi", "ada")
	for _, name := range []string{"BlueLake", "GreenValley"} {
		s.must("agent", "add", name, "--role", "writer")
	}
	for i := range tasks {
		s.must("task", "new", fmt.Sprintf("Write part %d", i), "--role", "writer")
	}
	var found struct {
		Data struct {
			Digest string `json:"digest"`
		} `json:"data"`
	}
	f.parse(&found, "program", "allow", "worker", "--json")
	s.must("program", "allow", "worker", "--yes", found.Data.Digest)
	return f
}

func (f *fleet) parse(into any, args ...string) {
	f.t.Helper()
	if err := json.Unmarshal([]byte(f.must(args...)), into); err != nil {
		f.t.Fatal(err)
	}
}

// work starts a runner as another process and kills it after a while; 0: it is
// left to end.
func (f *fleet) work(after time.Duration, args ...string) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), 2*time.Minute)
	defer cancel()
	cmd := f.process(ctx, append([]string{"run", "--once", "--program", "worker", "--jobs", "3"}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	if after == 0 {
		if err := cmd.Wait(); err != nil {
			f.t.Fatalf("the last runner: %v\n%s", err, out.String())
		}
		return
	}
	time.Sleep(after)
	if err := cmd.Process.Kill(); err != nil && cmd.ProcessState == nil {
		f.t.Log(err)
	}
	_ = cmd.Wait()
}

// done counts the tasks that are done.
func (f *fleet) done() int {
	f.t.Helper()
	var done struct {
		Data api.TaskList `json:"data"`
	}
	f.parse(&done, "task", "list", "--state", "done", "--limit", "1000", "--json")
	return len(done.Data.Tasks)
}

// runs lists the runs so far.
func (f *fleet) runs() []api.RunInfo {
	f.t.Helper()
	var list struct {
		Data api.RunList `json:"data"`
	}
	f.parse(&list, "runs", "--limit", "1000", "--json")
	return list.Data.Runs
}

// until waits for something to come true.
func (f *fleet) until(what string, came func() bool) {
	f.t.Helper()
	for deadline := time.Now().Add(time.Minute); !came(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.t.Fatalf("waited a minute until %s", what)
		}
	}
}

// settled sees that every task was done once, that no run, process or token is
// left, and that the journal holds.
func (f *fleet) settled() {
	f.t.Helper()
	if n := f.done(); n != f.tasks {
		f.t.Errorf("%d of %d tasks are done", n, f.tasks)
	}
	var completed struct {
		Data api.RecordList `json:"data"`
	}
	if f.parse(&completed, "journal", "--kind", "task.completed", "--limit", "1000", "--json"); len(completed.Data.Records) != f.tasks {
		f.t.Errorf("%d completions of %d tasks", len(completed.Data.Records), f.tasks)
	}
	all := f.runs()
	worked, lost := map[string]int{}, 0
	for _, r := range all {
		switch {
		case r.State != api.RunEnded:
			f.t.Errorf("%s is %s", r.ID, r.State)
		case r.Outcome == api.OutcomeWorked:
			worked[r.Task]++
		case r.Outcome == api.OutcomeLost:
			lost++
		default:
			f.t.Errorf("%s ended as %s: %s %s", r.ID, r.Outcome, r.Cause, r.Said)
		}
	}
	for id, n := range worked {
		if n > 1 {
			f.t.Errorf("%s was done by %d runs", id, n)
		}
	}
	f.t.Logf("%d runs for %d tasks, %d lost", len(all), f.tasks, lost)
	var tokens struct {
		Data api.TokenList `json:"data"`
	}
	f.parse(&tokens, "agent", "tokens", "--json")
	for _, token := range tokens.Data.Tokens {
		if token.Live {
			f.t.Errorf("the token %s of %s is alive", token.ID, token.Actor)
		}
	}
	if left := f.orphans(); len(left) > 0 {
		f.t.Errorf("processes are left: %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(f.env["BRENNER_STATE"], "*")); len(left) > 0 {
		f.t.Errorf("directories are left: %v", left)
	}
	f.must("verify")
}

// orphans lists processes that carry the mark of a run of ours.
func (f *fleet) orphans() (left []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err == nil && bytes.Contains(env, []byte("BRENNER_RUN_MARK=")) && bytes.Contains(env, []byte(f.dir)) {
			left = append(left, filepath.Base(filepath.Dir(file)))
		}
	}
	return left
}

// kills is how often a runner is killed.
func kills() int {
	if os.Getenv("BRENNER_SOAK") != "" {
		return 100
	}
	return 4
}

// W8, W16: killing a runner at any point loses and doubles nothing: each task is
// done exactly once, and no process and no token is left.
func TestRunner_KilledAtAnyPointLosesAndDoublesNothing(t *testing.T) {
	for name, store := range map[string]func() string{
		"sqlite": func() string { return "" }, "postgres": func() string { return pgtest.Open(t) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, store(), 3+kills()/2)
			for range kills() {
				f.work(time.Duration(rand.Int64N(int64(1200*time.Millisecond))) + time.Millisecond)
				f.until("its children are gone with it", func() bool { return len(f.orphans()) == 0 })
			}
			f.work(0)
			f.settled()
		})
	}
}

// W8: two runners at once, on one project, do each task once.
func TestRunner_TwoAtOnceDoEachTaskOnce(t *testing.T) {
	f := newFleet(t, "", 6)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { f.work(0) })
	}
	both.Wait()
	f.settled()
}

// W8, W16, W17: a server that is killed under a runner of another machine comes
// back, and the runner goes on: each task is done exactly once.
func TestRunner_OutlivesItsServer(t *testing.T) {
	f := newFleet(t, "", 4)
	f.must("agent", "add", "outpost", "--role", "runner", "--for", "BlueLake", "--for", "GreenValley")
	token := f.must("agent", "token", "outpost")
	address, server := f.serverProcess()
	port := address[strings.LastIndexByte(address, ':')+1:]
	far := &fleet{shell: f.with("BRENNER_TOKEN", token), tasks: f.tasks}
	runner := far.process(t.Context(), "--server", address, "run", "--program", "worker", "--jobs", "2")
	var out bytes.Buffer
	runner.Stdout, runner.Stderr = &out, &out
	if err := runner.Start(); err != nil {
		t.Fatal(err)
	}
	f.until("a run is under way", func() bool { return len(f.runs()) > 0 })
	time.Sleep(time.Duration(rand.Int64N(int64(500 * time.Millisecond)))) // anywhere in it, and in the next
	_ = server.Process.Kill()
	_ = server.Wait()
	time.Sleep(500 * time.Millisecond) // so that somebody asks meanwhile
	again := f.process(t.Context(), "serve", "--addr", "127.0.0.1:"+port)
	if got := f.started(again); !strings.HasSuffix(got, port) {
		t.Fatalf("the server came back at %s", got)
	}
	f.until("every task is done", func() bool { return f.done() == f.tasks })
	_ = runner.Process.Signal(os.Interrupt)
	if err := runner.Wait(); err != nil {
		t.Errorf("the runner: %v\n%s", err, out.String())
	}
	f.must("agent", "revoke", "outpost")
	f.settled()
}
