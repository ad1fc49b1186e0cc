package app

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"

	"github.com/go-json-experiment/json/jsontext"
)

// checkText refuses text that not every store can keep (J5).
func checkText(s string) error {
	if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
		return brenner.Errorf(brenner.CodeInvalidText, "the text is not valid UTF-8 or contains U+0000")
	}
	return nil
}

// searchText is what a version is found by: its name, summary, tags and the
// words of its content, up to a bound.
func searchText(v store.Version, data []byte) string {
	var b strings.Builder
	b.WriteString(string(v.Artifact) + "\n" + v.Summary + "\n" + strings.Join(v.Tags, " ") + "\n")
	if v.Format == artifact.Text {
		b.Write(data)
	} else {
		jsonWords(&b, data)
	}
	s := b.String()
	if len(s) > brenner.MaxIndexedBytes {
		s = s[:brenner.MaxIndexedBytes]
	}
	return strings.ToValidUTF8(s, "")
}

// jsonWords writes the string values of JSON content, not its keys.
func jsonWords(b *strings.Builder, data []byte) {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := dec.ReadToken()
		if err != nil || b.Len() > brenner.MaxIndexedBytes {
			return
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		key := kind == '{' && n%2 == 1
		if tok.Kind() == '"' && !key {
			b.WriteString(tok.String())
			b.WriteByte('\n')
		}
	}
}

// list joins names for a hint.
func list[T ~string](names []T) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return strings.Join(out, ", ")
}
