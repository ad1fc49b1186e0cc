package tasks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
)

// RoleFor is the role that counts for work on a task: inside a session the
// roster's, otherwise the standing one (C8).
func (r *Room) RoleFor(c *kernel.Call, t api.TaskInfo) (brenner.Role, error) {
	if t.Session == "" {
		return c.Who.Role, nil
	}
	return r.Sessions.RosterRole(c, t.Session)
}

// Enter makes a write part of a task that the caller holds: it is written
// in the role the task gives (C8).
func (r *Room) Enter(c *kernel.Call, id string) error {
	if id == "" {
		return nil
	}
	t, err := r.Held(c, id)
	if err != nil {
		return err
	}
	c.Task = t.ID
	c.Who.Role, err = r.RoleFor(c, t)
	return err
}

// checkEligible refuses a task that is not for the caller's role. The PI may take
// any.
func (r *Room) checkEligible(c *kernel.Call, t api.TaskInfo) error {
	if c.Leads() {
		return nil
	}
	role, err := r.RoleFor(c, t)
	if err != nil {
		return err
	}
	if role != t.Role {
		if c.Who.Name != c.Identity.Name { // somebody else gives it to them
			return brenner.Errorf(brenner.CodeTaskNotYours, "%s is for %s, and %s is %s", t.ID, brenner.A(t.Role), c.Who.Name, brenner.A(role)).
				WithHint("choose somebody of that role").Try(brenner.Do("agent.list"))
		}
		return brenner.Errorf(brenner.CodeTaskNotYours, "%s is for %s, you are %s", t.ID, brenner.A(t.Role), brenner.A(role))
	}
	return nil
}

// ClaimTask implements api.Tasks.
func (s *Service) ClaimTask(ctx context.Context, req api.ClaimTaskRequest) (api.TaskInfo, error) {
	return kernel.Write(ctx, s.caller, "task.claim", req, kernel.To(policy.TaskWork, req.ID), func(ch *kernel.Change) (api.TaskInfo, error) {
		lease := time.Duration(req.Lease)
		if lease != 0 && (lease < time.Second || lease > brenner.MaxLease) {
			return api.TaskInfo{}, brenner.Errorf(brenner.CodeInvalidValue, "a lease is from 1 second to %d days, and this is %s", brenner.MaxLease/(24*time.Hour), lease).At("/lease").
				WithHint("write it as 30m, 24h or 168h")
		}
		t, err := s.findClaimable(ch, req.ID)
		if err != nil {
			return api.TaskInfo{}, err
		}
		if t.CrossCutting {
			if err := compressed(ch.Call, t.Modules); err != nil {
				return api.TaskInfo{}, err
			}
		}
		if lease == 0 {
			lease = leaseOf(ch, t)
		}
		taken, err := s.claimFor(ch, t, ch.Who.Name, lease)
		if err == nil {
			err = s.noteChanges(ch.Call, &taken)
		}
		if err != nil {
			return taken, err
		}
		failed, err := s.Failures(ch.Call, taken.ID)
		if err != nil {
			return taken, err
		}
		if failed >= brenner.MaxRunFailures {
			taken.Failed = failed
		}
		return sentTo(ch, taken, t.State == api.TaskClaimed && t.Holder == ch.Who.Name)
	})
}

// leaseOf is how long a claim holds that names no length: as long as the one
// before it still would, and no shorter than by default.
func leaseOf(ch *kernel.Change, t api.TaskInfo) time.Duration {
	return max(brenner.DefaultLease, t.LeaseUntil.Sub(ch.Clock))
}

// sentTo is a task as an agent is sent it that takes it: of what others ask a
// page, which its context pays for, and nothing once more when it only renews its
// claim.
func sentTo(ch *kernel.Change, t api.TaskInfo, renewed bool) (api.TaskInfo, error) {
	if ch.Person() || t.Creator == ch.Who.Name {
		return t, nil
	}
	sent := brenner.FirstPage(t.Spec, brenner.TaskPageBytes)
	if renewed {
		sent = ""
	}
	pays, err := ch.Pays("task", sent)
	if !pays {
		sent = ""
	}
	t.Spec, t.SpecLeft = sent, len(t.Spec)-len(sent)
	withoutNotes(&t) // which its context for the task has
	return t, err
}

