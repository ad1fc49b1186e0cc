package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/mail"
	"brenner/policy"
)

// SubmitDeltas implements api.Sessions.
func (s *Service) SubmitDeltas(ctx context.Context, req api.SubmitDeltasRequest) (api.Submission, error) {
	in := &incoming{agent: s.caller.Name, via: viaSubmit, text: req.Text}
	guard := contributing(in, func(*kernel.Call) (brenner.SessionID, error) { return req.Session, nil })
	if req.From != "" && req.From != s.caller.Name {
		in.agent, in.via = req.From, viaIngest
		guard = kernel.To(policy.Session, "ingest for "+string(req.From)).Then(func(c *kernel.Call) (err error) {
			in.session, err = sessionOf(c, req.Session, in.agent)
			return err
		})
	}
	if req.DryRun {
		return kernel.View(ctx, s.caller, guard, func(c *kernel.Call) (api.Submission, error) { return tryReply(c, *in) })
	}
	return s.receive(ctx, "delta.submit", req, guard, in, s.receiveReply)
}

// receive runs a use case that takes a reply, and what follows from it.
func (s *Service) receive(ctx context.Context, name string, req kernel.Keyed, guard kernel.Guard, in *incoming, take func(*kernel.Change, incoming) (api.Submission, error)) (api.Submission, error) {
	sub, err := s.keep(ctx, name, req, guard, in, take)
	if err != nil {
		return sub, err
	}
	return s.settle(ctx, sub)
}

// keep takes a reply in. A long one is read while others write (X9).
func (s *Service) keep(ctx context.Context, name string, req kernel.Keyed, guard kernel.Guard, in *incoming, take func(*kernel.Change, incoming) (api.Submission, error)) (api.Submission, error) {
	if len(in.text) < brenner.LargeContentBytes {
		return kernel.Write(ctx, s.caller, name, req, guard, func(ch *kernel.Change) (api.Submission, error) { return take(ch, *in) })
	}
	plan := kernel.Plan[*readReply]{
		Make: func(c *kernel.Call) (*readReply, error) {
			if err := checkContributor(c, *in); err != nil {
				return nil, err
			}
			return in.begin(c.Now).read(c.Now)
		},
		// A text says the same later.
		Holds: func(*kernel.Call, *readReply) (bool, error) { return true, nil },
	}
	return kernel.WritePlan(ctx, s.caller, name, req, guard, plan, func(ch *kernel.Change, read *readReply) (api.Submission, error) {
		whole := *in
		whole.ready = read
		return take(ch, whole)
	})
}

// readReply is a reply as it was read: its deltas, and when it was written.
type readReply struct {
	delta.Extraction
	stamp string
}

// begin names a reply and says when it was written, where that is not known: the
// same reply again has the same name, for it follows from its text.
func (in incoming) begin(now time.Time) incoming {
	if in.message == "" {
		sum := canon.Sum([]byte(string(in.session.ID) + "\n" + string(in.agent) + "\n" + in.text))
		in.message = "reply-" + string(sum)[:16]
	}
	if in.written.IsZero() || in.written.After(now) {
		in.written = now
	}
	return in
}

// read extracts the deltas of a reply, unless that was done.
func (in incoming) read(now time.Time) (*readReply, error) {
	if in.ready != nil {
		return in.ready, nil
	}
	stamp := delta.FormatInstant(in.written)
	x, err := extractReply(in.text, in.message, in.agent, stamp, now)
	return &readReply{x, stamp}, err
}

// contributing is to hand in a reply of one's own, in the role that the roster
// of the session gives (C8). It loads the session that the reply is for.
func contributing(in *incoming, named func(*kernel.Call) (brenner.SessionID, error)) kernel.Guard {
	return kernel.On(func(c *kernel.Call) (kernel.Act, error) {
		id, err := named(c)
		if err != nil {
			return kernel.Act{}, err
		}
		if in.session, err = sessionOf(c, id, in.agent); err != nil {
			return kernel.Act{}, err
		}
		c.Who.Role = roleIn(in.session.Roster, c.Who)
		return kernel.Act{Action: policy.Delta, Target: string(in.session.ID)}, nil
	})
}

// sessionOf finds the session a reply is for: the one named, or else the only
// one in which the agent is waited for, or the only one it contributes to.
func sessionOf(c *kernel.Call, id brenner.SessionID, agent brenner.ActorName) (api.SessionInfo, error) {
	if id != "" {
		return findSession(c, id)
	}
	var asked, known []api.SessionInfo
	err := sessions.Each(c.Ctx, c.Reader, kernel.Query{}, func(row kernel.Row[session]) (bool, error) {
		info := row.Value.info()
		if slices.Contains(info.Contributors, agent) {
			known = append(known, info)
		}
		if r, ok := recipientOf(info, agent); ok && r.Waiting {
			asked = append(asked, info)
		}
		return true, nil
	})
	switch {
	case err != nil:
		return api.SessionInfo{}, err
	case len(asked) == 1:
		return asked[0], nil
	case len(asked) == 0 && len(known) == 1:
		return known[0], nil
	case len(known) == 0:
		return api.SessionInfo{}, brenner.Errorf(brenner.CodeNotFound, "%s contributes to no session", agent).
			WithHint("the PI starts sessions").Try(brenner.Do("session.start"))
	}
	ids := make([]brenner.SessionID, len(known))
	for i, k := range known {
		ids[i] = k.ID
	}
	return api.SessionInfo{}, brenner.Errorf(brenner.CodeInvalidValue, "%s contributes to several sessions", agent).
		At("/session").WithHint("name one: " + kernel.Join(ids))
}

// incoming is a reply on its way in.
type incoming struct {
	session api.SessionInfo
	agent   brenner.ActorName
	via     string
	text    string
	// message and written are known of a reply that came over a mail server.
	message string
	written time.Time
	// ready is the reply as it was read before the transaction, if it was.
	ready *readReply
}

// receiveReply keeps a reply and queues its deltas. The same reply again changes
// nothing: its id follows from its text.
func (r *Room) receiveReply(ch *kernel.Change, in incoming) (api.Submission, error) {
	if err := checkContributor(ch.Call, in); err != nil {
		return api.Submission{}, err
	}
	if strings.TrimSpace(in.text) == "" {
		return api.Submission{}, brenner.Errorf(brenner.CodeInvalidValue, "the reply is empty").At("/text")
	}
	in = in.begin(ch.Now)
	old, err := replies.Find(ch.Ctx, ch.Reader, replyID(in.session.ID, in.message))
	if err == nil {
		return reportRepeated(ch.Call, old)
	}
	if brenner.CodeOf(err) != brenner.CodeNotFound {
		return api.Submission{}, err
	}
	x, err := in.read(ch.Now)
	if err != nil {
		return api.Submission{}, err
	}
	if err := checkRoom(ch, in.session.ID, len(x.Entries)); err != nil {
		return api.Submission{}, err
	}
	log, err := r.keepLog(ch, in, len(x.Entries))
	if err != nil {
		return api.Submission{}, err
	}
	rec := replyReceived{
		Session: in.session.ID, Message: in.message, Agent: in.agent, Via: in.via, Log: log, Stamp: x.stamp, Deltas: []queuedDelta{},
	}
	for _, e := range x.Entries {
		q, err := queueDelta(ch, e)
		if err != nil {
			return api.Submission{}, err
		}
		rec.Deltas = append(rec.Deltas, q)
	}
	if _, err := kindReplyReceived.Append(ch, rec); err != nil {
		return api.Submission{}, err
	}
	return submissionOf(rec, x.Extraction), acknowledgeAsk(ch, in)
}

// acknowledgeAsk acknowledges what asked for the reply, however it came.
func acknowledgeAsk(ch *kernel.Change, in incoming) error {
	r, ok := recipientOf(in.session, in.agent)
	if !ok || r.Ask == "" {
		return nil
	}
	m, err := messages.Find(ch.Ctx, ch.Reader, r.Ask)
	if err != nil || m.State == api.MessageAcked {
		return err
	}
	_, err = kindMessageAcked.Append(ch, messageAcked{ID: r.Ask})
	return err
}

