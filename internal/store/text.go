package store

import (
	"bytes"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"brenner"
	"brenner/artifact"
	"brenner/retrieval"
)

// Document gives the text by which a version is found: its id, summary and
// tags, which count more, and what it says; data is nil where the content was
// redacted. A version never changes, so neither does this.
func (v Version) Document(data []byte) retrieval.Document {
	return retrieval.Document{
		Name:    retrieval.Name{Artifact: v.Artifact, Version: v.Version},
		Summary: string(v.Artifact) + "\n" + v.Summary + "\n" + strings.Join(v.Tags, "\n"),
		Text:    plainText(v.Format, data),
	}
}

// plainText gives what a content says, as far as it is indexed: text as it is,
// of JSON the strings, not the names of fields. When something was written is
// no word of it: the same minute would make two things alike.
func plainText(format artifact.Format, data []byte) string {
	if format == artifact.Text {
		return strings.ToValidUTF8(string(data[:min(len(data), brenner.MaxIndexedBytes)]), " ")
	}
	var b strings.Builder
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	for b.Len() < brenner.MaxIndexedBytes {
		tok, err := dec.ReadToken()
		if err != nil {
			break
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		if name := kind == '{' && n%2 == 1; tok.Kind() == '"' && !name && !isTime(tok.String()) {
			b.WriteString(tok.String())
			b.WriteByte('\n')
		}
	}
	text := b.String()
	return strings.ToValidUTF8(text[:min(len(text), brenner.MaxIndexedBytes)], " ")
}

// isTime says that a string is a time as we write it, and nothing else.
func isTime(s string) bool {
	if len(s) < len("2006-01-02T15:04:05Z") || len(s) > len(time.RFC3339Nano) || s[4] != '-' || s[10] != 'T' {
		return false
	}
	_, err := time.Parse(time.RFC3339Nano, s)
	return err == nil
}
