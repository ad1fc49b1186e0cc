// Package schema describes Go types as JSON Schema (2020-12), as this program
// writes and reads them: by their JSON names, with text for what is text in
// JSON. The HTTP API and the MCP tools describe themselves with it, so that
// what they say cannot differ from what they take.
package schema

import (
	"encoding"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Schema is a JSON Schema.
type Schema map[string]any

// Field is a member of a struct as JSON has it.
type Field struct {
	Name string
	Type reflect.Type
	// Index finds the field from the outermost struct.
	Index []int
	// Optional says that it is left out when empty.
	Optional bool
	// Doc says what it is, from the tag doc.
	Doc string
	// Owner is the struct that declares it, as GoName.
	Owner  reflect.Type
	GoName string
}

// Fields lists the members of a struct, those of embedded structs among them,
// in order. Of two with one name the shallower counts, as in the JSON library.
func Fields(t reflect.Type) []Field {
	var out []Field
	collect(t, nil, &out)
	return out
}

func collect(t reflect.Type, at []int, out *[]Field) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		index := append(slices.Clone(at), i)
		switch {
		case name == "-":
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			collect(f.Type, index, out)
		case f.IsExported():
			if name == "" {
				name = f.Name
			}
			add(out, Field{Name: name, Type: f.Type, Index: index, Optional: strings.Contains(options, "omit"), Doc: f.Tag.Get("doc"), Owner: t, GoName: f.Name})
		}
	}
}

func add(out *[]Field, f Field) {
	i := slices.IndexFunc(*out, func(o Field) bool { return o.Name == f.Name })
	switch {
	case i < 0:
		*out = append(*out, f)
	case len((*out)[i].Index) > len(f.Index):
		(*out)[i] = f
	}
}

// Writer describes types.
type Writer struct {
	// Depth is how many levels of structs are described; deeper ones are said
	// to be objects and no more. 0: all.
	Depth int
	// Ref, if not nil, gives the address of a struct's schema instead of the
	// schema itself.
	Ref func(t reflect.Type) string
	// Loose requires members of the outermost struct only, for requests of
	// which the rest is filled in by the service.
	Loose bool
	// Closed says of every described struct that it has no other members.
	Closed bool
	// Doc, if not nil, says what a member is whose tag does not.
	Doc func(Field) string
	// Values lists what a type of text may say, where that is few words.
	Values map[reflect.Type][]string
}

// Of describes a type.
func (w Writer) Of(t reflect.Type) Schema { return w.of(t, 1) }

var (
	textType  = reflect.TypeFor[encoding.TextMarshaler]()
	timeType  = reflect.TypeFor[time.Time]()
	valueType = reflect.TypeFor[jsontext.Value]()
	// customType is what writes itself as JSON.
	customType = reflect.TypeFor[json.MarshalerTo]()
)

// IsText says whether a type is a string in JSON.
func IsText(t reflect.Type) bool {
	return t.Kind() == reflect.String || t.Implements(textType) || reflect.PointerTo(t).Implements(textType)
}

func (w Writer) of(t reflect.Type, level int) Schema {
	switch {
	case t == timeType:
		return Schema{"type": "string", "format": "date-time"}
	case t == valueType:
		return Schema{}
	case t.Kind() == reflect.Pointer:
		return w.of(t.Elem(), level)
	case t.Implements(customType):
		return Schema{"type": "object"} // it writes itself, not its members
	case w.Values[t] != nil:
		return Schema{"type": "string", "enum": w.Values[t]}
	case IsText(t):
		return Schema{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Schema{"type": "integer"}
	case reflect.Float32, reflect.Float64:
		return Schema{"type": "number"}
	case reflect.Slice, reflect.Array:
		return w.list(t, level)
	case reflect.Map:
		return w.dictionary(t, level)
	case reflect.Struct:
		return w.object(t, level)
	}
	return Schema{}
}

func (w Writer) list(t reflect.Type, level int) Schema {
	if t.Elem().Kind() == reflect.Uint8 {
		return Schema{"type": "string", "contentEncoding": "base64"}
	}
	out := Schema{"type": "array"}
	if items := w.of(t.Elem(), level); len(items) > 0 {
		out["items"] = items
	}
	return out
}

func (w Writer) dictionary(t reflect.Type, level int) Schema {
	out := Schema{"type": "object"}
	if values := w.of(t.Elem(), level); len(values) > 0 {
		out["additionalProperties"] = values
	}
	return out
}

func (w Writer) object(t reflect.Type, level int) Schema {
	if w.Ref != nil && level > 1 {
		return Schema{"$ref": w.Ref(t)}
	}
	if w.Depth > 0 && level > w.Depth {
		return Schema{"type": "object"}
	}
	properties, required := Schema{}, []string{}
	for _, f := range Fields(t) {
		properties[f.Name] = w.member(f, level)
		if !f.Optional && (level == 1 || !w.Loose) {
			required = append(required, f.Name)
		}
	}
	out := Schema{"type": "object"}
	if len(properties) > 0 || w.Closed {
		out["properties"] = properties
	}
	if len(required) > 0 {
		out["required"] = required
	}
	if w.Closed {
		out["additionalProperties"] = false
	}
	return out
}

// member describes a member of a struct. A pointer that is not left out when
// it is nil is written as null.
func (w Writer) member(f Field, level int) Schema {
	out := w.of(f.Type, level+1)
	if f.Type.Kind() == reflect.Pointer && !f.Optional {
		out = nullable(out)
	}
	if f.Doc == "" && w.Doc != nil {
		f.Doc = w.Doc(f)
	}
	if f.Doc == "" {
		return out
	}
	if _, refers := out["$ref"]; refers {
		out = Schema{"allOf": []Schema{out}}
	}
	out["description"] = f.Doc
	return out
}

// nullable is a schema that allows null as well.
func nullable(s Schema) Schema {
	if one, ok := s["type"].(string); ok && s["enum"] == nil {
		s["type"] = []string{one, "null"}
		return s
	}
	if len(s) == 0 {
		return s
	}
	return Schema{"anyOf": []Schema{s, {"type": "null"}}}
}