// checkContributor refuses a reply of somebody the session does not know (D7). The
// PI may always contribute.
func checkContributor(c *kernel.Call, in incoming) error {
	if slices.Contains(in.session.Contributors, in.agent) {
		return nil
	}
	if in.agent == c.Who.Name && c.Leads() {
		return nil
	}
	return brenner.Errorf(brenner.CodeUnknownAgent, "%s is not a registered contributor of %s", in.agent, in.session.ID).
		WithHint("contributors: " + kernel.Join(in.session.Contributors))
}

// extractReply reads the deltas of a reply. One that cannot be merged, because
// it is unreadable or speaks for somebody else (D7), keeps its place with the
// reason.
func extractReply(text, message string, agent brenner.ActorName, stamp string, received time.Time) (delta.Extraction, error) {
	if len(text) > brenner.MaxReplyBytes {
		return delta.Extraction{}, brenner.Errorf(brenner.CodeLimitExceeded, "the reply has more than %d bytes", brenner.MaxReplyBytes).
			WithHint("send long material as artifacts, deltas in short replies")
	}
	env := delta.Envelope{Message: message, Agent: agent, Timestamp: stamp, Received: received}
	x, err := delta.ReadDeltas([]byte(text), env)
	if err != nil {
		return x, err
	}
	for i := range x.Entries {
		e := &x.Entries[i]
		if e.Invalid == nil && e.Delta.Agent != agent {
			e.Invalid = brenner.Errorf(brenner.CodeUnknownAgent, "the delta names %s as its agent, but %s sent it", e.Delta.Agent, agent).
				At("/agent").WithHint("leave agent out, or write your own name")
		}
		if e.Invalid != nil {
			seq := cmp.Or(e.Delta.Seq, i+1)
			e.Delta = delta.Delta{DeltaID: shownID(e.Delta.DeltaID, message, seq), Agent: agent, Seq: seq}
		}
	}
	return x, nil
}

// shownID names a delta that cannot be merged: as its agent does, if that can
// be shown.
func shownID(id, message string, n int) string {
	if id == "" || len(id) > brenner.MaxDeltaIDBytes || strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Sprintf("%s#%d", message, n)
	}
	return id
}

// checkRoom keeps the queue of a session to what one compile can take.
func checkRoom(ch *kernel.Change, id brenner.SessionID, more int) error {
	counts, err := deltas.Count(ch.Ctx, ch.Reader, string(id))
	if err != nil {
		return err
	}
	if counts[deltaPending]+counts[deltaWaiting]+more > brenner.MaxPendingDeltas {
		return brenner.Errorf(brenner.CodeLimitExceeded, "%s would have more than %d deltas waiting", id, brenner.MaxPendingDeltas).
			WithHint("they have to be compiled first").Try(brenner.Do("session.compile", "id", string(id)))
	}
	return nil
}

// keepLog keeps a reply as it was written, for the distiller (C2).
func (r *Room) keepLog(ch *kernel.Change, in incoming, deltas int) (brenner.Ref, error) {
	res, err := r.Ledger.Create(ch, api.CreateArtifactRequest{
		Type: artifact.TypeRawLog, Module: in.session.Module,
		Summary: fmt.Sprintf("reply of %s in %s, with %d deltas", in.agent, in.session.ID, deltas),
		Content: api.Body{Format: artifact.Text, Data: in.text},
	})
	return res.Ref, err
}

// queueDelta stores a delta until the compile.
func queueDelta(ch *kernel.Change, e delta.Entry) (queuedDelta, error) {
	raw, _, err := queuedBytes(e)
	if err != nil {
		return queuedDelta{}, err
	}
	digest, err := ch.PutBlob(raw)
	return queuedDelta{
		Digest: digest, DeltaID: e.Delta.DeltaID, Operation: e.Delta.Operation, Section: e.Delta.Section, Target: e.Delta.TargetID,
	}, err
}

// queuedBytes is a delta as it is stored.
func queuedBytes(e delta.Entry) ([]byte, brenner.Digest, error) {
	raw, err := canon.Marshal(queuedEntry{Delta: e.Delta, Message: e.Message, Received: e.Received, Invalid: e.Invalid})
	return raw, canon.Sum(raw), err
}

