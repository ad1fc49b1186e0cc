package delta

import (
	"slices"
	"strings"

	"brenner"
)

// Dead is an item that was killed.
type Dead struct {
	Item ItemID            `json:"item"`
	By   brenner.ActorName `json:"by"`
	// For are the live items in whose favour it was killed: those of its section that
	// the reason names, or, where such a one is dead as well, that its reason names.
	For []ItemID `json:"for,omitzero"`
}

// Dead says by whom and for what an item was killed; not ok if it lives.
func (a *Artifact) Dead(id ItemID) (d Dead, ok bool) {
	it, found := a.Item(id)
	if !found || it.live() {
		return d, false
	}
	d.Item, d.By = id, it.Killed().By
	followed := []*Item{it}
	for i := 0; i < len(followed); i++ {
		for _, other := range a.Heirs(followed[i]) {
			switch {
			case slices.Contains(followed, other), slices.Contains(d.For, other.id):
			case other.live():
				d.For = append(d.For, other.id)
			default:
				followed = append(followed, other)
			}
		}
	}
	return d, true
}

// Heirs are the items of its section that the reason names for which one was killed.
func (a *Artifact) Heirs(it *Item) []*Item {
	reason := it.Killed().Reason
	var out []*Item
	add := func(id ItemID) {
		if other, ok := a.Item(id); ok && other != it && other.section == it.section && len(out) < mostAttacked && !slices.Contains(out, other) {
			out = append(out, other)
		}
	}
	for word := range strings.FieldsFuncSeq(reason, func(r rune) bool { return r > '~' || !letter(byte(r)) && !digit(byte(r)) }) {
		add(ItemID(word))
	}
	for _, n := range a.NamesIn(reason) {
		add(n.Item)
	}
	return out
}

// Words says in short that an item was killed, and for what.
func (d Dead) Words() string {
	if len(d.For) == 0 {
		return string(d.Item) + " killed"
	}
	names := make([]string, len(d.For))
	for i, id := range d.For {
		names[i] = string(id)
	}
	return string(d.Item) + " killed for " + strings.Join(names, " and ")
}
