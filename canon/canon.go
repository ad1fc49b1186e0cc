// Package canon reads JSON strictly and writes it canonically.
//
// Reading refuses what encoding/json lets pass: duplicate keys, unknown
// members, keys in another case, invalid UTF-8, U+0000 and deep nesting; every
// refusal names the place by JSON pointer. Writing follows RFC 8785, so equal
// values have equal bytes and a hash of them means something.
package canon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"brenner"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Marshal gives the canonical JSON (RFC 8785) of a value.
func Marshal(v any) ([]byte, error) {
	if s, ok := v.(string); ok { // which may be a whole text
		raw, err := jsontext.AppendQuote(make([]byte, 0, len(s)+len(s)/16+2), s)
		return raw, fault(err)
	}
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, fault(err)
	}
	raw, err = ordered(raw)
	return raw, fault(err)
}

// MustMarshal is Marshal for values the program built itself and which
// therefore cannot fail.
func MustMarshal(v any) []byte {
	b, err := Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// Transform checks one JSON value (see Check) and gives its canonical form.
func Transform(raw []byte) ([]byte, error) {
	if err := Check(raw); err != nil {
		return nil, err
	}
	val := jsontext.Value(bytes.Clone(raw))
	if err := val.Canonicalize(); err != nil {
		return nil, fault(err)
	}
	return val, nil
}

// Unmarshal checks one JSON value (see Check) and decodes it. Members that the
// target does not know are refused; for a lenient target add a catch-all field
// with the tag `json:",embed"` or decode into a map.
func Unmarshal(raw []byte, v any) error {
	if err := Check(raw); err != nil {
		return err
	}
	return fault(json.Unmarshal(raw, v, json.RejectUnknownMembers(true)))
}

// Check reports INVALID_JSON, INVALID_TEXT or LIMIT_EXCEEDED, with the JSON
// pointer, unless raw is exactly one JSON value with unique keys, valid UTF-8,
// no U+0000 and at most brenner.MaxJSONDepth levels.
func Check(raw []byte) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw)) // which is read where it is, however long a string in it
	zeros := bytes.Contains(raw, []byte(`\u0000`))
	for {
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) && dec.InputOffset() > 0 && dec.StackDepth() == 0 {
			return nil
		}
		if err != nil {
			return fault(err)
		}
		if dec.StackDepth() > brenner.MaxJSONDepth {
			return brenner.Errorf(brenner.CodeLimitExceeded, "JSON nested deeper than %d levels", brenner.MaxJSONDepth).
				At(string(dec.StackPointer()))
		}
		if zeros && tok.Kind() == '"' && strings.IndexByte(tok.String(), 0) >= 0 {
			return brenner.Errorf(brenner.CodeInvalidText, "a string contains U+0000").
				At(string(dec.StackPointer()))
		}
		if dec.StackDepth() == 0 {
			return end(dec)
		}
	}
}

// end refuses anything but white space after the value.
func end(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		return fault(err)
	}
	return brenner.Errorf(brenner.CodeInvalidJSON, "more than one JSON value where one was expected")
}

// Sum is the lower-case hexadecimal SHA-256 of some bytes.
func Sum(b []byte) brenner.Digest {
	h := sha256.Sum256(b)
	return brenner.Digest(hex.EncodeToString(h[:]))
}

// fault turns an error of the JSON library into ours, with its pointer.
func fault(err error) error {
	if err == nil {
		return nil
	}
	var ours *brenner.Error
	if errors.As(err, &ours) {
		return ours
	}
	message, hint := reason(err)
	e := brenner.Errorf(brenner.CodeInvalidJSON, "%s", message).WithHint(hint).Because(err)
	var syn *jsontext.SyntacticError
	var sem *json.SemanticError
	switch {
	case errors.As(err, &syn):
		e.Pointer = string(syn.JSONPointer)
	case errors.As(err, &sem):
		e.Pointer = string(sem.JSONPointer)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Message = "the JSON ends too early"
	}
	return e
}

// reason says what was wrong without the library's own preamble, and what helps.
func reason(err error) (message, hint string) {
	var syn *jsontext.SyntacticError
	if errors.As(err, &syn) {
		switch {
		case errors.Is(syn.Err, jsontext.ErrDuplicateName):
			return "a key appears twice in one object", ""
		case errors.Is(syn.Err, io.ErrUnexpectedEOF):
			return "the JSON ends too early", ""
		}
		return "not valid JSON: " + syn.Err.Error(), ""
	}
	var sem *json.SemanticError
	if errors.As(err, &sem) {
		if errors.Is(sem.Err, json.ErrUnknownName) {
			return "unknown field", ""
		}
		if sem.GoType != nil && sem.JSONKind != 0 {
			return Misfit(sem)
		}
	}
	return "not the JSON that was expected", ""
}
