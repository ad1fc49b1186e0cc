package web

import (
	"net/url"
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/canon"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// asForm is the form as a browser sends it back untouched: with line ends of
// its own.
func asForm(fields []formField) url.Values {
	form := url.Values{}
	for _, f := range fields {
		form.Set(f.Input(), strings.NewReplacer("\r\n", "\r\n", "\r", "\r\n", "\n", "\r\n").Replace(f.Value))
	}
	return form
}

// N8: a content that is opened in a form and sent back untouched is the same
// content, whatever it holds and whatever the schema says about it.
func TestSchemaForm_WhatIsNotTouchedStays(t *testing.T) {
	var types []artifact.Type
	for _, typ := range artifact.Builtin() {
		if fields, err := schemaFields(typ.Schema); err == nil && len(fields) > 0 && writtenByHand(typ.Name) {
			types = append(types, typ)
		}
	}
	if len(types) < 5 {
		t.Fatalf("only %d types have a form", len(types))
	}
	text := rapid.OneOf(rapid.StringOf(rapid.SampledFrom([]rune("ab \n\r\"{}[]5,tü"))), rapid.SampledFrom([]string{"5", "true", `{"a":1}`, "[1]", `"q"`, " x ", "a\nb", "null"}))
	value := rapid.OneOf(
		rapid.Map(text, func(s string) any { return s }), rapid.Map(rapid.Float64Range(-9, 9), func(f float64) any { return f }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }), rapid.Just[any](nil),
		rapid.Map(rapid.SliceOfN(text, 0, 3), func(s []string) any { return s }),
		rapid.Just[any](map[string]any{"text": "no\ndosing", "must": []any{"x", 1}}), rapid.Just[any]([]any{"a", 5, map[string]any{"b": "c"}}),
	)
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(types).Draw(t, "type")
		fields, err := schemaFields(typ.Schema)
		if err != nil {
			t.Fatal(err)
		}
		content := map[string]any{}
		for _, f := range fields {
			if rapid.Bool().Draw(t, f.Name) {
				content[f.Name] = value.Draw(t, f.Name+" value")
			}
		}
		if rapid.Bool().Draw(t, "more") {
			content["unknown_field"] = value.Draw(t, "unknown")
		}
		raw, err := json.Marshal(content, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		rest, err := fillFields(fields, raw)
		if err != nil {
			t.Fatal(err)
		}
		back, err := readFields(typ.Schema, rest, asForm(fields))
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if want, got := canonical(t, raw), canonical(t, back); want != got {
			t.Fatalf("%s\nbecame\n%s", want, got)
		}
	})
}

func canonical(t *rapid.T, raw jsontext.Value) string {
	out, err := canon.Transform(raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return string(out)
}

// What a person types becomes what the schema wants.
func TestSchemaForm_ReadsWhatIsTyped(t *testing.T) {
	var brief, assumption artifact.Type
	for _, typ := range artifact.Builtin() {
		switch typ.Name {
		case artifact.TypeProjectBrief:
			brief = typ
		case artifact.TypeAssumption:
			assumption = typ
		}
	}
	for _, c := range []struct {
		schema jsontext.Value
		form   url.Values
		want   string
	}{
		{brief.Schema, url.Values{"text.question": {"Why?\r\nReally"}, "lines.goals": {"2026\r\n\r\n a \r\n{not json"}, "lines.in_scope": {" "}}, `{"goals":["2026","a","{not json"],"question":"Why?\nReally"}`},
		{brief.Schema, url.Values{"text.question": {"Why?"}, "lines.constraints": {"plain\n{\"text\":\"t\",\"must\":\"m\"}"}}, `{"constraints":["plain",{"must":"m","text":"t"}],"question":"Why?"}`},
		{assumption.Schema, url.Values{"text.statement": {"s"}, "json.value": {"12.5"}, "choice.polarity": {"denied"}}, `{"polarity":"denied","statement":"s","value":12.5}`},
		{assumption.Schema, url.Values{"text.statement": {"s"}, "json.value": {"twelve"}, "choice.polarity": {""}}, `{"statement":"s","value":"twelve"}`},
	} {
		got, err := readFields(c.schema, nil, c.form)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := canon.Transform(got); err != nil || string(out) != c.want {
			t.Errorf("%v becomes %s (%v), want %s", c.form, out, err, c.want)
		}
	}
}
