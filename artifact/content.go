package artifact

import (
	"bytes"
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
		canonical, err := canon.Transform(data)
		if err != nil {
			return Content{}, err
		}
		return Content{Format: JSON, Data: canonical}, nil
	case Text:
		if err := checkText("the content", data); err != nil {
			return Content{}, err
		}
		return Content{Format: Text, Data: bytes.Clone(data)}, nil
	}
	return Content{}, brenner.Errorf(brenner.CodeInvalidValue, "unknown content format %q", format).
		WithHint("use json or text")
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
