package delta

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"brenner/canon"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Agents come close to a delta more often than they hit one. mend makes the
// delta that was probably meant, to be shown and never to be applied (D20).

// sectionAliases are names agents give to sections.
var sectionAliases = map[string]Section{
	"thread": ResearchThread, "research": ResearchThread, "problem": ResearchThread, "rt": ResearchThread,
	"hypothesis": HypothesisSlate, "hypotheses": HypothesisSlate, "slate": HypothesisSlate, "h": HypothesisSlate,
	"prediction": PredictionsTable, "predictions": PredictionsTable, "p": PredictionsTable,
	"test": DiscriminativeTests, "tests": DiscriminativeTests, "discriminative_test": DiscriminativeTests,
	"experiment": DiscriminativeTests, "experiments": DiscriminativeTests, "t": DiscriminativeTests,
	"assumption": AssumptionLedger, "assumptions": AssumptionLedger, "ledger": AssumptionLedger, "a": AssumptionLedger,
	"anomaly": AnomalyRegister, "anomalies": AnomalyRegister, "register": AnomalyRegister, "x": AnomalyRegister,
	"critique": AdversarialCritique, "critiques": AdversarialCritique, "adversarial": AdversarialCritique,
	"adversarial_critiques": AdversarialCritique, "c": AdversarialCritique,
}

// memberAliases are names agents give to the members of a delta.
var memberAliases = map[string]string{
	"id": "delta_id", "op": "operation", "action": "operation", "type": "operation", "target": "target_id",
	"item": "target_id", "data": "payload", "content": "payload", "fields": "payload", "author": "agent", "from": "agent",
	"time": "timestamp", "ts": "timestamp", "why": "rationale", "temp_id": "provisional_id",
}

// fieldAliases are names agents give to the fields of a section.
var fieldAliases = map[Section]map[string]string{
	ResearchThread:      {"question": "statement", "problem": "statement", "importance": "why_it_matters"},
	HypothesisSlate:     {"statement": "claim", "hypothesis": "claim", "basis": "mechanism", "title": "name"},
	PredictionsTable:    {"if": "condition", "name": "condition", "outcomes": "predictions"},
	DiscriminativeTests: {"title": "name", "method": "procedure", "protocol": "procedure", "outcomes": "expected_outcomes", "scores": "score"},
	AssumptionLedger:    {"title": "name", "assumption": "statement", "claim": "statement"},
	AnomalyRegister:     {"title": "name", "description": "observation", "anomaly": "observation", "conflicts": "conflicts_with"},
	AdversarialCritique: {"title": "name", "critique": "attack", "argument": "attack", "alternative": "proposed_alternative"},
}

var operationAliases = map[string]Operation{
	"ADD": Add, "CREATE": Add, "NEW": Add, "INSERT": Add,
	"EDIT": Edit, "UPDATE": Edit, "MODIFY": Edit, "CHANGE": Edit,
	"KILL": Kill, "DELETE": Kill, "REMOVE": Kill,
}

// deltaLike says whether a text is an object with the members of a delta.
func deltaLike(raw []byte) bool {
	text := bytes.TrimSpace(raw)
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	found := 0
	for _, name := range []string{"operation", "section", "payload", "target_id", "delta_id"} {
		if bytes.Contains(text, []byte(`"`+name+`"`)) {
			found++
		}
	}
	return found >= 2
}

// mend gives the JSON of the delta that was probably meant and says what it
// changed; false if what it can make is still refused.
func mend(raw []byte, env Envelope, seq int) (corrected []byte, notes []string, ok bool) {
	m := mender{}
	if err := json.Unmarshal(raw, &m.delta); err != nil {
		if json.Unmarshal(mendSyntax(raw), &m.delta) != nil {
			return nil, nil, false
		}
		m.note("take out trailing commas and comments")
	}
	m.members()
	m.operation()
	m.section()
	m.payload()
	m.target()
	if len(m.payloadIn) > 0 {
		m.delta["payload"] = canon.MustMarshal(m.payloadIn)
	}
	out, err := canon.Marshal(m.delta)
	if err != nil {
		return nil, nil, false
	}
	// What the envelope does not know yet is not the agent's mistake.
	if env.Agent == "" {
		env.Agent = "agent"
	}
	if env.Timestamp == "" {
		env.Timestamp = "2000-01-01T00:00:00Z"
	}
	if env.Message == "" {
		env.Message = "message"
	}
	d, err := Parse(out, env, seq)
	if err != nil {
		return nil, nil, false
	}
	if _, err := Check(d); err != nil {
		return nil, nil, false
	}
	return m.write(), m.notes, true
}

