package delta

import (
	"brenner"
)

// identity is what makes two deltas the same delta (D8).
type identity struct{ message, delta string }

func (e *entry) identity() identity { return identity{e.message, e.id} }

// likeness is all that a delta of a message says, its id and its place in the
// message aside. An agent that sends a block twice means it once (D8).
type likeness struct {
	message, provisional, rationale, payload string
	target                                   Target
	agent                                    brenner.ActorName
	second                                   int64
	nanos                                    int32
	op                                       op
	section                                  uint8
}

func (e *entry) likeness() likeness {
	return likeness{e.message, e.provisional, e.rationale, e.payload, e.targetID, e.agent, e.second, e.nanos, e.op, e.section}
}

// unique takes in a delta, unless the artifact holds it already or it is a
// second copy. What else shares an id, or says the same as another delta of its
// message, is marked: which of them counts is for the fold to see, because a
// delta that is rejected keeps nobody out.
func (m *merge) unique(w *work) {
	id := w.entry.identity()
	if old, ok := m.base.recorded.get(id, w.hash); ok {
		m.early = append(m.early, early{w.index, m.again(w, old)})
		return
	}
	first, taken := m.ids.find(id, w.hash, m.identity)
	if !taken {
		m.ids.add(id, w.hash, int32(len(m.work)), m.identity)
		m.take(w)
		return
	}
	if m.rivals[id] == nil {
		if m.rivals == nil {
			m.rivals = map[identity]map[brenner.Digest]int32{}
		}
		m.rivals[id] = map[brenner.Digest]int32{m.digest(m.work[first].entry): m.work[first].index}
	}
	rivals, content := m.rivals[id], m.digest(w.entry)
	if same, ok := rivals[content]; ok {
		m.copies = append(m.copies, copyOf{w.index, same})
		return
	}
	rivals[content] = w.index
	w.contested, m.work[first].contested = true, true
	m.take(w)
}

// take gives a delta its place in work.
func (m *merge) take(w *work) {
	m.places[w.index] = int32(len(m.work))
	m.work = append(m.work, *w)
}

// identity gives the identity of the delta at a place in work.
func (m *merge) identity(at int32) identity { return m.work[at].entry.identity() }

// again judges a delta whose id is that of a recorded one.
func (m *merge) again(w *work, old *entry) Outcome {
	o := outcomeOf(&m.deltas[w.index])
	if w.entry.digest() != old.digest() {
		o.reject(reused(w.entry))
		return o
	}
	o.Status, o.Item = Duplicate, old.itemID()
	return o
}

func reused(e *entry) *brenner.Error {
	return brenner.Errorf(brenner.CodeDeltaIDReused, "delta_id %q was used for another delta", clip(e.id)).
		At("/delta_id").WithHint("give the delta an id of its own")
}

// group marks the deltas that say what their message says elsewhere too.
func (m *merge) group() {
	said := m.saidBefore()
	var first map[likeness]int // place in work
	groups := int32(0)
	for i := range m.work {
		w := &m.work[i]
		if w.entry.message == "" {
			continue
		}
		if first == nil {
			first = make(map[likeness]int, len(m.work)-i)
		}
		like := w.entry.likeness()
		if old, ok := said[like]; ok {
			if m.said == nil {
				m.said = map[int32]*entry{}
			}
			w.said, m.said[int32(i)] = true, old
		}
		j, ok := first[like]
		if !ok {
			first[like] = i
			continue
		}
		if m.groups == nil {
			m.groups = make([]int32, len(m.work))
		}
		if m.groups[j] == 0 {
			groups++
			m.groups[j] = groups
		}
		m.groups[i] = m.groups[j]
	}
}

// saidBefore gives what the artifact has recorded of the messages that this
// merge brings more of, which is rare: a message is merged as a whole.
func (m *merge) saidBefore() map[likeness]*entry {
	known := map[string]bool{}
	for i := range m.work {
		message := m.work[i].entry.message
		if seen, _ := m.base.messages.get(message); seen {
			known[message] = true
		}
	}
	if len(known) == 0 {
		return nil
	}
	said := map[likeness]*entry{}
	for s := range m.base.sections {
		for _, it := range m.base.sections[s].list.all() {
			for _, e := range it.log {
				if known[e.message] {
					said[e.likeness()] = e
				}
			}
			for _, e := range it.kills {
				if known[e.message] {
					said[e.likeness()] = e
				}
			}
		}
	}
	return said
}

// free says whether nothing keeps a delta out: no delta was admitted under its
// id, and none that says the same in its message. A delta holds its id from
// the moment it is admitted; one that waits, is skipped or is rejected holds
// none (D8).
func (m *merge) free(i int32) bool {
	w := &m.work[i]
	if w.said {
		return false
	}
	if m.groups != nil && m.groups[i] > 0 {
		if j, ok := m.spoken[m.groups[i]]; ok {
			w.repeats, m.repeats[i] = true, j
			return false
		}
	}
	if w.contested {
		if _, held := m.holders[w.entry.identity()]; held {
			w.fault = reused(w.entry)
			return false
		}
	}
	return true
}

// hold notes that a delta was admitted.
func (m *merge) hold(i int32) {
	w := &m.work[i]
	if w.contested {
		m.holders[w.entry.identity()] = i
	}
	if m.groups != nil && m.groups[i] > 0 {
		m.spoken[m.groups[i]] = i
	}
}
