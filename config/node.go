package config

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
)

// kind is what a value is; the words are used in messages.
type kind string

const (
	object  kind = "an object"
	array   kind = "a list"
	text    kind = "a string"
	number  kind = "a number"
	boolean kind = "true or false"
	null    kind = "null"
)

// node is a value read from any of the three forms, with its place.
type node struct {
	at     place
	kind   kind
	text   string  // of a string, the value; of a number, its JSON
	truth  bool    // of a boolean
	items  []node  // of a list
	fields []field // of an object, in the order of the file
}

type field struct {
	at    place
	key   string
	value node
}

// place is where something stands in the file; both count from 1, columns in
// characters.
type place struct{ line, column int }

// Position is the Details of a refusal.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// source is the file being read.
type source struct {
	name string
	text []byte
}

// refuse makes the error of a file that cannot be read any further.
func (in source) refuse(code brenner.Code, at place, format string, args ...any) *brenner.Error {
	return brenner.Errorf(code, "%s: %s", in.where(at), fmt.Sprintf(format, args...)).
		WithDetails(Position{File: in.name, Line: at.line, Column: at.column})
}

// tooDeep refuses a value inside more lists and objects than allowed.
func (in source) tooDeep(at place) *brenner.Error {
	return in.refuse(brenner.CodeLimitExceeded, at, "nested deeper than %d levels", brenner.MaxJSONDepth)
}

func (in source) where(at place) string {
	return fmt.Sprintf("%s:%d:%d", in.name, at.line, at.column)
}

// tracker turns byte offsets into places. Offsets must not decrease, so that a
// whole file costs one pass.
type tracker struct {
	text []byte
	off  int
	pos  place
}

func (t *tracker) at(off int) place {
	if t.pos.line == 0 {
		t.pos = place{1, 1}
	}
	for t.off < off && t.off < len(t.text) {
		_, n := utf8.DecodeRune(t.text[t.off:])
		if t.text[t.off] == '\n' {
			t.pos = place{t.pos.line + 1, 0}
		}
		t.pos.column++
		t.off += n
	}
	return t.pos
}

// appendJSON writes the value as JSON, members in the order of the file.
func (n node) appendJSON(b []byte) []byte {
	switch n.kind {
	case object:
		b = append(b, '{')
		for i, f := range n.fields {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendQuoted(b, f.key), ':')
			b = f.value.appendJSON(b)
		}
		return append(b, '}')
	case array:
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(b)
		}
		return append(b, ']')
	case text:
		return appendQuoted(b, n.text)
	case number:
		return append(b, n.text...)
	case boolean:
		return strconv.AppendBool(b, n.truth)
	}
	return append(b, "null"...)
}

// appendQuoted cannot fail: every reader gives valid UTF-8.
func appendQuoted(b []byte, s string) []byte {
	b, err := jsontext.AppendQuote(b, s)
	if err != nil {
		panic(err)
	}
	return b
}
