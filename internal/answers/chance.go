package answers

import (
	"fmt"
	"strings"
)

// longWord is from how many letters on a word is taken for one that chance made:
// a digest that depends on the id of the project, a secret, a signature.
const longWord = 40

// drawnWord is how long a word is that crypto/rand makes for a key.
const drawnWord = 26

// byChance reports whether a word differs from one project to the next.
func byChance(word string) bool {
	project, drawn := strings.LastIndex(word, "p-"), len(word)-drawnWord
	if drawn >= 0 && strings.Trim(word[drawn:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == "" {
		return true // a key
	}
	return len(word) >= longWord || strings.HasPrefix(word, "brn_") || project >= 0 && len(word)-project == len("p-0123456789abcdef")
}

// Numbered is a text in which what chance made is known by when it first came.
func Numbered(text string) string {
	seen := map[string]int{}
	return WithoutChance(text, func(word string) string {
		if seen[word] == 0 {
			seen[word] = len(seen) + 1
		}
		return fmt.Sprintf("⟨%d⟩", seen[word])
	})
}

// WithoutChance is a text with something else for every word that chance made.
func WithoutChance(text string, known func(word string) string) string {
	var out strings.Builder
	for len(text) > 0 {
		n := 0
		for n < len(text) && inWord[text[n]] {
			n++
		}
		switch word := text[:n]; {
		case n == 0:
			n = 1
			out.WriteByte(text[0])
		case byChance(word):
			out.WriteString(known(word))
		default:
			out.WriteString(word)
		}
		text = text[n:]
	}
	return out.String()
}

// inWord are the characters of which such words are made.
var inWord = func() (table [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_=-") {
		table[c] = true
	}
	return table
}()
