package delta

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner/internal/lazy"

	"github.com/go-json-experiment/json/jsontext"
)

// otherUnicode is how other languages write a character by its number: \u{3b2},
// \U000003b2, \xe9.
var otherUnicode = lazy.NewPattern(`^\\(?:u\{([0-9a-fA-F]{1,6})\}|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2}))`)

// quote gives the quotes around the text that starts here, "" if none does. A
// letter before them is Python's.
func (r *looseReader) quote() (open, closing string) {
	rest := r.text[r.off:]
	if prefixed(rest) {
		return rest[:2], rest[1:2]
	}
	for _, q := range [...][2]string{
		{`"""`, `"""`},
		{`"`, `"`},
		{`'''`, `'''`},
		{`'`, `'`},
		{"“", "”"},
		{"„", "“"},
		{"”", "”"},
		{"‘", "’"},
		{"«", "»"},
		{"`", "`"},
		{"&quot;", "&quot;"},
		{"&#34;", "&#34;"},
		{"&#x22;", "&#x22;"},
		{`\"`, `\"`},
	} {
		if strings.HasPrefix(rest, q[0]) && (q[0] != `"""` || len(rest) > 3 && strings.IndexByte(",}]: \n", rest[3]) < 0 || strings.HasPrefix(rest, "\"\"\"\n")) {
			return q[0], q[1]
		}
	}
	return "", ""
}

// prefixed says whether a text starts with a letter and a quote, as in u"…".
func prefixed(s string) bool {
	return len(s) > 1 && strings.IndexByte("uUbBrRfF", s[0]) >= 0 && (s[1] == '"' || s[1] == '\'')
}

// str reads a text in quotes, and what is joined to it by a plus sign.
func (r *looseReader) str(open, closing string) (loose, bool) {
	r.off += len(open)
	switch open {
	case `"`:
	case `\"`:
		r.slip(slipEscaped)
	case "&quot;", "&#34;", "&#x22;":
		r.slip(slipEntities)
	default:
		r.slip(slipQuotes)
	}
	var b strings.Builder
	for {
		if r.off >= len(r.text) || *r.steps <= 0 {
			return loose{}, false
		}
		*r.steps--
		if rest := r.text[r.off:]; strings.HasPrefix(rest, closing) {
			after := rest[len(closing):]
			if n := r.remark(after); n > 0 || r.closes(after, closing) || strings.HasSuffix(b.String(), ":") && opensText(after) {
				r.off += len(closing) + n
				break
			}
			r.slip(slipInner)
			b.WriteString(closing)
			r.off += len(closing)
			continue
		}
		r.char(&b, open)
	}
	v := loose{kind: '"', text: b.String()}
	mark := r.off
	if r.peek() == '+' {
		r.off++
		r.space()
		if open, closing := r.quote(); open != "" {
			next, ok := r.str(open, closing)
			r.slip(slipJoin)
			v.text += next.text
			return v, ok
		}
		return v, false
	}
	r.off = mark
	return v, true
}

// closes says whether a quote ends its text: what follows is what can follow a
// text. Otherwise it stands inside.
func (r *looseReader) closes(after, closing string) bool {
	if len(closing) > 2 && closing[0] != '&' { // """ and curly quotes
		return true
	}
	ahead := strings.TrimLeftFunc(after[:min(len(after), 200)], func(c rune) bool { return unicode.IsSpace(c) || c == '*' })
	if strings.HasPrefix(ahead, "：") || r.tuples > 0 && strings.HasPrefix(ahead, ")") {
		return true
	}
	if wide, ok := strings.CutPrefix(ahead, "，"); ok {
		return r.separates(wide)
	}
	if ahead == "" || strings.IndexByte(",}]:;+/#", ahead[0]) >= 0 || strings.HasPrefix(ahead, "<!--") {
		// A quoted word before a comma may still stand inside: look for a name or
		// the end after it.
		return !strings.HasPrefix(ahead, ",") || r.separates(ahead[1:])
	}
	if value, ok := strings.CutPrefix(ahead, "=>"); ok {
		return r.separates(value)
	}
	if value, ok := strings.CutPrefix(ahead, "="); ok {
		value = strings.TrimLeft(value, " ")
		return value != "" && strings.IndexByte("\"'{[", value[0]) >= 0
	}
	return startsMember(ahead)
}

// remarks are what agents and their tools put after a text, outside of its
// quotes: marks of citations, words in brackets or behind a dash or an arrow.
var remarks = lazy.NewPattern(`^\s*(?:【[^】"]{1,80}】|\[\^?[\w ]{1,12}\]|:contentReference\[[^\]"]{1,40}\]\{[^}"]{0,40}\}|\([^()"]{1,80}\)|(?:--|<-|←|—)[^",}\]\n]{1,80})\s*`)

// remark gives the length of a remark that stands between a text and what can
// follow it, 0 if there is none.
func (r *looseReader) remark(after string) int {
	if ahead := strings.TrimLeft(after, " "); r.tuples > 0 || ahead == "" || strings.IndexByte("[(-<:", ahead[0]) < 0 && ahead[0] < utf8.RuneSelf {
		return 0
	}
	n := len(remarks.FindString(after[:min(len(after), 200)]))
	rest := after[n:]
	if n == 0 || rest == "" || strings.IndexByte(",}]", rest[0]) < 0 || rest[0] == ',' && !r.separates(rest[1:]) {
		return 0
	}
	r.slip(slipRemark)
	return n
}

