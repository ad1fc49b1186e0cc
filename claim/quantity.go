package claim

import (
	"math"
	"slices"
	"strings"

	"brenner/internal/lazy"
)

// Bound says which numbers a quantity allows.
type Bound string

// The bounds.
const (
	Exactly  Bound = "exactly"
	AtLeast  Bound = "at least"
	AtMost   Bound = "at most"
	MoreThan Bound = "more than"
	LessThan Bound = "less than"
	Within   Bound = "between" // two numbers
)

// denied is what is left when a bound does not hold; "" if that is no bound.
func (b Bound) denied() Bound {
	switch b {
	case AtLeast:
		return LessThan
	case LessThan:
		return AtLeast
	case AtMost:
		return MoreThan
	case MoreThan:
		return AtMost
	}
	return ""
}

// upward and downward say which way a bound is open.
func (b Bound) upward() bool   { return b == AtLeast || b == MoreThan }
func (b Bound) downward() bool { return b == AtMost || b == LessThan }

// Quantity is a number, or a range of numbers, of a unit.
type Quantity struct {
	bound Bound
	// first is the number, or the lower one of two; both as they were written.
	first, second float64
	unit          unit
	about         bool   // roughly
	ordinal       bool   // the 15th
	denied        bool   // anything but that
	label         string // of a number that is no value: 1.2.3
	text          string // as it was written
	digits        string // of the number, for what is numbered and not measured
	places        int    // digits behind the point
	nouns         []string
	from, to      int  // the tokens it takes
	inCondition   bool // of a sentence
}

func (q Quantity) String() string { return q.text }

// Measured reports whether the quantity has a unit.
func (q Quantity) Measured() bool {
	return q.unit.factor != 0 && q.unit.dimension != bare || q.unit.share
}

// ParseQuantity reads a whole text as one quantity: "120 min", "at least 5",
// "3–5 mm", "≈ 0.05", "twenty percent", "1,000". Words behind a number that are
// no unit are what is counted.
func ParseQuantity(text string) (Quantity, bool) {
	tokens := spellNumbers(scan(text))
	found := quantities(tokens)
	if len(found) != 1 || len(tokens) == 0 {
		return Quantity{}, false
	}
	q := found[0]
	if q.from > 0 {
		return Quantity{}, false
	}
	if q.to < len(tokens) {
		if q.Measured() || q.label != "" {
			return Quantity{}, false
		}
		var words []string
		for _, t := range tokens[q.to:] {
			if t.kind != wordToken {
				return Quantity{}, false
			}
			words = append(words, stem(t.text))
		}
		q.unit = counted(strings.Join(words, " "))
	}
	q.text, q.nouns = strings.TrimSpace(text), nil
	return q, true
}

// Bounded gives the quantity with a bound, unless it says its own.
func (q Quantity) Bounded(b Bound) Quantity {
	if q.bound == Exactly && b != Within {
		q.bound = b
	}
	return q
}

// Denied gives what is left if the quantity is denied.
func (q Quantity) Denied() Quantity {
	if b := q.bound.denied(); b != "" && !q.denied {
		q.bound = b
		return q
	}
	q.denied = !q.denied
	return q
}

// Standing is how two quantities of one thing stand to each other.
type Standing int

// The standings.
const (
	Incomparable Standing = iota // units that measure different things
	Equal                        // the same numbers
	Compatible                   // both can hold
	Doubtful                     // too near to tell
	Exclusive                    // both cannot hold
)

// Compare says how two quantities of one thing stand to each other. Their units
// are converted; a share in percent is a fraction of one.
func (q Quantity) Compare(o Quantity) Standing {
	if q.label != "" || o.label != "" {
		if q.label == o.label {
			return Equal
		}
		return Exclusive
	}
	a, b, ok := common(q, o)
	if !ok {
		return Incomparable
	}
	if near := a.near(b); near && !a.same(b) {
		return Doubtful
	}
	if a.same(b) && q.denied == o.denied {
		return Equal
	}
	switch {
	case q.denied && o.denied:
		return Compatible
	case q.denied && b.inside(a), o.denied && a.inside(b):
		return Exclusive
	case q.denied || o.denied:
		return Compatible
	case a.apart(b):
		if q.about || o.about {
			return a.roughly(b)
		}
		return Exclusive
	}
	return Compatible
}

// common gives two quantities as intervals in one unit; false if there is none.
func common(q, o Quantity) (a, b interval, ok bool) {
	u, v := q.base(), o.base()
	switch {
	case u.dimension == v.dimension && u.share == v.share:
	case u.dimension == bare && v.dimension == bare:
		// Percent against a plain number: that must be a fraction.
		plain := q
		if u.share {
			plain = o
		}
		if high := max(math.Abs(plain.first), math.Abs(plain.second)); high > 1 {
			return a, b, false
		}
	default:
		return a, b, false
	}
	return q.interval(u), o.interval(v), true
}

// base is the unit, a plain number having 1.
func (q Quantity) base() unit {
	if q.unit.factor == 0 {
		return unit{factor: 1}
	}
	return q.unit
}

// interval is the numbers a quantity allows, in base units.
type interval struct {
	low, high         float64
	openLow, openHigh bool // the bound itself is left out
	slack             float64
	loose             bool
	factor            float64
}

func (q Quantity) interval(u unit) interval {
	convert := func(x float64) float64 { return (x + u.offset) * u.factor }
	i := interval{low: math.Inf(-1), high: math.Inf(1), loose: u.loose, factor: u.factor}
	if q.places > 0 {
		i.slack = 0.5 * math.Pow10(-min(q.places, 12)) * u.factor
	}
	switch q.bound {
	case AtLeast, MoreThan:
		i.low, i.openLow = convert(q.first), q.bound == MoreThan
	case AtMost, LessThan:
		i.high, i.openHigh = convert(q.first), q.bound == LessThan
	case Within:
		i.low, i.high = convert(q.first), convert(q.second)
	default:
		i.low, i.high = convert(q.first), convert(q.first)
	}
	return i
}

// equal compares two numbers that conversion may have moved a little; those of
// other units also agree to the digits they were written with.
func (i interval) equal(o interval, x, y float64) bool {
	if x == y || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return x == y
	}
	tolerance := 1e-9 * max(math.Abs(x), math.Abs(y))
	if i.factor != o.factor {
		tolerance = max(tolerance, i.slack, o.slack)
	}
	return math.Abs(x-y) <= tolerance
}

func (i interval) same(o interval) bool {
	return i.equal(o, i.low, o.low) && i.equal(o, i.high, o.high) && i.openLow == o.openLow && i.openHigh == o.openHigh
}

// near reports whether two intervals differ by no more than what units without
// an exact length, or rounding from one unit to another, can account for.
func (i interval) near(o interval) bool {
	if i.factor == o.factor {
		return false
	}
	share := 0.02
	if i.loose != o.loose {
		share = 0.05
	}
	within := func(x, y float64) bool {
		return x == y || !math.IsInf(x, 0) && !math.IsInf(y, 0) && math.Abs(x-y) <= share*max(math.Abs(x), math.Abs(y))
	}
	return within(i.low, o.low) && within(i.high, o.high)
}

// roughly compares two intervals one of which is a rough guess.
func (i interval) roughly(o interval) Standing {
	x, y := i.low, o.low
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return Doubtful
	}
	if math.Abs(x-y) <= 0.25*max(math.Abs(x), math.Abs(y)) {
		return Doubtful
	}
	return Exclusive
}

// apart reports whether two intervals have no number in common.
func (i interval) apart(o interval) bool { return i.before(o) || o.before(i) }

func (i interval) before(o interval) bool {
	if i.equal(o, i.high, o.low) {
		return i.openHigh || o.openLow
	}
	return i.high < o.low
}

// inside reports whether every number of i is one of o.
func (i interval) inside(o interval) bool {
	low := i.low > o.low || i.equal(o, i.low, o.low) && (!o.openLow || i.openLow)
	high := i.high < o.high || i.equal(o, i.high, o.high) && (!o.openHigh || i.openHigh)
	return low && high
}

// boundPhrases stand before a number. The longest counts.
var boundPhrases = lazy.Value(func() []boundPhrase {
	return boundTable(map[Bound]string{
		AtLeast: `at least|no less than|not less than|no fewer than|not fewer than|no lower than|no smaller than|a minimum of|minimum of|minimum|min
		|greater than or equal to|more than or equal to|not below|not under|≥|> =|no earlier than|no shorter than|a lower limit of`,
		AtMost: `at most|no more than|not more than|no greater than|no larger than|no higher than|no longer than|up to|a maximum of|maximum of|maximum|max
		|less than or equal to|fewer than or equal to|not above|not over|≤|< =|within|limited to|limit of|capped at|no later than|an upper limit of`,
		MoreThan: `more than|greater than|larger than|higher than|bigger than|longer than|older than|over|above|exceeding|exceeds|exceed|exceeded|in excess of|>|upwards of|beyond`,
		LessThan: `less than|fewer than|smaller than|lower than|shorter than|younger than|under|below|<|short of`,
		Exactly:  `exactly|precisely|equal to|equals|=`,
	})
})

// boundAfter stand behind a number and its unit.
var boundAfter = lazy.Value(func() []boundPhrase {
	return boundTable(map[Bound]string{
		AtLeast: `or more|or greater|or higher|or above|or longer|or larger|or later|and above|and more|and up|at least|minimum|at the least|+`,
		AtMost:  `or less|or fewer|or lower|or below|or under|or shorter|or smaller|or earlier|and below|and less|at most|maximum|max|at the most|tops`,
	})
})

var aboutPhrases = lazy.Value(func() [][]string {
	return phrases(`about|around|approximately|approx|roughly|~|≈|circa|nearly|almost|some|close to|on the order of|in the region of|an average of|on average`)
})

type boundPhrase struct {
	words []string
	bound Bound
}

func boundTable(list map[Bound]string) []boundPhrase {
	var out []boundPhrase
	for _, b := range []Bound{AtLeast, AtMost, MoreThan, LessThan, Exactly} {
		for _, words := range phrases(list[b]) {
			out = append(out, boundPhrase{words, b})
		}
	}
	slices.SortStableFunc(out, func(x, y boundPhrase) int { return len(y.words) - len(x.words) })
	return out
}

// phrases cuts a list at its bars.
func phrases(list string) [][]string {
	var out [][]string
	for p := range strings.SplitSeq(list, "|") {
		if words := strings.Fields(p); len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// endsWith reports whether words stand right before in[i].
func endsWith(in []token, i int, words []string) bool {
	if i < len(words) {
		return false
	}
	for k, w := range words {
		t := in[i-len(words)+k]
		if t.text != w || k > 0 && t.breaks && t.kind == wordToken {
			return false
		}
	}
	return true
}

// startsWith reports whether words stand at in[i].
func startsWith(in []token, i int, words []string) bool {
	if i+len(words) > len(in) {
		return false
	}
	for k, w := range words {
		if in[i+k].text != w || in[i+k].breaks && k > 0 {
			return false
		}
	}
	return true
}

// quantities finds the quantities of a sentence, in order, and marks their
// tokens.
func quantities(in []token) []Quantity {
	var out []Quantity
	for i := 0; i < len(in); i++ {
		if in[i].kind != numberToken {
			continue
		}
		q := quantityAt(in, i, len(out) > 0 && out[len(out)-1].to > i)
		if n := len(out); n > 0 && out[n-1].to >= q.from && out[n-1].addsTo(q) {
			out[n-1] = out[n-1].plus(q)
			continue
		}
		out = append(out, q)
		i = max(i, q.to-1)
	}
	for _, q := range out {
		for i := q.from; i < q.to; i++ {
			in[i].role |= quantityRole
		}
	}
	return out
}

// addsTo reports whether two quantities that follow each other are one: 2 h 30
// min.
func (q Quantity) addsTo(next Quantity) bool {
	return q.bound != Within && next.bound == Exactly && q.unit.dimension == next.unit.dimension && q.unit.dimension != bare &&
		q.unit.of == "" && q.places == 0 && next.unit.factor < q.unit.factor && next.unit.offset == 0 && q.to == next.from
}

func (q Quantity) plus(next Quantity) Quantity {
	q.first += next.first * next.unit.factor / q.unit.factor
	q.text += " " + next.text
	q.to = next.to
	return q
}

// quantityAt reads the quantity around the number at in[i].
func quantityAt(in []token, i int, taken bool) Quantity {
	t := in[i]
	q := Quantity{bound: Exactly, first: t.number, label: t.exact, ordinal: t.ordinal, digits: t.text, places: t.places, from: i, to: i + 1}
	if t.text == "clock" {
		q.unit = counted("clock")
	}
	q.prefix(in)
	q.unitOf(in)
	q.span(in)
	if !taken {
		q.boundBefore(in)
	}
	q.boundBehind(in)
	if q.unit.factor == 0 {
		q.nouns = nounsBehind(in, q.to)
	}
	q.text = joinRaw(in[q.from:q.to])
	return q
}

// prefix takes in a currency sign before the number.
func (q *Quantity) prefix(in []token) {
	if q.from == 0 {
		return
	}
	if u, ok := units().symbols[in[q.from-1].raw]; ok && slices.Contains([]string{"usd", "eur", "gbp", "jpy"}, u.of) {
		q.unit = u
		q.from--
	}
}

// unitOf takes in the unit behind the number, and am or pm.
func (q *Quantity) unitOf(in []token) {
	if q.label != "" || q.ordinal || q.to >= len(in) {
		return
	}
	if next := in[q.to]; (next.text == "am" || next.text == "pm") && q.first <= 24*60 && !next.breaks {
		if q.unit.of != "clock" {
			q.first *= 60
		}
		if q.first >= 12*60 && q.first < 13*60 {
			q.first -= 12 * 60
		}
		if next.text == "pm" {
			q.first += 12 * 60
		}
		q.unit = counted("clock")
		q.to++
		return
	}
	if q.unit.factor != 0 {
		return
	}
	if q.first < 1 && q.to+1 < len(in) && (in[q.to].text == "a" || in[q.to].text == "an") && spans.Has(in[q.to+1].text) {
		q.to++ // half an hour
	}
	if u, size := readUnit(in, q.to); size > 0 {
		if points := q.to + size; u.share && points < len(in) && strings.HasPrefix(in[points].text, "point") {
			u, size = counted("percentage point"), size+1
		}
		q.unit = u
		q.to += size
		return
	}
	// "5 requests per second": the noun belongs to the unit.
	if q.to+1 < len(in) && in[q.to].kind == wordToken && !in[q.to].breaks {
		if below, size := denominator(in, q.to+1); size > 0 {
			q.unit = counted(stem(in[q.to].text)).over(below, 1)
			q.nouns = []string{q.unit.of}
			q.to += 1 + size
		}
	}
}

// span takes in the second number of a range: 3–5, 3 to 5, between 3 and 5,
// 5 ± 1.
func (q *Quantity) span(in []token) {
	if q.label != "" || q.ordinal || q.to >= len(in) {
		return
	}
	between := q.from > 0 && in[q.from-1].text == "between"
	second := q.to
	switch t := in[q.to]; {
	case t.kind == numberToken && t.hyphened && t.number > q.first:
	case t.kind == signToken && t.text == "±", t.kind == wordToken && !t.breaks && (t.text == "to" || t.text == "through" || between && t.text == "and"):
		second++
	default:
		return
	}
	if second >= len(in) {
		return
	}
	if u, ok := units().symbols[in[second].raw]; ok && u == q.unit.named(u.name) && in[second].kind == signToken {
		second++ // $3 to $5
	}
	if second >= len(in) || in[second].kind != numberToken || in[second].exact != "" || in[second].ordinal {
		return
	}
	end := Quantity{first: in[second].number, from: second, to: second + 1, bound: Exactly}
	end.unitOf(in)
	switch {
	case end.unit.factor == 0:
		end.unit = q.unit
	case q.unit.factor == 0:
		q.unit = end.unit
	case q.unit.dimension != end.unit.dimension:
		return
	}
	low, high := q.first, end.first*end.base().factor/q.base().factor
	if in[q.to].text == "±" {
		low, high = q.first-end.first, q.first+end.first
	}
	if low > high {
		return
	}
	q.bound, q.first, q.second, q.to = Within, low, high, end.to
	if q.from > 0 && (between || in[q.from-1].text == "from") {
		q.from--
	}
}

// boundBefore takes in "at least", "about", and a negation of a bound: "not …
// more than".
func (q *Quantity) boundBefore(in []token) {
	for _, p := range aboutPhrases() {
		if endsWith(in, q.from, p) {
			q.about = true
			q.from -= len(p)
			break
		}
	}
	if q.bound == Within || q.ordinal || q.label != "" {
		return
	}
	for _, p := range boundPhrases() {
		if !endsWith(in, q.from, p.words) {
			continue
		}
		q.bound = p.bound
		q.from -= len(p.words)
		if q.from > 0 && in[q.from].breaks {
			break
		}
		q.deny(in)
		break
	}
	if q.from > 0 && q.bound == Exactly && (in[q.from-1].text == "only" || in[q.from-1].text == "just") {
		q.from-- // "only 5 %" judges the number, it does not bound it
	}
}

// deny turns a comparison round that is negated: "do not retry more than 3
// times" is at most 3.
func (q *Quantity) deny(in []token) {
	if q.bound != MoreThan && q.bound != LessThan {
		return
	}
	for back := 1; back <= 4 && q.from-back >= 0; back++ {
		t := &in[q.from-back]
		if t.text == "not" || t.text == "never" || t.text == "no" && back == 1 {
			t.role |= quantityRole
			q.bound = q.bound.denied()
			return
		}
		if t.breaks || t.kind != wordToken {
			return
		}
	}
}

// boundBehind takes in "or more", "max", "+".
func (q *Quantity) boundBehind(in []token) {
	if q.bound != Exactly || q.label != "" {
		return
	}
	for _, p := range boundAfter() {
		at := q.to
		if !startsWith(in, at, p.words) {
			if at++; q.unit.factor != 0 || at >= len(in) || !startsWith(in, at, p.words) || in[at-1].kind != wordToken {
				continue // "3 times at most" and "3 retries at most"
			}
		}
		if in[at].breaks {
			continue
		}
		q.bound = p.bound
		if at == q.to {
			q.to += len(p.words)
		} else {
			for i := range p.words {
				in[at+i].role |= quantityRole
			}
		}
		return
	}
	if startsWith(in, q.to, []string{"or", "so"}) {
		q.about = true
		q.to += 2
	}
}

// nounsBehind lists the stems of what is counted: the words behind a number, up
// to three.
func nounsBehind(in []token, i int) []string {
	var out []string
	for ; i < len(in) && len(out) < 3 && in[i].kind == wordToken && !in[i].breaks && !lightWords.Has(in[i].text); i++ {
		out = append(out, stem(in[i].text))
	}
	return out
}

// Roughly gives the quantity as a rough guess.
func (q Quantity) Roughly() Quantity { q.about = true; return q }

// About gives the quantity as one of a subject, by its stems: what is counted
// there need not be named again, so that 3 replicas of the replica count are 3.
func (q Quantity) About(subject []string) Quantity {
	if d := q.unit.dimension; d == (dimension{of: d.of}) && d.of != "" && slices.Contains(subject, d.of) {
		q.unit = unit{factor: 1}
	}
	return q
}
