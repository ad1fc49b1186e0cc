package cli

import (
	"context"

	"brenner"
	"brenner/api"

	"github.com/spf13/cobra"
)

func newArtifactPromote(r *runner) *cobra.Command {
	var req api.PromoteRequest
	c := &cobra.Command{
		Use:     "promote ID[@VERSION]",
		Short:   "Make a version canonical (without a version: the head)",
		Example: `  brenner artifact promote smith-2024@2 --reason "checked against the erratum"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			var err error
			if req.Ref, err = brenner.ParseRef(a[0]); err != nil {
				return err
			}
			req.Write = r.write()
			res, err := ask(r, cmd, api.Service.Promote, req)
			if err != nil {
				return err
			}
			return r.showDecision(res)
		},
	}
	c.Flags().StringVar(&req.Reason, "reason", "", "why")
	c.Flags().BoolVar(&req.Replace, "replace", false, "supersede another artifact that is canonical in this place")
	c.Flags().BoolVar(&req.Override, "override", false, "promote although the inputs have moved")
	return c
}

func newArtifactDemote(r *runner) *cobra.Command {
	return r.decision(api.Service.Demote, &cobra.Command{
		Use:     "demote ID[@VERSION]",
		Short:   "Take a canonical version out of force",
		Example: `  brenner artifact demote smith-2024 --reason "retracted"`,
	})
}

func newArtifactDeprecate(r *runner) *cobra.Command {
	return r.decision(api.Service.Deprecate, &cobra.Command{
		Use:     "deprecate ID[@VERSION]",
		Short:   "Take a version, or a whole artifact, out of use; it stays readable",
		Example: `  brenner artifact deprecate smith-2024@3 --reason "merged into @4"`,
	})
}

// decision makes a command of a decision about one version.
func (r *runner) decision(call func(api.Service, context.Context, api.DecisionRequest) (api.DecisionResult, error), c *cobra.Command) *cobra.Command {
	var req api.DecisionRequest
	c.Args = cobra.ExactArgs(1)
	c.RunE = func(cmd *cobra.Command, a []string) error {
		var err error
		if req.Ref, err = brenner.ParseRef(a[0]); err != nil {
			return err
		}
		req.Write = r.write()
		res, err := ask(r, cmd, call, req)
		if err != nil {
			return err
		}
		return r.showDecision(res)
	}
	c.Flags().StringVar(&req.Reason, "reason", "", "why")
	return c
}

// showDecision prints what a decision changed.
func (r *runner) showDecision(res api.DecisionResult) error {
	return r.show(res, func(w *printer) {
		for _, c := range res.Changes {
			w.Printf("%s %s → %s\n", c.Ref, c.From, c.To)
		}
		if len(res.Stale) > 0 {
			w.Printf("now stale: %s\n", refs(res.Stale, " "))
		}
	})
}
