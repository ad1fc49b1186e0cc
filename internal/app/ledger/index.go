package ledger

import (
	"bytes"
	"strings"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"

	"github.com/go-json-experiment/json/jsontext"
)

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
