package contexts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/assembly"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/order"
	"brenner/internal/store"
	"brenner/policy"
)

// invocation is the state of an assembled context. Its group is the task it
// was made for; what agents did outside tasks has the group "-".
type invocation struct {
	ID       string            `json:"id"`
	Agent    brenner.ActorName `json:"agent"`
	Role     brenner.Role      `json:"role"`
	Task     string            `json:"task"`
	Question string            `json:"question"`
	// Session is the one that it is for, without a task.
	Session brenner.SessionID `json:"session,omitzero"`
	// Survey says that it was made before the work was divided.
	Survey bool `json:"survey,omitzero"`
	// After is the one that it goes on from: its reader has what that gave (C34).
	After string    `json:"after,omitzero"`
	View  string    `json:"view"`
	At    time.Time `json:"at"`
	// Record is the context without its text, stored as a content.
	Record brenner.Digest `json:"record"`
	// Reads are all versions it showed, at once or later, as they stood then.
	Reads []ledger.Pin `json:"reads"`
	// Summaries are those of them of which no more than a summary was shown.
	Summaries []brenner.Ref `json:"summaries,omitzero"`
	// Bullets are the lessons it carried: what its agent may give feedback on.
	Bullets []string        `json:"bullets"`
	Scope   assembly.Scope  `json:"scope"`
	Budget  assembly.Budget `json:"budget"`
	Used    int             `json:"used"`
	// News is what was spent on what came unasked, beside what is used.
	News  int         `json:"news,omitzero"`
	Items int         `json:"items"`
	Later []laterRead `json:"later"`
	// Given are the digests of what was read later (C34).
	Given []brenner.Digest `json:"given,omitzero"`
}

const noTask = "-"

var invocations = kernel.Table[invocation]{
	Kind: "invocation",
	Key: func(i invocation) kernel.Key {
		return kernel.Key{ID: i.ID, Group: cmp.Or(i.Task, noTask), State: string(i.Agent), Order: kernel.NumberOf(i.ID)}
	},
	Missing: func(id string) error {
		return brenner.Errorf(brenner.CodeNotFound, "there is no invocation %q", id).Try(brenner.Do("context.list"))
	},
}

func applyContextAssembled(ctx context.Context, tx store.Tx, rec journal.Record, p invocation) error {
	return invocations.Put(ctx, tx, rec.Seq, p)
}

// laterRead is something that was read through a context.
type laterRead struct {
	At     time.Time     `json:"at"`
	What   string        `json:"what"`
	Refs   []brenner.Ref `json:"refs"`
	Tokens int           `json:"tokens"` // in the units of the budget
	Whole  bool          `json:"whole,omitzero"`
}

// contextRead says what an agent read through its context.
type contextRead struct {
	ID     string       `json:"id"`
	What   string       `json:"what"`
	Reads  []ledger.Pin `json:"reads"`
	Tokens int          `json:"tokens"`
	// News is what it cost beside Tokens, since its reader had not asked for it.
	News int `json:"news,omitzero"`
	// Shown is the digest of what was shown, none in old records.
	Shown brenner.Digest `json:"shown,omitzero"`
	// Parts are those of the passages that were shown, of what comes in passages.
	Parts []brenner.Digest `json:"parts,omitzero"`
	// Whole says that the versions were shown from end to end.
	Whole bool `json:"whole,omitzero"`
}

func applyContextRead(ctx context.Context, tx store.Tx, rec journal.Record, p contextRead) error {
	_, err := invocations.Change(ctx, tx, rec.Seq, p.ID, func(i *invocation) {
		later := laterRead{At: rec.At, What: p.What, Tokens: p.Tokens + p.News, Refs: []brenner.Ref{}, Whole: p.Whole}
		for _, r := range p.Reads {
			later.Refs = append(later.Refs, r.Ref)
			if !slices.ContainsFunc(i.Reads, func(q ledger.Pin) bool { return q.Ref == r.Ref }) {
				i.Reads = append(i.Reads, r)
			}
			i.Summaries = slices.DeleteFunc(i.Summaries, func(s brenner.Ref) bool { return s == r.Ref })
		}
		i.Later = append(i.Later, later)
		for _, d := range append(p.Parts, p.Shown) {
			if d != "" && !slices.Contains(i.Given, d) {
				i.Given = append(i.Given, d)
			}
		}
		i.Used += p.Tokens
		i.News += p.News
	})
	return err
}

// AssembleContext implements api.Contexts.
func (s *Service) AssembleContext(ctx context.Context, req api.ContextRequest) (api.ContextResult, error) {
	if req.As != "" && req.As != s.caller.Identity.Name {
		return api.ContextResult{}, brenner.Errorf(brenner.CodeInvalidValue, "a context is assembled for oneself").
			WithHint("leave the name out; only the PI looks at what another would see").Try(brenner.Do("context.assemble"))
	}
	// The caller asks in its standing role, and reads in the one the task gives.
	guard := kernel.To(policy.ContextAssemble, req.Task).Then(func(c *kernel.Call) error { return s.Tasks.Enter(c, req.Task) })
	fresh := false
	out, err := kernel.WritePlan(ctx, s.caller, "context.assemble", req, guard, kernel.Plan[*draft]{
		Make: func(c *kernel.Call) (*draft, error) { return s.makeDraft(c, req) },
		// What a context shows is pinned as it stood on the snapshot; it holds as
		// long as the same reader may see it.
		Holds: func(c *kernel.Call, d *draft) (bool, error) {
			return d.Settings == c.Settings && d.role == c.Who.Role, nil
		},
	}, func(ch *kernel.Change, d *draft) (api.ContextResult, error) {
		fresh = true
		return s.recordContext(ch, req, d)
	})
	if err != nil || fresh {
		return out, err
	}
	return s.again(ctx, req, guard, out)
}

// again answers a repeat: what a context shows is not kept, so it is assembled
// once more, by the rights of now. If it would show something else, that is
// another context, recorded and counted as such.
func (s *Service) again(ctx context.Context, req api.ContextRequest, guard kernel.Guard, first api.ContextResult) (api.ContextResult, error) {
	out, err := kernel.View(ctx, s.caller, guard, func(c *kernel.Call) (api.ContextResult, error) {
		made, w, err := s.assembleFor(c, req)
		return contextResult(first.Invocation, forReader(c, made), w.find), err
	})
	if err != nil || out.Record.SHA256 == first.Record.SHA256 {
		return out, err
	}
	req.Key = ""
	return s.AssembleContext(ctx, req)
}

// draft is a context that is not recorded yet, and what it was made under.
type draft struct {
	made   assembly.Context
	record []byte // made, without its text
	view   string
	reads  []ledger.Pin
	role   brenner.Role
	// session is the one that it is for, without a task.
	session brenner.SessionID
	find    string // see api.ContextResult
	*kernel.Settings
}

// makeDraft assembles the caller's context.
func (r *Room) makeDraft(c *kernel.Call, req api.ContextRequest) (*draft, error) {
	made, work, err := r.assembleFor(c, req)
	if err != nil {
		return nil, err
	}
	refs := make([]brenner.Ref, len(made.Items))
	for i, item := range made.Items {
		refs[i] = item.Ref
	}
	reads, err := ledger.PinsAt(c, refs)
	if err != nil {
		return nil, err
	}
	return &draft{
		made: made, record: canon.MustMarshal(made), view: work.view.Version, reads: reads, role: c.Who.Role, Settings: c.Settings,
		session: work.session(), find: work.find,
	}, nil
}

// PreviewContext implements api.Contexts.
func (s *Service) PreviewContext(ctx context.Context, req api.ContextRequest) (api.ContextResult, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.ContextPreview, string(req.As)), func(c *kernel.Call) (api.ContextResult, error) {
		agent, err := c.Actor(ctx, req.As)
		if brenner.CodeOf(err) == brenner.CodeNotFound {
			return api.ContextResult{}, brenner.Errorf(brenner.CodeNotFound, "there is no actor %q", req.As).Try(brenner.Do("agent.list"))
		}
		if err != nil {
			return api.ContextResult{}, err
		}
		as := c.As(agent)
		if req.Task != "" {
			t, err := s.Tasks.Find(as, req.Task)
			if err != nil {
				return api.ContextResult{}, err
			}
			if as.Who.Role, err = s.Tasks.RoleFor(as, t); err != nil {
				return api.ContextResult{}, err
			}
		}
		made, w, err := s.assembleFor(as, req)
		return contextResult("", made, w.find), err
	})
}

// recordContext appends the record of an assembled context (C30).
func (r *Room) recordContext(ch *kernel.Change, req api.ContextRequest, d *draft) (api.ContextResult, error) {
	record, err := ch.PutBlob(d.record)
	if err != nil {
		return api.ContextResult{}, err
	}
	i := invocation{
		ID: fmt.Sprintf("ctx-%d", ch.NextSeq()), Agent: ch.Who.Name, Role: ch.Who.Role, Task: req.Task,
		Question: req.Question, Session: d.session, Survey: req.Survey, After: req.After, View: d.view, At: ch.Now, Record: record, Scope: d.made.Scope,
		Budget: d.made.Budget, Used: d.made.Used, Items: len(d.made.Items),
		Reads: d.reads, Bullets: []string{}, Later: []laterRead{},
	}
	before := succession{i}
	if i.After != "" {
		if before, err = r.known(ch.Call, i); err != nil {
			return api.ContextResult{}, err
		}
		if req.Renew { // it is for what that was for
			i.Question, i.Survey = before[1].Question, before[1].Survey
		}
	}
	for _, item := range d.made.Items {
		switch {
		case item.Variant == assembly.Summary, item.Variant == assembly.Passages, item.Variant == assembly.Named && !before[1:].shows(item.Ref):
			i.Summaries = append(i.Summaries, item.Ref)
		}
	}
	for _, b := range d.made.Bullets {
		i.Bullets = append(i.Bullets, string(b.ID))
	}
	if _, err := kindContextAssembled.Append(ch, i); err != nil {
		return api.ContextResult{}, err
	}
	return contextResult(i.ID, forReader(ch.Call, d.made), d.find), nil
}

// forReader takes out of a record what its reader may not see: an agent does
// not learn what was kept from it.
func forReader(c *kernel.Call, made assembly.Context) assembly.Context {
	if c.Person() {
		return made
	}
	made.LeftOut, made.BulletsLeftOut, made.Rest = nil, nil, nil
	return made
}

func contextResult(id string, made assembly.Context, find string) api.ContextResult {
	return api.ContextResult{
		Invocation: id, Text: made.Text, More: made.More, Find: find, Used: made.Used, Size: made.Budget.Size, Left: made.Budget.Size - made.Used,
		Unit: string(made.Budget.Unit), Record: made,
	}
}

// Invocation implements api.Contexts.
func (s *Service) Invocation(ctx context.Context, req api.InvocationRequest) (api.InvocationInfo, error) {
	var i invocation
	guard := kernel.On(func(c *kernel.Call) (kernel.Act, error) {
		var err error
		i, err = invocations.Find(c.Ctx, c.Reader, req.ID)
		return kernel.Act{Action: s.lookingAt(i.Agent), Target: req.ID}, err
	})
	return kernel.View(ctx, s.caller, guard, func(c *kernel.Call) (api.InvocationInfo, error) {
		out := api.InvocationInfo{InvocationItem: i.item(), Question: i.Question, Later: make([]api.LaterRead, len(i.Later)), Outputs: []brenner.Ref{}}
		for n, l := range i.Later {
			out.Later[n] = api.LaterRead{At: l.At, What: l.What, Refs: l.Refs, Tokens: l.Tokens}
		}
		data, err := c.Blob(ctx, i.Record)
		if err != nil {
			return api.InvocationInfo{}, err
		}
		if err := canon.Unmarshal(data, &out.Record); err != nil {
			return api.InvocationInfo{}, err
		}
		out.Record = forReader(c, out.Record)
		made, all, err := writesUnder(c, i.ID)
		if err != nil {
			return api.InvocationInfo{}, err
		}
		out.Outputs = made
		for _, w := range all {
			out.Writes = append(out.Writes, api.ContextWrite{Seq: w.Seq, Kind: w.Kind})
		}
		return out, nil
	})
}

// lookingAt is what it is to look at the contexts of an agent: one's own, or
// another's.
func (s *Service) lookingAt(agent brenner.ActorName) policy.Action {
	if agent == s.caller.Name {
		return policy.ContextAssemble
	}
	return policy.ContextPreview
}

func (i invocation) item() api.InvocationItem {
	return api.InvocationItem{
		ID: i.ID, Agent: i.Agent, Role: i.Role, Task: i.Task, View: i.View, At: i.At, Items: i.Items, Used: i.Used, Size: i.Budget.Size,
	}
}

// Invocations implements api.Contexts.
func (s *Service) Invocations(ctx context.Context, req api.ListInvocationsRequest) (api.InvocationList, error) {
	return kernel.View(ctx, s.caller, kernel.To(s.lookingAt(req.Agent), "invocations"), func(c *kernel.Call) (api.InvocationList, error) {
		q := kernel.Query{Group: req.Task, Newest: true}
		if err := c.KnownActor(req.Agent, "/agent"); err != nil {
			return api.InvocationList{}, err
		}
		if req.Agent != "" {
			q.States = []string{string(req.Agent)}
		}
		out := api.InvocationList{Invocations: []api.InvocationItem{}}
		var err error
		out.Next, err = invocations.Page(ctx, c.Reader, q, req.Page, func(row kernel.Row[invocation]) error {
			out.Invocations = append(out.Invocations, row.Value.item())
			return nil
		})
		return out, err
	})
}

// Views implements api.Contexts.
func (s *Service) Views(ctx context.Context) (api.ViewList, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "views"), func(c *kernel.Call) (api.ViewList, error) {
		out := api.ViewList{Views: []api.ViewInfo{}}
		for _, v := range c.Views {
			out.Views = append(out.Views, api.ViewInfo{View: v.View, Version: v.Version})
		}
		order.By(out.Views, func(a, b api.ViewInfo) int { return strings.Compare(string(a.Role), string(b.Role)) })
		return out, nil
	})
}

// ReadsOf lists what the contexts assembled for a task showed, and what was
// read through them afterwards.
func (r *Room) ReadsOf(c *kernel.Call, id string) ([]ledger.Reading, error) {
	rows, err := invocations.List(c.Ctx, c.Reader, kernel.Query{Group: id}, brenner.MaxPage)
	var out []ledger.Reading
	for _, row := range rows {
		for _, p := range row.Value.Reads {
			out = append(out, ledger.Reading{Pin: p, Invocation: row.ID, Summary: slices.Contains(row.Value.Summaries, p.Ref)})
		}
	}
	return out, err
}
