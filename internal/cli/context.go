package cli

import (
	"context"
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/assembly"

	"github.com/spf13/cobra"
)

func newContext(r *runner) *cobra.Command {
	return group("context", "What an agent sees, and why",
		newContextAssemble(r), newContextPreview(r), newContextExplain(r), newContextList(r), newContextViews(r))
}

// contextFlags are what a context is for.
type contextFlags struct {
	req     api.ContextRequest
	modules []string
	format  string
	why     bool
}

func (f *contextFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.req.Task, "task", "", "the task it is for")
	c.Flags().StringVar((*string)(&f.req.Session), "session", "", "the session it is for (default: the one that waits for you)")
	c.Flags().StringVar(&f.req.Question, "question", "", "what it is about, outside a task or besides it")
	listFlag(c.Flags(), &f.modules, "module", "the module it is about, outside a task (default: the only one)")
	c.Flags().StringVar(&f.req.After, "after", "", "an earlier context it goes on from, such as ctx-12: what that gave is named, not sent again")
	c.Flags().StringVar(&f.format, "format", "markdown", "markdown or json")
	c.Flags().BoolVar(&f.why, "why", false, "say also why each part is there")
}

// run assembles and prints a context.
func (f *contextFlags) run(r *runner, cmd *cobra.Command, fn func(context.Context, api.Service) (api.ContextResult, error)) error {
	f.req.Modules, f.req.Format = named[brenner.Module](f.modules), assembly.Format(f.format)
	s, err := r.service(cmd.Context())
	if err != nil {
		return err
	}
	res, err := fn(cmd.Context(), s)
	if err != nil {
		return err
	}
	return r.show(res, func(w *printer) {
		w.Println(strings.TrimRight(printable(res.Text), "\n"))
		if f.why {
			w.Println()
			printReasons(w, res.Record, res.Record.Used)
		}
		if res.Invocation != "" {
			// Not part of what the agent gets: on the other stream.
			r.note("%s: %d of %d %s used, %d left for later reads\n", res.Invocation, res.Used, res.Size, res.Unit, res.Left)
		}
	})
}

func newContextAssemble(r *runner) *cobra.Command {
	var f contextFlags
	c := &cobra.Command{
		Use:   "assemble",
		Short: "Assemble your context, inside your view's budget",
		Long: `Assemble what your role's view gives you for a task you hold, or for a
question: the brief, the task, its pinned inputs, then what bears on it most.
The context is recorded; what you read afterwards is charged to it.`,
		Example: `  brenner context assemble --task task-12 --as GreyStone`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.req.Write = r.write()
			return f.run(r, cmd, func(ctx context.Context, s api.Service) (api.ContextResult, error) {
				return s.AssembleContext(ctx, f.req)
			})
		},
	}
	f.add(c)
	return c
}

func newContextPreview(r *runner) *cobra.Command {
	var f contextFlags
	var agent string
	c := &cobra.Command{
		Use:     "preview",
		Short:   "Show what an agent would see; nothing is recorded",
		Example: `  brenner context preview --for GreyStone --task task-12 --why`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.req.As = brenner.ActorName(agent)
			return f.run(r, cmd, func(ctx context.Context, s api.Service) (api.ContextResult, error) {
				return s.PreviewContext(ctx, f.req)
			})
		},
	}
	f.add(c)
	c.Flags().StringVar(&agent, "for", "", "the agent")
	required(c, "for")
	return c
}

