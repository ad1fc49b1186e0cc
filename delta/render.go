package delta

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

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
	if r.out.Cap()-r.out.Len() <= len(s) {
		r.out.Grow(r.out.Cap() + len(s) + 1) // doubles, where append would copy a long text over and over
	}
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
	r.nameRivals(it, death != nil)
	r.asides(it, true, death != nil)
	main := it.field(mainField[it.section])
	if main != nil {
		r.field(it, main, death != nil)
	}
	if death != nil {
		r.line("**Killed by**: " + escape(string(death.By)) + " (" + FormatInstant(death.At) + ")")
		r.line("**Reason**: " + reasonText(death.Reason))
	}
	for i := range it.fields {
		if f := &it.fields[i]; f != main && f.name() != nameField(it.section) && f.field != unknownField {
			r.field(it, f, death != nil)
		}
	}
	if s := it.section; (s == atThread || s == atHypotheses) && len(it.List("anchors")) == 0 && death == nil {
		r.line("**Anchors**: inference")
	}
	r.asides(it, false, death != nil)
	r.also(it, death != nil)
}

// nameRivals writes the values between which the name of an item, which stands
// in its heading or its row, is not decided.
func (r *renderer) nameRivals(it *Item, killed bool) {
	if name := it.field(nameField(it.section)); name != nil && name.field != unknownField && name.rival() != nil {
		r.field(it, name, killed)
	}
}

// asides writes the texts that the section reads and keeps as they came, behind their
// labels: those that lead, or the others.
func (r *renderer) asides(it *Item, leading, killed bool) {
	for i := range it.fields {
		if aside, text := it.aside(&it.fields[i]); aside != nil && aside.Leads == leading {
			r.line("**" + aside.Label + "**: " + strike(escape(text), killed))
		}
	}
}

// aside gives the text of a field that the section reads and keeps as it came, if that is
// one and settled, and reads the same behind its label as it would among those that the
// section does not know; nil for any other field.
func (it *Item) aside(f *shown) (*Field, string) {
	if f.field != unknownField || f.rival() != nil || f.value == "" || f.value[0] != '"' {
		return nil, ""
	}
	field, text := schemas[it.section].aside(f.name()), unquote(f.value)
	if field == nil || field.Kind != KindText || alsoValue(f.value) != text {
		return nil, ""
	}
	return field, text
}

// also writes the fields that the section does not know, each marked as such,
// so that none can pass for a line of ours.
func (r *renderer) also(it *Item, killed bool) {
	for i := range it.fields {
		f := &it.fields[i]
		if aside, _ := it.aside(f); f.field != unknownField || aside != nil {
			continue
		}
		text := alsoValue(f.value)
		if f.rival() != nil {
			text = Unsettled
		}
		r.line("**Also**: " + escapePair(alsoName(f.name())) + " = " + strike(escapePair(text), killed))
		r.candidates("", f.rival(), alsoValue)
	}
}

// alsoName gives the name of a field as it stands in the document: one with
// white space at its ends, that begins with a quote or does not show as a whole,
// in quotes.
func alsoName(name string) string {
	if strings.TrimSpace(name) != name || name == "" || name[0] == '"' || strings.ContainsFunc(name, hidden) {
		return visible(quote(name))
	}
	return name
}

// alsoValue gives the value of a field as it stands in the document: a text as
// it is, unless it could be taken for JSON, and anything else as JSON.
func alsoValue(value string) string {
	if value == "" || value[0] != '"' {
		return visible(value)
	}
	text := unquote(value)
	if strings.TrimSpace(text) != text || text == "" || jsontext.Value(text).IsValid() {
		return visible(value)
	}
	return text
}

// visible writes JSON so that all of it shows: what would break a line, or does
// not show, by its number.
func visible(value string) string {
	if !strings.ContainsFunc(value, hidden) {
		return value
	}
	var b strings.Builder
	for _, r := range value {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// hidden says whether a character breaks a line or does not show.
func hidden(r rune) bool { return lineBreak(r) || !unicode.IsGraphic(r) }

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
		if list := it.List(f.name()); len(list) > 0 {
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
		r.candidates("", f.rival(), textOf)
	}
}

// joinEscaped writes a row of elements. Those that look alike, because they
// differ in white space at most, stand there once.
func joinEscaped(list []string) string {
	out, seen := make([]string, 0, len(list)), make(map[string]bool, len(list))
	for _, s := range list {
		if el := escapeElement(s); !seen[el] {
			seen[el] = true
			out = append(out, el)
		}
	}
	return strings.Join(out, ", ")
}

// cells writes a map field on one line: key = value; key = value.
func (r *renderer) cells(it *Item, f *shown, head string, killed bool) {
	var parts []string
	for i := range f.cells() {
		c := &f.cells()[i]
		switch {
		case !c.gone():
			parts = append(parts, escapePair(c.key)+" = "+escapePair(c.text()))
		case c.dropped != nil && c.value != "":
			parts = append(parts, escapePair(c.key)+" = "+escapePair(textOf(c.value))+" [KILLED]")
		}
	}
	if len(parts) == 0 && schemas[it.section].Fields[f.field].Required {
		parts = gone(f)
	}
	if len(parts) == 0 {
		return
	}
	text := strings.Join(parts, "; ")
	if f.name() == "score" {
		text += " (total " + formatNumber(it.score) + ")"
	}
	r.line(head + strike(text, killed))
	r.cellRivals(f)
}

// gone says of each key of a field that it was taken out. Where a section asks
// for a map and nothing of it is left, the document says so.
func gone(f *shown) []string {
	parts := make([]string, len(f.cells()))
	for i := range parts {
		parts[i] = escapePair(f.cells()[i].key) + " = " + takenOut
	}
	return parts
}

// cellRivals lists the values between which nothing decides, with their keys.
func (r *renderer) cellRivals(f *shown) {
	for i := range f.cells() {
		c := &f.cells()[i]
		r.candidates(escapePair(c.key)+" = ", c.rival, textOf)
	}
}

// textOf gives a value that is settled as it stands in the document.
func textOf(value string) string { return showValue(value, nil) }

// takenOut stands for the value of a key that one of those who disagree has
// taken out. No text is written so: its asterisks would be escaped.
const takenOut = "*taken out*"

// candidates lists the values between which nothing decides, as lines of the
// same paragraph: a list would swallow the line after it. Brackets in the id of
// a delta are escaped, so that what stands in the last ones is ours.
func (r *renderer) candidates(key string, rivals []candidate, text func(string) string) {
	for i := range rivals {
		c := rivals[i].export()
		value := escape(text(rivals[i].value))
		if key != "" {
			value = escapePair(text(rivals[i].value))
			if rivals[i].value == removed {
				value = takenOut
			}
		}
		r.line("CONFLICT: " + key + value + " (" + escape(string(c.Agent)) + ", " + c.At + ", " + escapeWith(c.DeltaID, "()") + ")")
	}
}
