package delta

import (
	"slices"
	"strings"
	"unicode/utf8"

	"brenner"
)

// Dead is an item that was killed.
type Dead struct {
	Item ItemID            `json:"item"`
	By   brenner.ActorName `json:"by"`
	// For are the live items in whose favour it was killed: those of its section of which
	// the reason says so, or, where such a one is dead as well, its reason.
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

// Heirs are the items of its section that the reason for which one was killed says to have
// its place: replaced by H3, a case of H3, the same as H3, H3 covers it. What else it names
// is none: unlike H3, H3 too is weak.
func (a *Artifact) Heirs(it *Item) []*Item {
	return a.inReason(it, heirsIn)
}

// Mentions are all items of its section that the reason names.
func (a *Artifact) Mentions(it *Item) []*Item {
	return a.inReason(it, func(words []string, item []bool) []bool { return item })
}

// inReason are the items of its section in the reason for which one was killed, as far as
// they count: chosen from its words, of which some name such items.
func (a *Artifact) inReason(it *Item, counts func(words []string, item []bool) []bool) []*Item {
	reason := it.Killed().Reason
	called := map[string]ItemID{}
	for _, n := range a.NamesIn(reason) {
		called[n.Name] = n.Item
	}
	words := reasonWords(reason)
	items, named := make([]*Item, len(words)), make([]bool, len(words))
	for i, w := range words {
		id, ok := called[w]
		if !ok {
			id = ItemID(w)
		}
		if other, ok := a.Item(id); ok && other.section == it.section {
			items[i], named[i] = other, true
		}
	}
	var out []*Item
	for i, yes := range counts(words, named) {
		if yes && items[i] != it && len(out) < mostAttacked && !slices.Contains(out, items[i]) {
			out = append(out, items[i])
		}
	}
	return out
}

// reasonWords are the words of a reason, and the signs that part its clauses.
func reasonWords(reason string) []string {
	var out []string
	for _, field := range strings.Fields(reason) {
		for field != "" {
			end := strings.IndexFunc(field, partsNames)
			switch {
			case end < 0:
				out, field = append(out, field), ""
			case end > 0:
				out, field = append(out, strings.TrimSuffix(field[:end], "-")), field[end:]
			default:
				_, size := utf8.DecodeRuneInString(field)
				out, field = append(out, field[:size]), field[size:]
			}
		}
	}
	return out
}

// What stands before the name of an item that has the place of another, the word next to it
// first: a word alone, or one of these before it.
var heirAfter = map[string]string{
	"as":    "same identical on now",
	"by":    "replaced superseded subsumed covered absorbed succeeded followed included contained incorporated",
	"for":   "killed dropped given way room up favour favor",
	"in":    "contained covered included incorporated subsumed absorbed lives continued continues",
	"into":  "",
	"now":   "",
	"of":    "case instance duplicate copy double twin part repeat repetition restatement rewording version variant form subset favour favor",
	"see":   "",
	"to":    "equal equivalent identical moved",
	"under": "",
	"with":  "merged joined united combined identical one",
	"→":     "",
}

// What stands behind it, likewise.
var heirBefore = map[string]string{
	"subsumes": "", "covers": "", "replaces": "", "supersedes": "", "absorbs": "", "incorporates": "", "includes": "", "contains": "", "succeeds": "",
	"says": "the it this so", "has": "it this that", "explains": "it this both more", "takes": "its over",
}

// Words that say nothing of their own there, those that name one more, and those with which
// a clause says that something is not so.
const (
	heirFillers = " the a an hypothesis assumption prediction test critique anomaly item already also which both "
	heirAlso    = " and or & / + , "
	heirNot     = " not no never nor neither unlike instead cannot "
	heirStops   = " . ; : ( ) , ! ? – — but "
)

// heirsIn says which names of items in a reason are of those that have the place of what was
// killed. A reason that has only names names those.
func heirsIn(words []string, item []bool) []bool {
	in := func(list, word string) bool { return strings.Contains(list, " "+strings.ToLower(word)+" ") }
	at := func(i int) string {
		if i < 0 || i >= len(words) {
			return ""
		}
		return strings.ToLower(words[i])
	}
	said := func(cues map[string]string, i, step int) bool {
		for in(heirFillers, at(i)) {
			i += step
		}
		with, cue := cues[at(i)]
		next := i + step
		for step < 0 && in(heirFillers, at(next)) {
			next += step
		}
		// At its beginning a reason needs no more: as H3, for H3.
		return cue && (with == "" || at(next) == "" && step < 0 || at(next) != "" && in(" "+with+" ", at(next)))
	}
	denied := func(i int) bool {
		for _, step := range []int{-1, 1} {
			for k := i + step; at(k) != "" && !in(heirStops, at(k)); k += step {
				if in(heirNot, at(k)) || strings.HasSuffix(at(k), "n't") {
					return true
				}
			}
		}
		return false
	}
	out := make([]bool, len(words))
	only := true
	for i := range words {
		only = only && (item[i] || in(heirAlso, words[i]) || in(heirStops, words[i]))
		if !item[i] || denied(i) {
			continue
		}
		first, last := i, i // of the names that stand in a row
		for in(heirAlso, at(first-1)) && first > 0 {
			k := first - 1
			for k > 0 && in(heirAlso, at(k)) {
				k--
			}
			if !item[k] {
				break
			}
			first = k
		}
		for last+1 < len(words) && in(heirAlso, at(last+1)) {
			k := last + 1
			for k < len(words)-1 && in(heirAlso, at(k)) {
				k++
			}
			if !item[k] {
				break
			}
			last = k
		}
		out[i] = said(heirAfter, first-1, -1) || said(heirBefore, last+1, 1)
	}
	if only {
		return item
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
