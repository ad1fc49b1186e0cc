package assembly

import (
	"strings"

	"brenner/artifact"

	"github.com/go-json-experiment/json/jsontext"
)

// Outline gives JSON as lines for a reader: a name and its value, lists as
// items, what is inside something indented below it. It leaves out nothing but
// the punctuation. Content in another format stays as it is.
func Outline(c artifact.Content) artifact.Content {
	if c.Format != artifact.JSON {
		return c
	}
	var b strings.Builder
	dec := jsontext.NewDecoder(strings.NewReader(string(c.Data)))
	if err := outline(&b, dec, ""); err != nil {
		return c // not JSON after all: shown as it is
	}
	return artifact.Content{Format: artifact.Text, Data: []byte(b.String())}
}

// outline writes the next value, which may stand behind a name on the same
// line; what needs lines of its own is indented.
func outline(b *strings.Builder, dec *jsontext.Decoder, indent string) error {
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	switch tok.Kind() {
	case '{':
		return outlineMembers(b, dec, indent)
	case '[':
		return outlineItems(b, dec, indent)
	case '"':
		text := strings.TrimRight(tok.String(), "\n")
		b.WriteString(strings.ReplaceAll(text, "\n", "\n"+indent) + "\n")
	default:
		b.WriteString(tok.String() + "\n")
	}
	return nil
}

func outlineMembers(b *strings.Builder, dec *jsontext.Decoder, indent string) error {
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		b.WriteString(indent + name.String() + ":")
		if err := outlineBelow(b, dec, indent); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func outlineItems(b *strings.Builder, dec *jsontext.Decoder, indent string) error {
	for dec.PeekKind() != ']' {
		b.WriteString(indent + "-")
		if err := outlineBelow(b, dec, indent); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// outlineBelow writes a value behind its name or dash: on the same line if it
// is one line, below it otherwise.
func outlineBelow(b *strings.Builder, dec *jsontext.Decoder, indent string) error {
	var inner strings.Builder
	below := indent + "  "
	compound := dec.PeekKind() == '{' || dec.PeekKind() == '['
	if err := outline(&inner, dec, below); err != nil {
		return err
	}
	text := inner.String()
	switch {
	case text == "": // an empty list or object
		b.WriteString(" none\n")
	case compound:
		b.WriteString("\n" + text)
	case strings.Count(text, "\n") > 1:
		b.WriteString("\n" + below + text)
	default:
		b.WriteString(" " + text)
	}
	return nil
}
