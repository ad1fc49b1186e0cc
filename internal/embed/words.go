package embed

import "math"

// Similarity is the cosine of two single words, as tokens: lower case and
// without punctuation. It makes the model a playbook.Lexicon.
func (m *Model) Similarity(a, b string) float64 {
	x, y := m.wordVector(a), m.wordVector(b)
	nx, ny := norm(x), norm(y)
	if nx == 0 || ny == 0 {
		return 0
	}
	return product(x, y) / (nx * ny)
}

// wordVector is the row of a token, or the mean of its n-gram rows.
func (m *Model) wordVector(word string) []float32 {
	v := make([]float32, m.dim)
	if row, ok := m.row([]byte(word)); ok {
		m.addRow(v, row, 1)
		return v
	}
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	m.grams(s, []byte(word))
	m.sumGrams(s)
	copy(v, s.word)
	return v
}

func norm(v []float32) float64 { return math.Sqrt(product(v, v)) }

func product(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
