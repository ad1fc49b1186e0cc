package roster_test

import (
	"fmt"

	"brenner"
	"brenner/roster"
)

// Recipients take the places of a preset in the order they are named.
func ExampleResolve() {
	found, err := roster.Resolve(roster.Sources{
		To:         []brenner.ActorName{"BlueLake", "PurpleMountain", "RedStone"},
		PresetFlag: "default-3-agent",
	})
	if err != nil {
		panic(err)
	}
	for _, e := range found.Roster.Entries {
		fmt.Println(e.AgentName, e.Role, e.Program)
	}
	// Output:
	// BlueLake hypothesis_generator codex-cli
	// PurpleMountain test_designer claude-code
	// RedStone adversarial_critic gemini-cli
}
