package artifact

import (
	"cmp"
	"slices"
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

const (
	hunkContext = 3
	noNewline   = `\ no newline at end`
)

// span is a pair of ranges that differ; everything outside spans is equal.
type span struct{ oldLo, oldHi, newLo, newHi int }

// textHunks compares two texts by lines.
func textHunks(before, after string) []Hunk {
	a, b := splitLines(before), splitLines(after)
	changes := spans(a, b)
	var hunks []Hunk
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].oldLo-changes[n-1].oldHi <= 2*hunkContext {
			n++
		}
		hunks = append(hunks, newHunk(a, b, changes[:n]))
		changes = changes[n:]
	}
	return hunks
}

func newHunk(a, b []string, changes []span) Hunk {
	first, last := changes[0], changes[len(changes)-1]
	lead := min(hunkContext, first.oldLo)
	tail := min(hunkContext, len(a)-last.oldHi)
	h := Hunk{
		OldStart: first.oldLo - lead, OldLines: last.oldHi + tail - (first.oldLo - lead),
		NewStart: first.newLo - lead, NewLines: last.newHi + tail - (first.newLo - lead),
	}
	at := h.OldStart
	for _, c := range changes {
		h.add(' ', a[at:c.oldLo])
		h.add('-', a[c.oldLo:c.oldHi])
		h.add('+', b[c.newLo:c.newHi])
		at = c.oldHi
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
			h.Lines = append(h.Lines, noNewline)
		}
	}
}

// splitLines cuts a text after each line feed; joined they give it back.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// spans says where two sequences differ. The result is minimal unless the
// sequences are so long and so different that finding a minimum would take
// out of proportion; it is correct always.
func spans[T comparable](before, after []T) []span {
	ids := map[T]int{}
	c := comparison{a: number(before, ids), b: number(after, ids)}
	c.deleted, c.inserted = make([]bool, len(c.a)), make([]bool, len(c.b))
	c.compare(0, len(c.a), 0, len(c.b), maxSplits)

	var list []span
	for i, j := 0, 0; i < len(c.a) || j < len(c.b); i, j = i+1, j+1 {
		s := span{i, i, j, j}
		for s.oldHi < len(c.a) && c.deleted[s.oldHi] {
			s.oldHi++
		}
		for s.newHi < len(c.b) && c.inserted[s.newHi] {
			s.newHi++
		}
		if s.oldHi > i || s.newHi > j {
			list = append(list, s)
		}
		i, j = s.oldHi, s.newHi
	}
	return list
}

// number replaces values by small integers, equal for equal values.
func number[T comparable](values []T, ids map[T]int) []int {
	out := make([]int, len(values))
	for i, v := range values {
		id, ok := ids[v]
		if !ok {
			id = len(ids)
			ids[v] = id
		}
		out[i] = id
	}
	return out
}

// comparison finds which elements of a are deleted and which of b inserted.
type comparison struct {
	a, b              []int
	deleted, inserted []bool
}

const (
	// maxSplits bounds how often a long stretch is split at its unique lines.
	maxSplits = 4
	// maxSteps bounds the work of one exact comparison.
	maxSteps = 1 << 20
	// minEdits is how many edits are always searched for.
	minEdits = 64
)

// compare marks what differs between two ranges. It first looks for a shortest
// edit script (Myers); if that takes too many edits it splits both ranges at
// the lines that are unique in each and compares in between; where there are
// none, everything differs.
func (c *comparison) compare(aLo, aHi, bLo, bHi, splits int) {
	for aLo < aHi && bLo < bHi && c.a[aLo] == c.b[bLo] {
		aLo, bLo = aLo+1, bLo+1
	}
	for aLo < aHi && bLo < bHi && c.a[aHi-1] == c.b[bHi-1] {
		aHi, bHi = aHi-1, bHi-1
	}
	if aLo < aHi && bLo < bHi {
		if c.shortest(aLo, aHi, bLo, bHi) {
			return
		}
		if anchors := c.anchors(aLo, aHi, bLo, bHi); splits > 0 && len(anchors) > 0 {
			for _, p := range anchors {
				c.compare(aLo, p.a, bLo, p.b, splits-1)
				aLo, bLo = p.a+1, p.b+1
			}
			c.compare(aLo, aHi, bLo, bHi, splits-1)
			return
		}
	}
	for i := aLo; i < aHi; i++ {
		c.deleted[i] = true
	}
	for j := bLo; j < bHi; j++ {
		c.inserted[j] = true
	}
}

