package reviews

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
)

// taskRevise is the kind of a task that asks for changes.
const taskRevise = api.TaskRevise

// RequestChanges implements api.Reviews.
func (s *Service) RequestChanges(ctx context.Context, req api.RequestChangesRequest) (api.ChangesRequested, error) {
	var a store.Artifact
	guard := ledger.ToSendBack(req.Ref.Artifact, &a).Then(errPerson)
	if req.DryRun {
		return kernel.View(ctx, s.caller, guard, func(c *kernel.Call) (api.ChangesRequested, error) {
			p, err := s.planChanges(c, a, req)
			return api.ChangesRequested{DryRun: true, Ref: p.version.Ref(), Comments: p.commentIDs(), Task: p.task()}, err
		})
	}
	return kernel.Write(ctx, s.caller, "review.request_changes", req, guard, func(ch *kernel.Change) (api.ChangesRequested, error) {
		p, err := s.planChanges(ch.Call, a, req)
		if err != nil {
			return api.ChangesRequested{}, err
		}
		return s.sendBack(ch, p)
	})
}

// changes is a request for changes that was checked.
type changes struct {
	artifact store.Artifact
	version  store.Version
	reason   string
	role     brenner.Role
	// reads says that the role may read critiques; if not, the task says what
	// is asked for.
	reads    bool
	comments []api.CommentInfo
	// open is the task that asks for changes of this version already, instead one
	// that asks another role than is asked now and that nobody has begun.
	open, instead *api.TaskInfo
}

// planChanges checks a request for changes and finds who is to make them.
func (r *Room) planChanges(c *kernel.Call, a store.Artifact, req api.RequestChangesRequest) (changes, error) {
	p := changes{artifact: a, reason: strings.TrimSpace(req.Reason), role: req.Role}
	if brenner.SaysNothing(p.reason) && !req.DryRun {
		return p, brenner.Errorf(brenner.CodeReasonRequired, "a request for changes says what is to change").At("/reason")
	}
	if err := kernel.CheckText(p.reason); err != nil {
		return p, err
	}
	version := req.Ref.Version
	if version == 0 {
		version = a.Head
	}
	var err error
	if p.version, err = ledger.InForce(c, a, version); err != nil {
		return p, err
	}
	if !p.version.Status.Live() {
		return p, brenner.Errorf(brenner.CodeStatusConflict, "%s is %s", p.version.Ref(), p.version.Status)
	}
	if p.role == "" {
		p.role = p.version.Role
	}
	may := func(do policy.Action, typ brenner.TypeName) bool {
		return p.role == brenner.PI || policy.Decide(c.Policies, policy.Request{Role: p.role, Action: do, Type: typ, Module: a.Module}).Allowed
	}
	if !may(policy.Read, a.Type) || !may(revising(a.Type), a.Type) {
		if req.Role != "" {
			return p, brenner.Errorf(brenner.CodeUnknownRole, "the role %s has no policy that reads and writes %s", p.role, a.Type).At("/role").
				WithHint("name a role that can make the changes, or none for that of the author")
		}
		p.role = brenner.PI
	}
	p.reads = may(policy.Read, artifact.TypeCritique)
	all, err := commentsOn(c, a.ID)
	if err != nil {
		return p, err
	}
	for _, k := range all {
		if !k.Settled {
			p.comments = append(p.comments, k)
		}
	}
	err = r.Tasks.Each(c, []api.TaskState{api.TaskOpen, api.TaskClaimed}, func(t api.TaskInfo) bool {
		if t.Kind == taskRevise && len(t.Inputs) > 0 && t.Inputs[0].Ref == p.version.Ref() {
			p.open = &t
		}
		return p.open == nil
	})
	if err != nil || p.open == nil || req.Role == "" || p.open.Role == req.Role {
		return p, err
	}
	if p.open.State == api.TaskClaimed && !p.open.Overdue {
		return p, brenner.Errorf(brenner.CodeTaskTaken, "%s asks %s for it, and %s is at it", p.open.ID, brenner.A(p.open.Role), p.open.Holder).At("/role").
			WithHint("leave it to that role, or cancel the task first").
			Try(brenner.Do("task.cancel", "id", p.open.ID).Asking("reason"))
	}
	p.open, p.instead = nil, p.open
	return p, nil
}

// revising is what somebody has to be allowed who is to change something: the
// artifact of a session is written by deltas, and what a run changed by its runner.
func revising(typ brenner.TypeName) policy.Action {
	switch typ {
	case artifact.TypeSessionArtifact:
		return policy.Delta
	case artifact.TypeCodeChange:
		return policy.Read
	}
	return policy.Write
}

func (p changes) commentIDs() []string {
	ids := []string{}
	for _, k := range p.comments {
		ids = append(ids, k.ID)
	}
	return ids
}

// task is the task that there is, or that would be opened.
func (p changes) task() api.TaskInfo {
	if p.open != nil {
		return *p.open
	}
	return api.TaskInfo{Kind: taskRevise, State: api.TaskOpen, Title: "Revise " + string(p.artifact.ID), Role: p.role, Modules: []brenner.Module{p.artifact.Module}}
}

// sendBack writes the critique and opens the task.
func (r *Room) sendBack(ch *kernel.Change, p changes) (api.ChangesRequested, error) {
	written, err := r.Ledger.Create(ch, p.critique())
	if err != nil {
		return api.ChangesRequested{}, err
	}
	out := api.ChangesRequested{Ref: p.version.Ref(), Critique: written.Ref, Comments: p.commentIDs()}
	if p.instead != nil {
		if _, err := r.Tasks.Cancel(ch, p.instead.ID, "the role "+string(p.role)+" is asked instead"); err != nil {
			return api.ChangesRequested{}, err
		}
	}
	if p.open != nil {
		out.Task = *p.open
	} else {
		req := api.NewTaskRequest{
			Title: "Revise " + string(p.artifact.ID), Role: p.role, Modules: []brenner.Module{p.artifact.Module}, Inputs: []brenner.Ref{p.version.Ref()},
			Spec: fmt.Sprintf("Changes were requested in %s. %s says which. Write a new version that meets them.", p.version.Ref(), written.Ref),
		}
		if p.reads {
			req.Inputs = append(req.Inputs, written.Ref)
		} else {
			req.Spec = fmt.Sprintf("Changes were requested in %s:\n\n%s\n\nWrite a new version that meets them.", p.version.Ref(), p.reason)
		}
		if out.Task, err = r.Tasks.Open(ch, req, taskRevise); err != nil {
			return api.ChangesRequested{}, err
		}
	}
	out.Seq, err = kindChangesRequested.Append(ch, changesRequested{Ref: out.Ref, Critique: out.Critique, Task: out.Task.ID, Comments: out.Comments})
	return out, err
}

// critique words the request: what is to change, and what was said about it.
func (p changes) critique() api.CreateArtifactRequest {
	content := struct {
		Target   string   `json:"target"`
		Finding  string   `json:"finding"`
		Severity string   `json:"severity"`
		Evidence []string `json:"evidence,omitzero"`
	}{Target: p.version.Ref().String(), Finding: p.reason, Severity: "warning"}
	for _, k := range p.comments {
		content.Evidence = append(content.Evidence, fmt.Sprintf("%s on %s: %s", k.Author, k.Ref, k.Text))
	}
	summary := []rune(fmt.Sprintf("Changes requested in %s: %s", p.version.Ref(), strings.Join(strings.Fields(p.reason), " ")))
	if len(summary) > brenner.MaxSummaryRunes {
		summary = append(summary[:brenner.MaxSummaryRunes-1], '…')
	}
	return api.CreateArtifactRequest{
		Type: artifact.TypeCritique, Module: p.artifact.Module, Summary: string(summary),
		Content: api.Body{Format: artifact.JSON, Data: string(canon.MustMarshal(content))},
		Links:   []artifact.Link{{Rel: artifact.Reviews, Artifact: p.artifact.ID, Version: p.version.Version}},
	}
}

// Decided closes the tasks that ask for changes of versions which a decision brings into
// force, replaces or takes out of use. What somebody is at stays: a new version may come of it.
func (r *Room) Decided(ch *kernel.Change, d ledger.Decided) error {
	asked := []brenner.Ref{}
	for _, c := range d.Changes {
		if c.To != artifact.Draft && !slices.Contains(asked, c.Ref) {
			asked = append(asked, c.Ref)
		}
	}
	if d.Status == artifact.Canonical {
		before, err := r.cameOf(ch.Call, d)
		if err != nil {
			return err
		}
		asked = append(asked, before...)
	}
	for _, ref := range asked {
		back, err := sentBack.Find(ch.Ctx, ch.Reader, ref.String())
		if brenner.CodeOf(err) == brenner.CodeNotFound {
			continue
		}
		if err != nil {
			return err
		}
		t, err := r.Tasks.Find(ch.Call, back.Task)
		if err != nil {
			return err
		}
		if t.State != api.TaskOpen && !t.Overdue {
			continue
		}
		became := map[artifact.Status]string{artifact.Canonical: "promoted", artifact.Deprecated: "deprecated"}[d.Status]
		if _, err := r.Tasks.Cancel(ch, t.ID, fmt.Sprintf("changes of %s are not asked for any more: %s was %s", ref, d.Ref, became)); err != nil {
			return err
		}
	}
	return nil
}

// mostBefore is how many versions that a promoted one came of are looked at.
const mostBefore = 100

// cameOf lists the versions that a promoted one was made of since what was canonical.
func (r *Room) cameOf(c *kernel.Call, d ledger.Decided) ([]brenner.Ref, error) {
	var out []brenner.Ref
	ref := d.Ref
	for range mostBefore {
		v, err := c.Version(c.Ctx, ref)
		if err != nil || v.Parent == 0 {
			return out, err
		}
		ref.Version = v.Parent
		if slices.ContainsFunc(d.Changes, func(s ledger.StatusChange) bool { return s.Ref == ref }) {
			return out, nil // it was canonical, and its own change says so
		}
		out = append(out, ref)
	}
	return out, nil
}
