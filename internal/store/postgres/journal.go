package postgres

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"brenner"
	"brenner/internal/store"
	"brenner/internal/store/fulltext"
)

// reader answers questions inside one transaction.
type reader struct {
	*session
	project int32
	// size is that of the journal, or unknown until asked for: in a snapshot
	// it does not change.
	size int64
	// index remembers what was read of the full-text index, nil inside a write;
	// seen is told how many notes there are.
	index *fulltext.Index
	seen  func(notes int)
	ahead ahead
}

const unknown = -1

var _ store.Reader = (*reader)(nil)

// pageRows is how many rows a visit of a whole table takes at a time.
const pageRows = "500"

func (r *reader) Project(ctx context.Context) (store.Project, error) {
	return one(ctx, r.session, noProject(), func(rows pgx.Rows, p *store.Project) error {
		return rows.Scan((*string)(&p.ID), &p.Name, &p.At)
	}, `SELECT id, name, at FROM projects WHERE project = $1 AND id IS NOT NULL`, r.project)
}

func (r *reader) Size(ctx context.Context) (int64, error) {
	if r.size != unknown {
		return r.size, r.ready(ctx, nil)
	}
	n, err := one(ctx, r.session, nil, func(rows pgx.Rows, n *int64) error { return rows.Scan(n) },
		sizeOfJournal, r.project)
	if err == nil {
		r.size = n
	}
	return n, err
}

const sizeOfJournal = `SELECT coalesce(max(seq), 0) FROM records WHERE project = $1`

const recordColumns = `seq, at, actor, kind, data`

func scanRecord(rows pgx.Rows, rec *store.Record) error {
	return rows.Scan(&rec.Seq, &rec.At, (*string)(&rec.Actor), &rec.Kind, &rec.Data)
}

func (r *reader) Records(ctx context.Context, after int64, n int) ([]store.Record, error) {
	return listUpTo(ctx, r.session, n, scanRecord,
		`SELECT `+recordColumns+` FROM records WHERE project = $1 AND seq > $2 ORDER BY seq`, r.project, after)
}

func (r *reader) FindRecords(ctx context.Context, q store.RecordQuery) ([]store.Record, error) {
	w := where{}
	w.and(`project = %s`, r.project)
	if q.Kind != "" {
		w.and(`kind = %s`, q.Kind)
	}
	if q.Actor != "" {
		w.and(`actor = %s`, string(q.Actor))
	}
	w.and(`seq > %s`, q.After)
	if q.Before != 0 {
		w.and(`seq < %s`, q.Before)
	}
	order := `seq`
	if q.Newest {
		order = `seq DESC`
	}
	return listUpTo(ctx, r.session, q.Limit, scanRecord,
		`SELECT `+recordColumns+` FROM records `+w.String()+` ORDER BY `+order, w.args...)
}

func (r *reader) Hashes(ctx context.Context, indexes []int64) ([][32]byte, error) {
	if len(indexes) == 0 {
		return nil, r.ready(ctx, nil)
	}
	hashes, err := list(ctx, r.session, func(rows pgx.Rows, h *[32]byte) error {
		var raw []byte
		err := rows.Scan(&raw)
		if copy(h[:], raw) < len(h) && err == nil {
			err = fmt.Errorf("a stored hash has %d bytes", len(raw))
		}
		return err
	}, `SELECT substring(run FROM (32 * (idx - first))::integer + 1 FOR 32)
		FROM unnest($2::bigint[]) WITH ORDINALITY AS asked (idx, n), LATERAL (
			SELECT first, run FROM hashes WHERE project = $1 AND first <= idx ORDER BY first DESC LIMIT 1) AS h
		WHERE idx < first + length(run) / 32 ORDER BY n`, r.project, indexes)
	if err == nil && len(hashes) < len(indexes) {
		err = notFound("a hash of the journal is missing")
	}
	if err != nil {
		return nil, err
	}
	return hashes, nil
}

func (r *reader) Generation(ctx context.Context) (int64, error) {
	return one(ctx, r.session, notFound("there is no index"), func(rows pgx.Rows, n *int64) error { return rows.Scan(n) },
		`SELECT generation FROM index_state WHERE project = $1`, r.project)
}

func (r *reader) Blob(ctx context.Context, d brenner.Digest) ([]byte, error) {
	missing := notFound("there is no content %s", d)
	sum, err := store.Sum(d)
	if err != nil {
		return nil, missing
	}
	b, err := one(ctx, r.session, missing, scanBlob, `SELECT digest, body, size FROM blobs WHERE project = $1 AND digest = $2`, r.project, sum[:])
	if err == nil && b.body == nil {
		err = redacted(d)
	}
	return b.content(), err
}

func redacted(d brenner.Digest) error {
	return brenner.Errorf(brenner.CodeRedacted, "content %s was redacted", d).WithHint("see the redaction record for the reason")
}

func (r *reader) SmallBlob(ctx context.Context, d brenner.Digest, most int64) ([]byte, int64, error) {
	if data, read := r.ahead.blobs[d]; read && int64(len(data)) <= most {
		return bytes.Clone(data), int64(len(data)), r.ready(ctx, nil)
	}
	missing := notFound("there is no content %s", d)
	sum, err := store.Sum(d)
	if err != nil {
		return nil, 0, missing
	}
	type found struct {
		blob
		length *int64 // nil where redacted
	}
	b, err := one(ctx, r.session, missing, func(rows pgx.Rows, f *found) error { return rows.Scan(&f.length, &f.body, &f.size) },
		`SELECT length::bigint, CASE WHEN length <= $3 THEN body END, size
		FROM (SELECT body, size, `+lengthOfBlob+` AS length FROM blobs WHERE project = $1 AND digest = $2) AS b`, r.project, sum[:], most)
	if err != nil {
		return nil, 0, err
	}
	if b.length == nil {
		return nil, 0, redacted(d)
	}
	return b.content(), *b.length, nil
}

func (r *reader) Blobs(ctx context.Context, digests []brenner.Digest, most int64, fn func(d brenner.Digest, data []byte) error) error {
	sums := sumsOf(digests)
	found, err := list(ctx, r.session, scanBlob, `SELECT d, body, size FROM (SELECT DISTINCT d FROM unnest($2::bytea[]) AS d) AS asked, LATERAL (
			SELECT body, size FROM blobs WHERE project = $1 AND digest = d OFFSET 0) AS b WHERE `+lengthOfBlob+` <= $3`, r.project, sums, most)
	if err != nil {
		return err
	}
	for _, b := range found {
		if err := fn(store.DigestOf([32]byte(b.digest)), b.content()); err != nil {
			return err
		}
	}
	return nil
}

// sumsOf are digests as they are stored, without what is none.
func sumsOf(digests []brenner.Digest) [][]byte {
	sums := make([][]byte, 0, len(digests))
	for _, d := range digests {
		if sum, err := store.Sum(d); err == nil {
			sums = append(sums, sum[:])
		}
	}
	return sums
}

func (r *reader) Redacted(ctx context.Context, digests []brenner.Digest) ([]brenner.Digest, error) {
	sums := sumsOf(digests)
	found, err := list(ctx, r.session, scanBlob, `SELECT digest, body, size FROM blobs WHERE project = $1 AND digest = ANY($2::bytea[]) AND body IS NULL ORDER BY digest`, r.project, sums)
	if err != nil {
		return nil, err
	}
	var out []brenner.Digest
	for _, b := range found {
		out = append(out, store.DigestOf([32]byte(b.digest)))
	}
	return out, nil
}

// blob is a row of contents: the body is nil where it was redacted.
type blob struct {
	digest, body []byte
	size         *int32
}

func scanBlob(rows pgx.Rows, b *blob) error { return rows.Scan(&b.digest, &b.body, &b.size) }

func (b blob) content() []byte { return unpack(b.body, b.size) }

// lengthOfBlob is how many bytes a content has, null where it was redacted.
const lengthOfBlob = `CASE WHEN body IS NOT NULL THEN coalesce(size, length(body)) END`

// EachBlob takes blobs by the page as well, but a page also ends after about
// 4 MiB, so that large contents do not add up in memory.
func (r *reader) EachBlob(ctx context.Context, fn func(d brenner.Digest, data []byte) error) error {
	return each(ctx, r, scanBlob,
		`SELECT digest, body, size FROM (
			SELECT digest, body, size, sum(length) OVER (ORDER BY digest) - length AS before
			FROM (SELECT digest, body, size, `+lengthOfBlob+` AS length FROM blobs WHERE project = $1 AND digest > $2 ORDER BY digest LIMIT `+pageRows+`) AS page
		) AS page WHERE coalesce(before, 0) < 4194304 ORDER BY digest`,
		[]any{[]byte{}},
		func(b blob) []any { return []any{b.digest} },
		func(b blob) error { return fn(store.DigestOf([32]byte(b.digest)), b.content()) })
}

// Init makes the project. One that the address did not name goes by its name
// from now on.
func (t *tx) Init(ctx context.Context, p store.Project) error {
	if err := p.Check(); err != nil {
		return t.doom(err)
	}
	const update = `WITH made AS (
			UPDATE projects SET id = $2, name = $3, at = $4, key = coalesce(nullif(key, ''), $3) WHERE project = $1 AND id IS NULL RETURNING 1)
		SELECT CASE WHEN EXISTS (SELECT FROM made) THEN true ELSE refuse('BR409', 'project') END`
	err := t.tryNow(ctx, update, string(p.ID), p.Name, p.At)
	if brenner.CodeOf(err) == brenner.CodeAlreadyExists {
		t.fault = brenner.Errorf(brenner.CodeProjectExists, "the database holds this project already").
			WithHint("use it, or add ?project=NAME with another name to the address")
	}
	return t.fault
}

func (t *tx) AppendRecord(ctx context.Context, rec store.Record) error {
	if err := next(rec.Seq, t.size+1); err != nil {
		return t.doom(err)
	}
	t.size++
	return t.put(ctx, `INSERT INTO records (project, seq, at, actor, kind, data) VALUES ($1, $2, $3, $4, $5, $6)`,
		rec.Seq, rec.At, string(rec.Actor), rec.Kind, filled(rec.Data))
}

func (t *tx) PutHashes(ctx context.Context, first int64, hashes [][32]byte) error {
	if err := next(first, t.hashes); err != nil {
		return t.doom(err)
	}
	if len(hashes) == 0 {
		return t.ready(ctx, nil)
	}
	t.hashes += int64(len(hashes))
	run := make([]byte, 0, 32*len(hashes))
	for i, h := range hashes {
		run = append(run, h[:]...)
		t.rememberHash(first+int64(i), h)
	}
	return t.put(ctx, `INSERT INTO hashes (project, first, run) VALUES ($1, $2, $3)`, first, run)
}

// next reports whether a row of the journal has the number that comes next.
func next(n, want int64) error {
	if n < want {
		return brenner.Errorf(brenner.CodeAlreadyExists, "number %d is taken", n)
	}
	if n > want {
		return brenner.Errorf(brenner.CodeInvalidValue, "number %d would leave a gap before it", n).
			WithHint("the next number is " + strconv.FormatInt(want, 10))
	}
	return nil
}

func (t *tx) PutBlob(ctx context.Context, d brenner.Digest, data []byte) error {
	sum, err := store.Sum(d)
	if err != nil {
		return t.doom(err)
	}
	body, size := pack(data)
	return t.put(ctx, `INSERT INTO blobs (project, digest, body, size) VALUES ($1, $2, $3, $4) ON CONFLICT (project, digest) DO UPDATE SET body = $3
		WHERE CASE WHEN blobs.body IS NULL THEN refuse('BR410', encode($2, 'hex')) ELSE false END`, sum[:], body, size)
}

// Retains implements store.Retainer.
func (s *Store) Retains() string {
	return "PostgreSQL keeps the bytes in rows that it uses no more until VACUUM FULL, and in its logs and replicas until those are gone"
}

func (t *tx) RedactBlob(ctx context.Context, d brenner.Digest) error {
	sum, err := store.Sum(d)
	if err != nil {
		return t.doom(err)
	}
	if err := t.erase(ctx, sum[:]); err != nil {
		return t.doom(err)
	}
	return t.put(ctx, `INSERT INTO blobs (project, digest) VALUES ($1, $2) ON CONFLICT (project, digest) DO UPDATE SET body = NULL, size = NULL`, sum[:])
}
