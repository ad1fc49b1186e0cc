package delta

import (
	"strings"
	"time"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
)

// entry is a delta that passed every check that needs no artifact, with its
// payload broken into writes. It is immutable once a merge has returned, and
// shared between versions. There are many, and every pass of a merge goes
// through them: they are kept small, what decides their order in front.
type entry struct {
	second  int64 // of the effective instant (D11)
	nanos   int32
	rank    int32 // of the agent in the priority list
	op      op
	section uint8
	cellAt  uint8 // where the key of a cell begins in targetID, 0 for a whole item
	cites   bool  // some field of its payload names items
	number  int32 // of the item it names, 0 if provisional or none
	seq     int
	agent   brenner.ActorName
	id      string // delta_id

	message     string
	targetID    Target
	provisional string // provisional_id of an ADD
	payload     string // canonical
	writes      []write
	timestamp   string // as sent
	rationale   string
	hash        *brenner.Digest // of the content, once needed, until its merge returns
	item        int32           // number of the item it was recorded in
}

// op is an Operation, in the order in which those of one instant take their
// turn: a kill frees its place before an add takes it, and an edit can meet an
// item added at that instant.
type op uint8

const (
	opKill op = iota
	opAdd
	opEdit
)

var operations = [...]Operation{Kill, Add, Edit}

func opOf(o Operation) op {
	switch o {
	case Kill:
		return opKill
	case Add:
		return opAdd
	}
	return opEdit
}

// at is the effective instant.
func (e *entry) at() time.Time { return time.Unix(e.second, int64(e.nanos)).UTC() }

// cell is the key of the prediction cell that the delta is about, "" for a
// whole item.
func (e *entry) cell() string {
	if e.cellAt == 0 {
		return ""
	}
	return string(e.targetID[e.cellAt:])
}

// awaited is the provisional id that the delta names as its target, "" if it
// names none.
func (e *entry) awaited() string {
	switch {
	case e.op == opAdd || e.number > 0:
		return ""
	case e.cellAt > 0:
		return string(e.targetID[:e.cellAt-1])
	}
	return string(e.targetID)
}

// kills says whether the delta kills an item, not only a cell.
func (e *entry) kills() bool { return e.op == opKill && e.cellAt == 0 }

// where is the section of the delta.
func (e *entry) where() Section { return schemas[e.section].Section }

// itemID is the item it was recorded in.
func (e *entry) itemID() ItemID { return slot{e.section, e.item}.id() }

// sent is the delta as it was sent, its payload in canonical form.
func (e *entry) sent() Delta {
	d := Delta{
		DeltaID: e.id, Timestamp: e.timestamp, Agent: e.agent, Operation: operations[e.op], TargetID: e.targetID,
		Section: e.where(), Rationale: e.rationale, ProvisionalID: e.provisional, Seq: e.seq,
	}
	if e.payload != "" {
		d.Payload = jsontext.Value(e.payload)
	}
	return d
}

// write is one change of one field, or of one key of a map field.
type write struct {
	key   string // of a map field; the name of an unknown field
	value string // canonical JSON
	field uint8  // place in the schema, or unknownField
	mode  writeMode
}

func (w *write) isList() bool { return w.mode == union || w.mode == replace }

// maxFields is more than any schema has; unknownField stands after them all.
const (
	maxFields    = 16
	unknownField = maxFields
)

type writeMode uint8

const (
	set     writeMode = iota // value becomes the value
	union                    // the elements of value are added
	replace                  // value becomes the list
	drop                     // the key is killed
)

// Check reports what is wrong with a delta as far as it can be known without
// an artifact: its form, its section's rules, its values. Findings that do not
// stop it come back as warnings.
func Check(d Delta) ([]brenner.Diagnostic, error) { return check(d, false) }

// check is Check; with parts, an EDIT may have replacements in place of texts.
func check(d Delta, parts bool) ([]brenner.Diagnostic, error) {
	c := compiler{parts: parts}
	at, ok := parseInstant(d.Timestamp)
	if _, err := c.compile(&d, at, ok, d.Agent.Check() == nil); err != nil {
		return nil, err
	}
	return c.warnings, nil
}

