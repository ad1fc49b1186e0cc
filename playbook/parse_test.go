package playbook

import (
	"reflect"
	"strings"
	"testing"

	"brenner"
)

func TestParse_ReadsEveryFormat(t *testing.T) {
	want := []Insight{
		{Section: Helpful, Content: "Use small steps", Confidence: 0.7},
		{Section: Harmful, Content: "Guessing ids fails", Confidence: 0.7},
	}
	for name, raw := range map[string]string{
		"array":    `[{"section":"helpful","content":"Use small steps"},{"section":"harmful","content":" Guessing ids fails\n"}]`,
		"jsonl":    `{"section":"helpful","content":"Use small steps"}` + "\n\n" + `{"section":"harmful","content":"Guessing ids fails"}` + "\n",
		"markdown": "# Lessons\n\n- Use small\n  steps\n\n## Harmful\n\n1. Guessing ids fails\n",
		"titles":   "# Lessons\n- Use small steps\n# Harmful\n- Guessing ids fails\n",
		"crlf":     "## Helpful\r\n* Use small steps\r\n## HARMFUL\r\n+ Guessing ids fails\r\n",
	} {
		got, err := Parse([]byte(raw), FormatAuto)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	full := `{"section":"neutral","content":"c","confidence":0,"tags":["a"],"task":"T1","agent":"codex","vector":[1,0.5]}`
	got, err := Parse([]byte(full), FormatAuto)
	one := Insight{Section: Neutral, Content: "c", Tags: []string{"a"}, Source: Source{"T1", "codex"}, Vector: []float32{1, 0.5}}
	if err != nil || !reflect.DeepEqual(got, []Insight{one}) {
		t.Errorf("one object: %+v, %v", got, err)
	}
	escaped, err := Parse([]byte(`- use \*args and a\b`), FormatMarkdown)
	if err != nil || escaped[0].Content != `use *args and a\b` {
		t.Errorf("escapes: %+v, %v", escaped, err)
	}
}

func TestParse_RefusesWithACodeAndAPlace(t *testing.T) {
	for name, c := range map[string]struct {
		raw     string
		format  Format
		code    brenner.Code
		pointer string
	}{
		"empty":            {"", FormatAuto, brenner.CodeInvalidValue, ""},
		"empty array":      {"[]", FormatAuto, brenner.CodeInvalidValue, ""},
		"unknown format":   {"- x", "yaml", brenner.CodeInvalidValue, ""},
		"unknown field":    {`[{"section":"helpful","content":"x","note":1}]`, FormatAuto, brenner.CodeInvalidJSON, "/0/note"},
		"duplicate key":    {`[{"section":"helpful","section":"harmful","content":"x"}]`, FormatAuto, brenner.CodeInvalidJSON, "/0/section"},
		"wrong case":       {`[{"Section":"helpful","content":"x"}]`, FormatAuto, brenner.CodeInvalidJSON, "/0/Section"},
		"wrong type":       {`{"section":"helpful","content":7}`, FormatAuto, brenner.CodeInvalidJSON, "/0/content"},
		"no section":       {`[{"content":"x"}]`, FormatAuto, brenner.CodeUnknownSection, "/0/section"},
		"blank content":    {`[{"section":"helpful","content":"x"},{"section":"helpful","content":"  "}]`, FormatAuto, brenner.CodeContentBlank, "/1/content"},
		"NaN":              {`[{"section":"helpful","content":"x","vector":[NaN]}]`, FormatAuto, brenner.CodeInvalidJSON, "/0/vector/0"},
		"second line":      {"{\"section\":\"helpful\",\"content\":\"x\"}\n{\"section\":1}\n", FormatAuto, brenner.CodeInvalidJSON, "/1/section"},
		"unknown heading":  {"## Ideas\n- x\n", FormatAuto, brenner.CodeUnknownSection, ""},
		"prose":            {"Here are my lessons:\n- x\n", FormatAuto, brenner.CodeInvalidValue, ""},
		"nested":           {"- x\n  - y\n", FormatAuto, brenner.CodeInvalidValue, ""},
		"stray indent":     {"- x\n\n  y\n", FormatAuto, brenner.CodeInvalidValue, ""},
		"blank item":       {"- !\n", FormatAuto, brenner.CodeContentBlank, "/0/content"},
		"U+0000 in a list": {"- x\x00\n", FormatAuto, brenner.CodeInvalidText, "/0/content"},
		"too large":        {strings.Repeat(" ", brenner.MaxInsightBytes+1), FormatAuto, brenner.CodeLimitExceeded, ""},
	} {
		_, err := Parse([]byte(c.raw), c.format)
		if e, ok := err.(*brenner.Error); !ok || e.Code != c.code || e.Pointer != c.pointer {
			t.Errorf("%s: %v at %q, want %s at %q", name, err, pointerOf(err), c.code, c.pointer)
		}
	}
}

func pointerOf(err error) string {
	if e, ok := err.(*brenner.Error); ok {
		return e.Pointer
	}
	return ""
}

// B12: a component too large for a float32 is refused as not finite.
func TestParse_AVectorThatOverflowsIsRefusedLater(t *testing.T) {
	got, err := Parse([]byte(`[{"section":"helpful","content":"x","vector":[1e39]}]`), FormatJSON)
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, Settings{})
	_, err = d.book.Curate(got, d.options(got))
	wantCode(t, err, brenner.CodeInvalidVector)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("# t\n- a\n  b\n## Neutral\n1. c"))
	f.Add([]byte(`[{"section":"helpful","content":"x","vector":[1]}]`))
	f.Add([]byte("{\"section\":\"helpful\",\"content\":\"x\"}\n{}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		insights, err := Parse(raw, FormatAuto)
		if err != nil {
			if code := brenner.CodeOf(err); code == brenner.CodeInternal {
				t.Fatalf("%q: %v has no code", raw, err)
			}
			return
		}
		if len(insights) == 0 || CheckInsights(insights) != nil {
			t.Fatalf("%q passed as %+v", raw, insights)
		}
	})
}

