package assembly

import "strings"

// table finds the place of a text in a list. A map of 200,000 strings does
// that too, but the garbage collector looks at each of them, every time; here
// it sees two objects without pointers.
type table struct {
	all   string // the texts, one after the other
	slots []slot // twice as many as texts at least, a power of two
}

// slot is where a text stands, and its place in the list plus one; 0 is free.
type slot struct{ begin, end, place uint32 }

func newTable(texts []string) table {
	size := 2
	for size < 2*len(texts) {
		size *= 2
	}
	t := table{all: strings.Join(texts, ""), slots: make([]slot, size)}
	begin := uint32(0)
	for i, text := range texts {
		end := begin + uint32(len(text))
		*t.slot(text) = slot{begin, end, uint32(i) + 1}
		begin = end
	}
	return t
}

// find gives the place of a text, the last where it stands more than once.
func (t table) find(text string) (place uint32, found bool) {
	s := t.slot(text)
	return s.place - 1, s.place > 0
}

// slot gives where a text is, or would be.
func (t table) slot(text string) *slot {
	last := uint64(len(t.slots) - 1)
	for i := hash(text); ; i++ {
		if s := &t.slots[i&last]; s.place == 0 || t.all[s.begin:s.end] == text {
			return s
		}
	}
}

// hash is FNV-1a.
func hash(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}
