package assembly

import (
	"strings"
	"testing"

	"brenner/artifact"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

// C2: a context is read: JSON comes as lines, everything in it is there, and
// text that looks like ours is only text.
func TestOutline_GivesJSONAsLines(t *testing.T) {
	got := Outline(artifact.Content{Format: artifact.JSON, Data: []byte(`{"question":"Why?","goals":["fast","exact"],"limits":{"gpu":2,"note":"two\nlines"},"empty":[],"rows":[{"a":1,"b":true}],"done":null}`)})
	want := `question: Why?
goals:
  - fast
  - exact
limits:
  gpu: 2
  note:
    two
    lines
empty: none
rows:
  -
    a: 1
    b: true
done: null
`
	if got.Format != artifact.Text || string(got.Data) != want {
		t.Errorf("%s:\n%s", got.Format, got.Data)
	}
	for _, c := range []artifact.Content{{Format: artifact.Text, Data: []byte("{}")}, {Format: artifact.JSON, Data: []byte("{")}} {
		if same := Outline(c); same.Format != c.Format || string(same.Data) != string(c.Data) {
			t.Errorf("%+v became %+v", c, same)
		}
	}
}

// No string of any content is lost.
func TestOutline_KeepsEveryText(t *testing.T) {
	word := rapid.StringMatching(`[a-z]{1,8}( [a-z]{1,8})?`)
	rapid.Check(t, func(t *rapid.T) {
		tree := map[string]any{}
		var texts []string
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			a, b := word.Draw(t, "text"), word.Draw(t, "item")
			texts = append(texts, a, b)
			tree[word.Draw(t, "name")] = []any{a, map[string]any{"in": []any{b}}}
		}
		raw, err := json.Marshal(tree, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		got := string(Outline(artifact.Content{Format: artifact.JSON, Data: raw}).Data)
		for name, list := range tree {
			if !strings.Contains(got, name+":") || !strings.Contains(got, list.([]any)[0].(string)) {
				t.Fatalf("%s lacks %q", got, name)
			}
		}
		if len(tree) == len(texts)/2 {
			for _, text := range texts {
				if !strings.Contains(got, "- "+text) {
					t.Fatalf("%s lacks %q", got, text)
				}
			}
		}
	})
}
