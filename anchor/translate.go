package anchor

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

func asIs(s string) string { return s }

// tidyLike makes a function that rids a text of the characters which the
// quotation has and the quoted text has not: whatever put them there put them
// into the new block as well.
func tidyLike(quoted, actual string) func(string) string {
	marks := false
	alien := func(r rune) bool { return !strings.ContainsRune(actual, r) && strings.ContainsRune(quoted, r) }
	for _, r := range quoted {
		marks = marks || unicode.IsMark(r) && alien(r)
	}
	return func(s string) string {
		out := foldRunes(s, func(r rune) (string, bool) {
			to, changed := plainLook(r)
			return to, changed && alien(r)
		}).text
		if marks {
			out = norm.NFC.String(out)
		}
		return out
	}
}

// translate makes of the text that is there what the author made of the text
// they thought was there: the changes between old and new block are carried
// over to actual. What they insert passes through tidy and takes over the
// indentation of the text.
func translate(l *lens, q quotation, actual string, tidy func(string) string) string {
	written, real := l.quote(q.old), l.view(actual)
	if written.text != real.text || q.old == "" {
		return tidy(q.new)
	}
	indents := indentMap(q.old, actual)
	var b strings.Builder
	last := 0
	for _, e := range tokenEdits(splitWords(q.old), splitWords(q.new)) {
		start, end := mapRange(written, real, q.old, e.start, e.end)
		if start < last || end < start {
			return tidy(q.new)
		}
		b.WriteString(actual[last:start])
		b.WriteString(reindent(tidy(e.text), e.start == 0 || q.old[e.start-1] == '\n', indents))
		last = end
	}
	return b.String() + actual[last:]
}

// mapRange maps a range of the written block to the real one. A boundary next
// to something visible stays next to it.
func mapRange(written, real *folded, old string, start, end int) (from, to int) {
	f, atVisible := written.index(start)
	if atVisible {
		from, _ = real.start(f)
	} else {
		from, _ = real.end(f)
	}
	if end == start {
		return from, from
	}
	f, _ = written.index(end)
	if _, gone := written.index(end - 1); gone {
		to, _ = real.end(f)
	} else {
		to, _ = real.start(f)
	}
	if end == len(old) {
		to = real.size
	}
	return from, to
}

// indentMap says which indentation of the text stands for which of the author.
func indentMap(old, actual string) map[string]string {
	was, is := strings.Split(old, "\n"), strings.Split(actual, "\n")
	m := map[string]string{}
	if len(was) == len(is) {
		for i := range was {
			m[leadingSpace(was[i])] = leadingSpace(is[i])
		}
	}
	return m
}

// reindent gives every line that starts inside s the indentation of the text.
func reindent(s string, atLineStart bool, indents map[string]string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if i == 0 && !atLineStart || line == "" {
			continue
		}
		indent := leadingSpace(line)
		if to, ok := indents[indent]; ok {
			lines[i] = to + line[len(indent):]
		}
	}
	return strings.Join(lines, "\n")
}
