package stalemate

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"brenner"
	"brenner/anchor"

	"github.com/go-json-experiment/json/jsontext"
)

// Mechanic is the name the mechanical arbiter signs with.
const Mechanic brenner.ActorName = "mechanical-arbiter"

// Arbitrate drafts a verdict for a stalemate about a patch by replaying it: it
// takes the patch, in any format that is read, and the text it names from the
// evidence, applies one to the other and reads the explainer's findings. A
// hypothesis in the parties' own words is tested against the cause found as far
// as it speaks of one that can be tested. What it cannot replay it does not
// judge: with a placeholder for evidence, or without patch or text, the outcome
// is insufficient_evidence and the verdict says what is missing.
func Arbitrate(s Stalemate) Verdict {
	a := arbiter{s: s, v: Verdict{Arbiter: Mechanic, Round: s.Round}}
	found := a.findPatch()
	if a.unread != nil {
		return a.decide(anchor.Explanation{
			Code: a.unread.Code, Message: a.unread.Message,
			Findings: []anchor.Finding{{Pointer: a.unread.Pointer, Code: a.unread.Code, Cause: causeUnreadable, Message: a.unread.Message, Hint: a.unread.Hint}},
		})
	}
	if !found || !a.findBase() {
		return a.insufficient()
	}
	x := a.edit.Explain(a.base, a.elsewhere)
	if x.Code == "" {
		return a.notReproducible(x)
	}
	return a.decide(x)
}

type arbiter struct {
	s         Stalemate
	v         Verdict
	edit      anchor.Edit
	unread    *brenner.Error // why the only patch there is cannot be read
	base      anchor.Text
	elsewhere anchor.Elsewhere
	// used and lacking are the evidence the replay rests on, and what it lacks.
	used    []string
	lacking []string
}

func (a *arbiter) step(format string, args ...any) {
	a.v.Explanation = append(a.v.Explanation, fmt.Sprintf(format, args...))
}

// findPatch finds the patch that the stalemate is about: the first that can be
// read. If there is none but one that cannot, that is the cause.
func (a *arbiter) findPatch() bool {
	for _, e := range a.s.Missing() {
		a.lacking = append(a.lacking, e.ID)
		a.step("%s is a placeholder, not content: %q", e.name(), brenner.Clip(e.Content, 120))
	}
	for _, e := range a.s.Evidence {
		if e.Kind != KindPatch || e.Missing {
			continue
		}
		edits, err := anchor.ReadEdits([]byte(e.Content), anchor.FormatAuto)
		if err == nil && len(edits) > 0 {
			a.edit, a.unread = a.pick(edits), nil
			a.used = []string{e.ID}
			return true
		}
		if refused := (*brenner.Error)(nil); errors.As(err, &refused) && a.unread == nil {
			a.unread, a.used = refused, []string{e.ID}
		}
	}
	if a.unread == nil {
		a.step("no patch is attached, so nothing can be replayed")
	}
	return false
}

// pick takes the change of the file that the stalemate is about.
func (a *arbiter) pick(edits []anchor.Edit) anchor.Edit {
	for _, e := range edits {
		if slices.ContainsFunc(a.s.Evidence, func(ev Evidence) bool { return ev.Kind == KindFileContent && ev.Path == e.Path }) || e.Path == a.s.Target {
			return e
		}
	}
	return edits[0]
}

// findBase prefers the text with the right checksum, then the text of the right
// path; every other text may hold what the patch quotes.
func (a *arbiter) findBase() bool {
	chosen := -1
	texts := make([]anchor.Text, len(a.s.Evidence))
	for i, e := range a.s.Evidence {
		if e.Missing || e.Kind != KindFileContent && e.Kind != KindOlderContent {
			continue
		}
		t, err := anchor.Canonical([]byte(e.Content))
		if err != nil {
			a.step("%s is not text: %v", e.name(), err)
			continue
		}
		if e.Kind == KindOlderContent {
			a.elsewhere.Older = append(a.elsewhere.Older, anchor.Named{Name: e.ID, Text: t})
			continue
		}
		texts[i] = t
		if a.about(e) && (chosen < 0 || t.Sum() == a.edit.Base()) {
			chosen = i
		}
		switch {
		case e.Path == a.edit.Path:
			a.elsewhere.Older = append(a.elsewhere.Older, anchor.Named{Name: e.ID, Text: t})
		default:
			a.elsewhere.Others = append(a.elsewhere.Others, anchor.Named{Name: e.Path, Text: t})
		}
	}
	if chosen < 0 {
		a.step("the text of %q is not attached, so the patch cannot be replayed", a.edit.Path)
		return false
	}
	a.base = texts[chosen]
	a.used = append(a.used, a.s.Evidence[chosen].ID)
	return true
}

// about says that evidence is the text that the patch is for: by its path, or
// because one of them names none.
func (a *arbiter) about(e Evidence) bool {
	return a.edit.Path == "" || e.Path == "" || e.Path == a.edit.Path || path.Base(e.Path) == a.edit.Path
}

// insufficient names what is missing and rules on nothing.
func (a *arbiter) insufficient() Verdict {
	a.v.Outcome = InsufficientEvidence
	a.v.RootCause = "cannot be established: the evidence does not contain what would have to be replayed"
	if len(a.lacking) > 0 {
		a.v.RootCause += "; placeholders instead of content: " + a.names(a.lacking)
	}
	a.v.Remedy = "attach the patch as evidence of kind patch and the text it was made for as file_content, byte for byte"
	a.v.Verification = "raise the stalemate again; raising refuses placeholders"
	cite := a.lacking
	if len(cite) == 0 {
		cite = a.everything()
	}
	for _, h := range a.s.All() {
		a.rule(h, Undetermined, "nothing in the evidence can be replayed to test it", cite)
	}
	return a.v
}

func (a *arbiter) names(ids []string) string {
	var out []string
	for _, e := range a.s.Evidence {
		for _, id := range ids {
			if e.ID == id {
				out = append(out, e.name())
			}
		}
	}
	return strings.Join(out, ", ")
}

func (a *arbiter) everything() (ids []string) {
	for _, e := range a.s.Evidence {
		ids = append(ids, e.ID)
	}
	return ids
}

// notReproducible says that the patch does apply here.
func (a *arbiter) notReproducible(x anchor.Explanation) Verdict {
	a.v.Outcome = NotReproducible
	a.step("the patch was applied to the text attached: %s", x.Outcome)
	a.v.RootCause = "the failure cannot be reproduced from the evidence; patch and text fit together"
	a.v.Remedy = "apply the patch as it is; if it is refused again, attach the text it is refused on"
	a.v.Verification = fmt.Sprintf("the text before the patch has SHA-256 %s", a.base.Sum())
	for _, h := range a.s.All() {
		a.rule(h, Undetermined, "patch and text fit together, so no cause can be tested", a.used)
	}
	return a.v
}

// decide tests every hypothesis against the cause found. What cannot be tested
// stays undetermined, and as long as that might be the true one the outcome is
// not another cause but insufficient evidence (S6).
func (a *arbiter) decide(x anchor.Explanation) Verdict {
	if a.unread == nil {
		a.step("the patch was applied to the text attached and refused: %s, %s", x.Code, x.Message)
	} else {
		a.step("the patch was read and refused before any text was looked at: %s", x.Code)
	}
	for _, f := range x.Findings {
		a.step("%s: %s (%s)", f.Pointer, f.Message, f.Cause)
		if f.Difference != nil {
			a.step("the first difference is at line %d, column %d: the text has %s, the patch has %s",
				f.Difference.Line, f.Difference.Column, f.Difference.TextChar, f.Difference.PatchChar)
		}
	}
	a.v.RootCause = rootCause(x)
	upheld, open := false, false
	for _, h := range a.s.All() {
		ruling, reason := test(claimed(h), x) // of what was not said: undetermined
		a.rule(h, ruling, reason, a.used)
		upheld, open = upheld || ruling == Upheld, open || ruling == Undetermined
	}
	switch {
	case upheld:
		a.v.Outcome = HypothesisUpheld
	case open:
		a.v.Outcome = InsufficientEvidence
	default:
		a.v.Outcome = OtherCause
	}
	a.remedy(x)
	return a.v
}

// test rules on a claim by what the replay has shown.
func test(c claim, x anchor.Explanation) (Ruling, string) {
	found := x.Cause()
	var seen []anchor.Cause
	for _, f := range x.Findings {
		seen = append(seen, f.Cause)
	}
	also := slices.ContainsFunc(c.causes, func(claimed anchor.Cause) bool { return names(seen, claimed) })
	switch {
	case found == "":
		return Undetermined, "the replay is refused too, but shows no cause to compare it with"
	case names(c.causes, found):
		return Upheld, "replaying the patch shows exactly this cause"
	case names(c.denied, found):
		return Refuted, fmt.Sprintf("it excludes %s, and replaying the patch shows just that", found)
	case also:
		return Undetermined, fmt.Sprintf("the replay shows it too, but beside %s, which comes first", found)
	case len(c.causes) > 0 && names(c.hinted.causes, found):
		return Undetermined, fmt.Sprintf("replaying the patch shows %s, and it may speak of that or of %s; its author can name the cause", found, c.causes[0])
	case len(c.causes) > 0:
		return Refuted, fmt.Sprintf("replaying the patch shows %s instead", found)
	case c.faultless && family(found) != anchor.CauseStaleBase && found != anchor.CauseAlreadyApplied:
		return Refuted, fmt.Sprintf("replaying the patch shows a fault of the patch: %s", found)
	}
	if names(c.hinted.causes, found) && len(c.denied) == 0 && !c.faultless {
		return Upheld, "replaying the patch shows the cause it seems to speak of"
	}
	if c.hinted.excludes(found) && !c.foreign {
		return Refuted, fmt.Sprintf("replaying the patch shows %s; it seems to speak of %s", found, c.hinted.causes[0])
	}
	if c.foreign {
		return Undetermined, "it is not in English, and other languages are not read here; its author can name the cause"
	}
	return Undetermined, "it names no cause that can be replayed"
}

func rootCause(x anchor.Explanation) string {
	if len(x.Findings) == 0 {
		return string(x.Code) + ": " + x.Message
	}
	return string(x.Cause()) + ": " + x.Findings[0].Message
}

func (a *arbiter) remedy(x anchor.Explanation) {
	if x.Corrected == nil {
		a.v.Remedy = "make the patch again on the present text"
		if len(x.Findings) > 0 && x.Findings[0].Hint != "" {
			a.v.Remedy += "; " + x.Findings[0].Hint
		}
		a.v.Verification = "a check of the new patch accepts it"
		return
	}
	a.v.Remedy = "apply the corrected patch attached; the result it gives is the one that was promised"
	if x.Sureness != anchor.Proved {
		a.v.Remedy = "look at the corrected patch attached, which is likely but not proved to be what was meant, and apply it"
	}
	a.v.Patch = jsontext.Value(x.Corrected.JSON())
	a.v.Verification = "a check of the corrected patch accepts it"
	if x.Corrected.Result != "" {
		a.v.Verification = fmt.Sprintf("the result has SHA-256 %s", x.Corrected.Result)
	}
}

func (a *arbiter) rule(h Hypothesis, r Ruling, reason string, cite []string) {
	if h.unsaid() {
		r, reason = Undetermined, fmt.Sprintf("%s has not said yet what it holds", h.Author)
	}
	a.v.Findings = append(a.v.Findings, Finding{Hypothesis: h.ID, Ruling: r, Reason: reason, Evidence: cite})
}
