package artifact

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// dialect is the only JSON Schema dialect that types are written in (C5).
const dialect = "https://json-schema.org/draft/2020-12/schema"

// errRemote refuses a reference from one schema to another document: what a
// type means must not depend on anything outside the project.
var errRemote = errors.New("a schema may refer only to itself")

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errRemote }

// newCompiler gives a compiler that reads nothing but what it is handed.
func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	return c
}

// compileSchema compiles one canonical schema.
func compileSchema(c *jsonschema.Compiler, name brenner.TypeName, canonical []byte) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(canonical))
	if err != nil {
		return nil, err
	}
	if obj, ok := doc.(map[string]any); ok {
		if uri, ok := obj["$schema"]; ok && uri != dialect {
			return nil, brenner.Errorf(brenner.CodeInvalidConfig, "the schema is not JSON Schema 2020-12").
				At("/$schema").WithHint("leave $schema out or use " + dialect)
		}
	}
	url := "brenner:///types/" + string(name)
	if err := c.AddResource(url, doc); err != nil {
		return nil, err
	}
	return c.Compile(url)
}

// badSchema reports a schema that cannot be used.
func badSchema(name brenner.TypeName, err error) *brenner.Error {
	e := brenner.Errorf(brenner.CodeInvalidConfig, "the schema of %s cannot be used", name).
		WithHint("it must be one self-contained JSON Schema 2020-12 document").Because(err)
	var (
		ours    *brenner.Error
		invalid *jsonschema.SchemaValidationError
		load    *jsonschema.LoadURLError
		lost    *jsonschema.JSONPointerNotFoundError
	)
	switch {
	case errors.As(err, &ours):
		e.Message += ": " + ours.Message
		e.Pointer = ours.Pointer
	case errors.As(err, &load):
		e.Message += ": it refers to " + strconv.Quote(brenner.Clip(load.URL, brenner.MaxQuote)) + ", which is outside it"
	case errors.As(err, &lost):
		_, pointer, _ := strings.Cut(lost.URL, "#")
		e.Message += ": nothing is at " + strconv.Quote(brenner.Clip(pointer, brenner.MaxQuote))
	case errors.As(err, &invalid):
		var v *jsonschema.ValidationError
		if errors.As(invalid.Err, &v) {
			first := findings(v)[0]
			e.Message += ": " + first.Message
			e.Pointer = first.Pointer
		}
	default:
		e.Message += ": " + err.Error()
	}
	return e.At("/schema" + e.Pointer)
}

// violation validates canonical JSON and reports SCHEMA_VIOLATION.
func violation(t Type, canonical []byte, schema *jsonschema.Schema) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(canonical))
	if err != nil {
		return err
	}
	err = schema.Validate(doc)
	if err == nil {
		return nil
	}
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return err
	}
	found := findings(v)
	first := found[0]
	e := brenner.Errorf(brenner.CodeSchemaViolation, "the content does not fit %s: %s", t.Name, first.Message).At(first.Pointer)
	if more := len(found) - 1; more > 0 {
		listed := ""
		if len(found) > brenner.MaxViolations {
			listed = fmt.Sprintf(", of which %d are listed", brenner.MaxViolations-1)
		}
		e.Message += fmt.Sprintf(" (and %d more%s)", more, listed)
	}
	return e.WithHint("mend what is named; it is written as "+t.Form()).Try(brenner.Again().Asking("content"), brenner.Do("artifact.types", "name", string(t.Name))).
		WithDiagnostics(found[:min(len(found), brenner.MaxViolations)])
}

