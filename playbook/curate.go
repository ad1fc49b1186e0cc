package playbook

import (
	"errors"
	"slices"
	"strconv"

	"brenner"
)

const (
	// NearFloor is the cosine from which a candidate below the threshold is
	// worth showing (B8).
	NearFloor = 0.55
	// MaxNear is how many of them are shown, and how many candidates refused
	// by the guard are named and linked.
	MaxNear = 3
	// ReviewBelow is the confidence under which a new bullet is queued for
	// review (B7).
	ReviewBelow = 0.7
)

// CurateOptions say who learned the insights and how to compare them.
type CurateOptions struct {
	Act
	// Embedding made the vectors of the insights.
	Embedding Identity
	Guard     Guard
	// Going is asked before each insight; its error ends the batch. nil: nobody
	// can end it.
	Going func() error
}

// Outcome says what became of one insight of a batch.
type Outcome struct {
	Insight int `json:"insight"` // its place in the batch, from 0
	// Bullet was strengthened, or is new if Added.
	Bullet      BulletID `json:"bullet"`
	Added       bool     `json:"added"`
	Queued      bool     `json:"queued,omitempty"`      // for review (B7)
	Quarantined bool     `json:"quarantined,omitempty"` // by this insight (B6)
	Stage       Stage    `json:"stage"`
	Counts      Counts   `json:"counts"`
	Threshold   float64  `json:"threshold"`
	Decision    Decision `json:"decision"`
}

// Curation is the change a batch of insights makes, and why.
type Curation struct {
	Change
	Outcomes []Outcome
}

// Curate decides, insight by insight, which bullet each one strengthens and
// which begin a new one (B2, B3). Later insights see what earlier ones of the
// batch did. A fault anywhere refuses the whole batch: see CheckInsights, and
// INVALID_VECTOR, EMBEDDING_MISMATCH (B12), VECTORS_MISSING.
func (b *Book) Curate(insights []Insight, o CurateOptions) (Curation, error) {
	settings, err := b.admit(insights, o)
	if err != nil {
		return Curation{}, err
	}
	c := curator{draft: b.draft(o.Act), options: o, fresh: newIndex()}
	c.change.Embedding = settings.Embedding
	outcomes := make([]Outcome, len(insights))
	for i, in := range insights {
		if o.Going != nil {
			if err := o.Going(); err != nil {
				return Curation{}, err
			}
		}
		if outcomes[i], err = c.learn(in); err != nil {
			return Curation{}, err
		}
		outcomes[i].Insight = i
	}
	return Curation{c.change, outcomes}, nil
}

// admit checks everything that can be wrong with a batch.
func (b *Book) admit(insights []Insight, o CurateOptions) (Settings, error) {
	if err := o.check(); err != nil {
		return Settings{}, err
	}
	if err := CheckInsights(insights); err != nil {
		return Settings{}, err
	}
	settings, err := b.settings.Freeze(o.Embedding)
	if err != nil {
		return Settings{}, err
	}
	var faults []*brenner.Error
	for i, in := range insights {
		var fault *brenner.Error
		if errors.As(CheckVector(in.Vector, settings.Embedding.Dimension), &fault) {
			faults = append(faults, fault.At("/"+strconv.Itoa(i)+"/vector"))
		}
	}
	if err := together(faults); err != nil {
		return Settings{}, err
	}
	return settings, b.searchable()
}

// searchable reports VECTORS_MISSING while a live bullet cannot be matched:
// searching the others only would make duplicates.
func (b *Book) searchable() error {
	missing := b.WithoutVector()
	if len(missing) == 0 {
		return nil
	}
	return brenner.Errorf(brenner.CodeVectorsMissing, "%s no vector, the first is %s",
		brenner.Plural(len(missing), "bullet of the playbook "+string(b.settings.Domain)+" has", "bullets of the playbook "+string(b.settings.Domain)+" have"), missing[0]).
		WithHint("have them embedded again; only a person does").Try(brenner.Do("playbook.reembed", "domain", string(b.settings.Domain)))
}

// curator is a draft that learns: fresh indexes the bullets the batch added.
type curator struct {
	*draft
	options CurateOptions
	fresh   *index
}

func (c *curator) learn(in Insight) (Outcome, error) {
	threshold := c.book.settings.Threshold
	matches, near := c.book.index.search(in.Vector, threshold, NearFloor, MaxNear)
	freshMatches, freshNear := c.fresh.search(in.Vector, threshold, NearFloor, MaxNear)
	matches, near = mergeHits(matches, freshMatches), mergeHits(near, freshNear)

	decision := Decision{Guard: !c.options.Guard.Off}
	var clashes []Skip
	for _, hit := range matches {
		s, _ := c.find(hit.ID)
		clash, refused := c.options.Guard.Clash(in.Content, s.Content)
		if !refused {
			decision.Cosine = hit.cosine
			decision.explain(clashes, near)
			return c.strengthen(s, in, decision)
		}
		clashes = append(clashes, Skip{Candidate{hit.ID, hit.cosine}, clash})
	}
	decision.explain(clashes, near)
	return c.begin(in, decision)
}

// explain keeps the best few of what was passed over.
func (d *Decision) explain(skipped []Skip, near []hit) {
	d.Skipped = skipped[:min(len(skipped), MaxNear)]
	d.SkippedMore = len(skipped) - len(d.Skipped)
	for _, h := range near[:min(len(near), MaxNear)] {
		d.Near = append(d.Near, Candidate{h.ID, h.cosine})
	}
}

// strengthen moves one counter of a bullet and adds the tags it lacks; its content
// stays byte for byte.
func (c *curator) strengthen(s state, in Insight, why Decision) (Outcome, error) {
	u := DeltaUpdate{
		Kind: KindMatch, Increment: one(in.Section), Witnesses: c.act.witness(c.source(in).Agent, in.Section), Decision: &why,
		Insight: &Evidence{in.Section, in.Content, in.Confidence, c.source(in)}, Tags: s.without(in.Tags),
	}
	if c.act.At.After(s.LastSeenAt) {
		u.LastSeenAt = c.act.At
	}
	next, err := c.count(s, u)
	if err != nil {
		return Outcome{}, err
	}
	out := c.outcome(next, why)
	out.Quarantined = next.Stage == Quarantined && s.Stage != Quarantined
	return out, nil
}

// begin adds a bullet in the SHADOW stage.
func (c *curator) begin(in Insight, why Decision) (Outcome, error) {
	bullet := c.newBullet(in)
	for _, skip := range why.Skipped {
		if skip.Opposed {
			bullet.Links = append(bullet.Links, Link{Contradicts, skip.Bullet})
		}
	}
	next, err := c.add(bullet, in.Vector, DeltaUpdate{Decision: &why})
	if err != nil {
		return Outcome{}, err
	}
	out := c.outcome(next, why)
	out.Added, out.Queued = true, next.Review == ReviewPending
	return out, nil
}

// add records a new bullet and keeps its vector, in the record too if it
// cannot be computed again.
func (c *curator) add(bullet Bullet, vector []float32, u DeltaUpdate) (state, error) {
	u.Bullet, u.Kind, u.New = bullet.ID, KindAdd, &bullet
	if c.options.Embedding.Provider == ProviderExplicit {
		u.Vector = packVector(vector)
	}
	next, err := c.record(state{}, u)
	if err != nil {
		return state{}, err
	}
	c.fresh.add(keyOf(next.Bullet), vector)
	c.change.Vectors = append(c.change.Vectors, BulletVector{next.ID, slices.Clone(vector)})
	return next, nil
}

func (c *curator) outcome(s state, why Decision) Outcome {
	return Outcome{Bullet: s.ID, Stage: s.Stage, Counts: s.Counts, Threshold: c.book.settings.Threshold, Decision: why}
}

func (c *curator) source(in Insight) Source {
	if in.Source.Agent == "" {
		in.Source.Agent = c.act.Actor.Name
	}
	return in.Source
}

// newBullet gives a bullet its number and its first piece of evidence.
func (c *curator) newBullet(in Insight) Bullet {
	b := Bullet{
		ID: bulletID(c.book.settings.Domain, c.next), Domain: c.book.settings.Domain,
		Section: in.Section, Content: in.Content, Counts: one(in.Section), Stage: Shadow,
		Confidence: in.Confidence, CreatedAt: c.act.At, LastSeenAt: c.act.At,
		Source: c.source(in), Tags: slices.Clone(in.Tags), Links: []Link{},
		Witnesses: c.act.witness(c.source(in).Agent, in.Section),
	}
	c.next++
	if in.Confidence < ReviewBelow {
		b.Review = ReviewPending
	}
	if b.Tags == nil {
		b.Tags = []string{}
	}
	return b
}
