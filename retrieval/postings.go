package retrieval

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
)

// A posting says that a document has a word, and how often it counts.
type posting struct {
	ordinal uint32
	count   uint16
}

const (
	// blockPostings is how many postings stand in a block, which a search can
	// step over as a whole.
	blockPostings = 128
	// briefPostings is the length up to which a list is one block without a
	// description: most words are rare, and reading those few is as cheap.
	briefPostings = 16
	// restartEvery is how many entries of a page share beginnings with the one
	// before; each first of them is written out, so that a page can be halved.
	restartEvery = 16
)

// encodeBlock appends up to blockPostings postings: for each the distance from
// the one before, less 1, and in the lowest three bits the count less 1, 7
// standing for a larger one that follows.
func encodeBlock(b []byte, before int64, list []posting) []byte {
	for _, p := range list {
		gap := uint64(int64(p.ordinal)-before) - 1
		before = int64(p.ordinal)
		if p.count < 8 {
			b = binary.AppendUvarint(b, gap<<3|uint64(p.count-1))
			continue
		}
		b = binary.AppendUvarint(b, gap<<3|7)
		b = binary.AppendUvarint(b, uint64(p.count-8))
	}
	return b
}

// decodeBlock reads n postings into a list.
func decodeBlock(list []posting, data []byte, before int64, n int) ([]posting, bool) {
	if n > len(data) {
		return list, false
	}
	list = slices.Grow(list[:0], n)[:n]
	at := 0
	for i := range list {
		if at >= len(data) {
			return list[:i], false
		}
		v := uint64(data[at])
		at++
		if v >= 0x80 {
			v &= 0x7f
			for shift := 7; ; shift += 7 {
				if at >= len(data) || shift > 42 {
					return list[:i], false
				}
				b := uint64(data[at])
				at++
				v |= b & 0x7f << shift
				if b < 0x80 {
					break
				}
			}
		}
		count := v&7 + 1
		if count == 8 {
			more, size := binary.Uvarint(data[at:])
			if size <= 0 || more > maxCount-8 {
				return list[:i], false
			}
			count += more
			at += size
		}
		before += int64(v>>3) + 1
		if before > math.MaxInt32 {
			return list[:i], false
		}
		list[i] = posting{uint32(before), uint16(count)}
	}
	return list, true
}

// block is a stretch of a list of postings as it is stored.
type block struct {
	data   []byte
	n      int
	before int64 // the last ordinal of the block before it, -1 if there is none
	last   int64
	// most and shortest bound what any posting of the block adds: the greatest
	// count and the least length in it.
	most, shortest uint16
}

// part is what one page says about a word.
type part struct {
	n      int   // postings
	adjust int64 // see Builder.Remove
	rest   []byte
}

// blocks reads the blocks of a part. The lengths of documents are needed for
// the bounds of a brief list.
func (p part) blocks(list []block, lengths []uint16, scratch []posting) ([]block, bool) {
	if p.n == 0 {
		return list, true
	}
	if p.n <= briefPostings {
		all, ok := decodeBlock(scratch[:0], p.rest, -1, p.n)
		if !ok {
			return list, false
		}
		b := block{data: p.rest, n: p.n, before: -1, shortest: maxLength}
		for _, one := range all {
			if int(one.ordinal) >= len(lengths) {
				return list, false
			}
			b.last = int64(one.ordinal)
			b.most, b.shortest = max(b.most, one.count), min(b.shortest, lengths[one.ordinal])
		}
		return append(list, b), true
	}
	c := cursor{rest: p.rest}
	before := int64(c.int32()) - 1
	for left := p.n; left > 0 && !c.bad; left -= blockPostings {
		b := block{before: before, n: min(left, blockPostings)}
		b.last = before + int64(c.int32())
		b.most, b.shortest = uint16(c.int32()), uint16(c.int32())
		b.data = c.bytes(c.int32())
		before = b.last
		list = append(list, b)
	}
	return list, !c.bad && before < int64(len(lengths))
}

// pageWriter fills pages with entries.
type pageWriter struct {
	pages    [][]byte
	first    []string // word of each page
	page     []byte
	restarts []uint16
	entries  int
	previous string
	lengths  []uint16
}

// add writes the list of a word, cut into parts where a page is full.
func (w *pageWriter) add(word string, list []posting, adjust int64) {
	if len(list) <= briefPostings {
		body := appendUint(nil, len(list))
		body = appendInt(body, adjust)
		w.entry(word, encodeBlock(body, -1, list))
		return
	}
	before := int64(-1)
	for len(list) > 0 {
		room := w.room(word)
		if room < MaxPage/8 {
			w.flush()
			room = w.room(word)
		}
		body, n, last := w.part(list, before, room)
		head := appendUint(nil, n)
		head = appendInt(head, adjust)
		head = appendUint(head, int(before+1))
		w.entry(word, append(head, body...))
		before, adjust, list = last, 0, list[n:]
		if len(list) > 0 {
			w.flush()
			if len(list) <= briefPostings {
				w.tail(word, list)
				return
			}
		}
	}
}

