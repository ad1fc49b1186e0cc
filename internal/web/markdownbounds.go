package web

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"brenner"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// stopped says that a text is not shown as its Markdown would have it.
const stopped = `<p>Rendering stopped here: the text is longer, or has more tables, links or nesting, than a page shows. The artifact itself has all of it.</p>`

// overBounds is set in the context of a text that went beyond a bound; cells
// counts those of its tables.
var overBounds, cells = parser.NewContextKey(), parser.NewContextKey()

// clipMarkdown gives the beginning of a text that can be parsed in reasonable
// time, and whether something is missing.
func clipMarkdown(source string) (string, bool) {
	cut := len(source) > brenner.MaxMarkdownBytes
	if cut {
		source = source[:brenner.MaxMarkdownBytes]
		for !utf8.ValidString(source[max(0, len(source)-utf8.UTFMax):]) && source != "" {
			source = source[:len(source)-1]
		}
	}
	end, marks := 0, 0
	for line := range strings.Lines(source) {
		for i := range len(line) {
			switch line[i] {
			case '[', ']', '*', '_', '~', '`', '<', '!':
				marks++
			}
		}
		if marks > brenner.MaxMarkdownMarks || nesting(line) > brenner.MaxMarkdownNesting {
			return source[:end], true
		}
		end += len(line)
	}
	return source, cut
}

// nesting counts the quotes and list items that a line may open, never too few:
// its own marks and, before the first, a list for every two blanks. A line
// without a mark goes on with what others have opened.
func nesting(line string) int {
	levels, blanks := 0, 0
	for i := 0; i < len(line); i++ {
		next := i + 1
		ends := next == len(line) || strings.IndexByte(" \t\r\n", line[next]) >= 0
		switch c := line[i]; {
		case c == ' ' && levels == 0:
			blanks++
		case c == '\t' && levels == 0:
			blanks += 4
		case c == ' ' || c == '\t' || c >= '0' && c <= '9':
		case c == '>', ends && strings.IndexByte("-+*.)", c) >= 0:
			levels++
		default:
			i = len(line)
		}
	}
	if levels == 0 {
		return 0
	}
	return levels + blanks/2
}

// bounded is a buffer that takes so much and no more.
type bounded struct {
	bytes.Buffer
	most int
}

var errFull = errors.New("the text becomes too much HTML")

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		return 0, errFull
	}
	return b.Buffer.Write(p)
}

// smallTables are the tables of Markdown, as long as they have few cells.
type smallTables struct{}

// Extend implements goldmark.Extender.
func (smallTables) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithParagraphTransformers(util.Prioritized(tableCounter{extension.NewTableParagraphTransformer()}, 200)),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(
		extension.NewTableHTMLRenderer(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), 500))) // no style attributes
}

// tableCounter makes tables of paragraphs until their cells are too many. A row
// gets as many cells as the head has, so that many short rows below a wide head
// would become millions.
type tableCounter struct{ parser.ParagraphTransformer }

// Transform implements parser.ParagraphTransformer.
func (t tableCounter) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	so, _ := pc.Get(cells).(int)
	most, lines := 0, node.Lines()
	for i := 1; i < lines.Len(); i++ {
		segment := lines.At(i)
		// The first that may be a delimiter need not be one.
		if columns, ok := delimiter(segment.Value(reader.Source())); ok {
			most = max(most, columns*(lines.Len()-i+1))
		}
	}
	if so += most; so > brenner.MaxMarkdownCells {
		pc.Set(overBounds, true)
		return
	}
	pc.Set(cells, so)
	t.ParagraphTransformer.Transform(node, reader, pc)
}

// delimiter reports whether a line may part the head of a table from its body,
// and how many columns it then has at most.
func delimiter(line []byte) (columns int, ok bool) {
	columns = 1
	line = bytes.TrimSpace(line)
	line = bytes.TrimSuffix(bytes.TrimPrefix(line, []byte("|")), []byte("|"))
	for _, c := range line {
		switch c {
		case '|':
			columns++
		case '-':
			ok = true
		case ':', ' ', '\t', '\n', '\r', '\v', '\f':
		default:
			return 0, false
		}
	}
	return columns, ok
}
