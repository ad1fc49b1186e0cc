package anchor

import (
	"slices"
	"strings"

	"brenner"
)

// Rebase makes the patch that does to theirs what p does to its base. With the
// base text it merges three ways: what p changes must not touch what changed
// between base and theirs. Without it, or when that merge is not clean, every
// anchor with its old block must still fit in exactly one place.
//
// Errors: INVALID_PATCH, BASE_UNKNOWN (there is no newer text),
// BASE_MISMATCH (base is not the base of p), REBASE_CONFLICT, and whatever
// Apply says of p and its own base.
func Rebase(p Patch, theirs Text, base *Text) (Patch, error) {
	if err := p.check(); err != nil {
		return Patch{}, err
	}
	if theirs.absent {
		return Patch{}, checkPresent(p, theirs)
	}
	if theirs.Sum() == p.Base {
		return p, nil
	}
	if base != nil {
		rebased, err := merge(p, theirs, *base)
		if err == nil || brenner.CodeOf(err) != brenner.CodeRebaseConflict {
			return rebased, err
		}
	}
	return refit(p, theirs)
}

// merge carries the edits of p over to theirs through the base.
func merge(p Patch, theirs, base Text) (Patch, error) {
	if sum := base.Sum(); sum != p.Base {
		return Patch{}, brenner.Errorf(brenner.CodeBaseMismatch, "the base text given has checksum %.12s…, the patch was made for %.12s…", sum, p.Base).
			WithHint("give the text the patch was made for").WithDetails(Mismatch{Expected: p.Base, Actual: sum})
	}
	res, err := applyHere(p, base)
	if err != nil {
		return Patch{}, err
	}
	mine, _ := resolve(p, base.s)
	if _, entire := p.entire(); entire {
		mine = lineEdits(base.s, res.Text.s)
	}
	edits, ok := carry(mine, lineEdits(base.s, theirs.s), base.s)
	if !ok {
		return Patch{}, rebaseConflict("the patch and the newer text change the same lines")
	}
	return finish(p, theirs, theirs.splice(edits), edits)
}

// carry moves my edits of base to the text their edits lead to. It fails if the
// two meet, unless they are the same edit, which is then done already.
func carry(mine, their []edit, base string) ([]edit, bool) {
	var out []edit
	shift := 0
	for _, e := range mine {
		for len(their) > 0 && before(their[0], e) {
			shift += len(their[0].text) - (their[0].end - their[0].start)
			their = their[1:]
		}
		if len(their) > 0 && !before(e, their[0]) {
			if sameChange(e, their[0], base) {
				continue
			}
			return nil, false
		}
		out = append(out, edit{start: e.start + shift, end: e.end + shift, text: e.text, from: e.from})
	}
	return out, true
}

// before says that a ends before b begins. Replacements may stand side by side;
// an insertion may not touch another edit, for its place would be a guess.
func before(a, b edit) bool {
	if a.start == a.end || b.start == b.end {
		return a.end < b.start
	}
	return a.end <= b.start
}

// sameChange says whether their edit, which covers whole lines, does exactly
// what mine does.
func sameChange(mine, their edit, base string) bool {
	if mine.start < their.start || mine.end > their.end {
		return false
	}
	return base[their.start:mine.start]+mine.text+base[mine.end:their.end] == their.text
}

// refit asks every operation to find its one place in the newer text.
func refit(p Patch, theirs Text) (Patch, error) {
	if _, entire := p.entire(); entire {
		return Patch{}, rebaseConflict("the patch replaces the whole text, and the text has changed").
			WithHint("give the text it was made for with --base")
	}
	q := p.clone()
	for i := range q.Groups {
		for j := range q.Groups[i].Ops {
			q.Groups[i].Ops[j].Index = 0 // counts may have moved; only a unique fit will do
		}
	}
	edits, misses := resolve(q, theirs.s)
	if len(misses) > 0 {
		message, _ := misses[0].message(q)
		return Patch{}, rebaseConflict("%s", message).At(misses[0].ref.pointer())
	}
	if i := slices.IndexFunc(edits, func(e edit) bool { return alreadyThere(theirs.s, e) }); i >= 0 {
		return Patch{}, rebaseConflict("the new block is there already").
			WithHint("the patch seems to have been applied before").At(edits[i].from.pointer())
	}
	q.Base = theirs.Sum()
	q.Result = theirs.splice(edits).Sum()
	return q, nil
}

// alreadyThere says that an edit which only adds text would add it twice.
func alreadyThere(text string, e edit) bool {
	old := text[e.start:e.end]
	return len(e.text) > len(old) && strings.HasPrefix(e.text, old) && strings.HasPrefix(text[e.start:], e.text)
}

// finish writes the carried edits as a patch, keeping the operations of p where
// they still say the same.
func finish(p Patch, theirs, result Text, edits []edit) (Patch, error) {
	if q, err := refit(p, theirs); err == nil && q.Result == result.Sum() {
		return q, nil
	}
	q, err := compose(theirs, result, edits, p.Path)
	q.Meta = p.Meta
	return q, err
}

func rebaseConflict(format string, args ...any) *brenner.Error {
	return brenner.Errorf(brenner.CodeRebaseConflict, format, args...).
		WithHint("make the change again on the newer text")
}
