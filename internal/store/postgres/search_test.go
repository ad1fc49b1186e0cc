package postgres_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"brenner"
	"brenner/internal/pgtest"
	"brenner/internal/store"
)

// A second, plain way to score: the weight of each word times its rarity, and
// the same whether a text is noted or settled.
func TestSearch_ScoresAreWeightsTimesRarity(t *testing.T) {
	address := pgtest.Open(t)
	s := open(t, project(address, "p"))
	r := rand.New(rand.NewPCG(3, 5))
	words := strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu été 細胞 p53 x1")
	text := func(most int) string {
		var b strings.Builder
		for range 1 + r.IntN(most) {
			b.WriteString(words[int(float64(len(words))*r.Float64()*r.Float64())] + " ")
		}
		return b.String()
	}
	const n = 300                                      // more than are noted
	weights := map[string]map[brenner.ArtifactID]int{} // of a word
	if err := s.Write(t.Context(), func(tx store.Tx) error {
		for i := range n {
			id, text := brenner.ArtifactID(fmt.Sprintf("a%03d", i)), text([]int{3, 30, 1500}[i%3])
			for _, term := range store.Terms(text) {
				if weights[term.Word] == nil {
					weights[term.Word] = map[brenner.ArtifactID]int{}
				}
				weights[term.Word][id] = term.Weight
			}
			if err := errors.Join(note(t.Context(), tx, "k"), tx.PutArtifact(t.Context(), store.Artifact{ID: id}), tx.Index(t.Context(), id, text)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	expect := func(q store.SearchQuery) (hits []hit) {
		scores := map[brenner.ArtifactID]float64{}
		for _, word := range store.QueryWords(q.Text) {
			for id, weight := range weights[word] {
				scores[id] += float64(weight) * math.Log(2+float64(n)/float64(len(weights[word])))
			}
		}
		for id, score := range scores {
			hits = append(hits, hit{Artifact: id, Score: math.Round(score*1e6) / 1e6})
		}
		slices.SortFunc(hits, func(a, b hit) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Artifact, b.Artifact))
		})
		if q.Limit > 0 {
			hits = hits[:min(len(hits), q.Limit)]
		}
		return hits
	}
	ask := func(state string, s store.Store) {
		for range 25 {
			q := store.SearchQuery{Text: text(12), Limit: r.IntN(50)}
			if d := gocmp.Diff(expect(q), search(t, s, q), cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 2e-6)); d != "" {
				t.Fatalf("%s, %+v (-want +got):\n%s", state, q, d)
			}
		}
	}
	ask("noted, for the most part", s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := connect(t, address).QueryRow(t.Context(), `SELECT count(*) FROM brenner.unindexed`).Scan(&left); err != nil || left != 0 {
		t.Errorf("Close left %d texts noted, %v", left, err)
	}
	ask("settled", open(t, project(address, "p")))
}

// Writers note texts while several processes settle them.
func TestSearch_SettlingHidesNothing(t *testing.T) {
	address := pgtest.Open(t)
	const servers, writers, each = 3, 3, 30
	var wg sync.WaitGroup
	var all []store.Store
	for i := range servers {
		s := open(t, project(address, "p"))
		all = append(all, s)
		for j := range writers {
			wg.Go(func() {
				ctx := context.Background()
				for k := range each {
					// Every other time an artifact of another writer.
					id := brenner.ArtifactID(fmt.Sprintf("a%d", (i*writers+j+k%2)%(servers*writers)))
					word := fmt.Sprintf("w%dx%dx%d", i, j, k)
					if err := s.Write(ctx, func(tx store.Tx) error {
						return errors.Join(tx.PutArtifact(ctx, store.Artifact{ID: id}), tx.Index(ctx, id, "every "+word))
					}); err != nil {
						t.Error(err)
						return
					}
					if k%10 == 0 {
						if hits := search(t, s, store.SearchQuery{Text: word}); len(hits) > 1 || len(hits) == 1 && hits[0].Artifact != id {
							t.Errorf("%s found %v", word, hits)
						}
					}
				}
			})
		}
	}
	wg.Wait()
	noted := search(t, all[0], store.SearchQuery{Text: "every"})
	for _, s := range all {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	settled := search(t, open(t, project(address, "p")), store.SearchQuery{Text: "every"})
	if len(noted) != servers*writers || gocmp.Diff(noted, settled) != "" {
		t.Errorf("found %v, and when all was settled %v", noted, settled)
	}
}

// hit is what a search found, without the rest of the artifact.
type hit struct {
	Artifact brenner.ArtifactID
	Score    float64
}

func search(t *testing.T, s store.Store, q store.SearchQuery) (hits []hit) {
	t.Helper()
	if err := s.Read(t.Context(), func(r store.Reader) error {
		found, err := r.Search(t.Context(), q)
		for _, f := range found {
			hits = append(hits, hit{f.ID, f.Score})
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return hits
}

// A text with more different words than one tsvector can hold.
func TestSearch_FindsEveryWordOfAVeryLongText(t *testing.T) {
	address := pgtest.Open(t)
	s := open(t, project(address, "p"))
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
	ask := func(s store.Store, want int) {
		t.Helper()
		for _, i := range []int{0, n / 3, n / 2, n - 1} {
			if hits := search(t, s, store.SearchQuery{Text: fmt.Sprintf("w%07d", i)}); len(hits) != want {
				t.Errorf("word %d found %v, want %d", i, hits, want)
			}
		}
		// Words of two parts are words of one document.
		if hits := search(t, s, store.SearchQuery{Text: fmt.Sprintf("w%07d w%07d", 0, n-1)}); len(hits) != want {
			t.Errorf("two words found %v, want %d", hits, want)
		}
	}
	ask(s, 1)
	if err := s.Close(); err != nil { // settles it
		t.Fatal(err)
	}
	s = open(t, project(address, "p"))
	ask(s, 1)
	if err := s.Write(t.Context(), func(tx store.Tx) error { return tx.Index(t.Context(), "long", "short") }); err != nil {
		t.Fatal(err)
	}
	ask(s, 0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	ask(open(t, project(address, "p")), 0)
	var parts int
	if err := connect(t, address).QueryRow(t.Context(), `SELECT count(*) FROM brenner.documents`).Scan(&parts); err != nil || parts != 1 {
		t.Errorf("a short text has %d parts, %v", parts, err)
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
