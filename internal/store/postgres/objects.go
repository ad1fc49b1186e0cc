package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"brenner"
	"brenner/internal/store"
)

const (
	actorColumns   = `name, kind, role, note, active, created, seq`
	objectColumns  = `kind, id, grp, state, ord, body, seq`
	requestColumns = `actor, key, digest, result, seq`
	tokenColumns   = `id, actor, secret, created, expires, revoked`
)

func scanActor(rows pgx.Rows, a *store.Actor) error {
	return rows.Scan((*string)(&a.Name), &a.Kind, (*string)(&a.Role), &a.Note, &a.Active, &a.Created, &a.Seq)
}

func scanObject(rows pgx.Rows, o *store.Object) error {
	return rows.Scan(&o.Kind, &o.ID, &o.Group, &o.State, &o.Order, &o.Body, &o.Seq)
}

func scanRequest(rows pgx.Rows, r *store.Request) error {
	var digest []byte
	err := rows.Scan((*string)(&r.Actor), &r.Key, &digest, &r.Result, &r.Seq)
	if err == nil {
		r.Digest = store.DigestOf([32]byte(digest))
	}
	return err
}

func scanToken(rows pgx.Rows, t *store.Token) error {
	var secret []byte
	var expires *time.Time
	err := rows.Scan(&t.ID, (*string)(&t.Actor), &secret, &t.Created, &expires, &t.Revoked)
	if err != nil {
		return err
	}
	t.Secret = store.DigestOf([32]byte(secret))
	if expires != nil {
		t.Expires = *expires
	}
	return nil
}

func (r *reader) Actor(ctx context.Context, name brenner.ActorName) (store.Actor, error) {
	return one(ctx, r.session, notFound("there is no actor %s", name), scanActor,
		`SELECT `+actorColumns+` FROM actors WHERE project = $1 AND name = $2`, r.project, string(name))
}

func (r *reader) Actors(ctx context.Context) ([]store.Actor, error) {
	return list(ctx, r.session, scanActor,
		`SELECT `+actorColumns+` FROM actors WHERE project = $1 ORDER BY name`, r.project)
}

func (r *reader) Object(ctx context.Context, kind, id string) (store.Object, error) {
	return one(ctx, r.session, notFound("there is no %s %s", kind, id), scanObject,
		`SELECT `+objectColumns+` FROM objects WHERE project = $1 AND kind = $2 AND id = $3`, r.project, kind, id)
}

func (r *reader) Objects(ctx context.Context, q store.ObjectQuery) ([]store.Object, error) {
	w := where{}
	w.and(`project = %s`, r.project)
	w.and(`kind = %s`, q.Kind)
	if q.Group != "" {
		w.and(`grp = %s`, q.Group)
	}
	if len(q.States) > 0 {
		w.and(`state = ANY(%s)`, texts(q.States))
	}
	order, behind := `ord, id`, `>`
	if q.Newest {
		order, behind = `ord DESC, id DESC`, `<`
	}
	if q.AfterID != "" {
		w.conditions = append(w.conditions, `(ord, id) `+behind+` (`+w.arg(q.AfterOrder)+`, `+w.arg(q.AfterID)+`)`)
	}
	return listUpTo(ctx, r.session, q.Limit, scanObject,
		`SELECT `+objectColumns+` FROM objects `+w.String()+` ORDER BY `+order, w.args...)
}

func (r *reader) CountObjects(ctx context.Context, kind, group string) (map[string]int, error) {
	counts := map[string]int{}
	err := r.query(ctx, func(rows pgx.Rows) error {
		var state string
		var n int
		err := rows.Scan(&state, &n)
		counts[state] = n
		return err
	}, `SELECT state, count(*) FROM objects WHERE project = $1 AND kind = $2 AND $3 IN ('', grp) GROUP BY state`,
		r.project, kind, group)
	if err != nil {
		return nil, err
	}
	return counts, nil
}

func (r *reader) Request(ctx context.Context, actor brenner.ActorName, key string) (store.Request, error) {
	return one(ctx, r.session, notFound("%s made no request with key %q", actor, key), scanRequest,
		`SELECT `+requestColumns+` FROM requests WHERE project = $1 AND actor = $2 AND key = $3`, r.project, string(actor), key)
}

