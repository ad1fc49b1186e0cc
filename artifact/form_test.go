package artifact_test

import (
	"errors"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
)

func TestForm_SaysHowATypeIsWritten(t *testing.T) {
	registry, err := artifact.NewRegistry([]artifact.Type{
		{Name: "plain"}, {Name: "grown", Schema: []byte(`{"type":"object","required":["b","a"],"properties":{"b":{"type":"string"},"a":{"enum":["x","y"]},"c":{"$ref":"#/$defs/d"}},"$defs":{"d":{"description":"sort of"}}}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[brenner.TypeName]string{
		"raw_log":         "text",
		"plain":           "json or text",
		"grown":           "json with a (needed: x|y), b (needed), c (sort of)",
		"analysis_result": "text, or json with result (needed: what was found, as text or as structure), ",
		"critique": "json with finding (needed: what is wrong), code (the kind of finding, for programs: a word in capitals, such as SCOPE_CREEP), evidence, " +
			"recommendation (what should be done about it), severity (info|warning|error), target (a version of an artifact, written ID@VERSION), where (the place, such as a file and a line)",
	} {
		typ, err := registry.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := typ.Form(); got != want && !(strings.HasSuffix(want, ", ") && strings.HasPrefix(got, want)) {
			t.Errorf("%s: %s", name, got)
		}
	}
	for name, want := range map[brenner.TypeName]string{
		"plain": "text", "analysis_result": "text", "raw_log": "text", "grown": "json with a (needed: x|y), b (needed), c",
		"critique": "json with finding (needed: what is wrong), code, evidence, recommendation, severity (info|warning|error), target, where",
	} {
		typ, err := registry.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := typ.Brief(); got != want {
			t.Errorf("%s, in brief: %s", name, got)
		}
	}
	// X11: whoever is refused is told what to write instead.
	for _, content := range []artifact.Content{
		{Format: artifact.JSON, Data: []byte(`{"attack":"no"}`)}, {Format: artifact.Text, Data: []byte("no")},
	} {
		var refused *brenner.Error
		if err := registry.Validate("critique", content); !errors.As(err, &refused) || !strings.Contains(refused.Hint, "finding (needed: what is wrong)") {
			t.Errorf("%s: %v", content.Format, err)
		}
	}
}

func TestCompile_EveryBuiltinSchemaIsWellFormed(t *testing.T) {
	for _, typ := range artifact.Builtin() {
		if schema, err := typ.Compile(); err != nil || (schema == nil) != (len(typ.Schema) == 0) {
			t.Errorf("%s: %v", typ.Name, err)
		}
	}
}

func TestRemembering_AsksOnlyForWhatIsChecked(t *testing.T) {
	registry, err := artifact.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	var asked []brenner.TypeName
	registry = registry.Remembering(func(typ artifact.Type) (*artifact.Schema, error) {
		asked = append(asked, typ.Name)
		return typ.Compile()
	})
	if err := registry.Validate("raw_log", artifact.Content{Format: artifact.Text, Data: []byte("no schema")}); err != nil || asked != nil {
		t.Errorf("asked for %v: %v", asked, err)
	}
	err = registry.Validate("critique", artifact.Content{Format: artifact.JSON, Data: []byte(`{}`)})
	if !errors.Is(err, brenner.CodeSchemaViolation) || len(asked) != 1 || asked[0] != "critique" {
		t.Errorf("asked for %v: %v", asked, err)
	}
}
