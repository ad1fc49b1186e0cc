package lessons

import (
	"context"
	"slices"
	"sync"

	"brenner/api"
	"brenner/config"
	"brenner/internal/app/kernel"
	"brenner/internal/embed"
	"brenner/internal/store"
	"brenner/playbook"
)

// embedderCache keeps the embedder of the configuration in force: a remote one
// asks its endpoint who it is when it is opened.
type embedderCache struct {
	// key names the variable with the key for an endpoint, or refuses it; nil:
	// none has one.
	key func(address string) (variable string, err error)

	mu   sync.Mutex
	of   config.Embedding
	last embed.Embedder
}

// open gives the embedder that a configuration names. It may ask the network:
// never inside a transaction.
func (ec *embedderCache) open(ctx context.Context, c config.Embedding) (embed.Embedder, error) {
	if c.Provider == config.ProviderBuiltin {
		return embed.Builtin(), nil
	}
	if e := ec.opened(c); e != nil {
		return e, nil
	}
	variable := ""
	if ec.key != nil {
		var err error
		if variable, err = ec.key(c.URL); err != nil {
			return nil, err
		}
	}
	// Not under the lock: whoever waits for a slow endpoint waits alone.
	e, err := embed.OpenRemote(ctx, embed.RemoteConfig{BaseURL: c.URL, Model: c.Model, KeyVariable: variable})
	if err != nil {
		return nil, err
	}
	ec.mu.Lock()
	defer ec.mu.Unlock()
	ec.of, ec.last = c, e
	return e, nil
}

// opened gives the embedder of a configuration if it is the last one opened.
func (ec *embedderCache) opened(c config.Embedding) embed.Embedder {
	ec.mu.Lock()
	defer ec.mu.Unlock()
	if ec.of != c {
		return nil
	}
	return ec.last
}

// embedPortion is how many bullets are embedded and kept at a time: what an
// interruption can cost.
const embedPortion = 256

// unembedded lists the live bullets of a playbook that have no vector in its
// space.
func unembedded(c *kernel.Call, p playbookFrozen) ([]playbook.Bullet, error) {
	have := map[playbook.BulletID]bool{}
	err := c.EachVector(c.Ctx, p.space(), func(id string, _ []float32) error {
		have[playbook.BulletID(id)] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []playbook.Bullet
	err = eachBullet(c.Ctx, c.Reader, p.Domain, liveStages, func(b playbook.Bullet) error {
		if !have[b.ID] {
			out = append(out, b)
		}
		return nil
	})
	return out, err
}

// embedBullets gives bullets their vectors in the space of a playbook, a
// portion at a time, each kept at once. Vectors are no part of the state, so
// no record is written.
func (s *Service) embedBullets(ctx context.Context, p playbookFrozen, with embed.Embedder, bullets []playbook.Bullet, tell api.Progress) error {
	done := 0
	for portion := range slices.Chunk(bullets, embedPortion) {
		contents := make([]string, len(portion))
		for i, b := range portion {
			contents[i] = b.Content
		}
		vectors, err := with.Embed(ctx, contents)
		if err != nil {
			return err
		}
		rows := make(map[string][]float32, len(portion))
		for i, b := range portion {
			if err := playbook.CheckVector(vectors[i], p.Embedding.Dimension); err != nil {
				return err
			}
			rows[string(b.ID)] = vectors[i]
		}
		if err := s.Store().Write(ctx, func(tx store.Tx) error { return tx.PutVectors(ctx, p.space(), rows) }); err != nil {
			return err
		}
		done += len(portion)
		if tell != nil {
			tell("bullets of "+string(p.Domain), int64(done), int64(len(bullets)))
		}
	}
	return nil
}

// liveStages are those of bullets that can be matched.
var liveStages = []playbook.Stage{playbook.Shadow, playbook.Staging, playbook.Prod, playbook.Quarantined}

// embedded is a batch of insights with their vectors, made outside the
// transaction that matches them.
type embedded struct {
	insights []playbook.Insight
	identity playbook.Identity
}

// embedding is what has to be known before insights are embedded.
type embedding struct {
	config  config.Embedding
	frozen  playbookFrozen
	missing bool // some bullets have no vector
	again   bool // the idempotency key was used before: nothing is to be done
}

// embeddingOf looks up, in a snapshot, what embedding insights of a domain
// needs.
func (r *Room) embeddingOf(c *kernel.Call, domain playbook.Domain, w api.Write) (embedding, error) {
	out := embedding{config: c.Config.Playbook.Embedding}
	var err error
	if out.again, err = c.Repeats(w.Key); err != nil {
		return out, err
	}
	if out.frozen, err = frozenTo(c, domain); err != nil {
		return out, err
	}
	err = r.withBook(c, domain, func(b *playbook.Book) error {
		out.missing = len(b.WithoutVector()) > 0
		return nil
	})
	return out, err
}

// embed gives insights their vectors: those they came with, or the configured
// embedder's. A playbook that lost its vectors, because it was imported, gets
// them back first.
func (s *Service) embed(ctx context.Context, e embedding, insights []playbook.Insight) (embedded, error) {
	given, err := playbook.VectorsGiven(insights)
	if err != nil {
		return embedded{}, err
	}
	if given {
		identity := playbook.Explicit(len(insights[0].Vector))
		if e.frozen.Embedding.Provider == playbook.ProviderExplicit {
			identity = e.frozen.Embedding // a wrong dimension is then the fault of a vector
		}
		return embedded{insights, identity}, nil
	}
	if e.again {
		return embedded{insights: insights}, nil
	}
	with, err := s.embedder.open(ctx, e.config)
	if err != nil {
		return embedded{}, err
	}
	// Refuse another embedding before spending time on it (B12).
	settings := playbook.Settings{Domain: e.frozen.Domain, Embedding: e.frozen.Embedding}
	if settings, err = settings.Freeze(with.Describe()); err != nil {
		return embedded{}, err
	}
	if e.missing {
		if err := s.restoreVectors(ctx, e.frozen, with); err != nil {
			return embedded{}, err
		}
	}
	contents := make([]string, len(insights))
	for i, in := range insights {
		contents[i] = in.Content
	}
	vectors, err := with.Embed(ctx, contents)
	if err != nil {
		return embedded{}, err
	}
	out := embedded{slices.Clone(insights), settings.Embedding}
	for i := range out.insights {
		out.insights[i].Vector = vectors[i]
	}
	return out, nil
}

// restoreVectors computes the vectors that a playbook lacks.
func (s *Service) restoreVectors(ctx context.Context, p playbookFrozen, with embed.Embedder) error {
	missing, err := kernel.View(ctx, s.caller, kernel.Settled("what the vectors are needed for"), func(c *kernel.Call) ([]playbook.Bullet, error) {
		return unembedded(c, p)
	})
	if err != nil {
		return err
	}
	defer s.books.forget(p.Domain)
	return s.embedBullets(ctx, p, with, missing, nil)
}
