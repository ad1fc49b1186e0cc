package roster

import (
	"bytes"
	"slices"

	"brenner"
	"brenner/canon"
)

// The three canonical roles. No other role can stand in a roster.
const (
	HypothesisGenerator brenner.Role = "hypothesis_generator" // hunts paradoxes, imports patterns across domains
	TestDesigner        brenner.Role = "test_designer"        // designs discriminative tests with potency controls
	AdversarialCritic   brenner.Role = "adversarial_critic"   // attacks the framing, checks scale
)

// Roles lists the canonical roles.
func Roles() []brenner.Role {
	return []brenner.Role{HypothesisGenerator, TestDesigner, AdversarialCritic}
}

// Mode says how prompts are handed out.
type Mode string

// The modes.
const (
	RoleSeparated Mode = "role_separated" // each recipient gets the prompt of its role; the default
	Unified       Mode = "unified"        // all recipients get one prompt; roles are kept but not used
	// Heuristic guesses the role of an agent without an entry from its name.
	//
	// Deprecated: it works, and warns at every use.
	Heuristic Mode = "heuristic"
)

// Modes lists every mode.
func Modes() []Mode { return []Mode{RoleSeparated, Unified, Heuristic} }

// The programs whose command line is known. Any other name is accepted.
const (
	ClaudeCode = "claude-code"
	CodexCLI   = "codex-cli"
	GeminiCLI  = "gemini-cli"
)

// Place is an entry without a name: what a preset holds.
type Place struct {
	Role    brenner.Role `json:"role"`
	Program string       `json:"program,omitempty"`
	Model   string       `json:"model,omitempty"`
	Notes   string       `json:"notes,omitempty"`
}

// Entry maps one agent to its role.
type Entry struct {
	AgentName brenner.ActorName `json:"agentName"`
	Role      brenner.Role      `json:"role"`
	// Program runs the agent: claude-code, codex-cli, gemini-cli or another.
	Program string `json:"program,omitempty"`
	// Model is for people to read.
	Model string `json:"model,omitempty"`
	// Notes are kept for audit.
	Notes string `json:"notes,omitempty"`
}

// Roster is who plays which part. As input to Resolve any member may be empty:
// then that source says nothing about it.
type Roster struct {
	// Mode is role_separated when it is not given.
	Mode Mode `json:"mode,omitempty"`
	// Name is for people to read.
	Name    string  `json:"name,omitempty"`
	Entries []Entry `json:"entries"`
	// CreatedAt is an instant in RFC 3339.
	CreatedAt string `json:"createdAt,omitempty"`
}

// Entry gives the entry of an agent.
func (r Roster) Entry(name brenner.ActorName) (Entry, bool) {
	i := slices.IndexFunc(r.Entries, func(e Entry) bool { return e.AgentName == name })
	if i < 0 {
		return Entry{}, false
	}
	return r.Entries[i], true
}

// Names lists the agents of the roster in its order.
func (r Roster) Names() []brenner.ActorName {
	names := make([]brenner.ActorName, len(r.Entries))
	for i, e := range r.Entries {
		names[i] = e.AgentName
	}
	return names
}

// mode is the mode in force.
func (r Roster) mode() Mode {
	if r.Mode == "" {
		return RoleSeparated
	}
	return r.Mode
}

// Preset is a roster to reuse: roles and programs without names.
type Preset struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Entries     []Place `json:"entries"`
	// PlaceholderNames stand for the entries, in their order, until names
	// replace them.
	PlaceholderNames []string `json:"placeholderNames,omitempty"`
}

// Settings is the roster section of a project's configuration: a roster of its
// own, presets, and the preset to use when none is named.
type Settings struct {
	Roster
	Presets       []Preset `json:"presets"`
	DefaultPreset string   `json:"defaultPreset,omitempty"`
}

// Metadata is what a session artifact keeps about its session.
type Metadata struct {
	SessionID brenner.SessionID `json:"session_id"`
	Roster    Roster            `json:"roster"`
}

// Parse reads a roster given as JSON: a whole roster or an array of entries.
// It refuses unknown members, duplicate keys and wrong types with INVALID_JSON
// at their pointer; whether the roster makes sense is Validate's to say.
func Parse(raw []byte) (Roster, error) {
	if len(raw) > brenner.MaxRosterBytes {
		return Roster{}, brenner.Errorf(brenner.CodeLimitExceeded, "the roster is larger than %d bytes", brenner.MaxRosterBytes)
	}
	var r Roster
	into := any(&r)
	if bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("[")) {
		into = &r.Entries
	}
	if err := canon.Unmarshal(raw, into); err != nil {
		return Roster{}, err
	}
	return r, nil
}
