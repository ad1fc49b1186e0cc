package anchor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"brenner"
)

// Patch ties an edit to the text it was made for: every quotation must stand
// there in exactly one place, or where its line number says. The anchor patch
// that comes of it names that text and its result by checksum, and is treated
// like any other. An edit that is an anchor patch comes back as it is.
//
// Errors: those of Apply; a refusal of a quotation carries an Explanation.
func (e Edit) Patch(base Text) (Patch, error) {
	if e.patch != nil {
		return *e.patch, nil
	}
	if e.whole != nil || base.absent {
		return e.wholePatch(base)
	}
	edits, misses := e.locate(base.s)
	if len(misses) > 0 {
		return Patch{}, e.refuse(base, misses)
	}
	result := base.splice(edits)
	if len(result.s) > brenner.MaxPatchTextBytes {
		return Patch{}, tooLong(len(result.s))
	}
	if result.s == base.s {
		sum := base.Sum()
		return Patch{Path: e.Path, Base: sum, Result: sum}, nil
	}
	return compose(base, result, edits, e.Path)
}

// Named is the edit of a file by another name.
func (e Edit) Named(path string) Edit {
	e.Path = path
	if e.patch != nil {
		p := *e.patch
		p.Path = path
		e.patch = &p
	}
	return e
}

// Base is the checksum of the text that an edit names itself; "" if it names
// none.
func (e Edit) Base() brenner.Digest {
	if e.patch == nil {
		return ""
	}
	return e.patch.Base
}

// Prefixed is the name of a new file as a diff wrote it, if that began with a b/
// that may be a directory; otherwise "".
func (e Edit) Prefixed() string { return e.prefixed }

// NeedsBase says that an edit does not name the text it was made for itself.
func (e Edit) NeedsBase() bool { return e.patch == nil }

// wholePatch writes a file anew, or makes it.
func (e Edit) wholePatch(base Text) (Patch, error) {
	switch {
	case e.whole == nil:
		return Patch{}, checkPresent(Patch{Path: e.Path}, base)
	case e.fresh && !base.absent && base.s != "" && base.s != *e.whole:
		return Patch{}, brenner.Errorf(brenner.CodeBaseMismatch, "%s is to be made, and is there already", printablePath(e.Path)).
			WithHint("change the file instead, or write all of it anew")
	}
	if base.absent && e.spelled {
		return Patch{}, brenner.Errorf(brenner.CodeInexpressible, "%s is to be made with a byte order mark or with lines that do not end in LF, and a patch makes files without", printablePath(e.Path)).
			WithHint("write its lines with LF, or make the file by other means")
	}
	if base.absent {
		return Patch{Path: e.Path, Base: base.Sum(), Groups: []Group{{Ops: []Op{{Kind: ReplaceEntireFile, New: *e.whole}}}}}, nil
	}
	result := Text{s: *e.whole}
	p, _, err := composed(base, result, refine(base.s, lineEdits(base.s, result.s)), e.Path)
	return p, err
}

// misfit is a hunk without a place.
type misfit struct {
	hunk int
	code brenner.Code
	// places are where it fits, when that is more than once.
	places []int
	other  int // the hunk it overlaps
}

