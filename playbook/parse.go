package playbook

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"brenner"
	"brenner/canon"
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
	var items []insightJSON
	if text := bytes.TrimSpace(raw); len(text) > 0 && text[0] == '{' {
		items = make([]insightJSON, 1)
		if err := canon.Unmarshal(raw, &items[0]); err != nil {
			return nil, under("/0", err)
		}
	} else if err := canon.Unmarshal(raw, &items); err != nil {
		return nil, err
	}
	insights := make([]Insight, len(items))
	for i, j := range items {
		insights[i] = j.insight()
	}
	return insights, nil
}

func parseJSONL(raw []byte) ([]Insight, error) {
	var insights []Insight
	for line := range bytes.Lines(raw) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var j insightJSON
		if err := canon.Unmarshal(line, &j); err != nil {
			return nil, under("/"+strconv.Itoa(len(insights)), err)
		}
		insights = append(insights, j.insight())
	}
	return insights, nil
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
// before any heading are helpful. Another heading of level one is a title.
// Everything else is refused rather than dropped.
func parseMarkdown(raw []byte) ([]Insight, error) {
	var insights []Insight
	section := Helpful
	number, open := 0, false // open: the last line was part of an item
	for line := range strings.Lines(string(raw)) {
		number++
		line = strings.TrimRight(line, " \t\r\n")
		text := strings.TrimLeft(line, " \t")
		indented := len(text) < len(line)
		heading, level := headingOf(line)
		switch item, isItem := listItem(text); {
		case text == "":
			open = false
		case level > 0:
			open = false
			switch named := Section(firstWord(heading)); {
			case named.Check() == nil:
				section = named
			case level > 1:
				return nil, brenner.Errorf(brenner.CodeUnknownSection, "line %d: %q is not a section", number, brenner.Clip(heading, brenner.MaxQuote)).
					WithHint("name the sections Helpful, Harmful and Neutral")
			}
		case isItem && !indented:
			insights = append(insights, Insight{Section: section, Content: unescape(item), Confidence: UnsaidConfidence})
			open = true
		case indented && open && !isItem:
			insights[len(insights)-1].Content += " " + unescape(text)
		default:
			return nil, brenner.Errorf(brenner.CodeInvalidValue, "line %d is neither a heading nor an item of a list", number).
				WithHint(`write each lesson as "- lesson"; indent the lines that continue it; do not nest lists`)
		}
	}
	return insights, nil
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
