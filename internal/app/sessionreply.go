package app

import (
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
	"brenner/internal/mail"
	"brenner/internal/store"
	"brenner/policy"
)

// SubmitDeltas implements api.Sessions.
func (s *service) SubmitDeltas(ctx context.Context, req api.SubmitDeltasRequest) (api.Submission, error) {
	return write(ctx, s, "delta.submit", req.Write, req, func(ch *change) (api.Submission, error) {
		via := viaSubmit
		if req.From != "" && req.From != ch.actor.Name {
			via = viaIngest
		}
		return ch.submit(req, via)
	})
}

// submit takes a reply that somebody hands in.
func (ch *change) submit(req api.SubmitDeltasRequest, via string) (api.Submission, error) {
	if via == viaIngest {
		if err := ch.allow(policy.Session, "", "", "ingest for "+string(req.From)); err != nil {
			return api.Submission{}, err
		}
	}
	in := incoming{agent: req.From, via: via, text: req.Text}
	if in.agent == "" {
		in.agent = ch.actor.Name
	}
	var err error
	if in.session, err = ch.sessionOf(req.Session, in.agent); err != nil {
		return api.Submission{}, err
	}
	if via != viaIngest {
		// Inside a session the roster's role counts (C8).
		if ch.actor.Role, err = ch.rosterRole(in.session.ID); err != nil {
			return api.Submission{}, err
		}
		if err := ch.allow(policy.Delta, "", "", string(in.session.ID)); err != nil {
			return api.Submission{}, err
		}
	}
	return ch.receive(in)
}

// sessionOf finds the session a reply is for: the one named, or else the only
// one in which the agent is waited for, or the only one it contributes to.
func (ch *change) sessionOf(id brenner.SessionID, agent brenner.ActorName) (api.SessionInfo, error) {
	if id != "" {
		return ch.findSession(id)
	}
	var asked, known []api.SessionInfo
	err := ch.eachObject(store.ObjectQuery{Kind: objectSession}, func(o store.Object) error {
		var info api.SessionInfo
		if err := unmarshalBody(o, &info); err != nil {
			return err
		}
		if slices.Contains(info.Contributors, agent) {
			known = append(known, info)
		}
		onRecipient(&info, agent, func(r *api.Recipient) {
			if r.Waiting {
				asked = append(asked, info)
			}
		})
		return nil
	})
	switch {
	case err != nil:
		return api.SessionInfo{}, err
	case len(asked) == 1:
		return asked[0], nil
	case len(asked) == 0 && len(known) == 1:
		return known[0], nil
	case len(known) == 0:
		ch.decided = true // there is nothing to decide about
		return api.SessionInfo{}, brenner.Errorf(brenner.CodeNotFound, "%s contributes to no session", agent).
			WithHint("the PI starts one with `brenner session start`")
	}
	ch.decided = true
	ids := make([]brenner.SessionID, len(known))
	for i, k := range known {
		ids[i] = k.ID
	}
	return api.SessionInfo{}, brenner.Errorf(brenner.CodeInvalidValue, "%s contributes to several sessions", agent).
		At("/session").WithHint("name one with --session: " + list(ids))
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
}

// receive keeps a reply and queues its deltas. The same reply again changes
// nothing: its id follows from its text.
func (ch *change) receive(in incoming) (api.Submission, error) {
	if err := ch.contributor(in); err != nil {
		return api.Submission{}, err
	}
	if strings.TrimSpace(in.text) == "" {
		return api.Submission{}, brenner.Errorf(brenner.CodeInvalidValue, "the reply is empty").At("/text")
	}
	if in.message == "" {
		sum := canon.Sum([]byte(string(in.session.ID) + "\n" + string(in.agent) + "\n" + in.text))
		in.message = "reply-" + string(sum)[:16]
	}
	old, err := ch.Object(ch.ctx, objectReply, replyID(in.session.ID, in.message))
	if err == nil {
		return ch.repeated(old)
	}
	if brenner.CodeOf(err) != brenner.CodeNotFound {
		return api.Submission{}, err
	}
	if in.written.IsZero() || in.written.After(ch.now) {
		in.written = ch.now
	}
	stamp := delta.FormatInstant(in.written)
	x, err := extractReply(in.text, in.message, in.agent, stamp, ch.now)
	if err != nil {
		return api.Submission{}, err
	}
	if err := ch.room(in.session.ID, len(x.Entries)); err != nil {
		return api.Submission{}, err
	}
	log, err := ch.keepLog(in, len(x.Entries))
	if err != nil {
		return api.Submission{}, err
	}
	rec := replyReceived{
		Session: in.session.ID, Message: in.message, Agent: in.agent, Via: in.via, Log: log, Stamp: stamp, Deltas: []queuedDelta{},
	}
	for _, e := range x.Entries {
		q, err := ch.queue(e)
		if err != nil {
			return api.Submission{}, err
		}
		rec.Deltas = append(rec.Deltas, q)
	}
	if _, err := ch.append(kindReplyReceived, rec); err != nil {
		return api.Submission{}, err
	}
	return submission(rec, x), ch.answered(in)
}

// answered acknowledges what asked for the reply, however it came.
func (ch *change) answered(in incoming) error {
	ask := ""
	onRecipient(&in.session, in.agent, func(r *api.Recipient) { ask = r.Ask })
	if ask == "" {
		return nil
	}
	o, err := ch.Object(ch.ctx, objectMessage, ask)
	if err != nil || o.State == string(api.MessageAcked) {
		return err
	}
	_, err = ch.append(kindMessageAcked, messageAcked{ID: ask})
	return err
}

// contributor refuses a reply of somebody the session does not know (D7). The
// PI may always contribute.
func (ch *change) contributor(in incoming) error {
	if slices.Contains(in.session.Contributors, in.agent) {
		return nil
	}
	if in.agent == ch.actor.Name && ch.actor.Kind == kindPerson && ch.actor.Role == brenner.PI {
		return nil
	}
	return brenner.Errorf(brenner.CodeUnknownAgent, "%s is not a registered contributor of %s", in.agent, in.session.ID).
		WithHint("contributors: " + list(in.session.Contributors))
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
			e.Delta = delta.Delta{DeltaID: shownID(e.Delta.DeltaID, message, i+1), Agent: agent, Seq: i + 1}
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

// room keeps the queue of a session to what one compile can take.
func (ch *change) room(id brenner.SessionID, more int) error {
	counts, err := ch.CountObjects(ch.ctx, objectDelta, string(id))
	if err != nil {
		return err
	}
	if counts[deltaPending]+more > brenner.MaxPendingDeltas {
		return brenner.Errorf(brenner.CodeLimitExceeded, "%s would have more than %d deltas waiting", id, brenner.MaxPendingDeltas).
			WithHint(fmt.Sprintf("run `brenner session compile %s` first", id))
	}
	return nil
}

// keepLog keeps a reply as it was written, for the distiller (C2).
func (ch *change) keepLog(in incoming, deltas int) (brenner.Ref, error) {
	res, err := ch.create(api.CreateArtifactRequest{
		Type: artifact.TypeRawLog, Module: in.session.Module,
		Summary: fmt.Sprintf("reply of %s in %s, with %d deltas", in.agent, in.session.ID, deltas),
		Content: api.Body{Format: artifact.Text, Data: in.text},
	})
	return res.Ref, err
}

// queue stores a delta until the compile.
func (ch *change) queue(e delta.Entry) (queuedDelta, error) {
	raw, err := canon.Marshal(queuedEntry{Delta: e.Delta, Message: e.Message, Received: e.Received, Invalid: e.Invalid})
	if err != nil {
		return queuedDelta{}, err
	}
	digest, err := ch.blob(raw)
	return queuedDelta{
		Digest: digest, DeltaID: e.Delta.DeltaID, Operation: e.Delta.Operation, Section: e.Delta.Section, Target: e.Delta.TargetID,
	}, err
}

// submission reports a reply as it was just queued.
func submission(rec replyReceived, x delta.Extraction) api.Submission {
	out := api.Submission{
		Session: rec.Session, Message: rec.Message, Agent: rec.Agent, Log: rec.Log,
		Deltas: []api.SubmittedDelta{}, Misses: orEmpty(x.Misses), Ignored: orEmpty(x.Ignored),
	}
	for i, q := range rec.Deltas {
		out.Deltas = append(out.Deltas, submitted(q, refusal(x.Entries[i])))
	}
	return out
}

// refusal says why no compile will take a delta, if that is known already.
func refusal(e delta.Entry) *brenner.Error {
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

// repeated reports a reply that was handed in before.
func (c *call) repeated(o store.Object) (api.Submission, error) {
	report, err := c.reportReply(o)
	report.Duplicate = true
	return report.Submission, err
}

// reportReply says what became of a reply, reading it anew from its log.
func (c *call) reportReply(o store.Object) (api.ReplyReport, error) {
	var r reply
	if err := unmarshalBody(o, &r); err != nil {
		return api.ReplyReport{}, err
	}
	var x delta.Extraction
	if r.Via != viaResolve {
		text, err := c.logText(r.Log)
		if err != nil {
			return api.ReplyReport{}, err
		}
		if x, err = extractReply(text, r.Message, r.Agent, r.Stamp, r.At); err != nil {
			return api.ReplyReport{}, err
		}
	}
	out := api.ReplyReport{Received: r.At, Via: r.Via, Submission: api.Submission{
		Session: r.Session, Message: r.Message, Agent: r.Agent, Log: r.Log,
		Deltas: []api.SubmittedDelta{}, Misses: orEmpty(x.Misses), Ignored: orEmpty(x.Ignored),
	}}
	for i, q := range r.Deltas {
		d, err := c.deltaReport(deltaID(r.Session, r.Message, i+1))
		if err != nil {
			return api.ReplyReport{}, err
		}
		if d.State == deltaPending && i < len(x.Entries) {
			d = submitted(q, refusal(x.Entries[i]))
		}
		out.Deltas = append(out.Deltas, d)
	}
	out.Explanation = whyNoDelta(out.Submission)
	return out, nil
}

// logText reads a reply back. One that was redacted has nothing left to say.
func (c *call) logText(ref brenner.Ref) (string, error) {
	v, err := c.Version(c.ctx, ref)
	if err != nil {
		return "", err
	}
	text, err := c.Blob(c.ctx, v.Content)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return "", nil
	}
	return string(text), err
}

// deltaReport says what became of a delta.
func (c *call) deltaReport(id string) (api.SubmittedDelta, error) {
	o, err := c.Object(c.ctx, objectDelta, id)
	if err != nil {
		return api.SubmittedDelta{}, err
	}
	var d deltaState
	if err := unmarshalBody(o, &d); err != nil {
		return api.SubmittedDelta{}, err
	}
	out := submitted(d.queuedDelta, nil)
	out.State = o.State
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
func (s *service) DiagnoseSession(ctx context.Context, req api.DiagnoseSessionRequest) (api.Diagnosis, error) {
	return view(ctx, s, func(c *call) (api.Diagnosis, error) {
		if err := c.allow(policy.Status, "", "", string(req.ID)); err != nil {
			return api.Diagnosis{}, err
		}
		info, err := c.findSession(req.ID)
		if err != nil {
			return api.Diagnosis{}, err
		}
		only := req.From
		if !c.mayLead() { // an agent sees no prose but its own (C2)
			if only != "" && only != c.actor.Name {
				return api.Diagnosis{}, c.allow(policy.Session, "", "", "replies of "+string(only))
			}
			only = c.actor.Name
		}
		out := api.Diagnosis{Replies: []api.ReplyReport{}, Silent: []brenner.ActorName{}}
		out.Next, err = c.page(store.ObjectQuery{Kind: objectReply, Group: string(info.ID)}, req.Page, func(o store.Object) error {
			r, err := c.reportReply(o)
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
func (s *service) FetchReplies(ctx context.Context, req api.FetchRepliesRequest) (api.FetchResult, error) {
	options, err := view(ctx, s, func(c *call) (mail.Options, error) {
		info, err := c.lead(req.ID)
		if err == nil {
			err = mailAllowed(info)
		}
		if err != nil {
			return mail.Options{}, err
		}
		return c.mailOptions()
	})
	if err != nil {
		return api.FetchResult{}, err
	}
	transport := s.app.openMail(options)
	defer func() { _ = transport.Close() }()
	replies, err := transport.Replies(ctx, string(req.ID))
	if err != nil {
		return api.FetchResult{}, err
	}
	return write(ctx, s, "session.fetch", req.Write, req, func(ch *change) (api.FetchResult, error) {
		info, err := ch.lead(req.ID)
		if err != nil {
			return api.FetchResult{}, err
		}
		return ch.fetched(info, replies)
	})
}

// fetched takes the replies that are new. One that cannot be taken is reported
// and keeps none of the others back.
func (ch *change) fetched(info api.SessionInfo, replies []mail.Reply) (api.FetchResult, error) {
	out := api.FetchResult{Replies: []api.Submission{}, Strangers: []string{}, Refused: []brenner.Diagnostic{}}
	for _, r := range replies {
		if r.From == "" {
			if !slices.Contains(out.Strangers, r.As) {
				out.Strangers = append(out.Strangers, r.As)
			}
			continue
		}
		sub, err := ch.receive(incoming{
			session: info, agent: r.From, via: viaAgentMail, text: r.Body, message: "mail-" + r.ID, written: r.At,
		})
		var e *brenner.Error
		switch {
		case err == nil && !sub.Duplicate:
			out.Replies = append(out.Replies, sub)
		case err == nil:
		case errors.As(err, &e) && aboutInput(e):
			out.Refused = append(out.Refused, brenner.Diagnostic{
				Code: e.Code, Severity: brenner.SeverityError, Message: e.Message, Hint: e.Hint,
				Subject: fmt.Sprintf("message %s of %s", r.ID, r.From),
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