// tail writes what is left of a long list where it is brief: as a list of its
// own.
func (w *pageWriter) tail(word string, list []posting) {
	w.entry(word, encodeBlock(appendInt(appendUint(nil, len(list)), 0), -1, list))
}

// part encodes as many blocks of a list as fit, one at least, and never leaves
// a number of postings that would be read as a brief list.
func (w *pageWriter) part(list []posting, before int64, room int) (body []byte, n int, last int64) {
	for n < len(list) {
		some := list[n:min(n+blockPostings, len(list))]
		most, shortest := uint16(0), uint16(maxLength)
		for _, p := range some {
			most, shortest = max(most, p.count), min(shortest, w.lengths[p.ordinal])
		}
		end := int64(some[len(some)-1].ordinal)
		data := encodeBlock(nil, before, some)
		var b []byte
		b = appendUint(b, int(end-before))
		b = appendUint(b, int(most))
		b = appendUint(b, int(shortest))
		b = append(appendUint(b, len(data)), data...)
		if n > 0 && len(body)+len(b) > room {
			break
		}
		body, n, before = append(body, b...), n+len(some), end
	}
	return body, n, before
}

// room is what the page still holds for the body of an entry.
func (w *pageWriter) room(word string) int {
	return MaxPage - len(w.page) - len(word) - 2*len(w.restarts) - 32
}

func (w *pageWriter) entry(word string, body []byte) {
	if w.entries > 0 && w.room(word) < len(body) {
		w.flush()
	}
	same := 0
	if w.entries%restartEvery == 0 {
		w.restarts = append(w.restarts, uint16(len(w.page)))
	} else {
		same = shared(w.previous, word)
	}
	if w.entries == 0 {
		w.first = append(w.first, word)
	}
	w.page = appendUint(w.page, same)
	w.page = appendText(w.page, word[same:])
	w.page = append(appendUint(w.page, len(body)), body...)
	w.previous = word
	w.entries++
}

func (w *pageWriter) flush() {
	if w.entries == 0 {
		return
	}
	for _, r := range w.restarts {
		w.page = binary.LittleEndian.AppendUint16(w.page, r)
	}
	w.page = binary.LittleEndian.AppendUint16(w.page, uint16(len(w.restarts)))
	w.pages = append(w.pages, w.page)
	w.page, w.restarts, w.entries = nil, w.restarts[:0], 0
}

// postingsPage reads a page of postings.
type postingsPage struct {
	entries  []byte
	restarts []byte
}

func openPage(data []byte) (postingsPage, bool) {
	if len(data) < 2 {
		return postingsPage{}, false
	}
	n := int(binary.LittleEndian.Uint16(data[len(data)-2:]))
	at := len(data) - 2 - 2*n
	if n == 0 || at < 0 {
		return postingsPage{}, false
	}
	return postingsPage{data[:at], data[at : len(data)-2]}, true
}

// at gives the entries from a restart on.
func (p postingsPage) at(restart int) cursor {
	from := int(binary.LittleEndian.Uint16(p.restarts[2*restart:]))
	if from > len(p.entries) {
		return cursor{bad: true}
	}
	return cursor{rest: p.entries[from:]}
}

// next reads an entry; word is the one before it, and is overwritten.
func (c *cursor) next(word []byte) ([]byte, part) {
	word, body := c.entry(word)
	return word, c.part(body)
}

// entry reads the word of an entry, and what stands under it.
func (c *cursor) entry(word []byte) ([]byte, []byte) {
	same := c.int32()
	if same > len(word) {
		c.bad = true
		return word, nil
	}
	word = append(word[:same], c.bytes(c.int32())...)
	return word, c.bytes(c.int32())
}

// part reads what stands under a word.
func (c *cursor) part(entry []byte) part {
	body := cursor{rest: entry}
	p := part{n: body.int32(), adjust: body.int()}
	p.rest = body.rest
	c.bad = c.bad || body.bad
	return p
}

// find gives what the page says about a word.
func (p postingsPage) find(word string) (found part, there, ok bool) {
	n := len(p.restarts) / 2
	bad := false
	var buffer [2 * MaxWordBytes]byte
	after := sort.Search(n, func(i int) bool {
		c := p.at(i)
		w, _ := c.entry(buffer[:0])
		bad = bad || c.bad
		return string(w) > word
	})
	if bad {
		return part{}, false, false
	}
	if after == 0 {
		return part{}, false, true
	}
	c := p.at(after - 1)
	w := buffer[:0]
	for range restartEvery {
		if len(c.rest) == 0 {
			break
		}
		var body []byte
		w, body = c.entry(w)
		if c.bad {
			return part{}, false, false
		}
		if string(w) >= word {
			found = c.part(body)
			return found, string(w) == word, !c.bad
		}
	}
	return part{}, false, true
}
