package web

import (
	"bytes"
	"errors"
	"html/template"
	"strings"
	"unicode/utf8"

	"brenner"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// stopped says that a text is not shown as its Markdown would have it.
const stopped = `<p>Rendering stopped here: the text is longer, or has more tables, links or nesting, than a page shows. The artifact itself has all of it.</p>`

// overBounds is set in the context of a text that went beyond a bound; cells and
// escapes count those of its tables, work what was looked at within its blocks.
var (
	overBounds = parser.NewContextKey()
	cells      = parser.NewContextKey()
	escapes    = parser.NewContextKey()
	work       = parser.NewContextKey()
)

// spend takes so much of what a text may have, and reports whether it had it.
func spend(pc parser.Context, key parser.ContextKey, much, most int) bool {
	spent, _ := pc.Get(key).(int)
	if much > most-spent {
		pc.Set(overBounds, true)
		return false
	}
	pc.Set(key, spent+much)
	return true
}

// inside is what it takes to read what stands within a block, at most: the parser
// may look through the whole of it at every mark, and, for one label, at every line
// once for each line before it.
func inside(source []byte, lines *text.Segments) int {
	marks, size := 0, 0
	for i := range lines.Len() {
		segment := lines.At(i)
		value := segment.Value(source)
		size += len(value)
		for _, c := range value {
			switch c {
			case '[', ']', '*', '_', '~', '`', '<', '!':
				marks++
			}
		}
	}
	if marks == 0 {
		return 0
	}
	return marks*size + lines.Len()*lines.Len()
}

// affordable leaves blocks unread that would take too long: they are shown as they
// are written.
type affordable struct{}

// Transform implements parser.ParagraphTransformer. Of what may become a table the
// table sees to it, which is read cell by cell.
func (affordable) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if columns, _ := tableIn(node, reader.Source()); columns == 0 {
		afford(node, reader.Source(), pc)
	}
}

func afford(node ast.Node, source []byte, pc parser.Context) {
	if spend(pc, work, inside(source, node.Lines()), brenner.MaxMarkdownWork) {
		return
	}
	unread := &asWritten{}
	unread.SetLines(node.Lines())
	unread.SetBlankPreviousLines(node.HasBlankPreviousLines())
	node.Parent().ReplaceChild(node.Parent(), node, unread)
}

// headings are those that begin with a number sign, as long as they are affordable;
// underlined ones were paragraphs before.
type headings struct{ parser.BlockParser }

// Close implements parser.BlockParser.
func (h headings) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	h.BlockParser.Close(node, reader, pc)
	afford(node, reader.Source(), pc)
}

// asWritten is a block that is shown as it is written.
type asWritten struct{ ast.BaseBlock }

var asWrittenKind = ast.NewNodeKind("AsWritten")

func (*asWritten) Kind() ast.NodeKind { return asWrittenKind }
func (*asWritten) IsRaw() bool        { return true }

// Dump is part of ast.Node.
func (n *asWritten) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// RegisterFuncs implements renderer.NodeRenderer.
func (affordable) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(asWrittenKind, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		_, _ = w.WriteString("<pre>")
		for i := range n.Lines().Len() {
			segment := n.Lines().At(i)
			template.HTMLEscape(w, segment.Value(source))
		}
		_, err := w.WriteString("</pre>\n")
		return ast.WalkContinue, err
	})
}

// Extend implements goldmark.Extender.
func (a affordable) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithBlockParsers(util.Prioritized(headings{parser.NewATXHeadingParser()}, 599)), // before the one that is there
		parser.WithParagraphTransformers(util.Prioritized(a, 50)))                              // before all others
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(a, 500)))
}

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
	end, open, levels := 0, 0, 0
	for line := range strings.Lines(source) {
		deep := nesting(line)
		open = max(open, deep) // never too few: nothing that was opened is taken for closed
		if levels += open; deep > brenner.MaxMarkdownNesting || levels > brenner.MaxMarkdownLevels {
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
		parser.WithParagraphTransformers(util.Prioritized(tableCounter{tables{}}, 200)),
		parser.WithASTTransformers(util.Prioritized(bars{}, 0)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(tables{}, 500)))
}

// tableCounter makes tables of paragraphs until their cells are too many. A row
// gets as many cells as the head has, so that many short rows below a wide head
// would become millions.
type tableCounter struct{ parser.ParagraphTransformer }

// Transform implements parser.ParagraphTransformer.
func (t tableCounter) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	columns, rows := tableIn(node, reader.Source())
	if columns == 0 {
		return
	}
	bars, each := 0, 0
	lines := node.Lines()
	for i := range lines.Len() {
		one := text.NewSegments()
		one.Append(lines.At(i))
		segment := lines.At(i)
		bars += bytes.Count(segment.Value(reader.Source()), []byte(`\|`))
		each += inside(reader.Source(), one)
	}
	if spend(pc, cells, columns*rows, brenner.MaxMarkdownCells) && spend(pc, escapes, bars, brenner.MaxMarkdownEscapes) &&
		spend(pc, work, each, brenner.MaxMarkdownWork) {
		t.ParagraphTransformer.Transform(node, reader, pc)
	}
	if node.Parent() != nil { // no table, or lines before it
		afford(node, reader.Source(), pc)
	}
}

// tableIn gives how many columns and rows a table in a paragraph has at most, none
// if there is none.
func tableIn(node *ast.Paragraph, source []byte) (columns, rows int) {
	lines := node.Lines()
	for i := 1; i < lines.Len(); i++ {
		segment := lines.At(i)
		// The first that may be a delimiter need not be one.
		if n, ok := delimiter(segment.Value(source)); ok {
			if below := lines.Len() - i + 1; n*below > columns*rows {
				columns, rows = n, below
			}
		}
	}
	return columns, rows
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
