package playbook

import "brenner"

// Feedback counts an agent's judgement of a bullet it worked with. carried
// says whether a recorded context of that agent held the bullet; without it
// the agent cannot know what it judges, and FEEDBACK_DENIED follows (B8), as it
// does for a second judgement in one context (C36). Persons may without one. Also NOT_FOUND, UNKNOWN_SECTION, and STATUS_CONFLICT for
// a retired bullet.
func (b *Book) Feedback(id BulletID, as Section, carried bool, act Act) (Change, error) {
	if as.Check() != nil {
		return Change{}, brenner.Errorf(brenner.CodeUnknownSection, "%q is nothing that a lesson turns out to be", brenner.Clip(string(as), brenner.MaxQuote)).
			At("/as").WithHint("say helpful, harmful or neutral")
	}
	if err := act.check(); err != nil {
		return Change{}, err
	}
	d := b.draft(act)
	s, err := d.living(id)
	if err != nil {
		return Change{}, err
	}
	if !carried && !act.Actor.Person {
		return Change{}, brenner.Errorf(brenner.CodeFeedbackDenied, "no context of %s carried bullet %s", act.Actor.Name, id).
			WithHint("assemble a context first; feedback is about lessons that were used")
	}
	if act.Context != "" && s.judgedIn(act.Actor.Name, act.Context) {
		return Change{}, brenner.Errorf(brenner.CodeFeedbackDenied, "%s has judged bullet %s in context %s already", act.Actor.Name, id, act.Context).
			WithHint("one judgement counts per agent and context; undo it to judge otherwise")
	}
	u := DeltaUpdate{Kind: KindFeedback, Increment: one(as), Witnesses: d.act.witness(act.Actor.Name, as)}
	if d.act.At.After(s.LastSeenAt) {
		u.LastSeenAt = d.act.At
	}
	_, err = d.count(s, u)
	return d.change, err
}

// ReviewQueue lists the bullets that wait for a review, oldest number first.
func (b *Book) ReviewQueue() []Bullet {
	var out []Bullet
	for i := range b.entries {
		if e := &b.entries[i]; e.ID != "" && e.Live() && e.Review == ReviewPending {
			out = append(out, e.clone())
		}
	}
	return out
}

// Approve closes a review: the bullet's confidence no longer holds it back
// (B7). It reports PERSON_REQUIRED, NOT_FOUND, ALREADY_REVIEWED, and
// STATUS_CONFLICT for a bullet that was never queued or is retired.
func (b *Book) Approve(id BulletID, act Act) (Change, error) {
	return b.review(id, act, DeltaUpdate{Kind: KindApprove, Review: ReviewApproved})
}

// Reject closes a review and retires the bullet (B7). It fails like Approve.
func (b *Book) Reject(id BulletID, act Act) (Change, error) {
	return b.review(id, act, DeltaUpdate{Kind: KindReject, Review: ReviewRejected, Stage: Retired})
}

func (b *Book) review(id BulletID, act Act, u DeltaUpdate) (Change, error) {
	if err := act.byReviewer("review a bullet"); err != nil {
		return Change{}, err
	}
	d := b.draft(act)
	s, ok := d.find(id)
	if !ok {
		return Change{}, unknownBullet(id)
	}
	if s.Review == ReviewApproved || s.Review == ReviewRejected {
		hint := "undo of the record of its review takes that back, and it waits for one again"
		if s.Review == ReviewRejected {
			hint = retiredHint(s.Bullet)
		}
		return Change{}, brenner.Errorf(brenner.CodeAlreadyReviewed, "bullet %s has been %s", id, s.Review).WithHint(hint)
	}
	s, err := d.living(id)
	if err != nil {
		return Change{}, err
	}
	if s.Review != ReviewPending {
		return Change{}, brenner.Errorf(brenner.CodeStatusConflict, "bullet %s is not waiting for a review", id).
			WithHint("only what waits for a review is reviewed").Try(brenner.Do("playbook.review.list"))
	}
	if u.Stage != "" {
		u.From = s.Stage
	}
	_, err = d.record(s, u)
	return d.change, err
}
