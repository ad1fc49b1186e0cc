package app_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/internal/store/sqlite"
)

// C21, C30: whoever serves a project for long remembers what it has read of artifacts,
// and makes the same contexts as one who has just begun, whoever has changed what: a
// context is a function of the journal, not of what was asked before.
func TestContext_WhatIsRememberedIsWhatIsThere(t *testing.T) {
	for name, open := range map[string]func(*testing.T) store.Store{
		"memory": func(*testing.T) store.Store { return memory.New() },
		"SQLite": func(t *testing.T) store.Store {
			s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "project.db"), sqlite.Options{Create: true})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			seeds := uint64(1)
			if soak() {
				seeds = 50
			}
			took := map[string]int{}
			for seed := range seeds {
				rememberedIsThere(t, open(t), rand.New(rand.NewPCG(seed, 7)), took)
			}
			for _, op := range []string{"create", "update", "link", "promote", "demote", "deprecate", "redact", "replay"} {
				if took[op] == 0 {
					t.Errorf("nothing was there to %s", op)
				}
			}
		})
	}
}

func rememberedIsThere(t *testing.T, s store.Store, r *rand.Rand, took map[string]int) {
	t.Helper()
	t.Cleanup(func() { _ = s.Close() })
	now := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	keys := t.TempDir()
	serving := func() world {
		return world{app: app.New(s, app.Options{Keys: app.Keyring{Dir: keys}, Clock: func() time.Time { return now }}), pi: "ada"}
	}
	kept := serving()
	begin(t, kept.app)
	ctx := t.Context()
	if _, err := kept.PI().AddAgent(ctx, api.AddAgentRequest{Name: "W", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	latest := []brenner.Version{}
	id := func(i int) brenner.ArtifactID { return brenner.ArtifactID(fmt.Sprintf("a%d", i)) }
	ref := func() brenner.Ref {
		i := r.IntN(len(latest))
		return brenner.Ref{Artifact: id(i), Version: brenner.Version(1 + r.IntN(int(latest[i])))}
	}
	link := func() artifact.Link {
		to := ref()
		rel := []artifact.Relation{artifact.DependsOn, artifact.Cites, artifact.Contradicts, artifact.Reviews}[r.IntN(4)]
		return artifact.Link{Rel: rel, Artifact: to.Artifact, Version: to.Version}
	}
	words := func() string { return fmt.Sprintf("clones of fate %d and marker %d", r.IntN(5), r.IntN(7)) }
	shown := 0
	for step := range 70 {
		now = now.Add(time.Minute)
		by := kept.PI()
		if r.IntN(2) == 0 {
			by = serving().PI() // another process
		}
		op := []string{"create", "create", "update", "update", "link", "link", "promote", "promote", "promote", "demote", "demote", "deprecate", "redact", "replay"}[r.IntN(14)]
		if len(latest) < 3 {
			op = "create"
		}
		var err error
		switch op {
		case "create":
			req := api.CreateArtifactRequest{
				ID: id(len(latest)), Type: "analysis_result", Module: "lineage", Summary: words(), Tags: []string{fmt.Sprint("t", r.IntN(4))},
				Content: api.Body{Format: artifact.Text, Data: words() + ". " + words()},
			}
			if len(latest) > 0 && r.IntN(2) == 0 {
				req.Links = []artifact.Link{link()}
			}
			if _, err = by.CreateArtifact(ctx, req); err == nil {
				latest = append(latest, 1)
			}
		case "update":
			parent, summary, tags := ref(), words(), []string{fmt.Sprint("t", r.IntN(4))}
			if _, err = by.UpdateArtifact(ctx, api.UpdateArtifactRequest{ID: parent.Artifact, Parent: parent.Version, Summary: &summary, Tags: &tags, Links: []artifact.Link{link()}}); err == nil {
				for i := range latest {
					if id(i) == parent.Artifact {
						latest[i]++
					}
				}
			}
		case "link":
			_, err = by.Link(ctx, api.LinkRequest{From: ref(), Link: link()})
		case "promote":
			_, err = by.Promote(ctx, api.PromoteRequest{Ref: ref(), Reason: "r", Override: true})
		case "demote":
			_, err = by.Demote(ctx, api.DecisionRequest{Ref: brenner.Ref{Artifact: ref().Artifact}, Reason: "r"})
		case "deprecate":
			_, err = by.Deprecate(ctx, api.DecisionRequest{Ref: ref(), Reason: "r"})
		case "redact":
			_, err = by.Redact(ctx, api.RedactRequest{Ref: ref(), Reason: "r", Everywhere: true})
		case "replay":
			_, err = by.Replay(ctx, api.ReplayRequest{})
		}
		if err == nil {
			took[op]++
		}
		if r.IntN(3) == 0 {
			if err := kept.app.ReadAhead(ctx, func(time.Duration) {}); err != nil {
				t.Fatal(err)
			}
		}
		req := api.ContextRequest{As: "W", Question: "what is the fate of clones with marker 3", Modules: []brenner.Module{"lineage"}}
		got, err := kept.PI().PreviewContext(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		want, err := serving().PI().PreviewContext(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		shown += len(got.Record.Items)
		if got, want := canon.MustMarshal(got), canon.MustMarshal(want); string(got) != string(want) {
			t.Fatalf("after %d steps, the last of which was to %s:\n%s\nnow:\n%s", step, op, got, want)
		}
	}
	if shown < 200 {
		t.Errorf("the contexts show %d items", shown)
	}
}

// C21: what very many cite is shown as it was, with what contradicts it, by who has read
// it before and who has not.
func TestContext_WhatVeryManyCite(t *testing.T) {
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	now := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	keys := t.TempDir()
	serving := func() world {
		return world{app: app.New(s, app.Options{Keys: app.Keyring{Dir: keys}, Clock: func() time.Time { return now }}), pi: "ada"}
	}
	kept := serving()
	begin(t, kept.app)
	if _, err := kept.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: "W", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	write := func(id brenner.ArtifactID, text string, links ...artifact.Link) {
		t.Helper()
		_, err := kept.PI().CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: id, Type: "analysis_result", Module: "lineage", Summary: text, Content: api.Body{Format: artifact.Text, Data: text}, Links: links,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	texts := func() (out [2]string) {
		t.Helper()
		for i, w := range []world{kept, serving()} {
			made, err := w.PI().PreviewContext(t.Context(), api.ContextRequest{As: "W", Question: "oxygen at the weir", Modules: []brenner.Module{"lineage"}})
			if err != nil {
				t.Fatal(err)
			}
			out[i] = made.Text
		}
		return out
	}
	write("hub", "Oxygen at the weir was measured at night.")
	to := func(rel artifact.Relation) artifact.Link {
		return artifact.Link{Rel: rel, Artifact: "hub", Version: 1}
	}
	for i := range 300 {
		write(brenner.ArtifactID(fmt.Sprintf("leaf-%d", i)), fmt.Sprintf("A count of bridges, number %d.", i), to(artifact.Cites))
	}
	texts() // that it is a hub is known now
	write("other", "The gauge was broken then.", to(artifact.Contradicts))
	got := texts()
	if got[0] != got[1] {
		t.Errorf("who has read it before:\n%s\nwho has not:\n%s", got[0], got[1])
	}
	if !strings.Contains(got[0], "contradicted by other@1") {
		t.Errorf("that it is contradicted is not said:\n%s", got[0])
	}
}

// C21: who has read ahead knows the artifacts that a context meets for the first time, also
// those that were written since it last did.
func TestReadAhead(t *testing.T) {
	asked := &askedFor{Store: memory.New()}
	a := app.New(asked, app.Options{})
	w := world{app: a, pi: "ada"}
	begin(t, a)
	ctx := t.Context()
	if _, err := w.PI().AddAgent(ctx, api.AddAgentRequest{Name: "W", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	written := 0
	write := func(n int) {
		for range n {
			if _, err := w.PI().CreateArtifact(ctx, api.CreateArtifactRequest{
				ID: brenner.ArtifactID(fmt.Sprint("a", written)), Type: "analysis_result", Module: "lineage", Summary: fmt.Sprint("the fate of clone ", written),
				Content: api.Body{Format: artifact.Text, Data: "clones have a fate"},
			}); err != nil {
				t.Fatal(err)
			}
			written++
		}
	}
	ahead := func() (portions int) {
		if err := a.ReadAhead(ctx, func(time.Duration) { portions++ }); err != nil {
			t.Fatal(err)
		}
		return portions
	}
	first := func(clone int) int { // the rows that a context reads
		asked.rows = 0
		if _, err := w.PI().PreviewContext(ctx, api.ContextRequest{As: "W", Question: fmt.Sprint("what is the fate of clone ", clone), Modules: []brenner.Module{"lineage"}}); err != nil {
			t.Fatal(err)
		}
		return asked.rows
	}
	write(600)
	if n := ahead(); n != 2 {
		t.Errorf("600 were read in %d portions", n)
	}
	if n := first(7); n != 0 {
		t.Errorf("a context read %d rows that had been read", n)
	}
	write(550) // so many at once that everything is forgotten
	if n := first(8); n == 0 {
		t.Error("a context knew what nobody had read")
	}
	if n := ahead(); n != 3 {
		t.Errorf("after everything was forgotten, 1,150 were read in %d portions", n)
	}
	if n := first(1000); n != 0 {
		t.Errorf("a context read %d rows that had been read again", n)
	}
	write(3)
	if n := ahead(); n != 1 {
		t.Errorf("three new ones were read in %d portions", n)
	}
	if n := first(1152); n != 0 {
		t.Errorf("a context read %d rows of the new ones", n)
	}
	if n := ahead(); n != 1 {
		t.Errorf("that there is nothing new took %d portions", n)
	}
}

// askedFor counts the rows of artifacts that are asked for by their ids.
type askedFor struct {
	store.Store
	rows int
}

func (s *askedFor) Read(ctx context.Context, fn func(store.Reader) error) error {
	return s.Store.Read(ctx, func(r store.Reader) error { return fn(askedReader{r, s}) })
}

type askedReader struct {
	store.Reader
	of *askedFor
}

func (r askedReader) Artifacts(ctx context.Context, q store.ArtifactQuery) ([]store.Artifact, error) {
	rows, err := r.Reader.Artifacts(ctx, q)
	if q.IDs != nil {
		r.of.rows += len(rows)
	}
	return rows, err
}
