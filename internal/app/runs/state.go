package runs

import (
	"context"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/automation"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/program"
)

// run is the state of a run. Its group is the work it is for.
type run struct {
	ID       string            `json:"id"`
	Session  brenner.SessionID `json:"session,omitzero"`
	Task     string            `json:"task,omitzero"`
	Agent    brenner.ActorName `json:"agent"`
	Role     brenner.Role      `json:"role"`
	Attempt  int               `json:"attempt"`
	Ask      string            `json:"ask,omitzero"` // the message that is answered
	Program  startedWith       `json:"program"`
	Runner   string            `json:"runner"`
	Starter  brenner.ActorName `json:"starter"`
	Token    string            `json:"token"`
	State    api.RunState      `json:"state"`
	Started  time.Time         `json:"started_at"`
	Lease    brenner.Duration  `json:"lease"`
	Until    time.Time         `json:"lease_until,omitzero"`
	Stopping string            `json:"stopping,omitzero"`
	Ended    time.Time         `json:"ended_at,omitzero"`
	End      *ending           `json:"end,omitzero"`
}

// startedWith is the program of a run as it is recorded.
type startedWith struct {
	Name      string            `json:"name"`
	Profile   program.Profile   `json:"profile"`
	Model     string            `json:"model,omitzero"`
	Tools     program.Tools     `json:"tools"`
	Directory program.Directory `json:"directory"`
	Digest    brenner.Digest    `json:"digest"`
	Bound     program.Money     `json:"bound_usd,omitzero"`
	TellsCost bool              `json:"tells_cost,omitzero"`
}

// ending is how a run ended, as it is recorded.
type ending struct {
	Outcome    api.Outcome    `json:"outcome"`
	Cause      program.Cause  `json:"cause,omitzero"`
	Said       string         `json:"said,omitzero"`
	Exit       *program.Exit  `json:"exit,omitzero"`
	Usage      program.Usage  `json:"usage,omitzero"`
	Model      string         `json:"model,omitzero"`
	Context    string         `json:"context,omitzero"`
	Message    string         `json:"message,omitzero"`
	Starts     int            `json:"starts,omitzero"`
	Repairs    int            `json:"repairs,omitzero"`
	Notes      []string       `json:"notes,omitzero"`
	Branch     string         `json:"branch,omitzero"`
	Base       string         `json:"base,omitzero"`
	Transcript brenner.Digest `json:"transcript,omitzero"`
	Change     brenner.Ref    `json:"change,omitzero"`
	Wrote      []brenner.Ref  `json:"wrote,omitzero"`
}

var runs = kernel.Table[run]{
	Kind: "run",
	Key: func(r run) kernel.Key {
		return kernel.Key{ID: r.ID, Group: r.work().String(), State: string(r.State), Order: kernel.NumberOf(r.ID)}
	},
	Missing: func(id string) error {
		return brenner.Errorf(brenner.CodeNotFound, "there is no run %q", id).Try(brenner.Do("runs"))
	},
}

func (r run) work() api.Work { return api.Work{Session: r.Session, Task: r.Task} }

// live reports whether a run holds its work at an instant.
func (r run) live(now time.Time) bool { return r.State == api.RunRunning && now.Before(r.Until) }

// info is a run as callers see it.
func (r run) info() api.RunInfo {
	out := api.RunInfo{
		ID: r.ID, Work: r.work(), Agent: r.Agent, Role: r.Role, Attempt: r.Attempt, Program: api.RunProgram(r.Program),
		Runner: r.Runner, Starter: r.Starter, State: r.State, Started: r.Started, LeaseUntil: r.Until, Stopping: r.Stopping, Ended: r.Ended,
	}
	if e := r.End; e != nil {
		out.LeaseUntil = time.Time{}
		out.RunEnd = api.RunEnd{
			Outcome: e.Outcome, Cause: e.Cause, Said: e.Said, Exit: e.Exit, Usage: e.Usage, Answered: e.Model, Context: e.Context,
			Message: e.Message, Starts: e.Starts, Repairs: e.Repairs, Notes: e.Notes, Branch: e.Branch, Base: e.Base,
		}
		out.Wrote, out.Change, out.Transcript = e.Wrote, e.Change, e.Transcript
	}
	return out
}

