package artifact

import (
	"slices"
	"strconv"
	"strings"

	"brenner"
	"brenner/canon"
	"brenner/internal/jsonschema"
)

// Registry holds the types in force: the built-in ones and those a project
// adds. It never changes after NewRegistry and may be shared.
type Registry struct {
	types   map[brenner.TypeName]Type
	names   []brenner.TypeName // sorted
	schemas map[brenner.TypeName]*Schema
	builtin func(Type) (*Schema, error)
}

// Schema is the schema of a type, ready to check content.
type Schema struct{ compiled *jsonschema.Schema }

// Compile makes the schema of a type ready; nil if it has none.
func (t Type) Compile() (*Schema, error) {
	if len(t.Schema) == 0 {
		return nil, nil
	}
	compiled, err := jsonschema.Compile(t.Schema)
	if err != nil {
		return nil, badSchema(t.Name, err)
	}
	return &Schema{compiled}, nil
}

// NewRegistry takes the types a project adds to the built-in ones. It reports
// INVALID_CONFIG, with a pointer into extra, when one is not well formed,
// redefines a built-in or earlier type, or has a schema that does not compile
// or refers to another document; LIMIT_EXCEEDED when there are too many or a
// schema is too large.
//
// A type that names no format is written in JSON if it has a schema, in JSON
// or text if it has none.
//
// The schema of a built-in type is made ready when content of the type is
// checked, each time anew unless Remembering says how to keep it.
func NewRegistry(extra []Type) (*Registry, error) {
	if len(extra) > brenner.MaxProjectTypes {
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "%d project types, more than %d", len(extra), brenner.MaxProjectTypes)
	}
	r := &Registry{types: map[brenner.TypeName]Type{}, schemas: map[brenner.TypeName]*Schema{}, builtin: Type.Compile}
	for _, t := range Builtin() {
		r.types[t.Name] = t
		r.names = append(r.names, t.Name)
	}
	for i, t := range extra {
		if err := r.addProject(t); err != nil {
			return nil, err.At("/" + strconv.Itoa(i) + err.Pointer)
		}
	}
	slices.Sort(r.names)
	return r, nil
}

// Remembering is the registry with built-in schemas made ready by a function
// that calls Type.Compile once for each type: what a command does not check it
// then does not compile, and a server compiles nothing twice.
func (r *Registry) Remembering(builtin func(Type) (*Schema, error)) *Registry {
	c := *r
	c.builtin = builtin
	return &c
}

// Lookup gives a type in force, or UNKNOWN_TYPE with the nearest name.
func (r *Registry) Lookup(name brenner.TypeName) (Type, error) {
	if t, ok := r.types[name]; ok {
		return t, nil
	}
	known := make([]string, len(r.names))
	for i, n := range r.names {
		known[i] = string(n)
	}
	hint, retry := "the types are "+strings.Join(known, ", "), brenner.Again().Asking("type")
	if near := brenner.Nearest(string(name), known); near != "" {
		hint, retry = "did you mean "+near+"? "+hint, brenner.Again("type", near)
	}
	return Type{}, brenner.Errorf(brenner.CodeUnknownType, "no type %q", brenner.Clip(string(name), brenner.MaxQuote)).WithHint(hint).
		Try(retry, brenner.Do("artifact.types"))
}

// Types lists the types in force, sorted by name.
func (r *Registry) Types() []Type {
	list := make([]Type, len(r.names))
	for i, n := range r.names {
		list[i] = r.types[n]
	}
	return list
}

// Validate checks content against its type. It reports UNKNOWN_TYPE,
// LIMIT_EXCEEDED, INVALID_TEXT, INVALID_JSON, or SCHEMA_VIOLATION with the
// pointer of the first violation and a Diagnostic for each.
func (r *Registry) Validate(name brenner.TypeName, c Content) error {
	t, err := r.Lookup(name)
	if err != nil {
		return err
	}
	// Content is an open struct: whoever made it without NewContent is checked
	// here, and numbers are bounded by their canonical form before the schema
	// computes with them.
	c, err = NewContent(c.Format, c.Data)
	if err != nil {
		return err
	}
	if !slices.Contains(t.Formats, c.Format) {
		return brenner.Errorf(brenner.CodeSchemaViolation, "%s is written as %s, not as %s", brenner.A(t.Name), formatList(t.Formats), c.Format).
			WithHint("it is written as "+t.Form()).Try(brenner.Again().Asking("content"), brenner.Do("artifact.types", "name", string(t.Name)))
	}
	if c.Format != JSON || len(t.Schema) == 0 {
		return nil
	}
	schema := r.schemas[name]
	if schema == nil {
		if schema, err = r.builtin(t); err != nil {
			return err
		}
	}
	return violation(t, c.Data, schema.compiled)
}

// addProject adds a type that comes from a project's configuration.
func (r *Registry) addProject(t Type) *brenner.Error {
	if err := t.Name.Check(); err != nil {
		return invalidType("name", "%q is not a valid type name", brenner.Clip(string(t.Name), brenner.MaxQuote)).
			WithHint("use lower-case letters, digits and underscores, starting with a letter")
	}
	if _, exists := r.types[t.Name]; exists {
		return invalidType("name", "the type %s exists already", t.Name).
			WithHint("built-in types cannot be redefined; choose another name")
	}
	if t.Record {
		return invalidType("record", "a project cannot add record types").
			WithHint("their state comes from commands of their own; leave record out")
	}
	if t.Singleton != "" && t.Singleton != PerProject && t.Singleton != PerModule {
		return invalidType("singleton", "unknown singleton scope %q", brenner.Clip(string(t.Singleton), brenner.MaxQuote)).
			WithHint("use project or module, or leave it out")
	}
	for i, f := range t.Formats {
		if f != JSON && f != Text || slices.Contains(t.Formats[:i], f) {
			return invalidType("formats", "unknown or repeated format %q", brenner.Clip(string(f), brenner.MaxQuote)).WithHint("use json, text or both")
		}
	}
	t.Formats = slices.Clone(t.Formats)
	if len(t.Formats) == 0 {
		t.Formats = []Format{JSON}
		if len(t.Schema) == 0 {
			t.Formats = []Format{JSON, Text}
		}
	}
	return r.add(t)
}

// add compiles the schema of a project's type and puts the type in force.
func (r *Registry) add(t Type) *brenner.Error {
	if len(t.Schema) > brenner.MaxSchemaBytes {
		return brenner.Errorf(brenner.CodeLimitExceeded, "the schema of %s has %d bytes, more than %d", t.Name, len(t.Schema), brenner.MaxSchemaBytes).
			At("/schema")
	}
	if len(t.Schema) > 0 {
		canonical, err := canon.Transform(t.Schema)
		if err != nil {
			return badSchema(t.Name, err)
		}
		schema, err := jsonschema.Compile(canonical)
		if err != nil {
			return badSchema(t.Name, err)
		}
		t.Schema, r.schemas[t.Name] = canonical, &Schema{schema}
	}
	r.types[t.Name] = t
	r.names = append(r.names, t.Name)
	return nil
}

func invalidType(field, format string, args ...any) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidConfig, format, args...).At("/" + field)
}

func formatList(formats []Format) string {
	words := make([]string, len(formats))
	for i, f := range formats {
		words[i] = string(f)
	}
	return strings.Join(words, " or ")
}
