package claim

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"brenner/internal/lazy"
)

// startsNumber reports whether a sign or a point at hand begins a number.
func (s *scanner) startsNumber() bool {
	i := s.at
	if r, size := s.rune(); r == '-' || r == '−' {
		before := s.byteAt(i - 1)
		if before != 0 && strings.IndexByte(" \t\n(=:[<>~", before) < 0 {
			return false
		}
		i += size
	}
	if s.byteAt(i) == '.' {
		if i == s.at && s.at > 0 && strings.IndexByte(" \t\n(=:[<>~", s.byteAt(i-1)) < 0 {
			return false
		}
		i++
	}
	return i > s.at && isDigit(s.byteAt(i))
}

// digits reads a number with its sign, separators, decimals and exponent, or a
// label made of numbers: a version, a date, a time of day.
func (s *scanner) digits() {
	from := s.at
	t := token{kind: numberToken}
	negative := !isDigit(s.byteAt(s.at)) && s.byteAt(s.at) != '.'
	if negative {
		_, size := s.rune()
		s.at += size
	}
	if label := labelLength(s.text[s.at:]); label > 0 && !negative {
		s.at += label
		t.exact = s.text[from:s.at]
		t.text, t.raw = t.exact, t.exact
		if minutes, ok := timeOfDay(t.exact); ok {
			t.exact, t.number = "", minutes
			t.text = "clock"
		}
		s.add(t)
		return
	}
	written := s.decimal()
	t.text = written
	if point := strings.IndexByte(written, '.'); point >= 0 {
		t.places = len(written) - point - 1
	}
	value, err := strconv.ParseFloat(written, 64)
	if err != nil || math.IsInf(value, 0) {
		t.exact = written
	}
	value *= s.scale()
	if denominator, size := s.fraction(); size > 0 && t.exact == "" {
		value /= denominator
		t.places = 9
		s.at += size
	}
	if negative {
		value = -value
		t.text = "-" + t.text
	}
	t.number = value
	s.ordinal(&t)
	t.raw = s.text[from:s.at]
	s.add(t)
}

// decimal reads digits with thousands separators and a decimal point or comma,
// and gives them with a point and without separators.
func (s *scanner) decimal() string {
	var b strings.Builder
	point, groups := false, 0
	for s.at < len(s.text) {
		c := s.text[s.at]
		next := isDigit(s.byteAt(s.at + 1))
		switch {
		case isDigit(c):
			b.WriteByte(c)
		case (c == ',' || c == '_') && !point && group(s.text[s.at+1:]) && b.String() != "0":
			groups++
		case c == ',' && next && !point && groups == 0 && !group(s.text[s.at+1:]), c == ',' && next && b.String() == "0":
			b.WriteByte('.') // 0,05
			point = true
		case c == '.' && next && !point:
			b.WriteByte('.')
			point = true
		case !point && b.Len() <= 3 && groups == 0 || groups > 0 && !point:
			size := thinSpace(s.text[s.at:])
			if size == 0 || !group(s.text[s.at+size:]) || b.String() == "0" {
				return s.finishDecimal(b.String())
			}
			groups++
			s.at += size
			continue
		default:
			return s.finishDecimal(b.String())
		}
		s.at++
	}
	return s.finishDecimal(b.String())
}

func (s *scanner) finishDecimal(written string) string {
	if strings.HasPrefix(written, ".") {
		return "0" + written
	}
	return written
}

// group reports whether s begins with exactly three digits.
func group(s string) bool {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n == 3
}

// thinSpace is the length of a blank that may part thousands, 0 if there is
// none.
func thinSpace(s string) int {
	for _, blank := range []string{" ", "\u00a0", "\u2009", "\u202f"} {
		if strings.HasPrefix(s, blank) {
			return len(blank)
		}
	}
	return 0
}

// scale reads what multiplies a number: an exponent, ×10^-3, a power, k.
func (s *scanner) scale() float64 {
	if n, size := exponent(s.text[s.at:]); size > 0 {
		s.at += size
		return math.Pow10(n)
	}
	if n, size := timesTen(s.text[s.at:]); size > 0 {
		s.at += size
		return math.Pow10(n)
	}
	if c := s.byteAt(s.at); (c == 'k' || c == 'K') && !s.letterAt(s.at+1) && !isDigit(s.byteAt(s.at+1)) {
		s.at++
		return 1e3
	}
	return 1
}

// exponent reads "e-4".
func exponent(s string) (n, size int) {
	if s == "" || s[0] != 'e' && s[0] != 'E' {
		return 0, 0
	}
	return power(s, 1)
}

// timesTen reads "×10^-3", "x 10^5", "*10⁶".
func timesTen(s string) (n, size int) {
	rest := strings.TrimLeft(s, " ")
	for _, times := range []string{"×", "x", "*", "·"} {
		after, ok := strings.CutPrefix(rest, times)
		if !ok {
			continue
		}
		after = strings.TrimLeft(after, " ")
		ten, ok := strings.CutPrefix(after, "10")
		if !ok {
			return 0, 0
		}
		start := len(s) - len(ten)
		if strings.HasPrefix(ten, "^") {
			return power(s, start+1)
		}
		return superscript(s, start)
	}
	return 0, 0
}

// power reads a signed whole number of at most three digits at s[from:], as the
// end of what began at s.
func power(s string, from int) (n, size int) {
	i := from
	for _, sign := range []string{"-", "−", "+"} {
		if strings.HasPrefix(s[i:], sign) {
			i += len(sign)
			break
		}
	}
	digits := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == digits || i > digits+3 {
		return 0, 0
	}
	if r, _ := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError && isLetter(r) {
		return 0, 0
	}
	n, _ = strconv.Atoi(s[digits:i])
	if negative := s[from] != '+' && digits > from; negative {
		n = -n
	}
	return n, i
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// superscript reads a whole number in superscript digits at s[from:].
func superscript(s string, from int) (n, size int) {
	const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹"
	sign, i, count := 1, from, 0
	if strings.HasPrefix(s[i:], "⁻") {
		sign, i = -1, i+len("⁻")
	}
	for i < len(s) && count < 4 {
		r, size := utf8.DecodeRuneInString(s[i:])
		at := strings.IndexRune(digits, r)
		if at < 0 {
			break
		}
		n = n*10 + utf8.RuneCountInString(digits[:at])
		count, i = count+1, i+size
	}
	if count == 0 {
		return 0, 0
	}
	return sign * n, i
}

// fraction reads "/3" after a number: what may be a share of something, and not
// a date or a name such as 24/7.
func (s *scanner) fraction() (denominator float64, size int) {
	if s.byteAt(s.at) != '/' {
		return 0, 0
	}
	i := s.at + 1
	for i < len(s.text) && isDigit(s.text[i]) {
		i++
	}
	if i == s.at+1 || i > s.at+5 || s.byteAt(i) == '/' || s.byteAt(i) == '.' && isDigit(s.byteAt(i+1)) {
		return 0, 0
	}
	denominator, _ = strconv.ParseFloat(s.text[s.at+1:i], 64)
	if denominator < 2 || denominator == 7 {
		return 0, 0
	}
	return denominator, i - s.at
}

// ordinal takes in the letters of 15th.
func (s *scanner) ordinal(t *token) {
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		if strings.HasPrefix(strings.ToLower(s.text[s.at:min(len(s.text), s.at+2)]), suffix) && !s.letterAt(s.at+2) {
			t.ordinal = true
			s.at += 2
			return
		}
	}
}

// labelLength is the length of a label at the start of s: 1.2.3, 2024-01-15,
// 14:30, 1/2/2024; 0 if there is none.
func labelLength(s string) int {
	i, parts := 0, 0
	var mark byte
	first := 0
	for {
		from := i
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		if i == from {
			break
		}
		if parts++; parts == 1 {
			first = i - from
		}
		if i+1 >= len(s) || !isDigit(s[i+1]) || strings.IndexByte(".-:/", s[i]) < 0 || mark != 0 && s[i] != mark {
			break
		}
		mark = s[i]
		if mark == '-' && s[i+1] != '0' && parts == 1 && !(first == 4 && len(s) > i+4 && s[i+3] == '-') {
			break // 3-5 is a range
		}
		i++
	}
	switch {
	case parts >= 3, parts == 2 && mark == ':', parts == 2 && mark == '-' && first == 4 && len(s[:i]) == 7:
		return i
	}
	return 0
}

// timeOfDay gives the minutes of 14:30.
func timeOfDay(s string) (minutes float64, ok bool) {
	hours, rest, cut := strings.Cut(s, ":")
	h, err1 := strconv.Atoi(hours)
	m, err2 := strconv.Atoi(rest)
	if !cut || err1 != nil || err2 != nil || h > 24 || m > 59 || len(rest) != 2 {
		return 0, false
	}
	return float64(60*h + m), true
}

// numberWords are the words that add up to numbers.
var numberWords = lazy.Value(func() map[string]float64 {
	return map[string]float64{
		"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
		"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
		"fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
		"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
		"hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12,
	}
})

// ordinalWords count places.
var ordinalWords = lazy.Value(func() map[string]float64 {
	return map[string]float64{
		"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
		"eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
	}
})

// shareWords are parts of a whole, as in "two thirds" and "half of them".
var shareWords = lazy.Value(func() map[string]float64 {
	return map[string]float64{
		"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5,
		"tenth": 10, "tenths": 10, "hundredth": 100, "hundredths": 100,
	}
})

// spellNumbers puts one number in the place of the words that spell it: "two
// hundred and five", "15 million", "two thirds", "half".
func spellNumbers(in []token) []token {
	out := make([]token, 0, len(in))
	for i := 0; i < len(in); {
		n := numberAt(in, i, out)
		if n.size == 0 {
			out = append(out, in[i])
			i++
			continue
		}
		t := in[i]
		t.kind, t.number, t.exact, t.ordinal = numberToken, n.value, "", n.ordinal
		if n.size > 1 || in[i].kind == wordToken {
			t.text = strconv.FormatFloat(n.value, 'g', -1, 64)
			t.raw = joinRaw(in[i : i+n.size])
		}
		out = append(out, t)
		i += n.size
	}
	return out
}

func joinRaw(tokens []token) string {
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.raw
	}
	return strings.Join(words, " ")
}

// spelled is a number found among tokens, and how many of them it takes.
type spelled struct {
	value   float64
	size    int
	ordinal bool
}

// numberAt reads the number that begins at in[i]; before is what stands before
// it.
func numberAt(in []token, i int, before []token) spelled {
	if in[i].kind == numberToken {
		return scaledDigits(in, i)
	}
	if in[i].kind != wordToken {
		return spelled{}
	}
	last := ""
	if len(before) > 0 && !in[i].breaks {
		last = before[len(before)-1].text
	}
	switch w := in[i].text; {
	case w == "twice":
		return spelled{2, 1, false}
	case w == "thrice":
		return spelled{3, 1, false}
	case w == "half" && (last == "" || !leads(last)):
		return spelled{0.5, 1, false}
	case w == "second" && (last == "a" || last == "per" || last == "each" || last == "every" || endsInNumber(before)):
		return spelled{} // the unit of time
	case (w == "a" || w == "an") && i+1 < len(in) && isShare(in, i+1):
		return spelled{1 / shareWords()[in[i+1].text], 2, false}
	case (w == "a" || w == "an") && i+1 < len(in) && spans.Has(in[i+1].text) && !strings.HasPrefix(last, "time") && last != "once" && last != "twice" && !endsInNumber(before):
		return spelled{1, 1, false} // an hour
	case w == "a" && i+1 < len(in) && (numberWords()[in[i+1].text] >= 100 || in[i+1].text == "dozen"):
		n := cardinal(in, i+1) // a dozen, a hundred
		n.size++
		return n
	case ordinalWords()[w] != 0:
		return spelled{ordinalWords()[w], 1, true}
	}
	return cardinal(in, i)
}

// spans are lengths of time of which "a" is one; a second is often no time at
// all.
var spans = lazy.NewWords("minute hour day week fortnight month year decade century")

// leads reports whether a word before "half" makes it part of a name: the first
// half, first-half.
func leads(w string) bool { return ordinalWords()[w] != 0 || w == "other" || w == "better" }

func endsInNumber(before []token) bool {
	return len(before) > 0 && before[len(before)-1].kind == numberToken
}

// isShare reports whether a word names a part and "of" follows: a third of.
func isShare(in []token, i int) bool {
	return shareWords()[in[i].text] != 0 && i+1 < len(in) && in[i+1].text == "of"
}

// scaledDigits reads "616.5 million" and digits alone.
func scaledDigits(in []token, i int) spelled {
	t := in[i]
	if t.exact != "" || t.text == "clock" {
		return spelled{}
	}
	if i+1 < len(in) && in[i+1].kind == wordToken && !in[i+1].breaks && !t.ordinal {
		switch w := in[i+1].text; {
		case numberWords()[w] >= 1000:
			return spelled{t.number * numberWords()[w], 2, false}
		case w == "m" && in[i+1].joined && in[i+1].raw == "M", w == "mn" || w == "mln":
			return spelled{t.number * 1e6, 2, false}
		case w == "bn" || w == "bln":
			return spelled{t.number * 1e9, 2, false}
		}
	}
	return spelled{}
}

// cardinal adds number words up while they follow each other.
func cardinal(in []token, i int) spelled {
	total, value, size := 0.0, 0.0, 0
	for j := i; j < len(in) && (j == i || !in[j].breaks); j++ {
		w := in[j].text
		v, ok := numberWords()[w]
		if !ok || in[j].kind != wordToken {
			if w == "and" && size > 0 && value+total >= 100 && j+1 < len(in) && numberWords()[in[j+1].text] > 0 && numberWords()[in[j+1].text] < 100 {
				continue
			}
			if shareWords()[w] > 2 && size > 0 && value < shareWords()[w] && total == 0 && strings.HasSuffix(w, "s") || size > 0 && value == 1 && shareWords()[w] > 2 {
				return spelled{value / shareWords()[w], j - i + 1, false} // two thirds
			}
			if o := ordinalWords()[w]; o != 0 && o < 10 && size > 0 && int(value)%10 == 0 && value >= 20 {
				return spelled{total + value + o, j - i + 1, true} // twenty-first
			}
			break
		}
		switch {
		case v == 100 && size > 0, v == 12 && w == "dozen" && size > 0:
			value *= v
		case v >= 1000 && size > 0:
			total, value = total+max(value, 1)*v, 0
		case size == 0, value == 0, int(value)%100 >= 20 && int(value)%10 == 0 && v < 10, int(value)%100 == 0 && v < 100:
			value += v
		default:
			return spelled{total + value, j - i, false}
		}
		size = j - i + 1
	}
	return spelled{total + value, size, false}
}
