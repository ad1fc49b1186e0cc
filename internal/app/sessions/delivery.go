package sessions

import (
	"context"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/mail"
	"brenner/internal/store"
	"brenner/policy"
)

// mailSender is who we ask to be on a mail server.
const mailSender brenner.ActorName = "Brenner"

// messageTried says what came of sending a message over a transport: it
// arrived, or Code and Message say why not.
type messageTried struct {
	ID      string            `json:"id"`
	Session brenner.SessionID `json:"session"`
	To      brenner.ActorName `json:"to"`
	// As is the name the server knows the agent by, Sender the name it knows
	// us by, MailID the message's id there.
	As     string `json:"as,omitzero"`
	Sender string `json:"sender,omitzero"`
	MailID string `json:"mail_id,omitzero"`
	// Code and Message say why it did not arrive.
	Code    brenner.Code `json:"code,omitzero"`
	Message string       `json:"message,omitzero"`
}

func applyMessageTried(ctx context.Context, tx store.Tx, rec journal.Record, p messageTried) error {
	if p.Code == "" {
		if err := mailNames.Put(ctx, tx, rec.Seq, mailName{As: p.As, of: p.To}); err != nil {
			return err
		}
		if err := mailNames.Put(ctx, tx, rec.Seq, mailName{As: p.Sender, of: mailSender}); err != nil {
			return err
		}
	}
	return changeSession(ctx, tx, rec.Seq, p.Session, func(s *session) {
		i := slices.IndexFunc(s.Outbox, func(u unsent) bool { return u.ID == p.ID })
		switch {
		case i < 0: // another process was faster
		case p.Code == "":
			s.Outbox = slices.Delete(s.Outbox, i, i+1)
		default:
			s.Outbox[i].Attempts++
			s.Outbox[i].Code, s.Outbox[i].Message = p.Code, p.Message
		}
	})
}

// sent names the messages a use case wrote, to be delivered when its
// transaction has ended.
type sent struct {
	To brenner.ActorName
	ID string
}

// deliver brings messages of a session to their recipients and records what
// became of each: the network is used between two transactions, never inside
// one. The mailbox delivers by writing, so nothing is left to do. again says
// that an earlier attempt may have arrived.
//
// Over a mail server a message arrives at least once. Each has a key at its
// end, and whoever sends again first looks for the key in the thread; so one
// arrives twice only if two processes send it at the same moment, such as a
// start that is still sending and a resend. A lease would prevent that and make
// everybody whose start was killed wait for it to run out; and the reader knows
// a message that came twice by its key.
func (s *Service) deliver(ctx context.Context, id brenner.SessionID, messages []sent, again bool) ([]api.Delivery, error) {
	out := make([]api.Delivery, len(messages))
	for i, m := range messages {
		out[i] = api.Delivery{To: m.To, Message: m.ID, State: api.Delivered}
	}
	box, err := s.outbox(ctx, id, messages, again)
	if err != nil || len(box.messages) == 0 {
		return out, err
	}
	transport := s.openMail(box.options)
	defer func() { _ = transport.Close() }()
	results := mail.DeliverAll(ctx, transport, box.messages)
	if err := s.settleDeliveries(context.WithoutCancel(ctx), id, box.ids, results); err != nil {
		return nil, err
	}
	for n, r := range results {
		i := slices.IndexFunc(messages, func(m sent) bool { return m.ID == box.ids[n] })
		if r.Error != nil {
			out[i].State, out[i].Error = api.Failed, r.Error
		} else if r.Receipt.As != string(r.To) {
			out[i].As = r.Receipt.As
		}
	}
	return out, nil
}

// outbox is what is to be sent over a mail server, ready to go.
type outbox struct {
	options  mail.Options
	ids      []string
	messages []mail.Message
}

