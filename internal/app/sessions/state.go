package sessions

import (
	"context"
	"fmt"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/roster"
)

// session is the state of a session.
type session struct {
	ID           brenner.SessionID   `json:"id"`
	Question     string              `json:"question"`
	Module       brenner.Module      `json:"module"`
	Artifact     brenner.Ref         `json:"artifact"` // as last compiled
	Roster       roster.Roster       `json:"roster"`
	Transport    api.Transport       `json:"transport"`
	Recipients   []recipient         `json:"recipients"`
	Contributors []brenner.ActorName `json:"contributors"`
	Creator      brenner.ActorName   `json:"creator"`
	Created      time.Time           `json:"created_at"`
	Compiles     int                 `json:"compiles"`
	Conflicts    int                 `json:"conflicts"`
	ThreadEmpty  bool                `json:"thread_empty"`
	AcceptMended bool                `json:"accept_mended,omitzero"`
	Compile      api.CompileMode     `json:"compile,omitzero"`
	Concludes    brenner.ActorName   `json:"concludes,omitzero"`
	Concluded    bool                `json:"concluded,omitzero"`
	Outbox       []unsent            `json:"outbox"`
	Closed       time.Time           `json:"closed_at,omitzero"`
	ClosedBy     brenner.ActorName   `json:"closed_by,omitzero"`
	ClosedFor    string              `json:"closed_for,omitzero"`
}

// recipient is somebody who was asked, and how far that has come.
type recipient struct {
	Name       brenner.ActorName `json:"name"`
	Role       brenner.Role      `json:"role"`
	Ask        string            `json:"ask"` // the message that asked last
	AskedAt    time.Time         `json:"asked_at"`
	AckedAt    time.Time         `json:"acked_at,omitzero"`
	AnsweredAt time.Time         `json:"answered_at,omitzero"`
	FirstAt    time.Time         `json:"first_at,omitzero"`
	Waiting    bool              `json:"waiting"`
	Late       bool              `json:"late,omitzero"`
	Nothing    bool              `json:"nothing,omitzero"`
	Replies    int               `json:"replies"`
	Unusable   string            `json:"unusable,omitzero"`
	Pending    int               `json:"pending"`
	Compiled   int               `json:"compiled"`
}

// unsent is a message that has not been delivered.
type unsent struct {
	ID       string            `json:"id"`
	To       brenner.ActorName `json:"to"`
	Kind     api.MessageKind   `json:"kind"`
	Attempts int               `json:"attempts"` // that failed
	Code     brenner.Code      `json:"code,omitzero"`
	Message  string            `json:"message,omitzero"`
}

var sessions = kernel.Table[session]{
	Kind: "session",
	Key:  func(s session) kernel.Key { return kernel.Key{ID: string(s.ID)} },
	Missing: func(id string) error {
		return brenner.Errorf(brenner.CodeNotFound, "there is no session %q", id).
			Try(brenner.Do("session.list"))
	},
}

// info is a session as callers see it.
func (s session) info() api.SessionInfo {
	out := api.SessionInfo{
		ID: s.ID, Question: s.Question, Module: s.Module, Artifact: s.Artifact, Roster: s.Roster, Transport: s.Transport,
		Recipients: make([]api.Recipient, len(s.Recipients)), Contributors: s.Contributors, Creator: s.Creator, Created: s.Created,
		Compiles: s.Compiles, Conflicts: s.Conflicts, ThreadEmpty: s.ThreadEmpty, AcceptMended: s.AcceptMended, Compile: s.Compile,
		Outbox: make([]api.Unsent, len(s.Outbox)), Closed: s.Closed, ClosedBy: s.ClosedBy, ClosedFor: s.ClosedFor,
		Concludes: s.Concludes, Concluded: s.Concluded,
	}
	for i, r := range s.Recipients {
		out.Recipients[i] = api.Recipient(r)
	}
	for i, u := range s.Outbox {
		out.Outbox[i] = api.Unsent(u)
	}
	return out
}

// changeRecipient changes a recipient, if the actor is one.
func (s *session) changeRecipient(name brenner.ActorName, fn func(*recipient)) {
	if i := slices.IndexFunc(s.Recipients, func(r recipient) bool { return r.Name == name }); i >= 0 {
		fn(&s.Recipients[i])
	}
}

