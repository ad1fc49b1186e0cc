package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/playbook"
)

// verdict is what a reviewer says.
type verdict string

const (
	approves verdict = "approve"
	rejects  verdict = "reject"
)

// reviewRequest judges what others wrote, where the reviewer's role is asked to;
// without anything it asks what waits.
type reviewRequest struct {
	keyed
	Ref     brenner.Ref       `json:"ref,omitzero" doc:"ID@VERSION to approve"`
	Lesson  playbook.BulletID `json:"lesson,omitzero" doc:"or a lesson; without verdict: shows it"`
	Verdict verdict           `json:"verdict,omitzero" doc:"only a lesson is rejected"`
	Reason  string            `json:"reason,omitzero" doc:"for a lesson"`
}

// reviewed is what came of a judgement, or what waits for one.
type reviewed struct {
	Approvals *api.Approvals    `json:"approvals,omitzero"`
	Lessons   []playbook.Bullet `json:"lessons,omitzero"`
	Needs     []api.Need        `json:"-"`
}

// lessonsToReview is how many lessons that wait are shown at once.
const lessonsToReview = 20

func review(s api.Service, ctx context.Context, in reviewRequest) (reviewed, error) {
	artifact := in.Ref != brenner.Ref{}
	switch {
	case artifact && in.Lesson != "":
		return reviewed{}, brenner.Errorf(brenner.CodeInvalidValue, "a version or a lesson is reviewed, not both").At("/lesson").
			WithHint("make a call for each")
	case artifact && in.Verdict == rejects:
		return reviewed{}, brenner.Errorf(brenner.CodeInvalidValue, "a version is approved, or not: nobody rejects it here").At("/verdict").
			WithHint("write a critique that reviews it").Try(brenner.Do("artifact.new", "type", "critique").Asking("summary"))
	case artifact && in.Verdict != approves:
		return reviewed{}, brenner.Errorf(brenner.CodeInvalidValue, "the verdict is missing").At("/verdict").
			WithHint("read the version first").Try(brenner.Do("artifact.show", "ref", in.Ref.String()))
	case artifact:
		has, err := s.Approve(ctx, api.ApproveRequest{Write: in.write(), Ref: in.Ref})
		return reviewed{Approvals: &has}, err
	case in.Verdict != "":
		done, err := s.ReviewBullet(ctx, api.ReviewBulletRequest{Write: in.write(), ID: in.Lesson, Approve: in.Verdict == approves, Reason: in.Reason})
		return reviewed{Lessons: done.Bullets}, err
	case in.Lesson != "":
		got, err := s.Bullet(ctx, api.BulletRequest{ID: in.Lesson})
		return reviewed{Lessons: []playbook.Bullet{got.Bullet}}, err
	}
	status, err := s.Status(ctx)
	if err != nil {
		return reviewed{}, err
	}
	var out reviewed
	for _, n := range status.Items {
		switch api.WaitKind(n.Kind) {
		case api.WaitApproval:
			out.Needs = append(out.Needs, n)
		case api.WaitLesson:
			list, err := s.Bullets(ctx, api.ListBulletsRequest{Page: api.Page{Limit: lessonsToReview}, Review: true})
			if err != nil {
				return reviewed{}, err
			}
			out.Lessons = list.Bullets
		}
	}
	return out, nil
}

// Words implements spoken.
func (r reviewed) Words() string {
	var b strings.Builder
	if a := r.Approvals; a != nil {
		fmt.Fprintf(&b, "%s has %d of %d approvals\n", a.Ref, len(a.By), a.Needed)
	}
	for _, n := range r.Needs {
		fmt.Fprintf(&b, "%s: %s\n", brenner.OneLine(n.What), n.Do.Tool())
	}
	for _, l := range r.Lessons {
		fmt.Fprintf(&b, "%s · %s · %s · %s\n", l.ID, l.Stage, l.Section, inLine(l.Content))
		if l.Review == playbook.ReviewPending && l.Live() {
			fmt.Fprintf(&b, "it waits: %s\n", brenner.Do("playbook.review.approve", "id", string(l.ID)).Tool())
		}
	}
	if b.Len() == 0 {
		return "nothing waits for your review\n"
	}
	return b.String()
}

// Slim implements spoken.
func (r reviewed) Slim() reviewed { return r }
