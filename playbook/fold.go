package playbook

import (
	"fmt"
	"strings"

	"brenner"
)

// Same folds the younger of two bullets into the older: its counters move
// over, it is retired and linked same_as (B8). A person or a reviewing agent
// may: PERSON_REQUIRED, NOT_FOUND, STATUS_CONFLICT for a retired bullet,
// INVALID_VALUE for one bullet named twice.
func (b *Book) Same(x, y BulletID, act Act) (Change, error) {
	if err := act.byReviewer("declare two bullets the same"); err != nil {
		return Change{}, err
	}
	d := b.draft(act)
	older, err := d.living(x)
	if err != nil {
		return Change{}, err
	}
	younger, err := d.living(y)
	if err != nil {
		return Change{}, err
	}
	if x == y {
		return Change{}, brenner.Errorf(brenner.CodeInvalidValue, "bullet %s is named twice", x).
			WithHint("name the two bullets that say the same")
	}
	if keyOf(younger.Bullet).before(keyOf(older.Bullet)) {
		older, younger = younger, older
	}
	gone := DeltaUpdate{
		Kind: KindRetire, From: younger.Stage, Stage: Retired, Increment: younger.negated(), Witnesses: withdrawn(younger.Witnesses),
		Link: []Link{{SameAs, older.ID}}, Twin: &RecordRef{older.ID, older.Revision + 1},
	}
	if _, err := d.record(younger, gone); err != nil {
		return Change{}, err
	}
	kept := DeltaUpdate{
		Kind: KindFold, Increment: younger.Counts, Witnesses: younger.Witnesses, Tags: older.without(younger.Tags),
		Twin: &RecordRef{younger.ID, younger.Revision + 1},
	}
	if younger.LastSeenAt.After(older.LastSeenAt) {
		kept.LastSeenAt = younger.LastSeenAt
	}
	_, err = d.count(older, kept)
	return d.change, err
}

// Amend lets a person word a lesson better: the bullet is retired, and a
// successor in SHADOW, linked supersedes, begins with the person's word as its
// only evidence (B1). The evidence for the old words does not carry over. The
// insight's vector and embedding are as for Curate. It reports
// PERSON_REQUIRED, REASON_REQUIRED, NOT_FOUND, STATUS_CONFLICT for a retired
// bullet, ALREADY_EXISTS where another bullet says it already, and whatever
// Curate reports about an insight.
func (b *Book) Amend(id BulletID, in Insight, o CurateOptions) (Change, error) {
	if err := o.byPerson("amend a bullet"); err != nil {
		return Change{}, err
	}
	in.Confidence = 1 // a person's word waits for no review
	settings, err := b.admit([]Insight{in}, o)
	if err != nil {
		return Change{}, err
	}
	c := curator{draft: b.draft(o.Act), options: o, fresh: newIndex()}
	c.change.Embedding = settings.Embedding
	old, err := c.living(id)
	if err != nil {
		return Change{}, err
	}
	if in.Section == old.Section && strings.Join(strings.Fields(in.Content), " ") == strings.Join(strings.Fields(old.Content), " ") {
		return Change{}, brenner.Errorf(brenner.CodeAlreadyExists, "bullet %s says that already, word for word", id).
			WithHint("an amendment says it better; what it waits for is decided as it is").Try(brenner.Do("playbook.show", "id", string(id)))
	}
	if err := c.saidAlready(in, id); err != nil {
		return Change{}, err
	}
	successor := c.newBullet(in)
	successor.Links = []Link{{Supersedes, id}}
	gone := DeltaUpdate{Kind: KindRetire, From: old.Stage, Stage: Retired, Twin: &RecordRef{successor.ID, 1}}
	if _, err := c.record(old, gone); err != nil {
		return Change{}, err
	}
	_, err = c.add(successor, in.Vector, DeltaUpdate{Twin: &RecordRef{id, old.Revision + 1}})
	return c.change, err
}

// saidAlready refuses words that would have strengthened another bullet than the
// one they are to take the place of.
func (c *curator) saidAlready(in Insight, but BulletID) error {
	matches, _ := c.book.index.search(in.Vector, c.book.settings.Threshold, NearFloor, MaxNear)
	for _, hit := range matches {
		s, _ := c.find(hit.ID)
		if _, refused := c.options.Guard.Clash(in.Content, s.Content); hit.ID == but || refused {
			continue
		}
		return brenner.Errorf(brenner.CodeAlreadyExists, "bullet %s says that already", hit.ID).
			WithHint(fmt.Sprintf("declare %s and %s the same instead, or say in what this lesson differs", hit.ID, but)).
			Try(brenner.Do("playbook.same"))
	}
	return nil
}
