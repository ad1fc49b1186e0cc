package claim

import (
	"slices"
	"strings"
)

// numbers compares the quantities of two sentences. A number that only one of
// them mentions adds detail; it does not differ.
func (l *alignment) numbers() []Difference {
	ours, theirs := l.a.quantities, l.b.quantities
	p := pairing{ours: ours, theirs: theirs, of: filled(len(ours)), back: filled(len(theirs))}
	p.pair(func(x, y Quantity) bool { return x.equals(y) && x.bound == y.bound && x.counts(y) })
	p.pair(func(x, y Quantity) bool { return x.equals(y) && x.bound == y.bound })
	p.pairEnds()
	if d, swapped := p.swapped(); swapped {
		return []Difference{d}
	}
	p.pair(Quantity.equals)
	var out []Difference
	for i, j := range p.of {
		if j >= 0 && p.reboundAt(i, j) {
			out = append(out, Difference{Kind: Bounds, Ours: ours[i].text, Theirs: theirs[j].text, Opposes: p.excludes(i, j)})
		}
	}
	if !slices.Equal(l.a.bounds, l.b.bounds) {
		out = append(out, Difference{Kind: Bounds, Ours: saidBounds(l.a.bounds), Theirs: saidBounds(l.b.bounds)})
	}
	left, right := p.left()
	switch {
	case len(left) > 0 && len(right) > 0:
		return append(out, Difference{
			Kind: Numbers, Ours: saidQuantities(ours, left), Theirs: saidQuantities(theirs, right),
			Opposes: len(left) == 1 && len(right) == 1 && ours[left[0]].contradicts(theirs[right[0]]),
		})
	case len(left) > 0:
		return append(out, singular(ours, left, l.b, false)...)
	case len(right) > 0:
		return append(out, singular(theirs, right, l.a, true)...)
	}
	return out
}

func saidBounds(bounds []Bound) string {
	words := make([]string, len(bounds))
	for i, b := range bounds {
		words[i] = string(b)
	}
	return strings.Join(words, ", ")
}

func saidQuantities(all []Quantity, some []int) string {
	texts := make([]string, len(some))
	for i, at := range some {
		texts[i] = all[at].text
	}
	return strings.Join(texts, ", ")
}

// equals reports whether two quantities have the same number, whatever their
// bounds. Numbers that name something are compared as they are written: version
// 3.1 is not version 3.10.
func (q Quantity) equals(o Quantity) bool {
	if q.label != "" || o.label != "" {
		return q.label == o.label
	}
	if (q.bound == Within) != (o.bound == Within) {
		return false
	}
	if !q.Measured() && !o.Measured() && len(q.nouns) == 0 && len(o.nouns) == 0 && (q.places > 0 || o.places > 0) {
		return q.digits == o.digits
	}
	x, y := q, o
	if q.bound != Within {
		x.bound, y.bound = Exactly, Exactly
	}
	return x.Compare(y) == Equal
}

// counts reports whether two quantities may be of the same thing.
func (q Quantity) counts(o Quantity) bool {
	return len(q.nouns) == 0 || len(o.nouns) == 0 || slices.ContainsFunc(q.nouns, func(n string) bool { return slices.Contains(o.nouns, n) })
}

// contradicts reports whether two quantities in one place of two sentences
// cannot both be right.
func (q Quantity) contradicts(o Quantity) bool {
	return !q.inCondition && !o.inCondition && q.counts(o) && q.Compare(o) == Exclusive
}

// pairing pairs the quantities of two sentences.
type pairing struct {
	ours, theirs []Quantity
	of, back     []int
}

func (p *pairing) pair(holds func(x, y Quantity) bool) {
	for i, x := range p.ours {
		for j, y := range p.theirs {
			if p.of[i] < 0 && p.back[j] < 0 && holds(x, y) {
				p.of[i], p.back[j] = j, i
			}
		}
	}
}

// pairEnds takes a range for the two numbers it lies between: from 3 to 5 names
// both.
func (p *pairing) pairEnds() {
	pairEnds(p.ours, p.of, p.theirs, p.back)
	pairEnds(p.theirs, p.back, p.ours, p.of)
}

// ended marks a quantity as paired with the ends of a range.
const ended = 1 << 30

func pairEnds(ranges []Quantity, of []int, ends []Quantity, back []int) {
	for i, r := range ranges {
		if of[i] >= 0 || r.bound != Within {
			continue
		}
		low, high := r, r
		low.bound, high.bound, high.first = Exactly, Exactly, r.second
		x, y := -1, -1
		for j, q := range ends {
			if back[j] >= 0 || q.bound == Within {
				continue
			}
			if x < 0 && low.equals(q) {
				x = j
			} else if y < 0 && high.equals(q) {
				y = j
			}
		}
		if x >= 0 && y >= 0 {
			of[i], back[x], back[y] = ended, ended, ended
		}
	}
}

// swapped reports whether the sentences have the same numbers of other things:
// 3 shards and 2 replicas, 2 shards and 3 replicas.
func (p *pairing) swapped() (Difference, bool) {
	for i, j := range p.of {
		if j < 0 || j == ended || len(p.ours[i].nouns) == 0 || p.ours[i].counts(p.theirs[j]) {
			continue
		}
		for k, o := range p.theirs {
			if k != j && len(o.nouns) > 0 && p.ours[i].counts(o) && !p.ours[i].equals(o) {
				return Difference{Kind: Numbers, Ours: p.ours[i].text, Theirs: o.text}, true
			}
		}
	}
	return Difference{}, false
}

// reboundAt reports whether a pair has the same number bounded otherwise. More
// than 5 and at least 5 are near enough.
func (p *pairing) reboundAt(i, j int) bool {
	if j == ended {
		return false
	}
	x, y := p.ours[i].bound, p.theirs[j].bound
	return x != y && !(x.upward() && y.upward()) && !(x.downward() && y.downward())
}

// excludes reports whether a pair is bounded from both sides and leaves nothing
// between. A number against a bound is often only said more carefully.
func (p *pairing) excludes(i, j int) bool {
	x, y := p.ours[i], p.theirs[j]
	return x.bound != Exactly && y.bound != Exactly && x.contradicts(y)
}

// left lists what has no partner.
func (p *pairing) left() (ours, theirs []int) {
	for i, j := range p.of {
		if j < 0 {
			ours = append(ours, i)
		}
	}
	for j, i := range p.back {
		if i < 0 {
			theirs = append(theirs, j)
		}
	}
	return ours, theirs
}

// singular finds a number of things where the other sentence has one of them:
// two dogs, a dog.
func singular(all []Quantity, left []int, other Reading, turned bool) []Difference {
	for _, at := range left {
		q := all[at]
		if q.bound != Exactly || q.first == 1 || q.ordinal || len(q.nouns) == 0 {
			continue
		}
		for i, t := range other.tokens {
			if t.text != "a" && t.text != "an" {
				continue
			}
			for j := i + 1; j < len(other.tokens) && j < i+4 && !other.tokens[j].breaks; j++ {
				n := other.tokens[j]
				if n.role&contentRole == 0 {
					break
				}
				if slices.Contains(q.nouns, n.stem) && !strings.HasSuffix(n.text, "s") && (j+1 == len(other.tokens) || other.tokens[j+1].role&contentRole == 0 || other.tokens[j+1].breaks || strings.HasSuffix(other.tokens[j+1].text, "ing")) {
					d := Difference{Kind: Numbers, Ours: q.text, Theirs: t.raw + " " + n.raw}
					if turned {
						d.Ours, d.Theirs = d.Theirs, d.Ours
					}
					return []Difference{d}
				}
			}
		}
	}
	return nil
}

// quantifiers compares how much is meant: all, most, some, only some. A
// sentence without a quantifier may mean all.
func (l *alignment) quantifiers() []Difference {
	x, i := l.a.extent()
	y, j := l.b.extent()
	if x == y || x <= universal && y <= universal {
		return nil
	}
	if x > y {
		x, y = y, x
	}
	if y < partlyOnly && (l.a.quantifiesNone() || l.b.quantifiesNone()) {
		return nil // no module, some modules: the negation tells
	}
	generic := !l.a.event && !l.b.event
	switch {
	case y == partlyOnly && x == unquantified, y == partlyOnly && x == partly,
		x == universal && (y == partly || y == mostly) && generic,
		x == unquantified && y == mostly && generic,
		x == unquantified && y == partly && generic && l.leads(i, j):
		d := l.quantifierWords(i, j)
		d.Opposes = opposed()[[2]string{stem(d.Ours), stem(d.Theirs)}] == opposite
		return []Difference{d}
	case y == partlyOnly:
		d := l.quantifierWords(i, j)
		d.Opposes = true
		return []Difference{d}
	}
	return nil
}

// quantifiesNone reports whether the sentence begins with no, none or nobody.
func (r Reading) quantifiesNone() bool {
	return len(r.tokens) > 0 && r.tokens[0].role&negatorRole != 0 && looseNegators.Has(r.tokens[0].text)
}

func (l *alignment) quantifierWords(i, j int) Difference {
	d := Difference{Kind: Quantifier}
	if i >= 0 {
		d.Ours = l.a.tokens[i].text
	}
	if j >= 0 {
		d.Theirs = l.b.tokens[j].text
	}
	return d
}

// extent is the narrowest quantifier of a sentence and where it stands.
func (r Reading) extent() (quantifier, int) {
	most, at := unquantified, -1
	for _, i := range r.quantifiers {
		if q := quantifiers()[r.tokens[i].text]; q > most {
			most, at = q, i
		}
	}
	return most, at
}

// leads reports whether the one quantifier there is begins its sentence.
func (l *alignment) leads(i, j int) bool { return i == 0 || j == 0 }

// scopes compares "only", exceptions, conditions, and what is a duty with what
// is allowed.
func (l *alignment) scopes() []Difference {
	var out []Difference
	if d, found := l.onlys(); found {
		out = append(out, d)
	}
	// "unless" is "if not" where the other sentence has a condition too.
	conditions := l.a.conditional && l.b.conditional
	if d, found := l.clauses(exceptionRole, l.a.excepting, l.b.excepting); found && !conditions {
		out = append(out, d)
	} else if d, found := l.clauses(conditionRole, l.a.conditional, l.b.conditional); found {
		out = append(out, d)
	}
	if l.a.obliged && !l.a.permitted && l.b.permitted && !l.b.obliged || l.b.obliged && !l.b.permitted && l.a.permitted && !l.a.obliged {
		out = append(out, Difference{Kind: Strength, Ours: l.a.strength(), Theirs: l.b.strength()})
	}
	return out
}

func (r Reading) strength() string {
	for _, t := range r.tokens {
		if obligations.Has(t.text) || permissions.Has(t.text) {
			return t.raw
		}
	}
	return ""
}

func (l *alignment) onlys() (Difference, bool) {
	x, y := len(l.a.only), len(l.b.only)
	if x == 0 && y == 0 {
		return Difference{}, false
	}
	d := Difference{Kind: Scope}
	if x > 0 {
		d.Ours = l.a.said(l.a.only[:1])
	}
	if y > 0 {
		d.Theirs = l.b.said(l.b.only[:1])
	}
	if x == 0 || y == 0 {
		return d, true
	}
	// Both say only: of the same?
	i, j := l.a.neighbour(l.a.only[0], 1), l.b.neighbour(l.b.only[0], 1)
	if i < 0 || j < 0 || l.of[i] == j || l.of[i] < 0 || l.back[j] < 0 || l.a.only[0] == 0 || l.b.only[0] == 0 {
		return Difference{}, false // before a verb, "only" may mean any word behind it
	}
	d.Ours, d.Theirs = "only "+l.a.word(i), "only "+l.b.word(j)
	return d, true
}

// clauses compares the conditions, or the exceptions, of two sentences: one
// that only one of them has, unless the other says it in another way, or two
// that are about different things.
func (l *alignment) clauses(mark role, ours, theirs bool) (Difference, bool) {
	if !ours && !theirs {
		return Difference{}, false
	}
	x, unsaidX := clause(l.a, l.of, mark)
	y, unsaidY := clause(l.b, l.back, mark)
	d := Difference{Kind: Scope, Ours: l.a.said(x), Theirs: l.b.said(y)}
	switch {
	case ours && theirs:
		return d, len(unsaidX) > 0 && len(unsaidY) > 0 && 2*len(unsaidX) >= contents(l.a, x) && 2*len(unsaidY) >= contents(l.b, y)
	case ours:
		return d, mark == exceptionRole || 2*len(unsaidX) > contents(l.a, x) && !l.a.event
	default:
		return d, mark == exceptionRole || 2*len(unsaidY) > contents(l.b, y) && !l.b.event
	}
}

// clause lists the tokens that bear a mark, and those among them that name
// something the other sentence does not.
func clause(r Reading, partner []int, mark role) (all, unsaid []int) {
	for i, t := range r.tokens {
		if t.role&mark == 0 {
			continue
		}
		all = append(all, i)
		if t.role&contentRole != 0 && partner[i] < 0 {
			unsaid = append(unsaid, i)
		}
	}
	return all, unsaid
}

func contents(r Reading, some []int) int {
	n := 0
	for _, i := range some {
		if r.tokens[i].role&contentRole != 0 {
			n++
		}
	}
	return n
}
