package delta

import (
	"slices"

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

// outcomeOf names a delta in its outcome.
func outcomeOf(in *Entry) Outcome {
	d := &in.Delta
	return Outcome{DeltaID: d.DeltaID, MessageID: in.Message, Agent: d.Agent, Operation: d.Operation}
}

// tell makes the outcomes. It goes through the deltas as they were given, so
// that what is largest of all is written from front to back.
func (m *merge) tell() []Outcome {
	all := m.outcomes
	for i := range m.deltas {
		if i%fetched == 0 {
			for _, at := range m.places[i:min(i+fetched, len(m.places))] {
				if at != noPlace {
					m.seen += int(m.work[at].status)
				}
			}
		}
		if at := m.places[i]; at != noPlace {
			m.outcome(&all[i], at)
		}
	}
	for i := range m.early {
		all[m.early[i].index] = m.early[i].Outcome
	}
	for i := range m.work {
		if w := &m.work[i]; w.repeats {
			share(all, copyOf{w.index, m.work[m.repeats[int32(i)]].index}, w.entry.id)
		}
	}
	for _, c := range m.copies { // a repetition may have copies
		share(all, c, all[c.first].DeltaID)
	}
	return all
}

// outcome says what became of a delta that was folded.
func (m *merge) outcome(o *Outcome, at int32) {
	w := &m.work[at]
	*o = outcomeOf(&m.deltas[w.index])
	switch {
	case w.fault != nil:
		o.reject(w.fault)
	case w.waits:
		m.awaits(w, o)
	case w.said:
		o.Status, o.Item = Duplicate, m.said[at].itemID()
	default:
		o.Status, o.Item = statuses[w.status], w.item
		if w.status == skipped {
			m.skipped(w, o)
		}
	}
}

// weigh says of each delta of an item what became of it. That is done as soon
// as the item is built, while all that it rests on is at hand: one by one, in
// their order, the deltas would have to look for it again.
func (m *merge) weigh(d *draft) {
	it, opened := d.item, false
	for i := d.kills; i > 0; i = m.work[i-1].next {
		m.work[i-1].became(skipped, d)
	}
	if d.kill > 0 && it.kills[0] == m.work[d.kill-1].entry {
		m.work[d.kill-1].status = applied
	}
	for i := d.edits; i > 0; i = m.work[i-1].next {
		w := &m.work[i-1]
		switch {
		case w.entry.op == opAdd:
			w.became(applied, d)
		case it.hides(w.entry):
			w.became(skipped, d)
		default:
			if !opened {
				m.judge.open(it, m.lookup)
				opened = true
			}
			w.became(m.judge.edit(w.entry), d)
		}
	}
}

func (w *work) became(status fate, d *draft) {
	w.status, w.item, w.entry.item = status, d.item.id, d.number
}

// awaits says what a delta waits for.
func (m *merge) awaits(w *work, o *Outcome) {
	awaited := w.entry.awaited()
	n, _ := scoped(w.entry.agent, awaited)
	o.Status, o.Code, o.Pointer = Waiting, brenner.CodeTargetAwaited, "/target_id"
	o.Message = "no ADD of " + string(n.agent) + " has brought " + n.id + " yet"
	o.Hint = "it is taken in together with that ADD; check the name if the ADD was sent already"
	if owner := m.owner(n.id); owner != "" && owner != n.agent {
		o.Hint = m.meantBy(n.id)
	} else if id := hyphenated(awaited); id != "" {
		o.Hint = "if the item " + id + " is meant, write target_id " + id + "; otherwise " + o.Hint
	}
}

// skipped says which death a delta came after.
func (m *merge) skipped(w *work, o *Outcome) {
	death := m.draft(slot{w.entry.section, w.number}).item.kills[0]
	if w.entry.kills() {
		o.Message = "the item was killed already by " + string(death.agent)
		return
	}
	o.Code, o.Pointer = brenner.CodeTargetKilled, "/target_id"
	o.Message = string(o.Item) + " was killed by " + string(death.agent) + " at " + FormatInstant(death.at())
	o.Hint = "add a new item with the content, if it should live again"
}

// judge says which recorded edits of one item show. It remembers what it looks
// up, so that judging all edits of an item takes time in proportion to them.
type judge struct {
	item     *Item
	names    resolver
	rivals   map[*entry]bool     // in conflict over some field
	find     finder[registerKey] // places in fields of the unknown ones, if there are many; likewise
	cells    *[maxFields]finder[registerKey]
	sets     *[maxFields]*stringSet // of list fields with many elements
	replaced *[maxFields]*entry     // the last replacement of each list
}

// open readies a judge for an item.
func (j *judge) open(it *Item, names resolver) {
	*j = judge{item: it, names: names}
	contend := func(rival []candidate) {
		if rival != nil && j.rivals == nil {
			j.rivals = make(map[*entry]bool, len(rival))
		}
		for i := range rival {
			j.rivals[rival[i].entry] = true
		}
	}
	for i := range it.fields {
		f := &it.fields[i]
		contend(f.rival())
		for k := range f.cells() {
			contend(f.cells()[k].rival)
		}
	}
	if len(it.fields) > few {
		j.find = newFinder[registerKey](len(it.fields))
		for i := range it.fields {
			if k := j.fieldKey(int32(i)); k.field == unknownField {
				j.find.add(k, k.hash(), int32(i), j.fieldKey)
			}
		}
	}
}

// fieldKey gives the key of the field at a place.
func (j *judge) fieldKey(at int32) registerKey {
	f := &j.item.fields[at]
	return registerKey{f.field, f.name()}
}

// few are searched in line, more by means of a map.
const few = 16

func (j *judge) field(w *write) *shown {
	if w.field != unknownField { // these stand first, and are few
		return j.item.field(schemas[j.item.section].Fields[w.field].Name)
	}
	if k := (registerKey{unknownField, w.key}); len(j.item.fields) > few {
		at, _ := j.find.find(k, k.hash(), j.fieldKey)
		return &j.item.fields[at]
	}
	return j.item.field(w.key)
}

func (j *judge) cell(w *write, key string) *cell {
	cells := j.field(w).cells()
	if len(cells) > few {
		k, keyOf := registerKey{w.field, key}, func(at int32) registerKey { return registerKey{w.field, cells[at].key} }
		find := j.cellsOf(w.field, cells, keyOf)
		at, _ := find.find(k, k.hash(), keyOf)
		return &cells[at]
	}
	return &cells[slices.IndexFunc(cells, func(c cell) bool { return c.key == key })]
}

// cellsOf finds the many cells of a field.
func (j *judge) cellsOf(field uint8, cells []cell, keyOf func(at int32) registerKey) *finder[registerKey] {
	if j.cells == nil {
		j.cells = new([maxFields]finder[registerKey])
	}
	find := &j.cells[field]
	if find.used == 0 {
		*find = newFinder[registerKey](len(cells))
		for i := range cells {
			k := keyOf(int32(i))
			find.add(k, k.hash(), int32(i), keyOf)
		}
	}
	return find
}

// edit judges one recorded edit.
func (j *judge) edit(e *entry) fate {
	if j.rivals[e] {
		return conflicted
	}
	for i := range e.writes {
		if j.shows(e, &e.writes[i]) {
			return applied
		}
	}
	return superseded
}

func (j *judge) shows(e *entry, w *write) bool {
	items := w.field != unknownField && schemas[j.item.section].Fields[w.field].Items
	switch {
	case w.isList():
		return j.listShows(e, w, items)
	case w.key != "" && w.field != unknownField:
		key := w.key
		if items {
			key = j.names.resolve(e.agent, key)
		}
		c := j.cell(w, key)
		if w.mode == drop {
			return c.dropped == e
		}
		return c.dropped == nil && c.rival == nil && c.value == w.value
	}
	f := j.field(w)
	return f.rival() == nil && f.value == w.value
}

// listShows: a union shows if any of its elements does; a replacement also if
// it is the last one, for then what is missing is its doing.
func (j *judge) listShows(e *entry, w *write, items bool) bool {
	list := j.field(w).list()
	for _, el := range appendElements(nil, w.value) {
		if id := unquote(el); items && isName(id) {
			el = quote(j.names.resolve(e.agent, id))
		}
		if j.contains(list, w.field, el) {
			return true
		}
	}
	return w.mode == replace && j.lastReplace(w.field) == e
}

func (j *judge) contains(list []string, field uint8, element string) bool {
	if len(list) <= few {
		return slices.Contains(list, element)
	}
	if j.sets == nil {
		j.sets = new([maxFields]*stringSet)
	}
	if j.sets[field] == nil {
		set := newSet(list)
		j.sets[field] = &set
	}
	return j.sets[field].has(element)
}

func (j *judge) lastReplace(field uint8) *entry {
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
