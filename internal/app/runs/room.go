// Package runs is the room of agents at work: which run was started for what,
// by which runner, how it ended and what it used.
//
// The room decides who holds a piece of work, and for how long. What happens on
// a machine is the runner's affair; here it is two records, a lease and a
// token that lives as long as the lease does.
package runs

import (
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
)

// Room is where the runs of one project are.
type Room struct {
	*kernel.Kernel
	Tasks    Tasks
	Sessions Sessions
	Tokens   Tokens
	// ByRule reports whether a rule opened a task, or one that was done when it was
	// opened.
	ByRule func(c *kernel.Call, task string) (bool, error)
	// Seen is what a run does whose runner is another process of this machine;
	// nil: nobody knows.
	Seen func(api.RunInfo) (api.RunBeat, bool)

	doing doing
}

// Tasks is what runs need of tasks.
type Tasks interface {
	Find(c *kernel.Call, id string) (api.TaskInfo, error)
	Each(c *kernel.Call, states []api.TaskState, fn func(api.TaskInfo) bool) error
	// Eligible reports whether a task is for an agent.
	Eligible(c *kernel.Call, t api.TaskInfo, agent store.Actor) (bool, error)
	// ClaimAs, Renew and GiveBack are what the agent itself would do.
	ClaimAs(ch *kernel.Change, id string, agent store.Actor, lease time.Duration) (api.TaskInfo, error)
	Renew(ch *kernel.Change, id string, agent brenner.ActorName, lease time.Duration) error
	GiveBack(ch *kernel.Change, id string, agent brenner.ActorName, why string) error
}

// Sessions is what runs need of sessions.
type Sessions interface {
	Info(c *kernel.Call, id brenner.SessionID) (api.SessionInfo, error)
	EachInfo(c *kernel.Call, fn func(api.SessionInfo) bool) error
	// Kickoff names the message that first asked an agent.
	Kickoff(c *kernel.Call, id brenner.SessionID, agent brenner.ActorName) (string, error)
}

// Tokens is what runs need of access.
type Tokens interface {
	IssueFor(ch *kernel.Change, actor brenner.ActorName, until time.Time) (id, secret string, err error)
	Prolong(ch *kernel.Change, id string, until time.Time) error
	EndToken(ch *kernel.Change, id string) error
}

// Service is the room as it is for one caller.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }
