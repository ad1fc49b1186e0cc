package config

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"brenner"
)

// literal reads the file as TypeScript that is nothing but data:
//
//	file   = [ "const" name [ ":" type ] "=" value ";" ] "export" "default" ( value | name ) ";"
//	value  = ( object | list | string | number | "true" | "false" | "null" ) { ( "as" | "satisfies" ) type }
//	object = "{" [ ( name | string ) ":" value { "," … } [ "," ] ] "}"
//	type   = name { "." name } [ "<" type { "," type } ">" ] { "[]" }
//
// with comments, semicolons optional, strings in single, double or back quotes
// without interpolation, and numbers as in JSON. Types are skipped. Nothing is
// ever executed; anything else is refused where it stands.
func (in source) literal() (node, error) {
	l := &literalReader{source: in, track: tracker{text: in.text}}
	return l.file()
}

// literalReader walks the text once, from off.
type literalReader struct {
	source
	track tracker
	off   int
}

// hintLiteral goes with every refusal of something that is not data.
const hintLiteral = "only a plain `export default { … }` is read; nothing is executed"

func (l *literalReader) file() (node, error) {
	var name string
	var value node
	if l.take("const") {
		var err error
		if name, value, err = l.constant(); err != nil {
			return node{}, err
		}
	}
	if !l.take("export") || !l.take("default") {
		return node{}, l.unexpected("`export default`")
	}
	n, err := l.exported(name, value)
	if err != nil {
		return node{}, err
	}
	return n, l.end()
}

// constant reads what follows "const".
func (l *literalReader) constant() (string, node, error) {
	name, err := l.word()
	if err != nil || name == "" {
		return "", node{}, l.unexpected("a name")
	}
	if l.skip(':') {
		if err := l.typ(0); err != nil {
			return "", node{}, err
		}
	}
	if !l.skip('=') {
		return "", node{}, l.unexpected("`=`")
	}
	value, err := l.value(0)
	if err != nil {
		return "", node{}, err
	}
	return name, value, l.semicolons()
}

// exported reads what follows "export default": a value, or the constant.
func (l *literalReader) exported(name string, value node) (node, error) {
	if name != "" && l.take(name) {
		return value, l.types()
	}
	return l.value(0)
}

// end reads optional semicolons up to the end of the file.
func (l *literalReader) end() error {
	if err := l.semicolons(); err != nil {
		return err
	}
	if l.off < len(l.text) {
		return l.unexpected("the end of the file")
	}
	return nil
}

func (l *literalReader) semicolons() error {
	for l.skip(';') {
	}
	return l.space()
}

// value reads one value and the types after it.
func (l *literalReader) value(depth int) (node, error) {
	if err := l.space(); err != nil {
		return node{}, err
	}
	n := node{at: l.track.at(l.off)}
	if depth >= brenner.MaxJSONDepth {
		return node{}, l.tooDeep(n.at)
	}
	var err error
	switch c := l.peek(); {
	case c == '{':
		n.kind = object
		n.fields, err = l.members(depth)
	case c == '[':
		n.kind = array
		n.items, err = l.elements(depth)
	case c == '"' || c == '\'' || c == '`':
		n.kind = text
		n.text, err = l.str()
	case c == '-' || c >= '0' && c <= '9':
		n.kind = number
		n.text, err = l.number()
	default:
		err = l.keyword(&n)
	}
	if err != nil {
		return node{}, err
	}
	return n, l.types()
}

// keyword reads true, false or null.
func (l *literalReader) keyword(n *node) error {
	word, size := l.ident()
	switch word {
	case "true", "false":
		n.kind, n.truth = boolean, word == "true"
	case "null":
		n.kind = null
	default:
		return l.unexpected("a value")
	}
	l.off += size
	return nil
}

func (l *literalReader) members(depth int) ([]field, error) {
	l.off++
	var fields []field
	for {
		if err := l.space(); err != nil {
			return nil, err
		}
		if l.skip('}') {
			return fields, nil
		}
		f := field{at: l.track.at(l.off)}
		var err error
		if f.key, err = l.key(); err != nil {
			return nil, err
		}
		if !l.skip(':') {
			return nil, l.unexpected("`:` after the key " + f.key)
		}
		if f.value, err = l.value(depth + 1); err != nil {
			return nil, err
		}
		fields = append(fields, f)
		if !l.skip(',') && l.peek() != '}' {
			return nil, l.unexpected("`,` or `}`")
		}
	}
}

func (l *literalReader) elements(depth int) ([]node, error) {
	l.off++
	var items []node
	for {
		if err := l.space(); err != nil {
			return nil, err
		}
		if l.skip(']') {
			return items, nil
		}
		item, err := l.value(depth + 1)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		if !l.skip(',') && l.peek() != ']' {
			return nil, l.unexpected("`,` or `]`")
		}
	}
}

// key reads the name of a member, quoted or not.
func (l *literalReader) key() (string, error) {
	if c := l.peek(); c == '"' || c == '\'' {
		return l.str()
	}
	word, n := l.ident()
	if word == "" {
		return "", l.unexpected("a key")
	}
	l.off += n
	return word, nil
}

// types skips any number of `as T` and `satisfies T`.
func (l *literalReader) types() error {
	for l.take("as") || l.take("satisfies") {
		if err := l.typ(0); err != nil {
			return err
		}
	}
	return l.space()
}

// typ skips a type.
func (l *literalReader) typ(depth int) error {
	if depth >= brenner.MaxJSONDepth {
		return l.tooDeep(l.track.at(l.off))
	}
	for {
		word, err := l.word()
		if err != nil {
			return err
		}
		if word == "" {
			return l.unexpected("the name of a type")
		}
		if !l.skip('.') {
			break
		}
	}
	if l.skip('<') {
		for {
			if err := l.typ(depth + 1); err != nil {
				return err
			}
			if !l.skip(',') {
				break
			}
		}
		if !l.skip('>') {
			return l.unexpected("`>`")
		}
	}
	for l.skip('[') {
		if !l.skip(']') {
			return l.unexpected("`]`")
		}
	}
	return nil
}

// word skips space and takes the identifier there, "" if there is none.
func (l *literalReader) word() (string, error) {
	if err := l.space(); err != nil {
		return "", err
	}
	word, n := l.ident()
	l.off += n
	return word, nil
}

// take takes that identifier, after space, if it is there. Like skip it leaves
// a comment that does not end to the next reading.
func (l *literalReader) take(want string) bool {
	if l.space() != nil {
		return false
	}
	word, n := l.ident()
	if word != want {
		return false
	}
	l.off += n
	return true
}

// ident looks at the identifier at the current place.
func (l *literalReader) ident() (string, int) {
	n := 0
	for l.off+n < len(l.text) {
		r, size := utf8.DecodeRune(l.text[l.off+n:])
		if r != '$' && r != '_' && !unicode.IsLetter(r) && (n == 0 || !unicode.IsDigit(r)) {
			break
		}
		n += size
	}
	return string(l.text[l.off : l.off+n]), n
}

// peek is the byte at the current place, 0 at the end.
func (l *literalReader) peek() byte {
	if l.off >= len(l.text) {
		return 0
	}
	return l.text[l.off]
}

// skip takes one byte, after space, if it is there. A comment that does not end
// is left for the next reading to refuse.
func (l *literalReader) skip(c byte) bool {
	if l.space() != nil || l.peek() != c {
		return false
	}
	l.off++
	return true
}

// space skips white space and comments.
func (l *literalReader) space() error {
	for l.off < len(l.text) {
		rest := l.text[l.off:]
		r, n := utf8.DecodeRune(rest)
		switch {
		case unicode.IsSpace(r) || r == '\ufeff' || newline(r):
			l.off += n
		case bytes.HasPrefix(rest, []byte("//")):
			if n = bytes.IndexFunc(rest, newline); n < 0 {
				n = len(rest)
			}
			l.off += n
		case bytes.HasPrefix(rest, []byte("/*")):
			if n = bytes.Index(rest[2:], []byte("*/")); n < 0 {
				return l.refuse(brenner.CodeInvalidConfig, l.track.at(l.off), "a comment that does not end")
			}
			l.off += n + 4
		default:
			return nil
		}
	}
	return nil
}

// newline reports what ends a line, and hence a comment, in TypeScript.
func newline(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }

// unexpected refuses what stands at the current place.
func (l *literalReader) unexpected(want string) error {
	if err := l.space(); err != nil {
		return err
	}
	at := l.track.at(l.off)
	return l.refuse(brenner.CodeInvalidConfig, at, "%s where %s was expected", l.here(), want).WithHint(hintLiteral)
}

// here names what stands at the current place.
func (l *literalReader) here() string {
	if l.off >= len(l.text) {
		return "the end of the file"
	}
	if word, _ := l.ident(); word != "" {
		return "`" + clip(word) + "`"
	}
	if bytes.HasPrefix(l.text[l.off:], []byte("...")) {
		return "`...`"
	}
	r, _ := utf8.DecodeRune(l.text[l.off:])
	return "`" + string(r) + "`"
}

// clip keeps a word short enough to stand in a message.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return string(bytes.ToValidUTF8([]byte(s[:most]), nil)) + "…"
}
