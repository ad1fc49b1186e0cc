package jsonschema_test

import (
	"bytes"
	"errors"
	"flag"
	"strings"
	"testing"

	"brenner/canon"
	"brenner/internal/jsonschema"

	library "github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// TestMain asks for more random cases than rapid's 100; the flag on the command
// line still overrides it.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "4000"); err != nil {
		panic(err)
	}
	m.Run()
}

// The vocabulary of random schemas is small, so that they meet the values.
var (
	names   = rapid.SampledFrom([]string{"a", "b", "ab", "a/b", "x~y", ""})
	words   = rapid.SampledFrom([]string{"", "a", "ab", "abc", "ä", "1"})
	numbers = rapid.SampledFrom([]any{0, 1, 2, 3, -1, 0.5, 0.1, 0.3, 1.5, 1e20, 1e-7})
	regexps = rapid.SampledFrom([]string{"^a", "b$", ".", "^$", "[0-9]"})
	typeSet = rapid.SampledFrom([]any{"array", "boolean", "integer", "null", "number", "object", "string", []any{"string", "null"}, []any{"integer", "array", "object"}})
	refs    = rapid.SampledFrom([]string{"#", "#/$defs/a", "#/$defs/b", "#here", "#there", "other", "other#/$defs/c", "#/properties/a"})
)

func value(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 6).Draw(t, "kind"); {
	case kind == 0:
		return nil
	case kind == 1:
		return rapid.Bool().Draw(t, "bool")
	case kind <= 3 || depth == 0:
		if rapid.Bool().Draw(t, "number") {
			return numbers.Draw(t, "n")
		}
		return words.Draw(t, "word")
	case kind == 4:
		out := []any{}
		for range rapid.IntRange(0, 4).Draw(t, "items") {
			out = append(out, value(t, depth-1))
		}
		return out
	}
	out := map[string]any{}
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		out[names.Draw(t, "name")] = value(t, depth-1)
	}
	return out
}

func schema(t *rapid.T, depth int) any {
	if rapid.IntRange(0, 7).Draw(t, "plain") == 0 {
		return rapid.Bool().Draw(t, "boolean")
	}
	out := map[string]any{}
	count := func() any { return rapid.IntRange(0, 3).Draw(t, "count") }
	sub := func() any {
		if depth == 0 {
			return map[string]any{"type": typeSet.Draw(t, "type")}
		}
		return schema(t, depth-1)
	}
	several := func() any {
		list := []any{}
		for range rapid.IntRange(1, 3).Draw(t, "several") {
			list = append(list, sub())
		}
		return list
	}
	named := func(name *rapid.Generator[string]) any {
		all := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "named") {
			all[name.Draw(t, "name")] = sub()
		}
		return all
	}
	for range rapid.IntRange(0, 4).Draw(t, "keywords") {
		switch k := rapid.SampledFrom(keywords).Draw(t, "keyword"); k {
		case "type":
			out[k] = typeSet.Draw(t, "type")
		case "enum":
			out[k] = []any{value(t, 1), value(t, 1), value(t, 0)}
		case "const":
			out[k] = value(t, 1)
		case "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum":
			out[k] = numbers.Draw(t, "bound")
		case "multipleOf":
			out[k] = rapid.SampledFrom([]any{1, 2, 0.1, 0.5, 1e-7}).Draw(t, "multiple")
		case "pattern":
			out[k] = regexps.Draw(t, "pattern")
		case "uniqueItems":
			out[k] = rapid.Bool().Draw(t, "unique")
		case "required":
			out[k] = rapid.SliceOfNDistinct(names, 0, 2, rapid.ID).Draw(t, "required")
		case "dependentRequired":
			out[k] = map[string]any{names.Draw(t, "with"): rapid.SliceOfNDistinct(names, 0, 2, rapid.ID).Draw(t, "needs")}
		case "properties", "dependentSchemas":
			out[k] = named(names)
		case "patternProperties":
			out[k] = named(regexps)
		case "$defs":
			out[k] = named(rapid.SampledFrom([]string{"a", "b", "c"}))
		case "$ref", "$dynamicRef":
			out[k] = refs.Draw(t, "ref")
		case "$anchor", "$dynamicAnchor":
			out[k] = rapid.SampledFrom([]string{"here", "there"}).Draw(t, "anchor")
		case "$id":
			out[k] = rapid.SampledFrom([]string{"other", "folder/other"}).Draw(t, "id")
		case "allOf", "anyOf", "oneOf", "prefixItems":
			out[k] = several()
		case "maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties", "maxContains", "minContains":
			out[k] = count()
		default:
			out[k] = sub()
		}
	}
	if rapid.IntRange(0, 15).Draw(t, "slip") == 0 { // what no schema may have
		out[rapid.SampledFrom(keywords).Draw(t, "keyword")] = value(t, 1)
	}
	return out
}

