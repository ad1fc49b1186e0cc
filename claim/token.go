package claim

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/lazy"
)

// token is a word, a number or a sign of a sentence.
type token struct {
	text string // lower case, one spelling; of a number its digits
	raw  string // as it was written
	stem string // of a word
	kind tokenKind
	// number is the value of a number; exact is its digits if it is a label
	// that is no value, such as 1.2.3 or 2024-01-15.
	number  float64
	places  int // digits behind the point
	exact   string
	ordinal bool // 15th, third
	// joined says that nothing stands between the token and the one before it,
	// hyphened that only a hyphen does; breaks that a comma or a stop does, and
	// ends that the sentence before it has ended.
	joined, hyphened, breaks, ends bool
	role                           role
}

type tokenKind byte

const (
	wordToken tokenKind = iota
	numberToken
	signToken // % $ < ≥ ~ ± / and the like
)

// MostWords is how many words of a sentence are read. A lesson or an assumption
// is a sentence; the bound only keeps a hostile text from taking long. What stands
// behind them must be the same, word for word.
const MostWords = 200

// scan cuts a text into tokens.
func scan(text string) []token {
	tokens, _ := scanMost(text)
	return tokens
}

// scanMost cuts a text into tokens, and gives what is left of it.
func scanMost(text string) (tokens []token, rest string) {
	s := scanner{text: text}
	for s.at < len(s.text) && len(s.tokens) < MostWords {
		s.next()
	}
	return s.tokens, s.text[s.at:]
}

type scanner struct {
	text   string
	at     int
	tokens []token
	// What stood since the last token.
	space, hyphen, comma, stop bool
}

func (s *scanner) rune() (rune, int) { return utf8.DecodeRuneInString(s.text[s.at:]) }

// byteAt gives a byte, 0 beyond the ends.
func (s *scanner) byteAt(i int) byte {
	if i < 0 || i >= len(s.text) {
		return 0
	}
	return s.text[i]
}

func (s *scanner) next() {
	r, size := s.rune()
	switch {
	case isDigit(s.byteAt(s.at)), s.startsNumber():
		s.digits()
	case unicode.IsLetter(r):
		s.word()
	case strings.ContainsRune("%‰$€£¥<>≤≥=≈~±/^°²³·×*+&#@", r):
		s.at += size
		s.add(token{kind: signToken, text: string(r), raw: string(r)})
	default:
		s.at += size
		s.between(r)
	}
}

// between notes what stands between two tokens.
func (s *scanner) between(r rune) {
	switch r {
	case '-', '‐', '‑':
		s.hyphen = true
	case '–', '—', '−':
		s.hyphen, s.comma = true, true
	case ',', '(', ')', '[', ']':
		s.comma = true
	case ';', ':', '"', '“', '”', '\n':
		s.comma = true
	case '.', '!', '?':
		s.comma, s.stop = true, true
	default:
		s.space = true
	}
}

func (s *scanner) add(t token) {
	if len(s.tokens) > 0 {
		t.hyphened = s.hyphen && !s.space && !s.stop
		t.joined = !s.space && !s.hyphen && !s.comma
		t.breaks, t.ends = s.comma && !(s.hyphen && !s.space), s.stop && s.space
	}
	s.space, s.hyphen, s.comma, s.stop = false, false, false, false
	s.tokens = append(s.tokens, t)
}

// word reads a run of letters. An apostrophe inside it vanishes, so that
// "don't" is one word, and so does a possessive 's.
func (s *scanner) word() {
	from := s.at
	var b strings.Builder
	for s.at < len(s.text) {
		r, size := s.rune()
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			b.WriteRune(unicode.ToLower(r))
		case (r == '\'' || r == '’') && s.letterAt(s.at+size):
			// dropped
		case r == '.' && s.abbreviates(from, size):
			// U.S. is US
		default:
			s.finishWord(from, b.String())
			return
		}
		s.at += size
	}
	s.finishWord(from, b.String())
}

func (s *scanner) finishWord(from int, text string) {
	raw := s.text[from:s.at]
	for _, possessive := range []string{"'s", "’s"} {
		if bare, ok := strings.CutSuffix(raw, possessive); ok && len(bare) > 1 && !contracted.Has(strings.ToLower(bare)) {
			raw, text = bare, strings.TrimSuffix(text, "s")
		}
	}
	text = strings.ReplaceAll(text, "μ", "µ") // one micro sign
	s.add(token{kind: wordToken, text: text, raw: raw})
}

// contracted words take 's for is: no possessive.
var contracted = lazy.NewWords("it that there what who here let he she where")

func (s *scanner) letterAt(i int) bool {
	r, _ := utf8.DecodeRuneInString(s.text[min(i, len(s.text)):])
	return unicode.IsLetter(r)
}

// abbreviates reports whether the full stop at hand belongs to single letters:
// U.S., e.g.
func (s *scanner) abbreviates(from, size int) bool {
	before := s.text[from:s.at]
	if i := strings.LastIndexByte(before, '.'); i >= 0 {
		before = before[i+1:]
	}
	if utf8.RuneCountInString(before) != 1 {
		return false
	}
	after := s.at + size
	if !s.letterAt(after) {
		return from+1 < s.at // the last stop of several
	}
	_, n := utf8.DecodeRuneInString(s.text[after:])
	return s.byteAt(after+n) == '.'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
