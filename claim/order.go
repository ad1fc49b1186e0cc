package claim

import (
	"slices"
	"strings"

	"brenner/internal/lazy"
)

// orders finds the same words with two parts exchanged around something that
// relates them. The opposite of a relation and an exchange undo each other: "A
// before B" is "B after A".
func (l *alignment) orders() []Difference {
	if d, decided := l.relations(); decided {
		return d
	}
	x, y, same := l.sequences()
	if !same || l.a.passive() != l.b.passive() { // the server is called by the client
		return nil
	}
	if first, second, ok := l.a.exchanged(x, y); ok {
		return []Difference{{Kind: Order, Ours: l.a.said(first), Theirs: l.a.said(second), Opposes: true}}
	}
	return nil
}

// relationWords relate what stands before them to what follows, and cannot be
// turned round without changing what is said.
var relationWords = lazy.NewWords("before after above below over under than to from into onto exceeds precedes follows")

// relates reports whether the token at i is a relation of the sentence.
func (r Reading) relates(i int) bool {
	t := r.tokens[i]
	return relationWords.Has(t.text) && t.role&quantityRole == 0
}

// relations compares the sides of the relations that both sentences have.
// decided says that one of them could be compared. Words that a comparison has
// settled, faster than and slower than, count as no turn of their own.
func (l *alignment) relations() (out []Difference, decided bool) {
	for i, x := range l.a.tokens {
		if !l.a.relates(i) {
			continue
		}
		for j, y := range l.b.tokens {
			turned := opposed()[[2]string{x.stem, y.stem}] == oppositeRelation
			if !l.b.relates(j) || x.text != y.text && !turned {
				continue
			}
			if x.text == "than" {
				turned = l.compareOtherwise(i, j)
			}
			switch l.sides(i, j) {
			case crossed:
				if turned {
					return nil, true
				}
				return []Difference{{Kind: Order, Ours: x.raw, Theirs: y.raw, Opposes: true}}, true
			case kept:
				if !turned {
					decided = true
					continue
				}
				return []Difference{{Kind: Negation, Ours: x.raw, Theirs: y.raw, Opposes: true}}, true
			case mixed:
				if turned && !l.a.has(y.text) && !l.b.has(x.text) {
					out = []Difference{{Kind: Negation, Ours: x.raw, Theirs: y.raw}}
				}
			}
		}
	}
	return out, decided || len(out) > 0
}

// compareOtherwise reports whether the comparisons before two "than" are
// opposites: faster than, slower than. Then they are no turn of their own.
func (l *alignment) compareOtherwise(i, j int) bool {
	x, y := l.a.comparative(i), l.b.comparative(j)
	if x < 0 || y < 0 || opposed()[[2]string{l.a.tokens[x].stem, l.b.tokens[y].stem}] == notOpposite {
		return false
	}
	if l.of[x] == y && l.bonds[x] == opposites {
		l.bonds[x] = sameMeaning
	}
	return true
}

// comparative is the word that "than" at i belongs to, -1 if there is none.
func (r Reading) comparative(i int) int {
	for j := i - 1; j >= 0 && j >= i-3; j-- {
		if t := r.tokens[j].text; strings.HasSuffix(t, "er") || t == "more" || t == "less" || t == "worse" {
			return j
		}
	}
	return -1
}

// siding is how the sides of a relation compare.
type siding int

const (
	mixed   siding = iota // cannot be told
	kept                  // each side is where it was
	crossed               // the sides have changed places
)

// sides compares what stands on either side of two relations. Words that a
// sentence has twice do not tell.
func (l *alignment) sides(i, j int) siding {
	leftA, rightA := l.a.around(i)
	leftB, rightB := l.b.around(j)
	count := func(ours, theirs []int) (n int) {
		for _, x := range ours {
			if y := l.of[x]; y >= 0 && slices.Contains(theirs, y) && l.a.once(x) && l.b.once(y) {
				n++
			}
		}
		return n
	}
	leftStay, rightStay := count(leftA, leftB), count(rightA, rightB)
	toRight, toLeft := count(leftA, rightB), count(rightA, leftB)
	switch {
	case toRight > 0 && toLeft > 0 && (leftStay == 0 || rightStay == 0): // a verb may stay where it was
		return crossed
	case toRight == 0 && toLeft == 0 && leftStay > 0 && rightStay > 0:
		return kept
	}
	return mixed
}

// once reports whether a sentence has the word at i only there.
func (r Reading) once(i int) bool {
	for _, k := range r.content {
		if k != i && r.tokens[k].stem == r.tokens[i].stem {
			return false
		}
	}
	return true
}

// around gives the content words before and after a relation, up to the next
// relation, in the order of a sentence that does not begin with it: "before B,
// A" is "A before B".
func (r Reading) around(i int) (left, right []int) {
	first := i == 0 || r.tokens[i].breaks || r.tokens[i].ends
	start, end := 0, len(r.tokens)
	for j := i + 1; j < len(r.tokens); j++ {
		if first && r.tokens[j].breaks || r.relates(j) {
			end = j
			break
		}
	}
	for j := i - 1; j >= 0; j-- {
		if r.relates(j) {
			start = j
			break
		}
	}
	for _, c := range r.content {
		switch {
		case c > i && c < end:
			right = append(right, c)
		case c >= start && c < i || first && c >= end:
			left = append(left, c)
		}
	}
	return left, right
}

// passive reports whether the sentence tells what is done by somebody.
func (r Reading) passive() bool {
	for i, t := range r.tokens {
		if t.text == "by" && i > 1 && (strings.HasSuffix(r.tokens[i-1].text, "ed") || strings.HasSuffix(r.tokens[i-1].text, "en")) {
			return true
		}
	}
	return false
}

// sequences gives the words of both sentences that are not only grammar, each
// as the token of a that it is or is the partner of; same says that they are
// the same words.
func (l *alignment) sequences() (x, y []int, same bool) {
	x = l.a.sequence()
	for _, j := range l.b.sequence() {
		i := l.back[j]
		if i < 0 {
			i = slices.IndexFunc(x, func(k int) bool {
				return l.a.tokens[k].text == l.b.tokens[j].text && l.of[k] < 0 && !slices.Contains(y, k)
			})
			if i < 0 {
				return nil, nil, false
			}
			i = x[i]
		}
		y = append(y, i)
	}
	if len(x) != len(y) {
		return nil, nil, false
	}
	return x, y, slices.Equal(slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y)))
}

// sequence lists the tokens that are not only grammar. A part that can stand
// first or last, and stands first, is put last.
func (r Reading) sequence() []int {
	var head, tail []int
	part := &tail
	for i, t := range r.tokens {
		if i == 0 && adjunctWords.Has(t.text) {
			part = &head
		}
		if i > 0 && t.breaks {
			part = &tail
		}
		if t.kind == wordToken && grammarWords.Has(t.text) {
			continue
		}
		*part = append(*part, i)
	}
	return slices.Concat(tail, head)
}

// exchanged finds parts A and B with x = … A M B … and y = … B M A …, where M
// relates them and does not only list them.
func (r Reading) exchanged(x, y []int) (first, second []int, ok bool) {
	for len(x) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	n := len(x)
	for i := 1; i < n-1; i++ {
		if !slices.Equal(x[:i], y[n-i:]) {
			continue
		}
		for j := 1; i+j < n; j++ {
			if slices.Equal(x[n-j:], y[:j]) && slices.Equal(x[i:n-j], y[j:n-i]) && !r.lists(x[i:n-j]) {
				return x[:i], x[n-j:], true
			}
		}
	}
	return nil, nil, false
}

// lists reports whether words only join what stands on either side: then that
// may change places.
func (r Reading) lists(middle []int) bool {
	return !slices.ContainsFunc(middle, func(i int) bool {
		t := r.tokens[i].text
		return t != "and" && t != "or" && t != "&" && t != "/"
	})
}
