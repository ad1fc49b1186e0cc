package lessons

import (
	"context"
	"errors"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/playbook"
	"brenner/policy"
)

// The group of a bullet is its domain, its state its stage and its order its
// birth; what is stored is exactly the canonical JSON that its digest is taken
// of (B5).
var bullets = kernel.Table[playbook.Bullet]{
	Kind: "bullet",
	Key: func(b playbook.Bullet) kernel.Key {
		return kernel.Key{ID: string(b.ID), Group: string(b.Domain), State: string(b.Stage)}
	},
	Missing: func(id string) error {
		return brenner.Errorf(brenner.CodeNotFound, "there is no bullet %q", id).
			Try(brenner.Do("playbook.list"))
	},
}

// review is that a bullet waits or waited for a review: a row of its own, so
// that the queue is found without reading every bullet. Nothing but its place
// is stored.
type review struct {
	Where kernel.Key `json:"-"`
}

var reviews = kernel.Table[review]{Kind: "bullet_review", Key: func(r review) kernel.Key { return r.Where }}

// A playbook is named by its domain.
var frozen = kernel.Table[playbookFrozen]{
	Kind: "playbook",
	Key:  func(p playbookFrozen) kernel.Key { return kernel.Key{ID: string(p.Domain)} },
	Missing: func(domain string) error {
		return brenner.Errorf(brenner.CodeNotFound, "the domain %s has no playbook", domain).
			WithHint("it begins with its first lesson").Try(brenner.Do("playbook.learn", "domain", domain))
	},
}

// bulletUpdated is one change of one bullet.
type bulletUpdated struct {
	playbook.DeltaUpdate `json:",inline"`
	// Previous is the journal position of the bullet's record before this one,
	// 0 at its first: the history of a bullet is read by following it back from
	// the bullet's own position.
	Previous int64 `json:"previous,omitzero"`
}

// readUpdate reads the record of a change.
func readUpdate(c *kernel.Call, row store.Record) (bulletUpdated, error) {
	u, err := kindBulletUpdated.Read(c, row)
	u.redacted()
	return u, err
}

// redacted marks the beginning of a bullet whose words are gone (J7).
func (u *bulletUpdated) redacted() {
	if u.New != nil && u.New.Content == kernel.RedactedText {
		u.New.Redacted = true
		u.Vector = ""
	}
}

func applyBulletUpdated(ctx context.Context, tx store.Tx, rec journal.Record, p bulletUpdated) error {
	p.redacted()
	row, err := bullets.Row(ctx, tx, string(p.Bullet))
	if err != nil && !errors.Is(err, brenner.CodeNotFound) {
		return err
	}
	if row.Seq != p.Previous {
		return brenner.Errorf(brenner.CodeJournalCorrupt, "record %s does not follow the record at %d", p.Ref(), row.Seq)
	}
	b, err := p.Apply(row.Value)
	if err != nil {
		return err
	}
	if p.Previous == 0 {
		row.Order = rec.Seq
	}
	if err := bullets.Replace(ctx, tx, rec.Seq, row, b); err != nil {
		return err
	}
	if b.Review != "" {
		r := review{Where: bullets.Key(b)}
		r.Where.Order, r.Where.State = row.Order, reviewState(b)
		if err := reviews.Put(ctx, tx, rec.Seq, r); err != nil {
			return err
		}
	}
	if p.New != nil && p.New.Redacted {
		return dropVector(ctx, tx, p)
	}
	return keepGivenVector(ctx, tx, p)
}

// dropVector puts a vector that says nothing in the place of one that was made
// of words that are gone.
func dropVector(ctx context.Context, tx store.Tx, p bulletUpdated) error {
	book, err := frozen.Find(ctx, tx, string(p.Bullet.Domain()))
	if errors.Is(err, brenner.CodeNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	id := string(p.Bullet)
	found, err := tx.Vectors(ctx, book.space(), []string{id})
	if err != nil || len(found[id]) == 0 {
		return err
	}
	blank := make([]float32, len(found[id]))
	blank[0] = 1
	return tx.PutVectors(ctx, book.space(), map[string][]float32{id: blank})
}

// reviewClosed is the state of a review that its bullet's retirement ended.
const reviewClosed = "closed"

func reviewState(b playbook.Bullet) string {
	if b.Review == playbook.ReviewPending && !b.Live() {
		return reviewClosed
	}
	return string(b.Review)
}

// keepGivenVector puts a vector that came with an insight where vectors are:
// the record is the only other place that has it. Vectors that were computed
// can be computed again, and are no part of the state.
func keepGivenVector(ctx context.Context, tx store.Tx, p bulletUpdated) error {
	v, err := p.GivenVector()
	if err != nil || v == nil {
		return err
	}
	book, err := frozen.Find(ctx, tx, string(p.Bullet.Domain()))
	if err != nil {
		return err
	}
	return tx.PutVectors(ctx, book.space(), map[string][]float32{string(p.Bullet): v})
}

// playbookFrozen says what makes the vectors of a playbook from here on (B12):
// at the first insight, and whenever it moves to another embedding.
type playbookFrozen struct {
	Domain    playbook.Domain   `json:"domain"`
	Embedding playbook.Identity `json:"embedding"`
}

// space names the place of the vectors of a playbook: another embedding,
// another space.
func (p playbookFrozen) space() string {
	return "playbook/" + string(p.Domain) + "/" + string(canon.Sum(canon.MustMarshal(p.Embedding)))
}

func applyPlaybookFrozen(ctx context.Context, tx store.Tx, rec journal.Record, p playbookFrozen) error {
	before, err := frozen.Row(ctx, tx, string(p.Domain))
	if errors.Is(err, brenner.CodeNotFound) {
		return frozen.Put(ctx, tx, rec.Seq, p)
	}
	if err != nil {
		return err
	}
	if err := tx.DeleteVectors(ctx, before.Value.space()); err != nil {
		return err
	}
	return frozen.Replace(ctx, tx, rec.Seq, before, p)
}

// frozenTo says what a playbook is frozen to, nothing before its first insight.
func frozenTo(c *kernel.Call, domain playbook.Domain) (playbookFrozen, error) {
	p, err := frozen.Find(c.Ctx, c.Reader, string(domain))
	if errors.Is(err, brenner.CodeNotFound) {
		return playbookFrozen{Domain: domain}, nil
	}
	return p, err
}

// eachBullet visits the bullets of a domain, of some stages or all, oldest
// first.
func eachBullet(ctx context.Context, r store.Reader, domain playbook.Domain, stages []playbook.Stage, fn func(playbook.Bullet) error) error {
	q := kernel.Query{Group: string(domain), States: kernel.Strings(stages)}
	return bullets.Each(ctx, r, q, func(row kernel.Row[playbook.Bullet]) (bool, error) { return true, fn(row.Value) })
}

// actOf is who decides about bullets, when and why.
func actOf(c *kernel.Call, reason string) (playbook.Act, error) {
	if err := kernel.CheckText(reason); err != nil {
		return playbook.Act{}, err
	}
	person := c.Person()
	return playbook.Act{At: c.Now, Reason: reason, Actor: playbook.Actor{
		Name: c.Who.Name, Person: person, Reviewer: !person && c.May(policy.PlaybookReview, "", ""),
	}}, nil
}

// keepChange writes what was decided about the bullets of one domain, and says
// how they are since.
func keepChange(ch *kernel.Change, domain playbook.Domain, c playbook.Change) (api.BulletResult, error) {
	out := api.BulletResult{Bullets: []playbook.Bullet{}, Records: []string{}}
	seq, err := keepUpdates(ch, domain, c)
	if err != nil {
		return out, err
	}
	out.Seq = seq
	sees, err := ch.SeesLessons()
	if err != nil {
		return out, err
	}
	seen := map[playbook.BulletID]bool{}
	for _, u := range c.Updates {
		out.Records = append(out.Records, u.Ref().String())
		if seen[u.Bullet] {
			continue
		}
		seen[u.Bullet] = true
		b, err := bullets.Find(ch.Ctx, ch.Reader, string(u.Bullet))
		if err != nil {
			return out, err
		}
		if !sees {
			b.Content = "" // the answer to who reads nothing has no lesson in it (C33)
		}
		out.Bullets = append(out.Bullets, b)
	}
	return out, nil
}

// keepUpdates writes a record for each change of a bullet, and the vectors of
// new bullets. It gives the position of the last record.
func keepUpdates(ch *kernel.Change, domain playbook.Domain, c playbook.Change) (seq int64, err error) {
	book, err := freezeTo(ch, domain, c.Embedding)
	if err != nil {
		return 0, err
	}
	last := map[playbook.BulletID]int64{}
	for _, u := range c.Updates {
		if _, seen := last[u.Bullet]; !seen {
			row, err := bullets.Row(ch.Ctx, ch.Reader, string(u.Bullet))
			if err != nil && !errors.Is(err, brenner.CodeNotFound) {
				return 0, err
			}
			last[u.Bullet] = row.Seq
		}
		if seq, err = kindBulletUpdated.Append(ch, bulletUpdated{DeltaUpdate: u, Previous: last[u.Bullet]}); err != nil {
			return 0, err
		}
		last[u.Bullet] = seq
	}
	return seq, keepVectors(ch, book, c.Vectors)
}

// freezeTo notes the embedding of a playbook with its first insight.
func freezeTo(ch *kernel.Change, domain playbook.Domain, id playbook.Identity) (playbookFrozen, error) {
	p, err := frozenTo(ch.Call, domain)
	if err != nil || p.Embedding != (playbook.Identity{}) || id == (playbook.Identity{}) {
		return p, err
	}
	p.Embedding = id
	_, err = kindPlaybookFrozen.Append(ch, p)
	return p, err
}

func keepVectors(ch *kernel.Change, p playbookFrozen, vectors []playbook.BulletVector) error {
	if len(vectors) == 0 || p.Embedding.Provider == playbook.ProviderExplicit {
		return nil // none, or kept with their records
	}
	rows := make(map[string][]float32, len(vectors))
	for _, v := range vectors {
		rows[string(v.Bullet)] = v.Vector
	}
	return ch.PutVectors(p.space(), rows)
}

// domainOr checks a domain, taking the default for none.
func domainOr(domain playbook.Domain) (playbook.Domain, error) {
	if domain == "" {
		domain = api.DefaultDomain
	}
	return domain, domain.Check()
}
