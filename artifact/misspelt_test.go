package artifact

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner"
)

// A member that differs by a slip from one that the type knows is doubted,
// at any depth; what is merely unknown, or has the known one beside it, is not.
func TestMisspelt_DoubtsSlipsOnly(t *testing.T) {
	own := Type{Name: "field_log", Title: "t", Description: "d", Schema: []byte(`{"type":"object","properties":{
		"entries":{"type":"object","additionalProperties":{"type":"string"},"properties":{"first_entry":{"type":"string"}}},
		"tree":{"$ref":"#/$defs/tree"}},
		"$defs":{"tree":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}}}`)}
	r, err := NewRegistry([]Type{own})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    brenner.TypeName
		content string
		want    []string // pointer and what was meant
	}{
		{"project_brief", `{"question":"q","constraints":[{"text":"no dosing","must_not":"dosing"}]}`, nil},
		{"project_brief", `{"question":"q","constraints":["s",{"text":"no dosing","mustnot":"dosing"}]}`, []string{"/constraints/1/mustnot did you mean must_not?"}},
		{"project_brief", `{"question":"q","inScope":[],"goal":["g"],"notes":"n","a/b":1}`, []string{"/goal did you mean goals?", "/inScope did you mean in_scope?"}},
		{"project_brief", `{"question":"q","in_scope":[],"inscope":[]}`, nil},
		{"paper_note", `"text"`, nil},
		{"field_log", `{"entries":{"firstentry":"x"}}`, nil}, // names are values there
		{"field_log", `{"tree":{"children":[{"childern":[]},{"children":[{"Children":[]}]}]}}`, []string{"/tree/children/1/children/0/Children did you mean children?"}},
		{"nothing", `{"qestion":"q"}`, nil},
	} {
		var got []string
		for _, d := range r.Misspelt(tt.name, Content{Format: JSON, Data: []byte(tt.content)}) {
			if d.Code != brenner.CodeUnknownField || d.Severity != brenner.SeverityWarning || d.Message == "" {
				t.Errorf("%+v", d)
			}
			got = append(got, d.Pointer+" "+d.Hint)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.name, tt.content, got, tt.want)
		}
	}
	if got := r.Misspelt("project_brief", Content{Format: Text, Data: []byte("question")}); got != nil {
		t.Errorf("of a text: %v", got)
	}
	var many []string
	for range 20 {
		many = append(many, `{"text":"t","mustnot":"x"}`)
	}
	if got := r.Misspelt("project_brief", Content{Format: JSON, Data: fmt.Appendf(nil, `{"constraints":[%s]}`, strings.Join(many, ","))}); len(got) != maxMisspelt {
		t.Errorf("%d are said of twenty", len(got))
	}
}
