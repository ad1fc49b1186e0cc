package delta

import (
	"slices"

	"brenner"
)

// findings lists the warnings of a merge: about each delta in order, about the
// items that changed, about the artifact as a whole.
func (m *merge) findings(a *Artifact, changed [sectionCount][]*Item) []brenner.Diagnostic {
	found := []brenner.Diagnostic{}
	for i := range m.work {
		found = append(found, m.about(&m.work[i])...)
	}
	for s := range changed {
		for _, it := range changed[s] {
			for _, c := range it.conflicts() {
				found = append(found, c.diagnostic())
			}
		}
	}
	found = append(found, checkReferences(a, slices.Concat(changed[:]...), nil)...)
	return append(found, a.postconditions()...)
}

// about lists the warnings about one delta. A rejected one has none: its
// outcome says it all.
func (m *merge) about(w *work) []brenner.Diagnostic {
	e := w.entry
	if w.said != nil || w.repeats != nil {
		return []brenner.Diagnostic{{
			Code: brenner.CodeDeltaRepeated, Severity: brenner.SeverityWarning, Subject: e.delta.DeltaID,
			Message: "the message says this more than once; it counts once", Hint: "send each delta once",
		}}
	}
	if w.outcome.Code == brenner.CodeTargetKilled {
		return []brenner.Diagnostic{{
			Code: brenner.CodeTargetKilled, Severity: brenner.SeverityWarning, Subject: e.delta.DeltaID,
			Message: "skipped: " + w.outcome.Message, Hint: w.outcome.Hint, Pointer: w.outcome.Pointer,
		}}
	}
	if !w.outcome.Recorded() {
		return nil
	}
	found := m.warnings[e]
	if e.target.section == atThread && e.delta.Rationale == "" {
		found = append(found, brenner.Diagnostic{
			Code: brenner.CodeRationaleMissing, Severity: brenner.SeverityWarning, Subject: e.delta.DeltaID,
			Message: "the research thread was edited without a rationale", Hint: "say why the problem statement had to change",
			Pointer: "/rationale",
		})
	}
	return found
}
