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
		next.sections[s] = m.section(s, changed[s])
	}
	m.judge()
	recorded := m.recorded()
	artifact := m.given
	if len(recorded) > 0 {
		next.meta = m.metadata(recorded)
		next.recorded = next.recorded.with(m.ids)
		next.names = next.names.with(m.names)
		next.messages = next.messages.with(messagesOf(recorded))
		next.mentions = m.mentions()
		artifact = &next
	}
	r := Result{Artifact: artifact, Outcomes: m.settle(), Warnings: m.findings(artifact, changed)}
	for i := range m.work {
		e := m.work[i].entry
		e.fresh, e.turn, e.hash = false, 0, ""
	}
	return r
}

// changedItems builds every item that this merge changes, and those that used
// a provisional id it has bound.
func (m *merge) changedItems() [sectionCount][]*Item {
	for n := range m.names { // order-free: each item is marked on its own
		for _, id := range m.base.mentions[n] {
			section, number, _ := parseItemID(string(id))
			m.draft(section, number).refreshed = true
		}
	}
	var changed [sectionCount][]*Item
	for s := range m.sections {
		for _, d := range m.sections[s].drafts() {
			if d.item == nil {
				d.item = m.build(d)
			}
			if d.refreshed || d.grew() {
				changed[s] = append(changed[s], d.item)
			}
		}
	}
	return changed
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
	next.list = make([]*Item, len(old.list), len(old.list)+len(changed))
	copy(next.list, old.list)
	for _, it := range changed {
		if i, ok := slices.BinarySearchFunc(old.list, it.number, func(o *Item, n int) int { return o.number - n }); ok {
			next.count(old.list[i], -1)
			next.list[i] = it
		} else {
			next.list = append(next.list, it)
			next.highest = it.number
		}
		next.count(it, +1)
	}
	return next
}

// judge says of each delta that was folded what became of it.
func (m *merge) judge() {
	names := resolver(m.lookup)
	for i := range m.work {
		w := &m.work[i]
		switch {
		case w.fault != nil:
			w.status = Rejected
		case w.waits:
			w.status = Waiting
		case w.said != nil || w.repeats != nil:
			w.status = Duplicate
		default:
			w.judge(names)
		}
	}
}

func (w *work) judge(names resolver) {
	it, e := w.draft.item, w.entry
	switch {
	case e.delta.Operation == Add:
		w.status = Applied
	case e.delta.Operation == Kill && e.target.cell == "":
		w.status = Skipped
		if it.kills[0] == e {
			w.status = Applied
		}
	case it.hides(e):
		w.status = Skipped
	default:
		if w.draft.judge == nil {
			w.draft.judge = newJudge(it, names)
		}
		w.status = w.draft.judge.edit(e)
	}
}

// recorded lists the deltas that were recorded, in order, and keeps their ids.
func (m *merge) recorded() []*entry {
	all := make([]*entry, 0, len(m.work))
	for i := range m.work {
		w := &m.work[i]
		if w.recorded() {
			w.entry.item = w.draft.id
			all = append(all, w.entry)
		}
	}
	for i := range m.work { // an id may have been claimed first by a delta that is not recorded
		w := &m.work[i]
		if recorded := w.recorded(); recorded && w.contested {
			m.ids[w.entry.identity()] = w.entry
		} else if !recorded && m.ids[w.entry.identity()] == w.entry {
			delete(m.ids, w.entry.identity())
		}
	}
	return all
}

func (w *work) recorded() bool {
	return w.status == Applied || w.status == Superseded || w.status == Conflicted
}

// settle completes the outcomes.
func (m *merge) settle() []Outcome {
	for i := range m.work {
		if w := &m.work[i]; w.repeats == nil {
			m.outcomes[w.index] = w.outcome()
		}
	}
	for i := range m.work {
		if w := &m.work[i]; w.repeats != nil {
			m.share(copyOf{w.index, w.repeats.index}, w.entry.delta.DeltaID)
		}
	}
	for _, c := range m.copies { // a repetition may have copies
		m.share(c, m.outcomes[c.first].DeltaID)
	}
	return m.outcomes
}

