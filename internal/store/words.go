package store

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"brenner"
)

// Full text is analysed here and nowhere else, so that every backend finds the
// same artifacts: databases only keep lists of who has which word.

// Term is a word of a document and how much the document is about it.
type Term struct {
	Word string
	// Weight is 1…MaxWeight: it grows with how often the word stands in the
	// text and falls with the length of the text, as in BM25.
	Weight int
}

// MaxWeight is the largest weight of a term.
const MaxWeight = 4

// maxWordBytes bounds a word; longer runs of letters (hashes, data) are cut.
const maxWordBytes = 64

// Words gives the words of a text, in order and with repetitions: runs of
// letters and digits, in lower case, without accents, without the commonest
// English words, reduced to their stem. An ideograph or kana is a word of its
// own.
func Words(text string) []string {
	out := make([]string, 0, len(text)/6)
	var word []byte
	flush := func() {
		if len(word) > 0 {
			if w := string(word); !common[w] {
				out = append(out, stem(w))
			}
			word = word[:0]
		}
	}
	for _, r := range plain(text) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			if len(word) < maxWordBytes {
				word = append(word, byte(r))
			}
		case 'A' <= r && r <= 'Z':
			if len(word) < maxWordBytes {
				word = append(word, byte(r)+'a'-'A')
			}
		case r < utf8.RuneSelf:
			flush()
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			flush()
			out = append(out, string(r))
		case unicode.Is(unicode.Mn, r): // the accent of the letter before it
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if len(word) < maxWordBytes {
				word = utf8.AppendRune(word, unicode.ToLower(r))
			}
		default:
			flush()
		}
	}
	flush()
	return out
}

// plain takes letters apart from their accents and other dress.
func plain(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return norm.NFKD.String(text)
		}
	}
	return text
}

// Terms gives the distinct words of a document in byte order with their weight.
func Terms(text string) []Term {
	words := Words(text)
	length := len(words)
	slices.Sort(words)
	var terms []Term
	for i := 0; i < len(words); {
		n := i + 1
		for n < len(words) && words[n] == words[i] {
			n++
		}
		terms = append(terms, Term{words[i], weight(n-i, length)})
		i = n
	}
	return terms
}

// weight is BM25's share of a word that stands count times in length words
// (k = 1.2, b = 0.75, 256 words being a text of usual length), cut into equal
// steps. Whole numbers, so that every machine agrees.
func weight(count, length int) int {
	const scale, usual = 1024, 256
	saturation := 12 * (usual + 3*length) * scale / (10 * 4 * usual)
	share := MaxWeight * count * scale / (count*scale + saturation)
	return 1 + min(share, MaxWeight-1)
}

// QueryWords gives the distinct words a query looks for, the first
// MaxSearchWords of them, in byte order.
func QueryWords(text string) []string {
	var out []string
	for _, w := range Words(text) {
		if slices.Contains(out, w) {
			continue
		}
		if out = append(out, w); len(out) == brenner.MaxSearchWords {
			break
		}
	}
	slices.Sort(out)
	return out
}

// common are the words that say nothing about a text.
var common = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`a an and are as at be been but by for from had has have he her his i if in into
		is it its of on or our she so than that the their them then there these they this those to was we were
		what when which while who will with would you your`) {
		m[w] = true
	}
	return m
}()
