package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/policy"

	"github.com/go-json-experiment/json"
)

// CreateArtifact implements api.Artifacts.
func (s *Service) CreateArtifact(ctx context.Context, req api.CreateArtifactRequest) (api.WriteResult, error) {
	var p placement
	guard := kernel.On(func(c *kernel.Call) (act kernel.Act, err error) {
		p, act, err = s.placeFor(c, req)
		return act, err
	})
	write := func(ch *kernel.Change, content *artifact.Content) (api.WriteResult, error) {
		return withDoubts(ch, &req.Content)(s.createAt(ch, req, p, content))
	}
	return s.writeContent(ctx, "artifact.create", req, guard, &req.Content, func() brenner.TypeName { return p.typ.Name }, write)
}

// Create writes version 1 of a new artifact, as a part of another use case: it
// asks the policy itself.
func (r *Room) Create(ch *kernel.Change, req api.CreateArtifactRequest) (api.WriteResult, error) {
	return r.create(ch, req, nil)
}

// create is Create with a content that may have been read already.
func (r *Room) create(ch *kernel.Change, req api.CreateArtifactRequest, read *artifact.Content) (api.WriteResult, error) {
	p, act, err := r.placeFor(ch.Call, req)
	if err != nil {
		return api.WriteResult{}, err
	}
	if err := ch.Ask(act); err != nil {
		return api.WriteResult{}, err
	}
	return r.createAt(ch, req, p, read)
}

// placement is where a new artifact goes.
type placement struct {
	typ    artifact.Type
	module brenner.Module
}

// placeFor finds where a new artifact goes, in the task that it is made for,
// and what it is to make it.
func (r *Room) placeFor(c *kernel.Call, req api.CreateArtifactRequest) (p placement, act kernel.Act, err error) {
	if err := r.Tasks.Enter(c, req.Task); err != nil {
		return p, act, err
	}
	if p.typ, err = c.Types.Lookup(req.Type); err != nil {
		return p, act, err
	}
	if req.Module == "" && p.typ.Singleton != artifact.PerProject {
		if req.Module, err = c.HomeModule(); err != nil {
			return p, act, err
		}
	}
	if p.module, err = c.ModuleFor(req.Module, p.typ); err != nil {
		return p, act, err
	}
	if req.ID != "" {
		err = req.ID.Check()
	}
	return p, kernel.Act{Action: policy.Write, Type: p.typ.Name, Module: p.module, Target: string(req.ID)}, err
}

func (r *Room) createAt(ch *kernel.Change, req api.CreateArtifactRequest, at placement, read *artifact.Content) (api.WriteResult, error) {
	if at.typ.Record { // C4: its state comes from records of its own
		return api.WriteResult{}, brenner.Errorf(brenner.CodeInvalidValue, "%s is no artifact that is written: it is opened", brenner.A(at.typ.Name)).At("/type").
			Try(brenner.Do("task.new").Asking("title", "role"))
	}
	if req.ID == "" {
		req.ID = brenner.ArtifactID(fmt.Sprintf("%s-%d", at.typ.Name, ch.NextSeq()))
	}
	switch _, err := ch.Artifact(ch.Ctx, req.ID); brenner.CodeOf(err) {
	case brenner.CodeNotFound:
	case "":
		return api.WriteResult{}, brenner.Errorf(brenner.CodeAlreadyExists, "an artifact %q exists already", req.ID).
			WithHint("choose another id, or write a new version of it").Try(brenner.Do("artifact.update", "id", string(req.ID)).Asking("summary", "content", "what", "why"))
	default:
		return api.WriteResult{}, err
	}
	content, err := contentOf(req.Content, read)
	if err != nil {
		return api.WriteResult{}, err
	}
	p := artifact.Proposal{
		Type: at.typ, Summary: req.Summary, Content: content,
		Tags: req.Tags, Links: req.Links, Change: req.Change,
	}
	if p.Links, err = resolveLinks(ch.Call, p.Links); err != nil {
		return api.WriteResult{}, err
	}
	if p.Links, err = withTarget(ch.Call, p, req.ID); err != nil {
		return api.WriteResult{}, err
	}
	if err := artifact.CheckDraft(p); err != nil {
		return api.WriteResult{}, err
	}
	out, err := WriteVersion(ch, p, Written{
		ID: req.ID, Type: at.typ.Name, Module: at.module, Version: 1, Head: 1, Status: artifact.Draft, Task: req.Task,
	})
	if err == nil {
		out.Warnings = ch.Types.Misspelt(p.Type.Name, p.Content)
		err = linksBehind(ch.Call, req.Links, p.Links, &out)
	}
	return r.handedIn(ch, out, err, req.Review)
}

// handedIn puts what was written before a person, if that was asked for (N1).
func (r *Room) handedIn(ch *kernel.Change, out api.WriteResult, err error, review bool) (api.WriteResult, error) {
	if err != nil || !review {
		return out, err
	}
	return out, r.Reviews.HandIn(ch, out.Ref)
}

// UpdateArtifact implements api.Artifacts.
func (s *Service) UpdateArtifact(ctx context.Context, req api.UpdateArtifactRequest) (api.WriteResult, error) {
	var a store.Artifact
	write := func(ch *kernel.Change, content *artifact.Content) (api.WriteResult, error) {
		made := req
		var err error
		if made.Parent, err = basis(ch, req, a); err != nil {
			return api.WriteResult{}, err
		}
		res, err := withDoubts(ch, req.Content)(s.updateOf(ch, made, a, content))
		if err == nil && guessed(ch, req) && made.Parent < a.Head {
			overlook(&res, a, made.Parent)
		}
		return res, err
	}
	return s.writeContent(ctx, "artifact.update", req, s.Writing(req.Task, req.ID, &a), req.Content, func() brenner.TypeName { return a.Type }, write)
}

// ownLooked is among how many of the newest versions one's own is looked for.
const ownLooked = 50

// basis is the version that a change was made on, 0 for the head. An agent that
// writes a whole text and names none had in hand the newest that it was given or
// wrote: on a newer head it would take back what somebody else wrote meanwhile.
func basis(ch *kernel.Change, req api.UpdateArtifactRequest, a store.Artifact) (brenner.Version, error) {
	if !guessed(ch, req) {
		return req.Parent, nil
	}
	through, err := ch.Newest()
	if err != nil {
		return 0, err
	}
	var known brenner.Version
	if through != nil {
		known = through.Had(a.ID)
	}
	return orOwn(ch.Call, a, known)
}

// orOwn is the newest version that the caller wrote itself after one that it knows, or else
// that one.
func orOwn(c *kernel.Call, a store.Artifact, known brenner.Version) (brenner.Version, error) {
	for v := a.Latest; v > known && a.Latest-v < ownLooked; v-- {
		row, err := c.Version(c.Ctx, brenner.Ref{Artifact: a.ID, Version: v})
		if err != nil {
			return 0, err
		}
		if row.Creator == c.Who.Name {
			known = v
		}
	}
	return known, nil
}

// guessed says whether an agent leaves open which version a whole text changes.
// One that joins versions names them by its links.
func guessed(ch *kernel.Change, req api.UpdateArtifactRequest) bool {
	joins := slices.ContainsFunc(req.Links, func(l artifact.Link) bool { return l.Artifact == req.ID })
	return !ch.Person() && !joins && req.Content != nil && req.Parent == 0 && req.Expect == 0
}

// overlook says that the head of the moment was not shown to who wrote on an
// earlier version, or on none that is known.
func overlook(res *api.WriteResult, a store.Artifact, known brenner.Version) {
	res.Overlooked, res.Known = brenner.Ref{Artifact: a.ID, Version: a.Head}, known
	message := fmt.Sprintf("you were not shown %s; yours stands beside it", res.Overlooked)
	if known == 0 {
		message = fmt.Sprintf("it takes the place of %s, which you were not shown", res.Overlooked)
	}
	res.Warnings = append(res.Warnings, brenner.Diagnostic{
		Code: brenner.CodeReferenceMoved, Severity: brenner.SeverityWarning, Subject: res.Overlooked.String(), Message: message, Hint: "carry over what it changed",
	})
}

// writeContent runs a use case that writes one content. A large one is read and
// checked while others write (X9): typ is known once the guard was asked.
func (s *Service) writeContent(ctx context.Context, name string, req kernel.Keyed, guard kernel.Guard, body *api.Body, typ func() brenner.TypeName, write func(*kernel.Change, *artifact.Content) (api.WriteResult, error)) (api.WriteResult, error) {
	if body == nil || len(body.Data) < brenner.LargeContentBytes {
		return kernel.Write(ctx, s.caller, name, req, guard, func(ch *kernel.Change) (api.WriteResult, error) { return write(ch, nil) })
	}
	plan := kernel.Plan[artifact.Content]{
		Make: func(c *kernel.Call) (artifact.Content, error) {
			content, err := artifact.NewContent(body.Format, []byte(body.Data))
			if err != nil {
				return content, err
			}
			content = content.Hashed()
			return content, c.Validate(typ(), content)
		},
		// The transaction validates again under the settings it finds.
		Holds: func(*kernel.Call, artifact.Content) (bool, error) { return true, nil },
	}
	return kernel.WritePlan(ctx, s.caller, name, req, guard, plan, func(ch *kernel.Change, content artifact.Content) (api.WriteResult, error) {
		return write(ch, &content)
	})
}

