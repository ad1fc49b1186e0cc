package anchor

import (
	"html"
	"net/url"
	"strconv"
	"strings"

	"brenner/internal/lazy"
)

// quotation is what one operation quotes and what it puts in place.
type quotation struct {
	anchor, old, new string
}

func (q quotation) whole() string { return q.anchor + q.old }

// reading undoes a mistake of writing that is made line by line or string by
// string, whatever the text says: one level of escapes too many, line numbers,
// a fence.
type reading struct {
	cause         Cause
	message, hint string
	// fn undoes the mistake; it leaves alone what does not show it.
	fn func(string) string
	// shows says that a string was written with the mistake beyond doubt. Of a
	// new block that fn changes but that does not show the mistake nobody can
	// tell how it was meant.
	shows func(string) bool
}

// readings, the most specific first.
var readings = []reading{
	{CauseLineNumbers, "its lines carry line numbers", "quote the text without line numbers", numbersOff(false), allNumbered},
	{CauseLineNumbers, "its lines carry line numbers", "quote the text without line numbers", numbersOff(true), allNumbered},
	{CauseFence, "it carries the fence of a code block", "send what stands inside the fence", fenceOff, fenced},
	{CauseMarkers, "its lines carry the marks of a diff", "send the lines without + and - in front", marksOff, allMarked},
	{CauseInvisible, "it carries the colours of a terminal", "send the text without escape sequences", coloursOff, coloured},
	{CauseMarkers, "its lines carry the marks of a quotation", "send the lines without > in front", quoteOff, allQuoted},
	{CauseEscapeLevel, "it is escaped once more than the text", "escape for JSON once, not twice", unescape, escaped1},
	{CauseEscapeLevel, "it has \\n written out where the text has a real newline", "escape for JSON once, not twice", unescapeBreaks, escaped1},
	{CauseEscapeLevel, "it is escaped once less than the text", "keep the backslashes the text has", escape, never},
	{CauseEscapeLevel, "it has a real newline where the text has \\n written out", "keep the backslashes the text has", spellNewlines, never},
	{CauseEscapeLevel, "it is escaped for HTML and the text is not", "send plain text", html.UnescapeString, entitiesOnly},
	{CauseEscapeLevel, "it is escaped for HTML twice", "send plain text", unescapeTwice, entitiesOnly},
	{CauseEscapeLevel, "it is escaped for Markdown and the text is not", "send plain text", unescapeMarkdown, markdownOnly},
	{CauseEscapeLevel, "its quotation marks are doubled", "write each mark once", halveQuotes, quotesDoubled},
	{CauseEscapeLevel, "the text is escaped for HTML and it is not", "keep the entities the text has", html.EscapeString, never},
	{CauseEscapeLevel, "it is escaped as in an address and the text is not", "send plain text", unescapeURL, hasPercent},
	{CauseEscapeLevel, "it stands in quotation marks of its own", "send the text without the marks around it", unwrap, wrapped},
}

func never(string) bool { return false }

// apply reads anchor and old block anew: both, or one of them. It gives the
// quotations that differ from what was written.
func (rd reading) apply(q quotation) []quotation {
	var out []quotation
	if rd.cause == CauseMarkers && !rd.shows(q.anchor) && !rd.shows(q.old) && !rd.shows(q.new) {
		return nil // a space in front may be an indentation
	}
	both := quotation{rd.fn(q.anchor), rd.fn(q.old), q.new}
	for _, r := range []quotation{both, {q.anchor, both.old, q.new}, {both.anchor, q.old, q.new}} {
		if r.whole() == q.whole() && r.old == q.old || strings.TrimSpace(r.whole()) == "" {
			continue
		}
		if len(out) == 0 || out[len(out)-1] != r {
			out = append(out, r)
		}
	}
	return out
}

// block reads a new block anew; sure is false where it may have been meant as
// it stands.
func (rd reading) block(s string) (out string, sure bool) {
	out = rd.fn(s)
	return out, out == s || rd.shows(s)
}

var escapes = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`, `"`, `\"`)

func escape(s string) string { return escapes.Replace(s) }

func spellNewlines(s string) string { return strings.ReplaceAll(s, "\n", `\n`) }

var escapePattern = lazy.NewPattern(`\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[ntr"'\\/])`)

// unescape undoes one level of the escapes of JSON strings and their relatives,
// and leaves alone what is none.
func unescape(s string) string {
	out := escapePattern.ReplaceAllStringFunc(s, func(e string) string {
		switch e[1] {
		case 'n':
			return "\n"
		case 't':
			return "\t"
		case 'r':
			return "\r"
		case 'u', 'x':
			n, _ := strconv.ParseUint(e[2:], 16, 32)
			return string(rune(n))
		}
		return e[1:]
	})
	return unifyNewlines(strings.ToValidUTF8(out, "\uFFFD"))
}

var breakPattern = lazy.NewPattern(`\\(?:r\\n|[ntr])`)

// unescapeBreaks undoes the escapes of line breaks and tabs alone.
func unescapeBreaks(s string) string {
	return breakPattern.ReplaceAllStringFunc(s, func(e string) string {
		if e == `\t` {
			return "\t"
		}
		return "\n"
	})
}

// escaped1 says that a string has escapes and nothing that they would stand
// for.
func escaped1(s string) bool {
	return !strings.ContainsAny(s, "\n\t") && escapePattern.MatchString(s)
}

var entityPattern = lazy.NewPattern(`&(?:[a-zA-Z]{2,8}|#[0-9]{2,5}|#x[0-9a-fA-F]{2,5});`)

// entitiesOnly says that whatever HTML would escape is escaped.
func entitiesOnly(s string) bool {
	rest := entityPattern.ReplaceAllString(s, "")
	return rest != s && !strings.ContainsAny(rest, "<>&")
}

func unescapeTwice(s string) string { return html.UnescapeString(html.UnescapeString(s)) }

// Markdown has an escape for each of its signs; people's tools write these.
var (
	markdownEscape = lazy.NewPattern("\\\\([_*`~#\\[\\]<>])")
	markdownSign   = lazy.NewPattern("[_*`~#\\[\\]<>]")
)

func unescapeMarkdown(s string) string { return markdownEscape.ReplaceAllString(s, "$1") }

// markdownOnly says that every sign of a kind that is escaped somewhere is
// escaped everywhere.
func markdownOnly(s string) bool {
	escaped := map[string]bool{}
	for _, m := range markdownEscape.FindAllStringSubmatch(s, -1) {
		escaped[m[1]] = true
	}
	for _, bare := range markdownSign.FindAllString(markdownEscape.ReplaceAllString(s, ""), -1) {
		if escaped[bare] {
			return false
		}
	}
	return len(escaped) > 0
}

func halveQuotes(s string) string { return strings.ReplaceAll(s, "''", "'") }

// quotesDoubled says that a string has no mark that is not doubled.
func quotesDoubled(s string) bool {
	return strings.Contains(s, "''") && !strings.Contains(strings.ReplaceAll(s, "''", ""), "'")
}

// colours are the sequences that terminals act on: colours, and the frames of
// links and titles.
var colours = lazy.NewPattern("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\^_])")

func coloursOff(s string) string { return colours.ReplaceAllString(s, "") }

func coloured(s string) bool { return colours.MatchString(s) }

func unescapeURL(s string) string {
	if out, err := url.PathUnescape(s); err == nil {
		return unifyNewlines(strings.ToValidUTF8(out, "\uFFFD"))
	}
	return s
}

var percentPattern = lazy.NewPattern(`%(?:20|0[AaDd]|22|2[0-9A-Fa-f]|3[A-Fa-f])`)

func hasPercent(s string) bool {
	return percentPattern.MatchString(s) && !strings.ContainsAny(s, " \n")
}

