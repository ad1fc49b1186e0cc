package runner

import (
	"context"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/program"
)

// converse asks the program, waits where waiting helps, takes its reply in, and
// sends back once or twice what cannot be used (W7, W10).
func (r *Runner) converse(ctx context.Context, l *live, agent Agent, prompt string) api.RunEnd {
	s := l.starter()
	defer s.close()
	t := &talk{Runner: r, live: l, agent: agent, starter: s, prompt: prompt}
	before, err := t.stands(ctx)
	if err != nil {
		return outcomeOf(ctx, failedWith(err))
	}
	t.before = before
	q := question{prompt: prompt}
	for {
		res := t.ask(ctx, q)
		next, more := t.after(ctx, res)
		if !more {
			return t.ended
		}
		if res.Conversation != "" && l.program.Profile.Resumes() {
			q = question{prompt: next, resume: res.Conversation, number: q.number + 1}
		} else {
			q = question{prompt: afresh(prompt, res.Reply, next), number: q.number + 1}
		}
		t.ended.Repairs++
		l.log.note("the answer is sent back:\n%s", next)
	}
}

// maxLastWords bounds what stands in the record of the last words of an agent
// that left its task open; all of them are in the transcript.
const maxLastWords = 400

// talk is the conversation of one run.
type talk struct {
	*Runner
	*live
	agent   Agent
	starter starter
	prompt  string
	ended   api.RunEnd
	// before is where the agent stood in the session before the run, ours counts
	// the deltas that we have taken in of its replies; what is beyond both came by
	// tool.
	before api.Recipient
	ours   int
}

// ask starts the program until it ends well, or in a way that another start
// does not mend.
func (t *talk) ask(ctx context.Context, q question) program.Result {
	var tries attempts
	for {
		t.ended.Starts++
		res := t.starter.start(ctx, q)
		t.meter.close(res)
		stayedAway := t.away.Swap(false)
		switch {
		case ctx.Err() != nil:
			res.Cause = canceledBy(ctx)
		case stayedAway && (t.run.Task != "" || res.Cause != program.Fine):
			// Whatever it said, it had not what it needs for the work.
			res.Cause = program.ProjectAway
		}
		wait, again := tries.again(res, t.pauses)
		if !again || t.done(ctx) {
			return res
		}
		if until, ok := ctx.Deadline(); ok && time.Until(until) < wait {
			return res // it would not be over before the run's time is
		}
		t.log.note("%s: %s; again in %s", res.Cause.Sentence(), res.Said, wait.Round(100*time.Millisecond))
		t.meter.does("waits: " + res.Cause.Sentence())
		if !sleep(ctx, wait) {
			res.Cause = canceledBy(ctx)
			return res
		}
	}
}

// done reports whether the work is done already, by the program's tools.
func (t *talk) done(ctx context.Context) bool {
	ctx = context.WithoutCancel(ctx)
	if t.run.Task != "" {
		info, err := t.agent.Task(ctx, api.TaskRequest{ID: t.run.Task})
		return err == nil && info.State == api.TaskDone
	}
	now, err := t.stands(ctx)
	if err != nil {
		return false
	}
	// That it has nothing to add is an answer too, and only a tool gives it.
	nothing := now.Nothing && !now.AnsweredAt.Equal(t.before.AnsweredAt)
	return nothing || now.Pending+now.Compiled > t.before.Pending+t.before.Compiled+t.ours
}

// stands is where the agent stands in the session, with the deltas that it has
// handed in so far.
func (t *talk) stands(ctx context.Context) (api.Recipient, error) {
	if t.run.Session == "" {
		return api.Recipient{}, nil
	}
	status, err := t.agent.SessionStatus(context.WithoutCancel(ctx), api.SessionStatusRequest{ID: t.run.Session})
	if err != nil {
		return api.Recipient{}, err
	}
	for _, rec := range status.Recipients {
		if rec.Name == t.run.Agent {
			return rec.Recipient, nil
		}
	}
	return api.Recipient{}, nil
}

