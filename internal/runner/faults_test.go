package runner

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/runner/modeltest"
	"brenner/program"
)

// fault is something that goes wrong in a run.
type fault struct {
	program program.Program
	// task says that it happens at a task, not in a session.
	task bool
	// broken breaks what the runner rests on, once there is one.
	broken func(t *testing.T, w *world, r *Runner)
	// starts is how often the program is started; 0: it does not matter.
	starts int
	// after looks at what came of it.
	after func(t *testing.T, w *world, info api.RunInfo)
}

// faults are the faults of docs/runs.md that this package brings about, by the
// names that they have there.
func faults(t *testing.T) map[string]fault {
	t.Helper()
	short := func(p program.Program) program.Program {
		p.Bounds.Time = api.Duration(400 * time.Millisecond)
		return p
	}
	loud := acting("gigabyte")
	loud.Bounds.Output = 8 << 20
	once := `{"text":` + quoted(goodReply) + `}`
	dir := t.TempDir()
	lateAsk, lateSaid := filepath.Join(dir, "ask"), filepath.Join(dir, "said")
	out := map[string]fault{
		"not installed":               {program: program.Program{Profile: program.Command, Args: []string{"x"}}.Resolve("/nowhere/to/be/found"), starts: 1},
		"not logged in":               {program: acting("logged-out"), starts: 1},
		"crashes":                     {program: acting("crash"), starts: 2},
		"answers with garbage":        {program: acting("garbage"), starts: 3},
		"prints no stream of events":  {program: posing(t, program.Claude, "garbage"), starts: 2},
		"prints 1 GB":                 {program: loud, starts: 1, after: boundedLog},
		"hangs":                       {program: short(acting("hang")), starts: 1},
		"ignores the request to end":  {program: short(acting("deaf")), starts: 1},
		"forks children that hang":    {program: short(acting("family-hang")), starts: 1},
		"leaves children behind":      {program: acting("family"), starts: 1},
		"ends without a word":         {program: acting("silent"), starts: 2},
		"asks for input":              {program: acting("ask"), starts: 3},
		"asks at the terminal":        {program: acting("tty"), starts: 3},
		"leaves its task open":        {program: acting("say", "It", "cannot", "be", "done."), task: true, starts: 3, after: lastWords},
		"answers twice":               {program: acting("twice", once), starts: 1, after: oneReply},
		"answers when its token died": {program: acting("late", lateAsk, lateSaid), starts: 1, after: tooLate(lateAsk, lateSaid)},
		"fills the disk":              {program: acting("full"), starts: 1},
		"no disk for the runner":      {program: acting("answer"), broken: fullMachine, after: neverStarted},
		"no disk for the project":     {program: acting("answer"), broken: fullProject, starts: 1, after: oneReply},
		"no repository":               {program: inWorktree(acting("answer")), task: true, after: neverStarted},
	}
	for name, answer := range map[string]modeltest.Answer{
		"endpoint: 429": {Status: 429}, "endpoint: 529": {Status: 529}, "endpoint: 500": {Status: 500}, "endpoint: 401": {Status: 401},
		"endpoint: no such model": {Status: 404}, "endpoint: slow": {Text: "late", Wait: time.Minute},
		"endpoint: the stream is cut": {Text: strings.Repeat("word ", 40), Cut: true}, "endpoint: the model declines": {Text: "no", Refuse: true},
	} {
		m := modeltest.New(func(modeltest.Ask) modeltest.Answer { return answer })
		t.Cleanup(m.Close)
		f := fault{program: chatProgram(m.URL())}
		if answer.Wait > 0 {
			f.program = short(f.program)
		}
		out[name] = f
	}
	return out
}

// W9, W10: every fault of the table in docs/runs.md ends as that table says:
// with that outcome and cause, recorded once, and without a live token, a
// process or a directory left.
func TestFaults_EachEndsAsTheTableSays(t *testing.T) {
	all := faults(t)
	for i, row := range faultTable(t) {
		f, ours := all[row.name]
		if !ours {
			if !strings.Contains(row.proof, "`Test") {
				t.Errorf("%s: nothing brings it about here, and no test is named", row.name)
			}
			continue
		}
		delete(all, row.name)
		t.Run(row.name, func(t *testing.T) {
			if testing.Short() && i%4 != 0 {
				t.Skip("the whole run has it")
			}
			w := newWorld(t)
			r := w.runner(t)
			if f.broken != nil {
				f.broken(t, w, r)
			}
			job := kickoff(f.program)
			if f.task {
				job = assigned(f.program)
			}
			info := do(t, r, job)
			if info.Outcome != api.Outcome(row.outcome) || string(info.Cause) != row.cause {
				t.Errorf("ended as %s, %q (%s); the table says %s, %q", info.Outcome, info.Cause, info.Said, row.outcome, row.cause)
			}
			if row.cause != "" && info.Cause.Sentence() == "" {
				t.Errorf("nobody understands %q", row.cause)
			}
			if f.starts > 0 && info.Starts != f.starts {
				t.Errorf("started %d times", info.Starts)
			}
			if n := marked(t, "BRENNER_RUN="+info.ID); n != 0 {
				t.Errorf("%d processes go on", n)
			}
			if len(w.tokens) != 0 {
				t.Error("the token lives on")
			}
			w.end(t) // exactly one
			if f.after != nil {
				f.after(t, w, info)
			}
		})
	}
	for name := range all {
		t.Errorf("docs/runs.md does not list %q", name)
	}
}

// faultRow is a row of the table.
type faultRow struct{ name, outcome, cause, proof string }

// faultTable reads the table of docs/runs.md.
func faultTable(t *testing.T) []faultRow {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash("../../docs/runs.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "\n| Fault |")
	if !found {
		t.Fatal("docs/runs.md has no table of faults")
	}
	var rows []faultRow
	for i, line := range strings.Split(table, "\n") {
		if i < 2 { // the rest of the head, and the rule below it
			continue
		}
		cells := strings.Split(line, "|")
		if len(cells) != 7 {
			break
		}
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		rows = append(rows, faultRow{cells[1], strings.Trim(cells[2], "`"), strings.Trim(cells[3], "`–"), cells[5]})
	}
	if len(rows) < 20 {
		t.Fatalf("the table has %d rows", len(rows))
	}
	return rows
}

// posing is a program of a profile that does something else than it should.
func posing(t *testing.T, profile program.Profile, what string) program.Program {
	t.Helper()
	name := filepath.Join(t.TempDir(), "poser")
	if err := os.WriteFile(name, []byte("#!/bin/sh\nexec '"+os.Args[0]+"' "+asProgram+" "+what+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return program.Program{Profile: profile}.Resolve(name)
}

func inWorktree(p program.Program) program.Program {
	p.Directory = program.Worktree
	return p
}

func boundedLog(t *testing.T, w *world, _ api.RunInfo) {
	if got := len(w.end(t).Transcript); got > 3<<20 {
		t.Errorf("the transcript has %d bytes", got)
	}
}

func oneReply(t *testing.T, w *world, _ api.RunInfo) {
	if len(w.replies) != 1 {
		t.Errorf("%d replies were taken in", len(w.replies))
	}
}

func neverStarted(t *testing.T, w *world, info api.RunInfo) {
	if info.Starts != 0 || len(w.replies) != 0 || info.Said == "" {
		t.Errorf("started %d times, %d replies; %q is said", info.Starts, len(w.replies), info.Said)
	}
}

func lastWords(t *testing.T, _ *world, info api.RunInfo) {
	if info.Said != "It cannot be done." {
		t.Errorf("of its last words is recorded %q", info.Said)
	}
}

// tooLate lets a process that outlived its run use the token of that.
func tooLate(ask, said string) func(*testing.T, *world, api.RunInfo) {
	return func(t *testing.T, w *world, _ api.RunInfo) {
		if err := os.WriteFile(ask, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if text, err := os.ReadFile(said); err == nil {
				if !strings.Contains(string(text), "Unauthorized") {
					t.Errorf("a token that died: %s", text)
				}
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the one that stayed behind says nothing")
			}
		}
		oneReply(t, w, api.RunInfo{})
	}
}

// fullMachine takes the room from the disk of this machine.
func fullMachine(_ *testing.T, _ *world, r *Runner) {
	r.state.save = func(name string, _ []byte, _ os.FileMode) error {
		return &fs.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}
	}
}

// fullProject takes the room from the project's store when the run is to end,
// and gives it back a little later.
func fullProject(t *testing.T, w *world, r *Runner) {
	var tries atomic.Int64
	r.o.Project = fullAtEnd{w, func() error {
		if tries.Add(1) < 3 {
			return brenner.Errorf(brenner.CodeStoreFull, "the disk of the store is full")
		}
		return nil
	}}
	t.Cleanup(func() {
		if tries.Load() != 3 {
			t.Errorf("the end was told %d times", tries.Load())
		}
	})
}

type fullAtEnd struct {
	*world
	room func() error
}

func (p fullAtEnd) EndRun(ctx context.Context, req api.EndRunRequest) (api.RunInfo, error) {
	if err := p.room(); err != nil {
		return api.RunInfo{}, err
	}
	return p.world.EndRun(ctx, req)
}

// W11: what a program says of its failure stands in the record for good, and so
// without the secrets that we gave it; nor does anybody see them who watches.
func TestRun_NoSecretInWhatIsSaidOfTheEnd(t *testing.T) {
	w := newWorld(t)
	p := acting("tell-secret", "WANTED_KEY")
	p.Env = []string{"WANTED_KEY"}
	info := do(t, w.runner(t, func(o *Options) { o.Environ = append(o.Environ, "WANTED_KEY=sk-0123456789") }), kickoff(p))
	if info.Outcome != api.OutcomeFailed || info.Said != "request failed with "+struck {
		t.Errorf("ended as %+v", info.RunEnd)
	}
}
