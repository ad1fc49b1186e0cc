package brenner

import "strings"

// MaxQuote is how many characters of an input a message quotes.
const MaxQuote = 80

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
