package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
)

const (
	artifactColumns = `id, type, module, creator, created, updated, head, latest, canonical, head_status, summary, size, tags, seq`
	versionColumns  = `artifact, version, parent, status, slot, summary, format, content, size, what, why, creator, role, created, tags, task, invocation, seq, demoted`
	linkColumns     = `from_artifact, from_version, rel, to_artifact, to_version, seq`
	linkOrder       = `from_artifact, from_version, rel, to_artifact, to_version`
	// live is artifact.Status.Live, dead its opposite.
	live = `<> ALL ('{superseded,deprecated}')`
	dead = `= ANY ('{superseded,deprecated}')`
)

func scanArtifact(rows pgx.Rows, a *store.Artifact) error { return rows.Scan(artifactFields(a)...) }

func artifactFields(a *store.Artifact) []any {
	return []any{
		(*string)(&a.ID), (*string)(&a.Type), (*string)(&a.Module), (*string)(&a.Creator), &a.Created, &a.Updated,
		(*int)(&a.Head), (*int)(&a.Latest), (*int)(&a.Canonical), (*string)(&a.HeadStatus), &a.Summary, &a.Size, &a.Tags, &a.Seq,
	}
}

func scanVersion(rows pgx.Rows, v *store.Version) error { return scanVersionAnd(rows, v) }

// scanVersionAnd reads a version, and what stands behind it in the row.
func scanVersionAnd(rows pgx.Rows, v *store.Version, more ...any) error {
	var content []byte
	err := rows.Scan(append([]any{
		(*string)(&v.Artifact), (*int)(&v.Version), (*int)(&v.Parent), (*string)(&v.Status), &v.Slot, &v.Summary,
		(*string)(&v.Format), &content, &v.Size, &v.What, &v.Why, (*string)(&v.Creator), (*string)(&v.Role), &v.Created,
		&v.Tags, &v.Task, &v.Invocation, &v.Seq, &v.Demoted,
	}, more...)...)
	if err == nil {
		v.Content = store.DigestOf([32]byte(content))
	}
	return err
}

func scanLink(rows pgx.Rows, l *store.Link) error {
	return rows.Scan((*string)(&l.From.Artifact), (*int)(&l.From.Version), (*string)(&l.Rel),
		(*string)(&l.To.Artifact), (*int)(&l.To.Version), &l.Seq)
}

func scanRef(rows pgx.Rows, r *brenner.Ref) error {
	return rows.Scan((*string)(&r.Artifact), (*int)(&r.Version))
}

func (r *reader) Artifact(ctx context.Context, id brenner.ArtifactID) (store.Artifact, error) {
	return one(ctx, r.session, notFound("there is no artifact %s", id), scanArtifact,
		`SELECT `+artifactColumns+` FROM artifacts WHERE project = $1 AND id = $2`, r.project, string(id))
}

func (r *reader) Artifacts(ctx context.Context, q store.ArtifactQuery) ([]store.Artifact, error) {
	if q.Recent && q.IDs == nil && q.Tag == "" && len(q.Types) > 0 && len(q.Modules) > 0 {
		return r.recent(ctx, q)
	}
	order, w := `id`, r.selection(q)
	if q.Recent {
		order = `seq DESC, id`
	} else if q.After != "" {
		w.and(`id > %s`, string(q.After))
	}
	return listUpTo(ctx, r.session, q.Limit, scanArtifact,
		`SELECT `+artifactColumns+` FROM artifacts `+w.String()+` ORDER BY `+order, w.args...)
}

func (r *reader) CountArtifacts(ctx context.Context, q store.ArtifactQuery) (int, error) {
	w := r.selection(q.Whole())
	return one(ctx, r.session, nil, func(rows pgx.Rows, n *int) error { return rows.Scan(n) }, `SELECT count(*) FROM artifacts `+w.String(), w.args...)
}