// submissionOf reports a reply as it was just queued.
func submissionOf(rec replyReceived, x delta.Extraction) api.Submission {
	out := api.Submission{
		Session: rec.Session, Message: rec.Message, Agent: rec.Agent, Log: rec.Log,
		Deltas: []api.SubmittedDelta{}, Misses: kernel.OrEmpty(x.Misses), Ignored: kernel.OrEmpty(x.Ignored),
	}
	for i, q := range rec.Deltas {
		out.Deltas = append(out.Deltas, submitted(q, refusalOf(x.Entries[i])))
	}
	return out
}

// refusalOf says why no compile will take a delta, if that is known already.
func refusalOf(e delta.Entry) *brenner.Error {
	if e.Invalid != nil {
		return e.Invalid
	}
	var why *brenner.Error
	if _, err := delta.Check(e.Delta); errors.As(err, &why) {
		return why
	}
	return nil
}

func submitted(q queuedDelta, why *brenner.Error) api.SubmittedDelta {
	d := api.SubmittedDelta{
		DeltaID: q.DeltaID, Operation: q.Operation, Section: q.Section, Target: q.Target, State: deltaPending,
	}
	if why != nil {
		d.Code, d.Message, d.Hint, d.Pointer = why.Code, why.Message, why.Hint, why.Pointer
	}
	return d
}

// reportRepeated reports a reply that was handed in before.
func reportRepeated(c *kernel.Call, r reply) (api.Submission, error) {
	report, err := reportReply(c, r)
	report.Duplicate = true
	return report.Submission, err
}

// reportReply says what became of a reply, reading it anew from its log.
func reportReply(c *kernel.Call, r reply) (api.ReplyReport, error) {
	var x delta.Extraction
	if r.Via != viaResolve {
		text, err := logText(c, r.Log)
		if err != nil {
			return api.ReplyReport{}, err
		}
		if x, err = extractReply(text, r.Message, r.Agent, r.Stamp, r.At); err != nil {
			return api.ReplyReport{}, err
		}
	}
	out := api.ReplyReport{Received: r.At, Via: r.Via, Submission: api.Submission{
		Session: r.Session, Message: r.Message, Agent: r.Agent, Log: r.Log,
		Deltas: []api.SubmittedDelta{}, Misses: kernel.OrEmpty(x.Misses), Ignored: kernel.OrEmpty(x.Ignored),
	}}
	for i, q := range r.Deltas {
		d, err := deltaReport(c, deltaID(r.Session, r.Message, i+1))
		if err != nil {
			return api.ReplyReport{}, err
		}
		if d.State == deltaPending && i < len(x.Entries) {
			d = submitted(q, refusalOf(x.Entries[i]))
		}
		out.Deltas = append(out.Deltas, d)
	}
	out.Explanation = whyNoDelta(out.Submission)
	return out, nil
}

// logText reads a reply back. One that was redacted has nothing left to say.
func logText(c *kernel.Call, ref brenner.Ref) (string, error) {
	v, err := c.Version(c.Ctx, ref)
	if err != nil {
		return "", err
	}
	text, err := c.Blob(c.Ctx, v.Content)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return "", nil
	}
	return string(text), err
}

// deltaReport says what became of a delta.
func deltaReport(c *kernel.Call, id string) (api.SubmittedDelta, error) {
	row, err := deltas.Row(c.Ctx, c.Reader, id)
	if err != nil {
		return api.SubmittedDelta{}, err
	}
	d := row.Value
	out := submitted(d.queuedDelta, nil)
	out.State = row.State
	if d.Outcome != nil {
		out.Item, out.Code, out.Message, out.Hint, out.Pointer = d.Outcome.Item, d.Outcome.Code, d.Outcome.Message, d.Outcome.Hint, d.Outcome.Pointer
	}
	return out, nil
}

// whyNoDelta says why a reply gave no delta, "" if it did.
func whyNoDelta(s api.Submission) string {
	switch {
	case len(s.Deltas) > 0:
		return ""
	case len(s.Misses) > 0:
		return "something in the reply looks like a delta but is not one; send the corrected block"
	case len(s.Ignored) > 0:
		return "the reply only repeats or quotes blocks; a contribution is a delta block of its own, unquoted and without the example's marker"
	}
	return "the reply has no delta block; a contribution is a fenced block named delta that holds a JSON object"
}

