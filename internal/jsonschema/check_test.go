package jsonschema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"brenner/internal/jsonschema"
)

func compiled(t testing.TB, schema string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.Compile([]byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func check(t testing.TB, schema, value string) ([]jsonschema.Finding, error) {
	t.Helper()
	doc, err := jsonschema.Decode([]byte(value))
	if err != nil {
		t.Fatal(err)
	}
	return compiled(t, schema).Check(doc)
}

// C5: each violation has its place and is said in words that its author can follow.
func TestCheck_SaysWhatDoesNotFit(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":["string","null"]}`, `1`, " must be null or a string, not a number"},
		{`{"type":"integer"}`, `1.5`, " must be an integer, not a number"},
		{`{"enum":["a",1,{"b":2}]}`, `"c"`, ` must be one of a, 1, {"b":2}`},
		{`{"const":[1]}`, `[]`, " must be [1]"},
		{`{"maximum":3}`, `3.5`, " must be at most 3, not 3.5"},
		{`{"exclusiveMinimum":3}`, `3`, " must be more than 3, not 3"},
		{`{"multipleOf":0.1}`, `0.35`, " must be a multiple of 1/10, not 0.35"},
		{`{"minLength":1}`, `""`, " must not be empty"},
		{`{"minLength":2}`, `"ä"`, " must have at least 2 characters, not 1"},
		{`{"maxItems":1}`, `[1,2]`, " must have at most 1 item, not 2"},
		{`{"minProperties":1}`, `{}`, " must have at least one member"},
		{`{"uniqueItems":true}`, `[1,"1",{"a":1,"b":2},{"b":2,"a":1}]`, " has the same item twice, 2 and 3"},
		{`{"pattern":"^a"}`, `"b"`, ` "b" does not match ^a`},
		{`{"required":["a","b"]}`, `{}`, ` "a" is missing;  "b" is missing`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, ` "b" is missing, which "a" needs`},
		{`{"properties":{"a/b":{"items":{"type":"string"}}}}`, `{"a/b":["x",1]}`, "/a~1b/1 must be a string, not a number"},
		{`{"additionalProperties":false,"properties":{"a":true}}`, `{"a":1,"b":2}`, `/b "b" is not a known field`},
		{`{"unevaluatedProperties":false,"allOf":[{"properties":{"a":true}}]}`, `{"a":1,"b":2}`, `/b "b" is not a known field`},
		{`{"properties":{"a":false}}`, `{"a":1}`, "/a is not allowed here"},
		{`{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, "/ab its name must have at most 1 character, not 2"},
		{`{"contains":{"const":1},"minContains":2}`, `[1,2]`, " must have at least 2 items of a certain form, not 1"},
		{`{"not":{"type":"null"}}`, `null`, " fits what it must not fit"},
		{`{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `1`, " fits more than one of the allowed forms, and must fit one"},
		{`{"anyOf":[{"type":"string"},{"type":"object","required":["a"]}]}`, `{}`, ` "a" is missing`},
		{`{"anyOf":[{"type":"string"},{"type":"array"}]}`, `1`, " must be an array or a string"},
		{`{"anyOf":[{"maximum":1},{"maximum":2}]}`, `3`, " fits none of the allowed forms"},
		{`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `{"properties":{"a":{"type":"x"}}}`, "/properties/a/type is no schema: must be one of array, boolean, integer, null, number, object, string"},
		{`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `{"type":"string"}`, ""},
	} {
		found, err := check(t, c.schema, c.value)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, f := range found {
			said = append(said, f.Pointer+" "+f.Message)
		}
		if got := strings.Join(said, "; "); got != c.want {
			t.Errorf("%s of %s: %q, not %q", c.schema, c.value, got, c.want)
		}
	}
}

// What a schema asks for is bounded, and so is what is found.
func TestCheck_IsBounded(t *testing.T) {
	// Each definition is looked at twice by the one before: 2^40 ways.
	var defs []string
	for i := range 40 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	_, err := check(t, `{"$ref":"#/$defs/d0","$defs":{`+strings.Join(defs, ",")+`,"d40":false}}`, `1`)
	if !errors.Is(err, jsonschema.ErrTooMuch) {
		t.Errorf("2^40 ways: %v", err)
	}
	for _, circle := range []string{
		`{"$ref":"#"}`, `{"allOf":[{"$ref":"#"}]}`, `{"properties":{"a":{"anyOf":[true,{"$ref":"#/properties/a"}]}}}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"not":{"$ref":"#/$defs/b"}},"b":{"if":{"$ref":"#/$defs/a"}}}}`,
	} {
		if _, err := jsonschema.Compile([]byte(circle)); err == nil || !strings.Contains(err.Error(), "circle") {
			t.Errorf("%s: %v", circle, err)
		}
	}
	if _, err := check(t, `{"$dynamicAnchor":"a","allOf":[{"$dynamicRef":"#a"}]}`, `1`); err == nil || !strings.Contains(err.Error(), "circle") {
		t.Errorf("a circle that a value shows: %v", err)
	}
	found, err := check(t, `{"items":{"type":"string"}}`, "["+strings.Repeat("1,", 50_000)+"1]")
	if err != nil || len(found) < 10_000 || len(found) > 10_100 {
		t.Errorf("%d are told apart of 50,001, %v", len(found), err)
	}
	// Alternatives that fail on the way are no reason to stop.
	found, err = check(t, `{"items":{"anyOf":[{"type":"string"},{"type":"number"}]}}`, "["+strings.Repeat("1,", 50_000)+"null]")
	if err != nil || len(found) != 1 || found[0].Pointer != "/50000" {
		t.Errorf("%v, %v", found, err)
	}
	deep := strings.Repeat(`{"not":`, 5000) + "true" + strings.Repeat("}", 5000)
	if _, err := jsonschema.Compile([]byte(deep)); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Errorf("5000 levels: %v", err)
	}
}