func changeSession(ctx context.Context, tx store.Tx, seq int64, id brenner.SessionID, fn func(*session)) error {
	_, err := sessions.Change(ctx, tx, seq, string(id), fn)
	return err
}

// questionFor is what a session asks, for whoever looks where it stands: those
// who take part in it and persons (C33).
func questionFor(c *kernel.Call, info api.SessionInfo) string {
	if c.Sees(artifact.TypeSessionArtifact, info.Module) || info.Creator == c.Who.Name || slices.Contains(info.Contributors, c.Who.Name) {
		return info.Question
	}
	return ""
}

// findSession loads a session.
func findSession(c *kernel.Call, id brenner.SessionID) (api.SessionInfo, error) {
	s, err := sessions.Find(c.Ctx, c.Reader, string(id))
	if err != nil {
		return api.SessionInfo{}, err
	}
	return s.info(), nil
}

// recipientOf finds a recipient of a session.
func recipientOf(info api.SessionInfo, name brenner.ActorName) (api.Recipient, bool) {
	i := slices.IndexFunc(info.Recipients, func(r api.Recipient) bool { return r.Name == name })
	if i < 0 {
		return api.Recipient{}, false
	}
	return info.Recipients[i], true
}

// reply is the state of a reply; its group is the session.
type reply struct {
	replyReceived
	At time.Time `json:"at"`
}

var replies = kernel.Table[reply]{
	Kind: "reply",
	Key: func(r reply) kernel.Key {
		return kernel.Key{ID: replyID(r.Session, r.Message), Group: string(r.Session), State: r.Via}
	},
}

func replyID(session brenner.SessionID, message string) string {
	return string(session) + "/" + message
}

// deltaState is the state of a delta of a reply; its group is the session.
type deltaState struct {
	queuedDelta
	Session brenner.SessionID `json:"session"`
	Message string            `json:"message"`
	Agent   brenner.ActorName `json:"agent"`
	// Outcome is what the compile made of it.
	Outcome *delta.Outcome `json:"outcome,omitzero"`
}

// deltaPending is the state of a delta that waits for a compile; later it is
// what the compile made of it. One that waits for the ADD of its target
// (deltaWaiting) takes part in every compile until that has come (D4).
const (
	deltaPending = "pending"
	deltaRefused = "refused" // of an unusable reply; it is in no queue
	deltaWaiting = string(delta.Waiting)
)

var deltas = kernel.Table[deltaState]{
	Kind: "delta",
	Key: func(d deltaState) kernel.Key {
		k := kernel.Key{Group: string(d.Session), State: deltaPending}
		if d.Outcome != nil {
			k.State = string(d.Outcome.Status)
		}
		return k
	},
}

func deltaID(session brenner.SessionID, message string, n int) string {
	return fmt.Sprintf("%s/%s#%d", session, message, n)
}

// message is the state of a message; its group is the recipient, its state how
// far it has come with its reader.
type message struct {
	ID      string            `json:"id"`
	To      brenner.ActorName `json:"to"`
	Kind    api.MessageKind   `json:"kind"`
	State   api.MessageState  `json:"state"`
	Session brenner.SessionID `json:"session"`
	Subject string            `json:"subject"`
	Task    string            `json:"task,omitzero"`
	Body    brenner.Digest    `json:"body_sha256"` // of the text
	Sent    time.Time         `json:"sent_at"`
	ReadAt  time.Time         `json:"read_at,omitzero"`
	AckedAt time.Time         `json:"acked_at,omitzero"`
}

var messages = kernel.Table[message]{
	Kind: "message",
	Key: func(m message) kernel.Key {
		return kernel.Key{ID: m.ID, Group: string(m.To), State: string(m.State)}
	},
}

// mailName is the name a mail server knows an actor by. Servers assign names of
// their own; asking for a new one each time would make the agent a stranger to
// its earlier mail.
type mailName struct {
	As string `json:"as"`

	of brenner.ActorName
}

var mailNames = kernel.Table[mailName]{
	Kind: "mail_name", Unordered: true,
	Key: func(n mailName) kernel.Key { return kernel.Key{ID: string(n.of)} },
}
