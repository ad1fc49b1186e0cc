package mcpserver

import (
	"sync"
	"unicode/utf8"

	"brenner"
	"brenner/artifact"
	"brenner/assembly"

	"github.com/go-json-experiment/json/jsontext"
)

var counter = sync.OnceValue(func() *assembly.Tokenizer {
	t, err := assembly.NewTokenizer(assembly.O200k)
	if err != nil {
		panic(err) // its tables are part of the program
	}
	return t
})

// fits says whether a text has at most so many tokens. A token is at least a
// byte, so that short texts need no counting.
func fits(text string, tokens int) bool {
	return len(text) <= tokens || (counter().AtLeast(len(text)) <= tokens && counter().Count(text) <= tokens)
}

// pageRunes is how many characters of a text an answer has room for, besides what is said
// around it.
const pageRunes = brenner.MaxAnswerRunes - 2000

// page gives the part of a text from an offset on that fits a page, and where
// the next one starts, 0 if nowhere.
func page(text string, offset int) (part string, next int, err error) {
	return pageOf(text, offset, pageRunes)
}

// pageOf is page for an answer that has room for so many characters.
func pageOf(text string, offset, room int) (part string, next int, err error) {
	if offset < 0 || offset > len(text) || (offset < len(text) && !utf8.RuneStart(text[offset])) {
		return "", 0, brenner.Errorf(brenner.CodeInvalidValue, "%d is not where a page starts", offset).
			At("/offset").WithHint("use next_offset of the page before")
	}
	rest := text[offset:]
	n := shorter(text, offset, len(rest), room)
	for !fits(quoted(rest[:n]), brenner.ToolPageTokens) {
		n = shorter(text, offset, n, utf8.RuneCountInString(rest[:n])*3/4)
	}
	if n == len(rest) {
		return rest, 0, nil
	}
	return rest[:n], offset + n, nil
}

// shorter is how many of the next n bytes of a text are at most so many characters, ended as
// pages are.
func shorter(text string, offset, n, runes int) int {
	size := n
	for i := range text[offset : offset+n] {
		if runes--; runes < 0 {
			size = i
			break
		}
	}
	if size == n {
		return n
	}
	return artifact.PageEnd(text, offset, size)
}

// quoted is a text as it stands in a result.
func quoted(text string) string {
	raw, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return text
	}
	return string(raw)
}
