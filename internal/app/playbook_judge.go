package app

import (
	"context"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/store"
	"brenner/playbook"
	"brenner/policy"
)

// decision is a pure decision about bullets.
type decision func(b *playbook.Book, act playbook.Act) (playbook.Change, error)

// judgement is what every act on bullets has in common.
type judgement struct {
	name   string
	action policy.Action
	write  api.Write
	req    any
	ids    []playbook.BulletID // all of one domain
	reason string
}

// judge decides about a few bullets. The book it decides on holds only these,
// read inside the transaction: what an act on one lesson costs does not depend
// on how many there are.
func (s *service) judge(ctx context.Context, j judgement, decide decision) (api.BulletResult, error) {
	return write(ctx, s, j.name, j.write, j.req, func(ch *change) (api.BulletResult, error) {
		if err := ch.allow(j.action, "", "", list(j.ids)); err != nil {
			return api.BulletResult{}, err
		}
		return ch.decideBullets(j.ids, j.reason, decide)
	})
}

func (ch *change) decideBullets(ids []playbook.BulletID, reason string, decide decision) (api.BulletResult, error) {
	act, err := ch.act(reason)
	if err != nil {
		return api.BulletResult{}, err
	}
	domain, book, err := ch.excerpt(ids)
	if err != nil {
		return api.BulletResult{}, err
	}
	decided, err := decide(book, act)
	if err != nil {
		return api.BulletResult{}, err
	}
	return ch.keep(domain, decided)
}

// excerpt is a book that holds only some bullets of one domain; those that do
// not exist are left out.
func (c *call) excerpt(ids []playbook.BulletID) (playbook.Domain, *playbook.Book, error) {
	for _, id := range ids {
		if _, err := playbook.ParseBulletID(string(id)); err != nil {
			return "", nil, err
		}
	}
	domain := ids[0].Domain()
	p, err := c.frozen(domain)
	if err != nil {
		return "", nil, err
	}
	book, err := playbook.NewBook(playbook.Settings{Domain: domain, Threshold: c.config.Playbook.Threshold, Embedding: p.Embedding})
	if err != nil {
		return "", nil, err
	}
	vectors, err := c.Vectors(c.ctx, p.space(), texts(ids))
	if err != nil {
		return "", nil, err
	}
	for _, id := range ids {
		_, b, err := readBullet(c.ctx, c.Reader, id)
		if brenner.CodeOf(err) == brenner.CodeNotFound {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		if err := book.Load(b, vectors[string(id)]); err != nil {
			return "", nil, err
		}
	}
	return domain, book, nil
}

// Feedback implements api.Playbook.
func (s *service) Feedback(ctx context.Context, req api.FeedbackRequest) (api.BulletResult, error) {
	carried, err := view(ctx, s, func(c *call) (bool, error) {
		if err := c.allow(policy.PlaybookFeedback, "", "", string(req.ID)); err != nil {
			return false, err
		}
		return c.carried(req.ID, req.Invocation)
	})
	if err != nil {
		return api.BulletResult{}, err
	}
	j := judgement{"playbook.feedback", policy.PlaybookFeedback, req.Write, req, []playbook.BulletID{req.ID}, req.Reason}
	return s.judge(ctx, j, func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
		return b.Feedback(req.ID, req.As, carried, act)
	})
}

// carried reports whether a context of the caller held a bullet (B8): the one
// named, or one of the newest. Persons are not asked. What a context held never
// becomes untrue, so the answer may be older than the transaction that uses it.
func (c *call) carried(id playbook.BulletID, by string) (bool, error) {
	if c.actor.Kind == kindPerson {
		return false, nil
	}
	found, looked := false, 0
	look := func(o store.Object) (bool, error) {
		var i invocation
		err := unmarshalBody(o, &i)
		found = err == nil && i.Agent == c.actor.Name && slices.Contains(i.Bullets, string(id))
		looked++
		return !found && looked < brenner.MaxContextsSearched, err
	}
	if by == "" {
		err := eachObject(c.ctx, c.Reader, store.ObjectQuery{Kind: objectInvocation, Newest: true}, look)
		return found, err
	}
	o, err := c.Object(c.ctx, objectInvocation, by)
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return false, brenner.Errorf(brenner.CodeNotFound, "there is no context %q", by).
			WithHint("leave it out to look through the newest")
	}
	if err != nil {
		return false, err
	}
	_, err = look(o)
	return found, err
}

// SameBullets implements api.Playbook.
func (s *service) SameBullets(ctx context.Context, req api.SameBulletsRequest) (api.BulletResult, error) {
	j := judgement{"playbook.same", policy.PlaybookReview, req.Write, req, []playbook.BulletID{req.A, req.B}, req.Reason}
	return s.judge(ctx, j, func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
		return b.Same(req.A, req.B, act)
	})
}

// PromoteBullets implements api.Playbook.
func (s *service) PromoteBullets(ctx context.Context, req api.PromoteBulletsRequest) (api.BulletResult, error) {
	return write(ctx, s, "playbook.promote", req.Write, req, func(ch *change) (api.BulletResult, error) {
		domain, err := domainOr(req.Domain)
		if err != nil {
			return api.BulletResult{}, err
		}
		if err := ch.allow(policy.PlaybookReview, "", "", string(domain)); err != nil {
			return api.BulletResult{}, err
		}
		if _, err := readPlaybook(ctx, ch.tx, domain); err != nil {
			return api.BulletResult{}, err
		}
		book, err := playbook.NewBook(playbook.Settings{Domain: domain, Threshold: ch.config.Playbook.Threshold})
		if err != nil {
			return api.BulletResult{}, err
		}
		climbing := []playbook.Stage{playbook.Shadow, playbook.Staging}
		load := func(b playbook.Bullet) error { return book.Load(b, nil) }
		if err := eachBullet(ctx, ch.tx, domain, climbing, load); err != nil {
			return api.BulletResult{}, err
		}
		act, err := ch.act("")
		if err != nil {
			return api.BulletResult{}, err
		}
		risen, err := book.Promote(act)
		if err != nil {
			return api.BulletResult{}, err
		}
		return ch.keep(domain, risen)
	})
}

// ForceBullet implements api.Playbook.
func (s *service) ForceBullet(ctx context.Context, req api.ForceBulletRequest) (api.BulletResult, error) {
	j := judgement{"playbook.force", policy.PlaybookReview, req.Write, req, []playbook.BulletID{req.ID}, req.Reason}
	return s.judge(ctx, j, func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
		return b.ForceStage(req.ID, req.Stage, act)
	})
}

// ReleaseBullet implements api.Playbook.
func (s *service) ReleaseBullet(ctx context.Context, req api.ReleaseBulletRequest) (api.BulletResult, error) {
	j := judgement{"playbook.release", policy.PlaybookReview, req.Write, req, []playbook.BulletID{req.ID}, req.Reason}
	return s.judge(ctx, j, func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
		return b.Release(req.ID, act)
	})
}

// ReviewBullet implements api.Playbook.
func (s *service) ReviewBullet(ctx context.Context, req api.ReviewBulletRequest) (api.BulletResult, error) {
	j := judgement{"playbook.review", policy.PlaybookReview, req.Write, req, []playbook.BulletID{req.ID}, req.Reason}
	return s.judge(ctx, j, func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
		if req.Approve {
			return b.Approve(req.ID, act)
		}
		return b.Reject(req.ID, act)
	})
}

// AmendBullet implements api.Playbook.
func (s *service) AmendBullet(ctx context.Context, req api.AmendBulletRequest) (api.BulletResult, error) {
	wording, err := view(ctx, s, func(c *call) (playbook.Insight, error) {
		if err := c.allow(policy.PlaybookReview, "", "", string(req.ID)); err != nil {
			return playbook.Insight{}, err
		}
		_, b, err := readBullet(ctx, c.Reader, req.ID)
		in := playbook.Insight{Section: b.Section, Content: strings.TrimSpace(req.Content), Confidence: 1, Tags: b.Tags, Vector: vectorOf(req.Vector)}
		if req.Section != "" {
			in.Section = req.Section
		}
		return in, err
	})
	if err != nil {
		return api.BulletResult{}, err
	}
	batch, err := s.prepare(ctx, policy.PlaybookReview, req.Write, req.ID.Domain(), []playbook.Insight{wording})
	if err != nil {
		return api.BulletResult{}, err
	}
	return write(ctx, s, "playbook.amend", req.Write, req, func(ch *change) (api.BulletResult, error) {
		if err := ch.allow(policy.PlaybookReview, "", "", string(req.ID)); err != nil {
			return api.BulletResult{}, err
		}
		// The youngest bullet tells the number of its successor.
		youngest, err := ch.Objects(ctx, store.ObjectQuery{Kind: objectBullet, Group: string(req.ID.Domain()), Newest: true, Limit: 1})
		if err != nil {
			return api.BulletResult{}, err
		}
		ids := []playbook.BulletID{req.ID}
		for _, o := range youngest {
			ids = append(ids, playbook.BulletID(o.ID))
		}
		return ch.decideBullets(slices.Compact(ids), req.Reason, func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
			return b.Amend(req.ID, batch.insights[0], playbook.CurateOptions{Act: act, Embedding: batch.identity})
		})
	})
}

// UndoBullet implements api.Playbook.
func (s *service) UndoBullet(ctx context.Context, req api.UndoBulletRequest) (api.BulletResult, error) {
	ref, err := playbook.ParseRecordRef(req.Record)
	if err != nil {
		return api.BulletResult{}, err
	}
	// A history can be long: what is there already is read before the
	// transaction, which then reads only what has been added.
	known, err := view(ctx, s, func(c *call) (histories, error) {
		if err := c.allow(policy.PlaybookReview, "", "", req.Record); err != nil {
			return nil, err
		}
		return c.undoHistory(ref, nil)
	})
	if err != nil {
		return api.BulletResult{}, err
	}
	return write(ctx, s, "playbook.undo", req.Write, req, func(ch *change) (api.BulletResult, error) {
		if err := ch.allow(policy.PlaybookReview, "", "", req.Record); err != nil {
			return api.BulletResult{}, err
		}
		now, err := ch.undoHistory(ref, known)
		if err != nil {
			return api.BulletResult{}, err
		}
		return ch.decideBullets(now.bullets(), req.Reason, func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
			return b.Undo(ref, now.updates(), act)
		})
	})
}
