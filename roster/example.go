package roster

import (
	"strings"
	"unicode"

	"brenner/delta"
)

// markExamples marks every delta block of a kickoff as an example, so that it
// is never compiled, not even when a reply repeats it. That holds for prompts
// and questions of a project's own as well.
func markExamples(body string) string {
	var b strings.Builder
	for line := range strings.Lines(body) {
		b.WriteString(line)
		if before, ok := opensDelta(line); ok {
			b.WriteString(inside(before) + delta.EchoMarker + "\n")
		}
	}
	return b.String()
}

// opensDelta reports whether a line can open a delta block, and gives what
// stands before the fence.
func opensDelta(line string) (before string, ok bool) {
	opening, named := strings.CutSuffix(strings.TrimRightFunc(line, unicode.IsSpace), "delta")
	opening = strings.TrimRightFunc(opening, unicode.IsSpace)
	if !named || opening == "" || !strings.ContainsAny(opening[len(opening)-1:], "`~:") {
		return "", false
	}
	before = strings.TrimRight(opening, opening[len(opening)-1:])
	return before, len(opening)-len(before) >= 3
}

// inside turns what stands before a fence into what has to stand before the
// lines of its block: quotes go on, a list marker becomes its indentation.
func inside(prefix string) string {
	return strings.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, prefix)
}
