package postgres_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"brenner"
	"brenner/artifact"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/retrieval"
)

// Writers note artifacts while several processes settle them: whoever looks
// finds what was written before, once.
func TestSettle_HidesNothingFromAnybody(t *testing.T) {
	address := pgtest.Open(t)
	const servers, writers, each = 3, 3, 20
	var wg sync.WaitGroup
	var all []store.Store
	for i := range servers {
		s := open(t, project(address, "p"))
		all = append(all, s)
		for j := range writers {
			wg.Go(func() {
				ctx := context.Background()
				for k := range each {
					id := brenner.ArtifactID(fmt.Sprintf("a%d-%d-%d", i, j, k%5))
					v := brenner.Version(k/5 + 1)
					word := fmt.Sprintf("word%dx%dx%d", i, j, k)
					if err := s.Write(ctx, func(tx store.Tx) error { return putText(ctx, tx, id, v, "shared "+word) }); err != nil {
						t.Error(err)
						return
					}
					if k%6 == j {
						if err := s.Settle(ctx); err != nil {
							t.Error(err)
						}
					}
					if hits := found(t, s, word); len(hits) != 1 || hits[0].Name != id || hits[0].Version != v {
						t.Errorf("%s found %v", word, hits)
					}
				}
			})
		}
	}
	wg.Wait()
	before := found(t, all[0], "shared")
	for _, s := range all {
		if err := s.Settle(t.Context()); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	after := found(t, open(t, project(address, "p")), "shared")
	if len(before) != servers*writers*5 || gocmp.Diff(before, after) != "" {
		t.Errorf("found %v, and when all was settled %v", before, after)
	}
	var notes, orphans int
	if err := connect(t, address).QueryRow(t.Context(), `SELECT (SELECT count(*) FROM brenner.index_notes),
		(SELECT count(*) FROM brenner.index_pages WHERE segment NOT IN (SELECT segment FROM brenner.index_segments WHERE state = 'live'))`).Scan(&notes, &orphans); err != nil || notes != 0 || orphans != 0 {
		t.Errorf("%d notes and %d pages of merged segments are left, %v", notes, orphans, err)
	}
}

// A writer that has noted one artifact anew, and will note another, is not waited for:
// that one would wait for the settling, and the database would break one of them off.
func TestSettle_WaitsForNoWriter(t *testing.T) {
	address := pgtest.Open(t)
	s := open(t, project(address, "p"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := s.Write(ctx, func(tx store.Tx) error {
		return errors.Join(putText(ctx, tx, "a", 1, "first"), putText(ctx, tx, "b", 1, "second"))
	}); err != nil {
		t.Fatal(err)
	}
	const noted = `SELECT array_agg(artifact) FROM brenner.index_notes`
	writer := connect(t, address)
	if _, err := writer.Exec(ctx, `BEGIN; UPDATE brenner.index_notes SET versions = versions WHERE artifact = 'a'`); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	var left []string
	if err := writer.QueryRow(ctx, noted).Scan(&left); err != nil || !slices.Equal(left, []string{"a"}) {
		t.Errorf("noted are %v, %v", left, err)
	}
	if _, err := writer.Exec(ctx, `COMMIT`); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	if err := writer.QueryRow(ctx, noted).Scan(&left); err != nil || left != nil {
		t.Errorf("noted are %v, %v", left, err)
	}
	if first, second := found(t, s, "first"), found(t, s, "second"); len(first) != 1 || len(second) != 1 {
		t.Errorf("found %v and %v", first, second)
	}
}

// J7: no page has a word of a content that was redacted.
func TestRedact_LeavesNoWordInTheIndex(t *testing.T) {
	address := pgtest.Open(t)
	s := open(t, project(address, "p"))
	ctx := t.Context()
	for i := range 3 {
		if err := s.Write(ctx, func(tx store.Tx) error {
			return errors.Join(putText(ctx, tx, brenner.ArtifactID(fmt.Sprint("a", i)), 1, "harmless"), putText(ctx, tx, brenner.ArtifactID(fmt.Sprint("s", i)), 1, "xylophonist"))
		}); err != nil {
			t.Fatal(err)
		}
		if err := s.Settle(ctx); err != nil {
			t.Fatal(err)
		}
	}
	pages := func() (n int) {
		if err := connect(t, address).QueryRow(ctx, `SELECT count(*) FROM brenner.index_pages WHERE position('ylophonist'::bytea IN data) > 0`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if pages() == 0 {
		t.Fatal("the word is on no page before")
	}
	if err := s.Write(ctx, func(tx store.Tx) error { return tx.RedactBlob(ctx, digestOf("xylophonist")) }); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n := pages(); n != 0 {
			t.Errorf("%d pages have the word", n)
		}
		if a, b := found(t, s, "xylophonist"), found(t, s, "harmless"); len(a) != 0 || len(b) != 3 {
			t.Errorf("found %v and %v", a, b)
		}
		if err := s.Settle(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

// putText writes a version of an artifact and makes it findable.
func putText(ctx context.Context, tx store.Tx, id brenner.ArtifactID, v brenner.Version, text string) error {
	return errors.Join(
		tx.PutBlob(ctx, digestOf(text), []byte(text)), tx.PutArtifact(ctx, store.Artifact{ID: id, Head: v, Latest: v}),
		tx.InsertVersion(ctx, store.Version{Artifact: id, Version: v, Parent: v - 1, Status: artifact.Draft, Format: artifact.Text, Content: digestOf(text)}),
		tx.Index(ctx, id, []store.Indexed{{Version: v}}),
	)
}

func digestOf(text string) brenner.Digest { return store.DigestOf(sha256.Sum256([]byte(text))) }

// hit is what a search found, without the rest of the artifact.
type hit struct {
	Name    brenner.ArtifactID
	Version brenner.Version
	Score   float64
}

func found(t *testing.T, s store.Store, text string) (hits []hit) {
	t.Helper()
	if err := s.Read(context.Background(), func(r store.Reader) error {
		got, err := r.Rank(context.Background(), store.RankQuery{Terms: retrieval.Question(text)})
		for _, f := range got.Hits {
			hits = append(hits, hit{f.ID, f.Version, f.Score})
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	return hits
}

// Until the server has counted the rows of a new database it must not choose an
// index that reads a whole project for one row.
func TestPlans_OfPointReadsUseTheRightIndexWithoutStatistics(t *testing.T) {
	address := pgtest.Open(t)
	open(t, address)
	conn := connect(t, address)
	if _, err := conn.Exec(t.Context(), `SET search_path = brenner; SET plan_cache_mode = force_generic_plan`); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct{ types, query, index string }{
		{"(int, text)", `SELECT * FROM artifacts WHERE project = $1 AND id = $2`, "artifacts_pkey"},
		{"(int, text)", `SELECT * FROM artifacts WHERE project = $1 AND type = $2 ORDER BY id LIMIT 100`, "artifacts_by_type"},
		{"(int)", `SELECT * FROM artifacts WHERE project = $1 ORDER BY seq DESC, id LIMIT 100`, "artifacts_by_seq"},
		{"(int, text, int)", `SELECT * FROM versions WHERE project = $1 AND artifact = $2 AND version = $3`, "versions_pkey"},
		{"(int, text, int)", `SELECT * FROM links WHERE project = $1 AND from_artifact = $2 AND from_version = $3`, "links_pkey"},
		{"(int, text, int)", `SELECT * FROM links WHERE project = $1 AND to_artifact = $2 AND to_version = $3`, "links_by_target"},
		{"(int, text, text)", `SELECT * FROM objects WHERE project = $1 AND kind = $2 AND id = $3`, "objects_pkey"},
		{"(int, text)", `SELECT * FROM index_documents WHERE project = $1 AND artifact = $2`, "index_documents_pkey"},
		{"(int, bytea)", `SELECT * FROM blobs WHERE project = $1 AND digest = $2`, "blobs_pkey"},
		{"(int, bigint, int)", `SELECT * FROM index_pages WHERE project = $1 AND segment = $2 AND page = $3`, "index_pages_pkey"},
		{"(int, text)", `SELECT * FROM objects WHERE project = $1 AND kind = $2 ORDER BY ord, id LIMIT 100`, "objects_by_order"},
		{"(int, text, text)", `SELECT * FROM objects WHERE project = $1 AND kind = $2 AND grp = $3 ORDER BY ord, id LIMIT 100`, "objects_by_group"},
	} {
		name := fmt.Sprintf("p%d", i)
		if _, err := conn.Exec(t.Context(), `PREPARE `+name+c.types+` AS `+c.query); err != nil {
			t.Fatal(err)
		}
		nulls := strings.Repeat(", NULL", strings.Count(c.types, ",")+1)[2:]
		var plan strings.Builder
		rows, err := conn.Query(t.Context(), `EXPLAIN EXECUTE `+name+`(`+nulls+`)`)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			plan.WriteString(line + "\n")
		}
		if !strings.Contains(plan.String(), " "+c.index+" ") {
			t.Errorf("%s\ndoes not use %s:\n%s", c.query, c.index, plan.String())
		}
	}
}
