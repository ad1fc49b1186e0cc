package delta

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/internal/lazy"
)

// document is a session document in Markdown, as Render writes it and a person
// may have changed it: lines, read into items.
type document struct {
	meta     Metadata
	items    []*docItem
	findings []brenner.Diagnostic

	titled  bool     // the title was read, or a section opened
	section int      // the lines belong to, -1 before the first
	item    *docItem // likewise, nil between items
	value   *docValue
	gap     bool     // a blank line stands before this one
	columns []string // of the table of predictions
}

// docItem is an item as the document shows it.
type docItem struct {
	section, number int // number 0: it has none yet
	line            int
	killed          bool
	by              string
	at              string
	reason          string
	values          []*docValue

	origin      *docRival // the delta it began with, if it says so
	name, owner string    // a provisional id that others use of it, and whose
}

func (it *docItem) id() ItemID { return slot{uint8(it.section), int32(it.number)}.id() }

// alias is a name by which any agent can mean the item.
func (it *docItem) alias() string { return it.owner + ":" + it.name }

// docValue is one field of an item, or one key of a map, still in Markdown.
type docValue struct {
	line    int
	field   int32  // place in the schema, or unknownField
	name    string // of an unknown field
	key     string // of a map
	text    string
	dropped bool // the cell was killed
	rivals  []docRival
	names   []string // one for each rival, if one delta gave them all by several names; or that of a killed cell
}

// docRival is a value between which and others nothing decides.
type docRival struct{ text, agent, at, id string }

var (
	docSection = lazy.NewPattern(`^##\s+(?:\d+\.\s*)?(.+?)\s*$`)
	docHeading = lazy.NewPattern(`^###\s+(.+?)\s*$`)
	docLabel   = lazy.NewPattern(`^(RT|[HPTAXC][1-9][0-9]{0,8})(?::\s*(.*))?$`)
	docNote    = lazy.NewPattern(`^\*\*(P[1-9][0-9]{0,8})\*\*$`)
	docField   = lazy.NewPattern(`^(?:[-*]\s+)?\*\*([^*]+?):?\*\*:?\s*(.*)$`)
	docRivalOf = lazy.NewPattern(`^CONFLICT:\s*(.*) \(([^,()]+), ([0-9]{4}-[0-9T:.-]+Z), (.+)\)$`)
	docKilled  = lazy.NewPattern(`^(\S+)(?: \(([^()]+)\))?$`)
	docTotal   = lazy.NewPattern(`\s*\(total [^()]*\)$`)
	docRule    = lazy.NewPattern(`^\|[\s|:-]+\|$`)
)

// fault notes what is wrong with a line.
func (d *document) fault(line int, message, hint string) {
	d.findings = append(d.findings, brenner.Diagnostic{
		Code: brenner.CodeInvalidSessionDocument, Severity: brenner.SeverityError, Subject: "line " + itoa(line), Message: message, Hint: hint,
	})
}

// parseDocument reads the lines of a document.
func parseDocument(text string) *document {
	d := &document{section: -1, meta: Metadata{Version: 1, Contributors: []brenner.ActorName{}}}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	start := d.frontMatter(lines)
	for i := start; i < len(lines); i++ {
		line := strings.TrimRightFunc(lines[i], unicode.IsSpace)
		if strings.TrimSpace(line) == "" {
			d.gap = true
			continue
		}
		d.line(i+1, line)
		d.gap = false
	}
	return d
}

// frontMatter reads the block at the head and gives the line after it.
func (d *document) frontMatter(lines []string) int {
	if len(lines) == 0 || strings.TrimSpace(lines[0]) != "---" {
		return 0
	}
	for i := 1; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if line == "---" {
			return i + 1
		}
		key, value, ok := strings.Cut(line, ":")
		if line == "" || !ok && strings.HasPrefix(line, "#") {
			continue
		}
		if !ok || !d.matter(key, strings.TrimSpace(value)) {
			d.fault(i+1, "not a line of the front matter", "it has session_id, question, created_at, updated_at, version and contributors, each with its value on its line")
		}
	}
	d.fault(1, "the front matter is not closed", "close it with a line ---")
	return len(lines)
}

func (d *document) matter(key, value string) bool {
	text, ok := scalar(value)
	switch key {
	case "session_id":
		d.meta.SessionID = brenner.SessionID(text)
	case "question":
		d.meta.Question = text
	case "created_at":
		d.meta.CreatedAt = text
	case "updated_at":
		d.meta.UpdatedAt = text
	case "version":
		n, err := strconv.Atoi(text)
		d.meta.Version, ok = n, ok && err == nil && n >= 0
	case "contributors":
		inner, opened := strings.CutPrefix(value, "[")
		inner, closed := strings.CutSuffix(inner, "]")
		for name := range strings.SplitSeq(inner, ",") {
			if name, fine := scalar(strings.TrimSpace(name)); fine && name != "" {
				d.meta.Contributors = append(d.meta.Contributors, brenner.ActorName(name))
			}
		}
		return opened && closed
	default:
		return false
	}
	return ok
}

// scalar reads a value of the front matter: in quotes, as Render writes it, or
// plain, as a person does.
func scalar(value string) (string, bool) {
	switch {
	case strings.HasPrefix(value, `"`):
		text, err := strconv.Unquote(value)
		return text, err == nil
	case strings.HasPrefix(value, "'"):
		inner, ok := strings.CutSuffix(value[1:], "'")
		return strings.ReplaceAll(inner, "''", "'"), ok
	}
	return value, true
}

// line reads one line below the front matter.
func (d *document) line(n int, line string) {
	switch {
	case strings.HasPrefix(line, "### "):
		d.heading(n, docHeading.FindStringSubmatch(line)[1])
	case strings.HasPrefix(line, "## "):
		d.open(n, docSection.FindStringSubmatch(line)[1])
		d.titled = true
	case strings.HasPrefix(line, "# "):
		if d.titled {
			d.fault(n, "the document has its title already, and the line stands in no item", "put it into an item of a section, or take it out")
		}
		d.section, d.item, d.value, d.titled = -1, nil, nil, true
	case d.section < 0:
		d.fault(n, "the line stands in no section", "put it into an item of a section")
	case d.section == atPredictions && strings.HasPrefix(line, "|"):
		d.row(n, line)
	case d.item == nil && strings.EqualFold(strings.TrimSpace(line), emptySection(d.section)):
	case docNote.MatchString(line):
		d.note(n, docNote.FindStringSubmatch(line)[1])
	case strings.HasPrefix(line, "CONFLICT:"):
		d.rival(n, line)
	case docField.MatchString(line):
		m := docField.FindStringSubmatch(line)
		d.field(n, m[1], m[2])
	default:
		d.goOn(n, line)
	}
}

// open begins a section.
func (d *document) open(n int, title string) {
	d.item, d.value, d.columns = nil, nil, nil
	d.section = slices.IndexFunc(schemas[:], func(s Schema) bool { return strings.EqualFold(s.Title, title) })
	if d.section < 0 {
		d.fault(n, strconv.Quote(clip(title))+" is no section", "the sections are the seven that every document has")
	}
}

// heading begins an item. One without an id is new, and gets the next.
func (d *document) heading(n int, label string) {
	it := &docItem{section: d.section, line: n}
	d.item, d.value = it, nil
	if struck, ok := strings.CutSuffix(label, "[KILLED]"); ok {
		label, it.killed = unstruck(strings.TrimSpace(struck)), true
	}
	name := label
	if m := docLabel.FindStringSubmatch(label); m != nil {
		section, number, ok := parseItemID(m[1])
		if !ok || section != d.section {
			d.fault(n, m[1]+" does not belong into this section", "put the item under the heading of its section")
		}
		it.number, name = number, m[2]
	}
	if d.section < 0 {
		return
	}
	d.items = append(d.items, it)
	if field := schemas[d.section].field(nameField(d.section)); field >= 0 && strings.TrimSpace(name) != "" {
		it.values = append(it.values, &docValue{line: n, field: int32(field), text: name})
	}
}

// note goes back to a row of the table, to say what it holds beside its cells.
func (d *document) note(n int, id string) {
	_, number, _ := parseItemID(id)
	d.value = nil
	i := slices.IndexFunc(d.items, func(it *docItem) bool { return it.section == atPredictions && it.number == number })
	if i < 0 || d.section != atPredictions {
		d.item = nil
		d.fault(n, id+" is no row of the table", "put what belongs to a row under **"+id+"**, after the table")
		return
	}
	d.item = d.items[i]
	for _, v := range d.item.values {
		if v.key != "" {
			d.value = v // what follows may be a CONFLICT of one of its cells
		}
	}
}

