package mcpserver

import (
	"maps"
	"slices"
	"strings"

	"brenner"
	"brenner/internal/schema"
)

// Errors come from a service that serves terminals, tools and pages alike, and
// carry what to do as data. Agents are told it as calls of their tools (X11).

// metaTry is where a program finds the calls that a refusal suggests.
const metaTry = "brenner/try"

// call is what an agent can do about a refusal, the call of a tool.
type call struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	// Fill names the arguments whose value is the agent's to give; what stands
	// there keeps their place. One inside another has its name behind a dot.
	Fill []string `json:"fill,omitzero"`
	// Repeats says that it is the refused call with these arguments over its own.
	Repeats bool `json:"repeats,omitzero"`
}

// calls lists what an agent can do about the refusal of a tool, the best first.
// What needs a command or a page is a person's to do, whom the agent can ask.
func (t tool) calls(e brenner.Error) []call {
	var out []call
	if meant, ok := e.Details.(correction); ok {
		out = append(out, call{Tool: t.name, Arguments: meant.Arguments})
	}
	for _, a := range e.Actions {
		if c, ok := t.callOf(a); ok {
			out = append(out, c)
		}
	}
	if len(e.Actions) > 0 && len(out) == 0 && t.name != "request" && !e.Halts() {
		c, _ := t.callOf(brenner.Request())
		out = append(out, c)
	}
	return out
}

func (t tool) callOf(a brenner.Action) (call, bool) {
	name, arguments, ok := a.Call()
	if !ok {
		return call{}, false
	}
	if a.Repeats() {
		name = t.name
	}
	called, known := toolNamed(name)
	given := a.Given()
	for _, key := range slices.Sorted(maps.Keys(arguments)) {
		switch several := key + "s"; {
		case known && called.takes(key):
		case known && a.Repeats() && called.takes(several): // it takes a list of them
			arguments[several] = []any{arguments[key]}
			delete(arguments, key)
			for j := range given {
				if given[j] == key {
					given[j] = several
				}
			}
		default:
			return call{}, false // an argument of some other surface
		}
	}
	return call{Tool: name, Arguments: arguments, Fill: given, Repeats: a.Repeats()}, true
}

// takes says whether a tool has an argument.
func (t tool) takes(name string) bool {
	return slices.ContainsFunc(schema.Fields(t.in), func(f schema.Field) bool { return f.Name == name })
}

// String is the call as a model reads it.
func (c call) String() string {
	out := c.Tool + " " + jsonOf(c.Arguments)
	if c.Repeats {
		out = "the same call with " + jsonOf(c.Arguments)
	}
	if len(c.Fill) > 0 {
		out += " (yours to give: " + strings.Join(c.Fill, ", ") + ")"
	}
	return out
}
