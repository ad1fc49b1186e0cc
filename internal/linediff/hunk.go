package linediff

import (
	"fmt"
	"strings"
)

// Hunk is a run of changed lines with a little around it, as in a unified
// diff: each line begins with ' ', '-' or '+'; a line "\ no newline at end"
// follows one that ends the text without a line feed.
type Hunk struct {
	OldStart int      `json:"old_start"` // 1-based; 0 if OldLines is 0 at the start
	OldLines int      `json:"old_lines"`
	NewStart int      `json:"new_start"`
	NewLines int      `json:"new_lines"`
	Lines    []string `json:"lines"`
}

const hunkContext = 3

// NoNewline follows a line of a hunk that ends its text without a line feed.
const NoNewline = `\ no newline at end`

// Hunks compares two texts by lines.
func Hunks(before, after string) []Hunk { return hunks(nil, before, after) }

// HunksUntil is Hunks as CompareUntil is Compare.
func HunksUntil(stop func() bool, before, after string) (list []Hunk, whole bool) {
	defer func() { whole = caught(recover()) }()
	return hunks(stop, before, after), true
}

func hunks(w watch, before, after string) []Hunk {
	a, b := Lines(before), Lines(after)
	w.look()
	changes := compare(w, a, b)
	var hunks []Hunk
	for len(changes) > 0 {
		if len(hunks)%1024 == 0 {
			w.look()
		}
		n := 1
		for n < len(changes) && changes[n].OldLo-changes[n-1].OldHi <= 2*hunkContext {
			n++
		}
		hunks = append(hunks, newHunk(a, b, changes[:n]))
		changes = changes[n:]
	}
	return hunks
}

func newHunk(a, b []string, changes []Change) Hunk {
	first, last := changes[0], changes[len(changes)-1]
	lead := min(hunkContext, first.OldLo)
	tail := min(hunkContext, len(a)-last.OldHi)
	h := Hunk{
		OldStart: first.OldLo - lead, OldLines: last.OldHi + tail - (first.OldLo - lead),
		NewStart: first.NewLo - lead, NewLines: last.NewHi + tail - (first.NewLo - lead),
	}
	at := h.OldStart
	for _, c := range changes {
		h.add(' ', a[at:c.OldLo])
		h.add('-', a[c.OldLo:c.OldHi])
		h.add('+', b[c.NewLo:c.NewHi])
		at = c.OldHi
	}
	h.add(' ', a[at:at+tail])
	// An empty range is named by the line before it, as in a unified diff.
	if h.OldLines > 0 {
		h.OldStart++
	}
	if h.NewLines > 0 {
		h.NewStart++
	}
	return h
}

func (h *Hunk) add(mark byte, lines []string) {
	for _, l := range lines {
		text, whole := strings.CutSuffix(l, "\n")
		h.Lines = append(h.Lines, string(mark)+text)
		if !whole {
			h.Lines = append(h.Lines, NoNewline)
		}
	}
}

// String writes the hunk as in a unified diff, without a newline at its end.
func (h Hunk) String() string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@\n%s", h.OldStart, h.OldLines, h.NewStart, h.NewLines, strings.Join(h.Lines, "\n"))
}
