package sessions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
)

// messageSent says that the system wrote to an actor. In the mailbox that is
// the delivery; over another transport it is the intent, which messageTried
// settles.
type messageSent struct {
	ID        string            `json:"id"`
	To        brenner.ActorName `json:"to"`
	Kind      api.MessageKind   `json:"kind"`
	Session   brenner.SessionID `json:"session"`
	Subject   string            `json:"subject"`
	Task      string            `json:"task,omitzero"`
	Body      brenner.Digest    `json:"body"`
	Transport api.Transport     `json:"transport"`
	// Awaited are the others who are waited for again: it opens a session that was
	// closed before they had answered.
	Awaited []brenner.ActorName `json:"awaited,omitzero"`
}

func applyMessageSent(ctx context.Context, tx store.Tx, rec journal.Record, p messageSent) error {
	err := messages.Put(ctx, tx, rec.Seq, message{
		ID: p.ID, To: p.To, Kind: p.Kind, State: api.MessageUnread, Session: p.Session,
		Subject: p.Subject, Task: p.Task, Body: p.Body, Sent: rec.At,
	})
	if err != nil || p.Session == "" {
		return err
	}
	return changeSession(ctx, tx, rec.Seq, p.Session, func(s *session) {
		if p.Transport != api.TransportMailbox {
			s.Outbox = append(s.Outbox, unsent{ID: p.ID, To: p.To, Kind: p.Kind})
		}
		if !p.Kind.Asks() {
			return
		}
		s.reopen()
		for _, name := range p.Awaited {
			s.changeRecipient(name, func(r *recipient) { r.Waiting = true })
		}
		s.changeRecipient(p.To, func(r *recipient) {
			r.Ask, r.AskedAt, r.AckedAt, r.Waiting, r.Late = p.ID, rec.At, time.Time{}, true, false
		})
	})
}

type messageRead struct {
	ID string `json:"id"`
}

func applyMessageRead(ctx context.Context, tx store.Tx, rec journal.Record, p messageRead) error {
	_, err := messages.Change(ctx, tx, rec.Seq, p.ID, func(m *message) {
		m.State, m.ReadAt = api.MessageRead, rec.At
	})
	return err
}

type messageAcked struct {
	ID string `json:"id"`
}

func applyMessageAcked(ctx context.Context, tx store.Tx, rec journal.Record, p messageAcked) error {
	m, err := messages.Change(ctx, tx, rec.Seq, p.ID, func(m *message) {
		m.State, m.AckedAt = api.MessageAcked, rec.At
	})
	if err != nil || m.Session == "" {
		return err
	}
	return changeSession(ctx, tx, rec.Seq, m.Session, func(s *session) {
		s.changeRecipient(m.To, func(r *recipient) {
			if r.Ask == m.ID {
				r.AckedAt = rec.At
			}
		})
	})
}

// sendMessage writes a message of the system to an actor: the only way anything
// reaches a mailbox (C2).
func sendMessage(ch *kernel.Change, m messageSent, text string) (string, error) {
	digest, err := ch.PutBlob([]byte(text))
	if err != nil {
		return "", err
	}
	m.ID, m.Body = fmt.Sprintf("msg-%d", ch.NextSeq()), digest
	_, err = kindMessageSent.Append(ch, m)
	return m.ID, err
}

// Tell writes a message of the system that is about no session. Nobody is told
// of what it did itself.
func (r *Room) Tell(ch *kernel.Change, to brenner.ActorName, kind api.MessageKind, subject, text string) error {
	return r.TellOfTask(ch, to, kind, "", subject, text)
}

// TellOfTask is Tell for a message that a task is there to be done, until
// SettleTask.
func (r *Room) TellOfTask(ch *kernel.Change, to brenner.ActorName, kind api.MessageKind, task, subject, text string) error {
	if to == ch.Who.Name {
		return nil
	}
	a, err := ch.Actor(ch.Ctx, to)
	if errors.Is(err, brenner.CodeNotFound) || (err == nil && (!a.Active || a.Kind != kernel.Agent)) {
		return nil // a person has the inbox of what waits (N1)
	}
	if err != nil {
		return err
	}
	_, err = sendMessage(ch, messageSent{To: to, Kind: kind, Subject: subject, Task: task, Transport: api.TransportMailbox}, text)
	return err
}

// SettleTask acknowledges what tells an agent of a task: nothing is to be done
// about it any more, or the agent is at it.
func (r *Room) SettleTask(ch *kernel.Change, t api.TaskInfo, of brenner.ActorName) error {
	var told []string
	q := kernel.Query{Group: string(of), States: []string{string(api.MessageUnread), string(api.MessageRead)}, Newest: true}
	err := messages.Each(ch.Ctx, ch.Reader, q, func(row kernel.Row[message]) (bool, error) {
		if row.Value.Task == t.ID {
			told = append(told, row.Value.ID)
		}
		return !row.Value.Sent.Before(t.Created), nil
	})
	for _, id := range told {
		if err == nil {
			_, err = kindMessageAcked.Append(ch, messageAcked{ID: id})
		}
	}
	return err
}

// findMessage loads a message of the caller. Another's is not found: nobody
// learns what others are told.
func findMessage(c *kernel.Call, id string) (api.MessageInfo, error) {
	m, err := messages.Find(c.Ctx, c.Reader, id)
	if err != nil && !errors.Is(err, brenner.CodeNotFound) {
		return api.MessageInfo{}, err
	}
	if err == nil && m.To != c.Who.Name && c.Person() { // who leads the project sees the mail of every agent
		return api.MessageInfo{}, brenner.Errorf(brenner.CodeNotFound, "%s is a message for %s, not for %s", id, m.To, c.Who.Name).
			WithHint("act as its reader").Try(brenner.Again("as", string(m.To)))
	}
	if err != nil || m.To != c.Who.Name {
		return api.MessageInfo{}, brenner.Errorf(brenner.CodeNotFound, "there is no message %q for %s", id, c.Who.Name).
			Try(brenner.Do("mail.inbox"))
	}
	return api.MessageInfo(m), nil
}

// Inbox implements api.Mailbox.
func (s *Service) Inbox(ctx context.Context, req api.InboxRequest) (api.MessageList, error) {
	return kernel.View(ctx, s.caller.Recalling(), kernel.To(policy.Mail, "inbox"), func(c *kernel.Call) (api.MessageList, error) {
		q := kernel.Query{Group: string(c.Who.Name)}
		states := req.States
		if len(states) == 0 {
			states = []api.MessageState{api.MessageUnread, api.MessageRead}
		}
		if slices.Contains(states, api.MessageAll) {
			states = nil
		}
		for _, st := range states {
			if !slices.Contains([]api.MessageState{api.MessageUnread, api.MessageRead, api.MessageAcked}, st) {
				return api.MessageList{}, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a state of a message", st).
					WithHint("states: unread, read, acked, all")
			}
			q.States = append(q.States, string(st))
		}
		out := api.MessageList{Messages: []api.MessageInfo{}}
		if req.Asks {
			var asks []api.MessageInfo
			err := messages.Each(ctx, c.Reader, q, func(row kernel.Row[message]) (bool, error) {
				if row.Value.Kind.Asks() {
					asks = append(asks, api.MessageInfo(row.Value))
				}
				return true, nil
			})
			if err != nil {
				return out, err
			}
			out.Messages, out.Next, err = kernel.PageOf(asks, req.Page)
			return out, err
		}
		next, err := messages.Page(ctx, c.Reader, q, req.Page, func(row kernel.Row[message]) error {
			out.Messages = append(out.Messages, api.MessageInfo(row.Value))
			return nil
		})
		out.Next = next
		return out, err
	})
}

// ReadMessage implements api.Mailbox.
func (s *Service) ReadMessage(ctx context.Context, req api.MessageRequest) (api.MessageView, error) {
	fresh := false
	out, err := kernel.Write(ctx, s.caller, "mail.read", req, kernel.To(policy.Mail, req.ID), func(ch *kernel.Change) (api.MessageView, error) {
		fresh = true
		m, err := findMessage(ch.Call, req.ID)
		if err != nil {
			return api.MessageView{}, err
		}
		text, err := ch.Blob(ctx, m.Body)
		if err != nil {
			return api.MessageView{}, err
		}
		if m.State == api.MessageUnread {
			if _, err := kindMessageRead.Append(ch, messageRead{ID: m.ID}); err != nil {
				return api.MessageView{}, err
			}
			m, err = findMessage(ch.Call, m.ID)
		}
		return api.MessageView{MessageInfo: m, Text: string(text)}, err
	})
	if err != nil || fresh {
		return out, err
	}
	// The text of a repeat is read anew.
	return kernel.View(ctx, s.caller, kernel.To(policy.Mail, req.ID), func(c *kernel.Call) (api.MessageView, error) {
		m, err := findMessage(c, req.ID)
		if err != nil {
			return api.MessageView{}, err
		}
		text, err := c.Blob(ctx, m.Body)
		out.Text = string(text)
		return out, err
	})
}

// AckMessage implements api.Mailbox.
func (s *Service) AckMessage(ctx context.Context, req api.MessageRequest) (api.MessageInfo, error) {
	return kernel.Write(ctx, s.caller, "mail.ack", req, kernel.To(policy.Mail, req.ID), func(ch *kernel.Change) (api.MessageInfo, error) {
		m, err := findMessage(ch.Call, req.ID)
		if err != nil {
			return m, err
		}
		return acknowledge(ch, m)
	})
}

// acknowledge marks a message acknowledged unless it is already.
func acknowledge(ch *kernel.Change, m api.MessageInfo) (api.MessageInfo, error) {
	if m.State == api.MessageAcked {
		return m, nil
	}
	if _, err := kindMessageAcked.Append(ch, messageAcked{ID: m.ID}); err != nil {
		return m, err
	}
	return findMessage(ch.Call, m.ID)
}

// ReplyMessage implements api.Mailbox.
func (s *Service) ReplyMessage(ctx context.Context, req api.ReplyMessageRequest) (api.Submission, error) {
	var m api.MessageInfo
	in := &incoming{agent: s.caller.Name, via: viaMail, text: req.Text}
	guard := kernel.All(kernel.To(policy.Mail, req.ID), contributing(in, func(c *kernel.Call) (_ brenner.SessionID, err error) {
		m, err = findMessage(c, req.ID)
		if err == nil && m.Session == "" {
			err = brenner.Errorf(brenner.CodeInvalidValue, "%s is about no session: nothing is answered to it", m.ID).
				WithHint("do what it says; its text names the calls").Try(brenner.Do("mail.ack", "id", m.ID))
		}
		return m.Session, err
	}))
	sub, err := s.receive(ctx, "mail.reply", req, guard, in, func(ch *kernel.Change, in incoming) (api.Submission, error) {
		if _, err := acknowledge(ch, m); err != nil {
			return api.Submission{}, err
		}
		return s.receiveReply(ch, in)
	})
	return sub, s.tellAgents(ctx, err, sub)
}
