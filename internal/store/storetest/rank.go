package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/retrieval"
)

// shelve puts an artifact with one version of this text, or one version more of
// it, and makes the last version findable.
func shelve(ctx context.Context, tx store.Tx, id, summary, text string) error {
	a := anArtifact(id, 1)
	a.Head = 0
	if old, err := tx.Artifact(ctx, a.ID); err == nil {
		a = old
	}
	a.Head++
	a.Latest = a.Head
	v := aVersion(id, int(a.Head), int(a.Head)-1, artifact.Draft)
	v.Summary, v.Tags, v.Content = summary, nil, digestOf(text)
	return do(tx.PutArtifact(ctx, a), tx.PutBlob(ctx, v.Content, []byte(text)), tx.InsertVersion(ctx, v),
		tx.Index(ctx, a.ID, []store.Indexed{{Version: a.Head}}))
}

func rank(t testing.TB, s store.Store, q store.RankQuery) []store.RankedHit {
	t.Helper()
	got := get(t, s, func(ctx context.Context, r store.Reader) (store.Ranking, error) { return r.Rank(ctx, q) })
	if got.Behind != 0 {
		t.Errorf("%d artifacts were not looked at", got.Behind)
	}
	return got.Hits
}

func asked(text string) store.RankQuery { return store.RankQuery{Terms: retrieval.Question(text)} }

func rankedIDs(hits []store.RankedHit) []string {
	return names(hits, func(h store.RankedHit) string { return string(h.ID) })
}

func settleIndex(t testing.TB, s store.Store) {
	t.Helper()
	if err := s.Settle(context.Background()); err != nil {
		t.Fatalf("Settle: %v", err)
	}
}

// noted and settled runs a check on what is only noted, and again once it is
// settled: nothing may change.
func notedAndSettled(t *testing.T, s store.Store, check func(t *testing.T)) {
	t.Run("noted", check)
	settleIndex(t, s)
	t.Run("settled", check)
}

var rankCases = []testCase{
	{"Rank_FindsByWordsOfSummaryTagsAndContent", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			tagged := aVersion("tagged", 1, 0, artifact.Draft)
			tagged.Summary, tagged.Tags = "nothing", []string{"Zebrafish"}
			fields := aVersion("fields", 1, 0, artifact.Draft)
			fields.Format, fields.Content = artifact.JSON, digestOf(`{"name":"catalase","list":["pH"]}`)
			return do(
				shelve(ctx, tx, "a", "Connected neurons", "fire together"), shelve(ctx, tx, "b", "other", "the connection of neurons"),
				shelve(ctx, tx, "c", "Über", "naïve Zellen"), shelve(ctx, tx, "d", "細胞の運命", ""), shelve(ctx, tx, "e", "p53 binds DNA", "the and of"),
				putVersions(ctx, tx, "tagged", tagged), tx.Index(ctx, "tagged", []store.Indexed{{Version: 1}}),
				tx.PutBlob(ctx, fields.Content, []byte(`{"name":"catalase","list":["pH"]}`)),
				putVersions(ctx, tx, "fields", fields), tx.Index(ctx, "fields", []store.Indexed{{Version: 1}}),
			)
		})
		notedAndSettled(t, s, func(t *testing.T) {
			for query, want := range map[string]string{
				"connecting": "[a b]", "NEURON": "[a b]", "zellen": "[c]", "naive": "[c]", "uber": "[c]", "細胞": "[d]", "p53": "[e]", "dna": "[e]",
				"fire p53": "[a e]", "absent": "[]", "": "[]", "the": "[]", "neur": "[]", "zebrafish": "[tagged]", "catalase": "[fields]", "ph": "[fields]",
				"name": "[]",
			} {
				got := rankedIDs(rank(t, s, asked(query)))
				slices.Sort(got)
				if fmt.Sprint(got) != want {
					t.Errorf("%q found %v, want %s", query, got, want)
				}
			}
		})
	}},
	{"Rank_BestFirstTiesByID", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			err := do(shelve(ctx, tx, "both", "x", "alpha beta filler filler"), shelve(ctx, tx, "one", "x", "alpha other filler filler"))
			for _, id := range []string{"B", "a", "b", "É", "z"} {
				err = do(err, shelve(ctx, tx, id, "zeta", ""))
			}
			return err
		})
		notedAndSettled(t, s, func(t *testing.T) {
			if got := rankedIDs(rank(t, s, asked("alpha beta"))); len(got) < 2 || got[0] != "both" {
				t.Errorf("found %v, want the one with both words first", got)
			}
			q := asked("zeta")
			wantEqual(t, "ties", []string{"B", "a", "b", "z", "É"}, rankedIDs(rank(t, s, q)))
			q.Limit = 3
			wantEqual(t, "limit", []string{"B", "a", "b"}, rankedIDs(rank(t, s, q)))
		})
	}},
	{"Rank_BeginningsSlipsAndOwnWords", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(
				shelve(ctx, tx, "a", "Catalase", "breaks down peroxide"), shelve(ctx, tx, "b", "Catalyst", "peroxide of hydrogen"),
				shelve(ctx, tx, "c", "Catalogue", "of mitochondria"), shelve(ctx, tx, "d", "gone", "catapult"), shelve(ctx, tx, "d", "back", "peroxide breaks"),
			)
		})
		notedAndSettled(t, s, func(t *testing.T) {
			for _, c := range []struct {
				text  string
				q     store.RankQuery
				want  string
				reads string
			}{
				{"", store.RankQuery{Prefixes: []string{"cata"}}, "[a b c]", "[]"},
				{"", store.RankQuery{Prefixes: []string{"catalases"}}, "[a]", "[]"},
				{"", store.RankQuery{Prefixes: []string{"catap"}}, "[]", "[]"}, // only a version had it that is not found any more
				{"mitochondria", store.RankQuery{Prefixes: []string{"catalys"}}, "[b c]", "[]"},
				{"mitochodnria", store.RankQuery{Respell: true}, "[c]", "[{mitochodnria [mitochondria]}]"},
				{"mitochodnria", store.RankQuery{}, "[]", "[]"},
				{"catalaze", store.RankQuery{Respell: true}, "[a]", "[{catalaz [catalas]}]"},
				{"catapult", store.RankQuery{Respell: true}, "[]", "[]"},
				{"ctl", store.RankQuery{Respell: true}, "[]", "[]"}, // too short to be a slip
				{"catalase", store.RankQuery{Feedback: true}, "[a b d]", "[]"},
				{"catalase", store.RankQuery{Feedback: true, Own: true}, "[a]", "[]"},
			} {
				c.q.Terms = retrieval.Question(c.text)
				got := get(t, s, func(ctx context.Context, r store.Reader) (store.Ranking, error) { return r.Rank(ctx, c.q) })
				ids := rankedIDs(got.Hits)
				slices.Sort(ids)
				if fmt.Sprint(ids) != c.want || fmt.Sprint(got.Spelled) != c.reads {
					t.Errorf("%q %v: found %v, read as %v, want %s, %s", c.text, c.q.Prefixes, ids, got.Spelled, c.want, c.reads)
				}
			}
		})
	}},
	{"Rank_ChoosesByTypeModuleAndDraft", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			for i, kind := range []brenner.TypeName{"note", "memo", "note", "brief"} {
				a := anArtifact(fmt.Sprintf("a%d", i), 1)
				a.Type, a.Module, a.Head, a.Canonical = kind, brenner.Module(fmt.Sprintf("m%d", i/2)), 2, 1
				v1, v2 := aVersion(string(a.ID), 1, 0, artifact.Canonical), aVersion(string(a.ID), 2, 1, artifact.Draft)
				v1.Summary, v2.Summary = "shared word", "shared newer"
				if err := do(tx.PutArtifact(ctx, a), tx.InsertVersion(ctx, v1), tx.InsertVersion(ctx, v2),
					tx.Index(ctx, a.ID, []store.Indexed{{Version: 1}, {Version: 2, Draft: true}})); err != nil {
					return err
				}
			}
			return nil
		})
		notedAndSettled(t, s, func(t *testing.T) {
			for _, c := range []struct {
				q    store.RankQuery
				want string
			}{
				{store.RankQuery{}, "[a0@1 a1@1 a2@1 a3@1]"},
				{store.RankQuery{Types: []brenner.TypeName{"note"}}, "[a0@1 a2@1]"},
				{store.RankQuery{Types: []brenner.TypeName{"note", "brief"}, Limit: 2}, "[a0@1 a2@1]"},
				{store.RankQuery{Modules: []brenner.Module{"m1"}, Drafts: true}, "[a2@1 a2@2 a3@1 a3@2]"},
				{store.RankQuery{Types: []brenner.TypeName{"note"}, Modules: []brenner.Module{"m1"}}, "[a2@1]"},
				{store.RankQuery{Types: []brenner.TypeName{"critique"}}, "[]"},
			} {
				c.q.Terms = retrieval.Question("shared")
				got := names(rank(t, s, c.q), func(h store.RankedHit) string {
					if h.Draft != (h.Version == 2) {
						t.Errorf("%s@%d is a draft: %v", h.ID, h.Version, h.Draft)
					}
					return fmt.Sprintf("%s@%d", h.ID, h.Version)
				})
				if fmt.Sprint(got) != c.want {
					t.Errorf("%+v found %s, want %s", c.q, got, c.want)
				}
			}
			q := asked("newer")
			if got := rank(t, s, q); len(got) != 0 {
				t.Errorf("drafts are found without being asked for: %v", got)
			}
		})
	}},
	{"Rank_FollowsReplacementAndRemoval", func(t *testing.T, s store.Store) {
		look := func(text string) string { return fmt.Sprint(rankedIDs(rank(t, s, asked(text)))) }
		for round := range 3 {
			write(t, s, func(ctx context.Context, tx store.Tx) error {
				return do(shelve(ctx, tx, "a", "first words", ""), shelve(ctx, tx, "b", "other words", ""))
			})
			if round > 0 {
				settleIndex(t, s)
			}
			write(t, s, func(ctx context.Context, tx store.Tx) error { return shelve(ctx, tx, "a", "second words", "") })
			if round > 1 {
				settleIndex(t, s)
			}
			if look("first") != "[]" || look("second") != "[a]" || look("words") != "[a b]" {
				t.Errorf("after a replacement: first %s second %s words %s", look("first"), look("second"), look("words"))
			}
			write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.Index(ctx, "a", nil) })
			if look("second") != "[]" || look("words") != "[b]" {
				t.Errorf("after removal: second %s words %s", look("second"), look("words"))
			}
		}
		refuse(t, s, brenner.CodeNotFound, func(ctx context.Context, tx store.Tx) error {
			return tx.Index(ctx, "nothing", []store.Indexed{{Version: 1}})
		})
	}},
	{"Rank_SeesItsOwnWriteAndNotAnAbandonedOne", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error { return shelve(ctx, tx, "a", "prior", "") })
		refuse(t, s, brenner.CodeInternal, func(ctx context.Context, tx store.Tx) error {
			if err := shelve(ctx, tx, "a", "amid", ""); err != nil {
				return err
			}
			hits, err := tx.Rank(ctx, asked("amid prior"))
			wantEqual(t, "inside", []string{"a"}, rankedIDs(hits.Hits))
			gone, err2 := tx.Rank(ctx, asked("prior"))
			wantEqual(t, "replaced inside", []string(nil), rankedIDs(gone.Hits))
			if err := do(err, err2); err != nil {
				return err
			}
			return brenner.Errorf(brenner.CodeInternal, "given up")
		})
		wantEqual(t, "abandoned", []string(nil), rankedIDs(rank(t, s, asked("amid"))))
		wantEqual(t, "kept", []string{"a"}, rankedIDs(rank(t, s, asked("prior"))))
		// The same version comes again with another text.
		write(t, s, func(ctx context.Context, tx store.Tx) error { return shelve(ctx, tx, "a", "later", "") })
		wantEqual(t, "the second of that number", []string{"a"}, rankedIDs(rank(t, s, asked("later amid"))))
	}},
	{"Rank_RedactedContentIsGoneFromTheIndex", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(shelve(ctx, tx, "a", "visible", "secret"), shelve(ctx, tx, "b", "visible", "harmless"),
				shelve(ctx, tx, "c", "visible", "old secret"), shelve(ctx, tx, "c", "visible", "new"))
		})
		for _, settled := range []bool{false, true} {
			if settled {
				settleIndex(t, s)
			}
			if got := fmt.Sprint(rankedIDs(rank(t, s, asked("secret")))); got != "[a]" {
				t.Errorf("before: %s", got)
			}
		}
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(tx.RedactBlob(ctx, digestOf("secret")), tx.RedactBlob(ctx, digestOf("old secret")))
		})
		notedAndSettled(t, s, func(t *testing.T) {
			if got := fmt.Sprint(rankedIDs(rank(t, s, asked("secret")))); got != "[]" {
				t.Errorf("after: %s", got)
			}
			if got := fmt.Sprint(rankedIDs(rank(t, s, asked("visible")))); got != "[a b c]" {
				t.Errorf("what is left: %s", got)
			}
		})
	}},
	{"Rank_EqualsTheModelAmongThousands", rankThousands},
}

// rankThousands plays a few thousand texts to the store and to the model, with
// replacements and settling in between, and compares whole rankings with their
// scores (C21).
func rankThousands(t *testing.T, s store.Store) {
	if testing.Short() {
		t.Skip("one after the other: the whole run has it")
	}
	m := memory.New()
	random := rand.New(rand.NewPCG(3, 4))
	word := func() string { n := random.IntN(60); return fmt.Sprintf("w%d", n*n/(1+random.IntN(20))) }
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(word() + " ")
		}
		return b.String()
	}
	n, rounds := 0, 8
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		type put struct{ id, summary, text string }
		var puts []put
		for range 150 * (1 + round%3) {
			id := n
			if n++; n > 200 && random.IntN(5) == 0 {
				id = random.IntN(n)
			}
			puts = append(puts, put{fmt.Sprintf("n%04d", id), text(4), text(20 + random.IntN(150))})
		}
		for _, to := range []store.Store{s, m} {
			write(t, to, func(ctx context.Context, tx store.Tx) error {
				for _, p := range puts {
					if err := shelve(ctx, tx, p.id, p.summary, p.text); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if round%2 == 1 {
			settleIndex(t, s)
		}
		for range 4 {
			q := asked(text(1 + random.IntN(8)))
			q.Limit, q.Feedback, q.Own = 1+random.IntN(40), random.IntN(2) == 0, random.IntN(2) == 0
			if random.IntN(2) == 0 {
				q.Prefixes = []string{word()[:2]}
			}
			show := func(hits []store.RankedHit) []string {
				return names(hits, func(h store.RankedHit) string {
					return fmt.Sprintf("%s@%d %.6f %v", h.ID, h.Version, h.Score, h.Parts.Words)
				})
			}
			wantEqual(t, fmt.Sprintf("round %d: %+v", round, q), show(rank(t, m, q)), show(rank(t, s, q)))
		}
	}
}
