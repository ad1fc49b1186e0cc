package reviews

import (
	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
)

// holding is a stale version that still holds: the version that will say so,
// and the links that it has on what is in force now (N5).
type holding struct {
	artifact store.Artifact
	version  store.Version
	next     brenner.Ref
	looked   []api.LinkMoved
	// partly says that it goes on resting on something else that has moved.
	partly bool
	// needs are the approvals that the new version takes before it comes into
	// force; nil where it is in force at once (A6).
	needs *api.Approvals
}

// promoted says that the version which says so is in force at once.
func (h holding) promoted() bool { return h.version.Status == artifact.Canonical && h.needs == nil }

// planHolds plans that versions still hold, what another rests on before the
// other: confirmed together, a whole chain is. With the artifact that has moved they
// are confirmed for that alone.
func (p *plan) planHolds(c *kernel.Call, refs []brenner.Ref, moved brenner.ArtifactID) error {
	h := holds{Call: c, moved: moved, ledger: p.room.Ledger, asked: map[brenner.ArtifactID]brenner.Ref{}, next: map[brenner.ArtifactID]brenner.Ref{}, waits: map[brenner.ArtifactID]bool{}}
	for _, ref := range refs {
		h.asked[ref.Artifact] = ref
	}
	for _, ref := range refs {
		if err := h.add(ref); err != nil {
			return err
		}
	}
	p.holds = h.made
	for _, one := range h.made {
		made := api.DecisionMade{Ref: one.version.Ref(), New: one.next, Looked: one.looked, Changes: []api.StatusChange{}, Approvals: one.needs}
		var err error
		if made.Against, made.MoreAgainst, err = p.room.Against(c, one.artifact, one.version, p.result.DryRun); err != nil {
			return err
		}
		if one.promoted() {
			from := artifact.Draft
			if one.version.Version != one.artifact.Head {
				from = artifact.Alternative
			}
			made.Changes = append(made.Changes,
				api.StatusChange{Ref: one.next, From: from, To: artifact.Canonical},
				api.StatusChange{Ref: one.version.Ref(), From: artifact.Canonical, To: artifact.Superseded})
		}
		p.result.Decisions = append(p.result.Decisions, made)
		if one.needs == nil && !one.partly {
			p.result.Fresh = append(p.result.Fresh, one.version.Ref())
		}
	}
	return nil
}

// holds is such a plan under way.
type holds struct {
	*kernel.Call
	ledger *ledger.Room
	moved  brenner.ArtifactID // what it is confirmed for; "" for all
	asked  map[brenner.ArtifactID]brenner.Ref
	// next are the versions that will be in force, of the artifacts that are
	// done; a zero one is being looked at.
	next map[brenner.ArtifactID]brenner.Ref
	made []holding
	// waits are those of next that come into force only when they are approved.
	waits map[brenner.ArtifactID]bool
}

// add plans for one version, after those that it rests on and that were asked
// for as well.
func (h *holds) add(ref brenner.Ref) error {
	if _, done := h.next[ref.Artifact]; done {
		return nil // done before, or part of a cycle
	}
	h.next[ref.Artifact] = brenner.Ref{}
	a, err := ledger.FindArtifact(h.Call, ref.Artifact, policy.Write)
	if err != nil {
		return err
	}
	v, err := ledger.InForce(h.Call, a, ref.Version)
	if err != nil {
		return err
	}
	if v.Status == artifact.Canonical {
		if err := h.Allow(policy.Promote, a.Type, a.Module, string(a.ID)); err != nil {
			return err
		}
	}
	if !v.Status.Live() {
		return brenner.Errorf(brenner.CodeStatusConflict, "%s is %s", v.Ref(), v.Status)
	}
	links, err := h.LinksFrom(h.Ctx, []brenner.Ref{v.Ref()})
	if err != nil {
		return err
	}
	one := holding{artifact: a, version: v, next: brenner.Ref{Artifact: a.ID, Version: a.Latest + 1}}
	if one.needs, err = h.approvals(one); err != nil {
		return err
	}
	var rests []brenner.Ref // what the new version will rest on, and is there now
	for _, l := range links {
		if !l.Rel.Carries() {
			continue
		}
		if up, also := h.asked[l.To.Artifact]; also && l.To.Artifact != a.ID {
			if err := h.add(up); err != nil {
				return err
			}
		}
		if aside, err := h.aside(l.To); err != nil || aside {
			one.partly = one.partly || aside
			if err != nil {
				return err
			}
			continue
		}
		now, err := h.inForce(l.To)
		if err != nil {
			return err
		}
		if now != l.To {
			one.looked = append(one.looked, api.LinkMoved{Rel: l.Rel, Was: l.To, Now: now})
		}
		if now != h.next[now.Artifact] {
			rests = append(rests, now)
		}
	}
	if err := h.fresh(one, rests); err != nil {
		return err
	}
	if err := h.ledger.MayConfirm(h.Call, a, v, one.promoted()); err != nil {
		return err
	}
	if h.made = append(h.made, one); one.needs != nil {
		h.waits[a.ID] = true // what is in force stays so, and stale, for the time being
	} else {
		h.next[a.ID] = one.next
	}
	return nil
}

