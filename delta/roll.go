package delta

import (
	"encoding/binary"
	"math/bits"
)

// key is what a delta is found by.
type key[K any] interface {
	comparable
	hash() uint32
	of(e *entry) K // the key of a delta; the receiver does not matter
}

func (i identity) hash() uint32       { return hashOf(i.message, i.delta) }
func (identity) of(e *entry) identity { return identity{e.message, e.id} }
func (n name) hash() uint32           { return hashOf(string(n.agent), n.id) }
func (name) of(e *entry) name         { return name{e.agent, e.provisional} }

func (k registerKey) hash() uint32 {
	h := mix(uint64(k.field), k.key)
	return uint32(h ^ h>>32)
}

// hashOf mixes two texts, eight bytes at a time. It is the same in every run,
// as all is here; so somebody can make texts that collide, see finder.
func hashOf(a, b string) uint32 {
	h := mix(mix(0x9E3779B97F4A7C15, a), b)
	return uint32(h ^ h>>32)
}

func mix(h uint64, s string) uint64 {
	const odd = 0xA0761D6478BD642F
	h ^= uint64(len(s))
	for len(s) >= 8 {
		h = fold128(h^binary.LittleEndian.Uint64([]byte(s[:8])), odd)
		s = s[8:]
	}
	return fold128(h^beginning(s), odd)
}

