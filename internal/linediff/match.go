package linediff

// match marks as changed what is not part of a common subsequence.
func (p pair) match(w watch) {
	lo, aHi, bHi := 0, len(p.a.ids), len(p.b.ids)
	for lo < aHi && lo < bHi && p.a.ids[lo] == p.b.ids[lo] {
		lo++
	}
	for aHi > lo && bHi > lo && p.a.ids[aHi-1] == p.b.ids[bHi-1] {
		aHi, bHi = aHi-1, bHi-1
	}
	inA, inB := count(p.a.ids, p.b.ids)
	w.look()
	a := p.a.candidates(w, lo, aHi, inB)
	b := p.b.candidates(w, lo, bHi, inA)
	m := newMatcher(a, b)
	m.watch = w
	m.match(0, len(a.ids), 0, len(b.ids))
}

// count says how often each element occurs on either side.
func count(a, b []int32) (inA, inB []int32) {
	most := int32(-1)
	for _, ids := range [][]int32{a, b} {
		for _, id := range ids {
			most = max(most, id)
		}
	}
	inA, inB = make([]int32, most+1), make([]int32, most+1)
	for _, id := range a {
		inA[id]++
	}
	for _, id := range b {
		inB[id]++
	}
	return inA, inB
}

// reduced is a side without the elements that cannot tell anything; where says
// which position each of the others had.
type reduced struct {
	ids   []int32
	where []int32
	whole side
}

func (r reduced) change(i int) { r.whole.changed[r.where[i]] = true }

// How much an element says about where it belongs, by how often the other side
// has it.
const (
	foreign = iota // not at all: it cannot match
	telling        // seldom
	common         // so often that it may belong anywhere
)

// candidates sets aside what only one side has, and common elements, such as
// blank lines, that stand among those: a match of one of them would tear apart
// what was replaced as a whole. They are marked as changed.
func (s side) candidates(w watch, lo, hi int, inOther []int32) reduced {
	const mostCommon = 1024
	limit := min(roughRoot(len(s.ids)), mostCommon)
	kinds, most := make([]byte, hi-lo), 0
	for i := range kinds {
		switch n := inOther[s.ids[lo+i]]; {
		case n == 0:
			kinds[i] = foreign
			continue
		case int(n) >= limit:
			kinds[i] = common
		default:
			kinds[i] = telling
		}
		most++
	}
	r := reduced{ids: make([]int32, 0, most), where: make([]int32, 0, most), whole: s}
	for i, kind := range kinds {
		if i%often == 0 {
			w.look()
		}
		if kind == telling || kind == common && !amongForeign(kinds, i) {
			r.ids = append(r.ids, s.ids[lo+i])
			r.where = append(r.where, int32(lo+i))
			continue
		}
		s.changed[lo+i] = true
	}
	return r
}

// amongForeign says that the run without telling elements around i is nearly
// all foreign, on both sides of it.
func amongForeign(kinds []byte, i int) bool {
	const window, ratio = 100, 4
	run := func(step int) (foreigners, commons int) {
		commons = 1
		for k := i + step; k >= 0 && k < len(kinds) && k >= i-window && k < i+window; k += step {
			switch kinds[k] {
			case foreign:
				foreigners++
			case common:
				commons++
			default:
				return foreigners, commons
			}
		}
		return foreigners, commons
	}
	before, c1 := run(-1)
	after, c2 := run(1)
	if before == 0 || after == 0 {
		return false
	}
	return (c1+c2)*ratio < c1+c2+before+after
}

// roughRoot is a power of two near the square root of n.
func roughRoot(n int) int {
	root := 1
	for ; n > 0; n >>= 2 {
		root <<= 1
	}
	return root
}

// maxWork bounds the steps of one comparison, about a second of them: past a
// cost that follows from it the furthest path found is taken instead of the
// best one. Below a quarter of a million elements that cost is never under 256.
const maxWork = 1 << 26

// matcher is the algorithm of Myers (1986) in linear space.
type matcher struct {
	a, b reduced
	// fwd[zero+k] is the furthest a-index reached on diagonal k (a minus b)
	// from the front; bwd the same from the back.
	fwd, bwd []int32
	zero     int
	watch    watch
	splits   int
	cap      int // the cost past which the best path is no longer sought
}

func newMatcher(a, b reduced) *matcher {
	m := &matcher{a: a, b: b}
	size := len(a.ids) + len(b.ids) + 3 // the diagonals, from -len(b.ids) to len(a.ids), and one more on either side
	if len(a.ids) > 0 && len(b.ids) > 0 {
		m.fwd, m.bwd = make([]int32, size), make([]int32, size)
	}
	m.zero = len(b.ids) + 1
	m.cap = max(16, min(max(256, roughRoot(size)), maxWork/size))
	return m
}

// lookAt is how many splits lie between two looks: one is of the order of the
// square of its cost.
const lookAt = 64

func (m *matcher) match(a0, a1, b0, b1 int) {
	for {
		for a0 < a1 && b0 < b1 && m.a.ids[a0] == m.b.ids[b0] {
			a0, b0 = a0+1, b0+1
		}
		for a0 < a1 && b0 < b1 && m.a.ids[a1-1] == m.b.ids[b1-1] {
			a1, b1 = a1-1, b1-1
		}
		if a0 == a1 || b0 == b1 {
			for ; a0 < a1; a0++ {
				m.a.change(a0)
			}
			for ; b0 < b1; b0++ {
				m.b.change(b0)
			}
			return
		}
		if m.splits++; m.splits%lookAt == 0 {
			m.watch.look()
		}
		x, y := m.split(a0, a1, b0, b1)
		m.match(a0, x, b0, y)
		a0, b0 = x, y
	}
}

// split finds a point that a shortest (or, past the cap, a good) edit path
// passes. It is never a corner of the box in which nothing was gained: the box
// has no common first or last element, so every path makes progress.
func (m *matcher) split(a0, a1, b0, b1 int) (x, y int) {
	front, back := a0-b0, a1-b1
	odd := (front-back)&1 != 0
	lo, hi := a0-b1, a1-b0 // diagonals inside the box
	fmin, fmax, bmin, bmax := front, front, back, back
	m.fwd[m.zero+front], m.bwd[m.zero+back] = int32(a0), int32(a1)
	for cost := 1; ; cost++ {
		fmin, fmax = m.widen(m.fwd, fmin, fmax, lo, hi, -1)
		for k := fmax; k >= fmin; k -= 2 {
			x := int(max(m.fwd[m.zero+k-1]+1, m.fwd[m.zero+k+1]))
			for x < a1 && x-k < b1 && m.a.ids[x] == m.b.ids[x-k] {
				x++
			}
			m.fwd[m.zero+k] = int32(x)
			if odd && bmin <= k && k <= bmax && int(m.bwd[m.zero+k]) <= x {
				return x, x - k
			}
		}
		bmin, bmax = m.widen(m.bwd, bmin, bmax, lo, hi, int32(a1+1))
		for k := bmax; k >= bmin; k -= 2 {
			x := int(min(m.bwd[m.zero+k-1], m.bwd[m.zero+k+1]-1))
			for x > a0 && x-k > b0 && m.a.ids[x-1] == m.b.ids[x-k-1] {
				x--
			}
			m.bwd[m.zero+k] = int32(x)
			if !odd && fmin <= k && k <= fmax && x <= int(m.fwd[m.zero+k]) {
				return x, x - k
			}
		}
		if cost >= m.cap {
			return m.furthest(a1, b1, fmin, fmax)
		}
	}
}

// widen opens one more diagonal on each side, or closes those that left the
// box, and puts sentinels beyond the ends.
func (m *matcher) widen(v []int32, kmin, kmax, lo, hi int, sentinel int32) (int, int) {
	if kmin > lo {
		kmin--
		v[m.zero+kmin-1] = sentinel
	} else {
		kmin++
	}
	if kmax < hi {
		kmax++
		v[m.zero+kmax+1] = sentinel
	} else {
		kmax--
	}
	return kmin, kmax
}

// furthest is the point furthest from the front corner that was reached.
func (m *matcher) furthest(a1, b1, fmin, fmax int) (bestX, bestY int) {
	best := -1
	for k := fmin; k <= fmax; k += 2 {
		x := min(int(m.fwd[m.zero+k]), a1)
		y := x - k
		if y > b1 {
			x, y = b1+k, b1
		}
		if x+y > best {
			best, bestX, bestY = x+y, x, y
		}
	}
	return bestX, bestY
}
