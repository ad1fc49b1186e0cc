package reviews

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/order"
	"brenner/internal/store"
	"brenner/policy"
)

// Waiting implements api.Reviews.
func (s *Service) Waiting(ctx context.Context, req api.WaitingRequest) (api.WaitingList, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Status, "inbox"), func(c *kernel.Call) (api.WaitingList, error) {
		for _, k := range req.Kinds {
			if !slices.Contains(api.WaitKinds(), k) {
				return api.WaitingList{}, brenner.Errorf(brenner.CodeInvalidValue, "nothing that waits is of the kind %q", k).At("/kinds").
					WithHint("the kinds are " + kernel.Join(api.WaitKinds()))
			}
		}
		if c.Leads() && slices.Contains(req.Kinds, api.WaitApproval) {
			return api.WaitingList{}, brenner.Errorf(brenner.CodeInvalidValue, "who leads is asked for no approval: it decides").At("/kinds").
				WithHint("what waits for approvals of others is among the kind promotion").Try(brenner.Again("kind", string(api.WaitPromotion)))
		}
		all, err := s.lately(c)
		if err != nil {
			return api.WaitingList{}, err
		}
		if !c.Leads() {
			if all, err = s.Asked(c, all); err != nil {
				return api.WaitingList{}, err
			}
		}
		out := api.WaitingList{Counts: map[api.WaitKind]int{}}
		var wanted []api.Waiting
		for _, w := range all {
			out.Counts[w.Kind]++
			if len(req.Kinds) == 0 || slices.Contains(req.Kinds, w.Kind) {
				wanted = append(wanted, w)
			}
		}
		out.Total = len(wanted)
		if out.Items, out.Next, err = kernel.PageOf(wanted, req.Page); err != nil {
			return api.WaitingList{}, err
		}
		if c.Leads() {
			return out, nil
		}
		out.Items = slices.Clone(out.Items) // they are remembered
		for i, w := range out.Items {
			sees, err := seesWaiting(c, w.Subject)
			if err != nil {
				return api.WaitingList{}, err
			}
			if !sees { // titles are words of what waits (C33)
				out.Items[i].Title = w.Subject
			}
		}
		return out, nil
	})
}

// seesWaiting reports whether somebody who does not lead may see the title of
// what waits: a person who may read the artifact that it is about, or, where it
// is about none, who is kept from nothing.
func seesWaiting(c *kernel.Call, subject string) (bool, error) {
	if !c.Person() {
		return false, nil
	}
	ref, err := brenner.ParseRef(subject)
	if err == nil {
		var a store.Artifact
		if a, err = c.Artifact(c.Ctx, ref.Artifact); err == nil {
			return c.Sees(a.Type, a.Module), nil
		}
		if !errors.Is(err, brenner.CodeNotFound) {
			return false, err
		}
	}
	p := c.Policies[c.Who.Role]
	return slices.Contains(p.Read, policy.Any) && len(p.Modules) == 0, nil
}

