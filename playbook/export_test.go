package playbook

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"brenner/canon"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

func exported(content string, s Section) Bullet {
	return Bullet{
		ID: "prompts.1", Domain: "prompts", Section: s, Content: content, Counts: one(s), Stage: Prod,
		Confidence: 0.9, CreatedAt: noon, LastSeenAt: noon, Tags: []string{}, Links: []Link{}, Revision: 1,
	}
}

func TestExportMarkdown_ReadsAsAList(t *testing.T) {
	retired := exported("gone", Helpful)
	retired.Stage = Retired
	second := exported("Second *star*", Helpful)
	second.ID, second.Counts = "prompts.2", Counts{Helpful: 5, Harmful: 1, Neutral: 2}
	got := string(ExportMarkdown("prompts", []Bullet{exported("First lesson", Helpful), retired, second, exported("Two\nlines", Neutral)}))
	want := `# Playbook: prompts

## Helpful

- **prompts.1** First lesson
  (PROD, helpful 1, harmful 0, neutral 0, confidence 0.90, last seen 2026-03-01T12:00:00Z)
- **prompts.2** Second \*star\*
  (PROD, helpful 5, harmful 1, neutral 2, confidence 0.90, last seen 2026-03-01T12:00:00Z)

## Neutral

- **prompts.1** Two<br>lines
  (PROD, helpful 0, harmful 0, neutral 1, confidence 0.90, last seen 2026-03-01T12:00:00Z)
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// nasty draws contents that try to break out.
func nasty() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"\n", "\r\n", "\r", "\n\n", "- ", "* ", "1. ", "# ", "## Harmful", "**prompts.9**", "```", "~~~", "> ", "    ", "<br>", "<!--", "-->",
		"<script>", "</li>", "[x](y)", "![x](y)", "[x]: /y", "&lt;", "&#10;", "\\", "`", "|", "---", "===", "\u2028", "\u2029", "\u0085", "\v", "\f",
		"\t", "\u202e", "\x1b[2J", "\"}\n{\"id\":\"prompts.9\"", "x", "é", "日本", "\ufeff", "$x$", "_a_", "http://a.b", "\u00a0", "~~x~~", ":::", "+ ",
	})
	return rapid.Map(rapid.SliceOfN(piece, 0, 12), func(p []string) string { return "w" + strings.Join(p, "") })
}

// B13: whatever the contents, a CommonMark reader (with GitHub's tables,
// strikethrough and links) finds one list item per bullet, the headings we
// wrote, nothing but text inside, and the content letter by letter.
func TestExportMarkdown_ContentForgesNothing(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "bullets")
		var bullets []Bullet
		for i := range n {
			b := exported(nasty().Draw(t, "content"), Helpful)
			b.ID = bulletID("prompts", i+1)
			bullets = append(bullets, b)
		}
		raw := ExportMarkdown("prompts", bullets)
		items, headings := 0, 0
		err := ast.Walk(md.Parser().Parse(text.NewReader(raw)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch n := node.(type) {
			case *ast.Heading:
				headings++
			case *ast.ListItem:
				checkItem(t, raw, n, bullets[items])
				items++
			case *ast.Document, *ast.List, *ast.TextBlock, *ast.Text, *ast.String, *ast.Emphasis:
			case *ast.RawHTML:
				if tag := string(n.Segments.Value(raw)); tag != "<br>" {
					t.Fatalf("raw HTML %q in\n%s", tag, raw)
				}
			default:
				t.Fatalf("a %s in\n%s", node.Kind(), raw)
			}
			return ast.WalkContinue, nil
		})
		if err != nil || items != n || headings != 2 {
			t.Fatalf("%d items, %d headings of %d bullets (%v) in\n%s", items, headings, n, err, raw)
		}
		if lines := bytes.Count(raw, []byte("\n")); lines != 4+2*n {
			t.Fatalf("%d lines in\n%s", lines, raw)
		}
	})
}

// checkItem compares the text of an item with what its bullet must look like,
// white space and unprintables aside.
func checkItem(t *rapid.T, raw []byte, item *ast.ListItem, b Bullet) {
	var out strings.Builder
	strong := 0
	_ = ast.Walk(item, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := node.(type) {
		case *ast.Emphasis:
			if entering {
				strong++
			}
		case *ast.Text:
			if entering {
				out.Write(n.Segment.Value(raw))
			}
		}
		return ast.WalkContinue, nil
	})
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return r
			}
			return -1
		}, s)
	}
	want := letters(string(b.ID)) + letters(strings.NewReplacer("\u0085", "").Replace(named(b.Content))) + letters("PROD, helpful, harmful, neutral, confidence, last seen TZ")
	if got := letters(out.String()); strong != 1 || got != want {
		t.Fatalf("item reads %q with %d emphases, want %q", got, strong, want)
	}
}

// named writes unprintable characters as the export does.
func named(s string) string {
	var b strings.Builder
	for _, r := range s {
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) && r != '\u2028' && r != '\u2029' {
			b.WriteString("U")
			for _, hex := range strings.ToUpper(strings.TrimLeft(hexOf(r), "0")) {
				b.WriteRune(hex)
			}
			continue
		}
		if r == '\u00a0' {
			b.WriteString("UA")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hexOf(r rune) string {
	const digits = "0123456789abcdef"
	var out []byte
	for shift := 20; shift >= 0; shift -= 4 {
		out = append(out, digits[r>>shift&15])
	}
	return string(out)
}

// B13: every line of the JSONL is one bullet, and reads back as it was.
func TestExportJSONL_ReadsBackLineByLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var bullets []Bullet
		for range rapid.IntRange(0, 4).Draw(t, "bullets") {
			bullets = append(bullets, exported(nasty().Draw(t, "content"), Harmful))
		}
		raw := ExportJSONL(bullets)
		lines := bytes.SplitAfter(raw, []byte("\n"))
		if len(lines) != len(bullets)+1 {
			t.Fatalf("%d lines for %d bullets", len(lines)-1, len(bullets))
		}
		for i, b := range bullets {
			var back Bullet
			if err := canon.Unmarshal(lines[i], &back); err != nil {
				t.Fatal(err)
			}
			if back.Digest() != b.Digest() {
				t.Fatalf("line %d reads %+v", i, back)
			}
		}
	})
}