func (r *reader) Token(ctx context.Context, secret brenner.Digest) (store.Token, error) {
	missing := notFound("there is no such token")
	sum, err := store.Sum(secret)
	if err != nil {
		return store.Token{}, missing
	}
	return one(ctx, r.session, missing, scanToken,
		`SELECT `+tokenColumns+` FROM tokens WHERE project = $1 AND secret = $2`, r.project, sum[:])
}

func (r *reader) Tokens(ctx context.Context) ([]store.Token, error) {
	return list(ctx, r.session, scanToken,
		`SELECT `+tokenColumns+` FROM tokens WHERE project = $1 ORDER BY id`, r.project)
}

func (r *reader) Denials(ctx context.Context, n int) ([]store.Denial, error) {
	return listUpTo(ctx, r.session, n, func(rows pgx.Rows, d *store.Denial) error {
		return rows.Scan(&d.At, (*string)(&d.Actor), (*string)(&d.Role), &d.Action, &d.Target, &d.Reason)
	}, `SELECT at, actor, role, action, target, reason FROM denials WHERE project = $1 ORDER BY n DESC`,
		r.project)
}

func (r *reader) Stored(ctx context.Context, actor brenner.ActorName) (int64, error) {
	all, err := listUpTo(ctx, r.session, 1, func(rows pgx.Rows, bytes *int64) error { return rows.Scan(bytes) },
		`SELECT bytes FROM stored WHERE project = $1 AND actor = $2`, r.project, string(actor))
	if err != nil || len(all) == 0 {
		return 0, err
	}
	return all[0], nil
}

func (t *tx) AddStored(ctx context.Context, actor brenner.ActorName, bytes int64) error {
	return t.put(ctx, `INSERT INTO stored (project, actor, bytes) VALUES ($1, $2, $3)
		ON CONFLICT (project, actor) DO UPDATE SET bytes = stored.bytes + $3`, string(actor), bytes)
}

func (t *tx) PutActor(ctx context.Context, a store.Actor) error {
	return t.put(ctx, `INSERT INTO actors (project, `+actorColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (project, name) DO UPDATE SET (kind, role, note, active, created, seq) = ($3, $4, $5, $6, $7, $8)`,
		string(a.Name), a.Kind, string(a.Role), a.Note, a.Active, a.Created, a.Seq)
}

func (t *tx) PutObject(ctx context.Context, o store.Object) error {
	return t.put(ctx, `INSERT INTO objects (project, `+objectColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (project, kind, id) DO UPDATE SET (grp, state, ord, body, seq) = ($4, $5, $6, $7, $8)`,
		o.Kind, o.ID, o.Group, o.State, o.Order, filled(o.Body), o.Seq)
}

func (t *tx) PutRequest(ctx context.Context, r store.Request) error {
	digest, err := store.Sum(r.Digest)
	if err != nil {
		return t.doom(err)
	}
	sure := t.known.unused[requestKey{r.Actor, r.Key}]
	delete(t.known.unused, requestKey{r.Actor, r.Key})
	const insert = `INSERT INTO requests (project, ` + requestColumns + `) VALUES ($1, $2, $3, $4, $5, $6)`
	return t.try(ctx, sure, insert, insert,
		string(r.Actor), r.Key, digest[:], filled(r.Result), r.Seq)
}

func (t *tx) PutToken(ctx context.Context, k store.Token) error {
	secret, err := store.Sum(k.Secret)
	if err != nil {
		return t.doom(err)
	}
	var expires *time.Time
	if !k.Expires.IsZero() {
		expires = &k.Expires
	}
	const upsert = `INSERT INTO tokens (project, ` + tokenColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (project, id) DO UPDATE SET (actor, secret, created, expires, revoked) = ($3, $4, $5, $6, $7)`
	return t.try(ctx, false, upsert, upsert, k.ID, string(k.Actor), secret[:], k.Created, expires, k.Revoked)
}

func (t *tx) AddDenial(ctx context.Context, d store.Denial) error {
	err := t.put(ctx, `INSERT INTO denials (project, n, at, actor, role, action, target, reason)
		SELECT $1, coalesce(max(n), 0) + 1, $2, $3, $4, $5, $6, $7 FROM denials WHERE project = $1`,
		d.At, string(d.Actor), string(d.Role), d.Action, d.Target, d.Reason)
	if err != nil {
		return err
	}
	return t.put(ctx, `DELETE FROM denials WHERE project = $1
		AND n <= (SELECT max(n) FROM denials WHERE project = $1) - $2`, store.MaxDenials)
}

// filled is no bytes where there is nothing: null is not a value.
func filled(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
