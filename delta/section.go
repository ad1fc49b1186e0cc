package delta

import (
	"slices"
	"strconv"
	"strings"

	"brenner"
)

// The roles between which the method divides its work.
const (
	generator brenner.Role = "hypothesis_generator"
	designer  brenner.Role = "test_designer"
	critic    brenner.Role = "adversarial_critic"
)

// Section names one of the seven parts of a session artifact.
type Section string

// The sections, in the order in which they are shown.
const (
	ResearchThread      Section = "research_thread"
	HypothesisSlate     Section = "hypothesis_slate"
	PredictionsTable    Section = "predictions_table"
	DiscriminativeTests Section = "discriminative_tests"
	AssumptionLedger    Section = "assumption_ledger"
	AnomalyRegister     Section = "anomaly_register"
	AdversarialCritique Section = "adversarial_critique"
)

// Kind says what values a field takes and how several writes of it combine.
type Kind string

// The kinds. Texts and flags hold one value, the latest. Lists and references
// are sets that grow by union. Outcomes and scores are maps in which every key
// is a value of its own.
const (
	KindText       Kind = "text"
	KindFlag       Kind = "flag"
	KindList       Kind = "list"
	KindReferences Kind = "references"
	KindOutcomes   Kind = "outcomes" // item id → text
	KindScore      Kind = "score"    // the four parts of a score → 0 to 3
	KindOpaque     Kind = "opaque"   // a field we do not know, kept as it came
)

// Field describes one field of a section's items.
type Field struct {
	Name     string
	Label    string // as rendered
	Kind     Kind
	Required bool     // in an ADD, and never blank
	Enum     []string // the only values of a text, if any
	Usual    []string // what a text that may say anything best says, if that is known
	Note     string   // what it is for, where its name does not say
	Leads    bool     // it stands above all others
	// Items says that values, or keys of a map, are item ids, so provisional
	// ids in them are resolved (D4).
	Items bool
	// Parts are the members of an object that a text may come as; it is read as
	// one text. Those in Named stand there behind their names: what they say does not
	// tell what it is about.
	Parts, Named []string
}

// Schema describes one section.
type Schema struct {
	Section Section
	Prefix  string // of item ids
	Title   string
	Fields  []Field
	// Aside are fields that are read as well, and kept as they came like those that nobody
	// knows: documents of before they were read stay what they are.
	Aside   []Field
	Minimum int // live items that lint asks for
	Limit   int // live items allowed, 0 = any number
	// Role is the one that mends what lint finds in the section.
	Role brenner.Role
}

// Schemas lists the seven sections in the order in which they are shown.
func Schemas() []Schema {
	all := slices.Clone(schemas[:])
	for i := range all {
		all[i].Fields, all[i].Aside = slices.Clone(all[i].Fields), slices.Clone(all[i].Aside)
	}
	return all
}

const sectionCount = 7

// Places of the sections that have rules of their own.
const (
	atThread = iota
	atHypotheses
	atPredictions
	atTests
	atAssumptions
	atAnomalies
	atCritiques
)

// scoreParts are the keys of a score, in the order in which they are shown.
var scoreParts = []string{"likelihood_ratio", "cost", "speed", "ambiguity"}

var schemas = [sectionCount]Schema{
	{Section: ResearchThread, Prefix: "RT", Title: "Research Thread", Role: generator, Fields: withCommon(
		Field{Name: "statement", Label: "Statement", Kind: KindText},
		Field{Name: "context", Label: "Context", Kind: KindText},
		Field{Name: "why_it_matters", Label: "Why it matters", Kind: KindText},
		Field{Name: "anchors", Label: "Anchors", Kind: KindList},
	), Aside: []Field{{Name: answerField, Label: "Answer", Kind: KindText, Leads: true}}},
	{Section: HypothesisSlate, Prefix: "H", Title: "Hypothesis Slate", Role: generator, Minimum: 3, Limit: 6, Fields: withCommon(
		Field{Name: "name", Label: "Name", Kind: KindText},
		Field{Name: "claim", Label: "Claim", Kind: KindText, Required: true},
		Field{Name: "mechanism", Label: "Mechanism", Kind: KindText, Required: true},
		Field{Name: "anchors", Label: "Anchors", Kind: KindList},
		Field{Name: "third_alternative", Label: "Third alternative", Kind: KindFlag},
	)},
	{Section: PredictionsTable, Prefix: "P", Title: "Predictions Table", Role: generator, Minimum: 3, Fields: withCommon(
		Field{Name: "condition", Label: "Condition", Kind: KindText, Required: true},
		Field{Name: "predictions", Label: "Predictions", Kind: KindOutcomes, Required: true, Items: true},
	), Aside: []Field{{Name: observedField, Label: "Observed", Kind: KindText}}},
	{Section: DiscriminativeTests, Prefix: "T", Title: "Discriminative Tests", Role: designer, Minimum: 2, Fields: withCommon(
		Field{Name: "name", Label: "Name", Kind: KindText, Required: true},
		Field{Name: "procedure", Label: "Procedure", Kind: KindText, Required: true},
		Field{Name: "discriminates", Label: "Discriminates", Kind: KindText, Required: true},
		Field{Name: "expected_outcomes", Label: "Expected outcomes", Kind: KindOutcomes, Required: true, Items: true},
		Field{Name: "potency_check", Label: "Potency check", Kind: KindText},
		Field{Name: "feasibility", Label: "Feasibility", Kind: KindText},
		Field{Name: "score", Label: "Score", Kind: KindScore},
		Field{Name: "status", Label: "Status", Kind: KindText, Usual: []string{"planned", "running", "run", "dropped"}},
		Field{Name: "last_run", Label: "Last run", Kind: KindText, Parts: []string{"at", "by", "how", "control", "result"}, Named: []string{"control"}},
		Field{Name: "actual_outcomes", Label: "Actual outcomes", Kind: KindOutcomes, Items: true},
	)},
	{Section: AssumptionLedger, Prefix: "A", Title: "Assumption Ledger", Role: critic, Minimum: 3, Fields: withCommon(
		Field{Name: "name", Label: "Name", Kind: KindText, Required: true},
		Field{Name: "statement", Label: "Statement", Kind: KindText, Required: true},
		Field{Name: "load", Label: "Load", Kind: KindText},
		Field{Name: "test", Label: "Test", Kind: KindText},
		Field{Name: "status", Label: "Status", Kind: KindText, Enum: []string{"unchecked", "verified", "falsified"}},
		Field{Name: "scale_check", Label: "Scale check", Kind: KindFlag},
		Field{Name: "calculation", Label: "Calculation", Kind: KindText},
		Field{Name: "implication", Label: "Implication", Kind: KindText},
	)},
	{Section: AnomalyRegister, Prefix: "X", Title: "Anomaly Register", Role: generator, Fields: withCommon(
		Field{Name: "name", Label: "Name", Kind: KindText, Required: true},
		Field{Name: "observation", Label: "Observation", Kind: KindText, Required: true},
		Field{Name: "conflicts_with", Label: "Conflicts with", Kind: KindList, Items: true},
		Field{Name: "status", Label: "Status", Kind: KindText, Enum: []string{"active", "resolved", "deferred"}},
		Field{Name: "resolution_plan", Label: "Resolution plan", Kind: KindText},
	)},
	{Section: AdversarialCritique, Prefix: "C", Title: "Adversarial Critique", Role: critic, Minimum: 2, Fields: withCommon(
		Field{Name: "name", Label: "Name", Kind: KindText, Required: true},
		Field{Name: "attack", Label: "Attack", Kind: KindText, Required: true},
		Field{Name: "evidence", Label: "Evidence", Kind: KindText},
		Field{Name: "current_status", Label: "Current status", Kind: KindText, Usual: []string{string(CritiqueOpen), string(CritiqueAnswered), string(CritiqueSettled)}},
		Field{Name: "real_third_alternative", Label: "Real third alternative", Kind: KindFlag},
		Field{Name: "proposed_alternative", Label: "Proposed alternative", Kind: KindText},
	), Aside: []Field{
		{Name: targetsField, Label: "Targets", Kind: KindList, Items: true, Note: "what it is against; without it, all that its attack names"},
		{Name: proposedTestField, Label: "Proposed test", Kind: KindText},
	}},
}

// Whichever is the key of what is forecast whichever hypothesis holds.
const Whichever = "any"

// Fields that are read and kept as they came: what a critique is against (ADR 147), and
// the test that it asks for (ADR 170), what the answer to the question is, and what came
// out of a prediction (ADR 159).
const (
	targetsField      = "targets"
	proposedTestField = "proposed_test"
	answerField       = "answer"
	observedField     = "observed"
)

// MostHypotheses is how many may be alive at a time.
func MostHypotheses() int { return schemas[atHypotheses].Limit }

