package config

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"brenner"
	"brenner/internal/lazy"
)

var jsonNumber = lazy.NewPattern(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`)

// isNumber reports whether a text is a number as JSON writes it.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && len(jsonNumber.FindString(s)) == len(s)
}

// number reads a number as JSON writes it.
func (l *literalReader) number() error {
	digits := jsonNumber.Regexp().Find(l.text[l.off:])
	_, err := strconv.ParseFloat(string(digits), 64)
	after := literalReader{source: l.source, off: l.off + len(digits)}
	word, _ := after.ident()
	if c := after.peek(); err != nil || word != "" || c == '.' || c >= '0' && c <= '9' {
		return l.refuse(brenner.CodeInvalidConfig, l.track.at(l.off), "not a number a configuration can have").
			WithHint("write it in decimal, as in 12 or 0.8")
	}
	l.off += len(digits)
	l.doc.json = append(l.doc.json, digits...)
	return nil
}

// str reads a string in any of the three quotes.
func (l *literalReader) str() (string, error) {
	quote, start := l.text[l.off], l.off
	l.off++
	var out []byte
	for l.off < len(l.text) {
		c := l.text[l.off]
		switch {
		case c == quote:
			l.off++
			return string(out), nil
		case c == '\\':
			r, err := l.escape()
			if err != nil {
				return "", err
			}
			out = append(out, r...)
		case quote != '`' && (c == '\n' || c == '\r'):
			return "", l.refuse(brenner.CodeInvalidConfig, l.track.at(start), "the string does not end on its line").
				WithHint("use back quotes for a string of several lines")
		case quote == '`' && bytes.HasPrefix(l.text[l.off:], []byte("${")):
			return "", l.refuse(brenner.CodeInvalidConfig, l.track.at(l.off), "a string with ${…} is code, not data").WithHint(hintLiteral)
		case c == '\r':
			// A template's line ends are \n whatever the file's are.
			l.off += len("\r")
			if l.peek() == '\n' {
				l.off++
			}
			out = append(out, '\n')
		default:
			out = append(out, c)
			l.off++
		}
	}
	return "", l.refuse(brenner.CodeInvalidConfig, l.track.at(start), "the string does not end")
}

// simpleEscapes are the escapes of one letter.
var simpleEscapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f", 'v': "\v"}

// escape reads one escape sequence and gives what it stands for.
func (l *literalReader) escape() (string, error) {
	start := l.off
	l.off++
	r, n := utf8.DecodeRune(l.text[l.off:])
	l.off += n
	if s, ok := simpleEscapes[byte(r)]; ok && r < utf8.RuneSelf {
		return s, nil
	}
	switch {
	case n == 0 || r >= '0' && r <= '9':
		return "", l.badEscape(start)
	case r == 'x':
		return l.codePoint(start, 2)
	case r == 'u' && l.peek() == '{':
		return l.braced(start)
	case r == 'u':
		return l.codePoint(start, 4)
	case r == '\r' && l.peek() == '\n':
		l.off++
		return "", nil
	case newline(r):
		return "", nil
	}
	return string(r), nil
}

// codePoint reads that many hex digits, and the second half of a pair.
func (l *literalReader) codePoint(start, digits int) (string, error) {
	r, ok := l.hex(digits)
	if !ok {
		return "", l.badEscape(start)
	}
	if utf16.IsSurrogate(r) {
		if !bytes.HasPrefix(l.text[l.off:], []byte(`\u`)) {
			return "", l.badEscape(start)
		}
		l.off += 2
		low, ok := l.hex(4)
		if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
			return "", l.badEscape(start)
		}
	}
	return string(r), nil
}

func (l *literalReader) hex(digits int) (rune, bool) {
	if l.off+digits > len(l.text) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(l.text[l.off:l.off+digits]), 16, 32)
	l.off += digits
	return rune(v), err == nil
}

// braced reads the rest of \u{…}.
func (l *literalReader) braced(start int) (string, error) {
	end := bytes.IndexByte(l.text[l.off:], '}')
	if end < 0 {
		return "", l.badEscape(start)
	}
	v, err := strconv.ParseUint(string(l.text[l.off+1:l.off+end]), 16, 32)
	l.off += end + 1
	if err != nil || v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
		return "", l.badEscape(start)
	}
	return string(rune(v)), nil
}

func (l *literalReader) badEscape(start int) error {
	return l.refuse(brenner.CodeInvalidConfig, l.track.at(start), "not an escape sequence a configuration can have")
}