// B13: what a playbook exports is read back as the lessons it has, in either format;
// what is in quarantine or retired is left out.
func TestParse_ReadsAnExport(t *testing.T) {
	code := "Open it so:\n```go\nf, err := os.Open(name)\n\n  if err != nil {}\n```"
	lessons := []Bullet{exported("First *lesson* <br> & \\ more", Helpful), exported(code, Harmful), exported("A fact", Neutral)}
	lessons[0].Tags = []string{"x"}
	quarantined, retired := exported("locked up", Helpful), exported("gone", Helpful)
	quarantined.Stage, retired.Stage = Quarantined, Retired
	all := append(lessons, quarantined, retired)
	for format, raw := range map[Format][]byte{FormatMarkdown: ExportMarkdown("prompts", all), FormatJSONL: ExportJSONL(all)} {
		got, err := Parse(raw, FormatAuto)
		if err != nil || len(got) != len(lessons) {
			t.Fatalf("%s: %+v, %v", format, got, err)
		}
		for i, in := range got {
			if in.Content != lessons[i].Content || in.Section != lessons[i].Section || in.Confidence != 0.9 {
				t.Errorf("%s: %+v, want %q", format, in, lessons[i].Content)
			}
		}
	}
}

// A block of code in a lesson stays as it is.
func TestParse_KeepsCode(t *testing.T) {
	for text, want := range map[string]string{
		"- Do this:\n  ```sh\n  make all \\\n    -j 4\n\n  # done\n  ```\n  and look.\n- Other\n": "Do this:\n```sh\nmake all \\\n  -j 4\n\n# done\n```\nand look.",
		"- Do this:\n\n  ~~~\n  - a\n  ~~~\n- Other\n":                                            "Do this:\n~~~\n- a\n~~~",
	} {
		got, err := Parse([]byte(text), FormatAuto)
		if err != nil || len(got) != 2 || got[0].Content != want {
			t.Errorf("%+v, %v, want %q", got, err, want)
		}
	}
	if _, err := Parse([]byte("- Do this:\n  ```\n  make\n- Other\n"), FormatAuto); brenner.CodeOf(err) != brenner.CodeInvalidValue {
		t.Errorf("a block that is not closed: %v", err)
	}
}
