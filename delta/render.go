package delta

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Render writes the artifact as Markdown (D19): front matter in YAML, then the
// seven sections. Every text that came from an agent is escaped, so that no
// content can look like a heading, a table or an item of its own.
func Render(a *Artifact) string {
	r := &renderer{artifact: a}
	r.frontMatter()
	r.line("# " + r.title())
	for s := range schemas {
		r.line("")
		r.line("## " + itoa(s+1) + ". " + schemas[s].Title)
		r.section(s)
	}
	return r.out.String()
}

type renderer struct {
	artifact *Artifact
	out      strings.Builder
}

func (r *renderer) line(s string) {
	r.out.WriteString(s)
	r.out.WriteByte('\n')
}

func (r *renderer) title() string {
	if r.artifact.meta.SessionID == "" {
		return "Session artifact"
	}
	return "Session artifact " + escape(string(r.artifact.meta.SessionID))
}

// frontMatter quotes every string, so that none can end the block.
func (r *renderer) frontMatter() {
	m := &r.artifact.meta
	r.line("---")
	for _, row := range []struct{ key, value string }{
		{"session_id", string(m.SessionID)}, {"question", m.Question}, {"created_at", m.CreatedAt}, {"updated_at", m.UpdatedAt},
	} {
		if row.value != "" {
			r.line(row.key + ": " + strconv.Quote(row.value))
		}
	}
	r.line("version: " + itoa(m.Version))
	agents := make([]string, len(m.Contributors))
	for i, c := range m.Contributors {
		agents[i] = strconv.Quote(string(c))
	}
	r.line("contributors: [" + strings.Join(agents, ", ") + "]")
	r.line("---")
	r.line("")
}

func (r *renderer) section(s int) {
	list := r.artifact.sections[s].shown(s)
	if s == atPredictions {
		list = r.table(list)
	} else if len(list) == 0 {
		r.line("")
		r.line(emptySection(s))
	}
	for _, it := range list {
		r.line("")
		r.item(it)
	}
}

func emptySection(s int) string {
	switch s {
	case atThread:
		return "Not stated yet"
	case atAnomalies:
		return "None registered"
	}
	return "None yet"
}

// item writes one item. A killed one has the form of the specification: main
// field, killer, reason, then the rest struck.
func (r *renderer) item(it *Item) {
	death := it.Killed()
	label := string(it.ID())
	if name := it.field(nameField(it.section)); name != nil && name.text() != "" {
		label += ": " + escape(name.text())
	}
	if death == nil {
		r.line("### " + label)
	} else {
		r.line("### ~~" + label + "~~ [KILLED]")
	}
	main := it.field(mainField[it.section])
	if main != nil {
		r.field(it, main, death != nil)
	}
	if death != nil {
		r.line("**Killed by**: " + escape(string(death.By)) + " (" + FormatInstant(death.At) + ")")
		r.line("**Reason**: " + reasonText(death.Reason))
	}
	for i := range it.fields {
		if f := &it.fields[i]; f != main && f.name != nameField(it.section) && f.field != unknownField {
			r.field(it, f, death != nil)
		}
	}
	if s := it.section; (s == atThread || s == atHypotheses) && len(it.List("anchors")) == 0 && death == nil {
		r.line("**Anchors**: inference")
	}
	r.also(it, death != nil)
}

// also writes the fields that the section does not know, each marked as such,
// so that none can pass for a line of ours.
func (r *renderer) also(it *Item, killed bool) {
	for i := range it.fields {
		f := &it.fields[i]
		if f.field != unknownField {
			continue
		}
		text := alsoValue(f.value)
		if f.rival() != nil {
			text = Unsettled
		}
		r.line("**Also**: " + escapePair(alsoName(f.name)) + " = " + strike(escapePair(text), killed))
		r.candidates(f.rival())
	}
}

// alsoName gives the name of a field as it stands in the document: one with
// white space at its ends, or that begins with a quote, in quotes.
func alsoName(name string) string {
	if strings.TrimSpace(name) != name || name == "" || name[0] == '"' {
		return quote(name)
	}
	return name
}

// alsoValue gives the value of a field as it stands in the document: a text as
// it is, unless it could be taken for JSON, and anything else as JSON.
func alsoValue(value string) string {
	if value == "" || value[0] != '"' {
		return value
	}
	text := unquote(value)
	if strings.TrimSpace(text) != text || text == "" || jsontext.Value(text).IsValid() {
		return value
	}
	return text
}

func strike(s string, killed bool) string {
	if killed && s != "" {
		return "~~" + s + "~~"
	}
	return s
}

func reasonText(reason string) string {
	if strings.TrimSpace(reason) == "" {
		return "not given"
	}
	return escape(reason)
}

// mainField is shown first, and is what a killed item shows above its killer.
var mainField = [sectionCount]string{
	"statement", "claim", "predictions", "procedure", "statement", "observation", "attack",
}

// nameField is what stands in the heading of an item.
func nameField(s int) string {
	if s == atPredictions {
		return "condition"
	}
	return "name"
}

// field writes one field on one line, or an unsettled one with its candidates.
func (r *renderer) field(it *Item, f *shown, killed bool) {
	head := "**" + schemas[it.section].Fields[f.field].Label + "**: "
	switch it.kind(f) {
	case KindList:
		if list := it.List(f.name); len(list) > 0 {
			r.line(head + strike(joinEscaped(list), killed))
		}
	case KindReferences:
		var refs []string
		for _, ref := range it.References() {
			refs = append(refs, fmt.Sprintf("%s %s %s", ref.Relation, ref.Session, ref.Item))
		}
		if len(refs) > 0 {
			r.line(head + strike(joinEscaped(refs), killed))
		}
	case KindOutcomes, KindScore:
		r.cells(it, f, head, killed)
	default:
		if text := f.text(); strings.TrimSpace(text) != "" {
			r.line(head + strike(escape(text), killed))
		}
		r.candidates(f.rival())
	}
}

func joinEscaped(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = escapeElement(s)
	}
	return strings.Join(out, ", ")
}

// cells writes a map field on one line: key = value; key = value.
func (r *renderer) cells(it *Item, f *shown, head string, killed bool) {
	var parts []string
	var rivals []candidate
	for i := range f.cells() {
		c := &f.cells()[i]
		if c.dropped != nil {
			continue
		}
		parts = append(parts, escapePair(c.key)+" = "+escapePair(c.text()))
		rivals = append(rivals, c.rival...)
	}
	if len(parts) == 0 {
		return
	}
	text := strings.Join(parts, "; ")
	if f.name == "score" {
		text += " (total " + formatNumber(it.score) + ")"
	}
	r.line(head + strike(text, killed))
	r.candidates(rivals)
}

// candidates lists the values between which nothing decides, as lines of the
// same paragraph: a list would swallow the line after it.
func (r *renderer) candidates(rivals []candidate) {
	for i := range rivals {
		c := rivals[i].export()
		r.line("CONFLICT: " + escape(showValue(rivals[i].value, nil)) +
			" (" + escape(string(c.Agent)) + ", " + c.At + ", " + escape(c.DeltaID) + ")")
	}
}