// claimFor claims a task for somebody. Who held it until now is told.
func (r *Room) claimFor(ch *kernel.Change, was api.TaskInfo, holder brenner.ActorName, lease time.Duration) (api.TaskInfo, error) {
	p := taskClaimed{ID: was.ID, Holder: holder, Until: ch.Clock.Add(lease)}
	if was.State == api.TaskClaimed && was.Holder != holder {
		p.From = was.Holder
	}
	if p.From != "" && was.Overdue {
		p.Lapsed = was.LeaseUntil
	}
	if _, err := kindTaskClaimed.Append(ch, p); err != nil {
		return api.TaskInfo{}, err
	}
	t, err := r.Find(ch.Call, was.ID)
	if err != nil {
		return t, err
	}
	if was.Holder != "" && was.Holder != holder {
		if err := r.tellLost(ch, was, "is held by "+string(holder)+" now"); err != nil {
			return t, err
		}
	}
	return t, r.Mail.SettleTask(ch, t, holder)
}

// ClaimAs claims a task for an agent, as part of another use case: as the agent
// itself would.
func (r *Room) ClaimAs(ch *kernel.Change, id string, agent store.Actor, lease time.Duration) (api.TaskInfo, error) {
	t, err := r.Find(ch.Call, id)
	if err != nil {
		return t, err
	}
	if err := r.checkFree(ch.Call.As(agent), t); err != nil {
		return t, err
	}
	if t.CrossCutting {
		if err := compressed(ch.Call, t.Modules); err != nil {
			return t, err
		}
	}
	return r.claimFor(ch, t, agent.Name, lease)
}

// Renew prolongs the claim of an agent that holds a task.
func (r *Room) Renew(ch *kernel.Change, id string, agent brenner.ActorName, lease time.Duration) error {
	t, err := r.Find(ch.Call, id)
	if err != nil || t.State != api.TaskClaimed || t.Holder != agent {
		return err
	}
	_, err = r.claimFor(ch, t, agent, lease)
	return err
}

// GiveBack makes a task free that an agent holds, and says why; one that it does not
// hold, or that is closed, stays as it is.
func (r *Room) GiveBack(ch *kernel.Change, id string, agent brenner.ActorName, why string) error {
	t, err := r.Find(ch.Call, id)
	if err != nil || t.State != api.TaskClaimed || t.Holder != agent {
		return err
	}
	_, err = kindTaskReleased.Append(ch, taskReleased{ID: id, Holder: agent, Note: why})
	return err
}

// tellReleased tells whoever asked for a task that it was given back. Why stands with the
// task: a message has no words of another agent (C2).
func (r *Room) tellReleased(ch *kernel.Change, t api.TaskInfo) error {
	return r.Mail.Tell(ch, t.Creator, api.MessageTask, fmt.Sprintf("TASK: %s was given back", t.ID), fmt.Sprintf(
		"%s, which you asked for, was given back by %s and is free again. Why, and what was written for it: %s\n",
		t.ID, t.Holder, brenner.Do("task.show", "id", t.ID).Mark()))
}

// Eligible reports whether a task is for an agent.
func (r *Room) Eligible(c *kernel.Call, t api.TaskInfo, agent store.Actor) (bool, error) {
	err := r.checkEligible(c.As(agent), t)
	if brenner.CodeOf(err) == brenner.CodeTaskNotYours {
		return false, nil
	}
	return err == nil, err
}

// findClaimable gives the task named if the caller may have it, or the oldest one
// there is for it: also its own, once its claim has ended.
func (r *Room) findClaimable(ch *kernel.Change, id string) (api.TaskInfo, error) {
	if id != "" {
		t, err := r.Find(ch.Call, id)
		if err != nil {
			return t, err
		}
		return t, r.checkFree(ch.Call, t)
	}
	var found *api.TaskInfo
	var failed error
	err := r.Each(ch.Call, []api.TaskState{api.TaskOpen, api.TaskClaimed}, func(t api.TaskInfo) bool {
		switch err := r.checkFree(ch.Call, t); brenner.CodeOf(err) {
		case brenner.CodeTaskTaken, brenner.CodeTaskClosed, brenner.CodeTaskNotYours:
		default:
			if failed = err; err == nil && (t.Holder != ch.Who.Name || t.Overdue) {
				found = &t
			}
		}
		return found == nil && failed == nil
	})
	if err = cmp.Or(err, failed); err == nil && found == nil {
		err = brenner.Errorf(brenner.CodeNotFound, "no task is free for you").Try(brenner.Do("task.list"))
	}
	if err != nil {
		return api.TaskInfo{}, err
	}
	return *found, nil
}

// checkFree refuses a task that is closed, another's, or for another role.
func (r *Room) checkFree(c *kernel.Call, t api.TaskInfo) error {
	switch {
	case t.State == api.TaskDone || t.State == api.TaskCanceled:
		return brenner.Errorf(brenner.CodeTaskClosed, "%s is %s", t.ID, t.State)
	case t.State == api.TaskClaimed && t.Holder != c.Who.Name && !t.Overdue:
		return brenner.Errorf(brenner.CodeTaskTaken, "%s is held by %s until %s", t.ID, t.Holder, t.LeaseUntil.Format(time.RFC3339))
	}
	return r.checkEligible(c, t)
}

// Each visits tasks in the order they were opened until fn says stop.
func (r *Room) Each(c *kernel.Call, states []api.TaskState, fn func(api.TaskInfo) bool) error {
	return tasks.Each(c.Ctx, c.Reader, kernel.Query{States: kernel.Strings(states)}, func(row kernel.Row[task]) (bool, error) {
		return fn(row.Value.info(c.Clock)), nil
	})
}

// Held loads a task that the caller must hold.
func (r *Room) Held(c *kernel.Call, id string) (api.TaskInfo, error) {
	t, err := r.unfinished(c, id)
	if brenner.CodeOf(err) == brenner.CodeTaskClosed && lapsed(t) && t.Holder == c.Who.Name {
		return t, nil // what came of it is written all the same
	}
	if err != nil {
		return t, err
	}
	switch t.Holder {
	case c.Who.Name:
		return t, nil
	case "":
		return t, brenner.Errorf(brenner.CodeTaskNotYours, "nobody has claimed %s", t.ID).
			Try(brenner.Do("task.claim", "id", t.ID))
	}
	return t, brenner.Errorf(brenner.CodeTaskNotYours, "%s is held by %s", t.ID, t.Holder).Try(brenner.Do("task.list"))
}

// lapsed says of announced work that its time was up before anybody said what came of it.
func lapsed(t api.TaskInfo) bool {
	return t.EndsByItself() && t.State == api.TaskDone && !t.LeaseUntil.IsZero()
}

// unfinished loads a task that is neither done nor canceled.
func (r *Room) unfinished(c *kernel.Call, id string) (api.TaskInfo, error) {
	t, err := r.Find(c, id)
	if err == nil && (t.State == api.TaskDone || t.State == api.TaskCanceled) {
		err = brenner.Errorf(brenner.CodeTaskClosed, "%s is %s", t.ID, t.State)
	}
	return t, err
}

// ReleaseTask implements api.Tasks.
func (s *Service) ReleaseTask(ctx context.Context, req api.ReleaseTaskRequest) (api.TaskInfo, error) {
	return kernel.Write(ctx, s.caller, "task.release", req, kernel.To(policy.TaskWork, req.ID), func(ch *kernel.Change) (api.TaskInfo, error) {
		t, err := s.Held(ch.Call, req.ID)
		if err != nil {
			return api.TaskInfo{}, err
		}
		note := strings.TrimSpace(req.Note)
		if err := kernel.CheckText(note); err != nil {
			return api.TaskInfo{}, err
		}
		if n := utf8.RuneCountInString(note); n > brenner.MaxNoteRunes {
			return api.TaskInfo{}, brenner.Errorf(brenner.CodeLimitExceeded, "the note has %d characters, of at most %d", n, brenner.MaxNoteRunes).At("/note").
				WithHint("write what there is as an artifact for the task, and say here in a few sentences why it comes back")
		}
		if t.EndsByItself() { // nobody else is to do it
			if _, err := kindTaskCanceled.Append(ch, taskCanceled{ID: t.ID, Reason: cmp.Or(note, "taken back")}); err != nil {
				return api.TaskInfo{}, err
			}
			return s.tell(ch.Call, t.ID)
		}
		if _, err := kindTaskReleased.Append(ch, taskReleased{ID: t.ID, Holder: t.Holder, Note: note}); err != nil {
			return api.TaskInfo{}, err
		}
		if err := s.tellReleased(ch, t); err != nil {
			return api.TaskInfo{}, err
		}
		return s.tell(ch.Call, t.ID)
	})
}

// ReassignTask implements api.Tasks.
func (s *Service) ReassignTask(ctx context.Context, req api.ReassignTaskRequest) (api.TaskInfo, error) {
	return kernel.Write(ctx, s.caller, "task.reassign", req, kernel.To(policy.TaskCreate, req.ID), func(ch *kernel.Change) (api.TaskInfo, error) {
		t, err := s.unfinished(ch.Call, req.ID)
		if err != nil {
			return api.TaskInfo{}, err
		}
		to, err := ch.Actor(ctx, req.To)
		if brenner.CodeOf(err) == brenner.CodeNotFound {
			return api.TaskInfo{}, brenner.Errorf(brenner.CodeNotFound, "there is no actor %q", req.To).Try(brenner.Do("agent.list"))
		}
		if err != nil {
			return api.TaskInfo{}, err
		}
		as := *ch.Call
		as.Who = to
		if err := s.checkEligible(&as, t); err != nil {
			return api.TaskInfo{}, err
		}
		if t, err = s.claimFor(ch, t, to.Name, leaseOf(ch, t)); err != nil {
			return t, err
		}
		return t, s.tellTask(ch, t, to)
	})
}

// CancelTask implements api.Tasks.
func (s *Service) CancelTask(ctx context.Context, req api.CancelTaskRequest) (api.TaskInfo, error) {
	return kernel.Write(ctx, s.caller, "task.cancel", req, opening(req.ID), func(ch *kernel.Change) (api.TaskInfo, error) {
		if brenner.SaysNothing(req.Reason) {
			return api.TaskInfo{}, brenner.Errorf(brenner.CodeReasonRequired, "canceling a task must be given a reason")
		}
		if err := kernel.CheckText(req.Reason); err != nil {
			return api.TaskInfo{}, err
		}
		t, err := s.unfinished(ch.Call, req.ID)
		if err == nil {
			err = checkCancels(ch.Call, t)
		}
		if err != nil {
			return api.TaskInfo{}, err
		}
		if _, err := s.Cancel(ch, t.ID, req.Reason); err != nil {
			return api.TaskInfo{}, err
		}
		return s.tell(ch.Call, t.ID)
	})
}

// Cancel closes a task that nobody has to do any more, and tells who asked for it.
func (r *Room) Cancel(ch *kernel.Change, id, reason string) (api.TaskInfo, error) {
	if _, err := kindTaskCanceled.Append(ch, taskCanceled{ID: id, Reason: reason}); err != nil {
		return api.TaskInfo{}, err
	}
	t, err := r.Find(ch.Call, id)
	if err != nil {
		return api.TaskInfo{}, err
	}
	if err := r.settle(ch, t); err != nil {
		return api.TaskInfo{}, err
	}
	if t.Holder != "" && t.Holder != t.Creator {
		if err := r.tellLost(ch, t, "was canceled by "+string(ch.Who.Name)); err != nil {
			return api.TaskInfo{}, err
		}
	}
	return t, r.tellAsker(ch, t)
}

// CompleteTask implements api.Tasks.
func (s *Service) CompleteTask(ctx context.Context, req api.CompleteTaskRequest) (api.TaskInfo, error) {
	return kernel.Write(ctx, s.caller, "task.complete", req, kernel.To(policy.TaskWork, req.ID), func(ch *kernel.Change) (api.TaskInfo, error) {
		t, err := s.Held(ch.Call, req.ID)
		if err != nil {
			return api.TaskInfo{}, err
		}
		if err := kernel.CheckText(req.Note); err != nil {
			return api.TaskInfo{}, err
		}
		if len(req.Note) > brenner.MaxTaskSpecBytes {
			return api.TaskInfo{}, brenner.Errorf(brenner.CodeLimitExceeded, "the note has %d bytes, of at most %d", len(req.Note), brenner.MaxTaskSpecBytes).At("/note").
				WithHint("write what came of it as an artifact, and say here in a sentence what that is")
		}
		p := taskCompleted{ID: t.ID, Outputs: t.Outputs, Moved: []moved{}, Note: req.Note, Changes: []ledger.StatusChange{}}
		for i, ref := range req.Outputs {
			pin, err := ledger.PinOf(ch.Call, ref)
			if err != nil {
				return api.TaskInfo{}, err
			}
			if err := ownOutput(ch.Call, pin.Ref, i); err != nil {
				return api.TaskInfo{}, err
			}
			if !slices.Contains(p.Outputs, pin.Ref) {
				p.Outputs = append(p.Outputs, pin.Ref)
			}
		}
		if p.Moved, p.Summaries, err = s.movedInputs(ch, t, p.Outputs); err != nil {
			return api.TaskInfo{}, err
		}
		if len(p.Moved) > 0 {
			if p.Changes, err = needRebase(ch, p.Outputs); err != nil {
				return api.TaskInfo{}, err
			}
		}
		if _, err := kindTaskCompleted.Append(ch, p); err != nil {
			return api.TaskInfo{}, err
		}
		if t, err = s.Find(ch.Call, t.ID); err != nil {
			return api.TaskInfo{}, err
		}
		if err := s.settle(ch, t); err != nil {
			return api.TaskInfo{}, err
		}
		if err := s.tellAsker(ch, t); err != nil {
			return api.TaskInfo{}, err
		}
		return s.tell(ch.Call, t.ID)
	})
}

