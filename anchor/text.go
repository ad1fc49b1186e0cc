package anchor

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/canon"
)

const bom = "\uFEFF"

// ending is how a file spells the end of one line.
type ending byte

const (
	lf ending = iota
	crlf
	cr
)

var spelling = [...]string{lf: "\n", crlf: "\r\n", cr: "\r"}

func (e ending) String() string { return [...]string{lf: "LF", crlf: "CRLF", cr: "CR"}[e] }

// Text is a canonical text together with how its file spells it: with or
// without a byte order mark, and with which line endings. The zero Text is an
// empty file.
type Text struct {
	s      string
	bom    bool
	absent bool
	// every is the ending of every line, unless mixed lists one per newline.
	every ending
	mixed []ending
}

// Absent is the text of a file that does not exist. It counts as empty, and
// only replace_entire_file may be applied to it.
func Absent() Text { return Text{absent: true} }

// Canonical reads the bytes of a file. Bytes that are not UTF-8, or contain
// U+0000, are refused with INVALID_TEXT, never substituted; a text over
// brenner.MaxPatchTextBytes is LIMIT_EXCEEDED.
func Canonical(raw []byte) (Text, error) {
	if len(raw) > brenner.MaxPatchTextBytes {
		return Text{}, tooLong(len(raw))
	}
	if i := bytes.IndexByte(raw, 0); i >= 0 {
		return Text{}, brenner.Errorf(brenner.CodeInvalidText, "byte %d is U+0000, as in a binary file", i).
			WithHint("anchor patches change text files only")
	}
	if !utf8.Valid(raw) {
		i := invalidAt(raw)
		return Text{}, brenner.Errorf(brenner.CodeInvalidText, "byte %d (0x%02X, line %d) is not valid UTF-8", i, raw[i], 1+bytes.Count(raw[:i], []byte("\n"))).
			WithHint("convert the file to UTF-8 first")
	}
	body, marked := bytes.CutPrefix(raw, []byte(bom))
	t := Text{bom: marked}
	if bytes.IndexByte(body, '\r') < 0 {
		t.s = string(body)
		return t, nil
	}
	t.s = unifyNewlines(string(body))
	t.every, t.mixed = settle(endings(body), lf)
	return t, nil
}

// settle tells uniform endings, which are kept as one, from mixed ones. Where
// there are none, a newline to come will be spelled like none.
func settle(es []ending, none ending) (every ending, mixed []ending) {
	if len(es) == 0 {
		return none, nil
	}
	for _, e := range es {
		if e != es[0] {
			return es[0], es
		}
	}
	return es[0], nil
}

func tooLong(n int) error {
	return brenner.Errorf(brenner.CodeLimitExceeded, "a text of %d bytes; at most %d are allowed", n, brenner.MaxPatchTextBytes)
}

func invalidAt(raw []byte) int {
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(raw)
}

// endings lists the ending of every line of a text that has a carriage return.
func endings(body []byte) []ending {
	var es []ending
	for i := 0; i < len(body); i++ {
		switch {
		case body[i] == '\n':
			es = append(es, lf)
		case body[i] == '\r' && i+1 < len(body) && body[i+1] == '\n':
			es = append(es, crlf)
			i++
		case body[i] == '\r':
			es = append(es, cr)
		}
	}
	return es
}

// canonicalString brings a string of a patch into canonical form, by the same
// steps as Canonical.
func canonicalString(s string) string {
	return unifyNewlines(strings.TrimPrefix(s, bom))
}

func unifyNewlines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// String gives the canonical text.
func (t Text) String() string { return t.s }

// IsAbsent tells a missing file from an empty one.
func (t Text) IsAbsent() bool { return t.absent }

// Sum is the checksum of the canonical text.
func (t Text) Sum() brenner.Digest { return canon.Sum([]byte(t.s)) }

// Bytes gives the text as its file spells it. Reading it again gives the same
// canonical text, always: where two spellings would run together (a CR line
// followed by an empty LF line) or a leading U+FEFF would be taken for a byte
// order mark, the spelling yields.
func (t Text) Bytes() []byte {
	var b bytes.Buffer
	if t.bom || strings.HasPrefix(t.s, bom) {
		b.WriteString(bom)
	}
	switch {
	case t.mixed != nil:
		t.writeMixed(&b)
	case t.every == lf:
		b.WriteString(t.s)
	default:
		b.WriteString(strings.ReplaceAll(t.s, "\n", spelling[t.every]))
	}
	return b.Bytes()
}

func (t Text) writeMixed(b *bytes.Buffer) {
	rest, afterCR := t.s, false
	for _, e := range t.mixed {
		i := strings.IndexByte(rest, '\n')
		b.WriteString(rest[:i])
		if e == lf && afterCR && i == 0 {
			e = crlf
		}
		b.WriteString(spelling[e])
		rest, afterCR = rest[i+1:], e == cr
	}
	b.WriteString(rest)
}

// endingOf gives the ending of a line, counted from 0.
func (t Text) endingOf(line int) ending {
	if t.mixed != nil {
		return t.mixed[line]
	}
	return t.every
}

// endsOtherwise says that a line, counted from 0, ends in another way than those
// around it: a text that spells every line alike says nothing by it.
func (t Text) endsOtherwise(line int) bool { return line < len(t.mixed) && t.mixed[line] != lf }

// edit replaces base[start:end] by text. from says which operation asked.
type edit struct {
	start, end int
	text       string
	from       opRef
}

// splice applies edits, sorted and disjoint. Newlines outside the edits keep
// their spelling; those inside take that of the newline they stand for, or of
// their neighbour.
func (t Text) splice(edits []edit) Text {
	size := len(t.s)
	for _, e := range edits {
		size += len(e.text) - (e.end - e.start)
	}
	var b strings.Builder
	b.Grow(size)
	at := 0
	for _, e := range edits {
		b.WriteString(t.s[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(t.s[at:])
	out := Text{s: b.String(), bom: t.bom, every: t.every}
	if t.mixed != nil {
		out.every, out.mixed = settle(t.spliceEndings(edits), t.every)
	}
	return out
}

func (t Text) spliceEndings(edits []edit) []ending {
	out := make([]ending, 0, len(t.mixed))
	at, line := 0, 0
	keep := func(to int) {
		n := strings.Count(t.s[at:to], "\n")
		out = append(out, t.mixed[line:line+n]...)
		at, line = to, line+n
	}
	for _, e := range t.byLine(edits) {
		old := t.s[e.start:e.end]
		pre := commonPrefix(old, e.text)
		post := commonSuffix(old[pre:], e.text[pre:])
		keep(e.start + pre)
		replaced := t.mixed[line : line+strings.Count(old[pre:len(old)-post], "\n")]
		for i := range strings.Count(e.text[pre:len(e.text)-post], "\n") {
			switch {
			case i < len(replaced):
				out = append(out, replaced[i])
			case len(out) > 0:
				out = append(out, out[len(out)-1])
			default:
				out = append(out, t.mixed[0])
			}
		}
		at, line = e.end-post, line+len(replaced)
		keep(e.end)
	}
	keep(len(t.s))
	return out
}

// byLine takes out of edits the lines that they leave as they are.
func (t Text) byLine(edits []edit) (out []edit) {
	for _, e := range edits {
		for _, part := range lineEdits(t.s[e.start:e.end], e.text) {
			out = append(out, edit{start: e.start + part.start, end: e.start + part.end, text: part.text})
		}
	}
	return out
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func commonSuffix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[len(a)-1-i] != b[len(b)-1-i] {
			return i
		}
	}
	return n
}

// position gives the line and the column, both from 1 and in characters, of a
// byte offset.
func position(s string, offset int) (line, column int) {
	line = 1 + strings.Count(s[:offset], "\n")
	start := 1 + strings.LastIndexByte(s[:offset], '\n')
	return line, 1 + utf8.RuneCountInString(s[start:offset])
}
