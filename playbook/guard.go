package playbook

import (
	"slices"
	"strings"

	"brenner/internal/linediff"
)

// Guard keeps lessons apart that vectors cannot tell apart (B4): "the 15th"
// and "the 16th" have cosine 0.99. It looks at the words only. The zero Guard
// is on and looks at numbers, negation and order; with Words also at objects.
type Guard struct {
	// Off follows the ADR to the letter: cosine alone decides.
	Off bool
	// Words compares single words, to find an object exchanged for another.
	Words Lexicon
}

// Lexicon compares single lower-case words. The built-in embedder is one.
type Lexicon interface {
	// Similarity is the cosine of two words, the same in either order.
	Similarity(a, b string) float64
}

// Clash says why two texts must not merge.
type Clash struct {
	Why ClashKind `json:"why"`
	// Ours and Theirs are the words that clash, in the insight and the bullet.
	Ours   string `json:"ours,omitempty"`
	Theirs string `json:"theirs,omitempty"`
}

// ClashKind names a rule of the guard.
type ClashKind string

// The rules of the guard.
const (
	ClashNumbers  ClashKind = "numbers"  // other numbers
	ClashNegation ClashKind = "negation" // one says the opposite
	ClashOrder    ClashKind = "order"    // the same words, exchanged
	ClashObject   ClashKind = "object"   // another thing in the same sentence
)

// Clash reports whether the guard keeps two texts apart, and why. Which text
// is ours and which theirs decides nothing.
func (g Guard) Clash(ours, theirs string) (Clash, bool) {
	if g.Off || ours == theirs {
		return Clash{}, false
	}
	if ours > theirs { // one order, since aligning two texts can have ties
		c, found := g.clash(read(theirs), read(ours))
		c.Ours, c.Theirs = c.Theirs, c.Ours
		return c, found
	}
	return g.clash(read(ours), read(theirs))
}

func (g Guard) clash(a, b reading) (Clash, bool) {
	if c, found := numbersClash(a, b); found {
		return c, true
	}
	turns := compareOpposites(a, b)
	if (a.negated+b.negated+turns.negations)%2 == 1 {
		return Clash{ClashNegation, turns.ours, turns.theirs}, true
	}
	if c, found := orderClash(a, b, turns); found {
		return c, true
	}
	b.stems = turns.same
	return g.objectClash(a, b)
}

// reading is a text as the guard sees it.
type reading struct {
	words   []string // lower case, without apostrophes
	stems   []string // of the words, one each
	numbers []string // each once
	negated int      // how many words negate
}

// mostAligned is how many words of a text are compared place by place. A
// lesson is a sentence; the bound only keeps a hostile text from taking long.
const mostAligned = 200

func read(text string) reading {
	r := reading{words: guardWords(text), numbers: numbersOf(text)}
	for _, w := range r.words {
		if negators[w] {
			r.negated++
		}
	}
	r.words = r.words[:min(len(r.words), mostAligned)]
	r.stems = make([]string, len(r.words))
	for i, w := range r.words {
		r.stems[i] = stem(w)
	}
	return r
}

// numbersClash holds when each text has a number the other lacks. A number
// that only one side mentions adds detail; it does not contradict.
func numbersClash(a, b reading) (Clash, bool) {
	onlyA, onlyB := without(a.numbers, b.numbers), without(b.numbers, a.numbers)
	if len(onlyA) == 0 || len(onlyB) == 0 {
		return Clash{}, false
	}
	return Clash{ClashNumbers, strings.Join(onlyA, " "), strings.Join(onlyB, " ")}, true
}

