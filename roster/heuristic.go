package roster

import (
	"strings"

	"brenner"
)

// guesses are tried in order; the first whose word is part of the name wins.
var guesses = []struct {
	word string
	role brenner.Role
}{
	{"codex", HypothesisGenerator},
	{"gpt", HypothesisGenerator},
	{"opus", TestDesigner},
	{"claude", TestDesigner},
	{"gemini", AdversarialCritic},
}

// GuessRole places an agent by what its name contains, in any case. It serves
// the heuristic mode only and fails for names that say nothing, which is why
// that mode is deprecated.
func GuessRole(name brenner.ActorName) (brenner.Role, bool) {
	lower := strings.ToLower(string(name))
	for _, g := range guesses {
		if strings.Contains(lower, g.word) {
			return g.role, true
		}
	}
	return "", false
}