// ownOutput refuses somebody else's version as the result of a task (C36).
func ownOutput(c *kernel.Call, ref brenner.Ref, at int) error {
	v, err := c.Version(c.Ctx, ref)
	if err != nil || v.Creator == c.Who.Name {
		return err
	}
	return brenner.Errorf(brenner.CodeInvalidValue, "%s is by %s: the outputs of a task are its holder's own versions", ref, v.Creator).
		At(fmt.Sprintf("/outputs/%d", at)).WithHint("link your result to it instead")
}

// movedInputs lists what a task rests on and what has changed since: its pinned
// inputs and what its contexts showed in full; and apart, what they showed as a
// summary, or of a session's document what the outputs do not name, which marks
// nothing (C17).
func (r *Room) movedInputs(ch *kernel.Change, t api.TaskInfo, outputs []brenner.Ref) (full, summaries []moved, err error) {
	full, seen := []moved{}, map[brenner.Ref]bool{}
	reads, err := r.Contexts.ReadsOf(ch.Call, t.ID)
	if err != nil {
		return nil, nil, err
	}
	rest := &resting{outputs: outputs, pinned: map[brenner.Ref]bool{}, read: map[brenner.ArtifactID]brenner.Version{}}
	for _, read := range reads {
		if !read.Summary {
			rest.read[read.Ref.Artifact] = max(rest.read[read.Ref.Artifact], read.Ref.Version)
		}
	}
	look := func(p ledger.Pin, through string, into *[]moved) error {
		if seen[p.Ref] {
			return nil
		}
		seen[p.Ref] = true
		m, yes, rests, err := r.movedByOthers(ch.Call, p, rest)
		if !rests {
			into = &summaries
		}
		if yes && !slices.ContainsFunc(*into, func(o moved) bool { return o.Ref.Artifact == m.Ref.Artifact && len(m.Items) > 0 }) {
			m.Through = through
			*into = append(*into, m)
		}
		return err
	}
	for _, p := range t.Inputs {
		rest.pinned[p.Ref] = true
		if err := look(ledger.Pin(p), "", &full); err != nil {
			return nil, nil, err
		}
	}
	for _, summary := range []bool{false, true} { // what was read in full counts as such
		for _, r := range reads {
			if r.Summary != summary {
				continue
			}
			into := &full
			if summary {
				into = &summaries
			}
			if err := look(r.Pin, r.Invocation, into); err != nil {
				return nil, nil, err
			}
		}
	}
	return full, summaries, nil
}

// needRebase lists the outputs whose status becomes needs_rebase. What has
// been decided upon meanwhile stays as decided.
func needRebase(ch *kernel.Change, outputs []brenner.Ref) ([]ledger.StatusChange, error) {
	out := []ledger.StatusChange{}
	for _, ref := range outputs {
		v, err := ch.Version(ch.Ctx, ref)
		if err != nil {
			return nil, err
		}
		if v.Status == artifact.Draft || v.Status == artifact.Alternative {
			out = append(out, ledger.StatusChange{Ref: ref, From: v.Status, To: artifact.NeedsRebase})
		}
	}
	return out, nil
}

// Task implements api.Tasks.
func (s *Service) Task(ctx context.Context, req api.TaskRequest) (api.TaskInfo, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, req.ID), func(c *kernel.Call) (api.TaskInfo, error) {
		t, err := s.tell(c, req.ID)
		if err == nil {
			t.Written, err = writtenFor(c, t)
		}
		return t, err
	})
}

// Tasks implements api.Tasks.
func (s *Service) Tasks(ctx context.Context, req api.ListTasksRequest) (api.TaskList, error) {
	if len(req.Tell) > 0 {
		return s.tellTasks(ctx, req.Tell)
	}
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "tasks"), func(c *kernel.Call) (api.TaskList, error) {
		states := req.States
		if len(states) == 0 {
			states = []api.TaskState{api.TaskOpen, api.TaskClaimed}
		}
		for _, st := range states {
			if all := []api.TaskState{api.TaskOpen, api.TaskClaimed, api.TaskDone, api.TaskCanceled}; !slices.Contains(all, st) {
				return api.TaskList{}, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a state of a task", st).WithHint("states: " + kernel.Join(all))
			}
		}
		if req.Role != "" {
			if err := c.KnownRole(req.Role); err != nil {
				return api.TaskList{}, err
			}
		}
		out := api.TaskList{Tasks: []api.TaskInfo{}}
		q := kernel.Query{Group: string(req.Role), States: kernel.Strings(states), Newest: req.Newest}
		if req.Mine {
			return s.mine(c, q, req.Page)
		}
		var err error
		if out.Total, err = tasks.Total(ctx, c.Reader, q); err != nil {
			return out, err
		}
		out.Next, err = tasks.Page(ctx, c.Reader, q, req.Page, func(row kernel.Row[task]) error {
			t, err := s.told(c, row.Value.info(c.Clock))
			if slices.Contains(states, t.State) { // a mark ends by itself
				out.Tasks = append(out.Tasks, t)
			}
			return err
		})
		return out, err
	})
}

// ForCaller lists the tasks that the caller holds, and those that are free for
// the role that counts for it there, the oldest first.
func (r *Room) ForCaller(c *kernel.Call) (held, free []string, err error) {
	roles := map[brenner.SessionID]brenner.Role{}
	q := kernel.Query{States: kernel.Strings([]api.TaskState{api.TaskOpen, api.TaskClaimed})}
	err = tasks.Each(c.Ctx, c.Reader, q, func(row kernel.Row[task]) (bool, error) {
		t := row.Value.info(c.Clock)
		role, known := roles[t.Session]
		if !known {
			var err error
			if role, err = r.RoleFor(c, t); err != nil {
				return false, err
			}
			roles[t.Session] = role
		}
		switch {
		case t.EndsByItself() || !slices.Contains(q.States, string(t.State)):
		case t.Holder == c.Who.Name:
			held = append(held, t.ID)
		case t.Role == role && (t.Holder == "" || t.Overdue):
			free = append(free, t.ID)
		}
		return true, nil
	})
	return held, free, err
}

// mine lists the tasks that the caller holds, or that are for the role that
// counts for it there.
func (s *Service) mine(c *kernel.Call, q kernel.Query, page api.Page) (api.TaskList, error) {
	out := api.TaskList{Tasks: []api.TaskInfo{}}
	limit, err := kernel.PageSize(page.Limit)
	if err != nil {
		return out, err
	}
	after, err := kernel.OpenCursor[kernel.Place](page.Cursor)
	if err != nil {
		return out, err
	}
	roles := map[brenner.SessionID]brenner.Role{}
	behind := page.Cursor == ""
	var last kernel.Place
	err = tasks.Each(c.Ctx, c.Reader, q, func(row kernel.Row[task]) (bool, error) {
		t := row.Value.info(c.Clock)
		role, known := roles[t.Session]
		if !known {
			var err error
			if role, err = s.RoleFor(c, t); err != nil {
				return false, err
			}
			roles[t.Session] = role
		}
		passed := behind
		behind = behind || row.Place() == after
		if t.Holder != c.Who.Name && t.Role != role || !slices.Contains(q.States, string(t.State)) || t.Kind == api.TaskMark && t.Holder != c.Who.Name || t.Kind == api.TaskDoing {
			return true, nil
		}
		out.Total++
		switch {
		case !passed:
		case len(out.Tasks) < limit:
			t, err := s.told(c, t)
			out.Tasks, last = append(out.Tasks, t), row.Place()
			return true, err
		case out.Cursor == "":
			out.Cursor = kernel.MakeCursor(last)
		}
		return true, nil
	})
	return out, err
}

// Resting lists what open tasks rest on and have made, as versions.
func (r *Room) Resting(c *kernel.Call) ([]brenner.Ref, error) {
	var refs []brenner.Ref
	var open []string
	err := r.Each(c, []api.TaskState{api.TaskOpen, api.TaskClaimed}, func(t api.TaskInfo) bool {
		for _, p := range t.Inputs {
			refs = append(refs, p.Ref)
		}
		refs = append(refs, t.Outputs...)
		open = append(open, t.ID)
		return true
	})
	if err != nil {
		return nil, err
	}
	for _, id := range open {
		reads, err := r.Contexts.ReadsOf(c, id)
		if err != nil {
			return nil, err
		}
		for _, r := range reads {
			refs = append(refs, r.Ref)
		}
	}
	return refs, nil
}
