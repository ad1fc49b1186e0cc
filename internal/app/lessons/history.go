package lessons

import (
	"slices"

	"brenner"
	"brenner/internal/app/kernel"
	"brenner/playbook"
)

// history is the records of one bullet, first to last.
type history struct {
	bullet  playbook.BulletID
	last    int64 // journal position of the last record
	updates []playbook.DeltaUpdate
}

// histories are those of the bullets that one act touches.
type histories []history

func (hs histories) bullets() []playbook.BulletID {
	out := make([]playbook.BulletID, len(hs))
	for i, h := range hs {
		out[i] = h.bullet
	}
	return out
}

func (hs histories) updates() []playbook.DeltaUpdate {
	var out []playbook.DeltaUpdate
	for _, h := range hs {
		out = append(out, h.updates...)
	}
	return out
}

// of gives the history of a bullet, an empty one if it is not known.
func (hs histories) of(id playbook.BulletID) history {
	for _, h := range hs {
		if h.bullet == id {
			return h
		}
	}
	return history{bullet: id}
}

// undoHistory reads the histories that an undo needs, on top of what is known.
func undoHistory(c *kernel.Call, ref playbook.RecordRef, known histories) (histories, error) {
	first, err := extendHistory(c, known.of(ref.Bullet))
	if err != nil {
		return nil, err
	}
	out := histories{first}
	if ref.Seq > len(first.updates) {
		return out, nil // there is no such record: undo says so
	}
	for _, id := range first.updates[ref.Seq-1].Touches()[1:] {
		twin, err := extendHistory(c, known.of(id))
		if err != nil {
			return nil, err
		}
		out = append(out, twin)
	}
	return out, nil
}

// extendHistory brings a history up to the present.
func extendHistory(c *kernel.Call, h history) (history, error) {
	row, err := bullets.Row(c.Ctx, c.Reader, string(h.bullet))
	if err != nil {
		return history{}, err
	}
	newer, _, err := recordsBack(c, row.Seq, h.last, 0)
	slices.Reverse(newer)
	return history{h.bullet, row.Seq, slices.Concat(h.updates, newer)}, err
}

// recordsBack reads records of a bullet newest first, from a journal position
// back to another, which is left out, or to the first: at most some of them (0:
// all). It also gives the position where it would go on.
func recordsBack(c *kernel.Call, from, to int64, most int) ([]playbook.DeltaUpdate, int64, error) {
	var out []playbook.DeltaUpdate
	for from > to && (most == 0 || len(out) < most) {
		rows, err := c.Reader.Records(c.Ctx, from-1, 1)
		if err != nil {
			return nil, 0, err
		}
		if len(rows) != 1 || rows[0].Kind != kindBulletUpdated.Name {
			return nil, 0, brenner.Errorf(brenner.CodeJournalCorrupt, "record %d is not that of a bullet", from)
		}
		u, err := readUpdate(c, rows[0])
		if err != nil {
			return nil, 0, err
		}
		out = append(out, u.DeltaUpdate)
		from = u.Previous
	}
	return out, from, nil
}
