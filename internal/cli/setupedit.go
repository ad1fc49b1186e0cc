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

// editJSON sets the member of a JSON file that a path leads to, or takes it out
// where there is no value, and keeps every other member and their order. What
// becomes empty by that is taken out too.
func editJSON(text []byte, path []string, value string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	if err := canon.Check(text); err != nil {
		return nil, err
	}
	edited, err := setMember(string(text), path, value)
	if err != nil {
		return nil, err
	}
	if same(string(text), edited) && !same(edited, "{}") {
		return text, nil
	}
	if same(edited, "{}") {
		return nil, nil
	}
	out := jsontext.Value(edited)
	if err := out.Indent(jsontext.WithIndent("  ")); err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

func setMember(text string, path []string, value string) (string, error) {
	o, err := members([]byte(text))
	if err != nil {
		return "", err
	}
	if len(path) > 1 {
		inner, err := setMember(o.get(path[0], "{}"), path[1:], value)
		if err != nil {
			return "", fmt.Errorf("%s: %w", path[0], err)
		}
		if value = inner; same(inner, "{}") {
			value = ""
		}
	}
	if value == "" {
		return o.without(path[0]).text(), nil
	}
	return o.set(path[0], value).text(), nil
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

func (o *inOrder) set(name, value string) *inOrder {
	if i := slices.Index(o.names, name); i >= 0 {
		o.values[i] = value
		return o
	}
	o.names, o.values = append(o.names, name), append(o.values, value)
	return o
}

func (o *inOrder) without(name string) *inOrder {
	if i := slices.Index(o.names, name); i >= 0 {
		o.names, o.values = slices.Delete(o.names, i, i+1), slices.Delete(o.values, i, i+1)
	}
	return o
}

func (o *inOrder) text() string {
	pairs := []string{}
	for i, name := range o.names {
		pairs = append(pairs, name, o.values[i])
	}
	return object(pairs...)
}

// object writes a JSON object of names and values.
func object(pairs ...string) string {
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
// end. An empty section takes them out.
func between(text []byte, begin, end, section string) ([]byte, error) {
	s := string(text)
	block := begin + "\n" + section + end + "\n"
	if section == "" {
		block = ""
	}
	i, j := strings.Index(s, begin+"\n"), strings.Index(s, end)
	switch {
	case i < 0 && j < 0 && section == "":
		return text, nil
	case i < 0 && j < 0:
		if s != "" && !strings.HasSuffix(s, "\n") {
			s += "\n"
		}
		if s != "" {
			s += "\n"
		}
		return []byte(s + block), nil
	case i < 0 || j < i || strings.Count(s, begin) > 1 || strings.Count(s, end) > 1:
		return nil, fmt.Errorf("the markers %q and %q do not belong together", begin, end)
	}
	before, rest := s[:i], strings.TrimPrefix(s[j+len(end):], "\n")
	if section == "" && strings.HasSuffix(before, "\n\n") && rest == "" {
		before = strings.TrimSuffix(before, "\n")
	}
	return []byte(before + block + rest), nil
}
