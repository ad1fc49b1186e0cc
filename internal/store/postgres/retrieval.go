package postgres

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/internal/store/fulltext"
	"brenner/retrieval"
)

// there is a condition that refuses an artifact that is not there.
const there = `WHERE CASE WHEN EXISTS (SELECT FROM artifacts WHERE project = $1 AND id = $2) THEN true
	ELSE refuse('BR404', 'there is no artifact ' || $2) END`

// Index notes which versions are to be found; they are read and indexed
// behind the writers, by this process or any other.
func (t *tx) Index(ctx context.Context, id brenner.ArtifactID, versions []store.Indexed) error {
	t.noted++
	const (
		insert  = `INSERT INTO index_notes (project, artifact, versions) SELECT $1, $2, $3 `
		upsert  = ` ON CONFLICT (project, artifact) DO UPDATE SET versions = $3`
		checked = insert + there + upsert
	)
	return t.try(ctx, t.known.artifacts[id], insert+upsert, checked, string(id), fulltext.Encode(versions))
}

// Rank asks the index, which remembers what was read of what is committed.
func (r *reader) Rank(ctx context.Context, q store.RankQuery) (store.Ranking, error) {
	index := r.index
	if index == nil {
		index = new(fulltext.Index)
	}
	return index.Ranking(ctx, indexRows{r}, q, r.Artifacts)
}

// indexRows is what the database keeps for the index. What is asked of many rows
// is looked up one by one, whatever the planner believes about the size of the
// tables: it believes them empty while a new project is filled, and joins them so.
type indexRows struct{ *reader }

// Standing asks for everything in one round trip: the state as row 0, segments
// as rows 1, notes as rows 2.
func (r indexRows) Standing(ctx context.Context, most int) (fulltext.Standing, error) {
	var s fulltext.Standing
	err := r.query(ctx, func(rows pgx.Rows) error {
		var kind int
		var a, b, c, d int64
		var n fulltext.Note
		var wanted, settled string
		if err := rows.Scan(&kind, &a, &b, &c, &d, (*string)(&n.Artifact), (*string)(&n.Type), (*string)(&n.Module), &wanted, &settled); err != nil {
			return err
		}
		switch kind {
		case 0:
			s.State = fulltext.State{Generation: a, Changes: b, Statistics: retrieval.Statistics{Documents: c, Length: d}}
		case 1:
			s.Segments = append(s.Segments, fulltext.Segment{ID: a, Documents: int(b), Dead: int(c)})
		default:
			n.Wanted, n.Settled = fulltext.Decode(wanted), fulltext.Decode(settled)
			s.Notes = append(s.Notes, n)
		}
		return nil
	}, `SELECT 0, generation, changes, documents, length, '', '', '', '', '' FROM index_state WHERE project = $1
		UNION ALL (SELECT 1, segment, documents, dead, 0, '', '', '', '', '' FROM index_segments
			WHERE project = $1 AND state = 'live' ORDER BY segment)
		UNION ALL (SELECT 2, 0, 0, 0, 0, n.artifact, a.type, a.module, n.versions,
				coalesce((SELECT versions FROM index_documents WHERE project = $1 AND artifact = n.artifact), '')
			FROM (SELECT artifact, versions FROM index_notes WHERE project = $1 LIMIT $2) AS n, LATERAL (
				SELECT type, module FROM artifacts WHERE project = $1 AND id = n.artifact OFFSET 0) AS a)`, r.project, most)
	if s.Noted = len(s.Notes); err != nil {
		return s, err
	}
	if s.Noted == most {
		if s.Noted, err = one(ctx, r.session, nil, func(rows pgx.Rows, n *int) error { return rows.Scan(n) },
			`SELECT count(*) FROM index_notes WHERE project = $1`, r.project); err != nil {
			return s, err
		}
	}
	if r.seen != nil {
		r.seen(s.Noted)
	}
	return s, nil
}

func (r indexRows) Describe(ctx context.Context, segments []int64) ([]fulltext.Description, error) {
	out := make([]fulltext.Description, len(segments))
	err := r.query(ctx, func(rows pgx.Rows) error {
		var at int
		var d fulltext.Description
		err := rows.Scan(&at, &d.Directory, &d.Dead)
		if err == nil {
			out[at-1] = d
		}
		return err
	}, `SELECT w.n, directory, deaths FROM unnest($2::bigint[]) WITH ORDINALITY AS w (segment, n)
		JOIN index_segments s ON s.project = $1 AND s.segment = w.segment`, r.project, segments)
	return out, err
}

