package anchor

import (
	"fmt"
	"strings"
	"unicode"
)

// The mistakes below are about where something stands, not how it is written.

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

// tryNoAnchor: the anchor is empty, which is the start of the text, and the old
// block stands elsewhere.
func (x *explainer) tryNoAnchor(q quotation, _ Op) (repair, bool) {
	if x.loose || q.anchor != "" || strings.TrimSpace(q.old) == "" {
		return repair{}, false
	}
	hits := find(x.base.s, q.old, 2)
	if len(hits) == 0 {
		return repair{}, false
	}
	line, _ := position(x.base.s, hits[0])
	out := repair{finding: Finding{
		Cause:   CauseNotAdjacent,
		Message: fmt.Sprintf("the empty anchor is the start of the text, and the old block stands at line %d", line),
		Hint:    "quote what stands before the old block as anchor",
	}}
	if len(hits) > 1 {
		out.finding.Message += " and elsewhere"
		return out, true
	}
	out.edits, out.sure = at(hits[0], hits[0]+len(q.old), q.new), cleanCut(x.base.s, hits[0], hits[0]+len(q.old))
	return out, true
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

// tryOverlappingAnchor: the anchor quotes part of the old block too.
func (x *explainer) tryOverlappingAnchor(q quotation, _ Op) (repair, bool) {
	tries := 10
	blank := len(leadingSpace(q.old))
	for k := min(len(q.anchor), len(q.old)); k > blank && tries > 0; k-- {
		if !strings.HasSuffix(q.anchor, q.old[:k]) {
			continue
		}
		tries--
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

// tryOldAlone: the old block is there, once, and the anchor is not what stands
// before it.
func (x *explainer) tryOldAlone(q quotation, _ Op) (repair, bool) {
	const enough = 12 // visible characters that make a block its own anchor
	olds := find(x.base.s, q.old, 2)
	if len(olds) != 1 || len(squeeze(q.old).text) < enough || len(find(x.base.s, q.anchor, 1)) > 0 {
		return repair{}, false
	}
	out := x.nearest(q)
	out.finding.Message = "the old block is there, but something else than the anchor stands before it"
	if d := difference(x.base.s, max(0, olds[0]-len(q.anchor)), q.anchor); d != nil {
		out.finding.Difference = d
	}
	out.edits = at(olds[0], olds[0]+len(q.old), q.new)
	out.sure = x.base.Sum() == x.p.Base && cleanCut(x.base.s, olds[0], olds[0]+len(q.old)) &&
		!strings.ContainsAny(q.new, foreignTo(x.base.s[max(0, olds[0]-2*len(q.anchor)):olds[0]], q.anchor))
	return out, true
}

// foreignTo lists the signs that a quotation has and the text it may stand for
// has not: whatever put them there may have put them into the new block too.
func foreignTo(text, quoted string) string {
	return strings.Map(func(r rune) rune {
		if inWord(r) || unicode.IsSpace(r) || strings.ContainsRune(text, r) {
			return -1
		}
		return r
	}, quoted)
}

// cleanCut says that a stretch of text cuts no word.
func cleanCut(text string, start, end int) bool {
	return !cutsWord(text, start) && !cutsWord(text, end)
}