// contentOf is the content of a request, unless it was read already.
func contentOf(body api.Body, read *artifact.Content) (artifact.Content, error) {
	if read != nil {
		return *read, nil
	}
	return artifact.NewContent(body.Format, []byte(body.Data))
}

// Writing is to write a version of an artifact, in the role that the task gives
// that it is written for. It loads the artifact.
func (r *Room) Writing(task string, id brenner.ArtifactID, into *store.Artifact) kernel.Guard {
	return kernel.On(func(c *kernel.Call) (kernel.Act, error) {
		if err := r.Tasks.Enter(c, task); err != nil {
			return kernel.Act{}, err
		}
		var err error
		*into, err = loadArtifact(c, id)
		return actOn(*into, policy.Write), err
	})
}

// Update writes a new version on a parent (C13), as a part of another use case:
// it asks the policy itself.
func (r *Room) Update(ch *kernel.Change, req api.UpdateArtifactRequest) (api.WriteResult, error) {
	return r.update(ch, req, nil)
}

// Confirm writes the next version with the same words, on what is in force now. The
// artifact of a session takes it too: no word of it is other than its deltas say.
func (r *Room) Confirm(ch *kernel.Change, req api.UpdateArtifactRequest) (api.WriteResult, error) {
	a, err := FindArtifact(ch.Call, req.ID, policy.Write)
	if err != nil {
		return api.WriteResult{}, err
	}
	return r.writeNext(ch, req, a, nil)
}

// update is Update with a content that may have been read already.
func (r *Room) update(ch *kernel.Change, req api.UpdateArtifactRequest, read *artifact.Content) (api.WriteResult, error) {
	if err := r.Tasks.Enter(ch.Call, req.Task); err != nil {
		return api.WriteResult{}, err
	}
	a, err := FindArtifact(ch.Call, req.ID, policy.Write)
	if err != nil {
		return api.WriteResult{}, err
	}
	return r.updateOf(ch, req, a, read)
}

func (r *Room) updateOf(ch *kernel.Change, req api.UpdateArtifactRequest, a store.Artifact, read *artifact.Content) (api.WriteResult, error) {
	if err := r.Sessions.OnlyByDeltas(ch.Call, a.ID); err != nil {
		return api.WriteResult{}, err
	}
	return r.writeNext(ch, req, a, read)
}

func (r *Room) writeNext(ch *kernel.Change, req api.UpdateArtifactRequest, a store.Artifact, read *artifact.Content) (api.WriteResult, error) {
	p, next, err := r.nextVersion(ch.Call, req, a, read)
	if err != nil {
		return api.WriteResult{}, err
	}
	out, err := WriteVersion(ch, p, next)
	if next.Status == artifact.Alternative {
		out.Parent = next.Parent
	}
	if err == nil && req.Content != nil {
		out.Warnings = append(out.Warnings, ch.Types.Misspelt(p.Type.Name, p.Content)...)
	}
	if err == nil {
		err = linksBehind(ch.Call, req.Links, p.Links, &out)
	}
	return r.handedIn(ch, out, err, req.Review)
}

