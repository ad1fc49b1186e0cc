package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/assembly"
	"brenner/canon"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
)

// The kinds of record about contexts.
const (
	kindContextAssembled = "context.assembled"
	kindContextRead      = "context.read"
)

var contextProjections = map[string]projection{
	kindContextAssembled: on(projectContextAssembled),
	kindContextRead:      on(projectContextRead),
}

// invocation is the state of an assembled context. Its group is the task it
// was made for; what agents did outside tasks has the group "-".
type invocation struct {
	ID       string            `json:"id"`
	Agent    brenner.ActorName `json:"agent"`
	Role     brenner.Role      `json:"role"`
	Task     string            `json:"task"`
	Question string            `json:"question"`
	View     string            `json:"view"`
	At       time.Time         `json:"at"`
	// Record is the context without its text, stored as a content.
	Record brenner.Digest `json:"record"`
	// Reads are all versions it showed, at once or later, as they stood then.
	Reads []api.Pin `json:"reads"`
	// Bullets are the lessons it carried: what its agent may give feedback on.
	Bullets []string        `json:"bullets"`
	Scope   assembly.Scope  `json:"scope"`
	Budget  assembly.Budget `json:"budget"`
	Used    int             `json:"used"`
	Items   int             `json:"items"`
	Later   []api.LaterRead `json:"later"`
}

const noTask = "-"

func (i invocation) put(ctx context.Context, tx store.Tx, seq int64) error {
	body, err := canon.Marshal(i)
	if err != nil {
		return err
	}
	group := i.Task
	if group == "" {
		group = noTask
	}
	order, err := invocationNumber(i.ID)
	if err != nil {
		return err
	}
	return tx.PutObject(ctx, store.Object{
		Kind: objectInvocation, ID: i.ID, Group: group, State: string(i.Agent), Order: order, Body: body, Seq: seq,
	})
}

func invocationNumber(id string) (n int64, err error) {
	_, err = fmt.Sscanf(id, "ctx-%d", &n)
	return n, err
}

func projectContextAssembled(ctx context.Context, tx store.Tx, rec journal.Record, p invocation) error {
	return p.put(ctx, tx, rec.Seq)
}

// contextRead says what an agent read through its context.
type contextRead struct {
	ID     string    `json:"id"`
	What   string    `json:"what"`
	Reads  []api.Pin `json:"reads"`
	Tokens int       `json:"tokens"`
}

func projectContextRead(ctx context.Context, tx store.Tx, rec journal.Record, p contextRead) error {
	o, err := tx.Object(ctx, objectInvocation, p.ID)
	if err != nil {
		return err
	}
	var i invocation
	if err := unmarshalBody(o, &i); err != nil {
		return err
	}
	later := api.LaterRead{At: rec.At, What: p.What, Tokens: p.Tokens, Refs: []brenner.Ref{}}
	for _, r := range p.Reads {
		later.Refs = append(later.Refs, r.Ref)
		if !slices.ContainsFunc(i.Reads, func(q api.Pin) bool { return q.Ref == r.Ref }) {
			i.Reads = append(i.Reads, r)
		}
	}
	i.Later = append(i.Later, later)
	i.Used += p.Tokens
	return i.put(ctx, tx, rec.Seq)
}

// AssembleContext implements api.Contexts.
func (s *service) AssembleContext(ctx context.Context, req api.ContextRequest) (api.ContextResult, error) {
	if req.As != "" && req.As != s.who.Name {
		return api.ContextResult{}, brenner.Errorf(brenner.CodeInvalidValue, "a context is assembled for oneself").
			WithHint("the PI looks at another's with `brenner context preview --as NAME`")
	}
	early := s.draftContext(ctx, req)
	return write(ctx, s, "context.assemble", req.Write, req, func(ch *change) (api.ContextResult, error) {
		if err := ch.allow(policy.ContextAssemble, "", "", req.Task); err != nil {
			return api.ContextResult{}, err
		}
		if err := ch.enterTask(req.Task); err != nil {
			return api.ContextResult{}, err
		}
		draft, err := early, error(nil)
		if draft == nil || draft.settings != ch.settings || draft.role != ch.actor.Role {
			if draft, err = ch.draft(req); err != nil {
				return api.ContextResult{}, err
			}
		}
		return ch.recordContext(req, draft)
	})
}

// draft is a context that is not recorded yet, and what it was made under.
type draft struct {
	made   assembly.Context
	record []byte // made, without its text
	view   string
	reads  []api.Pin
	role   brenner.Role
	*settings
}

// draftContext assembles a context on a snapshot, so that other writers do not
// wait for it: what it shows is pinned as it stood there. nil: it could not, and
// the write will say why.
func (s *service) draftContext(ctx context.Context, req api.ContextRequest) *draft {
	var d *draft
	_ = s.app.store.Read(ctx, func(r store.Reader) error {
		c, err := s.begin(ctx, r)
		if err != nil {
			return err
		}
		if err := c.allow(policy.ContextAssemble, "", "", req.Task); err != nil {
			return err
		}
		if err := c.enterTask(req.Task); err != nil {
			return err
		}
		d, err = c.draft(req)
		return err
	})
	return d
}

// draft assembles the caller's context.
func (c *call) draft(req api.ContextRequest) (*draft, error) {
	made, work, err := c.assemble(req)
	if err != nil {
		return nil, err
	}
	refs := make([]brenner.Ref, len(made.Items))
	for i, item := range made.Items {
		refs[i] = item.Ref
	}
	reads, err := c.pinsAt(refs)
	if err != nil {
		return nil, err
	}
	return &draft{
		made: made, record: canon.MustMarshal(made), view: work.view.Version, reads: reads, role: c.actor.Role, settings: c.settings,
	}, nil
}

// PreviewContext implements api.Contexts.
func (s *service) PreviewContext(ctx context.Context, req api.ContextRequest) (api.ContextResult, error) {
	return view(ctx, s, func(c *call) (api.ContextResult, error) {
		if err := c.allow(policy.ContextPreview, "", "", string(req.As)); err != nil {
			return api.ContextResult{}, err
		}
		agent, err := c.Actor(ctx, req.As)
		if brenner.CodeOf(err) == brenner.CodeNotFound {
			return api.ContextResult{}, brenner.Errorf(brenner.CodeNotFound, "there is no actor %q", req.As).WithHint("see `brenner agent list`")
		}
		if err != nil {
			return api.ContextResult{}, err
		}
		as := *c
		as.actor = agent
		if req.Task != "" {
			t, err := as.findTask(req.Task)
			if err != nil {
				return api.ContextResult{}, err
			}
			if as.actor.Role, err = as.roleFor(t); err != nil {
				return api.ContextResult{}, err
			}
		}
		made, _, err := as.assemble(req)
		return contextResult("", made), err
	})
}

// pinsAt is how the artifacts of some versions stand now.
func (c *call) pinsAt(refs []brenner.Ref) ([]api.Pin, error) {
	artifacts, err := c.artifactsOf(refs)
	out := make([]api.Pin, len(refs))
	for i, ref := range refs {
		a := artifacts[ref.Artifact]
		out[i] = api.Pin{Ref: ref, Canonical: a.Canonical, Head: a.Head}
	}
	return out, err
}

// recordContext appends the record of an assembled context (C30).
func (ch *change) recordContext(req api.ContextRequest, d *draft) (api.ContextResult, error) {
	record, err := ch.blob(d.record)
	if err != nil {
		return api.ContextResult{}, err
	}
	i := invocation{
		ID: fmt.Sprintf("ctx-%d", ch.nextSeq()), Agent: ch.actor.Name, Role: ch.actor.Role, Task: req.Task,
		Question: req.Question, View: d.view, At: ch.now, Record: record, Scope: d.made.Scope,
		Budget: d.made.Budget, Used: d.made.Used, Items: len(d.made.Items),
		Reads: d.reads, Bullets: []string{}, Later: []api.LaterRead{},
	}
	for _, b := range d.made.Bullets {
		i.Bullets = append(i.Bullets, string(b.ID))
	}
	if _, err := ch.append(kindContextAssembled, i); err != nil {
		return api.ContextResult{}, err
	}
	return contextResult(i.ID, ch.forReader(d.made)), nil
}

// forReader takes out of a record what its reader may not see: an agent does
// not learn what was kept from it.
func (c *call) forReader(made assembly.Context) assembly.Context {
	if c.actor.Kind == kindPerson {
		return made
	}
	made.LeftOut, made.BulletsLeftOut, made.Rest = nil, nil, nil
	return made
}

func contextResult(id string, made assembly.Context) api.ContextResult {
	return api.ContextResult{
		Invocation: id, Text: made.Text, Used: made.Used, Size: made.Budget.Size, Left: made.Budget.Size - made.Used,
		Unit: string(made.Budget.Unit), Record: made,
	}
}

// Invocation implements api.Contexts.
func (s *service) Invocation(ctx context.Context, req api.InvocationRequest) (api.InvocationInfo, error) {
	return view(ctx, s, func(c *call) (api.InvocationInfo, error) {
		i, err := c.findInvocation(req.ID)
		if err != nil {
			return api.InvocationInfo{}, err
		}
		action := policy.ContextPreview
		if i.Agent == c.actor.Name {
			action = policy.ContextAssemble
		}
		if err := c.allow(action, "", "", req.ID); err != nil {
			return api.InvocationInfo{}, err
		}
		out := api.InvocationInfo{InvocationItem: i.item(), Question: i.Question, Later: i.Later, Outputs: []brenner.Ref{}}
		data, err := c.Blob(ctx, i.Record)
		if err != nil {
			return api.InvocationInfo{}, err
		}
		if err := canon.Unmarshal(data, &out.Record); err != nil {
			return api.InvocationInfo{}, err
		}
		out.Record = c.forReader(out.Record)
		out.Outputs, err = c.outputsAfter(i)
		return out, err
	})
}

// outputsAfter lists what was written for the task of an invocation, by its
// agent, after it.
func (c *call) outputsAfter(i invocation) ([]brenner.Ref, error) {
	out := []brenner.Ref{}
	if i.Task == "" {
		return out, nil
	}
	t, err := c.findTask(i.Task)
	if err != nil {
		return out, err
	}
	versions, err := c.VersionsOf(c.ctx, t.Outputs)
	for _, v := range versions {
		if v.Creator == i.Agent && v.Created.After(i.At) {
			out = append(out, v.Ref())
		}
	}
	return out, err
}

func (c *call) findInvocation(id string) (invocation, error) {
	var i invocation
	o, err := c.Object(c.ctx, objectInvocation, id)
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		c.decided = true
		return i, brenner.Errorf(brenner.CodeNotFound, "there is no invocation %q", id).WithHint("see `brenner context list`")
	}
	if err != nil {
		return i, err
	}
	return i, unmarshalBody(o, &i)
}

func (i invocation) item() api.InvocationItem {
	return api.InvocationItem{
		ID: i.ID, Agent: i.Agent, Role: i.Role, Task: i.Task, View: i.View, At: i.At, Items: i.Items, Used: i.Used, Size: i.Budget.Size,
	}
}

// Invocations implements api.Contexts.
func (s *service) Invocations(ctx context.Context, req api.ListInvocationsRequest) (api.InvocationList, error) {
	return view(ctx, s, func(c *call) (api.InvocationList, error) {
		action := policy.ContextPreview
		if req.Agent == c.actor.Name {
			action = policy.ContextAssemble
		}
		if err := c.allow(action, "", "", "invocations"); err != nil {
			return api.InvocationList{}, err
		}
		q := store.ObjectQuery{Kind: objectInvocation, Group: req.Task, Newest: true}
		if req.Agent != "" {
			q.States = []string{string(req.Agent)}
		}
		out := api.InvocationList{Invocations: []api.InvocationItem{}}
		var err error
		out.Next, err = c.page(q, req.Page, func(o store.Object) error {
			var i invocation
			if err := unmarshalBody(o, &i); err != nil {
				return err
			}
			out.Invocations = append(out.Invocations, i.item())
			return nil
		})
		return out, err
	})
}

// Views implements api.Contexts.
func (s *service) Views(ctx context.Context) (api.ViewList, error) {
	return view(ctx, s, func(c *call) (api.ViewList, error) {
		if err := c.allow(policy.Status, "", "", "views"); err != nil {
			return api.ViewList{}, err
		}
		out := api.ViewList{Views: []api.ViewInfo{}}
		for _, v := range c.views {
			out.Views = append(out.Views, api.ViewInfo{View: v.View, Version: v.Version})
		}
		slices.SortFunc(out.Views, func(a, b api.ViewInfo) int { return strings.Compare(string(a.Role), string(b.Role)) })
		return out, nil
	})
}
