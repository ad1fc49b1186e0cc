package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/internal/store/storetest"
)

// settled is a store that indexes every text at once, so that what the suite
// says of a search is said of the index and not of the texts that wait.
type settled struct{ *database }

func (s settled) Write(ctx context.Context, fn func(store.Tx) error) error {
	if err := s.database.Write(ctx, fn); err != nil {
		return err
	}
	s.settle(context.Background(), 1<<30)
	return nil
}

func TestStore_IndexedAtOnce(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		s, err := Open(context.Background(), "", Options{Scratch: true})
		must(t, err)
		return settled{s.(*database)}
	})
}

// A text scores the same while it waits and after it was indexed.
func TestSearch_IndexingChangesNoScore(t *testing.T) {
	opened, err := Open(context.Background(), "", Options{Scratch: true})
	must(t, err)
	s := opened.(*database)
	defer func() { must(t, s.Close()) }()
	fill(t, s, 0, 300)
	ask := func(q store.SearchQuery) (hits []store.Hit) {
		must(t, s.readersOnly(func(r store.Reader) (err error) {
			hits, err = r.Search(context.Background(), q)
			return err
		}))
		return hits
	}
	var queries []store.SearchQuery
	for _, text := range []string{vocabulary[0], vocabulary[3] + " " + vocabulary[100], strings.Join(vocabulary[:80], " ")} {
		queries = append(queries, store.SearchQuery{Text: text, Limit: 50}, store.SearchQuery{Text: text, Depth: 7})
	}
	var before [][]store.Hit
	for _, q := range queries {
		before = append(before, ask(q))
		if len(before[len(before)-1]) == 0 {
			t.Fatalf("%+v finds nothing", q)
		}
	}
	s.settle(context.Background(), 1000)
	if n, err := s.writers.conn.number(context.Background(), "SELECT count(*) FROM unindexed"); err != nil || n != 0 {
		t.Fatalf("%d texts wait, %v", n, err)
	}
	for i, q := range queries {
		if after := ask(q); fmt.Sprint(after) != fmt.Sprint(before[i]) {
			t.Errorf("%+v found %v while texts waited, then %v", q, before[i], after)
		}
	}
}

// Of a word that many have, those count in which it has the most weight, and of
// these the latest.
func TestSearch_DepthTakesTheHeaviestThenTheLatest(t *testing.T) {
	opened, err := Open(context.Background(), "", Options{Scratch: true})
	must(t, err)
	defer func() { must(t, opened.Close()) }()
	ctx := context.Background()
	must(t, opened.Write(ctx, func(tx store.Tx) error {
		for i := range 30 {
			id := brenner.ArtifactID(fmt.Sprintf("a%02d", i))
			text := "word " + strings.Repeat("filler ", 3000)
			if i == 5 || i == 9 {
				text = "word"
			}
			if err := tx.PutArtifact(ctx, store.Artifact{ID: id, Head: 1, Latest: 1}); err != nil {
				return err
			}
			if err := tx.Index(ctx, id, text); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, opened.Read(ctx, func(r store.Reader) error {
		hits, err := r.Search(ctx, store.SearchQuery{Text: "word", Depth: 4})
		var got []brenner.ArtifactID
		for _, h := range hits {
			got = append(got, h.ID)
		}
		if want := []brenner.ArtifactID{"a05", "a09", "a28", "a29"}; !slices.Equal(got, want) {
			t.Errorf("found %v, want %v", got, want)
		}
		return err
	}))
}

// readersOnly is Read without what a search does afterwards.
func (s *database) readersOnly(fn func(store.Reader) error) error {
	_, err := s.readers.read(fn)
	return err
}

// Texts are indexed by those who search, by those who close, and, when very
// many wait, by those who write.
func TestSearch_WaitingTextsAreIndexedInTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "brenner.db")
	ctx := context.Background()
	open := func() *database {
		s, err := Open(ctx, path, Options{Create: true})
		must(t, err)
		return s.(*database)
	}
	waiting := func(s *database) int64 {
		n, err := s.writers.conn.number(ctx, "SELECT count(*) FROM unindexed")
		must(t, err)
		return n
	}
	search := func(s *database) {
		must(t, s.Read(ctx, func(r store.Reader) error {
			_, err := r.Search(ctx, store.SearchQuery{Text: vocabulary[0]})
			return err
		}))
	}
	s := open()
	fill(t, s, 0, settleFrom-1)
	if search(s); waiting(s) != settleFrom-1 {
		t.Errorf("%d texts wait after a search among few", waiting(s))
	}
	fill(t, s, settleFrom-1, 10)
	if search(s); waiting(s) != 0 {
		t.Errorf("%d texts wait after a search among many", waiting(s))
	}
	fill(t, s, settleFrom+9, settleFrom)
	must(t, s.Close())
	s = open()
	if n := waiting(s); n != 0 {
		t.Errorf("%d texts wait after Close", n)
	}
	fill(t, s, 2*settleFrom+9, settleBatch)
	s.writers.waiting.Store(maxWaiting)
	must(t, s.Write(ctx, func(tx store.Tx) error { return tx.Index(ctx, "note-000002", "again") }))
	if n := waiting(s); n > 1 {
		t.Errorf("%d texts wait after a write among very many", n)
	}
	must(t, s.Close())
}

// SQLite brings an implementation of the same stemmer: ours gives what it gives.
func TestWords_StemAsSQLiteDoes(t *testing.T) {
	ctx := context.Background()
	c, err := dial("file:stems?mode=memory")
	must(t, err)
	defer func() { must(t, c.close()) }()
	must(t, c.do(ctx, "CREATE VIRTUAL TABLE stems USING fts5 (word, tokenize = 'porter ascii')"))
	must(t, c.do(ctx, "CREATE VIRTUAL TABLE terms USING fts5vocab (stems, instance)"))
	r := rand.New(rand.NewPCG(8, 9))
	parts := strings.Fields(`ab ac ad al ant at ate ation ational ator bl ble bli c con d e ed ee eed el eli em ement en ence
		enci ent entli er f ful fulness g h i ic ical icate iciti ies in ing ion ism iti ive iveness iviti iz ization ize izer
		j k l ll log logi m ment n ness o on ou ous ousli ousness p q qu r re rel s ss sses st str t th tional tr u v w x y yy z zz`)
	words := map[int64]string{}
	must(t, c.do(ctx, "BEGIN"))
	for i := int64(1); i <= 20_000; i++ {
		var w strings.Builder
		for range 1 + r.IntN(4) {
			w.WriteString(parts[r.IntN(len(parts))])
		}
		words[i] = w.String()
		must(t, c.do(ctx, "INSERT INTO stems (rowid, word) VALUES (?, ?)", i, w.String()))
	}
	must(t, c.do(ctx, "COMMIT"))
	seen := 0
	must(t, c.query(ctx, func(r row) error {
		word := words[r.int(1)]
		ours := store.Words(word)
		if len(ours) == 0 { // too common to be looked for
			return nil
		}
		// SQLite also shortens a word that is nothing but a suffix, and takes
		// yy for a doubled consonant; the paper does not.
		if word == "sses" || word == "eed" || word == "ies" || strings.Contains(word, "yy") {
			return nil
		}
		seen++
		if ours[0] != r.text(0) {
			t.Errorf("%s: ours %s, SQLite's %s", word, ours[0], r.text(0))
		}
		return nil
	}, "SELECT term, doc FROM terms"))
	if seen < 10_000 {
		t.Errorf("only %d words were compared", seen)
	}
}

// Text that ends with a blob is not stored twice, and is gone with the blob.
func TestIndex_TextOfABlobIsStoredOnce(t *testing.T) {
	opened, err := Open(context.Background(), "", Options{Scratch: true})
	must(t, err)
	s := opened.(*database)
	defer func() { must(t, s.Close()) }()
	fill(t, s, 0, 1)
	ctx := context.Background()
	one := samples(0, 1)[0]
	n, err := s.writers.conn.number(ctx, "SELECT length(text) FROM unindexed")
	must(t, err)
	if n != int64(len(one.text)-len(one.content)) {
		t.Errorf("%d bytes are kept of a text of %d that ends with a content of %d", n, len(one.text), len(one.content))
	}
	word := strings.Fields(string(one.content))[10]
	found := func() (n int) {
		must(t, s.Read(ctx, func(r store.Reader) error {
			hits, err := r.Search(ctx, store.SearchQuery{Text: word})
			n = len(hits)
			return err
		}))
		return n
	}
	if found() != 1 {
		t.Errorf("%q is not found", word)
	}
	must(t, s.Write(ctx, func(tx store.Tx) error { return tx.RedactBlob(ctx, one.digest) }))
	if strings.Contains(one.artifact.Summary, word) {
		t.Fatal("choose another word")
	}
	if found() != 0 {
		t.Errorf("%q is found in a content that was redacted", word)
	}
}

// The listings that grow with a project walk an index and sort nothing.
func TestPlans_LongTablesAreNotScanned(t *testing.T) {
	opened, err := Open(context.Background(), "", Options{Scratch: true})
	must(t, err)
	s := opened.(*database)
	defer func() { must(t, s.Close()) }()
	fill(t, s, 0, 10)
	ctx := context.Background()
	id := brenner.ArtifactID("note-000001")
	ref := brenner.Ref{Artifact: id, Version: 1}
	must(t, s.readersOnly(func(rd store.Reader) error {
		r := rd.(*reader)
		for name, ask := range map[string]func() error{
			"Records":   func() error { _, err := r.Records(ctx, 3, 2); return err },
			"Size":      func() error { _, err := r.Size(ctx); return err },
			"Hashes":    func() error { _, err := r.Hashes(ctx, []int64{3}); return err },
			"Blob":      func() error { _, err := r.Blob(ctx, samples(0, 1)[0].digest); return err },
			"Artifact":  func() error { _, err := r.Artifact(ctx, id); return err },
			"Artifacts": func() error { _, err := r.Artifacts(ctx, store.ArtifactQuery{After: id, Limit: 2}); return err },
			"Artifacts type": func() error {
				_, err := r.Artifacts(ctx, store.ArtifactQuery{After: id, Types: []brenner.TypeName{"paper_note"}, Limit: 2})
				return err
			},
			"Artifacts recent": func() error {
				_, err := r.Artifacts(ctx, store.ArtifactQuery{Recent: true, Types: []brenner.TypeName{"paper_note"}, Limit: 2})
				return err
			},
			"Artifacts recent of a module": func() error {
				_, err := r.Artifacts(ctx, store.ArtifactQuery{Recent: true, Modules: []brenner.Module{"genetics"}, Limit: 2})
				return err
			},
			"Artifacts newest of types in modules": func() error {
				_, err := r.Artifacts(ctx, store.ArtifactQuery{
					Recent: true, Types: []brenner.TypeName{"paper_note", "memo"}, Modules: []brenner.Module{"genetics", "project"}, Limit: 2,
				})
				return err
			},
			"Tagged": func() error {
				_, err := r.Tagged(ctx, store.TagQuery{Tags: []string{"x", "y"}, Types: []brenner.TypeName{"paper_note"}, Limit: 2, Depth: 2})
				return err
			},
			"Kinds": func() error { _, err := r.Kinds(ctx); return err },
			"Artifacts with a tag": func() error {
				_, err := r.Artifacts(ctx, store.ArtifactQuery{Recent: true, Tag: "x", Limit: 2})
				return err
			},
			"Artifacts canonical": func() error {
				_, err := r.Artifacts(ctx, store.ArtifactQuery{Canonical: true, After: id, Limit: 2})
				return err
			},
			"Artifacts canonical of a type": func() error {
				_, err := r.Artifacts(ctx, store.ArtifactQuery{Statuses: []artifact.Status{artifact.Canonical}, Types: []brenner.TypeName{"paper_note"}, Limit: 2})
				return err
			},
			"Artifacts superseded": func() error {
				_, err := r.Artifacts(ctx, store.ArtifactQuery{Statuses: []artifact.Status{artifact.Superseded}, Modules: []brenner.Module{"genetics"}, Limit: 2})
				return err
			},
			"Artifacts named": func() error {
				_, err := r.Artifacts(ctx, store.ArtifactQuery{IDs: []brenner.ArtifactID{id}})
				return err
			},
			"VersionsOf":       func() error { _, err := r.VersionsOf(ctx, []brenner.Ref{ref}); return err },
			"Version":          func() error { _, err := r.Version(ctx, ref); return err },
			"Versions":         func() error { _, err := r.Versions(ctx, id, 0, 5); return err },
			"Leaves":           func() error { _, err := r.Leaves(ctx, ""); return err },
			"Leaves of one":    func() error { _, err := r.Leaves(ctx, id); return err },
			"LinksFrom":        func() error { _, err := r.LinksFrom(ctx, []brenner.Ref{ref}); return err },
			"LinksTo":          func() error { _, err := r.LinksTo(ctx, []brenner.Ref{ref}); return err },
			"Outdated":         func() error { _, err := r.Outdated(ctx, []brenner.Ref{ref}); return err },
			"Stale":            func() error { _, err := r.Stale(ctx, []brenner.Ref{ref}, artifact.Relations(), 10); return err },
			"Corrected":        func() error { _, err := r.Corrected(ctx, []brenner.Ref{ref}); return err },
			"OutdatedTargets":  func() error { _, err := r.OutdatedTargets(ctx); return err },
			"CorrectedTargets": func() error { _, err := r.CorrectedTargets(ctx); return err },
			"Objects":          func() error { _, err := r.Objects(ctx, store.ObjectQuery{Kind: "task", Limit: 2}); return err },
			"Objects group": func() error {
				_, err := r.Objects(ctx, store.ObjectQuery{Kind: "task", Group: "g", Limit: 2})
				return err
			},
			"Objects state": func() error {
				_, err := r.Objects(ctx, store.ObjectQuery{Kind: "task", States: []string{"open"}, AfterOrder: 2, AfterID: "x", Limit: 2})
				return err
			},
			"Objects newest": func() error {
				_, err := r.Objects(ctx, store.ObjectQuery{Kind: "task", Newest: true, Limit: 2})
				return err
			},
			"CountObjects": func() error { _, err := r.CountObjects(ctx, "task", "g"); return err },
			"Request":      func() error { _, _ = r.Request(ctx, "ada", "k"); return nil },
			"Token":        func() error { _, _ = r.Token(ctx, samples(0, 1)[0].digest); return nil },
			"Vectors":      func() error { _, err := r.Vectors(ctx, "s", []string{"a"}); return err },
			"Search":       func() error { _, err := r.Search(ctx, store.SearchQuery{Text: vocabulary[0]}); return err },
		} {
			r.c.forget()
			must(t, ask())
			var asked []string
			for sql := range r.c.cache {
				asked = append(asked, sql)
			}
			if len(asked) == 0 {
				t.Errorf("%s asked nothing", name)
			}
			for _, sql := range asked {
				must(t, r.c.query(ctx, func(p row) error {
					if step := p.text(3); slow(name, step) {
						t.Errorf("%s: %s\n%s", name, step, sql)
					}
					return nil
				}, "EXPLAIN QUERY PLAN "+sql, make([]any, strings.Count(sql, "?"))...))
			}
		}
		return nil
	}))
}

// slow reports whether a step of a plan reads or sorts a whole long table.
func slow(name, step string) bool {
	allowed := map[string][]string{
		"Artifacts with a tag":                 {"SCAN (subquery", "USE TEMP B-TREE FOR ORDER BY"},        // when few have it
		"Artifacts newest of types in modules": {"SCAN newest"},                                           // merged, up to the limit
		"Stale":                                {"SCAN under", "SCAN k VIRTUAL TABLE"},                    // what the versions rest on
		"Kinds":                                {"SCAN artifacts USING COVERING INDEX artifacts_by_kind"}, // once
		"Artifacts recent":                     {"SCAN artifacts USING INDEX artifacts_by_seq"},           // from the end, up to the limit
		"Artifacts canonical":                  {"SCAN artifacts USING INDEX canonical_by_id"},            // nothing else is in it
		"Leaves":                               {"SCAN f", "USE TEMP B-TREE FOR ORDER BY"},                // only what is forked
		"CountObjects":                         {"USE TEMP B-TREE FOR GROUP BY"},                          // one row a state
		"Search":                               {"SCAN u", "SCAN words VIRTUAL TABLE INDEX"},              // what waits; what has the word
		"OutdatedTargets": { // only what is canonical, superseded or deprecated
			"SCAN t", "SCAN c USING COVERING INDEX one_canonical_per_artifact", "SCAN s USING COVERING INDEX superseded",
			"SCAN d USING COVERING INDEX deprecated", "USE TEMP B-TREE FOR ORDER BY",
		},
		"CorrectedTargets": {"SCAN a USING INDEX undecided", "USE TEMP B-TREE FOR DISTINCT"}, // only what went on undecided
	}
	if strings.HasPrefix(name, "Artifacts recent") {
		name = "Artifacts recent"
	}
	always := []string{"SCAN ref VIRTUAL TABLE", "SCAN found VIRTUAL TABLE", "SCAN json_each VIRTUAL TABLE"} // what was asked for
	for _, prefix := range append(always, allowed[name]...) {
		if strings.HasPrefix(step, prefix) {
			return false
		}
	}
	return strings.HasPrefix(step, "SCAN") || strings.HasPrefix(step, "USE TEMP B-TREE") && !strings.Contains(step, "LAST TERM")
}
