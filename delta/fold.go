package delta

import (
	"maps"
	"slices"
	"strconv"

	"brenner"
)

// folding is a section during a fold.
type folding struct {
	first   int // number of the first item added by this merge
	added   []*draft
	touched map[int]*draft // items of the base that change
	live    int
}

// draft is an item during a fold.
type draft struct {
	id              ItemID
	section, number int
	base            *Item // nil if added by this merge
	// edits and last are the first and the last work that adds to it or edits
	// it, in D3 order, linked by work.next; kill is the first that kills it. All
	// are places in work plus one, 0 for none.
	edits, last, kill int
	refreshed         bool  // it used a provisional id that is bound now
	item              *Item // what build made
	judge             *judge
}

// edit adds work to the edits of an item.
func (m *merge) edit(d *draft, i int) {
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
		m.sections[s] = folding{first: b.highest + 1, touched: map[int]*draft{}, live: b.live}
	}
	m.names = make(map[name]ItemID, m.provisional)
	m.waiting = map[name][]int{}
	m.holders, m.spoken = map[identity]int{}, map[int32]int{}
	for i := range m.work {
		w := &m.work[i]
		w.draft, w.fault, w.waits, w.repeats, w.next = nil, nil, false, nil, 0
		m.apply(i)
	}
	for n, left := range m.waiting { // order-free: each delta gets its own outcome
		for _, i := range left {
			w := &m.work[i]
			if !m.free(i) {
				continue
			}
			if w.waits = n.agent != ""; w.waits {
				continue
			}
			w.fault = badTarget(strconv.Quote(clip(string(w.entry.delta.TargetID)))+" does not exist",
				"name an existing item, or the provisional_id of an item this agent adds")
		}
	}
}

// apply applies a delta whose turn it is, or that has waited for its item.
func (m *merge) apply(i int) {
	if !m.free(i) {
		return
	}
	if m.work[i].entry.delta.Operation == Add {
		m.add(i)
		return
	}
	m.change(i)
}

// add gives an ADD its id and applies what waited for it.
func (m *merge) add(i int) {
	w := &m.work[i]
	e, section := w.entry, w.entry.target.section
	s := &m.sections[section]
	if limit := schemas[section].Limit; limit > 0 && s.live >= limit {
		w.fault = brenner.Errorf(brenner.CodeSectionLimitExceeded, "%s holds %d live items already", e.delta.Section, limit).
			At("/section").WithHint("kill a superseded item first")
		return
	}
	bound := name{e.delta.Agent, e.delta.ProvisionalID}
	if id, taken := m.lookup(bound.agent, bound.id); bound.id != "" && taken {
		w.fault = brenner.Errorf(brenner.CodeDeltaIDReused, "provisional_id was used by this agent for %s", id).
			At("/provisional_id").WithHint("use a new name for a new item, or EDIT the one that has it")
		return
	}
	number := s.first + len(s.added)
	d := m.drafts.one()
	*d = draft{id: itemID(section, number), section: section, number: number}
	m.edit(d, i)
	s.added = append(s.added, d)
	s.live++
	w.draft = d
	m.hold(i)
	waited := m.take(name{"", string(d.id)})
	if bound.id != "" {
		m.names[bound] = d.id
		waited = append(waited, m.take(bound)...)
		slices.Sort(waited)
	}
	for _, j := range waited {
		m.apply(j)
	}
}

// take removes and gives the deltas that wait for a name.
func (m *merge) take(n name) []int {
	waited := m.waiting[n]
	delete(m.waiting, n)
	return waited
}

// lookup finds what a provisional id is bound to.
func (m *merge) lookup(agent brenner.ActorName, id string) (ItemID, bool) {
	n := name{agent, id}
	if bound, ok := m.names[n]; ok {
		return bound, true
	}
	return m.base.names.get(n)
}

// change applies an EDIT or KILL to its item, or makes it wait for one.
func (m *merge) change(i int) {
	w := &m.work[i]
	t := w.entry.target
	if t.provisional != "" {
		id, ok := m.lookup(w.entry.delta.Agent, t.provisional)
		if !ok {
			m.wait(name{w.entry.delta.Agent, t.provisional}, i)
			return
		}
		section, number, _ := parseItemID(string(id))
		if section != t.section {
			w.fault = badTarget(t.provisional+" is "+string(id)+", which is not in "+string(w.entry.delta.Section),
				"write section "+string(schemas[section].Section))
			return
		}
		t.number = number
	}
	d := m.draft(t.section, t.number)
	if d == nil {
		m.wait(name{"", string(itemID(t.section, t.number))}, i)
		return
	}
	kills := w.entry.delta.Operation == Kill && t.cell == ""
	if kills && t.section == atHypotheses && m.spared[t.number] {
		w.fault = lastThirdAlternative()
		return
	}
	w.draft = d
	if !m.dead(d, w.entry) {
		m.hold(i)
	}
	if !kills {
		m.edit(d, i)
		return
	}
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

func (m *merge) wait(n name, i int) { m.waiting[n] = append(m.waiting[n], i) }

// draft finds the item of a number, nil if there is none. The research thread
// is always there.
func (m *merge) draft(section, number int) *draft {
	s := &m.sections[section]
	if i := number - s.first; section != atThread && i >= 0 {
		if i < len(s.added) {
			return s.added[i]
		}
		return nil
	}
	if d, ok := s.touched[number]; ok {
		return d
	}
	base := m.base.sections[section].find(number)
	if base == nil && section != atThread {
		return nil
	}
	d := &draft{id: itemID(section, number), section: section, number: number, base: base}
	s.touched[number] = d
	return d
}

// drafts lists the items of a section that change, by number.
func (s *folding) drafts() []*draft {
	all := make([]*draft, 0, len(s.touched)+len(s.added))
	for _, n := range slices.Sorted(maps.Keys(s.touched)) {
		all = append(all, s.touched[n])
	}
	return append(all, s.added...)
}

// build makes the item of a draft: its deltas in order, without the edits that
// came after its death, and what they show.
func (m *merge) build(d *draft) *Item {
	it := m.items.one()
	*it = Item{id: d.id, section: d.section, number: d.number}
	if d.base != nil {
		it.log, it.kills = d.base.log, d.base.kills
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
	if addA, addB := a.delta.Operation == Add, b.delta.Operation == Add; addA != addB {
		if addA {
			return -1
		}
		return 1
	}
	return compare(a, b)
}
