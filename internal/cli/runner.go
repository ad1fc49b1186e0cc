package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/programs"
	work "brenner/internal/runner"
	"brenner/program"

	"github.com/spf13/cobra"
)

// RunnerRequest is what a command wants of a runner.
type RunnerRequest struct {
	Programs    func(api.WorkAgent, api.WorkSettings) (work.Resolved, error)
	TestAllowed func(test string) bool
	Tell        func(work.Progress)
}

// finder looks programs up for the project a command is about.
func (r *runner) finder(ctx context.Context, s api.Service) (programs.Finder, error) {
	book, err := programs.Open(programs.Path(r.env.Getenv))
	if err != nil {
		return programs.Finder{}, err
	}
	open, err := s.OpenWork(ctx, api.OpenWorkRequest{OnlyPrograms: true})
	return programs.Finder{Book: book, Project: open.Project, Programs: open.Programs, Dir: r.path("")}, err
}

// startFlags are those of the commands that start agents.
type startFlags struct {
	program string
	jobs    int
	budget  work.Budget
}

func (f *startFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.program, "program", "", "start every agent with this program, instead of what the roster names")
	c.Flags().IntVar(&f.jobs, "jobs", 3, "how many agents work at once")
	addAmount(c.Flags(), &f.budget.Cost, "max-cost", "start no further run when this much is spent or promised, in US dollars", "no limit")
	addQuantity(c.Flags(), &f.budget.Runs, 0, "max-runs", "start at most this many runs", "no limit")
}

func (f *startFlags) plan() (work.Plan, error) {
	p := work.Plan{Program: f.program, Jobs: f.jobs, Budget: f.budget}
	if f.jobs < 1 || f.jobs > brenner.MaxJobs {
		return p, brenner.Errorf(brenner.CodeUsage, "--jobs is 1 to %d", brenner.MaxJobs)
	}
	return p, nil
}

// withRunner opens the project and makes a runner on it, which first ends what
// a dead one left on this machine (W16).
func (r *runner) withRunner(cmd *cobra.Command, fn func(context.Context, api.Service, *work.Runner) error) error {
	ctx := cmd.Context()
	s, err := r.service(ctx)
	if err != nil {
		return err
	}
	find, err := r.finder(ctx, s)
	if err != nil {
		return err
	}
	show := r.newBoard()
	defer show.close()
	run, err := r.env.Runner(ctx, r.where(), RunnerRequest{
		Tell: show.tell, TestAllowed: find.TestAllowed,
		Programs: func(a api.WorkAgent, settings api.WorkSettings) (work.Resolved, error) {
			// The roster's model is for people to read.
			found, err := find.Find(a.Program, "", settings)
			if err != nil {
				return work.Resolved{}, r.naming(cmd, a, err)
			}
			switch {
			case !found.Allowed:
				return work.Resolved{}, found.Refused()
			case !found.Installed:
				return work.Resolved{}, found.Missing()
			}
			return work.Resolved{Name: found.Name, Program: found.Program}, nil
		},
	})
	if err != nil {
		return err
	}
	defer func() { _ = run.Close() }()
	found, err := run.Reconcile(ctx)
	if err != nil {
		return err
	}
	for _, id := range found.Lost {
		r.note("%s was lost with its runner; its work is free again\n", id)
	}
	for _, k := range found.Kept {
		r.note("%s left changes in %s (branch %s)\n", k.Run, k.Dir, k.Branch)
	}
	return fn(ctx, s, run)
}

// naming adds to a refusal of an agent without a program how one is named for
// this time.
func (r *runner) naming(cmd *cobra.Command, a api.WorkAgent, err error) error {
	var e *brenner.Error
	if a.Program != "" || !errors.As(err, &e) || len(e.Actions) == 0 || e.Actions[0].Args["name"] == "" {
		return err // there is none to name
	}
	name := e.Actions[0].Args["name"]
	if cmd.Name() == "ask" {
		return e.Try(brenner.Do("ask", "text", "'…'", "program", name), e.Actions[0])
	}
	return e.Try(brenner.Do("run", "program", name), e.Actions[0])
}

// usageWords is what was used, as far as it was told.
func usageWords(u program.Usage) string {
	var parts []string
	if t := u.Tokens; t != nil {
		parts = append(parts, fmt.Sprintf("%d tokens in, %d out", t.Read(), t.Out))
	}
	if u.Cost != nil {
		parts = append(parts, u.Cost.String())
	}
	return strings.Join(parts, ", ")
}

// tellDone says what a person should know of runs, what no runner will try
// again, and why none was started.
func (r *runner) tellDone(d work.Done) {
	for _, run := range d.Runs {
		for _, note := range run.Notes {
			r.note("%s of %s: %s\n", run.ID, run.Agent, printable(note))
		}
		if !run.Outcome.Good() {
			r.tellBad(run)
		}
	}
	for _, item := range d.Nobody {
		r.note("%s is for %s, and no agent has that role; `brenner agent add NAME --role %s`\n", item.Work, item.Role, item.Role)
	}
	if d.Why != "" {
		r.note("nothing was started: %s\n", d.Why)
	}
	for _, b := range d.Blocked {
		r.note("%s has failed %s in a row and is not tried again; see `brenner run log %s`, then `brenner run %s --again`\n",
			b.Work, plural(b.Failures, "time"), b.Last, workFlag(b.Work))
	}
	if d.Limit != nil {
		r.note("no further run was started: %s: %s\nhint: %s\n", d.Limit.Code, printable(d.Limit.Message), printable(adviceOf(d.Limit.Advised())))
	}
}

// tellBad says of a run that brought nothing home what its program said, and
// where to look.
func (r *runner) tellBad(run api.RunInfo) {
	said := ""
	if run.Said != "" {
		said = ": " + oneLine(printable(run.Said), 200)
	}
	what := "did not do " + run.Work.String()
	if run.Session != "" {
		what = "has no answer"
	}
	r.note("%s of %s %s%s; see `brenner run log %s`\n", run.ID, run.Agent, what, said, run.ID)
}

// knownAgents refuses the name of an agent that is not there. Who may not see
// the agents is believed.
func knownAgents(ctx context.Context, s api.Service, names []brenner.ActorName) error {
	if len(names) == 0 {
		return nil
	}
	list, err := s.Agents(ctx)
	if brenner.ClassOf(brenner.CodeOf(err)) == brenner.ClassDenied {
		return nil
	}
	if err != nil {
		return err
	}
	var known []string
	for _, a := range list.Agents {
		known = append(known, string(a.Name))
	}
	for _, name := range names {
		if slices.Contains(known, string(name)) {
			continue
		}
		e := brenner.Errorf(brenner.CodeNotFound, "there is no agent %q", name).Try(brenner.Do("agent.list"))
		if near := brenner.Nearest(string(name), known); near != "" {
			e = e.WithHint("did you mean " + near + "?")
		}
		return e
	}
	return nil
}

// workFlag names a piece of work on a command line.
func workFlag(w api.Work) string {
	if w.Task != "" {
		return "--task " + w.Task
	}
	return "--session " + string(w.Session)
}
