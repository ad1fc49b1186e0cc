package kernel

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/lazy"
)

// wordRunes is how long a word is that tells something.
const wordRunes = 3

// TellingWords are the words of a text that tell something, without their endings.
func TellingWords(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if w = stem(w); utf8.RuneCountInString(w) >= wordRunes && !dull()[w] {
			out[w] = true
		}
	}
	return out
}

// stem takes the commonest English endings off a word.
func stem(w string) string {
	for _, ending := range []string{"ing", "ies", "ed", "es", "s", "e"} {
		if rest, ok := strings.CutSuffix(w, ending); ok && len(rest) >= 3 {
			return rest
		}
	}
	return w
}

// dull are the stems of words that any piece of work may be asked for in.
var dull = lazy.Value(func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(`
		about agent all also analysis and another answer any are artifact both but can could does done each find for from give has have
		here how into its many may measure name need not number one only other out over project read result run scratch session should
		small some source task than that the their them then there these they this three through two was what when where which whether
		who why will with work would write yet you your`) {
		out[stem(w)] = true
	}
	return out
})

// Share says whether two sets have so many words in common, and such a part of the
// smaller one.
func Share(a, b map[string]bool, words int, part float64) bool {
	common := Common(a, b)
	return common >= words && float64(common) >= part*float64(min(len(a), len(b)))
}

// Common is how many words two texts share.
func Common(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}
