package sessions

import (
	"context"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/policy"
)

// submissionOf reports a reply as it was just queued.
func submissionOf(rec replyReceived, x delta.Extraction) api.Submission {
	out := rec.submission(x)
	for i, q := range rec.Deltas {
		d := rec.submitted(q, x.Entries[i].Invalid)
		d.Provisional = x.Entries[i].Delta.ProvisionalID
		out.Deltas = append(out.Deltas, d)
	}
	return out
}

// submission reports a reply without its deltas.
func (p replyReceived) submission(x delta.Extraction) api.Submission {
	return api.Submission{
		Session: p.Session, Message: p.Message, Agent: p.Agent, Log: p.Log, Unusable: p.Unusable, Nothing: p.Nothing, Signed: p.Signs != "", SignatureBack: p.Unsigns,
		Deltas: []api.SubmittedDelta{}, Misses: kernel.OrEmpty(x.Misses), Ignored: kernel.OrEmpty(x.Ignored), Accepted: x.Accepted,
	}
}

// submitted reports a delta that no compile has seen, and why none will take it
// if that is known already.
func (p replyReceived) submitted(q queuedDelta, why *brenner.Error) api.SubmittedDelta {
	d := api.SubmittedDelta{
		DeltaID: q.DeltaID, Operation: q.Operation, Section: q.Section, Target: q.Target, State: deltaPending,
	}
	if p.Unusable {
		d.State = deltaRefused
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
		if err := c.Extracts(len(text)); err != nil {
			return api.ReplyReport{}, err
		}
		if x, err = extractReply(c.Gone, text, r.Message, r.Agent, r.Stamp, r.At, r.Mended); err != nil {
			return api.ReplyReport{}, err
		}
	}
	out := api.ReplyReport{Received: r.At, Via: r.Via, Submission: r.submission(x)}
	for i := range r.Deltas {
		d, err := deltaReport(c, r, i)
		if err != nil {
			return api.ReplyReport{}, err
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

// deltaReport says what became of a delta of a reply, or will.
func deltaReport(c *kernel.Call, r reply, i int) (api.SubmittedDelta, error) {
	q, id := r.Deltas[i], deltaID(r.Session, r.Message, i+1)
	if !r.Unusable {
		row, err := deltas.Row(c.Ctx, c.Reader, id)
		if err != nil {
			return api.SubmittedDelta{}, err
		}
		if row.Value.Outcome != nil {
			o, err := seenSince(c, r.Session, q.Digest, *row.Value.Outcome)
			if err != nil {
				return api.SubmittedDelta{}, err
			}
			out := r.submitted(q, nil)
			out.State, out.Item = string(o.Status), o.Item
			out.Code, out.Message, out.Hint, out.Pointer = o.Code, o.Message, o.Hint, o.Pointer
			return out, nil
		}
	}
	e, err := readQueued(c.Ctx, c.Reader, q.Digest)
	return r.submitted(q, e.Invalid), err
}

// whyNoDelta says why a reply gave no delta, "" if it did.
func whyNoDelta(s api.Submission) string {
	switch {
	case s.Nothing, len(s.Deltas) > 0 && !s.Unusable:
		return ""
	case len(s.Misses) > 0:
		return "something in the reply looks like a delta but is not one; send the corrected block"
	case len(s.Deltas) > 0:
		return "every delta of the reply is refused; mend them and send the reply again"
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
