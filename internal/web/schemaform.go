package web

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"

	"brenner"
	"brenner/internal/order"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A content that has a JSON Schema is written in a form with a field for each
// property. Whatever a content holds comes back as it was: a value that does
// not fit the form of its field is shown, and read, as JSON.

// formField is a property as a field of a form.
type formField struct {
	Name     string
	Label    string
	Help     string
	Required bool
	// Kind says how it is filled in, and begins the name of the field.
	Kind    fieldKind
	Choices []string
	Value   string
}

// Input is the name of the field in the form.
func (f formField) Input() string { return string(f.Kind) + "." + f.Name }

// fieldKind is a way to fill in a property.
type fieldKind string

// The kinds of field.
const (
	fieldText   fieldKind = "text"   // a string
	fieldLines  fieldKind = "lines"  // a list, one element a line
	fieldNumber fieldKind = "number" // a number
	fieldChoice fieldKind = "choice" // one of some strings
	fieldJSON   fieldKind = "json"   // anything: JSON, or else a string
)

// property is what a form needs to know of a schema.
type property struct {
	Type        jsontext.Value `json:"type"`
	Description string         `json:"description"`
	Enum        []string       `json:"enum"`
}

// schemaFields lists the properties of a schema as fields, those that must be
// there first.
func schemaFields(schema jsontext.Value) ([]formField, error) {
	var top struct {
		Required   []string       `json:"required"`
		Properties jsontext.Value `json:"properties"`
	}
	if err := json.Unmarshal(schema, &top); err != nil || top.Properties == nil {
		return nil, err
	}
	var fields []formField
	err := eachMember(top.Properties, func(name string, value jsontext.Value) error {
		var p property
		_ = json.Unmarshal(value, &p) // what it does not say in plain terms is filled in as JSON
		fields = append(fields, formField{
			Name: name, Label: capital(strings.ReplaceAll(name, "_", " ")), Help: p.Description,
			Required: slices.Contains(top.Required, name), Kind: p.kind(), Choices: p.Enum,
		})
		return nil
	})
	order.By(fields, func(a, b formField) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	return fields, err
}

// kind is how a property is filled in when nothing stands in the way.
func (p property) kind() fieldKind {
	switch {
	case p.Enum != nil:
		return fieldChoice
	case string(p.Type) == `"string"`:
		return fieldText
	case string(p.Type) == `"array"`:
		return fieldLines
	case string(p.Type) == `"integer"`, string(p.Type) == `"number"`:
		return fieldNumber
	}
	return fieldJSON
}

// eachMember calls do for each member of a JSON object, in its order.
func eachMember(object jsontext.Value, do func(name string, value jsontext.Value) error) error {
	d := jsontext.NewDecoder(bytes.NewReader(object))
	if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
		return errors.Join(err, errors.New("not an object"))
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := do(key, value.Clone()); err != nil {
			return err
		}
	}
	return nil
}

// fillFields puts a content into the fields of its schema. rest is the content
// that has no field.
func fillFields(fields []formField, content jsontext.Value) (rest jsontext.Value, err error) {
	var others bytes.Buffer
	e := jsontext.NewEncoder(&others)
	_ = e.WriteToken(jsontext.BeginObject) // writes into memory
	err = eachMember(content, func(name string, value jsontext.Value) error {
		if i := slices.IndexFunc(fields, func(f formField) bool { return f.Name == name }); i >= 0 {
			fields[i].fill(value)
			return nil
		}
		return errors.Join(e.WriteToken(jsontext.String(name)), e.WriteValue(value))
	})
	_ = e.WriteToken(jsontext.EndObject)
	return bytes.TrimSpace(others.Bytes()), err
}

// fill shows a value in the way of the field, or as JSON if it has another
// form.
func (f *formField) fill(value jsontext.Value) {
	text := plain(value)
	switch kind := value.Kind(); {
	case f.Kind == fieldText && kind == '"' && strings.TrimSpace(text) != "" && !strings.Contains(text, "\r"):
	case f.Kind == fieldChoice && kind == '"' && slices.Contains(f.Choices, text):
	case f.Kind == fieldNumber && kind == '0':
	case f.Kind == fieldLines && kind == '[' && f.fillLines(value):
		return
	default:
		f.Kind = fieldJSON
		if kind != '"' || isJSON(text) || text == "" || strings.TrimSpace(text) != text || strings.Contains(text, "\r") {
			text = string(value)
		}
	}
	f.Value = text
}

// fillLines shows a list, one element a line; false if it cannot be.
func (f *formField) fillLines(value jsontext.Value) bool {
	var elements []jsontext.Value
	if json.Unmarshal(value, &elements) != nil || len(elements) == 0 {
		return false
	}
	var lines []string
	for _, e := range elements {
		line := plain(e)
		switch kind := e.Kind(); {
		case kind == '{' || kind == '[':
			line = string(e)
		case kind != '"':
			return false
		case strings.ContainsAny(line, "\r\n") || strings.TrimSpace(line) != line || line == "" || beginsJSON(line):
			line = string(e)
		}
		lines = append(lines, line)
	}
	f.Value = strings.Join(lines, "\n")
	return true
}

// beginsJSON reports whether a line would be read as JSON.
func beginsJSON(line string) bool { return strings.ContainsAny(line[:1], `{["`) && isJSON(line) }

func isJSON(text string) bool { return jsontext.Value(text).IsValid() }

// readFields makes a content of the fields of a form, with the rest of the
// content it had before. An empty field is a property that is not there.
func readFields(schema, rest jsontext.Value, form url.Values) ([]byte, error) {
	fields, err := schemaFields(schema)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := jsontext.NewEncoder(&out)
	_ = e.WriteToken(jsontext.BeginObject)
	for _, f := range fields {
		for _, kind := range []fieldKind{fieldText, fieldLines, fieldNumber, fieldChoice, fieldJSON} {
			f.Kind = kind
			typed := strings.ReplaceAll(form.Get(f.Input()), "\r\n", "\n")
			if strings.TrimSpace(typed) == "" {
				continue
			}
			if err := errors.Join(e.WriteToken(jsontext.String(f.Name)), e.WriteValue(f.read(typed))); err != nil {
				return nil, brenner.Errorf(brenner.CodeInvalidValue, "the field %s cannot be read", f.Label).At("/" + f.Name).Because(err)
			}
			break
		}
	}
	if rest != nil {
		err = eachMember(rest, func(name string, value jsontext.Value) error {
			return errors.Join(e.WriteToken(jsontext.String(name)), e.WriteValue(value))
		})
	}
	if err := errors.Join(err, e.WriteToken(jsontext.EndObject)); err != nil && !errors.Is(err, io.EOF) {
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "the content cannot be read").Because(err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// read gives the value that was typed into a field.
func (f formField) read(typed string) jsontext.Value {
	switch f.Kind {
	case fieldText, fieldChoice:
		return quoted(typed)
	case fieldLines:
		var list [][]byte
		for _, line := range lines(typed) {
			if beginsJSON(line) {
				list = append(list, []byte(line))
				continue
			}
			list = append(list, quoted(line))
		}
		return slices.Concat([]byte("["), bytes.Join(list, []byte(",")), []byte("]"))
	}
	if trimmed := strings.TrimSpace(typed); isJSON(trimmed) {
		return jsontext.Value(trimmed)
	}
	return quoted(typed)
}
