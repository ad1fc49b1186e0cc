package delta

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// entry is a delta that passed every check that needs no artifact, with its
// payload broken into writes. It is immutable once a merge has returned, and
// shared between versions.
type entry struct {
	delta   Delta
	message string
	at      time.Time // the effective instant (D11)
	rank    int       // of the agent in the priority list
	target  target
	writes  []write
	item    ItemID         // the item it was recorded in
	fresh   bool           // still belongs to the merge that made it
	hash    brenner.Digest // of the content, once needed while fresh
}

// target is a parsed target_id.
type target struct {
	section     int
	number      int    // 0 if provisional
	provisional string // "" if assigned
	cell        string // the key of a prediction cell, "" for a whole item
}

// write is one change of one field, or of one key of a map field.
type write struct {
	field int    // place in the schema, or unknownField
	name  string // of the field
	mode  writeMode
	key   string   // of a map field
	value string   // canonical JSON
	list  []string // canonical JSON of each element
}

// maxFields is more than any schema has; unknownField stands after them all.
const (
	maxFields    = 16
	unknownField = maxFields
)

type writeMode uint8

const (
	set     writeMode = iota // value becomes the value
	union                    // list is added
	replace                  // list becomes the list
	drop                     // the key is killed
)

// Check reports what is wrong with a delta as far as it can be known without
// an artifact: its form, its section's rules, its values. Findings that do not
// stop it come back as warnings.
func Check(d Delta) ([]brenner.Diagnostic, error) {
	at, _ := parseInstant(d.Timestamp)
	_, warnings, err := compile(d, at)
	if err != nil {
		return nil, err
	}
	return warnings, nil
}

// compile checks a delta that counts as of an instant and breaks it into writes.
func compile(d Delta, at time.Time) (*entry, []brenner.Diagnostic, *brenner.Error) {
	if err := d.checkForm(); err != nil {
		return nil, nil, asInvalid(err)
	}
	if !representable(at) {
		return nil, nil, invalid("/timestamp", "the instant of receipt is outside years 0000 to 9999", "")
	}
	e := &entry{at: at}
	if err := e.readTarget(&d); err != nil {
		return nil, nil, err
	}
	payload, err := canonicalPayload(d.Payload)
	if err != nil {
		return nil, nil, err
	}
	d.Payload = payload
	e.delta = d
	c := compiler{entry: e, schema: &schemas[e.target.section]}
	if err := c.payload(); err != nil {
		return nil, nil, err
	}
	return e, c.warnings, nil
}

// readTarget checks the operation against the section and reads target_id.
func (e *entry) readTarget(d *Delta) *brenner.Error {
	section := sectionIndex(d.Section)
	e.target.section = section
	if section == atThread && d.Operation != Edit {
		return brenner.Errorf(brenner.CodeRTEditOnly, "the research thread cannot be the target of %s", d.Operation).
			At("/operation").WithHint("send an EDIT with target_id RT")
	}
	if d.Operation != Add && d.ProvisionalID != "" {
		return invalid("/provisional_id", "only an ADD can have a provisional_id", "put the provisional id into target_id")
	}
	if d.Operation == Add {
		return readAddTarget(d)
	}
	if section == atThread {
		if d.TargetID != "" && d.TargetID != "RT" {
			return badTarget("the only item of research_thread is RT", "write target_id RT or null")
		}
		e.target.number = 1
		return nil
	}
	if d.TargetID == "" {
		return badTarget("target_id is missing", "name the item to change, for example "+schemas[section].Prefix+"1")
	}
	t, ok := parseTarget(section, string(d.TargetID))
	if !ok {
		return badTarget(strconv.Quote(clip(string(d.TargetID)))+" is no item of "+string(d.Section),
			"items of this section are "+schemas[section].Prefix+"1, "+schemas[section].Prefix+"2 and so on")
	}
	e.target = t
	return nil
}

func readAddTarget(d *Delta) *brenner.Error {
	if d.TargetID != "" {
		return badTarget("target_id must be null in an ADD: the merge assigns the id",
			"leave it null; to cite the new item, name it in provisional_id, for example "+schemas[sectionIndex(d.Section)].Prefix+"-NEW")
	}
	if d.ProvisionalID != "" && !isProvisional(d.ProvisionalID) {
		return brenner.Errorf(brenner.CodeInvalidValue, "provisional_id is not a name of its own").At("/provisional_id").
			WithHint("use letters, digits, - and _, and not the form of an assigned id, for example T-SCALE")
	}
	return nil
}

