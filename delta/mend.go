package delta

import (
	"html"
	"slices"
	"strings"

	"brenner"
	"brenner/internal/lazy"

	"github.com/go-json-experiment/json/jsontext"
)

// Agents come close to a delta more often than they hit one. A mender makes the
// delta that was probably meant, to be shown and taken by whoever may, and
// never applied by itself (D20). It moves, renames and respells what is there;
// it never makes up a value.

// Change is one difference between what was sent and what is proposed.
type Change struct {
	// Pointer is the place in the delta as it was sent; "" is the JSON itself.
	Pointer string `json:"pointer,omitzero"`
	Was     string `json:"was,omitzero"`
	Now     string `json:"now,omitzero"`
	// Note says to the agent what to do.
	Note string `json:"note"`
}

// Names agents give to sections, bare.
var sectionAliases = lazy.Value(func() map[string]Section {
	return map[string]Section{
		"thread": ResearchThread, "research": ResearchThread, "problem": ResearchThread, "rt": ResearchThread, "question": ResearchThread,
		"hypothesis": HypothesisSlate, "hypotheses": HypothesisSlate, "slate": HypothesisSlate, "h": HypothesisSlate,
		"prediction": PredictionsTable, "predictions": PredictionsTable, "p": PredictionsTable, "predictiontable": PredictionsTable,
		"test": DiscriminativeTests, "tests": DiscriminativeTests, "discriminativetest": DiscriminativeTests,
		"experiment": DiscriminativeTests, "experiments": DiscriminativeTests, "t": DiscriminativeTests,
		"assumption": AssumptionLedger, "assumptions": AssumptionLedger, "ledger": AssumptionLedger, "a": AssumptionLedger,
		"anomaly": AnomalyRegister, "anomalies": AnomalyRegister, "register": AnomalyRegister, "x": AnomalyRegister,
		"critique": AdversarialCritique, "critiques": AdversarialCritique, "adversarial": AdversarialCritique,
		"adversarialcritiques": AdversarialCritique, "c": AdversarialCritique,
	}
})

// sectionMeant gives the section that a name stands for, which may be numbered
// as in the document.
func sectionMeant(name string) (Section, bool) {
	as := bare(strings.TrimLeft(name, "0123456789.)# "))
	for i := range schemas {
		if as == bare(string(schemas[i].Section)) || as == bare(schemas[i].Title) {
			return schemas[i].Section, true
		}
	}
	if s, ok := sectionAliases()[as]; ok {
		return s, true
	}
	near := misspelled(fieldish(name), sectionWords())
	return Section(near), near != ""
}

var sectionWords = lazy.Value(func() (words []string) {
	for i := range schemas {
		words = append(words, string(schemas[i].Section))
	}
	return words
})

// Names agents give to the members of a delta, bare.
var memberAliases = lazy.Value(func() map[string]string {
	return map[string]string{
		"id": "delta_id", "op": "operation", "action": "operation", "type": "operation", "verb": "operation", "target": "target_id",
		"item": "target_id", "itemid": "target_id", "data": "payload", "content": "payload", "fields": "payload", "body": "payload", "changes": "payload",
		"author": "agent", "from": "agent", "by": "agent", "time": "timestamp", "ts": "timestamp", "date": "timestamp",
		"why": "rationale", "justification": "rationale", "tempid": "provisional_id", "sequence": "seq",
	}
})

// memberMeant gives the member that a name stands for.
func memberMeant(name string) (string, bool) {
	as := bare(name)
	for _, m := range members {
		if as == bare(m) {
			return m, true
		}
	}
	if m, ok := memberAliases()[as]; ok {
		return m, true
	}
	near := misspelled(fieldish(name), members)
	return near, near != ""
}

// Names agents give to the fields of a section.
var fieldAliases = map[Section]map[string]string{
	ResearchThread:      {"question": "statement", "problem": "statement", "importance": "why_it_matters"},
	HypothesisSlate:     {"statement": "claim", "hypothesis": "claim", "basis": "mechanism", "title": "name"},
	PredictionsTable:    {"if": "condition", "name": "condition", "outcomes": "predictions"},
	DiscriminativeTests: {"title": "name", "method": "procedure", "protocol": "procedure", "outcomes": "expected_outcomes", "scores": "score"},
	AssumptionLedger:    {"title": "name", "assumption": "statement", "claim": "statement"},
	AnomalyRegister:     {"title": "name", "description": "observation", "anomaly": "observation", "conflicts": "conflicts_with"},
	AdversarialCritique: {"title": "name", "critique": "attack", "argument": "attack", "alternative": "proposed_alternative"},
}

// Words agents have for the operations.
var operationWords = map[string]Operation{
	"ADD": Add, "CREATE": Add, "NEW": Add, "INSERT": Add,
	"EDIT": Edit, "UPDATE": Edit, "MODIFY": Edit, "CHANGE": Edit,
	"KILL": Kill, "DELETE": Kill, "REMOVE": Kill,
}

// operationMeant gives the operation that a word stands for, alone or with what
// it is done to: ADD, or ADD_HYPOTHESIS.
func operationMeant(word string) (Operation, bool) {
	word = strings.ToUpper(strings.TrimSpace(word))
	for _, verb := range []string{word, strings.TrimSuffix(word, "ED"), strings.TrimSuffix(word, "D")} { // ADDED, CREATED
		if op, ok := operationWords[verb]; ok {
			return op, ok
		}
	}
	verb, object, _ := strings.Cut(strings.NewReplacer("-", "_", " ", "_").Replace(word), "_")
	if _, ok := sectionMeant(object); !ok {
		return "", false
	}
	op, ok := operationWords[verb]
	return op, ok
}

// nothing says whether a word is one by which agents say that there is no value.
func nothing(word string) bool {
	word = strings.TrimSpace(word)
	switch len(word) {
	case 0:
		return true
	case 1, 2, 3, 4, 9:
		return slices.ContainsFunc(noWords, func(no string) bool { return len(no) == len(word) && strings.EqualFold(no, word) })
	}
	return false
}

var noWords = []string{"none", "null", "nil", "undefined", "n/a", "na", "-", "–"}

// meant is an object that looks like a delta, with what stands around it.
type meant struct {
	object    loose
	operation Operation // named by a key around it, if any
	section   Section   // likewise
	notes     []Change
}

// deltasIn finds the deltas in a value: itself, the elements of a list, what a
// wrapper holds.
func deltasIn(v *loose) []meant { return findDeltas(v, meant{}, 0, nil) }

func findDeltas(v *loose, around meant, depth int, found []meant) []meant {
	const deep = 5
	if depth > deep {
		return found
	}
	switch v.kind {
	case '[':
		for i := range v.items {
			found = findDeltas(&v.items[i], around, depth+1, found)
		}
	case '{':
		if deltaLike(v, around) {
			around.object = *v
			return append(found, around)
		}
		for i := range v.members {
			m := &v.members[i]
			inner := around
			inner.notes = append(slices.Clip(around.notes), Change{Pointer: "/" + escapePointer(m.name), Note: "send each delta as an object of its own, without the list around it"})
			if op, ok := operationMeant(m.name); ok {
				inner.operation = op
			}
			if s, ok := sectionMeant(m.name); ok {
				inner.section = s
			}
			found = findDeltas(&m.value, inner, depth+1, found)
		}
	}
	return found
}

// deltaLike says whether an object looks like a delta: it names an operation or
// a section, and another member of a delta or a field.
func deltaLike(v *loose, around meant) bool {
	named, other := 0, 0
	if around.operation != "" {
		named++
	}
	if around.section != "" {
		named++
	}
	for i := range v.members {
		m := &v.members[i]
		member, ok := memberMeant(m.name)
		_, op := operationMeant(m.value.text)
		_, section := sectionMeant(m.value.text)
		isText := m.value.kind == '"'
		switch {
		case ok && member == "operation" && isText && op, ok && member == "section" && isText && section:
			named++
		case ok && slices.Contains([]string{"payload", "target_id", "section", "operation"}, member), isFieldName(m.name), m.name == "delta_id":
			other++
		}
	}
	return named > 0 && named+other >= 2 || other >= 3 && v.member("payload") != nil
}