func (r indexRows) Pages(ctx context.Context, pages []fulltext.Page) ([][]byte, error) {
	out := make([][]byte, len(pages))
	segments, numbers := make([]int64, len(pages)), make([]int32, len(pages))
	for i, p := range pages {
		segments[i], numbers[i] = p.Segment, int32(p.Number)
	}
	err := r.query(ctx, func(rows pgx.Rows) error {
		var at int
		var data []byte
		err := rows.Scan(&at, &data)
		if err == nil {
			out[at-1] = data
		}
		return err
	}, `SELECT w.n, p.data FROM unnest($2::bigint[], $3::integer[]) WITH ORDINALITY AS w (segment, page, n), LATERAL (
			SELECT data FROM index_pages WHERE project = $1 AND segment = w.segment AND page = w.page OFFSET 0) AS p`, r.project, segments, numbers)
	return out, err
}

func (r indexRows) Texts(ctx context.Context, names []retrieval.Name) ([]retrieval.Document, error) {
	out := make([]retrieval.Document, len(names))
	artifacts, versions := make([]string, len(names)), make([]int32, len(names))
	for i, n := range names {
		artifacts[i], versions[i] = string(n.Artifact), int32(n.Version)
	}
	err := r.query(ctx, func(rows pgx.Rows) error {
		var at int
		var v store.Version
		var b blob
		var format string
		if err := rows.Scan(&at, &v.Summary, &v.Tags, &format, &b.body, &b.size); err != nil {
			return err
		}
		v.Artifact, v.Version, v.Format = names[at-1].Artifact, names[at-1].Version, artifact.Format(format)
		out[at-1] = v.Document(b.content())
		return nil
	}, `SELECT w.n, v.summary, v.tags, v.format, b.body, b.size
		FROM unnest($2::text[], $3::integer[]) WITH ORDINALITY AS w (artifact, version, n), LATERAL (
			SELECT summary, tags, format, content FROM versions WHERE project = $1 AND artifact = w.artifact AND version = w.version OFFSET 0) AS v
		LEFT JOIN LATERAL (SELECT body, size FROM blobs WHERE project = $1 AND digest = v.content OFFSET 0) AS b ON true`,
		r.project, artifacts, versions)
	return out, err
}

// Settle brings the index up to date with what is noted.
func (s *Store) Settle(ctx context.Context) error {
	if err := fulltext.Exhaust(ctx, s.settleBatch); err != nil {
		return err
	}
	return fulltext.Exhaust(ctx, s.mergeSome)
}

// settleBatch settles a batch of notes: it is made on a snapshot, and written
// unless somebody else was faster. Writers do not wait for it, except for one
// that notes an artifact anew of the batch that is being written.
func (s *Store) settleBatch(ctx context.Context) (more bool, err error) {
	s.settling.Lock()
	defer s.settling.Unlock()
	var batch *fulltext.Batch
	if err := s.Read(ctx, func(r store.Reader) (err error) {
		batch, err = s.settler.Prepare(ctx, &s.index, indexRows{r.(*reader)})
		return err
	}); err != nil || batch == nil {
		return false, err
	}
	err = s.behind(ctx, func(e indexEdit) error { return e.settle(ctx, batch) })
	if errors.Is(err, fulltext.ErrOutrun) {
		return true, nil
	}
	return batch.More, err
}

// behind runs a change of the index in a transaction of its own, behind the
// writers. It need not be on disk at once: what is lost is done again.
func (s *Store) behind(ctx context.Context, change func(indexEdit) error) error {
	conn, err := s.readers.Acquire(ctx)
	if err != nil {
		return translate(ctx, err)
	}
	defer conn.Release() // which drops a connection that is in a transaction
	on := newSession(ctx, conn.Conn())
	on.held = []statement{{sql: `BEGIN ISOLATION LEVEL READ COMMITTED`}, {sql: `SET LOCAL synchronous_commit = off`}}
	r := &reader{session: on, project: s.project, size: unknown}
	edit := indexEdit{indexRows{r}, func(sql string, args ...any) error {
		full, err := on.hold(ctx, sql, append([]any{s.project}, args...)...)
		if full {
			_, err = on.send(nil)
		}
		return err
	}}
	if err := change(edit); err != nil {
		if conn.Conn().PgConn().TxStatus() != 'I' {
			_, _ = conn.Exec(context.WithoutCancel(ctx), `ROLLBACK`)
		}
		return err
	}
	on.held = append(on.held, statement{sql: `COMMIT`})
	_, err = on.send(nil)
	return err
}

