package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/internal/store"
)

func search(t testing.TB, s store.Store, q store.SearchQuery) []store.Hit {
	t.Helper()
	hits := get(t, s, func(ctx context.Context, r store.Reader) ([]store.Hit, error) { return r.Search(ctx, q) })
	if err := inOrder(hits); err != nil {
		t.Errorf("%+v: %v", q, err)
	}
	return hits
}

// inOrder checks that hits stand best first, ties by id, with positive scores.
func inOrder(hits []store.Hit) error {
	for i, h := range hits {
		if h.Score <= 0 {
			return fmt.Errorf("%s has score %v", h.ID, h.Score)
		}
		if i > 0 && (hits[i-1].Score < h.Score || hits[i-1].Score == h.Score && hits[i-1].ID >= h.ID) {
			return fmt.Errorf("%v stands after %v", h, hits[i-1])
		}
	}
	return nil
}

func found(hits []store.Hit) []string {
	return names(hits, func(h store.Hit) string { return string(h.ID) })
}

// library puts artifacts with these texts.
func library(t testing.TB, s store.Store, texts map[string]string) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		for id, text := range texts {
			if err := do(tx.PutArtifact(ctx, anArtifact(id, 1)), tx.Index(ctx, brenner.ArtifactID(id), text)); err != nil {
				return err
			}
		}
		return nil
	})
}

var searchCases = []testCase{
	{"Search_FindsWhatSharesAWord", func(t *testing.T, s store.Store) {
		library(t, s, map[string]string{
			"a": "Connected neurons fire together", "b": "the connection of neurons", "c": "Über naïve Zellen",
			"d": "細胞の運命", "e": "p53 binds", "f": "the and of",
		})
		for query, want := range map[string]string{
			"connecting": "[a b]", "NEURON": "[a b]", "zellen": "[c]", "naive": "[c]", "uber": "[c]", "細胞": "[d]", "p53": "[e]",
			"fire p53": "[a e]", "nothing": "[]", "": "[]", "   ": "[]", "the": "[]", "neur": "[]", "p": "[]",
		} {
			got := found(search(t, s, store.SearchQuery{Text: query}))
			slices.Sort(got)
			if fmt.Sprint(got) != want {
				t.Errorf("%q found %v, want %s", query, got, want)
			}
		}
	}},
	{"Search_TakesWordsNeverSyntax", func(t *testing.T, s store.Store) {
		library(t, s, map[string]string{"a": "alpha beta", "b": "beta near gamma", "c": "not or column"})
		for query, want := range map[string]string{
			`alpha AND gamma`: "[a b]", `alpha NOT beta`: "[a b c]", `"beta alpha"`: "[a b]", `alph*`: "[]", `NEAR(alpha beta)`: "[a b]",
			`tokens:alpha`: "[a]", `^alpha`: "[a]", `-alpha`: "[a]", `alpha"`: "[a]", `'alpha`: "[a]", `alpha & beta`: "[a b]",
			`!alpha | (`: "[a]", `alpha:*`: "[a]", `<-> gamma`: "[b]", `\`: "[]", `%`: "[]", "alpha\x00beta": "[a b]", "\xffalpha": "[a]",
			`); DROP TABLE artifacts; --`: "[]", strings.Repeat("(", 10_000): "[]", strings.Repeat("alpha ", 10_000): "[a]",
		} {
			got := found(search(t, s, store.SearchQuery{Text: query}))
			slices.Sort(got)
			if fmt.Sprint(got) != want {
				t.Errorf("%.40q found %v, want %s", query, got, want)
			}
		}
	}},
	{"Search_BestFirstTiesByID", func(t *testing.T, s store.Store) {
		library(t, s, map[string]string{
			"both": "alpha beta filler filler", "one": "alpha other filler filler",
			"B": "zeta", "a": "zeta", "b": "zeta", "É": "zeta", "z": "zeta",
		})
		if got := found(search(t, s, store.SearchQuery{Text: "alpha beta"})); len(got) != 2 || got[0] != "both" {
			t.Errorf("found %v, want the one with both words first", got)
		}
		wantEqual(t, "ties", []string{"B", "a", "b", "z", "É"}, found(search(t, s, store.SearchQuery{Text: "zeta"})))
		wantEqual(t, "limit", []string{"B", "a", "b"}, found(search(t, s, store.SearchQuery{Text: "zeta", Limit: 3})))
	}},
	{"Search_DepthSparesOnlyCommonWords", func(t *testing.T, s store.Store) {
		texts := map[string]string{}
		for i := range 20 {
			texts[fmt.Sprintf("a%02d", i)] = "common"
		}
		texts["a03"], texts["a17"] = "common rare", "rare rare common"
		library(t, s, texts)
		got := found(search(t, s, store.SearchQuery{Text: "rare common", Depth: 4}))
		if len(got) < 4 || !slices.Contains(got[:2], "a03") || !slices.Contains(got[:2], "a17") {
			t.Errorf("found %v, want those with the rare word first, and four at least", got)
		}
		for _, id := range got {
			if texts[id] == "" {
				t.Errorf("found %s, which was never indexed", id)
			}
		}
		if got := found(search(t, s, store.SearchQuery{Text: "common", Depth: 20})); len(got) != 20 {
			t.Errorf("found %d of 20 that are no more than the depth", len(got))
		}
	}},
	{"Search_FiltersByTypeAndModule", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			for i, kind := range []brenner.TypeName{"note", "memo", "note", "brief"} {
				a := anArtifact(fmt.Sprintf("a%d", i), 1)
				a.Type, a.Module = kind, brenner.Module(fmt.Sprintf("m%d", i/2))
				if err := do(tx.PutArtifact(ctx, a), tx.Index(ctx, a.ID, "shared word")); err != nil {
					return err
				}
			}
			return nil
		})
		for _, c := range []struct {
			q    store.SearchQuery
			want string
		}{
			{store.SearchQuery{}, "[a0 a1 a2 a3]"},
			{store.SearchQuery{Types: []brenner.TypeName{"note"}}, "[a0 a2]"},
			{store.SearchQuery{Types: []brenner.TypeName{"note", "brief"}, Limit: 2}, "[a0 a2]"},
			{store.SearchQuery{Modules: []brenner.Module{"m1"}}, "[a2 a3]"},
			{store.SearchQuery{Types: []brenner.TypeName{"note"}, Modules: []brenner.Module{"m1"}}, "[a2]"},
			{store.SearchQuery{Types: []brenner.TypeName{"critique"}}, "[]"},
		} {
			c.q.Text = "shared"
			if got := fmt.Sprint(found(search(t, s, c.q))); got != c.want {
				t.Errorf("%+v found %s, want %s", c.q, got, c.want)
			}
		}
	}},
	{"Index_ReplacesAndRemoves", func(t *testing.T, s store.Store) {
		index := func(id, text string) {
			write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.Index(ctx, brenner.ArtifactID(id), text) })
		}
		look := func(text string) string { return fmt.Sprint(found(search(t, s, store.SearchQuery{Text: text}))) }
		library(t, s, map[string]string{"a": "first words", "b": "other words"})
		index("a", "second words")
		if look("first") != "[]" || look("second") != "[a]" || look("words") != "[a b]" {
			t.Errorf("after a replacement: first %s second %s words %s", look("first"), look("second"), look("words"))
		}
		index("a", "")
		if look("second") != "[]" || look("words") != "[b]" {
			t.Errorf("after removal: second %s words %s", look("second"), look("words"))
		}
		index("a", "")
		index("a", "third")
		if look("third words") != "[a b]" && look("third words") != "[b a]" {
			t.Errorf("brought back: %s", look("third words"))
		}
		refuse(t, s, brenner.CodeNotFound, func(ctx context.Context, tx store.Tx) error { return tx.Index(ctx, "nothing", "text") })
		refuse(t, s, brenner.CodeNotFound, func(ctx context.Context, tx store.Tx) error { return tx.Index(ctx, "nothing", "") })
	}},
	{"Search_SeesItsOwnWriteAndNotAnAbandonedOne", func(t *testing.T, s store.Store) {
		library(t, s, map[string]string{"a": "before"})
		refuse(t, s, brenner.CodeInternal, func(ctx context.Context, tx store.Tx) error {
			if err := tx.Index(ctx, "a", "during"); err != nil {
				return err
			}
			hits, err := tx.Search(ctx, store.SearchQuery{Text: "during before"})
			wantEqual(t, "inside", []string{"a"}, found(hits))
			gone, err2 := tx.Search(ctx, store.SearchQuery{Text: "before"})
			wantEqual(t, "replaced inside", []string(nil), found(gone))
			if err := do(err, err2); err != nil {
				return err
			}
			return brenner.Errorf(brenner.CodeInternal, "given up")
		})
		wantEqual(t, "abandoned", []string(nil), found(search(t, s, store.SearchQuery{Text: "during"})))
		wantEqual(t, "kept", []string{"a"}, found(search(t, s, store.SearchQuery{Text: "before"})))
	}},
	{"Search_InThousands", func(t *testing.T, s store.Store) {
		const n = 1200
		texts := map[string]string{}
		for i := range n {
			texts[fmt.Sprintf("a%04d", i)] = fmt.Sprintf("every w%d m%d", i, i%7)
		}
		library(t, s, texts)
		for range 3 { // the index may move while it is searched
			if got := len(search(t, s, store.SearchQuery{Text: "every"})); got != n {
				t.Fatalf("found %d of %d", got, n)
			}
			wantEqual(t, "one", []string{"a0777"}, found(search(t, s, store.SearchQuery{Text: "w777"})))
			if got := len(search(t, s, store.SearchQuery{Text: "m3"})); got != n/7 && got != n/7+1 {
				t.Errorf("found %d with m3", got)
			}
		}
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			for i := range n {
				if err := tx.Index(ctx, brenner.ArtifactID(fmt.Sprintf("a%04d", i)), fmt.Sprintf("again x%d", i)); err != nil {
					return err
				}
			}
			return nil
		})
		for range 3 {
			if a, b := len(search(t, s, store.SearchQuery{Text: "every"})), len(search(t, s, store.SearchQuery{Text: "again"})); a != 0 || b != n {
				t.Fatalf("after all texts were replaced %d have the old word, %d the new", a, b)
			}
		}
	}},
}