// proposal is a delta that was probably meant.
type proposal struct {
	raw     []byte // its JSON, indented; nil if none could be made
	changes []Change
	err     *brenner.Error // why none could be made
}

// notes are the advice of the changes, each once.
func (p *proposal) notes() []string {
	var notes []string
	for _, c := range p.changes {
		if !slices.Contains(notes, c.Note) {
			notes = append(notes, c.Note)
		}
	}
	return notes
}

// propose makes the delta that an object was probably meant to be.
func propose(found meant, slips []string, env Envelope, seq int) proposal {
	m := mender{members: map[string]loose{}, parts: env.Parts}
	for _, s := range slips {
		m.note("", "", "", s)
	}
	m.changes = append(m.changes, found.notes...)
	err := m.gather(&found.object)
	if err == nil {
		m.operation(found.operation)
		m.section(found.section)
		err = m.payload()
	}
	if err != nil {
		return proposal{changes: m.changes, err: err}
	}
	m.target()
	m.rest()
	raw := m.write()
	if err := acceptable(raw, env, seq); err != nil {
		return proposal{changes: m.changes, err: err}
	}
	return proposal{raw: raw, changes: m.changes}
}

// acceptable says why a delta would be refused, what the envelope does not know
// yet aside.
func acceptable(raw []byte, env Envelope, seq int) *brenner.Error {
	if env.Agent == "" {
		env.Agent = "agent"
	}
	if env.Timestamp == "" {
		env.Timestamp = "2000-01-01T00:00:00Z"
	}
	if env.Message == "" {
		env.Message = "message"
	}
	d, err := Parse(raw, env, seq)
	if err == nil {
		_, err = check(d, env.Parts)
	}
	if err != nil {
		return asInvalid(err)
	}
	return nil
}

// mender mends one delta.
type mender struct {
	members map[string]loose
	extra   []looseMember // members that no delta has
	fields  []looseMember // of the payload
	changes []Change
	parts   bool // of texts may be replaced
}

func (m *mender) note(pointer, was, now, note string) {
	m.changes = append(m.changes, Change{pointer, was, now, note})
}

func (m *mender) text(name string) string {
	if v := m.members[name]; v.kind == '"' {
		return v.text
	}
	return ""
}

func (m *mender) set(name string, v loose, note string) {
	was := m.members[name]
	m.note("/"+name, was.json(), v.json(), note)
	m.members[name] = v
}

func (m *mender) drop(name, note string) {
	was := m.members[name]
	m.note("/"+name, was.json(), "", note)
	delete(m.members, name)
}

// gather sorts the members of an object by what they stand for.
func (m *mender) gather(v *loose) *brenner.Error {
	if err := ungarbled(v, &m.changes, ""); err != nil {
		return err
	}
	exact := func(name string) bool { return slices.Contains(members, name) }
	for pass := range 2 { // proper names first
		for _, member := range v.members {
			name, known := memberMeant(member.name)
			switch {
			case exact(member.name) != (pass == 0):
				continue
			case !known:
				m.extra = append(m.extra, member)
				continue
			}
			old, taken := m.members[name]
			switch {
			case !taken:
				m.members[name] = member.value
				if name != member.name {
					m.note("/"+escapePointer(member.name), member.name, name, "write "+name+" instead of "+member.name)
				}
			case old.json() == member.value.json():
				m.note("/"+escapePointer(member.name), "", "", "write "+name+" once")
			case exact(member.name):
				return invalid("/"+name, name+" stands twice, with different values", "keep the one that is meant")
			default:
				m.extra = append(m.extra, member)
			}
		}
	}
	for _, name := range members {
		if v, ok := m.members[name]; ok && v.kind == 'n' && name != "target_id" {
			m.drop(name, "leave "+name+" out instead of writing null")
		}
	}
	return nil
}

