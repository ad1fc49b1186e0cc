package embed

import "math"

// Meaning is what the words of a text mean, each once, to compare it word by word with
// another: two who say the same in other words use words that are near each other, which
// the vectors of whole texts, sums of all their words, tell less well from texts that are
// only about the same.
type Meaning struct {
	words  []meant
	sum    float64 // of the weights
	whole  []int8  // the vector of the text, in steps
	square float64
}

// meant is a word: its vector in steps, and how much it tells.
type meant struct {
	word   string
	vector []int8
	square float64
	weight float64
	number bool
}

const (
	// commonRows is how many of the commonest words, by their place in the model, tell little.
	commonRows = 200
	// nearMeaning is the cosine from which on two words are taken to mean something alike.
	nearMeaning = 0.4
	// numberWeight is how much a number tells, of which none is near another.
	numberWeight = 3
)

// Meaning reads a text, of which the first so many words.
func (m *Model) Meaning(text string) *Meaning {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	m.read(s, text)
	out, seen := &Meaning{whole: make([]int8, m.dim)}, map[string]bool{}
	out.square = inSteps(out.whole, s.static, briefSteps)
	for i := range s.tokens.len() {
		token := s.tokens.at(i)
		if seen[string(token)] {
			continue
		}
		w := meant{word: string(token), vector: make([]int8, m.dim), number: isDigit(rune(token[0]))}
		seen[w.word] = true
		row, known := m.row(token)
		switch {
		case w.number:
			w.weight = numberWeight
		case known:
			w.weight = toldBy(row)
			for k := range w.vector {
				x := int8(m.rows[row*m.dim+k])
				w.vector[k] = x
				w.square += float64(int(x) * int(x))
			}
		default:
			w.weight = toldBy(m.vocab)
			m.grams(s, token)
			m.sumGrams(s)
			w.square = inSteps(w.vector, s.word, briefSteps)
		}
		out.words, out.sum = append(out.words, w), out.sum+w.weight
	}
	return out
}

// toldBy is how much a word tells that has so many commoner than it.
func toldBy(row int) float64 { return math.Log1p(float64(row) / commonRows) }

// Tells says from 0 to 1 how much a word, in lower case, tells by how rare it is in the
// language at large; one that the model does not know tells most.
func (m *Model) Tells(word string) float64 {
	row, known := m.row([]byte(word))
	if !known {
		return 1
	}
	return toldBy(row) / toldBy(m.vocab)
}

// Near is the cosine of two texts as wholes. It takes a thousandth of the time of Shared,
// and says of many which to compare.
func (a *Meaning) Near(b *Meaning) float64 { return cosine(a.whole, b.whole, a.square, b.square) }

// Shared says how much two texts have of what each other says, from 0 to 1: the part of
// the words of one, by how much they tell, to which the other has the same or one of a
// near meaning, as far as that is near; of the two parts the smaller. It is the same on
// every machine.
func (a *Meaning) Shared(b *Meaning) float64 {
	if a.sum == 0 || b.sum == 0 {
		return 0
	}
	ofA, ofB := make([]float64, len(a.words)), make([]float64, len(b.words))
	for i := range a.words {
		for k := range b.words {
			near := a.words[i].near(&b.words[k])
			ofA[i], ofB[k] = max(ofA[i], near), max(ofB[k], near)
		}
	}
	return math.Round(1e6*min(a.part(ofA), b.part(ofB))) / 1e6
}

// part is how much of a text is covered, by how near each of its words has one.
func (a *Meaning) part(near []float64) float64 {
	sum := 0.0
	for i, n := range near {
		sum += float64(a.words[i].weight * n)
	}
	return sum / a.sum
}

// near is how near two words are in meaning; 0 if they are not.
func (w *meant) near(o *meant) float64 {
	if w.word == o.word {
		return 1
	}
	if w.number || o.number {
		return 0
	}
	if near := cosine(w.vector, o.vector, w.square, o.square); near >= nearMeaning {
		return near
	}
	return 0
}

// cosine is that of two vectors in steps, by the squares of their lengths.
func cosine(a, b []int8, squareA, squareB float64) float64 {
	if squareA == 0 || squareB == 0 {
		return 0
	}
	sum := 0
	b = b[:len(a)]
	for i, x := range a {
		sum += int(x) * int(b[i])
	}
	return float64(sum) / math.Sqrt(squareA*squareB)
}
