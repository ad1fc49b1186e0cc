package sessions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/policy"
)

// document is a session as it is about to be shown: its passages, then what is
// proposed.
type document struct {
	view     api.SessionView
	passages []delta.Passage // for an agent
	person   bool
	doc      *delta.Artifact
}

// Session implements api.Sessions. A person gets the document as Markdown; an
// agent in plain words, item by item, as much of it as it has not seen and as
// fits (C34).
func (s *Service) Session(ctx context.Context, req api.SessionRequest) (api.SessionView, error) {
	ask := kernel.Ask{What: "session " + string(req.ID), From: req.Offset, Again: req.Again, Peek: req.Unseen}
	refs := func(d *document) []brenner.Ref { return []brenner.Ref{d.view.Ref} }
	guard := kernel.Acting(kernel.Act{Action: policy.Read, Type: artifact.TypeSessionArtifact, Target: string(req.ID)})
	d, shown, err := kernel.ReadPassages(ctx, s.caller, ask, refs, guard, func(c *kernel.Call) (*document, []kernel.Passage, error) {
		d, err := openDocument(c, req)
		if err != nil {
			return nil, nil, err
		}
		return d, d.all(), nil
	})
	if err != nil {
		return api.SessionView{}, err
	}
	if req.Unseen {
		return d.unseen(shown), nil
	}
	return d.as(shown), nil
}

// openDocument loads what is asked for of a session.
func openDocument(c *kernel.Call, req api.SessionRequest) (*document, error) {
	info, err := findSession(c, req.ID)
	if err != nil {
		return nil, err
	}
	if err := c.Allow(policy.Read, artifact.TypeSessionArtifact, info.Module, string(req.ID)); err != nil {
		return nil, err
	}
	row, doc, err := sessionArtifact(c, req.ID, req.Version)
	if err != nil {
		return nil, err
	}
	d := &document{view: api.SessionView{SessionInfo: info, Ref: row.Ref(), Status: row.Status}, person: c.Person(), doc: doc}
	if d.view.Proposals, err = proposals(c, info, req); err != nil || req.Unseen {
		return d, err
	}
	if d.view.Working, err = working(c, info); err != nil {
		return nil, err
	}
	part, err := partOf(c, req)
	if err != nil {
		return nil, err
	}
	switch {
	case !c.Person():
		passages := delta.Passages(doc, part)
		if req.Since > 0 && len(req.Items) == 0 && !req.Again {
			passages, d.view.Own = ofOthers(doc, passages, c.Who.Name)
		}
		d.passages = pieces(passages)
	case len(req.Sections) == 0 && len(req.Items) == 0 && req.Since == 0:
		d.view.Markdown = delta.Render(doc)
	default:
		d.view.Markdown = delta.RenderPart(doc, part)
	}
	if req.Full {
		if !c.Person() {
			return nil, brenner.Errorf(brenner.CodeReadDenied, "the history of a session is for persons").
				WithHint("leave full out: the document says what stands, and who wrote it").
				Try(brenner.Do("session.show", "id", string(req.ID)))
		}
		d.view.Content, err = canon.Marshal(doc)
	}
	return d, err
}

// partOf is what a request chooses of the document.
func partOf(c *kernel.Call, req api.SessionRequest) (delta.Part, error) {
	part := delta.Part{Sections: req.Sections, Items: req.Items}
	for i, s := range req.Sections {
		if !slices.Contains(delta.Sections(), s) {
			return part, brenner.Errorf(brenner.CodeInvalidValue, "%q is not a section", s).At(fmt.Sprintf("/sections/%d", i)).
				WithHint("sections: " + kernel.Join(delta.Sections()))
		}
	}
	if req.Since > 0 {
		_, earlier, err := sessionArtifact(c, req.ID, req.Since)
		if err != nil {
			return part, err
		}
		part.Since = earlier
	}
	return part, nil
}

// ofOthers leaves out the items that one agent alone has written, and names them.
func ofOthers(doc *delta.Artifact, all []delta.Passage, reader brenner.ActorName) (rest []delta.Passage, own []delta.ItemID) {
	for _, p := range all {
		if it, ok := doc.Item(p.Item); ok && slices.Equal(it.Authors(), []brenner.ActorName{reader}) {
			own = append(own, p.Item)
			continue
		}
		rest = append(rest, p)
	}
	return rest, own
}

// pieces cuts passages that are long, so that some of each fits anywhere.
func pieces(all []delta.Passage) []delta.Passage {
	var out []delta.Passage
	for _, p := range all {
		for len(p.Text) > brenner.MaxPassageBytes {
			n := brenner.MaxPassageBytes
			if line := strings.LastIndexByte(p.Text[:n], '\n'); line > 0 {
				n = line + 1
			}
			for !utf8.RuneStart(p.Text[n]) {
				n--
			}
			first := p
			first.Text = p.Text[:n]
			out = append(out, first)
			p.Text = p.Text[n:]
		}
		out = append(out, p)
	}
	return out
}

// all are the passages of the document and what is proposed, in order.
func (d *document) all() []kernel.Passage {
	var out []kernel.Passage
	for _, p := range d.passages {
		out = append(out, kernel.Passage{Text: p.Text, Of: d.view.Ref})
	}
	for _, p := range d.view.Proposals {
		out = append(out, kernel.Passage{Text: p.Words(), Own: p.Own})
	}
	return out
}

// unseen names what others propose and the reader was not given.
func (d *document) unseen(shown kernel.Shown) api.SessionView {
	out := d.view
	out.Proposals = nil
	for _, i := range shown.Now {
		if p := d.view.Proposals[i]; !p.Own {
			p.Payload, p.Rationale = nil, ""
			out.Proposals = append(out.Proposals, p)
		}
	}
	return out
}

// working says how far those are who were asked, to those who contribute.
func working(c *kernel.Call, info api.SessionInfo) ([]api.Working, error) {
	if !c.Person() && !slices.Contains(info.Contributors, c.Who.Name) || !info.Closed.IsZero() {
		return nil, nil
	}
	var out []api.Working
	for _, r := range info.Recipients {
		w := api.Working{Agent: r.Name, Role: r.Role, State: api.WorkAnswered, Since: r.AnsweredAt, Proposed: r.Pending}
		if r.Waiting {
			m, err := messages.Find(c.Ctx, c.Reader, r.Ask)
			if err != nil {
				return nil, err
			}
			if w.State, w.Since = api.WorkReading, m.ReadAt; m.ReadAt.IsZero() {
				w.State, w.Since = api.WorkAsked, r.AskedAt
			}
		}
		out = append(out, w)
	}
	return out, nil
}

// as is the document as far as it is shown.
func (d *document) as(shown kernel.Shown) api.SessionView {
	out := d.view
	if d.person {
		out.Names = d.doc.NamesIn(out.Markdown)
		return out
	}
	out.Proposals, out.Left, out.Spent = nil, shown.Left, shown.Full
	var now []delta.Passage
	others := 0
	for _, i := range shown.Now {
		if i < len(d.passages) {
			now = append(now, d.passages[i])
			others++
			continue
		}
		p := d.view.Proposals[i-len(d.passages)]
		if !p.Own {
			others++
		}
		out.Proposals = append(out.Proposals, p)
	}
	out.Markdown = delta.Join(now)
	out.Names = d.names(out)
	out.Before, out.Rest = d.items(shown.Before), d.items(shown.Rest)
	if len(shown.Rest) > 0 {
		out.NextOffset = shown.Rest[0]
	}
	out.Repeated = others == 0 && len(shown.Before) > 0 && len(shown.Rest) == 0
	return out
}

// names are the provisional ids that the words of an answer use. What is proposed
// says itself what it will be.
func (d *document) names(v api.SessionView) []delta.Named {
	var b strings.Builder
	b.WriteString(v.Markdown)
	for _, p := range v.Proposals {
		b.WriteString(p.Words())
	}
	return d.doc.NamesIn(b.String())
}

// items names the items that passages are of.
func (d *document) items(places []int) []delta.ItemID {
	var out []delta.ItemID
	for _, i := range places {
		id := delta.ItemID("")
		if i < len(d.passages) {
			id = d.passages[i].Item
		} else {
			p := d.view.Proposals[i-len(d.passages)]
			id = cmp.Or(p.Item, delta.ItemID(p.Target))
		}
		if id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// proposals lists what waits for the next compile (D27) and would be taken in,
// for those who contribute; an older version of the document has none.
func proposals(c *kernel.Call, info api.SessionInfo, req api.SessionRequest) ([]api.Proposal, error) {
	if req.Version != 0 && req.Version != info.Artifact.Version {
		return nil, nil
	}
	if !c.Person() && !slices.Contains(info.Contributors, c.Who.Name) {
		return nil, nil
	}
	queue, err := queuedDeltas(c, info.ID)
	if err != nil || len(queue) == 0 {
		return nil, err
	}
	_, base, err := sessionArtifact(c, info.ID, 0)
	if err != nil {
		return nil, err
	}
	rules := sessionCompiled{Started: info.Created, Priority: c.Config.Priority, Contributors: info.Contributors}
	outcomes := delta.Merge(base, entriesOf(queue), rules.options()).Outcomes
	order := make([]int, len(queue))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return queue[a].entry.Received.Compare(queue[b].entry.Received) })
	var out []api.Proposal
	for _, i := range order {
		d, o := queue[i].entry.Delta, outcomes[i]
		if o.Status == delta.Rejected || !asksFor(req, d, o) {
			continue // what is refused its author is told
		}
		payload, err := canon.Marshal(d.Payload)
		if err != nil {
			return nil, err
		}
		out = append(out, api.Proposal{
			Agent: d.Agent, DeltaID: d.DeltaID, Operation: d.Operation, Section: d.Section, Target: d.TargetID,
			Provisional: d.ProvisionalID, Item: o.Item, Payload: payload, Rationale: d.Rationale, Own: d.Agent == c.Who.Name,
		})
	}
	return out, nil
}

// asksFor reports whether a request chooses a delta that waits.
func asksFor(req api.SessionRequest, d delta.Delta, o delta.Outcome) bool {
	if len(req.Sections) > 0 && !slices.Contains(req.Sections, d.Section) {
		return false
	}
	return len(req.Items) == 0 || slices.Contains(req.Items, o.Item)
}
