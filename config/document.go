package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
)

// source is the file being read.
type source struct {
	name string
	text []byte
}

// document is a file of any form, as JSON, and where its parts stand in the
// file: a place for every name and every value, in the order of the JSON.
type document struct {
	json   jsontext.Value
	places []place
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

// json reads the file as JSON.
func (in source) json() (document, error) {
	doc := document{json: in.text}
	track := tracker{text: in.text}
	// Names that stand twice are found later, for every form alike.
	dec := jsontext.NewDecoder(bytes.NewReader(in.text), jsontext.AllowDuplicateNames(true))
	for {
		off := int(dec.InputOffset())
		for off < len(in.text) && strings.IndexByte(" \t\r\n,:", in.text[off]) >= 0 {
			off++
		}
		at := track.at(off)
		depth, whole := dec.StackDepth(), len(doc.places) > 0 && dec.StackDepth() == 0
		tok, err := dec.ReadToken()
		switch {
		case whole && errors.Is(err, io.EOF):
			return doc, nil
		case whole:
			return document{}, in.refuse(brenner.CodeInvalidConfig, at, "more text after the end of the object")
		case err != nil:
			return document{}, in.jsonFault(err, &track)
		case tok.Kind() == '}' || tok.Kind() == ']':
		case depth >= brenner.MaxJSONDepth:
			return document{}, in.tooDeep(at)
		default:
			doc.places = append(doc.places, at)
		}
	}
}

// jsonFault says what is wrong with the JSON, and where.
func (in source) jsonFault(err error, track *tracker) error {
	var syn *jsontext.SyntacticError
	if !errors.As(err, &syn) || errors.Is(err, io.ErrUnexpectedEOF) {
		return in.refuse(brenner.CodeInvalidConfig, track.at(len(in.text)), "the JSON ends too early")
	}
	return in.refuse(brenner.CodeInvalidConfig, track.at(int(syn.ByteOffset)), "not valid JSON: %v", syn.Err).
		WithHint("a file that starts with a brace is read as JSON; YAML in block style also allows comments and unquoted keys").
		Because(err)
}

// index is where the parts of a document stand, by their JSON pointers.
type index struct{ names, values map[jsontext.Pointer]place }

// of gives the place of the value at a pointer, or of the nearest one around it
// that is in the file.
func (x index) of(at jsontext.Pointer) place {
	for ; ; at = at.Parent() {
		if p, ok := x.values[at]; ok || at == "" {
			return p
		}
	}
}

// index finds out where everything stands, and reports what no form may hold: a
// name twice in one object, and text that is not text.
func (doc document) index(report func(place, jsontext.Pointer, string, string)) index {
	x := index{names: map[jsontext.Pointer]place{}, values: map[jsontext.Pointer]place{}}
	dec := jsontext.NewDecoder(bytes.NewReader(doc.json), jsontext.AllowDuplicateNames(true))
	for _, p := range doc.places {
		for dec.PeekKind() == '}' || dec.PeekKind() == ']' {
			_, _ = dec.ReadToken() // it was peeked at
		}
		tok, err := dec.ReadToken()
		if err != nil {
			panic(err) // whoever made the document has read it
		}
		at := dec.StackPointer()
		if tok.Kind() == '"' && strings.Contains(tok.String(), "\x00") {
			report(p, at, "a string is not valid UTF-8 or contains U+0000", "")
		}
		if !isName(dec) {
			x.values[at] = p
			continue
		}
		if first, twice := x.names[at]; twice {
			report(p, at, fmt.Sprintf("the key %q stands twice in one object", brenner.Clip(tok.String(), 60)),
				fmt.Sprintf("the first is at %d:%d", first.line, first.column))
			continue
		}
		x.names[at] = p
	}
	return x
}

// isName says whether the token just read is the name of a member.
func isName(dec *jsontext.Decoder) bool {
	kind, n := dec.StackIndex(dec.StackDepth())
	return kind == '{' && n%2 == 1
}
