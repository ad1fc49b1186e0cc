package cli

import (
	"time"

	"brenner"
	"brenner/delta"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
)

func newDeltaImport(r *runner) *cobra.Command {
	var agent, at string
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Read a session artifact from Markdown, edited by hand or not",
		Long: `Read a session artifact from a document in Markdown as render shows it, also if
it was edited by hand, and print its JSON: what merge takes as --base, and lint,
render and diff read. Rendered again it gives the same document.

The history of a document is not in it: every item begins anew, with one ADD of
yours, as of when the document says it was updated. Killed items keep who killed
them, when and why, and conflicts their candidates. A heading without an id, as
in ### A new idea, is a new item and gets the next id. A line that belongs to no
section, item or field is refused with its number, and nothing is printed. FILE
may be - for standard input.`,
		Example: `  brenner delta import session.md > session.json
  brenner artifact new --type session_artifact --id rs-old --summary 'Cell fate, 2025' -f session.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, names []string) error {
			raw, err := r.read(names[0], brenner.MaxDeltaInputBytes)
			if err != nil {
				return err
			}
			flags := envelopeFlags{agent: agent}
			flags.fill(r)
			by := delta.Importer{Agent: brenner.ActorName(flags.agent)}
			if at != "" {
				if by.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
					return brenner.Errorf(brenner.CodeInvalidValue, "%q is not an instant", at).WithHint("write it as 2025-12-30T12:00:00Z")
				}
			}
			a, err := delta.ReadDocument(raw, by)
			if err != nil {
				return from(names[0], err)
			}
			text, err := json.Marshal(a, json.Deterministic(true))
			if err != nil {
				return err
			}
			return r.show(struct {
				Artifact *delta.Artifact `json:"artifact"`
			}{a}, func(w *printer) { w.Println(string(text)) })
		},
	}
	c.Flags().StringVar(&agent, "agent", "", "who is taken to have added the items (default: you)")
	c.Flags().StringVar(&at, "at", "", "instant of the items, such as 2025-12-30T12:00:00Z (default: as the document says)")
	return c
}
