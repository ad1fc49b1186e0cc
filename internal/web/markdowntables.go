package web

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Tables and struck words as the extensions of the library have them, which a test
// compares with these. The library's own are in one package with others that
// compile large patterns whenever a program starts.

// strikes reads ~words~ and ~~words~~ as struck.
type strikes struct{}

var struckKind = ast.NewNodeKind("Struck")

type struck struct{ ast.BaseInline }

func (*struck) Kind() ast.NodeKind { return struckKind }

// Dump is part of ast.Node.
func (n *struck) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Trigger implements parser.InlineParser.
func (strikes) Trigger() []byte { return []byte{'~'} }

// Parse implements parser.InlineParser.
func (s strikes) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	mark := parser.ScanDelimiter(line, before, 1, s)
	if mark == nil || mark.OriginalLength > 2 || before == '~' {
		return nil
	}
	mark.Segment = segment.WithStop(segment.Start + mark.OriginalLength)
	block.Advance(mark.OriginalLength)
	pc.PushDelimiter(mark)
	return mark
}

// IsDelimiter implements parser.DelimiterProcessor.
func (strikes) IsDelimiter(c byte) bool { return c == '~' }

// CanOpenCloser implements parser.DelimiterProcessor.
func (strikes) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// OnMatch implements parser.DelimiterProcessor.
func (strikes) OnMatch(int) ast.Node { return &struck{} }

// RegisterFuncs implements renderer.NodeRenderer.
func (strikes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(struckKind, between("<del>", "</del>"))
}

// Extend implements goldmark.Extender.
func (s strikes) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(s, 500)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(s, 500)))
}

// between renders a node as what is in it, between two texts.
func between(before, after string) renderer.NodeRendererFunc {
	return func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		words := after
		if entering {
			words = before
		}
		_, err := w.WriteString(words)
		return ast.WalkContinue, err
	}
}

// tables makes tables of paragraphs.
type tables struct{}

var (
	tableKind = ast.NewNodeKind("Table")
	rowKind   = ast.NewNodeKind("TableRow")
	cellKind  = ast.NewNodeKind("TableCell")
)

// A table has rows, the first of which is the head, and rows have cells.
type (
	tableNode struct{ ast.BaseBlock }
	tableRow  struct {
		ast.BaseBlock
		head bool
	}
	tableCell struct {
		ast.BaseBlock
		align string
		bars  []int // where backslashes stand before bars, if there may be code in the cell
	}
)

func (*tableNode) Kind() ast.NodeKind { return tableKind }
func (*tableRow) Kind() ast.NodeKind  { return rowKind }
func (*tableCell) Kind() ast.NodeKind { return cellKind }

// Dump is part of ast.Node.
func (n *tableNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Dump is part of ast.Node.
func (n *tableRow) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Dump is part of ast.Node.
func (n *tableCell) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Transform implements parser.ParagraphTransformer: the first line that parts a head
// from a body makes a table of the line above it and all below; lines before stay a
// paragraph.
func (tables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, source := node.Lines(), reader.Source()
	for i := 1; i < lines.Len(); i++ {
		segment := lines.At(i)
		aligns := alignments(segment.Value(source))
		if aligns == nil {
			continue
		}
		head := readRow(lines.At(i-1), aligns, true, source, pc)
		if head.ChildCount() != len(aligns) {
			return
		}
		t := &tableNode{}
		t.AppendChild(t, head)
		for j := i + 1; j < lines.Len(); j++ {
			t.AppendChild(t, readRow(lines.At(j), aligns, false, source, pc))
		}
		lines.SetSliced(0, i-1)
		parent := node.Parent()
		parent.InsertAfter(parent, node, t)
		if lines.Len() == 0 {
			parent.RemoveChild(parent, node)
			return
		}
		last := lines.At(i - 2)
		last.Stop-- // its line break
		lines.Set(i-2, last)
		return
	}
}

// alignments gives how each column is aligned by a line that parts a head from a
// body, nil if the line is none.
func alignments(line []byte) (aligns []string) {
	if width, _ := util.IndentWidth(line, 0); width > 3 {
		return nil
	}
	only := true
	for _, c := range line {
		only = only && c == '-'
		if !util.IsSpace(c) && c != '-' && c != '|' && c != ':' {
			return nil
		}
	}
	if only {
		return nil
	}
	columns := bytes.Split(line, []byte{'|'})
	if util.IsBlank(columns[0]) {
		columns = columns[1:]
	}
	if len(columns) > 0 && util.IsBlank(columns[len(columns)-1]) {
		columns = columns[:len(columns)-1]
	}
	for _, column := range columns {
		dashes, left := bytes.CutPrefix(bytes.Trim(column, "\t\n\f\r "), []byte{':'})
		dashes, right := bytes.CutSuffix(dashes, []byte{':'})
		if len(dashes) == 0 || len(bytes.Trim(dashes, "-")) > 0 {
			return nil
		}
		switch {
		case left && right:
			aligns = append(aligns, "center")
		case left:
			aligns = append(aligns, "left")
		case right:
			aligns = append(aligns, "right")
		default:
			aligns = append(aligns, "")
		}
	}
	return aligns
}

// barred are the cells of a text that have bars.
var barred = parser.NewContextKey()

// readRow reads a line as cells: of a head all that there are, else as many as
// there are columns.
func readRow(segment text.Segment, aligns []string, head bool, source []byte, pc parser.Context) *tableRow {
	segment = segment.TrimLeftSpace(source)
	segment = segment.TrimRightSpace(source)
	line := segment.Value(source)
	r := &tableRow{head: head}
	at, end := 0, len(line)
	if end > 0 && line[0] == '|' {
		at++
	}
	if end > 0 && line[end-1] == '|' {
		end--
	}
	n := 0
	for ; at < end; n++ {
		c := &tableCell{}
		if n < len(aligns) {
			c.align = aligns[n]
		} else if !head {
			return r
		}
		from, code := at, false
		for ; at < end; at++ {
			if line[at] == '`' {
				code = true
			}
			if line[at] != '|' {
				continue
			}
			if at == 0 || line[at-1] != '\\' {
				break
			}
			if code {
				c.bars = append(c.bars, segment.Start+at-1)
			}
		}
		if c.bars != nil {
			earlier, _ := pc.Get(barred).([]*tableCell)
			pc.Set(barred, append(earlier, c))
		}
		words := text.NewSegment(segment.Start+from, segment.Start+at)
		words = words.TrimLeftSpace(source)
		words = words.TrimRightSpace(source)
		c.Lines().Append(words)
		r.AppendChild(r, c)
		at++
	}
	for ; n < len(aligns); n++ {
		r.AppendChild(r, &tableCell{})
	}
	return r
}

// bars takes the backslash from before a bar in code, where it stands only because
// the bar would end the cell.
type bars struct{}

// Transform implements parser.ASTTransformer.
func (bars) Transform(_ *ast.Document, _ text.Reader, pc parser.Context) {
	cells, _ := pc.Get(barred).([]*tableCell)
	for _, c := range cells {
		_ = ast.Walk(c, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && n.Kind() == ast.KindCodeSpan {
				unescape(n, c.bars)
			}
			return ast.WalkContinue, nil
		})
	}
}

func unescape(code ast.Node, bars []int) {
	for n := code.FirstChild(); n != nil; n = n.NextSibling() {
		words, ok := n.(*ast.Text)
		if !ok {
			continue
		}
		for _, at := range bars {
			if at < words.Segment.Start || at >= words.Segment.Stop {
				continue
			}
			rest := ast.NewRawTextSegment(words.Segment.WithStart(at + 1))
			code.InsertAfter(code, words, rest)
			before := ast.NewRawTextSegment(words.Segment.WithStop(at))
			code.ReplaceChild(code, words, before)
			n, words = rest, rest
		}
	}
}

// RegisterFuncs implements renderer.NodeRenderer.
func (tables) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(tableKind, between("<table>\n", "</table>\n"))
	r.Register(rowKind, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		head, last := n.(*tableRow).head, n.NextSibling() == nil
		words := "</tr>\n"
		switch {
		case entering && head:
			words = "<thead>\n<tr>\n"
		case entering:
			words = "<tr>\n"
		case head && last:
			words += "</thead>\n"
		case head:
			words += "</thead>\n<tbody>\n"
		case last:
			words += "</tbody>\n"
		}
		_, err := w.WriteString(words)
		return ast.WalkContinue, err
	})
	r.Register(cellKind, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		c, name := n.(*tableCell), "td"
		if n.Parent().(*tableRow).head {
			name = "th"
		}
		words := "</" + name + ">\n"
		switch {
		case entering && c.align == "":
			words = "<" + name + ">"
		case entering:
			words = "<" + name + ` align="` + c.align + `">` // no style attributes
		}
		_, err := w.WriteString(words)
		return ast.WalkContinue, err
	})
}
