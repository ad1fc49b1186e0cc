package delta

import (
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"brenner/canon"
)

// Passage is a piece of a document that is shown whole or not at all: an item
// in plain words.
type Passage struct {
	Section Section
	Item    ItemID // "" where it says that nothing of the section is there
	Title   string // the item's id and name, on one line
	Text    string
	InPart  bool `json:",omitzero"` // of some long text only the passages that changed
	// WorkedOut is the end of the text that is worked out from other items.
	WorkedOut string `json:",omitzero"`
}

// Passages gives the chosen items in plain words, for a reader that is no
// Markdown program: nothing is escaped. What an agent wrote stands behind the
// name of its field, and its further lines are indented, so that a line which
// begins at the margin is always ours (D19). Of a killed item that was not
// asked for by name only what it claimed, and why it was killed, is said.
func Passages(a *Artifact, p Part) []Passage {
	return p.passages(a, func(it *Item) Passage { return passageOf(a, it, slices.Contains(p.Items, it.ID())) })
}

// passages gives the chosen items as each is written.
func (p *Part) passages(a *Artifact, write func(*Item) Passage) []Passage {
	var out []Passage
	for s := range schemas {
		named := slices.Contains(p.Sections, schemas[s].Section)
		if len(p.Sections) > 0 && !named {
			continue
		}
		list := a.sections[s].shown(s)
		taken := 0
		for _, it := range list {
			if !p.takes(a, it) {
				continue
			}
			taken++
			out = append(out, write(it))
		}
		if taken == 0 && named && len(p.Items) == 0 {
			out = append(out, Passage{Section: schemas[s].Section, Text: instead(s, len(list)) + "\n"})
		}
	}
	return out
}

// Passage gives one item in plain words, of a killed one what Passages does.
func (a *Artifact) Passage(id ItemID) (Passage, bool) {
	it, ok := a.Item(id)
	if !ok {
		return Passage{}, false
	}
	return passageOf(a, it, false), true
}

func instead(s, items int) string {
	if items > 0 {
		return "Unchanged"
	}
	return emptySection(s)
}

// Join puts passages below the headings of their sections.
func Join(all []Passage) string {
	var b strings.Builder
	for i, p := range all {
		if i == 0 || all[i-1].Section != p.Section {
			b.WriteString("## " + schemas[sectionIndex(p.Section)].Title + "\n\n")
		}
		b.WriteString(p.Text + "\n")
	}
	return b.String()
}

// RenderPlain is the whole document in plain words. The sections that have nothing are
// named in a line.
func RenderPlain(a *Artifact) string { return RenderBelow(a, "") }

// questionAbove stands for a statement that its reader has just read.
const questionAbove = "Statement: the question above\n"

// RenderBelow is RenderPlain for who reads it below the question of the session, which is
// not said again where the thread states it word for word.
func RenderBelow(a *Artifact, question string) string {
	all := Passages(a, Part{})
	for i, p := range all {
		if it, ok := a.Item(p.Item); ok && it.section == atThread && question != "" && strings.TrimSpace(it.Text("statement")) == strings.TrimSpace(question) {
			all[i].Text = strings.Replace(p.Text, "Statement: "+indented(question)+"\n", questionAbove, 1)
		}
	}
	var empty []string
	for s := range schemas {
		if len(a.sections[s].shown(s)) == 0 {
			empty = append(empty, schemas[s].Title)
		}
	}
	text := Join(all)
	switch {
	case len(empty) == len(schemas):
		text += "There is nothing in it yet.\n"
	case len(empty) == len(schemas)-1 && len(all) == 1 && strings.HasSuffix(all[0].Text, "\n"+questionAbove) && strings.Count(all[0].Text, "\n") == 2:
		return "There is nothing in it yet but the question above (RT).\n"
	case len(empty) == len(schemas)-1 && len(all) > 0 && all[0].Section == ResearchThread:
		text += "There is nothing else in it yet.\n"
	case len(empty) > 0:
		text += "Nothing yet: " + strings.Join(empty, ", ") + "\n"
	}
	return text
}

