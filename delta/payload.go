package delta

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"brenner"
	"brenner/internal/lazy"
)

// payload turns the payload of the delta at hand into writes.
func (c *compiler) payload() *brenner.Error {
	e := c.entry
	c.pairs = appendPairs(c.pairs[:0], c.entry.payload)
	pairs := c.pairs
	if len(pairs) > brenner.MaxDeltaFields {
		return tooMany("/payload", "fields", brenner.MaxDeltaFields)
	}
	if e.op == opKill {
		return c.kill(pairs)
	}
	if e.cellAt > 0 {
		return c.cell(pairs)
	}
	if err := c.readReplaces(pairs); err != nil {
		return err
	}
	for _, p := range pairs {
		if err := c.member(p); err != nil {
			return err
		}
	}
	if e.op == opAdd {
		return c.required()
	}
	if len(c.writes) == 0 {
		return invalid("/payload", "the EDIT changes nothing", "put the fields to change into the payload")
	}
	return nil
}

// kill reads the optional reason. Killing a cell is a write of that cell.
func (c *compiler) kill(pairs []pair) *brenner.Error {
	for _, p := range pairs {
		if p.name != "reason" {
			if err := c.unknown(p.name); err != nil {
				return err
			}
			continue
		}
		if p.value[0] != '"' {
			return wrongType("/payload/reason", "a string")
		}
		if utf8.RuneCountInString(unquote(p.value)) > brenner.MaxNoteRunes {
			return tooLong("/payload/reason", "reason")
		}
	}
	if key := c.entry.cell(); key != "" {
		c.add(write{field: uint8(c.schema.field("predictions")), mode: drop, key: key})
	}
	return nil
}

