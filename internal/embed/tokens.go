package embed

import (
	"unicode"
	"unicode/utf8"
)

// tokens is a text cut into tokens: consecutive stretches of one buffer, so
// that cutting a sentence allocates nothing once the buffers have grown.
type tokens struct {
	runes []rune // the text, mapped: see mapRune
	bytes []byte // the tokens, one after another, as UTF-8
	ends  []int  // where each token ends in bytes
}

func (t *tokens) len() int { return len(t.ends) }

func (t *tokens) at(i int) []byte {
	start := 0
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.bytes[start:t.ends[i]]
}

// cut replaces the tokens by the first most tokens of text. Letters and
// decimal digits make tokens; an apostrophe inside a word and a comma inside a
// number vanish; a full stop between digits belongs to the number; everything
// else separates.
func (t *tokens) cut(text string, most int) {
	t.runes, t.bytes, t.ends = t.runes[:0], t.bytes[:0], t.ends[:0]
	for _, r := range text {
		t.runes = append(t.runes, mapRune(r))
	}
	start := 0
	for i, r := range t.runes {
		switch {
		case isTokenRune(r) || r == '.' && t.between(i, isDigit):
			t.bytes = utf8.AppendRune(t.bytes, r)
		case r == '\'' && t.between(i, isTokenRune), r == ',' && t.between(i, isDigit):
			// vanishes: the token goes on
		case len(t.bytes) > start:
			t.ends = append(t.ends, len(t.bytes))
			start = len(t.bytes)
			if len(t.ends) == most {
				return
			}
		}
	}
	if len(t.bytes) > start {
		t.ends = append(t.ends, len(t.bytes))
	}
}

// between reports whether both neighbours of rune i are of a kind.
func (t *tokens) between(i int, kind func(rune) bool) bool {
	return i > 0 && i+1 < len(t.runes) && kind(t.runes[i-1]) && kind(t.runes[i+1])
}

// mapRune folds case and turns whatever cannot matter into a space.
func mapRune(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r < utf8.RuneSelf:
		return r
	case r == '\u2019':
		return '\''
	case unicode.IsLetter(r) || unicode.Is(unicode.Nd, r):
		return unicode.ToLower(r)
	}
	return ' '
}

// isTokenRune judges mapped runes, where nothing above ASCII but letters and
// digits is left.
func isTokenRune(r rune) bool {
	return 'a' <= r && r <= 'z' || isDigit(r) || r >= utf8.RuneSelf
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// Tokens gives the tokens of a text as the built-in model sees them.
func (m *Model) Tokens(text string) []string {
	var t tokens
	t.cut(text, m.maxTokens)
	out := make([]string, t.len())
	for i := range out {
		out[i] = string(t.at(i))
	}
	return out
}
