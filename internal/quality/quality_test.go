package quality

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/assembly"
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
	return begun(t, app.New(s, app.Options{}), role)
}

// begun makes the project of an application.
func begun(t testing.TB, a *app.App, role brenner.Role) api.Service {
	t.Helper()
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

// caughtUp waits until the index has everything.
func caughtUp(t testing.TB, svc api.Service) {
	t.Helper()
	for {
		res, err := svc.SearchArtifacts(t.Context(), api.SearchArtifactsRequest{Text: "xylophone"})
		if err != nil {
			t.Fatal(err)
		}
		if res.Behind == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// fillTalks writes conversations, one note a turn, each with a link to the one it
// answers.
func fillTalks(t testing.TB, svc api.Service, talks ...Talk) {
	t.Helper()
	var all sync.WaitGroup
	next := make(chan []Text)
	for range 32 {
		all.Go(func() {
			for turns := range next {
				for _, x := range turns {
					req := api.CreateArtifactRequest{
						ID: brenner.ArtifactID(x.ID), Type: artifact.TypePaperNote, Module: "main", Summary: x.Summary,
						Content: api.Body{Format: artifact.Text, Data: x.Body},
					}
					for _, c := range talks {
						if before := c.Before[x.ID]; before != "" {
							req.Links = []artifact.Link{{Rel: artifact.Cites, Artifact: brenner.ArtifactID(before), Version: 1}}
						}
					}
					if _, err := svc.CreateArtifact(t.Context(), req); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for _, c := range talks {
		for from := 0; from < len(c.Texts); {
			to := from
			for to < len(c.Texts) && c.Talk[c.Texts[to].ID] == c.Talk[c.Texts[from].ID] {
				to++
			}
			next <- c.Texts[from:to]
			from = to
		}
	}
	close(next)
	all.Wait()
	caughtUp(t, svc)
}

// fill writes the texts of a collection as notes, and waits for the index.
func fill(t testing.TB, svc api.Service, texts []Text) {
	t.Helper()
	load(t, svc, texts)
	caughtUp(t, svc)
}

// load writes texts as notes.
func load(t testing.TB, svc api.Service, texts []Text) {
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

// measure asks questions of a collection and gives the mean of a measure of the
// first ten.
func measure(by func([]string, map[string]bool, int) float64, questions []Question, find func(text string) []string) float64 {
	sum := 0.0
	for _, q := range questions {
		sum += by(find(q.Text), q.Relevant, 10)
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
				b.ReportMetric(measure(NDCG, c.Questions, func(text string) []string { return searched(b, svc, text) }), "search-nDCG@10")
				b.ReportMetric(measure(NDCG, c.Questions, func(text string) []string { return ranked(b, svc, api.ContextRequest{Question: text}) }), "context-nDCG@10")
				worst := 1.0
				for _, w := range wordings {
					worst = min(worst, measure(NDCG, c.Questions, func(text string) []string {
						return asTask(b, svc, "Look into it", fmt.Sprintf(w, text))
					}))
				}
				b.ReportMetric(worst, "worst-task-nDCG@10")
			}
		})
	}
}

// half is which half of the conversations is asked about.
func half() Half {
	if os.Getenv("BRENNER_TUNING") != "" {
		return Tuning
	}
	return Reported
}

// BenchmarkConversations measures how many of the turns that answer questions about
// conversations are found: among 60 other talks, and among 100,000 other turns.
func BenchmarkConversations(b *testing.B) {
	for _, others := range []int{60, 2600} {
		for _, database := range []string{"SQLite", "PostgreSQL"} {
			b.Run(fmt.Sprintf("%s/others=%d", database, others), func(b *testing.B) {
				svc := project(b, databases[database](b), "test_designer")
				c, rest := Conversations(half(), 8), Conversations(Others, others)
				fillTalks(b, svc, c, rest)
				for b.Loop() {
					b.ReportMetric(float64(len(c.Texts)+len(rest.Texts)), "turns")
					b.ReportMetric(measure(Recall, c.Questions, func(text string) []string { return searched(b, svc, text) }), "search-recall@10")
					b.ReportMetric(measure(Recall, c.Questions, func(text string) []string { return ranked(b, svc, api.ContextRequest{Question: text}) }), "context-recall@10")
					worst := 1.0
					for _, w := range wordings {
						worst = min(worst, measure(Recall, c.Questions, func(text string) []string {
							return asTask(b, svc, "Look into it", fmt.Sprintf(w, text))
						}))
					}
					b.ReportMetric(worst, "worst-task-recall@10")
				}
			})
		}
	}
}

// BenchmarkProject measures what contexts for tasks show of a generated project
// whose answers are known: of the ten best and of all that is shown, how many of a
// hundred are relevant, what search has among its first ten, and how much of the
// budget is used (C34).
func BenchmarkProject(b *testing.B) {
	pieces, questions := Project()
	for _, database := range []string{"SQLite", "PostgreSQL"} {
		b.Run(database, func(b *testing.B) {
			svc := project(b, databases[database](b), "test_designer")
			for _, p := range pieces {
				if _, err := svc.CreateArtifact(b.Context(), api.CreateArtifactRequest{
					ID: brenner.ArtifactID(p.ID), Type: brenner.TypeName(p.Type), Module: "main", Summary: p.Summary, Content: api.Body{Format: artifact.Text, Data: p.Body},
				}); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				ten, right, searches, shown, relevant, used := 0, 0, 0, 0, 0, 1.0
				for i, q := range questions {
					task, err := svc.NewTask(b.Context(), api.NewTaskRequest{
						Title: "Look into it", Spec: fmt.Sprintf(wordings[i%len(wordings)], q.Text), Role: "test_designer", Modules: []brenner.Module{"main"},
					})
					if err != nil {
						b.Fatal(err)
					}
					res, err := svc.PreviewContext(b.Context(), api.ContextRequest{Task: task.ID, As: agent})
					if err != nil {
						b.Fatal(err)
					}
					best := slices.DeleteFunc(slices.Clone(res.Record.Items), func(i assembly.Included) bool { return i.Rank == 0 })
					slices.SortFunc(best, func(a, b assembly.Included) int { return a.Rank - b.Rank })
					for n, item := range best {
						is := q.Relevant[string(item.Ref.Artifact)]
						shown++
						if is {
							relevant++
						}
						if n < 10 {
							ten++
							if is {
								right++
							}
						}
					}
					for _, id := range searched(b, svc, fmt.Sprintf(wordings[i%len(wordings)], q.Text)) {
						if q.Relevant[id] {
							searches++
						}
					}
					used = min(used, float64(res.Record.Used)/float64(res.Record.Budget.Size-res.Record.Budget.Reserve))
				}
				b.ReportMetric(100*float64(right)/float64(ten), "relevant-of-100-in-the-first-ten")
				b.ReportMetric(float64(searches), "relevant-of-100-of-search")
				b.ReportMetric(100*float64(relevant)/float64(shown), "relevant-of-100-shown")
				b.ReportMetric(float64(shown)/float64(len(questions)), "shown")
				b.ReportMetric(100*used, "least-budget-used-%")
			}
		})
	}
}

// drawn is a text of so many words by the law of Zipf and Mandelbrot.
func drawn(r *rand.Rand, words int) string {
	var b strings.Builder
	for range words {
		fmt.Fprintf(&b, "w%s ", strconv.FormatInt(int64(20*(math.Exp(r.Float64()*math.Log(1+60_000/20))-1)), 36))
	}
	return b.String()
}

// notes are texts of 150 to 300 words, of which some fit every question.
func notes(from, to int) []Text {
	out := make([]Text, 0, to-from)
	for i := from; i < to; i++ {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		out = append(out, Text{ID: fmt.Sprintf("note-%06d", i), Summary: drawn(r, 12), Body: drawn(r, 150+r.IntN(150))})
	}
	return out
}

// processTime is the processor time this process has used.
func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkAtScale measures, on 100,000 notes of 150 to 300 words, how long contexts
// for ever other questions take: at first, when the process meets most notes for the
// first time, then when it has read ahead, as a server does when it starts. Before that,
// when 20,000 have just been loaded, it measures the first searches. Beside them stands how
// long the same machine takes to write a text of 20,000 words, in the same minute: an idle
// one takes about 3 ms.
func BenchmarkAtScale(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(brenner.ServerGarbage)) // as `brenner serve` has it
	for _, database := range []string{"SQLite", "PostgreSQL"} {
		b.Run(database, func(b *testing.B) {
			a := app.New(databases[database](b), app.Options{})
			svc := begun(b, a, "test_designer")
			load(b, svc, notes(0, 20_000))
			r := rand.New(rand.NewPCG(1, 1))
			first := 0.0
			for range 10 {
				start := time.Now()
				searched(b, svc, drawn(r, 5))
				first = max(first, time.Since(start).Seconds()*1000)
			}
			fill(b, svc, notes(20_000, 100_000))
			var spent []float64 // of the processor, which a busy machine does not change much
			one := func() float64 {
				start, before := time.Now(), processTime(b)
				ranked(b, svc, api.ContextRequest{Question: drawn(r, 30)})
				spent = append(spent, (processTime(b)-before).Seconds()*1000)
				return time.Since(start).Seconds() * 1000
			}
			for range 50 { // the process is warm
				one()
			}
			var cold, took, idle []float64
			for range 200 {
				cold = append(cold, one())
			}
			start := time.Now()
			if err := a.ReadAhead(b.Context(), func(time.Duration) {}); err != nil {
				b.Fatal(err)
			}
			ahead := time.Since(start).Seconds()
			spent = spent[:0]
			for b.Loop() {
				took = append(took, one())
			}
			for len(took) < 1000 {
				took = append(took, one())
				start := time.Now()
				drawn(r, 20_000)
				idle = append(idle, time.Since(start).Seconds()*1000)
			}
			slices.Sort(cold)
			slices.Sort(took)
			slices.Sort(idle)
			slices.Sort(spent)
			b.ReportMetric(ahead, "ahead-s")
			b.ReportMetric(cold[len(cold)/2], "cold-p50-ms")
			b.ReportMetric(cold[len(cold)*99/100], "cold-p99-ms")
			b.ReportMetric(spent[len(spent)/2], "cpu-p50-ms")
			b.ReportMetric(spent[len(spent)*99/100], "cpu-p99-ms")
			b.ReportMetric(first, "first-search-ms")
			b.ReportMetric(took[len(took)/2], "p50-ms")
			b.ReportMetric(took[len(took)*99/100], "p99-ms")
			b.ReportMetric(idle[len(idle)/2], "reference-p50-ms")
			b.ReportMetric(idle[len(idle)*99/100], "reference-p99-ms")
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
