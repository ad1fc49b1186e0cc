package sessions

import (
	"context"
	"fmt"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/roster"
)

// A session, a reply and a delta of it are objects of these kinds; the group of
// the latter two is the session. The state of a delta is pending,
// or what the compile made of it.
const (
	objectSession = "session"
	objectReply   = "reply"
	objectDelta   = "delta"
	deltaPending  = "pending"
)

// sessionStarted says that a session was started, and all that version 1 of
// its artifact rests on.
type sessionStarted struct {
	ID           brenner.SessionID   `json:"id"`
	Question     string              `json:"question"`
	Module       brenner.Module      `json:"module"`
	Roster       roster.Roster       `json:"roster"`
	Recipients   []brenner.ActorName `json:"recipients"`
	Contributors []brenner.ActorName `json:"contributors"`
	Transport    api.Transport       `json:"transport"`
	// Thread is the delta that put the question, if there is one.
	Thread brenner.Digest `json:"thread,omitzero"`
}

func applySessionStarted(ctx context.Context, tx store.Tx, rec journal.Record, p sessionStarted) error {
	s := api.SessionInfo{
		ID: p.ID, Question: p.Question, Module: p.Module, Artifact: sessionRef(p.ID, 1), Roster: p.Roster,
		Transport: p.Transport, Recipients: []api.Recipient{}, Contributors: p.Contributors,
		Creator: rec.Actor, Created: rec.At, ThreadEmpty: p.Thread == "", Outbox: []api.Unsent{},
	}
	for _, name := range p.Recipients {
		e, _ := p.Roster.Entry(name)
		s.Recipients = append(s.Recipients, api.Recipient{Name: name, Role: e.Role})
	}
	return putSession(ctx, tx, rec.Seq, rec.Seq, s)
}

// sessionRef names a version of a session's artifact, which has the session's
// id.
func sessionRef(id brenner.SessionID, v brenner.Version) brenner.Ref {
	return brenner.Ref{Artifact: brenner.ArtifactID(id), Version: v}
}

// replyReceived says that a reply came, and which deltas it holds.
type replyReceived struct {
	Session brenner.SessionID `json:"session"`
	// Message is the id of the reply, unique in the session.
	Message string            `json:"message"`
	Agent   brenner.ActorName `json:"agent"`
	Via     string            `json:"via"`
	// Log is the reply as it was written; a decision of the PI has none.
	Log brenner.Ref `json:"log,omitzero"`
	// Stamp is the instant that deltas without one got.
	Stamp  string        `json:"stamp"`
	Deltas []queuedDelta `json:"deltas"`
}

// How a reply came.
const (
	viaMail      = "mail"       // an answer to a message
	viaSubmit    = "submit"     // handed in by the agent
	viaIngest    = "ingest"     // handed in by the PI
	viaAgentMail = "agent_mail" // fetched from the server
	viaResolve   = "resolve"    // no reply: the PI settled a conflict
)

// queuedDelta is a delta in the queue; the digest is that of its queuedEntry.
type queuedDelta struct {
	Digest    brenner.Digest  `json:"digest"`
	DeltaID   string          `json:"delta_id"`
	Operation delta.Operation `json:"operation,omitzero"`
	Section   delta.Section   `json:"section,omitzero"`
	Target    delta.Target    `json:"target_id,omitzero"`
}

// queuedEntry is a delta as it is stored until and after the compile: with the
// instant it was received at, which caps its own (D11).
type queuedEntry struct {
	Delta    delta.Delta    `json:"delta"`
	Message  string         `json:"message"`
	Received time.Time      `json:"received_at"`
	Invalid  *brenner.Error `json:"invalid,omitzero"`
}

func storedByStart(p sessionStarted) []brenner.Digest {
	if p.Thread == "" {
		return nil
	}
	return []brenner.Digest{p.Thread}
}

func storedByReply(p replyReceived) []brenner.Digest {
	out := make([]brenner.Digest, len(p.Deltas))
	for i, d := range p.Deltas {
		out[i] = d.Digest
	}
	return out
}

// reply is the state of a reply.
type reply struct {
	replyReceived
	At time.Time `json:"at"`
}

// deltaState is the state of a delta.
type deltaState struct {
	queuedDelta
	Session brenner.SessionID `json:"session"`
	Message string            `json:"message"`
	Agent   brenner.ActorName `json:"agent"`
	// Outcome is what the compile made of it.
	Outcome *delta.Outcome `json:"outcome,omitzero"`
}

func replyID(session brenner.SessionID, message string) string {
	return string(session) + "/" + message
}

func deltaID(session brenner.SessionID, message string, n int) string {
	return fmt.Sprintf("%s/%s#%d", session, message, n)
}

func applyReplyReceived(ctx context.Context, tx store.Tx, rec journal.Record, p replyReceived) error {
	body, err := canon.Marshal(reply{replyReceived: p, At: rec.At})
	if err != nil {
		return err
	}
	err = tx.PutObject(ctx, store.Object{
		Kind: objectReply, ID: replyID(p.Session, p.Message), Group: string(p.Session), State: p.Via,
		Order: rec.Seq, Body: body, Seq: rec.Seq,
	})
	if err != nil {
		return err
	}
	for i, q := range p.Deltas {
		d := deltaState{queuedDelta: q, Session: p.Session, Message: p.Message, Agent: p.Agent}
		// Deltas are listed as they came: by reply, then by place in it.
		order := rec.Seq<<20 | int64(i+1)
		if err := putDelta(ctx, tx, rec.Seq, order, deltaID(p.Session, p.Message, i+1), d); err != nil {
			return err
		}
	}
	return changeSession(ctx, tx, rec.Seq, p.Session, func(s *api.SessionInfo) {
		if !slices.Contains(s.Contributors, p.Agent) {
			s.Contributors = append(s.Contributors, p.Agent)
		}
		onRecipient(s, p.Agent, func(r *api.Recipient) {
			r.Pending += len(p.Deltas)
			if p.Via != viaResolve {
				r.Replies++
				r.AnsweredAt, r.Waiting = rec.At, false
			}
		})
	})
}

// sessionCompiled says what a compile made of deltas: everything needed to
// make it again.
type sessionCompiled struct {
	Session brenner.SessionID `json:"session"`
	Base    brenner.Version   `json:"base"`
	// Version is the one that came of it, 0 if nothing was recorded.
	Version      brenner.Version     `json:"version"`
	Priority     []brenner.ActorName `json:"priority,omitzero"`
	Contributors []brenner.ActorName `json:"contributors"`
	Deltas       []compiledDelta     `json:"deltas"`
	Conflicts    int                 `json:"conflicts"`
	ThreadEmpty  bool                `json:"thread_empty"`
}

type compiledDelta struct {
	ID      string         `json:"id"`
	Digest  brenner.Digest `json:"digest"`
	Outcome delta.Outcome  `json:"outcome"`
}

func applySessionCompiled(ctx context.Context, tx store.Tx, rec journal.Record, p sessionCompiled) error {
	done := map[brenner.ActorName]int{}
	for _, c := range p.Deltas {
		o, err := tx.Object(ctx, objectDelta, c.ID)
		if err != nil {
			return err
		}
		var d deltaState
		if err := kernel.ReadBody(o, &d); err != nil {
			return err
		}
		d.Outcome = &c.Outcome
		done[d.Agent]++
		if err := putDelta(ctx, tx, rec.Seq, o.Order, c.ID, d); err != nil {
			return err
		}
	}
	return changeSession(ctx, tx, rec.Seq, p.Session, func(s *api.SessionInfo) {
		s.Compiles++
		s.Conflicts, s.ThreadEmpty = p.Conflicts, p.ThreadEmpty
		if p.Version != 0 {
			s.Artifact.Version = p.Version
		}
		for i := range s.Recipients {
			r := &s.Recipients[i]
			r.Pending -= done[r.Name]
			r.Compiled += done[r.Name]
		}
	})
}

