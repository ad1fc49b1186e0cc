package reviews

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
)

// approved says that somebody approved a version (A6).
type approved struct {
	Ref brenner.Ref `json:"ref"`
}

// approval is an approval as it is kept, one for each version and actor.
type approval struct {
	Ref   brenner.Ref       `json:"ref"`
	Actor brenner.ActorName `json:"actor"`
	Role  brenner.Role      `json:"role"`
	At    time.Time         `json:"at"`
}

var approvals = kernel.Table[approval]{
	Kind: "approval",
	Key: func(a approval) kernel.Key {
		return kernel.Key{ID: fmt.Sprintf("%s %s", a.Ref, a.Actor), Group: a.Ref.String()}
	},
}

func applyApproved(ctx context.Context, tx store.Tx, rec journal.Record, p approved) error {
	return approvals.Put(ctx, tx, rec.Seq, approval{Ref: p.Ref, Actor: rec.Actor, Role: rec.Role, At: rec.At})
}

// Approve implements api.Reviews.
func (s *Service) Approve(ctx context.Context, req api.ApproveRequest) (api.Approvals, error) {
	var a store.Artifact
	guard := ledger.ToArtifact(policy.Read, req.Ref.Artifact, &a)
	return kernel.Write(ctx, s.caller, "review.approve", req, guard, func(ch *kernel.Change) (api.Approvals, error) {
		v, err := ledger.InForce(ch.Call, a, cmp.Or(req.Ref.Version, a.Head))
		if err != nil {
			return api.Approvals{}, err
		}
		if denied, err := s.mayApprove(ch.Call, a, v); err != nil || denied != nil {
			return api.Approvals{}, cmp.Or(err, denied)
		}
		has, err := approvals.Has(ch.Ctx, ch.Reader, fmt.Sprintf("%s %s", v.Ref(), ch.Who.Name))
		if err != nil {
			return api.Approvals{}, err
		}
		if !has { // to say it again changes nothing
			if _, err := kindApproved.Append(ch, approved{Ref: v.Ref()}); err != nil {
				return api.Approvals{}, err
			}
		}
		out, err := s.approvalsOf(ch.Call, a, v)
		if err != nil {
			return api.Approvals{}, err
		}
		out.Against, out.MoreAgainst, err = s.Against(ch.Call, a, v, false)
		return *out, err
	})
}

// mayApprove gives the refusal of an approval that would not count, nil if it would.
func (r *Room) mayApprove(c *kernel.Call, a store.Artifact, v store.Version) (denied, err error) {
	asked, ok := c.Config.Approvals[a.Type]
	switch {
	case !ok:
		return brenner.Errorf(brenner.CodeStatusConflict, "%s is promoted without approvals", brenner.A(a.Type)).
			Try(brenner.Do("artifact.promote", "ref", v.Ref().String())), nil
	case v.Version != a.Head || !v.Status.Live():
		return brenner.Errorf(brenner.CodeStatusConflict, "%s is not what would be promoted: the head of %s is version %d", v.Ref(), a.ID, a.Head), nil
	}
	writers, err := r.writers(c, a, v)
	switch {
	case err != nil:
		return nil, err
	case slices.Contains(writers, c.Who.Name):
		return brenner.Errorf(brenner.CodeApprovalDenied, "%s wrote %s, and does not approve it", c.Who.Name, v.Ref()).Try(askFor(asked.Roles, a, v)), nil
	case !slices.Contains(asked.Roles, c.Who.Role):
		return brenner.Errorf(brenner.CodeApprovalDenied, "%s is %s; %s is approved by %s", c.Who.Name, brenner.A(c.Who.Role), brenner.A(a.Type), kernel.Join(asked.Roles)).Try(askFor(asked.Roles, a, v)), nil
	}
	return nil, nil
}

// mostWriters is how many versions are looked back for who wrote what a version says.
const mostWriters = 200

// writers are those who wrote what a version says since its artifact was last in force:
// whoever wrote a version on the way to it, of a session's document those whose deltas it
// holds and not who compiled them, and of what was harvested from one those who wrote the
// item (ADR 155).
func (r *Room) writers(c *kernel.Call, a store.Artifact, v store.Version) ([]brenner.ActorName, error) {
	if a.Type == artifact.TypeSessionArtifact {
		since := a.Canonical
		if since >= v.Version {
			since = 0
		}
		wrote, err := r.Sessions.Wrote(c, v.Ref(), since, "")
		if err != nil || len(wrote) > 0 {
			return wrote, err
		}
	}
	var out []brenner.ActorName
	for range mostWriters {
		if v.Creator == kernel.System {
			of, err := r.harvestedBy(c, a, v)
			if err != nil {
				return nil, err
			}
			out = append(out, of...)
		}
		out = append(out, v.Creator)
		if v.Parent == 0 {
			break
		}
		before, err := c.Version(c.Ctx, brenner.Ref{Artifact: a.ID, Version: v.Parent})
		if err != nil {
			return nil, err
		}
		if v = before; v.Status == artifact.Canonical || v.Status == artifact.Superseded {
			break
		}
	}
	return out, nil
}

// harvestedBy are those who wrote the item of a session that a version was harvested from.
func (r *Room) harvestedBy(c *kernel.Call, a store.Artifact, v store.Version) ([]brenner.ActorName, error) {
	links, err := c.LinksFrom(c.Ctx, []brenner.Ref{v.Ref()})
	if err != nil {
		return nil, err
	}
	for _, l := range links {
		if item, of := strings.CutPrefix(string(a.ID), string(l.To.Artifact)+"-"); of && l.Rel == artifact.HarvestedFrom {
			return r.Sessions.Wrote(c, l.To, 0, delta.ItemID(item))
		}
	}
	return nil, nil
}

// askFor is the task that asks the first of some roles for its approval.
func askFor(roles []brenner.Role, a store.Artifact, v store.Version) brenner.Action {
	return brenner.Do("task.new", "role", string(roles[0]), "module", string(a.Module), "input", v.Ref().String()).Asking("title", "spec")
}

// approvalsOf is how many approvals a version has of those its type asks for;
// nil where it asks for none.
func (r *Room) approvalsOf(c *kernel.Call, a store.Artifact, v store.Version) (*api.Approvals, error) {
	asked, ok := c.Config.Approvals[a.Type]
	if !ok {
		return nil, nil
	}
	writers, err := r.writers(c, a, v)
	if err != nil {
		return nil, err
	}
	out := &api.Approvals{Ref: v.Ref(), Needed: asked.Count, Roles: asked.Roles, By: []api.ApprovalInfo{}, Void: v.Version != a.Head}
	err = approvals.Each(c.Ctx, c.Reader, kernel.Query{Group: v.Ref().String()}, func(row kernel.Row[approval]) (bool, error) {
		p := row.Value
		if !slices.Contains(writers, p.Actor) && slices.Contains(asked.Roles, p.Role) { // the rules may have changed since
			out.By = append(out.By, api.ApprovalInfo{Actor: p.Actor, Role: p.Role, At: p.At})
		}
		return true, nil
	})
	return out, err
}

// Approved refuses a promotion before enough have approved (A6). A version that
// is not the head any more has none that count.
func (r *Room) Approved(c *kernel.Call, a store.Artifact, v store.Version) error {
	has, err := r.approvalsOf(c, a, v)
	if err != nil || has == nil || len(has.By) >= has.Needed && !has.Void {
		return err
	}
	n := len(has.By)
	if has.Void {
		n = 0
	}
	ask := askFor(has.Roles, a, v)
	denied, err := r.mayApprove(c, a, v)
	if err != nil {
		return err
	}
	if denied == nil && !by(has, c.Who.Name) {
		ask = brenner.Do("review.approve", "ref", v.Ref().String())
	}
	return brenner.Errorf(brenner.CodeApprovalRequired, "%s has %d of %d approvals", v.Ref(), n, has.Needed).
		WithHint("it is approved by " + kernel.Join(has.Roles) + ", each once, and not by its author").Try(ask).WithDetails(has)
}

// Asked says of what waits for a decision that it waits for the caller's
// approval, where it does: its role is asked, it did not write the version, and
// has not approved it yet (A6).
func (r *Room) Asked(c *kernel.Call, all []api.Waiting) ([]api.Waiting, error) {
	if len(c.Config.Approvals) == 0 {
		return all, nil
	}
	out := slices.Clone(all) // they may be remembered
	for i, w := range out {
		ref, err := brenner.ParseRef(w.Subject)
		if w.Kind != api.WaitPromotion || err != nil {
			continue
		}
		a, err := c.Artifact(c.Ctx, ref.Artifact)
		if err != nil {
			return nil, err
		}
		v, err := c.Version(c.Ctx, ref)
		if err != nil {
			return nil, err
		}
		denied, err := r.mayApprove(c, a, v)
		if err != nil {
			return nil, err
		}
		if denied != nil || !c.May(policy.Read, a.Type, a.Module) {
			continue
		}
		has, err := r.approvalsOf(c, a, v)
		if err != nil {
			return nil, err
		}
		if len(has.By) < has.Needed && !by(has, c.Who.Name) {
			out[i].Kind = api.WaitApproval
		}
	}
	return out, nil
}

// by reports whether somebody is among those who approved.
func by(has *api.Approvals, name brenner.ActorName) bool {
	return slices.ContainsFunc(has.By, func(a api.ApprovalInfo) bool { return a.Actor == name })
}

// addApprovals says how many approvals the version has.
func (r *Room) addApprovals(c *kernel.Call, a store.Artifact, v store.Version, out *api.ReviewView) (err error) {
	out.Approvals, err = r.approvalsOf(c, a, v)
	return err
}
