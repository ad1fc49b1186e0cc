package artifact_test

import (
	"strings"
	"testing"

	"brenner/artifact"

	"pgregory.net/rapid"
)

// 17.7: a page ends behind a paragraph or a block between fences where one ends near, and
// never in the middle of a line if it need not.
func TestPage_EndsWithAParagraphOrABlock(t *testing.T) {
	block := "```go\nfunc a() {\n\n\treturn\n}\n```\n"
	for name, c := range map[string]struct {
		text string
		size int
		want string
	}{
		"a paragraph":            {strings.Repeat("one line\n", 8) + "\n" + strings.Repeat("two line\n", 8), 100, strings.Repeat("one line\n", 8) + "\n"},
		"not inside a block":     {strings.Repeat("one line\n", 8) + "\n" + block, 93, strings.Repeat("one line\n", 8) + "\n"},
		"behind a block":         {strings.Repeat("one line\n", 8) + block + strings.Repeat("two line\n", 8), 120, strings.Repeat("one line\n", 8) + block},
		"a line, where far away": {"a\n\n" + strings.Repeat("one line\n", 20), 100, "a\n\n" + strings.Repeat("one line\n", 10)},
		"a character":            {strings.Repeat("é", 40), 33, strings.Repeat("é", 16)},
	} {
		got, next, err := artifact.Page(c.text, 0, c.size)
		if err != nil || got != c.want || next != len(c.want) {
			t.Errorf("%s: %q, %d, %v", name, got, next, err)
		}
	}
	// A page that begins inside a block knows that it does.
	text := "```\n" + strings.Repeat("in it\n\n", 30) + "```\n\n" + strings.Repeat("word ", 100)
	if got, _, err := artifact.Page(text, 4+7*20, 100); err != nil || !strings.HasSuffix(got, "```\n\n") {
		t.Errorf("inside a block: %q, %v", got, err)
	}
}

// 17.7: the pages of a text are the text.
func TestPage_PagesAreTheText(t *testing.T) {
	piece := rapid.SampledFrom([]string{"```", "```go", "~~~", "\n", "\n\n", "word ", "é", "    x", "\r\n"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "text"), "")
		size := rapid.IntRange(4, 40).Draw(t, "size")
		read, offset := "", 0
		for range len(text) + 1 {
			part, next, err := artifact.Page(text, offset, size)
			if err != nil || len(part) > size {
				t.Fatalf("%d: %q, %v", offset, part, err)
			}
			if read += part; next == 0 {
				break
			}
			offset = next
		}
		if read != text {
			t.Fatalf("%q became %q", text, read)
		}
	})
}
