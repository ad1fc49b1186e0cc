package lessons

import (
	"context"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/playbook"
	"brenner/policy"
)

// A bullet is an object whose group is its domain, whose state is its stage
// and whose order is its birth; its body is exactly the canonical JSON that its
// digest is taken of (B5). A playbook is an object named by its domain. A
// bullet that waits or waited for a review has an object of the third kind as
// well, so that the queue is found without reading every bullet.
const (
	objectBullet   = "bullet"
	objectPlaybook = "playbook"
	objectReview   = "bullet_review"
)

// bulletUpdated is one change of one bullet.
type bulletUpdated struct {
	playbook.DeltaUpdate `json:",inline"`
	// Previous is the journal position of the bullet's record before this one,
	// 0 at its first: the history of a bullet is read by following it back from
	// the bullet's own position.
	Previous int64 `json:"previous,omitzero"`
}

func applyBulletUpdated(ctx context.Context, tx store.Tx, rec journal.Record, p bulletUpdated) error {
	o, b, err := readBullet(ctx, tx, p.Bullet)
	if err != nil && brenner.CodeOf(err) != brenner.CodeNotFound {
		return err
	}
	if o.Seq != p.Previous {
		return brenner.Errorf(brenner.CodeJournalCorrupt, "record %s does not follow the record at %d", p.Ref(), o.Seq)
	}
	if b, err = p.Apply(b); err != nil {
		return err
	}
	if p.Previous == 0 {
		o = store.Object{Kind: objectBullet, ID: string(b.ID), Group: string(b.Domain), Order: rec.Seq}
	}
	o.State, o.Body, o.Seq = string(b.Stage), canon.MustMarshal(b), rec.Seq
	if err := tx.PutObject(ctx, o); err != nil {
		return err
	}
	if err := applyReview(ctx, tx, o, b); err != nil {
		return err
	}
	return keepGivenVector(ctx, tx, p)
}

// reviewClosed is the state of a review that its bullet's retirement ended.
const reviewClosed = "closed"

// applyReview keeps the review queue in step with a bullet.
func applyReview(ctx context.Context, tx store.Tx, bullet store.Object, b playbook.Bullet) error {
	if b.Review == "" {
		return nil
	}
	state := string(b.Review)
	if b.Review == playbook.ReviewPending && !b.Live() {
		state = reviewClosed
	}
	return tx.PutObject(ctx, store.Object{
		Kind: objectReview, ID: bullet.ID, Group: bullet.Group, State: state, Order: bullet.Order,
		Body: []byte("{}"), Seq: bullet.Seq,
	})
}

// keepGivenVector puts a vector that came with an insight where vectors are:
// the record is the only other place that has it. Vectors that were computed
// can be computed again, and are no part of the state.
func keepGivenVector(ctx context.Context, tx store.Tx, p bulletUpdated) error {
	v, err := p.GivenVector()
	if err != nil || v == nil {
		return err
	}
	book, err := readPlaybook(ctx, tx, p.Bullet.Domain())
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
	o := store.Object{Kind: objectPlaybook, ID: string(p.Domain), Order: rec.Seq}
	before, err := readPlaybook(ctx, tx, p.Domain)
	switch {
	case err == nil:
		if err := tx.DeleteVectors(ctx, before.space()); err != nil {
			return err
		}
		if o, err = tx.Object(ctx, objectPlaybook, string(p.Domain)); err != nil {
			return err
		}
	case brenner.CodeOf(err) != brenner.CodeNotFound:
		return err
	}
	o.Body, o.Seq = canon.MustMarshal(p), rec.Seq
	return tx.PutObject(ctx, o)
}

// readBullet loads a bullet and its row.
func readBullet(ctx context.Context, r store.Reader, id playbook.BulletID) (store.Object, playbook.Bullet, error) {
	o, err := r.Object(ctx, objectBullet, string(id))
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return store.Object{}, playbook.Bullet{}, brenner.Errorf(brenner.CodeNotFound, "there is no bullet %q", id).
			WithHint("list them with `brenner playbook list`")
	}
	if err != nil {
		return store.Object{}, playbook.Bullet{}, err
	}
	var b playbook.Bullet
	return o, b, kernel.ReadBody(o, &b)
}

// readPlaybook says what a playbook is frozen to; NOT_FOUND before its first
// insight.
func readPlaybook(ctx context.Context, r store.Reader, domain playbook.Domain) (playbookFrozen, error) {
	o, err := r.Object(ctx, objectPlaybook, string(domain))
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return playbookFrozen{}, brenner.Errorf(brenner.CodeNotFound, "the domain %s has no playbook", domain).
			WithHint("it begins with `brenner playbook learn --domain " + string(domain) + "`")
	}
	if err != nil {
		return playbookFrozen{}, err
	}
	var p playbookFrozen
	return p, kernel.ReadBody(o, &p)
}

// frozenTo is readPlaybook for a playbook that need not be there yet.
func frozenTo(c *kernel.Call, domain playbook.Domain) (playbookFrozen, error) {
	p, err := readPlaybook(c.Ctx, c.Reader, domain)
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return playbookFrozen{Domain: domain}, nil
	}
	return p, err
}

// eachBullet visits the bullets of a domain, of some stages or all, oldest
// first.
func eachBullet(ctx context.Context, r store.Reader, domain playbook.Domain, stages []playbook.Stage, fn func(playbook.Bullet) error) error {
	q := store.ObjectQuery{Kind: objectBullet, Group: string(domain), States: kernel.Strings(stages)}
	return kernel.EachObject(ctx, r, q, func(o store.Object) (bool, error) {
		var b playbook.Bullet
		if err := kernel.ReadBody(o, &b); err != nil {
			return false, err
		}
		return true, fn(b)
	})
}

// actOf is who decides about bullets, when and why.
func actOf(c *kernel.Call, reason string) (playbook.Act, error) {
	if err := kernel.CheckText(reason); err != nil {
		return playbook.Act{}, err
	}
	person := c.Who.Kind == kernel.Person
	return playbook.Act{At: c.Now, Reason: reason, Actor: playbook.Actor{
		Name: c.Who.Name, Person: person, Reviewer: !person && c.May(policy.PlaybookReview, "", ""),
	}}, nil
}

// keepChange writes what was decided about the bullets of one domain: a record each,
// and the vectors of new bullets.
func keepChange(ch *kernel.Change, domain playbook.Domain, c playbook.Change) (api.BulletResult, error) {
	out := api.BulletResult{Bullets: []playbook.Bullet{}, Records: []string{}}
	book, err := freezeTo(ch, domain, c.Embedding)
	if err != nil {
		return out, err
	}
	var touched []playbook.BulletID
	last := map[playbook.BulletID]int64{}
	for _, u := range c.Updates {
		if _, seen := last[u.Bullet]; !seen {
			touched = append(touched, u.Bullet)
			o, _, err := readBullet(ch.Ctx, ch.Reader, u.Bullet)
			if err != nil && brenner.CodeOf(err) != brenner.CodeNotFound {
				return out, err
			}
			last[u.Bullet] = o.Seq
		}
		seq, err := kindBulletUpdated.Append(ch, bulletUpdated{DeltaUpdate: u, Previous: last[u.Bullet]})
		if err != nil {
			return out, err
		}
		last[u.Bullet], out.Seq = seq, seq
		out.Records = append(out.Records, u.Ref().String())
	}
	if err := keepVectors(ch, book, c.Vectors); err != nil {
		return out, err
	}
	for _, id := range touched {
		_, b, err := readBullet(ch.Ctx, ch.Reader, id)
		if err != nil {
			return out, err
		}
		out.Bullets = append(out.Bullets, b)
	}
	return out, nil
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
