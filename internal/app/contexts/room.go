// Package contexts is the room of what agents get to read: contexts, assembled,
// recorded, and charged for what is read through them.
package contexts

import (
	"brenner"
	"brenner/api"
	"brenner/assembly"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/playbook"
)

// Room is where the contexts of one project are made.
type Room struct {
	*kernel.Kernel
	Tasks    Tasks
	Lessons  Lessons
	Sessions Sessions
	Disputes Disputes

	habits  habits
	near    nearness
	counts  countCache
	vectors vectors
	shelf   shelf
	ahead   ahead
}

// Tasks is what contexts need of tasks.
type Tasks interface {
	// Enter makes what follows part of a task that the caller holds.
	Enter(c *kernel.Call, task string) error
	// Find loads a task as it stands now.
	Find(c *kernel.Call, id string) (api.TaskInfo, error)
	// Newest lists the newest tasks, the latest first.
	Newest(c *kernel.Call, most int) ([]assembly.Task, error)
	// PartIn is the caller's part of the work of a session, "" if it has none yet.
	PartIn(c *kernel.Call, session brenner.SessionID) (string, error)
	// RoleFor is the role that counts for work on a task.
	RoleFor(c *kernel.Call, t api.TaskInfo) (brenner.Role, error)
	// Compressed refuses what reaches into other modules while a memo there is
	// behind (C12).
	Compressed(c *kernel.Call, modules []brenner.Module) error
}

// Sessions is what contexts need of sessions.
type Sessions interface {
	// Asked gives a session the caller takes part in, or with no id the one it
	// is to answer; false if there is none.
	Asked(c *kernel.Call, id brenner.SessionID) (api.SessionInfo, bool, error)
	// Unread is the document of a session without the items that were given through
	// a context, which it names.
	Unread(c *kernel.Call, ref brenner.Ref, t kernel.Through) (text string, known []delta.ItemID, err error)
	// AgainstAnswer says which critiques are to be read with the answer of a session,
	// a line each; of what is no session's document, nothing.
	AgainstAnswer(c *kernel.Call, ref brenner.Ref) (string, error)
}

// Disputes is what contexts need of stalemates.
type Disputes interface {
	// Stands says how far a stalemate has come.
	Stands(c *kernel.Call, id brenner.ArtifactID) (string, error)
}

// Lessons is what contexts need of lessons.
type Lessons interface {
	// Rank ranks the lessons that a view admits for a piece of work, of which
	// some words tell what it is about.
	Rank(c *kernel.Call, wanted assembly.Bullets, text string, telling []string) ([]playbook.Ranked, error)
}

// Service is the room as it is for one caller.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }
