package brenner

import (
	"strings"
	"unicode/utf8"
)

// MaxQuote is how many characters of an input a message quotes.
const MaxQuote = 80

// FirstPage is the beginning of a text, of at most so many bytes: up to the end of
// a line if one is near, else of a character.
func FirstPage(s string, most int) string {
	if len(s) <= most {
		return s
	}
	if line := strings.LastIndexByte(s[:most], '\n'); line > most/2 {
		return s[:line+1]
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// Clip keeps a text to most characters; the last is an ellipsis where something
// was left off. It reads no further than that, however long the text.
func Clip(s string, most int) string {
	count, cut := 0, 0
	for i := range s {
		if count == most-1 {
			cut = i
		}
		if count == most {
			return strings.ToValidUTF8(s[:cut], "\uFFFD") + "…"
		}
		count++
	}
	return s
}

// ClipWords is Clip for what is read and not compared: it leaves off whole words, where
// the one that would be cut is not long.
func ClipWords(s string, most int) string {
	const longest = 24 // bytes of a word that is left off rather than cut
	clipped := Clip(s, most)
	cut := strings.TrimSuffix(clipped, "…")
	if rest, ok := strings.CutPrefix(s, cut); clipped == s || ok && strings.HasPrefix(rest, " ") {
		return clipped // nothing is cut, or no word is
	}
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 && space >= len(cut)-longest {
		return strings.TrimRight(cut[:space], " ") + "…"
	}
	return clipped
}
