package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"brenner"
	"brenner/api"

	"github.com/spf13/cobra"
)

// workNamed tells a task from a session by its id.
func workNamed(id string) api.Work {
	if strings.HasPrefix(id, "task-") {
		return api.Work{Task: id}
	}
	return api.Work{Session: brenner.SessionID(id)}
}

func printCosts(w *printer, c api.RunCosts) {
	rows := [][]string{{"", "RUNS", "GOOD", "TOKENS IN", "OF THEM CACHED", "OUT", "COST", "COST NOT TOLD"}}
	row := func(name string, s api.RunSum) {
		rows = append(rows, []string{
			name, count(s.Runs), count(s.Good), count(int(s.Tokens.Read())), count(int(s.Tokens.Cached)), count(int(s.Tokens.Out)), costCell(s), count(s.Unknown),
		})
	}
	for _, sums := range []map[string]api.RunSum{c.ByAgent, c.ByWork, c.ByDay} {
		for _, name := range slices.Sorted(maps.Keys(sums)) {
			row(name, sums[name])
		}
	}
	row("all", c.Total)
	table(w, rows...)
	if c.Partial {
		w.Printf("of the newest %s runs; there are more\n", count(c.Total.Runs))
	}
}

// costCell is what some runs cost; empty if none of them told.
func costCell(s api.RunSum) string {
	if s.Cost == 0 && s.Unknown+s.Running > 0 {
		return ""
	}
	return s.Cost.String()
}

func newRunShow(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "show RUN",
		Short:   "Show a run: what it was for, how it ended, what it used",
		Example: `  brenner run show run-12`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			run, err := ask(r, cmd, api.Service.Run, api.RunRequest{ID: a[0]})
			if err != nil {
				return err
			}
			return r.show(run, func(w *printer) { printRun(w, run) })
		},
	}
}

func printRun(w *printer, r api.RunInfo) {
	w.Printf("%s: %s (%s) for %s, attempt %d, by %s\n", r.ID, r.Agent, r.Role, r.Work, r.Attempt, r.Runner)
	w.Printf("program %s (%s), tools %s, in %s\n", r.Program.Name, r.Program.Profile, r.Program.Tools, r.Program.Directory)
	if model := cmp.Or(r.Answered, r.Program.Model); model != "" {
		w.Printf("model %s\n", printable(model))
	}
	w.Printf("started %s", instant(r.Started))
	if !r.Ended.IsZero() {
		w.Printf(", ended %s", instant(r.Ended))
	}
	w.Println()
	switch {
	case r.State == api.RunRunning && r.Stopping != "":
		w.Printf("it is asked to stop: %s\n", printable(oneLine(r.Stopping, 200)))
	case r.Doing != nil:
		w.Printf("it %s, since %s\n", printable(r.Doing.Does), instant(r.Doing.Since))
	case r.State == api.RunEnded:
		w.Printf("%s", r.Outcome)
		if r.Cause != "" {
			w.Printf(": %s", r.Cause.Sentence())
		}
		if r.Said != "" {
			w.Printf(" (%s)", printable(oneLine(r.Said, 200)))
		}
		w.Println()
	}
	if x := r.Exit; x != nil && (x.Code != 0 || x.Signal != "") {
		w.Printf("its program ended with status %d%s\n", x.Code, signalWords(x.Signal))
	}
	if r.Starts > 1 || r.Repairs > 0 {
		w.Printf("its program was started %s", plural(r.Starts, "time"))
		if r.Repairs > 0 {
			w.Printf(", and its answer sent back %s", plural(r.Repairs, "time"))
		}
		w.Println()
	}
	if used := usageWords(r.Usage); used != "" {
		w.Printf("used %s, %s\n", plural(r.Usage.Turns, "turn"), used)
	}
	if r.Context != "" {
		w.Printf("context: %s\n", r.Context)
	}
	if r.Message != "" {
		w.Printf("reply: %s\n", r.Message)
	}
	for _, ref := range r.Wrote {
		w.Printf("wrote: %s\n", ref)
	}
	if r.Branch != "" {
		w.Printf("branch: %s\n", r.Branch)
	}
	if r.Change.Artifact != "" {
		w.Printf("change: %s; promote it, then `brenner run land %s`\n", r.Change, r.ID)
	}
	for _, note := range r.Notes {
		w.Printf("note: %s\n", printable(note))
	}
}

func signalWords(signal string) string {
	if signal == "" {
		return ""
	}
	return ", by the signal " + signal
}

func newRunLog(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "log RUN",
		Short:   "Print what a run printed, with secrets struck out",
		Example: `  brenner run log run-12`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			log, err := ask(r, cmd, api.Service.RunLog, api.RunRequest{ID: a[0]})
			if err != nil {
				return err
			}
			return r.show(log, func(w *printer) {
				w.Print(printable(log.Text))
				if said := unprinted(log); said != "" {
					r.note("%s\n", said)
				}
			})
		},
	}
}

// unprinted says of a run that it printed nothing that was kept; "" if it did.
func unprinted(log api.RunLog) string {
	switch {
	case log.Text != "":
		return ""
	case log.Running:
		return log.ID + " runs, and has printed nothing yet"
	}
	return fmt.Sprintf("%s left no transcript; `brenner run show %s` says how it ended", log.ID, log.ID)
}

func newRunStop(r *runner) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:     "stop RUN",
		Short:   "Have a run stopped by its runner",
		Example: `  brenner run stop run-12 --reason "it goes in circles"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			run, err := ask(r, cmd, api.Service.StopRun, api.StopRunRequest{Write: r.write(), ID: a[0], Reason: reason})
			if err != nil {
				return err
			}
			return r.show(run, func(w *printer) {
				if run.State == api.RunEnded {
					w.Printf("%s had lost its runner and is ended\n", run.ID)
					return
				}
				w.Printf("%s is asked to stop\n", run.ID)
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}
