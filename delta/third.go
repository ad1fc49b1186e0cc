package delta

import (
	"slices"

	"brenner"
)

// spareThirdAlternative keeps the last live third alternative from being killed
// (D14) and says whether the deltas have to be folded again.
//
// If no third alternative lives at the end, and this merge killed some, the
// one that was killed last goes on living: every KILL of it is refused. It was
// added before it was killed, so nothing that sparing it changes can touch its
// number or its edits; the next fold finds it alive. Should an edit that its
// death had hidden make it an ordinary hypothesis, the one killed before it is
// spared as well. All of them live at the end, so there are never more than the
// slate has places.
func (m *merge) spareThirdAlternative() bool {
	s := &m.sections[atHypotheses]
	if !s.anyKill() {
		return false
	}
	special := m.base.sections[atHypotheses].special
	var last *draft
	for _, d := range s.drafts() {
		d.item = m.build(d)
		wasLive := d.base == nil || d.base.live()
		if d.base != nil && wasLive && d.base.meets {
			special--
		}
		if !d.item.meets {
			continue
		}
		if d.item.live() {
			special++
		} else if wasLive && (last == nil || m.compareDeaths(last, d) < 0) {
			last = d
		}
	}
	if special > 0 || last == nil {
		return false
	}
	if m.spared == nil {
		m.spared = map[int32]bool{}
	}
	m.spared[last.number] = true
	return true
}

func (s *folding) anyKill() bool {
	for _, d := range s.touched { // order-free: any
		if d.kill > 0 {
			return true
		}
	}
	return slices.ContainsFunc(s.added, func(d draft) bool { return d.kill > 0 })
}

// compareDeaths orders items by when they died; a kill older than the item's
// ADD counts as just after it (D11).
func (m *merge) compareDeaths(a, b *draft) int {
	return compare(laterOf(a.item.kills[0], a.item.log[0]), laterOf(b.item.kills[0], b.item.log[0]))
}

func laterOf(a, b *entry) *entry {
	if compare(a, b) > 0 {
		return a
	}
	return b
}

// lastThirdAlternative is shared by all deltas that it refuses; outcomes copy it.
var lastThirdAlternative = brenner.Errorf(brenner.CodeNoThirdAlternative, "this would kill the last live third alternative").
	At("/target_id").WithHint("it can go once another live hypothesis has third_alternative true; who writes hypotheses may add that one in the same merge")