type mender struct {
	delta     map[string]jsontext.Value
	payloadIn map[string]jsontext.Value
	notes     []string
}

func (m *mender) note(s string) {
	if !slices.Contains(m.notes, s) {
		m.notes = append(m.notes, s)
	}
}

func (m *mender) text(name string) string {
	if v := m.delta[name]; v.Kind() == '"' {
		return unquote(string(v))
	}
	return ""
}

// rename moves a member to its proper name, unless that is taken.
func rename(object map[string]jsontext.Value, aliases map[string]string, note func(string)) {
	for _, alias := range sortedNames(object) {
		name, ok := aliases[alias]
		if _, taken := object[name]; !ok || taken {
			continue
		}
		object[name] = object[alias]
		delete(object, alias)
		note("write " + name + " instead of " + alias)
	}
}

func (m *mender) members() {
	rename(m.delta, memberAliases, m.note)
	for _, name := range sortedNames(m.delta) {
		if name != "target_id" && name != "payload" && m.delta[name].Kind() == 'n' {
			delete(m.delta, name)
			m.note("leave " + name + " out instead of writing null")
		}
	}
}

func (m *mender) operation() {
	given := m.text("operation")
	if op, ok := operationAliases[strings.ToUpper(strings.TrimSpace(given))]; ok && string(op) != given {
		m.delta["operation"] = jsontext.Value(quote(string(op)))
		m.note("write operation " + string(op))
	}
}

func (m *mender) section() {
	given := m.text("section")
	if sectionIndex(Section(given)) >= 0 {
		return
	}
	plainName := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(given)))
	s, ok := sectionAliases[plainName]
	if sectionIndex(Section(plainName)) >= 0 {
		s, ok = Section(plainName), true
	}
	if row, _, _ := strings.Cut(m.text("target_id"), "."); !ok {
		if at, _, known := parseItemID(row); known {
			s, ok = schemas[at].Section, true
		}
	}
	if ok {
		m.delta["section"] = jsontext.Value(quote(string(s)))
		m.note("write section " + string(s))
	}
}

// payload gathers the fields, renames them and mends their types.
func (m *mender) payload() {
	m.payloadIn = map[string]jsontext.Value{}
	if v := m.delta["payload"]; v.Kind() == '{' {
		if json.Unmarshal(v, &m.payloadIn) != nil {
			return
		}
	}
	for _, name := range sortedNames(m.delta) {
		if !slices.Contains(members, name) {
			m.payloadIn[name] = m.delta[name]
			delete(m.delta, name)
			m.note("put " + name + " into the payload")
		}
	}
	section := sectionIndex(Section(m.text("section")))
	if section < 0 || Operation(m.text("operation")) == Kill {
		return
	}
	schema := &schemas[section]
	aliases := map[string]string{}
	for alias, name := range fieldAliases[schema.Section] { // order-free: copied
		if schema.field(alias) < 0 {
			aliases[alias] = name
		}
	}
	rename(m.payloadIn, aliases, m.note)
	for _, name := range sortedNames(m.payloadIn) {
		m.field(schema, name)
	}
}

// field mends the type of one field.
func (m *mender) field(schema *Schema, name string) {
	v := m.payloadIn[name]
	i := schema.field(name)
	if i < 0 {
		return
	}
	f := &schema.Fields[i]
	switch {
	case v.Kind() == 'n':
		delete(m.payloadIn, name)
		m.note("leave " + name + " out instead of writing null")
	case f.Kind == KindList && v.Kind() == '"':
		m.payloadIn[name] = slices.Concat(jsontext.Value("["), v, jsontext.Value("]"))
		m.note("write " + name + " as an array")
	case f.Kind == KindFlag && (string(v) == `"true"` || string(v) == `"false"`):
		m.payloadIn[name] = jsontext.Value(unquote(string(v)))
		m.note("write " + name + " as true or false")
	case f.Kind == KindScore && v.Kind() == '{':
		m.score(name, v)
	case f.Enum != nil && v.Kind() == '"':
		if lower := strings.ToLower(unquote(string(v))); lower != unquote(string(v)) {
			m.payloadIn[name] = jsontext.Value(quote(lower))
			m.note("write " + name + " in small letters")
		}
	}
}