// indexEdit changes the index inside a transaction.
type indexEdit struct {
	indexRows
	// put makes a change; the project is its first parameter.
	put func(sql string, args ...any) error
}

// lock gives the count of changes and the number of the next segment, and keeps
// others from changing the index.
func (e indexEdit) lock(ctx context.Context) (changes, segment int64, err error) {
	err = e.query(ctx, func(rows pgx.Rows) error { return rows.Scan(&changes, &segment) },
		`SELECT changes, segment FROM index_state WHERE project = $1 FOR UPDATE`, e.project)
	return changes, segment, err
}

// settle writes a batch, unless the index has changed since it was made.
func (e indexEdit) settle(ctx context.Context, b *fulltext.Batch) error {
	changes, segment, err := e.lock(ctx)
	if err == nil && changes != b.Changes {
		err = fulltext.ErrOutrun
	}
	if err != nil {
		return err
	}
	if len(b.Segment.Pages) > 0 {
		if err := e.addSegment(segment, b.Segment); err != nil {
			return err
		}
		segment++
	}
	for _, id := range slices.Sorted(maps.Keys(b.Dead)) {
		if err := e.put(`UPDATE index_segments SET dead = $3, deaths = $4 WHERE project = $1 AND segment = $2`,
			id, b.Dead[id].Len(), b.Dead[id].Encode()); err != nil {
			return err
		}
	}
	artifacts, versions := make([]string, len(b.Notes)), make([]string, len(b.Notes))
	for i, n := range b.Notes {
		artifacts[i], versions[i] = string(n.Artifact), fulltext.Encode(n.Wanted)
	}
	if err := e.put(`INSERT INTO index_documents (project, artifact, versions)
		SELECT $1, artifact, versions FROM unnest($2::text[], $3::text[]) AS n (artifact, versions)
		ON CONFLICT (project, artifact) DO UPDATE SET versions = excluded.versions`, artifacts, versions); err != nil {
		return err
	}
	// A note that a writer is about to change stays: to wait for it could be to wait for
	// somebody who waits for another of these.
	if err := e.put(`DELETE FROM index_notes WHERE ctid = ANY (ARRAY (
		SELECT o.ctid FROM index_notes AS o, unnest($2::text[], $3::text[]) AS n (artifact, versions)
		WHERE o.project = $1 AND o.artifact = n.artifact AND o.versions = n.versions FOR UPDATE OF o SKIP LOCKED))`, artifacts, versions); err != nil {
		return err
	}
	return e.put(`UPDATE index_state SET changes = changes + 1, segment = $2, documents = documents + $3, length = length + $4 WHERE project = $1`,
		segment, b.Statistics.Documents, b.Statistics.Length)
}

func (e indexEdit) addSegment(id int64, m fulltext.Made) error {
	if err := e.put(`INSERT INTO index_segments (project, segment, state, documents, dead, directory, deaths) VALUES ($1, $2, 'live', $3, 0, $4, '')`,
		id, m.Documents, m.Directory); err != nil {
		return err
	}
	return e.addPages(id, 0, m.Pages)
}

// pagesAtOnce is how many pages travel in one statement.
const pagesAtOnce = 32

func (e indexEdit) addPages(segment int64, first int, pages [][]byte) error {
	for some := range slices.Chunk(pages, pagesAtOnce) {
		if err := e.put(`INSERT INTO index_pages (project, segment, page, data)
			SELECT $1, $2, $3 + n - 1, data FROM unnest($4::bytea[]) WITH ORDINALITY AS p (data, n)`, segment, first, some); err != nil {
			return err
		}
		first += len(some)
	}
	return nil
}

// mergePages is how many pages a merge holds in memory before it writes them.
const mergePages = 256

