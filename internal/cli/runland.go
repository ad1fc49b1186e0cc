package cli

import (
	"fmt"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	work "brenner/internal/runner"

	"github.com/spf13/cobra"
)

func newRunLand(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "land RUN",
		Short: "Merge what a run changed into the branch that is checked out here",
		Long: `Merge the branch of a worktree run with git itself: after its code_change was
promoted, at the commit that was decided on, and never over changes that are
not committed. When it does not merge cleanly, nothing is changed.`,
		Example: `  brenner artifact promote code_change-31@1 --reason "reviewed, tests pass"
  brenner run land run-12`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			if r.where().As != "" {
				return brenner.Errorf(brenner.CodeWriteDenied, "an agent lands nothing")
			}
			run, err := ask(r, cmd, api.Service.Run, api.RunRequest{ID: a[0]})
			if err != nil {
				return err
			}
			change, err := r.decidedChange(cmd, run)
			if err != nil {
				return err
			}
			commit, err := work.Land(cmd.Context(), r.path(""), change.Branch, change.Commit, fmt.Sprintf("Land %s of %s for %s", run.ID, run.Agent, run.Work))
			if err != nil {
				return err
			}
			out := struct {
				Run    string      `json:"run"`
				Change brenner.Ref `json:"change"`
				Commit string      `json:"commit"`
			}{run.ID, run.Change, commit}
			return r.show(out, func(w *printer) {
				w.Printf("%s is merged as %s: %s\nthe branch can go: git branch -d %s\n", run.Change, commit, change.Summary, change.Branch)
			})
		},
	}
}

// decided is a change that was promoted, and what its version says of it in a line.
type decided struct {
	api.CodeChange
	Summary string
}

// decidedChange is the change of a run that was promoted (W15).
func (r *runner) decidedChange(cmd *cobra.Command, run api.RunInfo) (decided, error) {
	var content struct {
		Run  string `json:"run"`
		Task string `json:"task,omitzero"`
		api.CodeChange
	}
	if run.Change.Artifact == "" {
		return decided{}, brenner.Errorf(brenner.CodeLandRefused, "%s has changed no files", run.ID)
	}
	v, err := ask(r, cmd, api.Service.Artifact, api.ArtifactRequest{Ref: run.Change, Again: true})
	if err != nil {
		return decided{}, err
	}
	if v.Status != artifact.Canonical {
		return decided{}, brenner.Errorf(brenner.CodeLandRefused, "%s is %s, and only what was promoted is landed", run.Change, v.Status).
			WithHint(fmt.Sprintf("look at it with `brenner artifact show %s`, then `brenner artifact promote %s`", run.Change, run.Change))
	}
	err = canon.Unmarshal(v.Content, &content)
	return decided{content.CodeChange, v.Summary}, err
}
