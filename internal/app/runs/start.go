package runs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/program"
	"brenner/roster"
)

// running is to start and end runs: for persons, and for runners.
func running(target string) kernel.Guard { return kernel.To(policy.Run, target) }

// StartRun implements api.Runs. What is stored for the idempotency key is the
// run without its token.
func (s *Service) StartRun(ctx context.Context, req api.StartRunRequest) (api.StartedRun, error) {
	secret := ""
	out, err := kernel.Write(ctx, s.caller, "run.start", req, running(req.Work.String()), func(ch *kernel.Change) (api.StartedRun, error) {
		started, token, err := s.start(ch, req)
		secret = token
		return started, err
	})
	if err == nil {
		out.Token = secret
	}
	return out, err
}

func (r *Room) start(ch *kernel.Change, req api.StartRunRequest) (api.StartedRun, string, error) {
	lease := cmp.Or(time.Duration(req.Lease), brenner.RunLease)
	if err := checkStart(req, lease); err != nil {
		return api.StartedRun{}, "", err
	}
	agent, err := agentOf(ch.Call, req.Agent)
	if err != nil {
		return api.StartedRun{}, "", err
	}
	if err := checkStarts(ch.Call, req.Agent); err != nil {
		return api.StartedRun{}, "", err
	}
	earlier, err := r.settleEarlier(ch, req.Work)
	if err != nil {
		return api.StartedRun{}, "", err
	}
	if err := r.affordable(ch.Call, req.Program); err != nil {
		return api.StartedRun{}, "", err
	}
	p := runStarted{
		ID: fmt.Sprintf("run-%d", ch.NextSeq()), Session: req.Session, Task: req.Task, Agent: req.Agent, Attempt: 1,
		Program: startedWith(req.Program), Runner: req.Runner, Lease: brenner.Duration(lease), Until: ch.Clock.Add(lease),
	}
	for _, e := range earlier {
		if e.Agent == req.Agent {
			p.Attempt++
		}
	}
	out := api.StartedRun{LeaseLeft: api.Duration(lease)}
	if req.Task != "" {
		err = r.takeTask(ch, req, agent, earlier, lease, &p, &out)
	} else {
		err = r.takeSession(ch, req, earlier, &p, &out)
	}
	if err != nil {
		return api.StartedRun{}, "", err
	}
	// The id of a run is the position of the first record it brings about.
	id, secret, err := r.Tokens.IssueFor(ch, req.Agent, p.Until)
	if err != nil {
		return api.StartedRun{}, "", err
	}
	p.Token = id
	if _, err := kindRunStarted.Append(ch, p); err != nil {
		return api.StartedRun{}, "", err
	}
	row, err := runs.Find(ch.Ctx, ch.Reader, p.ID)
	out.RunInfo = row.info()
	return out, secret, err
}

func checkStart(req api.StartRunRequest, lease time.Duration) error {
	switch {
	case (req.Session == "") == (req.Task == ""):
		return brenner.Errorf(brenner.CodeInvalidValue, "a run is for a session or for a task").At("/session")
	case lease < time.Second || lease > brenner.MaxLease:
		return brenner.Errorf(brenner.CodeInvalidValue, "a lease is from 1 second to %d days, and this is %s", brenner.MaxLease/(24*time.Hour), lease).At("/lease").
			WithHint("write it as 90s, 30m or 168h")
	case req.Runner == "" || len(req.Runner) > brenner.MaxIdempotencyKeyBytes:
		return brenner.Errorf(brenner.CodeInvalidValue, "a run needs the name of its runner").At("/runner")
	}
	return kernel.CheckText(req.Runner + req.Program.Name + req.Program.Model)
}

// agentOf loads an agent that can be started: nobody starts a person.
func agentOf(c *kernel.Call, name brenner.ActorName) (store.Actor, error) {
	a, err := c.Actor(c.Ctx, name)
	switch {
	case brenner.CodeOf(err) == brenner.CodeNotFound:
		return a, brenner.Errorf(brenner.CodeNotFound, "there is no agent %q", name).Try(brenner.Do("agent.list"))
	case err != nil:
		return a, err
	case !a.Active || a.Kind != kernel.Agent:
		return a, brenner.Errorf(brenner.CodeInvalidValue, "%s is not an agent that can be started", name).At("/agent")
	}
	return a, nil
}

