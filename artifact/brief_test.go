package artifact

import "testing"

// A brief may be plain Markdown: its first text is the question, lists stand
// under their headings.
func TestBriefOf_ReadsPlainMarkdown(t *testing.T) {
	for _, c := range []struct{ markdown, json, question string }{
		{"Why does the river lose its oxygen?", `{"question":"Why does the river lose its oxygen?"}`, "Why does the river lose its oxygen?"},
		{
			"# Why?\n\n## Goals\n\n- tell a from b\n- one measure\n  by summer\n\n## Out of scope:\n1. fish\n\n## Constraints\nno dosing\n\nour own loggers\nonly\n",
			`{"constraints":["no dosing","our own loggers only"],"goals":["tell a from b","one measure by summer"],"out_of_scope":["fish"],"question":"Why?"}`, "Why?",
		},
		{"# Oxygen\n\nWhy does it fall?\n\n# Notes\nIn August.", `{"question":"Oxygen: Why does it fall? Notes In August."}`, "Oxygen"},
		{"", `{"question":""}`, ""},
	} {
		data, question, err := BriefOf(c.markdown)
		if err != nil || string(data) != c.json || question != c.question {
			t.Errorf("%q: %s, %q, %v", c.markdown, data, question, err)
		}
	}
}