// outbox loads those of the messages that have not been delivered yet.
func (s *Service) outbox(ctx context.Context, id brenner.SessionID, messages []sent, again bool) (outbox, error) {
	return kernel.View(ctx, s.caller, kernel.Settled("writing the messages"), func(c *kernel.Call) (outbox, error) {
		info, err := findSession(c, id)
		if err != nil || len(info.Outbox) == 0 {
			return outbox{}, err
		}
		var box outbox
		if box.options, err = mailOptions(c); err != nil {
			return outbox{}, err
		}
		for _, u := range info.Outbox {
			if !slices.ContainsFunc(messages, func(m sent) bool { return m.ID == u.ID }) {
				continue
			}
			m, err := mailMessage(c, info, u)
			if err != nil {
				return outbox{}, err
			}
			m.Key, m.Again = box.options.Project+"/"+u.ID, again || u.Attempts > 0
			box.ids = append(box.ids, u.ID)
			box.messages = append(box.messages, m)
		}
		return box, nil
	})
}

// mailOptions says who we are to a mail server, and who the agents are.
func mailOptions(c *kernel.Call) (mail.Options, error) {
	project, err := c.Reader.Project(c.Ctx)
	if err != nil {
		return mail.Options{}, err
	}
	o := mail.Options{Project: "/" + string(project.ID), Sender: mailSender, Names: map[brenner.ActorName]string{}}
	err = mailNames.Each(c.Ctx, c.Reader, kernel.Query{}, func(row kernel.Row[mailName]) (bool, error) {
		o.Names[brenner.ActorName(row.ID)] = row.Value.As
		return true, nil
	})
	return o, err
}

// mailMessage is a message as a mail server takes it.
func mailMessage(c *kernel.Call, info api.SessionInfo, u api.Unsent) (mail.Message, error) {
	m, err := messages.Find(c.Ctx, c.Reader, u.ID)
	if err != nil {
		return mail.Message{}, err
	}
	text, err := c.Blob(c.Ctx, m.Body)
	if err != nil {
		return mail.Message{}, err
	}
	e, _ := info.Roster.Entry(u.To)
	return mail.Message{
		To:     mail.Party{Name: u.To, Program: e.Program, Model: e.Model, Task: string(e.Role) + " in " + string(info.ID)},
		Thread: string(info.ID), Subject: m.Subject, Body: brenner.Speak(string(text), brenner.Action.Command),
	}, nil
}

// openMail gives the mail server's client. Without one every use fails, so that
// a failure looks the same wherever it comes from.
func (a *Room) openMail(o mail.Options) mail.Transport {
	if a.Mail == nil {
		return noMail{brenner.Errorf(brenner.CodeMailUnavailable, "no mail server is set up here").
			WithHint("use the built-in mailbox, or set AGENT_MAIL_BASE_URL")}
	}
	t, err := a.Mail(o)
	if err != nil {
		return noMail{err}
	}
	return t
}

// noMail is a mail server that cannot be used.
type noMail struct{ why error }

func (n noMail) Deliver(context.Context, mail.Message) (mail.Receipt, error) {
	return mail.Receipt{}, n.why
}

func (n noMail) Replies(context.Context, string) ([]mail.Reply, error) { return nil, n.why }

func (n noMail) Close() error { return nil }

