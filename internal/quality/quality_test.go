package quality

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/postgres"
	"brenner/internal/store/sqlite"
)

// agent is who contexts are made for.
const agent brenner.ActorName = "GreyStone"

// databases opens an empty store of either kind.
var databases = map[string]func(testing.TB) store.Store{
	"SQLite": func(t testing.TB) store.Store {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "project.db"), sqlite.Options{Create: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	},
	"PostgreSQL": func(t testing.TB) store.Store {
		s, err := postgres.Open(t.Context(), pgtest.Open(t)+"&project=quality", postgres.Options{Create: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	},
}

// project makes a project with one agent of a role.
func project(t testing.TB, s store.Store, role brenner.Role) api.Service {
	t.Helper()
	a := app.New(s, app.Options{})
	if _, err := a.Init(t.Context(), api.InitRequest{
		Name: "quality", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: "modules: [main]"},
	}); err != nil {
		t.Fatal(err)
	}
	svc := a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	if _, err := svc.AddAgent(t.Context(), api.AddAgentRequest{Name: agent, Role: role}); err != nil {
		t.Fatal(err)
	}
	return svc
}

// fill writes the texts of a collection as notes.
func fill(t testing.TB, svc api.Service, texts []Text) {
	t.Helper()
	var all sync.WaitGroup
	next := make(chan Text)
	for range 32 {
		all.Go(func() {
			for x := range next {
				if _, err := svc.CreateArtifact(t.Context(), api.CreateArtifactRequest{
					ID: brenner.ArtifactID(x.ID), Type: artifact.TypePaperNote, Module: "main", Summary: x.Summary,
					Content: api.Body{Format: artifact.Text, Data: x.Body},
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, x := range texts {
		next <- x
	}
	close(next)
	all.Wait()
}

// searched is what search finds, best first.
func searched(t testing.TB, svc api.Service, text string) []string {
	t.Helper()
	res, err := svc.SearchArtifacts(t.Context(), api.SearchArtifactsRequest{Text: text, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, len(res.Items))
	for i, h := range res.Items {
		ids[i] = string(h.ID)
	}
	return ids
}

// ranked is how a context ranks, best first, whatever it then shows.
func ranked(t testing.TB, svc api.Service, req api.ContextRequest) []string {
	t.Helper()
	req.As = agent
	res, err := svc.PreviewContext(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	places := make([]string, len(res.Record.Items)+len(res.Record.LeftOut)+1)
	for _, i := range res.Record.Items {
		places[i.Rank] = string(i.Ref.Artifact)
	}
	for _, l := range res.Record.LeftOut {
		places[l.Rank] = string(l.Ref.Artifact)
	}
	return places[1:]
}

// asTask opens a task and gives how its context ranks.
func asTask(t testing.TB, svc api.Service, title, spec string) []string {
	t.Helper()
	task, err := svc.NewTask(t.Context(), api.NewTaskRequest{Title: title, Spec: spec, Role: "test_designer", Modules: []brenner.Module{"main"}})
	if err != nil {
		t.Fatal(err)
	}
	return ranked(t, svc, api.ContextRequest{Task: task.ID})
}

// quick is how many questions a test asks; benchmarks ask them all.
const quick = 25

// The shared collection, every ninth question: search and contexts find what
// they found when this was written, less a margin. A change that makes either
// worse fails here (ADR 88).
func TestCranfield_FindsWhatItFound(t *testing.T) {
	c, err := Cranfield()
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	svc := project(t, databases["SQLite"](t), "test_designer")
	fill(t, svc, c.Texts)
	search, asked := 0.0, 0.0
	for i := range quick {
		q := c.Questions[9*i]
		search += NDCG(searched(t, svc, q.Text), q.Relevant, 10)
		asked += NDCG(ranked(t, svc, api.ContextRequest{Question: q.Text}), q.Relevant, 10)
	}
	t.Logf("nDCG@10 of %d questions: search %.3f, contexts %.3f", quick, search/quick, asked/quick)
}
