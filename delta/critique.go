package delta

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"brenner"
)

// Critique is how far a critique that lives has come (ADR 130).
type Critique struct {
	Item  ItemID        `json:"item"`
	State CritiqueState `json:"state"`
	// Critic is who added it.
	Critic brenner.ActorName `json:"critic"`
	// Name is what the critic calls it, or how its attack begins, on one line.
	Name string `json:"name,omitzero"`
	// Of are the items that it attacks, as far as its words name some.
	Of []ItemID `json:"of,omitzero"`
	// Killed are those of them that are dead.
	Killed []Dead `json:"killed,omitzero"`
	// Works are the artifacts that it attacks, likewise, as in oxygen-log@2 or
	// oxygen-log/F3.
	Works []brenner.ArtifactID `json:"works,omitzero"`
	// Against are those who wrote what it attacks and lives, besides its critic.
	Against []brenner.ActorName `json:"against,omitzero"`
	// By are those who changed or killed some of it since, where it is answered by that.
	By []brenner.ActorName `json:"by,omitzero"`
	// Replied are those that it is against who left a note on it since, or wrote in its
	// status that it is settled, where it is answered by that.
	Replied []brenner.ActorName `json:"replied,omitzero"`
	// Again says of an open one that it was answered or settled before its critic wrote
	// last.
	Again bool `json:"again,omitzero"`
	// Corrected says of an answered one that its critic wrote last, and asks for no more.
	Corrected bool `json:"corrected,omitzero"`
	// Bears says how it bears on the answer, if it does.
	Bears Bearing `json:"bears,omitzero"`
}

// CritiqueState says whether a critique still asks for something.
type CritiqueState string

// The states. What is answered is for the critic to settle, or to press further with
// an EDIT, by which it is open again.
const (
	CritiqueOpen     CritiqueState = "open"
	CritiqueAnswered CritiqueState = "answered" // somebody changed what it attacks, or replied
	CritiqueSettled  CritiqueState = "settled"  // what it attacks is dead, or it says so
)

// Beside is what is recorded beside a document and bears on its critiques.
type Beside struct {
	// Shown is the version of the document that an agent had been shown by an instant,
	// nil where nobody knows. Without it whoever wrote later knew.
	Shown func(agent brenner.ActorName, by time.Time) *Artifact
	// Works are the artifacts of which a text names versions or places, and the text
	// without those names. Without it there are none.
	Works func(text string) (works []Work, rest string)
	// Notes are those that were left on an item. Without it there are none.
	Notes func(ItemID) []Written
}

// Work is an artifact, and the newest of its versions.
type Work struct {
	Artifact brenner.ArtifactID
	Versions []Written
}

// Written says who wrote something, and when.
type Written struct {
	By brenner.ActorName
	At time.Time
}

// Critiques says how far the critiques that live have come, by what is recorded: what
// their current_status says, or else what others, who could know of it, made of the
// items that they name since the critic last wrote.
func Critiques(a *Artifact, beside Beside) []Critique {
	var out []Critique
	var names map[string][]ItemID
	for _, it := range a.sections[atCritiques].shown(atCritiques) {
		if !it.live() {
			continue
		}
		if names == nil {
			names = a.provisionalNames()
		}
		out = append(out, a.critique(it, names, beside))
	}
	if len(out) == 0 {
		return nil
	}
	rests := a.groundOf(names, beside)
	for i, c := range out {
		out[i].Bears = rests.bearing(c.Of, c.Works)
	}
	return out
}

// provisionalNames are the items that agents gave names which nobody takes for a plain
// word.
func (a *Artifact) provisionalNames() map[string][]ItemID {
	out := map[string][]ItemID{}
	for _, it := range a.all() {
		for _, e := range it.log {
			if e.provisional != "" && tellsItself(e.provisional) {
				out[e.provisional] = append(out[e.provisional], it.ID())
			}
		}
	}
	return out
}

