package delta

import (
	"strings"
	"unicode"
)

// escape writes a text so that Markdown shows it as it is, on one line: no
// content can open a heading, a list, a table, a link, emphasis, a strike or
// HTML. Line breaks become <br>; what cannot be seen becomes U+FFFD.
func escape(s string) string { return escapeWith(s, "") }

// escapeCell is escape for the inside of a table.
func escapeCell(s string) string { return escapeWith(s, "|") }

// escapeElement is escape for what stands in a row of elements, a, b, c.
func escapeElement(s string) string { return escapeWith(s, ",") }

// escapePair is escape for what stands in a row of pairs, key = value; key = value.
func escapePair(s string) string { return escapeWith(s, ";=") }

// escapeWith escapes a text, and the characters of also.
func escapeWith(s, also string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if plainWords(s) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	runes := []rune(s)
	for i, r := range runes {
		switch {
		case lineBreak(r):
			b.WriteString("<br>")
		case r == '\t':
			b.WriteByte(' ')
		case !unicode.IsGraphic(r):
			b.WriteRune('\uFFFD')
		case r == '~': // \~ beside our own ~~ would not close it
			b.WriteString("&#126;")
		case mustEscape(runes, i) || strings.ContainsRune(also, r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plainWords says whether a text is letters, digits, spaces, full stops and
// hyphens, which need no escape anywhere but at the start of a line, where no
// text of ours stands.
func plainWords(s string) bool {
	for i := range len(s) {
		if c := s[i]; !letter(c) && !digit(c) && c != ' ' && c != '.' && c != '-' {
			return false
		}
	}
	return true
}

func lineBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// mustEscape says whether a character could mean something to Markdown where
// it stands. An underscore inside a word and a lone & do not.
func mustEscape(runes []rune, i int) bool {
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	switch runes[i] {
	case '\\', '`', '*', '<', '[', ']', '#':
		return true
	case '_':
		return !word(i-1) || !word(i+1)
	case '&':
		return i+1 < len(runes) && (runes[i+1] == '#' || word(i+1))
	}
	return false
}
