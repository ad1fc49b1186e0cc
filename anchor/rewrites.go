package anchor

import (
	"html"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// rewrite reads all strings of an operation at another level than written.
type rewrite struct {
	cause         Cause
	message, hint string
	fn            func(string) string
}

var rewrites = []rewrite{
	{CauseEscapeLevel, "it is escaped once more than the text", "escape for JSON once, not twice", unescape},
	{CauseEscapeLevel, "it is escaped once less than the text", "keep the backslashes the text has", escape},
	{CauseEscapeLevel, "it has a real newline where the text has \\n written out", "keep the backslashes the text has", spellNewlines},
	{CauseEscapeLevel, "it is escaped for HTML and the text is not", "send plain text", html.UnescapeString},
	{CauseEscapeLevel, "the text is escaped for HTML and it is not", "keep the entities the text has", html.EscapeString},
	{CauseLineNumbers, "its lines carry line numbers", "quote the text without line numbers", numbersOff(true)},
	{CauseLineNumbers, "its lines carry line numbers", "quote the text without line numbers", numbersOff(false)},
}

// apply rewrites anchor, old and new alike; changed is false if the quotation
// stays as it is.
func (rw rewrite) apply(q quotation) (out quotation, changed bool) {
	out = quotation{rw.fn(q.anchor), rw.fn(q.old), rw.fn(q.new)}
	return out, out.whole() != q.whole()
}

var escapes = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`, `"`, `\"`)

func escape(s string) string { return escapes.Replace(s) }

func spellNewlines(s string) string { return strings.ReplaceAll(s, "\n", `\n`) }

var escapePattern = regexp.MustCompile(`\\(?:u[0-9A-Fa-f]{4}|[ntr"'\\/])`)

// unescape undoes one level of JSON string escapes and leaves alone what is
// none.
func unescape(s string) string {
	out := escapePattern.ReplaceAllStringFunc(s, func(e string) string {
		switch e[1] {
		case 'n':
			return "\n"
		case 't':
			return "\t"
		case 'r':
			return "\r"
		case 'u':
			n, _ := strconv.ParseUint(e[2:], 16, 32)
			return string(rune(n))
		}
		return e[1:]
	})
	return unifyNewlines(out)
}

var numberPattern = regexp.MustCompile(`(?m)^[ \t]*[Ll]?\d{1,7}(?:[ \t]*[:|│→][ ]?|\t|\.[ ])`)

// numbersOff takes line numbers off, with or without the space behind them.
func numbersOff(space bool) func(string) string {
	return func(s string) string {
		return numberPattern.ReplaceAllStringFunc(s, func(n string) string {
			if !space && strings.HasSuffix(n, " ") {
				return " "
			}
			return ""
		})
	}
}

// cleaned takes out of a text what a text editor would not put in.
func cleaned(s string) string {
	return norm.NFC.String(foldRunes(s, plainSpace).text)
}

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
func translate(l lens, q quotation, actual string, tidy func(string) string) string {
	written, real := l.quote(q.old), l.view(actual)
	if written.text != real.text || q.old == "" {
		return tidy(q.new)
	}
	indents := indentMap(q.old, actual)
	var b strings.Builder
	last := 0
	for _, e := range tokenEdits(splitWords(q.old), splitWords(q.new)) {
		start, end := carryOver(written, real, q.old, e.start, e.end)
		if start < last || end < start {
			return tidy(q.new)
		}
		b.WriteString(actual[last:start])
		b.WriteString(reindent(tidy(e.text), e.start == 0 || q.old[e.start-1] == '\n', indents))
		last = end
	}
	return b.String() + actual[last:]
}

// carryOver maps a range of the written block to the real one. A boundary next
// to something visible stays next to it.
func carryOver(written, real *folded, old string, start, end int) (from, to int) {
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

// index gives the folded position of an original one, and whether what stands
// there was kept.
func (f *folded) index(base int) (at int, kept bool) {
	k := sort.Search(len(f.runs), func(k int) bool { return int(f.runs[k].base) > base })
	if k == 0 {
		return 0, false
	}
	r, next := f.runs[k-1], len(f.text)
	if k < len(f.runs) {
		next = int(f.runs[k].at)
	}
	if r.width > 0 {
		if base < int(r.base+r.width) {
			return int(r.at), true
		}
		return next, false
	}
	if at = int(r.at) + base - int(r.base); at < next {
		return at, true
	}
	return next, false
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