// DiagnoseSession implements api.Sessions.
func (s *Service) DiagnoseSession(ctx context.Context, req api.DiagnoseSessionRequest) (api.Diagnosis, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, string(req.ID)), func(c *kernel.Call) (api.Diagnosis, error) {
		info, err := findSession(c, req.ID)
		if err != nil {
			return api.Diagnosis{}, err
		}
		only := req.From
		if !mayLead(c) { // an agent sees no prose but its own (C2)
			if only != "" && only != c.Who.Name {
				return api.Diagnosis{}, c.Allow(policy.Session, "", "", "replies of "+string(only))
			}
			only = c.Who.Name
		}
		out := api.Diagnosis{Replies: []api.ReplyReport{}, Silent: []brenner.ActorName{}}
		out.Next, err = replies.Page(ctx, c.Reader, kernel.Query{Group: string(info.ID)}, req.Page, func(row kernel.Row[reply]) error {
			r, err := reportReply(c, row.Value)
			if err == nil && (only == "" || r.Agent == only) {
				out.Replies = append(out.Replies, r)
			}
			return err
		})
		for _, r := range info.Recipients {
			if r.Replies == 0 && (only == "" || r.Name == only) {
				out.Silent = append(out.Silent, r.Name)
			}
		}
		return out, err
	})
}

// FetchReplies implements api.Sessions.
func (s *Service) FetchReplies(ctx context.Context, req api.FetchRepliesRequest) (api.FetchResult, error) {
	options, err := kernel.View(ctx, s.caller, leading(req.ID), func(c *kernel.Call) (mail.Options, error) {
		info, err := findSession(c, req.ID)
		if err == nil {
			err = mailAllowed(info)
		}
		if err != nil {
			return mail.Options{}, err
		}
		return mailOptions(c)
	})
	if err != nil {
		return api.FetchResult{}, err
	}
	transport := s.openMail(options)
	defer func() { _ = transport.Close() }()
	replies, err := transport.Replies(ctx, string(req.ID))
	if err != nil {
		return api.FetchResult{}, err
	}
	out, err := kernel.Write(ctx, s.caller, "session.fetch", req, leading(req.ID), func(ch *kernel.Change) (api.FetchResult, error) {
		info, err := findSession(ch.Call, req.ID)
		if err != nil {
			return api.FetchResult{}, err
		}
		return s.takeReplies(ch, info, replies)
	})
	if last := len(out.Replies) - 1; err == nil && last >= 0 {
		out.Replies[last], err = s.settle(ctx, out.Replies[last])
	}
	return out, err
}

// takeReplies takes the replies that are new. One that cannot be taken is reported
// and keeps none of the others back.
func (r *Room) takeReplies(ch *kernel.Change, info api.SessionInfo, replies []mail.Reply) (api.FetchResult, error) {
	out := api.FetchResult{Replies: []api.Submission{}, Strangers: []string{}, Refused: []brenner.Diagnostic{}}
	for _, m := range replies {
		if m.From == "" {
			if !slices.Contains(out.Strangers, m.As) {
				out.Strangers = append(out.Strangers, m.As)
			}
			continue
		}
		sub, err := r.receiveReply(ch, incoming{
			session: info, agent: m.From, via: viaAgentMail, text: m.Body, message: "mail-" + m.ID, written: m.At,
		})
		var e *brenner.Error
		switch {
		case err == nil && !sub.Duplicate:
			out.Replies = append(out.Replies, sub)
		case err == nil:
		case errors.As(err, &e) && aboutInput(e):
			out.Refused = append(out.Refused, brenner.Diagnostic{
				Code: e.Code, Severity: brenner.SeverityError, Message: e.Message, Hint: e.Hint,
				Subject: fmt.Sprintf("message %s of %s", m.ID, m.From),
			})
		default:
			return api.FetchResult{}, err
		}
	}
	return out, nil
}

// aboutInput says whether an error is about what was sent, not about us.
func aboutInput(e *brenner.Error) bool {
	return slices.Contains([]brenner.Class{brenner.ClassInvalid, brenner.ClassLimit, brenner.ClassDenied}, brenner.ClassOf(e.Code))
}