// score takes numbers out of quotes.
func (m *mender) score(name string, v jsontext.Value) {
	parts := map[string]jsontext.Value{}
	if json.Unmarshal(v, &parts) != nil {
		return
	}
	for _, part := range sortedNames(parts) {
		if n := jsontext.Value(unquote(string(parts[part]))); parts[part].Kind() == '"' && n.Kind() == '0' && n.IsValid() {
			parts[part] = n
			m.note("write the parts of a score as numbers")
		}
	}
	m.payloadIn[name] = canon.MustMarshal(parts)
}

// target makes the invented id of an ADD a provisional one.
func (m *mender) target() {
	given, isText := m.text("target_id"), m.delta["target_id"].Kind() == '"'
	if isText && (given == "" || given == "null") {
		m.delta["target_id"] = jsontext.Value("null")
		m.note("write target_id null")
		return
	}
	if Operation(m.text("operation")) != Add || given == "" {
		return
	}
	m.delta["target_id"] = jsontext.Value("null")
	m.note("leave target_id null in an ADD; the merge assigns the id")
	if _, has := m.delta["provisional_id"]; !has && isProvisional(given) {
		m.delta["provisional_id"] = jsontext.Value(quote(given))
		m.note("name the new item in provisional_id")
	}
}

// write gives the delta with its members in their usual order.
func (m *mender) write() []byte {
	var b bytes.Buffer
	b.WriteString("{")
	for _, name := range members {
		v, ok := m.delta[name]
		if !ok {
			continue
		}
		if b.Len() > 1 {
			b.WriteString(",")
		}
		b.WriteString(quote(name) + ":")
		b.Write(v)
	}
	b.WriteString("}")
	out := jsontext.Value(b.Bytes())
	if err := out.Indent(jsontext.WithIndent("  ")); err != nil {
		return b.Bytes()
	}
	return out
}

func sortedNames(object map[string]jsontext.Value) []string {
	names := make([]string, 0, len(object))
	for name := range object { // order-free: sorted below
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// mendSyntax takes out what JSON does not allow and agents write: comments,
// trailing commas, curly quotes around strings, Python's constants.
func mendSyntax(raw []byte) []byte {
	s := []rune(string(bytes.ToValidUTF8(raw, []byte("\uFFFD"))))
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"' || s[i] == '“':
			i = copyString(&out, s, i)
		case s[i] == '/' && i+1 < len(s) && s[i+1] == '/':
			for i+1 < len(s) && s[i+1] != '\n' {
				i++
			}
		case s[i] == '/' && i+1 < len(s) && s[i+1] == '*':
			for i += 2; i+1 < len(s) && !(s[i] == '*' && s[i+1] == '/'); i++ {
			}
			i++
		case s[i] == ',' && closesNext(s[i+1:]):
		case unicode.IsLetter(s[i]):
			i = copyWord(&out, s, i)
		default:
			out.WriteRune(s[i])
		}
	}
	return []byte(out.String())
}

var pythonWords = map[string]string{"True": "true", "False": "false", "None": "null"}

// copyWord copies the word that starts at i and gives the place of its end.
func copyWord(out *strings.Builder, s []rune, i int) int {
	start := i
	for i+1 < len(s) && unicode.IsLetter(s[i+1]) {
		i++
	}
	word := string(s[start : i+1])
	if ours, ok := pythonWords[word]; ok {
		word = ours
	}
	out.WriteString(word)
	return i
}

// copyString copies the string that opens at i and gives the place of its end.
func copyString(out *strings.Builder, s []rune, i int) int {
	closing := '"'
	if s[i] == '“' {
		closing = '”'
	}
	out.WriteByte('"')
	for i++; i < len(s) && s[i] != closing; i++ {
		if s[i] == '\\' && i+1 < len(s) {
			out.WriteRune(s[i])
			i++
		}
		out.WriteRune(s[i])
	}
	out.WriteByte('"')
	return i
}

// closesNext says whether a closing bracket is the next thing.
func closesNext(s []rune) bool {
	rest := strings.TrimSpace(string(s[:min(len(s), 256)]))
	return strings.HasPrefix(rest, "}") || strings.HasPrefix(rest, "]")
}
