package delta

import (
	"slices"
	"strings"
	"time"

	"brenner"
)

// Critique is how far a critique that lives has come (ADR 130).
type Critique struct {
	Item  ItemID        `json:"item"`
	State CritiqueState `json:"state"`
	// Of are the items that it attacks, as far as its words name some.
	Of []ItemID `json:"of,omitzero"`
	// By are those who changed or killed one of them since, where it is answered by
	// that.
	By []brenner.ActorName `json:"by,omitzero"`
}

// CritiqueState says whether a critique still asks for something.
type CritiqueState string

// The states. What is answered is for the critic to settle, or to press further with
// an EDIT, by which it is open again.
const (
	CritiqueOpen     CritiqueState = "open"
	CritiqueAnswered CritiqueState = "answered" // somebody changed what it attacks
	CritiqueSettled  CritiqueState = "settled"  // what it attacks is dead, or it says so
)

// Beside is what is recorded beside a document and bears on its critiques.
type Beside struct {
	// Shown is the version of the document that an agent had been shown by an instant,
	// nil where nobody knows. Without it whoever wrote later knew.
	Shown func(agent brenner.ActorName, by time.Time) *Artifact
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
	c := Critique{Item: it.ID(), State: CritiqueOpen, Of: a.attacked(it, names)}
	switch begins := strings.ToLower(firstWord(it.Text("current_status"))); {
	case slices.Contains(saysSettled, begins):
		c.State = CritiqueSettled
		return c
	case slices.Contains(saysAnswered, begins):
		c.State = CritiqueAnswered
		return c
	}
	last, dead := it.pressed(), 0
	by := func(e *entry) {
		if e.agent != last.agent && e.at().After(last.at()) && !slices.Contains(c.By, e.agent) && (beside.knew(e, it) || it.namedBy(e)) {
			c.By = append(c.By, e.agent)
		}
	}
	for _, id := range c.Of {
		item, _ := a.Item(id)
		if !item.live() {
			dead++
			by(item.kills[0])
			continue
		}
		for _, e := range item.log {
			by(e)
		}
	}
	switch {
	case dead > 0 && dead == len(c.Of):
		c.State, c.By = CritiqueSettled, nil
	case len(c.By) > 0:
		c.State = CritiqueAnswered
	}
	return c
}

// pressed is the last that the critic wrote of a critique.
func (it *Item) pressed() *entry {
	last := it.log[0]
	for _, e := range it.log {
		if e.agent == last.agent {
			last = e
		}
	}
	return last
}

// knew says whether the author of a delta had been shown a critique as it stands when it
// wrote that: what was under way before is no answer.
func (b Beside) knew(e *entry, critique *Item) bool {
	if b.Shown == nil {
		return true
	}
	doc := b.Shown(e.agent, e.at())
	if doc == nil {
		return true
	}
	it, ok := doc.Item(critique.ID())
	return ok && !it.pressed().at().Before(critique.pressed().at())
}

// namedBy says whether a delta names a critique, by its id or by what its critic calls it:
// then its author knew of it.
func (it *Item) namedBy(e *entry) bool {
	name := it.log[0].provisional
	for word := range strings.FieldsFuncSeq(e.rationale+" "+e.payload, func(r rune) bool {
		return r > '~' || !letter(byte(r)) && !digit(byte(r)) && r != '-' && r != '_'
	}) {
		if word == string(it.ID()) || word == name && tellsItself(name) {
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

func firstWord(text string) string {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r > '~' || !letter(byte(r)) }) {
		return word
	}
	return ""
}

// mostAttacked is how many items a critique is taken to be about.
const mostAttacked = 32

// attacked are the items that a critique is about: those its name and its attack name,
// by their ids or by names of their authors, else those that its other texts do. A
// critique of a critique is about that.
func (a *Artifact) attacked(it *Item, names map[string][]ItemID) []ItemID {
	named := func(fields ...string) []ItemID {
		var out []ItemID
		add := func(id ItemID) {
			if item, ok := a.Item(id); ok && item != it && len(out) < mostAttacked && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
		for _, f := range fields {
			for name := range strings.FieldsFuncSeq(it.Text(f), func(r rune) bool {
				return r > '~' || !letter(byte(r)) && !digit(byte(r)) && r != '-' && r != '_'
			}) {
				for _, id := range names[name] {
					add(id)
				}
				for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' }) {
					add(ItemID(word)) // H1-H3, and T2_cold
				}
			}
		}
		return out
	}
	if out := named("name", "attack"); len(out) > 0 {
		return out
	}
	return named("evidence", "proposed_alternative")
}
