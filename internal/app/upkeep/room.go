// Package upkeep is the room of tidying: checks, forks, consolidation, and what
// nobody uses any more.
package upkeep

import (
	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
)

// Room is where the upkeep of one project is done.
type Room struct {
	*kernel.Kernel
	Ledger *ledger.Room
	Tasks  Tasks
}

// Tasks is what upkeep needs of tasks.
type Tasks interface {
	// Open checks and opens a task of some kind.
	Open(ch *kernel.Change, req api.NewTaskRequest, kind string) (api.TaskInfo, error)
	// Each visits tasks in the order they were opened until fn says stop.
	Each(c *kernel.Call, states []api.TaskState, fn func(api.TaskInfo) bool) error
	// Resting lists what open tasks rest on and have made, as versions.
	Resting(c *kernel.Call) ([]brenner.Ref, error)
}

// Service is the room as it is for one caller.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }
