// Package ledger is the room of artifacts: versions, links, decisions, and the
// graph they make. The other rooms write versions through it.
package ledger

import (
	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
)

// Room is the ledger of one project.
type Room struct {
	*kernel.Kernel
	Tasks    Tasks
	Sessions Sessions
	Reviews  Reviews
	Disputes Disputes
}

// Tasks is what the ledger needs of tasks.
type Tasks interface {
	// Enter makes what follows part of a task that the caller holds.
	Enter(c *kernel.Call, task string) error
	// Compressed refuses what reaches into other modules while a memo there is
	// behind (C12).
	Compressed(c *kernel.Call, modules []brenner.Module) error
}

// Sessions is what the ledger needs of sessions.
type Sessions interface {
	// OnlyByDeltas refuses to overwrite the artifact of a session.
	OnlyByDeltas(c *kernel.Call, id brenner.ArtifactID) error
	// Lost lists the replies of which something is in no document any more once a
	// version is the head of the artifact of a session.
	Lost(c *kernel.Call, head brenner.Ref) ([]api.LostReply, error)
	// Standing is how a session stands with a version of its document as the head; nil
	// if it is none, or nobody can read that any more.
	Standing(c *kernel.Call, head brenner.Ref) (*SessionStanding, error)
}

// Reviews is what the ledger needs of reviews.
type Reviews interface {
	// HandIn puts a version that was just written before a person.
	HandIn(ch *kernel.Change, ref brenner.Ref) error
	// Approved refuses a promotion before enough have approved (A6).
	Approved(c *kernel.Call, a store.Artifact, v store.Version) error
	// Decided closes what was asked for about versions that are decided upon now.
	Decided(ch *kernel.Change, d Decided) error
	// Against lists what speaks against a version, with what it says if that is to be
	// quoted, and counts what is not listed.
	Against(c *kernel.Call, a store.Artifact, v store.Version, quoted bool) ([]api.ReviewFinding, int, error)
	// Lacking says what nobody has done so far in the session of a document.
	Lacking(c *kernel.Call, ref brenner.Ref) ([]string, error)
}

// Disputes is what the ledger needs of stalemates.
type Disputes interface {
	// Stands says how far a stalemate has come.
	Stands(c *kernel.Call, id brenner.ArtifactID) (string, error)
}

// CheckTag marks critiques that a check wrote.
const CheckTag = "check"

// Service is the room as it is for one caller.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }
