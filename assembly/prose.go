package assembly

import (
	"maps"
	"slices"
	"strings"

	"brenner/artifact"
	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// Prose gives a project brief as somebody would tell it: the question, then
// each list as a sentence. What the schema of briefs does not know follows as an
// outline; content in another format stays as it is. A question that a session asks in
// the same words is not told again beside it.
func Prose(c artifact.Content, asked string) artifact.Content {
	if c.Format != artifact.JSON {
		return c
	}
	var brief map[string]jsontext.Value
	if err := canon.Unmarshal(c.Data, &brief); err != nil {
		return Outline(c)
	}
	var lines []string
	for _, part := range []struct{ name, words string }{
		{"question", ""},
		{"background", ""},
		{"goals", "Goals: "},
		{"in_scope", "In scope: "},
		{"out_of_scope", "Out of scope: "},
		{"constraints", "Constraints: "},
	} {
		if told := tell(brief[part.name]); told != "" {
			if part.name == "question" && told == strings.TrimSpace(asked) {
				told = "Question: that of the session."
			}
			lines = append(lines, part.words+told)
			delete(brief, part.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(brief)) {
		rest := Outline(artifact.Content{Format: artifact.JSON, Data: canon.MustMarshal(map[string]jsontext.Value{name: brief[name]})})
		lines = append(lines, strings.TrimRight(string(rest.Data), "\n"))
	}
	return artifact.Content{Format: artifact.Text, Data: []byte(strings.Join(lines, "\n") + "\n")}
}

// tell gives a text, or a list of texts and constraints, as a sentence; "" for
// anything else.
func tell(v jsontext.Value) string {
	var text string
	if canon.Unmarshal(v, &text) == nil {
		return strings.TrimSpace(text)
	}
	var list []jsontext.Value
	if canon.Unmarshal(v, &list) != nil {
		return ""
	}
	items := make([]string, len(list))
	for i, one := range list {
		if items[i] = tellConstraint(one); items[i] == "" {
			return ""
		}
	}
	return strings.Join(items, "; ")
}

// tellConstraint gives a text with the patterns that go with it.
func tellConstraint(v jsontext.Value) string {
	var text string
	if canon.Unmarshal(v, &text) == nil {
		return strings.TrimSpace(text)
	}
	var c struct {
		Text    string         `json:"text"`
		Must    jsontext.Value `json:"must"`
		MustNot jsontext.Value `json:"must_not"`
	}
	if canon.Unmarshal(v, &c) != nil {
		return ""
	}
	for _, p := range []struct {
		words    string
		patterns jsontext.Value
	}{{"must have", c.Must}, {"must not have", c.MustNot}} {
		if len(p.patterns) == 0 {
			continue
		}
		told := tell(p.patterns)
		if told == "" {
			return ""
		}
		c.Text += " (" + p.words + " " + told + ")"
	}
	return c.Text
}
