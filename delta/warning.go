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
		if about := m.about(&m.work[i]); about != nil {
			found = append(found, about...)
		}
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
	if w.status == Skipped {
		o := w.outcome()
		if o.Code == "" {
			return nil
		}
		return []brenner.Diagnostic{{
			Code: o.Code, Severity: brenner.SeverityWarning, Subject: o.DeltaID,
			Message: "skipped: " + o.Message, Hint: o.Hint, Pointer: o.Pointer,
		}}
	}
	if !w.recorded() {
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
