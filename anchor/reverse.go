package anchor

import (
	"slices"
	"strings"

	"brenner"
	"brenner/canon"
)

// Reverse makes the patch that undoes p, given the text that p applies to or
// the text it gives.
//
// Errors: those of Apply; BASE_UNKNOWN where only the result is there and p
// does not hold what it took away (replace_entire_file); INEXPRESSIBLE where
// what p took away had line endings that no patch can bring back.
func Reverse(p Patch, text Text) (Patch, error) {
	res, err := Apply(p, text)
	if err != nil {
		return Patch{}, err
	}
	if res.Outcome == AlreadyApplied {
		return reverseFromResult(p, text)
	}
	edits, _ := resolve(p, text.s)
	undo, back, err := composed(res.Text, text, invert(text.s, edits), p.Path)
	if err != nil {
		return Patch{}, err
	}
	if why := otherSpelling(back, text); why != "" {
		return Patch{}, inexpressible("what the patch took away cannot be brought back as it was: %s", why)
	}
	return undo, nil
}

// invert turns edits of base into edits of the result that undo them.
func invert(base string, edits []edit) []edit {
	out := make([]edit, len(edits))
	shift := 0
	for i, e := range edits {
		start := e.start + shift
		out[i] = edit{start: start, end: start + len(e.text), text: base[e.start:e.end]}
		shift += len(e.text) - (e.end - e.start)
	}
	return out
}

// reverseFromResult undoes a patch when only its result is at hand. Where each
// operation stood is searched for; the base checksum proves the find.
func reverseFromResult(p Patch, result Text) (Patch, error) {
	if _, entire := p.entire(); entire {
		return Patch{}, brenner.Errorf(brenner.CodeBaseUnknown, "the patch replaces the whole text and does not hold the old one, so that its result alone cannot be undone").
			WithHint("give the text it was made for")
	}
	undo, ok := (&undoer{p: p, result: result.s, steps: steps(p)}).search()
	if !ok {
		undo, ok = turnedAround(p, result)
	}
	if !ok {
		return Patch{}, brenner.Errorf(brenner.CodeBaseUnknown, "the text the patch was made for could not be found again from its result").
			WithHint("give the text it was made for")
	}
	return compose(result, result.splice(undo), undo, p.Path)
}

// turnedAround finds the new blocks of a patch by its anchors alone, in any
// order: good for anchors that ignore white space, where none has moved.
func turnedAround(p Patch, result Text) ([]edit, bool) {
	q := p.anywhere()
	for i := range q.Groups {
		for j, op := range q.Groups[i].Ops {
			q.Groups[i].Ops[j] = Op{Kind: ReplaceBlock, Old: op.New, New: op.Old}
		}
	}
	edits, misses := resolve(q, result.s)
	return edits, len(misses) == 0 && result.splice(edits).Sum() == p.Base
}

// step is an operation as the undoer sees it: what stood before it in the base,
// what it took away and what it put there.
type step struct {
	anchor   Anchor
	old, new string
}

// steps lists the operations of a patch in their order. One that chains follows
// the old blocks of those before it.
func steps(p Patch) (out []step) {
	for _, g := range p.Groups {
		chained := ""
		for _, op := range g.Ops {
			a := g.Anchor
			if op.Index == 0 && len(g.Ops) > 1 {
				a.Text += chained
				chained += op.Old
			}
			out = append(out, step{a, op.Old, op.New})
		}
	}
	return out
}

// undoer searches for the places where a patch put its new blocks. It takes the
// operations in the order of the patch, which for patches made by Diff is that
// of the text, and goes back where a place leads nowhere.
type undoer struct {
	p      Patch
	result string
	steps  []step
	// base is the text before the patch, as far as it has been rebuilt; undo
	// are the edits of the result that did that.
	base []byte
	undo []edit
	// budget bounds the work, in bytes looked at.
	budget int
}

func (u *undoer) search() ([]edit, bool) {
	u.budget = 1 << 29
	found := u.place(0, 0)
	return u.undo, found
}

// place finds room for step i and those behind it, at or after a position.
func (u *undoer) place(i, from int) bool {
	if u.budget < 0 {
		return false
	}
	if i == len(u.steps) {
		u.budget -= len(u.base) + len(u.result)
		whole := slices.Concat(u.base, []byte(u.result[from:]))
		return canon.Sum(whole) == u.p.Base
	}
	s := u.steps[i]
	mark, undone := len(u.base), len(u.undo)
	for at := from; ; at++ {
		next, ok := u.candidate(s, from, at)
		if !ok {
			return false
		}
		at = next
		u.budget -= len(s.anchor.Text) + len(s.old) + at - from + 64
		u.base = append(append(u.base, u.result[from:at]...), s.old...)
		u.undo = append(u.undo, edit{start: at, end: at + len(s.new), text: s.old})
		if u.place(i+1, at+len(s.new)) {
			return true
		}
		u.base, u.undo = u.base[:mark], u.undo[:undone]
	}
}

// candidate gives the next position, at or after the given one, where a step's
// new block stands behind its anchor. The anchor may reach back over steps that
// have been undone: it is looked for in the base as rebuilt so far.
func (u *undoer) candidate(s step, from, at int) (int, bool) {
	if s.anchor.Text == "" {
		return 0, from == 0 && at == 0 && len(u.base) == 0 && strings.HasPrefix(u.result, s.new)
	}
	for near := from + len(s.anchor.Text); at < near && at <= len(u.result); at++ {
		if strings.HasPrefix(u.result[at:], s.new) && u.behind(s.anchor.Text, from, at) {
			return at, true
		}
	}
	if at > len(u.result) {
		return 0, false
	}
	i := strings.Index(u.result[at-len(s.anchor.Text):], s.anchor.Text+s.new)
	return at + i, i >= 0
}

// behind says that the rebuilt base, continued with the result up to a
// position, ends with an anchor.
func (u *undoer) behind(anchor string, from, at int) bool {
	fresh := u.result[from:at]
	if len(fresh) >= len(anchor) {
		return strings.HasSuffix(fresh, anchor)
	}
	rest := len(anchor) - len(fresh)
	return anchor[rest:] == fresh && rest <= len(u.base) && string(u.base[len(u.base)-rest:]) == anchor[:rest]
}
