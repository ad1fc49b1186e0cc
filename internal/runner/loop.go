package runner

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/order"
	"brenner/internal/patience"
	"brenner/program"
)

// Plan says which work a runner looks for.
type Plan struct {
	// Work keeps to one session or task; empty: whatever is open.
	Work api.Work
	// Agents keeps to these; empty: all.
	Agents []brenner.ActorName
	// Program starts every agent, instead of what rosters name.
	Program string
	// Jobs is how many runs are under way at once.
	Jobs int
	// Once ends when nothing is left that was not tried.
	Once bool
	// Again takes what was answered or has failed too often.
	Again  bool
	Budget Budget

	purse *purse
}

// Done is what came of looking for work.
type Done struct {
	Runs []api.RunInfo `json:"runs"`
	// Refused is work that could not be started here, and why.
	Refused []Refusal `json:"refused,omitzero"`
	// Blocked is work that has failed too often, Nobody work in a role that no
	// agent has.
	Blocked []api.WorkItem `json:"blocked,omitzero"`
	Nobody  []api.WorkItem `json:"nobody,omitzero"`
	// Why says why nothing was started, of one task or session that was named.
	Why   string `json:"why,omitzero"`
	Spent Spent  `json:"spent"`
	// Stopped says why no further run was started, Limit is the refusal with its
	// hint.
	Stopped string         `json:"stopped,omitzero"`
	Limit   *brenner.Error `json:"limit,omitzero"`
}

// Refusal is work that was not started.
type Refusal struct {
	api.Work
	Agent brenner.ActorName `json:"agent,omitzero"`
	Error *brenner.Error    `json:"error"`
}

// idle is how long a runner waits before it looks for work again.
const idle = 2 * time.Second

// attempt names a piece of work for one agent.
type attempt struct {
	work  api.Work
	agent brenner.ActorName
}

// Work starts runs for whatever is open until the context ends, or once.
func (r *Runner) Work(ctx context.Context, plan Plan) (Done, error) {
	l := &laborer{Runner: r, plan: plan, tried: map[attempt]time.Time{}, ended: make(chan ended)}
	if l.plan.purse == nil {
		l.plan.purse = &purse{Budget: plan.Budget}
	}
	l.plan.Jobs = min(max(plan.Jobs, 1), brenner.MaxJobs)
	l.done.Runs = []api.RunInfo{}
	err := l.labor(ctx)
	l.done.Spent = l.plan.purse.sum()
	return l.done, err
}

// laborer is one stretch of work.
type laborer struct {
	*Runner
	plan Plan
	done Done
	// tried says when a piece of work may be tried again.
	tried map[attempt]time.Time
	busy  int
	ended chan ended
	over  bool // the budget is spent
	// promised says that the day's budget is, to runs under way: what was refused
	// is tried when one of them has ended.
	promised bool
}

type ended struct {
	of   attempt
	run  api.RunInfo
	err  error
	cost program.Money
}

func (l *laborer) labor(ctx context.Context) error {
	for {
		more := false
		if ctx.Err() == nil && !l.over {
			list, err := patience.Call(l.patient(ctx), func(ctx context.Context) (api.WorkList, error) {
				return l.o.Project.OpenWork(ctx, api.OpenWorkRequest{Work: l.plan.Work, Again: l.plan.Again, Bounded: l.plan.Budget != (Budget{})})
			})
			if err != nil && ctx.Err() == nil && (l.plan.Once || brenner.ClassOf(brenner.CodeOf(err)) != brenner.ClassUnavailable) {
				return errors.Join(err, l.drain())
			}
			l.done.Blocked, l.done.Nobody = list.Blocked, slices.DeleteFunc(slices.Clone(list.Work), func(w api.WorkItem) bool { return len(w.Agents) > 0 })
			if len(l.tried) == 0 {
				l.done.Why = list.Why
			}
			more = l.begin(ctx, list.Work)
		}
		if l.busy == 0 && (ctx.Err() != nil || l.over || l.plan.Once && !more) {
			return nil //nolint:nilerr // to be interrupted is an end too
		}
		if err := l.wait(ctx); err != nil {
			return errors.Join(err, l.drain())
		}
	}
}

// begin starts what can be started now, and reports whether it started any.
func (l *laborer) begin(ctx context.Context, items []api.WorkItem) (any bool) {
	for i, item := range items {
		if l.busy >= l.plan.Jobs || l.over || l.promised {
			return any
		}
		agents := slices.Clone(item.Agents)
		order.By(agents, func(a, b api.WorkAgent) int { return cmp.Compare(a.Busy, b.Busy) })
		for _, agent := range agents {
			if l.may(item, agent) && l.launch(ctx, item, agent, l.sharing(items[i:])) {
				any = true
				break // one agent does it
			}
		}
	}
	return any
}

// may reports whether an agent is to be started for a piece of work now.
func (l *laborer) may(item api.WorkItem, agent api.WorkAgent) bool {
	if until, tried := l.tried[attempt{item.Work, agent.Name}]; tried && (l.plan.Once || time.Now().Before(until)) {
		return false
	}
	return len(l.plan.Agents) == 0 || slices.Contains(l.plan.Agents, agent.Name)
}

