package artifact

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestMain asks for more random cases than rapid's 100; the flag on the command
// line still overrides it.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "3000"); err != nil {
		panic(err)
	}
	m.Run()
}

func newRegistry(t testing.TB, extra ...Type) *Registry {
	t.Helper()
	r, err := NewRegistry(extra)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// problem checks the code and pointer of an error and gives it back whole.
func problem(t *testing.T, what string, err error, code brenner.Code, pointer string) *brenner.Error {
	t.Helper()
	var e *brenner.Error
	if code == "" {
		if err != nil {
			t.Errorf("%s: %v, want no error", what, err)
		}
		return nil
	}
	if !errors.As(err, &e) || e.Code != code || e.Pointer != pointer {
		t.Errorf("%s: %v at %q, want %s at %q", what, err, pointerOf(e), code, pointer)
		return &brenner.Error{}
	}
	return e
}

func pointerOf(e *brenner.Error) string {
	if e == nil {
		return ""
	}
	return e.Pointer
}

// C5: every type that can be JSON has a schema, and the flags that the rules
// go by are those the rules name.
func TestBuiltin_Flags(t *testing.T) {
	var core, project, module, hidden, records, prose []brenner.TypeName
	types := Builtin()
	for _, typ := range types {
		if typ.Core {
			core = append(core, typ.Name)
		}
		switch typ.Singleton {
		case PerProject:
			project = append(project, typ.Name)
		case PerModule:
			module = append(module, typ.Name)
		}
		if !typ.Contextual {
			hidden = append(hidden, typ.Name)
		}
		if typ.Record {
			records = append(records, typ.Name)
		}
		if !slices.Contains(typ.Formats, JSON) {
			prose = append(prose, typ.Name)
		}
		if hasSchema := len(typ.Schema) > 0; hasSchema != slices.Contains(typ.Formats, JSON) {
			t.Errorf("%s: schema %v, formats %v", typ.Name, hasSchema, typ.Formats)
		}
		if typ.Title == "" || typ.Description == "" || typ.Name.Check() != nil {
			t.Errorf("%+v is not explained", typ.Name)
		}
	}
	for _, tt := range []struct {
		what      string
		got, want []brenner.TypeName
	}{
		{"core", core, []brenner.TypeName{TypeIntegratedMemo, TypeManuscriptSection, TypeModelSpec, TypeProjectBrief, TypeProjectSummary}},
		{"one per project", project, []brenner.TypeName{TypeProjectBrief, TypeProjectSummary}},
		{"one per module", module, []brenner.TypeName{TypeIntegratedMemo}},
		{"never in a context", hidden, []brenner.TypeName{TypeContextView, TypeRawLog, TypeRolePolicy, TypeRoster}},
		{"records", records, []brenner.TypeName{TypeTask}},
		{"text only", prose, []brenner.TypeName{TypeRawLog}},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.what, diff)
		}
	}
	if len(types) != 19 || !slices.IsSortedFunc(types, func(a, b Type) int { return strings.Compare(string(a.Name), string(b.Name)) }) {
		t.Errorf("%d built-in types, want 19 sorted by name", len(types))
	}
}

// C14: brief and summary have one slot in the project, memos one per module.
func TestSlot(t *testing.T) {
	r := newRegistry(t)
	for name, want := range map[brenner.TypeName]string{
		TypeProjectBrief: "project_brief", TypeIntegratedMemo: "integrated_memo/core", TypePaperNote: "",
	} {
		typ, err := r.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := Slot(typ, "core"); got != want {
			t.Errorf("slot of %s is %q, want %q", name, got, want)
		}
	}
}

