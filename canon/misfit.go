package canon

import (
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Misfit says what a value is and what it should be where JSON does not fit its
// type, in words of JSON, with an example where the words alone do not show how it is written.
func Misfit(e *json.SemanticError) (message, hint string) {
	want, example := expected(e.GoType, true)
	if example != "" {
		hint = "it is written as " + example
	}
	return Kind(e.JSONKind.String()) + " where " + want + " was expected", hint
}

// Kind is the word for a kind of JSON value, by how jsontext names it.
func Kind(name string) string {
	switch name {
	case "{", "}":
		return "an object"
	case "[", "]":
		return "a list"
	case "true", "false":
		return "true or false"
	case "null":
		return name
	}
	return "a " + name
}

// expected says how values of a type are written, and gives an example; with the members
// of an object if it is open.
func expected(t reflect.Type, open bool) (what, example string) {
	if t.Kind() == reflect.Pointer {
		return expected(t.Elem(), open)
	}
	if t == reflect.TypeFor[time.Time]() {
		return "an instant", `"2026-03-14T15:09:26Z"`
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[interface{ UnmarshalText([]byte) error }]()) {
		return Kind("string"), `"…"`
	}
	switch t.Kind() {
	case reflect.Struct:
		if !open {
			return Kind("{"), "{…}"
		}
		return Kind("{"), object(t)
	case reflect.Map:
		return Kind("{"), `{"…": ` + inner(t.Elem()) + "}"
	case reflect.Slice, reflect.Array:
		return Kind("["), "[" + inner(t.Elem()) + "]"
	case reflect.String:
		return Kind("string"), `"…"`
	case reflect.Bool:
		return Kind("true"), ""
	case reflect.Interface:
		return "another value", ""
	}
	return Kind("number"), ""
}

// object writes an object with its first members.
func object(t reflect.Type) string {
	const most = 4
	var members []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		if len(members) == most {
			members = append(members, "…")
			break
		}
		members = append(members, `"`+name+`": `+inner(f.Type))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// inner is an example of a value within another.
func inner(t reflect.Type) string {
	what, example := expected(t, false)
	switch {
	case example != "":
		return example
	case what == Kind("true"):
		return "true"
	case what == Kind("number"):
		return "1"
	}
	return "…"
}