func passageOf(a *Artifact, it *Item, whole bool) Passage {
	w := &plainWriter{artifact: a, item: it}
	title := w.heading(" · by " + joinPlain(it.Authors()))
	if name := it.field(nameField(it.section)); name != nil {
		w.candidates("", name.rival())
	}
	w.leading()
	main := it.field(mainField[it.section])
	if main != nil {
		w.field(main)
	}
	if death := it.Killed(); death != nil {
		w.line("Killed by", string(death.By))
		w.line("Reason", reasonOf(death))
		if !whole {
			return Passage{Section: it.Section(), Item: it.ID(), Title: title, Text: w.out.String()}
		}
	}
	for i := range it.fields {
		if f := &it.fields[i]; f != main && f.name() != nameField(it.section) && !leads(it, f) {
			w.field(f)
		}
	}
	from := w.out.Len()
	w.reworded()
	text := w.out.String()
	return Passage{Section: it.Section(), Item: it.ID(), Title: title, Text: text, WorkedOut: text[from:]}
}

// reworded says of a test what hypotheses say otherwise by now than when it foretold what it
// would show under them.
func (w *plainWriter) reworded() {
	var parts []string
	for _, r := range w.artifact.Reworded(w.item) {
		parts = append(parts, r.Words()+" (by "+string(r.By)+", "+r.At.Format("2006-01-02 15:04")+" UTC)")
	}
	w.line("Changed since it was foretold", strings.Join(parts, "; "))
}

func reasonOf(d *Death) string {
	if strings.TrimSpace(d.Reason) == "" {
		return "not given"
	}
	return d.Reason
}

// leads says whether a field stands above all others.
func leads(it *Item, f *shown) bool {
	aside, _ := it.aside(f)
	return aside != nil && aside.Leads
}

// plainWriter writes one item.
type plainWriter struct {
	artifact *Artifact
	item     *Item
	out      strings.Builder
}

// heading writes the line above an item, and gives the item's title.
func (w *plainWriter) heading(by string) (title string) {
	title = string(w.item.ID())
	if name := w.item.Text(nameField(w.item.section)); strings.TrimSpace(name) != "" {
		title += ": " + onOneLine(name)
	}
	w.out.WriteString("### " + title)
	if !w.item.live() {
		w.out.WriteString(" [KILLED]")
	}
	w.out.WriteString(by + "\n")
	return title
}

// leading writes the fields that stand above all others.
func (w *plainWriter) leading() {
	for i := range w.item.fields {
		if f := &w.item.fields[i]; leads(w.item, f) {
			w.field(f)
		}
	}
}

func (w *plainWriter) line(name, text string) {
	if strings.TrimSpace(text) != "" {
		w.out.WriteString(name + ": " + indented(text) + "\n")
	}
}

// label is the name of a field as it is written, "Also" for one that the section does not
// read.
func (w *plainWriter) label(f *shown) string {
	if f.field != unknownField {
		return schemas[w.item.section].Fields[f.field].Label
	}
	if aside := schemas[w.item.section].aside(f.name()); aside != nil && f.rival() == nil {
		return aside.Label
	}
	return unread
}

// unread stands before the fields that a section does not read, with their names.
const unread = "Also"

// field writes a field behind its name, and what it is in conflict about.
func (w *plainWriter) field(f *shown) {
	if f.field == unknownField {
		if label := w.label(f); label != unread {
			w.line(label, w.named(itemList(f.value)))
			return
		}
		w.line(unread, alsoName(f.name())+" = "+w.named(f.text()))
		w.candidates("", f.rival())
		return
	}
	label := w.label(f)
	switch w.item.kind(f) {
	case KindList:
		w.line(label, w.named(strings.Join(w.item.List(f.name()), ", ")))
	case KindReferences:
		var refs []string
		for _, r := range w.item.References() {
			refs = append(refs, r.Relation+" "+string(r.Session)+" "+string(r.Item))
		}
		w.line(label, strings.Join(refs, ", "))
	case KindOutcomes, KindScore:
		w.cells(label, f)
	default:
		w.line(label, w.named(f.text()))
		w.candidates("", f.rival())
	}
}

