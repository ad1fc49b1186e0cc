package postgres_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"brenner"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/memory"
)

// The scores are the model's own, not merely in the same order: they are taken
// out of ts_rank, and this shows that nothing is left of it.
func TestSearch_ScoresAreTheSumsOfTheWeights(t *testing.T) {
	s, m := open(t, pgtest.Open(t)), memory.New()
	r := rand.New(rand.NewPCG(3, 5))
	words := strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu été 細胞 p53 x1")
	text := func(most int) string {
		var b strings.Builder
		for range 1 + r.IntN(most) {
			b.WriteString(words[int(float64(len(words))*r.Float64()*r.Float64())] + " ")
		}
		return b.String()
	}
	texts := map[brenner.ArtifactID]string{}
	for i := range 120 {
		texts[brenner.ArtifactID(fmt.Sprintf("a%03d", i))] = text([]int{3, 30, 1500}[i%3])
	}
	for _, on := range []store.Store{s, m} {
		if err := on.Write(t.Context(), func(tx store.Tx) error {
			for id, text := range texts {
				if err := errors.Join(tx.PutArtifact(t.Context(), store.Artifact{ID: id}), tx.Index(t.Context(), id, text)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for range 40 {
		q := store.SearchQuery{Text: text(12), Limit: r.IntN(50)}
		if d := cmp.Diff(search(t, m, q), search(t, s, q)); d != "" {
			t.Fatalf("%+v (-model +store):\n%s", q, d)
		}
	}
}

func search(t *testing.T, s store.Store, q store.SearchQuery) (hits []store.Hit) {
	t.Helper()
	if err := s.Read(t.Context(), func(r store.Reader) (err error) {
		hits, err = r.Search(t.Context(), q)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return hits
}

// A text with more different words than one tsvector can hold.
func TestSearch_FindsEveryWordOfAVeryLongText(t *testing.T) {
	s := open(t, pgtest.Open(t))
	const n = 250_000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "w%07d ", i)
	}
	if err := s.Write(t.Context(), func(tx store.Tx) error {
		return errors.Join(tx.PutArtifact(t.Context(), store.Artifact{ID: "long"}), tx.Index(t.Context(), "long", b.String()))
	}); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, n / 3, n / 2, n - 1} {
		if hits := search(t, s, store.SearchQuery{Text: fmt.Sprintf("w%07d", i)}); len(hits) != 1 {
			t.Errorf("word %d found %v", i, hits)
		}
	}
	all := store.SearchQuery{Text: fmt.Sprintf("w%07d w%07d", 0, n-1)}
	if hits := search(t, s, all); len(hits) != 1 || hits[0].Score != 2 {
		t.Errorf("words of two parts found %v, want one hit of score 2", hits)
	}
	if err := s.Write(t.Context(), func(tx store.Tx) error { return tx.Index(t.Context(), "long", "short") }); err != nil {
		t.Fatal(err)
	}
	if hits := search(t, s, all); len(hits) != 0 {
		t.Errorf("after it was replaced %v is found", hits)
	}
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
