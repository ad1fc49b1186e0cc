package sqlite

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"brenner"
	"brenner/artifact"
	"brenner/internal/order"
	"brenner/internal/store"
)

const (
	linkRows = "SELECT concat_ws(char(0), f.id, l.src, l.rel, t.id, l.dst, l.seq)" // in one text, like an artifact
	linkEnds = " CROSS JOIN artifacts f ON f.key = l.src >> 24 CROSS JOIN artifacts t ON t.key = l.dst >> 24"
)

func scanLink(r row) store.Link {
	f := fields(r.text(0))
	return store.Link{
		From: brenner.Ref{Artifact: brenner.ArtifactID(f.text()), Version: versionOf(f.int())}, Rel: artifact.Relation(f.text()),
		To: brenner.Ref{Artifact: brenner.ArtifactID(f.text()), Version: versionOf(f.int())}, Seq: f.int(),
	}
}

func compareLinks(a, b store.Link) int {
	return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.Rel, b.Rel), a.To.Compare(b.To))
}

func (r *reader) LinksFrom(ctx context.Context, refs []brenner.Ref) ([]store.Link, error) {
	return r.links(ctx, refs, linkRows+fromRefs+"CROSS JOIN links l ON l.src = a.key << 24 | ref.value"+linkEnds)
}

func (r *reader) LinksTo(ctx context.Context, refs []brenner.Ref, rels ...artifact.Relation) ([]store.Link, error) {
	const to = linkRows + fromRefs + "CROSS JOIN links l ON l.dst = a.key << 24 | ref.value"
	if len(rels) > 0 {
		return r.links(ctx, refs, to+" AND +l.rel IN (SELECT value FROM json_each(?2))"+linkEnds, textsParameter(rels))
	}
	return r.links(ctx, refs, to+linkEnds)
}

func (r *reader) links(ctx context.Context, refs []brenner.Ref, sql string, more ...any) ([]store.Link, error) {
	out, err := collect(ctx, r.c, scanLink, sql, append([]any{refsParameter(refs)}, more...)...)
	order.By(out, compareLinks)
	return out, err
}

// eachLink goes from artifact to artifact in order of their ids; only the links
// that leave one artifact are sorted.
func (r *reader) eachLink(ctx context.Context, fn func(any) error) error {
	return r.c.query(ctx, func(a row) error {
		lowest, highest := versionRange(a.int(0))
		some, err := collect(ctx, r.c, scanLink, linkRows+" FROM links l"+linkEnds+" WHERE l.src BETWEEN ? AND ?", lowest, highest)
		if err != nil {
			return err
		}
		order.By(some, compareLinks)
		for _, l := range some {
			if err := fn(l); err != nil {
				return err
			}
		}
		return nil
	}, "SELECT key, id FROM artifacts ORDER BY id")
}

// outdated and corrected are the conditions that a version v of an artifact a
// is.
const (
	outdated  = "(v.status IN ('superseded', 'deprecated') OR v.demoted OR v.key & 0xffffff < a.canonical)"
	corrected = "(v.status IN ('draft', 'needs_rebase') AND a.canonical = 0 AND v.key & 0xffffff < a.head)"
)

func (r *reader) Outdated(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error) {
	return r.among(ctx, refs, outdated)
}

func (r *reader) Corrected(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error) {
	return r.among(ctx, refs, corrected)
}

// among gives those of some versions of which a condition holds.
func (r *reader) among(ctx context.Context, refs []brenner.Ref, condition string) ([]brenner.Ref, error) {
	out, err := collect(ctx, r.c, func(r row) brenner.Ref {
		return brenner.Ref{Artifact: brenner.ArtifactID(r.text(0)), Version: brenner.Version(r.int(1))}
	}, "SELECT a.id, ref.value"+fromRefs+`CROSS JOIN versions v ON v.key = a.key << 24 | ref.value
		WHERE `+condition, refsParameter(refs))
	slices.SortFunc(out, brenner.Ref.Compare)
	return out, err
}

