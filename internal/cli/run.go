package cli

import (
	"context"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/problem"
	work "brenner/internal/runner"

	"github.com/spf13/cobra"
)

func newRun(r *runner) *cobra.Command {
	var flags startFlags
	var session, task string
	var agents []string
	var once, again bool
	c := &cobra.Command{
		Use:   "run",
		Short: "Start agents for what is open, and bring home what they did",
		Long: `Start the programs of agents for what is open: sessions that wait for an answer
and tasks that are free. It goes on until Ctrl-C, which stops the runs under
way, or with --once until nothing is left that was not tried; at the end of a
budget it says so, with exit status 8 if none was started. Runs that a dead
runner of this machine left are ended first, and their work is free again.`,
		Example: `  brenner run
  brenner run --task task-12 --program claude --once`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := flags.plan()
			if err != nil {
				return err
			}
			plan.Work = api.Work{Session: brenner.SessionID(session), Task: task}
			plan.Agents, plan.Once, plan.Again = named[brenner.ActorName](agents), once || session != "" || task != "", again
			return r.withRunner(cmd, func(ctx context.Context, s api.Service, run *work.Runner) error {
				if err := knownAgents(ctx, s, plan.Agents); err != nil {
					return err
				}
				if !plan.Once && !r.json {
					r.note("looking for work; Ctrl-C stops the runs and ends\n")
				}
				done, err := run.Work(ctx, plan)
				if err != nil {
					return err
				}
				for _, d := range done.Runs {
					if !d.Outcome.Good() {
						r.exit = exitWaiting
					}
				}
				named := plan.Work != (api.Work{})
				if len(done.Refused) > 0 || len(done.Nobody) > 0 || named && len(done.Blocked) > 0 {
					r.exit = exitWaiting
				}
				if done.Limit != nil && len(done.Runs) == 0 {
					r.exit = problem.Of(brenner.ClassOf(done.Limit.Code)).Exit
				}
				if !r.json {
					r.tellDone(done)
				}
				return r.show(done, func(w *printer) {
					switch {
					case len(done.Runs) > 0:
						printRuns(w, done.Runs)
					case len(done.Refused) > 0 || done.Limit != nil:
						w.Println("no run was started")
					default:
						w.Println("no run was started: nothing is open that could be done here")
					}
				})
			})
		},
	}
	flags.add(c)
	c.Flags().StringVar(&session, "session", "", "only for this session, once")
	c.Flags().StringVar(&task, "task", "", "only for this task, once")
	listFlag(c.Flags(), &agents, "agent", "start only this agent (repeatable)")
	c.Flags().BoolVar(&once, "once", false, "end when nothing is left that was not tried")
	c.Flags().BoolVar(&again, "again", false, "also what was answered or has failed too often")
	c.MarkFlagsMutuallyExclusive("session", "task")
	list := newRuns(r)
	list.Use, list.Hidden = "list [SESSION|TASK]", true // who knows the other lists tries this one
	c.AddCommand(list, newRunShow(r), newRunLog(r), newRunStop(r), newRunLand(r))
	return c
}

func printRuns(w *printer, runs []api.RunInfo) {
	if len(runs) == 0 {
		w.Println("no runs")
		return
	}
	rows := [][]string{{"RUN", "AGENT", "PROGRAM", "WORK", "STARTED", "TOOK", "OUTCOME", "USED"}}
	for _, r := range runs {
		outcome, took := string(r.Outcome), ""
		switch {
		case r.State == api.RunRunning && r.Stopping != "":
			outcome = "stopping"
		case r.State == api.RunRunning:
			outcome = "running"
			if r.Doing != nil {
				outcome += ": " + printable(oneLine(r.Doing.Does, 60))
			}
		case r.Cause != "":
			outcome += ": " + r.Cause.Sentence()
		}
		if !r.Ended.IsZero() {
			took = r.Ended.Sub(r.Started).Round(time.Second).String()
		}
		rows = append(rows, []string{r.ID, string(r.Agent), r.Program.Name, r.Work.String(), moment(r.Started), took, outcome, usageWords(r.Usage)})
	}
	table(w, rows...)
}

func newRuns(r *runner) *cobra.Command {
	var req api.ListRunsRequest
	var agent string
	var live, sums bool
	c := &cobra.Command{
		Use:   "runs [SESSION|TASK]",
		Short: "List runs, the newest first, or sum what they used",
		Example: `  brenner runs
  brenner runs --sum`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			if len(a) == 1 {
				req.Work = workNamed(a[0])
			}
			if req.Agent = brenner.ActorName(agent); live {
				req.States = []api.RunState{api.RunRunning}
			}
			if sums {
				costs, err := ask(r, cmd, api.Service.RunCosts, api.RunCostsRequest{Work: req.Work})
				if err != nil {
					return err
				}
				return r.show(costs, func(w *printer) { printCosts(w, costs) })
			}
			list, err := ask(r, cmd, api.Service.Runs, req)
			if err != nil {
				return err
			}
			return r.show(list, func(w *printer) {
				printRuns(w, list.Runs)
				more(w, list.Next)
			})
		},
	}
	c.Flags().StringVar(&agent, "agent", "", "only those of this agent")
	c.Flags().BoolVar(&live, "running", false, "only those under way")
	c.Flags().BoolVar(&sums, "sum", false, "sum what they used, by agent, work and day")
	c.Flags().BoolVar(&req.Oldest, "oldest", false, "the one started first first")
	pageFlags(c, &req.Page)
	return c
}
