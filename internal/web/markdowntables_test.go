package web

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// plainTables are ours without the bounds.
type plainTables struct{}

func (plainTables) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithParagraphTransformers(util.Prioritized(tables{}, 200)),
		parser.WithASTTransformers(util.Prioritized(bars{}, 0)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(tables{}, 500)))
}

// Tables and struck words are those of the library's extensions, whatever the text.
func TestMarkdown_TablesAndStrikesAreTheLibrarys(t *testing.T) {
	ours := goldmark.New(goldmark.WithExtensions(strikes{}, plainTables{}))
	theirs := goldmark.New(goldmark.WithExtensions(extension.Strikethrough,
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))))
	parts := []string{
		"|", "|", "|", "-", "--", ":-", "-:", ":-:", "---", ":", "\n", "\n", "\n", " ", "  ", "    ", "\t", "\v", "\f", "\r\n", "`", "``", `\|`, `\`, "~", "~~", "~~~",
		"a", "b c", "é", "*", "**", "[x](y)", "<b>", "> ", "- ", "1. ", "# ", "&amp;", "`a \\| b`", "| a | b |\n|---|:-:|\n| `x\\|y` | ~~z~~ |\n", "a | b\n-|-:\n", "~~old~~",
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	made := map[string]int{}
	for i := range 10_000 {
		var source strings.Builder
		for range 1 + random.IntN(40) {
			source.WriteString(parts[random.IntN(len(parts))])
		}
		var got, want bytes.Buffer
		if err := theirs.Convert([]byte(source.String()), &want); err != nil {
			t.Fatal(err)
		}
		if err := ours.Convert([]byte(source.String()), &got); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Fatalf("text %d, %q\nours:    %q\nlibrary: %q", i, source.String(), got.String(), want.String())
		}
		for _, tag := range []string{"<table>", "<del>", "<tbody>", "align=", "|</code>", "|y</code>"} {
			if strings.Contains(want.String(), tag) {
				made[tag]++
			}
		}
	}
	for _, tag := range []string{"<table>", "<del>", "<tbody>", "align=", "|y</code>"} {
		if made[tag] < 100 {
			t.Errorf("%s is in %d texts, which is too few to say anything", tag, made[tag])
		}
	}
}
