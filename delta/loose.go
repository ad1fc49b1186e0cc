package delta

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
)

// Agents write JSON as they write code: with single quotes, comments, trailing
// commas, line breaks inside texts. A loose reader understands what strict JSON
// refuses and says where it had to; what it reads is proposed, never applied.

// loose is a value read loosely.
type loose struct {
	kind    jsontext.Kind // '{' '[' '"' '0' 't' 'f' 'n'
	text    string        // of a string; the literal of a number
	members []looseMember
	items   []loose
}

type looseMember struct {
	name  string
	value loose
}

// looseReader reads one value from a text.
type looseReader struct {
	text  string
	off   int
	slips []string // what has to be mended, each once
	steps *int     // how much may still be read; shared by all readers of a reply
}

// slip notes something that strict JSON does not allow.
func (r *looseReader) slip(note string) {
	for _, s := range r.slips {
		if s == note {
			return
		}
	}
	r.slips = append(r.slips, note)
}

// The slips, as advice to the one who made them.
const (
	slipComments  = "take out comments"
	slipTrailing  = "take out trailing commas"
	slipCommas    = "put a comma between members"
	slipQuotes    = `put names and texts in straight double quotes, "…"`
	slipInner     = `write quotes inside a text as \"`
	slipNewline   = `write line breaks inside a text as \n`
	slipEscape    = `write a backslash inside a text as \\`
	slipConstants = "write true, false and null in small letters"
	slipColon     = "put a colon between name and value"
	slipClose     = "close every bracket"
	slipEarly     = "close the object after its last member"
	slipJoin      = "write each text as one"
	slipNumber    = "write numbers as JSON does"
	slipControl   = "take out control characters"
	slipEntities  = "write quotes as they are, not as HTML"
	slipEscaped   = "send the JSON itself, not a text that holds it"
)

// value reads a value; false if there is none that could be meant.
func (r *looseReader) value(depth int) (loose, bool) {
	r.space()
	if r.off >= len(r.text) || depth > brenner.MaxJSONDepth || *r.steps <= 0 {
		return loose{}, false
	}
	switch c := r.text[r.off]; {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '-' || c == '+' || c == '.' && r.off+1 < len(r.text) && digit(r.text[r.off+1]) || digit(c):
		return r.number()
	}
	if open, closing := r.quote(); open != "" {
		return r.str(open, closing)
	}
	return r.word()
}

// space skips white space and comments.
func (r *looseReader) space() {
	for r.off < len(r.text) {
		rest := r.text[r.off:]
		c, n := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsSpace(c) || c == '\uFEFF' || c == '\u200B':
			r.off += n
		case strings.HasPrefix(rest, "//") || c == '#':
			r.skipTo("\n", 0)
		case strings.HasPrefix(rest, "/*"):
			r.skipTo("*/", 2)
		case strings.HasPrefix(rest, "<!--"):
			r.skipTo("-->", 3)
		default:
			return
		}
	}
}

// skipTo skips a comment up to its end.
func (r *looseReader) skipTo(end string, length int) {
	r.slip(slipComments)
	n := strings.Index(r.text[r.off:], end)
	if n < 0 {
		n, length = len(r.text)-r.off, 0
	}
	*r.steps -= n
	r.off += n + length
}

func (r *looseReader) peek() byte {
	if r.space(); r.off < len(r.text) {
		return r.text[r.off]
	}
	return 0
}

func (r *looseReader) object(depth int) (loose, bool) {
	v := loose{kind: '{'}
	r.off++
	for {
		*r.steps--
		switch c := r.peek(); {
		case c == '}':
			if r.off++; depth == 0 && r.goesOn() {
				continue
			}
			return v, true
		case c == 0:
			r.slip(slipClose)
			return v, len(v.members) > 0
		case c == ']' && len(v.members) > 0: // of the array around it
			r.slip(slipClose)
			return v, true
		}
		name, ok := r.name()
		if !ok || !r.colon() {
			return v, false
		}
		value, ok := r.value(depth + 1)
		if !ok {
			return v, false
		}
		v.members = append(v.members, looseMember{name, value})
		if !r.comma('}') {
			return v, false
		}
	}
}

// goesOn says whether the outermost object was closed too early: another member
// follows.
func (r *looseReader) goesOn() bool {
	mark := r.off
	if r.peek() == ',' {
		if r.off++; startsMember(strings.TrimLeftFunc(r.text[r.off:min(len(r.text), r.off+100)], unicode.IsSpace)) {
			r.slip(slipEarly)
			return true
		}
	}
	r.off = mark
	return false
}

func (r *looseReader) array(depth int) (loose, bool) {
	v := loose{kind: '['}
	r.off++
	for {
		*r.steps--
		switch c := r.peek(); c {
		case ']':
			r.off++
			return v, true
		case 0:
			r.slip(slipClose)
			return v, len(v.items) > 0
		}
		item, ok := r.value(depth + 1)
		if !ok {
			return v, false
		}
		v.items = append(v.items, item)
		if !r.comma(']') {
			return v, false
		}
	}
}

// name reads the name of a member.
func (r *looseReader) name() (string, bool) {
	if open, closing := r.quote(); open != "" {
		v, ok := r.str(open, closing)
		return v.text, ok
	}
	start := r.off
	for r.off < len(r.text) {
		if c := r.text[r.off]; !letter(c) && !digit(c) && c != '_' && c != '-' && c != '.' {
			break
		}
		r.off++
	}
	r.slip(slipQuotes)
	return r.text[start:r.off], r.off > start
}

// colon takes what stands between a name and its value.
func (r *looseReader) colon() bool {
	switch r.peek() {
	case ':':
		r.off++
		return true
	case '=':
		r.off++
		if strings.HasPrefix(r.text[r.off:], ">") {
			r.off++
		}
	default:
		return false
	}
	r.slip(slipColon)
	return true
}

// comma takes what stands between two members, or nothing before the closing
// bracket.
func (r *looseReader) comma(closing byte) bool {
	c := r.peek()
	switch {
	case c == ',':
		r.off++
		if next := r.peek(); next == closing || next == ',' {
			r.slip(slipTrailing)
			for r.peek() == ',' {
				r.off++
			}
		}
		return true
	case c == closing || c == 0 || c == ']':
		return true
	case c == ';':
		r.off++
		r.slip(slipCommas)
		return true
	case c == '}': // of the object around an array
		return false
	}
	r.slip(slipCommas)
	return true
}

// quote gives the quotes around the text that starts here, "" if none does.
func (r *looseReader) quote() (open, closing string) {
	rest := r.text[r.off:]
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
		{`\"`, `\"`},
	} {
		if strings.HasPrefix(rest, q[0]) && (q[0] != `"""` || len(rest) > 3 && strings.IndexByte(",}]: \n", rest[3]) < 0 || strings.HasPrefix(rest, "\"\"\"\n")) {
			return q[0], q[1]
		}
	}
	return "", ""
}

