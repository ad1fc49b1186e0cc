package sqlite

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/internal/store"
	"brenner/internal/store/fulltext"
)

// reader reads what its connection sees: a snapshot, or a write under way.
type reader struct {
	c *conn
	// counted is shared by all readers; only what is committed is added to it.
	counted   *census
	committed bool
	// index and last remember what was read of the full-text index, nil inside a write;
	// seen is told how many notes there are.
	index *fulltext.Index
	last  *lastNotes
	seen  func(notes int)
}

// micros and instant are how a time is written and read.
func micros(t time.Time) int64 { return t.UnixMicro() }

func instant(n int64) time.Time { return time.UnixMicro(n).UTC() }

// joined and split are how tags are written and read.
func joined(tags []string) []byte {
	out := []byte{}
	for _, t := range tags {
		out = append(append(out, t...), 0)
	}
	return out
}

func split(data string) []string {
	if len(data) == 0 {
		return []string{}
	}
	return strings.Split(data[:len(data)-1], "\x00")
}

// raw gives bytes that are never NULL.
func raw(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

func digest(data []byte) brenner.Digest {
	if len(data) != 32 {
		panic(damagedValue{fmt.Sprintf("a digest of %d bytes", len(data))})
	}
	return store.DigestOf([32]byte(data))
}

// limit is a LIMIT: a negative one is none. Statements write it "LIMIT ?+0": a bare
// parameter there is looked at while the statement is prepared, and so it is
// prepared anew whenever another is bound.
func limit(n int) int64 {
	if n <= 0 {
		return -1
	}
	return int64(n)
}

// collect reads every row into a list.
func collect[T any](ctx context.Context, c *conn, scan func(row) T, sql string, args ...any) ([]T, error) {
	var out []T
	err := c.query(ctx, func(r row) error {
		out = append(out, scan(r))
		return nil
	}, sql, args...)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// single reads the one row, or gives the error.
func single[T any](ctx context.Context, c *conn, scan func(row) T, missing func() error, sql string, args ...any) (T, error) {
	var out T
	found, err := c.one(ctx, func(r row) { out = scan(r) }, sql, args...)
	if err == nil && !found {
		err = missing()
	}
	return out, err
}

func (r *reader) Project(ctx context.Context) (store.Project, error) {
	return single(ctx, r.c, func(r row) store.Project {
		return store.Project{ID: brenner.ProjectID(r.text(0)), Name: r.text(1), At: instant(r.int(2))}
	}, func() error {
		return brenner.Errorf(brenner.CodeNoProject, "the store holds no project").WithHint("make one").Try(brenner.Do("init"))
	}, "SELECT id, name, at FROM project")
}

func (r *reader) Size(ctx context.Context) (int64, error) {
	return r.c.number(ctx, "SELECT max(seq) FROM records")
}

const recordColumns = "seq, at, actor, kind, data"

func scanRecord(r row) store.Record {
	return store.Record{Seq: r.int(0), At: instant(r.int(1)), Actor: brenner.ActorName(r.text(2)), Kind: r.text(3), Data: r.bytes(4)}
}

func (r *reader) Records(ctx context.Context, after int64, most int) ([]store.Record, error) {
	return collect(ctx, r.c, scanRecord, "SELECT "+recordColumns+" FROM records WHERE seq > ? ORDER BY seq LIMIT ?+0", after, limit(most))
}

func (r *reader) FindRecords(ctx context.Context, q store.RecordQuery) ([]store.Record, error) {
	var w where
	if q.Kind != "" {
		w.add("kind = ?", q.Kind)
	}
	if q.Actor != "" {
		w.add("actor = ?", string(q.Actor))
	}
	w.add("seq > ?", q.After)
	if q.Before != 0 {
		w.add("seq < ?", q.Before)
	}
	along := ""
	if q.Newest {
		along = " DESC"
	}
	return collect(ctx, r.c, scanRecord, "SELECT "+recordColumns+" FROM records"+w.String()+" ORDER BY seq"+along+" LIMIT ?+0",
		append(w.args, limit(q.Limit))...)
}

const hashSize = 32

func (r *reader) Hashes(ctx context.Context, indexes []int64) ([][32]byte, error) {
	out := make([][32]byte, 0, len(indexes))
	for _, i := range indexes {
		found := false
		_, err := r.c.one(ctx, func(r row) {
			run := r.bytes(1)
			if at := (i - r.int(0)) * hashSize; at+hashSize <= int64(len(run)) { // half a hash is none
				out, found = append(out, [32]byte(run[at:])), true
			}
		}, "SELECT first, run FROM hashes WHERE first <= ? ORDER BY first DESC LIMIT 1", i)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, notFound("there is no hash %d", i)
		}
	}
	return out, nil
}

// hashCount gives how many hashes there are.
func (r *reader) hashCount(ctx context.Context) (int64, error) {
	return r.c.number(ctx, "SELECT first + length(run) / 32 FROM hashes ORDER BY first DESC LIMIT 1")
}

func (r *reader) Generation(ctx context.Context) (int64, error) {
	return r.c.number(ctx, "SELECT generation FROM index_state")
}

func (r *reader) Blob(ctx context.Context, d brenner.Digest) ([]byte, error) {
	missing := func() error { return notFound("there is no content %s", d) }
	sum, err := store.Sum(d)
	if err != nil {
		return nil, missing()
	}
	data, err := single(ctx, r.c, blobData, missing, "SELECT data FROM blobs WHERE digest = ?", sum[:])
	if err == nil && data == nil {
		err = brenner.Errorf(brenner.CodeRedacted, "content %s was redacted", d)
	}
	return data, err
}

// Expect has nothing to gain: a question is a call.
func (r *reader) Expect(context.Context, []brenner.Ref, int64) {}

func (r *reader) SmallBlob(ctx context.Context, d brenner.Digest, most int64) ([]byte, int64, error) {
	missing := func() error { return notFound("there is no content %s", d) }
	sum, err := store.Sum(d)
	if err != nil {
		return nil, 0, missing()
	}
	type found struct {
		data     []byte
		size     int64
		redacted bool
	}
	// The length of a blob is known without reading it.
	b, err := single(ctx, r.c, func(r row) found {
		if r.null(0) {
			return found{redacted: true}
		}
		return found{data: blobData(row{r[1]}), size: r.int(0)}
	}, missing, "SELECT length(data), CASE WHEN length(data) <= ? THEN data END FROM blobs WHERE digest = ?", most, sum[:])
	if err == nil && b.redacted {
		err = brenner.Errorf(brenner.CodeRedacted, "content %s was redacted", d)
	}
	return b.data, b.size, err
}

// Blobs asks for many at once: a statement each would cost more than what it finds.
func (r *reader) Blobs(ctx context.Context, digests []brenner.Digest, most int64, fn func(d brenner.Digest, data []byte) error) error {
	digests = slices.Compact(slices.Sorted(slices.Values(digests))) // neighbours are on one page
	return r.c.query(ctx, func(r row) error { return fn(digests[r.int(0)], blobData(row{r[1]})) },
		"SELECT asked.key, b.data FROM json_each(?1) asked CROSS JOIN blobs b ON b.digest = unhex(asked.value) WHERE length(b.data) <= ?2",
		textsParameter(digests), most)
}

func (r *reader) Redacted(ctx context.Context, digests []brenner.Digest) ([]brenner.Digest, error) {
	digests = slices.Compact(slices.Sorted(slices.Values(digests)))
	return collect(ctx, r.c, func(r row) brenner.Digest { return digests[r.int(0)] },
		"SELECT asked.key FROM json_each(?1) asked CROSS JOIN blobs b ON b.digest = unhex(asked.value) WHERE b.data IS NULL ORDER BY asked.key",
		textsParameter(digests))
}

// blobData gives content, nil only where it was redacted.
func blobData(r row) []byte {
	if r.null(0) {
		return nil
	}
	return raw(r.bytes(0))
}

func (r *reader) EachBlob(ctx context.Context, fn func(d brenner.Digest, data []byte) error) error {
	return r.c.query(ctx, func(r row) error { return fn(digest(r.bytes(1)), blobData(r)) },
		"SELECT data, digest FROM blobs ORDER BY digest")
}

const actorColumns = "name, kind, role, note, active, created, seq"

func scanActor(r row) store.Actor {
	return store.Actor{
		Name: brenner.ActorName(r.text(0)), Kind: r.text(1), Role: brenner.Role(r.text(2)), Note: r.text(3), Active: r.flag(4),
		Created: instant(r.int(5)), Seq: r.int(6),
	}
}

func (r *reader) Actor(ctx context.Context, name brenner.ActorName) (store.Actor, error) {
	return single(ctx, r.c, scanActor, func() error { return notFound("there is no actor %s", name) },
		"SELECT "+actorColumns+" FROM actors WHERE name = ?", string(name))
}

func (r *reader) Actors(ctx context.Context) ([]store.Actor, error) {
	return collect(ctx, r.c, scanActor, "SELECT "+actorColumns+" FROM actors ORDER BY name")
}

const objectColumns = "kind, id, grp, state, ord, body, seq"

func scanObject(r row) store.Object {
	return store.Object{
		Kind: r.text(0), ID: r.text(1), Group: r.text(2), State: r.text(3), Order: r.int(4), Body: r.bytes(5), Seq: r.int(6),
	}
}

func (r *reader) Object(ctx context.Context, kind, id string) (store.Object, error) {
	return single(ctx, r.c, scanObject, func() error { return notFound("there is no %s %s", kind, id) },
		"SELECT "+objectColumns+" FROM objects WHERE kind = ? AND id = ?", kind, id)
}

func (r *reader) Objects(ctx context.Context, q store.ObjectQuery) ([]store.Object, error) {
	var w where
	w.add("kind = ?", q.Kind)
	if q.Group != "" {
		w.add("grp = ?", q.Group)
	}
	in(&w, "state", q.States)
	along, beyond := "", ">"
	if q.Newest {
		along, beyond = " DESC", "<"
	}
	if q.AfterID != "" {
		w.add("(ord, id) "+beyond+" (?, ?)", q.AfterOrder, q.AfterID)
	}
	return collect(ctx, r.c, scanObject, "SELECT "+objectColumns+" FROM objects"+w.String()+
		" ORDER BY ord"+along+", id"+along+" LIMIT ?+0", append(w.args, limit(q.Limit))...)
}

func (r *reader) CountObjects(ctx context.Context, kind, group string) (map[string]int, error) {
	var w where
	w.add("kind = ?", kind)
	index := "objects_by_state"
	if group != "" {
		w.add("grp = ?", group)
		index = "objects_by_group"
	}
	out := map[string]int{}
	err := r.c.query(ctx, func(r row) error {
		out[r.text(0)] = int(r.int(1))
		return nil
	}, "SELECT state, count(*) FROM objects INDEXED BY "+index+w.String()+" GROUP BY state", w.args...)
	return out, err
}

const requestColumns = "actor, key, digest, result, seq"

func scanRequest(r row) store.Request {
	return store.Request{
		Actor: brenner.ActorName(r.text(0)), Key: r.text(1), Digest: digest(r.bytes(2)), Result: r.bytes(3), Seq: r.int(4),
	}
}

func (r *reader) Request(ctx context.Context, actor brenner.ActorName, key string) (store.Request, error) {
	return single(ctx, r.c, scanRequest, func() error { return notFound("the key %q was not used", key) },
		"SELECT "+requestColumns+" FROM requests WHERE actor = ? AND key = ?", string(actor), key)
}

const tokenColumns = "id, actor, secret, created, expires, revoked"

func scanToken(r row) store.Token {
	return store.Token{
		ID: r.text(0), Actor: brenner.ActorName(r.text(1)), Secret: digest(r.bytes(2)), Created: instant(r.int(3)),
		Expires: instant(r.int(4)), Revoked: r.flag(5),
	}
}

func (r *reader) Token(ctx context.Context, secret brenner.Digest) (store.Token, error) {
	missing := func() error { return notFound("there is no such token") }
	sum, err := store.Sum(secret)
	if err != nil {
		return store.Token{}, missing()
	}
	return single(ctx, r.c, scanToken, missing, "SELECT "+tokenColumns+" FROM tokens WHERE secret = ?", sum[:])
}

func (r *reader) Tokens(ctx context.Context) ([]store.Token, error) {
	return collect(ctx, r.c, scanToken, "SELECT "+tokenColumns+" FROM tokens ORDER BY id")
}

func (r *reader) Denials(ctx context.Context, most int) ([]store.Denial, error) {
	return collect(ctx, r.c, func(r row) store.Denial {
		return store.Denial{
			At: instant(r.int(0)), Actor: brenner.ActorName(r.text(1)), Role: brenner.Role(r.text(2)), Action: r.text(3),
			Target: r.text(4), Reason: r.text(5),
		}
	}, "SELECT at, actor, role, action, target, reason FROM denials ORDER BY number DESC LIMIT ?+0", limit(most))
}

func (r *reader) Stored(ctx context.Context, actor brenner.ActorName) (bytes int64, err error) {
	_, err = r.c.one(ctx, func(r row) { bytes = r.int(0) }, "SELECT bytes FROM stored WHERE actor = ?", string(actor))
	return bytes, err
}

func (r *reader) Vectors(ctx context.Context, space string, ids []string) (map[string][]float32, error) {
	out := map[string][]float32{}
	for _, id := range ids {
		if _, err := r.c.one(ctx, func(r row) { out[id] = floats(r.bytes(0)) },
			"SELECT data FROM vectors WHERE space = ? AND id = ?", space, id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *reader) EachVector(ctx context.Context, space string, fn func(id string, v []float32) error) error {
	return r.c.query(ctx, func(r row) error { return fn(r.text(0), floats(r.bytes(1))) },
		"SELECT id, data FROM vectors WHERE space = ? ORDER BY id", space)
}

func floats(data []byte) []float32 {
	out := make([]float32, len(data)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return out
}

func floatBytes(v []float32) []byte {
	out := make([]byte, 0, 4*len(v))
	for _, f := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(f))
	}
	return out
}

// where is the condition of a query and its arguments.
type where struct {
	terms []string
	args  []any
}

func (w *where) add(term string, args ...any) {
	w.terms = append(w.terms, term)
	w.args = append(w.args, args...)
}

func (w *where) String() string {
	if len(w.terms) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.terms, " AND ")
}

// in adds that a column is one of the values, unless there are none.
func in[T ~string](w *where, column string, values []T) {
	switch len(values) {
	case 0:
	case 1:
		w.add(column+" = ?", string(values[0]))
	default:
		w.add(column+" IN (?"+strings.Repeat(", ?", len(values)-1)+")", texts(values)...)
	}
}

func texts[T ~string](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

func (r *reader) Each(ctx context.Context, t store.Table, fn func(row any) error) error {
	switch t {
	case store.TableArtifacts:
		return eachRow(ctx, r.c, scanArtifact, fn, "SELECT "+artifactText+" FROM artifacts ORDER BY id")
	case store.TableVersions:
		return r.eachVersion(ctx, fn)
	case store.TableLinks:
		return r.eachLink(ctx, fn)
	case store.TableActors:
		return eachRow(ctx, r.c, scanActor, fn, "SELECT "+actorColumns+" FROM actors ORDER BY name")
	case store.TableObjects:
		return eachRow(ctx, r.c, scanObject, fn, "SELECT "+objectColumns+" FROM objects ORDER BY kind, id")
	case store.TableRequests:
		return eachRow(ctx, r.c, scanRequest, fn, "SELECT "+requestColumns+" FROM requests ORDER BY actor, key")
	}
	return fmt.Errorf("sqlite: there is no table %q", t)
}

func eachRow[T any](ctx context.Context, c *conn, scan func(row) T, fn func(any) error, sql string) error {
	return c.query(ctx, func(r row) error { return fn(scan(r)) }, sql)
}

// distinct gives the references once each, in order.
func distinct(refs []brenner.Ref) []brenner.Ref {
	out := slices.Clone(refs)
	slices.SortFunc(out, brenner.Ref.Compare)
	return slices.Compact(out)
}
