package delta

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// loose is a value read loosely.
type loose struct {
	kind    jsontext.Kind // '{' '[' '"' '0' 't' 'f' 'n'
	text    string        // of a string; the literal of a number
	members []looseMember
	items   []loose
}

type looseMember struct {
	name  string
	value loose
}

// member finds a member of an object.
func (v *loose) member(name string) *loose {
	for i := range v.members {
		if v.members[i].name == name {
			return &v.members[i].value
		}
	}
	return nil
}

// write writes the value as JSON.
func (v *loose) write(b *strings.Builder) {
	switch v.kind {
	case '{':
		b.WriteByte('{')
		for i := range v.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quote(v.members[i].name) + ":")
			v.members[i].value.write(b)
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for i := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			v.items[i].write(b)
		}
		b.WriteByte(']')
	case '"':
		b.WriteString(quote(v.text))
	case '0':
		b.WriteString(v.text)
	case 't':
		b.WriteString("true")
	case 'f':
		b.WriteString("false")
	default:
		b.WriteString("null")
	}
}

func (v *loose) json() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

// flat gives a value as a text: what was meant where a text was wanted.
func (v *loose) flat() string {
	switch v.kind {
	case '"':
		return v.text
	case '{':
		parts := make([]string, 0, len(v.members))
		for i := range v.members {
			parts = append(parts, v.members[i].name+": "+v.members[i].value.flat())
		}
		return strings.Join(parts, "; ")
	case '[':
		parts := make([]string, 0, len(v.items))
		for i := range v.items {
			parts = append(parts, v.items[i].flat())
		}
		return strings.Join(parts, "; ")
	case 'n':
		return ""
	}
	return v.json()
}
