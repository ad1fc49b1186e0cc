package lessons

import (
	"errors"

	"brenner"
	"brenner/automation"
	"brenner/internal/app/kernel"
	"brenner/playbook"
)

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		kindBulletUpdated,
		kindPlaybookFrozen,
	}
}

var (
	kindBulletUpdated  = kernel.Kind[bulletUpdated]{Name: "bullet.updated", Apply: applyBulletUpdated, Events: bulletEvents, Texts: []string{"/new/content", "/new/tags/*", "/tags/*", "/untag/*", "/insight/content", "/reason", "/vector", "/decision/skipped/*/ours", "/decision/skipped/*/theirs"}}
	kindPlaybookFrozen = kernel.Kind[playbookFrozen]{Name: "playbook.frozen", Apply: applyPlaybookFrozen}
)

// bulletEvents is what a change of a bullet means for automation. Steps on the
// path are no event: what moves a bullet is evidence.
func bulletEvents(p bulletUpdated) []automation.Event {
	switch p.Kind {
	case playbook.KindPromote, playbook.KindRetire, playbook.KindQuarantine:
		return nil
	}
	return []automation.Event{{On: automation.LessonMoved, Subject: string(p.Bullet)}}
}

// Rises reports whether a bullet has the evidence for its next step (B6), and a
// record is the last that moved it: a batch of evidence is one pass.
func (r *Room) Rises(c *kernel.Call, id string, at int64) (bool, error) {
	row, err := bullets.Row(c.Ctx, c.Reader, id)
	if err != nil || row.Seq != at {
		return false, err
	}
	g, ok := row.Value.Gate()
	return ok && len(g.Missing) == 0, nil
}

// Ready lists bullets that have the evidence for their next step.
func (r *Room) Ready(c *kernel.Call, most int) ([]string, error) {
	var out []string
	err := bullets.Each(c.Ctx, c.Reader, kernel.Query{}, func(row kernel.Row[playbook.Bullet]) (bool, error) {
		if g, ok := row.Value.Gate(); ok && len(g.Missing) == 0 {
			out = append(out, row.ID)
		}
		return len(out) < most, nil
	})
	return out, err
}

// Rise lets a bullet take its next step.
func (r *Room) Rise(ch *kernel.Change, id string) error {
	_, err := decideBullets(ch, []playbook.BulletID{playbook.BulletID(id)}, "", func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
		return b.Promote(act)
	})
	return err
}

// Unsure lists the bullets of the domain of one that wait for a review, the
// oldest first; none if that one does not.
func (r *Room) Unsure(c *kernel.Call, id string, most int) (domain string, waiting []string, err error) {
	b, err := bullets.Find(c.Ctx, c.Reader, id)
	if err != nil || b.Review != playbook.ReviewPending || !b.Live() {
		if errors.Is(err, brenner.CodeNotFound) {
			err = nil
		}
		return "", nil, err
	}
	q := kernel.Query{Group: string(b.Domain), States: []string{string(playbook.ReviewPending)}}
	rows, err := reviews.List(c.Ctx, c.Reader, q, most)
	for _, row := range rows {
		waiting = append(waiting, row.ID)
	}
	return string(b.Domain), waiting, err
}
