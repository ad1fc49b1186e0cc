package delta

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
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
		if f := &it.fields[i]; f != main && f.name != nameField(it.section) {
			r.field(it, f, death != nil)
		}
	}
	if s := it.section; (s == atThread || s == atHypotheses) && len(it.List("anchors")) == 0 && death == nil {
		r.line("**Anchors**: inference")
	}
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
	label := f.name
	if f.field != unknownField {
		label = schemas[it.section].Fields[f.field].Label
	}
	strike := func(s string) string {
		if killed && s != "" {
			return "~~" + s + "~~"
		}
		return s
	}
	head := "**" + escape(label) + "**: "
	switch it.kind(f) {
	case KindList:
		if len(f.list) > 0 {
			r.line(head + strike(escapeAll(it.List(f.name))))
		}
	case KindReferences:
		refs := []string{}
		for _, ref := range it.References() {
			refs = append(refs, fmt.Sprintf("%s %s %s", ref.Relation, ref.Session, ref.Item))
		}
		if len(refs) > 0 {
			r.line(head + strike(escapeAll(refs)))
		}
	case KindOutcomes, KindScore:
		r.cells(it, f, head, strike)
	default:
		if text := f.text(); strings.TrimSpace(text) != "" {
			r.line(head + strike(escape(text)))
		}
		r.candidates(f.rival)
	}
}

// cells writes a map field on one line: key = value; key = value.
func (r *renderer) cells(it *Item, f *shown, head string, strike func(string) string) {
	var parts []string
	var rivals []candidate
	for i := range f.cells {
		c := &f.cells[i]
		if c.dropped != nil {
			continue
		}
		parts = append(parts, escape(c.key)+" = "+escape(c.text()))
		rivals = append(rivals, c.rival...)
	}
	if len(parts) == 0 {
		return
	}
	text := strings.Join(parts, "; ")
	if f.name == "score" {
		text += " (total " + formatNumber(it.score) + ")"
	}
	r.line(head + strike(text))
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

// table writes the live prediction rows as a table, one column for each
// hypothesis, and gives back the killed rows, which follow as items.
func (r *renderer) table(rows []*Item) (killed []*Item) {
	var live []*Item
	for _, it := range rows {
		if it.live() {
			live = append(live, it)
		} else {
			killed = append(killed, it)
		}
	}
	r.line("")
	if len(live) == 0 {
		r.line(emptySection(atPredictions))
		return killed
	}
	columns := r.columns(live)
	head, rule := "| ID | Condition |", "|---|---|"
	for _, c := range columns {
		head += " " + escapeCell(c) + " |"
		rule += "---|"
	}
	r.line(head)
	r.line(rule)
	for _, it := range live {
		r.row(it, columns)
	}
	for _, it := range live {
		r.rowNotes(it)
	}
	return killed
}

// columns are the live hypotheses and whatever else the rows speak about.
func (r *renderer) columns(rows []*Item) []string {
	var keys []string
	for _, h := range r.artifact.sections[atHypotheses].list {
		if h.live() {
			keys = append(keys, string(h.ID()))
		}
	}
	for _, it := range rows {
		for _, c := range it.mapCells("predictions") {
			keys = append(keys, c.key)
		}
	}
	slices.SortFunc(keys, compareIDs)
	return slices.Compact(keys)
}

func (r *renderer) row(it *Item, columns []string) {
	line := "| " + string(it.ID()) + " | " + escapeCell(it.Text("condition")) + " |"
	for _, key := range columns {
		line += " " + r.predicted(it, key) + " |"
	}
	r.line(line)
}

// predicted is the text of a table cell.
func (r *renderer) predicted(it *Item, key string) string {
	if text := r.artifact.Prediction(it, key); text != "" {
		return escapeCell(text)
	}
	for _, c := range it.mapCells("predictions") {
		if c.key == key && c.dropped != nil && c.value != "" {
			return "~~" + escapeCell(showValue(c.value, nil)) + "~~ [KILLED]"
		}
	}
	return "–"
}

// rowNotes writes below the table what a row holds beyond its cells.
func (r *renderer) rowNotes(it *Item) {
	notes := &renderer{artifact: r.artifact}
	for i := range it.fields {
		f := &it.fields[i]
		switch {
		case f.name == "predictions":
			for k := range f.cells {
				notes.candidates(f.cells[k].rival)
			}
		case f.name == "condition":
			notes.candidates(f.rival)
		default:
			notes.field(it, f, false)
		}
	}
	if notes.out.Len() > 0 {
		r.line("")
		r.line("**" + string(it.ID()) + "**")
		r.out.WriteString(notes.out.String())
	}
}
