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

func (m *merge) warnSkipped(at int32) {
	var o Outcome
	m.outcome(&o, at)
	if o.Code == "" {
		return
	}
	w := &m.work[at]
	m.early, m.places[w.index] = append(room(m.early), early{w.index, o}), noPlace // told once, and not made again
	m.found = append(room(m.found), brenner.Diagnostic{
		Code: o.Code, Severity: brenner.SeverityWarning, Subject: o.DeltaID,
		Message: "skipped: " + o.Message, Hint: o.Hint, Pointer: o.Pointer,
	})
}

// note keeps what the author of a delta should hear.
func (m *merge) note(index int, about []brenner.Diagnostic) {
	if len(about) == 0 {
		return
	}
	if m.notes == nil {
		m.notes = map[int][]brenner.Diagnostic{}
	}
	m.notes[index] = slices.Concat(m.notes[index], about)
}

// unknownNames lists the items that a delta names and that are not there. The
// findings about the items say so as well (D24), but not of whom it comes.
func (m *merge) unknownNames(a *Artifact, e *entry) []brenner.Diagnostic {
	var found []brenner.Diagnostic
	for i := range e.writes {
		w := &e.writes[i]
		if w.field == unknownField || w.value == removed || w.mode == drop || !schemas[e.section].Fields[w.field].Items {
			continue
		}
		field := schemas[e.section].Fields[w.field].Name
		words := []string{w.key}
		if w.isList() {
			words = appendElements(nil, w.value)
		}
		for _, word := range words {
			if w.isList() {
				word = unquote(word)
			}
			id := resolver(m.lookup).resolve(e.agent, word)
			if _, ok := a.Item(ItemID(id)); ok {
				continue
			}
			found = append(found, brenner.Diagnostic{
				Code: brenner.CodeDanglingReference, Severity: brenner.SeverityWarning, Subject: e.id,
				Message: field + " names " + clip(word) + ", which is not an item of this session", Pointer: inPayload(field), Hint: m.meantBy(word),
			})
			if len(found) == mostUnknownNames {
				return found
			}
		}
	}
	return found
}

// mostUnknownNames bounds what is said about one delta.
const mostUnknownNames = 8

// meantBy says what to write instead of a name that nothing is bound to.
func (m *merge) meantBy(word string) string {
	if owner := m.owner(word); owner != "" {
		return word + " is a name of " + string(owner) + "'s: write " + string(owner) + ":" + word
	}
	return "write the id of an item, or the provisional_id of one that you add; that of another agent as AGENT:NAME"
}

// owner gives an agent that has bound a name, "" if there is none: of several
// the first.
func (m *merge) owner(word string) brenner.ActorName {
	if m.owners == nil {
		m.owners = map[string]brenner.ActorName{}
		own := func(n name) {
			if first, ok := m.owners[n.id]; !ok || n.agent < first {
				m.owners[n.id] = n.agent
			}
		}
		for i := range m.calls {
			if c := &m.calls[i]; c.bound.number > 0 {
				own(c.name)
			}
		}
		for _, e := range slices.Concat(m.base.names.lower.list, m.base.names.upper.list) {
			own(name{e.agent, e.provisional})
		}
	}
	return m.owners[word]
}
