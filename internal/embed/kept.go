package embed

import (
	"crypto/sha256"
	"sync"
)

// Kept remembers vectors of one length by the texts they were made of. It is in two
// halves: when one is full, what was not asked for since it was last full goes, and its
// room is used again. There are many of them, and they stay for long, so that they hold
// nothing that the collector would have to follow: the vectors stand one behind another
// in large arrays, and texts are known by keys.
//
// It is safe for concurrent use.
type Kept struct {
	length, most int // of a vector; of vectors in a half

	mu            sync.RWMutex
	known, before half
}

// half are the vectors of a half, in the order in which they came.
type half struct {
	places map[textKey]uint32
	rows   [][]float32 // of rowsOf vectors each
}

// rowsOf is how many vectors stand in one array.
const rowsOf = 64

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

// NewKept remembers between so many vectors of a length and twice as many.
func NewKept(length, most int) *Kept {
	return &Kept{length: length, most: most, known: half{places: map[textKey]uint32{}}, before: half{places: map[textKey]uint32{}}}
}

// Use calls use with the vector of a text, which is only to be looked at and only until
// use returns, and reports whether there is one.
func (k *Kept) Use(text string, use func([]float32)) bool { return k.use(keyOf(text), use) }

// Put remembers the vector of a text.
func (k *Kept) Put(text string, v []float32) { k.put(keyOf(text), v) }

func (k *Kept) use(key textKey, use func([]float32)) bool {
	k.mu.RLock()
	if at, known := k.known.places[key]; known {
		defer k.mu.RUnlock()
		use(k.known.at(at, k.length))
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
	v := k.before.at(at, k.length)
	use(v)
	k.add(key, v)
	return true
}

func (k *Kept) put(key textKey, v []float32) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(key, v)
}

// add puts a vector behind the others of the first half; the lock is held. It may be one
// of the other half: its room is used again from the beginning, and it is the first there.
func (k *Kept) add(key textKey, v []float32) {
	if _, known := k.known.places[key]; known { // others were faster
		return
	}
	if len(k.known.places) >= k.most {
		k.known, k.before = k.before, k.known
		clear(k.known.places)
	}
	at := uint32(len(k.known.places))
	if int(at/rowsOf) == len(k.known.rows) {
		k.known.rows = append(k.known.rows, make([]float32, rowsOf*k.length))
	}
	copy(k.known.at(at, k.length), v)
	k.known.places[key] = at
}

func (h half) at(place uint32, length int) []float32 {
	from := int(place%rowsOf) * length
	return h.rows[place/rowsOf][from : from+length]
}
