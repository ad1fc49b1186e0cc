package config

import (
	"bytes"
	"errors"
	"io"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
)

// json reads the file as JSON.
func (in source) json() (node, error) {
	r := jsonReader{
		source: in,
		track:  tracker{text: in.text},
		// Duplicates are found later, for every form alike.
		dec: jsontext.NewDecoder(bytes.NewReader(in.text), jsontext.AllowDuplicateNames(true)),
	}
	n, err := r.value()
	if err != nil {
		return node{}, err
	}
	at := r.place()
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return node{}, in.refuse(brenner.CodeInvalidConfig, at, "more text after the end of the object")
	}
	return n, nil
}

type jsonReader struct {
	source
	track tracker
	dec   *jsontext.Decoder
}

// place is where the next token starts.
func (r *jsonReader) place() place {
	off := int(r.dec.InputOffset())
	for off < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[off]) >= 0 {
		off++
	}
	return r.track.at(off)
}

func (r *jsonReader) value() (node, error) {
	n := node{at: r.place()}
	if r.dec.StackDepth() >= brenner.MaxJSONDepth {
		return node{}, r.tooDeep(n.at)
	}
	tok, err := r.dec.ReadToken()
	if err != nil {
		return node{}, r.fault(err)
	}
	switch tok.Kind() {
	case '{':
		n.kind = object
		return n, r.members(&n)
	case '[':
		n.kind = array
		return n, r.elements(&n)
	case '"':
		n.kind, n.text = text, tok.String()
	case '0':
		n.kind, n.text = number, tok.String()
	case 't', 'f':
		n.kind, n.truth = boolean, tok.Bool()
	default:
		n.kind = null
	}
	return n, nil
}

func (r *jsonReader) members(n *node) error {
	for r.dec.PeekKind() != '}' {
		at := r.place()
		key, err := r.dec.ReadToken()
		if err != nil {
			return r.fault(err)
		}
		f := field{at: at, key: key.String()}
		if f.value, err = r.value(); err != nil {
			return err
		}
		n.fields = append(n.fields, f)
	}
	return r.close()
}

func (r *jsonReader) elements(n *node) error {
	for r.dec.PeekKind() != ']' {
		item, err := r.value()
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	return r.close()
}

func (r *jsonReader) close() error {
	if _, err := r.dec.ReadToken(); err != nil {
		return r.fault(err)
	}
	return nil
}

// fault says what is wrong with the JSON, and where.
func (r *jsonReader) fault(err error) error {
	var syn *jsontext.SyntacticError
	if !errors.As(err, &syn) || errors.Is(err, io.ErrUnexpectedEOF) {
		return r.refuse(brenner.CodeInvalidConfig, r.track.at(len(r.text)), "the JSON ends too early")
	}
	return r.refuse(brenner.CodeInvalidConfig, r.track.at(int(syn.ByteOffset)), "not valid JSON: %v", syn.Err).
		WithHint("a file that starts with a brace is read as JSON; YAML in block style also allows comments and unquoted keys").
		Because(err)
}