// sharing counts the runs that can be started now: no more than there is work
// for, nor than may still be under way at once.
func (l *laborer) sharing(items []api.WorkItem) (n int) {
	for _, item := range items {
		if slices.ContainsFunc(item.Agents, func(a api.WorkAgent) bool { return l.may(item, a) }) {
			n++
		}
	}
	return min(n, l.plan.Jobs-l.busy)
}

// launch starts one run, and reports whether it could.
func (l *laborer) launch(ctx context.Context, item api.WorkItem, agent api.WorkAgent, sharing int) bool {
	of, settings := attempt{item.Work, agent.Name}, item.WorkSettings
	l.tried[of] = time.Now().Add(time.Hour) // until it has ended
	found, err := l.program(l.plan, agent, settings)
	if err != nil {
		l.refuse(of, err)
		return false
	}
	cost, err := l.plan.purse.take(&found.Program, sharing)
	if errors.Is(err, errPromised) {
		delete(l.tried, of) // it is tried when one of those has ended
		return false
	}
	if errors.Is(err, brenner.CodeBudgetSpent) {
		l.stop(err)
		return false
	}
	if err != nil {
		l.refuse(of, err)
		return false
	}
	l.busy++
	go func() {
		run, err := l.Do(ctx, Job{Work: of.work, Agent: of.agent, Program: found, Settings: settings, Again: l.plan.Again})
		l.ended <- ended{of, run, err, cost}
	}()
	return true
}

// program is the program of an agent, unless the plan names one for all.
func (r *Runner) program(plan Plan, agent api.WorkAgent, settings api.WorkSettings) (Resolved, error) {
	if plan.Program != "" {
		agent.Program = plan.Program
	}
	return r.o.Programs(agent, settings)
}

// stop starts no further run, for the budget is spent.
func (l *laborer) stop(err error) {
	l.over, l.done.Stopped = true, err.Error()
	_ = errors.As(err, &l.done.Limit)
}

func (l *laborer) refuse(of attempt, err error) {
	var e *brenner.Error
	if !errors.As(err, &e) {
		e = brenner.Errorf(brenner.CodeInternal, "something failed inside").Because(err)
	}
	refused := Refusal{of.work, of.agent, e}
	l.o.Tell(Progress{Run: api.RunInfo{Work: of.work, Agent: of.agent}, Refused: &refused})
	if len(l.done.Refused) < brenner.MaxPage {
		l.done.Refused = append(l.done.Refused, refused)
	}
}

// wait waits for a run to end, or for time to pass.
func (l *laborer) wait(ctx context.Context) error {
	timer := time.NewTimer(idle)
	defer timer.Stop()
	stop := ctx.Done()
	if l.busy > 0 && ctx.Err() != nil {
		stop = nil // the runs are being stopped: wait for their ends
	}
	select {
	case e := <-l.ended:
		return l.take(e)
	case <-timer.C:
	case <-stop:
	}
	return nil
}

// How long work is left alone whose run failed for a reason that passes, or for
// one that a person has to mend on this machine.
const (
	passingPause = time.Minute
	mendingPause = 10 * time.Minute
)

// pauseAfter says how long the work of a run is left alone. What a person has
// stopped is not for this runner to start again.
func pauseAfter(run api.RunInfo) time.Duration {
	switch {
	case run.Outcome == api.OutcomeStopped:
		return 24 * time.Hour
	case run.Cause.Passing():
		return passingPause
	case run.Cause.Local():
		return mendingPause
	}
	return 0
}

func (l *laborer) take(e ended) error {
	l.busy--
	l.plan.purse.settle(e.cost, e.run)
	l.tried[e.of] = time.Now()
	spent := errors.Is(e.err, brenner.CodeBudgetSpent)
	l.promised = spent && l.busy > 0
	switch {
	case e.err == nil:
		if l.done.Runs = append(l.done.Runs, e.run); len(l.done.Runs) > brenner.MaxPage {
			l.done.Runs = l.done.Runs[1:] // of a runner that goes on for days, the newest
		}
		l.tried[e.of] = time.Now().Add(pauseAfter(e.run))
	case slices.Contains([]brenner.Class{brenner.ClassConflict, brenner.ClassNotFound}, brenner.ClassOf(brenner.CodeOf(e.err))):
		// Somebody else was faster, or the work is gone.
	case errors.Is(e.err, context.Canceled):
		// The runner was asked to end before the run had begun.
	case l.promised:
		delete(l.tried, e.of)
	case spent:
		l.stop(e.err)
	case brenner.ClassOf(brenner.CodeOf(e.err)) == brenner.ClassUnavailable:
		l.tried[e.of] = time.Now().Add(idle)
	default:
		l.refuse(e.of, e.err)
	}
	return nil
}

// drain waits for what is under way.
func (l *laborer) drain() error {
	for l.busy > 0 {
		if err := l.take(<-l.ended); err != nil {
			return err
		}
	}
	return nil
}
