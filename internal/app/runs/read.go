package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/config"
	"brenner/internal/app/kernel"
	"brenner/internal/order"
	"brenner/internal/store"
	"brenner/policy"
)

// Run implements api.Runs.
func (s *Service) Run(ctx context.Context, req api.RunRequest) (api.RunInfo, error) {
	return kernel.View(ctx, s.caller, running(req.ID), func(c *kernel.Call) (api.RunInfo, error) {
		r, err := find(c, req.ID)
		return s.shown(c, r), err
	})
}

// shown is a run with what it does now, as far as its runner still tells.
func (r *Room) shown(c *kernel.Call, of run) api.RunInfo {
	out := of.info()
	if of.State == api.RunRunning && !of.live(c.Clock) {
		out.Doing = &api.RunProgress{Does: "has not been heard of", Since: of.Until}
	} else if b, ok := r.told(out); ok {
		out.Doing = &api.RunProgress{Does: b.Does, Since: b.Since, Usage: b.Usage}
	}
	return out
}

// told is what the runner of a live run has last told of it: to this process, or
// where its machine keeps that (W18).
func (r *Room) told(of api.RunInfo) (api.RunBeat, bool) {
	if of.State != api.RunRunning {
		return api.RunBeat{}, false
	}
	if b, ok := r.doing.of(of.ID); ok || r.Seen == nil {
		return b, ok
	}
	return r.Seen(of)
}

// RunLog implements api.Runs.
func (s *Service) RunLog(ctx context.Context, req api.RunRequest) (api.RunLog, error) {
	return kernel.View(ctx, s.caller, kernel.ItemByItem(), func(c *kernel.Call) (api.RunLog, error) {
		r, err := s.ofLog(c, req.ID)
		if err != nil {
			return api.RunLog{}, err
		}
		if r.State == api.RunRunning {
			b, _ := s.told(r.info())
			return api.RunLog{ID: r.ID, Text: b.Tail, Running: true}, nil
		}
		if r.End == nil || r.End.Transcript == "" {
			return api.RunLog{ID: r.ID}, nil
		}
		text, err := c.Blob(ctx, r.End.Transcript)
		return api.RunLog{ID: r.ID, Text: string(text)}, err
	})
}

// ofLog finds a run for one who wants to read what it printed. That is a raw_log
// of the modules that the run was about, for persons and whoever distils (C2).
// Nobody else learns which runs there are.
func (r *Room) ofLog(c *kernel.Call, id string) (run, error) {
	if err := c.Allow(policy.Read, artifact.TypeRawLog, "", id); err != nil {
		return run{}, err
	}
	of, err := find(c, id)
	if err != nil {
		return run{}, err
	}
	var modules []brenner.Module
	if of.Task != "" {
		t, err := r.Tasks.Find(c, of.Task)
		if err != nil {
			return run{}, err
		}
		modules = t.Modules
	} else {
		info, err := r.Sessions.Info(c, of.Session)
		if err != nil {
			return run{}, err
		}
		modules = []brenner.Module{info.Module}
	}
	for _, m := range modules {
		if err := c.Allow(policy.Read, artifact.TypeRawLog, m, id); err != nil {
			return run{}, err
		}
	}
	return of, nil
}

// Runs implements api.Runs.
func (s *Service) Runs(ctx context.Context, req api.ListRunsRequest) (api.RunList, error) {
	return kernel.View(ctx, s.caller, running("runs"), func(c *kernel.Call) (api.RunList, error) {
		out := api.RunList{Runs: []api.RunInfo{}}
		limit, err := kernel.PageSize(req.Limit)
		if err != nil {
			return out, err
		}
		if err := c.KnownActor(req.Agent, "/agent"); err != nil {
			return out, err
		}
		for i, st := range req.States {
			if all := []api.RunState{api.RunRunning, api.RunEnded}; !slices.Contains(all, st) {
				return out, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a state of a run", brenner.Clip(string(st), 60)).
					At("/states/" + strconv.Itoa(i)).WithHint("states: " + kernel.Join(all))
			}
		}
		if err := s.known(c, req.Work); err != nil {
			return out, err
		}
		q := kernel.Query{Group: req.Work.String(), States: kernel.Strings(req.States), Newest: !req.Oldest}
		if q.After, err = kernel.OpenCursor[kernel.Place](req.Cursor); err != nil {
			return out, err
		}
		var last kernel.Place
		err = runs.Each(ctx, c.Reader, q, func(row kernel.Row[run]) (bool, error) {
			r := row.Value
			if !req.Since.IsZero() && r.Started.Before(req.Since) {
				return req.Oldest, nil
			}
			if !sees(c, r) || req.Agent != "" && r.Agent != req.Agent || !strings.HasPrefix(r.Runner, req.Runner) || !req.Before.IsZero() && !r.Started.Before(req.Before) {
				return true, nil
			}
			if len(out.Runs) == limit {
				out.Cursor = kernel.MakeCursor(last)
				return false, nil
			}
			out.Runs = append(out.Runs, s.shown(c, r))
			last = row.Place()
			return true, nil
		})
		return out, err
	})
}

// known refuses work that there is not.
func (r *Room) known(c *kernel.Call, w api.Work) (err error) {
	if w.Task != "" {
		_, err = r.Tasks.Find(c, w.Task)
	} else if w.Session != "" {
		_, err = r.Sessions.Info(c, w.Session)
	}
	return err
}

// RunCosts implements api.Runs.
func (s *Service) RunCosts(ctx context.Context, req api.RunCostsRequest) (api.RunCosts, error) {
	return kernel.View(ctx, s.caller, running("costs"), func(c *kernel.Call) (api.RunCosts, error) {
		out := api.RunCosts{ByAgent: map[string]api.RunSum{}, ByWork: map[string]api.RunSum{}, ByDay: map[string]api.RunSum{}}
		if err := s.known(c, req.Work); err != nil {
			return out, err
		}
		err := runs.Each(ctx, c.Reader, kernel.Query{Group: req.Work.String(), Newest: true}, func(row kernel.Row[run]) (bool, error) {
			r := row.Value
			if !req.Since.IsZero() && r.Started.Before(req.Since) {
				return false, nil
			}
			if !sees(c, r) {
				return true, nil
			}
			if out.Partial = out.Total.Runs == brenner.MaxRecordsSearched; out.Partial {
				return false, nil
			}
			add(&out.Total, r)
			for key, sums := range map[string]map[string]api.RunSum{
				string(r.Agent): out.ByAgent, r.work().String(): out.ByWork, r.Started.UTC().Format("2006-01-02"): out.ByDay,
			} {
				sum := sums[key]
				add(&sum, r)
				sums[key] = sum
			}
			return true, nil
		})
		return out, err
	})
}

// add adds what a run used to a sum. What it did not tell is counted as not
// told.
func add(sum *api.RunSum, r run) {
	sum.Runs++
	if r.End == nil {
		sum.Running++
		return
	}
	if r.End.Outcome.Good() {
		sum.Good++
	}
	if t := r.End.Usage.Tokens; t != nil {
		sum.Tokens.In += t.In
		sum.Tokens.Cached += t.Cached
		sum.Tokens.Out += t.Out
	}
	if r.End.Usage.Cost != nil {
		sum.Cost += *r.End.Usage.Cost
	} else {
		sum.Unknown++
	}
}

// OpenWork implements api.Runs.
func (s *Service) OpenWork(ctx context.Context, req api.OpenWorkRequest) (api.WorkList, error) {
	return kernel.View(ctx, s.caller, running("work"), func(c *kernel.Call) (api.WorkList, error) {
		l := &looking{Room: s.Room, Call: c, req: req, out: api.WorkList{Work: []api.WorkItem{}, Blocked: []api.WorkItem{}}}
		project, err := c.Reader.Project(ctx)
		if err != nil {
			return l.out, err
		}
		l.out.Project, l.out.Programs = project.ID, c.Config.Programs
		if req.Program != "" {
			if err := s.affordable(c, api.RunProgram{Name: req.Program, Bound: req.Bound, TellsCost: req.TellsCost}); err != nil {
				return l.out, err
			}
		}
		if req.OnlyPrograms {
			return l.out, nil
		}
		if l.agents, err = c.Actors(ctx); err != nil {
			return l.out, err
		}
		if l.busy, err = busy(c); err != nil {
			return l.out, err
		}
		if req.Task == "" {
			err = l.sessions()
		}
		if err == nil && req.Session == "" {
			err = l.tasks()
		}
		if err == nil && len(l.out.Work)+len(l.out.Blocked) == 0 {
			l.out.Why, err = l.why()
		}
		order.By(l.out.Work, func(a, b api.WorkItem) int { return a.Since.Compare(b.Since) })
		return l.out, err
	})
}

// looking is a look for work.
type looking struct {
	*Room
	*kernel.Call
	req    api.OpenWorkRequest
	agents []store.Actor
	busy   map[brenner.ActorName]int
	out    api.WorkList
	// failed is work whose last run failed, whatever the cause.
	failed []failedWork
}

// failedWork is a piece of work, its last run, which failed, and whether it has
// failed too often for a runner to try again.
type failedWork struct {
	work    api.Work
	last    run
	blocked bool
}

// note keeps work whose last run failed. One that somebody stopped did not, and
// what passes by itself is tried again.
func (l *looking) note(item api.WorkItem, earlier []run, agent brenner.ActorName, ask string) {
	for _, e := range earlier { // the newest first
		if agent != "" && e.Agent != agent || e.End == nil {
			continue
		}
		if e.Ask == ask && !e.End.Outcome.Good() && e.End.Outcome != api.OutcomeStopped && !e.End.Cause.Passing() {
			l.failed = append(l.failed, failedWork{item.Work, e, item.Failures >= brenner.MaxRunFailures})
		}
		return
	}
}

// busy counts the live runs of each agent.
func busy(c *kernel.Call) (map[brenner.ActorName]int, error) {
	out := map[brenner.ActorName]int{}
	err := runs.Each(c.Ctx, c.Reader, kernel.Query{States: []string{string(api.RunRunning)}}, func(row kernel.Row[run]) (bool, error) {
		if row.Value.live(c.Clock) {
			out[row.Value.Agent]++
		}
		return true, nil
	})
	return out, err
}

// put lists work for those whom the caller may start, apart where it has failed
// too often.
func (l *looking) put(item api.WorkItem) (bool, error) {
	var err error
	if item.Agents, err = l.startable(item.Agents); err != nil || len(item.Agents) == 0 && l.Who.Kind == kernel.Runner {
		return err == nil, err
	}
	if item.Failures >= brenner.MaxRunFailures && !l.req.Again {
		l.out.Blocked = append(l.out.Blocked, item)
	} else {
		l.out.Work = append(l.out.Work, item)
	}
	return len(l.out.Work)+len(l.out.Blocked) < brenner.MaxPage, nil
}

// startable keeps the agents that the caller may start.
func (l *looking) startable(agents []api.WorkAgent) ([]api.WorkAgent, error) {
	out := []api.WorkAgent{}
	for _, a := range agents {
		ok, err := starts(l.Call, a.Name)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, a)
		}
	}
	return out, nil
}

func (l *looking) sessions() error {
	var fail error
	visit := func(info api.SessionInfo) bool {
		earlier, err := earlierRuns(l.Call, api.Work{Session: info.ID})
		if err != nil {
			fail = err
			return false
		}
		for _, r := range info.Recipients {
			if !r.Waiting && !l.req.Again {
				continue
			}
			if _, taken := held(earlier, r.Name, l.Clock); taken {
				continue
			}
			entry, _ := info.Roster.Entry(r.Name)
			item := api.WorkItem{
				Work: api.Work{Session: info.ID}, Title: info.Question, Role: r.Role, Since: r.AskedAt,
				Agents: []api.WorkAgent{{Name: r.Name, Program: entry.Program, Model: entry.Model, Busy: l.busy[r.Name]}},
			}
			item.Failures, item.Last = failures(earlier, r.Name, r.Ask)
			l.note(item, earlier, r.Name, r.Ask)
			more, err := l.put(item)
			if fail = err; !more {
				return false
			}
		}
		return true
	}
	if l.req.Session != "" {
		info, err := l.Sessions.Info(l.Call, l.req.Session)
		if err == nil {
			visit(info)
		}
		return errors.Join(err, fail)
	}
	return errors.Join(l.Sessions.EachInfo(l.Call, visit), fail)
}