// findings flattens a tree of validation errors into what its author has to
// mend, in order of pointer. The library walks maps, so the order is ours.
func findings(v *jsonschema.ValidationError) []brenner.Diagnostic {
	var list []brenner.Diagnostic
	collect(v, &list)
	slices.SortStableFunc(list, func(a, b brenner.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(list)
}

func collect(v *jsonschema.ValidationError, list *[]brenner.Diagnostic) {
	switch k := v.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		if one, ok := k.(*kind.OneOf); ok && one.Subschemas != nil {
			break // it fits several forms: there is no branch to blame
		}
		if meant, ok := meantBranch(v); ok {
			collect(meant, list)
			return
		}
		*list = append(*list, finding(v, noForm(v)))
		return
	case *kind.Required:
		for _, name := range k.Missing {
			*list = append(*list, finding(v, strconv.Quote(brenner.Clip(name, brenner.MaxQuote))+" is missing"))
		}
		return
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			*list = append(*list, finding(v, strconv.Quote(brenner.Clip(name, brenner.MaxQuote))+" is not a known field", name))
		}
		return
	}
	if len(v.Causes) == 0 {
		*list = append(*list, finding(v, explain(v.ErrorKind)))
		return
	}
	for _, cause := range v.Causes {
		collect(cause, list)
	}
}

// meantBranch picks, among alternatives that all failed, the only one whose
// outermost type fitted: that is the one the author was writing.
func meantBranch(v *jsonschema.ValidationError) (*jsonschema.ValidationError, bool) {
	var meant *jsonschema.ValidationError
	for _, branch := range v.Causes {
		if len(wrongTypes(branch, v.InstanceLocation)) > 0 {
			continue
		}
		if meant != nil {
			return nil, false //nolint:nilerr // branches are findings, not failures
		}
		meant = branch
	}
	return meant, meant != nil
}

// wrongTypes gives the types that a failed branch wanted at the location
// itself, nil if its type was right.
func wrongTypes(v *jsonschema.ValidationError, at []string) []string {
	if k, ok := v.ErrorKind.(*kind.Type); ok && slices.Equal(v.InstanceLocation, at) {
		return k.Want
	}
	var want []string
	for _, cause := range v.Causes {
		want = append(want, wrongTypes(cause, at)...)
	}
	return want
}

// noForm says that a value fits none of several alternatives.
func noForm(v *jsonschema.ValidationError) string {
	want := wrongTypes(v, v.InstanceLocation)
	if len(want) == 0 {
		return "fits none of the allowed forms"
	}
	slices.Sort(want)
	return "must be " + alternatives(slices.Compact(want))
}

// finding makes a Diagnostic about the place of v, or about a member below it.
func finding(v *jsonschema.ValidationError, text string, member ...string) brenner.Diagnostic {
	pointer := jsontext.Pointer("")
	for _, token := range slices.Concat(v.InstanceLocation, member) {
		pointer = pointer.AppendToken(token)
	}
	return brenner.Diagnostic{
		Code: brenner.CodeSchemaViolation, Severity: brenner.SeverityError,
		Message: text, Pointer: string(pointer),
	}
}

var english = message.NewPrinter(language.English)

// explain puts one violation into words. The commonest are ours, so that they
// are short and their lists are sorted; the rest are the library's.
func explain(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "must be " + alternatives(slices.Sorted(slices.Values(k.Want))) + ", not " + article(k.Got)
	case *kind.Enum:
		return "must be one of " + values(k.Want)
	case *kind.MinLength:
		if k.Want == 1 {
			return "must not be empty"
		}
	case *kind.MinItems:
		if k.Want == 1 {
			return "must have at least one item"
		}
	case *kind.Pattern:
		return strconv.Quote(brenner.Clip(k.Got, brenner.MaxQuote)) + " does not match " + k.Want
	case *kind.FalseSchema:
		return "is not allowed here"
	}
	return k.LocalizedString(english)
}

func values(list []any) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}

func alternatives(types []string) string {
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = article(t)
	}
	return strings.Join(words, " or ")
}

func article(jsonType string) string {
	switch jsonType {
	case "object", "array", "integer":
		return "an " + jsonType
	case "null":
		return jsonType
	}
	return "a " + jsonType
}
