package cli

import (
	"context"
	"fmt"

	"brenner"
	"brenner/api"

	"github.com/spf13/cobra"
)

func newCheck(r *runner) *cobra.Command {
	return group("check", "Look for drift: from the brief, and between modules",
		newCheckAlignment(r), newCheckAssumptions(r))
}

func newCheckAlignment(r *runner) *cobra.Command {
	return newOneCheck(r, &cobra.Command{
		Use:   "alignment",
		Short: "Hold core artifacts to the canonical brief",
		Long: `Read every core artifact (its canonical version, else its head) against the
canonical project_brief: paragraphs about what is out of scope, constraints
that are broken, artifacts from which no depends_on, cites or derived_from
links lead to the brief, or only to an older one.

Each finding becomes a critique that reviews what it judges. Running the check
again writes nothing twice; a critique that was deprecated stays dismissed.`,
		Example: `  brenner check alignment --dry-run
  brenner check alignment --module lineage --review`,
	}, func(ctx context.Context, s api.Service, req api.CheckRequest) (api.CheckResult, error) {
		return s.CheckAlignment(ctx, req)
	})
}

func newCheckAssumptions(r *runner) *cobra.Command {
	return newOneCheck(r, &cobra.Command{
		Use:   "assumptions",
		Short: "Look for assumptions that clash, of one module or of several",
		Long: `Compare assumptions, of one module and across modules: structured ones (subject,
relation, value, polarity) that cannot both hold, and statements that are
nearly the same but for a negation or a number.

Each finding becomes a critique that reviews both assumptions. Running the
check again writes nothing twice.`,
		Example: `  brenner check assumptions --review`,
	}, func(ctx context.Context, s api.Service, req api.CheckRequest) (api.CheckResult, error) {
		return s.CheckAssumptions(ctx, req)
	})
}

func newOneCheck(r *runner, c *cobra.Command, run func(context.Context, api.Service, api.CheckRequest) (api.CheckResult, error)) *cobra.Command {
	var req api.CheckRequest
	var modules []string
	c.Args = cobra.NoArgs
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		req.Write, req.Modules = r.write(), named[brenner.Module](modules)
		s, err := r.service(cmd.Context())
		if err != nil {
			return err
		}
		res, err := run(cmd.Context(), s, req)
		if err != nil {
			return err
		}
		return r.show(res, func(w *printer) { printCheck(w, res) })
	}
	listFlag(c.Flags(), &modules, "module", "only of this module (repeatable)")
	c.Flags().BoolVar(&req.Review, "review", false, "open review tasks for the findings")
	c.Flags().BoolVar(&req.DryRun, "dry-run", false, "only report, write nothing")
	return c
}

func printCheck(w *printer, res api.CheckResult) {
	if len(res.Findings) == 0 {
		w.Printf("nothing found in %s\n", plural(res.Checked, "artifact"))
	}
	for _, f := range res.Findings {
		place := ""
		if f.Place != "" {
			place = ", " + f.Place
		}
		w.Printf("%s %s %s%s: %s\n", f.Severity, f.Code, f.Target, printable(place), oneLine(printable(f.Message), 200))
		if f.Excerpt != "" {
			w.Printf("  > %s\n", oneLine(printable(f.Excerpt), 120))
		}
		w.Printf("  %s\n", findingLine(f))
	}
	if res.More > 0 {
		w.Printf("%s found of artifacts that have many, and not recorded: record these and run the check again\n", brenner.Plural(res.More, "more was", "more were"))
	}
	if res.Skipped > 0 {
		w.Printf("%s not read: check module by module\n", brenner.Plural(res.Skipped, "more artifact was", "more artifacts were"))
	}
	printOpened(w, res.OpenedTasks)
}

// findingLine says where a finding is recorded.
func findingLine(f api.CheckFinding) string {
	switch f.State {
	case api.FindingNew:
		if f.Critique.Version == 0 {
			return "not recorded yet; " + f.Hint
		}
		return fmt.Sprintf("recorded as %s; %s", f.Critique, f.Hint)
	case api.FindingAgain:
		return fmt.Sprintf("found again, see %s; %s", f.Critique, f.Hint)
	case api.FindingDismissed:
		return fmt.Sprintf("dismissed with %s", f.Critique)
	case api.FindingLeft:
		return "too many for one run: run the check again"
	}
	return fmt.Sprintf("known as %s; %s", f.Critique, f.Hint)
}

// printOpened lists the tasks that were opened, and those that were not.
func printOpened(w *printer, o api.OpenedTasks) {
	for _, t := range o.Tasks {
		w.Printf("opened %s for %s: %s\n", t.ID, t.Role, brenner.OneLine(printable(t.Title)))
	}
	for _, h := range o.Held {
		w.Printf("held back: %s (%s)\n", brenner.OneLine(printable(h.Title)), h.Reason)
	}
	if o.Waiting > 0 {
		w.Printf("%s: run it again\n", brenner.Plural(o.Waiting, "more task waits", "more tasks wait"))
	}
}
