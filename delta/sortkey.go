package delta

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// sortKey is what decides where an element stands: numbers as far as possible.
type sortKey struct {
	class  int
	number uint64
	text   string
}

func (k *sortKey) compare(o *sortKey) int {
	switch {
	case k.class != o.class:
		return cmp.Compare(k.class, o.class)
	case k.number != o.number:
		return cmp.Compare(k.number, o.number)
	}
	return strings.Compare(k.text, o.text)
}

// sortByKey sorts a list. The keys of a long one are found once, and it is
// moved once.
func sortByKey[T any](list []T, key func(T) sortKey) {
	if len(list) <= few {
		slices.SortFunc(list, func(a, b T) int {
			first, second := key(a), key(b)
			return first.compare(&second)
		})
		return
	}
	type keyed struct {
		sortKey
		at int32
	}
	keys := make([]keyed, len(list))
	for i := range list {
		keys[i] = keyed{key(list[i]), int32(i)}
	}
	slices.SortFunc(keys, func(a, b keyed) int { return a.compare(&b.sortKey) })
	old := slices.Clone(list)
	for i := range keys {
		list[i] = old[keys[i].at]
	}
}

// beginning gives the first eight bytes of a text as a number that sorts like it.
func beginning(s string) uint64 {
	var first [8]byte
	copy(first[:], s)
	return binary.BigEndian.Uint64(first[:])
}
