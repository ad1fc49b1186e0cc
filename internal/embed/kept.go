package embed

import (
	"crypto/sha256"
	"sync"
)

// Kept remembers vectors by the texts they were made of. It is in two halves: when one is
// full, what was not asked for since it was last full goes, and its room is used again.
// There are many of them, and they stay for long, so that they hold nothing that the
// collector would have to follow: the vectors stand one behind another in large arrays,
// and texts are known by keys.
//
// It is safe for concurrent use.
type Kept[T float32 | byte] struct {
	most int // numbers in a half

	mu            sync.RWMutex
	known, before half[T]
}

// half are the vectors of a half, in the order in which they came.
type half[T float32 | byte] struct {
	places map[textKey]place
	arrays [][]T // of arrayOf numbers each
	used   int   // numbers, with those that were left free at the end of an array
}

// place is where a vector stands: its first number, and how many there are.
type place struct{ from, length uint32 }

// arrayOf is how many numbers stand in one array; no vector has more.
const arrayOf = 1 << 14

// textKey is a text of up to 15 bytes with its length, of a longer one 120 bits of its
// digest.
type textKey [16]byte

// keyOf gives the key of a text.
func keyOf[T string | []byte](text T) (k textKey) {
	if len(text) < len(k) {
		copy(k[:], text)
		k[len(k)-1] = byte(len(text))
		return k
	}
	var room [256]byte // most need no other
	sum := sha256.Sum256(append(room[:0], text...))
	copy(k[:], sum[:])
	k[len(k)-1] = 0xff
	return k
}

// NewKept remembers vectors of so many numbers together, and up to twice as many.
func NewKept[T float32 | byte](most int) *Kept[T] {
	return &Kept[T]{most: most, known: half[T]{places: map[textKey]place{}}, before: half[T]{places: map[textKey]place{}}}
}

// Use calls use with the vector of a text, which is only to be looked at and only until
// use returns, and reports whether there is one.
func (k *Kept[T]) Use(text string, use func([]T)) bool { return k.use(keyOf(text), use) }

// Put remembers the vector of a text.
func (k *Kept[T]) Put(text string, v []T) { k.put(keyOf(text), v) }

func (k *Kept[T]) use(key textKey, use func([]T)) bool {
	k.mu.RLock()
	if at, known := k.known.places[key]; known {
		defer k.mu.RUnlock()
		use(k.known.at(at))
		return true
	}
	_, known := k.before.places[key]
	k.mu.RUnlock()
	if !known {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	at, known := k.before.places[key]
	if !known { // the halves have changed places meanwhile
		return false
	}
	v := k.before.at(at)
	use(v)
	k.add(key, v)
	return true
}

func (k *Kept[T]) put(key textKey, v []T) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(key, v)
}

// add puts a vector behind the others of the first half; the lock is held. It may be one
// of the other half: its room is used again from the beginning, and it is the first there.
func (k *Kept[T]) add(key textKey, v []T) {
	if _, known := k.known.places[key]; known || len(v) > arrayOf { // others were faster
		return
	}
	if k.known.used+len(v) > k.most {
		k.known, k.before = k.before, k.known
		clear(k.known.places)
		k.known.used = 0
	}
	k.known.add(key, v)
}

func (h *half[T]) add(key textKey, v []T) {
	if over := h.used%arrayOf + len(v) - arrayOf; over > 0 {
		h.used += len(v) - over // a vector stands in one array
	}
	at := place{uint32(h.used), uint32(len(v))}
	if h.used/arrayOf == len(h.arrays) {
		h.arrays = append(h.arrays, make([]T, arrayOf))
	}
	copy(h.at(at), v)
	h.places[key] = at
	h.used += len(v)
}

func (h *half[T]) at(p place) []T {
	return h.arrays[p.from/arrayOf][p.from%arrayOf:][:p.length]
}
