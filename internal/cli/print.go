package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"brenner"
	"brenner/api"
	"brenner/artifact"

	"github.com/spf13/cobra"
)

// words joins names, or says that there are none.
func words[T ~string](names []T) string {
	if len(names) == 0 {
		return "none"
	}
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return strings.Join(out, ", ")
}

// refs joins references with a separator.
func refs(list []brenner.Ref, sep string) string {
	out := make([]string, len(list))
	for i, r := range list {
		out[i] = r.String()
	}
	return strings.Join(out, sep)
}

// table writes rows in columns.
func table(w *printer, rows ...[]string) {
	if w.look.terminal {
		w.Print(w.look.columns(rows))
		return
	}
	text := textOf(func(p *printer) {
		t := tabwriter.NewWriter(p, 0, 0, 2, ' ', 0)
		for _, row := range rows {
			_, _ = io.WriteString(t, strings.ReplaceAll(strings.Join(row, "\t"), momentMark, "")+"\n")
		}
		_ = t.Flush()
	})
	for line := range strings.Lines(text) {
		w.Println(strings.TrimRight(line, " \n"))
	}
}

// oneLine makes a text fit a column.
func oneLine(s string, most int) string {
	return brenner.Clip(brenner.OneLine(s), most)
}

// printable keeps text of an artifact from driving the terminal, and from
// looking like what it is not: control characters but newline and tab, those
// that turn the direction of what follows, and those that show nothing but
// break lines or carry text are shown as what cannot be shown.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c != '\n' && c != '\t' && (unicode.Is(unicode.Cc, c) || unicode.Is(unseen, c)) {
			return '\uFFFD'
		}
		return c
	}, s)
}

// below is a text behind words of ours as it stands: one line beside them, several below
// them, further right than those.
func below(text string) string {
	text = printable(strings.Trim(text, "\n"))
	if !strings.Contains(text, "\n") {
		return " " + text
	}
	return strings.ReplaceAll("\n"+text, "\n", "\n        ")
}

// unseen are the characters without a shape that change how others are read.
// The joiners are not among them: words of some scripts are written with them.
var unseen = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x061c, Hi: 0x061c, Stride: 1}, // Arabic letter mark
		{Lo: 0x200e, Hi: 0x200f, Stride: 1}, // left-to-right and right-to-left mark
		{Lo: 0x2028, Hi: 0x202e, Stride: 1}, // separators of lines and paragraphs, embeddings, overrides
		{Lo: 0x2060, Hi: 0x206f, Stride: 1}, // invisible operators, isolates
		{Lo: 0xfeff, Hi: 0xfeff, Stride: 1}, // byte order mark
		{Lo: 0xfff9, Hi: 0xfffb, Stride: 1}, // interlinear annotation
	},
	R32: []unicode.Range32{{Lo: 0xe0000, Hi: 0xe007f, Stride: 1}}, // tags
}

// plural is a number of things: 1 delta, 2 deltas.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func instant(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// moment is an instant as a cell of a table begins with it, which a terminal shows
// relative to now. It is marked with what no text of a project holds: a text that reads
// like an instant is shown as it is.
func moment(t time.Time) string { return momentMark + instant(t) }

const momentMark = "\x00"

// more says how to get the next page.
func more(w *printer, n api.Next) {
	if n.Cursor != "" {
		w.Printf("more: add --cursor %s\n", n.Cursor)
	}
}

// moreOf says how much of a list is shown, and how to get the next page.
func moreOf(w *printer, n api.Next, shown, total int) {
	if shown < total {
		w.Printf("%d of %d\n", shown, total)
	}
	more(w, n)
}

// pageFlags adds the flags of every listing.
func pageFlags(c *cobra.Command, p *api.Page) {
	addQuantity(c.Flags(), &p.Limit, brenner.MaxPage, "limit", fmt.Sprintf("items on a page, at most %d", brenner.MaxPage), fmt.Sprint(brenner.DefaultPage))
	c.Flags().StringVar(&p.Cursor, "cursor", "", "go on behind the previous page")
}

// named turns the words of a repeatable flag into names of their kind.
func named[T ~string](in []string) []T {
	if in == nil {
		return nil
	}
	out := make([]T, 0, len(in))
	for _, s := range in {
		out = append(out, T(s))
	}
	return out
}

// parseLink reads REL:ID[@VERSION].
func parseLink(s string) (artifact.Link, error) {
	rel, target, ok := strings.Cut(s, ":")
	if !ok {
		return artifact.Link{}, brenner.Errorf(brenner.CodeUsage, "%q is not a link", s).
			WithHint("write REL:ID@VERSION, for example cites:smith-2024@2; relations: " + words(artifact.Relations()))
	}
	ref, err := brenner.ParseRef(target)
	if err != nil {
		return artifact.Link{}, err
	}
	return artifact.Link{Rel: artifact.Relation(rel), Artifact: ref.Artifact, Version: ref.Version}, nil
}

// progress shows how far a long task is, on a terminal only (X4).
func (r *runner) progress() api.Progress {
	if !r.env.Terminal || r.json {
		return nil
	}
	return func(what string, done, total int64) {
		if total > 0 {
			r.note("\r%s %d/%d\033[K", what, done, total)
			if done >= total {
				r.note("\r\033[K")
			}
			return
		}
		r.note("\r%s %d\033[K", what, done)
	}
}