// selection is what a query asks of artifacts.
func (r *reader) selection(q store.ArtifactQuery) where {
	w := where{}
	w.and(`project = %s`, r.project)
	if q.IDs != nil {
		w.and(`id = ANY(%s)`, texts(q.IDs))
	}
	if len(q.Types) > 0 {
		w.and(`type = ANY(%s)`, texts(q.Types))
	}
	if len(q.Modules) > 0 {
		w.and(`module = ANY(%s)`, texts(q.Modules))
	}
	w.status(q)
	if q.Tag != "" {
		w.and(`tags @> ARRAY[%s]::text[]`, q.Tag)
	}
	if q.ChangedAfter > 0 {
		w.and(`seq > %s`, q.ChangedAfter)
	}
	w.behind(q)
	return w
}

// behind keeps what comes after where a listing of the newest goes on.
func (w *where) behind(q store.ArtifactQuery) {
	if q.Recent && q.ChangedAt != 0 {
		at := w.arg(q.ChangedAt)
		w.conditions = append(w.conditions, `seq <= `+at)
		w.and(`(seq < `+at+` OR id > %s)`, string(q.After))
	}
}

// recent lists what changed last of some types in some modules: the newest of
// each type in each module, which an index has in order, and of all these the
// newest. However rare a type is, others are not read.
func (r *reader) recent(ctx context.Context, q store.ArtifactQuery) ([]store.Artifact, error) {
	w := where{}
	w.and(`project = %s`, r.project)
	w.conditions = append(w.conditions, `module = m`, `type = t`)
	w.status(q)
	w.behind(q)
	if q.ChangedAfter > 0 {
		w.and(`seq > %s`, q.ChangedAfter)
	}
	const order = ` ORDER BY seq DESC, id`
	return listUpTo(ctx, r.session, q.Limit, scanArtifact,
		`SELECT a.* FROM unnest(`+w.arg(distinctTexts(q.Modules))+`::text[]) AS m, unnest(`+w.arg(distinctTexts(q.Types))+`::text[]) AS t, LATERAL (
			SELECT `+artifactColumns+` FROM artifacts `+w.String()+order+limitTo(q.Limit)+`) AS a`+order, w.args...)
}

func (r *reader) Tagged(ctx context.Context, q store.TagQuery) ([]store.Artifact, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	if len(q.Tags) == 0 {
		return nil, r.ready(ctx, nil)
	}
	w := where{}
	w.and(`project = %s`, r.project)
	tags := w.arg(distinctTexts(q.Tags))
	w.conditions = append(w.conditions, `tags && `+tags+`::text[]`)
	if len(q.Types) > 0 {
		w.and(`type = ANY(%s)`, texts(q.Types))
	}
	if len(q.Modules) > 0 {
		w.and(`module = ANY(%s)`, texts(q.Modules))
	}
	return listUpTo(ctx, r.session, q.Limit, scanArtifact, `SELECT `+artifactColumns+` FROM artifacts `+w.String()+
		` ORDER BY (SELECT count(*) FROM unnest(`+tags+`::text[]) AS tag WHERE tag = ANY(tags)) DESC, id`, w.args...)
}

func (r *reader) RareTags(ctx context.Context, tags []string, most int) ([]string, error) {
	if err := (store.TagQuery{Tags: tags}).Check(); err != nil {
		return nil, err
	}
	return list(ctx, r.session, func(rows pgx.Rows, tag *string) error { return rows.Scan(tag) },
		`SELECT tag FROM unnest($2::text[]) AS tag
		WHERE (SELECT count(*) FROM (SELECT 1 FROM artifacts WHERE project = $1 AND tags && ARRAY[tag] LIMIT $3::int + 1) AS found) <= $3::int
		ORDER BY tag COLLATE "C"`, r.project, distinctTexts(tags), most)
}

func (r *reader) Kinds(ctx context.Context) ([]store.Kind, error) {
	return list(ctx, r.session, func(rows pgx.Rows, k *store.Kind) error {
		return rows.Scan((*string)(&k.Module), (*string)(&k.Type), &k.Artifacts)
	}, `SELECT module, type, count(*) FROM artifacts WHERE project = $1 GROUP BY module, type ORDER BY module, type`, r.project)
}

// distinctTexts is texts, each once.
func distinctTexts[T ~string](names []T) []string {
	out := texts(names)
	slices.Sort(out)
	return slices.Compact(out)
}

// status adds what a query asks of the status, in the words of the indexes.
func (w *where) status(q store.ArtifactQuery) {
	heads, canonical := q.ByStatus()
	switch {
	case canonical && len(heads) > 0:
		w.and(`(head_status = ANY(%s) OR canonical > 0)`, texts(heads))
	case len(heads) > 0 && !slices.Contains(heads, artifact.Draft):
		w.and(`head_status = ANY(%s) AND head_status <> 'draft'`, texts(heads))
	case len(heads) > 0:
		w.and(`head_status = ANY(%s)`, texts(heads))
	}
	if q.Canonical || canonical && len(heads) == 0 {
		w.conditions = append(w.conditions, `canonical > 0`)
	}
}

func (r *reader) Version(ctx context.Context, ref brenner.Ref) (store.Version, error) {
	if v, read := r.ahead.versions[ref]; read {
		return v, r.ready(ctx, nil)
	}
	return one(ctx, r.session, notFound("there is no version %s", ref), scanVersion,
		`SELECT `+versionColumns+` FROM versions WHERE project = $1 AND artifact = $2 AND version = $3::bigint`,
		r.project, string(ref.Artifact), int(ref.Version))
}

func (r *reader) Versions(ctx context.Context, id brenner.ArtifactID, after brenner.Version, n int) ([]store.Version, error) {
	return listUpTo(ctx, r.session, n, scanVersion,
		`SELECT `+versionColumns+` FROM versions WHERE project = $1 AND artifact = $2 AND version > $3::bigint ORDER BY version`,
		r.project, string(id), int(after))
}

// The questions about given references look each of them up, whatever the
// planner believes about the size of the tables: hence LATERAL and OFFSET 0.

func (r *reader) VersionsOf(ctx context.Context, refs []brenner.Ref) ([]store.Version, error) {
	ids, numbers := columns(refs)
	return list(ctx, r.session, scanVersion,
		`SELECT v.* FROM unnest($2::text[], $3::bigint[]) AS ref (a, n), LATERAL (
			SELECT `+versionColumns+` FROM versions WHERE project = $1 AND artifact = a AND version = n OFFSET 0) AS v
		ORDER BY artifact, version`, r.project, ids, numbers)
}

// Leaves follows each live version upwards: its parent is no leaf, nor is
// anything above a parent that is not live itself.
func (r *reader) Leaves(ctx context.Context, id brenner.ArtifactID) ([]store.Version, error) {
	const (
		of    = `WITH RECURSIVE candidate AS (SELECT * FROM versions WHERE project = $1 AND artifact `
		heads = `), covered AS (
			SELECT artifact, parent AS version FROM candidate WHERE status ` + live + ` AND parent > 0
			UNION
			SELECT v.artifact, v.parent FROM candidate AS v JOIN covered USING (artifact, version)
			WHERE v.status ` + dead + ` AND v.parent > 0
		), leaf AS (
			SELECT *, count(*) OVER (PARTITION BY artifact) AS heads FROM candidate
			WHERE status ` + live + ` AND (artifact, version) NOT IN (SELECT artifact, version FROM covered)
		) SELECT ` + versionColumns + ` FROM leaf `
		order = ` ORDER BY artifact, version`
	)
	if id != "" {
		return list(ctx, r.session, scanVersion, of+`= $2`+heads+order, r.project, string(id))
	}
	return list(ctx, r.session, scanVersion,
		of+`IN (SELECT artifact FROM versions WHERE project = $1 AND parent <> version - 1)`+heads+`WHERE heads > 1`+order, r.project)
}

