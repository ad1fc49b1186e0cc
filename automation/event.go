package automation

import (
	"slices"

	"brenner"
)

// Event is something that happened: what a record of the journal means for
// rules, or an instant that has come.
type Event struct {
	On Trigger `json:"on"`
	// Seq is the record that brought it about; 0 for one that came with time.
	Seq int64 `json:"seq,omitzero"`
	// Subject names what it is about: a version, a session, a task, a bullet, a
	// stalemate, or the number of an instant.
	Subject string `json:"subject"`
	// Ref is the version it is about, if it is about one; Type, Module and Role
	// are those of that version and its author.
	Ref    brenner.Ref      `json:"ref,omitzero"`
	Type   brenner.TypeName `json:"type,omitzero"`
	Module brenner.Module   `json:"module,omitzero"`
	Role   brenner.Role     `json:"role,omitzero"`
	// Task is the one it was written for, or that it is about.
	Task string `json:"task,omitzero"`
}

// Waits reports whether a rule waits for events of a kind, and is on.
func (r Rule) Waits(t Trigger) bool { return !r.Off && slices.Contains(r.On, t) }

// Matches reports whether a rule is for an event, as far as its filter tells.
// How many it takes is not looked at.
func (r Rule) Matches(e Event) bool {
	return r.Waits(e.On) &&
		(r.When.Type == "" || r.When.Type == e.Type) &&
		(r.When.Module == "" || r.When.Module == e.Module) &&
		(r.When.Role == "" || r.When.Role == e.Role)
}
