package anchor

import (
	"errors"
	"fmt"

	"brenner"
)

// Rebased is a patch carried over to a newer text.
type Rebased struct {
	// Patch does to the newer text what the original did to its base.
	Patch Patch
	// Result is the newer text with the patch applied.
	Result Text
	// Carried counts the changes that are new to the newer text, Already those
	// that it has made as well. With none carried there is nothing to apply.
	Carried, Already int
}

// Conflicts is attached to REBASE_CONFLICT, and to BASE_MISMATCH inside a
// Mismatch, where the base text was there to compare with. Count counts all;
// Conflicts has the first few, clipped.
type Conflicts struct {
	Count     int        `json:"count"`
	Conflicts []Conflict `json:"conflicts"`
}

// Rebase carries a patch over to a newer text (P13). With the base text it
// merges three ways, as git does: what both sides made alike is there already,
// what they made differently of the same lines is a conflict, and nothing is
// tried after that. Without the base text the patch is carried only if every
// anchor with its old block still fits in exactly one place and nothing could
// be doubled or joined by that.
//
// Errors: INVALID_PATCH, BASE_UNKNOWN (there is no newer text),
// BASE_MISMATCH (base is not the base of p), REBASE_CONFLICT (carries
// Conflicts), and whatever Apply says of p and its own base.
func Rebase(p Patch, theirs Text, base *Text) (Rebased, error) {
	if err := p.check(); err != nil {
		return Rebased{}, err
	}
	if theirs.absent {
		return Rebased{}, checkPresent(p, theirs)
	}
	switch {
	case theirs.Sum() == p.Base:
		res, err := applyHere(p, theirs)
		return Rebased{Patch: p, Result: res.Text, Carried: operations(p)}, err
	case base == nil:
		return carryBlind(p, theirs)
	}
	return carryOver(p, theirs, *base)
}

func operations(p Patch) (n int) {
	for _, g := range p.Groups {
		n += len(g.Ops)
	}
	return n
}

// carryOver merges what p makes of its base with the newer text.
func carryOver(p Patch, theirs, base Text) (Rebased, error) {
	if sum := base.Sum(); sum != p.Base {
		return Rebased{}, brenner.Errorf(brenner.CodeBaseMismatch, "the base text given has checksum %.12s…, the patch was made for %.12s…", sum, p.Base).
			WithHint("give the text the patch was made for").WithDetails(Mismatch{Expected: p.Base, Actual: sum})
	}
	ours, err := applyHere(p, base)
	if err != nil {
		return Rebased{}, err
	}
	m := mergeTexts(base.s, ours.Text.s, theirs.s)
	if len(m.conflicts) > 0 {
		return Rebased{}, conflicting(m.conflicts)
	}
	if len(m.text) > brenner.MaxPatchTextBytes {
		return Rebased{}, tooLong(len(m.text))
	}
	out := Rebased{Carried: m.carried, Already: m.already}
	edits := lineEdits(theirs.s, m.text)
	out.Result = theirs.splice(edits)
	if q, ok := refit(p, theirs, out.Result); ok {
		out.Patch = q
		return out, nil
	}
	out.Patch, err = compose(theirs, out.Result, refine(theirs.s, edits), p.Path)
	out.Patch.Meta = p.Meta
	return out, err
}

// conflicting refuses with the lines that both sides changed.
func conflicting(all []Conflict) error {
	const most, longest, inLine = 10, 2000, 160
	shown := make([]Conflict, 0, min(len(all), most))
	var lines []brenner.Diagnostic
	for _, c := range all[:min(len(all), most)] {
		lines = append(lines, brenner.Diagnostic{
			Code: brenner.CodeRebaseConflict, Severity: brenner.SeverityError,
			Message: fmt.Sprintf("line %d: base %q, ours %q, theirs %q", c.Line, brenner.Clip(c.Base, inLine), brenner.Clip(c.Ours, inLine), brenner.Clip(c.Theirs, inLine)),
		})
		c.Base, c.Ours, c.Theirs = brenner.Clip(c.Base, longest), brenner.Clip(c.Ours, longest), brenner.Clip(c.Theirs, longest)
		shown = append(shown, c)
	}
	where := fmt.Sprintf("at line %d", all[0].Line)
	if len(all) > 1 {
		where = fmt.Sprintf("in %d places, first %s", len(all), where)
	}
	return brenner.Errorf(brenner.CodeRebaseConflict, "the patch and the newer text change the same lines differently, %s", where).
		WithHint("look at both changes and make yours again on the newer text").
		WithDiagnostics(lines).WithDetails(Conflicts{Count: len(all), Conflicts: shown})
}

// conflictsOf gives the conflicts that a refusal carries, if any.
func conflictsOf(err error) *Conflicts {
	var e *brenner.Error
	if errors.As(err, &e) {
		if c, ok := e.Details.(Conflicts); ok {
			return &c
		}
	}
	return nil
}

// refit keeps the operations of p, if they find their one place in the newer
// text and make the wanted result of it.
func refit(p Patch, theirs, want Text) (Patch, bool) {
	if _, entire := p.entire(); entire {
		return Patch{}, false
	}
	q := p.anywhere()
	edits, misses := resolve(q, theirs.s)
	if len(misses) > 0 || len(edits) == 0 || theirs.splice(edits).s != want.s {
		return Patch{}, false
	}
	q.Base, q.Result = theirs.Sum(), want.Sum()
	return q, true
}

// anywhere forgets which occurrence each operation names: counts may have
// moved, and only a unique fit will do.
func (p Patch) anywhere() Patch {
	q := p.clone()
	for i := range q.Groups {
		for j := range q.Groups[i].Ops {
			q.Groups[i].Ops[j].Index = 0
		}
	}
	return q
}

// carryBlind asks every operation to find its one place in the newer text. What
// else happened between the base and that text cannot be known, so whatever
// could come out doubled or joined is refused.
func carryBlind(p Patch, theirs Text) (Rebased, error) {
	if _, entire := p.entire(); entire {
		return Rebased{}, blindConflict("the patch replaces the whole text, and the text has changed")
	}
	q := p.anywhere()
	edits, misses := resolve(q, theirs.s)
	if len(misses) > 0 {
		message, _ := misses[0].message(q)
		return Rebased{}, blindConflict("%s", message).At(misses[0].ref.pointer())
	}
	if len(edits)*len(theirs.s) > mostEffort {
		return Rebased{}, blindConflict("there are too many operations to make sure of each in a text of %d bytes that has changed", len(theirs.s))
	}
	for _, e := range edits {
		a := q.Groups[e.from.group].Anchor
		if a.Text != "" && len(newLocator(theirs.s).occurrences(a, 2)) > 1 {
			// The other one may be where the change belongs, or was made already.
			return Rebased{}, blindConflict("the newer text has anchor %s more than once", quote(a.Text)).At(e.from.pointer())
		}
		if quoted := a.Text + theirs.s[e.start:e.end]; quoted != "" && !distinctive(quoted) {
			return Rebased{}, blindConflict("the operation quotes too little to be sure of its place in a text that has changed").At(e.from.pointer())
		}
		if why := risk(theirs.s, e); why != "" {
			return Rebased{}, blindConflict("%s", why).At(e.from.pointer())
		}
	}
	result := theirs.splice(edits)
	q.Base, q.Result = theirs.Sum(), result.Sum()
	return Rebased{Patch: q, Result: result, Carried: len(edits)}, nil
}

func blindConflict(format string, args ...any) *brenner.Error {
	return brenner.Errorf(brenner.CodeRebaseConflict, format, args...).
		WithHint("give the text the patch was made for, so that both changes can be merged, or make the change again on the newer text")
}
