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
	needed, optional := t.fields()
	fields := slices.Concat(needed, optional)
	if len(fields) == 0 || !slices.Contains(t.Formats, JSON) {
		return formatList(t.Formats)
	}
	form := "json with " + strings.Join(fields, ", ")
	if slices.Contains(t.Formats, Text) {
		return "text, or " + form
	}
	return form
}

// Brief is Form for a first try: text where that may be written, else of JSON what is
// needed, and what else there is by its name. A refusal says the rest.
func (t Type) Brief() string {
	needed, optional := t.fields()
	switch {
	case slices.Contains(t.Formats, Text):
		return string(Text)
	case len(needed) == 0:
		return t.Form()
	}
	for i, field := range optional {
		if name, about, _ := strings.Cut(field, " ("); !strings.Contains(about, "|") { // the values there are stay
			optional[i] = name
		}
	}
	return "json with " + strings.Join(slices.Concat(needed, optional), ", ")
}

// fields lists the fields of JSON content, each with what it takes.
func (t Type) fields() (needed, optional []string) {
	schema := members(t.Schema)
	properties := members(schema["properties"])
	required := t.required()
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		about := described(schema, properties[name])
		switch {
		case slices.Contains(required, name) && about == "":
			needed = append(needed, name+" (needed)")
		case slices.Contains(required, name):
			needed = append(needed, name+" (needed: "+about+")")
		case about == "":
			optional = append(optional, name)
		default:
			optional = append(optional, name+" ("+about+")")
		}
	}
	return needed, optional
}

// described says what a field takes: the values there are, what its schema says
// of it in words, or its type if that is not a text.
func described(schema map[string]jsontext.Value, property jsontext.Value) string {
	p := members(property)
	if name, ok := strings.CutPrefix(word(p["$ref"]), "#/$defs/"); ok {
		p = members(members(schema["$defs"])[name])
	}
	var all []string
	if values := p["enum"]; values != nil && canon.Unmarshal(values, &all) == nil {
		return strings.Join(all, "|")
	}
	if about := word(p["description"]); about != "" {
		return about
	}
	if typ := word(p["type"]); typ != "string" {
		return typ
	}
	return ""
}

// required names the fields that JSON content has to have.
func (t Type) required() []string {
	var out []string
	if names := members(t.Schema)["required"]; names != nil && canon.Unmarshal(names, &out) != nil {
		return nil
	}
	return out
}

// members gives the members of an object, none for anything else.
func members(v jsontext.Value) map[string]jsontext.Value {
	var out map[string]jsontext.Value
	if v == nil || canon.Unmarshal(v, &out) != nil {
		return nil
	}
	return out
}

// word gives a text, "" for anything else.
func word(v jsontext.Value) string {
	var out string
	if v == nil || canon.Unmarshal(v, &out) != nil {
		return ""
	}
	return out
}
