package delta

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Over is a text that somebody else wrote and that an EDIT would write anew, or a KILL
// strike.
type Over struct {
	FieldText
	Item    ItemID // that it is of
	Pointer string // of what is to take its place
}

// Over lists the texts of others in whose place an EDIT would stand, in a document with
// all that waits for it: of fields, and of cells. What is added to, replaced in part, or
// written later than the EDIT is none; before some instant nothing was written. Of a KILL
// they are the texts of others that the item was changed by since it was added.
func (e *Entry) Over(doc *Artifact, notBefore time.Time) (ItemID, []Over) {
	if e.Invalid != nil || e.Delta.Operation == Add || sectionIndex(e.Delta.Section) < 0 {
		return "", nil
	}
	c := completer{doc: doc}
	it, err := c.item(e)
	if err != nil || it == nil {
		return "", nil
	}
	said, _ := parseInstant(e.Delta.Timestamp)
	at := effective(said, e.Received, notBefore)
	var out []Over
	over := func(where spot, pointer string, counts func(FieldText) bool) {
		text, err := c.text(it, where, pointer)
		if err == nil && text.By != "" && text.By != e.Delta.Agent && !text.At.After(at) && counts(text) {
			out = append(out, Over{FieldText: text, Item: it.ID(), Pointer: pointer})
		}
	}
	if e.Delta.Operation == Kill {
		added := it.log[0]
		for _, where := range e.struck(&c, it) {
			over(where, "/target_id", func(text FieldText) bool { return text.DeltaID != added.id || !text.At.Equal(added.at()) })
		}
		return it.ID(), out
	}
	for _, p := range e.whole() {
		over(spot{field: p.field, key: c.resolve(e.Delta.Agent, p.key)}, p.pointer, func(text FieldText) bool { return quote(text.Text) != p.value })
	}
	return it.ID(), out
}

// Stance is what an EDIT makes of a critique.
type Stance int

const (
	// Leaves what it attacks alone: it withdraws it, says that it was answered, or is
	// somebody else's and settles nothing.
	Leaves Stance = iota
	// Presses it further, by its critic: what it says, what it is against, the test that it
	// wants, or that it is open.
	Presses
	// Adds to it, by its critic, such as evidence.
	Adds
	// Settles it.
	Settles
)

// pressing are the fields of a critique by which its critic asks for something.
var pressing = []string{"name", "attack", "proposed_test", "current_status", targetsField}

// stance is that of an EDIT of a critique, by its critic or somebody else.
func (e *Entry) stance(critic bool) Stance {
	out := Leaves
	if critic {
		out = Adds
	}
	for _, p := range objectPairs(string(e.Delta.Payload)) {
		if p.name == "current_status" {
			switch says := saysOf(unquote(p.value)); {
			case says == CritiqueSettled && !withdraws(unquote(p.value)):
				return Settles
			case says != CritiqueOpen:
				return Leaves
			}
		}
		if critic && slices.Contains(pressing, p.name) {
			out = Presses
		}
	}
	return out
}

// Attacked says what an EDIT makes of a critique, and lists the texts of others by which the
// items that it attacks were changed since they were added; none where it leaves these alone.
func (e *Entry) Attacked(doc *Artifact, notBefore time.Time) (Stance, []Over) {
	if e.Invalid != nil || e.Delta.Operation != Edit || sectionIndex(e.Delta.Section) != atCritiques {
		return Leaves, nil
	}
	it, err := (&completer{doc: doc}).item(e)
	if err != nil || it == nil {
		return Leaves, nil
	}
	s := e.stance(it.log[0].agent == e.Delta.Agent)
	if s == Leaves {
		return s, nil
	}
	return s, e.against(it, doc, notBefore)
}

// against are the texts of others by which what a critique attacks, and lives, was changed
// since it was added.
func (e *Entry) against(it *Item, doc *Artifact, notBefore time.Time) []Over {
	var out []Over
	items, _ := doc.attacked(it, doc.provisionalNames(), Beside{})
	for _, id := range items {
		strike := *e // as a KILL of it would
		strike.Delta.Operation, strike.Delta.TargetID, strike.Delta.Payload = Kill, Target(id), nil
		if of, ok := doc.Item(id); ok && of.live() {
			strike.Delta.Section = of.Section()
			_, over := strike.Over(doc, notBefore)
			out = append(out, over...)
		}
	}
	return out
}

// struck are the texts that a KILL strikes: those of an item, or one cell.
func (e *Entry) struck(c *completer, it *Item) []spot {
	if to, err := readTarget(&e.Delta, it.section); err == nil && to.cell != "" {
		return []spot{{field: "predictions", key: c.resolve(e.Delta.Agent, to.cell)}}
	}
	return it.texts()
}

// texts are the fields and cells of an item that hold texts.
func (it *Item) texts() []spot {
	var out []spot
	for _, f := range slices.Concat(schemas[it.section].Fields, schemas[it.section].Aside) {
		switch f.Kind {
		case KindText:
			out = append(out, spot{field: f.Name})
		case KindOutcomes:
			for _, c := range it.mapCells(f.Name) {
				out = append(out, spot{field: f.Name, key: c.key})
			}
		}
	}
	return out
}

// whole are the texts that an EDIT writes anew.
func (e *Entry) whole() []payloadPart {
	parts, err := cutPayload(&e.Delta)
	if err != nil {
		return nil
	}
	schema := &schemas[sectionIndex(e.Delta.Section)]
	var out []payloadPart
	for _, p := range parts {
		i := schema.field(p.field)
		switch {
		case p.partial || p.value == "":
		case p.cell != "" || p.key != "":
			out = append(out, p)
		case i >= 0 && schema.Fields[i].Kind == KindOutcomes && p.value[0] == '{':
			for _, in := range objectPairs(p.value) {
				out = append(out, payloadPart{member: p.member, cell: in.name, value: in.value, field: p.field, key: in.name, pointer: inPayload(p.member, in.name)})
			}
		case IsText(e.Delta.Section, p.field):
			out = append(out, p)
		}
	}
	return out
}

// IsText says whether a field is a text.
func IsText(section Section, field string) bool {
	s := sectionIndex(section)
	if s < 0 {
		return false
	}
	return schemas[s].isText(field)
}

// Quoting is a delta block with the same EDIT, in which the texts that it would write over
// are quoted: in their places it puts what it wanted to say there, behind them where both
// are sentences, so that sent as it is it takes nothing away. "" if something else
// than a text was to take the place of one. A KILL, or what presses a critique, is the same,
// with an id that says as of when: sent once more it is another.
func (e *Entry) Quoting(over []Over) string {
	if e.Delta.Operation == Kill || over[0].Pointer == "/target_id" {
		return e.asOf(over)
	}
	quoted := map[string]string{}
	for _, o := range over {
		quoted[o.Pointer] = o.Text
	}
	parts, err := cutPayload(&e.Delta)
	if err != nil {
		return ""
	}
	var cut []payloadPart
	for _, p := range parts {
		if p.cell != "" || !slices.ContainsFunc(over, func(o Over) bool { return strings.HasPrefix(o.Pointer, p.pointer+"/") }) {
			cut = append(cut, p)
			continue
		}
		for _, in := range objectPairs(p.value) {
			cut = append(cut, payloadPart{member: p.member, cell: in.name, value: in.value, pointer: inPayload(p.member, in.name)})
		}
	}
	for i := range cut {
		p := &cut[i]
		was, ok := quoted[p.pointer]
		if !ok {
			continue
		}
		if p.value == "" || p.value[0] != '"' {
			return ""
		}
		p.value = `{"old":` + quote(was) + `,"new":` + both(was, p.value) + `}`
	}
	d := e.Delta
	out := `{"operation":` + quote(string(d.Operation)) + `,"section":` + quote(string(d.Section)) + `,"target_id":` + quote(string(d.TargetID)) +
		`,"payload":` + string(joinPayload(cut, func(p *payloadPart) string { return p.value }))
	if d.Rationale != "" {
		out += `,"rationale":` + quote(d.Rationale)
	}
	return out + "}"
}

// aSentence is how many bytes a text has at least that may be more than a word or a name.
const aSentence = 40

// both is what somebody wrote with what an EDIT has, as JSON; one that is a word takes the
// place of the other, and one that has the other in it is both.
func both(was, value string) string {
	var now string
	if err := json.Unmarshal([]byte(value), &now); err != nil || len(was) < aSentence || len(now) < aSentence || strings.Contains(now, was) {
		return value
	}
	return quote(was + "\n" + now)
}

