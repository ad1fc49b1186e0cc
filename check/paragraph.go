package check

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"

	"brenner/artifact"

	"github.com/go-json-experiment/json/jsontext"
)

// Paragraph is a piece of an artifact and where it stands.
type Paragraph struct {
	Place string
	Text  string
}

// Paragraphs cuts content into its paragraphs: text at blank lines, named by
// the line they begin on; JSON into its strings, named by their pointer and
// cut likewise. The content must have passed artifact.NewContent.
func Paragraphs(c artifact.Content) []Paragraph {
	if c.Format != artifact.JSON {
		return cut(string(c.Data), func(line int) string { return "line " + strconv.Itoa(line) })
	}
	var out []Paragraph
	dec := jsontext.NewDecoder(bytes.NewReader(c.Data))
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return out // the end: NewContent has refused what is not JSON
		}
		if kind, length := dec.StackIndex(dec.StackDepth()); tok.Kind() != '"' || kind == '{' && length%2 == 1 {
			continue // a number, a bracket, or the name of a member
		}
		pointer := string(dec.StackPointer())
		out = append(out, cut(tok.String(), func(int) string { return pointer })...)
	}
}

// cut divides a text at blank lines.
func cut(text string, place func(line int) string) []Paragraph {
	var out []Paragraph
	var lines []string
	first, n := 0, 0
	flush := func() {
		if len(lines) > 0 {
			out = append(out, Paragraph{Place: place(first), Text: strings.Join(lines, "\n")})
		}
		lines = nil
	}
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			flush()
			continue
		}
		if lines == nil {
			first = n
		}
		lines = append(lines, line)
	}
	flush()
	return out
}

// wordsOf cuts a text into lower-case words.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// phrase gives a text as its words with a blank on either side, so that a
// phrase stands in another as whole words exactly if one contains the other.
func phrase(text string) string { return " " + strings.Join(wordsOf(text), " ") + " " }
