package delta

import (
	"strconv"
	"strings"
	"unicode"

	"brenner"

	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// A payload is kept as canonical JSON and cut into pieces of that text: names,
// values, elements. So values compare as strings, and nothing is copied. The
// functions here cut; they rely on the text being canonical, which compile has
// seen to.

// pair is a member of an object: its name and its value as JSON.
type pair struct{ name, value string }

// objectPairs cuts an object into its members; none for no object.
func objectPairs(object string) []pair { return appendPairs(nil, object) }

// appendPairs is objectPairs into a buffer.
func appendPairs(pairs []pair, object string) []pair {
	if object == "" || object == "{}" {
		return pairs
	}
	for i := 1; i < len(object); i++ {
		colon := stringEnd(object, i) + 1
		end := valueEnd(object, colon+1)
		pairs = append(pairs, pair{unquote(object[i:colon]), object[colon+1 : end]})
		i = end
	}
	return pairs
}

// appendElements cuts an array into its elements, into a buffer.
func appendElements(elements []string, array string) []string {
	if array == "[]" {
		return elements
	}
	for i := 1; i < len(array); i++ {
		end := valueEnd(array, i)
		elements = append(elements, array[i:end])
		i = end
	}
	return elements
}

// valueEnd gives the end of the value that starts at i.
func valueEnd(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = stringEnd(text, i)
		case '{', '[':
			depth++
		case '}', ']', ',', ':':
			if depth == 0 {
				return i
			}
			if text[i] == '}' || text[i] == ']' {
				depth--
			}
		}
	}
	return i
}

// stringEnd gives the place of the closing quote of the string that starts at i.
func stringEnd(text string, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// nesting gives how deep the arrays and objects of a text are nested.
func nesting(text []byte) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\':
			i++
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// unquote gives the text of a JSON string.
func unquote(quoted string) string {
	if len(quoted) < 2 {
		return ""
	}
	if strings.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return ""
	}
	return string(text)
}

// quote gives the canonical JSON of a text.
func quote(s string) string { return string(canon.MustMarshal(s)) }

// blank says whether a JSON string is missing or holds only white space.
func blank(quoted string) bool { return strings.TrimSpace(unquote(quoted)) == "" }

func escapePointer(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}

func itoa(n int) string { return strconv.Itoa(n) }

// clip keeps a quoted input short enough to stand in a message, and keeps it
// from driving a terminal.
func clip(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, brenner.Clip(s, brenner.MaxQuote))
}