// All lists everything that waits for a person: what most rests on first, then
// what has waited longest (N1).
func (r *Room) All(c *kernel.Call) ([]api.Waiting, error) {
	found, err := r.waitingVersions(c)
	if err != nil {
		return nil, err
	}
	for _, look := range r.Sources {
		more, err := look(c)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	on := make([][]brenner.Ref, len(found))
	for i, w := range found {
		on[i] = w.On
	}
	rests, err := ledger.Resting(c, on)
	if err != nil {
		return nil, err
	}
	out := make([]api.Waiting, len(found))
	for i, w := range found {
		if out[i] = w.Waiting; w.Kind != api.WaitStale {
			out[i].Rests = rests[i]
			continue
		}
		out[i].Rests = w.Count // what is stale rests on it
	}
	order.By(out, func(a, b api.Waiting) int {
		return cmp.Or(cmp.Compare(b.Rests, a.Rests), a.Since.Compare(b.Since), cmp.Compare(a.Subject, b.Subject))
	})
	return out, nil
}

// candidate is a version that may wait for a decision, and why.
type candidate struct {
	ref brenner.Ref
	why string
}

// waitingVersions lists the live heads that nobody has decided upon: results of
// finished tasks, compiled sessions, and what was handed in. What was sent back
// waits for its author.
func (r *Room) waitingVersions(c *kernel.Call) ([]kernel.Waiting, error) {
	candidates, err := r.candidates(c)
	if err != nil || len(candidates) == 0 {
		return nil, err
	}
	refs := make([]brenner.Ref, len(candidates))
	why := make(map[brenner.Ref]string, len(candidates))
	for i, k := range candidates {
		refs[i] = k.ref
		if why[k.ref] == "" {
			why[k.ref] = k.why
		}
	}
	slices.SortFunc(refs, brenner.Ref.Compare)
	refs = slices.Compact(refs)
	artifacts, err := ledger.ArtifactsOf(c, refs)
	if err != nil {
		return nil, err
	}
	nodes, err := ledger.NodesOf(c, artifacts, refs)
	if err != nil {
		return nil, err
	}
	var out []kernel.Waiting
	for _, n := range nodes {
		kind := api.WaitPromotion
		switch n.Status {
		case artifact.Draft, artifact.Alternative:
		case artifact.NeedsRebase:
			kind = api.WaitRebase
		default:
			continue
		}
		if n.Demoted {
			if again, err := handedInSince(c, n.Ref); err != nil || !again {
				if err != nil {
					return nil, err
				}
				continue // it was decided upon
			}
		}
		a := artifacts[n.Ref.Artifact]
		waits, newer, err := undecided(c, a, n.Ref, why)
		if err != nil {
			return nil, err
		}
		if !waits || newer.Version != 0 && n.Status == artifact.NeedsRebase { // the newer one takes its place
			continue
		}
		on := []brenner.Ref{n.Ref}
		reason := why[n.Ref] + ", and nothing is canonical yet"
		if a.Canonical != 0 {
			on = append(on, brenner.Ref{Artifact: a.ID, Version: a.Canonical})
			reason = fmt.Sprintf("%s, over version %d", why[n.Ref], a.Canonical)
		}
		if newer.Version != 0 {
			reason += fmt.Sprintf("; since then %s was written on it by %s", newer.Ref(), newer.Creator)
		}
		note, err := pleaOf(c, n.Ref)
		if err != nil {
			return nil, err
		}
		if note != "" {
			reason += ": " + brenner.Clip(note, 300)
		}
		out = append(out, kernel.Waiting{Waiting: api.Waiting{
			Kind: kind, Subject: n.Ref.String(), Title: n.Summary, Why: reason, Author: n.Creator, Since: n.At, Count: 1,
		}, On: on})
	}
	return out, nil
}

// undecided reports whether a live version is a head that was not sent back, or was
// handed in once more since. One that somebody wrote on stays so until what was
// written is put before a person or decided upon: newer is the last of that.
func undecided(c *kernel.Call, a store.Artifact, ref brenner.Ref, asked map[brenner.Ref]string) (waits bool, newer store.Version, err error) {
	if a.Head != ref.Version {
		leaves, err := c.Leaves(c.Ctx, a.ID)
		if err != nil {
			return false, newer, err
		}
		if !slices.ContainsFunc(leaves, func(v store.Version) bool { return v.Version == ref.Version }) {
			if newer, err = writtenOn(c, ref, asked); err != nil || newer.Version == 0 {
				return false, newer, err
			}
		}
	}
	back, err := sentBack.Row(c.Ctx, c, ref.String())
	if errors.Is(err, brenner.CodeNotFound) {
		return true, newer, nil
	}
	if err != nil {
		return false, newer, err
	}
	again, err := pleas.Row(c.Ctx, c, ref.String())
	if errors.Is(err, brenner.CodeNotFound) {
		return false, newer, nil
	}
	return again.Seq > back.Seq, newer, err
}

// handedInSince reports whether a version was handed in after the last decision about its
// artifact.
func handedInSince(c *kernel.Call, ref brenner.Ref) (bool, error) {
	asked, err := pleas.Row(c.Ctx, c, ref.String())
	if errors.Is(err, brenner.CodeNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	decided, err := ledger.LastDecision(c, ref.Artifact)
	return asked.Seq > decided, err
}

// writtenOn is the newest live version that goes on from one; none if any that does
// was put before a person itself, or decided upon.
func writtenOn(c *kernel.Call, ref brenner.Ref, asked map[brenner.Ref]string) (newest store.Version, err error) {
	versions, err := ledger.AllVersions(c, ref.Artifact)
	if err != nil {
		return newest, err
	}
	from := map[brenner.Version]bool{ref.Version: true}
	for _, v := range versions {
		if !from[v.Parent] {
			continue
		}
		from[v.Version] = true
		back, err := sentBack.Has(c.Ctx, c, v.Ref().String())
		if err != nil {
			return newest, err
		}
		if _, put := asked[v.Ref()]; put || back || v.Demoted || v.Status == artifact.Canonical || v.Status == artifact.Superseded {
			return store.Version{}, nil
		}
		if v.Status.Live() {
			newest = v
		}
	}
	return newest, nil
}

// candidates lists the versions that were put before a person in one way or
// another.
func (r *Room) candidates(c *kernel.Call) ([]candidate, error) {
	var out []candidate
	outputs, err := r.Tasks.Outputs(c)
	if err != nil {
		return nil, err
	}
	for ref, t := range outputs {
		why := "the result of " + t.ID
		if len(t.Earlier) > 0 {
			v, err := c.Version(c.Ctx, ref)
			if err != nil {
				return nil, err
			}
			if t.LeftBy(v.Creator) {
				why = fmt.Sprintf("written for %s by %s, who did not complete it", t.ID, v.Creator)
			}
		}
		out = append(out, candidate{ref, why})
	}
	compiled, err := r.Sessions.Compiled(c)
	if err != nil {
		return nil, err
	}
	for _, ref := range compiled {
		out = append(out, candidate{ref, "compiled"})
	}
	err = pleas.Each(c.Ctx, c, kernel.Query{}, func(row kernel.Row[plea]) (bool, error) {
		out = append(out, candidate{row.Value.Ref, "handed in by " + string(row.Value.Actor)})
		return true, nil
	})
	return out, err
}

// pleaOf is what whoever handed a version in said with it.
func pleaOf(c *kernel.Call, ref brenner.Ref) (string, error) {
	p, err := pleas.Find(c.Ctx, c, ref.String())
	if errors.Is(err, brenner.CodeNotFound) || err == nil && p.Note == "" {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	note, err := c.Blob(c.Ctx, p.Note)
	if errors.Is(err, brenner.CodeRedacted) {
		return redactedText, nil
	}
	return string(note), err
}

// HandIn implements api.Reviews.
func (s *Service) HandIn(ctx context.Context, req api.HandInRequest) (api.HandedIn, error) {
	var a store.Artifact
	return kernel.Write(ctx, s.caller, "review.hand_in", req, ledger.ToArtifact(policy.Write, req.Ref.Artifact, &a), func(ch *kernel.Change) (api.HandedIn, error) {
		version := req.Ref.Version
		if version == 0 {
			version = a.Head
		}
		v, err := ledger.InForce(ch.Call, a, version)
		if err != nil {
			return api.HandedIn{}, err
		}
		if !v.Status.Live() || v.Status == artifact.Canonical {
			return api.HandedIn{}, brenner.Errorf(brenner.CodeStatusConflict, "%s is %s: there is nothing to decide", v.Ref(), v.Status)
		}
		seq, err := s.handIn(ch, v.Ref(), req.Note)
		return api.HandedIn{Ref: v.Ref(), Seq: seq}, err
	})
}

// HandIn puts a version that is being written before a person.
func (r *Room) HandIn(ch *kernel.Change, ref brenner.Ref) error {
	_, err := r.handIn(ch, ref, "")
	return err
}

func (r *Room) handIn(ch *kernel.Change, ref brenner.Ref, note string) (int64, error) {
	text, err := keepText(ch, note, "/note")
	if err != nil {
		return 0, err
	}
	return kindReviewRequested.Append(ch, handedIn{Ref: ref, Note: text})
}

// keepText stores a short text and gives its hash; "" for none.
func keepText(ch *kernel.Change, text, pointer string) (brenner.Digest, error) {
	if text == "" {
		return "", nil
	}
	if err := kernel.CheckText(text); err != nil {
		return "", err
	}
	if n := len([]rune(text)); n > brenner.MaxNoteRunes {
		return "", brenner.Errorf(brenner.CodeLimitExceeded, "the text has %d characters, more than %d", n, brenner.MaxNoteRunes).At(pointer)
	}
	return ch.PutBlob([]byte(text))
}
