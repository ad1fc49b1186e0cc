package playbook

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// index finds, exactly, the bullets most like a vector (B2, B14).
//
// Next to the vectors it keeps a sketch of each: the components of the unit
// vector in 63 steps, eight to a machine word, cut into blocks of 256
// components. One integer multiplication of a word of the sketch by a word of
// the query adds up four products. The sketch of a block is off by a known
// distance, and what a block not yet looked at can contribute is bounded by
// the lengths of the two remainders (Cauchy–Schwarz); so after each block
// there is an upper bound of the cosine, and nearly every row falls below what
// is asked for after the first. Only rows that never do are compared in full,
// by the one definition of cosine. The bounds are proved where they are
// computed, so the result is that of the plain loop, for any vectors.
type index struct {
	dim    int
	keys   []key
	slots  map[BulletID]int // where each bullet is in keys
	rows   []float32        // the vectors, one after another, as they were given
	norms  []float64        // their lengths
	blocks []block
}

// key is what orders two bullets of equal cosine: the oldest first, then the
// id.
type key struct {
	ID      BulletID
	created time.Time
}

func keyOf(b Bullet) key { return key{b.ID, b.CreatedAt} }

func (k key) compare(o key) int {
	if c := k.created.Compare(o.created); c != 0 {
		return c
	}
	return compareIDs(k.ID, o.ID)
}

func (k key) before(o key) bool { return k.compare(o) < 0 }

// hit is a bullet with its cosine.
type hit struct {
	key
	cosine float64
}

// compareHits puts the greatest cosine first.
func compareHits(a, b hit) int {
	if c := cmp.Compare(b.cosine, a.cosine); c != 0 {
		return c
	}
	return a.key.compare(b.key)
}

// mergeHits merges two lists that are in order.
func mergeHits(a, b []hit) []hit {
	if len(b) == 0 {
		return a
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, compareHits)
	return all
}

// newIndex makes an empty index; the first vector decides the dimension.
func newIndex() *index { return &index{slots: map[BulletID]int{}} }

func (x *index) len() int { return len(x.keys) }

func (x *index) has(id BulletID) bool { _, ok := x.slots[id]; return ok }

func (x *index) row(i int) []float32 { return x.rows[i*x.dim : (i+1)*x.dim] }

// add appends a vector, which must have passed CheckVector, of a bullet that
// is not in the index.
func (x *index) add(k key, vector []float32) {
	if x.dim == 0 {
		x.dim = len(vector)
		for from := 0; from < x.dim; from += blockLength {
			x.blocks = append(x.blocks, newBlock(from, min(from+blockLength, x.dim)))
		}
	}
	x.slots[k.ID] = len(x.keys)
	x.keys = append(x.keys, k)
	x.rows = append(x.rows, vector...)
	norm := length(vector)
	x.norms = append(x.norms, norm)
	unit := unitVector(vector, norm)
	for i := range x.blocks {
		x.blocks[i].add(unit)
	}
}

// remove takes a bullet out, moving the last row into its place, and gives its
// vector; nil if it was not there.
func (x *index) remove(id BulletID) []float32 {
	i, ok := x.slots[id]
	if !ok {
		return nil
	}
	vector := slices.Clone(x.row(i))
	last := len(x.keys) - 1
	copy(x.row(i), x.row(last))
	x.keys[i], x.norms[i] = x.keys[last], x.norms[last]
	x.slots[x.keys[i].ID] = i
	delete(x.slots, id)
	x.keys, x.norms, x.rows = x.keys[:last], x.norms[:last], x.rows[:last*x.dim]
	for k := range x.blocks {
		x.blocks[k].moveLast(i)
	}
	return vector
}

// slack covers the rounding of a cosine to 1e-6 and of every float64
// operation on the way to a bound, which are a thousand times smaller.
const slack = 1e-6

// search gives every bullet whose cosine with q is at least the threshold, and
// the most best ones below it from floor up, both greatest first.
func (x *index) search(q []float32, threshold, floor float64, most int) (matches, near []hit) {
	if len(x.keys) == 0 {
		return nil, nil
	}
	norm := length(q)
	p := x.probe(unitVector(q, norm))
	// A row can be passed over once it cannot reach what is still asked for:
	// the threshold, or a place among the near ones.
	wanted := min(threshold, floor)
	for i := range x.keys {
		if !x.reaches(i, p, wanted-slack) {
			continue
		}
		c := rounded(dot(q, x.row(i)) / (norm * x.norms[i]))
		h := hit{x.keys[i], c}
		switch {
		case c >= threshold:
			matches = append(matches, h)
		case c >= floor:
			near = keepBest(near, h, most)
			if len(near) == most {
				wanted = near[most-1].cosine
			}
		}
	}
	slices.SortFunc(matches, compareHits)
	return matches, near
}

// keepBest inserts a hit into an ordered list of at most most.
func keepBest(list []hit, h hit, most int) []hit {
	at, _ := slices.BinarySearchFunc(list, h, compareHits)
	if at >= most {
		return list
	}
	list = slices.Insert(list, at, h)
	return list[:min(len(list), most)]
}

// reaches reports whether the cosine of row i may be at least wanted.
//
// Let a and b be the unit vectors of row and query, â and b̂ their sketches,
// each cut into blocks. In block k
//
//	a·b − â·b̂ = (a−â)·b̂ + a·(b−b̂) ≤ |a−â| |b̂| + |a| |b−b̂|
//
// and over all later blocks a·b ≤ |rest of a| |rest of b|. The sum of both is
// an upper bound of the cosine after every block.
func (x *index) reaches(i int, p []probe, wanted float64) bool {
	sum := 0.0
	for k := range x.blocks {
		b, q := &x.blocks[k], &p[k]
		f := &b.facts[i]
		products := packedDot(b.words[i*b.width:(i+1)*b.width], q.low, q.high)
		sum += f.scale*q.scale*(float64(products)/(half*fineHalf)-f.sum-q.sum) + f.off*q.norm + f.norm*q.off
		if sum+f.rest*q.rest < wanted {
			return false
		}
	}
	return true
}

// blockLength is the number of components in a block. It is the length of the
// built-in embedder's static part, the one that tells texts apart best.
const blockLength = 256

// A component of a sketch is a whole number from 0 to 2·half; of a query's,
// which is made once per search, from 0 to 2·fineHalf. Four products of the
// largest fit in 16 bits: 4 · 62 · 254 < 65536.
const (
	half     = 31
	fineHalf = 127
)

// block is the sketch of one block of components of every row.
type block struct {
	from, to int
	width    int      // words per row
	words    []uint64 // eight components each: four in the low bytes of its 16-bit quarters, four in the high
	facts    []fact
}

// fact is what the bound needs to know about one block of one row.
type fact struct {
	scale float64 // the largest component
	sum   float64 // of the sketch, in units of half
	off   float64 // distance of the sketch from the truth
	norm  float64 // length of the block
	rest  float64 // length of all later blocks
}

func newBlock(from, to int) block {
	return block{from: from, to: to, width: (to - from + 7) / 8}
}

// add appends the sketch of a unit vector's block.
func (b *block) add(unit []float64) {
	s := sketch(unit, b.from, b.to, half)
	for i := 0; i < b.width*8; i += 8 {
		var w uint64
		for j := range 4 {
			w |= s.at(i+j) << (16 * j)
			w |= s.at(i+4+j) << (16*j + 8)
		}
		b.words = append(b.words, w)
	}
	b.facts = append(b.facts, s.fact)
}

// moveLast overwrites row i with the last row and drops that.
func (b *block) moveLast(i int) {
	last := len(b.facts) - 1
	copy(b.words[i*b.width:(i+1)*b.width], b.words[last*b.width:])
	b.facts[i] = b.facts[last]
	b.words, b.facts = b.words[:last*b.width], b.facts[:last]
}

// probe is a query's block, laid out for packedDot: the components in the
// reverse order of the words they meet.
type probe struct {
	low, high []uint64
	fact
}

func (x *index) probe(unit []float64) []probe {
	out := make([]probe, len(x.blocks))
	for k := range out {
		b := &x.blocks[k]
		s := sketch(unit, b.from, b.to, fineHalf)
		p := probe{make([]uint64, b.width), make([]uint64, b.width), s.fact}
		for i := range p.low {
			for j := range 4 {
				p.low[i] |= s.at(8*i+j) << (48 - 16*j)
				p.high[i] |= s.at(8*i+4+j) << (48 - 16*j)
			}
		}
		// The bound wants the length of the query's sketch and, in sum, the
		// number of components, both folded in here once.
		p.norm += p.off
		p.sum -= float64(b.to - b.from)
		out[k] = p
	}
	return out
}

// sketched is one block in whole steps.
type sketched struct {
	steps []uint64
	fact
}

// at gives a step; beyond the block it is 0 and adds to no product.
func (s sketched) at(i int) uint64 {
	if i < len(s.steps) {
		return s.steps[i]
	}
	return 0
}

// sketch rounds components from … to of a unit vector to steps of
// largest/half, counted from 0, and says how far off that is.
func sketch(unit []float64, from, to, half int) sketched {
	part := unit[from:to]
	s := sketched{steps: make([]uint64, len(part))}
	for _, v := range part {
		s.scale = max(s.scale, math.Abs(v))
	}
	h := float64(half)
	for i, v := range part {
		step := h
		if s.scale > 0 {
			step = math.Round(v/s.scale*h) + h
		}
		s.steps[i] = uint64(step)
		s.sum += step / h
		d := v - s.scale*(step/h-1)
		s.off += d * d
		s.norm += v * v
	}
	for _, v := range unit[to:] {
		s.rest += v * v
	}
	s.off, s.norm, s.rest = math.Sqrt(s.off), math.Sqrt(s.norm), math.Sqrt(s.rest)
	return s
}

func unitVector(v []float32, norm float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x) / norm
	}
	return out
}

// packedDot sums the products of a row's sketch with a query's. Multiplying a
// word of four 16-bit quarters by one whose quarters are reversed leaves the
// sum of the four products in the highest quarter; lower quarters hold sums of
// fewer and cannot carry into it, higher ones fall off.
func packedDot(row, low, high []uint64) uint64 {
	const quarters = 0x00ff00ff00ff00ff
	low, high = low[:len(row)], high[:len(row)]
	var s0, s1, s2, s3 uint64
	i := 0
	for ; i+4 <= len(row); i += 4 {
		r, l, h := row[i:i+4:i+4], low[i:i+4:i+4], high[i:i+4:i+4]
		s0 += ((r[0]&quarters)*l[0])>>48 + ((r[0]>>8&quarters)*h[0])>>48
		s1 += ((r[1]&quarters)*l[1])>>48 + ((r[1]>>8&quarters)*h[1])>>48
		s2 += ((r[2]&quarters)*l[2])>>48 + ((r[2]>>8&quarters)*h[2])>>48
		s3 += ((r[3]&quarters)*l[3])>>48 + ((r[3]>>8&quarters)*h[3])>>48
	}
	for ; i < len(row); i++ {
		s0 += ((row[i]&quarters)*low[i])>>48 + ((row[i]>>8&quarters)*high[i])>>48
	}
	return s0 + s1 + s2 + s3
}
