package answers

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"brenner"
	"brenner/internal/lazy"

	"github.com/go-json-experiment/json"
)

// address is where something is, by chance.
var address = lazy.NewPattern(`\b0x[0-9a-f]+`)

// Text is a value as JSON; of an error what anybody is told of it.
func Text(v any) string {
	if err, ok := v.(error); ok && err != nil {
		var e *brenner.Error
		if errors.As(err, &e) {
			return "refused: " + Text(*e)
		}
		return "refused: " + err.Error()
	}
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return address.ReplaceAllString(fmt.Sprintf("%+v (no JSON)", v), "there") // which words the error has is by chance
	}
	return string(raw)
}

// Or is the text of a value or, if there is one, of the error.
func Or[V any](v V, err error) string {
	if err != nil {
		return Text(err)
	}
	return Text(v)
}

// Lines gives each of some values on a line.
func Lines[V any](all []V) string {
	var out strings.Builder
	for i := range all {
		out.WriteString(Text(all[i]) + "\n")
	}
	return out.String()
}

// Replaced gives some JSON with one value of it, anywhere, replaced by another.
func Replaced(r *rand.Rand, raw string, other any) string {
	var v any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		panic(err)
	}
	chosen, count := -1, 0
	var walk func(v any) any
	walk = func(v any) any {
		if count++; count == chosen {
			return other
		}
		switch v := v.(type) {
		case map[string]any:
			out := map[string]any{}
			for _, k := range slices.Sorted(maps.Keys(v)) {
				out[k] = walk(v[k])
			}
			return out
		case []any:
			out := make([]any, len(v))
			for i := range v {
				out[i] = walk(v[i])
			}
			return out
		}
		return v
	}
	walk(v)
	chosen, count = 1+r.IntN(count), 0
	return Text(walk(v))
}

// Typo is a way in which a text goes wrong; the text is not empty.
type Typo struct {
	Name string
	Make func(r *rand.Rand, text string) string
}

// Marks are the characters that mean something where texts are read by programs.
const Marks = "\"'{}[](),:;\\`~=<>#*_+@-./& \n\t0AE"

// Typos are slips of the finger, and of whoever copies lines.
var Typos = []Typo{
	{"a character is missing", func(r *rand.Rand, text string) string {
		i := r.IntN(len(text))
		return text[:i] + text[i+1:]
	}},
	{"a mark is missing", func(r *rand.Rand, text string) string {
		i := markIn(r, text)
		return text[:i] + text[i+1:]
	}},
	{"a mark stands twice", func(r *rand.Rand, text string) string {
		i := markIn(r, text)
		return text[:i+1] + text[i:]
	}},
	{"one mark for another", func(r *rand.Rand, text string) string {
		i := markIn(r, text)
		return text[:i] + Marks[r.IntN(len(Marks)):][:1] + text[i+1:]
	}},
	{"a mark too many", func(r *rand.Rand, text string) string {
		i := r.IntN(len(text))
		return text[:i] + Marks[r.IntN(len(Marks)):][:1] + text[i:]
	}},
	{"two change places", func(r *rand.Rand, text string) string {
		i := r.IntN(len(text))
		j := (i + 1) % len(text)
		b := []byte(text)
		b[i], b[j] = b[j], b[i]
		return string(b)
	}},
	{"the end is missing", func(r *rand.Rand, text string) string { return text[:len(text)/2+r.IntN((len(text)+1)/2)] }},
	{"a line is broken", func(r *rand.Rand, text string) string {
		i := r.IntN(len(text))
		return text[:i] + "\n" + text[i:]
	}},
	{"a line is missing", onLines(func(r *rand.Rand, lines []string) []string {
		i := r.IntN(len(lines))
		return slices.Delete(lines, i, i+1)
	})},
	{"a line stands twice", onLines(func(r *rand.Rand, lines []string) []string {
		i := r.IntN(len(lines))
		return slices.Insert(lines, i, lines[i])
	})},
	{"two lines change places", onLines(func(r *rand.Rand, lines []string) []string {
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return lines
	})},
	{"a line is indented", onLines(func(r *rand.Rand, lines []string) []string {
		return slices.Insert(lines, r.IntN(len(lines)), "  ")
	})},
	{"a line becomes an item", onLines(func(r *rand.Rand, lines []string) []string {
		return slices.Insert(lines, r.IntN(len(lines)), []string{"- ", "### ", "> ", "1. ", "+"}[r.IntN(5)])
	})},
	{"a line is struck", onLines(func(r *rand.Rand, lines []string) []string {
		i := r.IntN(len(lines))
		lines[i] = "~~" + strings.TrimSuffix(lines[i], "\n") + "~~\n"
		return lines
	})},
}

func onLines(change func(r *rand.Rand, lines []string) []string) func(r *rand.Rand, text string) string {
	return func(r *rand.Rand, text string) string {
		return strings.Join(change(r, strings.SplitAfter(text, "\n")), "")
	}
}

// markIn is a place in a text where a mark stands, if it has many.
func markIn(r *rand.Rand, text string) int {
	for range 50 {
		if i := r.IntN(len(text)); strings.IndexByte(Marks, text[i]) >= 0 {
			return i
		}
	}
	return 0
}
