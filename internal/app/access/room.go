// Package access is the room of who and what: the project, its configuration,
// its actors and their tokens.
package access

import (
	"brenner/internal/app/kernel"
)

// Room is where access to one project is given.
type Room struct {
	*kernel.Kernel
}

// Service is the room as it is for one caller.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }
