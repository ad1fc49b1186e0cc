package reviews

import (
	"context"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
)

// Decide implements api.Reviews. A dry run makes the same plan and carries
// nothing out.
func (s *Service) Decide(ctx context.Context, req api.DecideRequest) (api.DecideResult, error) {
	if req.DryRun {
		return kernel.View(ctx, s.caller, kernel.ItemByItem(), func(c *kernel.Call) (api.DecideResult, error) {
			p, err := s.plan(c, req)
			return p.result, err
		})
	}
	return kernel.Write(ctx, s.caller, "review.decide", req, kernel.ItemByItem(), func(ch *kernel.Change) (api.DecideResult, error) {
		p, err := s.plan(ch.Call, req)
		if err != nil {
			return api.DecideResult{}, err
		}
		for i := range p.result.Decisions {
			if err := p.carryOut(ch, i); err != nil {
				return api.DecideResult{}, err
			}
		}
		return p.result, nil
	})
}

// plan is a decision about many versions that was checked: what it comes to,
// and how each part is carried out.
type plan struct {
	result  api.DecideResult
	decided []ledger.Decided // of decisions about a status, one for each
	holds   []holding        // of those that still hold, one for each
	changes []changes        // of those that are sent back, one for each
	room    *Room
	reason  string
}

func (p *plan) carryOut(ch *kernel.Change, i int) (err error) {
	made := &p.result.Decisions[i]
	switch {
	case p.holds != nil:
		made.Seq, err = p.reaffirm(ch, p.holds[i])
		return err
	case p.changes != nil:
		back, err := p.room.sendBack(ch, p.changes[i])
		made.Critique, made.Task, made.Seq = back.Critique, &back.Task, back.Seq
		return err
	}
	if made.Seq, err = ledger.Record(ch, p.decided[i]); err != nil {
		return err
	}
	return p.room.Decided(ch, p.decided[i])
}

// actions are what each decision is to the policy.
var actions = map[api.DecisionKind]policy.Action{
	api.DecidePromote: policy.Promote, api.DecideDemote: policy.Demote, api.DecideDeprecate: policy.Deprecate, api.DecideStillHolds: policy.Promote,
	api.DecideChanges: policy.Promote,
}

// plan checks a decision about many versions. The policy is asked about each.
func (r *Room) plan(c *kernel.Call, req api.DecideRequest) (plan, error) {
	if req.DryRun {
		req.Reason = ledger.ReasonToCome
	}
	p := plan{room: r, reason: req.Reason, result: api.DecideResult{DryRun: req.DryRun, Decisions: []api.DecisionMade{}}}
	action, known := actions[req.Decision]
	if !known {
		return p, brenner.Errorf(brenner.CodeInvalidValue, "%q is no decision", req.Decision).At("/decision").
			WithHint("decisions: promote, demote, deprecate, still_holds, request_changes")
	}
	if brenner.SaysNothing(req.Reason) {
		return p, brenner.Errorf(brenner.CodeReasonRequired, "a decision needs a reason").At("/reason")
	}
	refs, err := r.chosen(c, req)
	if err != nil {
		return p, err
	}
	if req.Decision == api.DecideStillHolds {
		moved := brenner.ArtifactID("")
		if req.Filter != nil {
			moved = req.Filter.Moved
		}
		return p, p.planHolds(c, refs, moved)
	}
	if req.Decision == api.DecideChanges {
		return p, p.planChanges(c, req, refs)
	}
	slots := map[string]brenner.Ref{}
	for _, ref := range refs {
		a, err := ledger.FindArtifact(c, ref.Artifact, action)
		if err != nil {
			return p, err
		}
		d, err := r.Ledger.Plan(c, a, ref.Version, ledger.Decision{Action: action, Reason: req.Reason, Replace: req.Replace, Override: req.Override})
		if err != nil {
			return p, err
		}
		if err := oneInSlot(c, slots, d); err != nil {
			return p, err
		}
		made := api.DecisionMade{Ref: d.Ref}
		if made.Against, made.MoreAgainst, err = r.Ledger.Opposed(c, a, &d, req.DryRun); err != nil {
			return p, err
		}
		if made.Lacks, err = r.Ledger.Lacking(c, d); err != nil {
			return p, err
		}
		for _, ch := range d.Changes {
			made.Changes = append(made.Changes, api.StatusChange(ch))
		}
		p.decided, p.result.Decisions = append(p.decided, d), append(p.result.Decisions, made)
	}
	would, err := ledger.Foresee(c, p.decided...)
	p.result.Stale, p.result.Fresh, p.result.MoreStale, p.result.MoreFresh = would.Stale, would.Fresh, would.MoreStale, would.MoreFresh
	return p, err
}

