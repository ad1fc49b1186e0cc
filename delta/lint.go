package delta

import (
	"fmt"
	"strconv"
	"strings"

	"brenner"
)

// postconditions reports what the protocol asks of an artifact as a whole and
// this one lacks (D17).
func (a *Artifact) postconditions() []brenner.Diagnostic {
	var found []brenner.Diagnostic
	for s := range schemas {
		schema, have := &schemas[s], &a.sections[s]
		if have.live < schema.Minimum {
			found = append(found, brenner.Diagnostic{
				Code: brenner.CodeBelowMinimum, Severity: brenner.SeverityWarning, Subject: string(schema.Section),
				Message: fmt.Sprintf("%s has %d live items, the protocol asks for %d", schema.Section, have.live, schema.Minimum),
				Hint:    fmt.Sprintf("add %d more", schema.Minimum-have.live),
			})
		}
	}
	if a.sections[atHypotheses].special == 0 {
		found = append(found, brenner.Diagnostic{
			Code: brenner.CodeNoThirdAlternative, Severity: brenner.SeverityWarning, Subject: string(HypothesisSlate),
			Message: "no live hypothesis is a third alternative",
			Hint:    "add one with third_alternative true: how could all the others be wrong?",
		})
	}
	if a.sections[atAssumptions].special == 0 {
		found = append(found, brenner.Diagnostic{
			Code: brenner.CodeNoScaleCheck, Severity: brenner.SeverityWarning, Subject: string(AssumptionLedger),
			Message: "no live assumption is a scale check",
			Hint:    "add one with scale_check true and its calculation",
		})
	}
	return found
}

// Lint judges an artifact by every rule of its sections (D21). Errors are what
// needs a person, warnings what the protocol asks for, infos what could be
// better.
func Lint(a *Artifact) []brenner.Diagnostic {
	l := &linter{artifact: a}
	l.found = append(l.found, a.postconditions()...)
	l.thread()
	for s := range a.sections {
		for _, it := range a.sections[s].list {
			l.conflicts(it)
			if it.live() {
				l.item(it)
			}
		}
	}
	if a.sections[atCritiques].special == 0 {
		l.report(brenner.CodeNoRealThirdAlternative, brenner.SeverityWarning, string(AdversarialCritique),
			"no live critique offers a real third alternative", "add one with real_third_alternative true and a proposed_alternative")
	}
	if schema := &schemas[atHypotheses]; a.sections[atHypotheses].live > schema.Limit {
		l.report(brenner.CodeSectionLimitExceeded, brenner.SeverityError, string(HypothesisSlate),
			fmt.Sprintf("%d live hypotheses, at most %d are allowed", a.sections[atHypotheses].live, schema.Limit), "kill what was superseded")
	}
	l.found = append(l.found, CheckReferences(a, nil)...)
	return l.found
}

// LintJSON judges any JSON as an artifact: what cannot be read as one gives an
// error as its only finding.
func LintJSON(raw []byte) []brenner.Diagnostic {
	a, err := ReadArtifact(raw)
	if err == nil {
		return Lint(a)
	}
	e := asInvalid(err)
	return []brenner.Diagnostic{{Code: e.Code, Severity: brenner.SeverityError, Message: e.Message, Hint: e.Hint, Pointer: e.Pointer}}
}

// LintDeltas judges deltas before they are sent: what ReadDeltas makes of the
// input, and every rule that needs no artifact. It reports LIMIT_EXCEEDED as
// ReadDeltas does.
func LintDeltas(input []byte, env Envelope) ([]brenner.Diagnostic, error) {
	x, err := ReadDeltas(input, env)
	if err != nil {
		return nil, err
	}
	found := x.Diagnostics()
	for i := range x.Entries {
		e := &x.Entries[i]
		err := error(e.Invalid)
		if e.Invalid == nil {
			var warnings []brenner.Diagnostic
			warnings, err = Check(e.Delta)
			found = append(found, warnings...)
		}
		if err != nil {
			f := asInvalid(err)
			found = append(found, brenner.Diagnostic{
				Code: f.Code, Severity: brenner.SeverityError, Subject: e.Delta.DeltaID, Message: f.Message, Hint: f.Hint, Pointer: f.Pointer,
			})
		}
	}
	return found, nil
}

type linter struct {
	artifact *Artifact
	found    []brenner.Diagnostic
}

func (l *linter) report(code brenner.Code, severity brenner.Severity, subject, message, hint string) {
	l.found = append(l.found, brenner.Diagnostic{Code: code, Severity: severity, Subject: subject, Message: message, Hint: hint})
}

func (l *linter) thread() {
	rt, ok := l.artifact.Item("RT")
	if !ok || strings.TrimSpace(rt.Text("statement")) == "" {
		l.report(brenner.CodeThreadEmpty, brenner.SeverityWarning, "RT", "the research thread has no statement", "EDIT RT with a statement")
	}
}

func (l *linter) conflicts(it *Item) {
	for _, c := range it.conflicts() {
		l.found = append(l.found, c.diagnostic())
	}
}

func (l *linter) item(it *Item) {
	id := string(it.ID())
	for i := range it.fields {
		if it.fields[i].field == unknownField {
			l.report(brenner.CodeUnknownField, brenner.SeverityInfo, id,
				id+" has the unknown field "+strconv.Quote(clip(it.fields[i].name)), "move its content to a field of the section")
		}
	}
	switch it.section {
	case atHypotheses:
		if len(it.List("anchors")) == 0 {
			l.report(brenner.CodeNoAnchors, brenner.SeverityInfo, id, id+" has no anchors and counts as inference", "EDIT it with anchors")
		}
	case atPredictions:
		l.discriminative(it)
	case atTests:
		l.test(it)
	}
}

// discriminative wants at least two distinct outcomes among live hypotheses.
func (l *linter) discriminative(it *Item) {
	distinct := map[string]bool{}
	for _, p := range it.Pairs("predictions") {
		if outcome := l.artifact.Prediction(it, p.Key); outcome != NotApplicable {
			distinct[strings.ToLower(strings.TrimSpace(outcome))] = true
		}
	}
	if len(distinct) < 2 {
		id := string(it.ID())
		l.report(brenner.CodeNotDiscriminative, brenner.SeverityWarning, id,
			id+" does not tell the live hypotheses apart", "give it at least two distinct outcomes, or KILL it")
	}
}

func (l *linter) test(it *Item) {
	id := string(it.ID())
	if strings.TrimSpace(it.Text("potency_check")) == "" {
		l.report(brenner.CodeNoPotencyCheck, brenner.SeverityWarning, id,
			id+" has no potency check", "EDIT it with potency_check: what shows that the test could have worked?")
	}
	if len(it.Pairs("score")) < len(scoreParts) {
		l.report(brenner.CodeNoScore, brenner.SeverityInfo, id,
			id+" is ranked on an incomplete score", "EDIT it with score: "+strings.Join(scoreParts, ", ")+", 0 to 3 each")
	}
}