// parseTarget reads the target of an EDIT or KILL in a numbered section.
func parseTarget(section int, s string) (target, bool) {
	t := target{section: section}
	row, key, isCell := s, "", false
	if section == atPredictions {
		row, key, isCell = strings.Cut(s, ".")
	}
	if isCell {
		if at, _, ok := parseItemID(key); !(ok && at == atHypotheses) && !isProvisional(key) {
			return t, false
		}
		t.cell = key
	}
	at, number, ok := parseItemID(row)
	switch {
	case ok && at == section:
		t.number = number
	case !ok && isProvisional(row):
		t.provisional = row
	default:
		return t, false
	}
	return t, true
}

func badTarget(message, hint string) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidTarget, "%s", message).At("/target_id").WithHint(hint)
}

// canonicalPayload gives the canonical form of a payload, nil for none.
func canonicalPayload(raw jsontext.Value) (jsontext.Value, *brenner.Error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if len(raw) > brenner.MaxDeltaBytes {
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "the payload has more than %d bytes", brenner.MaxDeltaBytes).
			At("/payload").WithHint("split it into several deltas")
	}
	payload, err := canonicalize(raw)
	if err != nil {
		e := asInvalid(err)
		e.Pointer = "/payload" + e.Pointer
		return nil, e
	}
	if payload[0] != '{' {
		return nil, invalid("/payload", "payload is not a JSON object", "")
	}
	if pointer, ok := numberOutOfRange(payload); ok {
		return nil, badValue("/payload"+pointer, "the number is out of range", "use a number that a 64-bit float can hold")
	}
	return payload, nil
}

// canonicalize is canon.Transform, faster: what it can see to be in order it
// does not walk token by token.
func canonicalize(raw jsontext.Value) (jsontext.Value, error) {
	v := slices.Clone(raw)
	if v.Canonicalize() != nil || nesting(v) > brenner.MaxJSONDepth || bytes.Contains(v, []byte(`\u0000`)) {
		return canon.Transform(raw)
	}
	return v, nil
}

// clamped is what canonicalisation makes of a number too large for a float64.
const clamped = "1.7976931348623157e+308"

// numberOutOfRange finds a number that canonicalisation had to clamp.
func numberOutOfRange(payload []byte) (pointer string, found bool) {
	if !bytes.Contains(payload, []byte(clamped)) {
		return "", false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(payload))
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return "", false
		}
		if tok.Kind() == '0' && strings.TrimPrefix(tok.String(), "-") == clamped {
			return string(dec.StackPointer()), true
		}
	}
}

func badValue(pointer, message, hint string) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidValue, "%s", message).At(pointer).WithHint(hint)
}

func wrongType(pointer, want string) *brenner.Error {
	return invalid(pointer, "not "+want, "leave the field out if there is nothing to say")
}

func tooMany(pointer, what string, most int) *brenner.Error {
	return brenner.Errorf(brenner.CodeLimitExceeded, "more than %d %s", most, what).At(pointer).
		WithHint("split it into several deltas")
}

func missing(pointer, name string) *brenner.Error {
	return brenner.Errorf(brenner.CodeMissingRequiredField, "%s is missing or blank", name).At(pointer).
		WithHint("give " + name)
}

// compiler turns the payload of one delta into writes.
type compiler struct {
	entry    *entry
	schema   *Schema
	replaces []string // names of list fields to replace; "" = all
	warnings []brenner.Diagnostic
}

func (c *compiler) payload() *brenner.Error {
	d := &c.entry.delta
	pairs := objectPairs(string(d.Payload))
	if len(pairs) > brenner.MaxDeltaFields {
		return tooMany("/payload", "fields", brenner.MaxDeltaFields)
	}
	if d.Operation == Kill {
		return c.kill(pairs)
	}
	if c.entry.target.cell != "" {
		return c.cell(pairs)
	}
	if err := c.readReplaces(pairs); err != nil {
		return err
	}
	c.entry.writes = make([]write, 0, len(pairs)+1)
	for _, p := range pairs {
		if err := c.member(p); err != nil {
			return err
		}
	}
	if d.Operation == Add {
		return c.required()
	}
	if len(c.entry.writes) == 0 {
		return invalid("/payload", "the EDIT changes nothing", "put the fields to change into the payload")
	}
	return nil
}

// kill reads the optional reason. Killing a cell is a write of that cell.
func (c *compiler) kill(pairs []pair) *brenner.Error {
	for _, p := range pairs {
		if p.name != "reason" {
			c.unknown(p.name)
			continue
		}
		if p.value[0] != '"' {
			return wrongType("/payload/reason", "a string")
		}
		if utf8.RuneCountInString(unquote(p.value)) > brenner.MaxNoteRunes {
			return tooLong("/payload/reason", "reason")
		}
	}
	if key := c.entry.target.cell; key != "" {
		c.add(write{field: c.schema.field("predictions"), name: "predictions", mode: drop, key: key})
	}
	return nil
}

// cell reads the EDIT of one prediction, which is a write of that key (D15).
func (c *compiler) cell(pairs []pair) *brenner.Error {
	outcome := ""
	for _, p := range pairs {
		if p.name != "outcome" {
			c.unknown(p.name)
			continue
		}
		if p.value[0] != '"' {
			return wrongType("/payload/outcome", "a string")
		}
		outcome = p.value
	}
	if blank(outcome) {
		return missing("/payload/outcome", "outcome")
	}
	c.add(write{field: c.schema.field("predictions"), name: "predictions", mode: set, key: c.entry.target.cell, value: outcome})
	return nil
}

// readReplaces reads "replace" and "<field>_replace".
func (c *compiler) readReplaces(pairs []pair) *brenner.Error {
	for _, p := range pairs {
		name, ok := c.replaceFlag(p.name)
		if !ok {
			continue
		}
		switch p.value {
		case "true":
			c.replaces = append(c.replaces, name)
		case "false":
		default:
			return wrongType(inPayload(p.name), "true or false")
		}
	}
	return nil
}

// replaceFlag says which list a member such as anchors_replace is about; ""
// is all of them.
func (c *compiler) replaceFlag(member string) (field string, ok bool) {
	if member == "replace" {
		return "", true
	}
	name, ok := strings.CutSuffix(member, "_replace")
	if !ok {
		return "", false
	}
	i := c.schema.field(name)
	return name, i >= 0 && isList(c.schema.Fields[i].Kind)
}

func isList(k Kind) bool { return k == KindList || k == KindReferences }

func (c *compiler) add(w write) { c.entry.writes = append(c.entry.writes, w) }

// member reads one member of an ADD's or EDIT's payload.
func (c *compiler) member(p pair) *brenner.Error {
	if _, ok := c.replaceFlag(p.name); ok {
		return nil
	}
	i := c.schema.field(p.name)
	if i < 0 {
		c.unknown(p.name)
		c.add(write{field: unknownField, name: p.name, mode: set, value: p.value})
		return nil
	}
	switch f := &c.schema.Fields[i]; f.Kind {
	case KindText:
		return c.text(i, f, p.value)
	case KindFlag:
		if p.value != "true" && p.value != "false" {
			return wrongType(inPayload(f.Name), "true or false")
		}
		c.add(write{field: i, name: f.Name, mode: set, value: p.value})
		return nil
	case KindOutcomes:
		return c.outcomes(i, f, p.value)
	case KindScore:
		return c.score(i, f, p.value)
	default:
		return c.list(i, f, p.value)
	}
}

func (c *compiler) text(i int, f *Field, value string) *brenner.Error {
	if value[0] != '"' {
		return wrongType(inPayload(f.Name), "a string")
	}
	if f.Required && blank(value) {
		return missing(inPayload(f.Name), f.Name)
	}
	if f.Enum != nil && !slices.Contains(f.Enum, unquote(value)) {
		return badValue(inPayload(f.Name), f.Name+" has no such value", "use one of "+strings.Join(f.Enum, ", "))
	}
	c.add(write{field: i, name: f.Name, mode: set, value: value})
	return nil
}

