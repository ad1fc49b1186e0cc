package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/program"
)

// W1: what is open is done by so many at once and no more; each piece once.
func TestWork_DoesWhatIsOpenSoManyAtOnce(t *testing.T) {
	w := newWorld(t)
	for i := range 7 {
		w.open.Work = append(w.open.Work, api.WorkItem{
			Work: api.Work{Task: fmt.Sprintf("task-%d", i)}, Agents: []api.WorkAgent{{Name: "BlueLake"}}, Role: "writer",
		})
	}
	nobodys := api.WorkItem{Work: api.Work{Task: "task-9"}, Agents: []api.WorkAgent{}, Role: "curator"}
	w.open.Work = append(w.open.Work, nobodys)
	script := writeScript(t, "== *\nwait 100ms\ntool task_complete {\"id\":\"{task}\"}\nreply\ndone\n")
	var mu sync.Mutex
	under, most := map[string]bool{}, 0
	r := w.runner(t, func(o *Options) {
		o.Programs = func(api.WorkAgent, api.WorkSettings) (Resolved, error) {
			return Resolved{Name: "play", Program: program.Program{Profile: program.Script, File: script}.Resolve("")}, nil
		}
		o.Tell = func(p Progress) {
			mu.Lock()
			defer mu.Unlock()
			if under[p.Run.ID] = p.Run.State != api.RunEnded; !under[p.Run.ID] {
				delete(under, p.Run.ID)
			}
			most = max(most, len(under))
		}
	})
	done, err := r.Work(t.Context(), Plan{Jobs: 3, Once: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(done.Runs) != 7 || most != 3 || done.Spent.Runs != 7 {
		t.Errorf("%d runs, %d at once", len(done.Runs), most)
	}
	for _, run := range done.Runs {
		if run.Outcome != api.OutcomeWorked || run.Attempt != 1 {
			t.Errorf("%s of %s ended as %+v", run.ID, run.Task, run.RunEnd)
		}
	}
	if len(done.Nobody) != 1 || done.Nobody[0].Work != nobodys.Work {
		t.Errorf("what nobody can do: %+v", done.Nobody)
	}
}

// W1, W2: what cannot be started here is said once, for each whom it is about,
// and holds up nothing else.
func TestWork_SaysWhatItCouldNotStart(t *testing.T) {
	w := newWorld(t)
	for i, name := range []brenner.ActorName{"BlueLake", "RedCave"} {
		w.open.Work = append(w.open.Work, api.WorkItem{Work: api.Work{Task: fmt.Sprintf("task-%d", i+1)}, Agents: []api.WorkAgent{{Name: name}}})
	}
	r := w.runner(t, func(o *Options) {
		o.Programs = func(a api.WorkAgent, _ api.WorkSettings) (Resolved, error) {
			if a.Name == "RedCave" {
				return Resolved{}, brenner.Errorf(brenner.CodeProgramMissing, "it is not here")
			}
			return Resolved{Name: "test", Program: acting("tool", "task_complete", `{"id":"task-1"}`)}, nil
		}
	})
	done, err := r.Work(t.Context(), Plan{Jobs: 1, Once: true})
	if err != nil || len(done.Runs) != 1 || len(done.Refused) != 1 || done.Refused[0].Agent != "RedCave" || done.Refused[0].Error.Code != brenner.CodeProgramMissing {
		t.Errorf("done %+v: %v", done, err)
	}
}

// W13: what is left of a budget is shared by the runs that there is work for, not
// by as many as might be: whoever is alone may spend all. Work that turns up
// meanwhile waits for what the others leave, and is done when they have ended.
func TestWork_SharesTheBudgetByTheWorkThereIs(t *testing.T) {
	w := newWorld(t)
	work := func(n int) api.WorkItem {
		return api.WorkItem{Work: api.Work{Task: fmt.Sprintf("task-%d", n)}, Agents: []api.WorkAgent{{Name: "BlueLake"}}, Role: "writer"}
	}
	w.open.Work = []api.WorkItem{work(1), {Work: api.Work{Task: "task-9"}, Agents: []api.WorkAgent{}, Role: "curator"}}
	script := writeScript(t, "== *\nwait 3s\nusage cost=0.60\ntool task_complete {\"id\":\"{task}\"}\nreply\ndone\n\n"+
		"== RedCave\nusage cost=0.30\ntool task_complete {\"id\":\"{task}\"}\nreply\ndone\n")
	var once sync.Once
	r := w.runner(t, func(o *Options) {
		o.Programs = func(api.WorkAgent, api.WorkSettings) (Resolved, error) {
			return Resolved{Name: "play", Program: program.Program{Profile: program.Script, File: script}.Resolve("")}, nil
		}
		o.Tell = func(Progress) {
			once.Do(func() {
				w.mu.Lock()
				defer w.mu.Unlock()
				later := work(2)
				later.Agents[0].Name = "RedCave"
				w.open.Work = append(w.open.Work, later)
			})
		}
	})
	done, err := r.Work(t.Context(), Plan{Jobs: 3, Once: true, Budget: Budget{Cost: 1_000_000}})
	if err != nil || len(done.Runs) != 2 || done.Stopped != "" || done.Spent.Cost != 900_000 {
		t.Fatalf("done %+v: %v", done, err)
	}
	for i, bound := range []program.Money{1_000_000, 400_000} {
		if run := done.Runs[i]; run.Outcome != api.OutcomeWorked || run.Program.Bound != bound {
			t.Errorf("%s might cost %s and ended as %+v", run.Task, run.Program.Bound, run.RunEnd)
		}
	}
}

// W16: a worktree that a dead runner left is listed if it holds changes, and
// stays; one without is removed with its branch.
func TestReconcile_ListsWorktreesThatHoldChanges(t *testing.T) {
	dir, _ := repositoryFor(t)
	w := newWorld(t)
	r := w.runner(t, func(o *Options) { o.Dir = dir })
	repo, err := openRepository(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]*runFile{}
	if _, err := w.StartRun(t.Context(), api.StartRunRequest{Agent: "BlueLake", Runner: Name(processID{PID: os.Getpid(), Start: "long ago"})}); err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"run-1", "run-2"} {
		f, err := r.state.begin(run, "mark-of-the-dead-"+run)
		if err != nil {
			t.Fatal(err)
		}
		f.trace.Runner = processID{PID: os.Getpid(), Start: "long ago"}
		tree, err := repo.addWorktree(t.Context(), filepath.Join(f.dir, run), run)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.keep(&place{tree: tree}); err != nil {
			t.Fatal(err)
		}
		left[run] = f
	}
	if err := os.WriteFile(filepath.Join(left["run-2"].trace.Tree, "new.txt"), []byte("half done\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // and the next runner lists it again
		found, err := r.Reconcile(t.Context())
		if err != nil || !slices.Equal(found.Kept, []Kept{{Run: "run-2", Dir: left["run-2"].trace.Tree, Branch: "brenner/run-2"}}) {
			t.Fatalf("found %+v: %v", found, err)
		}
	}
	if _, err := os.Stat(left["run-1"].dir); err == nil {
		t.Error("what holds nothing is still there")
	}
	if text, err := os.ReadFile(filepath.Join(left["run-2"].trace.Tree, "new.txt")); err != nil || string(text) != "half done\n" {
		t.Errorf("what was half done: %q, %v", text, err)
	}
	if out, _ := repo.git(t.Context(), dir, nil, "branch", "--list", "brenner/run-1"); out != "" {
		t.Errorf("the branch of one that holds nothing: %s", out)
	}
	_ = removeAll(left["run-2"].dir)
}

// W9, W10: a run that is interrupted says so, and its program is gone.
func TestWork_AnInterruptionStopsTheRuns(t *testing.T) {
	w := newWorld(t)
	w.open.Work = []api.WorkItem{{Work: api.Work{Task: "task-1"}, Agents: []api.WorkAgent{{Name: "BlueLake"}}}}
	ctx, interrupt := context.WithTimeout(t.Context(), time.Minute)
	defer interrupt()
	r := w.runner(t, func(o *Options) {
		o.Programs = func(api.WorkAgent, api.WorkSettings) (Resolved, error) {
			return Resolved{Name: "test", Program: acting("deaf")}, nil
		}
		o.Tell = func(p Progress) {
			if p.Line == "I stay." {
				interrupt()
			}
		}
	})
	done, err := r.Work(ctx, Plan{Jobs: 1})
	if err != nil || len(done.Runs) != 1 {
		t.Fatalf("done %+v: %v", done, err)
	}
	if run := done.Runs[0]; run.Outcome != api.OutcomeStopped || run.Said != "its runner was interrupted" {
		t.Errorf("ended as %+v", run.RunEnd)
	}
	if n := marked(t, "BRENNER_RUN=run-1"); n != 0 {
		t.Errorf("%d processes go on", n)
	}
}
