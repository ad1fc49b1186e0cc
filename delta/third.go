package delta

import (
	"slices"

	"brenner"
)

// spareThirdAlternative strikes the KILL that took the last live third
// alternative (D14) and says whether the deltas have to be folded again.
//
// Of several such kills the last is struck. If its item, spared, is no third
// alternative any more because of an edit its death had hidden, the one before
// is struck as well, and so on. That needs one more fold, not one for each:
// whatever was killed earlier was added earlier still, and does not depend on
// a place that stays taken afterwards. Where a place was taken between two
// kills of an item, though, the first is struck alone and the deltas are folded
// again: that place is then not free until the second.
func (m *merge) spareThirdAlternative() bool {
	var killed []*draft
	special := m.base.sections[atHypotheses].special
	s := &m.sections[atHypotheses]
	if !s.anyKill() {
		return false
	}
	for _, d := range s.drafts() {
		d.item = m.build(d)
		wasLive := d.base != nil && d.base.live()
		if wasLive && d.base.special() {
			special--
		}
		if !d.item.special() {
			continue
		}
		if d.item.live() {
			special++
		} else if wasLive || d.base == nil {
			killed = append(killed, d)
		}
	}
	if special > 0 || len(killed) == 0 {
		return false
	}
	slices.SortFunc(killed, func(a, b *draft) int { return m.compareDeaths(b, a) })
	var adds []int
	if m.spared++; m.spared < maxSparings {
		adds = m.admitted(atHypotheses)
	}
	for _, d := range killed {
		if m.strike(d, adds) {
			break
		}
	}
	return true
}

// maxSparings bounds the folds that sparing takes, whatever was sent; after so
// many the kills of an item are struck together.
const maxSparings = 100

// admitted lists the work that added an item to a section, in order.
func (m *merge) admitted(section int) []int {
	var out []int
	for i := range m.work {
		w := &m.work[i]
		if w.entry.delta.Operation == Add && w.draft != nil && w.fault == nil && w.draft.section == section {
			out = append(out, i)
		}
	}
	return out
}

func (s *folding) anyKill() bool {
	kills := func(d *draft) bool { return len(d.kills) > 0 }
	for _, d := range s.touched { // order-free: any
		if kills(d) {
			return true
		}
	}
	return slices.ContainsFunc(s.added, kills)
}

// compareDeaths orders items by when they died; a kill older than the item's
// ADD counts as just after it.
func (m *merge) compareDeaths(a, b *draft) int {
	killA, killB := m.work[a.kills[0]].entry, m.work[b.kills[0]].entry
	if c := compare(laterOf(killA, a.item.log[0]), laterOf(killB, b.item.log[0])); c != 0 {
		return c
	}
	return compare(killA, killB)
}

func laterOf(a, b *entry) *entry {
	if compare(a, b) > 0 {
		return a
	}
	return b
}

// strike takes back the kills of an item one after the other, as long as each
// would kill a third alternative and none of the adds came since the one
// before, and says whether it ends up a live one or has to be looked at again.
func (m *merge) strike(d *draft, adds []int) bool {
	var log []*entry
	if d.base != nil {
		log = d.base.log
	}
	log = m.insert(log, d.edits)
	spared := Item{id: d.id, section: d.section, number: d.number, log: log}
	seen := -1
	for i, k := range d.kills {
		if i > 0 {
			first, _ := slices.BinarySearch(adds, d.kills[i-1])
			if first < len(adds) && adds[first] < k {
				return true
			}
		}
		kill := m.work[k].entry
		// Look again only if this later death lets more edits show.
		if n, _ := slices.BinarySearchFunc(log[1:], kill, compare); n != seen {
			seen = n
			spared.kills = []*entry{kill}
			m.view.show(&spared)
		}
		if !spared.special() {
			return false
		}
		m.work[k].struck = true
	}
	spared.kills = nil
	m.view.show(&spared)
	return spared.special()
}

func lastThirdAlternative() *brenner.Error {
	return brenner.Errorf(brenner.CodeNoThirdAlternative, "this would kill the last live third alternative").
		At("/target_id").WithHint("add another hypothesis with third_alternative true in the same merge")
}