// printReasons says of every candidate why it is there, or why not. used is what the
// context has used till now.
func printReasons(w *printer, c assembly.Context, used int) {
	since := ""
	if used > c.Used {
		since = fmt.Sprintf(" when it was made, %d with what was read since", used)
	}
	w.Printf("%d of %d %s used%s (%d kept for later reads)\n", c.Used, c.Budget.Size, c.Budget.Unit, since, c.Budget.Reserve)
	var rows [][]string
	for _, p := range c.Parts {
		rows = append(rows, []string{"  " + string(p.Section), fmt.Sprint(p.Items), fmt.Sprint(p.Tokens)})
	}
	table(w, append([][]string{{"  PART", "ITEMS", strings.ToUpper(string(c.Budget.Unit))}}, rows...)...)
	rows = [][]string{{"SHOWN", "VARIANT", "SIZE", "WHY", "SCORE"}}
	for _, i := range c.Items {
		rows = append(rows, []string{i.Ref.String(), string(i.Variant), fmt.Sprint(i.Tokens), oneLine(i.Why, 90), scoreOf(i.Score)})
	}
	for _, b := range c.Bullets {
		rows = append(rows, []string{string(b.ID), string(b.Stage), fmt.Sprint(b.Tokens), fmt.Sprintf("lesson, score %.3f", b.Score)})
	}
	table(w, rows...)
	if len(c.LeftOut)+len(c.BulletsLeftOut) > 0 {
		rows = [][]string{{"LEFT OUT", "REASON", "WHY", "SCORE"}}
		for _, l := range c.LeftOut {
			rows = append(rows, []string{l.Ref.String(), string(l.Reason), oneLine(l.Why, 90), scoreOf(l.Score)})
		}
		for _, b := range c.BulletsLeftOut {
			rows = append(rows, []string{string(b.ID), string(b.Reason)})
		}
		table(w, rows...)
	}
	for _, rest := range c.Rest {
		w.Printf("not looked at: %s\n", rest)
	}
}

// scoreOf is what the score of a candidate is made of, if it was ranked.
func scoreOf(s *assembly.Score) string {
	if s == nil {
		return ""
	}
	return s.String()
}

func newContextExplain(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "explain ID",
		Short:   "Say why a context was what it was, and what came of it",
		Example: `  brenner context explain ctx-17`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			i, err := ask(r, cmd, api.Service.Invocation, api.InvocationRequest{ID: a[0]})
			if err != nil {
				return err
			}
			return r.show(i, func(w *printer) {
				w.Printf("%s for %s (%s) at %s, view %s", i.ID, i.Agent, i.Role, instant(i.At), i.View)
				if i.Task != "" {
					w.Printf(", %s", i.Task)
				}
				w.Println()
				printReasons(w, i.Record, i.Used)
				for _, l := range i.Later {
					w.Printf("later: %s %s %s (%d)\n", instant(l.At), l.What, refs(l.Refs, " "), l.Tokens)
				}
				for _, o := range i.Outputs {
					w.Printf("output: %s\n", o)
				}
				for _, m := range i.Writes {
					if m.Kind != "version.written" { // an output
						w.Printf("wrote: %s (record %d)\n", m.Kind, m.Seq)
					}
				}
			})
		},
	}
}

func newContextList(r *runner) *cobra.Command {
	var req api.ListInvocationsRequest
	var agent string
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the contexts that were assembled, newest first",
		Example: `  brenner context list --for GreyStone`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Agent = brenner.ActorName(agent)
			res, err := ask(r, cmd, api.Service.Invocations, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				if len(res.Invocations) == 0 {
					w.Println("no contexts")
					return
				}
				rows := [][]string{{"CONTEXT", "AGENT", "ROLE", "TASK", "AT", "ITEMS", "USED"}}
				for _, i := range res.Invocations {
					rows = append(rows, []string{i.ID, string(i.Agent), string(i.Role), i.Task, instant(i.At), fmt.Sprint(i.Items), fmt.Sprintf("%d/%d", i.Used, i.Size)})
				}
				table(w, rows...)
				more(w, res.Next)
			})
		},
	}
	c.Flags().StringVar(&agent, "for", "", "only of this agent")
	c.Flags().StringVar(&req.Task, "task", "", "only for this task")
	pageFlags(c, &req.Page)
	return c
}

func newContextViews(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "views",
		Short:   "List the view of each role: what it receives, how much, within which budget",
		Example: `  brenner context views --json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := r.service(cmd.Context())
			if err != nil {
				return err
			}
			res, err := s.Views(cmd.Context())
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				for _, v := range res.Views {
					w.Printf("%s (%s): %d %s, %d kept for later reads\n", v.Role, v.Version, v.Budget.Size, v.Budget.Unit, v.Budget.Reserve)
					for _, t := range v.Types {
						w.Printf("  %s: %s, at most %d\n", t.Type, t.Variant, t.Max)
					}
				}
			})
		},
	}
}
