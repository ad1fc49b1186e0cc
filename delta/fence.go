package delta

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// fence is a fenced block of a reply: three or more backticks, tildes or
// colons. Unlike the parser's own fenced code block it knows where it stands
// in the source and whether it was ever closed, and it knows colons.
type fence struct {
	ast.BaseBlock
	char           byte
	length, indent int
	info           string
	start          int // of the opening line
	body           int // of the first line inside
	end            int // after the closing line, or after the last line of the source
	closed         bool
}

var fenceKind = ast.NewNodeKind("DeltaFence")

func (f *fence) Kind() ast.NodeKind { return fenceKind }
func (f *fence) IsRaw() bool        { return true }

// Dump is part of ast.Node.
func (f *fence) Dump(source []byte, level int) {
	ast.DumpHelper(f, source, level, map[string]string{"info": f.info}, nil)
}

// content is the text between the fences, without the indentation of the
// opening one.
func (f *fence) content(source []byte) []byte {
	var b bytes.Buffer
	for i := range f.Lines().Len() {
		segment := f.Lines().At(i)
		b.Write(segment.Value(source))
	}
	return b.Bytes()
}

// fenceParser follows CommonMark's rules for fenced code blocks.
type fenceParser struct{}

func (fenceParser) Trigger() []byte { return []byte("`~:") }

func (fenceParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 {
		return nil, parser.NoChildren
	}
	char, length := line[at], run(line[at:])
	if length < 3 || strings.IndexByte("`~:", char) < 0 {
		return nil, parser.NoChildren
	}
	info := strings.TrimSpace(string(line[at+length:]))
	if char == '`' && strings.IndexByte(info, '`') >= 0 {
		return nil, parser.NoChildren
	}
	if char == ':' && info == "" { // a closing line without a block
		return nil, parser.NoChildren
	}
	return &fence{
		char: char, length: length, indent: at, info: info,
		start: segment.Start, body: segment.Stop, end: segment.Stop,
	}, parser.NoChildren
}

// run gives the length of the run of equal characters at the start of a line.
func run(line []byte) int {
	n := 0
	for n < len(line) && line[n] == line[0] {
		n++
	}
	return n
}

func (fenceParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	f := node.(*fence)
	line, segment := reader.PeekLine()
	f.end = segment.Stop
	width, at := util.IndentWidth(line, reader.LineOffset())
	if width < 4 && at < len(line) && line[at] == f.char {
		if n := run(line[at:]); n >= f.length && util.IsBlank(line[at+n:]) {
			f.closed = true
			reader.AdvanceToEOL()
			return parser.Close
		}
	}
	at, padding := util.IndentPositionPadding(line, reader.LineOffset(), segment.Padding, f.indent)
	if at < 0 {
		at, padding = max(0, util.FirstNonSpacePosition(line))-segment.Padding, 0
	}
	f.Lines().Append(text.NewSegmentPadding(segment.Start+at, segment.Stop, padding))
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

func (fenceParser) Close(ast.Node, text.Reader, parser.Context) {}

func (fenceParser) CanInterruptParagraph() bool { return true }

func (fenceParser) CanAcceptIndentedLine() bool { return false }

// newReplyParser reads the blocks of CommonMark and nothing inside them: what
// a paragraph says is never a delta.
func newReplyParser() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewListParser(), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(fenceParser{}, 700),
		util.Prioritized(parser.NewBlockquoteParser(), 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	))
}