// asOf is the same delta, of an item as it reads since the newest of some texts.
func (e *Entry) asOf(over []Over) string {
	var newest time.Time
	for _, o := range over {
		if o.At.After(newest) {
			newest = o.At
		}
	}
	d := e.Delta
	out := `{"delta_id":` + quote(strings.ToLower(string(d.Operation))+"-"+string(d.TargetID)+"-as-of-"+FormatInstant(newest)) +
		`,"operation":` + quote(string(d.Operation)) + `,"section":` + quote(string(d.Section)) + `,"target_id":` + quote(string(d.TargetID))
	if len(d.Payload) > 0 {
		out += `,"payload":` + string(d.Payload)
	}
	if d.Rationale != "" {
		out += `,"rationale":` + quote(d.Rationale)
	}
	return out + "}"
}

// Says is what a text of an item says, by the name that FieldText has for it: claim, or
// predictions.H2.
func (a *Artifact) Says(id ItemID, field string) string {
	it, ok := a.Item(id)
	if !ok {
		return ""
	}
	name, key, _ := strings.Cut(field, ".")
	text, err := (&completer{doc: a}).text(it, spot{field: name, key: key}, "")
	if err != nil {
		return ""
	}
	return text.Text
}

// Cells lists the texts of others in cells of an item that an EDIT wrote anew.
func (e *Entry) Cells(it *Item) []FieldText {
	var out []FieldText
	for _, p := range e.whole() {
		if p.key == "" || e.PartialIn(p.member) {
			continue
		}
		if was := it.cellBefore(e, p.field, p.key); was.By != "" && was.By != e.Delta.Agent && quote(was.Text) != p.value {
			out = append(out, was)
		}
	}
	return out
}

// cellBefore is what a cell said before an EDIT wrote it.
func (it *Item) cellBefore(e *Entry, field, key string) FieldText {
	out := FieldText{Field: field + "." + key}
	known := schemas[it.section].field(field)
	for _, earlier := range it.log {
		if earlier.id == e.Delta.DeltaID && earlier.message == e.Message {
			return out
		}
		for i := range earlier.writes {
			if w := &earlier.writes[i]; int(w.field) == known && w.key == key && w.value != "" && w.value[0] == '"' {
				out.By, out.At, out.DeltaID, out.Text = earlier.agent, earlier.at(), earlier.id, unquote(w.value)
			}
		}
	}
	return FieldText{}
}

// Rewrite is a text that somebody wrote and that says something else by now.
type Rewrite struct {
	Was, Now FieldText
}

// Rewritten lists the texts of an item that say something else in a later version, by
// somebody else.
func Rewritten(base, now *Artifact, id ItemID) []Rewrite {
	before, was := base.Item(id)
	after, is := now.Item(id)
	if !was || !is {
		return nil
	}
	then, by := completer{doc: base}, completer{doc: now}
	var out []Rewrite
	compare := func(at spot) {
		old, err := then.text(before, at, "")
		if err != nil || old.By == "" {
			return
		}
		if said, err := by.text(after, at, ""); err == nil && said.Text != old.Text && said.By != old.By {
			out = append(out, Rewrite{old, said})
		}
	}
	for _, at := range before.texts() {
		compare(at)
	}
	return out
}

// Rewritten lists the texts that an EDIT wrote and that say something else in a document, by
// somebody else.
func (e *Entry) Rewritten(doc *Artifact) []Rewrite {
	if e.Invalid != nil || e.Delta.Operation != Edit || sectionIndex(e.Delta.Section) < 0 {
		return nil
	}
	c := completer{doc: doc}
	it, err := c.item(e)
	if err != nil || it == nil {
		return nil
	}
	var out []Rewrite
	for _, p := range e.whole() {
		said, err := c.text(it, spot{field: p.field, key: c.resolve(e.Delta.Agent, p.key)}, "")
		if err == nil && p.value[0] == '"' && said.By != e.Delta.Agent && quote(said.Text) != p.value {
			out = append(out, Rewrite{FieldText{Field: said.Field, By: e.Delta.Agent, DeltaID: e.Delta.DeltaID, Text: unquote(p.value)}, said})
		}
	}
	return out
}
