// Package history is the room of the journal: reading it, verifying it, taking
// it out and in, and removing what must go.
package history

import (
	"context"

	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
)

// Room is where the history of one project is kept.
type Room struct {
	*kernel.Kernel
	Sessions Sessions
	// Scratch opens an empty throw-away store, for verifying the tables.
	Scratch func(ctx context.Context) (store.Store, error)
	// Keys keeps the keys that sign checkpoints, outside the project.
	Keys Keyring
	// Witness remembers how far the journal was, outside the project.
	Witness Witness
	Tokens  Tokens

	outlines outlines
}

// Tokens is what verifying the history needs of access.
type Tokens interface {
	// CheckTokens says which tokens are not what the journal says of them.
	CheckTokens(c *kernel.Call) ([]journal.Finding, error)
}

// Sessions is what verifying the history needs of sessions.
type Sessions interface {
	// Rebuild makes every version of every session artifact again and says
	// what is wrong, and how many versions are right.
	Rebuild(c *kernel.Call, tell api.Progress) ([]journal.Finding, int, error)
}

// Service is the room as it is for one caller.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }
