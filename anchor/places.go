package anchor

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"brenner/internal/lazy"
	"brenner/internal/linediff"
)

// ambiguous lists where an operation fits. Which place was meant only the
// promised result can tell.
func (x *explainer) ambiguous(a Anchor, op Op, ref opRef) repair {
	const most, tried, counted = 20, 512, 1 << 15
	l := newLocator(x.base.s)
	var fits []edit
	var starts []span
	var index []int // of the places shown
	for i, occ := range l.occurrences(a, counted) {
		if at, ok := l.followAnchor(a, occ, op.Old); ok {
			if len(fits) < tried {
				fits = append(fits, edit{start: at, end: at + len(op.Old), text: op.New, from: ref})
			}
			starts = append(starts, occ)
			if len(index) < most {
				index = append(index, i+1)
			}
		}
	}
	out := repair{finding: Finding{
		Cause: CauseAmbiguous, PlaceCount: len(starts),
		Message: fmt.Sprintf("anchor and old block fit in %d places", len(starts)),
		Hint:    "extend the anchor to the left, or give match_index",
	}}
	out.edits = fits
	for i, occ := range starts[:min(len(starts), most)] {
		line, column := position(x.base.s, occ.start)
		p := Place{Line: line, Column: column, MatchIndex: index[i]}
		if from, ok := x.uniqueFrom(i, starts); ok {
			p.Anchor = x.base.s[from:occ.end]
		}
		out.finding.Places = append(out.finding.Places, p)
	}
	return out
}

// uniqueFrom finds how far to the left the i-th occurrence must be extended
// until no other occurrence has the same text before it.
func (x *explainer) uniqueFrom(i int, starts []span) (from int, ok bool) {
	const most = 4096
	text, longest := x.base.s, 0
	for j, other := range starts {
		if j == i {
			continue
		}
		left, right := text[max(0, starts[i].start-most):starts[i].start], text[max(0, other.start-most):other.start]
		longest = max(longest, commonSuffix(left, right))
		if longest >= most || !x.left.spend(longest) {
			return 0, false
		}
	}
	from = starts[i].start - longest - 1
	if from < 0 {
		return 0, false
	}
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	return from, true
}

// forTheRest are words for what an author did not write.
const forTheRest = `\b(?:rest of|rest unchanged|remaining|remainder|existing code|unchanged|same as before|omitted|snipped)\b`

var (
	elidedLine   = lazy.NewPattern(`(?im)^[ \t]*(?:(?://|#|--|/\*|<!--|;|%|\*)?[ \t]*[\[(<]?(?:\.\.\.|…)[^\n]*|(?://|#|--|/\*|<!--|;|%)[^\n]*` + forTheRest + `[^\n]*|[\[(<][ \t]*(?:snip|cut|` + forTheRest + `)[^\n]*[\])>][ \t]*)(?:\n|$)`)
	elidedInline = lazy.NewPattern(`[\[(]?(?:\.\.\.|…)[\])]?`)
)

// tryElision: the author left something out and wrote dots for it.
func (x *explainer) tryElision(q quotation, _ Op) (repair, bool) {
	for _, dots := range []*regexp.Regexp{elidedLine.Regexp(), elidedInline.Regexp()} {
		if r, ok := x.elided(dots, q); ok {
			return r, true
		}
	}
	return repair{}, false
}

func (x *explainer) elided(dots *regexp.Regexp, q quotation) (repair, bool) {
	anchor := q.anchor
	if cut := dots.FindAllStringIndex(anchor, -1); cut != nil {
		anchor = anchor[cut[len(cut)-1][1]:] // what stands behind the last dots
	}
	parts := dots.Split(q.old, -1)
	if anchor == q.anchor && len(parts) == 1 || strings.TrimSpace(anchor+parts[0]) == "" {
		return repair{}, false
	}
	hits := find(x.base.s, anchor+parts[0], 2)
	if len(hits) != 1 {
		return repair{}, false
	}
	start := hits[0] + len(anchor)
	end := start + len(parts[0])
	var gaps []string
	sure := true
	for _, part := range parts[1:] {
		i := strings.Index(x.base.s[end:], part)
		if i < 0 || part == "" {
			return repair{}, false
		}
		sure = sure && len(find(x.base.s[end:], part, 2)) == 1
		gaps = append(gaps, x.base.s[end:end+i])
		end += i + len(part)
	}
	restored, restores := restoreElided(dots, q.new, gaps)
	return repair{
		finding: Finding{
			Cause: CauseElided, Message: "it has dots where the text goes on",
			Hint: "quote the text in full, or make smaller operations around the dots", Difference: difference(x.base.s, start, q.old),
		},
		edits: at(start, end, restored), sure: sure && restores,
	}, true
}

// restoreElided puts what was left out back where the new block has dots too.
// A new block without dots stands for all of the old one; with a different
// number of dots nobody can tell what goes where.
func restoreElided(dots *regexp.Regexp, s string, gaps []string) (string, bool) {
	n := len(dots.FindAllString(s, -1))
	if n != len(gaps) {
		return s, n == 0
	}
	i := 0
	return dots.ReplaceAllStringFunc(s, func(string) string {
		i++
		return gaps[i-1]
	}), true
}

// nearest shows the text most like the quotation.
func (x *explainer) nearest(q quotation) repair {
	const nearby = 8 // what it costs to look a triple up
	out := repair{finding: Finding{
		Cause: CauseNoSuchText, Message: "the text has nothing like it", Hint: "read the present text and quote it exactly",
	}}
	if r, ok := x.aligned(q); ok {
		return r
	}
	if hits := find(x.base.s, q.anchor, 2); len(hits) == 1 && q.anchor != "" {
		out.finding.Message = "the anchor is there, but something else follows it"
		out.finding.Difference = difference(x.base.s, hits[0], q.whole())
		return out
	}
	if !x.left.spend(nearby * len(x.base.s)) {
		return out
	}
	at, line, ok := likest(x.base.s, q.whole())
	if !ok {
		return out
	}
	out.finding.Message = "this is the nearest text there is"
	out.finding.Difference = difference(x.base.s, at, line)
	return out
}

// likest finds the line of the text that shares most letter triples with the
// longest line of the quotation. It gives the position to compare from and the
// quotation from that line on.
func likest(text, quoted string) (at int, rest string, ok bool) {
	lines := linediff.Lines(quoted)
	pick, offset, from := "", 0, 0
	for _, l := range lines {
		if len(strings.TrimSpace(l)) > len(strings.TrimSpace(pick)) {
			pick, from = l, offset
		}
		offset += len(l)
	}
	want := map[[3]byte]bool{}
	for i := 0; i+3 <= len(pick); i++ {
		want[[3]byte{pick[i], pick[i+1], pick[i+2]}] = true
	}
	best := 0.3 // less alike than this is not alike
	offset = 0
	for _, l := range linediff.Lines(text) {
		shared := 0
		for i := 0; i+3 <= len(l); i++ {
			if want[[3]byte{l[i], l[i+1], l[i+2]}] {
				shared++
			}
		}
		if score := 2 * float64(shared) / float64(len(l)+len(pick)); score > best {
			best, at, ok = score, offset, true
		}
		offset += len(l)
	}
	if !ok {
		return 0, "", false
	}
	return at + lead(text[at:], pick), quoted[from:], true
}

// lead skips what the line of the text has before the quotation's first
// characters, as when an anchor starts in the middle of a line.
func lead(line, quoted string) int {
	const head = 6
	if i := strings.Index(lineOf(line), quoted[:min(head, len(quoted))]); i > 0 {
		return i
	}
	return 0
}
