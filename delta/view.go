package delta

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
)

// shown is what one field shows.
type shown struct {
	section uint8
	field   uint8  // place in the schema, unknownField if it has none
	value   string // canonical JSON; "" if unsettled
	parts   *parts // what is not one settled value of a known field
}

// parts are the elements of a list, the cells of a map, the values between
// which nothing decides, and the name of an unknown field.
type parts struct {
	name  string
	list  []string
	cells []cell
	rival []candidate
}

func (f *shown) name() string {
	if f.field == unknownField {
		return f.parts.name
	}
	return schemas[f.section].Fields[f.field].Name
}

func (f *shown) list() []string {
	if f.parts == nil {
		return nil
	}
	return f.parts.list
}

func (f *shown) cells() []cell {
	if f.parts == nil {
		return nil
	}
	return f.parts.cells
}

func (f *shown) rival() []candidate {
	if f.parts == nil {
		return nil
	}
	return f.parts.rival
}

// cell is what one key of a map field shows.
type cell struct {
	key     string
	value   string
	rival   []candidate
	dropped *entry // the KILL of this cell, if it is the latest write
}

// removed is the value by which an EDIT takes a key out of a map (D5).
const removed = "null"

// gone says whether the key shows no more: it was killed or taken out.
func (c *cell) gone() bool { return c.dropped != nil || c.rival == nil && c.value == removed }

// candidate is a value and the delta that gave it.
type candidate struct {
	entry *entry
	value string
}

// Candidate is one of the values between which nothing decides (D10).
type Candidate struct {
	Value   jsontext.Value    `json:"value"`
	Agent   brenner.ActorName `json:"agent"`
	Instant time.Time         `json:"-"`
	At      string            `json:"instant"`
	DeltaID string            `json:"delta"`
	Message string            `json:"message,omitzero"`
}

func (c *candidate) export() Candidate {
	return Candidate{
		Value: jsontext.Value(c.value), Agent: c.entry.agent, Instant: c.entry.at(), At: FormatInstant(c.entry.at()),
		DeltaID: c.entry.id, Message: c.entry.message,
	}
}

func (f *shown) text() string { return showValue(f.value, f.rival()) }
func (c *cell) text() string  { return showValue(c.value, c.rival) }

// showValue gives a string as its text and any other value as its JSON.
func showValue(value string, rival []candidate) string {
	switch {
	case rival != nil:
		return Unsettled
	case value == "":
		return ""
	case value[0] == '"':
		return unquote(value)
	}
	return value
}

// resolver turns a provisional id into the id it was given, in the scope of
// the agent that used it.
type resolver func(agent brenner.ActorName, id string) (ItemID, bool)

// resolve gives the id behind a key: itself unless it is a provisional id that
// is bound.
func (r resolver) resolve(agent brenner.ActorName, key string) string {
	if !isName(key) {
		return key
	}
	if id, ok := r(agent, key); ok {
		return string(id)
	}
	return key
}

// register collects the writes of one field, or of one key, that show.
type register struct {
	field uint8
	key   string      // of a map field; the name of an unknown field
	top   []candidate // those of the greatest rank so far
	drop  *entry      // the KILL of a cell, if it is the latest write
	old   string      // what a dropped cell held
}

// write takes the next write in order.
func (r *register) write(e *entry, w *write) {
	if w.mode == drop {
		if r.drop == nil {
			if r.old, _ = r.settle(); r.old == removed {
				r.old = ""
			}
			r.drop, r.top = e, r.top[:0]
		}
		return
	}
	if n := len(r.top); n > 0 && outranks(e, r.top[n-1].entry) {
		r.top = r.top[:0]
	}
	r.drop = nil
	r.top = append(r.top, candidate{e, w.value})
}

// outranks says whether the later of two writes in order wins outright. What
// an ADD says gives way to any edit; a delta that gives one key two values,
// once by its id and once by a provisional id, conflicts with itself.
func outranks(later, earlier *entry) bool {
	return later != earlier && (earlier.op == opAdd || compareRank(earlier, later) != 0)
}

// settle gives the value that shows, or the candidates between which nothing
// decides (D10).
func (r *register) settle() (string, []candidate) {
	if len(r.top) == 0 {
		return "", nil
	}
	if len(r.top) == 1 {
		return r.top[0].value, nil
	}
	rivals := latestOfMessage(r.top)
	for _, c := range rivals[1:] {
		if c.value != rivals[0].value {
			slices.SortFunc(rivals, compareCandidates)
			return "", rivals
		}
	}
	return rivals[0].value, nil
}

