package reviews

import (
	"context"
	"errors"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
)

// errPerson refuses an agent what is a person's.
func errPerson(c *kernel.Call) error {
	if c.Person() {
		return nil
	}
	return brenner.Errorf(brenner.CodePersonRequired, "%s is an agent, and this is for persons", c.Who.Name).
		WithHint("an agent writes a critique")
}

// Review implements api.Reviews.
func (s *Service) Review(ctx context.Context, req api.ReviewRequest) (api.ReviewView, error) {
	var a store.Artifact
	guard := ledger.ToArtifact(policy.Read, req.Ref.Artifact, &a).Then(errPerson)
	return kernel.View(ctx, s.caller, guard, func(c *kernel.Call) (api.ReviewView, error) {
		version := req.Ref.Version
		if version == 0 {
			version = a.Head
		}
		v, err := ledger.InForce(c, a, version)
		if err != nil {
			return api.ReviewView{}, err
		}
		out := api.ReviewView{Role: v.Role, Context: v.Invocation, Evidence: []api.ReviewEvidence{}, Findings: []api.ReviewFinding{}}
		if out.ArtifactView, err = ledger.ViewOf(c, a, v, false); err != nil {
			return api.ReviewView{}, err
		}
		// What speaks against it are findings, and every decision is listed.
		out.Decided = nil
		out.Befell = slices.DeleteFunc(out.Befell, func(b api.Befallen) bool { return b.Rel != artifact.Supersedes })
		if a.Canonical != 0 && a.Canonical != v.Version {
			out.Against = brenner.Ref{Artifact: a.ID, Version: a.Canonical}
			d, err := ledger.DifferenceOf(c, a, a.Canonical, v.Version)
			if err != nil {
				return api.ReviewView{}, err
			}
			out.Difference = &d
		}
		for _, fill := range []func(*kernel.Call, store.Artifact, store.Version, *api.ReviewView) error{
			addEvidence, s.addMoved, s.addFindings, addDecisions, s.foresee, s.addWaits, addComments, s.addApprovals,
		} {
			if err := fill(c, a, v, &out); err != nil {
				return api.ReviewView{}, err
			}
		}
		return out, nil
	})
}

// addMoved lists what moved while the version was written (C17).
func (s *Service) addMoved(c *kernel.Call, _ store.Artifact, v store.Version, out *api.ReviewView) error {
	if v.Task == "" {
		return nil
	}
	t, err := s.Tasks.Find(c, v.Task)
	if err == nil && slices.Contains(t.Outputs, v.Ref()) {
		out.Moved, out.Glanced = t.Moved, t.Summaries
	}
	return err
}

// addEvidence lists what the version rests on, and how that stands; apart from it what it
// contradicts, or takes the place of.
func addEvidence(c *kernel.Call, _ store.Artifact, v store.Version, out *api.ReviewView) error {
	links, err := c.LinksFrom(c.Ctx, []brenner.Ref{v.Ref()})
	if err != nil {
		return err
	}
	refs := make([]brenner.Ref, len(links))
	for i, l := range links {
		refs[i] = l.To
	}
	nodes, err := ledger.Nodes(c, refs)
	if err != nil {
		return err
	}
	if err := ledger.MarkStale(c, nodes); err != nil {
		return err
	}
	gone, err := ledger.RedactedOf(c, refs)
	if err != nil {
		return err
	}
	for _, l := range links {
		for _, n := range nodes {
			if n.Ref != l.To {
				continue
			}
			e := api.ReviewEvidence{Rel: l.Rel, Ref: n.Ref, Type: n.Type, Status: n.Status, Summary: n.Summary, Stale: n.Stale, Demoted: n.Demoted, Redacted: gone[n.Ref]}
			if n.Canonical != n.Ref.Version {
				e.Now = n.Canonical
			}
			if l.Rel == artifact.Contradicts || l.Rel == artifact.Supersedes {
				out.Opposes = append(out.Opposes, e)
				continue
			}
			out.Evidence = append(out.Evidence, e)
		}
	}
	return nil
}

// foresee says what a promotion would come to, or what stands in its way.
func (r *Room) foresee(c *kernel.Call, a store.Artifact, v store.Version, out *api.ReviewView) error {
	planned, err := r.Ledger.Plan(c, a, v.Version, ledger.Decision{Action: policy.Promote, Reason: ledger.ReasonToCome})
	if e := refusal(err); e != nil {
		out.Hindrance = &api.Hindrance{Code: e.Code, Message: e.Message}
		planned, err = r.Ledger.Plan(c, a, v.Version, ledger.Decision{Action: policy.Promote, Reason: ledger.ReasonToCome, Replace: true, Override: true})
		if refusal(err) != nil {
			return nil //nolint:nilerr // it cannot be promoted at all, which is no failure
		}
	}
	if err != nil {
		return err
	}
	would, err := ledger.Foresee(c, planned)
	would.DryRun = true
	out.Promotion = &would
	return err
}

// refusal is an error that a rule made; that the store failed is none.
func refusal(err error) *brenner.Error {
	var e *brenner.Error
	if errors.As(err, &e) && brenner.ClassOf(e.Code) != brenner.ClassUnavailable {
		return e
	}
	return nil
}

// addWaits says why the version is in the inbox.
func (r *Room) addWaits(c *kernel.Call, _ store.Artifact, v store.Version, out *api.ReviewView) error {
	found, err := r.waitingVersions(c)
	for _, w := range found {
		if w.Subject == v.Ref().String() {
			out.Waits = w.Why
		}
	}
	return err
}

// addComments lists what persons said about the artifact.
func addComments(c *kernel.Call, a store.Artifact, _ store.Version, out *api.ReviewView) error {
	var err error
	out.Comments, err = commentsOn(c, a.ID)
	return err
}
