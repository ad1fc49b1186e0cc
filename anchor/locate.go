package anchor

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
)

// miss is an operation that has no place in the base.
type miss struct {
	ref  opRef
	code brenner.Code
	// found counts occurrences of the anchor where that matters, up to the
	// number needed to say what is wrong.
	found int
	// other is the operation that an overlapping one collides with.
	other opRef
}

// span is one occurrence of an anchor in the base. past is behind the white
// space that the author wrote at the anchor's end; in exact mode that is end.
type span struct{ start, end, past int }

// locator resolves operations against one base text.
type locator struct {
	base string
	// bare is the base without white space, made when first needed.
	bare *folded
	// anchors holds anchors without white space.
	anchors map[string]string
	queries map[string]*query
	// unplaced counts the operations that have no place.
	unplaced int
}

// mostShown is how many misses are shown.
const mostShown = 20

func newLocator(base string) *locator {
	return &locator{base: base, anchors: map[string]string{}, queries: map[string]*query{}}
}

// resolve finds the one place of every operation, or says which have none. The
// edits come back sorted and disjoint.
func resolve(p Patch, base string) ([]edit, []miss) {
	l := newLocator(base)
	for _, mode := range []MatchMode{Exact, IgnoreWhitespace} {
		if !l.scanFor(p, mode) {
			return nil, []miss{{code: brenner.CodeLimitExceeded}}
		}
	}
	var edits []edit
	var misses []miss
	for g := range p.Groups {
		es, ms := l.group(p.Groups[g], g)
		edits, misses = append(edits, es...), append(misses, ms...)
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	return edits, append(misses, overlaps(edits)...)
}

// scanFor asks all questions of one mode together, so that the base is read
// about once however many operations there are.
func (l *locator) scanFor(p Patch, mode MatchMode) bool {
	var qs []*query
	for _, g := range p.Groups {
		if g.Anchor.mode() != mode {
			continue
		}
		for _, op := range g.Ops {
			key, q := l.question(g.Anchor, op)
			if known := l.queries[key]; known != nil {
				q = known
			} else {
				l.queries[key] = q
				qs = append(qs, q)
			}
			if op.Index > 0 {
				q.pick(op.Index)
			} else {
				q.keep = max(q.keep, len(g.Ops)+2) // enough to see that one is left
				q.limit = max(q.limit, q.keep)
			}
		}
	}
	if len(qs) == 0 {
		return true
	}
	text := l.base
	if mode == IgnoreWhitespace {
		text = l.squeezed().text
	}
	return scan(text, qs)
}

// question says what to look for: with an index the anchor, otherwise the
// anchor with the old block behind it.
func (l *locator) question(a Anchor, op Op) (key string, q *query) {
	needle, old := a.Text, op.Old
	if op.Index > 0 || a.Text == "" {
		old = "" // the empty anchor has one place, whatever follows it
	}
	if a.mode() == Exact {
		return "exact\x00" + needle + old, &query{needle: needle + old}
	}
	anchor := l.squeezedAnchor(a)
	key = "bare\x00" + anchor + "\x00" + old
	if old == "" {
		return key, &query{needle: anchor}
	}
	return key, &query{needle: anchor + squeeze(old).text, accept: func(at int) bool {
		_, ok := l.followAnchor(a, l.spanAt(a, at), old)
		return ok
	}}
}

func (l *locator) squeezed() *folded {
	if l.bare == nil {
		l.bare = squeeze(l.base)
	}
	return l.bare
}

func (l *locator) squeezedAnchor(a Anchor) string {
	bare, ok := l.anchors[a.Text]
	if !ok {
		bare = squeeze(a.Text).text
		l.anchors[a.Text] = bare
	}
	return bare
}

// spanAt turns a hit into an occurrence. Without white space the occurrence
// ends after the last visible character.
func (l *locator) spanAt(a Anchor, hit int) span {
	if a.mode() == Exact {
		return span{hit, hit + len(a.Text), hit + len(a.Text)}
	}
	if a.Text == "" {
		return span{}
	}
	start, _ := l.squeezed().start(hit)
	end, _ := l.squeezed().end(hit + len(l.squeezedAnchor(a)))
	return span{start, end, absorb(l.base, end, trailingSpace(a.Text))}
}

// absorb moves a position over the white space that stands for what an author
// wrote there: as many newlines as written, as far as there are any, and the
// rest of a line only where the author wrote something of it. White space
// written without a newline is never nothing: at the end of a line it stands
// for the newline.
func absorb(text string, at int, written string) int {
	if written == "" {
		return at
	}
	space := leadingSpace(text[at:])
	lines := min(strings.Count(written, "\n"), strings.Count(space, "\n"))
	for range lines {
		i := strings.IndexByte(space, '\n') + 1
		at, space = at+i, space[i:]
	}
	if lines > 0 && strings.HasSuffix(written, "\n") {
		return at
	}
	line, _, more := strings.Cut(space, "\n")
	if lines == 0 && line == "" && more {
		return at + 1
	}
	return at + len(line)
}

func leadingSpace(s string) string  { return s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsSpace))] }
func trailingSpace(s string) string { return s[len(strings.TrimRightFunc(s, unicode.IsSpace)):] }

