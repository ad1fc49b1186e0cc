package ledger

import (
	"context"
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/policy"
)

// Promote implements api.Artifacts.
func (s *Service) Promote(ctx context.Context, req api.PromoteRequest) (api.DecisionResult, error) {
	var a store.Artifact
	return kernel.Write(ctx, s.caller, "artifact.promote", req, ToArtifact(policy.Promote, req.Ref.Artifact, &a), func(ch *kernel.Change) (api.DecisionResult, error) {
		v, err := subjectVersion(ch, a, req.Ref.Version, req.Reason, policy.Promote)
		if err != nil {
			return api.DecisionResult{}, err
		}
		if err := artifact.CanPromote(v.Status, req.Override, req.Reason); err != nil {
			return api.DecisionResult{}, concerning(v, err)
		}
		if err := s.checkAcross(ch, a, v); err != nil {
			return api.DecisionResult{}, err
		}
		changes := []StatusChange{{Ref: v.Ref(), From: v.Status, To: artifact.Canonical}}
		if a.Canonical != 0 {
			old := brenner.Ref{Artifact: a.ID, Version: a.Canonical}
			changes = append(changes, StatusChange{Ref: old, From: artifact.Canonical, To: artifact.Superseded})
		}
		other, taken, err := slotHolder(ch, a, v.Slot)
		if err != nil {
			return api.DecisionResult{}, err
		}
		if taken && !req.Replace {
			return api.DecisionResult{}, brenner.Errorf(brenner.CodeSlotTaken, "%s is canonical as %s", other, v.Slot).
				WithHint("add --replace to supersede it").WithDetails(map[string]any{"canonical": other})
		}
		if taken {
			changes = append(changes, StatusChange{Ref: other, From: artifact.Canonical, To: artifact.Superseded})
		}
		head := a.Head
		if v.Status == artifact.Alternative {
			head = v.Version // the line that was chosen is the one that goes on
		}
		return Decide(ch, Decided{
			Ref: v.Ref(), Status: artifact.Canonical, Reason: req.Reason,
			Override: req.Override && v.Status == artifact.NeedsRebase, Changes: changes, Head: head,
		})
	})
}

// checkAcross refuses to promote what draws on other modules while their memos
// are behind (C12). A memo itself may always be promoted: that is the way out.
func (r *Room) checkAcross(ch *kernel.Change, a store.Artifact, v store.Version) error {
	if a.Type == artifact.TypeIntegratedMemo {
		return nil
	}
	links, err := ch.LinksFrom(ch.Ctx, []brenner.Ref{v.Ref()})
	if err != nil {
		return err
	}
	var refs []brenner.Ref
	for _, l := range links {
		if l.Rel.Carries() {
			refs = append(refs, l.To)
		}
	}
	others, err := ArtifactsOf(ch.Call, refs)
	if err != nil {
		return err
	}
	modules := []brenner.Module{}
	for _, ref := range refs {
		if m := others[ref.Artifact].Module; m != a.Module && m != "" && !slices.Contains(modules, m) {
			modules = append(modules, m)
		}
	}
	return r.Tasks.Compressed(ch.Call, modules)
}

// slotHolder finds the canonical version of another artifact in a slot.
func slotHolder(ch *kernel.Change, a store.Artifact, slot string) (brenner.Ref, bool, error) {
	if slot == "" {
		return brenner.Ref{}, false, nil
	}
	q := store.ArtifactQuery{Types: []brenner.TypeName{a.Type}, Canonical: true, Limit: brenner.MaxPage}
	rows, err := ch.Reader.Artifacts(ch.Ctx, q)
	if err != nil {
		return brenner.Ref{}, false, err
	}
	typ, err := ch.Types.Lookup(a.Type)
	if err != nil {
		return brenner.Ref{}, false, err
	}
	for _, o := range rows {
		if o.ID != a.ID && artifact.Slot(typ, o.Module) == slot {
			return brenner.Ref{Artifact: o.ID, Version: o.Canonical}, true, nil
		}
	}
	return brenner.Ref{}, false, nil
}

// Demote implements api.Artifacts.
func (s *Service) Demote(ctx context.Context, req api.DecisionRequest) (api.DecisionResult, error) {
	var a store.Artifact
	return kernel.Write(ctx, s.caller, "artifact.demote", req, ToArtifact(policy.Demote, req.Ref.Artifact, &a), func(ch *kernel.Change) (api.DecisionResult, error) {
		v, err := subjectVersion(ch, a, req.Ref.Version, req.Reason, policy.Demote)
		if err != nil {
			return api.DecisionResult{}, err
		}
		if err := artifact.CanDemote(v.Status, req.Reason); err != nil {
			return api.DecisionResult{}, concerning(v, err)
		}
		return Decide(ch, Decided{
			Ref: v.Ref(), Status: artifact.Draft, Reason: req.Reason, Head: a.Head,
			Changes: []StatusChange{{Ref: v.Ref(), From: v.Status, To: artifact.Draft}},
		})
	})
}

// Deprecate implements api.Artifacts.
func (s *Service) Deprecate(ctx context.Context, req api.DecisionRequest) (api.DecisionResult, error) {
	var a store.Artifact
	return kernel.Write(ctx, s.caller, "artifact.deprecate", req, ToArtifact(policy.Deprecate, req.Ref.Artifact, &a), func(ch *kernel.Change) (api.DecisionResult, error) {
		v, err := subjectVersion(ch, a, req.Ref.Version, req.Reason, policy.Deprecate)
		if err != nil {
			return api.DecisionResult{}, err
		}
		if err := artifact.CanDeprecate(v.Status, req.Reason); err != nil {
			return api.DecisionResult{}, concerning(v, err)
		}
		gone := []store.Version{v}
		if req.Ref.Version == 0 {
			if gone, err = LiveVersions(ch, a); err != nil {
				return api.DecisionResult{}, err
			}
		}
		return DeprecateVersions(ch, a, v, gone, req.Reason)
	})
}

// DeprecateVersions takes versions of an artifact out of use; v is the one in force.
func DeprecateVersions(ch *kernel.Change, a store.Artifact, v store.Version, gone []store.Version, reason string) (api.DecisionResult, error) {
	d := Decided{Ref: v.Ref(), Status: artifact.Deprecated, Reason: reason, Head: a.Head}
	for _, g := range gone {
		d.Changes = append(d.Changes, StatusChange{Ref: g.Ref(), From: g.Status, To: artifact.Deprecated})
	}
	var err error
	if d.Head, err = headWithout(ch, a, gone); err != nil {
		return api.DecisionResult{}, err
	}
	return Decide(ch, d)
}

// LiveVersions loads every version of an artifact that is still in use.
func LiveVersions(ch *kernel.Change, a store.Artifact) ([]store.Version, error) {
	var live []store.Version
	for after := brenner.Version(0); ; {
		rows, err := ch.Versions(ch.Ctx, a.ID, after, brenner.MaxPage)
		if err != nil || len(rows) == 0 {
			return live, err
		}
		for _, v := range rows {
			if v.Status.Live() {
				live = append(live, v)
			}
		}
		after = rows[len(rows)-1].Version
	}
}

// headWithout gives the head once some versions are out of use: the same, or
// the newest head that remains if it is among them.
func headWithout(ch *kernel.Change, a store.Artifact, gone []store.Version) (brenner.Version, error) {
	out := func(n brenner.Version) bool {
		return slices.ContainsFunc(gone, func(v store.Version) bool { return v.Version == n })
	}
	if !out(a.Head) {
		return a.Head, nil
	}
	leaves, err := ch.Leaves(ch.Ctx, a.ID)
	if err != nil {
		return 0, err
	}
	head := a.Head
	for _, v := range leaves {
		if !out(v.Version) {
			head = v.Version
		}
	}
	return head, nil
}

// Subject loads what a decision is about and asks whether the actor may take
// it. Version 0 stands for the head when promoting, and for the version in
// force otherwise.
func Subject(ch *kernel.Change, ref brenner.Ref, reason string, action policy.Action) (store.Artifact, store.Version, error) {
	a, err := FindArtifact(ch.Call, ref.Artifact, action)
	if err != nil {
		return store.Artifact{}, store.Version{}, err
	}
	v, err := subjectVersion(ch, a, ref.Version, reason, action)
	return a, v, err
}

func subjectVersion(ch *kernel.Change, a store.Artifact, asked brenner.Version, reason string, action policy.Action) (store.Version, error) {
	if err := kernel.CheckText(reason); err != nil {
		return store.Version{}, err
	}
	if asked == 0 && action == policy.Promote {
		asked = a.Head
	}
	return InForce(ch.Call, a, asked)
}

// concerning says which version an objection is about.
func concerning(v store.Version, err error) error {
	if e, ok := err.(*brenner.Error); ok { //nolint:errorlint // made just now, never wrapped
		e.Message = fmt.Sprintf("%s: %s", v.Ref(), e.Message)
	}
	return err
}

// Decide appends the decision and reports what it made stale.
func Decide(ch *kernel.Change, d Decided) (api.DecisionResult, error) {
	slices.SortStableFunc(d.Changes, func(x, y StatusChange) int {
		if x.Ref.Artifact == y.Ref.Artifact {
			return 0
		}
		if x.Ref.Less(y.Ref) {
			return -1
		}
		return 1
	})
	seq, err := StatusDecided.Append(ch, d)
	if err != nil {
		return api.DecisionResult{}, err
	}
	out := api.DecisionResult{Seq: seq}
	var moved []brenner.Ref
	for _, c := range d.Changes {
		out.Changes = append(out.Changes, api.StatusChange(c))
		if c.To == artifact.Superseded || c.To == artifact.Deprecated {
			moved = append(moved, c.Ref)
		}
	}
	out.Stale, err = restingOn(ch.Call, moved, maxStaleShown)
	return out, err
}

// maxStaleShown bounds how many stale versions a decision reports; `stale`
// lists them all.
const maxStaleShown = 100
