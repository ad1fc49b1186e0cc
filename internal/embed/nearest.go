package embed

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// NearWord is a word of the model and its cosine with another.
type NearWord struct {
	Word     string
	Likeness float64
}

// looked is how many words, those whose components have the most signs in
// common with a word's, are compared with it in full.
const looked = 1024

// nearness finds the nearest words of a model. It is made on first use: the signs
// of the components of every row, a bit each.
type nearness struct {
	once   sync.Once
	signs  []uint64 // width to a row
	norms  []float32
	starts []uint32 // of each word in Model.words
	width  int
	rooms  sync.Pool // of *[]uint16, for distances
}

// Nearest gives the most words of the model that are nearest to a word, which is in
// lower case, from a cosine on: the nearest first, ties in the order of the words. A
// word that the model does not know has none.
//
// Of all words those are compared that agree in most signs: near ones do in more than
// half of them. So one in thirty-five is compared, and now and then one is missed whose
// nearness rests on few components.
func (m *Model) Nearest(word string, most int, least float64) []NearWord {
	row, known := m.row([]byte(word))
	if !known {
		return nil
	}
	n := &m.near
	n.once.Do(func() { n.read(m) })
	found := m.compared(row, n.agreeing(row))
	end := 0
	for end < min(len(found), most) && found[end].Likeness >= least {
		end++
	}
	return found[:end]
}

// read lays out the signs.
func (n *nearness) read(m *Model) {
	n.width = (m.dim + 63) / 64
	n.signs = make([]uint64, m.vocab*n.width)
	n.norms = make([]float32, m.vocab)
	n.starts = make([]uint32, m.vocab)
	at := 0
	for row := range m.vocab {
		n.starts[row] = uint32(at)
		at += 1 + int(m.words[at])
		sum := 0
		for i := range m.dim {
			x := int(int8(m.rows[row*m.dim+i]))
			sum += x * x
			if x > 0 {
				n.signs[row*n.width+i/64] |= 1 << (i % 64)
			}
		}
		n.norms[row] = float32(math.Sqrt(float64(sum)))
	}
}

// agreeing gives the rows that agree with one in most signs, without it.
func (n *nearness) agreeing(row int) []int32 {
	room, _ := n.rooms.Get().(*[]uint16)
	if room == nil {
		room = new([]uint16)
	}
	defer n.rooms.Put(room)
	*room = slices.Grow((*room)[:0], len(n.norms))[:len(n.norms)]
	distance := *room
	n.distances(distance, row)
	counts := make([]int32, 64*n.width+1)
	for _, d := range distance {
		counts[d]++
	}
	within, total := 0, int32(0)
	for ; within < len(counts) && total+counts[within] <= looked; within++ {
		total += counts[within]
	}
	out := make([]int32, 0, total)
	for r, d := range distance {
		if int(d) < within && r != row {
			out = append(out, int32(r))
		}
	}
	return out
}

// distances puts down in how many signs each row differs from one. Most of the time of a new
// word is spent on it, so that the width of the built-in model is written out.
func (n *nearness) distances(out []uint16, row int) {
	own := n.signs[row*n.width : (row+1)*n.width]
	if len(own) == 4 {
		a, b, c, d := own[0], own[1], own[2], own[3]
		for r := range out {
			of := n.signs[4*r : 4*r+4]
			out[r] = uint16(bits.OnesCount64(of[0]^a) + bits.OnesCount64(of[1]^b) + bits.OnesCount64(of[2]^c) + bits.OnesCount64(of[3]^d))
		}
		return
	}
	for r := range out {
		differing := 0
		for i, of := range n.signs[r*n.width : (r+1)*n.width] {
			differing += bits.OnesCount64(of ^ own[i])
		}
		out[r] = uint16(differing)
	}
}

// compared gives some rows as words with their cosine, the nearest first.
func (m *Model) compared(row int, others []int32) []NearWord {
	own := pack(m.rows[row*m.dim : (row+1)*m.dim])
	out := make([]NearWord, 0, len(others))
	for _, r := range others {
		sum := own.times(m.rows[int(r)*m.dim : (int(r)+1)*m.dim])
		start := m.near.starts[r]
		word := m.words[start+1 : start+1+uint32(m.words[start])]
		// Rounded, so that every machine agrees.
		likeness := math.Round(1e6*float64(sum)/(float64(m.near.norms[row])*float64(m.near.norms[r]))) / 1e6
		if likeness >= leastNear {
			out = append(out, NearWord{word, likeness})
		}
	}
	slices.SortFunc(out, func(a, b NearWord) int {
		return cmp.Or(cmp.Compare(b.Likeness, a.Likeness), strings.Compare(a.Word, b.Word))
	})
	return slices.Clip(out)
}

// packed is a row that many others are multiplied with: eight components stand in four
// numbers, so that one multiplication makes two products and adds them.
type packed struct {
	row   string
	pairs [][4]int64 // of components 0 to 3 of eight in the upper half and 4 to 7 in the lower
	sum   int        // of the components in pairs
}

func pack(row string) packed {
	p := packed{row: row, pairs: make([][4]int64, len(row)/8)}
	for i := range p.pairs {
		for j := range 4 {
			upper, lower := int8(row[8*i+j]), int8(row[8*i+j+4])
			p.pairs[i][j] = int64(upper)<<32 + int64(lower)
			p.sum += int(upper) + int(lower)
		}
	}
	return p
}

// times gives the inner product with another row of the same length. Its components are
// made positive by adding 128, which is taken away from the sum again. Of the product of two
// numbers, each of two halves, the upper half is what each half of one makes with its own of
// the other; what stands in the lower one is taken away, as it may be negative.
func (p packed) times(row string) int {
	const each = 0xff<<32 | 0xff // the lowest byte of each half
	var sum int64
	rest := row
	for _, a := range p.pairs {
		if len(rest) < 8 {
			break
		}
		b := int64(u32(rest, 0)) | int64(u32(rest, 4))<<32
		b ^= -0x7f7f7f7f7f7f7f80 // the sign of each
		sum += a[0]*(b&each) + a[1]*(b>>8&each) + a[2]*(b>>16&each) + a[3]*(b>>24&each)
		rest = rest[8:]
	}
	out := int((sum-int64(int32(sum)))>>32) - 128*p.sum
	for i := 8 * len(p.pairs); i < len(row); i++ {
		out += int(int8(p.row[i])) * int(int8(row[i]))
	}
	return out
}

// leastNear is the cosine below which nobody asks.
const leastNear = 0.3
