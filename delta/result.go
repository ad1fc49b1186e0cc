package delta

import (
	"maps"
	"slices"
	"time"

	"brenner"
)

// result turns the last fold into a new artifact and the outcomes.
func (m *merge) result() Result {
	next := *m.base
	changed := m.changedItems()
	for s := range next.sections {
		next.sections[s] = m.section(s, changed[s].items)
	}
	m.outcomes = make([]Outcome, len(m.deltas))
	m.settle(&next)
	artifact := m.given
	if m.oldest != nil {
		next.meta = m.metadata()
		ids, names := m.rolls()
		next.recorded, next.names = next.recorded.with(ids), next.names.with(names)
		next.messages = next.messages.with(m.messages)
		next.mentions = m.mentioned()
		artifact = &next
	}
	found := m.findings(artifact, changed)
	for _, e := range m.hashed {
		e.hash = nil
	}
	return Result{Artifact: artifact, Outcomes: m.tell(), Warnings: found, About: m.about()}
}

// changedItems builds every item that this merge changes, and those that used
// a provisional id it has bound.
func (m *merge) changedItems() [sectionCount]changes {
	if len(m.base.mentions) > 0 {
		for i := range m.calls {
			if c := &m.calls[i]; c.bound.number > 0 {
				m.refresh(m.base.mentions[c.name])
			}
		}
	}
	var all [sectionCount]changes
	finish := func(d *draft) {
		if d.item == nil {
			d.item = m.build(d)
		}
		m.weigh(d)
		if d.refreshed || d.grew() {
			all[d.section].add(d.item)
		}
	}
	for s := range m.sections {
		touched := m.sections[s].touched
		all[s].items = make([]*Item, 0, len(touched)+len(m.sections[s].added))
		for _, n := range slices.Sorted(maps.Keys(touched)) {
			finish(touched[n])
		}
	}
	// What was added is built in the order of the deltas, not section by section:
	// most of it then lies in a row.
	for i := range m.work {
		if i%fetched == 0 {
			m.fetchEdits(m.work[i:min(i+fetched, len(m.work))])
		}
		if w := &m.work[i]; w.adds && w.number > 0 {
			finish(m.draft(slot{w.entry.section, w.number}))
		}
	}
	return all
}

// changes are the items of a section that a merge changes, by number, and those
// among them that there may be something to say about.
type changes struct{ items, citing, contended []*Item }

func (c *changes) add(it *Item) {
	c.items = append(c.items, it)
	if it.cites && it.live() {
		c.citing = append(c.citing, it)
	}
	if it.contended {
		c.contended = append(c.contended, it)
	}
}

// fetchEdits looks at the edits of items that will be built next, as fetch does.
func (m *merge) fetchEdits(next []work) {
	var edits [fetched]*work
	n := 0
	for i := range next {
		if w := &next[i]; w.adds && w.next > 0 {
			edits[n] = &m.work[w.next-1]
			n++
		}
	}
	for _, w := range edits[:n] {
		m.seen += int(w.entry.second)
	}
	for _, w := range edits[:n] {
		m.seen += len(w.entry.writes)
	}
	for _, w := range edits[:n] {
		if len(w.entry.writes) > 0 {
			m.seen += len(w.entry.writes[0].value)
		}
		if w.entry.payload != "" {
			m.seen += int(w.entry.payload[0])
		}
	}
}

// refresh marks items that used a provisional id which is bound now.
func (m *merge) refresh(items []ItemID) {
	for _, id := range items {
		section, number, _ := parseItemID(string(id))
		m.draft(slot{uint8(section), int32(number)}).refreshed = true
	}
}

// grew says whether anything this merge brought was recorded in the item.
func (d *draft) grew() bool {
	return d.base == nil || len(d.item.log) > len(d.base.log) || len(d.item.kills) > len(d.base.kills)
}

// section gives a section with its changed items put in.
func (m *merge) section(s int, changed []*Item) items {
	old := m.base.sections[s]
	if len(changed) == 0 {
		return old
	}
	next := items{highest: old.highest, live: old.live, special: old.special}
	list := old.list.edit()
	for _, it := range changed {
		if i, ok := old.list.search(it.number); ok {
			next.count(old.list.at(i), -1)
			list.set(i, it)
		} else {
			list.add(it)
			next.highest = it.number
		}
		next.count(it, +1)
	}
	next.list = list.sequence
	return next
}

// settle warns about each delta that was folded. All that the next version has
// to know of them is gathered on the way: they are many, and going through them
// once more would cost more than what is done there; what they say is looked
// into only where there is something to find. A rejected one gets no warning: its
// outcome says it all.
func (m *merge) settle(next *Artifact) {
	for i := range m.work {
		w := &m.work[i]
		before := len(m.found)
		switch {
		case w.fault != nil || w.waits:
		case w.repeats || w.said:
			m.warnRepeated(w)
		case w.status == skipped:
			m.warnSkipped(int32(i))
		default:
			if w.warned {
				m.warn(w)
			}
		}
		m.noted = note(m.noted, w, m.found, before)
		if !w.recorded() {
			continue
		}
		m.keep(int32(i))
		if w.cites {
			before := len(m.unknown)
			m.unknownNames(next, w)
			m.unheard = note(m.unheard, w, m.unknown, before)
		}
	}
}

