package cli

import (
	"time"

	"brenner"
	"brenner/api"

	"github.com/spf13/cobra"
)

func newGC(r *runner) *cobra.Command {
	var req api.GarbageRequest
	c := &cobra.Command{
		Use:   "gc",
		Short: "List what nothing in use refers to, and with --apply deprecate it",
		Long: `List artifacts that nothing in use has referred to for a period. In use are
canonical artifacts, what open tasks rest on, what changed within the period,
and all those refer to. With --apply they are deprecated: they leave default
retrieval and stay readable. What is canonical, and briefs, memos, summaries,
sessions, stalemates, rosters, policies and views are never touched.`,
		Example: `  brenner gc --older-than 2160h
  brenner gc --older-than 2160h --apply`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Write = r.write()
			res, err := ask(r, cmd, api.Service.CollectGarbage, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { printGarbage(w, res) })
		},
	}
	addLength(c.Flags(), (*time.Duration)(&req.OlderThan), "older-than", "how long nothing must have happened", brenner.DefaultUnusedFor.String())
	c.Flags().BoolVar(&req.Apply, "apply", false, "deprecate what is listed")
	return c
}

func printGarbage(w *printer, res api.GarbageResult) {
	if res.Total == 0 {
		w.Println("everything is in use")
		return
	}
	rows := [][]string{{"ARTIFACT", "TYPE", "MODULE", "STATUS", "LAST VERSION"}}
	for _, i := range res.Items {
		ref := brenner.Ref{Artifact: i.ID, Version: i.Head}
		rows = append(rows, []string{ref.String(), string(i.Type), string(i.Module), string(i.Status), moment(i.Updated)})
	}
	table(w, rows...)
	rest := res.Total - len(res.Items)
	switch {
	case !res.Applied:
		w.Printf("not in use: %d; add --apply to deprecate them\n", res.Total)
	case rest > 0:
		w.Printf("deprecated %d, %d remain: run it again\n", len(res.Items), rest)
	default:
		w.Printf("deprecated %d\n", len(res.Items))
	}
}
