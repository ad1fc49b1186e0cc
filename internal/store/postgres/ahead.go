package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"brenner"
	"brenner/internal/store"
)

// ahead is what was read of a snapshot before it was asked for.
type ahead struct {
	versions map[brenner.Ref]store.Version
	blobs    map[brenner.Digest][]byte
}

// maxAhead bounds what is read ahead at once, in bytes of content by what the
// versions say.
const maxAhead = 1 << 20

// Expect reads versions and contents in one question. Where it fails, the session
// has failed, and whoever asks for them is told.
func (r *reader) Expect(ctx context.Context, refs []brenner.Ref, most int64) {
	if len(refs) < 2 {
		return
	}
	if r.ahead.versions == nil {
		r.ahead = ahead{map[brenner.Ref]store.Version{}, map[brenner.Digest][]byte{}}
	}
	ids, numbers := columns(refs)
	_ = r.query(ctx, func(rows pgx.Rows) error {
		var v store.Version
		var b blob
		if err := scanVersionAnd(rows, &v, &b.body, &b.size); err != nil {
			return err
		}
		r.ahead.versions[v.Ref()] = v
		if b.body != nil {
			r.ahead.blobs[v.Content] = b.content()
		}
		return nil
	}, `SELECT `+versionColumns+`, body, length FROM (
			SELECT v.*, sum(size) OVER (ORDER BY i) AS so_far FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS ref (a, n, i), LATERAL (
				SELECT `+versionColumns+` FROM versions WHERE project = $1 AND artifact = a AND version = n OFFSET 0) AS v
		) AS v (`+versionColumns+`, so_far) LEFT JOIN LATERAL (
			SELECT body, b.size AS length FROM blobs AS b WHERE project = $1 AND digest = v.content AND v.size <= $4 AND v.so_far <= $5 OFFSET 0) AS b ON true`,
		r.project, ids, numbers, most, maxAhead)
}

// Expect does nothing within a write: what is read there may have changed since.
func (t *tx) Expect(context.Context, []brenner.Ref, int64) {}
