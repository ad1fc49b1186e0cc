package quality

import (
	"errors"
	"fmt"
	"math"
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

// wordings say what to do with a question, as tasks do.
var wordings = []string{
	"Summarise what our notes say about the following point, with references to the notes: %s",
	"Please write a short memo for the team meeting that answers this question, cite every source that you rely on, and mark what is uncertain. %s",
	"Review the literature that we have collected. State the evidence for and against each view, then recommend what to do next. The subject: %s",
	"Prepare an overview of known results and open gaps, in two paragraphs, for a reader who is new to the project: %s",
	"Check whether the claims of the current draft hold, list the artifacts that support or contradict them, and propose a test. In particular: %s",
}

// measure asks questions of a collection and gives the mean nDCG@10.
func measure(questions []Question, find func(text string) []string) float64 {
	sum := 0.0
	for _, q := range questions {
		sum += NDCG(find(q.Text), q.Relevant, 10)
	}
	return sum / float64(len(questions))
}

// cranfield is the shared collection, or the end of the test.
func cranfield(t testing.TB) Collection {
	t.Helper()
	c, err := Cranfield()
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// BenchmarkCranfield measures the quality, not the time, of search and of
// contexts on all questions of the shared collection.
func BenchmarkCranfield(b *testing.B) {
	c := cranfield(b)
	for _, database := range []string{"SQLite", "PostgreSQL"} {
		b.Run(database, func(b *testing.B) {
			svc := project(b, databases[database](b), "test_designer")
			fill(b, svc, c.Texts)
			for b.Loop() {
				b.ReportMetric(measure(c.Questions, func(text string) []string { return searched(b, svc, text) }), "search-nDCG@10")
				b.ReportMetric(measure(c.Questions, func(text string) []string { return ranked(b, svc, api.ContextRequest{Question: text}) }), "context-nDCG@10")
				worst := 1.0
				for _, w := range wordings {
					worst = min(worst, measure(c.Questions, func(text string) []string {
						return asTask(b, svc, "Look into it", fmt.Sprintf(w, text))
					}))
				}
				b.ReportMetric(worst, "worst-task-nDCG@10")
			}
		})
	}
}

// What is found first counts most, and everything relevant in front is 1.
func TestNDCG(t *testing.T) {
	relevant := map[string]bool{"a": true, "b": true}
	for _, c := range []struct {
		ranked []string
		want   float64
	}{
		{[]string{"a", "b", "x"}, 1},
		{[]string{"b", "a"}, 1},
		{[]string{"x", "y"}, 0},
		{nil, 0},
		{[]string{"a", "x", "b"}, 1.5 / (1 + 1/math.Log2(3))},
		{[]string{"x", "y", "a", "b"}, 0.5 / (1 + 1/math.Log2(3))}, // b is beyond the first three
	} {
		if got := NDCG(c.ranked, relevant, 3); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.ranked, got, c.want)
		}
	}
	if got := NDCG([]string{"a"}, nil, 3); got != 0 {
		t.Errorf("where nothing is relevant: %v", got)
	}
}
