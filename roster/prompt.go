package roster

import (
	"cmp"
	"embed"
	"fmt"
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

// Address puts the names of the agent and the session into a prompt; outside a
// session it speaks of one.
func Address(prompt string, agent brenner.ActorName, session brenner.SessionID) string {
	if session == "" {
		prompt = strings.ReplaceAll(prompt, "session {{session}}", "a session")
	}
	return strings.NewReplacer("{{agent}}", string(agent), "{{session}}", string(session)).Replace(prompt)
}

// Standing is what a project lets a role do, told after its prompt.
type Standing struct {
	Agent   brenner.ActorName
	Own     brenner.Role // the role of the agent itself
	Role    brenner.Role // whose prompt it is; none in unified mode
	Project string
	Modules []brenner.Module
	// Reads, Writes and Sections are those of the policy in force.
	Reads, Writes []brenner.TypeName
	Sections      []string
	Session       brenner.SessionID
}

// Words says it: who the agent is and where, what the policy in force lets the
// role do, and the call that begins. What to do stands in it as actions.
func (s Standing) Words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## In this project\n\nYou are %s, role `%s`, in %s; modules: %s.", s.Agent, s.Own, cell(s.Project), quoted(s.Modules))
	if s.Role != "" && s.Role != s.Own {
		fmt.Fprintf(&b, " This is the prompt of another role: what you may do, yours decides.")
	}
	role := cmp.Or(s.Role, s.Own)
	fmt.Fprintf(&b, "\nThe policy in force lets the role `%s` read %s", role, types(s.Reads))
	fmt.Fprintf(&b, ", and write %s.", types(slices.DeleteFunc(slices.Clone(s.Writes), func(t brenner.TypeName) bool { return t == rawLog })))
	if len(s.Sections) > 0 {
		fmt.Fprintf(&b, " Its deltas go to %s.", quoted(s.Sections))
	}
	begin := brenner.Do("status")
	if s.Session != "" {
		begin = brenner.Do("context.assemble", "session", string(s.Session))
	}
	fmt.Fprintf(&b, "\nWhere the text above says otherwise, this holds. Begin with %s; the brief comes with your context.\n", begin.Mark())
	return b.String()
}

func types(names []brenner.TypeName) string {
	switch {
	case len(names) == 0:
		return "nothing"
	case slices.Contains(names, anyType):
		return "every type"
	}
	return quoted(names)
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
