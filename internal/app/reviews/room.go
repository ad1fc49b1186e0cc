// Package reviews is the room of decisions: what waits for a person, everything
// needed to decide about it, decisions about many versions at once, requests for
// changes and comments (N1–N6).
package reviews

import (
	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
)

// Room is where the reviews of one project are.
type Room struct {
	*kernel.Kernel
	Ledger   *ledger.Room
	Tasks    Tasks
	Sessions Sessions
	Disputes Disputes
	// Sources say what else waits, room by room.
	Sources []func(*kernel.Call) ([]kernel.Waiting, error)
	found   lookups
}

// Tasks is what reviews need of tasks.
type Tasks interface {
	// Outputs lists what finished tasks made, and which task.
	Outputs(c *kernel.Call) (map[brenner.Ref]api.TaskInfo, error)
	// Find is a task.
	Find(c *kernel.Call, id string) (api.TaskInfo, error)
	// Open checks and opens a task of some kind.
	Open(ch *kernel.Change, req api.NewTaskRequest, kind string) (api.TaskInfo, error)
	// Cancel closes a task that nobody has to do any more.
	Cancel(ch *kernel.Change, id, reason string) (api.TaskInfo, error)
	// Each visits tasks in these states, the oldest first.
	Each(c *kernel.Call, states []api.TaskState, fn func(api.TaskInfo) bool) error
}

// Sessions is what reviews need of sessions.
type Sessions interface {
	// Compiled lists the artifacts of sessions that were compiled.
	Compiled(c *kernel.Call) ([]brenner.Ref, error)
	// Doubted lists the critiques in a version of a session's document that are open;
	// none of what is no such document.
	Doubted(c *kernel.Call, ref brenner.Ref) ([]api.ReviewFinding, error)
	// Contested lists the fields in a version of a session's document that are in
	// conflict; none of what is no such document.
	Contested(c *kernel.Call, ref brenner.Ref) ([]api.ReviewFinding, error)
	// Lacking says what nobody has done so far in the session of a document; nothing of
	// what is no such document.
	Lacking(c *kernel.Call, ref brenner.Ref) ([]string, error)
	// Warnings is what the protocol asks of a version of a session's document and it
	// has not; nothing of what is no such document.
	Warnings(c *kernel.Call, ref brenner.Ref) ([]brenner.Diagnostic, error)
	// Wrote lists who wrote what a version of a session's document holds beyond an
	// earlier one, if that is not 0; with an item only who wrote that.
	Wrote(c *kernel.Call, ref brenner.Ref, since brenner.Version, item delta.ItemID) ([]brenner.ActorName, error)
}

// Disputes is what reviews need of stalemates.
type Disputes interface {
	// About lists the stalemates about an artifact, any version of it or anything in it,
	// that are not closed.
	About(c *kernel.Call, ref brenner.Ref) ([]api.ReviewFinding, error)
}

// Service is the room as it is for one caller.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }
