// Package api is the service: what can be asked of a project and what comes
// back, as one interface and its request and response structs.
//
// The application implements it on a store; the HTTP client implements it on a
// server; every adapter (command line, HTTP, MCP, web) speaks only to it. A
// Service is bound to who is asking: the same call by another actor is another
// Service.
package api

// Service is everything a project can be asked.
type Service interface {
	Projects
	Artifacts
	Graph
	Agents
	Journal
	Tasks
	Patches
	Stalemates
	Sessions
	Mailbox
	Contexts
	Playbook
	Overview
	Upkeep
	Automation
	Reviews
	Files
	Runs
}

// Write is part of every request that changes something.
type Write struct {
	// Key makes the request safe to repeat: the same key with the same
	// request gives the first result again (X2). Empty: no such promise.
	Key string `json:"-"`
}

// IdempotencyKey gives the key; every request that changes something has it.
func (w Write) IdempotencyKey() string { return w.Key }

// Writing gives the part of a request that every change carries; a request has
// it by embedding Write.
func (w *Write) Writing() *Write { return w }

// Writer is a pointer to a request that changes something.
type Writer interface{ Writing() *Write }

// Page is part of every request that lists something.
type Page struct {
	Limit  int    `json:"limit,omitzero"`  // 0: brenner.DefaultPage
	Cursor string `json:"cursor,omitzero"` // from the previous page
}

// Next is part of every listing that comes in pages. As JSON all listings have
// one shape: what is listed are its "items", and "next" asks for more of them.
type Next struct {
	// Cursor asks for the next page; empty on the last one.
	Cursor string `json:"next,omitzero"`
}
