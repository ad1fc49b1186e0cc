package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/policy"
	"brenner/roster"

	"github.com/go-json-experiment/json"
)

// coverage reads the journal position that a memo states.
func coverage(data []byte, otherwise int64) int64 {
	var memo struct {
		Covers *int64 `json:"covers"`
	}
	if json.Unmarshal(data, &memo) != nil || memo.Covers == nil {
		return otherwise
	}
	return *memo.Covers
}

// roleFor is the role that counts for work on a task: inside a session the
// roster's, otherwise the standing one (C8).
func (c *call) roleFor(t api.TaskInfo) (brenner.Role, error) {
	if t.Session == "" {
		return c.actor.Role, nil
	}
	return c.rosterRole(t.Session)
}

// rosterRole is the role that a session's roster gives the caller.
func (c *call) rosterRole(id brenner.SessionID) (brenner.Role, error) {
	o, err := c.Object(c.ctx, objectSession, string(id))
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return "", brenner.Errorf(brenner.CodeNotFound, "there is no session %q", id)
	}
	if err != nil {
		return "", err
	}
	var body struct {
		Roster roster.Roster `json:"roster"`
	}
	if err := unmarshalBody(o, &body); err != nil {
		return "", err
	}
	for _, e := range body.Roster.Entries {
		if e.AgentName == c.actor.Name {
			return e.Role, nil
		}
	}
	return c.actor.Role, nil
}

// A session is an object of this kind, an invocation of the other; the group
// of an invocation is the task it was made for.
const (
	objectSession    = "session"
	objectInvocation = "invocation"
)

// taskRead is a version that a context of a task showed.
type taskRead struct {
	api.Pin
	Invocation string
}

// taskReads lists what the contexts assembled for a task showed, and what was
// read through them afterwards.
func (c *call) taskReads(id string) ([]taskRead, error) {
	rows, err := c.Objects(c.ctx, store.ObjectQuery{Kind: objectInvocation, Group: id, Limit: brenner.MaxPage})
	if err != nil {
		return nil, err
	}
	var out []taskRead
	for _, o := range rows {
		var body struct {
			Reads []api.Pin `json:"reads"`
		}
		if err := unmarshalBody(o, &body); err != nil {
			return nil, err
		}
		for _, p := range body.Reads {
			out = append(out, taskRead{Pin: p, Invocation: o.ID})
		}
	}
	return out, nil
}

// enterTask makes a write part of a task that the caller holds: it is written
// in the role the task gives (C8).
func (c *call) enterTask(id string) error {
	if id == "" {
		return nil
	}
	t, err := c.held(id)
	if err != nil {
		return err
	}
	c.actor.Role, err = c.roleFor(t)
	return err
}

// eligible refuses a task that is not for the caller's role. The PI may take
// any.
func (c *call) eligible(t api.TaskInfo) error {
	if c.actor.Kind == kindPerson && c.actor.Role == brenner.PI {
		return nil
	}
	role, err := c.roleFor(t)
	if err != nil {
		return err
	}
	if role != t.Role {
		return brenner.Errorf(brenner.CodeTaskNotYours, "%s is for a %s, you are a %s", t.ID, t.Role, role)
	}
	return nil
}

// ClaimTask implements api.Tasks.
func (s *service) ClaimTask(ctx context.Context, req api.ClaimTaskRequest) (api.TaskInfo, error) {
	return write(ctx, s, "task.claim", req.Write, req, func(ch *change) (api.TaskInfo, error) {
		if err := ch.allow(policy.TaskWork, "", "", req.ID); err != nil {
			return api.TaskInfo{}, err
		}
		lease := time.Duration(req.Lease)
		if lease == 0 {
			lease = brenner.DefaultLease
		}
		if lease < time.Second || lease > brenner.MaxLease {
			return api.TaskInfo{}, brenner.Errorf(brenner.CodeInvalidValue, "a lease is between 1s and %s", brenner.MaxLease).At("/lease")
		}
		t, err := ch.claimable(req.ID)
		if err != nil {
			return api.TaskInfo{}, err
		}
		if t.CrossCutting {
			if err := ch.compressed(t.Modules); err != nil {
				return api.TaskInfo{}, err
			}
		}
		return ch.claim(t.ID, ch.actor.Name, lease)
	})
}

func (ch *change) claim(id string, holder brenner.ActorName, lease time.Duration) (api.TaskInfo, error) {
	if _, err := ch.append(kindTaskClaimed, taskClaimed{ID: id, Holder: holder, Until: ch.now.Add(lease)}); err != nil {
		return api.TaskInfo{}, err
	}
	return ch.findTask(id)
}