// after judges what came of a question: it says how the run ended, or what to
// ask next.
func (t *talk) after(ctx context.Context, res program.Result) (next string, more bool) {
	t.ended.Cause, t.ended.Said, t.ended.Exit = res.Cause, res.Said, res.Exit
	t.ended.Usage = t.meter.sum()
	if res.Model != "" {
		t.ended.Answered = res.Model
	}
	done := t.done(ctx)
	switch {
	case done && t.run.Task != "":
		t.settle(api.OutcomeWorked, res)
		return "", false
	case done:
		t.settle(api.OutcomeAnswered, res)
		t.unsubmitted(res.Reply)
		return "", false
	case ctx.Err() != nil || res.Cause != program.Fine:
		t.ended.Outcome = outcomeFor(t.ended.Cause)
		if ctx.Err() != nil {
			t.ended.Cause, t.ended.Said = canceledBy(ctx), saidBy(ctx)
			t.ended.Outcome = outcomeFor(t.ended.Cause)
		}
		return "", false
	case t.run.Task != "":
		// Why it could not be done stands in its last words.
		next, t.ended.Cause, t.ended.Said = remind(t.run.Task), program.LeftOpen, brenner.Clip(strings.Join(strings.Fields(res.Reply), " "), maxLastWords)
	default:
		if next = t.submit(ctx, res.Reply); next == "" {
			return "", false
		}
	}
	if t.ended.Repairs >= brenner.MaxRepairs {
		t.ended.Outcome = api.OutcomeNothing
		t.ended.Notes = append(t.ended.Notes, "sent back "+brenner.Plural(t.ended.Repairs, "time", "times")+"; its words are kept as notes")
		return "", false
	}
	return next, true
}

// settle ends a run whose work is done, however its program ended.
func (t *talk) settle(o api.Outcome, res program.Result) {
	t.ended.Outcome = o
	if res.Cause != program.Fine {
		t.ended.Notes = append(t.ended.Notes, "the work was done before "+res.Cause.Sentence())
		t.ended.Cause = program.Fine
	}
}

// submit takes the reply in; what it gives is to be said to the program.
func (t *talk) submit(ctx context.Context, reply string) string {
	sub, err := t.agent.SubmitDeltas(context.WithoutCancel(ctx), api.SubmitDeltasRequest{Session: t.run.Session, Text: reply})
	if err != nil {
		res := failedWith(err)
		if res.Cause == program.NotReady {
			res.Cause = program.NotTaken
		}
		t.ended.Outcome, t.ended.Cause, t.ended.Said = api.OutcomeFailed, res.Cause, res.Said
		return ""
	}
	t.ended.Message = sub.Message
	if !sub.Duplicate {
		t.ours += len(sub.Deltas)
	}
	if usable(sub) {
		t.ended.Outcome = api.OutcomeAnswered
		return ""
	}
	t.ended.Outcome, t.ended.Cause = api.OutcomeNothing, program.Unusable
	return mend(sub)
}

// unsubmitted reports deltas in the last words of an agent that had answered by
// tool: they are not applied, since nobody could say which of both it meant.
func (t *talk) unsubmitted(reply string) {
	if strings.TrimSpace(reply) == "" {
		return
	}
	x, err := delta.Extract([]byte(reply), delta.Envelope{Agent: t.run.Agent})
	if err == nil && len(x.Entries) > 0 {
		t.ended.Notes = append(t.ended.Notes, brenner.Plural(len(x.Entries), "delta block in its last words is", "delta blocks in its last words are")+" not applied: it had answered by tool")
	}
}

// outcomeFor is how a run ends for a cause.
func outcomeFor(c program.Cause) api.Outcome {
	switch {
	case c.Bound():
		return api.OutcomeTimedOut
	case c == program.Stopped:
		return api.OutcomeStopped
	case c == program.LostTouch:
		return api.OutcomeLost
	case c == program.Declined:
		return api.OutcomeRefused
	case c == program.NoWords || c == program.Garbled || c == program.Unusable || c == program.LeftOpen:
		return api.OutcomeNothing
	}
	return api.OutcomeFailed
}

// outcomeOf is the end of a run that did not get as far as its program.
func outcomeOf(ctx context.Context, res program.Result) api.RunEnd {
	if ctx.Err() != nil {
		res.Cause, res.Said = canceledBy(ctx), saidBy(ctx)
	}
	return api.RunEnd{Outcome: outcomeFor(res.Cause), Cause: res.Cause, Said: res.Said}
}
