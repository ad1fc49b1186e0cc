// Package disputes is the room of what does not fit: patches, why they are
// refused, and the stalemates that come of it.
package disputes

import (
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
)

// Room is where the disputes of one project are.
type Room struct {
	*kernel.Kernel
	Ledger *ledger.Room
	Tasks  Tasks
	Mail   Mail
}

// Tasks is what disputes need of tasks.
type Tasks interface {
	// Enter makes what follows part of a task that the caller holds.
	Enter(c *kernel.Call, task string) error
	// Find loads a task as it stands now.
	Find(c *kernel.Call, id string) (api.TaskInfo, error)
}

// Service is the room as it is for one caller.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }
