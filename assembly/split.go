package assembly

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The pattern that cuts a text into pieces before byte-pair encoding is the
// slow part of counting: as a backtracking regular expression it takes longer
// than everything else an assembly does. The two splitters here are those
// patterns written out; a fuzz target holds them to the library's.

// splitter gives the length of the first piece of a text that is not empty.
type splitter func(text string) int

// class is the set of character classes the patterns speak of.
type class uint8

const (
	upper   class = 1 << iota // Lu Lt Lm Lo M: the first part of a word in o200k
	lower                     // Ll Lm Lo M: the second part
	letter                    // L
	digit                     // N
	space                     // \s
	newline                   // \r \n
)

var asciiClasses = func() (table [utf8.RuneSelf]class) {
	for r := range rune(utf8.RuneSelf) {
		table[r] = unicodeClass(r)
	}
	return table
}()

func unicodeClass(r rune) class {
	switch {
	case r == '\r' || r == '\n':
		return space | newline
	case unicode.IsSpace(r):
		return space
	case unicode.IsLower(r) && unicode.Is(unicode.Ll, r):
		return letter | lower
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return letter | upper
	case unicode.IsLetter(r):
		return letter | upper | lower
	case unicode.IsNumber(r):
		return digit
	case unicode.IsMark(r):
		return upper | lower
	}
	return 0
}

// at gives the class and length of the character at an offset; past the end
// both are 0.
func at(text string, i int) (class, int) {
	if i >= len(text) {
		return 0, 0
	}
	if b := text[i]; b < utf8.RuneSelf {
		return asciiClasses[b], 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	return unicodeClass(r), n
}

// run is where a run of characters that have any of these classes ends.
func run(text string, i int, any class) int {
	for {
		c, n := at(text, i)
		if n == 0 || c&any == 0 {
			return i
		}
		i += n
	}
}

// splitO200k is the pattern of o200k_base:
//
//	P?[upper]*[lower]+contraction? | P?[upper]+[lower]*contraction? | \p{N}{1,3} |
//	 ?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
//
// where P is anything but a letter, a number or a line break.
func splitO200k(text string) int {
	c, n := at(text, 0)
	switch {
	case c&letter != 0:
		mixed, capitals := word(text, 0)
		return contracted(text, max(mixed, capitals))
	case c&digit != 0:
		return digits(text)
	}
	if c&newline == 0 {
		mixed, capitals := word(text, n)
		switch {
		case mixed > 0:
			return contracted(text, mixed)
		case c&lower != 0: // a mark, which is a word by itself
			mixed, _ = word(text, 0)
			return contracted(text, mixed)
		case capitals > n:
			return contracted(text, capitals)
		}
	}
	if end := symbols(text, "\r\n/"); end > 0 {
		return end
	}
	return blank(text)
}

// splitCl100k is the pattern of cl100k_base:
//
//	contraction | P?\p{L}+ | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n]* |
//	\s*[\r\n]+ | \s+(?!\S) | \s+
func splitCl100k(text string) int {
	if end := contracted(text, 0); end > 0 {
		return end
	}
	c, n := at(text, 0)
	switch {
	case c&letter != 0:
		return run(text, 0, letter)
	case c&digit != 0:
		return digits(text)
	}
	if end := run(text, n, letter); c&newline == 0 && end > n {
		return end
	}
	if end := symbols(text, "\r\n"); end > 0 {
		return end
	}
	return blank(text)
}

// word matches [upper]*[lower]+ and [upper]+ from i on and gives where each
// ends: mixed is 0, capitals is i where they do not match. Some characters are
// both upper and lower; the pattern takes the longest first part after which
// the second can still match.
func word(text string, i int) (mixed, capitals int) {
	for {
		c, n := at(text, i)
		if c&upper == 0 {
			if c&lower != 0 {
				return run(text, i, lower), i
			}
			return mixed, i
		}
		i += n
		if c&lower != 0 {
			mixed = i
		}
	}
}

// contracted extends a piece by an English contraction, if one follows.
func contracted(text string, end int) int {
	if end >= len(text) || text[end] != '\'' {
		return end
	}
	rest := text[end+1:]
	// The long s is an s to a pattern that ignores case.
	for _, suffix := range [...]string{"s", "ſ", "t", "re", "ve", "m", "ll", "d"} {
		if len(rest) >= len(suffix) && strings.EqualFold(rest[:len(suffix)], suffix) {
			return end + 1 + len(suffix)
		}
	}
	return end
}

// digits is the length of up to three numbers.
func digits(text string) int {
	end := 0
	for range 3 {
		c, n := at(text, end)
		if c&digit == 0 {
			break
		}
		end += n
	}
	return end
}

// symbols matches a run of what is neither space, letter nor number, after a
// blank or not, with what of tail follows; 0 if there is none.
func symbols(text, tail string) int {
	start := 0
	if text[0] == ' ' {
		start = 1
	}
	end := start
	for {
		c, n := at(text, end)
		if n == 0 || c&(space|letter|digit) != 0 {
			break
		}
		end += n
	}
	if end == start {
		return 0
	}
	for end < len(text) && strings.IndexByte(tail, text[end]) >= 0 {
		end++
	}
	return end
}

// blank matches white space: up to the end of its first line breaks, or, where
// there are none, all but the last character, which goes with what follows it.
//
// The pattern as OpenAI runs it goes on to the last line break of the white
// space; the library stops after the first ones. We count as the library does:
// it makes at times a token more of blank lines with spaces in them, never one
// less.
func blank(text string) int {
	end, last := 0, 0
	for {
		c, n := at(text, end)
		if c&newline != 0 {
			return run(text, end, newline)
		}
		if c&space == 0 {
			break
		}
		last = end
		end += n
	}
	if end == len(text) || last == 0 {
		return end
	}
	return last
}
