package contexts

import (
	"context"
	"time"

	"brenner"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
)

// aheadAtOnce is how many artifacts are read ahead in one go, which takes some
// hundredths of a second.
const aheadAtOnce = 500

// ahead is how far a process has read ahead: up to which position of the journal, and
// how often the shelf had been emptied by then.
type ahead struct {
	position int64
	emptied  int
}

// ReadAhead remembers of the artifacts that it has not read yet, the newest first, what
// contexts ask for: their rows, where they come from, their links, whether they are stale,
// and what their summaries mean. Otherwise contexts learn it as they meet them, which makes
// the first hundreds of a large project half as slow again as those after them. It ends when
// everything is remembered or no more would be kept. After each portion it calls pause with
// how long that took.
//
// It is for one caller at a time.
func (r *Room) ReadAhead(ctx context.Context, pause func(time.Duration)) error {
	var next ahead
	q := store.ArtifactQuery{Recent: true, Limit: aheadAtOnce}
	for more := true; more; {
		start := time.Now()
		var summaries []string
		err := r.Store().Read(ctx, func(rd store.Reader) error {
			position, err := rd.Size(ctx)
			if err != nil {
				return err
			}
			ranking, err := rd.Rank(ctx, store.RankQuery{})
			if err != nil {
				return err
			}
			near, err := r.shelf.open(&kernel.Call{Reader: rd, Ctx: ctx, Position: position}, ranking.Generation)
			if err != nil {
				return err
			}
			if q.ChangedAt == 0 { // the first portion
				if next = (ahead{position, r.shelf.timesEmptied()}); next.emptied == r.ahead.emptied {
					q.ChangedAfter = r.ahead.position
				}
			}
			rows, err := rd.Artifacts(ctx, q)
			if err != nil || len(rows) == 0 {
				more = false
				return err
			}
			room := near.keep(rows)
			more = room && len(rows) == q.Limit
			last := rows[len(rows)-1]
			q.After, q.ChangedAt = last.ID, last.Seq
			refs := make([]brenner.Ref, len(rows))
			for i := range rows {
				refs[i] = inForceRef(&rows[i])
				summaries = append(summaries, rows[i].Summary)
			}
			if _, err := near.origins(refs); err != nil {
				return err
			}
			up, _, _, err := near.links(refs)
			if err != nil {
				return err
			}
			_, err = near.stale(carried(up))
			if brenner.CodeOf(err) == brenner.CodeLimitExceeded {
				err = nil // who asks for fewer may be told
			}
			return err
		})
		if err != nil {
			return err
		}
		r.remember(summaries)
		pause(time.Since(start))
	}
	r.ahead = next
	return nil
}
