package playbook

import (
	"strconv"
	"time"

	"brenner"
)

// Undo takes one record back by a new one (B9): a counter goes down again, an
// added bullet is retired, a fold or an amendment is taken back on both of its
// bullets, a bullet whose review is taken back waits for one again. history holds every record of the bullets concerned (see Touches),
// each bullet's in order. It reports NOT_FOUND, ALREADY_UNDONE, NOT_UNDOABLE
// for records that another act answers, STATUS_CONFLICT for a bullet retired
// since, and JOURNAL_CORRUPT if the history is not that of the book.
func (b *Book) Undo(ref RecordRef, history []DeltaUpdate, act Act) (Change, error) {
	if err := act.check(); err != nil {
		return Change{}, err
	}
	d := b.draft(act)
	target, err := d.undoable(ref, history)
	if err != nil {
		return Change{}, err
	}
	targets := []DeltaUpdate{target}
	if target.Twin != nil {
		twin, err := d.undoable(*target.Twin, history)
		if err != nil {
			return Change{}, err
		}
		targets = append(targets, twin)
	}
	undone := make([]RecordRef, len(targets)) // where each undo will stand
	for i, u := range targets {
		s, _ := d.find(u.Bullet)
		undone[i] = RecordRef{u.Bullet, s.Revision + 1}
	}
	for i, u := range targets {
		s, _ := d.find(u.Bullet)
		undo := u.inverse(s.Bullet, recordsOf(u.Bullet, history))
		if len(targets) == 2 {
			undo.Twin = &undone[1-i]
		}
		if _, err := d.count(s, undo); err != nil {
			return Change{}, err
		}
	}
	return d.change, nil
}

// Touches lists the bullets whose records Undo needs to take u back.
func (u DeltaUpdate) Touches() []BulletID {
	if u.Twin == nil {
		return []BulletID{u.Bullet}
	}
	return []BulletID{u.Bullet, u.Twin.Bullet}
}

// inverse is the record that takes u back from a bullet as it is now.
func (u DeltaUpdate) inverse(now Bullet, records []DeltaUpdate) DeltaUpdate {
	undo := DeltaUpdate{
		Kind: KindUndo, Undoes: u.Seq, Increment: u.Increment.negated(), Witnesses: withdrawn(u.Witnesses), Unlink: u.Link, Untag: u.Tags,
	}
	switch u.Kind {
	case KindAdd:
		undo.Increment, undo.From, undo.Stage = u.New.negated(), now.Stage, Retired
		undo.Witnesses = withdrawn(u.New.Witnesses)
	case KindRetire:
		undo.From, undo.Stage = now.Stage, u.From
	case KindFold: // what the twin was seen is its own again
		if !u.LastSeenAt.IsZero() && u.LastSeenAt.Equal(now.LastSeenAt) {
			undo.LastSeenAt = seenBefore(records[:u.Seq-1])
		}
	case KindApprove:
		undo.Review = ReviewPending
	case KindReject:
		undo.From, undo.Stage, undo.Review = now.Stage, u.From, ReviewPending
	}
	return undo
}

// seenBefore is when a bullet with these records was last seen.
func seenBefore(records []DeltaUpdate) time.Time {
	seen := records[0].New.LastSeenAt
	for _, u := range records {
		if !u.LastSeenAt.IsZero() {
			seen = u.LastSeenAt
		}
	}
	return seen
}

// recordsOf are the records of one bullet, in order.
func recordsOf(id BulletID, history []DeltaUpdate) []DeltaUpdate {
	var out []DeltaUpdate
	for _, u := range history {
		if u.Bullet == id {
			out = append(out, u)
		}
	}
	return out
}

// undoable finds a record that can be taken back.
func (d *draft) undoable(ref RecordRef, history []DeltaUpdate) (DeltaUpdate, error) {
	s, ok := d.find(ref.Bullet)
	if !ok {
		return DeltaUpdate{}, unknownBullet(ref.Bullet)
	}
	records := recordsOf(ref.Bullet, history)
	now, err := Replay(records)
	if err != nil {
		return DeltaUpdate{}, err
	}
	if len(records) == 0 || now.Digest() != s.digest {
		return DeltaUpdate{}, brenner.Errorf(brenner.CodeJournalCorrupt, "the records of bullet %s do not make the bullet", ref.Bullet).
			WithHint("read the history again; it may have grown")
	}
	if ref.Seq > len(records) {
		return DeltaUpdate{}, brenner.Errorf(brenner.CodeNotFound, "bullet %s has no record %d", ref.Bullet, ref.Seq).
			WithHint("it has " + strconv.Itoa(len(records)))
	}
	target := records[ref.Seq-1]
	return target, checkUndo(s.Bullet, target, records)
}

func checkUndo(b Bullet, target DeltaUpdate, records []DeltaUpdate) error {
	switch target.Kind {
	case KindAdd, KindMatch, KindFeedback, KindFold, KindRetire, KindApprove, KindReject:
	default:
		return brenner.Errorf(brenner.CodeNotUndoable, "record %s is of the kind %s, which undo does not take back", target.Ref(), target.Kind).
			WithHint(map[Kind]string{
				KindUndo: "say again what it took back", KindQuarantine: "a person releases the bullet", KindRelease: "a person sets the stage of the bullet",
				KindPromote: "a person sets the stage of the bullet",
			}[target.Kind])
	}
	for _, u := range records[target.Seq:] {
		if u.Undoes == target.Seq {
			return brenner.Errorf(brenner.CodeAlreadyUndone, "record %s was undone by record %s", target.Ref(), u.Ref()).
				WithHint("nothing is left to do")
		}
	}
	if !b.Live() && target.Kind != KindRetire && target.Kind != KindReject {
		return brenner.Errorf(brenner.CodeStatusConflict, "bullet %s is retired", b.ID).WithHint(retiredHint(b))
	}
	return nil
}
