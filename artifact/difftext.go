package artifact

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Text writes a difference for people, in the manner of a unified diff.
func (d Difference) Text() string {
	var w strings.Builder
	fmt.Fprintf(&w, "--- %s\n+++ %s\n", d.From, d.To)
	writeNotes(&w, d.Notes)
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

// mostNotes is how many notes a difference shows; of more the last ones count.
const mostNotes = 20

// writeNotes writes what was said on the way. Several versions in a row of which nothing
// was said take one line.
func writeNotes(w *strings.Builder, all []Note) {
	runs := slices.Collect(silentRuns(all))
	if more := len(runs) - mostNotes; more > 0 {
		left := 0
		for _, run := range runs[:more] {
			left += len(run)
		}
		fmt.Fprintf(w, "# %d versions on the way to these are left out; the history has their notes\n", left)
		runs = runs[more:]
	}
	for _, run := range runs {
		if len(run) == 1 {
			writeNote(w, run[0])
			continue
		}
		fmt.Fprintf(w, "# versions %d to %d, without a note\n", run[0].Version, run[len(run)-1].Version)
	}
}

// silentRuns gives each note, three or more in a row that say nothing together.
func silentRuns(all []Note) iter.Seq[[]Note] {
	return func(yield func([]Note) bool) {
		for len(all) > 0 {
			n := slices.IndexFunc(all, func(n Note) bool { return n.Change != nil || n.Undone })
			if n < 0 {
				n = len(all)
			}
			if n < 3 {
				n = 1
			}
			if !yield(all[:n]) {
				return
			}
			all = all[n:]
		}
	}
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