// str reads a text in quotes, and what is joined to it by a plus sign.
func (r *looseReader) str(open, closing string) (loose, bool) {
	r.off += len(open)
	switch open {
	case `"`:
	case `\"`:
		r.slip(slipEscaped)
	case "&quot;":
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
			if r.closes(rest[len(closing):], closing) {
				r.off += len(closing)
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
	if len(closing) > 2 && closing != "&quot;" { // """ and curly quotes
		return true
	}
	ahead := strings.TrimLeftFunc(after[:min(len(after), 200)], unicode.IsSpace)
	if ahead == "" || strings.IndexByte(",}]:;+/#", ahead[0]) >= 0 || strings.HasPrefix(ahead, "=>") || strings.HasPrefix(ahead, "<!--") {
		// A quoted word before a comma may still stand inside: look for a name or
		// the end after it.
		return !strings.HasPrefix(ahead, ",") || r.separates(ahead[1:])
	}
	if value, ok := strings.CutPrefix(ahead, "="); ok {
		value = strings.TrimLeft(value, "> ")
		return value != "" && strings.IndexByte("\"'{[", value[0]) >= 0
	}
	return startsMember(ahead)
}

// separates says whether a comma separates members: a quote, a bracket, a
// value or an unquoted name follows.
func (r *looseReader) separates(after string) bool {
	ahead := strings.TrimLeftFunc(after, unicode.IsSpace)
	if ahead == "" {
		return true
	}
	c, _ := utf8.DecodeRuneInString(ahead)
	if strings.ContainsRune("\"'“„‘«`{[}],-/#<\\&", c) || unicode.IsDigit(c) {
		return true
	}
	for _, word := range []string{"true", "false", "null", "None", "True", "False"} {
		if strings.HasPrefix(ahead, word) {
			return true
		}
	}
	return startsMember(ahead)
}

// startsMember says whether a text starts with a name and a colon.
func startsMember(text string) bool {
	text = strings.TrimLeft(text, "\"'")
	n := 0
	for n < len(text) && (letter(text[n]) || digit(text[n]) || text[n] == '_') {
		n++
	}
	rest := strings.TrimLeft(text[n:], "\"' \t")
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
	case open == "&quot;" && c == '&':
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
	case 'u':
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
// first plane.
func (r *looseReader) unicode(b *strings.Builder, rest string) int {
	for _, n := range []int{12, 6} {
		if len(rest) < n {
			continue
		}
		if text, err := jsontext.AppendUnquote(nil, `"`+rest[:n]+`"`); err == nil && !strings.ContainsRune(string(text), utf8.RuneError) {
			b.Write(text)
			return n
		}
	}
	r.slip(slipEscape)
	b.WriteByte('\\')
	return 1
}

func (r *looseReader) number() (loose, bool) {
	start := r.off
	for r.off < len(r.text) && strings.IndexByte("+-.eE0123456789_", r.text[r.off]) >= 0 {
		r.off++
	}
	literal := r.text[start:r.off]
	if v := jsontext.Value(literal); v.IsValid() {
		return loose{kind: '0', text: literal}, r.endsValue()
	}
	r.slip(slipNumber)
	literal = strings.ReplaceAll(strings.TrimPrefix(literal, "+"), "_", "")
	if strings.HasPrefix(literal, ".") {
		literal = "0" + literal
	}
	literal = strings.TrimSuffix(literal, ".")
	return loose{kind: '0', text: literal}, jsontext.Value(literal).IsValid() && r.endsValue()
}

// endsValue says whether a value ends here, and does not go on as a text.
func (r *looseReader) endsValue() bool {
	mark := r.off
	c := r.peek()
	r.off = mark
	return c == 0 || strings.IndexByte(",}];\n", c) >= 0 || strings.HasPrefix(r.text[mark:], "\n")
}

// word reads a constant, or a word that lacks its quotes.
func (r *looseReader) word() (loose, bool) {
	start := r.off
	for r.off < len(r.text) {
		c := r.text[r.off]
		if !letter(c) && !digit(c) && c != '_' && c != '-' && c != '.' {
			break
		}
		r.off++
	}
	word := r.text[start:r.off]
	if word == "" || !letter(word[0]) || !r.endsValue() {
		return loose{}, false
	}
	switch word {
	case "true", "false", "null":
		return loose{kind: jsontext.Kind(word[0])}, true
	}
	if kind, ok := map[string]byte{"True": 't', "TRUE": 't', "False": 'f', "FALSE": 'f', "None": 'n', "NULL": 'n', "Null": 'n', "nil": 'n', "undefined": 'n'}[word]; ok {
		r.slip(slipConstants)
		return loose{kind: jsontext.Kind(kind)}, true
	}
	r.slip(slipQuotes)
	return loose{kind: '"', text: word}, true
}

// member finds a member of an object.
func (v *loose) member(name string) *loose {
	for i := range v.members {
		if v.members[i].name == name {
			return &v.members[i].value
		}
	}
	return nil
}

// write writes the value as JSON.
func (v *loose) write(b *strings.Builder) {
	switch v.kind {
	case '{':
		b.WriteByte('{')
		for i := range v.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quote(v.members[i].name) + ":")
			v.members[i].value.write(b)
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for i := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			v.items[i].write(b)
		}
		b.WriteByte(']')
	case '"':
		b.WriteString(quote(v.text))
	case '0':
		b.WriteString(v.text)
	case 't':
		b.WriteString("true")
	case 'f':
		b.WriteString("false")
	default:
		b.WriteString("null")
	}
}

func (v *loose) json() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

// flat gives a value as a text: what was meant where a text was wanted.
func (v *loose) flat() string {
	switch v.kind {
	case '"':
		return v.text
	case '{':
		parts := make([]string, 0, len(v.members))
		for i := range v.members {
			parts = append(parts, v.members[i].name+": "+v.members[i].value.flat())
		}
		return strings.Join(parts, "; ")
	case '[':
		parts := make([]string, 0, len(v.items))
		for i := range v.items {
			parts = append(parts, v.items[i].flat())
		}
		return strings.Join(parts, "; ")
	case 'n':
		return ""
	}
	return v.json()
}
