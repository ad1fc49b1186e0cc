package delta

import (
	"strings"

	"brenner"
)

// Named is a provisional id, and the item that its agent gave it to (D4).
type Named struct {
	Name  string            `json:"name"`
	Agent brenner.ActorName `json:"agent"`
	Item  ItemID            `json:"item"`
}

// NamesIn lists the provisional ids that a text uses, in the order of the items
// that have them. A name that may be a plain word is none.
func (a *Artifact) NamesIn(text string) []Named {
	words := map[string]bool{}
	for w := range strings.FieldsFuncSeq(text, partsNames) {
		words[w] = true
	}
	var out []Named
	for _, it := range a.all() {
		for _, e := range it.log {
			if e.provisional != "" && words[e.provisional] && tellsItself(e.provisional) {
				out = append(out, Named{Name: e.provisional, Agent: e.agent, Item: it.ID()})
			}
		}
	}
	return out
}

// Called lists the items that agents gave a provisional id, which may be written as in
// BlueLake:H-MEMORY.
func (a *Artifact) Called(name string) []Named {
	by, of, named := strings.Cut(name, ":")
	if !named {
		by, of = "", name
	}
	var out []Named
	for _, it := range a.all() {
		for _, e := range it.log {
			if e.provisional != "" && e.provisional == of && (!named || string(e.agent) == by) {
				out = append(out, Named{Name: e.provisional, Agent: e.agent, Item: it.ID()})
			}
		}
	}
	return out
}

// tellsItself says that nobody takes a name for a plain word.
func tellsItself(name string) bool {
	return strings.ContainsAny(name, "-_0123456789") || strings.ToUpper(name) == name
}

// partsNames says that a character stands between names, of items or provisional ones.
func partsNames(r rune) bool {
	return r > '~' || !letter(byte(r)) && !digit(byte(r)) && r != '-' && r != '_'
}
