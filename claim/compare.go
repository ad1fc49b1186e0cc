package claim

import (
	"slices"
	"strings"

	"brenner/internal/lazy"
)

// Verdict is how two sentences stand to each other.
type Verdict int

// The verdicts.
const (
	Same    Verdict = iota // nothing understood speaks against it
	Apart                  // they differ, and both may hold or the rules cannot tell
	Opposed                // both cannot hold
)

func (v Verdict) String() string {
	switch v {
	case Same:
		return "same"
	case Opposed:
		return "opposed"
	}
	return "apart"
}

// Kind says in what two sentences differ.
type Kind string

// The kinds of difference.
const (
	Numbers    Kind = "numbers"    // other numbers, or of other units
	Bounds     Kind = "bounds"     // the same number bounded otherwise: at least, at most
	Negation   Kind = "negation"   // one says the opposite
	Quantifier Kind = "quantifier" // all, only some
	Scope      Kind = "scope"      // one adds "only", an exception or a condition
	Strength   Kind = "strength"   // must, may
	Order      Kind = "order"      // the same words, exchanged
	Object     Kind = "object"     // another thing in the same sentence
	Remark     Kind = "remark"     // one tells to do what the other says something of
)

// Difference is one thing in which two sentences differ, with the words of
// each.
type Difference struct {
	Kind         Kind
	Ours, Theirs string
	// Opposes says that the difference alone makes one the contrary of the
	// other.
	Opposes bool
}

// Comparison is what Compare finds. Differences are in the order of the kinds
// above; there are none exactly if the verdict is Same.
type Comparison struct {
	Verdict     Verdict
	Differences []Difference
}

// Compare says how two sentences stand to each other. Without a lexicon, words
// are the same or synonyms by the lists of this package, and other words are
// left alone. Which of the two is first decides nothing.
func Compare(a, b Reading, words Lexicon) Comparison {
	if sameWords(a, b) {
		return Comparison{}
	}
	if a.text > b.text { // one order, since pairing words can have ties
		c := Compare(b, a, words)
		for i, d := range c.Differences {
			c.Differences[i].Ours, c.Differences[i].Theirs = d.Theirs, d.Ours
		}
		return c
	}
	l := align(a, b, words)
	orders := l.orders() // first: a comparison settles what else would be an opposite
	negations := l.negations()
	if len(orders) > 0 && orders[0].Opposes && len(negations) > 0 && !negations[0].Opposes {
		negations = nil // A rather than B, B rather than A: one exchange, seen twice
	}
	c := Comparison{Differences: slices.Concat(l.numbers(), negations, l.quantifiers(), l.scopes(), orders, l.objects(), l.remarks())}
	if len(c.Differences) == 0 {
		c.Differences = unread(a, b)
	}
	switch {
	case len(c.Differences) == 1 && c.Differences[0].Opposes && l.runAlike():
		c.Verdict = Opposed
	case len(c.Differences) > 0:
		c.Verdict = Apart
	}
	return c
}

// sameWords reports whether two sentences differ in capitals at most, and those
// change no quantity (mW is not MW).
func sameWords(a, b Reading) bool {
	return slices.EqualFunc(strings.Fields(a.text), strings.Fields(b.text), strings.EqualFold) &&
		slices.EqualFunc(a.quantities, b.quantities, func(p, q Quantity) bool { return p.unit == q.unit && p.first == q.first && p.second == q.second })
}

// runAlike reports whether two sentences are the same but for a few words that
// one of them adds, and neither adds where or when it holds: only then is one
// the contrary of the other.
func (l *alignment) runAlike() bool {
	replaced := func(g gap) bool { return len(g.ours) > 0 && len(g.theirs) > 0 }
	return alike(l.a, l.of) && alike(l.b, l.back) && !slices.ContainsFunc(l.gaps(), replaced)
}

func alike(r Reading, partner []int) bool {
	unpaired := 0
	for _, i := range r.content {
		if partner[i] >= 0 {
			continue
		}
		if unpaired++; r.restricts(i) {
			return false
		}
	}
	return 5*unpaired <= 2*len(r.content)
}

// restricts reports whether the word at i says where, when or for whom
// something holds.
func (r Reading) restricts(i int) bool {
	for j := i - 1; j >= 0 && j >= i-3; j-- {
		if scopeWords.Has(r.tokens[j].text) {
			return true
		}
		if r.tokens[j+1].breaks || !grammarWords.Has(r.tokens[j].text) && r.tokens[j].role&contentRole == 0 {
			return false
		}
	}
	return false
}

// scopeWords begin what a claim is restricted to.
var scopeWords = lazy.NewWords("in on at for during under with among within when while if after before below above inside outside")

// negations finds words that one sentence turns round and the other does not:
// by a negation, by an opposite, or by calling it bad. Two turns at one word
// undo each other; at two words they do not, and what they make of the sentence
// is unclear, unless one of them may belong to either. A condition or an
// exception that only one sentence has is compared with the scopes.
func (l *alignment) negations() []Difference {
	var turned []turn
	for i := range l.a.tokens {
		j := l.of[i]
		n := l.a.turns[i]
		t := turn{at: i, other: j, loose: l.a.loose[i] > 0 || j < 0}
		if j >= 0 {
			n += l.b.turns[j]
			t.loose = t.loose || l.b.loose[j] > 0
			t.conditional = (l.a.tokens[i].role|l.b.tokens[j].role)&conditionRole != 0
		}
		if l.bonds[i] == opposites {
			n++
		}
		if n%2 == 1 && (j >= 0 || l.a.tokens[i].role&(conditionRole|exceptionRole) == 0) {
			turned = append(turned, t)
		}
	}
	for j := range l.b.tokens {
		if l.back[j] < 0 && l.b.turns[j]%2 == 1 && l.b.tokens[j].role&(conditionRole|exceptionRole) == 0 {
			turned = append(turned, turn{at: -1, other: j, loose: true})
		}
	}
	if (l.a.against+l.b.against)%2 == 1 {
		turned = append(turned, turn{at: -1, other: -1, loose: true, conditional: l.a.perhaps || l.b.perhaps})
	}
	turned = append(turned, l.particles()...)
	if len(turned) == 0 {
		return nil
	}
	d := Difference{Kind: Negation, Opposes: len(turned)%2 == 1}
	first := turned[0]
	if first.at >= 0 {
		d.Ours = l.a.word(first.at)
	}
	if first.other >= 0 {
		d.Theirs = l.b.word(first.other)
	}
	for _, t := range turned {
		if len(turned)%2 == 0 && t.loose {
			return nil // the one undoes the other
		}
		d.Opposes = d.Opposes && !t.conditional
	}
	return []Difference{d}
}

// turn is a word at which one sentence says the opposite of the other. at is a
// token of a and other one of b, -1 if there is none.
type turn struct {
	at, other int
	// loose turns may belong to another word, conditional ones turn a
	// condition round and not what follows from it.
	loose, conditional bool
}

// particles finds opposites among words that name nothing, such as on and off,
// beside the same word.
func (l *alignment) particles() []turn {
	var out []turn
	for i, x := range l.a.tokens {
		if x.kind != wordToken || x.role&(contentRole|quantityRole) != 0 || quantifiers()[x.text] != unquantified || l.b.has(x.text) {
			continue
		}
		for j, y := range l.b.tokens {
			if y.kind != wordToken || y.role&(contentRole|quantityRole) != 0 || l.a.has(y.text) || opposed()[[2]string{x.stem, y.stem}] != opposite {
				continue
			}
			if l.beside(i, j) {
				out = append(out, turn{at: i, other: j})
			}
		}
	}
	return out
}

func (r Reading) has(word string) bool {
	for _, t := range r.tokens {
		if t.text == word {
			return true
		}
	}
	return false
}

// beside reports whether the content words next to two tokens are partners, or
// there are none.
func (l *alignment) beside(i, j int) bool {
	before := func(r Reading, at int) int { return r.neighbour(at, -1) }
	after := func(r Reading, at int) int { return r.neighbour(at, 1) }
	for _, next := range []func(Reading, int) int{before, after} {
		x, y := next(l.a, i), next(l.b, j)
		if x < 0 && y < 0 || x >= 0 && y >= 0 && l.of[x] == y {
			return true
		}
	}
	return false
}

// neighbour is the next content word in a direction, -1 if there is none.
func (r Reading) neighbour(at, step int) int {
	for i := at + step; i >= 0 && i < len(r.tokens); i += step {
		if r.tokens[i].role&contentRole != 0 {
			return i
		}
	}
	return -1
}

// remarks finds a sentence that says something of what the other tells to do:
// "retry", "retrying causes duplicates".
func (l *alignment) remarks() []Difference {
	if at := remark(l.b, l.back, l.a, l.of); at >= 0 {
		return []Difference{{Kind: Remark, Theirs: l.b.word(at)}}
	}
	if at := remark(l.a, l.of, l.b, l.back); at >= 0 {
		return []Difference{{Kind: Remark, Ours: l.a.word(at)}}
	}
	return nil
}

// remark gives the word of r that says something of what o tells to do, -1 if
// there is none.
func remark(r Reading, partner []int, o Reading, back []int) int {
	if len(r.tokens) == 0 || len(o.tokens) == 0 || !strings.HasSuffix(r.tokens[0].text, "ing") || partner[0] != 0 || strings.HasSuffix(o.tokens[0].text, "ing") {
		return -1
	}
	for _, i := range o.content {
		if back[i] < 0 {
			return -1
		}
	}
	for _, i := range r.content {
		if before := r.tokens[max(i-1, 0)]; partner[i] < 0 && (before.role&contentRole != 0 || beForms.Has(before.text) || obligations.Has(before.text) || before.text == "can" || before.text == "will" || before.text == "may") {
			return i
		}
	}
	return -1
}
