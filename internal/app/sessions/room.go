// Package sessions is the room of conversations: a question put to agents, their
// replies, the deltas in them, and the mail they travel by.
package sessions

import (
	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/mail"
)

// Room is where the sessions of one project are.
type Room struct {
	*kernel.Kernel
	Ledger *ledger.Room
	// Mail reaches the Agent Mail server; nil: there is none.
	Mail func(mail.Options) (mail.Transport, error)
	// Notes lists who left a note on an item of a session, and when.
	Notes func(*kernel.Call, brenner.SessionID) (map[delta.ItemID][]delta.Written, error)
	// Askers lists who asked for something about an item of a session.
	Askers func(*kernel.Call, brenner.SessionID) (map[delta.ItemID][]brenner.ActorName, error)
	// Unfinished lists the tasks of a session that are open or taken.
	Unfinished func(*kernel.Call, brenner.SessionID) ([]string, error)
	// Doing says what the caller does next in a session, or with no words that what it said
	// before is over.
	Doing func(ch *kernel.Change, id brenner.SessionID, module brenner.Module, words string) (*api.TaskInfo, error)
	// Paused reports whether a person has paused what happens by itself.
	Paused func(*kernel.Call) (bool, error)
}

// Service is the room as it is for one caller.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }
