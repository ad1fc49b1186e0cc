package kernel

import (
	"strings"
	"unicode/utf8"

	"brenner"
)

// CheckText refuses text that not every store can keep (J5).
func CheckText(s string) error {
	if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
		return brenner.Errorf(brenner.CodeInvalidText, "the text is not valid UTF-8 or contains U+0000")
	}
	return nil
}

// Strings turns names of a kind into plain strings.
func Strings[T ~string](names []T) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return out
}

// Join joins names for a hint.
func Join[T ~string](names []T) string { return strings.Join(Strings(names), ", ") }

// OrEmpty makes an absent list an empty one, so that records say [] and not
// null.
func OrEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
