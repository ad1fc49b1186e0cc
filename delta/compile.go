package delta

import (
	"time"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
)

// entry is a delta that passed every check that needs no artifact, with its
// payload broken into writes. It is immutable once a merge has returned, and
// shared between versions.
type entry struct {
	delta   Delta // without its payload
	payload string
	message string
	at      time.Time // the effective instant (D11)
	rank    int       // of the agent in the priority list
	target  target
	writes  []write
	item    ItemID         // the item it was recorded in
	turn    int            // its place in the merge that made it
	fresh   bool           // still belongs to that merge
	hash    brenner.Digest // of the content, once needed while fresh
}

// sent is the delta as it was sent, its payload in canonical form.
func (e *entry) sent() Delta {
	d := e.delta
	if e.payload != "" {
		d.Payload = jsontext.Value(e.payload)
	}
	return d
}

// write is one change of one field, or of one key of a map field.
type write struct {
	field int32 // place in the schema, or unknownField
	mode  writeMode
	key   string   // of a map field; the name of an unknown field
	value string   // canonical JSON
	list  []string // canonical JSON of each element
}

// maxFields is more than any schema has; unknownField stands after them all.
const (
	maxFields    = 16
	unknownField = maxFields
)

type writeMode uint8

const (
	set     writeMode = iota // value becomes the value
	union                    // list is added
	replace                  // list becomes the list
	drop                     // the key is killed
)

// Check reports what is wrong with a delta as far as it can be known without
// an artifact: its form, its section's rules, its values. Findings that do not
// stop it come back as warnings.
func Check(d Delta) ([]brenner.Diagnostic, error) {
	var c compiler
	at, ok := parseInstant(d.Timestamp)
	if _, err := c.compile(&d, at, ok); err != nil {
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

	names    map[brenner.ActorName]bool // names of agents, and whether they are valid
	plain    plainScan
	pairs    []pair
	inner    []pair // of a map field
	elements []string
	writes   []write
	entries  arena[entry]
	kept     arena[write]
	lists    arena[string]

	// Of the delta at hand:
	entry    *entry
	schema   *Schema
	replaces []string // names of list fields to replace; "" = all
	warnings []brenner.Diagnostic
}

// compile checks a delta and gives it in pieces. at is the instant at which it
// counts; timed says whether its timestamp is one.
func (c *compiler) compile(d *Delta, at time.Time, timed bool) (*entry, *brenner.Error) {
	c.warnings = nil
	if err := d.checkForm(timed, c.named(d.Agent)); err != nil {
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
	*e = entry{delta: *d, payload: payload, at: at, target: to}
	e.delta.Payload = nil
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

// named says whether an agent's name is valid, looking at each name once.
func (c *compiler) named(agent brenner.ActorName) bool {
	ok, known := c.names[agent]
	if known {
		return ok
	}
	if c.names == nil {
		c.names = map[brenner.ActorName]bool{}
	}
	ok = agent.Check() == nil
	c.names[agent] = ok
	return ok
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
