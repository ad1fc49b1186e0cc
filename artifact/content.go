package artifact

import (
	"bytes"
	"errors"
	"io"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// NewContent takes content in: JSON is checked and brought into canonical
// form, text is checked and kept byte for byte. It reports INVALID_JSON,
// INVALID_TEXT, INVALID_VALUE for an unknown format, or LIMIT_EXCEEDED.
func NewContent(format Format, data []byte) (Content, error) {
	if len(data) > brenner.MaxContentBytes {
		return Content{}, brenner.Errorf(brenner.CodeLimitExceeded, "the content has %d bytes, more than %d", len(data), brenner.MaxContentBytes).
			WithHint("split it into several artifacts")
	}
	switch format {
	case JSON:
		if err := canon.CheckNumbers(data); err != nil {
			return Content{}, err
		}
		canonical, err := canon.Transform(data)
		if err != nil {
			return Content{}, err
		}
		if !bytes.Equal(canonical, data) {
			if err := checkNumbers(data); err != nil {
				return Content{}, err
			}
		}
		return Content{Format: JSON, Data: canonical}, nil
	case Text:
		if err := checkText("the content", data); err != nil {
			return Content{}, err
		}
		return Content{Format: Text, Data: bytes.Clone(data)}, nil
	}
	if format == "" && len(data) == 0 {
		return Content{}, brenner.Errorf(brenner.CodeInvalidValue, "the content is missing").WithHint("give its format, json or text, and its data")
	}
	return Content{}, brenner.Errorf(brenner.CodeInvalidValue, "unknown content format %q", brenner.Clip(string(format), brenner.MaxQuote)).
		WithHint("use json or text")
}

// checkNumbers refuses numbers that canonical JSON, which has only 64-bit floating
// point, would store as another number: a whole number with too many digits, and what is
// too large or too small. Digits behind the point beyond what such a number has are
// rounded.
func checkNumbers(data []byte) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data))
	for {
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if tok.Kind() != '0' {
			continue
		}
		if text := tok.String(); !kept(text) {
			return brenner.Errorf(brenner.CodeInvalidJSON, "the number %s cannot be stored as it is", brenner.Clip(text, brenner.MaxQuote)).At(string(dec.StackPointer())).
				WithHint("write it as a text, in quotes: numbers have 64-bit floating point")
		}
	}
}

// kept says whether a number is the same in canonical JSON.
func kept(text string) bool {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f == 0 && strings.ContainsAny(strings.SplitN(strings.ToLower(text), "e", 2)[0], "123456789") {
		return false
	}
	if strings.ContainsAny(text, ".eE") || len(text) <= 15 {
		return true
	}
	written, ok := new(big.Int).SetString(text, 10)
	shortest, _, err := big.ParseFloat(strconv.FormatFloat(f, 'g', -1, 64), 10, 2000, big.ToNearestEven)
	if !ok || err != nil {
		return false
	}
	stored, _ := shortest.Int(nil)
	return written.Cmp(stored) == 0
}

// Digest is the SHA-256 of the content's bytes. Equal content in another
// format has another meaning, and the format is kept beside the digest.
func (c Content) Digest() brenner.Digest {
	if c.digest != "" {
		return c.digest
	}
	return canon.Sum(c.Data)
}

// Hashed is the content with its digest at hand. Its data is not to be changed
// afterwards.
func (c Content) Hashed() Content {
	c.digest = canon.Sum(c.Data)
	return c
}

// ContentValue gives content as one JSON value: JSON itself, or the text as a
// JSON string. The content must have passed NewContent.
func ContentValue(c Content) jsontext.Value {
	if c.Format == JSON {
		return bytes.Clone(c.Data)
	}
	return canon.MustMarshal(string(c.Data))
}

// checkText reports INVALID_TEXT unless b is UTF-8 without U+0000.
func checkText(what string, b []byte) error {
	if !utf8.Valid(b) {
		return brenner.Errorf(brenner.CodeInvalidText, "%s is not valid UTF-8, first at byte %d", what, firstInvalid(b)).
			WithHint("convert it to UTF-8; binary data does not belong in an artifact")
	}
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return brenner.Errorf(brenner.CodeInvalidText, "%s contains U+0000, first at byte %d", what, i).
			WithHint("remove the NUL characters")
	}
	return nil
}

// firstInvalid gives the offset of the first byte that is not UTF-8.
func firstInvalid(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return len(b)
}