// claimable gives the task named if the caller may have it, or the oldest one
// there is for it.
func (ch *change) claimable(id string) (api.TaskInfo, error) {
	if id != "" {
		t, err := ch.findTask(id)
		if err != nil {
			return t, err
		}
		return t, ch.free(t)
	}
	var found *api.TaskInfo
	err := ch.eachTask([]api.TaskState{api.TaskOpen, api.TaskClaimed}, func(t api.TaskInfo) bool {
		if ch.free(t) == nil && t.Holder != ch.actor.Name {
			found = &t
		}
		return found == nil
	})
	if err == nil && found == nil {
		err = brenner.Errorf(brenner.CodeNotFound, "no task is free for you").WithHint("see `brenner task list`")
	}
	if err != nil {
		return api.TaskInfo{}, err
	}
	return *found, nil
}

// free refuses a task that is closed, another's, or for another role.
func (c *call) free(t api.TaskInfo) error {
	switch {
	case t.State == api.TaskDone || t.State == api.TaskCanceled:
		return brenner.Errorf(brenner.CodeTaskClosed, "%s is %s", t.ID, t.State)
	case t.State == api.TaskClaimed && t.Holder != c.actor.Name && !t.Overdue:
		return brenner.Errorf(brenner.CodeTaskTaken, "%s is held by %s until %s", t.ID, t.Holder, t.LeaseUntil.Format(time.RFC3339))
	}
	return c.eligible(t)
}

// eachTask visits tasks in the order they were opened until fn says stop.
func (c *call) eachTask(states []api.TaskState, fn func(api.TaskInfo) bool) error {
	q := store.ObjectQuery{Kind: objectTask, States: texts(states)}
	return eachObject(c.ctx, c.Reader, q, func(o store.Object) (bool, error) {
		t, err := c.taskFrom(o)
		return err == nil && fn(t), err
	})
}

// held loads a task that the caller must hold.
func (c *call) held(id string) (api.TaskInfo, error) {
	t, err := c.unfinished(id)
	if err != nil {
		return t, err
	}
	switch t.Holder {
	case c.actor.Name:
		return t, nil
	case "":
		return t, brenner.Errorf(brenner.CodeTaskNotYours, "nobody has claimed %s", t.ID).
			WithHint("run `brenner task claim " + t.ID + "` first")
	}
	return t, brenner.Errorf(brenner.CodeTaskNotYours, "%s is held by %s", t.ID, t.Holder)
}

// unfinished loads a task that is neither done nor canceled.
func (c *call) unfinished(id string) (api.TaskInfo, error) {
	t, err := c.findTask(id)
	if err == nil && (t.State == api.TaskDone || t.State == api.TaskCanceled) {
		err = brenner.Errorf(brenner.CodeTaskClosed, "%s is %s", t.ID, t.State)
	}
	return t, err
}

// ReleaseTask implements api.Tasks.
func (s *service) ReleaseTask(ctx context.Context, req api.TaskRequest) (api.TaskInfo, error) {
	return write(ctx, s, "task.release", req.Write, req, func(ch *change) (api.TaskInfo, error) {
		if err := ch.allow(policy.TaskWork, "", "", req.ID); err != nil {
			return api.TaskInfo{}, err
		}
		t, err := ch.held(req.ID)
		if err != nil {
			return api.TaskInfo{}, err
		}
		if _, err := ch.append(kindTaskReleased, taskReleased{ID: t.ID}); err != nil {
			return api.TaskInfo{}, err
		}
		return ch.findTask(t.ID)
	})
}

// ReassignTask implements api.Tasks.
func (s *service) ReassignTask(ctx context.Context, req api.ReassignTaskRequest) (api.TaskInfo, error) {
	return write(ctx, s, "task.reassign", req.Write, req, func(ch *change) (api.TaskInfo, error) {
		if err := ch.allow(policy.TaskCreate, "", "", req.ID); err != nil {
			return api.TaskInfo{}, err
		}
		t, err := ch.unfinished(req.ID)
		if err != nil {
			return api.TaskInfo{}, err
		}
		to, err := ch.Actor(ctx, req.To)
		if brenner.CodeOf(err) == brenner.CodeNotFound {
			return api.TaskInfo{}, brenner.Errorf(brenner.CodeNotFound, "there is no actor %q", req.To).WithHint("see `brenner agent list`")
		}
		if err != nil {
			return api.TaskInfo{}, err
		}
		as := *ch.call
		as.actor = to
		if err := as.eligible(t); err != nil {
			return api.TaskInfo{}, err
		}
		return ch.claim(t.ID, to.Name, brenner.DefaultLease)
	})
}

// CancelTask implements api.Tasks.
func (s *service) CancelTask(ctx context.Context, req api.CancelTaskRequest) (api.TaskInfo, error) {
	return write(ctx, s, "task.cancel", req.Write, req, func(ch *change) (api.TaskInfo, error) {
		if err := ch.allow(policy.TaskCreate, "", "", req.ID); err != nil {
			return api.TaskInfo{}, err
		}
		if strings.TrimSpace(req.Reason) == "" {
			return api.TaskInfo{}, brenner.Errorf(brenner.CodeReasonRequired, "canceling a task must be given a reason")
		}
		if err := checkText(req.Reason); err != nil {
			return api.TaskInfo{}, err
		}
		t, err := ch.unfinished(req.ID)
		if err != nil {
			return api.TaskInfo{}, err
		}
		if _, err := ch.append(kindTaskCanceled, taskCanceled{ID: t.ID, Reason: req.Reason}); err != nil {
			return api.TaskInfo{}, err
		}
		return ch.findTask(t.ID)
	})
}