// field reads a line with a label.
func (d *document) field(n int, label, text string) {
	if d.item == nil && d.section == atThread {
		d.heading(n, "RT")
	}
	if d.item == nil {
		d.fault(n, "the line belongs to no item", "put it under the heading of an item")
		return
	}
	d.value = nil
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "killed by":
		m := docKilled.FindStringSubmatch(text)
		if !d.item.killed || m == nil {
			d.fault(n, "only a killed item was killed by somebody", "strike its heading, as in ### ~~H2: name~~ [KILLED]")
			return
		}
		d.item.by, d.item.at = unescape(m[1]), m[2]
		return
	case "reason":
		if !d.item.killed {
			d.fault(n, "only a killed item has a reason", "strike its heading, as in ### ~~H2: name~~ [KILLED]")
			return
		}
		d.item.reason = unescape(text)
		return
	case "also":
		d.also(n, text)
		return
	}
	schema := &schemas[d.section]
	i := slices.IndexFunc(schema.Fields, func(f Field) bool { return strings.EqualFold(f.Label, strings.TrimSpace(label)) })
	if j := slices.IndexFunc(schema.Aside, func(f Field) bool { return f.Kind == KindText && strings.EqualFold(f.Label, strings.TrimSpace(label)) }); j >= 0 {
		if d.item.killed {
			text = unstruck(text)
		}
		d.add(&docValue{line: n, field: unknownField, name: schema.Aside[j].Name}, text)
		d.value = d.item.values[len(d.item.values)-1]
		return
	}
	if i < 0 {
		d.fault(n, strconv.Quote(clip(label))+" is no line of this section", "write a field of your own as **Also**: name = value")
		return
	}
	d.known(n, int32(i), text)
}

// known reads a field of the section.
func (d *document) known(n int, field int32, text string) {
	f := &schemas[d.section].Fields[field]
	if d.item.killed {
		text = unstruck(text)
	}
	switch f.Kind {
	case KindOutcomes, KindScore:
		if f.Kind == KindScore {
			text = docTotal.ReplaceAllString(text, "")
		}
		for _, pair := range splitUnescaped(text, ';') {
			if strings.TrimSpace(pair) == "" {
				continue
			}
			key, value, ok := cutUnescaped(pair, '=')
			if !ok {
				d.fault(n, "a pair without an equals sign in "+f.Label, "write key = value; key = value")
				continue
			}
			d.add(&docValue{line: n, field: field, key: unescape(key)}, value)
		}
	default:
		d.add(&docValue{line: n, field: field}, text)
	}
	d.value = d.item.values[len(d.item.values)-1]
}

// also reads a field that the section does not know.
func (d *document) also(n int, text string) {
	name, value, ok := cutUnescaped(text, '=')
	if !ok {
		d.fault(n, "a field of your own without a value", "write **Also**: name = value")
		return
	}
	if d.item.killed {
		value = unstruck(strings.TrimSpace(value))
	}
	name = unescape(name)
	if strings.HasPrefix(name, `"`) {
		name = unquote(name) // as alsoName writes it
	}
	d.add(&docValue{line: n, field: unknownField, name: name}, value)
	d.value = d.item.values[len(d.item.values)-1]
}