func (a *Artifact) critique(it *Item, names map[string][]ItemID, beside Beside) Critique {
	of, works := a.attacked(it, names, beside)
	c := Critique{Item: it.ID(), State: CritiqueOpen, Critic: it.log[0].agent, Of: of, Against: a.against(it, of, works)}
	c.Name = brenner.Clip(onOneLine(cmp.Or(strings.TrimSpace(it.Text("name")), it.Text("attack"))), briefText)
	for _, w := range works {
		c.Works = append(c.Works, w.Artifact)
	}
	for _, id := range of {
		if d, dead := a.Dead(id); dead {
			c.Killed = append(c.Killed, d)
		}
	}
	switch says, by := it.status(c.Against); {
	case says != CritiqueOpen:
		if c.State = says; by != "" {
			c.Replied = []brenner.ActorName{by}
		}
		return c
	case len(of) > 0 && len(c.Killed) == len(of) && len(works) == 0:
		c.State = CritiqueSettled
		return c
	}
	wrote := it.pressed()
	last := it.log[len(it.log)-1]
	corrected := last.agent == c.Critic && last != wrote[len(wrote)-1]
	if c.By = a.answered(it, c, works, len(wrote)-1, beside); len(c.By) > 0 {
		c.State, c.Corrected = CritiqueAnswered, corrected
		return c
	}
	var replied []Written
	if beside.Notes != nil {
		replied = slices.DeleteFunc(beside.Notes(c.Item), func(n Written) bool { return !slices.Contains(c.Against, n.By) })
	}
	for _, n := range replied {
		if n.At.After(wrote[len(wrote)-1].at()) && !slices.Contains(c.Replied, n.By) {
			c.State, c.Replied = CritiqueAnswered, append(c.Replied, n.By)
		}
	}
	if c.State == CritiqueAnswered {
		c.Corrected = corrected
		return c
	}
	c.Again = len(replied) > 0 || len(wrote) > 1 && len(a.answered(it, c, works, len(wrote)-2, beside)) > 0 ||
		slices.ContainsFunc(it.History("current_status"), func(w Write) bool { return saysOf(unquote(string(w.Value))) != CritiqueOpen })
	return c
}

// status is what the current_status of a critique says. That it is settled is not for those
// whom it is against to say: from one of them, who is named then, it is an answer, unless
// the last of the others had said so.
func (it *Item) status(against []brenner.ActorName) (says CritiqueState, by brenner.ActorName) {
	says = saysOf(it.Text("current_status"))
	wrote := it.History("current_status")
	if says != CritiqueSettled || len(wrote) == 0 || !slices.Contains(against, wrote[len(wrote)-1].Agent) {
		return says, ""
	}
	for _, w := range slices.Backward(wrote) {
		if !slices.Contains(against, w.Agent) {
			if saysOf(unquote(string(w.Value))) == CritiqueSettled {
				return CritiqueSettled, ""
			}
			break
		}
	}
	return CritiqueAnswered, wrote[len(wrote)-1].Agent
}