func (r *reader) LinksFrom(ctx context.Context, refs []brenner.Ref) ([]store.Link, error) {
	ids, numbers := columns(refs)
	return list(ctx, r.session, scanLink,
		`SELECT l.* FROM unnest($2::text[], $3::bigint[]) AS ref (a, n), LATERAL (
			SELECT `+linkColumns+` FROM links WHERE project = $1 AND from_artifact = a AND from_version = n OFFSET 0) AS l
		ORDER BY `+linkOrder, r.project, ids, numbers)
}

func (r *reader) LinksTo(ctx context.Context, refs []brenner.Ref, rels ...artifact.Relation) ([]store.Link, error) {
	ids, numbers := columns(refs)
	return list(ctx, r.session, scanLink,
		`SELECT l.* FROM unnest($2::text[], $3::bigint[]) AS ref (a, n), LATERAL (
			SELECT `+linkColumns+` FROM links WHERE project = $1 AND to_artifact = a AND to_version = n AND (cardinality($4::text[]) = 0 OR rel = ANY ($4)) OFFSET 0) AS l
		ORDER BY `+linkOrder, r.project, ids, numbers, texts(rels))
}

func (r *reader) Outdated(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error) {
	return r.among(ctx, refs, `status IN ('superseded', 'deprecated') OR demoted OR n < canonical`)
}

func (r *reader) Corrected(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error) {
	return r.among(ctx, refs, `status IN ('draft', 'needs_rebase') AND canonical = 0 AND n < head`)
}

// among gives those of some versions of which a condition holds: on the number
// n and the status of the version, the canonical one and the head of its
// artifact.
func (r *reader) among(ctx context.Context, refs []brenner.Ref, condition string) ([]brenner.Ref, error) {
	ids, numbers := columns(refs)
	return list(ctx, r.session, scanRef,
		`SELECT a, n FROM unnest($2::text[], $3::bigint[]) AS ref (a, n), LATERAL (
			SELECT status, demoted FROM versions WHERE project = $1 AND artifact = a AND version = n OFFSET 0) AS v, LATERAL (
			SELECT canonical, head FROM artifacts WHERE project = $1 AND id = a OFFSET 0) AS of
		WHERE `+condition+` ORDER BY a COLLATE "C", n`, r.project, ids, numbers)
}

// Stale is one statement: to go link by link would be a round trip each.
func (r *reader) Stale(ctx context.Context, refs []brenner.Ref, rels []artifact.Relation, limit int) ([]brenner.Ref, error) {
	ids, numbers := columns(refs)
	const leaving = `SELECT from_artifact, from_version, to_artifact, to_version FROM links
		WHERE project = $1 AND from_artifact = a AND from_version = n AND rel = ANY($4) OFFSET 0`
	taken := 0
	out, err := list(ctx, r.session, func(rows pgx.Rows, ref *brenner.Ref) error {
		counted := 0
		err := rows.Scan((*string)(&ref.Artifact), (*int)(&ref.Version), &counted)
		taken += counted
		return err
	}, `WITH RECURSIVE asked (a, n) AS (
			SELECT a COLLATE "C", n FROM unnest($2::text[], $3::bigint[]) AS ref (a, n)
		), under (a, n) AS (
			SELECT a, n FROM asked UNION SELECT to_artifact, to_version::bigint FROM under, LATERAL (`+leaving+`) AS l
		), taken AS MATERIALIZED (
			SELECT l.* FROM under, LATERAL (`+leaving+`) AS l LIMIT $5
		), stale (a, n) AS (
			SELECT from_artifact, from_version::bigint FROM taken JOIN versions v ON v.project = $1 AND v.artifact = to_artifact AND v.version = to_version
				JOIN artifacts ON artifacts.project = $1 AND id = to_artifact
				WHERE v.status IN ('superseded', 'deprecated') OR v.demoted OR to_version < canonical
			UNION SELECT from_artifact, from_version::bigint FROM stale JOIN taken ON to_artifact = a AND to_version = n
		) SELECT a, n, 0 FROM asked JOIN stale USING (a, n) UNION ALL SELECT '', 0, count(*) FROM taken ORDER BY 1, 2`,
		r.project, ids, numbers, texts(rels), limit+1)
	if err != nil {
		return nil, err
	}
	if taken > limit {
		return nil, store.TooManyLinks(limit)
	}
	return slices.DeleteFunc(out, func(ref brenner.Ref) bool { return ref.Artifact == "" }), nil
}

