package sqlite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/internal/store/fulltext"
	"brenner/retrieval"
)

// pageBits is how many bits of the key of a page are its number.
const pageBits = 24

func (t *tx) Index(ctx context.Context, id brenner.ArtifactID, versions []store.Indexed) (err error) {
	defer t.note(&err)
	key, err := t.key(ctx, id)
	if err != nil {
		return err
	}
	t.noted++
	return t.c.do(ctx, "INSERT INTO index_notes (artifact, versions) VALUES (?, ?) ON CONFLICT (artifact) DO UPDATE SET versions = excluded.versions",
		key, fulltext.Encode(versions))
}

// Rank asks the index, which remembers what was read of what is committed.
func (r *reader) Rank(ctx context.Context, q store.RankQuery) (store.Ranking, error) {
	index := r.index
	if index == nil {
		index = new(fulltext.Index)
	}
	return index.Ranking(ctx, indexRows{r}, q, r.Artifacts)
}

// indexRows is what the database keeps for the index.
type indexRows struct{ *reader }

func (r indexRows) Standing(ctx context.Context, most int) (fulltext.Standing, error) {
	var s fulltext.Standing
	_, err := r.c.one(ctx, func(r row) {
		s.State = fulltext.State{
			Generation: r.int(0), Changes: r.int(1), Statistics: retrieval.Statistics{Documents: r.int(2), Length: r.int(3)},
		}
	}, "SELECT generation, changes, documents, length FROM index_state")
	if err != nil {
		return s, err
	}
	s.Segments, err = collect(ctx, r.c, func(r row) fulltext.Segment {
		return fulltext.Segment{ID: r.int(0), Documents: int(r.int(1)), Dead: int(r.int(2))}
	}, "SELECT segment, documents, dead FROM index_segments WHERE state = 'live' ORDER BY segment")
	if err != nil {
		return s, err
	}
	if s.Notes, err = r.notes(ctx, s.State, most); err != nil {
		return s, err
	}
	s.Noted = len(s.Notes)
	if s.Noted == most {
		n, err := r.c.number(ctx, "SELECT count(*) FROM index_notes")
		if s.Noted = int(n); err != nil {
			return s, err
		}
	}
	if r.seen != nil {
		r.seen(s.Noted)
	}
	return s, nil
}

// notes gives up to so many notes, those of the newest artifacts. A search finds the same
// ones again and again: they are read as one text, and where that is what it was, so are
// they. What was settled before they came is another only in another state of the index.
func (r indexRows) notes(ctx context.Context, state fulltext.State, most int) ([]fulltext.Note, error) {
	var text string
	if _, err := r.c.one(ctx, func(r row) {
		if !r.null(0) {
			text = r.text(0)
		}
	}, "SELECT group_concat(artifact || ' ' || versions, char(0)) "+
		"FROM (SELECT artifact, versions FROM index_notes n ORDER BY artifact DESC LIMIT ?+0) noted", int64(most)); err != nil || text == "" {
		return nil, err
	}
	if r.last != nil {
		if notes, known := r.last.find(state, text); known {
			return notes, nil
		}
	}
	notes, err := collect(ctx, r.c, func(r row) fulltext.Note {
		n := fulltext.Note{
			Artifact: brenner.ArtifactID(r.text(0)), Type: brenner.TypeName(r.text(1)), Module: brenner.Module(r.text(2)),
			Wanted: fulltext.Decode(r.text(3)), Key: r.int(5),
		}
		if !r.null(4) {
			n.Settled = fulltext.Decode(r.text(4))
		}
		return n
	}, `SELECT a.id, a.type, a.module, n.versions, d.versions, a.key FROM index_notes n CROSS JOIN artifacts a ON a.key = n.artifact
		LEFT JOIN index_documents d ON d.artifact = n.artifact ORDER BY n.artifact DESC LIMIT ?+0`, int64(most))
	if err == nil && r.last != nil {
		r.last.keep(state, text, notes)
	}
	return notes, err
}

// lastNotes remembers the notes that were read last, with the state of the index and the text
// of their rows.
type lastNotes struct {
	mu    sync.Mutex
	state fulltext.State
	text  string
	notes []fulltext.Note
}

func (k *lastNotes) find(state fulltext.State, text string) ([]fulltext.Note, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clip(k.notes), k.notes != nil && k.state == state && k.text == text
}

func (k *lastNotes) keep(state fulltext.State, text string, notes []fulltext.Note) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.state, k.text, k.notes = state, text, notes
}

