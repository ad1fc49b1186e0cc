package embed

import (
	"context"
	"math"
	"unicode/utf8"

	"brenner"
)

// lexicalDim is the length of the dense lexical part.
const lexicalDim = 512

// maxGram bounds the n-gram length a model may ask for.
const maxGram = 8

// scratch holds what one embedding needs, reused between calls.
type scratch struct {
	tokens  tokens
	static  []float32
	lexical [lexicalDim]float32
	padded  []byte // "<token>"
	starts  []int  // where each rune of padded starts, and its end
	hashes  []uint64
	rows    []gramRow
	word    []float32 // the vector of a word that the vocabulary lacks
	steps   []int8    // of a brief vector
}

// Describe implements Embedder.
func (m *Model) Describe() Identity {
	return Identity{Provider: "builtin", Model: "semb-v1", Dimension: m.Dimension(), Fingerprint: builtinDigest}
}

// Dimension is the length of what Vec gives.
func (m *Model) Dimension() int { return m.dim + lexicalDim + 1 }

// Embed implements Embedder. It fails only when the context has ended.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, brenner.Errorf(brenner.CodeCanceled, "embedding was stopped").Because(err)
		}
		out[i] = m.Vec(text)
	}
	return out, nil
}

// Vec gives the unit vector of a text: its meaning as the model knows it, its
// spelling as hashed n-grams, and a constant that places the decision point of
// the model at cosine 0.8. A text without tokens has only the constant.
func (m *Model) Vec(text string) []float32 {
	v := make([]float32, m.Dimension())
	m.Fill(v, text)
	return v
}

// Fill is Vec into a slice of the model's dimension.
func (m *Model) Fill(v []float32, text string) {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	s.tokens.cut(text, m.maxTokens)
	m.pool(s)

	m.unitStatic(s.static)
	for i, x := range s.static {
		v[i] = m.staticWeight * x
	}
	unit(s.lexical[:])
	for i, x := range s.lexical {
		v[m.dim+i] = m.lexicalWeight * x
	}
	v[len(v)-1] = m.constant
}

// Static gives the unit vector of a text's meaning alone, zero for a text
// without tokens.
func (m *Model) Static(text string) []float32 {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	s.tokens.cut(text, m.maxTokens)
	m.pool(s)
	v := append([]float32(nil), s.static...)
	m.unitStatic(v)
	return v
}

// pool sums the static and lexical parts over the tokens, not yet normalised.
//
// The lexical value of a bucket is tf · idf, linear in tf, and the dense form
// is a signed sum of buckets: so adding ± idf per n-gram occurrence gives the
// same direction without counting.
func (m *Model) pool(s *scratch) {
	clear(s.static)
	clear(s.lexical[:])
	wordSeed := m.hash("w:")
	for i := range s.tokens.len() {
		token := s.tokens.at(i)
		m.grams(s, token)
		for _, h := range s.hashes {
			m.addLexical(s, h)
		}
		m.addLexical(s, hashBytes(wordSeed, token))
		if row, ok := m.row(token); ok {
			m.addRow(s.static, row, 1)
			continue
		}
		m.addSpelled(s, token)
	}
}

// add adds a vector to one of the same length.
func add(v, w []float32) {
	w = w[:len(v)]
	for len(v) >= 8 && len(w) >= 8 {
		v[0] += w[0]
		v[1] += w[1]
		v[2] += w[2]
		v[3] += w[3]
		v[4] += w[4]
		v[5] += w[5]
		v[6] += w[6]
		v[7] += w[7]
		v, w = v[8:], w[8:]
	}
	for i, x := range w {
		v[i] += x
	}
}

const (
	// maxSpelled is how many words that the vocabulary lacks are remembered at a time,
	// besides those that were before: a project has its own, which come again and again.
	// Each takes 1 KB.
	maxSpelled = 16_384
	// longSpelled is the length in bytes from which a word is not remembered.
	longSpelled = 64
)

// addSpelled adds to the static part the vector of a word that the vocabulary lacks, by its n-grams.
func (m *Model) addSpelled(s *scratch, token []byte) {
	key := keyOf(token)
	if m.spelling.use(key, func(w []float32) { add(s.static, w) }) {
		return
	}
	m.sumGrams(s)
	add(s.static, s.word)
	if len(token) < longSpelled {
		m.spelling.put(key, s.word)
	}
}

// sumGrams sets word to the mean of the n-gram rows of an unknown one. Eight components are
// summed at a time, over all rows in their order: that is what most of the time of a new
// word is spent on.
func (m *Model) sumGrams(s *scratch) {
	v, rows := s.word, s.rows[:0]
	for _, h := range s.hashes {
		row := m.vocab + int(h%uint64(m.buckets))
		rows = append(rows, gramRow{m.rows[row*m.dim : (row+1)*m.dim], f32(m.scale, 4*row)})
	}
	s.rows = rows
	n := float32(max(1, len(s.hashes)))
	at := 0
	for ; at+8 <= len(v); at += 8 {
		var a, b, c, d, e, f, g, h float32
		for _, r := range rows {
			x := r.values[at : at+8]
			// The conversions forbid fusing: same bits everywhere.
			a += float32(r.scale * float32(int8(x[0])))
			b += float32(r.scale * float32(int8(x[1])))
			c += float32(r.scale * float32(int8(x[2])))
			d += float32(r.scale * float32(int8(x[3])))
			e += float32(r.scale * float32(int8(x[4])))
			f += float32(r.scale * float32(int8(x[5])))
			g += float32(r.scale * float32(int8(x[6])))
			h += float32(r.scale * float32(int8(x[7])))
		}
		to := v[at : at+8]
		to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7] = a/n, b/n, c/n, d/n, e/n, f/n, g/n, h/n
	}
	for ; at < len(v); at++ {
		var sum float32
		for _, r := range rows {
			sum += float32(r.scale * float32(int8(r.values[at])))
		}
		v[at] = sum / n
	}
}

// gramRow is the row of an n-gram.
type gramRow struct {
	values string
	scale  float32
}

func (m *Model) addLexical(s *scratch, h uint64) {
	key := h & uint64(len(m.idf)-1)
	value := float32(m.idf[key]) / 16
	if key>>9&1 == 1 {
		value = -value
	}
	s.lexical[key&(lexicalDim-1)] += value
}

// grams lists the hashes of every n-gram of "<token>", and of the whole if it
// is longer than the longest n-gram.
func (m *Model) grams(s *scratch, token []byte) {
	s.padded = append(append(append(s.padded[:0], '<'), token...), '>')
	s.starts, s.hashes = s.starts[:0], s.hashes[:0]
	for i := 0; i < len(s.padded); {
		s.starts = append(s.starts, i)
		_, n := utf8.DecodeRune(s.padded[i:])
		i += n
	}
	count := len(s.starts)
	s.starts = append(s.starts, len(s.padded))
	for first := range count {
		h := m.seed
		for n := 1; n <= m.gramMax && first+n <= count; n++ {
			h = hashBytes(h, s.padded[s.starts[first+n-1]:s.starts[first+n]])
			if n >= m.gramMin {
				s.hashes = append(s.hashes, h)
			}
		}
	}
	if count > m.gramMax {
		s.hashes = append(s.hashes, hashBytes(m.seed, s.padded))
	}
}

// unitStatic normalises, centres and normalises again.
func (m *Model) unitStatic(v []float32) {
	if m.centre(v) {
		unit(v)
	}
}

// centre normalises and takes away the mean; a zero vector stays zero and gives false.
func (m *Model) centre(v []float32) bool {
	if !unit(v) {
		return false
	}
	for i := range v {
		v[i] -= f32(m.mean, 4*i)
	}
	return true
}

// unit scales v to length 1; a zero vector stays zero and gives false.
func unit(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return false
	}
	inv := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * inv)
	}
	return true
}