func (m *mender) operation(around Operation) {
	for _, name := range []string{"operation", "section"} {
		if v := m.members[name]; v.kind == '[' && len(v.items) == 1 && v.items[0].kind == '"' {
			m.set(name, v.items[0], "write "+name+" as one word")
		}
	}
	given, has := m.members["operation"]
	if !has && around != "" {
		m.set("operation", loose{kind: '"', text: string(around)}, "write operation "+string(around))
		return
	}
	if op, ok := operationMeant(given.text); ok && given.kind == '"' && string(op) != given.text {
		m.set("operation", loose{kind: '"', text: string(op)}, "write operation "+string(op))
	}
}

func (m *mender) section(around Section) {
	given := m.text("section")
	if sectionIndex(Section(given)) >= 0 {
		return
	}
	s, ok := sectionMeant(given)
	if row, _, _ := strings.Cut(itemMeant(m.text("target_id")), "."); !ok {
		if at, _, known := parseItemID(row); known {
			s, ok = schemas[at].Section, true
		}
	}
	if !ok && given == "" && around != "" {
		s, ok = around, true
	}
	if ok {
		m.set("section", loose{kind: '"', text: string(s)}, "write section "+string(s))
	}
}

// itemMeant gives the item id that a text stands for: H1 for h1, [H1], "H1:
// Lineage" or "hypothesis 1"; the text itself if it stands for none.
func itemMeant(text string) string {
	s := strings.Trim(strings.TrimSpace(text), "[]()#*`\"' ")
	if i := strings.LastIndexAny(s, "/."); i > 0 { // hypothesis_slate/H1
		if section, ok := sectionMeant(s[:i]); ok && i > 1 {
			if at, _, ok := parseItemID(itemMeant(s[i+1:])); ok && schemas[at].Section == section {
				return itemMeant(s[i+1:])
			}
		}
	}
	if len(idsIn(s)) > 1 {
		return text // of several items none is the one that is meant
	}
	if row, key, ok := strings.Cut(s, "."); ok && strings.HasPrefix(strings.ToUpper(s), "P") {
		return itemMeant(row) + "." + itemMeant(key)
	}
	if _, _, ok := parseItemID(s); ok || s == "" {
		return s
	}
	lower := strings.ToLower(s)
	if word, rest, ok := strings.Cut(lower, " "); ok && len(word) > 1 {
		if at := sectionIndex(sectionAliases()[word]); at >= 0 { // hypothesis 1, hypothesis h1
			prefix := strings.ToLower(schemas[at].Prefix)
			lower = prefix + strings.TrimPrefix(strings.TrimSpace(rest), prefix)
		}
	}
	for i := range schemas {
		prefix := strings.ToLower(schemas[i].Prefix)
		if strings.EqualFold(s, schemas[i].Prefix) && i == atThread {
			return "RT"
		}
		rest, ok := strings.CutPrefix(lower, prefix)
		if !ok || i == atThread {
			continue
		}
		rest = strings.TrimLeft(rest, " 0")
		n := 0
		for n < len(rest) && digit(rest[n]) {
			n++
		}
		id := schemas[i].Prefix + rest[:n]
		if _, _, ok := parseItemID(id); ok && (n == len(rest) || strings.IndexByte(": (,-", rest[n]) >= 0 && !isProvisional(s)) {
			return id
		}
	}
	return text
}

// target mends what a delta changes.
func (m *mender) target() {
	given, has := m.members["target_id"]
	if given.kind == '[' && len(given.items) == 1 {
		m.set("target_id", given.items[0], "write target_id as one id")
		given = given.items[0]
	}
	if id := given.member("id"); given.kind == '{' && len(given.members) == 1 && id != nil {
		m.set("target_id", *id, "write target_id as one id")
		given = *id
	}
	if op := Operation(m.text("operation")); has && given.kind == '"' && (nothing(given.text) || op == Add && unassigned(given.text)) {
		m.set("target_id", loose{kind: 'n'}, "write target_id null")
		return
	}
	section := sectionIndex(Section(m.text("section")))
	if given.kind == '0' && section > atThread {
		id := schemas[section].Prefix + given.text
		m.set("target_id", loose{kind: '"', text: id}, "write target_id "+id)
		given.text = id
	}
	if given.text == "" {
		return
	}
	if Operation(m.text("operation")) != Add {
		if id := itemMeant(given.text); id != given.text {
			m.set("target_id", loose{kind: '"', text: id}, "write target_id "+id)
		}
		return
	}
	m.set("target_id", loose{kind: 'n'}, "leave target_id null in an ADD; the merge assigns the id")
	if _, named := m.members["provisional_id"]; !named && sendableName(given.text) {
		m.set("provisional_id", loose{kind: '"', text: given.text}, "name the new item in provisional_id")
	}
}

