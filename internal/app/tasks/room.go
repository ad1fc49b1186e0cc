// Package tasks is the room of work: who holds which task, on which inputs, and
// what came of it.
package tasks

import (
	"brenner"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
)

// Room is where the tasks of one project are.
type Room struct {
	*kernel.Kernel
	Sessions Sessions
	Contexts Contexts
}

// Sessions is what tasks need of sessions.
type Sessions interface {
	// RosterRole is the role that the roster of a session gives the caller.
	RosterRole(c *kernel.Call, id brenner.SessionID) (brenner.Role, error)
}

// Contexts is what tasks need of contexts.
type Contexts interface {
	// ReadsOf lists what the contexts of a task showed.
	ReadsOf(c *kernel.Call, task string) ([]ledger.Reading, error)
}

// Service is the room as it is for one caller.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }
