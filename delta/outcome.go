package delta

import (
	"brenner"
)

// Status says what became of a delta.
type Status string

// The statuses. Applied, superseded and conflicted deltas are recorded in the
// artifact; the others leave no trace.
const (
	Applied    Status = "applied"    // it shows, at least in part
	Superseded Status = "superseded" // recorded, but all it says was overwritten by later deltas
	Conflicted Status = "conflicted" // recorded, and part of it is a value in conflict
	Skipped    Status = "skipped"    // the item was killed before it
	Rejected   Status = "rejected"   // it broke a rule, named by the code
	Duplicate  Status = "duplicate"  // recorded already
	Waiting    Status = "waiting"    // for the ADD of the provisional id it names; offer it again
)

// Outcome says what became of one delta of a merge, and why.
type Outcome struct {
	DeltaID   string            `json:"delta_id,omitzero"`
	MessageID string            `json:"message_id,omitzero"`
	Agent     brenner.ActorName `json:"agent,omitzero"`
	Operation Operation         `json:"operation,omitzero"`
	Status    Status            `json:"status"`
	// Item is the item added or changed.
	Item    ItemID       `json:"item,omitzero"`
	Code    brenner.Code `json:"code,omitzero"`
	Message string       `json:"message,omitzero"`
	Hint    string       `json:"hint,omitzero"`
	Pointer string       `json:"pointer,omitzero"`
}

// Recorded says whether the delta is in the artifact because of this merge.
func (o *Outcome) Recorded() bool {
	return o.Status == Applied || o.Status == Superseded || o.Status == Conflicted
}

func (o *Outcome) reject(e *brenner.Error) {
	o.Status = Rejected
	o.Code, o.Message, o.Hint, o.Pointer = e.Code, e.Message, e.Hint, e.Pointer
}

// await says what a delta waits for.
func (o *Outcome) await(e *entry) {
	o.Status, o.Code, o.Pointer = Waiting, brenner.CodeTargetAwaited, "/target_id"
	o.Message = "no ADD of " + string(e.delta.Agent) + " has brought " + e.target.provisional + " yet"
	o.Hint = "it is taken in together with that ADD; check the name if the ADD was sent already"
}

// judge says which recorded edits of one item show. It remembers what it looks
// up, so that judging all edits of an item takes time in proportion to them.
type judge struct {
	item     *Item
	names    resolver
	rivals   map[*entry]bool       // in conflict over some field
	cells    map[registerKey]*cell // of map fields
	sets     [maxFields]*stringSet // of list fields
	replaced *[maxFields]*entry    // the last replacement of each list
}

func newJudge(it *Item, names resolver) *judge {
	j := &judge{item: it, names: names, rivals: map[*entry]bool{}, cells: map[registerKey]*cell{}}
	contend := func(rival []candidate) {
		for i := range rival {
			j.rivals[rival[i].entry] = true
		}
	}
	for i := range it.fields {
		f := &it.fields[i]
		contend(f.rival)
		for k := range f.cells {
			c := &f.cells[k]
			contend(c.rival)
			j.cells[registerKey{f.name, c.key}] = c
		}
	}
	return j
}

// edit judges one recorded edit.
func (j *judge) edit(e *entry) Status {
	if j.rivals[e] {
		return Conflicted
	}
	for i := range e.writes {
		if j.shows(e, &e.writes[i]) {
			return Applied
		}
	}
	return Superseded
}

func (j *judge) shows(e *entry, w *write) bool {
	items := w.field != unknownField && schemas[j.item.section].Fields[w.field].Items
	switch {
	case w.mode == union || w.mode == replace:
		return j.listShows(e, w, items)
	case w.key != "":
		key := w.key
		if items {
			key = j.names.resolve(e.delta.Agent, key)
		}
		c := j.cells[registerKey{w.name, key}]
		if w.mode == drop {
			return c.dropped == e
		}
		return c.dropped == nil && c.rival == nil && c.value == w.value
	}
	f := j.item.field(w.name)
	return f.rival == nil && f.value == w.value
}

// listShows: a union shows if any of its elements does; a replacement also if
// it is the last one, for then what is missing is its doing.
func (j *judge) listShows(e *entry, w *write, items bool) bool {
	if j.sets[w.field] == nil {
		set := newSet(j.item.field(w.name).list)
		j.sets[w.field] = &set
	}
	for _, el := range w.list {
		if id := unquote(el); items && isProvisional(id) {
			el = quote(j.names.resolve(e.delta.Agent, id))
		}
		if j.sets[w.field].has(el) {
			return true
		}
	}
	return w.mode == replace && j.lastReplace(w.field) == e
}

func (j *judge) lastReplace(field int) *entry {
	if j.replaced == nil {
		j.replaced = new([maxFields]*entry)
		for _, e := range j.item.log {
			for i := range e.writes {
				if w := &e.writes[i]; w.mode == replace && !j.item.hides(e) {
					j.replaced[w.field] = e
				}
			}
		}
	}
	return j.replaced[field]
}
