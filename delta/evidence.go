package delta

import "strings"

// evidenceFields are the fields that say where something was seen, or what follows from
// it: an item rests on the versions that they name (ADR 113). What an item asks for, tells
// to do or is against it only speaks of.
var evidenceFields = []string{"anchors", "evidence", answerField, observedField, "observation", "last_run", "actual_outcomes", "calculation"}

// Evidence is what the items that live give as their evidence, a text for each item that
// gives some, in the order of the document. A field in conflict gives none.
func (a *Artifact) Evidence() []string {
	var out []string
	for _, it := range a.all() {
		if !it.live() {
			continue
		}
		var said []string
		for _, field := range evidenceFields {
			if text := it.Text(field); text != "" && text != removed {
				said = append(said, text)
			}
			said = append(said, it.List(field)...)
			for _, p := range it.Pairs(field) {
				said = append(said, p.Value)
			}
		}
		if len(said) > 0 {
			out = append(out, strings.Join(said, "\n"))
		}
	}
	return out
}
