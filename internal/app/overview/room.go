// Package overview is the room of the whole: what needs somebody, and where the
// project stands.
package overview

import (
	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
)

// Room is where one project is looked at as a whole.
type Room struct {
	*kernel.Kernel
	Inbox    Inbox
	Checks   Checks
	Sessions Sessions
	Tasks    Tasks
}

// Tasks is what the overview needs of tasks.
type Tasks interface {
	// ForCaller lists the tasks that the caller holds, and those that are free for
	// the role that counts for it there.
	ForCaller(c *kernel.Call) (held, free []string, err error)
}

// Sessions is what the overview needs of sessions.
type Sessions interface {
	// UnreadSubjects lists the subjects of the messages to somebody that it has not read.
	UnreadSubjects(c *kernel.Call, name brenner.ActorName) ([]string, error)
	// EachInfo visits sessions, the newest first, until fn says stop.
	EachInfo(c *kernel.Call, fn func(api.SessionInfo) bool) error
}

// Checks is what the overview needs of upkeep.
type Checks interface {
	// WaitingFindings lists what checks found about versions in use, with the
	// critiques that say it as members.
	WaitingFindings(c *kernel.Call) ([]kernel.Waiting, error)
}

// Inbox is what the overview needs of reviews.
type Inbox interface {
	// All lists everything that waits for a person, what most rests on first.
	All(c *kernel.Call) ([]api.Waiting, error)
	// Asked says of what waits for a decision where it waits for the caller's
	// approval.
	Asked(c *kernel.Call, all []api.Waiting) ([]api.Waiting, error)
}

// Service is the room as it is for one caller.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }
