package api

import (
	"context"
	"time"

	"brenner"
	"brenner/assembly"
)

// Contexts is what agents see, and the record of it.
type Contexts interface {
	// AssembleContext makes the caller's context for a task, or outside one
	// for a question, inside the budget of its view, and records what it
	// showed and why (C3, C30). What the caller reads afterwards is charged to
	// it. Codes: CONTEXT_OVERFLOW, CROSS_MODULE, TASK_NOT_YOURS.
	AssembleContext(ctx context.Context, req ContextRequest) (ContextResult, error)
	// PreviewContext shows what another agent would see; nothing is recorded.
	// PI only.
	PreviewContext(ctx context.Context, req ContextRequest) (ContextResult, error)
	// Invocation is the record of one assembled context: every item with its
	// reason, everything left out with its reason, what was read later and the
	// outputs that followed. An agent sees what its own contexts showed.
	Invocation(ctx context.Context, req InvocationRequest) (InvocationInfo, error)
	Invocations(ctx context.Context, req ListInvocationsRequest) (InvocationList, error)
	// Views lists the view specs in force (C9).
	Views(ctx context.Context) (ViewList, error)
}

// ContextRequest says what a context is for.
type ContextRequest struct {
	Write
	// As previews for this agent.
	As brenner.ActorName `json:"as,omitzero"`
	// Task is what the context is for; the caller must hold it. Without a
	// task, Session, Question and Modules say what it is about: a question
	// without a module is asked in the session the caller is to answer (C35).
	Task     string            `json:"task,omitzero"`
	Session  brenner.SessionID `json:"session,omitzero"`
	Question string            `json:"question,omitzero"`
	Modules  []brenner.Module  `json:"modules,omitzero"`
	// After is an earlier context of the caller's that this one goes on from: what
	// the reader was given there, and has not changed, is named and not sent again
	// (C34). Who does not have that text any more leaves it out.
	After string `json:"after,omitzero"`
	// Survey asks for what is needed before the work of a session is divided: its document
	// and, for who divides, what bears on the question. What a part of the work needs is
	// given when the part is known, by a context that goes on from this one.
	Survey bool `json:"survey,omitzero"`
	// Part asks, in short, for what bears on the caller's part of the work of a session and
	// nothing else: a line for each text, and the passage of it that bears most on the part.
	// Who has none yet is given all.
	Part bool `json:"part,omitzero"`
	// Renew begins nothing but a budget anew, for who reads on: nothing is selected. It goes
	// with After, and is for the same.
	Renew  bool            `json:"renew,omitzero"`
	Format assembly.Format `json:"format,omitzero"` // markdown (default) or json
}

// ContextResult is a context and its record.
type ContextResult struct {
	// Invocation names the record; empty for a preview.
	Invocation string `json:"invocation,omitzero"`
	Text       string `json:"text"`
	// Used and Size are in the units of the budget; Left is what may still be
	// read.
	Used int    `json:"used"`
	Size int    `json:"size"`
	Left int    `json:"left"`
	Unit string `json:"unit"`
	// More is how many texts bear on the caller's part besides those shown.
	More int `json:"more,omitzero"`
	// Find are words that find them.
	Find string `json:"find,omitzero"`
	// Record says why. An agent's holds what it saw, not what was left out.
	Record assembly.Context `json:"record"`
}

// Outline is the result without what the context shows.
func (r ContextResult) Outline() any {
	r.Text, r.Find, r.Record = "", "", assembly.Context{SHA256: r.Record.SHA256}
	return r
}

// InvocationRequest names an invocation.
type InvocationRequest struct {
	ID string `json:"id"`
}

// ListInvocationsRequest selects invocations, newest first.
type ListInvocationsRequest struct {
	Page
	Agent brenner.ActorName `json:"agent,omitzero"`
	Task  string            `json:"task,omitzero"`
}

// InvocationList is a page of invocations.
type InvocationList struct {
	Next
	Invocations []InvocationItem `json:"items"`
}

// InvocationItem is an invocation in a list.
type InvocationItem struct {
	ID    string            `json:"id"`
	Agent brenner.ActorName `json:"agent"`
	Role  brenner.Role      `json:"role"`
	Task  string            `json:"task,omitzero"`
	View  string            `json:"view"`
	At    time.Time         `json:"at"`
	Items int               `json:"items"`
	Used  int               `json:"used"`
	Size  int               `json:"size"`
}

// InvocationInfo is the record of one assembled context.
type InvocationInfo struct {
	InvocationItem
	Question string           `json:"question,omitzero"`
	Record   assembly.Context `json:"record"`
	// Later lists what was read through the invocation afterwards.
	Later []LaterRead `json:"later"`
	// Outputs are the versions its agent wrote under it.
	Outputs []brenner.Ref `json:"outputs"`
	// Writes are all records its agent made under it: versions, replies, lessons,
	// stalemates (C30).
	Writes []ContextWrite `json:"writes"`
}

// ContextWrite is a record that was made under a context.
type ContextWrite struct {
	Seq  int64  `json:"seq"`
	Kind string `json:"kind"`
}

// LaterRead is one read after the context was assembled.
type LaterRead struct {
	At     time.Time     `json:"at"`
	What   string        `json:"what"`
	Refs   []brenner.Ref `json:"refs"`
	Tokens int           `json:"tokens"` // in the units of the budget
}

// ViewList lists view specs by role.
type ViewList struct {
	Views []ViewInfo `json:"items"`
}

// ViewInfo is a view spec and where it comes from.
type ViewInfo struct {
	assembly.View
	Version string `json:"version"`
}