// CompleteTask implements api.Tasks.
func (s *service) CompleteTask(ctx context.Context, req api.CompleteTaskRequest) (api.TaskInfo, error) {
	return write(ctx, s, "task.complete", req.Write, req, func(ch *change) (api.TaskInfo, error) {
		if err := ch.allow(policy.TaskWork, "", "", req.ID); err != nil {
			return api.TaskInfo{}, err
		}
		t, err := ch.held(req.ID)
		if err != nil {
			return api.TaskInfo{}, err
		}
		if err := checkTaskText(t.Title, req.Note); err != nil {
			return api.TaskInfo{}, err
		}
		p := taskCompleted{ID: t.ID, Outputs: t.Outputs, Moved: []api.Moved{}, Note: req.Note, Changes: []statusChange{}}
		for _, ref := range req.Outputs {
			pin, err := ch.pin(ref)
			if err != nil {
				return api.TaskInfo{}, err
			}
			if !slices.Contains(p.Outputs, pin.Ref) {
				p.Outputs = append(p.Outputs, pin.Ref)
			}
		}
		if p.Moved, err = ch.movedInputs(t, p.Outputs); err != nil {
			return api.TaskInfo{}, err
		}
		if len(p.Moved) > 0 {
			if p.Changes, err = ch.needRebase(p.Outputs); err != nil {
				return api.TaskInfo{}, err
			}
		}
		if _, err := ch.append(kindTaskCompleted, p); err != nil {
			return api.TaskInfo{}, err
		}
		return ch.findTask(t.ID)
	})
}

// movedInputs lists what a task rests on and what has changed since: its
// pinned inputs and what its contexts showed. What the task itself wrote does
// not count.
func (ch *change) movedInputs(t api.TaskInfo, outputs []brenner.Ref) ([]api.Moved, error) {
	out := []api.Moved{}
	seen := map[brenner.Ref]bool{}
	own := map[brenner.ArtifactID]bool{}
	for _, ref := range outputs {
		own[ref.Artifact] = true
	}
	look := func(p api.Pin, through string) error {
		if seen[p.Ref] || own[p.Ref.Artifact] {
			return nil
		}
		seen[p.Ref] = true
		m, yes, err := ch.moved(p)
		if yes {
			m.Through = through
			out = append(out, m)
		}
		return err
	}
	for _, p := range t.Inputs {
		if err := look(p, ""); err != nil {
			return nil, err
		}
	}
	reads, err := ch.taskReads(t.ID)
	if err != nil {
		return nil, err
	}
	for _, r := range reads {
		if err := look(r.Pin, r.Invocation); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// needRebase lists the outputs whose status becomes needs_rebase. What has
// been decided upon meanwhile stays as decided.
func (ch *change) needRebase(outputs []brenner.Ref) ([]statusChange, error) {
	out := []statusChange{}
	for _, ref := range outputs {
		v, err := ch.Version(ch.ctx, ref)
		if err != nil {
			return nil, err
		}
		if v.Status == artifact.Draft || v.Status == artifact.Alternative {
			out = append(out, statusChange{Ref: ref, From: v.Status, To: artifact.NeedsRebase})
		}
	}
	return out, nil
}

// Task implements api.Tasks.
func (s *service) Task(ctx context.Context, req api.TaskRequest) (api.TaskInfo, error) {
	return view(ctx, s, func(c *call) (api.TaskInfo, error) {
		if err := c.allow(policy.Status, "", "", req.ID); err != nil {
			return api.TaskInfo{}, err
		}
		return c.findTask(req.ID)
	})
}

// Tasks implements api.Tasks.
func (s *service) Tasks(ctx context.Context, req api.ListTasksRequest) (api.TaskList, error) {
	return view(ctx, s, func(c *call) (api.TaskList, error) {
		if err := c.allow(policy.Status, "", "", "tasks"); err != nil {
			return api.TaskList{}, err
		}
		states := req.States
		if len(states) == 0 {
			states = []api.TaskState{api.TaskOpen, api.TaskClaimed}
		}
		for _, st := range states {
			if !slices.Contains([]api.TaskState{api.TaskOpen, api.TaskClaimed, api.TaskDone, api.TaskCanceled}, st) {
				return api.TaskList{}, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a state of a task", st)
			}
		}
		out := api.TaskList{Tasks: []api.TaskInfo{}}
		q := store.ObjectQuery{Kind: objectTask, Group: string(req.Role), States: texts(states)}
		var err error
		out.Next, err = c.page(q, req.Page, func(o store.Object) error {
			t, err := c.taskFrom(o)
			out.Tasks = append(out.Tasks, t)
			return err
		})
		return out, err
	})
}
