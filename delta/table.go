package delta

import (
	"slices"
	"strings"
)

// maxColumns bounds the table of predictions: twice a full slate. A document
// is bounded by a constant times what was sent (D19).
const maxColumns = 12

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
	if slices.ContainsFunc(live, func(it *Item) bool { return observed(it) != "" }) {
		columns = append(columns, observedLabel())
	}
	head, rule := "| ID | Condition |", "|---|---|"
	for _, c := range columns {
		head += " " + c + " |"
		rule += "---|"
	}
	r.line(head)
	r.line(rule)
	for _, it := range live {
		r.row(it, columns)
	}
	for _, it := range live {
		r.rowNotes(it, columns)
	}
	return killed
}

// columns are the live hypotheses and, as far as there is room, the killed ones
// that rows speak about. What else they speak about stands under the row.
func (r *renderer) columns(rows []*Item) []string {
	var live, killed []string
	for _, h := range r.artifact.sections[atHypotheses].list.all() {
		if h.live() {
			live = append(live, string(h.ID()))
		}
	}
	seen := map[string]bool{}
	for _, it := range rows {
		for _, c := range it.mapCells("predictions") {
			if h, ok := r.artifact.Item(ItemID(c.key)); ok && h.section == atHypotheses && !h.live() && !seen[c.key] && r.predicted(&c, escapeCell) != "" {
				seen[c.key] = true
				killed = append(killed, c.key)
			}
		}
	}
	slices.SortFunc(killed, compareIDs)
	keys := slices.Concat(live, killed[:max(0, min(len(killed), maxColumns-len(live)))])
	slices.SortFunc(keys, compareIDs)
	return keys
}

// observed is what came out of a prediction, "" if nothing is said or settled.
func observed(row *Item) string {
	for i := range row.fields {
		if aside, text := row.aside(&row.fields[i]); aside != nil && aside.Name == observedField {
			return text
		}
	}
	return ""
}

// observedLabel heads the column of it, the last, where a row has any.
func observedLabel() string { return schemas[atPredictions].aside(observedField).Label }

// noPrediction stands in the cell of a hypothesis about which a row says
// nothing.
const noPrediction = "–"

// dashes are the texts that would pass for it, as they are written instead.
var dashes = map[string]string{noPrediction: "&ndash;", "-": `\-`}

func (r *renderer) row(it *Item, columns []string) {
	cells := make([]string, len(columns))
	for _, c := range it.mapCells("predictions") {
		if i := slices.Index(columns, c.key); i >= 0 {
			cells[i] = r.predicted(&c, escapeCell)
			if dash, ok := dashes[cells[i]]; ok {
				cells[i] = dash
			}
		}
	}
	if i := slices.Index(columns, observedLabel()); i >= 0 {
		cells[i] = escapeCell(observed(it))
		if dash, ok := dashes[cells[i]]; ok {
			cells[i] = dash
		}
	}
	r.out.WriteString("| " + string(it.ID()) + " | " + escapeCell(it.Text("condition")) + " |")
	for _, text := range cells {
		if text == "" {
			text = noPrediction
		}
		r.out.WriteString(" " + text + " |")
	}
	r.line("")
}

// predicted is the text of one prediction.
func (r *renderer) predicted(c *cell, escaped func(string) string) string {
	h, ok := r.artifact.Item(ItemID(c.key))
	switch {
	case c.dropped == nil && c.gone():
		return ""
	case ok && h.section == atHypotheses && !h.live():
		if c.gone() || notApplicable(c.text()) == NotApplicable {
			return NotApplicable
		}
		return notApplicable("~~" + escaped(c.text()) + "~~")
	case !c.gone():
		return escaped(c.text())
	case c.dropped != nil && c.value != "":
		return "~~" + escaped(showValue(c.value, nil)) + "~~ [KILLED]"
	}
	return ""
}

// foretold stands before what a row had foretold under a hypothesis that is dead by now.
const foretold = " (foretold: "

// rowNotes writes below the table what a row holds beyond its cells.
func (r *renderer) rowNotes(it *Item, columns []string) {
	notes := &renderer{artifact: r.artifact}
	if f := it.field("predictions"); f != nil {
		notes.beside(f, columns)
	}
	notes.nameRivals(it, false)
	for i := range it.fields {
		f := &it.fields[i]
		if f.name() != "predictions" && f.name() != "condition" && f.field != unknownField {
			notes.field(it, f, false)
		}
	}
	notes.also(it, false)
	if notes.out.Len() > 0 {
		r.line("")
		r.line("**" + string(it.ID()) + "**")
		r.out.WriteString(notes.out.String())
	}
}

// beside writes the predictions of a row that have no column, and the values
// between which nothing decides.
func (r *renderer) beside(f *shown, columns []string) {
	var parts []string
	some := false
	for i := range f.cells() {
		c := &f.cells()[i]
		text := r.predicted(c, escapePair)
		some = some || text != ""
		if text != "" && !slices.Contains(columns, c.key) {
			parts = append(parts, escapePair(c.key)+" = "+text)
		}
	}
	if !some {
		parts = gone(f)
	}
	if len(parts) > 0 {
		r.line("**Predictions**: " + strings.Join(parts, "; "))
	}
	r.cellRivals(f)
}
