package stalemate

import (
	"fmt"
	"strings"

	"brenner"
	"brenner/anchor"

	"github.com/go-json-experiment/json/jsontext"
)

// Mechanic is the name the mechanical arbiter signs with.
const Mechanic brenner.ActorName = "mechanical-arbiter"

// Arbitrate drafts a verdict for a stalemate about a patch by replaying it: it
// takes the patch and the text it names from the evidence, applies one to the
// other and reads the explainer's findings. What it cannot replay it does not
// judge: with a placeholder for evidence, or without patch or text, the outcome
// is insufficient_evidence and the verdict says what is missing.
func Arbitrate(s Stalemate) Verdict {
	a := arbiter{s: s, v: Verdict{Arbiter: Mechanic, Round: s.Round}}
	if !a.gather() {
		return a.insufficient()
	}
	x := anchor.Explain(a.patch, a.base, a.elsewhere)
	if x.Code == "" {
		return a.notReproducible(x)
	}
	return a.decide(x)
}

type arbiter struct {
	s         Stalemate
	v         Verdict
	patch     anchor.Patch
	base      anchor.Text
	elsewhere anchor.Elsewhere
	// used and lacking are the evidence the replay rests on, and what it lacks.
	used    []string
	lacking []string
}

func (a *arbiter) step(format string, args ...any) {
	a.v.Explanation = append(a.v.Explanation, fmt.Sprintf(format, args...))
}

// gather finds a patch and the text it was made for.
func (a *arbiter) gather() bool {
	for _, e := range a.s.Missing() {
		a.lacking = append(a.lacking, e.ID)
		a.step("%s is a placeholder, not content: %q", e.name(), clip(e.Content))
	}
	found := false
	for _, e := range a.s.Evidence {
		if e.Kind != KindPatch || e.Missing {
			continue
		}
		p, err := anchor.Parse([]byte(e.Content))
		if err != nil {
			a.step("%s is not a patch that can be read: %v", e.name(), err)
			continue
		}
		a.patch, found = p, true
		a.used = append(a.used, e.ID)
		break
	}
	if !found {
		a.step("no patch is attached, so nothing can be replayed")
		return false
	}
	return a.findBase()
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
		named := a.patch.Path == "" || e.Path == a.patch.Path
		exact := t.Sum() == a.patch.Base
		if named && (chosen < 0 || exact) {
			chosen = i
		}
		switch {
		case e.Path == a.patch.Path:
			a.elsewhere.Older = append(a.elsewhere.Older, anchor.Named{Name: e.ID, Text: t})
		default:
			a.elsewhere.Others = append(a.elsewhere.Others, anchor.Named{Name: e.Path, Text: t})
		}
	}
	if chosen < 0 {
		a.step("the text of %q is not attached, so the patch cannot be replayed", a.patch.Path)
		return false
	}
	a.base = texts[chosen]
	a.used = append(a.used, a.s.Evidence[chosen].ID)
	return true
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

// decide compares every hypothesis that names a cause with the one found.
func (a *arbiter) decide(x anchor.Explanation) Verdict {
	a.step("the patch was applied to the text attached and refused: %s, %s", x.Code, x.Message)
	for _, f := range x.Findings {
		a.step("%s: %s (%s)", f.Pointer, f.Message, f.Cause)
		if f.Difference != nil {
			a.step("the first difference is at line %d, column %d: the text has %s, the patch has %s",
				f.Difference.Line, f.Difference.Column, f.Difference.TextChar, f.Difference.PatchChar)
		}
	}
	a.v.Outcome = OtherCause
	a.v.RootCause = rootCause(x)
	for _, h := range a.s.All() {
		switch {
		case h.Cause == "":
			a.rule(h, Undetermined, "it names no cause that can be replayed", a.used)
		case h.Cause == string(x.Cause()):
			a.v.Outcome = HypothesisUpheld
			a.rule(h, Upheld, "replaying the patch shows exactly this cause", a.used)
		default:
			a.rule(h, Refuted, fmt.Sprintf("replaying the patch shows %s instead", x.Cause()), a.used)
		}
	}
	a.remedy(x)
	return a.v
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
		a.v.Verification = "`brenner patch check` accepts the new patch"
		return
	}
	a.v.Remedy = "apply the corrected patch attached; it has been applied to the text without a refusal"
	a.v.Patch = jsontext.Value(x.Corrected.JSON())
	a.v.Verification = "`brenner patch check` accepts the corrected patch"
	if x.Corrected.Result != "" {
		a.v.Verification = fmt.Sprintf("the result has SHA-256 %s", x.Corrected.Result)
	}
}

func (a *arbiter) rule(h Hypothesis, r Ruling, reason string, cite []string) {
	a.v.Findings = append(a.v.Findings, Finding{Hypothesis: h.ID, Ruling: r, Reason: reason, Evidence: cite})
}
