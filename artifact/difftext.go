package artifact

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Text writes a difference for people, in the manner of a unified diff.
func (d Difference) Text() string {
	var w strings.Builder
	fmt.Fprintf(&w, "--- %s\n+++ %s\n", d.From, d.To)
	for _, n := range d.Notes {
		writeNote(&w, n)
	}
	for _, f := range d.Fields {
		writeChange(&w, strings.TrimPrefix(f.Pointer, "/"), f)
	}
	for _, f := range d.Content {
		writeChange(&w, strings.TrimSuffix("content "+f.Pointer, " "), f)
	}
	if d.More > 0 {
		fmt.Fprintf(&w, "# %d further changes are left out\n", d.More)
	}
	if len(d.Fields)+len(d.Content) == 0 {
		w.WriteString("no difference\n")
	}
	return w.String()
}

func writeNote(w *strings.Builder, n Note) {
	undone := ""
	if n.Undone {
		undone = " (undone)"
	}
	fmt.Fprintf(w, "# version %d by %s, %s%s\n", n.Version, n.Creator, n.At.UTC().Format(time.RFC3339), undone)
	if n.Change == nil {
		return
	}
	writeIndented(w, "what: ", n.Change.What)
	writeIndented(w, "why:  ", n.Change.Why)
}

// writeIndented keeps every line of a note under its heading, so that no text
// can pass for a line of the diff.
func writeIndented(w *strings.Builder, label, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(w, "#   %s%s\n", label, strings.ReplaceAll(text, "\n", "\n#         "))
}

func writeChange(w *strings.Builder, name string, f FieldChange) {
	switch {
	case len(f.Hunks) > 0:
		fmt.Fprintf(w, "%s:\n", name)
		for _, h := range f.Hunks {
			fmt.Fprintf(w, "%s\n", h)
		}
	case len(f.Old) == 0 && len(f.New) == 0:
		fmt.Fprintf(w, "%s: changed, not at hand\n", name)
	case len(f.Old) == 0:
		fmt.Fprintf(w, "%s: + %s\n", name, f.New)
	case len(f.New) == 0:
		fmt.Fprintf(w, "%s: - %s\n", name, f.Old)
	default:
		fmt.Fprintf(w, "%s: %s -> %s\n", name, plain(f.Old), plain(f.New))
	}
}

// plain drops the quotes of a string that needs none, such as a status.
func plain(v jsontext.Value) string {
	s := string(v)
	if v.Kind() != '"' || strings.ContainsAny(s, `\ `) || len(s) == 2 {
		return s
	}
	return s[1 : len(s)-1]
}
