package delta

import "maps"

// index is a map that can be extended without copying all of it: versions
// share the large lower half and copy the small upper half, which is folded
// into the lower when it has outgrown its square root.
type index[K comparable, V any] struct {
	lower, upper map[K]V
}

func (x *index[K, V]) get(k K) (V, bool) {
	if v, ok := x.upper[k]; ok {
		return v, true
	}
	v, ok := x.lower[k]
	return v, ok
}

// with gives the index extended by more, which it takes over.
func (x *index[K, V]) with(more map[K]V) index[K, V] {
	if len(more) == 0 {
		return *x
	}
	if len(more) >= len(x.lower)+len(x.upper) {
		for _, older := range []map[K]V{x.upper, x.lower} {
			for k, v := range older { // order-free: copied
				if _, newer := more[k]; !newer {
					more[k] = v
				}
			}
		}
		return index[K, V]{lower: more}
	}
	if n := len(x.upper) + len(more); n*n <= 4*len(x.lower) {
		upper := make(map[K]V, n)
		maps.Copy(upper, x.upper)
		maps.Copy(upper, more)
		return index[K, V]{lower: x.lower, upper: upper}
	}
	lower := make(map[K]V, len(x.lower)+len(x.upper)+len(more))
	maps.Copy(lower, x.lower)
	maps.Copy(lower, x.upper)
	maps.Copy(lower, more)
	return index[K, V]{lower: lower}
}
