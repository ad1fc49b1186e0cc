package delta

import (
	"slices"
	"strconv"
	"strings"

	"brenner"
	"brenner/internal/lazy"
)

// payload gathers the fields, renames them and mends their types.
func (m *mender) payload() *brenner.Error {
	if err := m.openPayload(); err != nil {
		return err
	}
	for _, e := range m.extra {
		if slices.ContainsFunc(m.fields, func(f looseMember) bool { return f.name == e.name }) {
			continue
		}
		m.fields = append(m.fields, e)
		m.note("/"+escapePointer(e.name), "", "", "put "+e.name+" into the payload")
	}
	section := sectionIndex(Section(m.text("section")))
	if section < 0 {
		return nil
	}
	schema := &schemas[section]
	switch op := Operation(m.text("operation")); {
	case op == Kill:
		m.rename([]string{"reason"}, killAliases)
		m.asText("reason")
	case section == atPredictions && strings.Contains(m.text("target_id"), "."):
		m.rename([]string{"outcome"}, map[string]string{"prediction": "outcome", "value": "outcome", "text": "outcome"})
		m.asText("outcome")
	default:
		m.gatherKeys(schema)
		m.rename(fieldsOf(schema), fieldAliases[schema.Section])
		for _, f := range slices.Clone(m.fields) {
			m.field(schema, f.name)
		}
	}
	if len(m.fields) > 0 {
		m.members["payload"] = loose{kind: '{', members: m.fields}
	}
	return nil
}

func fieldsOf(schema *Schema) []string {
	names := make([]string, len(schema.Fields))
	for i := range schema.Fields {
		names[i] = schema.Fields[i].Name
	}
	return names
}

// killAliases are names agents give to the reason of a KILL.
var killAliases = map[string]string{"why": "reason", "because": "reason", "rationale": "reason"}

// openPayload takes the fields out of whatever they are wrapped in.
func (m *mender) openPayload() *brenner.Error {
	v, has := m.members["payload"]
	if !has {
		return nil
	}
	if v.kind == '"' {
		steps := len(v.text) + 1
		r := looseReader{text: v.text, steps: &steps}
		if inner, ok := r.value(0); ok && inner.kind == '{' {
			m.note("/payload", "", "", "write the payload as an object, not as a text")
			v = inner
		} else if Operation(m.text("operation")) == Kill && strings.TrimSpace(v.text) != "" {
			m.note("/payload", "", "", "write the payload as an object with a reason")
			v = loose{kind: '{', members: []looseMember{{"reason", v}}}
		}
	}
	if v.kind == '[' {
		if listed, ok := listedFields(&v); ok {
			m.note("/payload", "", "", "write the payload as an object, not as a list")
			v = listed
		}
	}
	if v.kind != '{' {
		return invalid("/payload", "payload is not a JSON object", "")
	}
	if schema := sectionIndex(Section(m.text("section"))); schema >= 0 && len(v.members) == 1 && v.members[0].value.kind == '{' {
		only := &v.members[0]
		if _, isField := fieldMeant(fieldsOf(&schemas[schema]), nil, only.name); !isField {
			m.note("/payload/"+escapePointer(only.name), "", "", "put the fields into the payload itself")
			v = only.value
		}
	}
	for _, f := range v.members {
		i := slices.IndexFunc(m.fields, func(o looseMember) bool { return o.name == f.name })
		switch {
		case i < 0:
			m.fields = append(m.fields, f)
		case m.fields[i].value.json() == f.value.json():
			m.note(inPayload(f.name), "", "", "write "+f.name+" once")
		default:
			return invalid(inPayload(f.name), f.name+" stands twice, with different values", "keep the one that is meant")
		}
	}
	m.members["payload"] = loose{kind: '{', members: m.fields}
	return nil
}

// listedFields makes one object of a list: of the fields that its objects hold,
// or that each names and gives a value.
func listedFields(v *loose) (loose, bool) {
	out := loose{kind: '{'}
	for i := range v.items {
		el := &v.items[i]
		if el.kind != '{' {
			return out, false
		}
		var name, value *loose
		for k := range el.members {
			switch bare(el.members[k].name) {
			case "field", "fieldname", "key", "path":
				name = &el.members[k].value
			case "value", "newvalue", "new", "to":
				value = &el.members[k].value
			}
		}
		switch {
		case name != nil && value != nil && len(el.members) == 2:
			out.members = append(out.members, looseMember{strings.Trim(name.flat(), "/"), *value})
		case name != nil:
			return out, false
		default:
			out.members = append(out.members, el.members...)
		}
	}
	return out, len(out.members) > 0
}

// fieldMeant gives the field that a name stands for.
func fieldMeant(fields []string, aliases map[string]string, name string) (string, bool) {
	if slices.Contains(fields, name) {
		return name, true
	}
	for _, f := range fields {
		if bare(f) == bare(name) {
			return f, true
		}
	}
	for _, alias := range sortedKeys(aliases) {
		if bare(alias) == bare(name) {
			return aliases[alias], true
		}
	}
	near := misspelled(name, fields)
	return near, near != ""
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m { // order-free: sorted below
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// rename gives fields their proper names, unless those are taken.
func (m *mender) rename(fields []string, aliases map[string]string) {
	has := func(name string) bool {
		return slices.ContainsFunc(m.fields, func(f looseMember) bool { return f.name == name })
	}
	for i := range m.fields {
		given := m.fields[i].name
		if slices.Contains(fields, given) || isReplaceFlag(given) {
			continue
		}
		name, ok := fieldMeant(fields, aliases, given)
		if !ok || has(name) {
			continue
		}
		m.fields[i].name = name
		m.note(inPayload(given), given, name, "write "+name+" instead of "+given)
	}
}

// gatherKeys puts keys that stand in the payload as fields of their own, such as
// score.cost, into their map.
func (m *mender) gatherKeys(schema *Schema) {
	var fields []looseMember
	for _, f := range m.fields {
		name, key, ok := keyOfMap(schema, f.name)
		if !ok {
			fields = append(fields, f)
			continue
		}
		at := slices.IndexFunc(fields, func(o looseMember) bool { return o.name == name })
		if at < 0 {
			at = len(fields)
			fields = append(fields, looseMember{name, loose{kind: '{'}})
		}
		if into := &fields[at].value; into.kind != '{' || into.member(key) != nil {
			fields = append(fields, f)
			continue
		}
		fields[at].value.members = append(fields[at].value.members, looseMember{key, f.value})
		m.note(inPayload(f.name), f.name, name, "put "+key+" into "+name)
	}
	m.fields = fields
}

func isReplaceFlag(name string) bool { return name == "replace" || strings.HasSuffix(name, "_replace") }

// asText makes a field a text.
func (m *mender) asText(name string) {
	for i := range m.fields {
		if f := &m.fields[i]; f.name == name && f.value.kind != '"' && !m.replaces(&f.value, inPayload(name)) {
			text := f.value.flat()
			if now := newOf(&f.value); now != nil {
				text = now.flat()
			}
			m.note(inPayload(name), f.value.json(), text, "write "+name+" as a text")
			f.value = loose{kind: '"', text: text}
		}
	}
}

// Names agents give to the words that are replaced and to those that take their
// place, bare.
var replacementAliases = [][2]string{
	{"old", "new"},
	{"oldstring", "newstring"},
	{"oldstr", "newstr"},
	{"oldtext", "newtext"},
	{"find", "replace"},
	{"search", "replace"},
	{"find", "replacewith"},
	{"from", "to"},
	{"before", "after"},
	{"was", "now"},
	{"replace", "with"},
}

// replaces says whether a value is a replacement, or a list of them, and is to be
// left as one: where that may be sent, by its proper names; elsewhere as it came, for
// nobody can tell what the whole text is.
func (m *mender) replaces(v *loose, pointer string) bool {
	if v.kind == '[' {
		of := func(el *loose) bool { return el.kind == '{' && m.replaces(el, pointer) }
		for i := range v.items {
			if !of(&v.items[i]) {
				return false
			}
		}
		return len(v.items) > 0
	}
	if v.kind != '{' || len(v.members) != 2 || v.members[0].value.kind != '"' || v.members[1].value.kind != '"' {
		return false
	}
	for _, names := range replacementAliases {
		for at := range 2 { // in either order
			if bare(v.members[at].name) != names[0] || bare(v.members[1-at].name) != names[1] {
				continue
			}
			exact := v.members[at].name == "old" && v.members[1-at].name == "new"
			if !exact && !(m.parts && Operation(m.text("operation")) == Edit) {
				return false
			}
			if was := v.json(); !exact {
				v.members[at].name, v.members[1-at].name = "old", "new"
				m.note(pointer, was, v.json(), "write a replacement as "+replacementForm)
			}
			return true
		}
	}
	return false
}

// newOf gives what a field becomes where it stands beside what it was.
func newOf(v *loose) *loose {
	if v.kind != '{' || len(v.members) != 2 {
		return nil
	}
	for _, pair := range [][2]string{{"old", "new"}, {"oldvalue", "newvalue"}, {"from", "to"}, {"before", "after"}, {"was", "now"}} {
		if bare(v.members[0].name) == pair[0] && bare(v.members[1].name) == pair[1] {
			return &v.members[1].value
		}
	}
	return nil
}

// field mends the type of one field.
func (m *mender) field(schema *Schema, name string) {
	at := slices.IndexFunc(m.fields, func(f looseMember) bool { return f.name == name })
	i := schema.field(name)
	if at < 0 || i < 0 && !isReplaceFlag(name) {
		return
	}
	v := &m.fields[at].value
	if v.kind == 'n' {
		m.note(inPayload(name), "null", "", "leave "+name+" out instead of writing null")
		m.fields = slices.Delete(m.fields, at, at+1)
		return
	}
	if isReplaceFlag(name) {
		m.flag(v, name)
		return
	}
	switch f := &schema.Fields[i]; f.Kind {
	case KindText:
		if v.kind != '"' && (v.kind != '{' || f.Parts == nil) {
			m.asText(name)
		}
		if placeholder(v.text, false) {
			m.note(inPayload(name), v.json(), "", "leave "+name+" out if it stays as it is")
			m.fields = slices.Delete(m.fields, at, at+1)
			return
		}
		m.enum(v, f)
	case KindFlag:
		m.flag(v, name)
	case KindList:
		m.list(v, f)
	case KindOutcomes:
		m.outcomes(v, f)
	case KindScore:
		m.score(v, name)
	}
}

func (m *mender) enum(v *loose, f *Field) {
	lower := strings.ToLower(strings.TrimSpace(v.text))
	if f.Enum != nil && lower != v.text && slices.Contains(f.Enum, lower) {
		m.note(inPayload(f.Name), v.text, lower, "write "+f.Name+" in small letters")
		v.text = lower
	}
}

func (m *mender) flag(v *loose, name string) {
	kind := v.kind
	switch strings.ToLower(strings.TrimSpace(v.flat())) {
	case "true", "yes", "1":
		kind = 't'
	case "false", "no", "0":
		kind = 'f'
	}
	if kind != v.kind {
		m.note(inPayload(name), v.json(), strconv.FormatBool(kind == 't'), "write "+name+" as true or false")
		*v = loose{kind: kind}
	}
}

func (m *mender) list(v *loose, f *Field) {
	was := v.json()
	switch v.kind {
	case '[':
		for i := range v.items {
			if el := &v.items[i]; el.kind != '"' {
				if only := onlyValue(el); only != nil {
					el = only
				}
				v.items[i] = loose{kind: '"', text: el.flat()}
			}
		}
		v.items = slices.DeleteFunc(v.items, func(el loose) bool { return strings.TrimSpace(el.text) == "" })
	case '{':
		*v = loose{kind: '[', items: []loose{{kind: '"', text: v.flat()}}}
	default:
		parts := listIn(v.flat(), f.Items)
		*v = loose{kind: '['}
		for _, part := range parts {
			v.items = append(v.items, loose{kind: '"', text: part})
		}
	}
	if f.Items {
		for i := range v.items {
			v.items[i].text = keyMeant(v.items[i].text)
		}
	}
	if now := v.json(); now != was {
		m.note(inPayload(f.Name), was, now, "write "+f.Name+" as an array of texts")
	}
}

// onlyValue gives the text of an object that holds nothing else, under a name
// that says nothing: {"ref": "§161"}.
func onlyValue(v *loose) *loose {
	if v.kind != '{' || len(v.members) != 1 || v.members[0].value.kind != '"' {
		return nil
	}
	if !slices.Contains([]string{"ref", "reference", "anchor", "id", "item", "itemid", "hypothesis", "text", "value", "name", "label", "target"}, bare(v.members[0].name)) {
		return nil
	}
	return &v.members[0].value
}

// listIn gives the elements of a text that lists them: words without spaces
// between commas or semicolons, or between and; otherwise the text itself.
func listIn(text string, items bool) []string {
	if items {
		text = strings.NewReplacer(" and ", ",", " & ", ",").Replace(text)
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == '\n' })
	for i, p := range parts {
		if parts[i] = strings.TrimSpace(p); parts[i] == "" || strings.ContainsAny(parts[i], " \t") {
			return []string{text}
		}
	}
	if len(parts) == 0 {
		return []string{text}
	}
	return parts
}

// keyMeant gives the item id behind a key; a name of its own stays.
func keyMeant(key string) string {
	if isProvisional(key) && lookalike(key) == "" {
		return key
	}
	return itemMeant(key)
}

// outcomes makes a map of hypothesis id to text.
func (m *mender) outcomes(v *loose, f *Field) {
	was := v.json()
	switch v.kind {
	case '[':
		if pairs, ok := pairsOf(v); ok {
			*v = pairs
		}
	case '"':
		if pairs, ok := pairsIn(v.text); ok {
			*v = pairs
		}
	}
	if v.kind != '{' {
		return
	}
	for i := range v.members {
		p := &v.members[i]
		if key := keyMeant(p.name); v.member(key) == nil {
			p.name = key
		}
		if p.value.kind != '"' && !m.replaces(&p.value, inPayload(f.Name, p.name)) {
			p.value = loose{kind: '"', text: p.value.flat()}
		}
	}
	v.members = slices.DeleteFunc(v.members, func(p looseMember) bool {
		return p.value.kind == '"' && strings.TrimSpace(p.value.text) == ""
	})
	if now := v.json(); now != was {
		m.note(inPayload(f.Name), was, now, "write "+f.Name+" as an object of hypothesis id to text")
	}
}

// pairsOf makes a map of a list of objects that each name an item and a text.
func pairsOf(v *loose) (loose, bool) {
	out := loose{kind: '{'}
	for i := range v.items {
		el := &v.items[i]
		if el.kind == '"' {
			pairs, ok := pairsIn(el.text)
			if !ok {
				return out, false
			}
			out.members = append(out.members, pairs.members...)
			continue
		}
		if el.kind != '{' || len(el.members) == 0 {
			return out, false
		}
		if len(el.members) == 1 { // [{"H1": "up"}]
			out.members = append(out.members, el.members[0])
			continue
		}
		var key, text *loose
		for k := range el.members {
			switch bare(el.members[k].name) {
			case "hypothesis", "hypothesisid", "id", "h", "key", "item", "target":
				key = &el.members[k].value
			case "outcome", "prediction", "expected", "expectedoutcome", "text", "value", "result":
				text = &el.members[k].value
			}
		}
		if key == nil || text == nil || len(el.members) != 2 {
			return out, false
		}
		out.members = append(out.members, looseMember{key.flat(), *text})
	}
	for i := range out.members {
		for k := range i {
			if out.members[i].name == out.members[k].name {
				return out, false
			}
		}
	}
	return out, len(out.members) > 0
}

var pairForm = lazy.NewPattern(`^\s*([Hh][ _-]?[0-9]+|[A-Z]-[A-Z0-9_-]+)\s*(?::|=|→|->)\s*(.+?)\s*$`)

// pairsIn makes a map of a text such as "H1: up; H2: down".
func pairsIn(text string) (loose, bool) {
	out := loose{kind: '{'}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' }) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		p := pairForm.FindStringSubmatch(part)
		if p == nil || out.member(p[1]) != nil {
			return out, false
		}
		out.members = append(out.members, looseMember{p[1], loose{kind: '"', text: p[2]}})
	}
	return out, len(out.members) > 0
}

var scoreForm = lazy.NewPattern(`^\s*([0-3](?:\.[0-9]+)?)\s*(?:/\s*3|out of 3)?\s*$`)

// score takes numbers out of quotes, and the total, which is computed, out.
func (m *mender) score(v *loose, name string) {
	if v.kind != '{' {
		return
	}
	was := v.json()
	for i := range v.members {
		p := &v.members[i]
		if part, ok := fieldMeant(scoreParts, map[string]string{"lr": "likelihood_ratio", "likelihood": "likelihood_ratio"}, p.name); ok && v.member(part) == nil {
			p.name = part
		}
		if n := scoreForm.FindStringSubmatch(p.value.text); p.value.kind == '"' && n != nil {
			p.value = loose{kind: '0', text: n[1]}
		}
	}
	v.members = slices.DeleteFunc(v.members, func(p looseMember) bool {
		return slices.Contains([]string{"total", "sum", "totalscore"}, bare(p.name))
	})
	if now := v.json(); now != was {
		m.note(inPayload(name), was, now, "write the parts of a score as numbers")
	}
}
