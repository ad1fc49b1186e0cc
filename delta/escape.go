package delta

import (
	"strings"
	"unicode"
)

// escape writes a text so that Markdown shows it as it is, on one line: no
// content can open a heading, a list, a table, a link, emphasis, a strike or
// HTML. Line breaks become <br>; what cannot be seen becomes U+FFFD.
func escape(s string) string { return escapeWith(s, false) }

// escapeCell is escape for the inside of a table.
func escapeCell(s string) string { return escapeWith(s, true) }

func escapeAll(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = escape(s)
	}
	return strings.Join(out, ", ")
}

func escapeWith(s string, cell bool) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
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
		case mustEscape(runes, i) || cell && r == '|':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
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