// occurrences gives the places of an anchor alone, up to a limit. The empty
// anchor stands at the start of the file and nowhere else.
func (l *locator) occurrences(a Anchor, limit int) []span {
	text, needle := l.base, a.Text
	if a.mode() == IgnoreWhitespace {
		text, needle = l.squeezed().text, l.squeezedAnchor(a)
	}
	var spans []span
	for _, hit := range find(text, needle, limit) {
		spans = append(spans, l.spanAt(a, hit))
	}
	return spans
}

// follow says where old stands after position at: exactly there, or, when
// white space is ignored, after the shortest run of white space that fits.
func (l *locator) follow(mode MatchMode, at int, old string) (int, bool) {
	for {
		if strings.HasPrefix(l.base[at:], old) {
			return at, true
		}
		r, n := utf8.DecodeRuneInString(l.base[at:])
		if mode == Exact || n == 0 || !unicode.IsSpace(r) {
			return 0, false
		}
		at += n
	}
}

// followAnchor says where old stands after an occurrence: behind the white
// space that belongs to the anchor or, if it quotes that space itself, before.
// An insertion behind a newline has no place where the line goes on.
func (l *locator) followAnchor(a Anchor, occ span, old string) (int, bool) {
	if at, ok := l.follow(a.mode(), occ.past, old); ok {
		lineGoesOn := old == "" && a.mode() == IgnoreWhitespace &&
			strings.Contains(trailingSpace(a.Text), "\n") && !strings.Contains(l.base[occ.end:occ.past], "\n")
		return at, !lineGoesOn
	}
	return l.follow(a.mode(), occ.end, old)
}

// claim is an occurrence of the anchor that an operation of the group uses.
type claim struct {
	occ span
	// cursor is where the next old block at this occurrence must stand.
	cursor int
	by     opRef
}

// group resolves the operations of one group in their order. Each occurrence
// of the anchor has a cursor, at first its end, which moves over the old
// blocks already claimed there: that is how operations chain (P7).
func (l *locator) group(g Group, index int) (edits []edit, misses []miss) {
	claimed := map[span]claim{}
	for j, op := range g.Ops {
		ref := opRef{index, j}
		if op.Kind == ReplaceEntireFile {
			edits = append(edits, edit{0, len(l.base), op.New, ref})
			continue
		}
		var c claim
		var m *miss
		if op.Index > 0 {
			c, m = l.placeByIndex(g.Anchor, op, claimed)
		} else {
			c, m = l.placeByFit(g.Anchor, op, claimed)
		}
		if m != nil {
			m.ref = ref
			misses = append(misses, *m)
			continue
		}
		edits = append(edits, edit{c.cursor, c.cursor + len(op.Old), op.New, ref})
		claimed[c.occ] = claim{c.occ, c.cursor + len(op.Old), ref}
	}
	return edits, misses
}

