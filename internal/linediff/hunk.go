package linediff

import (
	"fmt"
	"math"
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
func Hunks(before, after string) []Hunk { return hunks(nil, before, after, math.MaxInt) }

// HunksUntil is Hunks as CompareUntil is Compare. It shows so many lines and no
// more; a last one then says how many are left out.
func HunksUntil(stop func() bool, before, after string, most int) (list []Hunk, whole bool) {
	defer func() { whole = caught(recover()) }()
	return hunks(stop, before, after, most), true
}

func hunks(w watch, before, after string, most int) []Hunk {
	a, b := newText(before), newText(after)
	w.look()
	ids := map[string]int32{}
	p := pair{number(w, a.lines(), strings.Lines(before), ids), number(w, b.lines(), strings.Lines(after), ids)}
	changes, beyond := p.compare(w, most)
	var hunks []Hunk
	for len(changes) > 0 {
		if len(hunks)%1024 == 0 {
			w.look()
		}
		n, lines := 1, changes[0].size()
		for n < len(changes) && changes[n].OldLo-changes[n-1].OldHi <= 2*hunkContext && lines < most {
			lines += changes[n].size()
			n++
		}
		h, left := newHunk(a, b, changes[:n], most)
		most -= len(h.Lines)
		changes = changes[n:]
		if left > 0 || most <= 0 && len(changes)+beyond > 0 {
			left += beyond
			for _, c := range changes {
				left += c.size()
			}
			changes = nil
			h.Lines = append(h.Lines, fmt.Sprintf(`\ %d further lines are left out`, left))
		}
		hunks = append(hunks, h)
	}
	return hunks
}

// text is a text that can be asked for its lines: it holds less than they would
// where they are short.
type text struct {
	whole string
	ends  []uint32 // of its lines
}

func newText(s string) text {
	t := text{s, make([]uint32, 0, strings.Count(s, "\n")+1)}
	for end := 0; end < len(s); {
		if n := strings.IndexByte(s[end:], '\n'); n >= 0 {
			end += n + 1
		} else {
			end = len(s)
		}
		t.ends = append(t.ends, uint32(end))
	}
	return t
}

func (t text) lines() int { return len(t.ends) }

func (t text) line(i int) string {
	start := uint32(0)
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.whole[start:t.ends[i]]
}

// newHunk shows some changes in so many lines at most; left are those it does not
// show.
func newHunk(a, b text, changes []Change, most int) (h Hunk, left int) {
	first, last := changes[0], changes[len(changes)-1]
	lead := min(hunkContext, first.OldLo)
	tail := min(hunkContext, a.lines()-last.OldHi)
	h = Hunk{
		OldStart: first.OldLo - lead, OldLines: last.OldHi + tail - (first.OldLo - lead),
		NewStart: first.NewLo - lead, NewLines: last.NewHi + tail - (first.NewLo - lead),
	}
	at := h.OldStart
	for _, c := range changes {
		left += h.add(most, ' ', a, at, c.OldLo)
		left += h.add(most, '-', a, c.OldLo, c.OldHi)
		left += h.add(most, '+', b, c.NewLo, c.NewHi)
		at = c.OldHi
	}
	left += h.add(most, ' ', a, at, at+tail)
	// An empty range is named by the line before it, as in a unified diff.
	if h.OldLines > 0 {
		h.OldStart++
	}
	if h.NewLines > 0 {
		h.NewStart++
	}
	return h, left
}

// add adds lines up to a number of them, and says how many it did not.
func (h *Hunk) add(most int, mark byte, t text, from, to int) (left int) {
	for i := from; i < to; i++ {
		if len(h.Lines) >= most {
			return to - i
		}
		line, whole := strings.CutSuffix(t.line(i), "\n")
		h.Lines = append(h.Lines, string(mark)+line)
		if !whole {
			h.Lines = append(h.Lines, NoNewline)
		}
	}
	return 0
}

// String writes the hunk as in a unified diff, without a newline at its end.
func (h Hunk) String() string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@\n%s", h.OldStart, h.OldLines, h.NewStart, h.NewLines, strings.Join(h.Lines, "\n"))
}