// earlierRuns lists the runs for a piece of work, the newest first.
func earlierRuns(c *kernel.Call, w api.Work) ([]run, error) {
	var out []run
	err := runs.Each(c.Ctx, c.Reader, kernel.Query{Group: w.String(), Newest: true}, func(row kernel.Row[run]) (bool, error) {
		out = append(out, row.Value)
		return true, nil
	})
	return out, err
}

// settleEarlier lists earlier runs for a piece of work, having ended those
// whose lease has: their runner has not been heard of (W8).
func (r *Room) settleEarlier(ch *kernel.Change, w api.Work) ([]run, error) {
	earlier, err := earlierRuns(ch.Call, w)
	if err != nil {
		return nil, err
	}
	for i, e := range earlier {
		if e.State != api.RunRunning || e.live(ch.Clock) {
			continue
		}
		lost := ending{Outcome: api.OutcomeLost, Cause: program.LostTouch, Said: "its lease ran out"}
		if err := r.end(ch, e, lost); err != nil {
			return nil, err
		}
		earlier[i].State, earlier[i].End = api.RunEnded, &lost
	}
	return earlier, nil
}

// failures counts the runs in a row that failed at a piece of work, those of
// one agent or of all. What the machine or the provider is at fault for is not
// the work's.
func failures(earlier []run, agent brenner.ActorName, ask string) (n int, last string) {
	for _, e := range earlier { // the newest first
		if agent != "" && e.Agent != agent || e.End == nil {
			continue
		}
		if e.Ask != ask || e.End.Outcome.Good() {
			break
		}
		if !counts(*e.End) {
			continue
		}
		if n++; last == "" {
			last = e.ID
		}
	}
	return n, last
}

// Failures counts the runs in a row that failed at a task.
func (r *Room) Failures(c *kernel.Call, task string) (int, error) {
	earlier, err := earlierRuns(c, api.Work{Task: task})
	n, _ := failures(earlier, "", "")
	return n, err
}

// counts reports whether an end is a failure at the work.
func counts(e ending) bool {
	switch e.Outcome {
	case api.OutcomeStopped, api.OutcomeLost:
		return false
	}
	return !e.Cause.Local() && !e.Cause.Passing()
}

func blocked(w api.Work, n int, last string) error {
	return brenner.Errorf(brenner.CodeWorkBlocked, "%s has failed %d times in a row; the last was %s", w, n, last).
		WithHint("see what it printed, mend the cause, then start it once more").
		Try(brenner.Do("run.log", "id", last), brenner.Do("run", append(w.Arguments(), "again", "true")...))
}

// takeTask claims the task for the agent.
func (r *Room) takeTask(ch *kernel.Change, req api.StartRunRequest, agent store.Actor, earlier []run, lease time.Duration, p *runStarted, out *api.StartedRun) error {
	if n, last := failures(earlier, "", ""); n >= brenner.MaxRunFailures && !req.Again {
		return blocked(req.Work, n, last)
	}
	if e, ok := held(earlier, "", ch.Clock); ok {
		return taken(e)
	}
	t, err := r.Tasks.ClaimAs(ch, req.Task, agent, lease)
	if err != nil {
		return err
	}
	p.Role, out.WorkSettings = t.Role, t.WorkSettings
	out.Prompt = roster.Address(roster.Prompt(string(t.Role), ch.Config.PromptTexts()), req.Agent, t.Session)
	return nil
}

// takeSession finds out what the agent was asked.
func (r *Room) takeSession(ch *kernel.Change, req api.StartRunRequest, earlier []run, p *runStarted, out *api.StartedRun) error {
	info, err := r.Sessions.Info(ch.Call, req.Session)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(info.Recipients, func(r api.Recipient) bool { return r.Name == req.Agent })
	if i < 0 {
		return brenner.Errorf(brenner.CodeNotFound, "%s was not asked in %s", req.Agent, req.Session)
	}
	asked := info.Recipients[i]
	if e, ok := held(earlier, req.Agent, ch.Clock); ok {
		return taken(e)
	}
	if !asked.Waiting && !req.Again {
		return brenner.Errorf(brenner.CodeWorkDone, "%s has answered in %s", req.Agent, req.Session)
	}
	if n, last := failures(earlier, req.Agent, asked.Ask); n >= brenner.MaxRunFailures && !req.Again {
		return blocked(req.Work, n, last)
	}
	first, err := r.Sessions.Kickoff(ch.Call, req.Session, req.Agent)
	if err != nil {
		return err
	}
	p.Role, p.Ask = asked.Role, asked.Ask
	for _, id := range []string{first, asked.Ask} {
		if id != "" && !slices.Contains(out.Messages, id) {
			out.Messages = append(out.Messages, id)
		}
	}
	return nil
}