// planChanges plans that versions go back to their authors, or to one role.
func (p *plan) planChanges(c *kernel.Call, req api.DecideRequest, refs []brenner.Ref) error {
	if err := errPerson(c); err != nil {
		return err
	}
	for _, ref := range refs {
		a, err := ledger.FindToSendBack(c, ref.Artifact)
		if err != nil {
			return err
		}
		one, err := p.room.planChanges(c, a, api.RequestChangesRequest{Ref: ref, Reason: req.Reason, Role: req.Role, DryRun: req.DryRun})
		if err != nil {
			return err
		}
		task := one.task()
		p.changes = append(p.changes, one)
		p.result.Decisions = append(p.result.Decisions, api.DecisionMade{Ref: one.version.Ref(), Changes: []api.StatusChange{}, Task: &task})
	}
	return nil
}

// oneInSlot refuses two promotions into one slot.
func oneInSlot(c *kernel.Call, slots map[string]brenner.Ref, d ledger.Decided) error {
	v, err := c.Version(c.Ctx, d.Ref)
	if err != nil || v.Slot == "" {
		return err
	}
	if other, taken := slots[v.Slot]; taken {
		return brenner.Errorf(brenner.CodeSlotTaken, "%s and %s are both to be canonical as %s", other, d.Ref, v.Slot).At("/refs")
	}
	slots[v.Slot] = d.Ref
	return nil
}

// chosen lists what a decision is about, each artifact once.
func (r *Room) chosen(c *kernel.Call, req api.DecideRequest) ([]brenner.Ref, error) {
	refs := slices.Clone(req.Refs)
	switch {
	case req.Filter == nil:
	case len(refs) > 0 && req.Decision == api.DecideStillHolds && req.Filter.OnlyMoved():
	default:
		if len(refs) > 0 {
			return nil, brenner.Errorf(brenner.CodeInvalidValue, "a decision is about versions that are named, or that a filter chooses").At("/filter")
		}
		var err error
		if refs, err = r.filtered(c, req.Decision, *req.Filter); err != nil {
			return nil, err
		}
	}
	switch {
	case len(refs) == 0:
		return nil, brenner.Errorf(brenner.CodeNotFound, "there is nothing to decide about").At("/refs")
	case len(refs) > brenner.MaxDecisions:
		return nil, brenner.Errorf(brenner.CodeLimitExceeded, "%d versions, more than the %d that one decision is about", len(refs), brenner.MaxDecisions).At("/refs")
	}
	seen := map[brenner.ArtifactID]bool{}
	for _, ref := range refs {
		if seen[ref.Artifact] {
			return nil, brenner.Errorf(brenner.CodeInvalidValue, "%s is named twice", ref.Artifact).At("/refs")
		}
		seen[ref.Artifact] = true
	}
	return refs, nil
}

// filtered lists the versions that a filter chooses for a decision.
func (r *Room) filtered(c *kernel.Call, decision api.DecisionKind, f api.DecisionFilter) ([]brenner.Ref, error) {
	var from []brenner.Ref
	switch decision {
	case api.DecidePromote, api.DecideChanges:
		waiting, err := r.waitingVersions(c)
		if err != nil {
			return nil, err
		}
		for _, w := range waiting {
			from = append(from, w.On[0])
		}
	case api.DecideStillHolds:
		stale, err := ledger.StaleBy(c, f.Moved)
		if err != nil {
			return nil, err
		}
		// A session that has gone on since is confirmed by none, and stands in the way of nothing else.
		if stale, err = ledger.WithoutGoneOn(c, stale); err != nil {
			return nil, err
		}
		from = onePerArtifact(stale)
	default:
		err := ledger.EachArtifact(c, store.ArtifactQuery{Types: f.Types, Modules: f.Modules, Tag: f.Tag}, func(a store.Artifact) error {
			if a.HeadStatus.Live() || a.Canonical != 0 {
				from = append(from, brenner.Ref{Artifact: a.ID})
			}
			return nil
		})
		return from, err
	}
	artifacts, err := ledger.ArtifactsOf(c, from)
	return slices.DeleteFunc(from, func(ref brenner.Ref) bool {
		a := artifacts[ref.Artifact]
		return len(f.Types) > 0 && !slices.Contains(f.Types, a.Type) || len(f.Modules) > 0 && !slices.Contains(f.Modules, a.Module) ||
			f.Tag != "" && !slices.Contains(a.Tags, f.Tag)
	}), err
}

// onePerArtifact is what there is to confirm among stale versions: of each artifact
// the canonical one, or where that is not stale the newest. A draft beside it is its
// author's to renew.
func onePerArtifact(stale []api.StaleItem) []brenner.Ref {
	at := map[brenner.ArtifactID]int{}
	var out []api.StaleItem
	for _, i := range stale {
		n, seen := at[i.Ref.Artifact]
		switch {
		case !seen:
			at[i.Ref.Artifact] = len(out)
			out = append(out, i)
		case out[n].Status != artifact.Canonical && (i.Status == artifact.Canonical || i.Ref.Version > out[n].Ref.Version):
			out[n] = i
		}
	}
	refs := make([]brenner.Ref, len(out))
	for n, i := range out {
		refs[n] = i.Ref
	}
	return refs
}