// mergeSome merges segments if that is due, and removes what merges have left.
func (s *Store) mergeSome(ctx context.Context) (more bool, err error) {
	s.settling.Lock()
	defer s.settling.Unlock()
	var plan []int64
	var m *fulltext.Merge
	if err := s.Read(ctx, func(r store.Reader) error {
		rows := indexRows{r.(*reader)}
		standing, err := rows.Standing(ctx, 1)
		if plan = fulltext.MergePlan(standing.Segments); err != nil || len(plan) == 0 {
			return err
		}
		m, err = s.index.BeginMerge(ctx, rows, plan, nil)
		return err
	}); errors.Is(err, fulltext.ErrOutrun) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	if len(plan) > 0 {
		if err := s.merge(ctx, m); err != nil && !errors.Is(err, fulltext.ErrOutrun) {
			return false, err
		}
	}
	return len(plan) > 0, s.behind(ctx, func(e indexEdit) error { return e.sweep(ctx, false) })
}

// merge writes what a merge makes, some pages at a time, and then puts the
// segment in the place of the others.
func (s *Store) merge(ctx context.Context, m *fulltext.Merge) error {
	id, number := int64(0), 0
	err := s.behind(ctx, func(e indexEdit) (err error) {
		if _, id, err = e.lock(ctx); err != nil {
			return err
		}
		if err := e.put(`UPDATE index_state SET segment = $2 WHERE project = $1`, id+1); err != nil {
			return err
		}
		return e.put(`INSERT INTO index_segments (project, segment, state, documents, dead, directory, deaths) VALUES ($1, $2, 'built', 0, 0, '', '')`, id)
	})
	for err == nil {
		var pages [][]byte
		if err = s.Read(ctx, func(r store.Reader) (err error) {
			pages, err = m.Pages(ctx, indexRows{r.(*reader)}, mergePages)
			return err
		}); err != nil || len(pages) == 0 {
			break
		}
		err = s.behind(ctx, func(e indexEdit) error {
			if _, err := e.segment(ctx, id, "built"); err != nil {
				return err
			}
			return e.addPages(id, number, pages)
		})
		number += len(pages)
	}
	if err == nil {
		err = s.behind(ctx, func(e indexEdit) error { return e.finishMerge(ctx, id, m) })
	}
	if err != nil && id != 0 {
		_ = s.behind(context.WithoutCancel(ctx), func(e indexEdit) error {
			return e.put(`UPDATE index_segments SET state = 'gone' WHERE project = $1 AND segment = $2 AND state = 'built'`, id)
		})
	}
	return err
}

// segment gives the dead of a segment that has to be in some state, and keeps
// others from changing it.
func (e indexEdit) segment(ctx context.Context, id int64, state string) ([]byte, error) {
	return one(ctx, e.session, fulltext.ErrOutrun, func(rows pgx.Rows, deaths *[]byte) error { return rows.Scan(deaths) },
		`SELECT deaths FROM index_segments WHERE project = $1 AND segment = $2 AND state = $3 FOR UPDATE`, e.project, id, state)
}

// finishMerge lets a segment take the place of those it was made of.
func (e indexEdit) finishMerge(ctx context.Context, id int64, m *fulltext.Merge) error {
	if _, _, err := e.lock(ctx); err != nil {
		return err
	}
	dead := make([]retrieval.Dead, len(m.Inputs))
	for i, input := range m.Inputs {
		deaths, err := e.segment(ctx, input, "live")
		if err == nil {
			dead[i], err = retrieval.ReadDead(deaths)
		}
		if err != nil {
			return err
		}
	}
	if _, err := e.segment(ctx, id, "built"); err != nil {
		return err
	}
	documents, directory, own := m.Finish(dead)
	if err := e.put(`UPDATE index_segments SET state = 'gone' WHERE project = $1 AND segment = ANY ($2)`, m.Inputs); err != nil {
		return err
	}
	if err := e.put(`UPDATE index_segments SET state = 'live', documents = $3, dead = $4, directory = $5, deaths = $6 WHERE project = $1 AND segment = $2`,
		id, documents, own.Len(), directory, own.Encode()); err != nil {
		return err
	}
	return e.put(`UPDATE index_state SET changes = changes + 1 WHERE project = $1`)
}

// sweep removes the segments that are gone, or that nobody builds any more.
func (e indexEdit) sweep(ctx context.Context, all bool) error {
	gone, err := list(ctx, e.session, func(rows pgx.Rows, id *int64) error { return rows.Scan(id) },
		`SELECT segment FROM index_segments WHERE project = $1 AND (state = 'gone' OR state = 'built' AND ($2 OR began < now() - interval '10 minutes'))
		FOR UPDATE SKIP LOCKED`, e.project, all)
	if err != nil || len(gone) == 0 {
		return err
	}
	if err := e.put(`DELETE FROM index_pages WHERE project = $1 AND segment = ANY ($2)`, gone); err != nil {
		return err
	}
	return e.put(`DELETE FROM index_segments WHERE project = $1 AND segment = ANY ($2)`, gone)
}

