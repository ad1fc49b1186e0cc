package playbook

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"brenner"
	"brenner/canon"
	"brenner/internal/lazy"

	"github.com/go-json-experiment/json/jsontext"
)

// Format is a way to write insights down.
type Format string

// The formats. FormatAuto tells them apart by how the text begins.
const (
	FormatAuto     Format = ""
	FormatJSON     Format = "json"     // an array, or one object
	FormatJSONL    Format = "jsonl"    // one object per line
	FormatMarkdown Format = "markdown" // a list under headings
)

// insightJSON is an insight as it is written in JSON. A missing confidence is
// UnsaidConfidence.
type insightJSON struct {
	Section    Section           `json:"section"`
	Content    string            `json:"content"`
	Confidence *float64          `json:"confidence"`
	Tags       []string          `json:"tags"`
	Task       string            `json:"task"`
	Agent      brenner.ActorName `json:"agent"`
	Vector     []float64         `json:"vector"`
}

func (j insightJSON) insight() Insight {
	in := Insight{
		Section: j.Section, Content: strings.TrimSpace(j.Content), Confidence: UnsaidConfidence,
		Tags: j.Tags, Source: Source{Task: j.Task, Agent: j.Agent},
	}
	if j.Confidence != nil {
		in.Confidence = *j.Confidence
	}
	if j.Vector != nil {
		in.Vector = make([]float32, len(j.Vector))
	}
	for i, v := range j.Vector {
		in.Vector[i] = float32(v)
	}
	return in
}

// Parse reads a batch of insights and checks it as CheckInsights does. It
// reports INVALID_JSON and LIMIT_EXCEEDED too, and INVALID_VALUE for a format
// it does not know, a line of Markdown it cannot place, or an empty batch.
func Parse(raw []byte, format Format) ([]Insight, error) {
	if len(raw) > brenner.MaxInsightBytes {
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "the insights take %d bytes", len(raw)).
			WithHint("send less at a time")
	}
	if format == FormatAuto {
		format = detect(raw)
	}
	var insights []Insight
	var err error
	switch format {
	case FormatJSON:
		insights, err = parseJSON(raw)
	case FormatJSONL:
		insights, err = parseJSONL(raw)
	case FormatMarkdown:
		insights, err = parseMarkdown(raw)
	default:
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a format of insights", brenner.Clip(string(format), brenner.MaxQuote)).
			WithHint("use json, jsonl or markdown")
	}
	if err != nil {
		return nil, err
	}
	if len(insights) == 0 {
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "there is no insight in the input").
			WithHint(`write a Markdown list, or JSON such as [{"section":"helpful","content":"…"}]`)
	}
	return insights, CheckInsights(insights)
}

// detect looks at the first character, and for an object whether more than one
// value follows.
func detect(raw []byte) Format {
	text := bytes.TrimSpace(raw)
	switch {
	case len(text) > 0 && text[0] == '[':
		return FormatJSON
	case len(text) > 0 && text[0] == '{':
		if canon.Check(text) != nil && bytes.IndexByte(text, '\n') >= 0 {
			return FormatJSONL
		}
		return FormatJSON
	}
	return FormatMarkdown
}

func parseJSON(raw []byte) ([]Insight, error) {
	items := []jsontext.Value{raw}
	if text := bytes.TrimSpace(raw); len(text) == 0 || text[0] != '{' {
		if err := canon.Unmarshal(raw, &items); err != nil {
			return nil, err
		}
	}
	return parseItems(items)
}

// parseItems reads insights, or bullets as ExportJSONL writes them.
func parseItems(items []jsontext.Value) (insights []Insight, err error) {
	for i, item := range items {
		if in, is := exportedBullet(item); is {
			insights = append(insights, in...)
			continue
		}
		var j insightJSON
		if err := canon.Unmarshal(item, &j); err != nil {
			return nil, under("/"+strconv.Itoa(i), err)
		}
		insights = append(insights, j.insight())
	}
	return insights, nil
}

// exportedBullet reads a bullet of another playbook as what somebody learned: its
// number and its evidence stay there. What is retired or in quarantine is left
// out.
func exportedBullet(item jsontext.Value) (in []Insight, is bool) {
	var b Bullet
	if canon.Unmarshal(item, &b) != nil || b.ID == "" || b.Revision == 0 {
		return nil, false
	}
	if !b.Live() || b.Stage == Quarantined {
		return nil, true
	}
	return []Insight{{Section: b.Section, Content: b.Content, Confidence: b.Confidence, Tags: b.Tags}}, true
}

func parseJSONL(raw []byte) ([]Insight, error) {
	var items []jsontext.Value
	for line := range bytes.Lines(raw) {
		if len(bytes.TrimSpace(line)) > 0 {
			items = append(items, line)
		}
	}
	return parseItems(items)
}

// under puts the pointer of an error below that of its insight.
func under(pointer string, err error) error {
	var e *brenner.Error
	if !errors.As(err, &e) {
		return err
	}
	return e.At(pointer + e.Pointer)
}

// parseMarkdown reads a list: "- lesson" items, of any depth of wrapping by
// indented lines, under headings that begin with the name of a section; items
// before any heading are helpful. A fenced block of code in an item stays as it
// is. Another heading of level one is a title. Everything else is refused rather
// than dropped. What ExportMarkdown writes is read back.
func parseMarkdown(raw []byte) ([]Insight, error) {
	r := markdownReader{section: Helpful}
	for line := range strings.Lines(string(raw)) {
		r.number++
		if err := r.line(strings.TrimRight(line, " \t\r\n")); err != nil {
			return nil, err
		}
	}
	if r.fence != "" {
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "the block of code that begins at line %d is not closed", r.began).
			WithHint("end it with " + r.fence)
	}
	return r.insights, nil
}

type markdownReader struct {
	insights []Insight
	section  Section
	number   int
	// open says that the last line was part of an item, under that there is one
	// below the last heading.
	open, under bool
	item        string // the last one, as it is written
	// fence is the mark of the block of code being read, indent how far it stands
	// in, and began its line.
	fence         string
	indent, began int
}

func (r *markdownReader) line(line string) error {
	text := strings.TrimLeft(line, " \t")
	indented := len(text) < len(line)
	heading, level := headingOf(line)
	switch item, isItem := listItem(text); {
	case r.fence != "":
		r.code(line, text)
	case text == "":
		r.open = false
	case level > 0:
		r.open, r.under = false, false
		switch named := Section(firstWord(heading)); {
		case named.Check() == nil:
			r.section = named
		case level > 1:
			return brenner.Errorf(brenner.CodeUnknownSection, "line %d: %q is not a section", r.number, brenner.Clip(heading, brenner.MaxQuote)).
				WithHint("name the sections Helpful, Harmful and Neutral")
		}
	case isItem && !indented:
		r.insights = append(r.insights, Insight{Section: r.section, Content: unescape(item), Confidence: UnsaidConfidence})
		r.open, r.under, r.item = true, true, item
	case indented && r.under && fenceOf(text) != "":
		r.fence, r.indent, r.began, r.open = fenceOf(text), len(line)-len(text), r.number, true
		r.last().Content += "\n" + text
	case indented && r.open && r.exported(text):
	case indented && r.open && !isItem:
		r.last().Content += r.gap() + unescape(text)
	default:
		return brenner.Errorf(brenner.CodeInvalidValue, "line %d is neither a heading nor an item of a list", r.number).
			WithHint(`write each lesson as "- lesson"; indent the lines that continue it; do not nest lists`)
	}
	return nil
}

func (r *markdownReader) last() *Insight { return &r.insights[len(r.insights)-1] }

// What ExportMarkdown writes of a bullet: its lesson, and its evidence.
var (
	exportedLesson   = lazy.NewPattern(`^\*\*[a-z0-9][a-z0-9-]*\.[0-9]+\*\* (.*)$`)
	exportedEvidence = lazy.NewPattern(`^\(([A-Z]+), helpful \d+, harmful \d+, neutral \d+, confidence ([0-9.]+), last seen [^ ]+\)$`)
)

// exported reads the line of evidence behind a lesson that was exported, and
// with it the lesson: without its number, which it has in its own playbook, and
// with its line breaks. What is in quarantine is left out.
func (r *markdownReader) exported(text string) bool {
	lesson, evidence := exportedLesson.FindStringSubmatch(r.item), exportedEvidence.FindStringSubmatch(text)
	if lesson == nil || evidence == nil {
		return false
	}
	in := r.last()
	in.Content = unescape(strings.ReplaceAll(lesson[1], "<br>", "\n"))
	in.Confidence, _ = strconv.ParseFloat(evidence[2], 64)
	if Stage(evidence[1]) == Quarantined {
		r.insights = r.insights[:len(r.insights)-1]
	}
	r.open, r.under = false, false
	return true
}

// code takes a line of a block of code, without what the block stands in.
func (r *markdownReader) code(line, text string) {
	in := min(len(line)-len(text), r.indent)
	r.last().Content += "\n" + line[in:]
	if strings.HasPrefix(text, r.fence) && strings.Trim(text, r.fence[:1]) == "" {
		r.fence = ""
	}
}

// gap parts a line of an item from the one before: one behind code begins anew.
func (r *markdownReader) gap() string {
	lines := strings.Split(r.last().Content, "\n")
	if fenceOf(lines[len(lines)-1]) != "" {
		return "\n"
	}
	return " "
}

// fenceOf is the mark that begins or ends a block of code, "" if there is none.
func fenceOf(text string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, c)); n >= 3 && !strings.Contains(text[n:], "`") {
			return text[:n]
		}
	}
	return ""
}

// headingOf gives a heading of level one or two, which may stand in by three blanks;
// the level is 0 if it is none.
func headingOf(line string) (heading string, level int) {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 {
		return "", 0
	}
	for level, mark := range []string{"# ", "## "} {
		if heading, ok := strings.CutPrefix(text, mark); ok {
			return strings.TrimSpace(heading), level + 1
		}
	}
	return "", 0
}

// firstWord is the first word of a heading in small letters: "Harmful (avoid this)"
// is the section harmful.
func firstWord(heading string) string {
	word, _, _ := strings.Cut(heading, " ")
	return strings.ToLower(strings.TrimRight(word, ":.,;-–—"))
}

// listItem gives the text after a bullet or a number.
func listItem(line string) (string, bool) {
	for _, mark := range []string{"- ", "* ", "+ "} {
		if item, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(item), true
		}
	}
	digits, item, ok := strings.Cut(line, ". ")
	if _, err := strconv.ParseUint(digits, 10, 32); !ok || err != nil {
		return "", false
	}
	return strings.TrimSpace(item), true
}

// unescape takes the backslash off Markdown's punctuation, but in code.
func unescape(s string) string {
	var b strings.Builder
	code := false
	for i := 0; i < len(s); i++ {
		if s[i] == '`' {
			code = !code
		}
		if !code && s[i] == '\\' && i+1 < len(s) && strings.IndexByte(punctuation, s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