// C5: content that fits its type is taken, in all the ways people write it.
func TestValidate_Fits(t *testing.T) {
	r := newRegistry(t)
	for _, tt := range []struct {
		typ     brenner.TypeName
		format  Format
		content string
	}{
		{TypeProjectBrief, JSON, `{"question":"What sets cell fate?"}`},
		{TypeProjectBrief, JSON, `{"question":"q","goals":["g"],"in_scope":[],"out_of_scope":["mice"],"constraints":["cheap",{"text":"no animals","must_not":"mouse|mice"},{"text":"cite","must":["doi","arxiv"]}],"anything":{"else":1}}`},
		{TypeProjectSummary, Text, "In short."},
		{TypeProjectSummary, JSON, `{"text":"In short.","covers":120}`},
		{TypeIntegratedMemo, JSON, `{"text":"All we know.","covers":0,"highlights":["a"],"sources":["note-1@2"]}`},
		{TypePaperNote, JSON, `{"title":"T","authors":["A"],"year":1961,"source":"doi:10/x","claims":["c",{"text":"d","confidence":0.5}],"notes":"n"}`},
		{TypePaperNote, Text, "A note in words."},
		{TypeModelSpec, JSON, `{"name":"m","equations":["x'=-x"],"parameters":{"k":1}}`},
		{TypeAnalysisResult, JSON, `{"result":{"p":0.01},"method":"t-test"}`},
		{TypeManuscriptSection, Text, "# Results\n"},
		{TypeManuscriptSection, JSON, `{"title":"Results","body":"…"}`},
		{TypeAssumption, JSON, `{"statement":"s","subject":"x","relation":"is","value":3,"polarity":"asserted","load":"high","status":"unchecked"}`},
		{TypeCritique, JSON, `{"finding":"f","target":"memo-1@3","severity":"warning","code":"SCOPE_CREEP","recommendation":"r"}`},
		{TypeSessionArtifact, JSON, `{"sections":{}}`},
		{TypeStalemate, JSON, `{"parties":[]}`},
		{TypeVerdict, JSON, `{"outcome":"other_cause"}`},
		{TypeRoster, JSON, `{"entries":[{"agentName":"BlueLake","role":"test_designer","program":"claude-code"}],"mode":"unified"}`},
		{TypeRolePolicy, JSON, `{"role":"writer","read":["*"],"write":[],"acts":["delta"]}`},
		{TypeContextView, JSON, `{"role":"writer","budget":8000,"types":[{"type":"paper_note","max":3}]}`},
		{TypeTask, JSON, `{"title":"t","role":"writer","modules":["core"],"inputs":["memo-1@3"]}`},
		{TypeRawLog, Text, "chat"},
	} {
		if err := r.Validate(tt.typ, Content{Format: tt.format, Data: []byte(tt.content)}); err != nil {
			t.Errorf("%s %s: %v", tt.typ, tt.content, err)
		}
	}
}