// placeByIndex takes the occurrence that match_index names.
func (l *locator) placeByIndex(a Anchor, op Op, claimed map[span]claim) (claim, *miss) {
	q := l.asked(a, op)
	if q.count < op.Index {
		return claim{}, &miss{code: brenner.CodeAnchorNotFound, found: q.count}
	}
	c := claim{occ: l.spanAt(a, q.picks[op.Index])}
	at, fits := l.followAnchor(a, c.occ, op.Old)
	earlier, known := claimed[c.occ]
	if known {
		at, fits = l.follow(a.mode(), earlier.cursor, op.Old)
	}
	if fits {
		c.cursor = at
		return c, nil
	}
	if _, taken := l.followAnchor(a, c.occ, op.Old); taken && known {
		return claim{}, &miss{code: brenner.CodeOverlap, other: earlier.by}
	}
	return claim{}, &miss{code: brenner.CodeOldBlockMismatch, found: q.count}
}

// placeByFit takes the one place where the old block follows the anchor, or
// follows what an earlier operation of the group claimed there.
func (l *locator) placeByFit(a Anchor, op Op, claimed map[span]claim) (claim, *miss) {
	var fits, taken []claim
	for _, hit := range l.asked(a, op).hits {
		occ := l.spanAt(a, hit)
		at, ok := l.followAnchor(a, occ, op.Old)
		switch earlier, known := claimed[occ]; {
		case ok && !known:
			fits = append(fits, claim{occ: occ, cursor: at})
		case ok:
			taken = append(taken[:0], earlier)
		}
		if len(fits) > 1 {
			break
		}
	}
	for _, c := range claimed { // order-free: one fits, or it does not matter which
		if len(fits) > 1 {
			break
		}
		if at, ok := l.follow(a.mode(), c.cursor, op.Old); ok {
			fits = append(fits, claim{occ: c.occ, cursor: at})
		}
	}
	switch {
	case len(fits) == 1:
		return fits[0], nil
	case len(fits) > 1:
		return claim{}, &miss{code: brenner.CodeAnchorAmbiguous, found: len(fits)}
	case len(taken) > 0:
		return claim{}, &miss{code: brenner.CodeOverlap, other: taken[0].by}
	}
	if l.unplaced++; l.unplaced > mostShown {
		return claim{}, &miss{code: brenner.CodeAnchorNotFound} // nobody is told which it is
	}
	if n := len(l.occurrences(a, 2)); n > 0 {
		return claim{}, &miss{code: brenner.CodeOldBlockMismatch, found: n}
	}
	return claim{}, &miss{code: brenner.CodeAnchorNotFound}
}

// asked gives the answered question of an operation.
func (l *locator) asked(a Anchor, op Op) *query {
	key, _ := l.question(a, op)
	return l.queries[key]
}

// overlaps reports edits that intersect or share a start (P4).
func overlaps(sorted []edit) (misses []miss) {
	for i := 1; i < len(sorted); i++ {
		a, b := sorted[i-1], sorted[i]
		if b.start < a.end || b.start == a.start {
			misses = append(misses, miss{ref: b.from, code: brenner.CodeOverlap, other: a.from})
			sorted[i].end = max(a.end, b.end)
		}
	}
	return misses
}

// message says what is wrong with an operation, without guessing why.
func (m miss) message(p Patch) (message, hint string) {
	op := p.Groups[m.ref.group].Ops[m.ref.op]
	quoted := fmt.Sprintf("anchor %s", quote(p.Groups[m.ref.group].Anchor.Text))
	const explain = "quote the text letter by letter as it stands now"
	switch m.code {
	case brenner.CodeLimitExceeded:
		return "the anchors occur too often to be counted", "use longer anchors"
	case brenner.CodeAnchorNotFound:
		if op.Index > 0 {
			return fmt.Sprintf("%s: occurrence %d was asked for, the text has %d", quoted, op.Index, m.found), explain
		}
		return quoted + " is not in the text", explain
	case brenner.CodeAnchorAmbiguous:
		return quoted + " with its old block fits in more than one place",
			"extend the anchor to the left until it is unique, or give match_index"
	case brenner.CodeOldBlockMismatch:
		return fmt.Sprintf("%s is there, but old block %s does not follow it", quoted, quote(op.Old)), explain
	}
	return "the operation touches text that " + m.other.pointer() + " changes too", "merge the two operations into one"
}

// quote shows the beginning of a text on one line.
func quote(s string) string { return fmt.Sprintf("%q", brenner.Clip(s, 60)) }
