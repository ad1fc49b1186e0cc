package api

import (
	"fmt"
	"strings"

	"brenner"
)

// WrittenVersion is a version that somebody wrote beside a session.
type WrittenVersion struct {
	Ref     brenner.Ref       `json:"ref"`
	Agent   brenner.ActorName `json:"agent"`
	Summary string            `json:"summary"`
	// Concerns says what it has to do with versions of the reader: that it came after one,
	// links to one, or that one rests on an earlier version of it.
	Concerns []string `json:"concerns,omitzero"`
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
	return fmt.Sprintf("%s by %s%s: %s", w.Ref, w.Agent, concerns, brenner.Clip(brenner.OneLine(w.Summary), summaryRunes))
}
