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
	own := n.signs[row*n.width : (row+1)*n.width]
	distance := make([]uint16, len(n.norms))
	var counts [1 << 13]int32
	for r := range distance {
		d := 0
		for i, w := range n.signs[r*n.width : (r+1)*n.width] {
			d += bits.OnesCount64(w ^ own[i])
		}
		distance[r] = uint16(d)
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

// compared gives some rows as words with their cosine, the nearest first.
func (m *Model) compared(row int, others []int32) []NearWord {
	own := m.rows[row*m.dim : (row+1)*m.dim]
	out := make([]NearWord, 0, len(others))
	for _, r := range others {
		their := m.rows[int(r)*m.dim : (int(r)+1)*m.dim]
		sum := 0
		for i := range len(own) {
			sum += int(int8(own[i])) * int(int8(their[i]))
		}
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

// leastNear is the cosine below which nobody asks.
const leastNear = 0.3
