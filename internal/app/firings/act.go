package firings

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/automation"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
)

// deed is something that a rule has to do about a subject: found on a snapshot,
// done in a transaction.
type deed struct {
	act     automation.Act
	subject string
	why     string
	do      func(*kernel.Change) (did, error)
}

// did is what came of it.
type did struct {
	tasks []string
	refs  []brenner.Ref
}

// telling is the deed that only tells the person.
func telling(subject, why string) deed {
	return deed{act: automation.Notify, subject: subject, why: why, do: func(*kernel.Change) (did, error) { return did{}, nil }}
}

// plan lists what a rule has to do about an event; nothing if there is nothing
// to be done, or somebody is at it.
func (r *Room) plan(c *kernel.Call, rule automation.Rule, e automation.Event) ([]deed, error) {
	if rule.Do.Act == automation.Update && e.On == automation.Stale {
		return r.planUpdate(c, rule, e)
	}
	events, err := r.expand(c, rule, e)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	switch rule.Do.Act {
	case automation.Update:
		return r.openUpdates(c, rule, e)
	case automation.Distil:
		return r.planDistil(c, rule, events[0])
	case automation.Harvest:
		return r.planHarvest(c, events[0])
	}
	var out []deed
	for _, e := range events {
		if enough, err := r.enough(c, rule, e); err != nil || !enough {
			return nil, err
		}
		d, err := r.planOne(c, rule, e)
		if err != nil {
			return nil, err
		}
		if d.do != nil {
			d.act = rule.Do.Act
			out = append(out, d)
		}
	}
	return out, nil
}

func (r *Room) planOne(c *kernel.Call, rule automation.Rule, e automation.Event) (deed, error) {
	switch rule.Do.Act {
	case automation.Task:
		return r.planTask(c, rule, e)
	case automation.Alignment, automation.Assumptions:
		return r.planCheck(c, string(rule.Do.Act), e)
	case automation.Gates:
		return r.planGates(c, e)
	case automation.Compile:
		return r.planCompile(c, e)
	case automation.Consolidate:
		return r.planConsolidation(c, e)
	case automation.Memo:
		return r.planMemo(c, rule, e)
	case automation.Resolve:
		return r.planFork(c, rule, e)
	case automation.Judge:
		return r.planJudging(c, rule, e)
	case automation.Notify:
		return telling(e.Subject, strings.TrimSpace(rule.Do.Title+" "+words(e))), nil
	}
	return deed{}, nil
}

// words say what happened.
func words(e automation.Event) string {
	if e.Seq == 0 {
		return "it is time: " + string(e.On)
	}
	return fmt.Sprintf("%s: %s (record %d)", e.On, e.Subject, e.Seq)
}

// expand is an event with what it is about filled in, as far as it is one: that
// everybody has answered, that a task is blocked or something stale is only seen
// now. Of what is stale each version is an event.
func (r *Room) expand(c *kernel.Call, rule automation.Rule, e automation.Event) ([]automation.Event, error) {
	switch e.On {
	case automation.SessionAnswered:
		all, err := r.Sessions.Answered(c, brenner.SessionID(e.Subject), e.Seq)
		if err != nil || !all {
			return nil, err
		}
	case automation.TaskBlocked:
		task, err := r.Runs.BlockedTask(c, e.Subject)
		if err != nil || task == "" {
			return nil, err
		}
		e.Subject, e.Task = task, task
	case automation.Stale:
		return r.staleEvents(c, rule, e)
	}
	e, err := r.filled(c, rule, e)
	if err != nil || !rule.Matches(e) {
		return nil, err
	}
	return []automation.Event{e}, nil
}

// filled says what a filter asks of an event: of a version its type and module, and what
// its author was; of a task its role and module, of a session its module.
func (r *Room) filled(c *kernel.Call, rule automation.Rule, e automation.Event) (automation.Event, error) {
	switch {
	case e.Ref.Artifact != "":
		a, err := c.Reader.Artifact(c.Ctx, e.Ref.Artifact)
		if err != nil {
			return e, err
		}
		v, err := c.Version(c.Ctx, e.Ref)
		e.Type, e.Module, e.Role = a.Type, a.Module, v.Role
		return e, err
	case rule.When.Module == "" && rule.When.Role == "":
	case e.Task != "":
		t, err := r.Tasks.Find(c, e.Task)
		e.Role = t.Role
		if slices.Contains(t.Modules, rule.When.Module) {
			e.Module = rule.When.Module
		}
		return e, err
	case e.On == automation.SessionAnswered || e.On == automation.SessionCompiled:
		var err error
		e.Module, err = r.Sessions.ModuleOf(c, brenner.SessionID(e.Subject))
		return e, err
	}
	return e, nil
}

// enough reports whether as many events came since the rule fired last as it
// takes.
func (r *Room) enough(c *kernel.Call, rule automation.Rule, e automation.Event) (bool, error) {
	if rule.When.Count <= 1 || e.Seq == 0 {
		return true, nil
	}
	last, err := firings.List(c.Ctx, c.Reader, kernel.Query{Group: rule.Name, Newest: true}, 1)
	if err != nil {
		return false, err
	}
	since := max(0, e.Seq-brenner.MaxRecordsSearched)
	for _, row := range last {
		if since = max(since, row.Value.Event.Seq); row.Value.Event.Seq == e.Seq {
			return true, nil
		}
	}
	n := 0
	for after := since; after < e.Seq && n < rule.When.Count; {
		rows, err := c.Records(c.Ctx, after, int(min(brenner.MaxPage, e.Seq-after)))
		if err != nil {
			return false, err
		}
		for _, row := range rows {
			found, err := r.matching(c, rule, row)
			if err != nil {
				return false, err
			}
			n += found
		}
		after += int64(len(rows))
	}
	return n >= rule.When.Count, nil
}

// planTask opens the task that a rule describes.
func (r *Room) planTask(c *kernel.Call, rule automation.Rule, e automation.Event) (deed, error) {
	subject := e.Subject
	req := api.NewTaskRequest{Title: brenner.OneLine(rule.Do.Title), Spec: strings.TrimSpace(rule.Do.Spec + "\n\nWhy: " + words(e)), Role: rule.Do.Role}
	if e.Ref.Artifact != "" {
		subject = string(e.Ref.Artifact)
		req.Inputs, req.Modules = []brenner.Ref{e.Ref}, []brenner.Module{e.Module}
	} else if len(c.Modules) > 1 {
		req.Modules = []brenner.Module{kernel.ProjectModule}
	}
	return r.opening(c, rule, e, subject, words(e), req, string(automation.Task))
}

// opening is the deed that opens a task, unless one that the rule opened about
// the same is not closed yet (A3).
func (r *Room) opening(c *kernel.Call, rule automation.Rule, e automation.Event, subject, why string, req api.NewTaskRequest, kind string) (deed, error) {
	covered, err := r.covered(c, rule.Name, subject, e)
	if err != nil || covered {
		return deed{}, err
	}
	return deed{act: rule.Do.Act, subject: subject, why: why, do: func(ch *kernel.Change) (did, error) {
		inputs, err := readable(ch.Call, req.Role, req.Inputs)
		if err != nil {
			return did{}, err
		}
		req.Inputs = inputs
		t, err := r.Tasks.Open(ch, req, kind)
		return did{tasks: []string{t.ID}}, err
	}}, nil
}

// readable keeps of the inputs of a task what its role may read, and no more
// than a task may have: it is told of the others by name.
func readable(c *kernel.Call, role brenner.Role, refs []brenner.Ref) ([]brenner.Ref, error) {
	var out []brenner.Ref
	for _, ref := range refs {
		a, err := c.Reader.Artifact(c.Ctx, ref.Artifact)
		if err != nil {
			return nil, err
		}
		asked := policy.Request{Role: role, Action: policy.Read, Type: a.Type, Module: a.Module}
		if (role == brenner.PI || policy.Decide(c.Policies, asked).Allowed) && len(out) < brenner.MaxTaskInputs && !slices.Contains(out, ref) {
			out = append(out, ref)
		}
	}
	return out, nil
}

// roleOf is the first of some roles that an agent has; false if none has any.
// Then there is nobody to ask, and what waits is in the inbox anyway.
func roleOf(c *kernel.Call, roles ...brenner.Role) (brenner.Role, bool, error) {
	actors, err := c.Actors(c.Ctx)
	if err != nil {
		return "", false, err
	}
	for _, role := range roles {
		if slices.ContainsFunc(actors, func(a store.Actor) bool { return a.Active && a.Kind == kernel.Agent && a.Role == role }) {
			return role, true, nil
		}
	}
	return "", false, nil
}

// planCheck runs a check on one version, if it is in use still, and on everything
// when its time has come. That it is done then is recorded also where nothing is
// found: it is not done again before the next time.
func (r *Room) planCheck(c *kernel.Call, check string, e automation.Event) (deed, error) {
	if e.Seq == 0 {
		found, err := r.Upkeep.ExamineAll(c, check)
		if err != nil {
			return deed{}, err
		}
		return deed{subject: check, why: fmt.Sprintf("%s; new findings: %d", words(e), len(found)), do: func(ch *kernel.Change) (did, error) {
			refs, err := r.Upkeep.Keep(ch, check, found)
			return did{refs: refs}, err
		}}, nil
	}
	found, err := r.Upkeep.Examine(c, check, e.Ref)
	if err != nil || len(found) == 0 {
		return deed{}, err
	}
	why := fmt.Sprintf("%s was %s, and %d findings are new", e.Ref, strings.ReplaceAll(string(e.On), "_", " "), len(found))
	if len(found) == 1 {
		why = fmt.Sprintf("%s was %s, and a finding is new", e.Ref, strings.ReplaceAll(string(e.On), "_", " "))
	}
	return deed{subject: string(e.Ref.Artifact), why: why, do: func(ch *kernel.Change) (did, error) {
		refs, err := r.Upkeep.Keep(ch, check, found)
		return did{refs: refs}, err
	}}, nil
}

func (r *Room) planGates(c *kernel.Call, e automation.Event) (deed, error) {
	if e.Seq == 0 {
		ready, err := r.Lessons.Ready(c, brenner.MaxPage)
		if err != nil {
			return deed{}, err
		}
		return deed{subject: string(automation.Gates), why: fmt.Sprintf("%s; lessons that step up: %d", words(e), len(ready)), do: func(ch *kernel.Change) (did, error) {
			for _, id := range ready {
				if err := r.Lessons.Rise(ch, id); err != nil {
					return did{}, err
				}
			}
			return did{}, nil
		}}, nil
	}
	rises, err := r.Lessons.Rises(c, e.Subject, e.Seq)
	if err != nil || !rises {
		return deed{}, err
	}
	return deed{subject: e.Subject, why: "the lesson has the evidence for its next step", do: func(ch *kernel.Change) (did, error) {
		return did{}, r.Lessons.Rise(ch, e.Subject)
	}}, nil
}

func (r *Room) planCompile(c *kernel.Call, e automation.Event) (deed, error) {
	id := brenner.SessionID(e.Subject)
	waits, err := r.Sessions.Pending(c, id)
	if err != nil || !waits {
		return deed{}, err
	}
	return deed{subject: e.Subject, why: words(e), do: func(ch *kernel.Change) (did, error) {
		ref, err := r.Sessions.CompileNow(ch, id)
		return did{refs: []brenner.Ref{ref}}, err
	}}, nil
}

func (r *Room) planConsolidation(c *kernel.Call, e automation.Event) (deed, error) {
	open, err := r.Upkeep.Consolidation(c)
	if err != nil || open == nil {
		return deed{}, err
	}
	return deed{subject: "consolidation", why: words(e), do: func(ch *kernel.Change) (did, error) {
		tasks, err := open(ch)
		return did{tasks: tasks}, err
	}}, nil
}

// planFork opens a task for the fork that a version made, and closes it when
// the fork is gone.
func (r *Room) planFork(c *kernel.Call, rule automation.Rule, e automation.Event) (deed, error) {
	if e.On == automation.ForkSettled {
		return r.planSettled(c, e)
	}
	req, ok, err := r.Upkeep.ForkTask(c, e.Ref.Artifact)
	if err != nil || !ok {
		return deed{}, err
	}
	if req.Role, ok, err = roleOf(c, policy.Integrator); err != nil || !ok {
		return deed{}, err
	}
	return r.opening(c, rule, e, string(e.Ref.Artifact), e.Ref.String()+" made a fork", req, "fork")
}

func (r *Room) planSettled(c *kernel.Call, e automation.Event) (deed, error) {
	tasks, err := r.Upkeep.SettledForks(c, e.Ref.Artifact)
	if err != nil || len(tasks) == 0 {
		return deed{}, err
	}
	return r.closing(tasks, e, "the fork is gone"), nil
}

// closing is the deed that closes tasks which an event has made needless.
func (r *Room) closing(tasks []string, e automation.Event, why string) deed {
	why = fmt.Sprintf("%s (record %d)", why, e.Seq)
	return deed{subject: string(e.Ref.Artifact), why: why, do: func(ch *kernel.Change) (did, error) {
		for _, id := range tasks {
			if _, err := r.Tasks.Cancel(ch, id, why); err != nil {
				return did{}, err
			}
		}
		return did{}, nil
	}}
}

// planJudging opens a task to look at lessons that nobody is sure of, one for
// each domain.
func (r *Room) planJudging(c *kernel.Call, rule automation.Rule, e automation.Event) (deed, error) {
	domain, waiting, err := r.Lessons.Unsure(c, e.Subject, brenner.MaxTaskInputs)
	if err != nil || len(waiting) == 0 {
		return deed{}, err
	}
	role, ok, err := roleOf(c, policy.Reviewer, policy.Integrator)
	if err != nil || !ok {
		return deed{}, err
	}
	req := api.NewTaskRequest{
		Title: "Review the lessons of " + domain, Role: role, Modules: anyModule(c),
		Spec: "Nobody is sure of these lessons:\n- " + strings.Join(waiting, "\n- ") +
			"\nSay of each whether it holds: approve it or reject it, with a reason.",
	}
	return r.opening(c, rule, e, domain, e.Subject+" was learned, and nobody is sure of it", req, "lessons")
}

// anyModule is where a task belongs that is about no module.
func anyModule(c *kernel.Call) []brenner.Module {
	if len(c.Modules) == 1 {
		return []brenner.Module{c.Modules[0]}
	}
	return []brenner.Module{kernel.ProjectModule}
}

// planMemo opens a task to renew the memo of a module, unless a newer one waits
// for a person already.
func (r *Room) planMemo(c *kernel.Call, rule automation.Rule, e automation.Event) (deed, error) {
	t, err := c.Types.Lookup(e.Type)
	if err != nil || !t.Contextual || t.Record || e.Type == artifact.TypeIntegratedMemo || !slices.Contains(c.Modules, e.Module) {
		return deed{}, ignoreUnknown(err)
	}
	behind, err := r.Tasks.FellBehind(c, e.Module, e.Seq)
	if err != nil || !behind {
		return deed{}, err
	}
	role, ok, err := roleOf(c, policy.Integrator)
	if err != nil || !ok {
		return deed{}, err
	}
	memos, err := c.Reader.Artifacts(c.Ctx, store.ArtifactQuery{Types: []brenner.TypeName{artifact.TypeIntegratedMemo}, Modules: []brenner.Module{e.Module}, Limit: brenner.DefaultPage})
	if err != nil {
		return deed{}, err
	}
	req := api.NewTaskRequest{
		Title: "Renew the memo of " + string(e.Module), Role: role, Modules: []brenner.Module{e.Module},
		Spec: fmt.Sprintf("More than %d artifacts of the module %s changed since its memo. Read what changed, and write the integrated_memo anew so that it says what stands now.",
			c.Config.CompressionThreshold, e.Module),
	}
	for _, m := range memos {
		if m.HeadStatus.Live() && m.Head != m.Canonical {
			return deed{}, nil // it is for a person to decide
		}
		if m.Canonical > 0 {
			req.Inputs = append(req.Inputs, brenner.Ref{Artifact: m.ID, Version: m.Canonical})
		}
	}
	why := fmt.Sprintf("with %s more than %d artifacts changed since the memo", e.Ref, c.Config.CompressionThreshold)
	return r.opening(c, rule, e, string(e.Module), why, req, "memo")
}

