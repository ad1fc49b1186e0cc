package anchor

import (
	"errors"
	"fmt"
	"strings"

	"brenner"
	"brenner/internal/linediff"
)

// Cause names what the author of a patch most likely got wrong.
type Cause string

// The causes (P11).
const (
	CauseEscapeLevel    Cause = "escape_level"
	CauseLineEndings    Cause = "line_endings"
	CauseWhitespace     Cause = "whitespace"
	CauseInvisible      Cause = "invisible_character"
	CauseConfusable     Cause = "confusable_character"
	CauseNormalForm     Cause = "normal_form"
	CauseLineNumbers    Cause = "line_number_prefix"
	CauseFence          Cause = "fence"
	CauseMarkers        Cause = "diff_markers"
	CauseElided         Cause = "elided_text"
	CauseStaleBase      Cause = "stale_base"
	CauseOlderVersion   Cause = "older_version"
	CauseOtherFile      Cause = "other_file"
	CauseAlreadyApplied Cause = "already_applied"
	CauseAmbiguous      Cause = "ambiguous_anchor"
	CauseWrongIndex     Cause = "wrong_index"
	CauseTruncated      Cause = "truncated_old_block"
	CauseNotAdjacent    Cause = "not_adjacent"
	CauseOldInAnchor    Cause = "old_block_in_anchor"
	CauseOverlap        Cause = "overlap"
	CauseWrongResult    Cause = "wrong_result"
	CauseNoSuchText     Cause = "no_such_text"
)

// Named is a text with the name it goes by: a path, or a version.
type Named struct {
	Name string
	Text Text
}

// Elsewhere is where to look for a quotation that is not in the text itself.
type Elsewhere struct {
	Older  []Named // earlier versions of the same text
	Others []Named // other files
}

// Sureness says how far a correction can be trusted (P11).
type Sureness string

// How sure a correction is.
const (
	// Proved: it gives the result whose checksum the patch promised for this
	// very text.
	Proved Sureness = "proved"
	// Likely: it is the only repair the explainer found, and its result looks
	// right; whether it is what was meant its author must say.
	Likely Sureness = "likely"
)

// Explanation says why a patch was refused. Corrected, where it is set, has
// been applied to the text (or, with CauseOtherFile, to the file it names)
// without a refusal. Where two repairs are possible there is none.
type Explanation struct {
	Outcome   Outcome      `json:"outcome,omitzero"` // set if there is nothing to explain
	Code      brenner.Code `json:"code,omitzero"`
	Message   string       `json:"message,omitzero"`
	Findings  []Finding    `json:"findings,omitempty"`
	Corrected *Patch       `json:"corrected,omitzero"`
	// Sureness is of Corrected; Diff shows what a likely one does to the text.
	Sureness Sureness `json:"sureness,omitzero"`
	Diff     string   `json:"diff,omitzero"`
	// Warnings are about a patch that does apply (P17).
	Warnings []brenner.Diagnostic `json:"warnings,omitempty"`
}

// Cause is the cause of the first finding.
func (x Explanation) Cause() Cause {
	if len(x.Findings) == 0 {
		return ""
	}
	return x.Findings[0].Cause
}

// Finding is the cause of one miss.
type Finding struct {
	Pointer string       `json:"pointer"`
	Code    brenner.Code `json:"code"`
	Cause   Cause        `json:"cause"`
	Message string       `json:"message"`
	Hint    string       `json:"hint,omitzero"`
	// Found names the older version or other file that has the text.
	Found string `json:"found,omitzero"`
	// Difference is where quotation and text part, if they were matched up.
	Difference *Difference `json:"difference,omitzero"`
	// Places lists where an ambiguous operation fits; PlaceCount counts all.
	Places     []Place `json:"places,omitempty"`
	PlaceCount int     `json:"place_count,omitzero"`
}

// Place is one of several places where an operation fits.
type Place struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	// MatchIndex counts the occurrence, from 1; formats that take none have none.
	MatchIndex int `json:"match_index,omitzero"`
	// Anchor is the shortest longer anchor that fits only here; empty if none
	// does and match_index is the only way.
	Anchor string `json:"anchor,omitzero"`
}

// Explain says why a patch does not apply. It never applies a guess: it only
// proposes, says how sure it is, and what it proposes does apply.
func Explain(p Patch, base Text, e Elsewhere) Explanation {
	res, err := Apply(p, base)
	if err == nil {
		return Explanation{Outcome: res.Outcome, Warnings: res.Warnings}
	}
	var refused *brenner.Error
	if !errors.As(err, &refused) {
		panic(err) // Apply returns no other error
	}
	x := newExplainer(base, e)
	x.p = p
	x.out.Code, x.out.Message = refused.Code, refused.Message
	switch refused.Code {
	case brenner.CodeBaseMismatch:
		x.explainBase()
	case brenner.CodeBaseUnknown:
		x.explainAbsent()
	case brenner.CodeResultMismatch:
		x.explainResult()
	case brenner.CodeInvalidPatch, brenner.CodeLimitExceeded:
	default:
		x.explainMisses()
	}
	return x.out
}

// explainer gathers findings about one patch and one text.
type explainer struct {
	p         Patch
	base      Text
	elsewhere Elsewhere
	views     map[*lens]*folded
	indents   map[string]bool
	census    *census
	left      effort
	// loose: quotations have no anchor and may stand anywhere.
	loose bool
	out   Explanation
}

func newExplainer(base Text, e Elsewhere) explainer {
	return explainer{base: base, elsewhere: e, views: map[*lens]*folded{}, left: mostEffort}
}

func (x *explainer) add(f Finding) { x.out.Findings = append(x.out.Findings, f) }

// addBase adds a finding about the base as a whole.
func (x *explainer) addBase(cause Cause, found, format string, args ...any) {
	x.add(Finding{
		Pointer: "/target/base_checksum_sha256", Code: x.out.Code, Cause: cause,
		Message: fmt.Sprintf(format, args...), Found: found,
	})
}

// explainBase deals with a text that is not the one the patch was made for.
func (x *explainer) explainBase() {
	if cause, how := otherForm(x.base, x.p.Base); cause != "" {
		x.addBase(cause, "", "the checksum is that of %s; it must be taken over the canonical text", how)
		q := x.p
		q.Base = x.base.Sum()
		x.propose(q, Likely)
		return
	}
	for _, o := range x.elsewhere.Older {
		if o.Text.Sum() == x.p.Base {
			x.addBase(CauseOlderVersion, o.Name, "the patch was made for an older version, %s", o.Name)
			if r, err := Rebase(x.p, x.base, &o.Text); err == nil {
				x.propose(r.Patch, Likely)
			}
			return
		}
	}
	if x.explainOtherFile() {
		return
	}
	if x.alreadyApplied() {
		x.addBase(CauseAlreadyApplied, "", "every new block is in the text already; the patch seems to have been applied before")
		return
	}
	if r, err := Rebase(x.p, x.base, nil); err == nil {
		x.addBase(CauseStaleBase, "", "the text has changed since, but every operation still fits in exactly one place")
		x.propose(r.Patch, Likely)
		return
	}
	x.explainMisses()
	if len(x.out.Findings) == 0 {
		x.addBase(CauseStaleBase, "", "the patch was made for another text")
	}
}

// explainAbsent deals with a file that is not there.
func (x *explainer) explainAbsent() {
	if !x.explainOtherFile() {
		x.addBase(CauseNoSuchText, "", "there is no such file")
	}
}