// latestOfMessage keeps, of the writes of one agent in one message, those of
// the greatest seq.
func latestOfMessage(top []candidate) []candidate {
	type source struct {
		agent   brenner.ActorName
		message string
	}
	greatest := map[source]int{}
	for _, c := range top {
		s := source{c.entry.agent, c.entry.message}
		greatest[s] = max(greatest[s], c.entry.seq)
	}
	rivals := make([]candidate, 0, len(top))
	for _, c := range top {
		if c.entry.seq == greatest[source{c.entry.agent, c.entry.message}] {
			rivals = append(rivals, c)
		}
	}
	return rivals
}

func compareCandidates(a, b candidate) int {
	return cmp.Or(strings.Compare(a.value, b.value), compare(a.entry, b.entry))
}

// viewer computes what items show from their deltas. It is reused from item to
// item for the sake of its buffers.
type viewer struct {
	names     resolver
	section   int
	registers []register
	lists     []growing
	find      finder[registerKey] // used once there are many registers
	fields    []shown
	contended bool // some of them are unsettled
	elements  []string
	strings   arena[string]
	kept      arena[shown]
	parts     arena[parts]
	cells     arena[cell]
	tops      arena[candidate]
}

// growing is a list field while its writes are folded.
type growing struct {
	field uint8
	list  []string
	owned bool // the list is ours to grow
	have  stringSet
}

type registerKey struct {
	field uint8
	key   string
}

// show computes what the item shows: the writes not after its death, in order.
func (v *viewer) show(it *Item) {
	v.section, v.registers, v.lists, v.find = it.section, v.registers[:0], v.lists[:0], finder[registerKey]{}
	for _, e := range it.log {
		if it.hides(e) {
			continue
		}
		it.cites = it.cites || e.cites
		for i := range e.writes {
			v.take(e, &e.writes[i])
		}
	}
	it.fields = v.finish()
	it.contended, it.meets = v.contended, it.special()
	if it.section == atTests {
		it.score = totalScore(it)
	}
}

// hides says whether a delta came after the item's death. The ADD always
// shows: a kill older than the add counts as just after it.
func (it *Item) hides(e *entry) bool {
	return len(it.kills) > 0 && e.op != opAdd && compare(e, it.kills[0]) > 0
}

func (v *viewer) take(e *entry, w *write) {
	if w.isList() {
		v.takeList(e, w)
		return
	}
	key := w.key
	if key != "" && v.isItems(w.field) {
		key = v.names.resolve(e.agent, key)
	}
	v.register(w.field, key).write(e, w)
}

func (v *viewer) isItems(field uint8) bool {
	return field != unknownField && schemas[v.section].Fields[field].Items
}

// register finds or opens the register of a field or key. A few are searched
// in line; many through a map, so that a wide payload stays linear.
func (v *viewer) register(field uint8, key string) *register {
	if k := (registerKey{field, key}); len(v.registers) > few {
		if i, ok := v.find.find(k, k.hash(), v.registered); ok {
			return &v.registers[i]
		}
	} else {
		for i := range v.registers {
			if r := &v.registers[i]; r.field == field && r.key == key {
				return r
			}
		}
	}
	v.open(field, key)
	if n := int32(len(v.registers)); n == few+1 {
		for i := range n {
			v.enter(i)
		}
	} else if n > few {
		v.enter(n - 1)
	}
	return &v.registers[len(v.registers)-1]
}

// registered gives the key of the register at a place, and enter makes it found.
func (v *viewer) registered(at int32) registerKey {
	return registerKey{v.registers[at].field, v.registers[at].key}
}

func (v *viewer) enter(at int32) {
	k := v.registered(at)
	v.find.add(k, k.hash(), at, v.registered)
}

// open adds a register, with the buffer of an earlier one if there is one.
func (v *viewer) open(field uint8, key string) {
	n := len(v.registers)
	v.registers = room(v.registers)[:n+1]
	r := &v.registers[n]
	*r = register{field: field, key: key, top: r.top[:0]}
	if cap(r.top) == 0 {
		r.top = v.tops.take(1)[:0]
	}
}

// takeList folds the next write of a list: a union appends what is new; a
// replacement keeps, in place, what it repeats and drops the rest. A value is
// thus present if its latest add is not older than the latest replacement
// lacking it, and stands where its first surviving add put it (D5).
func (v *viewer) takeList(e *entry, w *write) {
	v.elements = appendElements(v.elements[:0], w.value)
	if v.isItems(w.field) {
		v.resolve(e, v.elements)
	}
	i := slices.IndexFunc(v.lists, func(l growing) bool { return l.field == w.field })
	if i < 0 {
		i = len(v.lists)
		v.lists = append(v.lists, growing{field: w.field})
	}
	v.lists[i].fold(w.mode, v.elements, &v.strings)
}

func (l *growing) fold(mode writeMode, elements []string, kept *arena[string]) {
	if l.list == nil && (len(elements) < 2 || distinct(elements)) {
		l.list = kept.keep(elements) // the first write, as it is
		return
	}
	if !l.owned {
		l.list, l.owned = slices.Clone(l.list), true
		l.have = newSet(l.list)
	}
	if mode == replace {
		keep := newSet(elements)
		l.list = slices.DeleteFunc(l.list, func(el string) bool { return !keep.has(el) })
		l.have = newSet(l.list)
	}
	for _, el := range elements {
		if !l.have.has(el) {
			l.have.add(el)
			l.list = append(l.list, el)
		}
	}
}

// distinct says whether no element of a short list occurs twice.
func distinct(elements []string) bool {
	const short = 8
	if len(elements) > short {
		return false
	}
	for i := range elements {
		if slices.Contains(elements[:i], elements[i]) {
			return false
		}
	}
	return true
}

// resolve puts the ids behind provisional ones into a list.
func (v *viewer) resolve(e *entry, elements []string) {
	for i, el := range elements {
		if id := unquote(el); isName(id) {
			elements[i] = quote(v.names.resolve(e.agent, id))
		}
	}
}

// finish settles the registers and puts the fields into order: known ones as
// in the schema, then the others by name.
func (v *viewer) finish() []shown {
	v.fields, v.contended = v.fields[:0], false
	for i := range v.lists {
		v.opened(v.lists[i].field).list = v.lists[i].list
	}
	var cells [maxFields]int // how many each map field has
	for i := range v.registers {
		if r := &v.registers[i]; r.field != unknownField {
			cells[r.field]++
		}
	}
	var maps [maxFields]*parts
	for i := range v.registers {
		r := &v.registers[i]
		value, rival := r.settle()
		v.contended = v.contended || rival != nil
		switch {
		case r.field == unknownField:
			p := v.opened(r.field)
			p.name, p.rival = r.key, rival
			v.fields[len(v.fields)-1].value = value
		case r.key == "" && rival == nil:
			v.fields = append(v.fields, shown{section: uint8(v.section), field: r.field, value: value})
		case r.key == "":
			v.opened(r.field).rival = rival
		default:
			if maps[r.field] == nil {
				maps[r.field] = v.opened(r.field)
				maps[r.field].cells = v.cells.take(cells[r.field])[:0]
			}
			if r.drop != nil {
				value = r.old
			}
			maps[r.field].cells = append(maps[r.field].cells, cell{r.key, value, rival, r.drop})
		}
	}
	for i := range v.fields {
		if f := &v.fields[i]; len(f.cells()) > 1 {
			sortCells(f, v.section)
		}
	}
	sortByKey(v.fields, func(f shown) sortKey {
		if f.field != unknownField {
			return sortKey{class: int(f.field)}
		}
		return sortKey{unknownField, beginning(f.name()), f.name()}
	})
	return v.kept.keep(v.fields)
}

// opened adds a field that has parts.
func (v *viewer) opened(field uint8) *parts {
	p := v.parts.one()
	*p = parts{}
	v.fields = append(v.fields, shown{section: uint8(v.section), field: field, parts: p})
	return p
}

// kind gives the kind of a field that shows.
func (it *Item) kind(f *shown) Kind {
	if f.field == unknownField {
		return KindOpaque
	}
	return schemas[it.section].Fields[f.field].Kind
}

func sortCells(f *shown, section int) {
	if schemas[section].Fields[f.field].Kind == KindScore {
		slices.SortFunc(f.cells(), func(a, b cell) int {
			return slices.Index(scoreParts, a.key) - slices.Index(scoreParts, b.key)
		})
		return
	}
	sortByKey(f.cells(), func(c cell) sortKey {
		if s, n, ok := parseItemID(c.key); ok {
			return sortKey{class: s, number: uint64(n)}
		}
		return sortKey{sectionCount, beginning(c.key), c.key}
	})
}

// totalScore adds up the parts of a score; an unsettled part counts nothing.
func totalScore(it *Item) float64 {
	total := 0.0
	for _, c := range it.mapCells("score") {
		if n, err := strconv.ParseFloat(c.value, 64); err == nil {
			total += n
		}
	}
	return total
}

// stringSet is a set searched in line while small.
type stringSet struct {
	few  []string
	many map[string]bool
}

func newSet(elements []string) stringSet {
	var s stringSet
	for _, el := range elements {
		s.add(el)
	}
	return s
}

func (s *stringSet) has(el string) bool {
	if s.many != nil {
		return s.many[el]
	}
	return slices.Contains(s.few, el)
}

func (s *stringSet) add(el string) {
	if s.many != nil {
		s.many[el] = true
		return
	}
	s.few = append(s.few, el)
	if len(s.few) > 16 {
		s.many = make(map[string]bool, 2*len(s.few))
		for _, e := range s.few {
			s.many[e] = true
		}
	}
}
