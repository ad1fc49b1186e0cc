package playbook

import (
	"math"
	"slices"

	"brenner/internal/order"
)

// RankOptions say which bullets a context wants.
type RankOptions struct {
	// Query is the vector of the task; nil ranks by evidence alone.
	Query []float32
	// Stages that may appear; empty means PROD and STAGING. Quarantined and
	// retired bullets never do.
	Stages []Stage
	// Sections that may appear; empty means all.
	Sections []Section
	// Most bounds the list; 0 means no bound.
	Most int
	// Shares reports whether a content shares with the query a word that tells
	// what it is about; nil: not asked.
	Shares func(content string) bool
}

// Ranked is a bullet with the parts of its score, each from 0 to 1 (similarity
// may be negative), so that a context can say why it carries the bullet.
type Ranked struct {
	Bullet     Bullet
	Score      float64
	Similarity float64 // cosine with the query, 0 without one
	Compared   bool    // whether there was one
	Shared     bool    // a word that tells, see RankOptions
	Evidence   float64 // lower bound of the share of support
	Trust      float64 // by stage
}

// The weights of the parts.
const (
	weightSimilarity = 0.5
	weightEvidence   = 0.3
	weightTrust      = 0.2
)

// Rank orders the bullets for a context: greatest score first, ties to the
// oldest, then the id. It reports INVALID_VECTOR for a query that cannot be
// compared, and VECTORS_MISSING.
func (b *Book) Rank(o RankOptions) ([]Ranked, error) {
	if o.Query != nil {
		if err := CheckVector(o.Query, b.dimension()); err != nil {
			return nil, err
		}
		if err := b.searchable(); err != nil {
			return nil, err
		}
	}
	stages := o.Stages
	if len(stages) == 0 {
		stages = []Stage{Prod, Staging}
	}
	var out []Ranked
	for i := range b.entries {
		e := &b.entries[i]
		if e.ID == "" || e.Stage == Quarantined || !e.Live() || !slices.Contains(stages, e.Stage) ||
			len(o.Sections) > 0 && !slices.Contains(o.Sections, e.Section) {
			continue
		}
		r := b.score(e, o.Query)
		r.Shared = o.Shares != nil && o.Shares(e.Content)
		out = append(out, r)
	}
	order.By(out, func(x, y Ranked) int {
		return compareHits(hit{keyOf(x.Bullet), x.Score}, hit{keyOf(y.Bullet), y.Score})
	})
	if o.Most > 0 {
		out = out[:min(len(out), o.Most)]
	}
	return out, nil
}

func (b *Book) score(e *entry, query []float32) Ranked {
	r := Ranked{Bullet: e.clone(), Evidence: rounded(wilson(e.Support(), e.Opposition())), Trust: trust(e.Stage)}
	if query != nil {
		r.Similarity, r.Compared = cosine(query, b.index.row(b.index.slots[e.ID])), true
	}
	// The conversions forbid fusing, so that the order is the same everywhere.
	r.Score = rounded(float64(weightSimilarity*r.Similarity) + float64(weightEvidence*r.Evidence) + float64(weightTrust*r.Trust))
	return r
}

func trust(s Stage) float64 {
	switch s {
	case Prod:
		return 1
	case Staging:
		return 0.5
	}
	return 0
}

// wilson is the lower end of the 95 % interval of the true share of support:
// five for and none against count for less than fifty for and one against.
func wilson(support, opposition int) float64 {
	const z = 1.96
	n := float64(support + opposition)
	if n == 0 {
		return 0
	}
	share := float64(support) / n
	spread := float64(z * math.Sqrt(float64(share*(1-share)/n)+float64(z*z/(4*n*n))))
	return (share + float64(z*z/(2*n)) - spread) / (1 + float64(z*z/n))
}
