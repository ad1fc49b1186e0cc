package delta

import (
	"cmp"
	"slices"
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
// that have them. A name that may be a plain word is none. What it takes depends on the
// text, and on how many names were given only where it has words that may be some.
func (a *Artifact) NamesIn(text string) []Named {
	words := map[string]bool{}
	for w := range strings.FieldsFuncSeq(text, partsNames) {
		if tellsItself(w) && isProvisional(w) {
			words[w] = true
		}
	}
	if len(words) == 0 {
		return nil
	}
	var found []*entry
	for _, half := range []*roll[name]{&a.names.lower, &a.names.upper} {
		for _, e := range half.list {
			if words[e.provisional] {
				found = append(found, e)
			}
		}
	}
	slices.SortFunc(found, func(x, y *entry) int { return cmp.Or(cmp.Compare(x.section, y.section), cmp.Compare(x.item, y.item)) })
	var out []Named
	for _, e := range found {
		out = append(out, Named{Name: e.provisional, Agent: e.agent, Item: e.itemID()})
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

// WithIDs is a text of an item as its reader is shown it, with the ids of the items that it
// names.
func (a *Artifact) WithIDs(id ItemID, text string) string {
	it, ok := a.Item(id)
	if !ok {
		return text
	}
	return a.withIDs(it, text)
}

// withIDs is a text of an item with the ids of items in the place of the names that were
// given to them before they had any: by the item's own authors, or by one other agent alone.
func (a *Artifact) withIDs(it *Item, text string) string {
	parts := func(r rune) bool { return r != ':' && partsNames(r) }
	var b strings.Builder
	for text != "" {
		end := strings.IndexFunc(text, parts)
		switch {
		case end < 0:
			end = len(text)
		case end == 0:
			end = strings.IndexFunc(text, func(r rune) bool { return !parts(r) })
			if end < 0 {
				end = len(text)
			}
			b.WriteString(text[:end])
			text = text[end:]
			continue
		}
		word := strings.TrimRight(text[:end], ":")
		b.WriteString(a.idOf(it, word) + text[len(word):end])
		text = text[end:]
	}
	return b.String()
}

// idOf is the id of the item that a word in a text of another item names, or the word.
func (a *Artifact) idOf(it *Item, word string) string {
	if !isName(word) || !tellsItself(word) && !strings.Contains(word, ":") {
		return word
	}
	for _, agent := range it.Authors() {
		if id, ok := a.lookup(agent, word); ok {
			return string(id)
		}
	}
	found := word
	for _, agent := range a.meta.Contributors {
		if id, ok := a.lookup(agent, word); ok && found != word && found != string(id) {
			return word // two agents mean two items by it
		} else if ok {
			found = string(id)
		}
	}
	return found
}

// tellsItself says that nobody takes a name for a plain word.
func tellsItself(name string) bool {
	return strings.ContainsAny(name, "-_0123456789") || strings.ToUpper(name) == name
}

// partsNames says that a character stands between names, of items or provisional ones.
func partsNames(r rune) bool {
	return r > '~' || !letter(byte(r)) && !digit(byte(r)) && r != '-' && r != '_'
}