// held finds the run that holds a piece of work, for one agent or for all.
func held(earlier []run, agent brenner.ActorName, now time.Time) (run, bool) {
	for _, e := range earlier {
		if e.live(now) && (agent == "" || e.Agent == agent) {
			return e, true
		}
	}
	return run{}, false
}

func taken(e run) error {
	return brenner.Errorf(brenner.CodeWorkTaken, "%s is at %s, until %s", e.ID, e.work(), e.Until.Format(time.RFC3339)).
		WithHint("wait for it, or stop it").Try(brenner.Do("run.stop", "id", e.ID))
}

// affordable refuses a run over the day's budget (W13).
func (r *Room) affordable(c *kernel.Call, p api.RunProgram) error {
	budget := c.Config.Budget
	if budget.Day == 0 && budget.Runs == 0 {
		return nil
	}
	const anew, bound = "it begins anew at midnight UTC; the configuration sets it", "give the program a bound of cost, which a run whose cost is unknown then counts as"
	if budget.Day > 0 && !p.TellsCost && p.Bound == 0 {
		return brenner.Errorf(brenner.CodeCostUnknown, "the project has a budget, and the program %s does not tell what a run costs", p.Name).WithHint(bound)
	}
	day, err := spentSince(c, c.Now.UTC().Truncate(24*time.Hour))
	if err != nil {
		return err
	}
	if budget.Runs > 0 && day.runs >= budget.Runs {
		return brenner.Errorf(brenner.CodeBudgetSpent, "%s started today, and the budget is %d", brenner.Plural(day.runs, "run was", "runs were"), budget.Runs).WithHint(anew)
	}
	if budget.Day == 0 {
		return nil
	}
	spent, unknown := day.sum(p)
	switch {
	case spent+p.Bound > budget.Day, spent >= budget.Day:
		return brenner.Errorf(brenner.CodeBudgetSpent, "%s of today's budget of %s are spent or promised", spent, budget.Day).WithHint(anew)
	case unknown == nil:
		return nil
	case unknown.End == nil:
		return brenner.Errorf(brenner.CodeBudgetSpent, "all that is left of today's budget of %s is promised to %s: no run of %s has told yet what one costs", budget.Day, unknown.ID, unknown.Program.Name).
			WithHint("wait until it has ended, or " + bound)
	}
	return brenner.Errorf(brenner.CodeCostUnknown, "the project has a budget, and %s of %s ended without telling what it cost", unknown.ID, unknown.Program.Name).WithHint(bound)
}

// spending is what the runs of a time cost.
type spending struct {
	runs int
	// known is what runs told, and the bounds of those that did not or not yet.
	known program.Money
	// dearest is the most that a run of a program told, by its name.
	dearest map[string]program.Money
	// untold are runs without a bound whose cost is not known, or not yet.
	untold []run
}

// spentSince gathers what runs since an instant cost.
func spentSince(c *kernel.Call, since time.Time) (spending, error) {
	day := spending{dearest: map[string]program.Money{}}
	err := runs.Each(c.Ctx, c.Reader, kernel.Query{Newest: true}, func(row kernel.Row[run]) (bool, error) {
		r := row.Value
		if r.Started.Before(since) {
			return false, nil
		}
		day.runs++
		switch {
		case r.End != nil && r.End.Usage.Cost != nil:
			day.known += *r.End.Usage.Cost
			day.dearest[r.Program.Name] = max(day.dearest[r.Program.Name], *r.End.Usage.Cost)
		case r.Program.Bound > 0:
			day.known += r.Program.Bound
		case !idle(r):
			day.untold = append(day.untold, r)
		}
		return true, nil
	})
	return day, err
}

// idle reports that a run ended before its program had used anything. Of one
// that was lost nobody knows.
func idle(r run) bool {
	return r.End != nil && r.End.Outcome != api.OutcomeLost && r.End.Usage.Turns == 0 && r.End.Usage.Tokens == nil
}

// sum counts a run without a bound that has not told as the dearest of its
// program so far, else as the bound of the run that is to be started. Where
// neither is known it gives that run.
func (d spending) sum(next api.RunProgram) (spent program.Money, unknown *run) {
	spent = d.known
	for i, r := range d.untold {
		cost, told := d.dearest[r.Program.Name]
		if !told {
			cost = next.Bound
		}
		if !told && next.Bound == 0 {
			unknown = &d.untold[i]
		}
		spent += cost
	}
	return spent, unknown
}
