package delta

import (
	"slices"

	"brenner"
)

// findings lists the warnings of a merge: about each delta in order, about the
// items that changed, about the artifact as a whole.
func (m *merge) findings(a *Artifact, changed [sectionCount][]*Item) []brenner.Diagnostic {
	found := m.found
	for s := range changed {
		for _, it := range changed[s] {
			for _, c := range it.contentions() {
				found = append(room(found), c.diagnostic(it))
			}
		}
	}
	found = checkReferences(found, a, slices.Concat(changed[:]...), nil)
	return append(found, a.postconditions()...)
}

// warn passes on what was found when a recorded delta was read.
func (m *merge) warn(e *entry) {
	if len(m.warnings) > 0 {
		for _, d := range m.warnings[e] {
			m.found = append(room(m.found), d)
		}
	}
	if e.section == atThread && e.rationale == "" {
		m.found = append(room(m.found), brenner.Diagnostic{
			Code: brenner.CodeRationaleMissing, Severity: brenner.SeverityWarning, Subject: e.id,
			Message: "the research thread was edited without a rationale", Hint: "say why the problem statement had to change",
			Pointer: "/rationale",
		})
	}
}

func (m *merge) warnRepeated(w *work) {
	m.found = append(room(m.found), brenner.Diagnostic{
		Code: brenner.CodeDeltaRepeated, Severity: brenner.SeverityWarning, Subject: w.entry.id,
		Message: "the message says this more than once; it counts once", Hint: "send each delta once",
	})
}

func (m *merge) warnSkipped(o *Outcome) {
	if o.Code == "" {
		return
	}
	m.found = append(room(m.found), brenner.Diagnostic{
		Code: o.Code, Severity: brenner.SeverityWarning, Subject: o.DeltaID,
		Message: "skipped: " + o.Message, Hint: o.Hint, Pointer: o.Pointer,
	})
}
