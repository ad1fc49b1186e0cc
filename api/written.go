package api

import (
	"fmt"

	"brenner"
)

// WrittenVersion is a version that somebody wrote beside a session.
type WrittenVersion struct {
	Ref     brenner.Ref       `json:"ref"`
	Agent   brenner.ActorName `json:"agent"`
	Summary string            `json:"summary"`
}

// summaryRunes is how much of a summary stands in a line.
const summaryRunes = 160

// Words are a line of it, without its end.
func (w WrittenVersion) Words() string {
	return fmt.Sprintf("%s by %s: %s", w.Ref, w.Agent, brenner.Clip(brenner.OneLine(w.Summary), summaryRunes))
}