// settleDeliveries records what became of each message.
func (s *Service) settleDeliveries(ctx context.Context, id brenner.SessionID, ids []string, results []mail.Delivery) error {
	_, err := kernel.Write(ctx, s.caller, "session.deliver", api.Write{}, kernel.Settled("writing the messages"), func(ch *kernel.Change) (struct{}, error) {
		for i, r := range results {
			p := messageTried{ID: ids[i], Session: id, To: r.To}
			if r.Error != nil {
				p.Code, p.Message = r.Error.Code, r.Error.Message
			} else {
				p.As, p.Sender, p.MailID = r.Receipt.As, r.Receipt.From, r.Receipt.ID
			}
			if _, err := kindMessageTried.Append(ch, p); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, nil
	})
	return err
}

// ResendSession implements api.Sessions.
func (s *Service) ResendSession(ctx context.Context, req api.ResendSessionRequest) (api.DeliveryResult, error) {
	info, err := kernel.View(ctx, s.caller, leading(req.ID), func(c *kernel.Call) (api.SessionInfo, error) { return findSession(c, req.ID) })
	if err != nil {
		return api.DeliveryResult{}, err
	}
	messages := make([]sent, len(info.Outbox))
	for i, u := range info.Outbox {
		messages[i] = sent{To: u.To, ID: u.ID}
	}
	out, err := s.deliver(ctx, info.ID, messages, true)
	return api.DeliveryResult{Deliveries: out}, err
}

// NudgeSession implements api.Sessions.
func (s *Service) NudgeSession(ctx context.Context, req api.NudgeSessionRequest) (api.DeliveryResult, error) {
	again := true
	messages, err := kernel.Write(ctx, s.caller, "session.nudge", req, leading(req.ID), func(ch *kernel.Change) ([]sent, error) {
		again = false
		info, err := findSession(ch.Call, req.ID)
		if err != nil {
			return nil, err
		}
		return sendNudges(ch, info, req)
	})
	if err != nil {
		return api.DeliveryResult{}, err
	}
	out := api.DeliveryResult{}
	if out.Deliveries, err = s.deliver(ctx, req.ID, messages, again); err != nil {
		return out, err
	}
	out.Awaited, err = kernel.View(ctx, s.caller, kernel.Settled("the nudge; this is who is waited for beside those it went to"), func(c *kernel.Call) ([]brenner.ActorName, error) {
		info, err := findSession(c, req.ID)
		return slices.DeleteFunc(info.Awaited(), func(name brenner.ActorName) bool {
			return slices.ContainsFunc(messages, func(m sent) bool { return m.To == name })
		}), err
	})
	return out, err
}

// unanswered are those who were asked before a session was closed and had not answered.
func unanswered(info api.SessionInfo) []brenner.ActorName {
	var out []brenner.ActorName
	for _, r := range info.Recipients {
		if !r.AskedAt.IsZero() && r.AnsweredAt.Before(r.AskedAt) {
			out = append(out, r.Name)
		}
	}
	return out
}

// sendNudges writes to those named, or to those who have not answered.
func sendNudges(ch *kernel.Change, info api.SessionInfo, req api.NudgeSessionRequest) ([]sent, error) {
	if err := checkSessionText("note", req.Note); err != nil {
		return nil, err
	}
	for _, name := range req.To {
		if !slices.ContainsFunc(info.Recipients, func(r api.Recipient) bool { return r.Name == name }) {
			return nil, brenner.Errorf(brenner.CodeNotFound, "%s was not asked in %s", name, info.ID).
				WithHint("recipients: " + kernel.Join(recipientNames(info)))
		}
	}
	out := []sent{}
	var awaited []brenner.ActorName // said by the message that opens the session
	if !info.Closed.IsZero() && len(req.To) == 0 {
		awaited = unanswered(info)
	}
	for _, r := range info.Recipients {
		if len(req.To) > 0 && !slices.Contains(req.To, r.Name) || len(req.To) == 0 && !r.Waiting && info.Closed.IsZero() {
			continue
		}
		id, err := sendMessage(ch, messageSent{
			To: r.Name, Kind: api.MessageNudge, Session: info.ID, Transport: info.Transport,
			Subject: "QUESTION: " + string(info.ID) + " waits for your answer", Awaited: awaited,
		}, nudgeText(info, r, req.Note))
		if err != nil {
			return nil, err
		}
		awaited = nil
		out = append(out, sent{To: r.Name, ID: id})
	}
	return out, nil
}

func recipientNames(info api.SessionInfo) []brenner.ActorName {
	out := make([]brenner.ActorName, len(info.Recipients))
	for i, r := range info.Recipients {
		out[i] = r.Name
	}
	return out
}

// mailAllowed refuses a use case of Agent Mail on a session that does not use
// it.
func mailAllowed(info api.SessionInfo) error {
	if info.Transport == api.TransportAgentMail {
		return nil
	}
	return brenner.Errorf(brenner.CodeStatusConflict, "%s uses the built-in mailbox: its replies come by themselves", info.ID).
		WithHint("hand in a file of a reply instead").Try(brenner.Do("session.ingest", "file", "FILE", "from", "NAME", "session", string(info.ID)))
}

// mayLead says whether the caller leads sessions.
func mayLead(c *kernel.Call) bool { return c.May(policy.Session, "", "") }
