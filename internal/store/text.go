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
		return strings.ToValidUTF8(withoutTimes(string(data[:min(len(data), brenner.MaxIndexedBytes)])), " ")
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

// withoutTimes takes the times out of a text that it has as we write them, such as
// those of the deltas of a reply.
func withoutTimes(text string) string {
	const date, second = len("2006-01-02"), len("2006-01-02T15:04:05")
	var b strings.Builder
	kept := 0
	for at := 0; ; at++ {
		t := strings.IndexByte(text[at:], 'T')
		if t < 0 {
			break
		}
		at += t
		from := at - date
		if from < kept || from+second > len(text) || !isTime(text[from:from+second]+"Z") {
			continue
		}
		b.WriteString(text[kept:from])
		kept = from + second
		kept += len(text[kept:]) - len(strings.TrimLeft(text[kept:], ".0123456789"))
		kept += len(text[kept:]) - len(strings.TrimPrefix(text[kept:], "Z"))
		at = kept - 1
	}
	if kept == 0 {
		return text
	}
	b.WriteString(text[kept:])
	return b.String()
}
