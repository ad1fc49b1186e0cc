package delta

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
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
	// Entries are the deltas in order, those that are refused included.
	Entries []Entry `json:"-"`
	// Misses are near misses: what looks like a delta and is not one, or is one
	// that would be refused.
	Misses []Miss `json:"misses"`
	// Ignored are blocks that are not contributions: quoted, or echoes of an
	// example.
	Ignored []Miss `json:"ignored"`
	// Accepted are the near misses that were taken as they were mended.
	Accepted []Miss `json:"accepted,omitzero"`

	finds []find // everything but what is ignored, in order
}

// Miss is something that was not read as it may have been meant.
type Miss struct {
	Code    brenner.Code `json:"code"`
	Line    int          `json:"line"` // in the reply, from 1
	Message string       `json:"message"`
	Hint    string       `json:"hint"`
	// Cause and Pointer say why the delta would be refused even in its place.
	Cause   brenner.Code `json:"cause,omitzero"`
	Pointer string       `json:"pointer,omitzero"`
	// Corrected is a block that would be read, if one could be made, and Changes
	// how it differs from what was sent.
	Corrected string   `json:"corrected,omitzero"`
	Changes   []Change `json:"changes,omitzero"`
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
	return brenner.Diagnostic{Code: m.Code, Severity: severity, Message: m.Message, Hint: hint, Pointer: m.Pointer, Subject: "line " + itoa(m.Line)}
}

// Diagnostics lists misses and ignored blocks as findings.
func (x *Extraction) Diagnostics() []brenner.Diagnostic {
	var all []brenner.Diagnostic
	for _, m := range slices.Concat(x.Misses, x.Ignored) {
		all = append(all, m.Diagnostic())
	}
	return all
}

// Usable counts the deltas that a merge would look at. A reply without one is
// not an answer (D20).
func (x *Extraction) Usable() int {
	n := 0
	for i := range x.Entries {
		if x.Entries[i].Invalid == nil {
			n++
		}
	}
	return n
}

// AcceptMended takes every near miss that could be mended as it is proposed,
// which is for a person, or a setting of theirs, to decide (D20). Ids and order
// are as if the reply had been sent so.
func (x Extraction) AcceptMended() Extraction {
	out := Extraction{Ignored: x.Ignored, finds: x.finds}
	for i := range x.finds {
		f := &x.finds[i]
		switch {
		case f.mended != nil:
			out.Entries = append(out.Entries, *f.mended)
			out.Accepted = append(out.Accepted, *f.miss)
			continue
		case f.entry != nil:
			out.Entries = append(out.Entries, *f.entry)
		}
		if f.miss != nil {
			out.Misses = append(out.Misses, *f.miss)
		}
	}
	return out
}

// OnlyMended gives what AcceptMended would take that was not taken as it was
// sent.
func (x Extraction) OnlyMended() Extraction {
	out := Extraction{Ignored: x.Ignored, finds: x.finds}
	for i := range x.finds {
		if f := &x.finds[i]; f.mended != nil {
			out.Entries = append(out.Entries, *f.mended)
			out.Accepted = append(out.Accepted, *f.miss)
		}
	}
	return out
}

// Extract finds the delta blocks of a reply in Markdown (D20). A block is
// fenced by backticks, tildes or colons and named delta; it holds an object,
// an array of objects or one object after the other. The envelope fills in
// what the deltas leave out and gives the message its id.
//
// Blocks are found with a CommonMark parser, so a fence that is only talked
// about, quoted or nested swallows none. Whatever else looks like a delta,
// wherever it stands, comes back as a miss. What a merge would refuse for its
// form or a required field is refused here, with the JSON pointer.
func Extract(reply []byte, env Envelope) (Extraction, error) {
	return extractUntil(nil, reply, env)
}

