package cli

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonFile is the text of a JSON file that belongs to somebody else. It is edited
// in place: what is put in can be taken out again byte for byte.
type jsonFile struct {
	text string
	// plain is the text with blanks for comments and trailing commas, so that
	// every place in it is the same place in the text.
	plain string
}

// readJSON reads the text of a file, in which comments may stand.
func readJSON(text []byte, comments bool) (jsonFile, error) {
	f := jsonFile{string(text), string(text)}
	if comments {
		f.plain = withoutComments(f.text)
	}
	if strings.TrimSpace(f.plain) == "" {
		return jsonFile{}, nil
	}
	return f, canon.Check([]byte(f.plain))
}

// with is the file with other text in a place.
func (f jsonFile) with(from, to int, text string) jsonFile {
	return jsonFile{f.text[:from] + text + f.text[to:], f.plain[:from] + text + f.plain[to:]}
}

// set gives the member that a path leads to a value.
func (f jsonFile) set(path []string, value string) (jsonFile, error) {
	if f.text == "" {
		text := "{" + laidOut(path, value, 1) + "\n}\n"
		return jsonFile{text, text}, nil
	}
	at := 0
	for depth, name := range path {
		o, err := f.object(at)
		if err != nil {
			return f, fmt.Errorf("%s: %w", strings.Join(path[:depth], "."), err)
		}
		i := o.index(name)
		switch {
		case i < 0 && len(o.members) == 0: // beside the brace: see cut
			return f.with(o.open+1, o.open+1, strings.TrimLeft(laidOut(path[depth:], value, depth+1), "\n ")), nil
		case i < 0:
			end := o.members[len(o.members)-1].to
			return f.with(end, end, ","+laidOut(path[depth:], value, depth+1)), nil
		}
		m := o.members[i]
		if depth == len(path)-1 {
			if same(f.plain[m.value:m.to], value) {
				return f, nil
			}
			return f.with(m.value, m.to, indented(value, depth+1)), nil
		}
		at = m.value
	}
	return f, nil
}

// without takes out the member that a path leads to, and the objects around it
// that set made for it.
func (f jsonFile) without(path []string) (jsonFile, error) {
	if f.text == "" {
		return f, nil
	}
	var around []object
	var found []int
	at := 0
	for _, name := range path {
		o, err := f.object(at)
		if err != nil {
			return f, err
		}
		i := o.index(name)
		if i < 0 {
			return f, nil
		}
		around, found = append(around, o), append(found, i)
		at = o.members[i].value
	}
	for d := len(path) - 1; d >= 0; d-- {
		if o := around[d]; len(o.members) > 1 || f.text[o.open+1] != '\n' {
			return f.cut(o, found[d]), nil
		}
	}
	return jsonFile{}, nil
}

// cut takes one member out of an object.
func (f jsonFile) cut(o object, i int) jsonFile {
	m := o.members[i]
	switch {
	case i > 0 && strings.TrimSpace(f.text[o.members[i-1].to:m.from]) == ",":
		return f.with(o.members[i-1].to, m.to, "")
	case i > 0: // somebody wrote a comment between
		comma := o.members[i-1].to + strings.IndexByte(f.plain[o.members[i-1].to:], ',')
		return f.with(m.from, m.to, "").with(comma, comma+1, "")
	case len(o.members) > 1:
		return f.with(m.from, o.members[1].from, "")
	}
	return f.with(m.from, m.to, "")
}

// object is where an object and its members stand in a text.
type object struct {
	open    int // its brace
	members []member
}

type member struct {
	name            string
	from, value, to int
}

func (o object) index(name string) int {
	return slices.IndexFunc(o.members, func(m member) bool { return m.name == name })
}

// object finds the members of the object at a place.
func (f jsonFile) object(at int) (object, error) {
	dec := jsontext.NewDecoder(strings.NewReader(f.plain[at:]))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return object{}, errors.New("not a JSON object")
	}
	here := func() int { return at + int(dec.InputOffset()) }
	o := object{open: here() - 1}
	for dec.PeekKind() != '}' {
		var m member
		raw, err := dec.ReadValue()
		if err != nil {
			return o, err
		}
		name, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return o, err
		}
		m.name, m.from = string(name), here()-len(raw)
		if raw, err = dec.ReadValue(); err != nil {
			return o, err
		}
		m.to = here()
		m.value = m.to - len(raw)
		o.members = append(o.members, m)
	}
	return o, nil
}