func fold128(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// finder gives the place at which its owner keeps something, by a key. It does
// not hold the keys: eight bytes for each, and nothing in them for the collector
// to follow. A map of the same would be seven times as large, and looking
// something up in a large one is mostly waiting for memory.
type finder[K comparable] struct {
	slots []berth // as many as a power of two, half of them or more free
	used  int
	// crowd holds everything once some keys have met at one slot too often,
	// which only happens to keys made for it.
	crowd map[K]int32
}

// berth is a slot of a finder: part of the hash and the place plus one, 0 for
// none.
type berth struct {
	hash uint32
	at   int32
}

// crowded is how many slots may lie between a key and where it belongs.
const crowded = 64

// newFinder gives a finder with room for n keys.
func newFinder[K comparable](n int) finder[K] {
	if n == 0 {
		return finder[K]{}
	}
	return finder[K]{slots: make([]berth, 1<<bits.Len(uint(2*n-1)))}
}

// find gives the place of a key; of says what key stands at a place.
func (f *finder[K]) find(k K, hash uint32, of func(at int32) K) (int32, bool) {
	if f.crowd != nil {
		at, ok := f.crowd[k]
		return at, ok
	}
	if len(f.slots) == 0 {
		return 0, false
	}
	mask := uint32(len(f.slots) - 1)
	for i := hash & mask; f.slots[i].at > 0; i = (i + 1) & mask {
		if s := f.slots[i]; s.hash == hash {
			if of(s.at-1) == k {
				return s.at - 1, true
			}
		}
	}
	return 0, false
}

// near looks at where a key belongs, so that finding it does not wait.
func (f *finder[K]) near(hash uint32) int {
	if len(f.slots) == 0 {
		return 0
	}
	return int(f.slots[hash&uint32(len(f.slots)-1)].at)
}

// nearest gives the place at which a key most likely is, -1 if it likely is at
// none.
func (f *finder[K]) nearest(hash uint32) int32 {
	if len(f.slots) == 0 {
		return noPlace
	}
	if s := f.slots[hash&uint32(len(f.slots)-1)]; s.hash == hash {
		return s.at - 1
	}
	return noPlace
}

// add notes the place of a key that is not there yet.
func (f *finder[K]) add(k K, hash uint32, at int32, of func(at int32) K) {
	if f.crowd == nil && 2*(f.used+1) > len(f.slots) {
		f.grow(of)
	}
	if f.crowd == nil && !f.store(berth{hash, at + 1}) {
		f.gather(of)
	}
	if f.crowd != nil {
		f.crowd[k] = at
	}
	f.used++
}

// store keeps a place in the first slot that is free, and says whether that was
// near enough.
func (f *finder[K]) store(p berth) bool {
	mask := uint32(len(f.slots) - 1)
	i := p.hash & mask
	for range crowded {
		if f.slots[i].at == 0 {
			f.slots[i] = p
			return true
		}
		i = (i + 1) & mask
	}
	return false
}

func (f *finder[K]) grow(of func(at int32) K) {
	old := f.slots
	f.slots = make([]berth, max(16, 2*len(old)))
	for i, s := range old {
		if s.at > 0 && !f.store(s) {
			f.slots = append(f.slots, old[i:]...) // only to be gathered
			f.gather(of)
			return
		}
	}
}

// gather moves everything into a map.
func (f *finder[K]) gather(of func(at int32) K) {
	f.crowd = make(map[K]int32, f.used+1)
	for _, s := range f.slots {
		if s.at > 0 {
			f.crowd[of(s.at-1)] = s.at - 1
		}
	}
	f.slots = nil
}

// roll is a list of deltas that are found by a key.
type roll[K key[K]] struct {
	finder[K]
	list []*entry
}

// newRoll gives a roll with room for n deltas.
func newRoll[K key[K]](n int) roll[K] {
	return roll[K]{finder: newFinder[K](n), list: make([]*entry, 0, n)}
}

func (r *roll[K]) key(at int32) (k K) { return k.of(r.list[at]) }

func (r *roll[K]) get(k K, hash uint32) (*entry, bool) {
	if at, ok := r.find(k, hash, r.key); ok {
		return r.list[at], true
	}
	return nil, false
}

// enter puts a delta on the list, and says whether its key was free.
func (r *roll[K]) enter(e *entry) bool {
	var k K
	k = k.of(e)
	hash := k.hash()
	if _, taken := r.find(k, hash, r.key); taken {
		return false
	}
	r.put(e, hash)
	return true
}

// put puts a delta on the list whose key is known to be free.
func (r *roll[K]) put(e *entry, hash uint32) {
	r.list = append(room(r.list), e)
	if r.crowd == nil && 2*(r.used+1) <= len(r.slots) && r.store(berth{hash, int32(len(r.list))}) {
		r.used++ // without a look at the delta
		return
	}
	var k K
	r.add(k.of(e), hash, int32(len(r.list)-1), r.key)
}

// rolls is a roll that can be extended without copying all of it: versions
// share the large lower half and copy the small upper half, which is folded
// into the lower when it has outgrown its square root.
type rolls[K key[K]] struct{ lower, upper roll[K] }

func (r *rolls[K]) lookup(k K) (*entry, bool) {
	if len(r.lower.list) == 0 && len(r.upper.list) == 0 {
		return nil, false
	}
	return r.get(k, k.hash())
}

func (r *rolls[K]) get(k K, hash uint32) (*entry, bool) {
	if e, ok := r.upper.get(k, hash); ok {
		return e, true
	}
	return r.lower.get(k, hash)
}

// with gives the roll extended by more, which it takes over.
func (r *rolls[K]) with(more roll[K]) rolls[K] {
	old := len(r.lower.list) + len(r.upper.list)
	switch n := len(r.upper.list) + len(more.list); {
	case len(more.list) == 0:
		return *r
	case old == 0:
		return rolls[K]{lower: more}
	case n*n <= 4*len(r.lower.list):
		return rolls[K]{r.lower, joined[K](n, r.upper.list, more.list)}
	}
	return rolls[K]{lower: joined[K](old+len(more.list), r.lower.list, r.upper.list, more.list)}
}

// joined is a roll of several lists; no key is in two of them.
func joined[K key[K]](n int, lists ...[]*entry) roll[K] {
	r := newRoll[K](n)
	for _, list := range lists {
		for _, e := range list {
			r.enter(e)
		}
	}
	return r
}
