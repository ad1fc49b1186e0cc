package upkeep

import (
	"context"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/lineage"
	"brenner/policy"
)

// What the tasks that upkeep opens are about.
const (
	taskFork        = "fork"        // resolve a fork
	taskConsolidate = "consolidate" // merge or clean up
	taskReview      = "review"      // look at a finding
)

// offers opens the tasks of one run, as many as one run may.
type offers struct {
	tasks Tasks
	ch    *kernel.Change
	kind  string
	out   api.OpenedTasks
}

func (r *Room) newOffers(ch *kernel.Change, kind string) *offers {
	return &offers{tasks: r.Tasks, ch: ch, kind: kind, out: api.OpenedTasks{Tasks: []api.TaskInfo{}}}
}

// open opens a task about some versions, for a role or, where the role may not
// read them, for the PI. It is about the modules they are in; a gate that is
// closed for those (C12), or what the actor may not read, holds the task and
// not the run.
func (o *offers) open(title string, spec []string, role brenner.Role, inputs []brenner.Ref) error {
	if len(o.out.Tasks) >= brenner.MaxTasksOpened {
		o.out.Waiting++
		return nil
	}
	req := api.NewTaskRequest{Title: title, Spec: strings.Join(spec, "\n"), Role: role, Inputs: inputs}
	for _, ref := range inputs {
		a, err := o.ch.Reader.Artifact(o.ch.Ctx, ref.Artifact)
		if err != nil {
			return err
		}
		if !slices.Contains(req.Modules, a.Module) {
			req.Modules = append(req.Modules, a.Module)
		}
		asked := policy.Request{Role: role, Action: policy.Read, Type: a.Type, Module: a.Module}
		if !policy.Decide(o.ch.Policies, asked).Allowed {
			req.Role = brenner.PI
		}
	}
	req.CrossCutting = len(req.Modules) > 1
	t, err := o.tasks.Open(o.ch, req, o.kind)
	switch code := brenner.CodeOf(err); code {
	case "":
		o.out.Tasks = append(o.out.Tasks, t)
		return nil
	case brenner.CodeCompressionRequired, brenner.CodeUnknownModule, brenner.CodeReadDenied:
		o.out.Held = append(o.out.Held, api.HeldTask{Title: title, Code: code, Reason: err.Error(), Inputs: inputs})
		return nil
	}
	return err
}

// given is which versions tasks of a kind were given, so that none is opened
// twice for the same thing.
type given struct {
	artifacts map[brenner.ArtifactID][]string // of tasks that are open, by task
	refs      map[brenner.Ref][]string        // of all tasks, by task
	titles    map[string]bool                 // of tasks that are open
}

func (r *Room) givenTo(c *kernel.Call, kind string) (given, error) {
	g := given{artifacts: map[brenner.ArtifactID][]string{}, refs: map[brenner.Ref][]string{}, titles: map[string]bool{}}
	err := r.Tasks.Each(c, nil, func(t api.TaskInfo) bool {
		if t.Kind != kind {
			return true
		}
		open := t.State == api.TaskOpen || t.State == api.TaskClaimed
		if open {
			g.titles[t.Title] = true
		}
		for _, p := range t.Inputs {
			g.refs[p.Ref] = append(g.refs[p.Ref], t.ID)
			if open {
				g.artifacts[p.Ref.Artifact] = append(g.artifacts[p.Ref.Artifact], t.ID)
			}
		}
		return true
	})
	return g, err
}

// covers reports whether one task has all of some versions: an open task has
// any version of them, a closed one had these very versions.
func (g given) covers(refs []brenner.Ref) bool {
	var open, had []string
	for i, ref := range refs {
		if i == 0 {
			open, had = g.artifacts[ref.Artifact], g.refs[ref]
			continue
		}
		open, had = inBoth(open, g.artifacts[ref.Artifact]), inBoth(had, g.refs[ref])
	}
	return len(open) > 0 || len(had) > 0
}

func inBoth(a, b []string) []string {
	var out []string
	for _, s := range a {
		if slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

// OpenForkTasks implements api.Upkeep.
func (s *Service) OpenForkTasks(ctx context.Context, req api.OpenForkTasksRequest) (api.OpenedTasks, error) {
	return kernel.Write(ctx, s.caller, "forks.open_tasks", req, kernel.To(policy.TaskCreate, "tasks for forks"), func(ch *kernel.Change) (api.OpenedTasks, error) {
		forks, err := ledger.AllForks(ch.Call)
		if err != nil {
			return api.OpenedTasks{}, err
		}
		given, err := s.givenTo(ch.Call, taskFork)
		if err != nil {
			return api.OpenedTasks{}, err
		}
		tasks := s.newOffers(ch, taskFork)
		for _, f := range forks {
			title, spec, heads := forkTask(f)
			if given.titles[title] {
				continue
			}
			if err := tasks.open(title, spec, policy.Integrator, heads); err != nil {
				return api.OpenedTasks{}, err
			}
		}
		return tasks.out, nil
	})
}

// forkTask words the task to resolve a fork.
func forkTask(f lineage.Fork) (title string, spec []string, heads []brenner.Ref) {
	spec = []string{"More than one version could be the truth:"}
	for _, h := range f.Heads[:min(len(f.Heads), brenner.MaxTaskInputs)] {
		heads = append(heads, h.Ref)
		spec = append(spec, "- "+h.Ref.String()+" ("+string(h.Status)+")")
	}
	return "Resolve the fork of " + f.Slot + string(f.Artifact), append(spec, forkAdvice(f.Slot != "")), heads
}

// ForkTask words the task to resolve the fork that an artifact is part of, in
// the modules it is about; false if there is no fork, or a task for it is open.
func (r *Room) ForkTask(c *kernel.Call, id brenner.ArtifactID) (api.NewTaskRequest, bool, error) {
	forks, err := ledger.AllForks(c)
	if err != nil {
		return api.NewTaskRequest{}, false, err
	}
	i := slices.IndexFunc(forks, func(f lineage.Fork) bool {
		return slices.ContainsFunc(f.Heads, func(h lineage.Node) bool { return h.Ref.Artifact == id })
	})
	if i < 0 {
		return api.NewTaskRequest{}, false, nil
	}
	title, spec, heads := forkTask(forks[i])
	given, err := r.givenTo(c, taskFork)
	if err != nil || given.titles[title] {
		return api.NewTaskRequest{}, false, err
	}
	req := api.NewTaskRequest{Title: title, Spec: strings.Join(spec, "\n"), Inputs: heads}
	for _, h := range forks[i].Heads {
		if !slices.Contains(req.Modules, h.Module) {
			req.Modules = append(req.Modules, h.Module)
		}
	}
	req.CrossCutting = len(req.Modules) > 1
	return req, true, nil
}

// SettledForks lists the open tasks to resolve a fork of an artifact that is
// gone. What somebody is at stays: that may be how it was settled.
func (r *Room) SettledForks(c *kernel.Call, id brenner.ArtifactID) ([]string, error) {
	var open []api.TaskInfo
	err := r.Tasks.Each(c, []api.TaskState{api.TaskOpen}, func(t api.TaskInfo) bool {
		about := slices.ContainsFunc(t.Inputs, func(p api.Pin) bool { return p.Ref.Artifact == id })
		if t.Kind == taskFork && t.State == api.TaskOpen && about {
			open = append(open, t)
		}
		return true
	})
	if err != nil || len(open) == 0 {
		return nil, err
	}
	forks, err := ledger.AllForks(c)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, t := range open {
		if !slices.ContainsFunc(forks, func(f lineage.Fork) bool { title, _, _ := forkTask(f); return title == t.Title }) {
			out = append(out, t.ID)
		}
	}
	return out, nil
}

func forkAdvice(slot bool) string {
	if slot {
		return "Bring them together in one artifact and propose it for promotion; the others are deprecated."
	}
	return "Write one version that says what holds and supersedes the others, or say which one is to be promoted."
}

// cutoffBefore is the last journal position that is at least a period old: what
// changed after it changed within the period.
func cutoffBefore(c *kernel.Call, period time.Duration) (before time.Time, seq int64, err error) {
	before = c.Now.Add(-period)
	low, high := int64(0), c.Position // low is old enough, high+1 is not
	for low < high {
		mid := low + (high-low+1)/2
		rows, err := c.Records(c.Ctx, mid-1, 1)
		if err != nil {
			return before, 0, err
		}
		if len(rows) == 1 && !rows[0].At.After(before) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return before, low, nil
}

// unusedFor reads how long something must have been left alone.
func unusedFor(asked api.Duration) (time.Duration, error) {
	switch period := time.Duration(asked); {
	case period == 0:
		return brenner.DefaultUnusedFor, nil
	case period < 0:
		return 0, brenner.Errorf(brenner.CodeInvalidValue, "a period cannot be negative").At("/older_than").
			WithHint("write it as 90s, 30m or 720h")
	default:
		return period, nil
	}
}

// upkept reports whether artifacts of a type come and go by being used: not
// records, not what there is one of, not what governs, and not what has a life
// of its own as sessions and stalemates have.
func upkept(t artifact.Type) bool {
	switch t.Name {
	case artifact.TypeSessionArtifact, artifact.TypeStalemate, artifact.TypeRoster, artifact.TypeRolePolicy, artifact.TypeContextView:
		return false
	}
	return !t.Record && t.Singleton == ""
}

// subjectOf is the version of an artifact that upkeep looks at: the canonical
// one, else the head.
func subjectOf(c *kernel.Call, a store.Artifact) (store.Version, bool, error) {
	v, err := ledger.InForce(c, a, 0)
	return v, err == nil && v.Status.Live(), err
}
