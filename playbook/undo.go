package playbook

import (
	"strconv"

	"brenner"
)

// Undo takes one record back by a new one (B9): a counter goes down again, an
// added bullet is retired, a fold or an amendment is taken back on both of its
// bullets. history holds every record of the bullets concerned (see Touches),
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
		undo := u.inverse(s.Stage)
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

// inverse is the record that takes u back from a bullet in a stage.
func (u DeltaUpdate) inverse(now Stage) DeltaUpdate {
	undo := DeltaUpdate{Kind: KindUndo, Undoes: u.Seq, Increment: u.Increment.negated(), Witnesses: withdrawn(u.Witnesses), Unlink: u.Link}
	switch u.Kind {
	case KindAdd:
		undo.Increment, undo.From, undo.Stage = u.New.negated(), now, Retired
		undo.Witnesses = withdrawn(u.New.Witnesses)
	case KindRetire:
		undo.From, undo.Stage = now, u.From
	}
	return undo
}

// undoable finds a record that can be taken back.
func (d *draft) undoable(ref RecordRef, history []DeltaUpdate) (DeltaUpdate, error) {
	s, ok := d.find(ref.Bullet)
	if !ok {
		return DeltaUpdate{}, unknownBullet(ref.Bullet)
	}
	var records []DeltaUpdate
	for _, u := range history {
		if u.Bullet == ref.Bullet {
			records = append(records, u)
		}
	}
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
	case KindAdd, KindMatch, KindFeedback, KindFold, KindRetire:
	default:
		return brenner.Errorf(brenner.CodeNotUndoable, "record %s is a %s, which undo does not take back", target.Ref(), target.Kind).
			WithHint("use promote, release or review instead")
	}
	for _, u := range records[target.Seq:] {
		if u.Undoes == target.Seq {
			return brenner.Errorf(brenner.CodeAlreadyUndone, "record %s was undone by record %s", target.Ref(), u.Ref()).
				WithHint("nothing is left to do")
		}
	}
	if !b.Live() && target.Kind != KindRetire {
		return brenner.Errorf(brenner.CodeStatusConflict, "bullet %s is retired", b.ID).WithHint(retiredHint(b))
	}
	return nil
}
