package delta

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// Metadata says what an artifact is about and where it stands.
type Metadata struct {
	SessionID brenner.SessionID `json:"session_id,omitzero"`
	Question  string            `json:"question,omitzero"`
	// Roster is who plays which role, kept as it was given.
	Roster jsontext.Value `json:"roster,omitzero"`
	// Contributors are the agents whose deltas were recorded, sorted.
	Contributors []brenner.ActorName `json:"contributors"`
	// Priority is the list by which simultaneous writes are decided, highest first.
	Priority []brenner.ActorName `json:"priority,omitzero"`
	// Version counts the merges that recorded something; see Opened.
	Version int `json:"version"`
	// CreatedAt and UpdatedAt are instants; UpdatedAt is that of the newest
	// recorded delta.
	CreatedAt string `json:"created_at,omitzero"`
	UpdatedAt string `json:"updated_at,omitzero"`
}

func (m Metadata) clone() Metadata {
	m.Roster = slices.Clone(m.Roster)
	m.Contributors = slices.Clone(m.Contributors)
	m.Priority = slices.Clone(m.Priority)
	return m
}

// Artifact is one version of a session artifact. It is immutable: Merge makes
// a new one that shares what did not change.
type Artifact struct {
	meta     Metadata
	sections [sectionCount]items
	recorded rolls[identity]     // every delta in the artifact, for D8
	names    rolls[name]         // the deltas that bind provisional ids (D4)
	messages index[string, bool] // that some of them came in
	// mentions lists, for provisional ids that nothing is bound to yet, the
	// items that use them, so that they can be shown anew when it is.
	mentions map[name][]ItemID
}

// items are the items of one section.
type items struct {
	highest int // number ever given; ids are never reused
	list    sequence
	live    int
	special int // live items that meet the section's special rule, see Item.special
}

// name is a provisional id in the scope of its agent.
type name struct {
	agent brenner.ActorName
	id    string
}

// New gives the empty artifact of a session. It reports INVALID_ID for a bad
// session id, INVALID_TEXT for a bad question and INVALID_JSON for a bad
// roster.
func New(session brenner.SessionID, question string, roster jsontext.Value, created time.Time) (*Artifact, error) {
	m := Metadata{SessionID: session, Question: question, Contributors: []brenner.ActorName{}}
	if len(roster) > 0 {
		r, err := canon.Transform(roster)
		if err != nil {
			return nil, err
		}
		m.Roster = r
	}
	if !created.IsZero() {
		m.CreatedAt = FormatInstant(created)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return &Artifact{meta: m}, nil
}

// Opened gives the artifact as version 1 of a ledger, which counts from 1 even
// where no delta made it: from then on both count alike.
func (a *Artifact) Opened() *Artifact {
	opened := *a
	opened.meta.Version = 1
	return &opened
}

// check refuses metadata that no artifact can have.
func (m *Metadata) check() error {
	if m.SessionID != "" {
		if err := m.SessionID.Check(); err != nil {
			return err
		}
	}
	if !utf8.ValidString(m.Question) || strings.ContainsRune(m.Question, 0) {
		return brenner.Errorf(brenner.CodeInvalidText, "the question is not valid text").At("/metadata/question")
	}
	if utf8.RuneCountInString(m.Question) > brenner.MaxQuestionRunes {
		return brenner.Errorf(brenner.CodeLimitExceeded, "the question has more than %d characters", brenner.MaxQuestionRunes).
			At("/metadata/question")
	}
	for _, s := range []string{m.CreatedAt, m.UpdatedAt} {
		if t, ok := parseInstant(s); s != "" && (!ok || FormatInstant(t) != s) {
			return brenner.Errorf(brenner.CodeInvalidValue, "%q is not an instant in UTC", clip(s)).At("/metadata")
		}
	}
	for _, n := range slices.Concat(m.Contributors, m.Priority) {
		if n.Check() != nil {
			return brenner.Errorf(brenner.CodeInvalidID, "%q is not a valid actor name", clip(string(n))).At("/metadata")
		}
	}
	return nil
}

// Metadata gives a copy of the metadata.
func (a *Artifact) Metadata() Metadata { return a.meta.clone() }

// Version is the number of merges that recorded something; see Opened.
func (a *Artifact) Version() int { return a.meta.Version }

// Item finds an item by id.
func (a *Artifact) Item(id ItemID) (*Item, bool) {
	section, number, ok := parseItemID(string(id))
	if !ok {
		return nil, false
	}
	item := a.sections[section].find(number)
	return item, item != nil
}

// find gives the item of a number, or nil.
func (s *items) find(number int) *Item {
	i, ok := s.list.search(number)
	if !ok {
		return nil
	}
	return s.list.at(i)
}

// Items lists the items of a section, killed ones included, in the order in
// which they are shown: tests by total score, highest first (D16), all others
// by number.
func (a *Artifact) Items(s Section) []*Item {
	section := sectionIndex(s)
	if section < 0 {
		return nil
	}
	return a.sections[section].shown(section)
}

// Newest lists the live items of a section that were added last, at most so many, by number.
func (a *Artifact) Newest(s Section, most int) []*Item {
	section := sectionIndex(s)
	if section < 0 {
		return nil
	}
	list := &a.sections[section].list
	out := make([]*Item, 0, min(most, a.sections[section].live))
	for i := list.len() - 1; i >= 0 && len(out) < cap(out); i-- {
		if it := list.at(i); it.live() {
			out = append(out, it)
		}
	}
	slices.Reverse(out)
	return out
}

// Live counts the live items of a section.
func (a *Artifact) Live(s Section) int { return a.sections[sectionIndex(s)].live }

// AnyDead says whether an item of a section was killed.
func (a *Artifact) AnyDead(s Section) bool {
	items := &a.sections[sectionIndex(s)]
	return items.live < items.list.len()
}

// Reserving gives the artifact without the numbers of items that were given
// where it does not go on from: its next items come after them, for ids are
// never reused (D4). It also gives the highest of them in each section.
func (a *Artifact) Reserving(given []ItemID) (*Artifact, []ItemID) {
	out := *a
	for _, id := range given {
		if section, number, ok := parseItemID(string(id)); ok {
			out.sections[section].highest = max(out.sections[section].highest, min(number, maxNumber))
		}
	}
	var highest []ItemID
	for s := range out.sections {
		if n := out.sections[s].highest; n > a.sections[s].highest {
			highest = append(highest, slot{uint8(s), int32(n)}.id())
		}
	}
	return &out, highest
}

// Records says whether a delta of a message is in the artifact.
func (a *Artifact) Records(message, deltaID string) bool {
	id := identity{message, deltaID}
	_, ok := a.recorded.get(id, id.hash())
	return ok
}

func (s *items) shown(section int) []*Item {
	list := slices.Concat(s.list.chunks...)
	if section == atTests {
		slices.SortStableFunc(list, func(x, y *Item) int {
			switch {
			case x.score > y.score:
				return -1
			case x.score < y.score:
				return 1
			}
			return x.number - y.number
		})
	}
	return list
}

// Prediction gives the outcome a row predicts under a hypothesis. The cell of
// a killed hypothesis is "N/A", whatever was written in it (D15); a cell that
// was never filled in, or was killed, is "".
func (a *Artifact) Prediction(row *Item, hypothesis string) string {
	if h, ok := a.Item(ItemID(hypothesis)); ok && h.section == atHypotheses && h.Killed() != nil {
		return NotApplicable
	}
	for _, c := range row.mapCells("predictions") {
		if c.key == hypothesis && !c.gone() {
			return c.text()
		}
	}
	return ""
}

// Foretold is what a row predicted under a hypothesis that is dead by now, "" if that lives
// or nothing was.
func (a *Artifact) Foretold(row *Item, hypothesis string) string {
	if a.Prediction(row, hypothesis) != NotApplicable {
		return ""
	}
	for _, c := range row.mapCells("predictions") {
		if c.key == hypothesis && !c.gone() && notApplicable(c.text()) != NotApplicable {
			return c.text()
		}
	}
	return ""
}

// NotApplicable is what the cell of a killed hypothesis shows.
const NotApplicable = "N/A"

// Unsettled is what a field in conflict shows.
const Unsettled = "CONFLICT"

// Item is one numbered item of a section: the deltas admitted to it, and what
// they make it show.
type Item struct {
	id              ItemID
	section, number int
	log             []*entry // the ADD first, then edits in order; immutable
	kills           []*entry // in order; the first counts (D6)

	fields []shown // what shows: known fields in schema order, then unknown by name
	score  float64 // total, of a test

	// What the fields come to, so that most items need not be looked into.
	meets     bool // the rule its section has for at least one item, see special
	contended bool // some field is unsettled
	cites     bool // some field names other items
}

// ID is the item's id.
func (it *Item) ID() ItemID { return it.id }

// Section is the section the item stands in.
func (it *Item) Section() Section { return schemas[it.section].Section }

// Death says who killed an item or a cell, when and why.
type Death struct {
	By     brenner.ActorName
	At     time.Time
	Reason string // "" if none was given
}

// Killed gives the death of the item, nil while it lives.
func (it *Item) Killed() *Death {
	if len(it.kills) == 0 {
		return nil
	}
	return it.kills[0].death()
}

func (it *Item) live() bool { return len(it.kills) == 0 }

func (e *entry) death() *Death {
	d := &Death{By: e.agent, At: e.at()}
	for _, p := range objectPairs(e.payload) {
		if p.name == "reason" {
			d.Reason = unquote(p.value)
		}
	}
	return d
}

// Score is the total score of a test.
func (it *Item) Score() float64 { return it.score }

// field finds what shows of a field, nil if nothing was ever written to it.
func (it *Item) field(name string) *shown {
	known := schemas[it.section].field(name)
	for i := range it.fields {
		f := &it.fields[i]
		if int(f.field) == known || known < 0 && f.name() == name {
			return f
		}
	}
	return nil
}

// Text gives the value of a text field: "" if there is none, CONFLICT if it is
// unsettled.
func (it *Item) Text(field string) string {
	f := it.field(field)
	if f == nil {
		return ""
	}
	return f.text()
}

// Flag gives the value of a flag; an unset or unsettled one is false.
func (it *Item) Flag(field string) bool {
	f := it.field(field)
	return f != nil && f.value == "true"
}

// List gives the elements of a list field.
func (it *Item) List(field string) []string {
	f := it.field(field)
	if f == nil {
		return nil
	}
	list := make([]string, 0, len(f.list()))
	for _, el := range f.list() {
		if el[0] == '"' {
			list = append(list, unquote(el))
		} else {
			list = append(list, el)
		}
	}
	return list
}

// Pair is a key of a map field and its value.
type Pair struct{ Key, Value string }

// Pairs gives the keys of a map field with their values, in order. A key in
// conflict shows CONFLICT; a killed one is left out.
func (it *Item) Pairs(field string) []Pair {
	var pairs []Pair
	for _, c := range it.mapCells(field) {
		if !c.gone() {
			pairs = append(pairs, Pair{c.key, c.text()})
		}
	}
	return pairs
}

func (it *Item) mapCells(field string) []cell {
	if f := it.field(field); f != nil {
		return f.cells()
	}
	return nil
}

// Write is one write in the history of a field (D9).
type Write struct {
	At      time.Time
	Agent   brenner.ActorName
	Seq     int
	DeltaID string
	Message string
	Value   jsontext.Value // as it stood in the payload
}

// History lists every write of a field in order, those that do not show
// included.
func (it *Item) History(field string) []Write {
	var writes []Write
	for _, e := range it.log {
		for _, p := range objectPairs(e.payload) {
			if p.name == field || e.cell() != "" && field == "predictions" && p.name == "outcome" {
				writes = append(writes, Write{e.at(), e.agent, e.seq, e.id, e.message, jsontext.Value(p.value)})
			}
		}
	}
	return writes
}

// special says whether an item meets the rule its section has for at least
// one live item: a third alternative, a scale check, a real third alternative.
func (it *Item) special() bool {
	switch it.section {
	case atHypotheses:
		return it.isThirdAlternative()
	case atAssumptions:
		return it.Flag("scale_check")
	case atCritiques:
		return it.Flag("real_third_alternative")
	}
	return false
}

const thirdAlternative = "third alternative"

// isThirdAlternative: the flag, the label, or a name that contains it (D13).
func (it *Item) isThirdAlternative() bool {
	if it.Flag("third_alternative") || strings.Contains(strings.ToLower(it.Text("name")), thirdAlternative) {
		return true
	}
	return slices.ContainsFunc(it.List("labels"), func(l string) bool {
		return strings.EqualFold(strings.TrimSpace(l), thirdAlternative)
	})
}

// count adds an item to the counts of its section, or takes it out.
func (s *items) count(it *Item, sign int) {
	if it == nil || !it.live() {
		return
	}
	s.live += sign
	if it.meets {
		s.special += sign
	}
}

// formatNumber writes a score as JSON does.
func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