// compiler checks deltas and breaks them into writes. One serves many deltas,
// for the sake of its buffers.
type compiler struct {
	// recorded says that the deltas were admitted before. Rules about what may
	// be sent, which have grown stricter, do not hold for them.
	recorded bool
	// settled says that they stand for what an artifact shows: an item may begin
	// with a key taken out.
	settled bool
	// parts says that an EDIT may have replacements in place of texts, to be made
	// whole before it is merged.
	parts bool

	plain    plainScan
	pairs    []pair
	inner    []pair // of a map field
	elements []string
	writes   []write
	entries  arena[entry]
	kept     arena[write]

	// Of the delta at hand:
	entry    *entry
	schema   *Schema
	replaces []string // names of list fields to replace; "" = all
	warnings []brenner.Diagnostic
}

// compile checks a delta and gives it in pieces. at is the instant at which it
// counts; timed and named say whether its timestamp is one and its agent's name.
func (c *compiler) compile(d *Delta, at time.Time, timed, named bool) (*entry, *brenner.Error) {
	c.warnings = nil
	if err := d.checkForm(timed, named); err != nil {
		return nil, err
	}
	if !representable(at) {
		return nil, invalid("/timestamp", "the instant of receipt is outside years 0000 to 9999", "")
	}
	section := sectionIndex(d.Section)
	to, err := readTarget(d, section)
	if err != nil {
		return nil, err
	}
	payload, clean, err := c.plain.payload(d.Payload)
	if err != nil {
		return nil, err
	}
	if !c.recorded {
		if err := checkSent(d, to, payload, clean); err != nil {
			return nil, err
		}
	}
	e := c.entries.one()
	*e = entry{
		second: at.Unix(), nanos: int32(at.Nanosecond()), op: opOf(d.Operation), section: uint8(section), number: int32(to.number),
		seq: d.Seq, agent: d.Agent, id: d.DeltaID, targetID: d.TargetID, provisional: d.ProvisionalID, payload: payload,
		timestamp: d.Timestamp, rationale: d.Rationale,
	}
	if to.cell != "" {
		e.cellAt = uint8(len(d.TargetID) - len(to.cell))
	}
	c.entry, c.schema, c.replaces, c.writes = e, &schemas[section], c.replaces[:0], c.writes[:0]
	if err := c.payload(); err != nil {
		return nil, err
	}
	e.writes = c.kept.keep(c.writes)
	return e, nil
}

// checkSent refuses what may not be sent any more, though it was recorded once:
// garbled texts, and names that are no names.
func checkSent(d *Delta, to target, payload string, clean bool) *brenner.Error {
	if err := checkTexts(d, payload, clean); err != nil {
		return err
	}
	if err := checkName(d.ProvisionalID, "/provisional_id"); err != nil {
		return err
	}
	if err := checkName(to.provisional, "/target_id"); err != nil {
		if lookalike(to.provisional) == "null" {
			err.Hint = "name the item to change, for example " + schemas[to.section].Prefix + "1"
		}
		return err
	}
	return checkName(to.cell, "/target_id")
}

// arena hands out memory from chunks that grow, so that many small things cost
// few allocations. What was handed out is never moved.
type arena[T any] struct {
	free []T
	size int // of the last chunk
}

func (a *arena[T]) take(n int) []T {
	if n > len(a.free) {
		const most = 1024
		a.size = max(n, min(2*a.size, most), 1)
		a.free = make([]T, a.size)
	}
	taken := a.free[:n:n]
	a.free = a.free[n:]
	return taken
}

func (a *arena[T]) one() *T { return &a.take(1)[0] }

// keep copies a buffer that is about to be used again.
func (a *arena[T]) keep(buffer []T) []T {
	if len(buffer) == 0 {
		return nil
	}
	kept := a.take(len(buffer))
	copy(kept, buffer)
	return kept
}

// texts keeps texts in chunks that grow, as an arena does.
type texts struct {
	chunk strings.Builder
}

func (t *texts) keep(text []byte) string {
	if free := t.chunk.Cap() - t.chunk.Len(); free < len(text) {
		const most = 1 << 16
		size := max(len(text), min(2*t.chunk.Cap(), most))
		t.chunk = strings.Builder{}
		t.chunk.Grow(size)
	}
	from := t.chunk.Len()
	t.chunk.Write(text)
	return t.chunk.String()[from:]
}
