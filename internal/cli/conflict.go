package cli

import (
	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/delta"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
)

func newConflict(r *runner) *cobra.Command {
	return group("conflict", "Fields of session artifacts that nothing decides between", newConflictList(r), newConflictResolve(r))
}

func newConflictList(r *runner) *cobra.Command {
	var req api.ListConflictsRequest
	c := &cobra.Command{
		Use:     "list [SESSION]",
		Short:   "List the fields in conflict, of one session or of all",
		Example: `  brenner conflict list RS-20251230-cell-fate`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, a []string) error {
			if len(a) == 1 {
				req.Session = brenner.SessionID(a[0])
			}
			res, err := ask(r, cmd, api.Service.Conflicts, req)
			if err != nil {
				return err
			}
			return r.show(res, func(w *printer) {
				if len(res.Conflicts) == 0 {
					w.Println("no conflicts")
				}
				for _, k := range res.Conflicts {
					w.Printf("%s %s %s\n", k.Session, k.Item, printable(k.Name()))
					for _, v := range k.Candidates {
						w.Printf("  %s %s (%s): %s\n", v.Agent, v.At, printable(v.DeltaID), oneLine(printable(string(v.Value)), 200))
					}
				}
				more(w, res.Next)
			})
		},
	}
	pageFlags(c, &req.Page)
	return c
}

func newConflictResolve(r *runner) *cobra.Command {
	var take, value, raw, reason string
	c := &cobra.Command{
		Use:   "resolve SESSION ITEM FIELD",
		Short: "Settle a field: by one of its candidates, or by another value",
		Long: `Write the value that holds, later than every candidate, and compile it at once
as a new draft. Other deltas go on waiting. Name a candidate by its agent or its
delta with --take, or give a value with --value.`,
		Example: `  brenner conflict resolve RS-20251230-cell-fate H1 claim --take GreenValley --reason "seen under the microscope"`,
		Args:    cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, a []string) error {
			req := api.ResolveConflictRequest{
				Write: r.write(), Session: brenner.SessionID(a[0]), Item: delta.ItemID(a[1]), Field: a[2],
				Take: take, Value: jsontext.Value(raw), Reason: reason,
			}
			if cmd.Flags().Changed("value") {
				text, err := canon.Marshal(value)
				if err != nil {
					return err
				}
				req.Value = text
			}
			res, err := ask(r, cmd, api.Service.ResolveConflict, req)
			if err != nil {
				return err
			}
			return r.showCompiled(res)
		},
	}
	c.Flags().StringVar(&take, "take", "", "keep the candidate of this agent, or of this delta")
	c.Flags().StringVar(&value, "value", "", "write this text")
	c.Flags().StringVar(&raw, "value-json", "", "write this JSON value, such as 2 or true")
	c.Flags().StringVar(&reason, "reason", "", "why")
	c.MarkFlagsMutuallyExclusive("take", "value", "value-json")
	return c
}
