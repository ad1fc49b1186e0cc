package anchor

import (
	"slices"
	"strings"

	"brenner"
	"brenner/internal/lazy"
)

// repair is a way to read a quotation so that it fits, and what follows from
// it: edits of the base, the likeliest first. Unless it is sure, only the
// promised result can tell whether one of them is right.
type repair struct {
	finding Finding
	// from is where the quotation begins in the text, if it is seen there.
	from  int
	edits []edit
	sure  bool
	// again undoes the same mistake in a string of another operation.
	again func(string) (string, bool)
}

// explainMisses finds the cause of every operation without a place and, if all
// can be mended, a patch that applies.
func (x *explainer) explainMisses() {
	edits, misses := resolve(x.p, x.base.s)
	var repairs []repair
	for _, m := range misses[:min(len(misses), mostShown)] {
		r := x.diagnose(m)
		r.finding.Pointer, r.finding.Code = m.ref.pointer(), m.code
		x.add(r.finding)
		repairs = append(repairs, r)
	}
	if 0 < len(misses) && len(misses) <= mostShown {
		x.mend(edits, repairs)
	}
}

// diagnose tries the known mistakes, the most certain first.
func (x *explainer) diagnose(m miss) repair {
	g := x.p.Groups[m.ref.group]
	op := g.Ops[m.ref.op]
	switch m.code {
	case brenner.CodeAnchorAmbiguous:
		return x.ambiguous(g.Anchor, op, m.ref)
	case brenner.CodeOverlap:
		return repair{finding: Finding{
			Cause: CauseOverlap, Message: "it changes text that " + m.other.pointer() + " changes too",
			Hint: "merge the two operations into one",
		}}
	}
	r := x.diagnoseQuote(quotation{g.Anchor.Text, op.Old, op.New}, op)
	for i := range r.edits {
		r.edits[i].from = m.ref
	}
	return r
}

// diagnoseQuote finds out why a quotation is not in the text.
func (x *explainer) diagnoseQuote(q quotation, op Op) repair {
	const readings = 16 // how often the text is gone through, about
	if q.size() > largestQuotation || len(x.base.s) > largestText || !x.left.spend(readings*(len(x.base.s)+q.size())) {
		return x.diagnoseExactly(q, op)
	}
	tries := []func(quotation, Op) (repair, bool){
		x.tryIndex, x.tryNoAnchor, x.tryReadings, x.tryFinalNewline, x.tryLenses, x.tryOverlappingAnchor, x.tryElision,
		x.tryApplied, x.tryElsewhere, x.tryGap, x.tryOldAlone,
	}
	if x.base.Sum() != x.p.Base {
		// Made for another text: that it quotes one tells more than a likeness.
		tries = slices.Insert(tries, 2, x.tryElsewhere)
	}
	for _, try := range tries {
		if r, ok := try(q, op); ok {
			return r
		}
	}
	return x.nearest(q)
}

// diagnoseExactly looks for the words as they are, which is all that is done
// where more would take too long.
func (x *explainer) diagnoseExactly(q quotation, op Op) repair {
	for _, try := range []func(quotation, Op) (repair, bool){x.tryIndex, x.tryNoAnchor, x.tryFinalNewline, x.tryApplied, x.tryElsewhere, x.tryGap} {
		if r, ok := try(q, op); ok {
			return r
		}
	}
	return repair{finding: Finding{
		Cause: CauseNoSuchText, Message: "it is not in the text, and too much was sent to look for what was meant",
		Hint: "quote a few lines, in fewer operations",
	}}
}

// promised says that the patch was made for this text and names its result.
func (x *explainer) promised() bool { return x.p.Result != "" && x.base.Sum() == x.p.Base }

// mend looks for the patch that was meant. Where a result was promised for this
// text, the combinations of repairs are tried until one gives it: that one is
// proved. Without a promise there must be one repair of every operation and no
// other, and its result must not look odd: that one is likely.
func (x *explainer) mend(edits []edit, repairs []repair) {
	if x.promised() {
		x.prove(edits, repairs)
		return
	}
	chosen := slices.Clone(edits)
	for _, r := range repairs {
		if len(r.edits) == 0 || !r.sure {
			return
		}
		for i := range edits {
			text, sure := x.madeAgain(r, edits[i], chosen[i].text)
			if !sure {
				return
			}
			chosen[i].text = text
		}
		chosen = append(chosen, r.edits[0])
	}
	q, result, ok := x.patchOf(chosen)
	if !ok || len(lint(x.base.s, chosen, result.s)) > 0 {
		return
	}
	x.propose(q, Likely)
}

// madeAgain undoes the mistake of one operation in the new block of another,
// whose quotation fits. Where that quotation would be changed by it, what looks
// like the mistake is the text's own.
func (x *explainer) madeAgain(r repair, e edit, text string) (string, bool) {
	if r.again == nil {
		return text, true
	}
	g := x.p.Groups[e.from.group]
	quoted := g.Anchor.Text + g.Ops[e.from.op].Old
	if same, _ := r.again(quoted); same != quoted {
		return text, true
	}
	return r.again(text)
}