// unassigned says whether a word says that an id is still to be given.
func unassigned(word string) bool {
	return slices.Contains([]string{"new", "tbd", "auto", "next", "pending", "todo", "unassigned", "generated", "autogenerated"}, bare(word))
}

// sendableName says whether a name can be sent as a provisional id.
func sendableName(name string) bool { return isProvisional(name) && lookalike(name) == "" }

// rest mends the members that the envelope knows better, and texts.
func (m *mender) rest() {
	for _, name := range []string{"rationale", "provisional_id", "delta_id"} {
		if v, ok := m.members[name]; ok && v.kind != '"' {
			m.set(name, loose{kind: '"', text: v.flat()}, "write "+name+" as a text")
		}
	}
	if name := m.text("provisional_id"); name != "" && !sendableName(name) {
		if fixed := strings.Join(strings.FieldsFunc(name, partsNames), "-"); sendableName(fixed) {
			m.set("provisional_id", loose{kind: '"', text: fixed}, "write provisional_id "+fixed)
		}
	}
	if _, ok := parseInstant(m.text("timestamp")); !ok {
		if _, has := m.members["timestamp"]; has {
			m.drop("timestamp", "leave timestamp out; the message supplies it")
		}
	}
	if _, has := m.members["agent"]; has && brenner.ActorName(m.text("agent")).Check() != nil {
		m.drop("agent", "leave agent out; the message supplies it")
	}
	if v, has := m.members["seq"]; has && (v.kind != '0' || strings.ContainsAny(v.text, "-.eE")) {
		m.drop("seq", "leave seq out; the message supplies it")
	}
	if id, has := m.members["delta_id"]; has && !plain(id.text) {
		m.drop("delta_id", "leave delta_id out; the message supplies it")
	}
}

// write gives the delta with its members in their usual order.
func (m *mender) write() []byte {
	out := loose{kind: '{'}
	for _, name := range members {
		if v, ok := m.members[name]; ok {
			out.members = append(out.members, looseMember{name, v})
		}
	}
	raw := jsontext.Value(out.json())
	if err := raw.Indent(jsontext.WithIndent("  ")); err != nil {
		return []byte(out.json())
	}
	return raw
}

// ungarbled mends the line ends in every text of a value and refuses any other
// control character: the backslashes of TeX commands were put back when the text
// was read, so that this one was written by its number.
func ungarbled(v *loose, changes *[]Change, pointer string) *brenner.Error {
	mend := func(text *string, at string) *brenner.Error {
		for g := findGarble(*text); g != nil; g = findGarble(*text) {
			if g.entity != "" {
				char := html.UnescapeString(g.entity)
				if findGarble(char) != nil {
					return g.refuse(at)
				}
				*changes = append(*changes, Change{Pointer: at, Was: g.entity, Now: char, Note: "write characters as they are, not as HTML"})
				*text = strings.ReplaceAll(*text, g.entity, char)
				continue
			}
			if g.char != '\r' {
				return g.refuse(at)
			}
			*changes = append(*changes, Change{Pointer: at, Note: `end lines with \n`})
			*text = (*text)[:g.at] + "\n" + (*text)[g.at+1:]
		}
		return nil
	}
	if v.kind == '"' {
		return mend(&v.text, pointer)
	}
	for i := range v.members {
		at := pointer + "/" + escapePointer(v.members[i].name)
		if err := mend(&v.members[i].name, at); err != nil {
			return err
		}
		if err := ungarbled(&v.members[i].value, changes, at); err != nil {
			return err
		}
	}
	for i := range v.items {
		if err := ungarbled(&v.items[i], changes, pointer+"/"+itoa(i)); err != nil {
			return err
		}
	}
	return nil
}
