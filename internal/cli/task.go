package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/program"

	"github.com/spf13/cobra"
)

func newTask(r *runner) *cobra.Command {
	return group("task", "Work with pinned inputs, for one role, by one agent at a time",
		newTaskNew(r), newTaskClaim(r), newTaskRelease(r), newTaskReassign(r), newTaskCancel(r),
		newTaskComplete(r), newTaskList(r), newTaskShow(r))
}

// onTask runs something with a task and prints the task afterwards.
func (r *runner) onTask(cmd *cobra.Command, fn func(context.Context, api.Service) (api.TaskInfo, error)) error {
	s, err := r.service(cmd.Context())
	if err != nil {
		return err
	}
	t, err := fn(cmd.Context(), s)
	if err != nil {
		return err
	}
	return r.show(t, func(w *printer) {
		printTask(w, t)
		if t.Untold > 0 {
			w.Printf("%d are told by a message; %d more of that role see it with `brenner task list`, or the tool status\n", brenner.MaxToldOfTask, t.Untold)
		}
	})
}

func printTask(w *printer, t api.TaskInfo) {
	cross := ""
	if t.CrossCutting {
		cross = ", cross-cutting"
	}
	w.Printf("%s %s: %s (for %s, %s%s)\n", t.ID, t.State, printable(t.Asks()), t.Role, words(t.Modules), cross)
	if t.Holder != "" && t.State == api.TaskClaimed {
		overdue := ""
		if t.Overdue {
			overdue = ", overdue"
		}
		w.Printf("held by %s until %s%s\n", t.Holder, instant(t.LeaseUntil), overdue)
	}
	if t.Failed > 0 {
		w.Printf("%s of it have failed in a row, and none is started any more: `brenner runs %s` says why\n", plural(t.Failed, "run"), t.ID)
	}
	if s := t.WorkSettings; s != (api.WorkSettings{}) {
		w.Printf("runs: tools %s, in %s\n", cmp.Or(s.Tools, program.NoTools), cmp.Or(s.Directory, program.Scratch))
		if s.Test != "" {
			w.Printf("test: %s\n", printable(s.Test))
		}
	}
	for _, p := range t.Parts {
		w.Printf("leaves to %s: %s\n", p.Agent, brenner.OneLine(printable(p.Part)))
	}
	for _, p := range t.Inputs {
		w.Printf("input: %s\n", p.Ref)
	}
	for _, h := range t.Earlier {
		w.Printf("%s", h.Words())
		if h.Note != "" {
			w.Printf(": %s", printable(h.Note))
		}
		w.Println()
	}
	for _, o := range t.Written {
		w.Printf("%s\n", o.Words())
	}
	if len(t.Written) == 0 { // who wrote them is told where it is shown
		for _, o := range t.Outputs {
			w.Printf("output: %s\n", o)
		}
	}
	for _, m := range t.Moved {
		now := "out of use"
		if m.Now != 0 {
			now = fmt.Sprintf("@%d", m.Now)
		}
		of := ""
		if len(m.Items) > 0 {
			of = " of " + joined(m.Items, ", ")
		}
		w.Printf("moved: %s%s (was @%d, now %s): the outputs need a rebase\n", m.Ref.Artifact, of, m.Was, now)
	}
	if t.Hold != "" {
		w.Printf("holds %s until %s\n", printable(t.Hold), instant(t.HoldUntil))
	}
	if t.GaveBack != "" {
		w.Printf("gave %s back\n", printable(t.GaveBack))
	}
	if h := t.Held; h != nil {
		has := "has that"
		if h.Offered {
			has = "waited longer, and it is kept for it"
		}
		w.Printf("not held: %s %s until %s: %s\n", h.Agent, has, instant(h.Until), printable(brenner.OneLine(h.Title)))
	}
	for _, a := range t.Alike {
		w.Printf("may overlap with %s, %s: %s\n", a.ID, cmp.Or(a.Holder, a.Creator), printable(brenner.OneLine(a.Title)))
	}
	if t.Note != "" {
		w.Printf("note: %s\n", printable(t.Note))
	}
	if t.Spec != "" {
		w.Printf("\n%s\n", printable(t.Spec))
	}
	if t.SpecLeft > 0 {
		w.Printf("… %d bytes more; your context for the task has all of it\n", t.SpecLeft)
	}
}

