package runner

import (
	"context"
	"crypto/rand"
	"os"
	"strconv"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/program"
)

// Found is what a dead runner left on this machine, and what was done with it.
type Found struct {
	// Lost are runs that nobody carried on; they are ended now.
	Lost []string `json:"lost"`
	// Kept are worktrees with changes that were never handed in.
	Kept []Kept `json:"kept"`
}

// Kept is a worktree that stays for a person to look at.
type Kept struct {
	Run    string `json:"run"`
	Dir    string `json:"directory"`
	Branch string `json:"branch"`
}

// Reconcile ends what dead runners of this machine left: their processes, then
// their runs, with what they had told of what was printed, whose work is then free again
// (W16). Worktrees that hold changes stay, and are listed; what runs of other projects
// left is for the runners of those.
func (r *Runner) Reconcile(ctx context.Context) (Found, error) {
	found := Found{Lost: []string{}, Kept: []Kept{}}
	// First the processes: work must not be given to another while one goes on.
	left := r.state.leftovers()
	for _, f := range left {
		f.end()
	}
	req := api.ListRunsRequest{States: []api.RunState{api.RunRunning}, Runner: machineName() + "/"}
	for {
		list, err := r.o.Project.Runs(ctx, req)
		if err != nil {
			return found, err
		}
		for _, run := range list.Runs {
			if owner, ok := processOf(run.Runner); !ok || owner.alive() {
				continue
			}
			end := api.EndRunRequest{
				Write: api.Write{Key: rand.Text()}, ID: run.ID, Runner: run.Runner,
				RunEnd: api.RunEnd{Outcome: api.OutcomeLost, Cause: program.LostTouch, Said: "its runner died"},
			}
			if last, ok := Seen(r.state.dir)(run); ok && last.Tail != "" {
				end.Transcript = "[its runner died; this is the end of what it had printed]\n" + last.Tail
			}
			_, err := r.o.Project.EndRun(ctx, end)
			if err != nil && brenner.CodeOf(err) != brenner.CodeRunEnded {
				return found, err
			}
			found.Lost = append(found.Lost, run.ID)
		}
		if list.Cursor == "" {
			break
		}
		req.Cursor = list.Cursor
	}
	for _, f := range left {
		foreign, err := r.foreign(ctx, f)
		if err != nil {
			return found, err
		}
		if foreign {
			continue
		}
		if kept, ok := f.tidy(ctx); ok {
			found.Kept = append(found.Kept, kept)
		}
	}
	return found, nil
}

// foreignFor is how long what another project's dead run left waits for a runner of that
// project.
const foreignFor = 7 * 24 * time.Hour

// foreign says that a dead run is none of this project: no two projects have one runner.
func (r *Runner) foreign(ctx context.Context, f *runFile) (bool, error) {
	if f.trace.Run == "" {
		return false, nil // it does not say what it is
	}
	if at, err := os.Stat(f.path); err == nil && time.Since(at.ModTime()) > foreignFor {
		return false, nil
	}
	list, err := r.o.Project.Runs(ctx, api.ListRunsRequest{Page: api.Page{Limit: 1}, Runner: Name(f.trace.Runner)})
	return len(list.Runs) == 0, err
}

func machineName() string {
	name, _, _ := strings.Cut(Name(processID{}), "/")
	return name
}

// processOf reads the name of a runner back; ok is false for one of another
// machine.
func processOf(runner string) (processID, bool) {
	parts := strings.SplitN(runner, "/", 3)
	if len(parts) != 3 || parts[0] != machineName() {
		return processID{}, false
	}
	pid, err := strconv.Atoi(parts[1])
	return processID{PID: pid, Start: parts[2]}, err == nil
}

// tidy removes what a dead run left, unless its worktree holds changes.
func (f *runFile) tidy(ctx context.Context) (Kept, bool) {
	if f.trace.Tree == "" {
		f.done()
		return Kept{}, false
	}
	if _, err := os.Stat(f.trace.Tree); err != nil {
		f.done()
		return Kept{}, false
	}
	repo, err := openRepository(ctx, f.trace.Repository)
	if err != nil {
		return Kept{Run: f.trace.Run, Dir: f.trace.Tree, Branch: f.trace.Branch}, true
	}
	base, _ := repo.git(ctx, repo.dir, nil, "rev-parse", "--verify", "refs/heads/"+f.trace.Branch)
	w := &worktree{repo: repo, dir: f.trace.Tree, branch: f.trace.Branch, base: strings.TrimSpace(base)}
	status, err := w.git(ctx, "status", "--porcelain")
	if err != nil || strings.TrimSpace(status) != "" {
		return Kept{Run: f.trace.Run, Dir: f.trace.Tree, Branch: f.trace.Branch}, true
	}
	if w.remove(ctx) == nil {
		f.done()
	}
	return Kept{}, false
}
