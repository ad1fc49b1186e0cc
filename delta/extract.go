package delta

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// EchoMarker as the first line inside a delta block says that the block is an
// example. Agents repeat what they were shown; a block that still carries the
// marker is never read as a contribution (D20).
const EchoMarker = "<!-- brenner:example -->"

// MarkExample turns the JSON of a delta into a block that shows the format and
// is never read as a contribution. A block that is fenced already keeps its
// fence and gets the marker.
func MarkExample(block string) string {
	block = strings.Trim(block, "\n")
	if first, rest, _ := strings.Cut(block, "\n"); strings.HasPrefix(strings.TrimSpace(first), "```") {
		return first + "\n" + EchoMarker + "\n" + rest + "\n"
	}
	return "```delta\n" + EchoMarker + "\n" + block + "\n```\n"
}

// Extraction is what a reply holds.
type Extraction struct {
	// Entries are the deltas in order, those that cannot be read included.
	Entries []Entry `json:"-"`
	// Misses are near misses: what looks like a delta and is not one.
	Misses []Miss `json:"misses"`
	// Ignored are blocks that are not contributions: quoted, or echoes of an
	// example.
	Ignored []Miss `json:"ignored"`
}

// Miss is a block that was not read as it may have been meant.
type Miss struct {
	Code    brenner.Code `json:"code"`
	Line    int          `json:"line"` // in the reply, from 1
	Message string       `json:"message"`
	Hint    string       `json:"hint"`
	// Corrected is a block that would be read, if one could be made.
	Corrected string `json:"corrected,omitzero"`
}

// Diagnostic gives the miss as a finding.
func (m *Miss) Diagnostic() brenner.Diagnostic {
	severity, hint := brenner.SeverityWarning, m.Hint
	if m.Code == brenner.CodeBlockIgnored {
		severity = brenner.SeverityInfo
	}
	if m.Corrected != "" {
		hint += "; corrected:\n" + m.Corrected
	}
	return brenner.Diagnostic{Code: m.Code, Severity: severity, Message: m.Message, Hint: hint, Subject: "line " + itoa(m.Line)}
}

// Diagnostics lists misses and ignored blocks as findings.
func (x *Extraction) Diagnostics() []brenner.Diagnostic {
	var all []brenner.Diagnostic
	for _, m := range slices.Concat(x.Misses, x.Ignored) {
		all = append(all, m.Diagnostic())
	}
	return all
}

// Extract finds the delta blocks of a reply in Markdown (D20). A block is
// fenced by backticks, tildes or colons and named delta; it holds an object,
// an array of objects or one object after the other. The envelope fills in
// what the deltas leave out and gives the message its id.
//
// Blocks are found with a CommonMark parser, so a fence that is only talked
// about, quoted or nested swallows none. What comes close to a delta comes
// back as a miss.
func Extract(reply []byte, env Envelope) (Extraction, error) {
	if len(reply) > brenner.MaxReplyBytes {
		return Extraction{}, brenner.Errorf(brenner.CodeLimitExceeded, "the reply has more than %d bytes", brenner.MaxReplyBytes).
			WithHint("send long material as artifacts, deltas in short replies")
	}
	x := &extractor{env: env, source: flatten(bytes.TrimPrefix(reply, []byte("\uFEFF")))}
	x.scan(0, len(x.source), false)
	byLine := func(a, b Miss) int { return cmp.Compare(a.Line, b.Line) }
	slices.SortStableFunc(x.out.Misses, byLine)
	slices.SortStableFunc(x.out.Ignored, byLine)
	return x.out, nil
}

// flatten blanks lines that open more quotes and lists than any reader could
// follow: they hold no delta, and parsers take long over them. Nothing moves.
func flatten(source []byte) []byte {
	at, copied := 0, false
	for line := range bytes.Lines(source) {
		markers := 0
		for _, c := range line {
			if strings.IndexByte(">-+*.)", c) >= 0 {
				markers++
			} else if !digit(c) && c != ' ' && c != '\t' {
				break
			}
		}
		if markers > brenner.MaxReplyNesting {
			if !copied {
				source, copied = bytes.Clone(source), true
			}
			for i := at; i < at+len(line); i++ {
				if source[i] != '\n' {
					source[i] = ' '
				}
			}
		}
		at += len(line)
	}
	return source
}

type extractor struct {
	env    Envelope
	source []byte
	lines  []int // where each line starts
	out    Extraction

	rescans, rescanned int // how often, and how many bytes
}

// mayRescan keeps a reply full of broken fences from being read over and over.
func (x *extractor) mayRescan(size int) bool {
	x.rescans++
	x.rescanned += size
	return x.rescans <= brenner.MaxReplyRescans && x.rescanned <= brenner.MaxReplyRescanBytes
}

// scan reads a part of the source. Inside a closed fence that is not one of
// deltas (nested), whatever is found is a near miss.
func (x *extractor) scan(from, to int, nested bool) {
	part := x.source[from:to]
	doc := newReplyParser().Parse(text.NewReader(part))
	w := walker{extractor: x, part: part, from: from, nested: nested}
	w.blocks(doc, false)
}

// walker goes through the blocks of one part of the source.
type walker struct {
	*extractor
	part   []byte
	from   int
	nested bool
}

func (w *walker) blocks(parent ast.Node, quoted bool) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *fence:
			w.fence(n, quoted)
		case *ast.Blockquote:
			w.blocks(n, true)
		case *ast.CodeBlock, *ast.Paragraph, *ast.TextBlock, *ast.HTMLBlock:
			if !quoted && !w.nested && n.Lines().Len() > 0 {
				w.unfenced(n)
			}
		default:
			w.blocks(n, quoted)
		}
	}
}

func (w *walker) fence(f *fence, quoted bool) {
	body := f.content(w.part)
	isDelta := f.info == "delta"
	switch {
	case isDelta && marked(body):
		w.ignore(f, "an example was echoed", "take out the line "+EchoMarker+" if the block is meant as a contribution")
	case isDelta && quoted:
		w.ignore(f, "a quoted delta block is not a contribution", "repeat it unquoted if it is meant as one")
	case quoted:
	case isDelta && w.nested:
		w.miss(f.start, "a delta block inside another block is not read", "send the block on its own", block(body))
	case isDelta && w.deltas(f, body):
		// Read.
	case opensDelta(body) && w.mayRescan(f.end-f.body):
		w.scan(w.from+f.body, w.from+f.end, w.nested || f.encloses(body))
	case isDelta:
		w.broken(f, body)
	default:
		w.wrongFence(f, body)
	}
}

// marked says whether a block is an example that was echoed.
func marked(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(body), []byte(EchoMarker))
}

// opensDelta says whether a line of the text opens a delta block.
func opensDelta(text []byte) bool {
	_, n := deltaFence(text)
	return n > 0
}

// deltaFence gives the character and length of the first fence in the text
// that opens a delta block.
func deltaFence(text []byte) (char byte, length int) {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 3 && strings.IndexByte("`~:", line[0]) >= 0 {
			if n := run(line); n >= 3 && string(bytes.TrimSpace(line[n:])) == "delta" {
				return line[0], n
			}
		}
	}
	return 0, 0
}

// encloses says whether a fence was meant to hold the delta block inside it. A
// delta fence that was only talked about does not, nor one that was never
// closed, nor a nameless one that only the fence of the block itself closed.
func (f *fence) encloses(body []byte) bool {
	if f.info == "delta" || !f.closed {
		return false
	}
	char, length := deltaFence(body)
	return f.info != "" || char != f.char || length < f.length
}

// deltas reads the content of a delta block, if it is JSON.
func (w *walker) deltas(f *fence, body []byte) bool {
	pieces, ok := splitJSON(body)
	if !ok {
		return false
	}
	for _, p := range pieces {
		w.delta(p.raw, w.from+f.start)
	}
	return true
}

// delta reads one delta of the message.
func (x *extractor) delta(raw []byte, at int) {
	seq := len(x.out.Entries) + 1
	e := readEntry(raw, x.env, seq)
	x.out.Entries = append(x.out.Entries, e)
	err := error(e.Invalid)
	if e.Invalid == nil {
		_, err = Check(e.Delta)
	}
	if err == nil {
		return
	}
	// Without a note nothing was mended: the envelope is to blame, not the delta.
	if d, notes, ok := mend(raw, x.env, seq); ok && len(notes) > 0 {
		x.miss(at, "the delta is refused: "+asInvalid(err).Message, strings.Join(notes, "; "), block(d))
	}
}

// readEntry parses a delta; one that cannot be read keeps what names it.
func readEntry(raw []byte, env Envelope, seq int) Entry {
	d, err := Parse(raw, env, seq)
	e := Entry{Delta: d, Message: env.Message, Received: env.Received}
	if err == nil {
		return e
	}
	e.Invalid = asInvalid(err)
	if e.Delta.DeltaID == "" {
		e.Delta.DeltaID = nameOf(raw)
	}
	if e.Delta.DeltaID == "" && env.Message != "" {
		e.Delta.DeltaID = env.Message + "#" + itoa(seq)
	}
	if e.Delta.Agent == "" {
		e.Delta.Agent = env.Agent
	}
	return e
}

// nameOf finds the delta_id of a delta that cannot be read.
func nameOf(raw []byte) string {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return ""
	}
	for {
		tok, err := dec.ReadToken()
		if err != nil || tok.Kind() != '"' {
			return ""
		}
		name := tok.String()
		value, err := dec.ReadValue()
		if err != nil {
			return ""
		}
		if name == "delta_id" && value.Kind() == '"' {
			if id := unquote(string(value)); plain(id) {
				return id
			}
			return ""
		}
	}
}

// broken reports a delta block that holds no JSON.
func (w *walker) broken(f *fence, body []byte) {
	seq := len(w.out.Entries) + 1
	_, err := Parse(body, w.env, seq)
	e := readEntry(body, w.env, seq)
	if e.Invalid == nil {
		e.Invalid = invalid("", "the block is not JSON", "")
	}
	w.out.Entries = append(w.out.Entries, e)
	if d, notes, ok := mend(body, w.env, seq); ok {
		w.miss(f.start, "the delta block is not JSON: "+asInvalid(err).Message, strings.Join(notes, "; "), block(d))
		return
	}
	w.miss(f.start, "the delta block is not JSON", "a delta block holds one JSON object, an array of them, or one after the other", "")
}

// wrongFence reports deltas in a block of another name.
func (w *walker) wrongFence(f *fence, body []byte) {
	if w.nested {
		return
	}
	named := "named " + clip(f.info)
	if f.info == "" {
		named = "without a name"
	}
	w.likely(body, f.start, "a delta stands in a block "+named, "name the fence delta")
}

// unfenced reports deltas that stand in the text without a fence.
func (w *walker) unfenced(n ast.Node) {
	lines := n.Lines()
	for i := range lines.Len() {
		first := lines.At(i)
		if line := bytes.TrimSpace(first.Value(w.part)); len(line) == 0 || line[0] != '{' && line[0] != '[' {
			continue
		}
		end := lines.At(lines.Len() - 1).Stop
		w.likely(w.part[first.Start:end], first.Start, "a delta stands in the text without a fence", "put it into a block named delta")
		return
	}
}

// likely reports each delta in a text that was not read as one.
func (w *walker) likely(body []byte, at int, message, hint string) {
	pieces, ok := splitJSON(body)
	if !ok {
		pieces = []piece{{raw: body}}
	}
	for _, p := range pieces {
		if !deltaLike(p.raw) {
			continue
		}
		d, notes, ok := mend(p.raw, w.env, len(w.out.Entries)+1)
		if !ok {
			d = nil
		}
		w.miss(at, message, strings.Join(append([]string{hint}, notes...), "; "), block(d))
	}
}

// miss reports a near miss; at is a place in the part being walked.
func (w *walker) miss(at int, message, hint, corrected string) {
	w.extractor.miss(w.from+at, message, hint, corrected)
}

func (x *extractor) miss(at int, message, hint, corrected string) {
	x.out.Misses = append(x.out.Misses, Miss{brenner.CodeNearMiss, x.line(at), message, hint, corrected})
}

func (w *walker) ignore(f *fence, message, hint string) {
	w.out.Ignored = append(w.out.Ignored, Miss{Code: brenner.CodeBlockIgnored, Line: w.line(w.from + f.start), Message: message, Hint: hint})
}

// line gives the number of the line a place is on.
func (x *extractor) line(at int) int {
	if x.lines == nil {
		x.lines = []int{0}
		for i, c := range x.source {
			if c == '\n' {
				x.lines = append(x.lines, i+1)
			}
		}
	}
	return sort.SearchInts(x.lines, at+1)
}

// block fences the JSON of a delta.
func block(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	return "```delta\n" + strings.TrimSpace(string(body)) + "\n```\n"
}