// erase takes the texts of a content that is being redacted out of the index,
// so that no page has their words any more. What stays of those versions is
// noted, to be indexed without the content. It is done at once, whatever it
// takes.
func (t *tx) erase(ctx context.Context, sum []byte) error {
	e := indexEdit{indexRows{&t.reader}, func(sql string, args ...any) error { return t.put(ctx, sql, args...) }}
	type entry struct {
		name     retrieval.Name
		versions string
	}
	found, err := list(ctx, t.session, func(rows pgx.Rows, e *entry) error {
		return rows.Scan((*string)(&e.name.Artifact), (*int)(&e.name.Version), &e.versions)
	}, `SELECT v.artifact, v.version, d.versions FROM versions v JOIN index_documents d ON d.project = $1 AND d.artifact = v.artifact
		WHERE v.project = $1 AND v.content = $2`, t.project, sum)
	if err != nil {
		return err
	}
	// Whoever remembers what is noted has to forget it.
	const forget = `UPDATE index_state SET generation = generation + 1, changes = changes + 1 WHERE project = $1`
	if len(found) == 0 {
		return e.put(forget)
	}
	if _, _, err := e.lock(ctx); err != nil {
		return err
	}
	var names []retrieval.Name
	for _, f := range found {
		names = append(names, f.name)
	}
	for _, f := range found {
		left := slices.DeleteFunc(fulltext.Decode(f.versions), func(v store.Indexed) bool {
			return slices.Contains(names, retrieval.Name{Artifact: f.name.Artifact, Version: v.Version})
		})
		if err := e.put(`INSERT INTO index_notes (project, artifact, versions) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			string(f.name.Artifact), f.versions); err != nil {
			return err
		}
		if err := e.put(`UPDATE index_documents SET versions = $3 WHERE project = $1 AND artifact = $2`,
			string(f.name.Artifact), fulltext.Encode(left)); err != nil {
			return err
		}
	}
	t.noted += len(found)
	if err := e.rewrite(ctx, names); err != nil {
		return err
	}
	return e.put(forget)
}

// rewrite makes the segments that have some documents anew, without them.
func (e indexEdit) rewrite(ctx context.Context, names []retrieval.Name) error {
	standing, err := e.Standing(ctx, 1)
	if err != nil {
		return err
	}
	for _, s := range standing.Segments {
		m, err := new(fulltext.Index).BeginMerge(ctx, e.indexRows, []int64{s.ID}, names)
		if err != nil {
			return err
		}
		gone := m.Erased()
		if gone.Documents == 0 && s.Dead == 0 {
			continue
		}
		_, id, err := e.lock(ctx)
		if err != nil {
			return err
		}
		pages, err := m.Pages(ctx, e.indexRows, 1<<30)
		if err != nil {
			return err
		}
		documents, directory, _ := m.Finish(nil)
		if err := e.addSegment(id, fulltext.Made{Documents: documents, Directory: directory, Pages: pages}); err != nil {
			return err
		}
		if err := e.put(`UPDATE index_segments SET state = 'gone' WHERE project = $1 AND segment = $2`, s.ID); err != nil {
			return err
		}
		if err := e.put(`UPDATE index_state SET segment = $2, documents = documents - $3, length = length - $4 WHERE project = $1`,
			id+1, gone.Documents, gone.Length); err != nil {
			return err
		}
	}
	// What is being built may have read them.
	return e.sweep(ctx, true)
}

// settleAtClose settles what this process noted, if that has become much.
func (s *Store) settleAtClose() {
	if !s.worker.HasNoted() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var standing fulltext.Standing
	err := s.Read(ctx, func(r store.Reader) (err error) {
		standing, err = indexRows{r.(*reader)}.Standing(ctx, fulltext.SettleAtClose)
		return err
	})
	if err != nil || standing.Noted < fulltext.SettleAtClose {
		return
	}
	if _, err := s.settleBatch(ctx); err == nil {
		_, _ = s.mergeSome(ctx)
	}
}
