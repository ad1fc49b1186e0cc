package cli

import (
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/lineage"

	"github.com/spf13/cobra"
)

func newStale(r *runner) *cobra.Command {
	var req api.StaleRequest
	var modules []string
	c := &cobra.Command{
		Use:   "stale",
		Short: "List what rests on something that has moved",
		Long: `List canonical versions and heads from which a chain of depends_on, cites or
derived_from links leads to a version that is superseded, deprecated or older
than its artifact's canonical one. The shortest such chain is the reason. What
rests on a draft that has a newer version, while none is canonical, is listed
after them as behind.`,
		Example: `  brenner stale --module lineage`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Modules = named[brenner.Module](modules)
			res, err := ask(r, cmd, api.Service.Stale, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				if res.Total == 0 {
					w.Println("nothing is stale")
				}
				for _, i := range res.Items {
					now := "nothing is canonical there now"
					if i.Now != 0 {
						now = fmt.Sprintf("canonical there is @%d", i.Now)
					}
					if i.Demoted {
						now = "taken out of force, " + now
					}
					if len(i.Superseded) > 0 {
						now += "; superseded by " + refs(i.Superseded, " ")
					}
					w.Printf("%s (%s, %s): %s; %s\n", i.Ref, i.Type, i.Status, refs(i.Path, " → "), now)
				}
				more(w, res.Next)
				for _, i := range res.Behind {
					w.Printf("behind: %s (%s, %s): %s; newer there is @%d\n", i.Ref, i.Type, i.Status, refs(i.Path, " → "), i.Head)
				}
				if left := res.BehindTotal - len(res.Behind); left > 0 {
					w.Printf("%d more are behind\n", left)
				}
			})
		},
	}
	listFlag(c.Flags(), &modules, "module", "only of this module (repeatable)")
	pageFlags(c, &req.Page)
	return c
}

func newForks(r *runner) *cobra.Command {
	var open bool
	c := &cobra.Command{
		Use:   "forks",
		Short: "List where more than one version could be the truth",
		Long: `List artifacts with several live heads, and places for one artifact where there
are several. With --open-tasks each fork gets a task to resolve it, unless one
is open already.`,
		Example: `  brenner forks
  brenner forks --open-tasks`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			var out struct {
				api.ForksResult
				*api.OpenedTasks
			}
			if out.ForksResult, err = s.Forks(cmd.Context()); err != nil {
				return err
			}
			if open {
				opened, err := s.OpenForkTasks(cmd.Context(), api.OpenForkTasksRequest{Write: r.write()})
				if err != nil {
					return err
				}
				out.OpenedTasks = &opened
			}
			return r.show(out, func(w *printer) {
				if len(out.Forks) == 0 {
					w.Println("no forks")
				}
				for _, f := range out.Forks {
					printFork(w, f)
				}
				if open {
					printOpened(w, *out.OpenedTasks)
				}
			})
		},
	}
	c.Flags().BoolVar(&open, "open-tasks", false, "open a task for each fork that has none")
	return c
}

func printFork(w *printer, f lineage.Fork) {
	if f.Slot != "" {
		w.Printf("%s has several artifacts:\n", f.Slot)
	} else {
		w.Printf("%s has several heads:\n", f.Artifact)
	}
	var rows [][]string
	for _, h := range f.Heads {
		rows = append(rows, []string{"  " + h.Ref.String(), string(h.Status), string(h.Creator), oneLine(printable(h.Summary), 60)})
	}
	table(w, rows...)
}

func newSpine(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "spine",
		Short:   "Show the minimum consistent view: brief, memo per module, summary",
		Example: `  brenner spine`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.Spine(cmd.Context())
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) { printSpine(w, res.SpineView) })
		},
	}
}

func printSpine(w *printer, v lineage.SpineView) {
	var promote []brenner.Ref
	line := func(t brenner.TypeName, m brenner.Module, n *lineage.Node) []string {
		what := strings.TrimSpace(string(t) + " " + string(m))
		if n == nil {
			if missing := v.Lacks(t, m); missing != nil && missing.Draft.Version > 0 {
				promote = append(promote, missing.Draft)
				return []string{what, missing.Draft.String(), "draft", "not in force until it is promoted"}
			}
			return []string{what, "missing"}
		}
		state := ""
		if n.Stale {
			state = "needs update"
		}
		return []string{what, n.Ref.String(), state, oneLine(printable(n.Summary), 70)}
	}
	rows := [][]string{line(artifact.TypeProjectBrief, "", v.Brief)}
	for _, m := range v.Memos {
		rows = append(rows, line(artifact.TypeIntegratedMemo, m.Module, m.Memo))
	}
	rows = append(rows, line(artifact.TypeProjectSummary, "", v.Summary))
	table(w, rows...)
	for _, ref := range promote {
		w.Printf("promote it: brenner artifact promote %s --reason '…'\n", ref)
	}
}

func newLineage(r *runner) *cobra.Command {
	req := api.LineageRequest{Format: "text"}
	var out string
	force := false
	c := &cobra.Command{
		Use:   "lineage ID[@VERSION]",
		Short: "Trace what a version rests on, or with --down what rests on it",
		Example: `  brenner lineage memo-lineage@2
  brenner lineage smith-2024 --down`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			var err error
			if req.Ref, err = brenner.ParseRef(a[0]); err != nil {
				return err
			}
			res, err := ask(r, cmd, api.Service.Lineage, req)
			if err != nil {
				return err
			}
			if out != "" {
				if err := r.writeNew(out, []byte(res.Rendered), force); err != nil {
					return err
				}
				return r.show(res.Graph, func(w *printer) { w.Printf("wrote %s\n", out) })
			}
			return r.show(res.Graph, func(w *printer) { w.Print(res.Rendered) })
		},
	}
	c.Flags().BoolVar(&req.Down, "down", false, "towards what rests on it")
	addQuantity(c.Flags(), &req.Depth, 0, "depth", "at most this many links", "all")
	c.Flags().StringVar(&req.Format, "format", req.Format, "text, svg or prov")
	c.Flags().StringVarP(&out, "output", "o", "", "write to a file")
	c.Flags().BoolVar(&force, "force", false, forceWords)
	return c
}
