package cli

import (
	"context"
	"fmt"
	"strings"

	"brenner"
	"brenner/internal/api"

	"github.com/spf13/cobra"
)

// shells are those that completion is made for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes commands, flags and artifact ids",
		Long: `Print a script for your shell that completes commands, flags and the ids of
artifacts. For this shell only, let it read the script at once; to keep it, put
the script where your shell looks for completions.`,
		Example: `  source <(brenner completion bash)
  brenner completion fish > ~/.config/fish/completions/brenner.fish`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, a []string) error {
			root, out := cmd.Root(), r.env.Out
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

// completeIDs lets a shell offer artifact ids to commands that take them.
func (r *runner) completeIDs(cmds ...*cobra.Command) {
	for _, c := range cmds {
		c.ValidArgsFunction = func(cmd *cobra.Command, given []string, typed string) ([]string, cobra.ShellCompDirective) {
			if cmd.ValidateArgs(append(given, typed)) != nil && len(given) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return r.artifactIDs(cmd.Context(), typed), cobra.ShellCompDirectiveNoFileComp
		}
	}
}

// artifactIDs lists ids that start with what was typed. An agent gets none: to
// list is to read, and its reads are counted.
func (r *runner) artifactIDs(ctx context.Context, typed string) []string {
	if r.where().As != "" {
		return nil
	}
	s, err := r.service(ctx)
	if err != nil {
		return nil
	}
	var out []string
	req := api.ListArtifactsRequest{Page: api.Page{Limit: brenner.MaxPage}}
	for {
		list, err := s.Artifacts(ctx, req)
		if err != nil {
			return nil
		}
		for _, item := range list.Items {
			if strings.HasPrefix(string(item.ID), typed) {
				out = append(out, fmt.Sprintf("%s\t%s", item.ID, oneLine(printable(item.Summary), 50)))
			}
			if len(out) == brenner.MaxCompletions {
				return out
			}
		}
		if req.Cursor = list.Cursor; req.Cursor == "" {
			return out
		}
	}
}
