package anchor

import (
	"slices"
	"strings"

	"brenner/internal/linediff"
)

// A block whose quotation is not quite the text is mended by a three-way merge
// of its own: from the old block as it was quoted, the author went to the new
// block, and the quotation's damage is the way to the text as it is. What the
// author kept is taken from the text; what the author wrote is taken from the
// new block, with the same damage undone where it can be seen there. Wherever
// the two ways say different things of one place, two repairs are possible, and
// the merge is not sure.

// token is something visible, and the white space before it.
type token struct {
	gap  string
	text string // as it is spelled
	seen string // as the lens sees it
}

// tokens cuts a text at the given places of its folded form.
func tokens(s string, f *folded, cuts []int) (list []token, tail string) {
	at := 0
	for i := 1; i < len(cuts); i++ {
		start, ok := f.start(cuts[i-1])
		end, ok2 := f.end(cuts[i])
		if !ok || !ok2 {
			continue // inside a character that stands for several
		}
		list = append(list, token{gap: s[at:start], text: s[start:end], seen: f.text[cuts[i-1]:cuts[i]]})
		at = end
	}
	return list, s[at:]
}

// cutsOf gives the places of a folded text where a word or a space of the
// original begins or ends.
func cutsOf(s string, f *folded) []int {
	cuts := []int{0, len(f.text)}
	at := 0
	for _, w := range splitWords(s) {
		at += len(w)
		i, _ := f.index(at)
		if _, whole := f.start(i); whole {
			cuts = append(cuts, i)
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// weaver merges one block.
type weaver struct {
	// old and actual have the same tokens, as quoted and as they are in the
	// text; kept maps each new token to the old one it stands for, or -1.
	old, actual, new []token
	kept             []int
	// odd undoes what the quotation has and the text has not, character by
	// character; indents and spaces do so for white space.
	odd     func(string) (string, bool)
	indents indents
	spaces  spaces
	sure    bool
}

// weave gives the new block as it should read in the text, from its first
// visible character to its last; sure is false where that is one of several
// possibilities.
func (w *weaver) weave() (text string, sure bool) {
	w.align()
	w.sure = true
	w.gatherEvidence()
	var b strings.Builder
	for j := range w.new {
		if j > 0 {
			b.WriteString(w.gap(j))
		}
		b.WriteString(w.spelling(j))
	}
	return b.String(), w.sure
}

// align finds which new tokens were kept from the old ones.
func (w *weaver) align() {
	w.kept = w.kept[:0]
	at := 0
	keep := func(to int) {
		for ; at < to; at++ {
			w.kept = append(w.kept, at)
		}
	}
	for _, c := range linediff.Compare(seen(w.old), seen(w.new)) {
		keep(c.OldLo)
		for range c.NewHi - c.NewLo {
			w.kept = append(w.kept, -1)
		}
		at = c.OldHi
	}
	keep(len(w.old))
}

func seen(list []token) []string {
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = t.seen
	}
	return out
}

// doubt notes that something could as well be otherwise.
func (w *weaver) doubt(s string, sure bool) string {
	w.sure = w.sure && sure
	return s
}

// spelling says how a new token is spelled in the text.
func (w *weaver) spelling(j int) string {
	is := w.new[j].text
	i := w.kept[j]
	if i < 0 {
		return w.doubt(w.odd(is))
	}
	was, real := w.old[i].text, w.actual[i].text
	switch {
	case is == was || is == real:
		return real
	case was == real:
		return w.doubt(w.odd(is))
	}
	return w.doubt(real, false)
}

// role is a gap of the old block that a gap of the new one stands for.
type role struct{ was, real string }

// roles lists them for the gap before a new token: that before the old token it
// was, and that behind the old token the one before it was.
func (w *weaver) roles(j int) (list []role) {
	if i := w.kept[j]; i > 0 {
		list = append(list, role{w.old[i].gap, w.actual[i].gap})
	}
	if i := w.kept[j-1]; i >= 0 && i+1 < len(w.old) && w.kept[j] != i+1 {
		list = append(list, role{w.old[i+1].gap, w.actual[i+1].gap})
	}
	return list
}

// gatherEvidence looks where quotation and text differ in white space, and
// whether the new block goes with one or with the other.
func (w *weaver) gatherEvidence() {
	for j := 1; j < len(w.new); j++ {
		for _, r := range w.roles(j) {
			w.indents.witness(w.new[j].gap, r.was, r.real)
		}
	}
}

// gap gives the white space before a new token.
func (w *weaver) gap(j int) string {
	is := w.new[j].gap
	roles := w.roles(j)
	var answers []string
	for _, r := range roles {
		if is == r.was || is == r.real {
			answers = append(answers, r.real)
		}
		if is == r.was && r.was != r.real && w.indents.likeText > 0 {
			w.sure = false // elsewhere the new block goes with the text
		}
	}
	if len(answers) > 0 {
		same := !slices.ContainsFunc(answers, func(a string) bool { return a != answers[0] })
		return w.doubt(answers[0], same)
	}
	return w.fresh(is)
}

// fresh gives white space that only the new block has.
func (w *weaver) fresh(is string) string {
	is = w.doubt(w.odd(is))
	line := strings.LastIndexByte(is, '\n') + 1
	if line == 0 {
		return w.doubt(w.spaces.undo(is, w.indents))
	}
	indent := w.doubt(w.indents.undo(is[line:]))
	return is[:line] + indent
}

// spaces is what the quotation made of white space inside lines.
type spaces struct{ was, real []string }

func (s *spaces) learn(was, real string) {
	if strings.Contains(was+real, "\n") {
		return
	}
	s.was, s.real = append(s.was, was), append(s.real, real)
}

// undo gives what white space inside a line, written by the author, stands for.
// Where the quotation got such space wrong and the new block may have it wrong
// too, nobody can tell, unless the mistake was always the same.
func (s spaces) undo(is string, in indents) (string, bool) {
	damaged, to, known, same := false, is, false, true
	for i, was := range s.was {
		damaged = damaged || was != s.real[i]
		if was != is {
			continue
		}
		same = same && (!known || s.real[i] == to)
		to, known = s.real[i], true
	}
	switch {
	case !damaged || in.clean():
		return is, true
	case known && same && in.tainted():
		return to, true
	}
	return is, known && same && to == is
}
