package delta

import (
	"cmp"
	"slices"
	"strings"

	"brenner"
)

// How much a brief shows of what an item says, and of why it was killed.
const (
	briefText   = 160
	briefReason = 200
)

// Brief gives where a document stands, or a part of it, a line for each item, a passage for
// each section that has any: what lives, how far it was put to the test, what was
// killed and why. The states of critiques are those given: they depend on more than the
// document.
func Brief(a *Artifact, states map[ItemID]CritiqueState, part Part) []Passage {
	var out []Passage
	for s := range schemas {
		var b strings.Builder
		for _, it := range a.sections[s].shown(s) {
			if len(part.Sections) > 0 && !slices.Contains(part.Sections, schemas[s].Section) || !part.takes(a, it) {
				continue
			}
			b.WriteString("- " + briefOf(it, states[it.ID()]) + "\n")
		}
		if b.Len() > 0 {
			out = append(out, Passage{Section: schemas[s].Section, Title: schemas[s].Title, Text: b.String()})
		}
	}
	return out
}

// briefOf is an item on one line.
func briefOf(it *Item, is CritiqueState) string {
	said := it.Text(mainField[it.section])
	if name := it.Text(nameField(it.section)); strings.TrimSpace(name) != "" {
		said = name
		if claim := it.Text(mainField[it.section]); it.section == atHypotheses && claim != name {
			said += ": " + claim
		}
	}
	line := string(it.ID()) + ": " + brenner.Clip(onOneLine(said), briefText)
	if death := it.Killed(); death != nil {
		return line + " · killed by " + onOneLine(string(death.By)) + ": " + brenner.Clip(onOneLine(reasonOf(death)), briefReason)
	}
	line += " · by " + joinPlain(it.Authors())
	if state := cmp.Or(string(is), it.state()); state != "" {
		line += " · " + brenner.Clip(onOneLine(state), briefText)
	}
	if n := len(it.conflicts()); n > 0 {
		line += " · in conflict: " + itoa(n)
	}
	return line
}

// state says how far an item was put to the test, where its section asks that.
func (it *Item) state() string {
	for _, field := range []string{"status", "current_status"} {
		if text := it.Text(field); strings.TrimSpace(text) != "" {
			return text
		}
	}
	switch {
	case schemas[it.section].Section == DiscriminativeTests && len(it.Pairs("actual_outcomes")) > 0:
		return "was run"
	case schemas[it.section].Section == DiscriminativeTests:
		return "was not run"
	case schemas[it.section].Section == AssumptionLedger:
		return "unchecked"
	}
	return ""
}