// unwrap takes off one pair of quotation marks or backticks around a string.
func unwrap(s string) string {
	if !wrapped(s) {
		return s
	}
	return s[1 : len(s)-1]
}

func wrapped(s string) bool {
	if len(s) < 3 || s[0] != s[len(s)-1] || !strings.ContainsRune("\"'`", rune(s[0])) {
		return false
	}
	return strings.Count(s, s[:1]) == 2
}

// numberPattern is a line number as tools and people write them before a line:
// with a sign behind it, with zeros in front, or behind the path of the file.
var numberPattern = lazy.NewPattern(`(?m)^[ \t]*(?:(?:[\w.-]*/)?[\w.-]*\.\w+:\d{1,7}[:-]|(?:[Ll](?:ine[ ])?)?[\[(#]?\d{1,7}(?:[\])]?[ \t]*[:|│┃→⇥>]|[\])]|\t|\.)|0\d{1,6}[ ])[ ]?`)

var digits = lazy.NewPattern(`\d+`)

// numbersOff takes line numbers off, with or without one space behind them.
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

// allNumbered says that every line with anything on it carries a number, each
// greater than the one before.
func allNumbered(s string) bool {
	last := -1
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		m := numberPattern.FindString(line)
		if m == "" {
			return false
		}
		all := digits.FindAllString(m, -1)
		n, _ := strconv.Atoi(all[len(all)-1])
		if n <= last {
			return false
		}
		last = n
	}
	return last >= 0
}

var (
	fenceOpen  = lazy.NewPattern("^[ \t]*(?:```+|~~~+)[^\n`]*\n")
	fenceClose = lazy.NewPattern("(?:^|\n)[ \t]*(?:```+|~~~+)[ \t]*\n?$")
)

// fenceOff takes the first and last line off a block if they are a fence. What
// stood before the closing one ends in a newline.
func fenceOff(s string) string {
	s = fenceOpen.ReplaceAllString(s, "")
	return fenceClose.ReplaceAllStringFunc(s, func(f string) string {
		if f[0] == '\n' {
			return "\n"
		}
		return ""
	})
}

func fenced(s string) bool { return fenceOpen.MatchString(s) || fenceClose.MatchString(s) }

// diffHeader is what a diff has above its marks.
var diffHeader = lazy.NewPattern(`^(?:(?:diff --git |index |--- |\+\+\+ |@@ )[^\n]*\n)+`)

// marksOff takes the marks of a diff off, if every line carries one: a plus, a
// minus or a space.
func marksOff(s string) string {
	if h := diffHeader.FindString(s); strings.Contains(h, "@@") {
		s = s[len(h):]
	}
	if !marked(s, "+- ") {
		return s
	}
	return eachLine(s, func(line string) string {
		if strings.TrimSpace(line) == "" {
			return strings.TrimPrefix(line, " ")
		}
		return line[1:]
	})
}

func allMarked(s string) bool {
	if h := diffHeader.FindString(s); strings.Contains(h, "@@") {
		s = s[len(h):]
	}
	return marked(s, "+- ") && strings.ContainsAny(firsts(s), "+-")
}

func quoteOff(s string) string {
	if !allQuoted(s) {
		return s
	}
	return eachLine(s, func(line string) string { return strings.TrimPrefix(strings.TrimPrefix(line, ">"), " ") })
}

func allQuoted(s string) bool { return marked(s, ">") }

// marked says that every line with anything on it begins with one of the marks.
func marked(s, marks string) bool {
	f := firsts(s)
	return f != "" && strings.Trim(f, marks) == ""
}

// firsts gives the first characters of the lines that have any.
func firsts(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) != "" {
			b.WriteByte(line[0])
		}
	}
	return b.String()
}

// eachLine maps every line, its newline included.
func eachLine(s string, fn func(string) string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(fn(line))
	}
	return b.String()
}
