package anchor

import (
	"html"
	"regexp"
	"strconv"
	"strings"

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
