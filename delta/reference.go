package delta

import (
	"slices"
	"strings"

	"brenner"
	"brenner/canon"
)

// Reference points from an item to an item of this or another session (D24).
type Reference struct {
	Session  brenner.SessionID `json:"session"`
	Item     ItemID            `json:"item"`
	Relation string            `json:"relation"`
}

// relations are what a reference can mean.
var relations = []string{"extends", "refines", "refutes", "informed_by", "supersedes", "replicates"}

// checkReference reports INVALID_DELTA or INVALID_VALUE unless the element is
// a reference.
func checkReference(element, pointer string) *brenner.Error {
	var r Reference
	if element[0] != '{' || canon.Unmarshal([]byte(element), &r) != nil {
		return wrongType(pointer, "an object of session, item and relation")
	}
	if r.Session.Check() != nil {
		return badValue(pointer+"/session", "not a session id", "for example RS-20251230-cell-fate")
	}
	if _, _, ok := parseItemID(string(r.Item)); !ok {
		return badValue(pointer+"/item", "not an item id", "for example H3")
	}
	if !slices.Contains(relations, r.Relation) {
		return badValue(pointer+"/relation", "unknown relation", "use one of "+strings.Join(relations, ", "))
	}
	return nil
}

// References lists what an item refers to.
func (it *Item) References() []Reference {
	if !it.cites {
		return nil
	}
	f := it.field("references")
	if f == nil {
		return nil
	}
	refs := make([]Reference, len(f.list()))
	for i, el := range f.list() {
		// Every element was checked when it was admitted.
		if err := canon.Unmarshal([]byte(el), &refs[i]); err != nil {
			return refs[:i]
		}
	}
	return refs
}

// CheckReferences reports references that lead nowhere and circles of them, as
// warnings (D24). others finds the artifacts of other sessions; a nil others,
// or a nil artifact, leaves references into that session unchecked.
func CheckReferences(a *Artifact, others func(brenner.SessionID) *Artifact) []brenner.Diagnostic {
	return checkReferences(nil, a, a.all(), others)
}

// all lists every item.
func (a *Artifact) all() []*Item {
	var all []*Item
	for s := range a.sections {
		for _, chunk := range a.sections[s].list.chunks {
			all = append(all, chunk...)
		}
	}
	return all
}

// checkReferences adds to what was found what is wrong with the references of
// some items and with the circles that go through them.
func checkReferences(found []brenner.Diagnostic, a *Artifact, from []*Item, others func(brenner.SessionID) *Artifact) []brenner.Diagnostic {
	w := walk{home: a, others: others, state: map[place]int{}, known: map[brenner.SessionID]*Artifact{}}
	from = slices.DeleteFunc(slices.Clone(from), func(it *Item) bool { return !it.cites || !it.live() })
	for _, it := range from {
		for _, key := range a.unknownItems(it) {
			found = append(room(found), brenner.Diagnostic{
				Code: brenner.CodeDanglingReference, Severity: brenner.SeverityWarning, Subject: string(it.ID()),
				Message: string(it.ID()) + " names " + clip(key) + ", which is not an item of this session",
				Hint:    "correct the id, or add the item",
			})
		}
		for _, r := range it.References() {
			if target, known := w.find(place{r.Session, r.Item}); known && target == nil {
				found = append(room(found), brenner.Diagnostic{
					Code: brenner.CodeDanglingReference, Severity: brenner.SeverityWarning, Subject: string(it.ID()),
					Message: string(it.ID()) + " " + r.Relation + " " + string(r.Session) + " " + string(r.Item) + ", which does not exist",
					Hint:    "correct the session or the item",
				})
			}
		}
	}
	for _, it := range from {
		if it.field("references") == nil {
			continue
		}
		if circle := w.circle(place{a.meta.SessionID, it.ID()}); circle != "" {
			found = append(room(found), brenner.Diagnostic{
				Code: brenner.CodeReferenceCycle, Severity: brenner.SeverityWarning, Subject: string(it.ID()),
				Message: "references go in a circle: " + circle,
				Hint:    "take one of them out with references_replace",
			})
		}
	}
	return found
}

// unknownItems lists the ids in an item's maps and conflicts_with that name no
// item.
func (a *Artifact) unknownItems(it *Item) []string {
	var unknown []string
	var seen stringSet
	check := func(id string) {
		if _, ok := a.Item(ItemID(id)); !ok && !seen.has(id) {
			seen.add(id)
			unknown = append(unknown, id)
		}
	}
	for i := range it.fields {
		f := &it.fields[i]
		if f.field == unknownField || !schemas[it.section].Fields[f.field].Items {
			continue
		}
		for _, c := range f.cells() {
			if c.key != Whichever && (c.dropped != nil || !c.gone()) {
				check(c.key)
			}
		}
		for _, el := range f.list() {
			check(unquote(el))
		}
	}
	return unknown
}

// place is an item in a session.
type place struct {
	session brenner.SessionID
	item    ItemID
}

// walk finds circles by depth-first search with a stack of its own, so that a
// long chain cannot exhaust the goroutine's.
type walk struct {
	home   *Artifact
	others func(brenner.SessionID) *Artifact
	known  map[brenner.SessionID]*Artifact
	state  map[place]int // 1 = on the path, 2 = done
}

// find gives the item of a place, nil if it does not exist, and whether that
// can be known.
func (w *walk) find(p place) (it *Item, known bool) {
	a := w.home
	if p.session != a.meta.SessionID {
		a = w.session(p.session)
	}
	if a == nil {
		return nil, false
	}
	it, _ = a.Item(p.item)
	return it, true
}

func (w *walk) session(id brenner.SessionID) *Artifact {
	if w.others == nil {
		return nil
	}
	a, ok := w.known[id]
	if !ok {
		a = w.others(id)
		w.known[id] = a
	}
	return a
}

// circle gives the first circle met from a place, "" if there is none that was
// not reported before.
func (w *walk) circle(start place) string {
	type step struct {
		at   place
		next []Reference
	}
	if w.state[start] != 0 {
		return ""
	}
	enter := func(p place) step {
		w.state[p] = 1
		it, _ := w.find(p)
		if it == nil || !it.live() {
			return step{at: p}
		}
		return step{p, it.References()}
	}
	path, found := []step{enter(start)}, ""
	for len(path) > 0 {
		top := &path[len(path)-1]
		if len(top.next) == 0 {
			w.state[top.at] = 2
			path = path[:len(path)-1]
			continue
		}
		to := place{top.next[0].Session, top.next[0].Item}
		top.next = top.next[1:]
		switch w.state[to] {
		case 0:
			path = append(path, enter(to))
		case 1:
			if found == "" {
				i := slices.IndexFunc(path, func(s step) bool { return s.at == to })
				var names []string
				for _, s := range path[i:] {
					names = append(names, string(s.at.item))
				}
				found = clip(strings.Join(append(names, string(to.item)), " → "))
			}
		}
	}
	return found
}
