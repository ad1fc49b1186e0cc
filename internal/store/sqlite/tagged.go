package sqlite

import (
	"cmp"
	"context"
	"slices"

	"brenner/internal/order"
	"brenner/internal/store"
)

// Tagged counts the tags each artifact has.
func (r *reader) Tagged(ctx context.Context, q store.TagQuery) ([]store.Artifact, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	scores := map[int64]int{}
	for _, tag := range slices.Compact(slices.Sorted(slices.Values(q.Tags))) {
		if err := r.c.query(ctx, func(r row) error {
			scores[r.int(0)]++
			return nil
		}, "SELECT artifact FROM artifact_tags WHERE tag = ? ORDER BY artifact DESC LIMIT ?+0", tag, limit(q.Depth)); err != nil {
			return nil, err
		}
	}
	out, err := r.best(ctx, scores, q)
	return out, cmp.Or(err, canceled(ctx))
}

// RareTags counts who has each tag, no further than needed.
func (r *reader) RareTags(ctx context.Context, tags []string, most int) ([]string, error) {
	if err := (store.TagQuery{Tags: tags}).Check(); err != nil {
		return nil, err
	}
	var out []string
	for _, tag := range slices.Compact(slices.Sorted(slices.Values(tags))) {
		rare, err := r.isRare(ctx, tag, most)
		if err != nil {
			return nil, err
		}
		if rare {
			out = append(out, tag)
		}
	}
	return out, canceled(ctx)
}

// isRare reports whether no more artifacts than so many have a tag.
func (r *reader) isRare(ctx context.Context, tag string, most int) (bool, error) {
	n, err := r.c.number(ctx, "SELECT count(*) FROM (SELECT 1 FROM artifact_tags WHERE tag = ? LIMIT ?+0)", tag, int64(most)+1)
	return n <= int64(most), err
}

// scored is the key of an artifact and how many of the tags it has.
type scored struct {
	artifact int64
	score    int
}

// best gives the hits in order. Artifacts are loaded only as far down as the
// limit reaches.
func (r *reader) best(ctx context.Context, scores map[int64]int, q store.TagQuery) ([]store.Artifact, error) {
	ranked := make([]scored, 0, len(scores))
	for key, score := range scores {
		ranked = append(ranked, scored{key, score})
	}
	slices.SortFunc(ranked, func(a, b scored) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return cmp.Compare(b.artifact, a.artifact)
	})
	var out []tagged
	for len(ranked) > 0 && (q.Limit <= 0 || len(out) < q.Limit) {
		n := len(ranked)
		if q.Limit > 0 {
			n = min(n, q.Limit)
		}
		for q.Depth == 0 && n < len(ranked) && ranked[n].score == ranked[n-1].score { // ties go by id, which is not known yet
			n++
		}
		some, err := r.wanted(ctx, ranked[:n], q)
		if err != nil {
			return nil, err
		}
		out, ranked = append(out, some...), ranked[n:]
	}
	order.By(out, func(a, b tagged) int { return cmp.Or(cmp.Compare(b.tags, a.tags), cmp.Compare(a.ID, b.ID)) })
	if q.Limit > 0 && len(out) > q.Limit {
		out = out[:q.Limit]
	}
	rows := make([]store.Artifact, len(out))
	for i, a := range out {
		rows[i] = a.Artifact
	}
	return rows, nil
}

// tagged is an artifact and how many of the tags it has.
type tagged struct {
	store.Artifact
	tags int
}

// wanted loads those of some artifacts that have one of the types and modules
// asked for.
func (r *reader) wanted(ctx context.Context, some []scored, q store.TagQuery) ([]tagged, error) {
	w := where{args: []any{keysParameter(func(yield func(int64) bool) {
		for _, s := range some {
			if !yield(s.artifact) {
				return
			}
		}
	})}}
	in(&w, "type", q.Types)
	in(&w, "module", q.Modules)
	return collect(ctx, r.c, func(r row) tagged {
		return tagged{scanArtifact(r), some[r.int(1)].score}
	}, "SELECT "+artifactText+", place FROM (SELECT key AS place, value AS found FROM json_each(?)) "+
		"CROSS JOIN artifacts ON key = found"+w.String(), w.args...)
}