// prove counts through the combinations of repairs.
func (x *explainer) prove(edits []edit, repairs []repair) {
	budget := mostEffort / (len(x.base.s) + x.p.size()*(1+len(repairs)) + 1)
	choice := make([]int, len(repairs))
	for range min(budget, 512) {
		chosen, again := slices.Clone(edits), slices.Clone(edits)
		for i, r := range repairs {
			if len(r.edits) == 0 {
				return
			}
			chosen, again = append(chosen, r.edits[choice[i]]), append(again, r.edits[choice[i]])
			for k := range edits {
				again[k].text, _ = x.madeAgain(r, edits[k], again[k].text)
			}
		}
		if x.proves(chosen) || x.proves(again) || !next(choice, repairs) {
			return
		}
	}
}

// proves proposes the patch that makes these edits if it gives the promised
// result.
func (x *explainer) proves(edits []edit) bool {
	q, result, ok := x.patchOf(edits)
	if !ok || result.Sum() != x.p.Result {
		return false
	}
	return x.propose(q, Proved)
}

// next counts through the combinations.
func next(choice []int, repairs []repair) bool {
	for i := range choice {
		if choice[i]++; choice[i] < len(repairs[i].edits) {
			return true
		}
		choice[i] = 0
	}
	return false
}

// patchOf makes the patch that makes these edits, if they can be made and
// change something. The edits are sorted in place.
func (x *explainer) patchOf(edits []edit) (Patch, Text, bool) {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	made := slices.DeleteFunc(slices.Clone(edits), func(e edit) bool { return e.start == e.end && e.text == "" })
	if len(overlaps(slices.Clone(made))) > 0 {
		return Patch{}, Text{}, false
	}
	result := x.base.splice(made)
	if result.s == x.base.s {
		return Patch{}, Text{}, false
	}
	q, err := compose(x.base, result, made, x.p.Path)
	q.Meta = x.p.Meta
	return q, result, err == nil
}

// at makes the edits that put one of several texts in place of base[start:end].
func at(start, end int, texts ...string) []edit {
	var edits []edit
	for _, t := range texts {
		e := edit{start: start, end: end, text: t}
		if !slices.Contains(edits, e) {
			edits = append(edits, e)
		}
	}
	return edits
}

// tryReadings: anchor, old block or both were written with a mistake that can
// be undone, and then fit exactly.
func (x *explainer) tryReadings(q quotation, _ Op) (repair, bool) {
	var found *reading
	var out repair
	for i := range readings {
		rd := &readings[i]
		if found != nil && found.cause != rd.cause {
			continue
		}
		for _, r := range rd.apply(q) {
			hits := find(x.base.s, r.whole(), 2)
			if len(hits) == 0 {
				continue
			}
			again := x.read(rd, q, r, hits)
			if found == nil {
				found, out = rd, again
				continue
			}
			// Read in another way it fits as well: only if both ways come
			// to the same thing is there no doubt.
			if len(out.edits) > 0 && len(again.edits) > 0 && out.edits[0] != again.edits[0] {
				out.sure = false
				out.edits = append(out.edits, again.edits...)
			}
		}
	}
	return out, found != nil
}

// read is the repair of a quotation that fits when read anew.
func (x *explainer) read(rd *reading, q, r quotation, hits []int) repair {
	out := repair{again: rd.block, finding: Finding{
		Cause: rd.cause, Message: rd.message, Hint: rd.hint,
		Difference: difference(x.base.s, hits[0], q.whole()),
	}}
	if len(hits) > 1 {
		out.finding.Message += "; even so it fits in several places"
		return out
	}
	start := hits[0] + len(r.anchor)
	text, sure := rd.block(q.new)
	out.edits, out.sure = at(start, start+len(r.old), text, q.new), sure && !(rd.cause == CauseEscapeLevel && x.escapesLeft(text))
	return out
}

var escapedSign = lazy.NewPattern(`\\[^\w\s]|&#?\w{2,8};|%[0-9A-F]{2}`)

// escapesLeft says that a block still has escapes, of a kind that the text does
// not have: the mistake was another one, or made twice.
func (x *explainer) escapesLeft(block string) bool {
	const most = 50
	kinds := escapedSign.FindAllString(block, -1)
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	return len(kinds) > most || slices.ContainsFunc(kinds, func(e string) bool { return !strings.Contains(x.base.s, e) })
}

// tryLenses: quotation and text look the same, as written or when the writing
// is undone.
func (x *explainer) tryLenses(q quotation, _ Op) (repair, bool) {
	for _, l := range lenses {
		if r, ok := x.throughLens(l, q); ok {
			return r, true
		}
	}
	for i := range readings {
		rd := &readings[i]
		for _, written := range rd.apply(q) {
			text, sure := rd.block(q.new)
			written.new = text
			if r, ok := x.throughLens(widest, written); ok {
				r.finding.Cause, r.finding.Message, r.finding.Hint = rd.cause, rd.message, rd.hint
				r.finding.Difference = difference(x.base.s, x.quoteStart(r.from, written.whole()), q.whole())
				r.sure = r.sure && sure
				r.again = rd.block
				return r, true
			}
		}
	}
	return repair{}, false
}

func (x *explainer) throughLens(l *lens, q quotation) (repair, bool) {
	text := x.view(l)
	anchor, old := l.quote(q.anchor).text, l.quote(q.old).text
	if anchor+old == "" {
		return repair{}, false
	}
	hits := find(text.text, anchor+old, 2)
	if len(hits) == 0 {
		return repair{}, false
	}
	from, ok := text.start(hits[0])
	mid, ok2 := text.end(hits[0] + len(anchor))
	to, ok3 := text.end(hits[0] + len(anchor) + len(old))
	if !ok || !ok2 || !ok3 {
		return repair{}, false
	}
	if anchor == "" {
		mid = from
	}
	out := repair{finding: x.seen(l.cause, q, from, mid, to), from: from}
	if len(hits) > 1 {
		out.finding.Message += "; even so it fits in several places"
		return out, true
	}
	out.again = l.oddities(x.characters(), q.whole(), x.base.s[from:to])
	out.edits, out.sure = x.mendBlock(l, q, from, mid, to)
	out.sure = out.sure && !(l.bare && x.unsettled(q, from, to))
	if e := out.edits[0]; x.base.s[e.start:e.end] == e.text && q.new != q.old {
		out.finding.Cause, out.finding.Message = CauseAlreadyApplied, "the new block is there already"
		out.sure = false
	}
	return out, true
}

// unsettled says that quotation and text differ in white space of a kind that
// the new block may have too, or not, and nobody can tell: lines are broken
// otherwise, end in spaces, or the quotation breaks off before the line does.
func (x *explainer) unsettled(q quotation, from, to int) bool {
	quoted, actual := q.whole(), x.base.s[from:to]
	switch {
	case newlines(strings.TrimSpace(quoted)) != newlines(strings.TrimSpace(actual)) && newlines(strings.TrimSpace(q.new)) > 0:
		return true
	case spaceAtEnds.MatchString(quoted) && !spaceAtEnds.MatchString(actual) && spaceAtEnds.MatchString(q.new):
		return true
	}
	return strings.HasSuffix(quoted, "\n") && strings.TrimSpace(behind(x.base.s, to)) != ""
}

var spaceAtEnds = lazy.NewPattern(`(?m)[^\s][ \t]+$`)

// view sees the text through a lens, once for all operations.
func (x *explainer) view(l *lens) *folded {
	if x.views[l] == nil {
		x.views[l] = l.view(x.base.s)
	}
	return x.views[l]
}

// characters counts those of the text, once for all operations.
func (x *explainer) characters() *census {
	if x.census == nil {
		x.census = censusOf(x.base.s)
	}
	return x.census
}

// indentations lists what the lines of the text begin with.
func (x *explainer) indentations() map[string]bool {
	if x.indents == nil {
		x.indents = map[string]bool{}
		for line := range strings.Lines(x.base.s) {
			if strings.TrimSpace(line) != "" {
				x.indents[leadingSpace(line)] = true
			}
		}
	}
	return x.indents
}

// quoteStart moves a position, where the visible part of a quotation begins,
// back over as many lines of white space as the quotation begins with, so that
// the two are compared from their beginnings.
func (x *explainer) quoteStart(from int, quoted string) int {
	lead := leadingSpace(quoted)
	if lead == "" || lead == quoted {
		return from
	}
	run := trailingSpace(x.base.s[:from])
	for skip := newlines(run) - newlines(lead); skip > 0; skip-- {
		run = run[strings.IndexByte(run, '\n')+1:]
	}
	return from - len(run)
}

// seen words the finding for a quotation that looks the same.
func (x *explainer) seen(cause Cause, q quotation, from, mid, to int) Finding {
	start := x.quoteStart(from, q.whole())
	actual := x.base.s[start:to]
	if cause == "" || cause == CauseWhitespace && strings.ContainsFunc(actual+q.whole(), oddSpace) {
		cause = guilty(actual, q.whole())
	}
	f := Finding{Cause: cause, Difference: difference(x.base.s, start, q.whole())}
	if f.Difference == nil {
		f.Difference = difference(x.base.s, x.quoteStart(mid, q.old), q.old)
	}
	switch cause {
	case CauseNormalForm:
		f.Message, f.Hint = "the same letters are composed differently (Unicode normal form)", "copy the text as it is, without normalising it"
	case CauseLineEndings:
		f.Message, f.Hint = "lines are separated by another character", "use a plain newline where the text has one"
	case CauseInvisible:
		f.Message, f.Hint = "it differs in characters that cannot be seen", "copy the characters the text has"
	case CauseEscapeLevel:
		f.Message, f.Hint = "backslashes are lost or too many", "keep the backslashes the text has"
	case CauseConfusable:
		f.Message, f.Hint = "it differs in characters that look alike", "copy the characters the text has"
	default:
		f.Message, f.Hint = "it differs in white space only", "copy the white space the text has; old_block is compared exactly"
	}
	return f
}