// share gives a copy the fate of the first: a duplicate of what is recorded,
// or refused, skipped or waiting as that is.
func (m *merge) share(c copyOf, id string) {
	o := m.outcomes[c.first]
	if o.Recorded() {
		o = Outcome{MessageID: o.MessageID, Agent: o.Agent, Operation: o.Operation, Status: Duplicate, Item: o.Item}
	}
	o.DeltaID = id
	m.outcomes[c.index] = o
}

// messagesOf lists the messages of deltas.
func messagesOf(recorded []*entry) map[string]bool {
	all := map[string]bool{}
	for _, e := range recorded {
		if e.message != "" {
			all[e.message] = true
		}
	}
	return all
}

// metadata is that of the next version (D18).
func (m *merge) metadata(recorded []*entry) Metadata {
	meta := m.base.meta.clone()
	meta.Version++
	meta.Priority = slices.Clone(m.priority)
	agents := map[brenner.ActorName]bool{}
	for _, a := range meta.Contributors {
		agents[a] = true
	}
	oldest, newest := recorded[0].at, recorded[0].at
	for _, e := range recorded {
		agents[e.delta.Agent] = true
		oldest, newest = earlier(oldest, e.at), later(newest, e.at)
	}
	meta.Contributors = slices.Sorted(maps.Keys(agents))
	if before, ok := parseInstant(meta.UpdatedAt); ok {
		newest = later(newest, before)
	}
	meta.UpdatedAt = FormatInstant(newest)
	if meta.CreatedAt == "" {
		meta.CreatedAt = FormatInstant(oldest)
	}
	return meta
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// mentions keeps which items use provisional ids that nothing is bound to.
func (m *merge) mentions() map[name][]ItemID {
	fresh := map[name][]ItemID{}
	for i := range m.work {
		w := &m.work[i]
		if !w.recorded() {
			continue
		}
		for n := range w.entry.provisionalNames() {
			if _, bound := m.lookup(n.agent, n.id); !bound {
				fresh[n] = append(fresh[n], w.entry.item)
			}
		}
	}
	old := m.base.mentions
	if len(fresh) == 0 && len(old) == 0 {
		return old
	}
	next := make(map[name][]ItemID, len(old)+len(fresh))
	for n, ids := range old { // order-free: copied
		if _, bound := m.names[n]; !bound {
			next[n] = ids
		}
	}
	for n, ids := range fresh { // order-free: one name at a time
		next[n] = slices.Concat(next[n], ids)
	}
	return next
}

// provisionalNames lists the provisional ids in the fields of a delta.
func (e *entry) provisionalNames() func(yield func(name) bool) {
	return func(yield func(name) bool) {
		for i := range e.writes {
			w := &e.writes[i]
			if w.field == unknownField || !schemas[e.target.section].Fields[w.field].Items {
				continue
			}
			if isProvisional(w.key) && !yield(name{e.delta.Agent, w.key}) {
				return
			}
			for _, el := range w.list {
				if id := unquote(el); isProvisional(id) && !yield(name{e.delta.Agent, id}) {
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
	recorded := map[identity]*entry{}
	rank := func(list []*entry) []*entry {
		out := make([]*entry, len(list))
		for i, e := range list {
			copied := *e
			copied.rank = rankOf(priority, e.delta.Agent)
			out[i] = &copied
			recorded[e.identity()] = &copied
		}
		slices.SortFunc(out, compareInItem)
		return out
	}
	for s := range next.sections {
		old := &a.sections[s]
		next.sections[s] = items{highest: old.highest, list: make([]*Item, len(old.list))}
		for i, it := range old.list {
			it = &Item{id: it.id, section: it.section, number: it.number, log: rank(it.log), kills: rank(it.kills)}
			view.show(it)
			next.sections[s].list[i] = it
			next.sections[s].count(it, +1)
		}
	}
	next.recorded = index[identity, *entry]{lower: recorded}
	return &next
}

// lookup finds what a provisional id is bound to.
func (a *Artifact) lookup(agent brenner.ActorName, id string) (ItemID, bool) {
	return a.names.get(name{agent, id})
}
