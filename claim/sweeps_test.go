package claim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"brenner/internal/answers"
)

// tokensInWords is everything that tokens are.
func tokensInWords(list []token) string {
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "%q %q %q %d %.12g %d %q %t %t %t %t %t %b; ", t.text, t.raw, t.stem, t.kind, t.number, t.places, t.exact, t.ordinal, t.joined, t.hyphened, t.breaks, t.ends, t.role)
	}
	return b.String()
}

// quantityInWords is everything that a quantity is.
func quantityInWords(q Quantity) string {
	return fmt.Sprintf("%s, label %q, %q, digits %q, places %d, nouns %q, from %d to %d, in a condition %t, measured %t", bared(q, true), q.label, q.text, q.digits, q.places, q.nouns, q.from, q.to, q.inCondition, q.Measured())
}

// readingInWords is everything that a sentence is read as.
func readingInWords(r Reading) string {
	var b strings.Builder
	b.WriteString(tokensInWords(r.tokens))
	for _, q := range r.quantities {
		b.WriteString("\n" + quantityInWords(q))
	}
	extent, at := r.extent()
	fmt.Fprintf(&b, "\n%v %v %v, against %d, perhaps %t, bounds %v, only %v, quantifiers %v %v %d, %t %t %t %t %t %t, strength %q, passive %t, sequence %v, none %t", r.content, r.turns, r.loose, r.against, r.perhaps, r.bounds, r.only,
		r.quantifiers, extent, at, r.conditional, r.excepting, r.obliged, r.permitted, r.event, r.titled, r.strength(), r.passive(), r.sequence(), r.quantifiesNone())
	for i := range r.tokens {
		left, right := r.around(i)
		fmt.Fprintf(&b, "\n%d: %t %d %t %t %t %v %v %t %d %d %t %t", i, r.relates(i), r.comparative(i), r.name(i), r.verbal(i), r.restricts(i), left, right, r.once(i), r.neighbour(i, 1), r.neighbour(i, -1), r.excludes(i), r.adverb(i))
	}
	return b.String()
}

// alignmentInWords is everything that is found between two sentences.
func alignmentInWords(a, b Reading, words Lexicon) string {
	l := align(a, b, words)
	var out strings.Builder
	fmt.Fprintf(&out, "%v %v %v gaps %v\n", l.of, l.back, l.bonds, l.gaps())
	x, y, same := l.sequences()
	fmt.Fprintf(&out, "orders %v, sequences %v %v %t\n", l.orders(), x, y, same)
	if same {
		first, second, ok := l.a.exchanged(x, y)
		fmt.Fprintln(&out, "exchanged", first, second, ok)
	}
	fmt.Fprintln(&out, "negations", l.negations(), "particles", l.particles(), "numbers", l.numbers(), "quantifiers", l.quantifiers(), "scopes", l.scopes())
	fmt.Fprintln(&out, "objects", l.objects(), "remarks", l.remarks(), "alike", l.runAlike(), sameWords(a, b))
	return out.String()
}

// Parts that sentences are made of: one of each list, in the order of the lists,
// many of them empty.
var sentenceParts = [][]string{
	{"", "", "Only", "All", "No", "Some", "Most", "Few", "Before tests,", "If it rains,", "Unless it is done,", "First", "A", "Two", "Nobody", "In May,", "When done,", "Retrying", "Use"},
	{"the server", "a client", "workers", "the Linter", "service A", "service B", "tests", "U.S. data", "the server's cache", "Group C", "dogs", "3 shards", "the build", "unsafe code", "cells"},
	{"", "", "", "alone", "must", "may", "should not", "never", "can only", "is", "are not", "might", "always", "does not", "was", "seems", "first", "rarely"},
	{"run", "runs", "is running", "ran", "called by", "is called by", "calls", "retry", "harmful", "useful", "not helpful", "inactive", "exceeds", "precedes", "follows", "prefers", "increase", "decrease", "is faster than", "is slower than", "wait", "turned on", "turned off", "divide", "grow", "is bad for", "hurt"},
	{"", "the client", "the server", "the tests", "B", "A", "in winter", "on Mondays", "to London", "every module", "some modules", "red cells", "blue cells", "reads over writes", "tests to docs", "the colour", "the color", "documents", "documentation"},
	{"", "", "before", "after", "than", "and", "or", "then", ", then", "from", "into", "except", "unless", "if", "without", "instead of"},
	{"", "the client", "the server", "the tests", "3 times", "at least 3 times", "at most 3 times", "more than 5 ms", "twice a day", "once a week", "2 h 30 min", "between 3 and 5 mm", "3 to 5", "$3 to $5", "about half", "two thirds of them", "no more than 10 %", "2 dogs", "version 3.1", "on time", "daily at least", "the 15th", "at 2:30 pm", "once", "just the tests"},
	{"", "", ".", "!", ", or so", "or more", ", if possible.", ". Then stop.", "max", "alone", "only"},
}

func drawSentence(r *rand.Rand) string {
	var words []string
	for _, list := range sentenceParts {
		words = append(words, list[r.IntN(len(list))])
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.Join(words, " "), " .", ".")), " ")
}

// B4, C25. What sentences of every build are read as, and what lies between two
// of them that have most parts in common.
func TestRead_EveryBuildAsBefore(t *testing.T) {
	book := answers.New("testdata/builds.golden", 2)
	r := rand.New(rand.NewPCG(101, 101))
	for i := range 500 {
		a := drawSentence(r)
		x := Read(a)
		book.Note("read", a, readingInWords(x))
		f := strings.Fields(a)
		switch i % 4 {
		case 0:
			f = strings.Fields(drawSentence(r))
		case 1: // parts change places
			k := r.IntN(len(f))
			f = slices.Concat(f[k:], f[:k])
		default:
			f = changes[r.IntN(len(changes))].make(r, f)
		}
		b := strings.Join(f, " ")
		y := Read(b)
		book.Note("between two", a+" ⟷ "+b, alignmentInWords(x, y, nil)+alignmentInWords(y, x, likeness{})+comparedInWords(a, b))
	}
	for _, p := range loadPairs(t) {
		a, b := Read(p.a), Read(p.b)
		book.Note("the pairs", p.a+" ⟷ "+p.b, readingInWords(a)+readingInWords(b)+alignmentInWords(a, b, nil)+alignmentInWords(b, a, likeness{}))
	}
	book.Check(t)
}

// C25. Numbers, units and signs in every order: what tokens they are, what they
// spell, which quantities they make.
func TestScan_EverySignAsBefore(t *testing.T) {
	book := answers.New("testdata/signs.golden", 2)
	r := rand.New(rand.NewPCG(103, 103))
	signs := []string{
		"0", "1", "2", "3", "10", "100", "007", "999", "2024", "12345", ".", ",", "-", "−", ":", "/", " ", " ", " ", "e", "E", "k", "K", "x", "×", "*", "·", "10", "^", "⁻", "²", "³", "⁴", "th", "st", "nd", "%", "‰", "°", "C", "F",
		"c", "M", "m", "mn", "bn", "s", "ms", "h", "min", "am", "pm", "$", "€", "±", "+", "~", "<", ">", "=", "(", ")", "[", "\u00a0", "\u2009", "_", "a", "per", "to", "and", "between", "or more", "squared", "square", "cubic", "degrees", "kelvin", "point",
	}
	for range 1500 {
		var b strings.Builder
		for range 1 + r.IntN(7) {
			b.WriteString(signs[r.IntN(len(signs))])
		}
		text := b.String()
		tokens := scan(text)
		spelt := spellNumbers(slices.Clone(tokens))
		var out strings.Builder
		out.WriteString(tokensInWords(tokens) + "\n" + tokensInWords(spelt))
		for _, q := range quantities(spelt) {
			out.WriteString("\n" + quantityInWords(q))
		}
		for i := range spelt {
			u, size := readUnit(spelt, i)
			fmt.Fprintf(&out, "\n%v %.12g %.12g %d", u.dimension, u.factor, u.offset, size)
		}
		book.Note("signs", text, out.String())
		book.Note("parts of numbers", text, fmt.Sprint(labelLength(text), group(text), thinSpace(text))+fmt.Sprint(exponent(text))+fmt.Sprint(timesTen(text))+fmt.Sprint(timeOfDay(text))+fmt.Sprint(superscript(text, 0)))
		q, ok := ParseQuantity(text)
		book.Note("one quantity", text, bared(q, ok))
	}
	words := []string{
		"zero", "one", "two", "three", "ten", "twelve", "twenty", "thirty", "ninety", "hundred", "thousand", "million", "dozen", "and", "and", "a", "an", "half", "third", "thirds", "quarter", "first", "second", "fifth", "of", "other", "5", "1.5", "15th", "hour", "minute", "per", "seconds",
		"twice", "times", "once", "metres", "square", "squared", "feet", "centuries", "requests", "percent", "points", "at least", "more than", "not", "about", "only", "or less", "or so", "to", "from", "between", ",", "fold", "degrees", "celsius", "M", "bn", "every", "each",
	}
	for range 1500 {
		var w []string
		for range 1 + r.IntN(6) {
			w = append(w, words[r.IntN(len(words))])
		}
		text := strings.Join(w, " ")
		spelt := spellNumbers(scan(text))
		out := tokensInWords(spelt)
		for _, q := range quantities(spelt) {
			out += "\n" + quantityInWords(q)
		}
		book.Note("words", text, out)
		q, ok := ParseQuantity(text)
		book.Note("one quantity in words", text, bared(q, ok))
		book.Note("relations and subjects", text, fmt.Sprintf("%+v %q", ParseRelation(text), Subject(text)))
	}
	book.Check(t)
}

// C25. How every two of many quantities stand to each other, and what is left of
// each when it is bounded, denied, rough or of a subject.
func TestCompare_EveryTwoQuantitiesAsBefore(t *testing.T) {
	book := answers.New("testdata/everytwo.golden", 1)
	var all []Quantity
	for _, n := range []string{"0", "1", "3", "3.0", "4", "-3", "0.03", "3 to 5", "between 1 and 3", "at least 3", "more than 3", "at most 3", "less than 3", "about 3", "3 or so", "2.95", "3.1", "1.2.3", "the 3rd"} {
		for _, u := range []string{"", " s", " min", " h", " months", " days", " %", " °C", " K", " cells", " requests per second", " MB"} {
			if q, ok := ParseQuantity(n + u); ok {
				all = append(all, q)
			}
		}
	}
	for i, q := range all {
		for j, o := range all {
			if (i*7+j)%3 != 0 { // a third of them, of every kind
				continue
			}
			var out strings.Builder
			for k, x := range []Quantity{q, q.Denied(), q.Roughly(), q.Bounded(AtLeast), q.Bounded(LessThan), q.About([]string{"cell"}), q.Denied().Denied()} {
				fmt.Fprint(&out, x.Compare(o), " ")
				if k < 2 {
					fmt.Fprint(&out, x.equals(o), x.counts(o), x.contradicts(o), x.addsTo(o), x.Compare(o.Denied()), " ")
				}
			}
			book.Note(q.String(), o.String(), out.String())
		}
	}
	book.Check(t)
}

// B4. Stems, families, misspellings and negating prefixes of many words.
func TestStem_ManyWordsAsBefore(t *testing.T) {
	book := answers.New("testdata/stems.golden", 1)
	r := rand.New(rand.NewPCG(107, 107))
	var list []string
	for _, text := range []string{synonymList, oppositeList, kindList} {
		for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !isLetter(r) }) {
			if r.IntN(3) == 0 {
				list = append(list, strings.ToLower(w))
			}
		}
	}
	list = append(list, "", "a", "is", "bus", "pass", "passes", "ties", "dies", "tied", "bed", "beds", "sing", "king", "running", "called", "colour", "color", "centre", "analyse", "travelling", "organisation", "unit", "unfit", "unfits", "nonfree", "nonlocal", "inactively", "unload")
	endings := []string{"", "s", "es", "ed", "ing", "ly", "er", "ation", "isation", "ment", "ity", "ies", "ied", "ness", "ise", "our", "tre"}
	for i, w := range list {
		v := w + endings[r.IntN(len(endings))]
		base, negated := negativePrefix([]string{"", "un", "non", "in"}[r.IntN(4)] + v)
		book.Note("stems", v, fmt.Sprint(stem(v), " ", family(stem(v)), " ", undouble(v), " ", american(v), " ", base, negated, Words(v)))
		o := list[r.IntN(len(list))]
		if i%2 == 0 && len(v) > 2 {
			o = strings.ToValidUTF8(answers.Typos[r.IntN(6)].Make(r, v), "x")
		}
		if o == "" || v == "" {
			continue
		}
		x, y := token{text: v, raw: v, stem: stem(v)}, token{text: o, raw: o, stem: stem(o)}
		if i%7 == 0 {
			y.text, y.raw = o[:1], strings.ToUpper(o[:1])
		}
		book.Note("two words", v+" "+o, fmt.Sprint(kin(x.stem, y.stem), misspelt(x, y), editDistance(v, o, 1), editDistance(v, o, 3), Opposites(v, o), synonyms().share(x.stem, y.stem)))
	}
	book.Check(t)
}