// ignoreUnknown lets a type pass that is not declared any more.
func ignoreUnknown(err error) error {
	if errors.Is(err, brenner.CodeUnknownType) {
		return nil
	}
	return err
}

// planDistil opens a task to distil the raw logs of a module that came since the
// last one, once there are enough of them. What somebody has drawn from already
// does not count; a session's compile takes deltas and leaves the prose.
func (r *Room) planDistil(c *kernel.Call, rule automation.Rule, e automation.Event) ([]deed, error) {
	role, ok, err := roleOf(c, policy.Distiller)
	if err != nil || !ok {
		return nil, err
	}
	after, err := lastAbout(c, rule.Name, string(e.Module), e.Seq)
	if err != nil {
		return nil, err
	}
	logs, err := r.undistilled(c, e.Module, after, e.Seq)
	if err != nil || len(logs) < max(rule.When.Count, 1) {
		return nil, err
	}
	req := api.NewTaskRequest{
		Title: "Distil the logs of " + string(e.Module), Role: role, Modules: []brenner.Module{e.Module}, Inputs: logs,
		Spec: "These raw logs have come, and nobody else reads them. Write down what of them should be known: a paper_note or an analysis_result for each finding, derived_from the log it stands in. What is of no use is left.",
	}
	d, err := r.opening(c, rule, e, string(e.Module), fmt.Sprintf("%d raw logs wait to be distilled", len(logs)), req, "distil")
	if err != nil || d.do == nil {
		return nil, err
	}
	return []deed{d}, nil
}

// lastAbout is the record that the last firing of a rule about a subject, before
// a record, was caused by; 0 if there was none.
func lastAbout(c *kernel.Call, rule, subject string, before int64) (int64, error) {
	var last int64
	err := firings.Each(c.Ctx, c.Reader, kernel.Query{Group: rule, Newest: true}, func(row kernel.Row[firing]) (bool, error) {
		f := row.Value
		if f.Subject == subject && f.Event.Seq < before && f.Code == "" {
			last = f.Event.Seq
			return false, nil
		}
		return true, nil
	})
	return last, err
}

// undistilled lists the raw logs of a module between two records that nobody
// has drawn from.
func (r *Room) undistilled(c *kernel.Call, m brenner.Module, after, upTo int64) ([]brenner.Ref, error) {
	rows, err := c.Reader.Artifacts(c.Ctx, store.ArtifactQuery{
		Types: []brenner.TypeName{artifact.TypeRawLog}, Modules: []brenner.Module{m}, ChangedAfter: after, Recent: true, Limit: brenner.MaxPage,
	})
	if err != nil {
		return nil, err
	}
	var logs []brenner.Ref
	for _, a := range slices.Backward(rows) {
		if a.Seq <= upTo && a.HeadStatus.Live() {
			logs = append(logs, brenner.Ref{Artifact: a.ID, Version: a.Head})
		}
	}
	links, err := c.LinksTo(c.Ctx, logs)
	if err != nil {
		return nil, err
	}
	var from []brenner.Ref
	for _, l := range links {
		from = append(from, l.From)
	}
	by, err := ledger.ArtifactsOf(c, from)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(logs, func(log brenner.Ref) bool {
		return slices.ContainsFunc(links, func(l store.Link) bool {
			return l.To == log && by[l.From.Artifact].Type != artifact.TypeSessionArtifact
		})
	}), nil
}

// matching counts the events of a record that a rule is for.
func (r *Room) matching(c *kernel.Call, rule automation.Rule, row store.Record) (int, error) {
	if !r.Kinds().Means(row.Kind) {
		return 0, nil
	}
	events, err := r.eventsAt(row)
	n := 0
	for _, e := range events {
		if !rule.Waits(e.On) {
			continue
		}
		some, err := r.expand(c, rule, e)
		if err != nil {
			return 0, err
		}
		n += len(some)
	}
	return n, err
}
