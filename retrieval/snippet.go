package retrieval

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Snippet is the passage of a text that shows best why it was found.
type Snippet struct {
	Text string
	// Marked are the words of it that were looked for, as they stand there, each
	// once, in order.
	Marked []string
}

// mark is a place in a text where a word stands that was looked for.
type mark struct {
	from, to int
	word     int // which of those looked for
}

// Excerpt cuts out of a text the passage of about so many bytes that has the most
// of some words, which are as Words gives them; of several the first. Where it has
// none, it is empty.
func Excerpt(text string, words []string, width int) Snippet {
	marks := places(text, words)
	if len(marks) == 0 {
		return Snippet{}
	}
	best, from, to := -1, 0, 0
	counts := make([]int, len(words))
	distinct, last := 0, 0
	for first := range marks {
		for last < len(marks) && (last <= first || marks[last].to-marks[first].from <= width) {
			if counts[marks[last].word]++; counts[marks[last].word] == 1 {
				distinct++
			}
			last++
		}
		if worth := distinct*len(marks) + last - first; worth > best {
			best, from, to = worth, first, last
		}
		if counts[marks[first].word]--; counts[marks[first].word] == 0 {
			distinct--
		}
	}
	out := Snippet{Text: passage(text, marks[from].from, marks[to-1].to, width)}
	for _, m := range marks[from:to] {
		if w := text[m.from:m.to]; !slices.Contains(out.Marked, w) {
			out.Marked = append(out.Marked, w)
		}
	}
	return out
}

// places finds where words stand in a text.
func places(text string, words []string) []mark {
	var a Analyzer
	var numbers []int32
	var out []mark
	for from := 0; from < len(text); {
		to := wordEnd(text, from)
		if to == from {
			_, size := utf8.DecodeRuneInString(text[from:])
			from += size
			continue
		}
		numbers = a.Words(numbers[:0], text[from:to])
		for _, n := range numbers {
			if i := slices.Index(words, a.Word(n)); i >= 0 {
				out = append(out, mark{from, to, i})
				break
			}
		}
		from = to
	}
	return out
}

// wordEnd is where the word ends that begins at a place of a text; the place
// itself where none does.
func wordEnd(text string, from int) int {
	to := from
	for to < len(text) {
		r, size := utf8.DecodeRuneInString(text[to:])
		if ideograph(r) {
			if to == from {
				to += size
			}
			return to
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) {
			return to
		}
		to += size
	}
	return to
}

// passage cuts a text around a stretch of it: at blanks, in one line, with dots
// where something is left out.
func passage(text string, from, to, width int) string {
	room := max(0, width-(to-from))
	from = max(0, from-room/2)
	to = min(len(text), max(to, from+width))
	from = max(0, min(from, to-width))
	from, to = blankBefore(text, from), blankBehind(text, to)
	out := strings.Join(strings.Fields(text[from:to]), " ")
	if from > 0 {
		out = "… " + out
	}
	if strings.TrimSpace(text[to:]) != "" {
		out += " …"
	}
	return out
}

// longWord is how far a cut goes to spare a word.
const longWord = 32

func blankBefore(text string, at int) int {
	for i := at; i > 0 && at-i < longWord; i-- {
		if text[i-1] <= ' ' {
			return i
		}
	}
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

func blankBehind(text string, at int) int {
	for i := at; i-at < longWord; i++ {
		if i >= len(text) || text[i] <= ' ' {
			return i
		}
	}
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}