// runStarted says that a run took its work.
type runStarted struct {
	ID      string            `json:"id"`
	Session brenner.SessionID `json:"session,omitzero"`
	Task    string            `json:"task,omitzero"`
	Agent   brenner.ActorName `json:"agent"`
	Role    brenner.Role      `json:"role"`
	Attempt int               `json:"attempt"`
	Ask     string            `json:"ask,omitzero"`
	Program startedWith       `json:"program"`
	Runner  string            `json:"runner"`
	Token   string            `json:"token"`
	Lease   brenner.Duration  `json:"lease"`
	Until   time.Time         `json:"until"`
}

func applyRunStarted(ctx context.Context, tx store.Tx, rec journal.Record, p runStarted) error {
	return runs.Put(ctx, tx, rec.Seq, run{
		ID: p.ID, Session: p.Session, Task: p.Task, Agent: p.Agent, Role: p.Role, Attempt: p.Attempt, Ask: p.Ask, Program: p.Program,
		Runner: p.Runner, Starter: rec.Actor, Token: p.Token, State: api.RunRunning, Started: rec.At,
		Lease: p.Lease, Until: p.Until,
	})
}

// runRenewed says that a run holds its work longer.
type runRenewed struct {
	ID    string    `json:"id"`
	Until time.Time `json:"until"`
}

func applyRunRenewed(ctx context.Context, tx store.Tx, rec journal.Record, p runRenewed) error {
	return changeRun(ctx, tx, rec.Seq, p.ID, func(r *run) { r.Until = p.Until })
}

// runStopAsked says that a person wants a run stopped.
type runStopAsked struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

func applyRunStopAsked(ctx context.Context, tx store.Tx, rec journal.Record, p runStopAsked) error {
	return changeRun(ctx, tx, rec.Seq, p.ID, func(r *run) { r.Stopping = p.Reason })
}

// runEnded says how a run ended.
type runEnded struct {
	ID  string `json:"id"`
	End ending `json:"end"`
}

// endedEvents is what the end of a run may mean for automation: whether its task
// is blocked by it is seen when the event is looked at.
func endedEvents(p runEnded) []automation.Event {
	if p.End.Outcome.Good() {
		return nil
	}
	return []automation.Event{{On: automation.TaskBlocked, Subject: p.ID}}
}

// BlockedTask is the task of a run if with it the task had failed too often to
// be tried again, whatever has happened since; "" if not.
func (r *Room) BlockedTask(c *kernel.Call, id string) (string, error) {
	of, err := runs.Find(c.Ctx, c.Reader, id)
	if err != nil || of.Task == "" || of.End == nil || !counts(*of.End) {
		return "", err
	}
	all, err := earlierRuns(c, of.work())
	until := slices.IndexFunc(all, func(e run) bool { return e.ID == id }) // the newest first
	if err != nil || until < 0 {
		return "", err
	}
	if n, _ := failures(all[until:], "", ""); n < brenner.MaxRunFailures {
		return "", nil
	}
	return of.Task, nil
}

func applyRunEnded(ctx context.Context, tx store.Tx, rec journal.Record, p runEnded) error {
	return changeRun(ctx, tx, rec.Seq, p.ID, func(r *run) {
		r.State, r.Ended, r.End = api.RunEnded, rec.At, &p.End
	})
}

// storedByEnd lists what a record of an end stored: the transcript, by its
// digest, so that it can be redacted (W11).
func storedByEnd(p runEnded) []brenner.Digest {
	if p.End.Transcript == "" {
		return nil
	}
	return []brenner.Digest{p.End.Transcript}
}

func changeRun(ctx context.Context, tx store.Tx, seq int64, id string, fn func(*run)) error {
	_, err := runs.Change(ctx, tx, seq, id, fn)
	return err
}
