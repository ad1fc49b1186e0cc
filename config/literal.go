package config

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
)

// literal reads the file as TypeScript that is nothing but data:
//
//	file   = { import } [ "const" name [ ":" type ] "=" value ";" ] "export" "default" ( value | name ) ";"
//	import = "import" "type" ( name | "*" "as" name | "{" name { "," … } "}" ) "from" string ";"
//	value  = ( object | list | string | number | "true" | "false" | "null" ) { ( "as" | "satisfies" ) type }
//	object = "{" [ ( name | string ) ":" value { "," … } [ "," ] ] "}"
//	type   = name { "." name } [ "<" type { "," type } ">" ] { "[]" }
//
// with comments, semicolons optional, strings in single, double or back quotes
// without interpolation, and numbers as in JSON. Types are skipped. Nothing is
// ever executed; anything else is refused where it stands.
func (in source) literal() (document, error) {
	l := &literalReader{source: in, track: tracker{text: in.text}}
	err := l.file()
	return l.doc, err
}

// literalReader walks the text once, from off, and writes the value as JSON.
type literalReader struct {
	source
	track tracker
	off   int
	doc   document
}

// hintLiteral goes with every refusal of something that is not data.
const hintLiteral = "only a plain `export default { … }` is read; nothing is executed"

func (l *literalReader) file() error {
	if err := l.imports(); err != nil {
		return err
	}
	var name string
	if l.take("const") {
		var err error
		if name, err = l.constant(); err != nil {
			return err
		}
	}
	if !l.take("export") || !l.take("default") {
		return l.unexpected("`export default`")
	}
	if err := l.exported(name); err != nil {
		return err
	}
	return l.end()
}

// imports skips imports of types, which stand for no value. Any other import is
// left to be refused.
func (l *literalReader) imports() error {
	for {
		start := l.off
		if !l.take("import") || !l.take("type") {
			l.off = start
			return nil
		}
		for !l.take("from") {
			word, err := l.word()
			if err != nil {
				return err
			}
			if word == "" && !l.skip('{') && !l.skip('}') && !l.skip(',') && !l.skip('*') {
				return l.unexpected("the names of types")
			}
		}
		if err := l.space(); err != nil {
			return err
		}
		if c := l.peek(); c != '"' && c != '\'' {
			return l.unexpected("where the types are from")
		}
		if _, err := l.str(); err != nil {
			return err
		}
		if err := l.semicolons(); err != nil {
			return err
		}
	}
}

// constant reads what follows "const", and gives its name.
func (l *literalReader) constant() (string, error) {
	name, err := l.word()
	if err != nil || name == "" {
		return "", l.unexpected("a name")
	}
	if l.skip(':') {
		if err := l.typ(0); err != nil {
			return "", err
		}
	}
	if !l.skip('=') {
		return "", l.unexpected("`=`")
	}
	if err := l.value(0); err != nil {
		return "", err
	}
	return name, l.semicolons()
}

// exported reads what follows "export default": the constant, whose value was
// read, or a value. A constant that is not exported stands for nothing.
func (l *literalReader) exported(name string) error {
	if name != "" && l.take(name) {
		return l.types()
	}
	l.doc = document{}
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
func (l *literalReader) value(depth int) error {
	if err := l.space(); err != nil {
		return err
	}
	at := l.track.at(l.off)
	if depth >= brenner.MaxJSONDepth {
		return l.tooDeep(at)
	}
	l.doc.places = append(l.doc.places, at)
	var err error
	switch c := l.peek(); {
	case c == '{':
		err = l.members(depth)
	case c == '[':
		err = l.elements(depth)
	case c == '"' || c == '\'' || c == '`':
		err = l.quoted()
	case c == '-' || c >= '0' && c <= '9':
		err = l.number()
	default:
		err = l.keyword()
	}
	if err != nil {
		return err
	}
	return l.types()
}

func (l *literalReader) quoted() error {
	s, err := l.str()
	l.doc.json = appendQuoted(l.doc.json, s)
	return err
}

// keyword reads true, false or null.
func (l *literalReader) keyword() error {
	word, size := l.ident()
	if word != "true" && word != "false" && word != "null" {
		return l.unexpected("a value")
	}
	l.doc.json = append(l.doc.json, word...)
	l.off += size
	return nil
}

func (l *literalReader) members(depth int) error {
	return l.each('{', '}', func() error {
		l.doc.places = append(l.doc.places, l.track.at(l.off))
		key, err := l.key()
		if err != nil {
			return err
		}
		if !l.skip(':') {
			return l.unexpected("`:` after the key " + key)
		}
		l.doc.json = append(appendQuoted(l.doc.json, key), ':')
		return l.value(depth + 1)
	})
}

func (l *literalReader) elements(depth int) error {
	return l.each('[', ']', func() error { return l.value(depth + 1) })
}

// each reads what stands between brackets, separated by commas.
func (l *literalReader) each(open, end byte, one func() error) error {
	l.off++
	l.doc.json = append(l.doc.json, open)
	for first := true; ; first = false {
		if err := l.space(); err != nil {
			return err
		}
		if l.skip(end) {
			l.doc.json = append(l.doc.json, end)
			return nil
		}
		if !first {
			l.doc.json = append(l.doc.json, ',')
		}
		if err := one(); err != nil {
			return err
		}
		if !l.skip(',') && l.peek() != end {
			return l.unexpected("`,` or `" + string(end) + "`")
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
		return "`" + brenner.Clip(word, 60) + "`"
	}
	if bytes.HasPrefix(l.text[l.off:], []byte("...")) {
		return "`...`"
	}
	r, _ := utf8.DecodeRune(l.text[l.off:])
	return "`" + string(r) + "`"
}

// appendQuoted cannot fail: every reader gives valid UTF-8.
func appendQuoted(b []byte, s string) []byte {
	b, err := jsontext.AppendQuote(b, s)
	if err != nil {
		panic(err)
	}
	return b
}