func (l *looking) tasks() error {
	var fail error
	visit := func(t api.TaskInfo) bool {
		if l.req.Task != "" && t.ID != l.req.Task || t.State == api.TaskClaimed && !t.Overdue {
			return true
		}
		unpaid, err := l.unpaid(t)
		if err != nil || unpaid {
			fail = err
			return err == nil
		}
		earlier, err := earlierRuns(l.Call, api.Work{Task: t.ID})
		if err != nil {
			fail = err
			return false
		}
		item := api.WorkItem{Work: api.Work{Task: t.ID}, Title: t.Title, Role: t.Role, Since: t.Created, Agents: []api.WorkAgent{}, WorkSettings: t.WorkSettings}
		for _, a := range l.agents {
			if !a.Active || a.Kind != kernel.Agent {
				continue
			}
			ok, err := l.Tasks.Eligible(l.Call, t, a)
			if err != nil {
				fail = err
				return false
			}
			if !ok {
				continue
			}
			entry, _ := l.Config.Roster.Entry(a.Name)
			item.Agents = append(item.Agents, api.WorkAgent{Name: a.Name, Program: entry.Program, Model: entry.Model, Busy: l.busy[a.Name]})
		}
		item.Failures, item.Last = failures(earlier, "", "")
		l.note(item, earlier, "", "")
		more, err := l.put(item)
		fail = err
		return more
	}
	return errors.Join(l.Tasks.Each(l.Call, []api.TaskState{api.TaskOpen, api.TaskClaimed}, visit), fail)
}

// unpaid says that a task is not to be run because no budget bounds what it costs:
// what a rule asks for, and what is asked for while doing that, is done only under
// one (A3). Naming it is enough.
func (l *looking) unpaid(t api.TaskInfo) (bool, error) {
	if l.req.Task != "" || l.req.Bounded || l.Config.Budget != (config.Budget{}) {
		return false, nil
	}
	if t.Creator == kernel.System {
		return true, nil
	}
	return l.ByRule(l.Call, t.ID)
}

// why says why a task or session that was named is no work now.
func (l *looking) why() (string, error) {
	switch {
	case l.req.Task != "":
		t, err := l.Tasks.Find(l.Call, l.req.Task)
		switch {
		case err != nil:
			return "", err
		case t.State == api.TaskClaimed:
			return fmt.Sprintf("%s is held by %s until %s", t.ID, t.Holder, t.LeaseUntil.Format(time.RFC3339)), nil
		case t.State != api.TaskOpen:
			return fmt.Sprintf("%s is %s", t.ID, t.State), nil
		}
	case l.req.Session != "":
		earlier, err := earlierRuns(l.Call, l.req.Work)
		if e, ok := held(earlier, "", l.Clock); ok || err != nil {
			return fmt.Sprintf("%s is at %s", e.ID, l.req.Session), err
		}
		s, err := l.Sessions.Info(l.Call, l.req.Session)
		if err != nil || !s.Closed.IsZero() {
			return fmt.Sprintf("%s is closed: %s", s.ID, s.ClosedFor), err
		}
		return fmt.Sprintf("everybody who was asked in %s has answered", l.req.Session), nil
	}
	return "", nil
}

// Waiting lists work whose last run failed (W10, N1): nobody need try again.
func (r *Room) Waiting(c *kernel.Call) ([]kernel.Waiting, error) {
	l := &looking{Room: r, Call: c}
	var err error
	if l.agents, err = c.Actors(c.Ctx); err != nil {
		return nil, err
	}
	if err := errors.Join(l.sessions(), l.tasks()); err != nil {
		return nil, err
	}
	var out []kernel.Waiting
	for _, f := range l.failed {
		w := api.Waiting{Kind: api.WaitRun, Subject: f.work.String(), Title: "The last run failed", Count: 1}
		if f.blocked {
			w.Title = "Runs failed again and again"
		}
		w.Why, w.Author, w.Since = f.last.End.Cause.Sentence()+" "+f.last.End.Said, f.last.Agent, f.last.Ended
		out = append(out, kernel.Waiting{Waiting: w})
	}
	return out, nil
}
