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

// Decision is what somebody wants to decide about a version.
type Decision struct {
	Action policy.Action // Promote, Demote or Deprecate
	Reason string
	// Replace and Override are for promotions; see api.PromoteRequest.
	Replace, Override bool
}

// Promote implements api.Artifacts.
func (s *Service) Promote(ctx context.Context, req api.PromoteRequest) (api.DecisionResult, error) {
	d := Decision{Action: policy.Promote, Reason: req.Reason, Replace: req.Replace, Override: req.Override}
	return s.decide(ctx, "artifact.promote", req, req.Ref, d, req.DryRun)
}

// Demote implements api.Artifacts.
func (s *Service) Demote(ctx context.Context, req api.DecisionRequest) (api.DecisionResult, error) {
	return s.decide(ctx, "artifact.demote", req, req.Ref, Decision{Action: policy.Demote, Reason: req.Reason}, req.DryRun)
}

// Deprecate implements api.Artifacts.
func (s *Service) Deprecate(ctx context.Context, req api.DecisionRequest) (api.DecisionResult, error) {
	return s.decide(ctx, "artifact.deprecate", req, req.Ref, Decision{Action: policy.Deprecate, Reason: req.Reason}, req.DryRun)
}

// ReasonToCome stands for the reason of a decision that is only foreseen: to
// look ahead takes none.
const ReasonToCome = "a reason will be given"

// decide takes a decision, or in a dry run says what it would change (N3).
func (s *Service) decide(ctx context.Context, name string, req kernel.Keyed, ref brenner.Ref, d Decision, dry bool) (api.DecisionResult, error) {
	var a store.Artifact
	guard := ToArtifact(d.Action, ref.Artifact, &a)
	if d.Action == policy.Deprecate {
		guard = toTakeBack(ref, &a)
	}
	if dry {
		d.Reason = ReasonToCome
		return kernel.View(ctx, s.caller, guard, func(c *kernel.Call) (api.DecisionResult, error) {
			planned, err := s.Plan(c, a, ref.Version, d)
			if err != nil {
				return api.DecisionResult{}, err
			}
			lost, err := s.lost(c, a, planned)
			if err != nil {
				return api.DecisionResult{}, err
			}
			against, more, err := s.Opposed(c, a, &planned, true)
			if err != nil {
				return api.DecisionResult{}, err
			}
			lacks, err := s.Lacking(c, planned)
			if err != nil {
				return api.DecisionResult{}, err
			}
			out, err := Foresee(c, planned)
			out.DryRun, out.Lost, out.Against, out.MoreAgainst, out.Lacks = true, lost, against, more, lacks
			return out, err
		})
	}
	return kernel.Write(ctx, s.caller, name, req, guard, func(ch *kernel.Change) (api.DecisionResult, error) {
		planned, err := s.Plan(ch.Call, a, ref.Version, d)
		if err != nil {
			return api.DecisionResult{}, err
		}
		lost, err := s.lost(ch.Call, a, planned)
		if err != nil {
			return api.DecisionResult{}, err
		}
		against, more, err := s.Opposed(ch.Call, a, &planned, false)
		if err != nil {
			return api.DecisionResult{}, err
		}
		lacks, err := s.Lacking(ch.Call, planned)
		if err != nil {
			return api.DecisionResult{}, err
		}
		out, err := Decide(ch, planned)
		if err != nil {
			return out, err
		}
		out.Lost, out.Against, out.MoreAgainst, out.Lacks = lost, against, more, lacks
		return out, s.Reviews.Decided(ch, planned)
	})
}

// Opposed lists what speaks against a version that a decision brings into force, which the
// record of the decision names as well: it is taken over that, and who decides is told.
func (r *Room) Opposed(c *kernel.Call, a store.Artifact, d *Decided, quoted bool) ([]api.ReviewFinding, int, error) {
	if d.Status != artifact.Canonical {
		return nil, 0, nil
	}
	v, err := c.Version(c.Ctx, d.Ref)
	if err != nil {
		return nil, 0, err
	}
	against, more, err := r.Reviews.Against(c, a, v, quoted)
	for _, f := range against[:min(len(against), mostOver)] {
		d.Over = append(d.Over, f.Name())
	}
	return against, more, err
}

// Lacking says what nobody has done in the session whose document a decision brings into
// force.
func (r *Room) Lacking(c *kernel.Call, d Decided) ([]string, error) {
	if d.Status != artifact.Canonical {
		return nil, nil
	}
	return r.Reviews.Lacking(c, d.Ref)
}

// mostOver is how many objections the record of a promotion names.
const mostOver = 20

// toTakeBack guards that a version is taken out of use: for who may decide about it, and of
// what is not canonical also for whoever wrote all of it and may write it (ADR 173).
func toTakeBack(ref brenner.Ref, into *store.Artifact) kernel.Guard {
	return kernel.Either(func(c *kernel.Call) (bool, error) {
		var err error
		if *into, err = loadArtifact(c, ref.Artifact); err != nil {
			return false, err
		}
		return ownDraft(c, *into, ref.Version)
	}, kernel.On(func(*kernel.Call) (kernel.Act, error) { return actOn(*into, policy.Deprecate), nil }))
}

// keptByService are the types whose versions are the record of a use case: nobody takes
// them back alone.
var keptByService = []brenner.TypeName{artifact.TypeSessionArtifact, artifact.TypeStalemate, artifact.TypeVerdict, artifact.TypeRawLog, artifact.TypeCodeChange}

// ownDraft reports whether the caller wrote a version that is not canonical, or with
// version 0 every live one, and may write such an artifact.
func ownDraft(c *kernel.Call, a store.Artifact, version brenner.Version) (bool, error) {
	if slices.Contains(keptByService, a.Type) || !c.May(policy.Write, a.Type, a.Module) {
		return false, nil
	}
	gone, err := c.VersionsOf(c.Ctx, []brenner.Ref{{Artifact: a.ID, Version: version}})
	if err == nil && len(gone) == 0 {
		gone, err = LiveVersions(c, a)
	}
	others := func(v store.Version) bool { return v.Creator != c.Who.Name || v.Status == artifact.Canonical }
	if err != nil || len(gone) == 0 || slices.ContainsFunc(gone, others) {
		return false, err
	}
	c.Settle()
	return true, nil
}

// lost lists what is in no document of a session any more when an older version is
// its head.
func (r *Room) lost(c *kernel.Call, a store.Artifact, d Decided) ([]api.LostReply, error) {
	if a.Type != artifact.TypeSessionArtifact || d.Head == a.Head {
		return nil, nil
	}
	return r.Sessions.Lost(c, brenner.Ref{Artifact: a.ID, Version: d.Head})
}

// checkAcross refuses to promote what draws on other modules while their memos
// are behind (C12). A memo itself may always be promoted: that is the way out.
func (r *Room) checkAcross(c *kernel.Call, a store.Artifact, v store.Version) error {
	if a.Type == artifact.TypeIntegratedMemo {
		return nil
	}
	links, err := c.LinksFrom(c.Ctx, []brenner.Ref{v.Ref()})
	if err != nil {
		return err
	}
	var refs []brenner.Ref
	for _, l := range links {
		if l.Rel.Carries() {
			refs = append(refs, l.To)
		}
	}
	others, err := ArtifactsOf(c, refs)
	if err != nil {
		return err
	}
	modules := []brenner.Module{}
	for _, ref := range refs {
		if m := others[ref.Artifact].Module; m != a.Module && m != "" && !slices.Contains(modules, m) {
			modules = append(modules, m)
		}
	}
	return r.Tasks.Compressed(c, modules)
}

// WithoutGoneOn leaves out of what is stale the versions of sessions behind which the
// session has gone on, unless there is nothing else.
func WithoutGoneOn(c *kernel.Call, stale []api.StaleItem) ([]api.StaleItem, error) {
	refs := make([]brenner.Ref, len(stale))
	for i, one := range stale {
		refs[i] = one.Ref
	}
	artifacts, err := ArtifactsOf(c, refs)
	rest := slices.DeleteFunc(slices.Clone(stale), func(i api.StaleItem) bool {
		a := artifacts[i.Ref.Artifact]
		return i.Type == artifact.TypeSessionArtifact && i.Ref.Version != a.Head && a.HeadStatus.Live()
	})
	if len(rest) == 0 {
		rest = stale
	}
	return rest, err
}

// MayConfirm refuses what could not be written anew as it is, or be promoted then:
// what a dry run promises has to hold (N3).
func (r *Room) MayConfirm(c *kernel.Call, a store.Artifact, v store.Version, promoted bool) error {
	if a.Type == artifact.TypeSessionArtifact && v.Version != a.Head && a.HeadStatus.Live() {
		head := brenner.Ref{Artifact: a.ID, Version: a.Head}
		return brenner.Errorf(brenner.CodeStatusConflict, "%s goes on from %s: %s is not confirmed behind it", a.ID, head, v.Ref()).
			WithHint("decide about that one, which then takes its place").Try(brenner.Do("review", "ref", head.String()))
	}
	if !promoted {
		return nil
	}
	return r.checkAcross(c, a, v)
}

// Plan checks a decision and says what it changes; it changes nothing. The
// policy has been asked.
func (r *Room) Plan(c *kernel.Call, a store.Artifact, version brenner.Version, d Decision) (Decided, error) {
	v, err := subjectVersion(c, a, version, d.Reason, d.Action)
	if err != nil {
		return Decided{}, err
	}
	switch d.Action {
	case policy.Promote:
		return r.planPromotion(c, a, v, d)
	case policy.Demote:
		if err := artifact.CanDemote(v.Status, d.Reason); err != nil {
			return Decided{}, concerning(v, err)
		}
		return Decided{
			Ref: v.Ref(), Status: artifact.Draft, Reason: d.Reason, Head: a.Head,
			Changes: []StatusChange{{Ref: v.Ref(), From: v.Status, To: artifact.Draft}},
		}, nil
	}
	if version == 0 && a.Canonical != 0 && a.Head != a.Canonical && a.HeadStatus.Live() {
		head := brenner.Ref{Artifact: a.ID, Version: a.Head}
		return Decided{}, brenner.Errorf(brenner.CodeStatusConflict, "no version was named: %s is canonical, and %s, the head, is %s", v.Ref(), head, a.HeadStatus).
			WithHint(fmt.Sprintf("name %s to take that one out of use; %s has to be demoted before it can be", head, v.Ref())).
			Try(brenner.Do("artifact.deprecate", "ref", head.String(), "reason", "…")).
			WithDetails(map[string]any{"canonical": v.Ref(), "head": head})
	}
	if err := artifact.CanDeprecate(v.Status, d.Reason); err != nil {
		return Decided{}, concerning(v, err)
	}
	gone := []store.Version{v}
	if version == 0 {
		if gone, err = LiveVersions(c, a); err != nil {
			return Decided{}, err
		}
	}
	out, err := deprecation(c, a, v, gone, d.Reason)
	if err == nil && a.Type == artifact.TypeSessionArtifact && out.Head != a.Head {
		out.Session, err = r.Sessions.Standing(c, brenner.Ref{Artifact: a.ID, Version: out.Head})
	}
	return out, err
}

func (r *Room) planPromotion(c *kernel.Call, a store.Artifact, v store.Version, d Decision) (Decided, error) {
	if err := artifact.CanPromote(v.Status, d.Override, d.Reason); err != nil {
		return Decided{}, concerning(v, err)
	}
	if _, _, err := c.SmallBlob(c.Ctx, v.Content, 0); brenner.CodeOf(err) == brenner.CodeRedacted {
		return Decided{}, brenner.Errorf(brenner.CodeRedacted, "%s has nothing left to be in force: its content was redacted", v.Ref()).
			WithHint("write what may stay as a new version, and promote that").Try(brenner.Do("artifact.update", "id", string(a.ID)))
	} else if err != nil {
		return Decided{}, err
	}
	if err := r.checkAcross(c, a, v); err != nil {
		return Decided{}, err
	}
	if err := r.Reviews.Approved(c, a, v); err != nil {
		return Decided{}, err
	}
	changes := []StatusChange{{Ref: v.Ref(), From: v.Status, To: artifact.Canonical}}
	if a.Canonical != 0 {
		old := brenner.Ref{Artifact: a.ID, Version: a.Canonical}
		changes = append(changes, StatusChange{Ref: old, From: artifact.Canonical, To: artifact.Superseded})
	}
	other, taken, err := SlotHolder(c, a, v.Slot)
	if err != nil {
		return Decided{}, err
	}
	if taken && !d.Replace {
		return Decided{}, brenner.Errorf(brenner.CodeSlotTaken, "%s is canonical as %s", other, v.Slot).
			WithHint("it can be superseded").Try(brenner.Again("replace", "true")).WithDetails(map[string]any{"canonical": other})
	}
	if taken {
		changes = append(changes, StatusChange{Ref: other, From: artifact.Canonical, To: artifact.Superseded})
	}
	head := a.Head
	if v.Status == artifact.Alternative {
		head = v.Version // the line that was chosen is the one that goes on
	}
	return Decided{
		Ref: v.Ref(), Status: artifact.Canonical, Reason: d.Reason,
		Override: d.Override && v.Status == artifact.NeedsRebase, Changes: changes, Head: head,
	}, nil
}

// SlotHolder finds the canonical version of another artifact in a slot.
func SlotHolder(c *kernel.Call, a store.Artifact, slot string) (brenner.Ref, bool, error) {
	if slot == "" {
		return brenner.Ref{}, false, nil
	}
	q := store.ArtifactQuery{Types: []brenner.TypeName{a.Type}, Canonical: true, Limit: brenner.MaxPage}
	rows, err := c.Reader.Artifacts(c.Ctx, q)
	if err != nil {
		return brenner.Ref{}, false, err
	}
	typ, err := c.Types.Lookup(a.Type)
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

// DeprecateVersions takes versions of an artifact out of use; v is the one in force.
func DeprecateVersions(ch *kernel.Change, a store.Artifact, v store.Version, gone []store.Version, reason string) (api.DecisionResult, error) {
	d, err := deprecation(ch.Call, a, v, gone, reason)
	if err != nil {
		return api.DecisionResult{}, err
	}
	return Decide(ch, d)
}

func deprecation(c *kernel.Call, a store.Artifact, v store.Version, gone []store.Version, reason string) (Decided, error) {
	d := Decided{Ref: v.Ref(), Status: artifact.Deprecated, Reason: reason, Head: a.Head}
	for _, g := range gone {
		d.Changes = append(d.Changes, StatusChange{Ref: g.Ref(), From: g.Status, To: artifact.Deprecated})
	}
	var err error
	d.Head, err = headWithout(c, a, gone)
	return d, err
}

// LiveVersions loads every version of an artifact that is still in use.
func LiveVersions(c *kernel.Call, a store.Artifact) ([]store.Version, error) {
	var live []store.Version
	for after := brenner.Version(0); ; {
		rows, err := c.Versions(c.Ctx, a.ID, after, brenner.MaxPage)
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
// the newest version that then is one if it is among them.
func headWithout(c *kernel.Call, a store.Artifact, gone []store.Version) (brenner.Version, error) {
	out := func(n brenner.Version) bool {
		return slices.ContainsFunc(gone, func(v store.Version) bool { return v.Version == n })
	}
	if !out(a.Head) {
		return a.Head, nil
	}
	versions, err := AllVersions(c, a.ID)
	if err != nil {
		return 0, err
	}
	heads := map[brenner.Ref]bool{}
	markUsed(versions, func(v store.Version) artifact.Status {
		if out(v.Version) {
			return artifact.Deprecated
		}
		return v.Status
	}, heads)
	head := a.Head
	for _, v := range versions {
		if heads[v.Ref()] {
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
	v, err := subjectVersion(ch.Call, a, ref.Version, reason, action)
	return a, v, err
}

func subjectVersion(c *kernel.Call, a store.Artifact, asked brenner.Version, reason string, action policy.Action) (store.Version, error) {
	if err := kernel.CheckText(reason); err != nil {
		return store.Version{}, err
	}
	if asked == 0 && action == policy.Promote {
		asked = a.Head
	}
	return InForce(c, a, asked)
}

// concerning says which version an objection is about.
func concerning(v store.Version, err error) error {
	if e, ok := err.(*brenner.Error); ok { //nolint:errorlint // made just now, never wrapped
		e.Message = fmt.Sprintf("%s: %s", v.Ref(), e.Message)
	}
	return err
}

// Decide appends the decision and reports what it made stale, and what is not
// any more.
func Decide(ch *kernel.Change, d Decided) (api.DecisionResult, error) {
	out, err := Foresee(ch.Call, d)
	if err != nil {
		return api.DecisionResult{}, err
	}
	out.Seq, err = Record(ch, d)
	return out, err
}

// Record appends a decision whose consequences are known.
func Record(ch *kernel.Change, d Decided) (int64, error) {
	slices.SortStableFunc(d.Changes, func(x, y StatusChange) int {
		if x.Ref.Artifact == y.Ref.Artifact {
			return 0
		}
		if x.Ref.Less(y.Ref) {
			return -1
		}
		return 1
	})
	return StatusDecided.Append(ch, d)
}

// Foresee says what decisions that were planned will come to, taken together.
func Foresee(c *kernel.Call, planned ...Decided) (api.DecisionResult, error) {
	var out api.DecisionResult
	var changes []StatusChange
	for _, d := range planned {
		changes = append(changes, d.Changes...)
	}
	for _, ch := range changes {
		out.Changes = append(out.Changes, api.StatusChange(ch))
	}
	would, err := StaleAfter(c, changes)
	shown := func(refs []brenner.Ref) []brenner.Ref { return refs[:min(len(refs), maxStaleShown)] }
	out.Stale, out.Fresh, out.Resting, out.Again = shown(would.Becomes), shown(would.Stops), shown(would.Stays), shown(would.Again)
	out.MoreStale, out.MoreFresh = len(would.Becomes)-len(out.Stale), len(would.Stops)-len(out.Fresh)
	return out, err
}

// maxStaleShown bounds how many stale versions a decision reports; `stale`
// lists them all.
const maxStaleShown = 100