// without lists the members of a that b lacks.
func without(a, b []string) []string {
	var out []string
	for _, x := range a {
		if !slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}

// turns are the opposites two texts have in each other's place. Each counts
// as one negation, so that "not safe" agrees with "unsafe"; but the opposite
// of a relation, before and after, is undone by exchanging what it relates.
type turns struct {
	negations, relations int
	ours, theirs         string   // the first pair of opposites
	same                 []string // the stems of b with each opposite put back
}

// compareOpposites pairs each word only in a with an opposite only in b.
func compareOpposites(a, b reading) turns {
	var t turns
	t.same = slices.Clone(b.stems)
	onlyB := without(b.stems, a.stems)
	for _, x := range slices.Compact(without(a.stems, b.stems)) {
		for i, y := range onlyB {
			kind := opposites(x, y)
			if kind == notOpposite {
				continue
			}
			if kind == oppositeRelation {
				t.relations++
			} else {
				t.negations++
			}
			if t.ours == "" {
				t.ours, t.theirs = x, y
			}
			for j, w := range t.same {
				if w == y {
					t.same[j] = x
				}
			}
			onlyB = slices.Delete(slices.Clone(onlyB), i, i+1)
			break
		}
	}
	return t
}

// orderClash holds for the same words with two parts exchanged around
// something that relates them. The opposite of a relation and an exchange
// cancel: "A before B" is "B after A".
func orderClash(a, b reading, t turns) (Clash, bool) {
	turned := t.relations%2 == 1
	if !sameBag(a.stems, t.same) {
		return Clash{ClashNegation, t.ours, t.theirs}, turned
	}
	first, second, swapped := exchanged(a.stems, t.same)
	switch {
	case swapped && !turned:
		return Clash{ClashOrder, first, second}, true
	case turned && !swapped:
		return Clash{ClashNegation, t.ours, t.theirs}, true
	}
	return Clash{}, false
}

func sameBag(x, y []string) bool {
	return len(x) == len(y) && slices.Equal(slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y)))
}

// exchanged finds parts A and B with x = … A M B … and y = … B M A …, where M
// relates them. A part that begins with a word such as "before" is a clause
// that changed its place, which changes nothing.
func exchanged(x, y []string) (first, second string, ok bool) {
	for len(x) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	n := len(x)
	for i := 1; i < n-1; i++ {
		if !slices.Equal(x[:i], y[n-i:]) || clauseWords[x[0]] {
			continue
		}
		for j := 1; i+j < n; j++ {
			middle := x[i : n-j]
			if slices.Equal(x[n-j:], y[:j]) && slices.Equal(middle, y[j:n-i]) && !clauseWords[x[n-j]] && !joins(middle) {
				return strings.Join(x[:i], " "), strings.Join(x[n-j:], " "), true
			}
		}
	}
	return "", "", false
}

// joins reports whether words only list: then what they list may change
// places.
func joins(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return w != "and" && w != "or" })
}

// alikeFrom is the similarity from which two words in each other's place count
// as the same thing said differently. On common pairs of synonyms and of
// things of one kind, 0.5 parts the two best.
const alikeFrom = 0.5

// objectClash holds when the texts run alike and, at some place, each has a
// word for a thing that the other nowhere names, and the two are not alike.
func (g Guard) objectClash(a, b reading) (Clash, bool) {
	for _, c := range linediff.Compare(a.stems, b.stems) {
		ours := things(a, b, c.OldLo, c.OldHi)
		theirs := things(b, a, c.NewLo, c.NewHi)
		if x, y, differ := g.differ(ours, theirs); differ {
			return Clash{ClashObject, x, y}, true
		}
	}
	return Clash{}, false
}

// things lists the words of r from … to that may name something and that the
// other text does not have.
func things(r, other reading, from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		w := r.words[i]
		if !lightWords[w] && !negators[w] && !isNumber(w) && !slices.Contains(other.stems, r.stems[i]) {
			out = append(out, w)
		}
	}
	return out
}

// differ reports whether two lists of words name different things: of one kind
// by the list of kinds, or unlike in every pairing.
func (g Guard) differ(ours, theirs []string) (x, y string, differ bool) {
	best := -1.0
	for _, x := range ours {
		for _, y := range theirs {
			if k := kinds[stem(x)]; k != 0 && k == kinds[stem(y)] {
				return x, y, true
			}
			if g.Words != nil {
				best = max(best, g.Words.Similarity(x, y))
			}
		}
	}
	if g.Words == nil || len(ours) == 0 || len(theirs) == 0 || best >= alikeFrom {
		return "", "", false
	}
	return ours[0], theirs[0], true
}
