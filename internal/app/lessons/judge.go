package lessons

import (
	"context"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/playbook"
	"brenner/policy"
)

// decision is a pure decision about bullets.
type decision func(b *playbook.Book, act playbook.Act) (playbook.Change, error)

// judgement is what every act on bullets has in common.
type judgement struct {
	name   string
	action policy.Action
	req    kernel.Keyed
	ids    []playbook.BulletID // all of one domain
	reason string
}

// judge decides about a few bullets. The book it decides on holds only these,
// read inside the transaction: what an act on one lesson costs does not depend
// on how many there are.
func (s *Service) judge(ctx context.Context, j judgement, decide decision) (api.BulletResult, error) {
	return kernel.Write(ctx, s.caller, j.name, j.req, kernel.To(j.action, kernel.Join(j.ids)), func(ch *kernel.Change) (api.BulletResult, error) {
		return decideBullets(ch, j.ids, j.reason, decide)
	})
}

func decideBullets(ch *kernel.Change, ids []playbook.BulletID, reason string, decide decision) (api.BulletResult, error) {
	act, err := actOf(ch.Call, reason)
	if err != nil {
		return api.BulletResult{}, err
	}
	domain, book, err := excerptOf(ch.Call, ids)
	if err != nil {
		return api.BulletResult{}, err
	}
	decided, err := decide(book, act)
	if err != nil {
		return api.BulletResult{}, err
	}
	return keepChange(ch, domain, decided)
}

// excerptOf is a book that holds only some bullets of one domain; those that do
// not exist are left out.
func excerptOf(c *kernel.Call, ids []playbook.BulletID) (playbook.Domain, *playbook.Book, error) {
	for _, id := range ids {
		if _, err := playbook.ParseBulletID(string(id)); err != nil {
			return "", nil, err
		}
	}
	domain := ids[0].Domain()
	p, err := frozenTo(c, domain)
	if err != nil {
		return "", nil, err
	}
	book, err := playbook.NewBook(playbook.Settings{Domain: domain, Threshold: c.Config.Playbook.Threshold, Embedding: p.Embedding})
	if err != nil {
		return "", nil, err
	}
	vectors, err := c.Vectors(c.Ctx, p.space(), kernel.Strings(ids))
	if err != nil {
		return "", nil, err
	}
	for _, id := range ids {
		b, err := bullets.Find(c.Ctx, c.Reader, string(id))
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
func (s *Service) Feedback(ctx context.Context, req api.FeedbackRequest) (api.BulletResult, error) {
	type carrier struct{ context, task string }
	by, err := kernel.View(ctx, s.caller, kernel.To(policy.PlaybookFeedback, string(req.ID)), func(c *kernel.Call) (carrier, error) {
		context, task, err := s.Contexts.Carried(c, req.ID, req.Invocation)
		return carrier{context, task}, err
	})
	if err != nil {
		return api.BulletResult{}, err
	}
	j := judgement{"playbook.feedback", policy.PlaybookFeedback, req, []playbook.BulletID{req.ID}, req.Reason}
	return s.judge(ctx, j, func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
		act.Context, act.Occasion = by.context, by.task
		return b.Feedback(req.ID, req.As, by.context != "", act)
	})
}

// SameBullets implements api.Playbook.
func (s *Service) SameBullets(ctx context.Context, req api.SameBulletsRequest) (api.BulletResult, error) {
	j := judgement{"playbook.same", policy.PlaybookReview, req, []playbook.BulletID{req.A, req.B}, req.Reason}
	return s.judge(ctx, j, func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
		return b.Same(req.A, req.B, act)
	})
}

// PromoteBullets implements api.Playbook.
func (s *Service) PromoteBullets(ctx context.Context, req api.PromoteBulletsRequest) (api.BulletResult, error) {
	domain, err := domainOr(req.Domain)
	if err != nil {
		return api.BulletResult{}, err
	}
	return kernel.Write(ctx, s.caller, "playbook.promote", req, kernel.To(policy.PlaybookReview, string(domain)), func(ch *kernel.Change) (api.BulletResult, error) {
		if _, err := frozen.Find(ctx, ch.Reader, string(domain)); err != nil {
			return api.BulletResult{}, err
		}
		book, err := playbook.NewBook(playbook.Settings{Domain: domain, Threshold: ch.Config.Playbook.Threshold})
		if err != nil {
			return api.BulletResult{}, err
		}
		climbing := []playbook.Stage{playbook.Shadow, playbook.Staging}
		load := func(b playbook.Bullet) error { return book.Load(b, nil) }
		if err := eachBullet(ctx, ch.Reader, domain, climbing, load); err != nil {
			return api.BulletResult{}, err
		}
		act, err := actOf(ch.Call, "")
		if err != nil {
			return api.BulletResult{}, err
		}
		risen, err := book.Promote(act)
		if err != nil {
			return api.BulletResult{}, err
		}
		return keepChange(ch, domain, risen)
	})
}

// ForceBullet implements api.Playbook.
func (s *Service) ForceBullet(ctx context.Context, req api.ForceBulletRequest) (api.BulletResult, error) {
	j := judgement{"playbook.force", policy.PlaybookReview, req, []playbook.BulletID{req.ID}, req.Reason}
	return s.judge(ctx, j, func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
		return b.ForceStage(req.ID, req.Stage, act)
	})
}

// ReleaseBullet implements api.Playbook.
func (s *Service) ReleaseBullet(ctx context.Context, req api.ReleaseBulletRequest) (api.BulletResult, error) {
	j := judgement{"playbook.release", policy.PlaybookReview, req, []playbook.BulletID{req.ID}, req.Reason}
	return s.judge(ctx, j, func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
		return b.Release(req.ID, act)
	})
}

// ReviewBullet implements api.Playbook.
func (s *Service) ReviewBullet(ctx context.Context, req api.ReviewBulletRequest) (api.BulletResult, error) {
	j := judgement{"playbook.review", policy.PlaybookReview, req, []playbook.BulletID{req.ID}, req.Reason}
	return s.judge(ctx, j, func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
		if req.Approve {
			return b.Approve(req.ID, act)
		}
		return b.Reject(req.ID, act)
	})
}

// AmendBullet implements api.Playbook.
func (s *Service) AmendBullet(ctx context.Context, req api.AmendBulletRequest) (api.BulletResult, error) {
	wording, err := kernel.View(ctx, s.caller, kernel.To(policy.PlaybookReview, string(req.ID)), func(c *kernel.Call) (playbook.Insight, error) {
		b, err := bullets.Find(ctx, c.Reader, string(req.ID))
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
	return kernel.Write(ctx, s.caller, "playbook.amend", req, kernel.To(policy.PlaybookReview, string(req.ID)), func(ch *kernel.Change) (api.BulletResult, error) {
		// The youngest bullet tells the number of its successor.
		youngest, err := bullets.List(ctx, ch.Reader, kernel.Query{Group: string(req.ID.Domain()), Newest: true}, 1)
		if err != nil {
			return api.BulletResult{}, err
		}
		ids := []playbook.BulletID{req.ID}
		for _, row := range youngest {
			ids = append(ids, row.Value.ID)
		}
		return decideBullets(ch, slices.Compact(ids), req.Reason, func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
			return b.Amend(req.ID, batch.insights[0], playbook.CurateOptions{Act: act, Embedding: batch.identity})
		})
	})
}

// UndoBullet implements api.Playbook.
func (s *Service) UndoBullet(ctx context.Context, req api.UndoBulletRequest) (api.BulletResult, error) {
	ref, err := playbook.ParseRecordRef(req.Record)
	if err != nil {
		return api.BulletResult{}, err
	}
	// A history can be long: what is there already is read before the
	// transaction, which then reads only what has been added.
	known, err := kernel.View(ctx, s.caller, kernel.To(policy.PlaybookReview, req.Record), func(c *kernel.Call) (histories, error) {
		return undoHistory(c, ref, nil)
	})
	if err != nil {
		return api.BulletResult{}, err
	}
	return kernel.Write(ctx, s.caller, "playbook.undo", req, kernel.To(policy.PlaybookReview, req.Record), func(ch *kernel.Change) (api.BulletResult, error) {
		now, err := undoHistory(ch.Call, ref, known)
		if err != nil {
			return api.BulletResult{}, err
		}
		return decideBullets(ch, now.bullets(), req.Reason, func(b *playbook.Book, act playbook.Act) (playbook.Change, error) {
			return b.Undo(ref, now.updates(), act)
		})
	})
}
