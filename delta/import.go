package delta

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// Importer is who reads a document in, and of when what it says is taken to be.
type Importer struct {
	Agent brenner.ActorName
	// At is the instant of the items; zero: when the document was last changed,
	// as it says.
	At time.Time
}

// importMessage names the message that the deltas of an imported document came
// in.
const importMessage = "import"

// ReadDocument reads a session artifact from Markdown as Render writes it, also
// if a person has changed it: Render gives the same document again. The history
// of a document is not in it: every item begins anew, with one ADD of the
// importer; killed items keep who killed them and why, conflicts their
// candidates. An item without an id gets the next one, and ids that are gone
// are not given again. An item killed with a key in conflict with itself began
// with the delta that named one item twice, and keeps its ADD.
//
// It reports INVALID_SESSION_DOCUMENT, with every line that cannot be read:
// nothing of a document is left out in silence.
func ReadDocument(raw []byte, by Importer) (*Artifact, error) {
	if len(raw) > brenner.MaxDeltaInputBytes {
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "the document has more than %d bytes", brenner.MaxDeltaInputBytes)
	}
	if !utf8.Valid(raw) {
		return nil, brenner.Errorf(brenner.CodeInvalidText, "the document is not valid UTF-8").WithHint("convert it to UTF-8")
	}
	if i := bytes.IndexFunc(raw, control); i >= 0 {
		return nil, brenner.Errorf(brenner.CodeInvalidText, "the document has a control character, first at byte %d", i).WithHint("take it out")
	}
	d := parseDocument(strings.TrimPrefix(string(raw), "\uFEFF"))
	at, err := d.instant(by)
	if err != nil {
		return nil, err
	}
	b := docBuilder{document: d, agent: by.Agent, at: FormatInstant(at), compiler: compiler{recorded: true, settled: true}}
	in := b.artifact()
	if err := d.refusal(); err != nil {
		return nil, err
	}
	r := reader{compiler: compiler{recorded: true, settled: true}, in: in, a: &Artifact{meta: d.meta}, messages: map[string]bool{}}
	if err := r.read(); err != nil {
		return nil, err
	}
	return r.a, nil
}

func control(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }

// instant gives when the items of the document are taken to be of.
func (d *document) instant(by Importer) (time.Time, error) {
	if by.Agent.Check() != nil {
		return time.Time{}, brenner.Errorf(brenner.CodeInvalidID, "%q is not a valid actor name", clip(string(by.Agent)))
	}
	if !by.At.IsZero() {
		return by.At.UTC(), nil
	}
	for _, said := range []string{d.meta.UpdatedAt, d.meta.CreatedAt} {
		if at, ok := parseInstant(said); ok {
			return at, nil
		}
	}
	return time.Unix(0, 0).UTC(), nil
}

// refusal gives what is wrong with the document as an error, nil if nothing is.
func (d *document) refusal() error {
	if len(d.findings) == 0 {
		return nil
	}
	first := d.findings[0]
	const most = 20
	return brenner.Errorf(brenner.CodeInvalidSessionDocument, "%s: %s", first.Subject, first.Message).WithHint(first.Hint).
		WithDiagnostics(d.findings[:min(len(d.findings), most)])
}

// docBuilder makes the deltas on which the items of a document rest.
type docBuilder struct {
	*document
	compiler
	agent  brenner.ActorName
	at     string
	rivals int // deltas made of them
}

func (b *docBuilder) artifact() *artifactJSON {
	if err := b.meta.check(); err != nil {
		b.fault(1, asInvalid(err).Message, "mend the front matter")
	}
	b.number()
	b.origins()
	b.cells()
	in := &artifactJSON{Format: Format, Metadata: b.meta, Sections: map[Section]sectionJSON{}}
	for s := range schemas {
		section := sectionJSON{}
		live := 0
		for _, it := range b.items {
			if it.section != s {
				continue
			}
			section.Highest = max(section.Highest, it.number)
			section.Items = append(section.Items, b.row(it))
			if !it.killed {
				live++
			}
			if limit := schemas[s].Limit; limit > 0 && live == limit+1 && !it.killed {
				b.fault(it.line, "more than "+itoa(limit)+" live items", "kill a superseded item first")
			}
		}
		in.Sections[schemas[s].Section] = section
	}
	return in
}

// number gives ids to the items that have none, and finds those given twice.
func (b *docBuilder) number() {
	seen := map[ItemID]bool{}
	var highest [sectionCount]int
	for _, it := range b.items {
		if it.section == atThread {
			it.number = 1
		}
		if it.number == 0 {
			continue
		}
		id := it.id()
		if seen[id] {
			b.fault(it.line, string(id)+" stands there twice", "give an item of your own no id: it gets the next")
		}
		seen[id] = true
		highest[it.section] = max(highest[it.section], it.number)
	}
	for _, it := range b.items {
		if it.number == 0 {
			highest[it.section]++
			it.number = highest[it.section]
		}
	}
}

// late says whether the values between which nothing decides are from after the
// death of their item, where only its ADD still shows (D9).
func (b *docBuilder) late(it *docItem, v *docValue) bool {
	died, _ := parseInstant(b.death(it))
	return it.killed && slices.ContainsFunc(v.rivals, func(r docRival) bool {
		said, _ := parseInstant(r.at)
		return !said.Before(died)
	})
}

// death is when an item was killed.
func (b *docBuilder) death(it *docItem) string { return cmp.Or(it.at, b.at) }

// origins finds the items whose ADD left a key in conflict with itself, by
// several names of one item, and gives the items so named a name to go by.
func (b *docBuilder) origins() {
	type claim struct {
		it *docItem
		v  *docValue
	}
	var claims []claim
	for _, it := range b.items {
		for _, v := range it.values {
			if b.late(it, v) {
				claims = append(claims, claim{it, v})
			}
		}
	}
	for _, c := range claims {
		c.it.origin = cmp.Or(c.it.origin, &c.v.rivals[0])
		for _, r := range c.v.rivals {
			if c.it.origin.agent != r.agent || c.it.origin.at != r.at || c.it.origin.id != r.id {
				b.tooLate(c.v)
				break
			}
		}
	}
	// Whoever needs most names of an item gets to own one.
	slices.SortStableFunc(claims, func(a, b claim) int { return len(b.v.rivals) - len(a.v.rivals) })
	for _, c := range claims {
		named := b.named(c.v.key, c.it.origin.agent)
		if named == nil || !schemas[c.it.section].Fields[c.v.field].Items {
			b.tooLate(c.v)
			continue
		}
		names := []string{c.v.key, named.alias()}
		if named.owner == c.it.origin.agent {
			names = append(names, named.name)
		}
		if len(c.v.rivals) > len(names) {
			b.tooLate(c.v)
			continue
		}
		c.v.names = names[:len(c.v.rivals)]
	}
}

// named gives an item a provisional id of an agent's, unless it has one; nil if
// there is no such item.
func (b *docBuilder) named(id, agent string) *docItem {
	i := slices.IndexFunc(b.items, func(it *docItem) bool { return it.section != atThread && string(it.id()) == id })
	if i < 0 {
		return nil
	}
	it := b.items[i]
	it.name, it.owner = importMessage+"-"+id, cmp.Or(it.owner, agent)
	if it.origin != nil {
		it.owner = it.origin.agent
	}
	return it
}

// cells names the items that are no hypotheses and stand in killed cells: only
// by a provisional id can such a cell be killed (D15).
func (b *docBuilder) cells() {
	for _, it := range b.items {
		for _, v := range it.values {
			if section, _, ok := parseItemID(v.key); !v.dropped || !ok || section == atHypotheses {
				continue
			}
			if named := b.named(v.key, string(b.agent)); named != nil {
				v.names = []string{named.alias()}
			}
		}
	}
}

func (b *docBuilder) tooLate(v *docValue) {
	b.fault(v.line, "a CONFLICT from after the death of its item", "take the CONFLICT lines out, or date them before the item was killed")
}