// Stale works with the numbers of the versions: that links have no names makes
// them cheap to read.
func (r *reader) Stale(ctx context.Context, refs []brenner.Ref, rels []artifact.Relation, limit int) ([]brenner.Ref, error) {
	asked := map[int64]brenner.Ref{}
	if err := r.c.query(ctx, func(r row) error {
		ref := brenner.Ref{Artifact: brenner.ArtifactID(r.text(1)), Version: brenner.Version(r.int(2))}
		asked[versionKey(r.int(0), ref.Version)] = ref
		return nil
	}, "SELECT a.key, a.id, ref.value"+fromRefs, refsParameter(refs)); err != nil {
		return nil, err
	}
	resting := map[int64][]int64{} // on a version, directly
	var next []int64               // versions that are outdated, and later what rests on them
	taken := 0
	args := []any{keysParameter(maps.Keys(asked)), int64(limit) + 1}
	for _, rel := range rels {
		args = append(args, string(rel))
	}
	// The relations are parameters each: a list that is read as JSON twice takes as
	// long as some steps. A version is looked at with each link to it, in the same statement.
	among := ""
	for i := range rels {
		among += ", ?" + strconv.Itoa(i+3)
	}
	among = "l.rel IN (" + strings.TrimPrefix(among, ", ") + ")"
	if err := r.c.query(ctx, func(r row) error {
		src, dst := r.int(0), r.int(1)
		if r.flag(2) && resting[dst] == nil {
			next = append(next, dst)
		}
		resting[dst] = append(resting[dst], src)
		taken++
		return nil
	}, `WITH RECURSIVE under (src, rel, dst) AS (
			SELECT l.src, l.rel, l.dst FROM json_each(?1) k CROSS JOIN links l ON l.src = k.value AND +`+among+`
			UNION SELECT l.src, l.rel, l.dst FROM under CROSS JOIN links l ON l.src = under.dst AND +`+among+`
		) SELECT under.src, under.dst, `+outdated+` FROM under
			CROSS JOIN versions v ON v.key = under.dst CROSS JOIN artifacts a ON a.key = v.artifact LIMIT ?2+0`, args...); err != nil {
		return nil, err
	}
	if taken > limit {
		return nil, store.TooManyLinks(limit)
	}
	stale := map[int64]bool{}
	for len(next) > 0 {
		on := next[len(next)-1]
		next = next[:len(next)-1]
		for _, key := range resting[on] {
			if !stale[key] {
				stale[key] = true
				next = append(next, key)
			}
		}
	}
	var out []brenner.Ref
	for key, ref := range asked {
		if stale[key] {
			out = append(out, ref)
		}
	}
	slices.SortFunc(out, brenner.Ref.Compare)
	return out, nil
}

func (r *reader) OutdatedTargets(ctx context.Context) ([]brenner.Ref, error) {
	// From the canonical versions down to what is linked below them, and from
	// what is superseded, deprecated or demoted to whether it is linked: the links to
	// what is in force are not looked at.
	return r.targets(ctx, `SELECT a.id, t.dst FROM (
		SELECT l.dst FROM versions c INDEXED BY one_canonical_per_artifact
			CROSS JOIN links l INDEXED BY links_by_target ON l.dst > c.key & ~0xffffff AND l.dst < c.key
			WHERE c.status = 'canonical'
		UNION
		SELECT s.key FROM versions s INDEXED BY superseded
			WHERE s.status = 'superseded' AND EXISTS (SELECT 1 FROM links l WHERE l.dst = s.key)
		UNION
		SELECT d.key FROM versions d INDEXED BY deprecated
			WHERE d.status = 'deprecated' AND EXISTS (SELECT 1 FROM links l WHERE l.dst = d.key)
		UNION
		SELECT b.key FROM versions b INDEXED BY demoted
			WHERE b.demoted = 1 AND EXISTS (SELECT 1 FROM links l WHERE l.dst = b.key)
		) t CROSS JOIN artifacts a ON a.key = t.dst >> 24`)
}

func (r *reader) CorrectedTargets(ctx context.Context) ([]brenner.Ref, error) {
	// From the artifacts that went on without a decision down to what is linked
	// below their heads.
	return r.targets(ctx, `SELECT DISTINCT a.id, l.dst FROM artifacts a INDEXED BY undecided
		CROSS JOIN links l INDEXED BY links_by_target ON l.dst > a.key << 24 AND l.dst < a.key << 24 | a.head
		CROSS JOIN versions v ON v.key = l.dst
		WHERE a.canonical = 0 AND a.head > 1 AND `+corrected)
}

// targets runs a statement that selects ids and keys of versions, and puts
// these in order.
func (r *reader) targets(ctx context.Context, statement string) ([]brenner.Ref, error) {
	out, err := collect(ctx, r.c, func(r row) brenner.Ref {
		return brenner.Ref{Artifact: brenner.ArtifactID(r.text(0)), Version: versionOf(r.int(1))}
	}, statement)
	slices.SortFunc(out, brenner.Ref.Compare)
	return out, err
}
