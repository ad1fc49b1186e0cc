// Package tasks is the room of work: who holds which task, on which inputs, and
// what came of it.
package tasks

import (
	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/roster"
)

// Room is where the tasks of one project are.
type Room struct {
	*kernel.Kernel
	Sessions Sessions
	Contexts Contexts
	Mail     Mail
	// Failures counts the runs in a row that failed at a task.
	Failures func(c *kernel.Call, task string) (int, error)
}

// Sessions is what tasks need of sessions.
type Sessions interface {
	// RosterRole is the role that the roster of a session gives the caller.
	RosterRole(c *kernel.Call, id brenner.SessionID) (brenner.Role, error)
	// TakesPart says whether the caller was asked in a session.
	TakesPart(c *kernel.Call, id brenner.SessionID) (bool, error)
	// OpenModule is the module of a session that is not closed.
	OpenModule(c *kernel.Call, id brenner.SessionID) (brenner.Module, error)
	// NamedIn lists those who take part in a session that a text names.
	NamedIn(c *kernel.Call, id brenner.SessionID, text string) ([]brenner.ActorName, error)
	// WrittenBy lists who wrote items of a session, with the role that each plays
	// there, and the version it was looked up in.
	WrittenBy(c *kernel.Call, id brenner.SessionID, items []delta.ItemID) (brenner.Ref, []delta.ItemID, []roster.Entry, error)
	// Killed lists which items of a session are dead.
	Killed(c *kernel.Call, id brenner.SessionID, items []delta.ItemID) ([]delta.Dead, error)
	// ChangedSince lists which items of a session were changed after a version, and
	// by whom.
	ChangedSince(c *kernel.Call, id brenner.SessionID, from brenner.Version, items []delta.ItemID) ([]api.ItemChange, error)
	// MovedUnder says what others changed in a session's artifact from one version to
	// another, of that which texts name.
	MovedUnder(c *kernel.Call, id brenner.SessionID, from, to brenner.Version, texts []string) (ledger.SessionMove, error)
}

// Contexts is what tasks need of contexts.
type Contexts interface {
	// ReadsOf lists what the contexts of a task showed.
	ReadsOf(c *kernel.Call, task string) ([]ledger.Reading, error)
	// Under says what the caller's newest context covers, and how many records
	// of a kind were written under it; CONTEXT_REQUIRED if it has none.
	Under(c *kernel.Call, kind string) (modules []brenner.Module, written int, err error)
}

// Mail is what tasks need of the mailbox.
type Mail interface {
	// Tell writes a message of the system to an agent; others, and the caller,
	// are passed over.
	Tell(ch *kernel.Change, to brenner.ActorName, kind api.MessageKind, subject, text string) error
	// TellOfTask is Tell for a message that a task is there to be done;
	// SettleTask acknowledges those to one agent.
	TellOfTask(ch *kernel.Change, to brenner.ActorName, kind api.MessageKind, task, subject, text string) error
	SettleTask(ch *kernel.Change, t api.TaskInfo, of brenner.ActorName) error
}

// Service is the room as it is for one caller.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }
