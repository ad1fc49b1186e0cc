package playbook

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// numbersOf lists the numbers of a text, digits and words alike, each once and
// in one spelling: "15th", "fifteen" and "015" are all 15.
func numbersOf(text string) []string {
	n := numberReader{text: strings.ToLower(text)}
	n.read()
	slices.Sort(n.found)
	return slices.Compact(n.found)
}

// numberReader walks over a text once. Number words add up while they follow
// each other: two hundred, twenty-five.
type numberReader struct {
	text  string
	found []string
	// The number words so far: value counts below the last thousand or
	// million, total above it.
	inWords      bool
	total, value float64
	last         string // the last word before the current one
}

func (n *numberReader) read() {
	for i := 0; i < len(n.text); {
		c := n.text[i]
		switch {
		case isDigit(c):
			i = n.digits(i)
		case isLetter(c):
			i = n.word(i)
		default:
			if c != ' ' && c != '-' {
				n.flush()
			}
			i++
		}
	}
	n.flush()
}

// digits reads a run of digits with its sign, decimal point, thousands
// separators and exponent, and gives where it ends.
func (n *numberReader) digits(start int) int {
	n.flush()
	t := n.text
	i := start
	var b strings.Builder
	switch {
	case start > 0 && t[start-1] == '-' && (start == 1 || strings.IndexByte(" \t\n(=:[", t[start-2]) >= 0):
		b.WriteByte('-')
	case start > 0 && t[start-1] == '.' && (start == 1 || t[start-2] == ' '):
		b.WriteString("0.")
	}
	point := false
	for ; i < len(t); i++ {
		next := i+1 < len(t) && isDigit(t[i+1])
		switch c := t[i]; {
		case isDigit(c):
			b.WriteByte(c)
		case (c == ',' || c == '_') && thousands(t[i+1:]):
		case c == '.' && next && !point:
			b.WriteByte(c)
			point = true
		default:
			goto done
		}
	}
done:
	if m := exponent(t[i:]); m > 0 {
		b.WriteString(t[i : i+m])
		i += m
	} else if i < len(t) && t[i] == 'k' && (i+1 == len(t) || !isLetter(t[i+1]) && !isDigit(t[i+1])) {
		b.WriteString("e3")
		i++
	}
	n.add(b.String())
	n.last = "0"
	return i
}

// thousands reports whether s begins with exactly three digits.
func thousands(s string) bool {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n == 3
}

// exponent is the length of "e-4" at the start of s, 0 if there is none.
func exponent(s string) int {
	if s == "" || s[0] != 'e' {
		return 0
	}
	i := 1
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	from := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == from || i < len(s) && isLetter(s[i]) {
		return 0
	}
	return i
}

// add notes a number in one spelling. A decimal keeps the digits it was
// written with, since version 3.1 is not version 3.10.
func (n *numberReader) add(s string) {
	if f, err := strconv.ParseFloat(s, 64); err == nil && (f == math.Trunc(f) && !strings.Contains(s, ".") || strings.Contains(s, "e")) {
		s = strconv.FormatFloat(f, 'g', -1, 64)
	}
	n.found = append(n.found, s)
}

// word reads a run of letters and gives where it ends.
func (n *numberReader) word(start int) int {
	i := start
	for i < len(n.text) && isLetter(n.text[i]) {
		i++
	}
	w := n.text[start:i]
	n.count(w)
	n.last = w
	return i
}

// count takes a word into the number being spelled, if it is part of one.
func (n *numberReader) count(w string) {
	switch v, ok := numberWords[w]; {
	case w == "second" && (n.last == "0" || n.inWords || n.last == "a" || n.last == "per" || n.last == "each" || n.last == "every"):
		n.flush() // the unit of time
	case !ok:
		if w != "and" || !n.inWords {
			n.flush()
		}
	case v == 100 && n.inWords:
		n.value *= 100
	case v >= 1000 && n.inWords:
		n.total, n.value = n.total+max(n.value, 1)*v, 0
	case n.inWords && (n.value == 0 || int(n.value)%100 >= 20 && int(n.value)%10 == 0 && v < 10 || int(n.value)%100 == 0 && v < 100):
		n.value += v
	default:
		n.flush()
		n.inWords, n.value = true, v
	}
}

// flush ends a number spelled in words.
func (n *numberReader) flush() {
	if n.inWords {
		n.add(strconv.FormatFloat(n.total+n.value, 'g', -1, 64))
	}
	n.inWords, n.total, n.value = false, 0, 0
}

// isNumber reports whether a word is or contains a number.
func isNumber(w string) bool {
	_, ok := numberWords[w]
	return ok || strings.ContainsAny(w, "0123456789")
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLetter takes every byte above ASCII for a letter: number words have none,
// so it only matters that such a word is not cut in two.
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || c >= 0x80 || c == '\'' }

var numberWords = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
	"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
	"fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
	"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	"hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9, "dozen": 12,
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
	"eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "twice": 2, "thrice": 3,
}
