package roster

import (
	"embed"
	"slices"
	"strings"

	"brenner"
)

//go:embed prompts/*.md
var prompts embed.FS

// PromptNames lists the prompts there are: one for each role that a session can
// give, the one of unified mode, and one for each role that works on tasks.
func PromptNames() []string {
	return []string{
		string(HypothesisGenerator), string(TestDesigner), string(AdversarialCritic), string(Unified),
		"integrator", "writer", "distiller", "reviewer", "arbiter",
	}
}

// Prompt gives a prompt by its name: the project's own where it has one, else
// the built-in text; "" where there is neither, as for a role of the project's
// own. {{agent}} and {{session}} stand in it for whom it is
// handed to; see Address.
func Prompt(name string, own map[string]string) string {
	if text, ok := own[name]; ok {
		return text
	}
	if !slices.Contains(PromptNames(), name) {
		return ""
	}
	return builtin(name)
}

// Address puts the names of the agent and the session into a prompt.
func Address(prompt string, agent brenner.ActorName, session brenner.SessionID) string {
	return strings.NewReplacer("{{agent}}", string(agent), "{{session}}", string(session)).Replace(prompt)
}

// promptFor names the prompt a role gets in a mode.
func promptFor(mode Mode, role brenner.Role) string {
	if mode == Unified {
		return string(Unified)
	}
	return string(role)
}

// builtin gives an embedded text; every name used is one that was compiled in.
func builtin(name string) string {
	b, err := prompts.ReadFile("prompts/" + name + ".md")
	if err != nil {
		panic(err)
	}
	return string(b)
}
