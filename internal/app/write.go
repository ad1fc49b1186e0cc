package app

import (
	"context"
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/policy"
)

// CreateArtifact implements api.Artifacts.
func (s *service) CreateArtifact(ctx context.Context, req api.CreateArtifactRequest) (api.WriteResult, error) {
	return write(ctx, s, "artifact.create", req.Write, req, func(ch *change) (api.WriteResult, error) {
		return ch.create(req)
	})
}

// create writes version 1 of a new artifact.
func (ch *change) create(req api.CreateArtifactRequest) (api.WriteResult, error) {
	if err := ch.enterTask(req.Task); err != nil {
		return api.WriteResult{}, err
	}
	typ, err := ch.types.Lookup(req.Type)
	if err != nil {
		return api.WriteResult{}, err
	}
	module, err := ch.module(req.Module, typ)
	if err != nil {
		return api.WriteResult{}, err
	}
	if req.ID != "" {
		if err := req.ID.Check(); err != nil {
			return api.WriteResult{}, err
		}
	}
	if err := ch.allow(policy.Write, typ.Name, module, string(req.ID)); err != nil {
		return api.WriteResult{}, err
	}
	if req.ID == "" {
		req.ID = brenner.ArtifactID(fmt.Sprintf("%s-%d", typ.Name, ch.nextSeq()))
	}
	switch _, err := ch.Artifact(ch.ctx, req.ID); brenner.CodeOf(err) {
	case brenner.CodeNotFound:
	case "":
		return api.WriteResult{}, brenner.Errorf(brenner.CodeAlreadyExists, "an artifact %q exists already", req.ID).
			WithHint(fmt.Sprintf("write a new version with `brenner artifact update %s`", req.ID))
	default:
		return api.WriteResult{}, err
	}
	content, err := artifact.NewContent(req.Content.Format, []byte(req.Content.Data))
	if err != nil {
		return api.WriteResult{}, err
	}
	p := artifact.Proposal{
		Type: typ, Summary: req.Summary, Content: content,
		Tags: req.Tags, Links: req.Links, Change: req.Change,
	}
	if p.Links, err = ch.resolveLinks(p.Links); err != nil {
		return api.WriteResult{}, err
	}
	if err := artifact.CheckDraft(p); err != nil {
		return api.WriteResult{}, err
	}
	return ch.writeVersion(p, versionWritten{
		ID: req.ID, Type: typ.Name, Module: module, Version: 1, Head: 1, Status: artifact.Draft, Task: req.Task,
	})
}

// UpdateArtifact implements api.Artifacts.
func (s *service) UpdateArtifact(ctx context.Context, req api.UpdateArtifactRequest) (api.WriteResult, error) {
	return write(ctx, s, "artifact.update", req.Write, req, func(ch *change) (api.WriteResult, error) {
		return ch.update(req)
	})
}

// update writes a new version on a parent (C13).
func (ch *change) update(req api.UpdateArtifactRequest) (api.WriteResult, error) {
	if err := ch.enterTask(req.Task); err != nil {
		return api.WriteResult{}, err
	}
	a, err := ch.findArtifact(req.ID, policy.Write)
	if err != nil {
		return api.WriteResult{}, err
	}
	if err := ch.onlyByDeltas(a.ID); err != nil {
		return api.WriteResult{}, err
	}
	if req.Expect != 0 && req.Expect != a.Head {
		return api.WriteResult{}, brenner.Errorf(brenner.CodeConflictHead, "the head of %s is version %d, not %d", a.ID, a.Head, req.Expect).
			WithHint(fmt.Sprintf("see `brenner artifact diff %s@%d %s@%d`", a.ID, req.Expect, a.ID, a.Head)).
			WithDetails(map[string]any{"head": a.Head})
	}
	parentNo := req.Parent
	if parentNo == 0 {
		parentNo = a.Head
	}
	parent, err := ch.Version(ch.ctx, brenner.Ref{Artifact: a.ID, Version: parentNo})
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return api.WriteResult{}, brenner.Errorf(brenner.CodeInvalidParent, "%s has no version %d", a.ID, parentNo).
			WithHint(fmt.Sprintf("its versions are 1–%d", a.Latest))
	}
	if err != nil {
		return api.WriteResult{}, err
	}
	p, err := ch.proposal(req, a, parent)
	if err != nil {
		return api.WriteResult{}, err
	}
	prev := artifact.Prev{Summary: parent.Summary, Content: parent.Content, Version: parent.Version}
	if err := artifact.CheckUpdate(prev, p, req.SummaryHolds); err != nil {
		return api.WriteResult{}, err
	}
	next := versionWritten{
		ID: a.ID, Type: a.Type, Module: a.Module, Version: a.Latest + 1, Parent: parentNo,
		Status: artifact.Draft, Head: a.Latest + 1, Task: req.Task,
	}
	if parentNo != a.Head {
		next.Status, next.Head = artifact.Alternative, a.Head
	}
	if next.Merged, err = ch.merged(a, p.Links); err != nil {
		return api.WriteResult{}, err
	}
	if slices.Contains(next.Merged, a.Head) {
		next.Head = next.Version // it takes the place of the head, from another line
	}
	return ch.writeVersion(p, next)
}

