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
// a place that stays taken afterwards.
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
	for _, d := range killed {
		if m.strike(d) {
			break
		}
	}
	return true
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
// would kill a third alternative, and says whether it ends up a live one.
func (m *merge) strike(d *draft) bool {
	var log []*entry
	if d.base != nil {
		log = d.base.log
	}
	log = m.insert(log, d.edits)
	spared := Item{id: d.id, section: d.section, number: d.number, log: log}
	seen := -1
	for _, k := range d.kills {
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
