package sqlite

import (
	"bytes"
	"context"
	"slices"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
)

// tx writes inside the transaction of its connection.
type tx struct {
	reader
	doom error // the first error of a writing method
	// keys remembers the artifacts this write has looked up.
	keys map[brenner.ArtifactID]int64
	// made are the artifacts this write has made: they had no versions.
	made   map[int64]bool
	tail   *tail
	shared *any
	noted  int // artifacts for the full-text index
}

func (t *tx) Shared() *any { return t.shared }

// RefuseLate changes nothing: a refusal is no way to a server and back.
func (t *tx) RefuseLate() {}

// note dooms the write if a writing method fails.
func (t *tx) note(err *error) {
	if *err != nil && t.doom == nil {
		t.doom = *err
	}
}

// key gives the key of an artifact that is to be there.
func (t *tx) key(ctx context.Context, id brenner.ArtifactID) (int64, error) {
	if key, known := t.keys[id]; known {
		return key, canceled(ctx)
	}
	key, found, err := t.artifactKey(ctx, id)
	if err != nil {
		return 0, err
	}
	if !found {
		return 0, notFound("there is no artifact %s", id)
	}
	t.remember(id, key)
	return key, nil
}

func (t *tx) remember(id brenner.ArtifactID, key int64) {
	if t.keys == nil {
		t.keys, t.made = map[brenner.ArtifactID]int64{}, map[int64]bool{}
	}
	t.keys[id] = key
}

func (t *tx) Init(ctx context.Context, p store.Project) (err error) {
	defer t.note(&err)
	if err := p.Check(); err != nil {
		return err
	}
	err = t.c.do(ctx, "INSERT INTO project (one, id, name, at) VALUES (1, ?, ?, ?)", string(p.ID), p.Name, micros(p.At))
	if isTaken(err) {
		return brenner.Errorf(brenner.CodeProjectExists, "the store holds a project already").WithHint("use it, or choose another directory")
	}
	return err
}

// tail is where the journal ends. Nobody else can write during a transaction,
// so it is looked up once for all the writes that share one.
type tail struct {
	known           bool
	records, hashes int64
}

// end gives the tail of the journal.
func (t *tx) end(ctx context.Context) (*tail, error) {
	if t.tail.known {
		return t.tail, canceled(ctx)
	}
	records, err := t.reader.Size(ctx)
	if err != nil {
		return nil, err
	}
	hashes, err := t.hashCount(ctx)
	if err != nil {
		return nil, err
	}
	*t.tail = tail{true, records, hashes}
	return t.tail, nil
}

func (t *tx) Size(ctx context.Context) (int64, error) {
	end, err := t.end(ctx)
	if err != nil {
		return 0, err
	}
	return end.records, nil
}

// next reports whether a row numbered n can follow the rows below have.
func next(n, have int64) error {
	switch {
	case n < have:
		return exists("number %d is taken", n)
	case n > have:
		return brenner.Errorf(brenner.CodeInvalidValue, "number %d would leave a gap at %d", n, have)
	}
	return nil
}

func (t *tx) AppendRecord(ctx context.Context, r store.Record) (err error) {
	defer t.note(&err)
	end, err := t.end(ctx)
	if err != nil {
		return err
	}
	if err := next(r.Seq, end.records+1); err != nil {
		return err
	}
	if err := r.Check(); err != nil {
		return err
	}
	end.records++
	return t.c.do(ctx, "INSERT INTO records (seq, at, actor, kind, data) VALUES (?, ?, ?, ?, ?)",
		r.Seq, micros(r.At), string(r.Actor), r.Kind, raw(r.Data))
}

func (t *tx) PutHashes(ctx context.Context, first int64, hashes [][32]byte) (err error) {
	defer t.note(&err)
	end, err := t.end(ctx)
	if err != nil {
		return err
	}
	if err := next(first, end.hashes); err != nil || len(hashes) == 0 {
		return err
	}
	end.hashes += int64(len(hashes))
	run := make([]byte, 0, len(hashes)*hashSize)
	for _, h := range hashes {
		run = append(run, h[:]...)
	}
	return t.c.do(ctx, "INSERT INTO hashes (first, run) VALUES (?, ?)", first, run)
}

func (t *tx) PutBlob(ctx context.Context, d brenner.Digest, data []byte) (err error) {
	defer t.note(&err)
	sum, err := store.Sum(d)
	if err != nil {
		return err
	}
	made, _, err := t.c.exec(ctx, "INSERT INTO blobs (digest, data) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING", sum[:], raw(data))
	if err != nil || made > 0 {
		return err
	}
	if _, _, err = t.SmallBlob(ctx, d, 0); brenner.CodeOf(err) == brenner.CodeRedacted {
		err = store.GoneForGood(d)
	}
	return err
}

func (t *tx) RedactBlob(ctx context.Context, d brenner.Digest) (err error) {
	defer t.note(&err)
	sum, err := store.Sum(d)
	if err != nil {
		return err
	}
	if err := t.erase(ctx, sum[:]); err != nil {
		return err
	}
	return t.c.do(ctx, "INSERT INTO blobs (digest, data) VALUES (?, NULL) ON CONFLICT (digest) DO UPDATE SET data = NULL", sum[:])
}

func (t *tx) PutArtifact(ctx context.Context, a store.Artifact) (err error) {
	defer t.note(&err)
	if err := a.Check(); err != nil {
		return err
	}
	tags := joined(a.Tags)
	columns := []any{
		string(a.ID), string(a.Type), string(a.Module), string(a.Creator), micros(a.Created), micros(a.Updated), int64(a.Head),
		int64(a.Latest), int64(a.Canonical), string(a.HeadStatus), a.Seq, tags, a.Summary, a.Size,
	}
	added, key, err := t.c.exec(ctx, "INSERT INTO artifacts ("+artifactColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`, columns...)
	if err != nil {
		return err
	}
	if added > 0 {
		t.remember(a.ID, key)
		t.made[key] = true
		return t.retag(ctx, key, nil, a.Tags)
	}
	var before []byte
	if _, err := t.c.one(ctx, func(r row) { key, before = r.int(0), r.bytes(1) },
		"SELECT key, tags FROM artifacts WHERE id = ?", string(a.ID)); err != nil {
		return err
	}
	t.remember(a.ID, key)
	if err := t.c.do(ctx, `UPDATE artifacts SET creator = ?4, created = ?5, updated = ?6, head = ?7,
		latest = ?8, canonical = ?9, head_status = ?10, seq = ?11, tags = ?12, summary = ?13, size = ?14 WHERE id = ?1`, columns...); err != nil {
		return err
	}
	if bytes.Equal(before, tags) {
		return nil
	}
	return t.retag(ctx, key, split(string(before)), a.Tags)
}

// retag brings the tags an artifact is found by from before to after.
func (t *tx) retag(ctx context.Context, key int64, before, after []string) error {
	for _, tag := range before {
		if !slices.Contains(after, tag) {
			if err := t.c.do(ctx, "DELETE FROM artifact_tags WHERE tag = ? AND artifact = ?", tag, key); err != nil {
				return err
			}
		}
	}
	for _, tag := range after {
		if !slices.Contains(before, tag) {
			if err := t.c.do(ctx, "INSERT OR IGNORE INTO artifact_tags (tag, artifact) VALUES (?, ?)", tag, key); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tx) InsertVersion(ctx context.Context, v store.Version) (err error) {
	defer t.note(&err)
	if err := v.Check(); err != nil {
		return err
	}
	of, err := t.key(ctx, v.Artifact)
	if err != nil {
		return err
	}
	was, err := t.tips(ctx, of, v.Parent)
	if err != nil {
		return err
	}
	if v.Parent != 0 && (!was.parentThere || v.Parent >= v.Version) {
		if _, err := t.Version(ctx, v.Ref()); err == nil {
			return exists("version %s exists", v.Ref())
		}
		return notFound("there is no earlier version %s@%d", v.Artifact, v.Parent)
	}
	content, err := store.Sum(v.Content)
	if err != nil {
		return err
	}
	err = t.c.do(ctx, `INSERT INTO versions (key, artifact, parent, status, slot, format, content, size, creator, role, created, task,
		invocation, seq, tags, summary, what, why, demoted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		versionKey(of, v.Version), of, int64(v.Parent), string(v.Status), v.Slot, string(v.Format), content[:], v.Size,
		string(v.Creator), string(v.Role), micros(v.Created), v.Task, v.Invocation, v.Seq, joined(v.Tags), v.Summary, v.What, v.Why, v.Demoted)
	if err != nil {
		return placeTaken(err, v.Ref())
	}
	return t.grown(ctx, of, v, was)
}

// placeTaken explains which of its constraints a version met.
func placeTaken(err error, ref brenner.Ref) error {
	switch {
	case isSecondCanonical(err):
		return brenner.Errorf(brenner.CodeSlotTaken, "another version is canonical where %s would be", ref).
			WithHint("supersede that one first")
	case isTaken(err):
		return exists("version %s exists", ref)
	}
	return err
}

// tips is what an artifact looked like where a version is to be added.
type tips struct {
	forked      bool
	newest      int64 // key of the newest live version, 0 if none
	parentThere bool
	parentLive  bool
}

func (t *tx) tips(ctx context.Context, of int64, parent brenner.Version) (tips, error) {
	var out tips
	if t.made[of] {
		delete(t.made, of) // it has one from now on
		return out, nil
	}
	lowest, highest := versionRange(of)
	_, err := t.c.one(ctx, func(r row) {
		out.forked = !r.null(0)
		if !r.null(1) {
			out.newest = r.int(1)
		}
		if !r.null(2) {
			out.parentThere, out.parentLive = true, artifact.Status(r.text(2)).Live()
		}
	}, `SELECT (SELECT 1 FROM forked WHERE artifact = ?1),
		(SELECT key FROM versions WHERE key BETWEEN ?2 AND ?3 AND status NOT IN ('superseded', 'deprecated') ORDER BY key DESC LIMIT 1),
		(SELECT status FROM versions WHERE key = ?4)`, of, lowest, highest, versionKey(of, parent))
	return out, err
}

// grown keeps the list of forked artifacts after a version was added. An
// artifact that is not forked has at most one leaf, its newest live version: it
// stays so if the new version is dead, or goes on that leaf.
func (t *tx) grown(ctx context.Context, of int64, v store.Version, was tips) error {
	on := versionKey(of, v.Parent)
	if !v.Status.Live() || !was.forked && (was.newest == 0 || was.parentLive && was.newest == on) {
		return nil
	}
	return t.recount(ctx, of)
}

// recount finds out anew whether an artifact is forked.
func (t *tx) recount(ctx context.Context, of int64) error {
	leaves, err := t.leaves(ctx, of)
	if err != nil {
		return err
	}
	if len(leaves) > 1 {
		return t.c.do(ctx, "INSERT OR IGNORE INTO forked (artifact) VALUES (?)", of)
	}
	return t.c.do(ctx, "DELETE FROM forked WHERE artifact = ?", of)
}

func (t *tx) SetStatus(ctx context.Context, ref brenner.Ref, s artifact.Status) (err error) {
	defer t.note(&err)
	if err := store.CheckText(string(s)); err != nil {
		return err
	}
	missing := func() error { return notFound("there is no version %s", ref) }
	of, err := t.key(ctx, ref.Artifact)
	if brenner.CodeOf(err) == brenner.CodeNotFound || err == nil && !possible(ref.Version) {
		return missing()
	}
	if err != nil {
		return err
	}
	key := versionKey(of, ref.Version)
	before, err := single(ctx, t.c, func(r row) store.Version {
		return store.Version{Status: artifact.Status(r.text(0)), Demoted: r.int(1) != 0}
	}, missing, "SELECT status, demoted FROM versions WHERE key = ?", key)
	after := before.WithStatus(s)
	if err != nil || before.Status == s && before.Demoted == after.Demoted {
		return err
	}
	if err := t.c.do(ctx, "UPDATE versions SET status = ?, demoted = ? WHERE key = ?", string(s), after.Demoted, key); err != nil {
		return placeTaken(err, ref)
	}
	if before.Status.Live() == s.Live() {
		return nil
	}
	return t.recount(ctx, of)
}

func (t *tx) InsertLink(ctx context.Context, l store.Link) (err error) {
	defer t.note(&err)
	if err := l.Check(); err != nil {
		return err
	}
	var ends [2]int64
	for i, end := range []brenner.Ref{l.From, l.To} {
		of, err := t.key(ctx, end.Artifact)
		if err != nil {
			return err
		}
		if !possible(end.Version) {
			return notFound("there is no version %s", end)
		}
		ends[i] = versionKey(of, end.Version)
	}
	err = t.c.do(ctx, "INSERT INTO links (src, rel, dst, seq) VALUES (?, ?, ?, ?)", ends[0], string(l.Rel), ends[1], l.Seq)
	switch {
	case isDangling(err):
		return notFound("there is no version %s or %s", l.From, l.To)
	case isTaken(err):
		return exists("the link %s %s %s exists", l.From, l.Rel, l.To)
	}
	return err
}

func (t *tx) PutActor(ctx context.Context, a store.Actor) (err error) {
	defer t.note(&err)
	if err := a.Check(); err != nil {
		return err
	}
	return t.c.do(ctx, "INSERT OR REPLACE INTO actors ("+actorColumns+") VALUES (?, ?, ?, ?, ?, ?, ?)",
		string(a.Name), a.Kind, string(a.Role), a.Note, a.Active, micros(a.Created), a.Seq)
}

func (t *tx) PutObject(ctx context.Context, o store.Object) (err error) {
	defer t.note(&err)
	if err := o.Check(); err != nil {
		return err
	}
	return t.c.do(ctx, "INSERT INTO objects ("+objectColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, id) DO UPDATE
		SET grp = excluded.grp, state = excluded.state, ord = excluded.ord, body = excluded.body, seq = excluded.seq`,
		o.Kind, o.ID, o.Group, o.State, o.Order, raw(o.Body), o.Seq)
}

func (t *tx) PutRequest(ctx context.Context, r store.Request) (err error) {
	defer t.note(&err)
	if err := r.Check(); err != nil {
		return err
	}
	sum, err := store.Sum(r.Digest)
	if err != nil {
		return err
	}
	err = t.c.do(ctx, "INSERT INTO requests ("+requestColumns+") VALUES (?, ?, ?, ?, ?)",
		string(r.Actor), r.Key, sum[:], raw(r.Result), r.Seq)
	if isTaken(err) {
		return exists("the key %q was used", r.Key)
	}
	return err
}

func (t *tx) PutToken(ctx context.Context, k store.Token) (err error) {
	defer t.note(&err)
	if err := k.Check(); err != nil {
		return err
	}
	sum, err := store.Sum(k.Secret)
	if err != nil {
		return err
	}
	err = t.c.do(ctx, "INSERT INTO tokens ("+tokenColumns+`) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
		SET actor = excluded.actor, secret = excluded.secret, created = excluded.created, expires = excluded.expires,
		revoked = excluded.revoked`, k.ID, string(k.Actor), sum[:], micros(k.Created), micros(k.Expires), k.Revoked)
	if isTaken(err) {
		return exists("another token has this secret")
	}
	return err
}

func (t *tx) AddDenial(ctx context.Context, d store.Denial) (err error) {
	defer t.note(&err)
	if err := d.Check(); err != nil {
		return err
	}
	_, number, err := t.c.exec(ctx, "INSERT INTO denials (at, actor, role, action, target, reason) VALUES (?, ?, ?, ?, ?, ?)",
		micros(d.At), string(d.Actor), string(d.Role), d.Action, d.Target, d.Reason)
	if err != nil {
		return err
	}
	return t.c.do(ctx, "DELETE FROM denials WHERE number <= ?", number-store.MaxDenials)
}

func (t *tx) AddStored(ctx context.Context, actor brenner.ActorName, bytes int64) (err error) {
	defer t.note(&err)
	if err := store.CheckText(string(actor)); err != nil {
		return err
	}
	return t.c.do(ctx, `INSERT INTO stored (actor, bytes) VALUES (?, ?)
		ON CONFLICT (actor) DO UPDATE SET bytes = bytes + excluded.bytes`, string(actor), bytes)
}

func (t *tx) PutVectors(ctx context.Context, space string, vectors map[string][]float32) (err error) {
	defer t.note(&err)
	if err := store.CheckText(space); err != nil {
		return err
	}
	for id, v := range vectors {
		if err := store.CheckText(id); err != nil {
			return err
		}
		if err := t.c.do(ctx, `INSERT INTO vectors (space, id, data) VALUES (?, ?, ?)
			ON CONFLICT (space, id) DO UPDATE SET data = excluded.data`, space, id, floatBytes(v)); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) DeleteVectors(ctx context.Context, space string) (err error) {
	defer t.note(&err)
	return t.c.do(ctx, "DELETE FROM vectors WHERE space = ?", space)
}

func (t *tx) Reset(ctx context.Context) (err error) {
	defer t.note(&err)
	t.keys, t.made = nil, nil
	t.counted.forget()
	for _, empty := range []string{
		"DELETE FROM index_notes", "DELETE FROM index_documents", "DELETE FROM index_segments", "DELETE FROM index_pages",
		"UPDATE index_state SET generation = generation + 1, changes = changes + 1, documents = 0, length = 0",
		"DELETE FROM forked", "DELETE FROM links", "DELETE FROM versions", "DELETE FROM artifact_tags",
		"DELETE FROM artifacts", "DELETE FROM actors", "DELETE FROM objects", "DELETE FROM requests",
	} {
		if err := t.c.do(ctx, empty); err != nil {
			return err
		}
	}
	return nil
}