func extractUntil(stop func() bool, reply []byte, env Envelope) (Extraction, error) {
	if len(reply) > brenner.MaxReplyBytes {
		return Extraction{}, brenner.Errorf(brenner.CodeLimitExceeded, "the reply has more than %d bytes", brenner.MaxReplyBytes).
			WithHint("send long material as artifacts, deltas in short replies")
	}
	text, encoding := decodeText(reply)
	x := newExtractor(flatten(text), encoding, env)
	x.stop = stop
	if x.again.levels = levels(x.source); x.again.levels > brenner.MaxReplyLevels {
		return Extraction{}, brenner.Errorf(brenner.CodeLimitExceeded, "the reply keeps quotes or lists open over too many lines").
			WithHint("send the delta blocks alone, outside of lists and quotes")
	}
	x.thoughts()
	x.scan(0, len(x.source), false)
	x.sweep()
	return x.done()
}

// done is what was found, unless it was no longer wanted.
func (x *extractor) done() (Extraction, error) {
	out := x.finish()
	if x.stopped {
		return Extraction{}, brenner.Errorf(brenner.CodeCanceled, "the reply was not read to its end: nobody waits for it")
	}
	return out, nil
}

// look ends the work if nobody wants it any more: as if enough had been read.
func (x *extractor) look() bool {
	if !x.stopped && x.stop != nil && x.stop() {
		x.stopped, x.steps = true, 0
	}
	return x.stopped
}

// levels counts the lines of a text, each as often as quotes and lists may be open
// at it: so often the parser looks at it, and remembers that it did.
func levels(source []byte) int {
	sum, open, afterBlank := 0, 0, true
	for line := range bytes.Lines(source) {
		deep, blank := opens(line), len(bytes.TrimSpace(line)) == 0
		if afterBlank && !blank && deep == 0 && line[0] != ' ' && line[0] != '\t' {
			open = 0 // words at the edge, after a blank line, end all of them
		}
		open = max(open, deep)
		sum += open
		afterBlank = blank
	}
	return sum
}