func putDelta(ctx context.Context, tx store.Tx, seq, order int64, id string, d deltaState) error {
	body, err := canon.Marshal(d)
	if err != nil {
		return err
	}
	state := deltaPending
	if d.Outcome != nil {
		state = string(d.Outcome.Status)
	}
	return tx.PutObject(ctx, store.Object{
		Kind: objectDelta, ID: id, Group: string(d.Session), State: state, Order: order, Body: body, Seq: seq,
	})
}

func putSession(ctx context.Context, tx store.Tx, seq, order int64, s api.SessionInfo) error {
	body, err := canon.Marshal(s)
	if err != nil {
		return err
	}
	return tx.PutObject(ctx, store.Object{Kind: objectSession, ID: string(s.ID), Order: order, Body: body, Seq: seq})
}

func changeSession(ctx context.Context, tx store.Tx, seq int64, id brenner.SessionID, fn func(*api.SessionInfo)) error {
	o, err := tx.Object(ctx, objectSession, string(id))
	if err != nil {
		return err
	}
	var s api.SessionInfo
	if err := kernel.ReadBody(o, &s); err != nil {
		return err
	}
	fn(&s)
	return putSession(ctx, tx, seq, o.Order, s)
}

// onRecipient changes a recipient, if the actor is one.
func onRecipient(s *api.SessionInfo, name brenner.ActorName, fn func(*api.Recipient)) {
	if i := slices.IndexFunc(s.Recipients, func(r api.Recipient) bool { return r.Name == name }); i >= 0 {
		fn(&s.Recipients[i])
	}
}

// findSession loads a session.
func findSession(c *kernel.Call, id brenner.SessionID) (api.SessionInfo, error) {
	var s api.SessionInfo
	o, err := c.Object(c.Ctx, objectSession, string(id))
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return s, brenner.Errorf(brenner.CodeNotFound, "there is no session %q", id).
			WithHint("list them with `brenner session list`")
	}
	if err != nil {
		return s, err
	}
	return s, kernel.ReadBody(o, &s)
}

// leading is to do what only who leads sessions may do.
func leading(id brenner.SessionID) kernel.Guard { return kernel.To(policy.Session, string(id)) }

// sessionArtifact reads a version of a session's artifact; version 0 is the
// head.
func sessionArtifact(c *kernel.Call, id brenner.SessionID, v brenner.Version) (store.Version, *delta.Artifact, error) {
	a, err := c.Reader.Artifact(c.Ctx, brenner.ArtifactID(id))
	if err != nil {
		return store.Version{}, nil, err
	}
	if v == 0 {
		v = a.Head
	}
	row, err := ledger.InForce(c, a, v)
	if err != nil {
		return store.Version{}, nil, err
	}
	content, err := ledger.ContentOf(c, row)
	if err != nil {
		return store.Version{}, nil, err
	}
	doc, err := delta.ReadArtifact(content.Data)
	return row, doc, err
}

// OnlyByDeltas refuses to overwrite the artifact of a session: it follows from
// its deltas and nothing else.
func (r *Room) OnlyByDeltas(ch *kernel.Change, id brenner.ArtifactID) error {
	switch _, err := ch.Object(ch.Ctx, objectSession, string(id)); brenner.CodeOf(err) {
	case "":
		return brenner.Errorf(brenner.CodeStatusConflict, "%s is the artifact of a session: only deltas change it", id).
			WithHint(fmt.Sprintf("run `brenner delta submit --session %s FILE`", id))
	case brenner.CodeNotFound:
		return nil
	default:
		return err
	}
}

// RosterRole is the role that a session's roster gives the caller.
func (r *Room) RosterRole(c *kernel.Call, id brenner.SessionID) (brenner.Role, error) {
	s, err := findSession(c, id)
	return roleIn(s.Roster, c.Who), err
}

// roleIn is the role that a roster gives an actor: its standing one if it names
// none.
func roleIn(team roster.Roster, who store.Actor) brenner.Role {
	if e, ok := team.Entry(who.Name); ok {
		return e.Role
	}
	return who.Role
}
