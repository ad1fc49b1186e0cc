package playbook

import (
	"time"

	"brenner"
)

// Actor is who decides. What an actor may do is the caller's policy; only what
// the rules reserve to persons and reviewers is checked here.
type Actor struct {
	Name brenner.ActorName
	// Person is true for a human being.
	Person bool
	// Reviewer is true for an agent whose role is to review.
	Reviewer bool
}

// Act is a decision's who, when and why.
type Act struct {
	At     time.Time
	Actor  Actor
	Reason string
	// Occasion is the task or session the actor works in, and Context the
	// context that feedback is about, both as the caller knows them and not as
	// the actor says; empty if there is none (C36).
	Occasion, Context string
}

// check reports INVALID_VALUE for a time no record can carry, and
// LIMIT_EXCEEDED for a reason that is too long.
func (a Act) check() error {
	if y := a.At.UTC().Year(); y < 1 || y > 9999 || a.At.IsZero() {
		return brenner.Errorf(brenner.CodeInvalidValue, "the time of the change cannot be written down").
			WithHint("use a time between the years 1 and 9999")
	}
	if n := len([]rune(a.Reason)); n > brenner.MaxNoteRunes {
		return brenner.Errorf(brenner.CodeLimitExceeded, "the reason has %d characters", n).
			WithHint("shorten it to 4,000")
	}
	return nil
}

// byPerson reports PERSON_REQUIRED unless a human being acts, and
// REASON_REQUIRED unless they say why.
func (a Act) byPerson(what string) error {
	if !a.Actor.Person {
		return brenner.Errorf(brenner.CodePersonRequired, "only a person may %s", what).
			WithHint("ask the PI")
	}
	if brenner.SaysNothing(a.Reason) {
		return brenner.Errorf(brenner.CodeReasonRequired, "a person who decides to %s must say why", what).
			WithHint("add a reason")
	}
	return a.check()
}

// byReviewer reports PERSON_REQUIRED unless a person or a reviewing agent acts.
func (a Act) byReviewer(what string) error {
	if !a.Actor.Person && !a.Actor.Reviewer {
		return brenner.Errorf(brenner.CodePersonRequired, "only a person or a reviewing agent may %s", what).
			WithHint("ask the PI or an agent whose role is to review")
	}
	return a.check()
}

// draft is a book with changes on top: each step of a decision sees the steps
// before it, and the book itself stays as it was.
type draft struct {
	book    *Book
	act     Act
	changed map[BulletID]state
	order   []BulletID // of changed, by first change
	next    int
	change  Change
}

func (b *Book) draft(act Act) *draft {
	act.At = instant(act.At)
	return &draft{
		book: b, act: act, changed: map[BulletID]state{}, next: b.next(),
		change: Change{Embedding: b.settings.Embedding},
	}
}

// find gives the state of a bullet as the draft has it.
func (d *draft) find(id BulletID) (state, bool) {
	if s, ok := d.changed[id]; ok {
		return s, true
	}
	if e := d.book.entry(id); e != nil {
		return e.state, true
	}
	return state{}, false
}

// living finds a bullet that is not retired, or reports NOT_FOUND or
// STATUS_CONFLICT.
func (d *draft) living(id BulletID) (state, error) {
	s, ok := d.find(id)
	if !ok {
		return state{}, unknownBullet(id)
	}
	if !s.Live() {
		return state{}, brenner.Errorf(brenner.CodeStatusConflict, "bullet %s is retired", id).
			WithHint(retiredHint(s.Bullet))
	}
	return s, nil
}

// retiredHint says where a retired bullet's evidence went.
func retiredHint(b Bullet) string {
	for _, l := range b.Links {
		if l.Rel == SameAs {
			return "it was folded into " + string(l.Bullet) + "; use that one"
		}
	}
	if b.Review == ReviewRejected {
		return "its review rejected it; undo " + RecordRef{b.ID, b.Revision}.String() + " takes that back, and it waits for a review again"
	}
	return "see its history for what happened to it"
}

func (d *draft) put(s state) {
	if _, ok := d.changed[s.ID]; !ok {
		d.order = append(d.order, s.ID)
	}
	d.changed[s.ID] = s
}

// record completes a record on a bullet (the zero state for a new one), applies
// it to the draft and gives the state after it.
func (d *draft) record(s state, u DeltaUpdate) (state, error) {
	if u.New == nil {
		u.Bullet = s.ID
	}
	u.Seq, u.Before = s.Revision+1, s.digest
	u.At, u.Actor, u.Threshold = d.act.At, d.act.Actor.Name, d.book.settings.Threshold
	if u.Reason == "" {
		u.Reason = d.act.Reason
	}
	next, err := u.apply(s)
	if err != nil {
		return state{}, err
	}
	u.After = next.digest
	if u.New != nil {
		begun := next.Bullet
		u.New = &begun
	}
	d.put(next)
	d.change.Updates = append(d.change.Updates, u)
	return next, nil
}

// count records a change of counters and then, in the same breath, quarantines
// the bullet if the evidence has turned against it (B6).
func (d *draft) count(s state, u DeltaUpdate) (state, error) {
	next, err := d.record(s, u)
	if err != nil || !turnedAgainst(s.Bullet, next.Bullet) {
		return next, err
	}
	return d.record(next, DeltaUpdate{
		Kind: KindQuarantine, From: next.Stage, Stage: Quarantined, Reason: evidence(next.Bullet),
	})
}