// approvals are those that the version which confirms a canonical one needs before it
// comes into force in its place (A6): it is another version, and nobody has approved
// it yet.
func (h *holds) approvals(one holding) (*api.Approvals, error) {
	a, v := one.artifact, one.version
	asked, ok := h.Config.Approvals[a.Type]
	switch {
	case !ok || v.Status != artifact.Canonical:
		return nil, nil
	case v.Version != a.Head && a.HeadStatus.Live():
		head := brenner.Ref{Artifact: a.ID, Version: a.Head}
		return nil, brenner.Errorf(brenner.CodeStatusConflict, "%s is approved before it comes into force, which is for the head, and that is %s", brenner.A(a.Type), head).
			WithHint("decide about the head first").Try(brenner.Do("review", "ref", head.String()))
	}
	return &api.Approvals{Ref: one.next, Needed: asked.Count, Roles: asked.Roles, By: []api.ApprovalInfo{}}, nil
}

// aside says of what a version rests on that it has moved, and that this is not what
// the version is confirmed for.
func (h *holds) aside(to brenner.Ref) (bool, error) {
	if h.moved == "" || h.moved == to.Artifact || h.next[to.Artifact].Version != 0 {
		return false, nil
	}
	outdated, err := h.Outdated(h.Ctx, []brenner.Ref{to})
	return len(outdated) > 0, err
}

// inForce is the version that a link to an outdated one is to name: that which
// is canonical, or will be. A link to one that is not outdated stays.
func (h *holds) inForce(to brenner.Ref) (brenner.Ref, error) {
	if next := h.next[to.Artifact]; next.Version != 0 {
		return next, nil
	}
	outdated, err := h.Outdated(h.Ctx, []brenner.Ref{to})
	if err != nil || len(outdated) == 0 {
		return to, err
	}
	a, err := h.Reader.Artifact(h.Ctx, to.Artifact)
	if err != nil {
		return to, err
	}
	if a.Canonical == 0 {
		return to, brenner.Errorf(brenner.CodeStillStale, "nothing is canonical in the place of %s", to).
			WithHint("update the version so that it rests on something else")
	}
	return brenner.Ref{Artifact: a.ID, Version: a.Canonical}, nil
}

// fresh refuses to confirm what is not stale, or would be stale again at once.
func (h *holds) fresh(one holding, rests []brenner.Ref) error {
	stale, err := h.Stale(h.Ctx, rests, ledger.Carrying, brenner.MaxWalk)
	if err != nil {
		return err
	}
	if len(stale) > 0 && h.waits[stale[0].Artifact] {
		return brenner.Errorf(brenner.CodeStillStale, "%s rests on %s, which is confirmed only once it is approved", one.version.Ref(), stale[0]).
			WithHint("confirm that one by itself, and this one when it is in force")
	}
	if len(stale) > 0 {
		return brenner.Errorf(brenner.CodeStillStale, "%s rests on %s, which is stale itself", one.version.Ref(), stale[0]).
			WithHint("confirm or update that one first, or both at once")
	}
	if len(one.looked) == 0 {
		return brenner.Errorf(brenner.CodeNotStale, "nothing that %s rests on has moved", one.version.Ref()).
			WithHint("leave it as it is; what rests on it is confirmed by its own name, or all of it by what moved")
	}
	return nil
}

// reaffirm writes a version anew, on what is in force now, and promotes it if
// the old one was canonical. One that has to be approved first is handed in.
func (p *plan) reaffirm(ch *kernel.Change, one holding) (int64, error) {
	req := api.UpdateArtifactRequest{
		ID: one.artifact.ID, Parent: one.version.Version, SummaryHolds: true,
		Change: &artifact.Change{What: "nothing: it still holds", Why: p.reason},
	}
	for _, l := range one.looked {
		req.Links = append(req.Links, artifact.Link{Rel: l.Rel, Artifact: l.Now.Artifact, Version: l.Now.Version})
	}
	if _, err := p.room.Ledger.Confirm(ch, req); err != nil {
		return 0, err
	}
	if one.needs != nil {
		if err := p.room.HandIn(ch, one.next); err != nil {
			return 0, err
		}
	}
	if one.promoted() {
		a, err := ch.Reader.Artifact(ch.Ctx, one.artifact.ID)
		if err != nil {
			return 0, err
		}
		d, err := p.room.Ledger.Plan(ch.Call, a, one.next.Version, ledger.Decision{Action: policy.Promote, Reason: p.reason})
		if err != nil {
			return 0, err
		}
		if _, _, err := p.room.Ledger.Opposed(ch.Call, a, &d, false); err != nil {
			return 0, err
		}
		if _, err := ledger.Record(ch, d); err != nil {
			return 0, err
		}
	}
	return kindReaffirmed.Append(ch, reaffirmed{Ref: one.version.Ref(), New: one.next, Looked: one.looked})
}