// add puts a value into the item. The name stands in its heading; a line that
// repeats it comes with the values between which nothing decides.
func (d *document) add(v *docValue, text string) {
	v.text = strings.TrimSpace(text)
	if old, ok := strings.CutSuffix(v.text, "[KILLED]"); ok && v.key != "" && !strings.HasSuffix(old, `\`) {
		v.text, v.dropped = unstruck(strings.TrimSpace(old)), true
	}
	if said, ok := strings.CutPrefix(v.text, NotApplicable+foretold+"~~"); ok && v.key != "" && d.section == atPredictions {
		v.text = strings.TrimSuffix(said, "~~)") // as it was before its hypothesis died
	}
	for i, o := range d.item.values {
		if o.field != v.field || o.key != v.key || o.name != v.name {
			continue
		}
		if v.field == int32(schemas[d.section].field(nameField(d.section))) && v.text == o.text {
			d.item.values = append(slices.Delete(d.item.values, i, i+1), v)
			return
		}
		d.fault(v.line, "the item says this twice", "keep one of them")
	}
	d.item.values = append(d.item.values, v)
}

// rival reads a value between which and others nothing decides.
func (d *document) rival(n int, line string) {
	m := docRivalOf.FindStringSubmatch(line)
	if m == nil || d.item == nil || d.value == nil {
		d.fault(n, "a CONFLICT that belongs to no field, or does not say whose it is", "write CONFLICT: value (agent, instant, delta), below the field")
		return
	}
	r := docRival{text: m[1], agent: unescape(m[2]), at: m[3], id: unescape(m[4])}
	v := d.value
	if v.key != "" {
		key, value, ok := cutUnescaped(r.text, '=')
		i := slices.IndexFunc(d.item.values, func(o *docValue) bool { return o.field == v.field && o.key == unescape(key) })
		if !ok || i < 0 {
			d.fault(n, "a CONFLICT of no key of the field above", "write CONFLICT: key = value (agent, instant, delta)")
			return
		}
		r.text, v = value, d.item.values[i]
	}
	v.rivals = append(v.rivals, r)
}

// goOn reads a line that goes on with the text above it.
func (d *document) goOn(n int, line string) {
	v := d.value
	if v == nil || v.key != "" || v.field != unknownField && schemas[d.section].Fields[v.field].Kind != KindText {
		d.fault(n, "the line belongs to no field", "begin it with a field, as in **Claim**: …, or put it below one that is a text")
		return
	}
	text := strings.TrimSpace(line)
	if d.item.killed {
		text = unstruck(text)
	}
	if d.gap {
		v.text += "<br>"
	}
	v.text += "<br>" + text
}

// row reads a line of the table of predictions.
func (d *document) row(n int, line string) {
	cells := splitUnescaped(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|"), '|')
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	switch {
	case d.columns == nil:
		if len(cells) < 2 || !strings.EqualFold(cells[0], "ID") {
			d.fault(n, "not the head of the table of predictions", "it begins with | ID | Condition |")
		}
		d.columns = cells
		return
	case docRule.MatchString(line) || len(d.columns) < 2: // a head without cells was refused
		return
	case len(cells) != len(d.columns):
		d.fault(n, "the row has "+itoa(len(cells))+" cells, the head "+itoa(len(d.columns)), `write | inside a cell as \|`)
		return
	}
	label := cells[0]
	if label == "" {
		label = cells[1]
	} else if cells[1] != "" {
		label += ": " + cells[1]
	}
	if d.heading(n, label); d.section != atPredictions {
		return
	}
	field := int32(schemas[atPredictions].field("predictions"))
	for i, text := range cells[2:] {
		_, none := dashes[text]
		switch {
		case none || text == "":
		case strings.EqualFold(d.columns[i+2], observedLabel()):
			d.add(&docValue{line: n, field: unknownField, name: observedField}, text)
		default:
			d.add(&docValue{line: n, field: field, key: unescape(d.columns[i+2])}, text)
		}
	}
	d.item = nil
}

// unstruck takes the strike off a text.
func unstruck(s string) string {
	if inner, ok := strings.CutPrefix(s, "~~"); ok {
		if inner, ok = strings.CutSuffix(inner, "~~"); ok {
			return inner
		}
	}
	return s
}

var docEntity = lazy.NewPattern(`^&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});`)

// unit gives the length of the character, escape or entity at the start of a
// text.
func unit(s string) int {
	if s[0] == '\\' && len(s) > 1 && s[1] < utf8.RuneSelf {
		return 2
	}
	if s[0] == '&' {
		if n := len(docEntity.FindString(s)); n > 0 {
			return n
		}
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// splitUnescaped splits a text at a character that stands there as itself.
func splitUnescaped(s string, at byte) []string {
	var parts []string
	from := 0
	for i := 0; i < len(s); {
		n := unit(s[i:])
		if n == 1 && s[i] == at {
			parts = append(parts, s[from:i])
			from = i + 1
		}
		i += n
	}
	return append(parts, s[from:])
}

// cutUnescaped cuts a text at the first such character.
func cutUnescaped(s string, at byte) (before, after string, ok bool) {
	head := splitUnescaped(s, at)[0]
	if len(head) == len(s) {
		return s, "", false
	}
	return head, s[len(head)+1:], true
}

var docBreak = lazy.NewPattern(`^<[bB][rR] ?/?>`)

// unescape gives the text that Markdown shows: the inverse of escape.
func unescape(s string) string {
	s = strings.TrimSpace(s)
	var b strings.Builder
	for len(s) > 0 {
		n := unit(s)
		switch {
		case s[0] == '\\' && n == 2 && unicode.In(rune(s[1]), unicode.Punct, unicode.Symbol):
			b.WriteByte(s[1])
		case s[0] == '&' && n > 1:
			b.WriteString(html.UnescapeString(s[:n]))
		case s[0] == '<' && docBreak.MatchString(s):
			n = len(docBreak.FindString(s))
			b.WriteByte('\n')
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return strings.TrimSpace(b.String())
}
