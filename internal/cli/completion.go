package cli

import (
	"context"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// shells are those that completion is made for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes commands, flags and names",
		Long: `Print a script for your shell that completes commands, flags and the names of
artifacts, tasks, sessions, agents and stalemates. For this shell only, let it read the script at once; to keep it, put
the script where your shell looks for completions.`,
		Example: `  source <(brenner completion bash)
  brenner completion fish > ~/.config/fish/completions/brenner.fish`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, a []string) error {
			root, out := cmd.Root(), r.out
			switch a[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			}
			return root.GenPowerShellCompletionWithDesc(out)
		},
	}
}

// offer hands names to a shell until it has enough.
type offer func(name, about string) (more bool)

// source lists names of one kind.
type source func(ctx context.Context, s api.Service, as brenner.ActorName, give offer) error

// completed says which commands take which names, by the path below the
// program, and which flags do wherever they stand.
var (
	completed = []struct {
		names source
		paths []string
	}{
		{artifactNames, []string{
			"artifact update", "artifact show", "artifact history", "artifact diff", "artifact link", "artifact promote", "artifact demote",
			"artifact deprecate", "artifact confirm", "artifact submit", "review", "review changes", "review comment", "lineage",
		}},
		{taskNames, []string{"task show", "task claim", "task release", "task reassign", "task complete", "task cancel"}},
		{sessionNames, []string{
			"session status", "session show", "session compile", "session nudge", "session close", "session resend", "session diagnose", "conflict list", "conflict resolve",
		}},
		{agentNames, []string{"agent token", "agent revoke"}},
		{stalemateNames, []string{"stalemate show", "stalemate arbitrate", "stalemate verdict", "stalemate reopen", "stalemate export"}},
	}
	completedFlags = map[string]source{
		"as": agentNames, "for": agentNames, "task": taskNames, "session": sessionNames, "role": roleNames, "type": typeNames, "module": moduleNames,
		"status": fixed(artifact.Statuses()...), "moved": artifactNames, "link": linkNames, "format": fixed("json", "text"),
	}
)

// asksToComplete reports whether a shell may be asking how a command line goes
// on: looking at every flag of every command takes longer than most commands do.
func asksToComplete(args []string) bool {
	return slices.Contains(args, cobra.ShellCompRequestCmd) || slices.Contains(args, cobra.ShellCompNoDescRequestCmd)
}

// complete lets a shell offer the names of what there is in the project.
func (r *runner) complete(root *cobra.Command) {
	for _, c := range completed {
		for _, path := range c.paths {
			cmd, rest, err := root.Find(strings.Fields(path))
			if err != nil || len(rest) > 0 {
				panic("no command " + path)
			}
			cmd.ValidArgsFunction = func(cmd *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
				if cmd.ValidateArgs(append(given, typed)) != nil && len(given) > 0 {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
				return r.names(cmd, c.names, typed), cobra.ShellCompDirectiveNoFileComp
			}
		}
	}
	r.completeFlags(root)
}

func (r *runner) completeFlags(cmd *cobra.Command) {
	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		names, ok := completedFlags[f.Name]
		if !ok {
			return
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return r.names(cmd, names, typed), cobra.ShellCompDirectiveNoFileComp
		}); err != nil {
			panic(err)
		}
	})
	for _, sub := range cmd.Commands() {
		r.completeFlags(sub)
	}
}

// names lists those that start with what was typed. Whatever fails, a shell is
// offered nothing.
func (r *runner) names(cmd *cobra.Command, from source, typed string) []string {
	s, err := r.service(cmd.Context())
	if err != nil {
		return nil
	}
	var out []string
	err = from(cmd.Context(), s, r.where().As, func(name, about string) bool {
		if strings.HasPrefix(name, typed) {
			out = append(out, name+"\t"+oneLine(printable(about), 50))
		}
		return len(out) < brenner.MaxCompletions
	})
	if err != nil {
		return nil
	}
	return out
}