// C5: content that does not fit is refused with the place and in words.
func TestValidate_Violations(t *testing.T) {
	r := newRegistry(t)
	for _, tt := range []struct {
		typ     brenner.TypeName
		format  Format
		content string
		code    brenner.Code
		pointer string
		message string
	}{
		{TypeProjectBrief, JSON, `{}`, brenner.CodeSchemaViolation, "", `"question" is missing`},
		{TypeProjectBrief, JSON, `[]`, brenner.CodeSchemaViolation, "", "must be an object, not an array"},
		{TypeProjectBrief, JSON, `{"question":""}`, brenner.CodeSchemaViolation, "/question", "must not be empty"},
		{TypeProjectBrief, JSON, `{"question":"q","goals":"g"}`, brenner.CodeSchemaViolation, "/goals", "must be an array, not a string"},
		{TypeProjectBrief, JSON, `{"question":"q","constraints":[7]}`, brenner.CodeSchemaViolation, "/constraints/0", "must be an object or a string"},
		{TypeProjectBrief, JSON, `{"question":"q","constraints":["a",{"must":"x"}]}`, brenner.CodeSchemaViolation, "/constraints/1", `"text" is missing`},
		{TypeProjectBrief, Text, `q`, brenner.CodeSchemaViolation, "", "is written as json, not as text"},
		{TypeRawLog, JSON, `"q"`, brenner.CodeSchemaViolation, "", "is written as text, not as json"},
		{TypeCritique, JSON, `{"finding":"f","severity":"bad"}`, brenner.CodeSchemaViolation, "/severity", "must be one of info, warning, error"},
		{TypeCritique, JSON, `{"finding":"f","target":"a b"}`, brenner.CodeSchemaViolation, "/target", `"a b" does not match`},
		{TypeRolePolicy, JSON, `{"role":"x","raed":[]}`, brenner.CodeSchemaViolation, "/raed", `"raed" is not a known field`},
		{TypePaperNote, JSON, `{"title":"t","claims":[],"year":1961.5}`, brenner.CodeSchemaViolation, "/year", "must be an integer, not a number"},
		{TypePaperNote, JSON, `{"title":"t","claims":[],"year":1e300}`, brenner.CodeSchemaViolation, "/year", "must be at most 9999"},
		{TypePaperNote, JSON, `{"title":"t","claims":[],"year":1e999999999}`, brenner.CodeInvalidJSON, "/year", "cannot be stored"},
		{TypePaperNote, JSON, `{"title":"t","title":"u"}`, brenner.CodeInvalidJSON, "/title", "twice"},
		{TypePaperNote, JSON, `{"title":"\u0000"}`, brenner.CodeInvalidText, "/title", "U+0000"},
		{TypePaperNote, JSON, strings.Repeat("[", 65) + strings.Repeat("]", 65), brenner.CodeLimitExceeded, strings.Repeat("/0", 64), "deeper"},
		{TypeRawLog, Text, "a\xffb", brenner.CodeInvalidText, "", "at byte 1"},
		{TypeRawLog, Text, "ab\x00", brenner.CodeInvalidText, "", "at byte 2"},
		{TypeRawLog, "xml", "<a/>", brenner.CodeInvalidValue, "", "xml"},
		{"papernote", Text, "", brenner.CodeUnknownType, "", `"papernote"`},
	} {
		what := fmt.Sprintf("%s %s", tt.typ, brenner.Clip(tt.content, brenner.MaxQuote))
		e := problem(t, what, r.Validate(tt.typ, Content{Format: tt.format, Data: []byte(tt.content)}), tt.code, tt.pointer)
		if !strings.Contains(e.Message, tt.message) {
			t.Errorf("%s: message %q, want %q in it", what, e.Message, tt.message)
		}
	}
}