func newTaskNew(r *runner) *cobra.Command {
	var req api.NewTaskRequest
	var role, session, file, tools, directory, to string
	var modules, inputs, items, parts []string
	c := &cobra.Command{
		Use:   "new TITLE",
		Short: "Open a task",
		Example: `  brenner task new "Write the methods section" --role writer --module lineage \
      --input smith-2024 --spec "cover the clone counts; at most 400 words"
  brenner task new "Agreed; T3 shows it too" --note --session RS-larr --item H2
  brenner task new "I read the logs of May" --claim --session RS-larr --part "RedSky: those of June"
  brenner task new "I count the clones of day 3 again" --doing --session RS-larr
  brenner task new "I time both ways" --doing --hold machine --session RS-larr`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req.Write, req.Title, req.Role, req.To = r.write(), a[0], brenner.Role(role), brenner.ActorName(to)
			req.Tools, req.Directory = program.Tools(tools), program.Directory(directory)
			req.Modules, req.Session, req.Items = named[brenner.Module](modules), brenner.SessionID(session), named[delta.ItemID](items)
			for _, in := range inputs {
				ref, err := brenner.ParseRef(in)
				if err != nil {
					return err
				}
				req.Inputs = append(req.Inputs, ref)
			}
			for _, p := range parts {
				part, err := api.ParsePart(p)
				if err != nil {
					return err
				}
				req.Parts = append(req.Parts, part)
			}
			if file != "" {
				spec, err := r.read(file, brenner.MaxTaskSpecBytes)
				if err != nil {
					return err
				}
				req.Spec = string(spec)
			}
			return r.onTask(cmd, func(ctx context.Context, s api.Service) (api.TaskInfo, error) { return s.NewTask(ctx, req) })
		},
	}
	f := c.Flags()
	f.StringVar(&role, "role", "", "the role it is for (with --item: default that of its author; with --claim: yours)")
	listFlag(f, &modules, "module", "the module it is about (repeatable with --cross-cutting)")
	f.BoolVar(&req.CrossCutting, "cross-cutting", false, "it is about several modules")
	listFlag(f, &inputs, "input", "pin this version as input; without a version, the one in force (repeatable)")
	f.StringVar(&req.Spec, "spec", "", "what is to be done and what counts as done")
	f.StringVarP(&file, "file", "f", "", "read the spec from a file, or - for standard input")
	f.StringVar(&session, "session", "", "the session whose roster gives the agents their roles")
	listFlag(f, &items, "item", "an item of the session that it is about, such as H2: its author is told (repeatable)")
	f.StringVar(&to, "to", "", "who is asked by name, in a session one who takes part in it: told alone, in the role it has there")
	f.BoolVar(&req.Claim, "claim", false, "announce work of your own: you hold it at once, and nobody else is asked; without a spec it ends with its lease")
	repeatedFlag(f, &parts, "part", "with --claim: what another of the session does, as \"NAME: …\"; it is told (repeatable)")
	f.BoolVar(&req.Note, "note", false, "only leave TITLE as a word with the author of --item or --input: nothing is asked for")
	f.BoolVar(&req.Doing, "doing", false, "say to the others of --session that you do TITLE next: it stands till your next reply there, or the next such word")
	f.StringVar(&req.Hold, "hold", "", fmt.Sprintf("with --doing: what only one of the session has at a time, such as machine or RT: yours for %d minutes (or \"machine 2m\") unless another has it, or waits longer; none gives it back", int(brenner.HoldFor.Minutes())))
	f.StringVar(&tools, "tools", "", "what a run of it may use besides Brenner's tools: none, edit or shell")
	f.StringVar(&directory, "directory", "", "where a run of it works: scratch, worktree or here")
	f.StringVar(&req.Test, "test", "", "command that is run in the worktree afterwards, once allowed there")
	c.MarkFlagsMutuallyExclusive("spec", "file")
	c.MarkFlagsOneRequired("role", "item", "to", "claim", "note", "doing")
	c.MarkFlagsMutuallyExclusive("claim", "note", "doing")
	return c
}

func newTaskClaim(r *runner) *cobra.Command {
	var req api.ClaimTaskRequest
	c := &cobra.Command{
		Use:     "claim [ID]",
		Short:   "Take a task, or the oldest one that is free for your role",
		Example: `  brenner task claim --as GreyStone`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req.Write = r.write()
			if len(a) == 1 {
				req.ID = a[0]
			}
			return r.onTask(cmd, func(ctx context.Context, s api.Service) (api.TaskInfo, error) { return s.ClaimTask(ctx, req) })
		},
	}
	addLength(c.Flags(), (*time.Duration)(&req.Lease), "lease", "how long the claim holds",
		fmt.Sprintf("%s, or for as long as you have it already", brenner.DefaultLease))
	return c
}