// nextVersion is what an update proposes, and where it would stand.
func (r *Room) nextVersion(c *kernel.Call, req api.UpdateArtifactRequest, a store.Artifact, read *artifact.Content) (p artifact.Proposal, next Written, err error) {
	if req.Expect != 0 && req.Expect != a.Head {
		return p, next, brenner.Errorf(brenner.CodeConflictHead, "the head of %s is version %d, not %d", a.ID, a.Head, req.Expect).
			WithHint("read what has changed, then write on the newest version").
			Try(brenner.Do("artifact.show", "ref", brenner.Ref{Artifact: a.ID, Version: a.Head}.String())).
			WithDetails(map[string]any{"head": a.Head})
	}
	parentNo := req.Parent
	if parentNo == 0 {
		parentNo = a.Head
	}
	parent, err := c.Version(c.Ctx, brenner.Ref{Artifact: a.ID, Version: parentNo})
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return p, next, brenner.Errorf(brenner.CodeInvalidParent, "%s has no version %d", a.ID, parentNo).
			WithHint(fmt.Sprintf("its versions are 1–%d", a.Latest))
	}
	if err != nil {
		return p, next, err
	}
	if p, err = proposalWith(c, req, a, parent, read); err != nil {
		return p, next, err
	}
	prev := artifact.Prev{Summary: parent.Summary, Content: parent.Content, Format: parent.Format, Tags: parent.Tags, Version: parent.Version, Dead: !parent.Status.Live()}
	if prev.Links, err = LinksOf(c, parent.Ref()); err != nil {
		return p, next, err
	}
	if err := artifact.CheckUpdate(prev, p, req.SummaryHolds); err != nil {
		if same := (*brenner.Error)(nil); errors.As(err, &same) && same.Code == brenner.CodeNothingChanged {
			err = same.Try(brenner.Do("artifact.show", "ref", parent.Ref().String()))
		}
		return p, next, err
	}
	next = Written{
		ID: a.ID, Type: a.Type, Module: a.Module, Version: a.Latest + 1, Parent: parentNo,
		Status: artifact.Draft, Head: a.Latest + 1, Task: req.Task,
		SummaryHolds: req.SummaryHolds && p.Summary == parent.Summary && p.Content.Digest() != parent.Content,
	}
	goesOn, err := goesOnFromHead(c, a, parent)
	if err != nil {
		return p, next, err
	}
	if !goesOn {
		next.Status, next.Head = artifact.Alternative, a.Head
	}
	if next.Merged, err = mergedHeads(c, a, p.Links); err != nil {
		return p, next, err
	}
	if slices.Contains(next.Merged, a.Head) {
		next.Head = next.Version // it takes the place of the head, from another line
	}
	return p, next, nil
}

// goesOnFromHead reports whether a version whose parent is this goes on from the
// head: the parent is the head, or only versions out of use lie between them.
func goesOnFromHead(c *kernel.Call, a store.Artifact, parent store.Version) (bool, error) {
	for v := parent; v.Version != a.Head; {
		if v.Status.Live() || v.Parent == 0 {
			return false, nil
		}
		var err error
		if v, err = c.Version(c.Ctx, brenner.Ref{Artifact: a.ID, Version: v.Parent}); err != nil {
			return false, err
		}
	}
	return true, nil
}

// proposalWith fills what the request leaves open from the parent; its content
// may have been read already.
func proposalWith(c *kernel.Call, req api.UpdateArtifactRequest, a store.Artifact, parent store.Version, read *artifact.Content) (artifact.Proposal, error) {
	typ, err := c.Types.Lookup(a.Type)
	if err != nil {
		return artifact.Proposal{}, err
	}
	p := artifact.Proposal{Type: typ, Summary: parent.Summary, Tags: parent.Tags, Change: req.Change}
	if req.Summary != nil {
		p.Summary = *req.Summary
	}
	if req.Tags != nil {
		p.Tags = *req.Tags
	}
	if req.Content != nil {
		p.Content, err = contentOf(*req.Content, read)
	} else {
		p.Content, err = ContentOf(c, parent)
	}
	if err != nil {
		return artifact.Proposal{}, err
	}
	added, err := resolveLinks(c, req.Links)
	if err != nil {
		return artifact.Proposal{}, err
	}
	var kept []artifact.Link
	if !req.DropLinks {
		if kept, err = LinksOf(c, parent.Ref()); err != nil {
			return artifact.Proposal{}, err
		}
	}
	p.Links = moveLinks(kept, added)
	if req.Content != nil {
		p.Links, err = withTarget(c, p, a.ID)
	}
	return p, err
}

