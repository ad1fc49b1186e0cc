package cli

import (
	"fmt"
	"time"

	"brenner"
	"brenner/api"

	"github.com/spf13/cobra"
)

func newConsolidate(r *runner) *cobra.Command {
	var req api.ConsolidateRequest
	var modules []string
	c := &cobra.Command{
		Use:   "consolidate",
		Short: "Find artifacts that overlap and drafts that nobody uses",
		Long: `Compare artifacts of one type and module by their summaries and by paragraphs
they share, and look for old drafts that nothing has ever linked to. With
--open-tasks each group becomes a task with the artifacts pinned, once, and the
consolidation counts as done: status says when the next one is overdue.`,
		Example: `  brenner consolidate --module lineage
  brenner consolidate --open-tasks`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Write, req.Modules = r.write(), named[brenner.Module](modules)
			res, err := ask(r, cmd, api.Service.Consolidate, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { printConsolidation(w, res) })
		},
	}
	listFlag(c.Flags(), &modules, "module", "only of this module (repeatable)")
	addLength(c.Flags(), (*time.Duration)(&req.OlderThan), "older-than", "how old an unused draft must be", brenner.DefaultUnusedFor.String())
	c.Flags().BoolVar(&req.OpenTasks, "open-tasks", false, "open a task for each group, and count the consolidation as done")
	return c
}

func printConsolidation(w *printer, res api.ConsolidateResult) {
	last := "never"
	if res.Last.Seq != 0 {
		last = instant(res.Last.At)
	}
	w.Printf("compared %s; consolidated before: %s\n", plural(res.Compared, "artifact"), last)
	if res.Skipped {
		w.Printf("only the %d changed most recently: the rest by --module\n", brenner.MaxCompared)
	}
	for _, o := range res.Overlaps {
		w.Printf("these %s of %s say much the same:\n", o.Type, o.Module)
		var rows [][]string
		for _, m := range o.Members {
			rows = append(rows, []string{"  " + m.Ref.String(), fmt.Sprintf("summary %.2f", m.Similarity), fmt.Sprintf("content %.2f", m.Shared)})
		}
		table(w, rows...)
	}
	for _, d := range res.Drafts {
		w.Printf("unused draft: %s (%s, %s), last changed %s\n", d.Ref, d.Type, d.Module, instant(d.Updated))
	}
	if len(res.Overlaps)+len(res.Drafts) == 0 {
		w.Println("nothing to bring together")
	}
	printOpened(w, res.OpenedTasks)
}