func newTaskRelease(r *runner) *cobra.Command {
	var note string
	c := &cobra.Command{
		Use:   "release ID",
		Short: "Give a task back",
		Long: `Give a task back that you hold. Whoever takes it next is given what you wrote for
it and the note, and whoever asked for it is told.`,
		Example: `  brenner task release task-12 --note "the counts of May are missing; half is in methods@1" --as GreyStone`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return r.onTask(cmd, func(ctx context.Context, s api.Service) (api.TaskInfo, error) {
				return s.ReleaseTask(ctx, api.ReleaseTaskRequest{Write: r.write(), ID: a[0], Note: note})
			})
		},
	}
	c.Flags().StringVar(&note, "note", "", "why, and how far it is: for whoever takes it next")
	return c
}

func newTaskReassign(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "reassign ID NAME",
		Short:   "Give a task to another agent",
		Example: `  brenner task reassign task-12 GreyStone`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, a []string) error {
			return r.onTask(cmd, func(ctx context.Context, s api.Service) (api.TaskInfo, error) {
				return s.ReassignTask(ctx, api.ReassignTaskRequest{Write: r.write(), ID: a[0], To: brenner.ActorName(a[1])})
			})
		},
	}
}

func newTaskCancel(r *runner) *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:     "cancel ID",
		Short:   "Close a task that is no longer wanted",
		Example: `  brenner task cancel task-12 --reason "answered by task-9"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return r.onTask(cmd, func(ctx context.Context, s api.Service) (api.TaskInfo, error) {
				return s.CancelTask(ctx, api.CancelTaskRequest{Write: r.write(), ID: a[0], Reason: reason})
			})
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why")
	return c
}

func newTaskComplete(r *runner) *cobra.Command {
	var req api.CompleteTaskRequest
	var outputs []string
	c := &cobra.Command{
		Use:   "complete ID",
		Short: "Close a task with its result",
		Long: `Close a task you hold. What was written for it (artifact new --task, artifact
update --task) and what --output names is its result; if an input has moved
since it was pinned or read, the result is marked needs_rebase.`,
		Example: `  brenner task complete task-12 --output methods@1 --as GreyStone`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			req.Write, req.ID = r.write(), a[0]
			for _, o := range outputs {
				ref, err := brenner.ParseRef(o)
				if err != nil {
					return err
				}
				req.Outputs = append(req.Outputs, ref)
			}
			return r.onTask(cmd, func(ctx context.Context, s api.Service) (api.TaskInfo, error) { return s.CompleteTask(ctx, req) })
		},
	}
	listFlag(c.Flags(), &outputs, "output", "a version that belongs to the result (repeatable)")
	c.Flags().StringVar(&req.Note, "note", "", "a note on the result")
	return c
}

func newTaskList(r *runner) *cobra.Command {
	var req api.ListTasksRequest
	var states []string
	var role string
	c := &cobra.Command{
		Use:     "list",
		Short:   "List tasks, oldest first",
		Example: `  brenner task list --role writer --state done`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.States, req.Role = named[api.TaskState](states), brenner.Role(role)
			res, err := ask(r, cmd, api.Service.Tasks, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				if len(res.Tasks) == 0 {
					w.Println("no tasks")
					return
				}
				rows := [][]string{{"TASK", "STATE", "ROLE", "HOLDER", "MODULES", "TITLE"}}
				for _, t := range res.Tasks {
					state := string(t.State)
					if t.Overdue {
						state += ", overdue"
					}
					rows = append(rows, []string{t.ID, state, string(t.Role), string(t.Holder), words(t.Modules), oneLine(printable(t.Asks()), 60)})
				}
				table(w, rows...)
				moreOf(w, res.Next, len(res.Tasks), res.Total)
			})
		},
	}
	listFlag(c.Flags(), &states, "state", "open, claimed, done or canceled (repeatable; default: open and claimed)")
	c.Flags().StringVar(&role, "role", "", "only for this role")
	c.Flags().BoolVar(&req.Mine, "mine", false, "what you hold, or what is for your role there: in a session the roster's")
	c.Flags().BoolVar(&req.Newest, "newest", false, "the one opened last first")
	pageFlags(c, &req.Page)
	return c
}

func newTaskShow(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Short:   "Show a task: what is to be done, from what, and what came of it",
		Example: `  brenner task show task-12`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			return r.onTask(cmd, func(ctx context.Context, s api.Service) (api.TaskInfo, error) {
				return s.Task(ctx, api.TaskRequest{ID: a[0]})
			})
		},
	}
}
