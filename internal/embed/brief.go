package embed

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// A brief vector has of what Vec gives the meaning and the spelling, each in whole steps
// of a 127th of its greatest component. It is, in bytes:
//
//	dim            the meaning
//	4, 4           the squares of the lengths of both, in such steps
//	lexicalDim / 8 a bit for each component of the spelling that is not 0, the lowest first
//	…              those components
//
// The words of a summary have few n-grams, so that it takes a sixth of the bytes of Vec.
const (
	squareBytes = 4
	bitsBytes   = lexicalDim / 8
	briefSteps  = math.MaxInt8
)

// Brief appends the brief vector of a text.
func (m *Model) Brief(b []byte, text string) []byte {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	m.read(s, text)
	s.steps = slices.Grow(s.steps[:0], m.dim+lexicalDim)[:m.dim+lexicalDim]
	static, lexical := s.steps[:m.dim], s.steps[m.dim:]
	squares := [2]float64{inSteps(static, s.static, briefSteps), inSteps(lexical, s.lexical[:], briefSteps)}
	for _, n := range static {
		b = append(b, byte(n))
	}
	for _, x := range squares {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	var there [bitsBytes]byte
	at := len(b)
	b = append(b, there[:]...)
	for i, n := range lexical {
		if n != 0 {
			b[at+i/8] |= 1 << (i % 8)
			b = append(b, byte(n))
		}
	}
	return b
}

// Subject is a text that others are compared with. Its steps are finer than those of a
// brief vector: there is only one.
type Subject struct {
	model                       *Model
	static                      []int32
	lexical                     [lexicalDim]int32
	staticSquare, lexicalSquare float64
}

const subjectSteps = math.MaxInt16

// Subject gives a text to compare others with.
func (m *Model) Subject(text string) *Subject {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	m.read(s, text)
	out := &Subject{model: m, static: make([]int32, m.dim)}
	out.staticSquare = inSteps(out.static, s.static, subjectSteps)
	out.lexicalSquare = inSteps(out.lexical[:], s.lexical[:], subjectSteps)
	return out
}

// read sets the parts of the vector of a text, of whatever lengths.
func (m *Model) read(s *scratch, text string) {
	s.tokens.cut(text, m.maxTokens)
	m.pool(s)
	m.centre(s.static)
}

// inSteps gives the components of a vector in steps, of which the greatest has so many,
// and the square of its length in them.
func inSteps[T int8 | int32](to []T, v []float32, most float32) (square float64) {
	greatest := uint32(0) // without their signs, floats are in the order of their bits
	for _, x := range v {
		greatest = max(greatest, math.Float32bits(x)&^(1<<31))
	}
	if greatest == 0 {
		clear(to)
		return 0
	}
	perStep := most / math.Float32frombits(greatest)
	sum := int64(0)
	to = to[:len(v)]
	for i, x := range v {
		// The conversion forbids fusing; the sum is positive, so that cutting it off rounds.
		n := int32(float32(x*perStep)+(most+1.5)) - int32(most+1)
		to[i] = T(n)
		sum += int64(n) * int64(n)
	}
	return float64(sum)
}

// Cosine is that of the subject and a text, of which the brief vector is given. It is the
// same on every machine; the vectors of Vec have the same but for a thousandth or two.
func (s *Subject) Cosine(brief []byte) float64 {
	m, dim := s.model, s.model.dim
	rest := brief[dim+2*squareBytes:]
	static := share(inner(s.static, brief[:dim]), s.staticSquare, brief[dim:])
	lexical := share(s.spelling(rest[:bitsBytes], rest[bitsBytes:]), s.lexicalSquare, brief[dim+squareBytes:])
	weight := func(x float32) float64 { return float64(x) * float64(x) }
	sum := weight(m.constant)
	sum += float64(weight(m.staticWeight) * static)
	sum += float64(weight(m.lexicalWeight) * lexical)
	return sum
}

// share is the cosine of two vectors, by their product and the squares of their lengths.
func share(product int, square float64, other []byte) float64 {
	if squares := square * float64(binary.LittleEndian.Uint32(other)); squares != 0 {
		return float64(product) / math.Sqrt(squares)
	}
	return 0
}

// inner multiplies two vectors in steps.
func inner(a []int32, b []byte) int {
	var sum [4]int
	for len(a) >= 4 && len(b) >= 4 {
		sum[0] += int(a[0]) * int(int8(b[0]))
		sum[1] += int(a[1]) * int(int8(b[1]))
		sum[2] += int(a[2]) * int(int8(b[2]))
		sum[3] += int(a[3]) * int(int8(b[3]))
		a, b = a[4:], b[4:]
	}
	for i := range min(len(a), len(b)) {
		sum[i] += int(a[i]) * int(int8(b[i]))
	}
	return sum[0] + sum[1] + sum[2] + sum[3]
}

// spelling multiplies that of the subject with one of which those components are given
// that are not 0.
func (s *Subject) spelling(there, components []byte) int {
	sum := 0
	for from := 0; from < lexicalDim; from += 64 {
		for left := binary.LittleEndian.Uint64(there[from/8:]); left != 0; left &= left - 1 {
			sum += int(s.lexical[from+bits.TrailingZeros64(left)]) * int(int8(components[0]))
			components = components[1:]
		}
	}
	return sum
}