func (r *reader) OutdatedTargets(ctx context.Context) ([]brenner.Ref, error) {
	return list(ctx, r.session, scanRef,
		`SELECT artifact, version FROM (
			SELECT artifact, version FROM versions WHERE project = $1 AND status = 'superseded'
			UNION
			SELECT artifact, version FROM versions WHERE project = $1 AND status = 'deprecated'
			UNION
			SELECT artifact, version FROM versions WHERE project = $1 AND demoted
			UNION
			SELECT v.artifact, v.version FROM versions AS v JOIN versions AS c
			ON c.project = $1 AND c.artifact = v.artifact AND c.status = 'canonical' AND v.version < c.version WHERE v.project = $1
		) AS outdated
		WHERE EXISTS (SELECT FROM links WHERE project = $1 AND to_artifact = artifact AND to_version = version)
		ORDER BY artifact, version`, r.project)
}

func (r *reader) CorrectedTargets(ctx context.Context) ([]brenner.Ref, error) {
	return list(ctx, r.session, scanRef,
		`SELECT v.artifact, v.version FROM artifacts AS a JOIN versions AS v
			ON v.project = $1 AND v.artifact = a.id AND v.version < a.head AND v.status IN ('draft', 'needs_rebase')
		WHERE a.project = $1 AND a.canonical = 0 AND a.head > 1
			AND EXISTS (SELECT FROM links WHERE project = $1 AND to_artifact = v.artifact AND to_version = v.version)
		ORDER BY v.artifact, v.version`, r.project)
}

