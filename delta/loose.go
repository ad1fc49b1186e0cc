package delta

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/internal/lazy"

	"github.com/go-json-experiment/json/jsontext"
)

// Agents write JSON as they write code: with single quotes, comments, trailing
// commas, line breaks inside texts. A loose reader understands what strict JSON
// refuses and says where it had to; what it reads is proposed, never applied.

// looseReader reads one value from a text.
type looseReader struct {
	text  string
	off   int
	slips []string // what has to be mended, each once
	steps *int     // how much may still be read; shared by all readers of a reply
	// tuples counts the lists in round brackets around the place; call says that
	// the outermost object stands in such, as the arguments of a call do.
	tuples int
	call   bool
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
	slipMarks     = "write colons and commas as ASCII does"
	slipDoubled   = "write each brace once"
	slipTuple     = "write lists in square brackets"
	slipBrackets  = "write brackets as ASCII does, without backslashes"
	slipUnicode   = `write the character itself, or \u and four digits`
	slipRemark    = "take out what stands outside the quotes"
	slipEllipsis  = "leave out what stays as it is, without dots"
	slipMail      = "send the JSON as it is, not quoted-printable"
)

// unwound gives a text without what was put around its characters on their way:
// the colours of a terminal, backslashes before brackets, brackets of full
// width, and the soft line breaks of mail. Inside texts it changes nothing but
// colours and, if the whole is mail, what mail does.
func unwound(text string) (string, []string) {
	var slips []string
	if plain := colours.ReplaceAllString(text, ""); plain != text {
		text, slips = plain, append(slips, slipControl)
	}
	if plain, ok := unmailed(text); ok {
		text, slips = plain, append(slips, slipMail)
	}
	if !strings.ContainsAny(text, "｛｝［］") && !strings.Contains(text, `\{`) {
		return text, slips
	}
	var b strings.Builder
	inside := false
	for i, c := range text {
		escaped := i > 0 && text[i-1] == '\\'
		ascii, wide := brackets[c]
		switch {
		case c == '"' && !(inside && escaped):
			inside = !inside
		case inside:
		case wide:
			c = ascii
		case c == '\\' && i+1 < len(text) && strings.IndexByte("{}[]", text[i+1]) >= 0:
			continue
		}
		b.WriteRune(c)
	}
	if plain := b.String(); plain != text {
		return plain, append(slips, slipBrackets)
	}
	return text, slips
}

// unmailed reads a text that mail has made quoted-printable: lines that go on
// end in an equals sign, and =C2=A7 are bytes.
func unmailed(text string) (string, bool) {
	joined := strings.NewReplacer("=\r\n", "", "=\n", "").Replace(text)
	if joined == text {
		return "", false
	}
	var b strings.Builder
	for head, rest, more := strings.Cut(joined, "="); ; head, rest, more = strings.Cut(rest, "=") {
		b.WriteString(head)
		if !more {
			return b.String(), utf8.ValidString(b.String())
		}
		char, err := strconv.ParseUint(rest[:min(2, len(rest))], 16, 8)
		if err != nil || len(rest) < 2 {
			return "", false
		}
		b.WriteByte(byte(char))
		rest = rest[2:]
	}
}

var (
	ellipsis = lazy.NewPattern(`^(?:\.\.\.|…)\w*`) // and what it stands for: ...before
	colours  = lazy.NewPattern("\x1b\\[[0-9;]*m")
	brackets = map[rune]rune{'｛': '{', '｝': '}', '［': '[', '］': ']'}
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
		return r.array(depth, ']')
	case c == '(':
		r.slip(slipTuple)
		r.tuples++
		v, ok := r.array(depth, ')')
		r.tuples--
		return v, ok
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
		case c == '*': // of a name in bold
			r.slip(slipRemark)
			r.off++
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
		case c == ')' && depth == 0 && r.call:
			r.off++
			return v, true
		case c == 0:
			r.slip(slipClose)
			return v, len(v.members) > 0
		case c == ']' && len(v.members) > 0: // of the array around it
			r.slip(slipClose)
			return v, true
		case c == '{' && len(v.members) == 0 && depth < brenner.MaxJSONDepth:
			return r.doubled(depth)
		}
		if n := len(ellipsis.FindString(r.text[r.off:])); n > 0 {
			r.off += n
			r.slip(slipEllipsis)
			if !r.comma('}') {
				return v, false
			}
			continue
		}
		name, ok := r.name()
		if inner, inside := strings.CutSuffix(name, ":"); inside && ok && r.peek() != ':' {
			name = inner
			r.slip(slipColon)
		} else if !ok || !r.colon() {
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

// doubled reads an object in braces that stand twice, as templates want them.
func (r *looseReader) doubled(depth int) (loose, bool) {
	v, ok := r.object(depth + 1)
	if !ok || r.peek() != '}' {
		return v, false
	}
	r.off++
	r.slip(slipDoubled)
	return v, true
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

func (r *looseReader) array(depth int, closing byte) (loose, bool) {
	v := loose{kind: '['}
	r.off++
	for {
		*r.steps--
		switch c := r.peek(); c {
		case closing:
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
		if !r.comma(closing) {
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
		return r.mark("：")
	}
	r.slip(slipColon)
	return true
}

// mark takes a full-width mark where the narrow one belongs.
func (r *looseReader) mark(wide string) bool {
	if !strings.HasPrefix(r.text[r.off:], wide) {
		return false
	}
	r.off += len(wide)
	r.slip(slipMarks)
	return true
}

// comma takes what stands between two members, or nothing before the closing
// bracket.
func (r *looseReader) comma(closing byte) bool {
	c := r.peek()
	switch {
	case c == ',' || r.mark("，"):
		if c == ',' {
			r.off++
		}
		if next := r.peek(); next == closing || next == ',' {
			r.slip(slipTrailing)
			for r.peek() == ',' {
				r.off++
			}
		}
		return true
	case c == closing || c == 0 || c == ']' || c == ')' && r.call:
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
	return c == 0 || strings.IndexByte(",}];\n", c) >= 0 || r.tuples > 0 && c == ')' || strings.HasPrefix(r.text[mark:], "，") || strings.HasPrefix(r.text[mark:], "\n")
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