// opensText says whether a text in quotes follows: what is before it was a name,
// the colon inside its quotes.
func opensText(after string) bool {
	ahead := strings.TrimLeft(after, " ")
	return ahead != after && strings.HasPrefix(ahead, `"`)
}

// separates says whether a comma separates members: a quote, a bracket, a
// value or an unquoted name follows.
func (r *looseReader) separates(after string) bool {
	ahead := strings.TrimLeftFunc(after, unicode.IsSpace)
	if ahead == "" {
		return true
	}
	c, _ := utf8.DecodeRuneInString(ahead)
	if strings.ContainsRune("\"'“„‘«`{[}],-/#<\\&", c) || unicode.IsDigit(c) || prefixed(ahead) || r.tuples > 0 && c == ')' {
		return true
	}
	for _, word := range []string{"true", "false", "null", "None", "True", "False"} {
		if strings.HasPrefix(ahead, word) {
			return true
		}
	}
	return startsMember(ahead) || ellipsisMember.MatchString(ahead) || r.call && argument.MatchString(ahead)
}

// argument is a name and an equals sign; ellipsisMember stands for members.
var (
	argument       = lazy.NewPattern(`^[A-Za-z_]\w{0,40} *=`)
	ellipsisMember = lazy.NewPattern(`^(?:\.\.\.|…)\w*\s*[,}]`)
)

// startsMember says whether a text starts with a name and a colon.
func startsMember(text string) bool {
	text = strings.TrimLeft(text, "\"'*")
	n := 0
	for n < len(text) && (letter(text[n]) || digit(text[n]) || text[n] == '_') {
		n++
	}
	rest := strings.TrimLeft(text[n:], "\"'* \t")
	return n > 0 && n < 40 && (strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "=>"))
}

// char reads one character of a text.
func (r *looseReader) char(b *strings.Builder, open string) {
	rest := r.text[r.off:]
	c, n := utf8.DecodeRuneInString(rest)
	switch {
	case c == '\\' && len(rest) > 1:
		r.escape(b, rest, open)
		return
	case c == '\r' && strings.HasPrefix(rest, "\r\n"):
		n = 2
		fallthrough
	case c == '\n':
		r.slip(slipNewline)
		b.WriteByte('\n')
	case c == '\t':
		r.slip(slipNewline)
		b.WriteByte('\t')
	case c < ' ':
		r.slip(slipControl)
	case open[0] == '&' && c == '&':
		for entity, char := range map[string]string{"&amp;": "&", "&lt;": "<", "&gt;": ">", "&#39;": "'"} { // order-free: one at most fits
			if strings.HasPrefix(rest, entity) {
				b.WriteString(char)
				r.off += len(entity)
				return
			}
		}
		b.WriteByte('&')
	default:
		b.WriteRune(c)
	}
	r.off += n
}

// escape reads what follows a backslash. Whatever is no escape, or is the start
// of a TeX command, is a backslash that was meant.
func (r *looseReader) escape(b *strings.Builder, rest, open string) {
	if open == `\"` && strings.HasPrefix(rest, `\\`) { // escaped twice
		rest = rest[1:]
		r.off++
		if strings.HasPrefix(rest[1:], `\"`) || strings.HasPrefix(rest[1:], `\\`) {
			rest = rest[1:]
			r.off++
		}
	}
	n := 2
	switch c := rest[1]; c {
	case '"', '\\', '/':
		b.WriteByte(c)
	case 'b', 'f', 'n', 'r', 't':
		char := map[byte]rune{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}[c]
		if texCommand(b.String(), c, rest[2:]) != "" {
			r.slip(slipEscape)
			b.WriteByte('\\')
			n = 1
			break
		}
		b.WriteRune(char)
	case 'u', 'U', 'x':
		n = r.unicode(b, rest)
	case '\'', '`', '$', '_', '*', '[', ']', '(', ')', '{', '}', '<', '>', '&', '-', '.', '!', '#', '~', '|', '+', '=':
		// An escape of another language: of Python, of Markdown.
		r.slip(slipEscape)
		if c != '\'' && c != '_' && c != '*' && c != '`' {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	case '\n':
		r.slip(slipNewline) // a line that goes on
	default:
		r.slip(slipEscape)
		b.WriteByte('\\')
		n = 1
	}
	r.off += n
}

// unicode reads \u and four digits, a pair of them for a character beyond the
// first plane. Half a pair is no character, and is refused as one that was lost.
func (r *looseReader) unicode(b *strings.Builder, rest string) int {
	if char := otherUnicode.FindStringSubmatch(rest); char != nil {
		if code, err := strconv.ParseUint(char[1]+char[2]+char[3], 16, 32); err == nil && utf8.ValidRune(rune(code)) {
			r.slip(slipUnicode)
			b.WriteRune(rune(code))
			return len(char[0])
		}
	}
	if rest[1] != 'u' || len(rest) < 6 || strings.Trim(rest[2:6], "0123456789abcdefABCDEF") != "" {
		r.slip(slipEscape)
		b.WriteByte('\\')
		return 1
	}
	if len(rest) >= 12 && rest[6:8] == `\u` {
		if text, err := jsontext.AppendUnquote(nil, `"`+rest[:12]+`"`); err == nil {
			b.Write(text)
			return 12
		}
	}
	text, err := jsontext.AppendUnquote(nil, `"`+rest[:6]+`"`)
	if err != nil { // half a pair
		text = []byte(string(utf8.RuneError))
	}
	b.Write(text)
	return 6
}