func (c *compiler) outcomes(i int, f *Field, value string) *brenner.Error {
	if value[0] != '{' {
		return wrongType(inPayload(f.Name), "an object of hypothesis id to text")
	}
	pairs := objectPairs(value)
	if len(pairs) > brenner.MaxDeltaElements {
		return tooMany(inPayload(f.Name), "keys", brenner.MaxDeltaElements)
	}
	for _, p := range pairs {
		if strings.TrimSpace(p.name) == "" {
			return badValue(inPayload(f.Name, p.name), "the key is blank", "use a hypothesis id such as H1")
		}
		if p.value[0] != '"' {
			return wrongType(inPayload(f.Name, p.name), "a string")
		}
		if blank(p.value) {
			return badValue(inPayload(f.Name, p.name), "the outcome is blank", "say what is expected, or leave the key out")
		}
		c.add(write{field: i, name: f.Name, mode: set, key: p.name, value: p.value})
	}
	return nil
}

func (c *compiler) score(i int, f *Field, value string) *brenner.Error {
	if value[0] != '{' {
		return wrongType(inPayload(f.Name), "an object of "+strings.Join(scoreParts, ", "))
	}
	for _, p := range objectPairs(value) {
		if !slices.Contains(scoreParts, p.name) {
			return badValue(inPayload(f.Name, p.name), "a score has no such part", "use "+strings.Join(scoreParts, ", "))
		}
		n, err := strconv.ParseFloat(p.value, 64)
		if err != nil {
			return wrongType(inPayload(f.Name, p.name), "a number")
		}
		if n < 0 || n > 3 {
			return badValue(inPayload(f.Name, p.name), "the score is outside 0 to 3", "use 0, 1, 2 or 3")
		}
		c.add(write{field: i, name: f.Name, mode: set, key: p.name, value: p.value})
	}
	return nil
}

func (c *compiler) list(i int, f *Field, value string) *brenner.Error {
	if value[0] != '[' {
		return wrongType(inPayload(f.Name), "an array")
	}
	elements := arrayElements(value)
	if len(elements) > brenner.MaxDeltaElements {
		return tooMany(inPayload(f.Name), "elements", brenner.MaxDeltaElements)
	}
	for n, el := range elements {
		if err := checkElement(f, el, n); err != nil {
			return err
		}
	}
	mode := union
	if c.entry.delta.Operation == Edit && (slices.Contains(c.replaces, "") || slices.Contains(c.replaces, f.Name)) {
		mode = replace
	}
	if mode == union && len(elements) == 0 {
		return nil
	}
	c.add(write{field: i, name: f.Name, mode: mode, list: elements})
	return nil
}

func checkElement(f *Field, el string, n int) *brenner.Error {
	if f.Kind == KindReferences {
		return checkReference(el, inPayload(f.Name, itoa(n)))
	}
	if el[0] != '"' {
		return wrongType(inPayload(f.Name, itoa(n)), "a string")
	}
	if blank(el) {
		return badValue(inPayload(f.Name, itoa(n)), "the element is blank", "leave it out")
	}
	return nil
}

// required checks that an ADD has what its section asks for.
func (c *compiler) required() *brenner.Error {
	for i := range c.schema.Fields {
		f := &c.schema.Fields[i]
		if f.Required && !slices.ContainsFunc(c.entry.writes, func(w write) bool { return w.field == i }) {
			e := missing(inPayload(f.Name), f.Name)
			e.Hint = "an ADD to " + string(c.schema.Section) + " needs " + requiredNames(c.schema)
			return e
		}
	}
	return nil
}

func requiredNames(s *Schema) string {
	var names []string
	for i := range s.Fields {
		if s.Fields[i].Required {
			names = append(names, s.Fields[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

func (c *compiler) unknown(name string) {
	hint := "the fields of " + string(c.schema.Section) + " are " + fieldNames(c.schema)
	if better, ok := fieldAliases[c.schema.Section][name]; ok {
		hint = "did you mean " + better + "?"
	}
	c.warnings = append(c.warnings, brenner.Diagnostic{
		Code: brenner.CodeUnknownField, Severity: brenner.SeverityWarning, Subject: c.entry.delta.DeltaID,
		Message: "the payload has the unknown field " + strconv.Quote(clip(name)) + ", which is kept",
		Pointer: inPayload(name), Hint: hint,
	})
}

func fieldNames(s *Schema) string {
	names := make([]string, len(s.Fields))
	for i := range s.Fields {
		names[i] = s.Fields[i].Name
	}
	return strings.Join(names, ", ")
}

// inPayload is the JSON pointer of a place in the payload.
func inPayload(names ...string) string {
	p := "/payload"
	for _, n := range names {
		p += "/" + escapePointer(n)
	}
	return p
}
