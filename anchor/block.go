package anchor

import (
	"slices"
	"strings"
)

// mendBlock says what an operation would do if its quotation were the text that
// looks like it through a lens: the visible part of anchor and old block is
// base[from:to], and the old block's begins at mid. The edits are guesses, the
// best first; sure says that no other repair is possible.
func (x *explainer) mendBlock(l *lens, q quotation, from, mid, to int) (edits []edit, sure bool) {
	b, ok := newBlock(x, l, q, from, mid, to)
	if !ok {
		return at(mid, to, q.new), false
	}
	var e edit
	switch {
	case !l.bare:
		e, sure = b.inPlace()
	case len(b.old) == 0:
		e, sure = b.insertion()
	case len(b.new) == 0:
		e, sure = b.deletion()
	default:
		e, sure = b.replacement()
	}
	tidied, _ := b.odd(q.new)
	return append([]edit{e}, at(e.start, e.end, q.new, tidied)...), sure
}

// block is an operation seen through a lens, beside the text it is about.
type block struct {
	weaver
	q    quotation
	text string // the whole base
	// first and last are where the visible part of the old block begins and
	// ends in the text; before is where that of the anchor ends.
	first, last, before int
	newTail             string
}

func newBlock(x *explainer, l *lens, q quotation, from, mid, to int) (*block, bool) {
	text := x.base.s
	whole, actual := l.quote(q.whole()), l.view(text[from:to])
	seam := len(l.quote(q.anchor).text)
	if whole.text != actual.text {
		return nil, false
	}
	cuts := slices.Concat(cutsOf(q.whole(), whole), cutsOf(text[from:to], actual), []int{seam})
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	cuts = slices.DeleteFunc(cuts, func(i int) bool {
		_, ok := whole.start(i)
		_, ok2 := actual.start(i)
		return !ok || !ok2
	})
	k, found := slices.BinarySearch(cuts, seam)
	quoted, _ := tokens(q.whole(), whole, cuts)
	real, _ := tokens(text[from:to], actual, cuts)
	if !found || len(quoted) != len(real) || len(quoted) < k {
		return nil, false
	}
	b := &block{q: q, text: text, first: mid, last: to, before: from}
	b.old, b.actual = quoted[k:], real[k:]
	view := l.quote(q.new)
	b.new, b.newTail = tokens(q.new, view, cutsOf(q.new, view))
	b.weaver.odd = l.oddities(x.characters(), q.whole(), text[from:to])
	b.indents.known = x.indentations()
	b.indents.learnGaps(quoted, real)
	for i := 1; i < len(quoted); i++ {
		b.spaces.learn(quoted[i].gap, real[i].gap)
	}
	if k > 0 {
		b.before = from + visibleEnd(real[:k])
	}
	if k < len(real) {
		b.first = from + visibleEnd(real[:k]) + len(real[k].gap)
	}
	b.learnFirstLine(quoted, from)
	return b, true
}

// visibleEnd is how far tokens reach.
func visibleEnd(list []token) (n int) {
	for _, t := range list {
		n += len(t.gap) + len(t.text)
	}
	return n
}

// learnFirstLine takes the indentation of the line that the quotation begins
// with, if it quotes any.
func (b *block) learnFirstLine(quoted []token, from int) {
	line := strings.LastIndexByte(b.text[:from], '\n') + 1
	if len(quoted) == 0 || quoted[0].gap == "" || strings.TrimSpace(b.text[line:from]) != "" {
		return
	}
	lead := quoted[0].gap
	b.indents.learn(lead[strings.LastIndexByte(lead, '\n')+1:], b.text[line:from])
}

// inPlace mends a block whose white space is that of the text.
func (b *block) inPlace() (edit, bool) {
	core, sure := b.weave()
	lead := ""
	if len(b.new) > 0 {
		lead, _ = b.odd(b.new[0].gap)
	}
	tail, _ := b.odd(b.newTail)
	return edit{start: b.first, end: b.last, text: lead + core + tail}, sure
}

// insertion: there is no old block, and the new one goes behind the white space
// that stands for the anchor's own.
func (b *block) insertion() (edit, bool) {
	at := absorb(b.text, b.before, trailingSpace(b.q.whole()))
	if b.q.old != "" {
		return edit{start: at, end: at, text: b.q.new}, false
	}
	core, _ := b.weave()
	lead := ""
	if len(b.new) > 0 {
		lead = b.lead(b.new[0].gap, lineStart(b.text, at))
	}
	tail := b.fresh(b.newTail)
	// An anchor that ends in an empty line which is not there may have lost
	// what stands above that line.
	whole := newlines(b.text[b.before:at]) == newlines(trailingSpace(b.q.whole()))
	return edit{start: at, end: at, text: lead + core + tail}, b.sure && whole
}

// lead gives the white space that a new block begins with, which at the start
// of a line is an indentation.
func (b *block) lead(is string, atLineStart bool) string {
	if atLineStart && !strings.Contains(is, "\n") {
		is = b.doubt(b.odd(is))
		return b.doubt(b.indents.undo(is))
	}
	return b.fresh(is)
}

// deletion: the old block goes, with the white space it was quoted with.
func (b *block) deletion() (edit, bool) {
	lead, tail := b.textLead(), b.textTail()
	oldLead, oldTail := leadingSpace(b.q.old), trailingSpace(b.q.old)
	sure := b.q.new == "" && newlines(lead) == newlines(oldLead) && newlines(tail) == newlines(oldTail)
	return edit{start: b.first - len(lead), end: b.last + len(tail), text: b.q.new}, sure
}

func newlines(s string) int { return strings.Count(s, "\n") }

// replacement weaves the visible part, and changes white space around it only
// where the author does.
func (b *block) replacement() (edit, bool) {
	e := edit{start: b.first, end: b.last}
	wasLead, isLead, realLead := leadingSpace(b.q.old), b.new[0].gap, b.textLead()
	b.indents.witness(isLead, wasLead, realLead)
	core, _ := b.weave()
	if isLead != wasLead && isLead != realLead {
		e.start -= len(realLead)
		line := lineStart(b.text, e.start)
		core = b.lead(isLead, line) + core
		b.sure = b.sure && (wasLead == realLead || line && newlines(isLead+wasLead) == 0)
	}
	wasTail, isTail, realTail := trailingSpace(b.q.old), b.newTail, b.textTail()
	if isTail != wasTail && isTail != realTail {
		if wasTail == realTail {
			e.end += len(realTail)
			core += b.fresh(isTail)
		} else {
			b.sure = b.sure && newlines(isTail) == newlines(wasTail)
		}
	}
	e.text = core
	return e, b.sure
}

// textLead is the white space of the text that stands for what the old block
// begins with: as many lines as quoted.
func (b *block) textLead() string {
	if line := before(b.text, b.first); leadingSpace(b.q.old) == "" {
		if strings.HasSuffix(b.q.anchor, "\n") && strings.TrimSpace(line) == "" {
			return line // quoted without its indentation
		}
		return "" // what there is belongs to the anchor
	}
	run := trailingSpace(b.text[:b.first])
	if b.before < b.first {
		run = b.text[max(b.before, b.first-len(run)):b.first]
	}
	skip := newlines(run) - newlines(leadingSpace(b.q.old))
	for ; skip > 0; skip-- {
		run = run[strings.IndexByte(run, '\n')+1:]
	}
	return run
}

// textTail is the white space that stands for what the old block ends with.
func (b *block) textTail() string {
	return b.text[b.last:absorb(b.text, b.last, trailingSpace(b.q.old))]
}