// proposal fills what the request leaves open from the parent.
func (ch *change) proposal(req api.UpdateArtifactRequest, a store.Artifact, parent store.Version) (artifact.Proposal, error) {
	typ, err := ch.types.Lookup(a.Type)
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
		p.Content, err = artifact.NewContent(req.Content.Format, []byte(req.Content.Data))
	} else {
		p.Content, err = ch.content(parent)
	}
	if err != nil {
		return artifact.Proposal{}, err
	}
	added, err := ch.resolveLinks(req.Links)
	if err != nil {
		return artifact.Proposal{}, err
	}
	var kept []artifact.Link
	if !req.DropLinks {
		if kept, err = ch.links(parent.Ref()); err != nil {
			return artifact.Proposal{}, err
		}
	}
	p.Links = moveLinks(kept, added)
	return p, nil
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

// merged lists the other heads of the artifact that a version says it
// supersedes: that is how a fork ends in a merge.
func (ch *change) merged(a store.Artifact, links []artifact.Link) ([]brenner.Version, error) {
	var out []brenner.Version
	for _, l := range links {
		if l.Rel != artifact.Supersedes || l.Artifact != a.ID {
			continue
		}
		v, err := ch.Version(ch.ctx, l.To())
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

// writeVersion checks the content against its type and appends the record.
func (ch *change) writeVersion(p artifact.Proposal, next versionWritten) (api.WriteResult, error) {
	if err := ch.types.Validate(p.Type.Name, p.Content); err != nil {
		return api.WriteResult{}, err
	}
	if err := ch.checkGoverning(p.Type.Name, p.Content); err != nil {
		return api.WriteResult{}, err
	}
	digest, err := ch.blob(p.Content.Data)
	if err != nil {
		return api.WriteResult{}, err
	}
	next.Slot = artifact.Slot(p.Type, next.Module)
	next.Summary, next.Format = p.Summary, p.Content.Format
	next.Content, next.Size = digest, int64(len(p.Content.Data))
	next.Tags, next.Links, next.Change = orEmpty(p.Tags), orEmpty(p.Links), p.Change
	seq, err := ch.append(kindVersionWritten, next)
	if err != nil {
		return api.WriteResult{}, err
	}
	out := api.WriteResult{
		Ref:    brenner.Ref{Artifact: next.ID, Version: next.Version},
		Status: next.Status, SHA256: digest, Seq: seq,
	}
	if next.Version > 1 {
		if out.Fork, err = ch.fork(next.ID); err != nil {
			return api.WriteResult{}, err
		}
	}
	return out, nil
}

// Link implements api.Artifacts.
func (s *service) Link(ctx context.Context, req api.LinkRequest) (api.LinkResult, error) {
	return write(ctx, s, "artifact.link", req.Write, req, func(ch *change) (api.LinkResult, error) {
		a, err := ch.findArtifact(req.From.Artifact, policy.Link)
		if err != nil {
			return api.LinkResult{}, err
		}
		from, err := ch.inForce(a, req.From.Version)
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
		links, err := ch.resolveLinks([]artifact.Link{req.Link})
		if err != nil {
			return api.LinkResult{}, err
		}
		to := links[0].To()
		if to == from.Ref() {
			return api.LinkResult{}, brenner.Errorf(brenner.CodeInvalidLink, "%s cannot link to itself", to)
		}
		existing, err := ch.links(from.Ref())
		if err != nil {
			return api.LinkResult{}, err
		}
		if slices.Contains(existing, links[0]) {
			return api.LinkResult{}, brenner.Errorf(brenner.CodeAlreadyExists, "%s already %s %s", from.Ref(), req.Link.Rel, to)
		}
		if len(existing) >= brenner.MaxLinks {
			return api.LinkResult{}, brenner.Errorf(brenner.CodeLimitExceeded, "a version has at most %d links", brenner.MaxLinks)
		}
		seq, err := ch.append(kindLinkAdded, linkAdded{From: from.Ref(), Rel: req.Link.Rel, To: to})
		return api.LinkResult{From: from.Ref(), Rel: req.Link.Rel, To: to, Seq: seq}, err
	})
}

// resolveLinks makes every link point at a version that exists: version 0 is
// the one in force. It refuses links to what the writer may not read.
func (c *call) resolveLinks(links []artifact.Link) ([]artifact.Link, error) {
	out := make([]artifact.Link, 0, len(links))
	for i, l := range links {
		pointer := fmt.Sprintf("/links/%d", i)
		if err := l.Artifact.Check(); err != nil {
			return nil, err
		}
		a, err := c.Reader.Artifact(c.ctx, l.Artifact)
		if brenner.CodeOf(err) == brenner.CodeNotFound || (err == nil && l.Version > a.Latest) {
			return nil, brenner.Errorf(brenner.CodeInvalidLink, "there is no %s to link to", linkTarget(l)).At(pointer)
		}
		if err != nil {
			return nil, err
		}
		if err := c.allow(policy.Read, a.Type, a.Module, string(a.ID)); err != nil {
			return nil, err
		}
		if l.Version == 0 {
			v, err := c.inForce(a, 0)
			if err != nil {
				return nil, err
			}
			l.Version = v.Version
		}
		out = append(out, l)
	}
	return out, nil
}

func linkTarget(l artifact.Link) string {
	if l.Version == 0 {
		return string(l.Artifact)
	}
	return l.To().String()
}

// orEmpty makes an absent list an empty one, so that records say [] and not
// null.
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
