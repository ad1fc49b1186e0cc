package delta

import (
	"iter"
	"slices"
	"sort"
)

// sequence is a list of items in the order of their numbers. It is kept in
// chunks: a version that changes a few items copies the chunks these stand in
// and shares the others.
type sequence struct {
	chunks [][]*Item // all full but the last
}

const chunkSize = 128

func (s *sequence) len() int {
	n := len(s.chunks)
	if n == 0 {
		return 0
	}
	return (n-1)*chunkSize + len(s.chunks[n-1])
}

func (s *sequence) at(i int) *Item { return s.chunks[i/chunkSize][i%chunkSize] }

// all goes through the items with their places.
func (s *sequence) all() iter.Seq2[int, *Item] {
	return func(yield func(int, *Item) bool) {
		for c, chunk := range s.chunks {
			for i, it := range chunk {
				if !yield(c*chunkSize+i, it) {
					return
				}
			}
		}
	}
}

// search gives the place of the item of a number, and whether there is one.
// Nearly always no number was left out, and it stands where its number says.
func (s *sequence) search(number int) (int, bool) {
	n := s.len()
	if i := number - 1; i >= 0 && i < n && s.at(i).number == number {
		return i, true
	}
	i := sort.Search(n, func(i int) bool { return s.at(i).number >= number })
	return i, i < n && s.at(i).number == number
}

// editor makes a sequence out of another one, which stays as it is.
type editor struct {
	sequence
	own []bool // the chunks that are no part of the other
}

func (s *sequence) edit() editor {
	return editor{sequence{slices.Clone(s.chunks)}, make([]bool, len(s.chunks))}
}

// touch gives a chunk that may be written.
func (e *editor) touch(c int) []*Item {
	if !e.own[c] {
		e.chunks[c] = append(make([]*Item, 0, chunkSize), e.chunks[c]...)
		e.own[c] = true
	}
	return e.chunks[c]
}

// set puts an item in place of another.
func (e *editor) set(i int, it *Item) { e.touch(i / chunkSize)[i%chunkSize] = it }

// add puts an item at the end.
func (e *editor) add(it *Item) {
	c := len(e.chunks) - 1
	if c < 0 || len(e.chunks[c]) == chunkSize {
		e.chunks, e.own = append(e.chunks, make([]*Item, 0, chunkSize)), append(e.own, true)
		c++
	}
	e.chunks[c] = append(e.touch(c), it)
}
