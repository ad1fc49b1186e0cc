package sessions

import (
	"context"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/roster"
)

// tryReply says what would happen to a reply, and keeps nothing.
func tryReply(c *kernel.Call, in incoming) (api.Submission, error) {
	if err := checkContributor(c, in); err != nil {
		return api.Submission{}, err
	}
	in = in.begin(c.Now)
	x, err := in.read(c.Now)
	if err != nil {
		return api.Submission{}, err
	}
	rec := replyReceived{Session: in.session.ID, Message: in.message, Agent: in.agent}
	for _, e := range x.Entries {
		rec.Deltas = append(rec.Deltas, queuedDelta{
			DeltaID: e.Delta.DeltaID, Operation: e.Delta.Operation, Section: e.Delta.Section, Target: e.Delta.TargetID,
		})
	}
	out := submissionOf(rec, x.Extraction)
	out.DryRun = true
	queue, err := pendingDeltas(c, in.session.ID)
	if err != nil {
		return api.Submission{}, err
	}
	err = foresee(c, in.session, &out, append(entriesOf(queue), x.Entries...))
	return out, err
}

// foresee adds to what is said of a reply what the next compile would make of
// its deltas if nothing else came.
func foresee(c *kernel.Call, info api.SessionInfo, out *api.Submission, queue []delta.Entry) error {
	out.Waiting = stillAsked(info, out.Agent)
	_, base, err := sessionArtifact(c, info.ID, 0)
	if err != nil {
		return err
	}
	rules := sessionCompiled{Started: info.Created, Priority: c.Config.Priority, Contributors: info.Contributors}
	said(out, queue, delta.Merge(base, queue, rules.options()).Outcomes)
	return nil
}

// said puts what became, or would become, of the deltas of a reply beside them.
// The deltas of one reply stand in the queue as they stand in the reply.
func said(out *api.Submission, queue []delta.Entry, outcomes []delta.Outcome) {
	n := 0
	for i, e := range queue {
		if e.Message != out.Message || n == len(out.Deltas) {
			continue
		}
		d, o := &out.Deltas[n], outcomes[i]
		n++
		d.Will, d.Item, d.Provisional = o.Status, o.Item, e.Delta.ProvisionalID
		if o.Code != "" {
			d.Code, d.Message, d.Hint, d.Pointer = o.Code, o.Message, o.Hint, o.Pointer
		}
	}
}

// stillAsked are those who have not answered, besides one who does just now.
func stillAsked(info api.SessionInfo, but brenner.ActorName) []brenner.ActorName {
	var out []brenner.ActorName
	for _, r := range info.Recipients {
		if r.Waiting && r.Name != but {
			out = append(out, r.Name)
		}
	}
	return out
}

// settle is what follows a reply. If it was the last that the session waited
// for, the session compiles (D27): a step of its own, so that the reply stands
// whatever comes of it. Otherwise the reply says what a compile would make of
// it.
func (s *Service) settle(ctx context.Context, sub api.Submission) (api.Submission, error) {
	if sub.Duplicate {
		return sub, nil
	}
	var due []delta.Entry
	ahead, err := kernel.View(ctx, s.caller, kernel.Settled("the reply; this is what follows"), func(c *kernel.Call) (api.Submission, error) {
		info, err := findSession(c, sub.Session)
		if err != nil {
			return sub, err
		}
		queue, err := pendingDeltas(c, sub.Session)
		if err != nil || len(queue) == 0 {
			return sub, err
		}
		if info.Compile == roster.CompileAnswered && len(stillAsked(info, "")) == 0 {
			due = entriesOf(queue)
			return sub, nil
		}
		out := sub
		out.Deltas = slices.Clone(sub.Deltas)
		err = foresee(c, info, &out, entriesOf(queue))
		return out, err
	})
	if err != nil || due == nil {
		return ahead, err
	}
	var taken []delta.Entry
	done, err := s.compile(ctx, "session.compile", api.Write{}, kernel.Settled("starting a session that compiles by itself"), sub.Session, func(c *kernel.Call) (merge, error) {
		info, err := findSession(c, sub.Session)
		if err != nil {
			return merge{}, err
		}
		queue, err := pendingDeltas(c, sub.Session)
		if err != nil {
			return merge{}, err
		}
		taken = entriesOf(queue)
		return planMerge(c, info, queue, info.Contributors)
	})
	if err != nil || len(taken) != len(done.Outcomes) {
		return sub, err
	}
	sub.Deltas = slices.Clone(sub.Deltas)
	sub.Compiled = done.Ref
	said(&sub, taken, done.Outcomes)
	for i := range sub.Deltas {
		d := &sub.Deltas[i]
		if d.Will != "" {
			d.State, d.Will = string(d.Will), ""
		}
	}
	return sub, nil
}