// laidOut is a member as set writes it, on lines of its own, with the objects on
// the way to it.
func laidOut(path []string, value string, depth int) string {
	indent := strings.Repeat("  ", depth)
	if len(path) == 1 {
		return "\n" + indent + quote(path[0]) + ": " + indented(value, depth)
	}
	return "\n" + indent + quote(path[0]) + ": {" + laidOut(path[1:], value, depth+1) + "\n" + indent + "}"
}

func indented(value string, depth int) string {
	out := jsontext.Value(value)
	if err := out.Indent(jsontext.WithIndentPrefix(strings.Repeat("  ", depth)), jsontext.WithIndent("  ")); err != nil {
		return value
	}
	return string(out)
}

// withoutComments puts blanks where a text has comments, and commas before the
// end of an object or array.
func withoutComments(text string) string {
	out := []byte(text)
	comma := -1 // the last one, if nothing but blanks came after it
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
			comma = -1
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(text[i:])
			for k := range out[i : i+end] {
				if out[i+k] != '\n' {
					out[i+k] = ' '
				}
			}
			i += end - 1
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma], comma = ' ', -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return string(out)
}

// commentEnd is how long the comment is that a text begins with.
func commentEnd(text string) int {
	end, more := "\n", 0
	if text[1] == '*' {
		end, more = "*/", 2
	}
	if i := strings.Index(text[2:], end); i >= 0 {
		return 2 + i + more
	}
	return len(text)
}

// inOrder is a JSON object whose members keep their order.
type inOrder struct {
	names  []string
	values []string
}

func members(text []byte) (*inOrder, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil, errors.New("not a JSON object")
	}
	o := &inOrder{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		o.names, o.values = append(o.names, key), append(o.values, string(value))
	}
	return o, nil
}

func (o *inOrder) get(name, otherwise string) string {
	if i := slices.Index(o.names, name); i >= 0 {
		return o.values[i]
	}
	return otherwise
}

// jsonObject writes a JSON object of names and values.
func jsonObject(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(pairs[i]) + ":" + pairs[i+1])
	}
	return "{" + b.String() + "}"
}

func quote(s string) string { return string(canon.MustMarshal(s)) }

func quotes(list []string) string { return string(canon.MustMarshal(list)) }

// same says whether two JSON texts are the same value.
func same(a, b string) bool {
	x, err := canon.Transform([]byte(a))
	if err != nil {
		return false
	}
	y, err := canon.Transform([]byte(b))
	return err == nil && bytes.Equal(x, y)
}

// between puts a section between two marker lines: where they are, else at the
// end, after an empty line. An empty section takes them out, and with them what
// was added before: a text that did not end its last line ends with the marker.
func between(text []byte, begin, end, section string) ([]byte, error) {
	s := string(text)
	i, j := strings.Index(s, begin), strings.Index(s, end)
	switch {
	case i < 0 && j < 0 && section == "":
		return text, nil
	case i < 0 && j < 0:
		block := begin + "\n" + section + end
		switch {
		case s == "":
			return []byte(block + "\n"), nil
		case !strings.HasSuffix(s, "\n"):
			return []byte(s + "\n\n" + block), nil
		}
		return []byte(s + "\n" + block + "\n"), nil
	case i < 0 || j < i || strings.Count(s, begin) > 1 || strings.Count(s, end) > 1:
		return nil, fmt.Errorf("the markers %q and %q do not belong together", begin, end)
	}
	before, rest := s[:i], s[j+len(end):]
	switch {
	case section != "":
		return []byte(before + begin + "\n" + section + end + rest), nil
	case rest == "":
		return []byte(strings.TrimSuffix(before, "\n\n")), nil
	case rest == "\n" && strings.HasSuffix(before, "\n\n"):
		return []byte(strings.TrimSuffix(before, "\n")), nil
	}
	return []byte(before + strings.TrimPrefix(rest, "\n")), nil
}
