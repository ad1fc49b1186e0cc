package playbook

import (
	"slices"
	"testing"

	"brenner"
)

// B8: feedback is for agents whose context carried the bullet, and persons.
func TestFeedback_NeedsAContextThatCarriedTheBullet(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1))
	_, err := d.book.Feedback("prompts.1", Helpful, false, d.act(agent))
	wantCode(t, err, brenner.CodeFeedbackDenied)
	d.did(d.book.Feedback("prompts.1", Helpful, true, d.act(agent)))
	d.did(d.book.Feedback("prompts.1", Neutral, false, d.act(person)))
	b := d.bullet("prompts.1")
	if b.Counts != (Counts{Helpful: 2, Neutral: 1}) || !b.LastSeenAt.Equal(d.now) {
		t.Errorf("bullet %+v", b)
	}
	_, err = d.book.Feedback("prompts.1", "great", true, d.act(agent))
	wantCode(t, err, brenner.CodeUnknownSection)
	_, err = d.book.Feedback("prompts.2", Helpful, true, d.act(agent))
	wantCode(t, err, brenner.CodeNotFound)
}

// B7: approval satisfies the confidence of the last gate; rejection retires;
// each once.
// B7.a.
func TestReview_EachOnce(t *testing.T) {
	d := newDesk(t, Settings{})
	unsure := func(content string, c float64) Insight {
		in := says(Helpful, content, c)
		in.Confidence = 0.2
		return in
	}
	d.learns(unsure("x", 1), unsure("y", -1), says(Helpful, "z", 0))
	d.who = person
	for range 5 {
		d.learns(says(Helpful, "x", 1))
	}
	d.who = agent
	d.did(d.book.Promote(d.act(agent)))
	if c := d.did(d.book.Promote(d.act(agent))); len(c.Updates) != 0 {
		t.Fatalf("promoted without a review: %+v", c.Updates)
	}
	_, err := d.book.Approve("prompts.1", d.act(agent))
	wantCode(t, err, brenner.CodePersonRequired)
	d.did(d.book.Approve("prompts.1", d.act(reviewer)))
	d.did(d.book.Promote(d.act(agent)))
	if got := d.bullet("prompts.1").Stage; got != Prod {
		t.Errorf("after approval: %s", got)
	}
	d.did(d.book.Reject("prompts.2", d.act(person)))
	if got := d.bullet("prompts.2"); got.Stage != Retired || got.Review != ReviewRejected {
		t.Errorf("after rejection: %+v", got)
	}
	for _, id := range []BulletID{"prompts.1", "prompts.2"} {
		_, err = d.book.Approve(id, d.act(person))
		wantCode(t, err, brenner.CodeAlreadyReviewed)
		_, err = d.book.Reject(id, d.act(person))
		wantCode(t, err, brenner.CodeAlreadyReviewed)
	}
	_, err = d.book.Approve("prompts.3", d.act(person))
	wantCode(t, err, brenner.CodeStatusConflict)
	_, err = d.book.Approve("prompts.4", d.act(person))
	wantCode(t, err, brenner.CodeNotFound)
	if q := d.book.ReviewQueue(); len(q) != 0 {
		t.Errorf("queue %+v", q)
	}
}

// B8: the younger is folded into the older: counters move by records, the
// younger is retired and linked.
func TestSame_FoldsTheYoungerIntoTheOlder(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "Warm the learning rate up", 1))
	d.learns(says(Helpful, "Ramp the step size", 0.5), says(Helpful, "Ramp the step size", 0.5), says(Harmful, "Ramp the step size", 0.5))
	_, err := d.book.Same("prompts.1", "prompts.2", d.act(agent))
	wantCode(t, err, brenner.CodePersonRequired)
	_, err = d.book.Same("prompts.1", "prompts.1", d.act(person))
	wantCode(t, err, brenner.CodeInvalidValue)
	_, err = d.book.Same("prompts.1", "prompts.9", d.act(person))
	wantCode(t, err, brenner.CodeNotFound)

	seen := d.bullet("prompts.2").LastSeenAt
	c := d.did(d.book.Same("prompts.2", "prompts.1", d.act(reviewer))) // in either order
	older, younger := d.bullet("prompts.1"), d.bullet("prompts.2")
	if older.Counts != (Counts{Helpful: 3, Harmful: 1}) || !older.Live() || !older.LastSeenAt.Equal(seen) {
		t.Errorf("the older is %+v", older)
	}
	if younger.Counts != (Counts{}) || younger.Live() || !slices.Equal(younger.Links, []Link{{SameAs, "prompts.1"}}) {
		t.Errorf("the younger is %+v", younger)
	}
	if len(c.Updates) != 2 || *c.Updates[0].Twin != c.Updates[1].Ref() || *c.Updates[1].Twin != c.Updates[0].Ref() {
		t.Errorf("the records do not name each other: %+v", c.Updates)
	}
	_, err = d.book.Same("prompts.1", "prompts.2", d.act(person))
	if e := wantCode(t, err, brenner.CodeStatusConflict); e.Hint != "it was folded into prompts.1; use that one" {
		t.Errorf("hint %q", e.Hint)
	}
	if got := d.learns(says(Helpful, "Ramp the step size up", 0.5))[0]; !got.Added {
		t.Errorf("the retired twin was matched: %+v", got)
	}
}

// B6, B8: evidence that arrives by folding can quarantine too.
func TestSame_CanQuarantineTheOlder(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1))
	d.learns(says(Harmful, "y", 0), says(Harmful, "y", 0))
	c := d.did(d.book.Same("prompts.1", "prompts.2", d.act(person)))
	if got := d.bullet("prompts.1").Stage; got != Quarantined || len(c.Updates) != 3 {
		t.Errorf("stage %s after %d records", got, len(c.Updates))
	}
	// Undoing it gives back both bullets, but not their freedom.
	undo := d.did(d.book.Undo(c.Updates[1].Ref(), d.journal, d.act(person)))
	if older, younger := d.bullet("prompts.1"), d.bullet("prompts.2"); older.Counts != (Counts{Helpful: 1}) ||
		older.Stage != Quarantined || younger.Counts != (Counts{Harmful: 2}) || younger.Stage != Shadow || len(younger.Links) != 0 {
		t.Errorf("after %+v: %+v and %+v", undo.Updates, older, younger)
	}
}

// B1: a person amends: the bullet is retired, a successor linked supersedes
// begins with the person's word alone, and the old content stays.
func TestAmend_RetiresAndSucceeds(t *testing.T) {
	d := newDesk(t, Settings{})
	for range 4 {
		d.learns(says(Helpful, "Use chian of thought", 1))
	}
	better := []Insight{says(Helpful, "Use chain of thought", 0.99)}
	_, err := d.book.Amend("prompts.1", better[0], d.options(better))
	wantCode(t, err, brenner.CodePersonRequired)
	o := d.options(better)
	o.Act = d.act(person)
	_, err = d.book.Amend("prompts.9", better[0], o)
	wantCode(t, err, brenner.CodeNotFound)
	blank := better[0]
	blank.Content = "  "
	_, err = d.book.Amend("prompts.1", blank, o)
	wantCode(t, err, brenner.CodeContentBlank)

	c := d.did(d.book.Amend("prompts.1", better[0], o))
	old, successor := d.bullet("prompts.1"), d.bullet("prompts.2")
	if old.Stage != Retired || old.Content != "Use chian of thought" || old.Helpful != 4 {
		t.Errorf("the old bullet is %+v", old)
	}
	if successor.Stage != Shadow || successor.Counts != (Counts{Helpful: 1}) || successor.Review != "" ||
		!slices.Equal(successor.Links, []Link{{Supersedes, "prompts.1"}}) || successor.Source.Agent != "ada" {
		t.Errorf("the successor is %+v", successor)
	}
	if got := d.learns(says(Helpful, "Use a chain of thought", 1))[0]; got.Bullet != "prompts.2" {
		t.Errorf("the next insight strengthens %s", got.Bullet)
	}
	_, err = d.book.Amend("prompts.1", better[0], o)
	wantCode(t, err, brenner.CodeStatusConflict)

	d.did(d.book.Undo(c.Updates[1].Ref(), d.journal, d.act(person)))
	if old, successor := d.bullet("prompts.1"), d.bullet("prompts.2"); old.Stage != Shadow || old.Helpful != 4 || successor.Live() {
		t.Errorf("after undo: %+v and %+v", old, successor)
	}
}
