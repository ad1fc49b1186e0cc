package apitest

import (
	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/playbook"
)

// asked is the version that an actor is told to look at and to approve; "" if
// it is told of none.
func (p *player) asked() string {
	p.Helper()
	status, err := p.Status(p.ctx)
	p.must(err)
	for _, n := range status.Items {
		if n.Kind == string(api.WaitApproval) && n.Do.Name == "review.approve" {
			return n.Do.Args["ref"]
		}
	}
	return ""
}

// approves approves a version, and says how many have then.
func (p *player) approves(r brenner.Ref) int {
	p.Helper()
	has, err := p.Approve(p.ctx, api.ApproveRequest{Ref: r})
	p.must(err)
	return len(has.By)
}

// plans is a test plan that its author hands in: one that two others of the roles
// that the configuration names approve before it is promoted.
func (p *player) plans() brenner.Ref {
	p.Helper()
	return p.creates(api.CreateArtifactRequest{
		ID: "plan", Type: "test_plan", Module: "lineage", Summary: "move a cell", Review: true,
		Content: api.Body{Format: artifact.Text, Data: "move a cell, and see what becomes of it"},
	}).Ref
}

func approvalCases() []testCase {
	return []testCase{
		{"two others of the roles that are asked approve a version before it is promoted", func(s *scene) { // A6; A6.a, A6.b, A6.c, A6.e
			purple := s.agent("PurpleMountain")
			red, green := s.agent("RedSky"), s.agent("GreenValley")
			plan := purple.plans()
			promote := func() error {
				_, err := s.pi.Promote(s.ctx, api.PromoteRequest{Ref: plan, Reason: "it tells them apart"})
				return err
			}
			s.unchanged(func() {
				s.refused(promote(), brenner.CodeApprovalRequired)
				for _, other := range []*player{purple, s.agent("BlueLake"), s.pi} { // its author, whose role is asked; roles that are not
					_, err := other.Approve(s.ctx, api.ApproveRequest{Ref: plan})
					s.refused(err, brenner.CodeApprovalDenied)
				}
			})
			if purple.asked() != "" || red.asked() != plan.String() || green.asked() != plan.String() {
				s.Errorf("asked: %q, %q, %q", purple.asked(), red.asked(), green.asked())
			}
			if n := red.approves(plan); n != 1 || red.approves(plan) != 1 {
				s.Errorf("%d approvals", n)
			}
			if red.asked() != "" || green.asked() != plan.String() {
				s.Errorf("asked once more: %q, %q", red.asked(), green.asked())
			}
			s.refused(promote(), brenner.CodeApprovalRequired)
			if n := green.approves(plan); n != 2 {
				s.Errorf("%d approvals", n)
			}
			s.must(promote())
		}},
		{"what was approved counts for that version, and for no later one", func(s *scene) { // A6; A6.d
			purple, red, green := s.agent("PurpleMountain"), s.agent("RedSky"), s.agent("GreenValley")
			plan := purple.plans()
			red.approves(plan)
			green.approves(plan)
			next := purple.updates("plan", 1, "move two cells", "")
			for _, r := range []brenner.Ref{plan, next} {
				_, err := s.pi.Promote(s.ctx, api.PromoteRequest{Ref: r, Reason: "it tells them apart"})
				s.refused(err, brenner.CodeApprovalRequired)
			}
			_, err := green.Approve(s.ctx, api.ApproveRequest{Ref: plan})
			s.refused(err, brenner.CodeStatusConflict)
			red.approves(next)
			if n := green.approves(next); n != 2 {
				s.Errorf("%d approvals", n)
			}
			s.pi.promotes(next)
		}},
		{"who reviews lessons says of each whether it holds", func(s *scene) { // B7, A4
			for _, words := range []string{"Count the cells twice.", "Trust the first count."} {
				in := plain("helpful", words)
				in.Confidence = ptr(0.1)
				s.pi.learns("counts", in)
			}
			red := s.reader("RedSky")
			_, err := red.ReviewBullet(s.ctx, api.ReviewBulletRequest{ID: "counts.1", Approve: true, Reason: "seen in the logs"})
			s.must(err)
			_, err = red.ReviewBullet(s.ctx, api.ReviewBulletRequest{ID: "counts.2", Reason: "hearsay"})
			s.must(err)
			if kept, gone := s.pi.bullet("counts.1"), s.pi.bullet("counts.2"); kept.Review != playbook.ReviewApproved || gone.Review != playbook.ReviewRejected || gone.Live() {
				s.Errorf("%+v, %+v", kept, gone)
			}
			s.unchanged(func() {
				_, err := red.ReviewBullet(s.ctx, api.ReviewBulletRequest{ID: "counts.1"})
				s.refused(err, brenner.CodeAlreadyReviewed)
				_, err = s.agent("BlueLake").ReviewBullet(s.ctx, api.ReviewBulletRequest{ID: "counts.1"})
				s.refused(err, brenner.CodeWriteDenied)
			})
		}},
	}
}