// named is what a text says, with the ids of the items that it names.
func (w *plainWriter) named(text string) string { return w.artifact.withIDs(w.item, text) }

// itemList is a list of ids as it came, on a line; whatever else came, as it is.
func itemList(value string) string {
	var ids []string
	if value != "" && value[0] == '[' && canon.Unmarshal([]byte(value), &ids) == nil {
		return strings.Join(ids, ", ")
	}
	return showValue(value, nil)
}

func (w *plainWriter) cells(label string, f *shown) {
	var parts []string
	for _, p := range w.cellTexts(f) {
		parts = append(parts, p.Key+" = "+p.Value)
	}
	text := strings.Join(parts, "; ")
	if f.name() == "score" && text != "" {
		text += w.total()
	}
	w.line(label, text)
	for i := range f.cells() {
		c := &f.cells()[i]
		w.candidates(c.key+" = ", c.rival)
	}
}

// cellTexts are the cells of a map as they are written.
func (w *plainWriter) cellTexts(f *shown) []Pair {
	var out []Pair
	for i := range f.cells() {
		c := &f.cells()[i]
		if c.gone() {
			continue
		}
		text := w.named(c.text())
		if h, ok := w.artifact.Item(ItemID(c.key)); f.name() == "predictions" && ok && h.section == atHypotheses && !h.live() {
			text = notApplicable(text)
		}
		out = append(out, Pair{Key: c.key, Value: text})
	}
	return out
}

// notApplicable is what stands in the cell of a dead hypothesis: that it does not apply, and
// what was foretold.
func notApplicable(said string) string {
	if strings.TrimSpace(said) == "" || said == NotApplicable {
		return NotApplicable
	}
	return NotApplicable + foretold + said + ")"
}

// total is the sum of a score.
func (w *plainWriter) total() string { return " (total " + formatNumber(w.item.score) + ")" }

func (w *plainWriter) candidates(key string, rivals []candidate) {
	for i := range rivals {
		c := rivals[i].export()
		w.line(Unsettled, key+textOf(rivals[i].value)+" ("+string(c.Agent)+", "+c.At+")")
	}
}

// indented is a text as it came, but for what does not show; its further lines
// are indented.
func indented(text string) string {
	lines := strings.FieldsFunc(strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")), lineBreak)
	for i, l := range lines {
		lines[i] = shownOnly(l)
	}
	return strings.Join(lines, "\n    ")
}

// onOneLine is indented without further lines.
func onOneLine(text string) string { return strings.Join(strings.Fields(indented(text)), " ") }

func shownOnly(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsGraphic(r):
			return '\uFFFD'
		}
		return r
	}, line)
}

func joinPlain[T ~string](names []T) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = onOneLine(string(n))
	}
	return strings.Join(out, ", ")
}

// PayloadText is the payload of a delta to a section in plain words, a line for each field, in
// the order in which the document has them.
func PayloadText(section Section, payload []byte) string {
	value := jsontext.Value(payload).Clone()
	if value.Kind() != '{' || value.Canonicalize() != nil {
		return "    " + onOneLine(string(payload)) + "\n"
	}
	pairs := objectPairs(string(value))
	if at := sectionIndex(section); at >= 0 {
		all := slices.Concat(schemas[at].Fields, schemas[at].Aside)
		place := func(p pair) int {
			i := slices.IndexFunc(all, func(f Field) bool { return f.Name == p.name })
			switch {
			case i < 0:
				return len(all)
			case all[i].Leads:
				return -1
			}
			return i
		}
		slices.SortStableFunc(pairs, func(a, b pair) int { return place(a) - place(b) })
	}
	var b strings.Builder
	for _, p := range pairs {
		b.WriteString("    " + onOneLine(p.name) + ": " + strings.ReplaceAll(indented(sentText(p.value)), "\n", "\n    ") + "\n")
	}
	return b.String()
}