// shortest marks a shortest edit script between two ranges, by the greedy
// algorithm of Myers (1986), or reports false when it would be too long.
func (c *comparison) shortest(aLo, aHi, bLo, bHi int) bool {
	a, b := c.a[aLo:aHi], c.b[bLo:bHi]
	limit := min(len(a)+len(b), max(minEdits, maxSteps/(len(a)+len(b))))
	// reach[limit+k] is how far along a diagonal k has come; before[d] keeps
	// the diagonals -d…d as they were before the d-th edit.
	reach := make([]int, 2*limit+3)
	var before [][]int
	for d := 0; d <= limit; d++ {
		before = append(before, slices.Clone(reach[limit+1-d:limit+2+d]))
		for k := -d; k <= d; k += 2 {
			x := forward(reach, limit+1, k, d)
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
			}
			reach[limit+1+k] = x
			if x == len(a) && y == len(b) {
				c.mark(before, aLo, bLo, len(a), len(b))
				return true
			}
		}
	}
	return false
}

// forward gives where diagonal k starts its d-th edit: below diagonal k+1 (an
// insertion) or right of k-1 (a deletion), whichever came further.
func forward(reach []int, zero, k, d int) int {
	if d == 0 {
		return 0
	}
	if k == -d || (k != d && reach[zero+k-1] < reach[zero+k+1]) {
		return reach[zero+k+1]
	}
	return reach[zero+k-1] + 1
}

// mark walks a found script back from the end to the start.
func (c *comparison) mark(before [][]int, aLo, bLo, x, y int) {
	for d := len(before) - 1; d > 0; d-- {
		reach, k := before[d], x-y
		if k == -d || (k != d && reach[d+k-1] < reach[d+k+1]) {
			x = reach[d+k+1]
			y = x - (k + 1)
			c.inserted[bLo+y] = true
			continue
		}
		x = reach[d+k-1]
		y = x - (k - 1)
		c.deleted[aLo+x] = true
	}
}

// match is a pair of equal elements.
type match struct{ a, b int }

// anchors pairs the elements that occur once in each range and keeps the
// longest chain of pairs that is in order in both.
func (c *comparison) anchors(aLo, aHi, bLo, bHi int) []match {
	inA, inB := occurrences(c.a, aLo, aHi), occurrences(c.b, bLo, bHi)
	var chain, tops []match // tops[n] ends the best chain of n+1 pairs
	var prev []int          // chain index before chain[i]
	var topIndex []int
	for i := aLo; i < aHi; i++ {
		j, unique := inB[c.a[i]]
		if !unique || j < 0 || inA[c.a[i]] < 0 {
			continue
		}
		n, _ := slices.BinarySearchFunc(tops, j, func(m match, j int) int { return cmp.Compare(m.b, j) })
		before := -1
		if n > 0 {
			before = topIndex[n-1]
		}
		chain, prev = append(chain, match{i, j}), append(prev, before)
		if n == len(tops) {
			tops, topIndex = append(tops, match{i, j}), append(topIndex, len(chain)-1)
			continue
		}
		tops[n], topIndex[n] = match{i, j}, len(chain)-1
	}
	list := make([]match, len(tops))
	for n, at := len(tops)-1, lastOf(topIndex); at >= 0; n, at = n-1, prev[at] {
		list[n] = chain[at]
	}
	return list
}

// occurrences maps each element of a range to its place, or to -1 if it
// occurs more than once.
func occurrences(seq []int, lo, hi int) map[int]int {
	place := make(map[int]int, hi-lo)
	for i := lo; i < hi; i++ {
		if _, again := place[seq[i]]; again {
			place[seq[i]] = -1
			continue
		}
		place[seq[i]] = i
	}
	return place
}

func lastOf(list []int) int {
	if len(list) == 0 {
		return -1
	}
	return list[len(list)-1]
}
