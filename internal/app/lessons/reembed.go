package lessons

import (
	"context"
	"slices"

	"brenner/api"
	"brenner/config"
	"brenner/internal/app/kernel"
	"brenner/internal/embed"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/playbook"
	"brenner/policy"
)

// Reembed implements api.Playbook. Vectors are computed for the new embedding
// beside the old ones, a portion at a time; one short transaction then moves the
// playbooks over. Until then they work as before, and what was computed when the
// work is interrupted is found again.
func (s *Service) Reembed(ctx context.Context, req api.ReembedRequest) (api.ReembedResult, error) {
	with, err := s.configuredEmbedder(ctx)
	if err != nil {
		return api.ReembedResult{}, err
	}
	embedded := map[playbook.Domain]int{}
	for {
		left, err := s.unembeddedFor(ctx, req.Domain, with.Describe())
		if err != nil {
			return api.ReembedResult{}, err
		}
		for _, w := range left.work {
			if err := s.embedBullets(ctx, w.to, with, w.bullets, req.Progress); err != nil {
				return api.ReembedResult{}, err
			}
			embedded[w.to.Domain] += len(w.bullets)
			s.books.forget(w.to.Domain)
		}
		out, behind, err := s.moveOver(ctx, req, left, embedded)
		if err != nil || !behind {
			return out, err
		}
	}
}

// configuredEmbedder opens the embedder of the configuration in force, for a
// person who may move playbooks.
func (s *Service) configuredEmbedder(ctx context.Context) (embed.Embedder, error) {
	c, err := kernel.View(ctx, s.caller, kernel.To(policy.Admin, "playbook"), func(c *kernel.Call) (config.Embedding, error) {
		return c.Config.Playbook.Embedding, nil
	})
	if err != nil {
		return nil, err
	}
	return s.embedder.open(ctx, c)
}

// reembedding is what there is to do as of a journal position.
type reembedding struct {
	size int64
	work []reembedWork
}

// reembedWork is one playbook on its way to another embedding.
type reembedWork struct {
	from, to playbookFrozen
	bullets  []playbook.Bullet // without a vector there
}

// moves reports whether the playbook changes its embedding, rather than only
// gets back vectors it lost.
func (w reembedWork) moves() bool { return w.from != w.to }

func (s *Service) unembeddedFor(ctx context.Context, domain playbook.Domain, to playbook.Identity) (reembedding, error) {
	return kernel.View(ctx, s.caller, kernel.To(policy.Admin, "playbook"), func(c *kernel.Call) (reembedding, error) {
		books, err := playbooks(c, domain)
		if err != nil {
			return reembedding{}, err
		}
		var out reembedding
		if out.size, err = c.Size(ctx); err != nil {
			return reembedding{}, err
		}
		for _, p := range books {
			w := reembedWork{from: p, to: playbookFrozen{p.Domain, to}}
			if p.Embedding.Same(to) {
				w.to = p
			}
			if w.bullets, err = unembedded(c, w.to); err != nil {
				return reembedding{}, err
			}
			out.work = append(out.work, w)
		}
		return out, nil
	})
}

// moveOver freezes the playbooks to their new embedding, unless a bullet has
// come to life meanwhile that has no vector there: then the work is behind.
func (s *Service) moveOver(ctx context.Context, req api.ReembedRequest, done reembedding, embedded map[playbook.Domain]int) (out api.ReembedResult, behind bool, err error) {
	out, err = kernel.Write(ctx, s.caller, "playbook.reembed", req, kernel.To(policy.Admin, "playbook"), func(ch *kernel.Change) (api.ReembedResult, error) {
		late, err := leftBehind(ch, done)
		if behind = late; late || err != nil {
			return api.ReembedResult{}, err
		}
		out := api.ReembedResult{Domains: []api.DomainReembed{}}
		for _, w := range done.work {
			d := api.DomainReembed{
				Domain: w.to.Domain, From: w.from.Embedding, To: w.to.Embedding,
				Moved: w.moves(), Embedded: embedded[w.to.Domain],
			}
			if d.Moved {
				if d.Seq, err = kindPlaybookFrozen.Append(ch, w.to); err != nil {
					return api.ReembedResult{}, err
				}
			}
			out.Domains = append(out.Domains, d)
		}
		return out, nil
	})
	return out, behind, err
}

// leftBehind looks at the bullets that changed since the work was done.
func leftBehind(ch *kernel.Change, done reembedding) (bool, error) {
	changed := map[playbook.Domain][]string{}
	frozen := false
	err := journal.Each(ch.Ctx, ch.Reader, done.size, func(row store.Record) error {
		switch row.Kind {
		case kindPlaybookFrozen.Name:
			frozen = true
		case kindBulletUpdated.Name:
			u, err := readUpdate(ch.Call, row)
			changed[u.Bullet.Domain()] = append(changed[u.Bullet.Domain()], string(u.Bullet))
			return err
		}
		return nil
	})
	if err != nil || frozen {
		return frozen, err
	}
	for _, w := range done.work {
		ids := slices.Compact(slices.Sorted(slices.Values(changed[w.to.Domain])))
		vectors, err := ch.Vectors(ch.Ctx, w.to.space(), ids)
		if err != nil {
			return false, err
		}
		for _, id := range ids {
			b, err := bullets.Find(ch.Ctx, ch.Reader, id)
			if err != nil {
				return false, err
			}
			if b.Live() && vectors[id] == nil {
				return true, nil
			}
		}
	}
	return false, nil
}
