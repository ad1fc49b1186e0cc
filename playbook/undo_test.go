package playbook

import (
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
)

// B9: a new record takes the counter down again, once; nothing is deleted.
func TestUndo_OfAMatchDecrementsOnce(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1), says(Helpful, "x", 1), says(Neutral, "x", 1))
	c := d.did(d.book.Undo(RecordRef{"prompts.1", 2}, d.journal, d.act(agent)))
	b := d.bullet("prompts.1")
	if b.Counts != (Counts{Helpful: 1, Neutral: 1}) || b.Revision != 4 || b.Stage != Shadow {
		t.Errorf("bullet %+v", b)
	}
	if u := c.Updates[0]; u.Kind != KindUndo || u.Undoes != 2 || u.Increment != (Counts{Helpful: -1}) {
		t.Errorf("record %+v", u)
	}
	_, err := d.book.Undo(RecordRef{"prompts.1", 2}, d.journal, d.act(agent))
	wantCode(t, err, brenner.CodeAlreadyUndone)
	_, err = d.book.Undo(RecordRef{"prompts.1", 4}, d.journal, d.act(agent))
	wantCode(t, err, brenner.CodeNotUndoable)
	_, err = d.book.Undo(RecordRef{"prompts.1", 9}, d.journal, d.act(agent))
	wantCode(t, err, brenner.CodeNotFound)
	_, err = d.book.Undo(RecordRef{"prompts.5", 1}, d.journal, d.act(agent))
	wantCode(t, err, brenner.CodeNotFound)
}

// B9: undo of an add retires; what is retired cannot be undone further.
// B9.a.
func TestUndo_OfAnAddRetires(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1), says(Helpful, "x", 1))
	d.did(d.book.Undo(RecordRef{"prompts.1", 1}, d.journal, d.act(agent)))
	if b := d.bullet("prompts.1"); b.Stage != Retired || b.Helpful != 1 || b.Content != "x" {
		t.Errorf("bullet %+v", b)
	}
	_, err := d.book.Undo(RecordRef{"prompts.1", 2}, d.journal, d.act(agent))
	wantCode(t, err, brenner.CodeStatusConflict)
	_, err = d.book.Undo(RecordRef{"prompts.1", 1}, d.journal, d.act(agent))
	wantCode(t, err, brenner.CodeAlreadyUndone)
}

// B6, B9: taking support away can quarantine; taking opposition away does not
// release.
func TestUndo_MayQuarantineButNeverReleases(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1), says(Helpful, "x", 1), says(Harmful, "x", 1))
	c := d.did(d.book.Undo(RecordRef{"prompts.1", 2}, d.journal, d.act(agent)))
	if len(c.Updates) != 2 || d.bullet("prompts.1").Stage != Quarantined {
		t.Fatalf("one against one: %+v", c.Updates)
	}
	d.did(d.book.Undo(RecordRef{"prompts.1", 3}, d.journal, d.act(agent)))
	if b := d.bullet("prompts.1"); b.Stage != Quarantined || b.Counts != (Counts{Helpful: 1}) {
		t.Errorf("bullet %+v", b)
	}
}

// B8, B9: undoing a fold from either side restores both bullets; the restored
// one is matched again.
func TestUndo_OfAFoldRestoresBoth(t *testing.T) {
	for side := range 2 {
		d := newDesk(t, Settings{})
		d.learns(says(Helpful, "x", 1))
		d.learns(says(Helpful, "y", 0.5), says(Helpful, "y", 0.5))
		d.did(d.book.ForceStage("prompts.2", Staging, d.act(person)))
		fold := d.did(d.book.Same("prompts.1", "prompts.2", d.act(person)))
		d.learns(says(Helpful, "x", 1)) // life goes on
		undo := d.did(d.book.Undo(fold.Updates[side].Ref(), d.journal, d.act(person)))
		if len(undo.Updates) != 2 || *undo.Updates[0].Twin != undo.Updates[1].Ref() || *undo.Updates[1].Twin != undo.Updates[0].Ref() {
			t.Errorf("records %+v", undo.Updates)
		}
		older, younger := d.bullet("prompts.1"), d.bullet("prompts.2")
		if older.Helpful != 2 || younger.Helpful != 2 || younger.Stage != Staging || len(younger.Links) != 0 {
			t.Errorf("after undo: %+v and %+v", older, younger)
		}
		if got := d.learns(says(Helpful, "y", 0.5))[0]; got.Bullet != "prompts.2" {
			t.Errorf("the restored bullet is not matched: %+v", got)
		}
		for i := range 2 {
			_, err := d.book.Undo(fold.Updates[i].Ref(), d.journal, d.act(person))
			wantCode(t, err, brenner.CodeAlreadyUndone)
		}
	}
}

// B9: an undo needs the true history.
func TestUndo_RefusesAHistoryThatIsNotTheBooks(t *testing.T) {
	d := newDesk(t, Settings{})
	d.learns(says(Helpful, "x", 1), says(Helpful, "x", 1))
	for _, history := range [][]DeltaUpdate{nil, d.journal[:1], d.journal[1:]} {
		_, err := d.book.Undo(RecordRef{"prompts.1", 1}, history, d.act(agent))
		wantCode(t, err, brenner.CodeJournalCorrupt)
	}
}

func TestParseRecordRef_ReadsWhatStringWrites(t *testing.T) {
	want := RecordRef{"ci-cd.12", 3}
	if got, err := ParseRecordRef(want.String()); err != nil || got != want {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"", "x", "x.1", "x.1#", "x.1#0", "x.1#01", "x.1#1#2", "x#1", "x.0#1", "X.1#1", "x.1#-1"} {
		_, err := ParseRecordRef(bad)
		wantCode(t, err, brenner.CodeInvalidID)
	}
	if got := (DeltaUpdate{Bullet: "x.1", Twin: &RecordRef{"x.2", 1}}).Touches(); len(got) != 2 || got[1] != "x.2" {
		t.Errorf("touches %v", got)
	}
	if got := (DeltaUpdate{Bullet: "x.1"}).Touches(); len(got) != 1 {
		t.Errorf("touches %v", got)
	}
}

// B8, B9: what an older bullet had of a twin goes back with it: the tags, and when it was
// seen.
func TestUndo_OfAFoldGivesTagsAndTimesBack(t *testing.T) {
	d := newDesk(t, Settings{})
	first, second := says(Helpful, "x", 1), says(Helpful, "y", 0.5)
	first.Tags, second.Tags = []string{"a"}, []string{"a", "b"}
	d.learns(first)
	before := d.bullet("prompts.1")
	d.now = d.now.Add(time.Hour)
	d.learns(second)
	fold := d.did(d.book.Same("prompts.1", "prompts.2", d.act(person)))
	if b := d.bullet("prompts.1"); len(b.Tags) != 2 || !b.LastSeenAt.After(before.LastSeenAt) {
		t.Fatalf("folded: %+v", b)
	}
	d.did(d.book.Undo(fold.Updates[0].Ref(), d.journal, d.act(person)))
	if b := d.bullet("prompts.1"); !slices.Equal(b.Tags, before.Tags) || !b.LastSeenAt.Equal(before.LastSeenAt) {
		t.Errorf("after undo: %+v, want %+v", b, before)
	}
	if b := d.bullet("prompts.2"); !slices.Equal(b.Tags, second.Tags) {
		t.Errorf("the twin: %+v", b)
	}
}

// B7, B9: a review that is taken back leaves the bullet where it was, waiting for one.
func TestUndo_OfAReviewHasItWaitAgain(t *testing.T) {
	d := newDesk(t, Settings{})
	unsure := says(Helpful, "x", 1)
	unsure.Confidence = 0.5
	d.learns(unsure)
	for range 2 {
		rejected := d.did(d.book.Reject("prompts.1", d.act(person)))
		_, err := d.book.ForceStage("prompts.1", Staging, d.act(person))
		if e := wantCode(t, err, brenner.CodeStatusConflict); !strings.Contains(e.Hint, rejected.Updates[0].Ref().String()) {
			t.Errorf("the hint does not name the way back: %s", e.Hint)
		}
		d.did(d.book.Undo(rejected.Updates[0].Ref(), d.journal, d.act(person)))
		if b := d.bullet("prompts.1"); b.Stage != Shadow || b.Review != ReviewPending {
			t.Fatalf("after undo: %+v", b)
		}
	}
	approved := d.did(d.book.Approve("prompts.1", d.act(person)))
	d.did(d.book.Undo(approved.Updates[0].Ref(), d.journal, d.act(person)))
	if b := d.bullet("prompts.1"); b.Stage != Shadow || b.Review != ReviewPending {
		t.Errorf("after undo of an approval: %+v", b)
	}
	// The same words are no amendment, and close no review.
	same := []Insight{says(Helpful, " x ", 1)}
	o := d.options(same)
	o.Act = d.act(person)
	_, err := d.book.Amend("prompts.1", same[0], o)
	wantCode(t, err, brenner.CodeAlreadyExists)
}