// cell reads the EDIT of one prediction, which is a write of that key (D15).
func (c *compiler) cell(pairs []pair) *brenner.Error {
	outcome := ""
	for _, p := range pairs {
		if p.name != "outcome" {
			if _, ok := bareFields()[c.schema.Section][bare(p.name)]; ok {
				return reservedField(p.name, `one cell takes {"outcome": "…"}; target the row to change its fields`)
			}
			if err := c.unknown(p.name); err != nil {
				return err
			}
			continue
		}
		if ok, err := c.replaced(p.value, "/payload/outcome"); err != nil {
			return err
		} else if p.value[0] != '"' && !ok {
			return wrongType("/payload/outcome", "a string")
		}
		outcome = p.value
	}
	if blank(outcome) {
		return missing("/payload/outcome", "outcome")
	}
	c.add(write{field: uint8(c.schema.field("predictions")), mode: set, key: c.entry.cell(), value: outcome})
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

func (c *compiler) add(w write) {
	c.writes = append(c.writes, w)
	if w.field != unknownField {
		f := &c.schema.Fields[w.field]
		c.entry.cites = c.entry.cites || f.Items || f.Kind == KindReferences
	}
}

// member reads one member of an ADD's or EDIT's payload.
func (c *compiler) member(p pair) *brenner.Error {
	if _, ok := c.replaceFlag(p.name); ok {
		return nil
	}
	i := c.schema.field(p.name)
	if i < 0 {
		c.add(write{field: unknownField, mode: set, key: p.name, value: p.value})
		return c.unknown(p.name)
	}
	switch f := &c.schema.Fields[i]; f.Kind {
	case KindText:
		return c.text(i, f, p.value)
	case KindFlag:
		if p.value != "true" && p.value != "false" {
			return wrongType(inPayload(f.Name), "true or false")
		}
		c.add(write{field: uint8(i), mode: set, value: p.value})
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
	if ok, err := c.replaced(value, inPayload(f.Name)); ok {
		c.add(write{field: uint8(i), mode: set, value: value})
		return err
	}
	if f.Parts != nil && value[0] == '{' {
		joined, err := joinParts(f, value)
		if err != nil {
			return err
		}
		value = joined
	}
	if value[0] != '"' {
		return wrongType(inPayload(f.Name), "a string")
	}
	if f.Required && blank(value) {
		return missing(inPayload(f.Name), f.Name)
	}
	if f.Enum != nil && !slices.Contains(f.Enum, unquote(value)) {
		return badValue(inPayload(f.Name), f.Name+" has no such value", "use one of "+strings.Join(f.Enum, ", "))
	}
	if !c.recorded && placeholder(unquote(value), false) {
		return unsaidText(inPayload(f.Name), f.Name)
	}
	c.add(write{field: uint8(i), mode: set, value: value})
	return nil
}

// joinParts reads an object as one text: its parts in their order.
func joinParts(f *Field, value string) (string, *brenner.Error) {
	given := objectPairs(value)
	for _, p := range given {
		if !slices.Contains(f.Parts, p.name) {
			return "", invalid(inPayload(f.Name, p.name), "unknown field", f.Name+" is a text or has "+strings.Join(f.Parts, ", "))
		}
		if p.value[0] != '"' {
			return "", wrongType(inPayload(f.Name, p.name), "a string")
		}
	}
	var texts []string
	for _, name := range f.Parts {
		if n := slices.IndexFunc(given, func(p pair) bool { return p.name == name }); n >= 0 && !blank(given[n].value) {
			text := unquote(given[n].value)
			if slices.Contains(f.Named, name) {
				text = name + ": " + text
			}
			texts = append(texts, text)
		}
	}
	return quote(strings.Join(texts, "; ")), nil
}

func (c *compiler) outcomes(i int, f *Field, value string) *brenner.Error {
	if value[0] != '{' {
		return wrongType(inPayload(f.Name), "an object of hypothesis id to text")
	}
	c.inner = appendPairs(c.inner[:0], value)
	pairs := c.inner
	if len(pairs) > brenner.MaxDeltaElements {
		return tooMany(inPayload(f.Name), "keys", brenner.MaxDeltaElements)
	}
	for _, p := range pairs {
		if strings.TrimSpace(p.name) == "" {
			return badValue(inPayload(f.Name, p.name), "the key is blank", "use a hypothesis id such as H1")
		}
		if ok, err := c.replaced(p.value, inPayload(f.Name, p.name)); err != nil {
			return err
		} else if ok {
			c.add(write{field: uint8(i), mode: set, key: p.name, value: p.value})
			continue
		}
		takesOut := p.value == removed && (c.entry.op == opEdit || c.settled)
		if p.value[0] != '"' && !takesOut {
			return wrongType(inPayload(f.Name, p.name), "a string")
		}
		if !takesOut && blank(p.value) {
			return badValue(inPayload(f.Name, p.name), "the outcome is blank", "say what is expected, or leave the key out; null in an EDIT takes it out")
		}
		if id := lookalikeID(p.name); id != "" && !c.recorded {
			return notItem(p.name, id, inPayload(f.Name, p.name))
		}
		if !takesOut && !c.recorded && placeholder(unquote(p.value), true) {
			return unsaidText(inPayload(f.Name, p.name), p.name)
		}
		c.add(write{field: uint8(i), mode: set, key: p.name, value: p.value})
	}
	return nil
}

func (c *compiler) score(i int, f *Field, value string) *brenner.Error {
	if value[0] != '{' {
		return wrongType(inPayload(f.Name), "an object of "+strings.Join(scoreParts, ", "))
	}
	c.inner = appendPairs(c.inner[:0], value)
	for _, p := range c.inner {
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
		c.add(write{field: uint8(i), mode: set, key: p.name, value: p.value})
	}
	return nil
}

func (c *compiler) list(i int, f *Field, value string) *brenner.Error {
	if value[0] != '[' {
		return wrongType(inPayload(f.Name), "an array")
	}
	c.elements = appendElements(c.elements[:0], value)
	elements := c.elements
	if len(elements) > brenner.MaxDeltaElements {
		return tooMany(inPayload(f.Name), "elements", brenner.MaxDeltaElements)
	}
	for n, el := range elements {
		if err := checkElement(f, el, n); err != nil {
			return err
		}
		if id := lookalikeID(unquote(el)); f.Items && id != "" && !c.recorded {
			return notItem(unquote(el), id, inPayload(f.Name, itoa(n)))
		}
	}
	mode := union
	if c.entry.op == opEdit && (slices.Contains(c.replaces, "") || slices.Contains(c.replaces, f.Name)) {
		mode = replace
	}
	if mode == union && len(elements) == 0 {
		return nil
	}
	c.add(write{field: uint8(i), mode: mode, value: value})
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
		if f.Required && !slices.ContainsFunc(c.writes, func(w write) bool { return int(w.field) == i }) {
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

// unknown refuses a field that would pass for a line of the system, and warns
// about any other that the section does not know.
func (c *compiler) unknown(name string) *brenner.Error {
	if c.schema.aside(name) != nil {
		return nil
	}
	if !c.recorded {
		if err := c.misnamed(name); err != nil {
			return err
		}
	}
	hint := "the fields of " + string(c.schema.Section) + " are " + strings.Join(fieldsOf(c.schema), ", ")
	if better, ok := fieldAliases[c.schema.Section][name]; ok {
		hint = "did you mean " + better + "?"
	}
	c.warnings = append(c.warnings, brenner.Diagnostic{
		Code: brenner.CodeUnknownField, Severity: brenner.SeverityWarning, Subject: c.entry.id,
		Message: "the payload has the unknown field " + strconv.Quote(clip(name)) + ", which is kept",
		Pointer: inPayload(name), Hint: hint,
	})
	return nil
}

// misnamed refuses a field that was meant as one of the section: it would be
// kept and not seen.
func (c *compiler) misnamed(name string) *brenner.Error {
	if err := c.reserved(name); err != nil {
		return err
	}
	if field, key, ok := keyOfMap(c.schema, name); ok && c.entry.op != opKill {
		return invalid(inPayload(name), strconv.Quote(clip(name))+" is a key of "+field+", not a field", "write "+field+" as an object with "+clip(key))
	}
	given := func(name string) *pair {
		i := slices.IndexFunc(c.pairs, func(p pair) bool { return p.name == name })
		if i < 0 {
			return nil
		}
		return &c.pairs[i]
	}
	better, ok := fieldAliases[c.schema.Section][name]
	if c.entry.op == opKill {
		better, ok = killAliases[name]
	}
	if ok && given(better) == nil {
		return invalid(inPayload(name), strconv.Quote(name)+" is no field of "+string(c.schema.Section), "did you mean "+better+"?")
	}
	if near := misspelled(name, fieldsOf(c.schema)); near != "" && c.entry.op != opKill && given(near) == nil {
		return invalid(inPayload(name), strconv.Quote(name)+" is no field of "+string(c.schema.Section), "did you mean "+near+"?")
	}
	if p := given(name); p.value[0] == '{' && slices.ContainsFunc(objectPairs(p.value), func(in pair) bool { return c.schema.field(in.name) >= 0 }) {
		return invalid(inPayload(name), "the fields stand inside "+strconv.Quote(clip(name)), "put the fields into the payload itself")
	}
	return nil
}

// keyOfMap reads a name such as score.cost or predictions/H1 as a key of a map
// of the section.
func keyOfMap(schema *Schema, name string) (field, key string, ok bool) {
	for i := range schema.Fields {
		f := &schema.Fields[i]
		if f.Kind != KindScore && f.Kind != KindOutcomes {
			continue
		}
		rest, has := strings.CutPrefix(name, f.Name)
		if !has || len(rest) < 2 || strings.IndexByte("._/:[ ", rest[0]) < 0 {
			continue
		}
		key = strings.Trim(rest[1:], `]"' `)
		if _, _, item := parseItemID(key); item && f.Kind == KindOutcomes || f.Kind == KindScore && slices.Contains(scoreParts, key) {
			return f.Name, key, true
		}
	}
	return "", "", false
}

// reserved refuses the names of lines that Render writes itself, and the names
// of fields in another spelling (D19).
func (c *compiler) reserved(name string) *brenner.Error {
	as := bare(name)
	if field, ok := bareFields()[c.schema.Section][as]; ok {
		return reservedField(name, "write "+field)
	}
	if !isFieldName(name) && systemLines()[as] {
		return reservedField(name, "use a name of your own for a field of your own")
	}
	return nil
}

func reservedField(name, hint string) *brenner.Error {
	return brenner.Errorf(brenner.CodeReservedField, "%s would pass for a line that the document writes itself", strconv.Quote(clip(name))).
		At(inPayload(name)).WithHint(hint)
}

// bare is a name without case, spaces and punctuation: what a reader sees.
func bare(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// systemLines are the names of the lines that Render writes, bare.
var systemLines = lazy.Value(func() map[string]bool {
	lines := map[string]bool{}
	for _, name := range []string{
		"killed", "killed by", "killed at", "kill reason", "killed cells", "reason", "conflict", "conflicts", "also", "id", "deltas", "kills",
	} {
		lines[bare(name)] = true
	}
	for s := range schemas {
		for i := range schemas[s].Fields {
			lines[bare(schemas[s].Fields[i].Label)] = true
		}
	}
	return lines
})

// isFieldName says whether some section has a field of that name.
func isFieldName(name string) bool {
	for s := range schemas {
		if schemas[s].field(name) >= 0 {
			return true
		}
	}
	return false
}

// bareFields are the fields of each section by their bare names.
var bareFields = lazy.Value(func() map[Section]map[string]string {
	fields := map[Section]map[string]string{}
	for s := range schemas {
		section := map[string]string{}
		for _, name := range fieldsOf(&schemas[s]) {
			section[bare(name)] = name
		}
		fields[schemas[s].Section] = section
	}
	return fields
})

// inPayload is the JSON pointer of a place in the payload.
func inPayload(names ...string) string {
	p := "/payload"
	for _, n := range names {
		p += "/" + escapePointer(n)
	}
	return p
}

func badValue(pointer, message, hint string) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidValue, "%s", message).At(pointer).WithHint(hint)
}

func unsaidText(pointer, name string) *brenner.Error {
	return badValue(pointer, clip(name)+" holds a place for words, and no words", "say it, or leave "+clip(name)+" out: what is left out stays as it is")
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
