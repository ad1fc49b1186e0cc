package history

import (
	"sync"

	"brenner"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
)

// outlines remember of records that a search has looked at, with their texts, which three
// bytes follow on each other somewhere in them, in lower case: another search need not look
// at those that cannot say what it looks for. They are bits of hashes, from which no text can be
// read back. A record never changes; but a text of it may be redacted, and then says that it
// was: so everything is forgotten when something was redacted. The zero outlines are empty; they
// are safe for concurrent use.
type outlines struct {
	mu       sync.Mutex
	position int64 // of the journal, up to which it is known whether something was redacted
	of       map[int64]*outline
}

// mostOutlines is of how many records there are outlines, then they begin anew: 256 bytes each.
const mostOutlines = 2 * brenner.MaxRecordsSearched

// outline has a bit for the hash of every three bytes of a record that follow on each other.
type outline [32]uint64

// add takes in bytes that are in lower case.
func (o *outline) add(lowered []byte) {
	for i := 2; i < len(lowered); i++ {
		bit := bitOf(lowered[i-2], lowered[i-1], lowered[i])
		o[bit/64] |= 1 << (bit % 64)
	}
}

// may reports whether a record may have some bytes. It knows nothing about fewer than three.
func (o *outline) may(part []byte) bool {
	for i := 2; i < len(part); i++ {
		bit := bitOf(part[i-2], part[i-1], part[i])
		if o[bit/64]&(1<<(bit%64)) == 0 {
			return false
		}
	}
	return true
}

// bitOf gives one of 2048.
func bitOf(a, b, c byte) uint32 {
	return (uint32(a) | uint32(b)<<8 | uint32(c)<<16) * 2654435761 >> 21
}

// open brings the outlines to where a call stands in the journal.
func (o *outlines) open(c *kernel.Call) error {
	o.mu.Lock()
	from, empty := o.position, len(o.of) == 0
	o.mu.Unlock()
	if from >= c.Position {
		return nil
	}
	var redacted []store.Record
	if !empty {
		var err error
		q := store.RecordQuery{Kind: ledger.ContentRedacted.Name, After: from, Before: c.Position + 1, Limit: 1}
		if redacted, err = c.FindRecords(c.Ctx, q); err != nil {
			return err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.position == from {
		o.position = c.Position
		if len(redacted) > 0 || o.of == nil {
			o.of = map[int64]*outline{}
		}
	}
	return nil
}

// find gives the outline of a record, or nil.
func (o *outlines) find(seq int64) *outline {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.of[seq]
}

// keep remembers the outline of a record as a call has read it. One that stands before what
// others have seen may have read what has been redacted since.
func (o *outlines) keep(c *kernel.Call, seq int64, drawn *outline) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.position != c.Position {
		return
	}
	if len(o.of) >= mostOutlines {
		o.of = map[int64]*outline{}
	}
	o.of[seq] = drawn
}
