package jsonschema

import (
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reader reads the keywords of a schema.
type reader struct {
	d       *document
	s       *Schema
	pointer string
	depth   int
}

func (r *reader) at(keyword string) string { return r.pointer + "/" + escape(keyword) }

func (r *reader) sub(value any, pointer string) (*Schema, *Error) {
	return r.d.schema(value, pointer, r.s.in, r.depth+1)
}

// keyword reads one keyword of a schema.
type keyword func(r *reader, name string, value any) *Error

// keywords say how each is read; what is not among them means nothing.
func keywords() map[string]keyword {
	return map[string]keyword{
		"$ref": referring, "$dynamicRef": referring, "$defs": defining, "definitions": defining,
		"$comment": describing("string"), "$vocabulary": describing("object"),
		"title": describing("string"), "description": describing("string"), "format": describing("string"), "contentEncoding": describing("string"),
		"contentMediaType": describing("string"), "deprecated": describing("boolean"), "readOnly": describing("boolean"), "writeOnly": describing("boolean"),
		"examples": describing("array"), "contentSchema": one(func(*Schema) **Schema { return new(*Schema) }),

		"type": typing, "enum": enumerating, "const": func(r *reader, _ string, v any) *Error { r.s.constant = &v; return nil },
		"multipleOf": dividing, "pattern": matching, "uniqueItems": distinguishing,
		"maximum": bounding, "exclusiveMaximum": bounding, "minimum": bounding, "exclusiveMinimum": bounding,
		"maxLength": limiting, "minLength": limiting, "maxItems": limiting, "minItems": limiting, "maxProperties": limiting, "minProperties": limiting,
		"maxContains": counting, "minContains": counting,
		"required": requiring, "dependentRequired": needing,

		"items": one(func(s *Schema) **Schema { return &s.items }), "contains": one(func(s *Schema) **Schema { return &s.contains }),
		"additionalProperties": one(func(s *Schema) **Schema { return &s.additional }), "propertyNames": one(func(s *Schema) **Schema { return &s.names }),
		"not": one(func(s *Schema) **Schema { return &s.not }), "if": one(func(s *Schema) **Schema { return &s.condition }),
		"then": one(func(s *Schema) **Schema { return &s.then }), "else": one(func(s *Schema) **Schema { return &s.or }),
		"unevaluatedProperties": tracking(func(s *Schema) **Schema { return &s.unevaluated }), "unevaluatedItems": tracking(func(s *Schema) **Schema { return &s.unevaluatedIn }),
		"prefixItems": several(func(s *Schema) *[]*Schema { return &s.prefixItems }), "allOf": several(func(s *Schema) *[]*Schema { return &s.allOf }),
		"anyOf": several(func(s *Schema) *[]*Schema { return &s.anyOf }), "oneOf": several(func(s *Schema) *[]*Schema { return &s.oneOf }),
		"properties": named(func(s *Schema, name string, in *Schema) {
			if s.properties == nil {
				s.properties = map[string]*Schema{}
			}
			s.properties[name] = in
		}),
		"dependentSchemas":  named(func(s *Schema, name string, in *Schema) { s.dependents = append(s.dependents, dependent{name, in}) }),
		"patternProperties": patterning,
	}
}

func referring(r *reader, name string, value any) *Error {
	text, ok := value.(string)
	if !ok {
		return misfit(r.at(name), value, "string")
	}
	r.s.refs = append(r.s.refs, reference{to: text, pointer: r.at(name), dynamic: name == "$dynamicRef"})
	return nil
}

func defining(r *reader, name string, value any) *Error {
	return named(func(*Schema, string, *Schema) {})(r, name, value)
}

// describing reads what only has to be of a type.
func describing(want string) keyword {
	return func(r *reader, name string, value any) *Error {
		if typeOf(value) != want {
			return misfit(r.at(name), value, want)
		}
		return nil
	}
}

func one(where func(*Schema) **Schema) keyword {
	return func(r *reader, name string, value any) *Error {
		s, err := r.sub(value, r.at(name))
		*where(r.s) = s
		return err
	}
}

func tracking(where func(*Schema) **Schema) keyword {
	return func(r *reader, name string, value any) *Error {
		r.d.tracks = true
		return one(where)(r, name, value)
	}
}

func several(where func(*Schema) *[]*Schema) keyword {
	return func(r *reader, name string, value any) *Error {
		list, ok := value.([]any)
		switch {
		case !ok:
			return misfit(r.at(name), value, "array")
		case len(list) == 0:
			return &Error{r.at(name), "must have at least one item"}
		}
		for i, v := range list {
			s, err := r.sub(v, r.at(name)+"/"+strconv.Itoa(i))
			if err != nil {
				return err
			}
			*where(r.s) = append(*where(r.s), s)
		}
		return nil
	}
}

func named(add func(s *Schema, name string, in *Schema)) keyword {
	return func(r *reader, name string, value any) *Error {
		all, ok := value.(map[string]any)
		if !ok {
			return misfit(r.at(name), value, "object")
		}
		for _, key := range slices.Sorted(maps.Keys(all)) {
			s, err := r.sub(all[key], r.at(name)+"/"+escape(key))
			if err != nil {
				return err
			}
			add(r.s, key, s)
		}
		return nil
	}
}

func patterning(r *reader, name string, value any) *Error {
	var bad *Error
	err := named(func(s *Schema, key string, in *Schema) {
		p, err := regexp.Compile(key)
		if err != nil {
			bad = &Error{r.at(name), strconv.Quote(clip(key)) + " is no regular expression: " + reason(err)}
			return
		}
		s.patterns = append(s.patterns, patternSchema{p, in})
	})(r, name, value)
	if err != nil {
		return err
	}
	return bad
}

// types are the names of the types of values.
var types = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

func typing(r *reader, name string, value any) *Error {
	known := func(v any, pointer string) *Error {
		text, ok := v.(string)
		if !ok || !slices.Contains(types, text) {
			return &Error{pointer, "must be one of " + strings.Join(types, ", ")}
		}
		r.s.types = append(r.s.types, text)
		return nil
	}
	list, ok := value.([]any)
	if !ok {
		return known(value, r.at(name))
	}
	if err := set(list, r.at(name), true); err != nil {
		return err
	}
	for i, v := range list {
		if err := known(v, r.at(name)+"/"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

// set refuses an array with two items that are the same, or with none where some must be.
func set(list []any, pointer string, some bool) *Error {
	if some && len(list) == 0 {
		return &Error{pointer, "must have at least one item"}
	}
	if i, j, twice := repeated(list); twice {
		return &Error{pointer, sameItems(i, j)}
	}
	return nil
}

func enumerating(r *reader, name string, value any) *Error {
	list, ok := value.([]any)
	if !ok {
		return misfit(r.at(name), value, "array")
	}
	r.s.enum = list
	r.s.words = map[string]bool{}
	for _, v := range list {
		if text, ok := v.(string); ok {
			r.s.words[text] = true
		}
	}
	return nil
}

func dividing(r *reader, name string, value any) *Error {
	n, ok := value.(float64)
	switch {
	case !ok:
		return misfit(r.at(name), value, "number")
	case n <= 0:
		return &Error{r.at(name), "must be more than 0"}
	}
	r.s.multipleOf = decimal(n)
	return nil
}

func matching(r *reader, name string, value any) *Error {
	text, ok := value.(string)
	if !ok {
		return misfit(r.at(name), value, "string")
	}
	p, err := regexp.Compile(text)
	if err != nil {
		return &Error{r.at(name), strconv.Quote(clip(text)) + " is no regular expression: " + reason(err)}
	}
	r.s.pattern = p
	return nil
}

func reason(err error) string {
	_, why, _ := strings.Cut(err.Error(), "error parsing regexp: ")
	return clip(why)
}

func distinguishing(r *reader, name string, value any) *Error {
	yes, ok := value.(bool)
	if !ok {
		return misfit(r.at(name), value, "boolean")
	}
	r.s.unique = yes
	return nil
}

func bounding(r *reader, name string, value any) *Error {
	n, ok := value.(float64)
	if !ok {
		return misfit(r.at(name), value, "number")
	}
	r.s.bounds = append(r.s.bounds, bound{name, n})
	return nil
}

// count reads a number of things.
func (r *reader) count(name string, value any) (float64, *Error) {
	n, ok := value.(float64)
	switch {
	case !ok || n != math.Trunc(n):
		return 0, misfit(r.at(name), value, "integer")
	case n < 0:
		return 0, &Error{r.at(name), "must be at least 0"}
	}
	return n, nil
}

func limiting(r *reader, name string, value any) *Error {
	n, err := r.count(name, value)
	r.s.limits = append(r.s.limits, limit{name, n})
	return err
}

func counting(r *reader, name string, value any) *Error {
	n, err := r.count(name, value)
	most := int(min(n, math.MaxInt32))
	if name == "minContains" {
		r.s.minContains = most
	} else {
		r.s.maxContains = most
	}
	return err
}

// strings reads an array of different strings.
func (r *reader) strings(value any, pointer string) ([]string, *Error) {
	list, ok := value.([]any)
	if !ok {
		return nil, misfit(pointer, value, "array")
	}
	out := make([]string, len(list))
	for i, v := range list {
		if out[i], ok = v.(string); !ok {
			return nil, misfit(pointer+"/"+strconv.Itoa(i), v, "string")
		}
	}
	return out, set(list, pointer, false)
}

func requiring(r *reader, name string, value any) (err *Error) {
	r.s.required, err = r.strings(value, r.at(name))
	return err
}

func needing(r *reader, name string, value any) *Error {
	all, ok := value.(map[string]any)
	if !ok {
		return misfit(r.at(name), value, "object")
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		names, err := r.strings(all[key], r.at(name)+"/"+escape(key))
		if err != nil {
			return err
		}
		r.s.needs = append(r.s.needs, need{key, names})
	}
	return nil
}

// misfit says that a value is of another type than those it may be.
func misfit(pointer string, value any, want ...string) *Error {
	return &Error{pointer, wrongType(want, typeOf(value))}
}

func escape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// decimal is a number as it is written, which its nearest binary one is not.
func decimal(n float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(n, 'g', -1, 64))
	return r
}