var keywords = strings.Fields(`type enum const maximum exclusiveMaximum minimum exclusiveMinimum multipleOf pattern uniqueItems required dependentRequired
	properties dependentSchemas patternProperties $defs $ref $dynamicRef $anchor $dynamicAnchor $id allOf anyOf oneOf prefixItems maxLength minLength maxItems minItems
	maxProperties minProperties maxContains minContains items contains additionalProperties propertyNames not if then else unevaluatedProperties unevaluatedItems contentSchema`)

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("outside") }

// C5: what fits a schema, and what is a schema, is what a library says that passes the
// official suite; random schemas and values are held to it.
func TestCheck_AsTheLibrary(t *testing.T) {
	schemas, fits, not := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		raw := canon.MustMarshal(schema(t, 3))
		ours, err := jsonschema.Compile(raw)
		theirs, theirErr := compileTheirs(raw)
		if err != nil && strings.Contains(err.Error(), "circle") {
			return // the library finds that out when a value comes there
		}
		if (err == nil) != (theirErr == nil) {
			t.Fatalf("%s\nwe say %v\nthe library %v", raw, err, theirErr)
		}
		if err != nil {
			return
		}
		schemas++
		for range 4 {
			doc := canon.MustMarshal(value(t, 3))
			decoded, err := jsonschema.Decode(doc)
			if err != nil {
				t.Fatal(err)
			}
			found, err := ours.Check(decoded)
			if err != nil {
				if !strings.Contains(err.Error(), "circle") {
					t.Fatalf("%s of %s: %v", raw, doc, err)
				}
				continue
			}
			again, _ := ours.Check(decoded)
			if len(again) != len(found) || len(found) > 0 && again[0] != found[0] {
				t.Fatalf("%s of %s: not the same twice: %v and %v", raw, doc, found, again)
			}
			v, err := library.UnmarshalJSON(bytes.NewReader(doc))
			if err != nil {
				t.Fatal(err)
			}
			if bad := theirs.Validate(v); (bad == nil) != (len(found) == 0) {
				t.Fatalf("%s of %s\nwe find %v\nthe library %v", raw, doc, found, bad)
			} else if bad == nil {
				fits++
			} else {
				not++
			}
			for _, f := range found {
				if f.Message == "" {
					t.Fatalf("%s of %s: a finding without words: %v", raw, doc, found)
				}
			}
		}
	})
	t.Logf("%d schemas, %d values fit, %d do not", schemas, fits, not)
}

// C5: what stands in a schema and nothing leads to may refer to anything, also below a name that
// $dynamicRef may find; what a resource says that is entered anywhere may not.
func TestCompile_FollowsWhatIsReachedAsTheLibrary(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"contentSchema":{"$dynamicAnchor":"here","$id":"other","$ref":"a"}}`:                                           true,
		`{"contentSchema":{"$dynamicAnchor":"here","$ref":"a"}}`:                                                         false,
		`{"$defs":{"a":{"$id":"other","$ref":"gone","$defs":{"b":{"$anchor":"here"}}}}}`:                                 true,
		`{"$defs":{"a":{"$id":"other","$ref":"gone","$defs":{"b":{"$anchor":"here"}}}},"$ref":"other#here"}`:             false,
		`{"$defs":{"a":{"$id":"other","$defs":{"b":{"$dynamicAnchor":"here","$ref":"gone"}}}},"items":{"$ref":"other"}}`: false,
	} {
		_, ours := jsonschema.Compile([]byte(raw))
		_, theirs := compileTheirs([]byte(raw))
		if (ours == nil) != want || (theirs == nil) != want {
			t.Errorf("%s: want %v\nwe say %v\nthe library %v", raw, want, ours, theirs)
		}
	}
}

func compileTheirs(raw []byte) (*library.Schema, error) {
	c := library.NewCompiler()
	c.DefaultDraft(library.Draft2020)
	c.UseLoader(noLoader{})
	doc, err := library.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	if err := c.AddResource("schema:///", doc); err != nil {
		return nil, err
	}
	return c.Compile("schema:///")
}
