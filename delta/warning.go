package delta

import (
	"slices"

	"brenner"
)

// findings lists the warnings of a merge: about each delta in order, about the
// items that changed, about the artifact as a whole.
func (m *merge) findings(a *Artifact, changed [sectionCount]changes) []brenner.Diagnostic {
	found := m.found
	var citing []*Item
	for s := range changed {
		for _, it := range changed[s].contended {
			for _, c := range it.contentions() {
				found = append(room(found), c.diagnostic(it))
			}
		}
		citing = append(citing, changed[s].citing...)
	}
	found = checkReferences(found, a, citing, nil)
	return append(found, a.postconditions()...)
}

// warn passes on what was found when a recorded delta was read.
func (m *merge) warn(w *work) {
	e := w.entry
	if m.warnedAt != nil && m.warnedAt[w.index] > 0 {
		for _, d := range m.warnings[m.warnedAt[w.index]-1] {
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
	o := &m.outcomes[m.work[at].index]
	m.outcome(o, at)
	m.places[m.work[at].index] = noPlace // told once, and not made again
	if o.Code == "" {
		return
	}
	m.found = append(room(m.found), brenner.Diagnostic{
		Code: o.Code, Severity: brenner.SeverityWarning, Subject: o.DeltaID,
		Message: "skipped: " + o.Message, Hint: o.Hint, Pointer: o.Pointer,
	})
}

// noted says that diagnostics of a list are about a delta, by its place as given.
type noted struct{ index, from, to int32 }

// note keeps which of a list the author of a delta should hear: what was added
// to it since it had a length.
func note(list []noted, w *work, found []brenner.Diagnostic, since int) []noted {
	if len(found) == since {
		return list
	}
	return append(room(list), noted{w.index, int32(since), int32(len(found))})
}

// about gives what the authors of the deltas should hear, by their places as
// given.
func (m *merge) about() map[int][]brenner.Diagnostic {
	if len(m.noted)+len(m.unheard) == 0 {
		return nil
	}
	about := make(map[int][]brenner.Diagnostic, max(len(m.noted), len(m.unheard)))
	for _, n := range m.noted {
		about[int(n.index)] = m.found[n.from:n.to:n.to]
	}
	for _, n := range m.unheard {
		if said := about[int(n.index)]; said != nil {
			about[int(n.index)] = slices.Concat(said, m.unknown[n.from:n.to])
		} else {
			about[int(n.index)] = m.unknown[n.from:n.to:n.to]
		}
	}
	return about
}

// unknownNames finds the items that a delta names and that are not there, as far as its
// item still names them: what was mended in the same merge is no news. The
// findings about the items say so as well (D24), but not of whom it comes.
func (m *merge) unknownNames(a *Artifact, of *work) {
	e, most := of.entry, len(m.unknown)+mostUnknownNames
	it := a.sections[e.section].find(int(of.number))
	if it == nil || !it.live() {
		return
	}
	for i := range e.writes {
		w := &e.writes[i]
		if w.field == unknownField || w.value == removed || w.mode == drop || !schemas[e.section].Fields[w.field].Items {
			continue
		}
		field := schemas[e.section].Fields[w.field].Name
		m.words = append(m.words[:0], w.key)
		if w.isList() {
			m.words = appendElements(m.words[:0], w.value)
		}
		for _, word := range m.words {
			if w.isList() {
				word = unquote(word)
			}
			id := resolver(m.lookup).resolve(e.agent, word)
			if _, ok := a.Item(ItemID(id)); ok || word == Whichever && !w.isList() || !m.names(it, field, word, id) {
				continue
			}
			m.unknown = append(room(m.unknown), brenner.Diagnostic{
				Code: brenner.CodeDanglingReference, Severity: brenner.SeverityWarning, Subject: e.id,
				Message: field + " names " + clip(word) + ", which is not an item of this session", Pointer: inPayload(field), Hint: m.meantBy(word),
			})
			if len(m.unknown) == most {
				return
			}
		}
	}
}

// names says whether a list or a map of an item has an element or a key, as it was written
// or by the id behind it.
func (m *merge) names(it *Item, field, word, id string) bool {
	f := it.field(field)
	if f == nil {
		return false
	}
	cells := f.cells()
	if len(cells)+len(f.list()) < manyNamed {
		return slices.ContainsFunc(cells, func(c cell) bool { return !c.gone() && (c.key == word || c.key == id) }) ||
			slices.ContainsFunc(it.List(field), func(el string) bool { return el == word || el == id })
	}
	names, known := m.naming[namedIn{it, field}]
	if !known {
		names = make(map[string]struct{}, len(cells)+len(f.list()))
		for i := range cells {
			if c := &cells[i]; !c.gone() {
				names[c.key] = struct{}{}
			}
		}
		for _, el := range it.List(field) {
			names[el] = struct{}{}
		}
		if m.naming == nil {
			m.naming = map[namedIn]map[string]struct{}{}
		}
		m.naming[namedIn{it, field}] = names
	}
	_, written := names[word]
	_, behind := names[id]
	return written || behind
}

// manyNamed is from how many elements or keys on they are looked up in a table: as many
// deltas may have written them, and of each it is asked.
const manyNamed = 32

// namedIn is a list or a map of an item.
type namedIn struct {
	item  *Item
	field string
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