// against are those who wrote what a critique attacks and lives.
func (a *Artifact) against(it *Item, of []ItemID, works []Work) []brenner.ActorName {
	var out []brenner.ActorName
	add := func(name brenner.ActorName) {
		if name != it.log[0].agent && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, id := range of {
		if item, _ := a.Item(id); item.live() {
			for _, name := range item.Authors() {
				add(name)
			}
		}
	}
	for _, w := range works {
		for _, v := range w.Versions {
			add(v.By)
		}
	}
	return out
}

// answered are those who changed or killed some of what a critique attacks, knowing of
// it, between what its critic wrote at a place and what it wrote next. Where that is a
// hypothesis, so are those whom it is against and who named it in what they wrote of another:
// one that is wrong is killed, and another put in its place.
func (a *Artifact) answered(it *Item, c Critique, works []Work, place int, beside Beside) []brenner.ActorName {
	of := c.Of
	wrote := it.pressed()
	last := wrote[place]
	var out []brenner.ActorName
	by := func(w Written, names func() bool) {
		switch {
		case w.By == last.agent, !w.At.After(last.at()), place+1 < len(wrote) && w.At.After(wrote[place+1].at()), slices.Contains(out, w.By):
		case beside.knew(w, last), names():
			out = append(out, w.By)
		}
	}
	var next *entry
	if place+1 < len(wrote) {
		next = wrote[place+1]
	}
	for _, id := range of {
		item, _ := a.Item(id)
		changes := slices.Concat(item.log, item.kills[:min(len(item.kills), 1)])
		if a.backAgain(item, last, next) { // what then speaks to the critique is the last word alone
			changes = item.upTo(next)
			if changes = changes[len(changes)-1:]; !it.namedBy(changes[0]) {
				continue
			}
		}
		for _, e := range changes {
			if !it.leftBy(e) || it.namedBy(e) {
				by(Written{e.agent, e.at()}, func() bool { return it.namedBy(e) })
			}
		}
	}
	if slices.ContainsFunc(of, func(id ItemID) bool { return strings.HasPrefix(string(id), "H") }) {
		for _, item := range a.sections[atHypotheses].list.all() {
			for _, e := range item.log {
				if !slices.Contains(of, item.ID()) && e.at().After(last.at()) && slices.Contains(c.Against, e.agent) && it.namedBy(e) {
					by(Written{e.agent, e.at()}, func() bool { return true })
				}
			}
		}
	}
	for _, w := range works {
		for _, v := range w.Versions {
			by(v, func() bool { return false })
		}
	}
	return out
}

// backAgain says whether an item was edited after one instant and up to another, nil for now,
// and says in the end what it said before: the edits were taken back.
func (a *Artifact) backAgain(it *Item, from, to *entry) bool {
	before, after := it.upTo(from), it.upTo(to)
	if len(before) == 0 || len(before) == len(after) || to == nil && !it.live() {
		return false
	}
	view := viewer{names: a.lookup}
	was, is := &Item{id: it.id, section: it.section, number: it.number, log: before}, &Item{id: it.id, section: it.section, number: it.number, log: after}
	view.show(was)
	view.show(is)
	return len(fieldChanges(was, is)) == 0
}

// upTo is what was written of an item up to an instant, nil for now.
func (it *Item) upTo(end *entry) []*entry {
	if end == nil {
		return it.log
	}
	return slices.DeleteFunc(slices.Clone(it.log), func(e *entry) bool { return e.at().After(end.at()) })
}

// pressed is what the critic wrote of a critique by which it asks for something, in order:
// that it was added, and what made it say more, name more, or be open. What only corrects
// or narrows it leaves an answer as it is (ADR 207).
func (it *Item) pressed() []*entry {
	var out []*entry
	words, named := map[string]int{}, map[string]bool{}
	for _, e := range it.log {
		if e.agent != it.log[0].agent {
			continue
		}
		more := len(out) == 0
		for _, p := range objectPairs(e.payload) {
			said := strings.FieldsFunc(p.value, partsNames)
			switch p.name {
			case "current_status":
				more = more || saysOf(unquote(p.value)) == CritiqueOpen
			case "attack", "proposed_test":
				more = more || len(said) > words[p.name]
				words[p.name] = len(said)
				fallthrough
			case targetsField:
				for _, name := range said {
					if p.name == targetsField || name[0] >= 'A' && name[0] <= 'Z' && strings.ContainsAny(name, "0123456789") {
						more, named[name] = more || !named[name], true
					}
				}
			}
		}
		if more {
			out = append(out, e)
		}
	}
	return out
}

// knew says whether somebody had been shown, when it wrote something, what a critic wrote
// last of a critique: what was under way before is no answer.
func (b Beside) knew(w Written, last *entry) bool {
	if b.Shown == nil {
		return true
	}
	doc := b.Shown(w.By, w.At)
	if doc == nil {
		return true
	}
	_, had := doc.recorded.lookup(last.identity())
	return had
}

// namedBy says whether a delta names a critique, by its id or by what its critic calls it:
// then its author knew of it.
func (it *Item) namedBy(e *entry) bool {
	name := it.log[0].provisional
	for word := range strings.FieldsFuncSeq(e.rationale+" "+e.payload, partsNames) {
		if word == string(it.ID()) || word == name && tellsItself(name) {
			return true
		}
	}
	return false
}

// besideWords are the fields that stand beside what an item says, each with how words
// begin by which a critique speaks of it.
var besideWords = map[string][]string{
	"anchors":    {"anchor", "evidence", "source", "cite", "citation"},
	"labels":     {"label"},
	"references": {"reference", "refer"},
	"score":      {"score", "likelihood", "cost", "speed", "ambigu"},
}

// leftBy says whether a delta leaves all that a critique speaks of as it was: it changes
// only what stands beside the words of the item, and the critique says nothing of that.
func (it *Item) leftBy(e *entry) bool {
	if e.op != opEdit {
		return false
	}
	changes := false
	for _, p := range objectPairs(e.payload) {
		field := strings.TrimSuffix(p.name, "_replace")
		if field == "replace" {
			continue
		}
		words, beside := besideWords[field]
		if !beside || it.speaksOf(words) {
			return false
		}
		changes = true
	}
	return changes
}

// speaksOf says whether a critique has a word that begins as one of these.
func (it *Item) speaksOf(words []string) bool {
	text := strings.ToLower(it.Text("name") + " " + it.Text("attack") + " " + it.Text("proposed_alternative"))
	for said := range strings.FieldsFuncSeq(text, partsNames) {
		if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(said, w) }) {
			return true
		}
	}
	return false
}

// The words with which a status says that nothing is asked for any more, or that an
// answer has come.
var (
	saysSettled  = []string{"settled", "resolved", "withdrawn", "retracted", "conceded", "closed", "moot", "dropped", "dismissed"}
	saysAnswered = []string{"answered", "addressed", "fixed", "mended", "accepted"}
)

// saysWithdrawn are those with which a critic gives a critique up, whatever became of what it is
// against.
var saysWithdrawn = []string{"withdrawn", "retracted", "conceded", "moot", "dropped", "dismissed"}

// withdraws says whether a status that settles a critique gives it up.
func withdraws(status string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(status), func(r rune) bool { return r > '~' || !letter(byte(r)) }) {
		return slices.Contains(saysWithdrawn, word)
	}
	return false
}

// inPart are words with which a status takes back that something is settled: resolved only
// in part, settled but for one case.
var inPart = []string{"part", "partly", "partially", "not", "open", "except", "but"}

// saysOf is the state that a status names: open if it names none, or takes it back at once.
// What it says after that is why: settled: it does not matter any more.
func saysOf(status string) CritiqueState {
	clause := strings.ToLower(status)
	if end := strings.IndexAny(clause, ".:;,(–—"); end >= 0 {
		clause = clause[:end]
	}
	words := strings.FieldsFunc(clause, func(r rune) bool { return r > '~' || !letter(byte(r)) })
	switch {
	case len(words) == 0:
	case slices.Contains(saysAnswered, words[0]):
		return CritiqueAnswered
	case slices.Contains(saysSettled, words[0]) && !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(inPart, w) }):
		return CritiqueSettled
	}
	return CritiqueOpen
}

// mostAttacked is how many items a critique is taken to be about.
const mostAttacked = 32

// attacked is what a critique is about: the items that its targets are, or that it refers
// to as refuted; else those that its name and its attack name, by their ids or by names of
// their authors, and artifacts; else what its other texts name. A critique of a critique
// is about that.
func (a *Artifact) attacked(it *Item, names map[string][]ItemID, beside Beside) ([]ItemID, []Work) {
	named := func(fields ...string) (items []ItemID, works []Work) {
		add := func(id ItemID) {
			if item, ok := a.Item(id); ok && item != it && len(items) < mostAttacked && !slices.Contains(items, id) {
				items = append(items, id)
			}
		}
		for _, f := range fields {
			text := it.Text(f)
			if f == "references" {
				text = a.refuted(it)
			}
			if beside.Works != nil {
				var found []Work
				found, text = beside.Works(text)
				for _, w := range found {
					if !slices.ContainsFunc(works, func(o Work) bool { return o.Artifact == w.Artifact }) {
						works = append(works, w)
					}
				}
			}
			for id := range a.namedIn(text, names) {
				add(id)
			}
		}
		return items, works
	}
	for _, fields := range [][]string{{targetsField, "references"}, {"name", "attack"}} {
		if items, works := named(fields...); len(items)+len(works) > 0 {
			return items, works
		}
	}
	return named("evidence", "proposed_alternative")
}

// namedIn are the words of a text that may be ids of items, and the items that it names by
// what their authors call them.
func (a *Artifact) namedIn(text string, names map[string][]ItemID) iter.Seq[ItemID] {
	return func(yield func(ItemID) bool) {
		for name := range strings.FieldsFuncSeq(text, partsNames) {
			for _, id := range names[name] {
				if !yield(id) {
					return
				}
			}
			for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' }) {
				if !yield(ItemID(word)) { // H1-H3, and T2_cold
					return
				}
			}
		}
	}
}

// refuted names the items of its own document that an item refers to as refuted.
func (a *Artifact) refuted(it *Item) string {
	var out []string
	for _, r := range it.References() {
		if r.Session == a.meta.SessionID && r.Relation == "refutes" {
			out = append(out, string(r.Item))
		}
	}
	return strings.Join(out, " ")
}

// Settles says whether a delta does no more than settle a critique.
func (d *Delta) Settles() bool {
	if d.Operation != Edit || d.Section != AdversarialCritique || len(d.Payload) == 0 {
		return false
	}
	pairs := objectPairs(string(d.Payload))
	return len(pairs) == 1 && pairs[0].name == "current_status" && saysOf(showValue(pairs[0].value, nil)) == CritiqueSettled
}