// opens is how many quotes and lists a line may stand in, never too few: its own
// marks, and a list for every two blanks before them. Without a mark it goes on with
// what others have opened.
func opens(line []byte) int {
	marks, blanks := 0, 0
	for i, c := range line {
		ends := i+1 == len(line) || strings.IndexByte(" \t\r\n", line[i+1]) >= 0
		switch {
		case c == '>', ends && strings.IndexByte("-+*.)", c) >= 0:
			marks++
		case c == ' ' && marks == 0:
			blanks++
		case c == '\t' && marks == 0:
			blanks += 4
		case c != ' ' && c != '\t' && !digit(c):
			if marks > 0 {
				marks += blanks / 2
			}
			return marks
		}
	}
	return marks + min(marks, 1)*blanks/2
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

// find is something in a reply that is, or may have been meant as, a delta.
type find struct {
	at  int    // in the reply
	raw []byte // its text
	// whole says that it stands where a delta should; where names any other
	// place, and advice what to do about it.
	whole         bool
	where, advice string
	refused       bool   // the block around it is not JSON
	meant         *meant // read loosely, if it could be
	slips         []string

	entry  *Entry
	miss   *Miss
	mended *Entry
}

type extractor struct {
	env      Envelope
	source   []byte
	encoding string // of the reply, if it was not UTF-8
	lines    []int  // where each line starts
	finds    []find
	out      Extraction
	taken    []region // what the sweep leaves out
	places   []region // blocks that name a place

	again   reread
	steps   int // how much may be read loosely
	stop    func() bool
	stopped bool
	tired   bool
	owned   bool // the source is a copy that may be written
}

// reread is how often parts of a reply were read again, how many bytes of it, and
// its lines with it, each as often as it is nested.
type reread struct{ times, bytes, levels int }

// region is a part of the source.
type region struct {
	from, to int
	name     string // of the block
}

func newExtractor(source []byte, encoding string, env Envelope) *extractor {
	return &extractor{env: env, source: source, encoding: encoding, steps: brenner.MaxReplySteps + 32*len(source)}
}

// finish reads what was found, in order, and says what became of each.
func (x *extractor) finish() Extraction {
	slices.SortStableFunc(x.finds, func(a, b find) int { return cmp.Compare(a.at, b.at) })
	for i := range x.finds {
		if x.look() {
			break
		}
		f := &x.finds[i]
		if x.read(f, i+1); f.entry != nil {
			x.out.Entries = append(x.out.Entries, *f.entry)
		}
		if f.miss != nil {
			x.out.Misses = append(x.out.Misses, *f.miss)
		}
	}
	slices.SortStableFunc(x.out.Ignored, func(a, b Miss) int { return cmp.Compare(a.Line, b.Line) })
	x.out.finds = x.finds
	return x.out
}

// read reads one find as the delta of its place in the message.
func (x *extractor) read(f *find, seq int) {
	if f.whole && x.encoding != "" {
		f.whole, f.where, f.advice = false, "the reply is "+x.encoding, "send it in UTF-8"
	}
	var refused *brenner.Error
	if f.whole {
		e := readEntry(f.raw, x.env, seq)
		switch _, err := check(e.Delta, x.env.Parts); {
		case e.Invalid != nil:
		case f.refused:
			e.Invalid = invalid("", "the delta block is not JSON", "a delta block holds one JSON object, an array of them, or one after the other")
		case err != nil:
			e.Invalid = asInvalid(err)
		}
		f.entry, refused = &e, e.Invalid
		if refused == nil {
			return
		}
	}
	p := x.propose(f, seq)
	if f.whole && !f.refused && p.raw != nil && len(p.changes) == 0 {
		return // the envelope is to blame, not the delta
	}
	if p.raw == nil && refused != nil && refused.Pointer != "" && !f.refused {
		return // the refusal says it all
	}
	f.miss = x.missOf(f, p, refused)
	if p.raw != nil {
		mended := readEntry(p.raw, x.env, seq)
		f.mended = &mended
		if f.entry != nil {
			f.entry.Corrected = f.miss.Corrected
		}
	}
}

// propose mends a find.
func (x *extractor) propose(f *find, seq int) proposal {
	if f.meant == nil {
		text, slips := unwound(string(f.raw))
		r := looseReader{text: text, slips: slips, steps: &x.steps}
		if v, ok := r.value(0); ok {
			if all := deltasIn(&v); len(all) == 1 {
				f.meant, f.slips = &all[0], r.slips
			} else if v.kind == '{' {
				f.meant, f.slips = &meant{object: v}, r.slips
			}
		}
	}
	if f.meant == nil {
		return proposal{err: invalid("", "no JSON object of a delta", "a delta block holds one JSON object, an array of them, or one after the other")}
	}
	return propose(*f.meant, f.slips, x.env, seq)
}

// missOf reports a find that was not applied.
func (x *extractor) missOf(f *find, p proposal, refused *brenner.Error) *Miss {
	m := &Miss{Code: brenner.CodeNearMiss, Line: x.line(f.at), Message: f.where, Changes: p.changes, Corrected: block(p.raw)}
	notes := p.notes()
	switch {
	case f.where != "":
		notes = append([]string{f.advice}, notes...)
	case f.refused || f.meant == nil || refused.Pointer == "":
		m.Message = "the delta block is not JSON"
		if len(notes) == 0 && p.raw != nil {
			notes = []string{"take out what stands around it"}
		}
	default:
		m.Message = "the delta is refused"
	}
	why := refused
	if p.err != nil && (f.meant != nil || why == nil) {
		why = p.err
	}
	if why != nil {
		if why.Message != m.Message {
			m.Message += ": " + why.Message
		}
		m.Cause, m.Pointer = why.Code, why.Pointer
		if p.raw == nil && why.Hint != "" {
			notes = append(notes, why.Hint)
		}
	}
	m.Hint = strings.Join(notes, "; ")
	return m
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
	if e.Delta.Seq == 0 && env.Message != "" {
		e.Delta.Seq = seq
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
	n, _ := slices.BinarySearch(x.lines, at+1)
	return n
}

// block fences the JSON of a delta.
func block(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	return "```delta\n" + strings.TrimSpace(string(body)) + "\n```\n"
}