// explainOtherFile looks for the file whose checksum the patch names.
func (x *explainer) explainOtherFile() bool {
	for _, o := range x.elsewhere.Others {
		if o.Text.Sum() != x.p.Base || o.Text.absent {
			continue
		}
		x.addBase(CauseOtherFile, o.Name, "the patch was made for another file, %s", o.Name)
		q := x.p
		q.Path = o.Name
		x.proposeFor(q, o.Text, Likely)
		return true
	}
	return false
}

// propose offers a corrected patch if it applies.
func (x *explainer) propose(q Patch, sure Sureness) bool {
	return x.proposeFor(q, x.base, sure)
}

func (x *explainer) proposeFor(q Patch, text Text, sure Sureness) bool {
	res, err := Apply(q, text)
	if err != nil {
		return false
	}
	if x.promised() && res.Text.Sum() == x.p.Result {
		sure = Proved
	}
	x.out.Corrected, x.out.Sureness = &q, sure
	if sure == Likely {
		x.out.Diff = unified(text.s, res.Text.s)
	}
	return true
}

// unified shows what a change does, as a unified diff, bounded.
func unified(before, after string) string {
	const most = 8000
	var b strings.Builder
	for _, h := range linediff.Hunks(before, after) {
		if b.Len() > most {
			b.WriteString("…\n")
			break
		}
		b.WriteString(brenner.Clip(h.String(), most) + "\n")
	}
	return b.String()
}

// otherForm recognises a checksum taken over something else than the canonical
// text: the file's own bytes, other line endings, a byte order mark, a final
// newline too many or too few.
func otherForm(t Text, sum brenner.Digest) (cause Cause, how string) {
	final, trimmed := t.s+"\n", t.s
	if n := len(t.s); n > 0 && t.s[n-1] == '\n' {
		trimmed = t.s[:n-1]
	}
	for _, form := range []struct {
		cause Cause
		how   string
		text  Text
	}{
		{CauseLineEndings, "the file's own bytes", t},
		{CauseLineEndings, "the text with CRLF line endings", Text{s: t.s, every: crlf}},
		{CauseLineEndings, "the text with CR line endings", Text{s: t.s, every: cr}},
		{CauseLineEndings, "the text with CRLF line endings and a byte order mark", Text{s: t.s, every: crlf, bom: true}},
		{CauseInvisible, "the text with a byte order mark (U+FEFF)", Text{s: t.s, bom: true}},
		{CauseLineEndings, "the text with one more newline at its end", Text{s: final}},
		{CauseLineEndings, "the text without the newline at its end", Text{s: trimmed}},
	} {
		if sumOf(form.text) == sum {
			if form.text.bom && form.text.every == lf && form.text.mixed == nil {
				form.cause = CauseInvisible
			}
			return form.cause, form.how
		}
	}
	return "", ""
}

// alreadyApplied says that every operation finds its new block where the old
// one should be.
func (x *explainer) alreadyApplied() bool {
	if content, ok := x.p.entire(); ok {
		return content == x.base.s
	}
	undone := x.p.clone()
	undone.Result = ""
	for i := range undone.Groups {
		for j, op := range undone.Groups[i].Ops {
			if op.New == "" {
				return false // nothing to recognise a deletion by
			}
			undone.Groups[i].Ops[j] = Op{Kind: ReplaceBlock, Old: op.New, New: op.Old}
		}
	}
	edits, misses := resolve(undone, x.base.s)
	return len(misses) == 0 && len(edits) > 0 && x.newBlocksTell(edits)
}

// newBlocksTell guards against new blocks so short that finding them means
// nothing: undoing them must not leave the old blocks where they already are.
func (x *explainer) newBlocksTell(undo []edit) bool {
	for _, e := range undo {
		op := x.p.Groups[e.from.group].Ops[e.from.op]
		shrunk := len(op.New) < len(op.Old) && op.Old[:len(op.New)] == op.New
		if shrunk && len(x.base.s)-e.start >= len(op.Old) && x.base.s[e.start:e.start+len(op.Old)] == op.Old {
			return false
		}
	}
	return true
}
