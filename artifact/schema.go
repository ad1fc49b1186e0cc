package artifact

import (
	"errors"
	"fmt"

	"brenner"
	"brenner/internal/jsonschema"
)

// badSchema reports a schema that cannot be used.
func badSchema(name brenner.TypeName, err error) *brenner.Error {
	e := brenner.Errorf(brenner.CodeInvalidConfig, "the schema of %s cannot be used", name).
		WithHint("it must be one self-contained JSON Schema 2020-12 document").Because(err)
	var (
		ours    *brenner.Error
		invalid *jsonschema.Error
	)
	switch {
	case errors.As(err, &ours):
		e.Message += ": " + ours.Message
		e.Pointer = ours.Pointer
	case errors.As(err, &invalid):
		e.Message += ": " + invalid.Message
		e.Pointer = invalid.Pointer
	default:
		e.Message += ": " + err.Error()
	}
	return e.At("/schema" + e.Pointer)
}

// violation checks canonical JSON and reports SCHEMA_VIOLATION.
func violation(t Type, canonical []byte, schema *jsonschema.Schema) error {
	doc, err := jsonschema.Decode(canonical)
	if err != nil {
		return err
	}
	found, err := schema.Check(doc)
	if err != nil {
		return brenner.Errorf(brenner.CodeLimitExceeded, "the content cannot be held against the schema of %s: %v", t.Name, err).
			WithHint("the schema of the type asks for too much of a content like this: make it simpler, or the content smaller").Because(err)
	}
	if len(found) == 0 {
		return nil
	}
	list := make([]brenner.Diagnostic, min(len(found), brenner.MaxViolations))
	for i := range list {
		list[i] = brenner.Diagnostic{Code: brenner.CodeSchemaViolation, Severity: brenner.SeverityError, Message: found[i].Message, Pointer: found[i].Pointer}
	}
	e := brenner.Errorf(brenner.CodeSchemaViolation, "the content does not fit %s: %s", t.Name, found[0].Message).At(found[0].Pointer)
	if more := len(found) - 1; more > 0 {
		listed := ""
		if len(found) > brenner.MaxViolations {
			listed = fmt.Sprintf(", of which %d are listed", brenner.MaxViolations-1)
		}
		e.Message += fmt.Sprintf(" (and %d more%s)", more, listed)
	}
	return e.WithHint("mend what is named; it is written as "+t.Form()).Try(brenner.Again().Asking("content"), brenner.Do("artifact.types", "name", string(t.Name))).
		WithDiagnostics(list)
}