// artifactNames gives an agent none: to list is to read, and its reads are
// counted.
func artifactNames(ctx context.Context, s api.Service, as brenner.ActorName, give offer) error {
	if as != "" {
		return nil
	}
	return pages(func(p api.Page) (api.Next, bool, error) {
		list, err := s.Artifacts(ctx, api.ListArtifactsRequest{Page: p})
		more := true
		for _, a := range list.Items {
			more = more && give(string(a.ID), a.Summary)
		}
		return list.Next, more, err
	})
}

func taskNames(ctx context.Context, s api.Service, _ brenner.ActorName, give offer) error {
	return pages(func(p api.Page) (api.Next, bool, error) {
		list, err := s.Tasks(ctx, api.ListTasksRequest{Page: p})
		more := true
		for _, t := range list.Tasks {
			more = more && give(t.ID, t.Title)
		}
		return list.Next, more, err
	})
}

func sessionNames(ctx context.Context, s api.Service, _ brenner.ActorName, give offer) error {
	return pages(func(p api.Page) (api.Next, bool, error) {
		list, err := s.Sessions(ctx, api.ListSessionsRequest{Page: p})
		more := true
		for _, x := range list.Sessions {
			more = more && give(string(x.ID), x.Question)
		}
		return list.Next, more, err
	})
}

func stalemateNames(ctx context.Context, s api.Service, _ brenner.ActorName, give offer) error {
	return pages(func(p api.Page) (api.Next, bool, error) {
		list, err := s.Stalemates(ctx, api.ListStalematesRequest{Page: p})
		more := true
		for _, x := range list.Stalemates {
			more = more && give(string(x.ID), string(x.State))
		}
		return list.Next, more, err
	})
}

// fixed offers names that are the same in every project.
func fixed[T ~string](names ...T) source {
	return func(_ context.Context, _ api.Service, _ brenner.ActorName, give offer) error {
		for _, n := range names {
			if !give(string(n), "") {
				break
			}
		}
		return nil
	}
}

func typeNames(ctx context.Context, s api.Service, _ brenner.ActorName, give offer) error {
	list, err := s.Types(ctx, api.TypesRequest{})
	for _, t := range list.Types {
		if !give(string(t.Name), t.Description) {
			break
		}
	}
	return err
}

func moduleNames(ctx context.Context, s api.Service, _ brenner.ActorName, give offer) error {
	info, err := s.Project(ctx)
	for _, m := range info.Modules {
		if !give(string(m), "") {
			break
		}
	}
	return err
}

func roleNames(ctx context.Context, s api.Service, _ brenner.ActorName, give offer) error {
	list, err := s.Agents(ctx)
	for _, role := range list.Roles {
		if !give(string(role), "") {
			break
		}
	}
	return err
}

// linkNames offers relations, each with the artifacts that there are.
func linkNames(ctx context.Context, s api.Service, as brenner.ActorName, give offer) error {
	for _, rel := range artifact.Relations() {
		if !give(string(rel)+":", "") {
			return nil
		}
	}
	for _, rel := range artifact.Relations() {
		if err := artifactNames(ctx, s, as, func(name, about string) bool { return give(string(rel)+":"+name, about) }); err != nil {
			return err
		}
	}
	return nil
}

func agentNames(ctx context.Context, s api.Service, _ brenner.ActorName, give offer) error {
	list, err := s.Agents(ctx)
	for _, a := range list.Agents {
		if !give(string(a.Name), string(a.Role)) {
			break
		}
	}
	return err
}

// pages reads page after page until there is none or one says enough.
func pages(read func(api.Page) (next api.Next, more bool, err error)) error {
	p := api.Page{Limit: brenner.MaxPage}
	for {
		next, more, err := read(p)
		if err != nil || !more || next.Cursor == "" {
			return err
		}
		p.Cursor = next.Cursor
	}
}
