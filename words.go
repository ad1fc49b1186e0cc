package brenner

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// OneLine joins a text into one line of what can be seen, so that nobody's words
// look like lines of our own where they stand in a list. The joiners stay: words
// of some scripts are written with them.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r) && r != '\u200c' && r != '\u200d'
	}), " ")
}

// IsOneLine reports whether a text breaks no line and has no control characters.
func IsOneLine(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' })
}

// IsPlaceholder reports whether a text is only the dots that keep the place of words in an
// example, copied as they stand.
func IsPlaceholder(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && strings.Trim(s, ".… ") == ""
}

// SaysNothing reports whether a text is blank, or a placeholder.
func SaysNothing(s string) bool { return strings.TrimSpace(s) == "" || IsPlaceholder(s) }

// A is a name with its article: a writer, an arbiter.
func A[T ~string](name T) string {
	if name != "" && strings.ContainsRune("aeioAEIO", rune(name[0])) {
		return "an " + string(name)
	}
	return "a " + string(name)
}

// Plural is a number of things, in the words for one of them or for several: 1 run was,
// 2 runs were.
func Plural(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// Fenced puts a text between fences that nothing inside it can close, on lines of their
// own: what stands there is somebody's, whatever it says. The kind stands behind the first.
// A line break is added before the last where the text ends with none.
func Fenced(kind, text string) string { return fenced(kind, text, 3) }

// FencedPage is Fenced of a page: with fences that are longer than those of most texts, so
// that each page of one has the same.
func FencedPage(kind, text string) string { return fenced(kind, text, 5) }

func fenced(kind, text string, least int) string {
	fence := strings.Repeat("`", max(least, longestRun(text, '`')+1))
	end := "\n"
	if text == "" || strings.HasSuffix(text, "\n") {
		end = ""
	}
	return fence + kind + "\n" + text + end + fence + "\n"
}

func longestRun(text string, c byte) int {
	longest, n := 0, 0
	for i := range len(text) {
		if text[i] != c {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return longest
}

// Clock is the time of an instant in UTC, with its day where that is another than now's.
func Clock(at, now time.Time) string {
	at, now = at.UTC(), now.UTC()
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04 MST")
	}
	return at.Format("2006-01-02 15:04 MST")
}