func (r indexRows) Describe(ctx context.Context, segments []int64) ([]fulltext.Description, error) {
	out := make([]fulltext.Description, len(segments))
	for i, id := range segments {
		if _, err := r.c.one(ctx, func(r row) {
			out[i] = fulltext.Description{Directory: r.bytes(0), Dead: r.bytes(1)}
		}, "SELECT directory, deaths FROM index_segments WHERE segment = ?", id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r indexRows) Pages(ctx context.Context, pages []fulltext.Page) ([][]byte, error) {
	out := make([][]byte, len(pages))
	keys := keysParameter(func(yield func(int64) bool) {
		for _, p := range pages {
			if !yield(pageKey(p.Segment, p.Number)) {
				return
			}
		}
	})
	err := r.c.query(ctx, func(r row) error {
		out[r.int(0)] = r.bytes(1)
		return nil
	}, "SELECT w.key, p.data FROM json_each(?) w CROSS JOIN index_pages p ON p.key = w.value", keys)
	return out, err
}

func pageKey(segment int64, number int) int64 { return segment<<pageBits | int64(number) }

func (r indexRows) Texts(ctx context.Context, names []retrieval.Name) ([]retrieval.Document, error) {
	out := make([]retrieval.Document, len(names))
	refs := make([]string, len(names))
	for i, n := range names {
		refs[i] = fmt.Sprintf("%d %s", n.Version, n.Artifact)
	}
	err := r.c.query(ctx, func(r row) error {
		v := store.Version{
			Artifact: names[r.int(0)].Artifact, Version: names[r.int(0)].Version,
			Summary: r.text(1), Tags: split(string(r.bytes(2))), Format: artifact.Format(r.text(3)),
		}
		var data []byte
		if !r.null(4) {
			data = r.bytes(4)
		}
		out[r.int(0)] = v.Document(data)
		return nil
	}, `SELECT w.key, v.summary, v.tags, v.format, b.data FROM json_each(?) w
		CROSS JOIN artifacts a ON a.id = substr(w.value, instr(w.value, ' ') + 1)
		CROSS JOIN versions v ON v.key = a.key << 24 | CAST(w.value AS INTEGER)
		LEFT JOIN blobs b ON b.digest = v.content`, textsParameter(refs))
	return out, err
}

// Settle brings the index up to date with what is noted.
func (s *database) Settle(ctx context.Context) error {
	if s.readOnly {
		return readOnly(nil)
	}
	if err := fulltext.Exhaust(ctx, s.settleBatch); err != nil {
		return err
	}
	return fulltext.Exhaust(ctx, s.mergeSome)
}

// settleBatch settles a batch of notes: it is made on a snapshot, and written
// unless somebody else was faster.
func (s *database) settleBatch(ctx context.Context) (more bool, err error) {
	s.settling.Lock()
	defer s.settling.Unlock()
	var batch *fulltext.Batch
	if err := s.readers.read(func(r store.Reader) (err error) {
		batch, err = s.settler.Prepare(ctx, &s.index, indexRows{r.(*reader)})
		return err
	}); err != nil || batch == nil {
		return false, err
	}
	outrun := false
	err = s.writers.write(ctx, func(t store.Tx) (err error) {
		outrun, err = t.(*tx).settle(ctx, batch)
		return err
	})
	return batch.More || outrun, err
}

// settle writes a batch, unless the index has changed since it was made.
func (t *tx) settle(ctx context.Context, b *fulltext.Batch) (outrun bool, err error) {
	changes, segment, err := t.indexState(ctx)
	if err != nil || changes != b.Changes {
		return true, err
	}
	if len(b.Segment.Pages) > 0 {
		if err := t.addSegment(ctx, segment, b.Segment); err != nil {
			return false, err
		}
		segment++
	}
	for _, id := range slices.Sorted(maps.Keys(b.Dead)) {
		if err := t.c.do(ctx, "UPDATE index_segments SET dead = ?, deaths = ? WHERE segment = ?",
			int64(b.Dead[id].Len()), b.Dead[id].Encode(), id); err != nil {
			return false, err
		}
	}
	list := settledParameter(b.Notes)
	for _, sql := range []string{
		`INSERT OR REPLACE INTO index_documents (artifact, versions) SELECT CAST(key AS INTEGER), value FROM json_each(?)`,
		`DELETE FROM index_notes WHERE artifact IN (SELECT CAST(key AS INTEGER) FROM json_each(?))
			AND versions = (SELECT d.versions FROM index_documents d WHERE d.artifact = index_notes.artifact)`,
	} {
		if err := t.c.do(ctx, sql, list); err != nil {
			return false, err
		}
	}
	return false, t.c.do(ctx, "UPDATE index_state SET changes = changes + 1, segment = ?, documents = documents + ?, length = length + ?",
		segment, b.Statistics.Documents, b.Statistics.Length)
}

// indexState gives the count of changes and the number of the next segment.
func (t *tx) indexState(ctx context.Context) (changes, segment int64, err error) {
	_, err = t.c.one(ctx, func(r row) { changes, segment = r.int(0), r.int(1) }, "SELECT changes, segment FROM index_state")
	return changes, segment, err
}

func (t *tx) addSegment(ctx context.Context, id int64, m fulltext.Made) error {
	if err := t.c.do(ctx, "INSERT INTO index_segments (segment, state, began, documents, dead, directory, deaths) VALUES (?, 'live', 0, ?, 0, ?, x'')",
		id, int64(m.Documents), m.Directory); err != nil {
		return err
	}
	return t.addPages(ctx, id, 0, m.Pages)
}

func (t *tx) addPages(ctx context.Context, segment int64, first int, pages [][]byte) error {
	for i, p := range pages {
		if err := t.c.do(ctx, "INSERT INTO index_pages (key, data) VALUES (?, ?)", pageKey(segment, first+i), p); err != nil {
			return err
		}
	}
	return nil
}

const (
	// mergePages is how many pages are written, or removed, in one transaction:
	// other writers wait for it.
	mergePages = 128
	// abandoned is how old a merge is that nobody works on any more.
	abandoned = 10 * time.Minute
)

// mergeSome merges segments if that is due, and removes what merges have left.
func (s *database) mergeSome(ctx context.Context) (more bool, err error) {
	s.settling.Lock()
	defer s.settling.Unlock()
	var plan []int64
	var m *fulltext.Merge
	if err := s.readers.read(func(r store.Reader) error {
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
	return len(plan) > 0, s.sweep(ctx)
}

// merge writes what a merge makes, some pages at a time, and then puts the
// segment in the place of the others.
func (s *database) merge(ctx context.Context, m *fulltext.Merge) error {
	id, number := int64(0), 0
	err := s.writers.write(ctx, func(t store.Tx) (err error) {
		if _, id, err = t.(*tx).indexState(ctx); err != nil {
			return err
		}
		c := t.(*tx).c
		if err := c.do(ctx, "UPDATE index_state SET segment = ?", id+1); err != nil {
			return err
		}
		return c.do(ctx, "INSERT INTO index_segments (segment, state, began, documents, dead, directory, deaths) VALUES (?, 'built', ?, 0, 0, x'', x'')",
			id, micros(time.Now()))
	})
	for err == nil {
		var pages [][]byte
		if err = s.readers.read(func(r store.Reader) (err error) {
			pages, err = m.Pages(ctx, indexRows{r.(*reader)}, mergePages)
			return err
		}); err != nil || len(pages) == 0 {
			break
		}
		err = s.writers.write(ctx, func(t store.Tx) error { return t.(*tx).addMerged(ctx, id, number, pages) })
		number += len(pages)
	}
	if err == nil {
		err = s.writers.write(ctx, func(t store.Tx) error { return t.(*tx).finishMerge(ctx, id, m) })
	}
	if err != nil && id != 0 {
		_ = s.writers.write(context.WithoutCancel(ctx), func(t store.Tx) error {
			return t.(*tx).c.do(ctx, "UPDATE index_segments SET state = 'gone' WHERE segment = ? AND state = 'built'", id)
		})
	}
	return err
}

// addMerged adds pages to a segment that is being built, if it still is.
func (t *tx) addMerged(ctx context.Context, id int64, first int, pages [][]byte) error {
	n, err := t.c.number(ctx, "SELECT count(*) FROM index_segments WHERE segment = ? AND state = 'built'", id)
	if err == nil && n == 0 {
		err = fulltext.ErrOutrun
	}
	if err != nil {
		return err
	}
	return t.addPages(ctx, id, first, pages)
}

// finishMerge lets a segment take the place of those it was made of.
func (t *tx) finishMerge(ctx context.Context, id int64, m *fulltext.Merge) error {
	dead := make([]retrieval.Dead, len(m.Inputs))
	for i, input := range m.Inputs {
		var deaths []byte
		found, err := t.c.one(ctx, func(r row) { deaths = r.bytes(0) }, "SELECT deaths FROM index_segments WHERE segment = ? AND state = 'live'", input)
		if err == nil && !found {
			err = fulltext.ErrOutrun
		}
		if err == nil {
			dead[i], err = retrieval.ReadDead(deaths)
		}
		if err != nil {
			return err
		}
		if err := t.c.do(ctx, "UPDATE index_segments SET state = 'gone' WHERE segment = ?", input); err != nil {
			return err
		}
	}
	documents, directory, own := m.Finish(dead)
	changed, _, err := t.c.exec(ctx, "UPDATE index_segments SET state = 'live', documents = ?, dead = ?, directory = ?, deaths = ? WHERE segment = ? AND state = 'built'",
		int64(documents), int64(own.Len()), directory, own.Encode(), id)
	if err == nil && changed == 0 {
		err = fulltext.ErrOutrun
	}
	if err != nil {
		return err
	}
	return t.c.do(ctx, "UPDATE index_state SET changes = changes + 1")
}

// sweep removes the pages of segments that are gone, or that nobody builds any
// more, some at a time.
func (s *database) sweep(ctx context.Context) error {
	return fulltext.Exhaust(ctx, func(ctx context.Context) (more bool, err error) {
		err = s.writers.write(ctx, func(t store.Tx) error {
			more, err = t.(*tx).sweep(ctx, mergePages)
			return err
		})
		return more, err
	})
}

func (t *tx) sweep(ctx context.Context, most int) (more bool, err error) {
	id, err := t.c.number(ctx, "SELECT segment FROM index_segments WHERE state = 'gone' OR state = 'built' AND began < ? LIMIT 1",
		micros(time.Now().Add(-abandoned)))
	if err != nil || id == 0 {
		return false, err
	}
	removed, _, err := t.c.exec(ctx, "DELETE FROM index_pages WHERE key IN (SELECT key FROM index_pages WHERE key BETWEEN ? AND ? LIMIT ?+0)",
		pageKey(id, 0), pageKey(id+1, 0)-1, int64(most))
	if err == nil && removed == 0 {
		err = t.c.do(ctx, "DELETE FROM index_segments WHERE segment = ?", id)
	}
	return true, err
}

// erase takes the texts of a content that is being redacted out of the index,
// so that no page has their words any more. What stays of those versions is
// noted, to be indexed without the content. It is done at once, whatever it
// takes.
func (t *tx) erase(ctx context.Context, sum []byte) error {
	type entry struct {
		key      int64
		name     retrieval.Name
		versions []store.Indexed
	}
	found, err := collect(ctx, t.c, func(r row) entry {
		return entry{r.int(0), retrieval.Name{Artifact: brenner.ArtifactID(r.text(1)), Version: brenner.Version(r.int(2))}, fulltext.Decode(r.text(3))}
	}, `SELECT a.key, a.id, v.key & 0xffffff, d.versions FROM versions v CROSS JOIN artifacts a ON a.key = v.artifact
		CROSS JOIN index_documents d ON d.artifact = v.artifact WHERE v.content = ?`, sum)
	if err != nil {
		return err
	}
	var names []retrieval.Name
	for _, e := range found {
		left := slices.DeleteFunc(slices.Clone(e.versions), func(v store.Indexed) bool { return v.Version == e.name.Version })
		if len(left) == len(e.versions) {
			continue
		}
		names = append(names, e.name)
		if err := t.c.do(ctx, "INSERT INTO index_notes (artifact, versions) VALUES (?, ?) ON CONFLICT DO NOTHING", e.key, fulltext.Encode(e.versions)); err != nil {
			return err
		}
	}
	for _, e := range found {
		keep := slices.DeleteFunc(slices.Clone(e.versions), func(v store.Indexed) bool {
			return slices.Contains(names, retrieval.Name{Artifact: e.name.Artifact, Version: v.Version})
		})
		if err := t.c.do(ctx, "UPDATE index_documents SET versions = ? WHERE artifact = ?", fulltext.Encode(keep), e.key); err != nil {
			return err
		}
	}
	if err := t.rewrite(ctx, names); err != nil {
		return err
	}
	t.noted += len(names)
	return t.c.do(ctx, "UPDATE index_state SET generation = generation + 1, changes = changes + 1")
}

// rewrite makes the segments that have some documents anew, without them.
func (t *tx) rewrite(ctx context.Context, names []retrieval.Name) error {
	// What is being built may have read them, and what is gone has them still.
	if err := t.c.do(ctx, "UPDATE index_segments SET state = 'gone' WHERE state = 'built'"); err != nil {
		return err
	}
	rows := indexRows{&t.reader}
	standing, err := rows.Standing(ctx, 1)
	if err != nil {
		return err
	}
	for _, s := range standing.Segments {
		m, err := new(fulltext.Index).BeginMerge(ctx, rows, []int64{s.ID}, names)
		if err != nil {
			return err
		}
		gone := m.Erased()
		if gone.Documents == 0 && s.Dead == 0 {
			continue
		}
		_, id, err := t.indexState(ctx)
		if err != nil {
			return err
		}
		pages, err := m.Pages(ctx, rows, 1<<pageBits)
		if err != nil {
			return err
		}
		documents, directory, _ := m.Finish(nil)
		if err := t.addSegment(ctx, id, fulltext.Made{Documents: documents, Directory: directory, Pages: pages}); err != nil {
			return err
		}
		if err := t.c.do(ctx, "UPDATE index_segments SET state = 'gone' WHERE segment = ?", s.ID); err != nil {
			return err
		}
		if err := t.c.do(ctx, "UPDATE index_state SET segment = ?, documents = documents - ?, length = length - ?", id+1, gone.Documents, gone.Length); err != nil {
			return err
		}
	}
	for more := true; more && err == nil; {
		more, err = t.sweep(ctx, 1<<pageBits)
	}
	return err
}
