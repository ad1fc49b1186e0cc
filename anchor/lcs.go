package anchor

// matchLines marks which lines of two texts, given as numbers, belong to a
// common subsequence. It is the algorithm of Myers in linear space; past a
// cost it takes the furthest path found instead of the best one, so that very
// different texts take no more than about n·√n steps.
func matchLines(a, b []int32) (keptA, keptB []bool) {
	m := matcher{a: a, b: b, keptA: make([]bool, len(a)), keptB: make([]bool, len(b))}
	size := len(a) + len(b) + 3
	m.fwd, m.bwd = make([]int, 2*size), make([]int, 2*size)
	m.zero = size
	m.cap = 256
	for m.cap*m.cap < size {
		m.cap *= 2
	}
	m.match(0, len(a), 0, len(b))
	return m.keptA, m.keptB
}

type matcher struct {
	a, b         []int32
	keptA, keptB []bool
	// fwd[zero+k] is the furthest a-index reached on diagonal k (a minus b)
	// from the front; bwd the same from the back.
	fwd, bwd []int
	zero     int
	cap      int // the cost past which the best path is no longer sought
}

func (m *matcher) match(a0, a1, b0, b1 int) {
	for {
		for a0 < a1 && b0 < b1 && m.a[a0] == m.b[b0] {
			m.keptA[a0], m.keptB[b0] = true, true
			a0, b0 = a0+1, b0+1
		}
		for a0 < a1 && b0 < b1 && m.a[a1-1] == m.b[b1-1] {
			a1, b1 = a1-1, b1-1
			m.keptA[a1], m.keptB[b1] = true, true
		}
		if a0 == a1 || b0 == b1 {
			return
		}
		x, y := m.split(a0, a1, b0, b1)
		m.match(a0, x, b0, y)
		a0, b0 = x, y
	}
}

// split finds a point that a shortest (or, past the cap, a good) edit path
// passes. It is never a corner of the box in which nothing was gained: the box
// has no common first or last line, so every path makes progress.
func (m *matcher) split(a0, a1, b0, b1 int) (x, y int) {
	front, back := a0-b0, a1-b1
	odd := (front-back)&1 != 0
	lo, hi := a0-b1, a1-b0 // diagonals inside the box
	fmin, fmax, bmin, bmax := front, front, back, back
	m.fwd[m.zero+front], m.bwd[m.zero+back] = a0, a1
	for cost := 1; ; cost++ {
		fmin, fmax = m.widen(m.fwd, fmin, fmax, lo, hi, -1)
		for k := fmax; k >= fmin; k -= 2 {
			x := max(m.fwd[m.zero+k-1]+1, m.fwd[m.zero+k+1])
			for x < a1 && x-k < b1 && m.a[x] == m.b[x-k] {
				x++
			}
			m.fwd[m.zero+k] = x
			if odd && bmin <= k && k <= bmax && m.bwd[m.zero+k] <= x {
				return x, x - k
			}
		}
		bmin, bmax = m.widen(m.bwd, bmin, bmax, lo, hi, a1+1)
		for k := bmax; k >= bmin; k -= 2 {
			x := min(m.bwd[m.zero+k-1], m.bwd[m.zero+k+1]-1)
			for x > a0 && x-k > b0 && m.a[x-1] == m.b[x-k-1] {
				x--
			}
			m.bwd[m.zero+k] = x
			if !odd && fmin <= k && k <= fmax && x <= m.fwd[m.zero+k] {
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
func (m *matcher) widen(v []int, kmin, kmax, lo, hi, sentinel int) (int, int) {
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
		x := min(m.fwd[m.zero+k], a1)
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