// rolls lists the deltas that are in the next version, by their ids and by the
// provisional ids they bind. They are made anew, so that what was not recorded
// leaves no trace.
func (m *merge) rolls() (ids roll[identity], names roll[name]) {
	n, bound := 0, 0
	for i := range m.work {
		if w := &m.work[i]; w.recorded() {
			n++
			if w.adds && w.call > 0 {
				bound++
			}
		}
	}
	ids, names = newRoll[identity](n), newRoll[name](bound)
	for i := range m.work {
		if w := &m.work[i]; w.recorded() {
			ids.put(w.entry, w.hash)
			if w.adds && w.call > 0 {
				names.put(w.entry, m.calls[w.call-1].hash)
			}
		}
	}
	return ids, names
}

// keep notes a delta that was recorded.
func (m *merge) keep(i int32) {
	w := &m.work[i]
	m.agents[w.agent].recorded = true
	if m.oldest == nil {
		m.oldest = w.entry
	}
	m.newest = w.entry
	if m.sent && w.entry.message != "" {
		if m.messages == nil {
			m.messages = map[string]bool{}
		}
		m.messages[w.entry.message] = true
	}
	if !w.cites {
		return
	}
	for n := range w.entry.provisionalNames() {
		if _, bound := m.bound(n); !bound {
			if m.mentions == nil {
				m.mentions = map[name][]ItemID{}
			}
			m.mentions[n] = append(m.mentions[n], w.item)
		}
	}
}

// room gives a list with room for one more. It doubles, where append would
// copy a long list over and over.
func room[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return slices.Grow(list, max(8, len(list)))
}

// share gives a copy the fate of the first: a duplicate of what is recorded,
// or refused, skipped or waiting as that is.
func share(all []Outcome, c copyOf, id string) {
	o := all[c.first]
	if o.Recorded() {
		o = Outcome{MessageID: o.MessageID, Agent: o.Agent, Operation: o.Operation, Status: Duplicate, Item: o.Item}
	}
	o.DeltaID = id
	all[c.index] = o
}

// metadata is that of the next version (D18).
func (m *merge) metadata() Metadata {
	meta := m.base.meta.clone()
	meta.Version++
	meta.Priority = slices.Clone(m.priority)
	for i := range m.agents {
		if m.agents[i].recorded {
			meta.Contributors = append(meta.Contributors, m.agents[i].name)
		}
	}
	slices.Sort(meta.Contributors)
	meta.Contributors = slices.Compact(meta.Contributors)
	newest := m.newest.at()
	if before, ok := parseInstant(meta.UpdatedAt); ok {
		newest = later(newest, before)
	}
	meta.UpdatedAt = FormatInstant(newest)
	if meta.CreatedAt == "" {
		meta.CreatedAt = FormatInstant(m.oldest.at())
	}
	return meta
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// mentioned keeps which items use provisional ids that nothing is bound to.
func (m *merge) mentioned() map[name][]ItemID {
	old := m.base.mentions
	if len(old) == 0 {
		return m.mentions
	}
	next := make(map[name][]ItemID, len(old)+len(m.mentions))
	for n, ids := range old { // order-free: copied
		if _, bound := m.bound(n); !bound {
			next[n] = ids
		}
	}
	for n, ids := range m.mentions { // order-free: one name at a time
		next[n] = slices.Concat(next[n], ids)
	}
	return next
}

// provisionalNames lists the provisional ids in the fields of a delta.
func (e *entry) provisionalNames() func(yield func(name) bool) {
	return func(yield func(name) bool) {
		for i := range e.writes {
			w := &e.writes[i]
			if w.field == unknownField || !schemas[e.section].Fields[w.field].Items {
				continue
			}
			if !w.isList() {
				if n, ok := scoped(e.agent, w.key); ok && !yield(n) {
					return
				}
				continue
			}
			for _, el := range appendElements(nil, w.value) {
				if n, ok := scoped(e.agent, unquote(el)); ok && !yield(n) {
					return
				}
			}
		}
	}
}

// reranked gives the artifact as it shows under another priority list.
func (a *Artifact) reranked(priority []brenner.ActorName) *Artifact {
	next := *a
	view := viewer{names: a.lookup}
	var recorded []*entry
	rank := func(list []*entry) []*entry {
		out := make([]*entry, len(list))
		for i, e := range list {
			copied := *e
			copied.rank = rankOf(priority, e.agent)
			out[i] = &copied
			recorded = append(room(recorded), &copied)
		}
		slices.SortFunc(out, compareInItem)
		return out
	}
	for s := range next.sections {
		old := &a.sections[s]
		next.sections[s] = items{highest: old.highest}
		var list editor
		for _, it := range old.list.all() {
			it = &Item{id: it.id, section: it.section, number: it.number, log: rank(it.log), kills: rank(it.kills)}
			view.show(it)
			list.add(it)
			next.sections[s].count(it, +1)
		}
		next.sections[s].list = list.sequence
	}
	next.recorded = rolls[identity]{lower: joined[identity](len(recorded), recorded)}
	return &next
}

// lookup finds what a provisional id is bound to.
func (a *Artifact) lookup(agent brenner.ActorName, id string) (ItemID, bool) {
	n, _ := scoped(agent, id)
	to, ok := a.bound(n)
	if !ok {
		return "", false
	}
	return to.id(), true
}
