// Package lessons is the room of the playbook: what agents learned, judged and
// kept as bullets.
package lessons

import (
	"brenner/internal/app/kernel"
	"brenner/playbook"
)

// Room is where the lessons of one project are.
type Room struct {
	*kernel.Kernel
	Contexts Contexts

	embedder embedderCache
	books    bookCache
}

// New makes the room. keyVariable names the environment variable that holds the
// key of a remote embedding endpoint; empty: no key is sent.
func New(k *kernel.Kernel, embedKey func(address string) (variable string, err error)) *Room {
	return &Room{Kernel: k, embedder: embedderCache{key: embedKey}}
}

// Contexts is what lessons need of contexts.
type Contexts interface {
	// Carried gives the context of the caller that held a bullet and the task
	// it was for; no context if none did.
	Carried(c *kernel.Call, id playbook.BulletID, by string) (context, task string, err error)
	// Occasion is the task that the caller's newest context was for, if any.
	Occasion(c *kernel.Call) (task string, err error)
}

// Service is the room as it is for one caller.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }
