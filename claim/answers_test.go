package claim

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"brenner/internal/answers"
)

// comparedInWords is everything that is said of two sentences.
func comparedInWords(a, b string) string {
	x, y := Read(a), Read(b)
	var out strings.Builder
	for _, words := range []Lexicon{nil, likeness{}} {
		c := Compare(x, y, words)
		fmt.Fprintf(&out, "%s; covers %t, %t; overlap %t\n", c.Verdict, Covers(x, y), Covers(y, x), Overlap(x, y))
		for _, d := range c.Differences {
			fmt.Fprintf(&out, "%s: %q, %q, opposes %t\n", d.Kind, d.Ours, d.Theirs, d.Opposes)
		}
	}
	return out.String()
}

// changes of a sentence: each gives another one, or the same where it has nothing
// to change.
var changes = []struct {
	name string
	make func(r *rand.Rand, words []string) []string
}{
	{"a word less", func(r *rand.Rand, w []string) []string { i := r.IntN(len(w)); return slices.Concat(w[:i], w[i+1:]) }},
	{"a word twice", func(r *rand.Rand, w []string) []string { i := r.IntN(len(w)); return slices.Insert(w, i, w[i]) }},
	{"two words change places", func(r *rand.Rand, w []string) []string {
		i, j := r.IntN(len(w)), r.IntN(len(w))
		w[i], w[j] = w[j], w[i]
		return w
	}},
	{"a little word more", func(r *rand.Rand, w []string) []string {
		little := []string{"not", "never", "no", "only", "all", "some", "most", "few", "always", "rarely", "without", "if", "unless", "before", "after", "and", "or", "than", "at least", "at most", "about", "more", "less", "twice", "half of", "in winter", "on Mondays", "hardly", "both", "neither", "must", "may", "cannot", "un", "every", "none of"}
		return slices.Insert(w, r.IntN(len(w)+1), little[r.IntN(len(little))])
	}},
	{"another number", func(r *rand.Rand, w []string) []string {
		numbers := []string{"3", "5", "15", "1,500", "0.5", "2/3", "twelve", "half", "7-9", "10 %", "3 ms", "2 h", "-4", "1e3", "the 15th", "2:30 pm"}
		i := slices.IndexFunc(w, func(s string) bool { return strings.ContainsAny(s, "0123456789") })
		if i < 0 {
			i = r.IntN(len(w))
		}
		w[i] = numbers[r.IntN(len(numbers))]
		return w
	}},
	{"another form", func(r *rand.Rand, w []string) []string {
		i := r.IntN(len(w))
		w[i] = strings.TrimRight(w[i], "s.") + []string{"s", "ed", "ing", "ly", "er", "est", "n't", "less", "able", "ness"}[r.IntN(10)]
		return w
	}},
	{"a prefix", func(r *rand.Rand, w []string) []string {
		i := r.IntN(len(w))
		w[i] = []string{"un", "in", "non-", "dis", "ir", "over", "under", "anti-"}[r.IntN(8)] + w[i]
		return w
	}},
}

// likeness finds words alike that begin with the same four letters.
type likeness struct{}

func (likeness) Similarity(a, b string) float64 {
	if len(a) > 4 && len(b) > 4 && a[:4] == b[:4] {
		return 0.9
	}
	return 0.1
}

// B4, C25. How sentences stand to each other that are nearly the same.
func TestCompare_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/compared.golden", 3)
	r := rand.New(rand.NewPCG(43, 43))
	all := loadPairs(t)
	for i, p := range all {
		for _, sentence := range []string{p.a, p.b} {
			for range 12 {
				c := changes[r.IntN(len(changes))]
				changed := strings.Join(c.make(r, strings.Fields(sentence)), " ")
				other := [2]string{p.a, p.b}[r.IntN(2)]
				book.Note(c.name, other+" ⟷ "+changed, comparedInWords(other, changed))
			}
		}
		q := all[(i+1)%len(all)]
		book.Note("another sentence", p.a+" ⟷ "+q.b, comparedInWords(p.a, q.b))
		for _, first := range []string{"No ", "None of the ", "Nobody ", "Some of the ", "Only ", "Most of the ", "If it rains, ", "Not all of the "} {
			changed := first + strings.ToLower(p.a[:1]) + p.a[1:]
			book.Note("begun otherwise", p.b+" ⟷ "+changed, comparedInWords(p.b, changed))
		}
		both := strings.TrimSuffix(p.a, ".") + ", and " + strings.ToLower(q.a[:1]) + q.a[1:]
		turned := strings.TrimSuffix(q.a, ".") + ", and " + strings.ToLower(p.b[:1]) + p.b[1:]
		book.Note("two in one", both+" ⟷ "+turned, comparedInWords(both, turned))
		book.Note("after each other", both, comparedInWords(strings.TrimSuffix(p.a, ".")+" before "+strings.ToLower(q.a[:1])+q.a[1:], strings.TrimSuffix(q.a, ".")+" before "+strings.ToLower(p.a[:1])+p.a[1:]))
	}
	book.Check(t)
}

// C25. How quantities stand to each other: of every dimension, about, bounded,
// denied, of a subject.
func TestQuantity_AnswersAsBefore(t *testing.T) {
	book := answers.New("testdata/standings.golden", 3)
	r := rand.New(rand.NewPCG(47, 47))
	symbols := slices.Sorted(maps.Keys(units().symbols))
	names := slices.Sorted(maps.Keys(units().names))
	draw := func() string {
		n := []string{"1", "2", "3", "60", "90", "1000", "0.5", "1.5", "1/2", "2-4", "3 to 5", "3 ± 0.5", "between 2 and 4", "at least 3", "at most 3", "more than 3", "less than 3", "about 3", "three", "half", "two thirds", "3.0", "2 or 3", "-3", "1e3", "10k", "no more than 3", "up to 3"}[r.IntN(28)]
		switch r.IntN(4) {
		case 0:
			return n + " " + symbols[r.IntN(len(symbols))]
		case 1:
			return n + " " + names[r.IntN(len(names))]
		case 2:
			return n + " " + []string{"s", "ms", "min", "h", "minutes", "hours", "days"}[r.IntN(7)]
		}
		return n
	}
	bounds := []Bound{Exactly, AtLeast, AtMost, MoreThan, LessThan, Within}
	for range 400 {
		a, b := draw(), draw()
		x, okX := ParseQuantity(a)
		y, okY := ParseQuantity(b)
		answer := fmt.Sprintf("%s %s", bared(x, okX), bared(y, okY))
		if okX && okY {
			answer += fmt.Sprintf("\n%v %v, about %v, denied %v %v, of cells %v, measured %t", x.Compare(y), y.Compare(x), x.Roughly().Compare(y),
				x.Denied().Compare(y), x.Compare(y.Denied()), x.About([]string{"cell"}).Compare(y), x.Measured())
			for _, b := range bounds {
				answer += fmt.Sprintf(", %v %v", x.Bounded(b).Compare(y), y.Bounded(b).Compare(x))
			}
		}
		book.Note("two quantities", a+" ⟷ "+b, answer)
	}
	for _, text := range []string{
		"10⁻³ m", "10¹² Hz", "3 s⁻¹", "2 m²", "5 m³/s", "x²", "10⁰", "10⁻", "10⁹⁹⁹⁹⁹", "1/3 of them", "1/3/4", "24/7", "1/10000", "1/12345 h", "1/1", "1/2.5", "1/2.", "3/", "1/2/2024", "7/8",
		"2024-01-15", "14:30", "2:30 pm", "12 am", "12 pm", "0:05", "25:00", "v1.2.3", "1.2.3", "15th", "22nd", "3rd", "1st", "11st", "15 th", "1,234.5", "1.234,5", "1 234 567", "12 34", "1'000", "1_0", "0x1f", "1e5", "1e+5", "1e-5 m",
		"1e", "+5", "±5", "−5 °C", "5-", "5–", "1..3", "1…3", "3%", "3 ‰", "3pp", "$3", "3€", "£3m", "3 dozen", "three dozen", "a few", "several", "hundreds", "two and a half hours", "an hour and a half", "one and two thirds", "half a dozen", "a quarter of an hour", "nineteen eighty", "two hundred thousand and one", "minus three", "zero", "no", "none", "once", "twice a day", "every 5 min", "per hour", "3 per", "km/h", "3 kg m/s²", "5 kWh", "2 µg/mL", "1 dB", "10 kB", "10 KiB", "3 px", "4 cores",
	} {
		q, ok := ParseQuantity(text)
		book.Note("ways to write one", text, bared(q, ok))
		book.Note("in a sentence", text, comparedInWords("It takes "+text+" in all.", "It takes 3 h in all.")+fmt.Sprintf("%s | %+v", strings.Join(Words("It takes "+text), " "), ParseRelation("it takes "+text)))
	}
	for range 500 {
		text := strings.Join([]string{draw(), []string{"", "of", "per", "and", "/", "to", "or", "in", "-", "a"}[r.IntN(10)], draw()}, " ")
		q, ok := ParseQuantity(text)
		book.Note("run together", text, bared(q, ok))
		book.Note("read in a sentence", text, fmt.Sprintf("%s | %s | %+v", Subject("wait "+text), strings.Join(Words("wait "+text), " "), ParseRelation("wait "+text)))
	}
	book.Check(t)
}