// withCommon adds the fields every section has.
func withCommon(fields ...Field) []Field {
	return append(fields,
		Field{Name: "labels", Label: "Labels", Kind: KindList},
		Field{Name: "references", Label: "References", Kind: KindReferences},
	)
}

// sectionIndex gives the place of a section, or -1.
func sectionIndex(s Section) int {
	for i := range schemas {
		if schemas[i].Section == s {
			return i
		}
	}
	return -1
}

// field gives the place of a field in the schema, or -1.
func (s *Schema) field(name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// aside gives a field that the schema has not, and that is read all the same; nil for any
// other.
func (s *Schema) aside(name string) *Field {
	for i := range s.Aside {
		if s.Aside[i].Name == name {
			return &s.Aside[i]
		}
	}
	return nil
}

// isText says whether a field is a text.
func (s *Schema) isText(name string) bool {
	if i := s.field(name); i >= 0 {
		return s.Fields[i].Kind == KindText
	}
	aside := s.aside(name)
	return aside != nil && aside.Kind == KindText
}

// sectionNames lists the section ids for a hint.
func sectionNames() string {
	names := make([]string, 0, sectionCount)
	for i := range schemas {
		names = append(names, string(schemas[i].Section))
	}
	return strings.Join(names, ", ")
}

// ItemID names an item for life: a prefix and a number, such as H3, or RT.
type ItemID string

// maxNumber is the highest number a section may have reached before a merge:
// none that it gives has more than nine digits.
const maxNumber = 999_999_999 - brenner.MaxDeltas

// slot is where an item stands: its id in numbers.
type slot struct {
	section uint8
	number  int32
}

func (s slot) id() ItemID {
	var buffer [16]byte
	return ItemID(s.append(buffer[:0]))
}

// append writes the id into a buffer.
func (s slot) append(to []byte) []byte {
	to = append(to, schemas[s.section].Prefix...)
	if s.section == atThread {
		return to
	}
	return strconv.AppendInt(to, int64(s.number), 10)
}

// parseItemID reads the id of an item; the number of RT is 1.
func parseItemID(s string) (section, number int, ok bool) {
	if s == "RT" {
		return atThread, 1, true
	}
	if len(s) < 2 || len(s) > 10 {
		return 0, 0, false
	}
	for i := atHypotheses; i < sectionCount; i++ {
		if schemas[i].Prefix != s[:1] {
			continue
		}
		if s[1] == '0' {
			return 0, 0, false
		}
		for _, c := range []byte(s[1:]) {
			if !digit(c) {
				return 0, 0, false
			}
			number = 10*number + int(c-'0')
		}
		return i, number, true
	}
	return 0, 0, false
}

// compareIDs orders ids and other keys as a reader expects: H2 before H10,
// items before free text.
func compareIDs(a, b string) int {
	sa, na, oka := parseItemID(a)
	sb, nb, okb := parseItemID(b)
	switch {
	case oka && okb && sa != sb:
		return sa - sb
	case oka && okb:
		return na - nb
	case oka:
		return -1
	case okb:
		return 1
	}
	return strings.Compare(a, b)
}

// maxProvisional is how many bytes a provisional id may have.
const maxProvisional = 64

// isProvisional says whether a name can be a provisional id: a word that
// cannot be mistaken for an item id or for a cell.
func isProvisional(s string) bool {
	if len(s) < 2 || len(s) > maxProvisional || !letter(s[0]) || looksAssigned(s) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !letter(c) && !digit(c) && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// scoped gives the provisional id that an agent means by a word: its own, or as
// AGENT:NAME one of another agent (D4). It is false for any other word.
func scoped(agent brenner.ActorName, word string) (name, bool) {
	if isProvisional(word) {
		return name{agent, word}, true
	}
	owner, id, foreign := strings.Cut(word, ":")
	if !foreign || !isProvisional(id) || brenner.ActorName(owner).Check() != nil {
		return name{}, false
	}
	return name{brenner.ActorName(owner), id}, true
}

// isName says whether a word can stand for a provisional id, one's own or
// another's.
func isName(word string) bool {
	_, ok := scoped("", word)
	return ok
}

// looksAssigned says whether a name has the form of an assigned id, even one
// with leading zeros or too many digits.
func looksAssigned(s string) bool {
	if s == "RT" {
		return true
	}
	if !strings.ContainsRune("HPTAXC", rune(s[0])) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !digit(s[i]) {
			return false
		}
	}
	return true
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }
