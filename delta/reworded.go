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
	Changed    []FieldText // its texts that were put in other words, with what they were
}

// Words say what changed, as in H1 claim: "cells [-keep-]{+lose+} a state".
func (r Rewording) Words() string {
	said := make([]string, len(r.Changed))
	for i, t := range r.Changed {
		said[i] = t.Field + ": " + ChangeOf(t.Was, t.Text)
	}
	return string(r.Hypothesis) + " " + strings.Join(said, ", ")
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
		if e, changed := h.reworded(since.at()); e != nil {
			out = append(out, Rewording{h.ID(), e.agent, e.at(), changed})
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
// other words than it did then, and what changed since; nil if it is in those words by now.
func (it *Item) reworded(since time.Time) (last *entry, changed []FieldText) {
	claims := []string{"claim", "mechanism"}
	before, then := map[string]string{}, map[string]string{}
	for _, e := range it.log {
		for i := range e.writes {
			w := &e.writes[i]
			at := slices.IndexFunc(claims, func(name string) bool { return int(w.field) == schemas[atHypotheses].field(name) })
			if at < 0 || w.value == removed {
				continue
			}
			field := claims[at]
			was, known := before[field]
			if before[field] = showValue(w.value, nil); known && e.at().After(since) && !SameWords(was, before[field]) {
				last = e
			}
			if !e.at().After(since) {
				then[field] = before[field]
			}
		}
	}
	for _, field := range claims {
		if now, has := before[field]; has && !SameWords(then[field], now) {
			changed = append(changed, FieldText{Field: field, Was: then[field], Text: now})
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	return last, changed
}

// SameWords says whether two texts have the same words in the same order, whatever stands
// between them.
func SameWords(a, b string) bool {
	words := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	}
	return slices.Equal(words(a), words(b))
}
