package anchor

import (
	"fmt"
	"slices"
	"strings"

	"brenner"
)

// quotation is what one operation quotes and what it puts in place.
type quotation struct {
	anchor, old, new string
}

func (q quotation) whole() string { return q.anchor + q.old }

// repair is a way to read a quotation so that it fits, and what follows from
// it: edits of the base, the likeliest first. Unless it is sure, only the
// promised result can tell which of them is right.
type repair struct {
	finding Finding
	edits   []edit
	sure    bool
}

// explainMisses finds the cause of every operation without a place and, if all
// can be mended, a patch that applies.
func (x *explainer) explainMisses() {
	const most = 20
	edits, misses := resolve(x.p, x.base.s)
	var repairs []repair
	for _, m := range misses[:min(len(misses), most)] {
		r := x.diagnose(m)
		r.finding.Pointer, r.finding.Code = m.ref.pointer(), m.code
		x.add(r.finding)
		repairs = append(repairs, r)
	}
	if 0 < len(misses) && len(misses) <= most && !x.rewriteAll() {
		x.mend(edits, repairs)
	}
}

// rewriteAll reads the whole patch at another level: if that is what is wrong
// with one operation, it is wrong with the new blocks of the others too.
func (x *explainer) rewriteAll() bool {
	for _, rw := range rewrites {
		if x.out.Findings[0].Cause != rw.cause {
			continue
		}
		q := x.p.clone()
		for i := range q.Groups {
			g := &q.Groups[i]
			g.Anchor.Text = rw.fn(g.Anchor.Text)
			for j, op := range g.Ops {
				g.Ops[j].Old, g.Ops[j].New = rw.fn(op.Old), rw.fn(op.New)
			}
		}
		edits, misses := resolve(q, x.base.s)
		if len(misses) == 0 && x.tryEdits(edits, x.promised()) {
			return true
		}
	}
	return false
}

// promised says that the patch was made for this text and names its result.
func (x *explainer) promised() bool { return x.p.Result != "" && x.base.Sum() == x.p.Base }

// mend tries the combinations of repairs until one gives the promised result
// or, where no result was promised for this text, the first that fits.
func (x *explainer) mend(edits []edit, repairs []repair) {
	budget := 1 << 29 / (len(x.base.s) + 1) // bytes to hash
	promised := x.promised()
	choice := make([]int, len(repairs))
	for range min(budget, 512) {
		chosen := slices.Clone(edits)
		for i, r := range repairs {
			if len(r.edits) == 0 || !promised && !r.sure {
				return
			}
			chosen = append(chosen, r.edits[choice[i]])
		}
		if x.tryEdits(chosen, promised) || !next(choice, repairs) {
			return
		}
	}
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

// tryEdits proposes the patch that makes these edits, if they can be made.
func (x *explainer) tryEdits(edits []edit, promised bool) bool {
	edits = slices.DeleteFunc(edits, func(e edit) bool { return e.start == e.end && e.text == "" })
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	if len(overlaps(slices.Clone(edits))) > 0 {
		return false
	}
	result := x.base.splice(edits)
	if promised && result.Sum() != x.p.Result || result.s == x.base.s {
		return false
	}
	q, err := compose(x.base, result, edits, x.p.Path)
	if err != nil {
		return false
	}
	q.Meta = x.p.Meta
	return x.propose(q)
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
	q := quotation{g.Anchor.Text, op.Old, op.New}
	for _, try := range []func(quotation, Op) (repair, bool){
		x.tryIndex, x.tryRewrites, x.tryFinalNewline, x.tryLenses, x.tryOverlappingAnchor, x.tryElision,
		x.tryApplied, x.tryElsewhere, x.tryGap,
	} {
		if r, ok := try(q, op); ok {
			for i := range r.edits {
				r.edits[i].from = m.ref
			}
			return r
		}
	}
	return x.nearest(q)
}

// at makes the edit that puts new in place of base[start:end], with the given
// alternatives behind it.
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

// tryIndex: the quotation fits in one place, but not the one match_index names.
func (x *explainer) tryIndex(q quotation, op Op) (repair, bool) {
	if op.Index == 0 || q.whole() == "" {
		return repair{}, false
	}
	hits := find(x.base.s, q.whole(), 2)
	if len(hits) != 1 {
		return repair{}, false
	}
	start := hits[0] + len(q.anchor)
	line, _ := position(x.base.s, start)
	return repair{
		finding: Finding{
			Cause:   CauseWrongIndex,
			Message: fmt.Sprintf("anchor and old block fit in one place, at line %d, but match_index %d names another", line, op.Index),
			Hint:    "leave match_index out",
		},
		edits: at(start, start+len(q.old), q.new), sure: true,
	}, true
}

// tryRewrites: the whole quotation was written at another level.
func (x *explainer) tryRewrites(q quotation, _ Op) (repair, bool) {
	for _, rw := range rewrites {
		r, changed := rw.apply(q)
		if !changed || strings.TrimSpace(r.whole()) == "" {
			continue
		}
		hits := find(x.base.s, r.whole(), 2)
		if len(hits) == 0 {
			continue
		}
		return x.rewritten(rw, q, r, hits), true
	}
	return repair{}, false
}

func (x *explainer) rewritten(rw rewrite, q, r quotation, hits []int) repair {
	out := repair{finding: Finding{
		Cause: rw.cause, Message: rw.message, Hint: rw.hint,
		Difference: difference(x.base.s, hits[0], q.whole()),
	}}
	if len(hits) > 1 {
		out.finding.Message += "; even so it fits in several places"
		return out
	}
	start := hits[0] + len(r.anchor)
	out.edits, out.sure = at(start, start+len(r.old), r.new, q.new), true
	return out
}

// tryFinalNewline: the old block ends in a newline that the end of the text
// does not have.
func (x *explainer) tryFinalNewline(q quotation, _ Op) (repair, bool) {
	short, ok := strings.CutSuffix(q.whole(), "\n")
	if !ok || q.old == "" || !strings.HasSuffix(x.base.s, short) || strings.TrimSpace(short) == "" {
		return repair{}, false
	}
	start := len(x.base.s) - len(q.old) + 1
	return repair{
		finding: Finding{
			Cause: CauseLineEndings, Message: "the text ends without a newline, the old block ends with one",
			Hint: "take the last newline off old_block", Difference: difference(x.base.s, start, q.old),
		},
		edits: at(start, len(x.base.s), strings.TrimSuffix(q.new, "\n"), q.new), sure: true,
	}, true
}

// tryLenses: quotation and text look the same.
func (x *explainer) tryLenses(q quotation, _ Op) (repair, bool) {
	for _, l := range lenses {
		if r, ok := x.throughLens(l, q); ok {
			return r, true
		}
	}
	for _, rw := range rewrites {
		rewritten, changed := rw.apply(q)
		if !changed {
			continue
		}
		if r, ok := x.throughLens(widest, rewritten); ok {
			r.finding.Cause, r.finding.Message, r.finding.Hint = rw.cause, rw.message, rw.hint
			return r, true
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
	if l.bare {
		mid, to = x.seam(q, mid, to, old == "")
	}
	out := repair{finding: x.seen(l.cause, q, from, mid, to)}
	if len(hits) > 1 {
		out.finding.Message += "; even so it fits in several places"
		return out, true
	}
	actual := x.base.s[mid:to]
	if actual == q.new {
		out.finding.Cause = CauseAlreadyApplied
		out.finding.Message = "the new block is there already"
		return out, true
	}
	tidy := tidyLike(q.whole(), x.base.s[from:to])
	out.edits = at(mid, to, translate(l, q, actual, tidy), translate(l, q, actual, asIs), tidy(q.new), q.new)
	if indent := trailingSpace(x.base.s[from:mid]); l.bare && old != "" {
		indent = indent[strings.LastIndexByte(indent, '\n')+1:]
		out.edits = append(out.edits, at(mid-len(indent), to, q.new)...)
	}
	out.sure = true
	return out, true
}

// view sees the text through a lens, once for all operations.
func (x *explainer) view(l *lens) *folded {
	if x.views[l] == nil {
		x.views[l] = l.view(x.base.s)
	}
	return x.views[l]
}

// seam decides where the anchor ends and the old block begins and ends, when
// the white space between them was not looked at: it goes where the author
// wrote white space, newline by newline.
func (x *explainer) seam(q quotation, mid, to int, noOld bool) (int, int) {
	mid = absorb(x.base.s, mid, trailingSpace(q.anchor))
	if noOld {
		return mid, absorb(x.base.s, mid, q.old)
	}
	gap := leadingSpace(x.base.s[mid:])
	if leadingSpace(q.old) == "" {
		mid += len(gap)
	}
	return mid, absorb(x.base.s, to, trailingSpace(q.old))
}

// seen words the finding for a quotation that looks the same.
func (x *explainer) seen(cause Cause, q quotation, from, mid, to int) Finding {
	actual := x.base.s[from:to]
	if cause == "" || cause == CauseWhitespace && strings.ContainsFunc(actual+q.whole(), oddSpace) {
		cause = guilty(actual, q.whole())
	}
	f := Finding{Cause: cause, Difference: difference(x.base.s, from, q.whole())}
	if f.Difference == nil {
		f.Difference = difference(x.base.s, mid, q.old)
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

// tryOverlappingAnchor: the anchor quotes part of the old block too.
func (x *explainer) tryOverlappingAnchor(q quotation, _ Op) (repair, bool) {
	for k := min(len(q.anchor), len(q.old)); k > 0; k-- {
		if !strings.HasSuffix(q.anchor, q.old[:k]) || strings.TrimSpace(q.old[:k]) == "" {
			continue
		}
		hits := find(x.base.s, q.anchor+q.old[k:], 2)
		if len(hits) != 1 {
			continue
		}
		start := hits[0] + len(q.anchor) - k
		return repair{
			finding: Finding{
				Cause: CauseOldInAnchor, Message: "the old block stands inside the anchor; it must follow it",
				Hint: "end the anchor where the old block begins",
			},
			edits: at(start, start+len(q.old), q.new), sure: true,
		}, true
	}
	return repair{}, false
}

// tryApplied: the new block is where the old one should be.
func (x *explainer) tryApplied(q quotation, _ Op) (repair, bool) {
	if q.new == "" || q.new == q.old || len(find(x.base.s, q.anchor+q.new, 1)) == 0 {
		return repair{}, false
	}
	return repair{
		finding: Finding{Cause: CauseAlreadyApplied, Message: "the new block is there already", Hint: "leave this operation out"},
		edits:   []edit{{}}, sure: x.base.Sum() != x.p.Base,
	}, true
}

// tryElsewhere: the quotation is from another text.
func (x *explainer) tryElsewhere(q quotation, _ Op) (repair, bool) {
	if strings.TrimSpace(q.whole()) == "" {
		return repair{}, false
	}
	for _, o := range x.elsewhere.Older {
		if strings.Contains(o.Text.s, q.whole()) {
			return repair{finding: Finding{
				Cause: CauseOlderVersion, Found: o.Name, Message: "the text was there in " + o.Name + " and is not any more",
				Hint: "read the present text and make the patch again",
			}}, true
		}
	}
	for _, o := range x.elsewhere.Others {
		if strings.Contains(o.Text.s, q.whole()) {
			return repair{finding: Finding{
				Cause: CauseOtherFile, Found: o.Name, Message: "the text is in another file, " + o.Name,
				Hint: "send the patch to that file",
			}}, true
		}
	}
	return repair{}, false
}

// tryGap: the old block comes after the anchor, but not immediately.
func (x *explainer) tryGap(q quotation, _ Op) (repair, bool) {
	if strings.TrimSpace(q.old) == "" {
		return repair{}, false
	}
	anchors, olds := find(x.base.s, q.anchor, 2), find(x.base.s, q.old, 2)
	if len(anchors) != 1 || len(olds) != 1 || olds[0] < anchors[0]+len(q.anchor) {
		return repair{}, false
	}
	end := anchors[0] + len(q.anchor)
	return repair{
		finding: Finding{
			Cause: CauseNotAdjacent, Message: fmt.Sprintf("%d bytes stand between the anchor and the old block", olds[0]-end),
			Hint: "the old block must follow the anchor immediately", Difference: difference(x.base.s, end, q.old),
		},
		edits: at(olds[0], olds[0]+len(q.old), q.new), sure: true,
	}, true
}
