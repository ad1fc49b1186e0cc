package retrieval

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// An index is a set of segments, each made at once and never changed. A segment
// is a list of pages, which a database keeps as rows, and a Directory, which
// says what is on which page. Pages come in groups, in this order:
//
//   - columns: per document the length and the kind, columnsPerPage a page
//   - names: the artifact and version of each document, in order
//   - postings: the words in byte order, each with who has it how often
//
// Documents stand in order of artifact and version and are known inside the
// segment by their place, the ordinal.

// MaxPage bounds a page: a row of this size fits a page of either database.
const MaxPage = 7900

// columnsPerPage is how many documents one page of columns describes.
const columnsPerPage = 1900

// errDamaged is what reading a page gives that was not written by us.
var errDamaged = errors.New("a page of the full-text index is damaged")

func damaged(page int) error { return fmt.Errorf("%w: page %d", errDamaged, page) }

// cursor reads the parts of a page; after a part that is not there, bad stays
// true and everything reads as nothing.
type cursor struct {
	rest []byte
	bad  bool
}

func (c *cursor) uint() uint64 {
	if len(c.rest) > 0 && c.rest[0] < 0x80 { // most numbers are small
		n := c.rest[0]
		c.rest = c.rest[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(c.rest)
	if size <= 0 {
		c.bad, c.rest = true, nil
		return 0
	}
	c.rest = c.rest[size:]
	return n
}

// int32 reads a number that has to be a small one.
func (c *cursor) int32() int {
	n := c.uint()
	if n > 1<<31-1 {
		c.bad, c.rest = true, nil
		return 0
	}
	return int(n)
}

func (c *cursor) int() int64 {
	n := c.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (c *cursor) bytes(n int) []byte {
	if n < 0 || n > len(c.rest) {
		c.bad, c.rest = true, nil
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) text() string { return string(c.bytes(c.int32())) }

func appendUint(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)) }

func appendInt(b []byte, n int64) []byte { return binary.AppendVarint(b, n) }

func appendText(b []byte, s string) []byte { return append(appendUint(b, len(s)), s...) }

// shared is how many bytes two texts begin with alike.
func shared[A, B string | []byte](a A, b B) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
