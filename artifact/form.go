package artifact

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/canon"
)

// Form says in a line how content of the type is written: the formats and, of
// JSON, the fields, the needed ones first. It is for readers who have to write
// one and have not seen its schema.
func (t Type) Form() string {
	fields := t.fields()
	if len(fields) == 0 || !slices.Contains(t.Formats, JSON) {
		return formatList(t.Formats)
	}
	form := "json with " + strings.Join(fields, ", ")
	if slices.Contains(t.Formats, Text) {
		return "text, or " + form
	}
	return form
}

// fields lists the fields of JSON content, each with what it takes.
func (t Type) fields() []string {
	var schema, properties map[string]jsontext.Value
	var required []string
	if len(t.Schema) == 0 || canon.Unmarshal(t.Schema, &schema) != nil || canon.Unmarshal(schema["properties"], &properties) != nil {
		return nil
	}
	if names := schema["required"]; names != nil && canon.Unmarshal(names, &required) != nil {
		return nil
	}
	var needed, optional []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		notes := taken(properties[name])
		if slices.Contains(required, name) {
			needed = append(needed, name+" ("+strings.Join(append(notes, "needed"), ", ")+")")
		} else if len(notes) > 0 {
			optional = append(optional, name+" ("+notes[0]+")")
		} else {
			optional = append(optional, name)
		}
	}
	return append(needed, optional...)
}

// taken says what a field takes, if its schema says that in one word: the values
// there are, or a type.
func taken(property jsontext.Value) []string {
	var p map[string]jsontext.Value
	if canon.Unmarshal(property, &p) != nil {
		return nil
	}
	var one string
	if typ := p["type"]; typ != nil && canon.Unmarshal(typ, &one) == nil {
		return []string{one}
	}
	var all []string
	if values := p["enum"]; values != nil && canon.Unmarshal(values, &all) == nil {
		return []string{strings.Join(all, "|")}
	}
	return nil
}