func (t *tx) PutArtifact(ctx context.Context, a store.Artifact) error {
	for _, n := range []brenner.Version{a.Head, a.Latest, a.Canonical} {
		if n < 0 || n > brenner.MaxVersions {
			return t.doom(brenner.Errorf(brenner.CodeInvalidValue, "%d is no version of %s", n, a.ID))
		}
	}
	t.known.artifacts[a.ID] = true
	return t.put(ctx, `INSERT INTO artifacts (project, `+artifactColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
		ON CONFLICT (project, id) DO UPDATE SET (creator, created, updated, head, latest, canonical, head_status, summary, size, tags, seq)
		= ($5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		string(a.ID), string(a.Type), string(a.Module), string(a.Creator), a.Created, a.Updated,
		int(a.Head), int(a.Latest), int(a.Canonical), string(a.HeadStatus), a.Summary, a.Size, some(a.Tags), a.Seq)
}

// InsertVersion leaves it to the indexes to refuse a second canonical version.
func (t *tx) InsertVersion(ctx context.Context, v store.Version) error {
	if err := v.Check(); err != nil {
		return t.doom(err)
	}
	content, err := store.Sum(v.Content)
	if err != nil {
		return t.doom(err)
	}
	const (
		insert = `INSERT INTO versions (project, ` + versionColumns + `)
			SELECT $1, $2, $3::integer, $4::integer, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20`
		checked = insert + ` WHERE CASE
			WHEN NOT EXISTS (SELECT FROM artifacts WHERE project = $1 AND id = $2) THEN refuse('BR404', 'there is no artifact ' || $2)
			WHEN EXISTS (SELECT FROM versions WHERE project = $1 AND artifact = $2 AND version = $3) THEN refuse('BR409', 'version ' || $2 || '@' || $3 || ' exists')
			WHEN $4 = 0 OR $4 < $3 AND EXISTS (SELECT FROM versions WHERE project = $1 AND artifact = $2 AND version = $4) THEN true
			ELSE refuse('BR404', 'there is no earlier version ' || $2 || '@' || $4) END`
		// where all but the version itself is there
		placed = insert + ` ON CONFLICT (project, artifact, version) DO UPDATE SET seq = versions.seq
			WHERE refuse('BR409', 'version ' || $2 || '@' || $3 || ' exists')`
	)
	sure, check := t.known.insertable(v), checked
	if t.known.placed(v) {
		check = placed
	}
	t.known.inserted(v)
	return t.try(ctx, sure, insert, check,
		string(v.Artifact), int(v.Version), int(v.Parent), string(v.Status), v.Slot, v.Summary,
		string(v.Format), content[:], v.Size, v.What, v.Why, string(v.Creator), string(v.Role), v.Created,
		some(v.Tags), v.Task, v.Invocation, v.Seq, v.Demoted)
}

func (t *tx) SetStatus(ctx context.Context, ref brenner.Ref, s artifact.Status) error {
	const (
		update = `UPDATE versions SET status = $4, demoted = $4 <> 'canonical' AND (demoted OR status = 'canonical' AND $4 = 'draft')
			WHERE project = $1 AND artifact = $2 AND version = $3::bigint`
		checked = `WITH hit AS (` + update + ` RETURNING 1)
			SELECT CASE WHEN EXISTS (SELECT FROM hit) THEN true ELSE refuse('BR404', 'there is no version ' || $2 || '@' || $3) END`
	)
	sure := t.known.versions[ref] && s != artifact.Canonical
	return t.try(ctx, sure, update, checked, string(ref.Artifact), int(ref.Version), string(s))
}

func (t *tx) InsertLink(ctx context.Context, l store.Link) error {
	const (
		insert  = `INSERT INTO links (project, ` + linkColumns + `) SELECT $1, $2, $3::bigint, $4, $5, $6::bigint, $7`
		checked = insert + ` WHERE CASE
			WHEN NOT EXISTS (SELECT FROM versions WHERE project = $1 AND artifact = $2 AND version = $3) THEN refuse('BR404', 'there is no version ' || $2 || '@' || $3)
			WHEN NOT EXISTS (SELECT FROM versions WHERE project = $1 AND artifact = $5 AND version = $6) THEN refuse('BR404', 'there is no version ' || $5 || '@' || $6)
			ELSE true END`
		// where this write made the version that it leaves
		target = insert + ` WHERE CASE WHEN EXISTS (SELECT FROM versions WHERE project = $1 AND artifact = $5 AND version = $6) THEN true
			ELSE refuse('BR404', 'there is no version ' || $5 || '@' || $6) END`
	)
	sure, check := t.known.linkable(l), checked
	if t.known.fresh[l.From] {
		check = target
	}
	t.known.linked(l)
	return t.try(ctx, sure, insert, check,
		string(l.From.Artifact), int(l.From.Version), string(l.Rel), string(l.To.Artifact), int(l.To.Version), l.Seq)
}

// where builds a condition. Only the shape of the statement varies, never by a
// value, so the server sees few different ones.
type where struct {
	conditions []string
	args       []any
}

// and adds a condition with one value, which stands where %s is.
func (w *where) and(condition string, value any) {
	w.conditions = append(w.conditions, fmt.Sprintf(condition, w.arg(value)))
}

func (w *where) arg(value any) string {
	w.args = append(w.args, value)
	return fmt.Sprintf("$%d", len(w.args))
}

func (w *where) String() string { return `WHERE ` + strings.Join(w.conditions, ` AND `) }

// columns turns references into two arrays, each once and without those that
// cannot be.
func columns(refs []brenner.Ref) (ids []string, versions []int64) {
	seen := make(map[brenner.Ref]bool, len(refs))
	for _, r := range refs {
		if !seen[r] && store.CheckText(string(r.Artifact)) == nil {
			ids, versions = append(ids, string(r.Artifact)), append(versions, int64(r.Version))
		}
		seen[r] = true
	}
	return ids, versions
}

// texts turns names of any kind into strings, without those that cannot be.
func texts[T ~string](names []T) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		if store.CheckText(string(n)) == nil {
			out = append(out, string(n))
		}
	}
	return out
}

// some is an empty list where there is none: null is not a list.
func some(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
