package delta

import (
	"iter"
	"maps"
	"slices"
	"strconv"

	"brenner"
)

// folding is a section during a fold.
type folding struct {
	first   int32            // number of the first item added by this merge
	added   []draft          // with room for every ADD: drafts are pointed at, and never move
	touched map[int32]*draft // items of the base that change
	live    int
}

// draft is an item during a fold.
type draft struct {
	slot
	// edits and last are the first and the last work that adds to it or edits
	// it, in D3 order, linked by work.next; kill is the first that kills it, and
	// kills the last, linked backwards. All are places in work plus one, 0 for
	// none.
	edits, last, kill, kills int32

	refreshed bool  // it used a provisional id that is bound now
	base      *Item // nil if added by this merge
	item      *Item // what build made
}

// edit adds work to the edits of an item.
func (m *merge) edit(d *draft, i int32) {
	if d.last == 0 {
		d.edits = i + 1
	} else {
		m.work[d.last-1].next = i + 1
	}
	d.last = i + 1
}

// fold applies the deltas in order.
func (m *merge) fold() {
	for s := range m.sections {
		b := &m.base.sections[s]
		m.sections[s] = folding{first: int32(b.highest) + 1, live: b.live, added: make([]draft, 0, m.adds[s])}
	}
	m.waiting, m.awaited = 0, map[slot]int32{}
	m.holders, m.spoken, m.repeats = map[identity]int32{}, map[int32]int32{}, map[int32]int32{}
	for i := range m.calls {
		m.calls[i].bound, m.calls[i].queue = slot{}, 0
	}
	for i := range m.work {
		w := &m.work[i]
		w.fault, w.item, w.status, w.waits, w.repeats, w.next, w.number = nil, "", undecided, false, false, 0, 0
		m.apply(int32(i))
	}
	for i := range m.calls {
		for left := range m.queued(m.calls[i].queue) {
			m.work[left].waits = m.free(left)
		}
	}
	for _, queue := range m.awaited { // order-free: each delta gets its own outcome
		for left := range m.queued(queue) {
			if w := &m.work[left]; m.free(left) {
				w.status = targetless
				w.fault = badTarget(strconv.Quote(clip(string(w.entry.targetID)))+" does not exist",
					"name an existing item, or the provisional_id of an item this agent adds")
			}
		}
	}
}

// apply applies a delta whose turn it is, or that has waited for its item.
func (m *merge) apply(i int32) {
	if !m.free(i) {
		return
	}
	if m.work[i].adds {
		m.add(i)
		return
	}
	m.change(i)
}

// add gives an ADD its id and applies what waited for it.
func (m *merge) add(i int32) {
	w := &m.work[i]
	e := w.entry
	s := &m.sections[e.section]
	if limit := schemas[e.section].Limit; limit > 0 && s.live >= limit {
		w.fault = brenner.Errorf(brenner.CodeSectionLimitExceeded, "%s holds %d live items already", e.where(), limit).
			At("/section").WithHint("kill a superseded item first")
		return
	}
	var own *call
	if w.call > 0 {
		own = &m.calls[w.call-1]
		if to, taken := own.to(); taken {
			w.fault = brenner.Errorf(brenner.CodeDeltaIDReused, "provisional_id was used by this agent for %s", to.id()).
				At("/provisional_id").WithHint("use a new name for a new item, or EDIT the one that has it")
			return
		}
	}
	s.added = append(s.added, draft{slot: slot{e.section, s.first + int32(len(s.added))}})
	d := &s.added[len(s.added)-1]
	m.edit(d, i)
	s.live++
	w.number = d.number
	m.hold(i)
	if own != nil {
		own.bound = d.slot
	}
	if m.waiting == 0 {
		return
	}
	queue := m.awaited[d.slot]
	delete(m.awaited, d.slot)
	waited := m.came(&queue)
	if own != nil {
		waited = append(waited, m.came(&own.queue)...)
		slices.Sort(waited)
	}
	for _, j := range waited {
		m.apply(j)
	}
}

// came empties a queue and gives the deltas that waited in it, in order.
func (m *merge) came(queue *int32) []int32 {
	if *queue == 0 {
		return nil
	}
	waited := slices.Collect(m.queued(*queue))
	slices.Reverse(waited)
	*queue = 0
	return waited
}

// queued takes the deltas out of a queue, the last first.
func (m *merge) queued(queue int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for queue > 0 {
			i := queue - 1
			queue, m.work[i].next = m.work[i].next, 0
			m.waiting--
			if !yield(i) {
				return
			}
		}
	}
}

// wait puts a delta into a queue.
func (m *merge) wait(queue, i int32) int32 {
	m.work[i].next = queue
	m.waiting++
	return i + 1
}

// name finds, for the deltas that have come into work since it was last asked,
// the provisional ids that they bind or have for a target. Where these were
// noted is asked for together, as in fetch.
func (m *merge) name() {
	var names [fetched]name
	var hashes [fetched]uint32
	for m.named < len(m.work) {
		next := m.work[m.named:min(m.named+fetched, len(m.work))]
		m.named += len(next)
		for i := range next {
			names[i] = next[i].entry.called()
			if names[i].id != "" {
				hashes[i] = names[i].hash()
				m.seen += m.called.near(hashes[i])
			}
		}
		for i := range next {
			if at := m.called.nearest(hashes[i]); names[i].id != "" && at >= 0 {
				m.seen += int(m.calls[at].id[0])
			}
		}
		for i := range next {
			if names[i].id != "" {
				next[i].call = m.call(names[i], hashes[i]) + 1
			}
		}
	}
}

// called gives the provisional id that a delta binds or has for a target, none
// if there is none.
func (e *entry) called() name {
	if e.op == opAdd {
		return name{e.agent, e.provisional}
	}
	n, _ := scoped(e.agent, e.awaited())
	return n
}

// call gives the place of a provisional id in calls.
func (m *merge) call(n name, hash uint32) int32 {
	at, known := m.called.find(n, hash, m.nameOf)
	if !known {
		at = int32(len(m.calls))
		base, _ := m.base.bound(n)
		m.calls = append(room(m.calls), call{name: n, hash: hash, base: base})
		m.called.add(n, hash, at, m.nameOf)
	}
	return at
}

// nameOf gives the provisional id at a place in calls.
func (m *merge) nameOf(at int32) name { return m.calls[at].name }

// to gives what the provisional id is bound to.
func (c *call) to() (slot, bool) {
	if c.bound.number > 0 {
		return c.bound, true
	}
	return c.base, c.base.number > 0
}

// bound finds what a provisional id is bound to.
func (m *merge) bound(n name) (slot, bool) {
	if at, ok := m.called.find(n, n.hash(), m.nameOf); ok {
		return m.calls[at].to()
	}
	return m.base.bound(n)
}

// bound finds what a provisional id is bound to.
func (a *Artifact) bound(n name) (slot, bool) {
	e, ok := a.names.lookup(n)
	if !ok {
		return slot{}, false
	}
	return slot{e.section, e.item}, true
}

// lookup is bound as a resolver.
func (m *merge) lookup(agent brenner.ActorName, id string) (ItemID, bool) {
	n, _ := scoped(agent, id)
	to, ok := m.bound(n)
	if !ok {
		return "", false
	}
	return to.id(), true
}

// change applies an EDIT or KILL to its item, or makes it wait for one.
func (m *merge) change(i int32) {
	w := &m.work[i]
	e, to := w.entry, slot{w.entry.section, w.entry.number}
	if w.call > 0 {
		c := &m.calls[w.call-1]
		bound, ok := c.to()
		if !ok {
			c.queue = m.wait(c.queue, i)
			return
		}
		if bound.section != to.section {
			w.fault = badTarget(e.awaited()+" is "+string(bound.id())+", which is not in "+string(e.where()),
				"write section "+string(schemas[bound.section].Section))
			return
		}
		to = bound
	}
	d := m.draft(to)
	if d == nil {
		m.awaited[to] = m.wait(m.awaited[to], i)
		return
	}
	if e.kills() && to.section == atHypotheses && m.spared[to.number] {
		w.fault = lastThirdAlternative
		return
	}
	w.number = d.number
	if !m.dead(d, e) {
		m.hold(i)
	}
	if !e.kills() {
		m.edit(d, i)
		return
	}
	w.next, d.kills = d.kills, i+1
	if d.kill > 0 {
		return
	}
	if d.kill = i + 1; d.base == nil || d.base.live() {
		m.sections[d.section].live--
	}
}

// dead says whether an item was killed before a delta, which is then skipped.
// Whatever kills it earlier in D3 order has had its turn by now.
func (m *merge) dead(d *draft, e *entry) bool {
	if d.kill > 0 && compare(m.work[d.kill-1].entry, e) < 0 {
		return true
	}
	return d.base != nil && d.base.hides(e)
}

// draft finds the item of a number, nil if there is none. The research thread
// is always there.
func (m *merge) draft(at slot) *draft {
	s := &m.sections[at.section]
	if i := int(at.number - s.first); at.section != atThread && i >= 0 {
		if i < len(s.added) {
			return &s.added[i]
		}
		return nil
	}
	if d, ok := s.touched[at.number]; ok {
		return d
	}
	base := m.base.sections[at.section].find(int(at.number))
	if base == nil && at.section != atThread {
		return nil
	}
	d := &draft{slot: at, base: base}
	if s.touched == nil {
		s.touched = map[int32]*draft{}
	}
	s.touched[at.number] = d
	return d
}

// drafts lists the items of a section that change, by number.
func (s *folding) drafts() []*draft {
	all := make([]*draft, 0, len(s.touched)+len(s.added))
	for _, n := range slices.Sorted(maps.Keys(s.touched)) {
		all = append(all, s.touched[n])
	}
	for i := range s.added {
		all = append(all, &s.added[i])
	}
	return all
}

// build makes the item of a draft: its deltas in order, without the edits that
// came after its death, and what they show.
func (m *merge) build(d *draft) *Item {
	it := m.items.one()
	*it = Item{section: int(d.section), number: int(d.number)}
	if d.base != nil {
		it.id, it.log, it.kills = d.base.id, d.base.log, d.base.kills
	} else {
		it.id = ItemID(m.texts.keep(d.append(m.word[:0])))
	}
	if d.kill > 0 {
		first := m.work[d.kill-1].entry
		if len(it.kills) == 0 || compare(first, it.kills[0]) < 0 {
			it.kills = slices.Concat([]*entry{first}, it.kills)
		}
	}
	m.insert(it, d)
	m.view.show(it)
	return it
}

// insert merges the edits of a draft into the ordered log of its item, which
// is shared with the base.
func (m *merge) insert(it *Item, d *draft) {
	m.log = append(m.log[:0], it.log...)
	for i := d.edits; i > 0; i = m.work[i-1].next {
		if e := m.work[i-1].entry; !it.hides(e) {
			m.log = append(m.log, e)
		}
	}
	if len(m.log) == len(it.log) {
		return
	}
	slices.SortFunc(m.log, compareInItem)
	it.log = m.logs.keep(m.log)
}

// compareInItem orders the deltas of one item: its ADD first, for what is
// older than it counts as just after it (D11), then as they come.
func compareInItem(a, b *entry) int {
	if addA, addB := a.op == opAdd, b.op == opAdd; addA != addB {
		if addA {
			return -1
		}
		return 1
	}
	return compare(a, b)
}
