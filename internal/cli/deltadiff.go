package cli

import (
	"strings"

	"brenner/delta"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
)

func newDeltaDiff(r *runner) *cobra.Command {
	return &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say what differs between two session artifacts",
		Long: `Say item by item and field by field what shows differently in the second
artifact. Both are files of JSON, alone or as --json printed them; one may be -
for standard input.`,
		Example: `  brenner delta diff v1.json v2.json`,
		Args:    cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, names []string) error {
			old, err := r.readArtifact(names[0])
			if err != nil {
				return err
			}
			now, err := r.readArtifact(names[1])
			if err != nil {
				return err
			}
			c := delta.Compare(old, now)
			return r.show(c, func(w *printer) { printComparison(w, c) })
		},
	}
}

func printComparison(w *printer, c delta.Comparison) {
	if c.FromVersion != c.ToVersion {
		w.Printf("version %d → %d\n", c.FromVersion, c.ToVersion)
	}
	for _, name := range c.Contributors {
		w.Printf("new contributor: %s\n", name)
	}
	for _, it := range c.Items {
		var how []string
		if it.Added {
			how = append(how, "added")
		}
		if it.Killed {
			how = append(how, "killed")
		}
		if len(how) == 0 {
			how = append(how, "edited")
		}
		w.Printf("%s %s\n", it.Item, strings.Join(how, ", "))
		for _, f := range it.Fields {
			w.Printf("  %s: %s → %s\n", printable(f.Field), shownValue(f.Before), shownValue(f.After))
		}
	}
	if len(c.Items) == 0 {
		w.Println("nothing shows differently")
	}
}

// shownValue is a value on one line, a dash for one that is not there.
func shownValue(v jsontext.Value) string {
	if len(v) == 0 {
		return "–"
	}
	return oneLine(printable(string(v)), 200)
}
