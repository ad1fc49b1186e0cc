package api

import (
	"fmt"
	"strings"

	"brenner"
	"brenner/delta"
)

// WrittenVersion is a version that somebody wrote beside a session.
type WrittenVersion struct {
	Ref     brenner.Ref       `json:"ref"`
	Agent   brenner.ActorName `json:"agent"`
	Summary string            `json:"summary"`
	// Concerns says what it has to do with versions of the reader: that it came after one,
	// links to one, or that one rests on an earlier version of it.
	Concerns []string `json:"concerns,omitzero"`
	// Was is the summary of the version that the reader was told of last, if it was of one,
	// and Changed what changed since, in the words of its author.
	Was     string   `json:"was,omitzero"`
	Changed []string `json:"changed,omitzero"`
	// Told says that the reader was told of this version.
	Told bool `json:"told,omitzero"`
}

// summaryRunes is how much of a summary stands in a line: nearly all have less, and who
// reads it need not ask for it.
const summaryRunes = 400

// Words are a line of it, without its end.
func (w WrittenVersion) Words() string {
	concerns := ""
	if len(w.Concerns) > 0 {
		concerns = " (" + strings.Join(w.Concerns, "; ") + ")"
	}
	var said []string
	if len(w.Changed) > 0 {
		said = append(said, "changed: "+strings.Join(w.Changed, "; "))
	}
	if w.Was != w.Summary || len(said) == 0 {
		said = append(said, delta.Changed(w.Was, w.Summary))
	}
	return fmt.Sprintf("%s by %s%s: %s", w.Ref, w.Agent, concerns, brenner.Clip(brenner.OneLine(strings.Join(said, ". ")), summaryRunes))
}