// row makes the deltas of one item.
func (b *docBuilder) row(it *docItem) itemJSON {
	row := itemJSON{ID: it.id()}
	first, message := Delta{
		DeltaID: importMessage + "-" + string(row.ID), Timestamp: b.at, Agent: brenner.ActorName(cmp.Or(it.owner, string(b.agent))),
		Operation: Add, Section: schemas[it.section].Section, ProvisionalID: it.name,
	}, importMessage
	if it.origin != nil {
		b.rivals++
		first.DeltaID, first.Timestamp, first.Agent = it.origin.id, it.origin.at, brenner.ActorName(it.origin.agent)
		message += "-" + itoa(b.rivals)
	}
	fields := map[string]any{}
	for _, v := range it.values {
		switch {
		case len(v.rivals) == 0:
			b.put(fields, it, v, v.text)
		case v.names != nil:
			for i, r := range v.rivals {
				named := *v
				named.key = v.names[i]
				b.put(fields, it, &named, r.text)
			}
		case it.section != atThread: // any of them will do: each outranks an ADD
			if i := slices.IndexFunc(v.rivals, func(r docRival) bool { return !isTakenOut(r.text) }); i >= 0 {
				b.put(fields, it, v, v.rivals[i].text)
			}
		}
	}
	target := Target(row.ID)
	if it.section == atThread {
		first.Operation, first.TargetID = Edit, target
	}
	if it.section == atThread && len(fields) == 0 { // it says nothing, or nothing that is settled
		fields["anchors"], fields["replace"] = []string{}, true
	}
	first.Payload = canon.MustMarshal(fields)
	row.Deltas = append(row.Deltas, b.entry(it, first, message))
	for _, v := range it.values {
		if v.names != nil {
			continue
		}
		for _, r := range v.rivals {
			one := map[string]any{}
			b.put(one, it, v, r.text)
			b.rivals++
			row.Deltas = append(row.Deltas, b.entry(it, Delta{
				DeltaID: r.id, Timestamp: r.at, Agent: brenner.ActorName(r.agent), Operation: Edit, TargetID: target, Section: first.Section,
				Payload: canon.MustMarshal(one), Seq: b.rivals,
			}, importMessage+"-"+itoa(b.rivals)))
		}
	}
	kill := func(id string, to Target, by, at, reason string) entryJSON {
		k := Delta{DeltaID: importMessage + "-kill-" + id, Timestamp: at, Agent: brenner.ActorName(by), Operation: Kill, TargetID: to, Section: first.Section}
		if reason != "" && reason != reasonText("") {
			k.Payload = canon.MustMarshal(map[string]string{"reason": reason})
		}
		return b.entry(it, k, importMessage)
	}
	by, at := cmp.Or(it.by, string(b.agent)), b.death(it)
	before := at
	if died, ok := parseInstant(at); ok && it.killed {
		before = FormatInstant(died.Add(-1)) // a killed item takes no more
	}
	for _, v := range it.values {
		if v.dropped {
			cell := string(row.ID) + "." + v.key
			if v.names != nil {
				cell = string(row.ID) + "." + v.names[0]
			}
			row.Deltas = append(row.Deltas, kill(cell, Target(cell), string(b.agent), before, ""))
		}
	}
	if it.killed {
		row.Kills = append(row.Kills, kill(string(row.ID), target, by, at, it.reason))
	}
	return row
}

// put puts a value into a payload, by the kind of its field.
func (b *docBuilder) put(payload map[string]any, it *docItem, v *docValue, text string) {
	if v.field == unknownField {
		payload[v.name] = literal(unescape(text)) // the inverse of alsoValue
		return
	}
	f := &schemas[it.section].Fields[v.field]
	switch f.Kind {
	case KindList, KindReferences:
		if list := b.elements(f, v, text); len(list) > 0 {
			payload[f.Name] = list
		}
	case KindOutcomes, KindScore:
		cells, ok := payload[f.Name].(map[string]any)
		if !ok {
			cells = map[string]any{}
			payload[f.Name] = cells
		}
		switch {
		case f.Kind == KindScore:
			cells[v.key] = literal(unescape(text))
		case isTakenOut(text):
			cells[v.key] = nil
		default:
			cells[v.key] = unescape(text)
		}
	case KindFlag:
		payload[f.Name] = literal(unescape(text))
	default:
		payload[f.Name] = unescape(text)
	}
}

// isTakenOut says whether a value stands for a key that was taken out.
func isTakenOut(text string) bool { return strings.TrimSpace(text) == takenOut }

// literal gives a text that is JSON as what it is, and any other as a text.
func literal(text string) any {
	if v, err := canon.Transform([]byte(text)); err == nil {
		return jsontext.Value(v)
	}
	return text
}

// elements reads a list.
func (b *docBuilder) elements(f *Field, v *docValue, text string) []any {
	var list []any
	for _, part := range splitUnescaped(text, ',') {
		el := unescape(part)
		if el == "" {
			continue
		}
		if f.Kind == KindList {
			list = append(list, el)
			continue
		}
		words := strings.Fields(el)
		if len(words) != 3 {
			b.fault(v.line, "a reference is a relation, a session and an item", "as in refutes RS-20251230-cell-fate H2")
			continue
		}
		list = append(list, map[string]string{"relation": words[0], "session": words[1], "item": words[2]})
	}
	if len(list) == 1 && list[0] == any("inference") && f.Name == "anchors" {
		return nil // what stands there where there are none
	}
	return list
}

// entry checks a delta as a merge would, and lays what is wrong to its line.
func (b *docBuilder) entry(it *docItem, d Delta, message string) entryJSON {
	at, timed := parseInstant(d.Timestamp)
	if _, err := b.compile(&d, at, timed, d.Agent.Check() == nil); err != nil {
		line := it.line
		for _, v := range it.values {
			if v.field != unknownField && strings.HasPrefix(err.Pointer+"/", inPayload(schemas[it.section].Fields[v.field].Name)+"/") {
				line = v.line
			}
		}
		b.fault(line, err.Message, err.Hint)
	}
	return entryJSON{Delta: d, Message: message, At: FormatInstant(at)}
}