// locate finds the place of every hunk.
func (e Edit) locate(base string) ([]edit, []misfit) {
	if e.inTurn {
		return e.locateInTurn(base)
	}
	var edits []edit
	var misses []misfit
	cursor := 0
	for i, h := range e.hunks {
		h = h.marked(base)
		places := h.places(base, cursor)
		if len(places) != 1 && !(h.all && len(places) > 0) {
			misses = append(misses, missOf(i, places))
			continue
		}
		for _, at := range places {
			edits = append(edits, edit{start: at, end: at + h.reach(base, at), text: h.text(base, at), from: opRef{group: i}})
		}
		if e.Format == FormatApplyPatch {
			cursor = edits[len(edits)-1].end
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	for i := 1; i < len(edits); i++ {
		if edits[i].start < edits[i-1].end || edits[i].start == edits[i-1].start {
			misses = append(misses, misfit{hunk: edits[i].from.group, code: brenner.CodeOverlap, other: edits[i-1].from.group})
		}
	}
	return edits, misses
}

// marked is a hunk with the U+FEFF that its strings began with, where it is a character of
// the text and not the byte order mark of the file, which stays as it is.
func (h hunk) marked(text string) hunk {
	switch {
	case h.oldMark && (strings.Contains(text, bom+h.old) || h.old == h.new):
		h.old = bom + h.old
	case h.oldMark || !h.newMark || strings.HasPrefix(text, h.old):
		return h
	}
	if h.newMark {
		h.new = bom + h.new
	}
	return h
}

func missOf(i int, places []int) misfit {
	if len(places) == 0 {
		return misfit{hunk: i, code: brenner.CodeAnchorNotFound}
	}
	return misfit{hunk: i, code: brenner.CodeAnchorAmbiguous, places: places}
}

// locateInTurn lets every hunk see the text as those before it left it, as
// tools that edit a file step by step do. What comes of it are the edits that
// lead from the base to the end.
func (e Edit) locateInTurn(base string) ([]edit, []misfit) {
	text := base
	for i, h := range e.hunks {
		h = h.marked(text)
		places := h.places(text, 0)
		if len(places) != 1 && !(h.all && len(places) > 0) {
			return nil, []misfit{missOf(i, places)}
		}
		if h.count > 0 && h.count != len(places) {
			return nil, []misfit{missOf(i, places)}
		}
		var b strings.Builder
		at := 0
		for _, p := range places {
			if p < at {
				continue // overlapping occurrences are replaced once
			}
			b.WriteString(text[at:p])
			b.WriteString(h.text(text, p))
			at = p + h.reach(text, p)
		}
		b.WriteString(text[at:])
		if text = b.String(); len(text) > brenner.MaxPatchTextBytes {
			return nil, []misfit{{hunk: i, code: brenner.CodeLimitExceeded}}
		}
	}
	if text == base {
		return nil, nil
	}
	if edits, ok := e.atOnce(base, text); ok {
		return edits, nil
	}
	return refine(base, lineEdits(base, text)), nil
}

// atOnce gives the hunks as they were written, if they do not build on each
// other: then what looks odd about one can still be seen (P17).
func (e Edit) atOnce(base, want string) (edits []edit, ok bool) {
	for _, h := range e.hunks {
		h = h.marked(base)
		at := 0
		for _, p := range h.places(base, 0) {
			if p >= at {
				at = p + h.reach(base, p)
				edits = append(edits, edit{start: p, end: at, text: h.text(base, p)})
			}
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	for i := 1; i < len(edits); i++ {
		if edits[i].start < edits[i-1].end || edits[i].start == edits[i-1].start {
			return nil, false
		}
	}
	return edits, Text{s: base}.splice(edits).s == want
}

// most is how many places of one hunk are looked at.
const mostPlaces = 1000

// places lists where a hunk fits at or behind a position.
func (h hunk) places(text string, from int) []int {
	if h.append {
		return []int{len(text)}
	}
	if h.old == "" {
		if text == "" {
			return []int{0}
		}
		return nil
	}
	for _, line := range h.below {
		at, ok := lineBelow(text, line, from)
		if !ok {
			return nil
		}
		from = at
	}
	var out []int
	for _, at := range h.occurrences(text) {
		if at < from {
			continue
		}
		if h.line > 0 && at == lineOffset(text, h.line) {
			return []int{at} // where it should be
		}
		out = append(out, at)
	}
	if len(h.below) > 0 && len(out) > 1 {
		return out[:1] // the next one below the lines named
	}
	return out
}

// occurrences lists where the old text of a hunk stands.
func (h hunk) occurrences(text string) (out []int) {
	old := h.old
	if h.wholeLines {
		old = strings.TrimSuffix(old, "\n")
	}
	for _, at := range find(text, old, mostPlaces) {
		end := at + len(old)
		if h.wholeLines && (!lineStart(text, at) || !lineEnd(text, end)) {
			continue
		}
		if h.wholeLines && !strings.HasSuffix(h.old, "\n") && end != len(text) {
			continue // it ends the file without a newline
		}
		if h.atEnd && strings.TrimSuffix(text[end:], "\n") != "" {
			continue
		}
		out = append(out, at)
	}
	return out
}

// reach is how much of the text a hunk takes at a place: its old text, and the
// newline behind it where the file has one.
func (h hunk) reach(text string, at int) int {
	if !h.wholeLines || h.append || h.old == "" {
		return len(h.old)
	}
	n := len(strings.TrimSuffix(h.old, "\n"))
	if strings.HasSuffix(h.old, "\n") && at+n < len(text) {
		n++
	}
	return n
}

// text is what a hunk puts at a place. Where the file ends without a newline
// and the quotation did not say so, it goes on to.
func (h hunk) text(text string, at int) string {
	switch {
	case h.append && text != "" && !strings.HasSuffix(text, "\n"):
		return "\n" + h.new
	case h.wholeLines && strings.HasSuffix(h.old, "\n") && at+h.reach(text, at) == len(text) && !strings.HasSuffix(text, "\n"):
		return strings.TrimSuffix(h.new, "\n")
	}
	return h.new
}

// lineBelow finds the one line with a text, blanks at its ends not counted, and
// gives the position behind it.
func lineBelow(text, line string, from int) (int, bool) {
	want := strings.TrimSpace(line)
	at, found := 0, -1
	for l := range strings.Lines(text) {
		at += len(l)
		if at <= from || strings.TrimSpace(l) != want {
			continue
		}
		if found >= 0 {
			return 0, false
		}
		found = at
	}
	return found, found >= 0
}

// lineOffset is where a line begins, counted from 1.
func lineOffset(text string, line int) int {
	at := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
	}
	return at
}

// refuse is the first misfit as an error, with an explanation of all.
func (e Edit) refuse(base Text, misses []misfit) error {
	x := e.explain(base, Elsewhere{}, misses)
	err := brenner.Errorf(x.Code, "%s", x.Message).WithDetails(x)
	if len(x.Findings) > 0 {
		err = err.WithHint(x.Findings[0].Message)
	}
	if len(misses) == 1 {
		return err
	}
	for _, m := range misses[:min(len(misses), 20)] {
		err.Diagnostics = append(err.Diagnostics, brenner.Diagnostic{
			Code: m.code, Severity: brenner.SeverityError, Message: e.missMessage(base, m), Subject: e.hunks[m.hunk].name,
		})
	}
	return err
}

func (e Edit) missMessage(base Text, m misfit) string {
	h := e.hunks[m.hunk]
	switch m.code {
	case brenner.CodeOverlap:
		return fmt.Sprintf("%s touches text that %s changes too", h.name, e.hunks[m.other].name)
	case brenner.CodeLimitExceeded:
		return "the result is larger than is allowed"
	case brenner.CodeAnchorAmbiguous:
		if h.count > 0 {
			return fmt.Sprintf("%s expects %d places, the text has %d", h.name, h.count, len(m.places))
		}
		return fmt.Sprintf("%s fits in %d places", h.name, len(m.places))
	case brenner.CodeAnchorNotFound:
		if h.old == "" {
			return fmt.Sprintf("%s quotes nothing, so that its place in a text that is not empty cannot be known", h.name)
		}
	}
	return fmt.Sprintf("%s quotes %s, which is not in the text", h.name, quote(h.old))
}

// Explain says why an edit does not fit a text, as Explain does for patches.
func (e Edit) Explain(base Text, elsewhere Elsewhere) Explanation {
	if e.patch != nil {
		return Explain(*e.patch, base, elsewhere)
	}
	var misses []misfit
	if e.whole == nil && !base.absent {
		_, misses = e.locate(base.s)
	}
	if len(misses) > 0 {
		return e.explain(base, elsewhere, misses)
	}
	p, err := e.Patch(base)
	if err == nil {
		return Explain(p, base, elsewhere)
	}
	var refused *brenner.Error
	if !errors.As(err, &refused) {
		return Explanation{Code: brenner.CodeInternal, Message: "the edit could not be converted"}
	}
	return Explanation{Code: refused.Code, Message: refused.Message}
}

// explain finds the causes of misfits, and a patch that was likely meant.
func (e Edit) explain(base Text, elsewhere Elsewhere, misses []misfit) Explanation {
	x := newExplainer(base, elsewhere)
	x.loose = true
	x.p = Patch{Path: e.Path, Base: base.Sum()}
	for _, h := range e.hunks {
		x.p.Groups = append(x.p.Groups, Group{Ops: []Op{{Kind: ReplaceBlock, Old: h.old, New: h.new}}})
	}
	x.out.Code, x.out.Message = misses[0].code, e.missMessage(base, misses[0])
	var repairs []repair
	for _, m := range misses[:min(len(misses), mostShown)] {
		r := x.misfit(e.hunks[m.hunk], m)
		r.finding.Pointer, r.finding.Code = e.hunks[m.hunk].name, m.code
		x.add(r.finding)
		repairs = append(repairs, r)
	}
	if edits, _ := e.locate(base.s); !e.inTurn && len(misses) <= mostShown || len(e.hunks) == 1 {
		x.mend(edits, repairs)
	}
	return x.out
}

// misfit diagnoses one hunk.
func (x *explainer) misfit(h hunk, m misfit) repair {
	switch {
	case m.code == brenner.CodeOverlap:
		return repair{finding: Finding{Cause: CauseOverlap, Message: "it changes text that another one changes too", Hint: "make one change of the two"}}
	case m.code == brenner.CodeAnchorAmbiguous:
		r := repair{finding: Finding{
			Cause: CauseAmbiguous, PlaceCount: len(m.places), Message: fmt.Sprintf("it fits in %d places", len(m.places)),
			Hint: "quote more of what stands around it",
		}}
		for _, at := range m.places[:min(len(m.places), 20)] {
			line, column := position(x.base.s, at)
			r.finding.Places = append(r.finding.Places, Place{Line: line, Column: column})
		}
		return r
	case h.old == "":
		return repair{finding: Finding{Cause: CauseNoSuchText, Message: "it quotes nothing to find its place by", Hint: "quote the lines before or behind"}}
	}
	r := x.diagnoseQuote(quotation{old: h.old, new: h.new}, Op{Kind: ReplaceBlock, Old: h.old, New: h.new})
	for i := range r.edits {
		r.edits[i].from = opRef{group: m.hunk}
	}
	return r
}