// All violations come at once, in the same order every time.
func TestValidate_ReportsEveryViolationInOrder(t *testing.T) {
	r := newRegistry(t)
	content := Content{Format: JSON, Data: []byte(`{"question":"q","goals":[1,""],"in_scope":{},"constraints":[{"text":"","must_not":[]}]}`)}
	want := []string{
		"/constraints/0/must_not must have at least one item", "/constraints/0/text must not be empty",
		"/goals/0 must be a string, not a number", "/goals/1 must not be empty", "/in_scope must be an array, not an object",
	}
	for range 20 {
		e := problem(t, "brief", r.Validate(TypeProjectBrief, content), brenner.CodeSchemaViolation, "/constraints/0/must_not")
		var got []string
		for _, d := range e.Diagnostics {
			got = append(got, d.Pointer+" "+d.Message)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
	many := Content{Format: JSON, Data: []byte(`{"question":"q","goals":[` + strings.Repeat("1,", 99) + `1]}`)}
	e := problem(t, "many", r.Validate(TypeProjectBrief, many), brenner.CodeSchemaViolation, "/goals/0")
	if len(e.Diagnostics) != brenner.MaxViolations || !strings.Contains(e.Message, "(and 99 more, of which 31 are listed)") {
		t.Errorf("%d diagnostics and message %q", len(e.Diagnostics), e.Message)
	}
}

func TestLookup_SuggestsTheNearestName(t *testing.T) {
	r := newRegistry(t)
	for name, want := range map[brenner.TypeName]string{
		"papernote": "did you mean paper_note? the types are analysis_result, ", "verdicts": "did you mean verdict?",
		"xyz": "the types are ", brenner.TypeName(strings.Repeat("x", 100)): "the types are ",
	} {
		_, err := r.Lookup(name)
		if e := problem(t, string(name), err, brenner.CodeUnknownType, ""); !strings.HasPrefix(e.Hint, want) {
			t.Errorf("%s: hint %q, want it to begin %q", name, e.Hint, want)
		}
	}
}

// C5: projects add types of their own.
func TestNewRegistry_ProjectTypes(t *testing.T) {
	r := newRegistry(t,
		Type{Name: "lab_protocol", Core: true, Singleton: PerModule, Schema: []byte(`{"type":"object","required":["steps"]}`)},
		Type{Name: "free"},
	)
	problem(t, "fits", r.Validate("lab_protocol", Content{Format: JSON, Data: []byte(`{"steps":[]}`)}), "", "")
	problem(t, "does not fit", r.Validate("lab_protocol", Content{Format: JSON, Data: []byte(`{}`)}), brenner.CodeSchemaViolation, "")
	problem(t, "a schema means JSON", r.Validate("lab_protocol", Content{Format: Text, Data: []byte(`x`)}), brenner.CodeSchemaViolation, "")
	problem(t, "no schema, text", r.Validate("free", Content{Format: Text, Data: []byte(`x`)}), "", "")
	problem(t, "no schema, JSON", r.Validate("free", Content{Format: JSON, Data: []byte(`[1]`)}), "", "")
	types := r.Types()
	if len(types) != 21 || !slices.IsSortedFunc(types, func(a, b Type) int { return strings.Compare(string(a.Name), string(b.Name)) }) {
		t.Errorf("%d types, want 21 sorted by name", len(types))
	}
}

func TestNewRegistry_RefusesBadTypes(t *testing.T) {
	withSchema := func(s string) []Type { return []Type{{Name: "ok"}, {Name: "mine", Schema: []byte(s)}} }
	for _, tt := range []struct {
		what    string
		extra   []Type
		code    brenner.Code
		pointer string
		message string
	}{
		{"a built-in again", []Type{{Name: TypePaperNote}}, brenner.CodeInvalidConfig, "/0/name", "exists already"},
		{"twice", []Type{{Name: "a"}, {Name: "a"}}, brenner.CodeInvalidConfig, "/1/name", "exists already"},
		{"bad name", []Type{{Name: "Lab Note"}}, brenner.CodeInvalidConfig, "/0/name", "not a valid type name"},
		{"record", []Type{{Name: "a", Record: true}}, brenner.CodeInvalidConfig, "/0/record", "record"},
		{"singleton", []Type{{Name: "a", Singleton: "planet"}}, brenner.CodeInvalidConfig, "/0/singleton", "planet"},
		{"format", []Type{{Name: "a", Formats: []Format{"xml"}}}, brenner.CodeInvalidConfig, "/0/formats", "xml"},
		{"format twice", []Type{{Name: "a", Formats: []Format{Text, Text}}}, brenner.CodeInvalidConfig, "/0/formats", "repeated"},
		{"too many", make([]Type, brenner.MaxProjectTypes+1), brenner.CodeLimitExceeded, "", "more than"},
		{"large schema", withSchema(`{"title":"` + strings.Repeat("x", brenner.MaxSchemaBytes) + `"}`), brenner.CodeLimitExceeded, "/1/schema", "more than"},
		{"bad keyword", withSchema(`{"type":"bogus"}`), brenner.CodeInvalidConfig, "/1/schema/type", "must be one of"},
		{"bad pattern", withSchema(`{"properties":{"a":{"pattern":"("}}}`), brenner.CodeInvalidConfig, "/1/schema/properties/a/pattern", "no regular expression"},
		{"not a schema", withSchema(`[1]`), brenner.CodeInvalidConfig, "/1/schema", "must be a boolean or an object"},
		{"duplicate key", withSchema(`{"type":"object","type":"array"}`), brenner.CodeInvalidConfig, "/1/schema/type", "twice"},
		{"other dialect", withSchema(`{"$schema":"http://json-schema.org/draft-07/schema#"}`), brenner.CodeInvalidConfig, "/1/schema/$schema", "2020-12"},
		{"remote reference", withSchema(`{"$ref":"https://example.com/a.json"}`), brenner.CodeInvalidConfig, "/1/schema", "outside"},
		{"file reference", withSchema(`{"$ref":"file:///etc/passwd"}`), brenner.CodeInvalidConfig, "/1/schema", "outside"},
		{"reference to another type", withSchema(`{"$ref":"paper_note"}`), brenner.CodeInvalidConfig, "/1/schema", "outside"},
		{"dangling reference", withSchema(`{"$ref":"#/$defs/x"}`), brenner.CodeInvalidConfig, "/1/schema", `"/$defs/x"`},
		{"dangling anchor", withSchema(`{"$ref":"#x"}`), brenner.CodeInvalidConfig, "/1/schema", "anchor"},
	} {
		_, err := NewRegistry(tt.extra)
		if e := problem(t, tt.what, err, tt.code, tt.pointer); !strings.Contains(e.Message, tt.message) {
			t.Errorf("%s: message %q, want %q in it", tt.what, e.Message, tt.message)
		}
	}
}

func TestNewContent_CanonicalAndBounded(t *testing.T) {
	a, err := NewContent(JSON, []byte(` {"b": 1.0, "a": "\u00e9"} `))
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewContent(JSON, []byte(`{"a":"é","b":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if a.Digest() != b.Digest() || string(a.Data) != `{"a":"é","b":1}` {
		t.Errorf("equal JSON differs: %s and %s", a.Data, b.Data)
	}
	text, err := NewContent(Text, []byte("a\r\n\ufeff"))
	if err != nil || string(text.Data) != "a\r\n\ufeff" {
		t.Errorf("text is kept byte for byte, got %q, %v", text.Data, err)
	}
	if got := string(ContentValue(text)); got != "\"a\\r\\n\ufeff\"" {
		t.Errorf("text as a value is %s", got)
	}
	if got := string(ContentValue(a)); got != string(a.Data) {
		t.Errorf("JSON as a value is %s", got)
	}
	_, err = NewContent(Text, bytes.Repeat([]byte("x"), brenner.MaxContentBytes+1))
	problem(t, "too large", err, brenner.CodeLimitExceeded, "")
	slow := append([]byte(`[1e-310`), bytes.Repeat([]byte(",1e-310"), brenner.MaxSlowNumbers)...)
	_, err = NewContent(JSON, append(slow, ']'))
	problem(t, "numbers that take long to read", err, brenner.CodeLimitExceeded, "")
}

func TestNewContent_NeverTouchesItsInput(t *testing.T) {
	for _, f := range []Format{JSON, Text} {
		in := []byte(` {"b":1,"a":2}`)
		c, err := NewContent(f, in)
		if err != nil {
			t.Fatal(err)
		}
		c.Data[0] = 'X'
		if string(in) != ` {"b":1,"a":2}` {
			t.Errorf("%s: the input became %q", f, in)
		}
	}
}

// FuzzValidate: no content panics or is refused without a code, and what is
// refused is refused in the same words again.
func FuzzValidate(f *testing.F) {
	for _, s := range []string{`{"question":"q"}`, `{"claims":[{}]}`, `{"role":1,"x":2,"y":3}`, `[]`, `1e400`, `"\ud800"`, `{"a":{"a":[[]]}}`} {
		f.Add([]byte(s))
	}
	r := newRegistry(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, typ := range r.Types() {
			c := Content{Format: JSON, Data: data}
			first, second := r.Validate(typ.Name, c), r.Validate(typ.Name, c)
			if first == nil && second == nil {
				continue
			}
			var a, b *brenner.Error
			if !errors.As(first, &a) || !errors.As(second, &b) {
				t.Fatalf("%s: %v and %v", typ.Name, first, second)
			}
			if diff := cmp.Diff(a, b, cmpopts.IgnoreUnexported(brenner.Error{})); diff != "" {
				t.Fatalf("%s: not the same twice:\n%s", typ.Name, diff)
			}
		}
	})
}

func BenchmarkValidate(b *testing.B) {
	r := newRegistry(b)
	c := Content{Format: JSON, Data: []byte(`{"title":"T","claims":["` + strings.Repeat(`c","`, 200) + `"],"notes":"` + strings.Repeat("n", 1000) + `"}`)}
	c.Data = bytes.ReplaceAll(c.Data, []byte(`""`), []byte(`"x"`))
	b.SetBytes(int64(len(c.Data)))
	for b.Loop() {
		if err := r.Validate(TypePaperNote, c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewRegistry(b *testing.B) {
	for b.Loop() {
		newRegistry(b)
	}
}
