package delta

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"brenner"
)

// Rewording is a hypothesis that was put in other words after a test had foretold what it
// would show under it.
type Rewording struct {
	Hypothesis ItemID
	By         brenner.ActorName
	At         time.Time
}

// Reworded lists the live hypotheses under which a test foretells something and whose
// claim or mechanism was put in other words since: what it foretells, and what came out, is
// about the words before.
func (a *Artifact) Reworded(test *Item) []Rewording {
	expected := schemas[atTests].field("expected_outcomes")
	if test.section != atTests {
		return nil
	}
	foretold := map[string]*entry{} // by the hypothesis, the last that foretells
	for _, e := range test.log {
		for i := range e.writes {
			if w := &e.writes[i]; int(w.field) == expected && w.mode != drop {
				foretold[resolver(a.lookup).resolve(e.agent, w.key)] = e
			}
		}
	}
	var out []Rewording
	for _, p := range test.Pairs("expected_outcomes") {
		h, ok := a.Item(ItemID(p.Key))
		since := foretold[p.Key]
		if !ok || since == nil || h.section != atHypotheses || !h.live() {
			continue
		}
		if e := h.reworded(since.at()); e != nil {
			out = append(out, Rewording{h.ID(), e.agent, e.at()})
		}
	}
	return out
}

// Tested lists the live tests that foretell something under a hypothesis as it is worded,
// by number: once it is put in other words, that is about others.
func (a *Artifact) Tested(hypothesis ItemID) []*Item {
	var out []*Item
	for _, t := range a.Items(DiscriminativeTests) {
		foretells := slices.ContainsFunc(t.Pairs("expected_outcomes"), func(p Pair) bool { return p.Key == string(hypothesis) })
		if t.live() && foretells && !slices.ContainsFunc(a.Reworded(t), func(r Rewording) bool { return r.Hypothesis == hypothesis }) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(x, y *Item) int { return x.number - y.number })
	return out
}

// reworded gives the last edit after an instant by which a hypothesis claims something in
// other words than it did then, nil if it is in those words by now.
func (it *Item) reworded(since time.Time) (last *entry) {
	claims := []int{schemas[atHypotheses].field("claim"), schemas[atHypotheses].field("mechanism")}
	before, then := map[uint8]string{}, map[uint8]string{}
	for _, e := range it.log {
		for i := range e.writes {
			w := &e.writes[i]
			if !slices.Contains(claims, int(w.field)) || w.value == removed {
				continue
			}
			was, known := before[w.field]
			if before[w.field] = w.value; known && e.at().After(since) && !SameWords(showValue(was, nil), showValue(w.value, nil)) {
				last = e
			}
			if !e.at().After(since) {
				then[w.field] = w.value
			}
		}
	}
	for field, was := range then { // order-free: each is compared for itself
		if !SameWords(showValue(was, nil), showValue(before[field], nil)) {
			return last
		}
	}
	if len(then) < len(before) {
		return last
	}
	return nil
}

// SameWords says whether two texts have the same words in the same order, whatever stands
// between them.
func SameWords(a, b string) bool {
	words := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	}
	return slices.Equal(words(a), words(b))
}