// withTarget is the links of a proposal with that of a critique to the version that it says
// it is of, if no link of it is to that artifact: who decides about a version looks for
// critiques by their links. A target that is not there, or that the writer may not read, is
// a word like any other.
func withTarget(c *kernel.Call, p artifact.Proposal, id brenner.ArtifactID) ([]artifact.Link, error) {
	var said struct {
		Target string `json:"target"`
	}
	if p.Type.Name != artifact.TypeCritique || p.Content.Format != artifact.JSON || json.Unmarshal(p.Content.Data, &said) != nil {
		return p.Links, nil //nolint:nilerr // a critique of nothing that has a name
	}
	ref, err := brenner.ParseRef(said.Target)
	linked := func(l artifact.Link) bool { return l.Artifact == ref.Artifact }
	if err != nil || ref.Artifact == id || slices.ContainsFunc(p.Links, linked) || len(p.Links) >= brenner.MaxLinks {
		return p.Links, nil //nolint:nilerr // a critique of something else
	}
	a, err := c.Reader.Artifact(c.Ctx, ref.Artifact)
	switch {
	case err != nil && brenner.CodeOf(err) != brenner.CodeNotFound:
		return nil, err
	case err != nil || ref.Version > a.Latest || !c.May(policy.Read, a.Type, a.Module):
		return p.Links, nil //nolint:nilerr // it is not there for the writer
	}
	if ref.Version == 0 {
		if ref.Version, err = givenOf(c, a); err != nil {
			return nil, err
		}
	}
	return append(slices.Clone(p.Links), artifact.Link{Rel: artifact.Reviews, Artifact: ref.Artifact, Version: ref.Version}), nil
}

// moveLinks adds links to earlier ones; an earlier one with the same relation
// and artifact gives way. What a parent took the place of is its own affair.
func moveLinks(kept, added []artifact.Link) []artifact.Link {
	kept = slices.DeleteFunc(kept, func(k artifact.Link) bool {
		return k.Rel == artifact.Supersedes || slices.ContainsFunc(added, func(l artifact.Link) bool {
			return l.Rel == k.Rel && l.Artifact == k.Artifact
		})
	})
	return append(kept, added...)
}

// mergedHeads lists the other heads of the artifact that a version says it
// supersedes: that is how a fork ends in a merge.
func mergedHeads(c *kernel.Call, a store.Artifact, links []artifact.Link) ([]brenner.Version, error) {
	var out []brenner.Version
	for _, l := range links {
		if l.Rel != artifact.Supersedes || l.Artifact != a.ID {
			continue
		}
		v, err := c.Version(c.Ctx, l.To())
		if err != nil {
			return nil, err
		}
		if v.Status == artifact.Canonical {
			return nil, brenner.Errorf(brenner.CodeStatusConflict, "%s is canonical: only a promotion takes its place", v.Ref()).
				WithHint("write the version without that link, then promote it")
		}
		if v.Status.Live() {
			out = append(out, l.Version)
		}
	}
	return out, nil
}

// WriteVersion checks the content against its type and appends the record.
func WriteVersion(ch *kernel.Change, p artifact.Proposal, next Written) (api.WriteResult, error) {
	if err := ch.Validate(p.Type.Name, p.Content); err != nil {
		return api.WriteResult{}, err
	}
	if err := ch.CheckGoverning(p.Type.Name, p.Content); err != nil {
		return api.WriteResult{}, err
	}
	digest, err := ch.PutContent(p.Content)
	if err != nil {
		return api.WriteResult{}, err
	}
	next.Slot = artifact.Slot(p.Type, next.Module)
	next.Summary, next.Format = p.Summary, p.Content.Format
	next.Content, next.Size = digest, int64(len(p.Content.Data))
	next.Tags, next.Links, next.Change = kernel.OrEmpty(p.Tags), kernel.OrEmpty(p.Links), p.Change
	seq, err := VersionWritten.Append(ch, next)
	if err != nil {
		return api.WriteResult{}, err
	}
	out := api.WriteResult{
		Ref:    brenner.Ref{Artifact: next.ID, Version: next.Version},
		Status: next.Status, SHA256: digest, Seq: seq,
	}
	if out.Fork, err = ForkOf(ch.Call, next.ID, next.Version); err != nil {
		return api.WriteResult{}, err
	}
	return out, nil
}

// Link implements api.Artifacts.
func (s *Service) Link(ctx context.Context, req api.LinkRequest) (api.LinkResult, error) {
	var a store.Artifact
	return kernel.Write(ctx, s.caller, "artifact.link", req, ToArtifact(policy.Link, req.From.Artifact, &a), func(ch *kernel.Change) (api.LinkResult, error) {
		from, err := InForce(ch.Call, a, req.From.Version)
		if err != nil {
			return api.LinkResult{}, err
		}
		if err := req.Link.Check(); err != nil {
			return api.LinkResult{}, err
		}
		if req.Link.Rel == artifact.Supersedes {
			return api.LinkResult{}, brenner.Errorf(brenner.CodeInvalidLink, "supersedes is said by the version that does it").
				WithHint("add the link when writing the new version, or promote it")
		}
		links, err := resolveLinks(ch.Call, []artifact.Link{req.Link})
		if err != nil {
			return api.LinkResult{}, err
		}
		to := links[0].To()
		if to == from.Ref() {
			return api.LinkResult{}, brenner.Errorf(brenner.CodeInvalidLink, "%s cannot link to itself", to)
		}
		existing, err := LinksOf(ch.Call, from.Ref())
		if err != nil {
			return api.LinkResult{}, err
		}
		if slices.Contains(existing, links[0]) {
			return api.LinkResult{}, brenner.Errorf(brenner.CodeAlreadyExists, "%s already %s %s", from.Ref(), req.Link.Rel, to)
		}
		if len(existing) >= brenner.MaxLinks {
			return api.LinkResult{}, brenner.Errorf(brenner.CodeLimitExceeded, "a version has at most %d links", brenner.MaxLinks)
		}
		seq, err := LinkAdded.Append(ch, Linked{From: from.Ref(), Rel: req.Link.Rel, To: to})
		return api.LinkResult{From: from.Ref(), Rel: req.Link.Rel, To: to, Seq: seq}, err
	})
}

// resolveLinks makes every link point at a version that exists: version 0 is
// the one that the writer was given. It refuses links to what the writer may not read.
func resolveLinks(c *kernel.Call, links []artifact.Link) ([]artifact.Link, error) {
	out := make([]artifact.Link, 0, len(links))
	for i, l := range links {
		pointer := fmt.Sprintf("/links/%d", i)
		if err := l.Artifact.Check(); err != nil {
			return nil, err
		}
		a, err := c.Reader.Artifact(c.Ctx, l.Artifact)
		if brenner.CodeOf(err) == brenner.CodeNotFound || (err == nil && l.Version > a.Latest) {
			return nil, brenner.Errorf(brenner.CodeInvalidLink, "there is no %s to link to", linkTarget(l)).At(pointer)
		}
		if err != nil {
			return nil, err
		}
		if err := c.Allow(policy.Read, a.Type, a.Module, string(a.ID)); err != nil {
			return nil, err
		}
		if l.Version == 0 {
			if l.Version, err = givenOf(c, a); err != nil {
				return nil, err
			}
		}
		out = append(out, l)
	}
	return out, nil
}

// givenOf is the version of an artifact that somebody means who names none: the one in
// force, but for an agent that was given or wrote others and not that one the newest of
// those. It cannot rest on what it never saw.
func givenOf(c *kernel.Call, a store.Artifact) (brenner.Version, error) {
	v, err := InForce(c, a, 0)
	if err != nil || c.Person() || v.Creator == c.Who.Name {
		return v.Version, err
	}
	through, err := c.Newest()
	if err != nil || through == nil || slices.Contains(through.Shown(a.ID), v.Version) {
		return v.Version, err
	}
	known, err := orOwn(c, a, through.Latest(a.ID))
	if known == 0 {
		known = v.Version
	}
	return known, err
}

// linksBehind says of links whose version was left open which were made to an older version
// than the one in force.
func linksBehind(c *kernel.Call, asked, made []artifact.Link, out *api.WriteResult) error {
	if c.Person() {
		return nil
	}
	for _, l := range asked {
		at := slices.IndexFunc(made, func(m artifact.Link) bool { return m.Rel == l.Rel && m.Artifact == l.Artifact })
		if l.Version != 0 || at < 0 {
			continue
		}
		a, err := c.Reader.Artifact(c.Ctx, l.Artifact)
		if err != nil {
			return err
		}
		v, err := InForce(c, a, 0)
		if err != nil {
			return err
		}
		to := made[at].To()
		if to.Version >= v.Version || v.Creator == c.Who.Name || slices.ContainsFunc(out.Warnings, func(w brenner.Diagnostic) bool { return w.Subject == to.String() }) {
			continue
		}
		out.Warnings = append(out.Warnings, brenner.Diagnostic{
			Code: brenner.CodeReferenceMoved, Severity: brenner.SeverityWarning, Subject: to.String(),
			Message: fmt.Sprintf("the link is to %s, which you were given; %s is in force by now", to, v.Ref()),
			Hint:    fmt.Sprintf("read what changed; if what you wrote holds with it, link version %d", v.Version),
		})
	}
	return nil
}

func linkTarget(l artifact.Link) string {
	if l.Version == 0 {
		return string(l.Artifact)
	}
	return l.To().String()
}
