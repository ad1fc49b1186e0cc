package app_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/canon"
	"brenner/internal/answers"
	"brenner/internal/app"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/internal/store/memory"
)

// transcript is what was asked and answered in a story.
type transcript struct {
	mu      sync.Mutex
	calls   int
	refused map[brenner.Code]int
	text    strings.Builder
	asks    []asked // the first of every use case, and the last
	own     int     // how many of them are the story's

	story   []asked // all of them, in order
	moments []moment
	look    func() (store.Store, time.Time) // how it stands now; nil: nobody wants to know
}

func newTranscript() *transcript { return &transcript{refused: map[brenner.Code]int{}} }

// keepAfter compares what was said in a test, and what is stored when it is over,
// with what is kept of it.
func (in *transcript) keepAfter(t *testing.T, s store.Store, w apitest.World) {
	if underRace {
		return
	}
	t.Cleanup(func() {
		if t.Failed() || slices.Contains(unsteady, t.Name()) {
			return
		}
		told := in.calls
		survey(w)
		in.state(t, plain(s))
		in.keep(t, "testdata/tests.golden", t.Name(), told)
	})
}

// unsteady are the tests in which the port of a server is named, another process has
// a clock of its own, or what is done, or in which order, is drawn by chance.
var unsteady = []string{
	"TestPlaybook_RemoteEmbeddingIsFrozenUntilReembed", "TestPlaybook_ReembedResumes", "TestPlaybook_LearningNeedsTheEndpointOnce",
	"TestPlaybook_FollowsOtherWriters", "TestDecide_ADryRunForeseesWhatBecomesOfTheStale",
	"TestSession_SameMessagesGiveTheSameBytes", "TestSession_NothingArrivesTwice",
}

// inOrder goes through a table in the order of its keys: what is asked is the same
// each time.
func inOrder[K cmp.Ordered, V any](table map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(table)) {
			if !yield(k, table[k]) {
				return
			}
		}
	}
}

// plain is a store without what makes it fail.
func plain(s store.Store) store.Store {
	if f, fails := s.(*failing); fails {
		return f.Store
	}
	return s
}

// noted is the service as somebody has it, with everything they ask and are
// answered noted. What is noted is what any surface would show.
type noted struct {
	api.Service
	who brenner.ActorName
	in  *transcript
}

// tell notes an answer and gives it on.
func tell[R any](s noted, name string, req any) func(R, error) (R, error) {
	return func(res R, err error) (R, error) {
		s.in.mu.Lock()
		defer s.in.mu.Unlock()
		s.in.calls++
		s.in.note(asked{s, name, req})
		s.in.at(asked{s, name, req})
		fmt.Fprintf(&s.in.text, "%s: %s %s\n", s.who, name, answers.Text(req))
		var e *brenner.Error
		switch {
		case errors.As(err, &e):
			s.in.refused[e.Code]++
			fmt.Fprintf(&s.in.text, "  refused: %s\n", answers.Text(e))
		case err != nil:
			fmt.Fprintf(&s.in.text, "  fails: %v\n", err)
		default:
			fmt.Fprintf(&s.in.text, "  %s\n", answers.Text(res))
		}
		return res, err
	}
}

// note keeps the first and the last question to every use case.
func (in *transcript) note(a asked) {
	first := in.own + slices.IndexFunc(in.asks[in.own:], func(x asked) bool { return x.name == a.name })
	last := first + 1 // stands beside the first
	switch {
	case first < in.own:
		in.asks = append(in.asks, a)
	case last < len(in.asks) && in.asks[last].name == a.name:
		in.asks[last] = a
	default:
		in.asks = slices.Insert(in.asks, last, a)
	}
}

// String is the text in which what chance made is known by when it first came.
func (in *transcript) String() string { return answers.Numbered(in.text.String()) }

// notedWorld is a world in which everything is noted, and in which it is always
// the same time.
type notedWorld struct {
	world
	in *transcript
	// pass lets time go by, and says what time it is then.
	pass func(time.Duration) time.Time
	keys app.Keyring
}

func (w notedWorld) PI() api.Service { return noted{w.world.PI(), w.pi, w.in} }

func (w notedWorld) As(name brenner.ActorName) api.Service {
	return noted{w.world.As(name), name, w.in}
}

// unordered are the stories in which several act at once.
var unordered = []string{"one agent wins a task", "of many runners one gets the task"}

// newNotedWorld makes a project on an empty store, and when the story is over
// compares what was said in it with what is kept. Under the race detector the story is
// told, and nothing is compared.
func newNotedWorld(t *testing.T) apitest.World {
	t.Helper()
	s := memory.New()
	if underRace {
		return newWorld(t, s)
	}
	w, story := openNoted(t, s), storyOf(t)
	w.in.look = func() (store.Store, time.Time) { return memory.Fork(s), w.pass(0) }
	t.Cleanup(func() {
		w.in.look = nil
		if t.Failed() || slices.Contains(unordered, story) {
			return
		}
		told := w.survey()
		w.in.state(t, s)
		w.in.keep(t, "testdata/stories.golden", story, told)
		w.in.begin()
		told = w.vary(story, 1)
		_, _ = w.PI().Verify(context.Background(), api.VerifyRequest{})
		w.in.state(t, s)
		w.in.keep(t, "testdata/otherwise.golden", story, told)
		w.midway(t, story)
	})
	return w
}

// state notes all that is stored: every row, every record and every text that is
// not long, whoever may read it.
func (in *transcript) state(t *testing.T, s store.Store) {
	t.Helper()
	ctx := context.Background()
	err := s.Read(ctx, func(r store.Reader) error {
		for _, table := range store.Tables() {
			err := r.Each(ctx, table, func(row any) error {
				b, err := canon.Marshal(row)
				fmt.Fprintf(&in.text, "%s %s\n", table, b)
				return err
			})
			if err != nil {
				return err
			}
		}
		err := journal.Each(ctx, r, 0, func(row store.Record) error {
			fmt.Fprintf(&in.text, "record %s\n", row.Data)
			return nil
		})
		if err != nil {
			return err
		}
		var texts []string // in an order that chance has no part in
		err = r.EachBlob(ctx, func(_ brenner.Digest, data []byte) error {
			texts = append(texts, answers.WithoutChance(string(data[:min(len(data), longestNoted)]), func(string) string { return "⟨⟩" }))
			return nil
		})
		slices.Sort(texts)
		in.text.WriteString(strings.Join(texts, "\n"))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// longestNoted is how much is noted of a text that is stored.
const longestNoted = 8 << 10

// begin forgets what was said, but not what can be asked again.
func (in *transcript) begin() {
	in.calls = 0
	in.text.Reset()
	clear(in.refused)
}

// keep compares what was said with what a file keeps of a story in which so many
// questions were asked.
func (in *transcript) keep(t *testing.T, file, story string, told int) {
	t.Helper()
	text := in.String()
	said := fmt.Sprintf("%d asked, %s", told, answers.Digest(text))
	for _, code := range slices.Sorted(maps.Keys(in.refused)) {
		said += fmt.Sprintf(", %s %d", code, in.refused[code])
	}
	answers.Keep(t, file, story, said, text)
}

// storyOf is the name of the story that a test tells.
func storyOf(t *testing.T) string {
	_, story, _ := strings.Cut(t.Name(), "/")
	return strings.ReplaceAll(story, "_", " ")
}

// openNoted makes a project in which everything is noted.
func openNoted(t *testing.T, s store.Store) notedWorld {
	t.Helper()
	return openNotedAt(t, s, time.Millisecond)
}

// openNotedAt makes one in which so much time passes whenever anybody looks at
// the clock.
func openNotedAt(t *testing.T, s store.Store, step time.Duration) notedWorld {
	t.Helper()
	t.Cleanup(func() { _ = s.Close() })
	clock, pass := stepping(step)
	keys := app.Keyring{Dir: t.TempDir()}
	a := app.New(s, app.Options{
		Clock:   clock,
		Keys:    keys,
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	})
	begin(t, a)
	return notedWorld{world{app: a, pi: "ada"}, newTranscript(), pass, keys}
}

// stepping is a clock on which so much time passes whenever anybody looks at it,
// and what lets more go by.
func stepping(step time.Duration) (clock func() time.Time, pass func(time.Duration) time.Time) {
	return steppingFrom(time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC), step)
}

func steppingFrom(now time.Time, step time.Duration) (clock func() time.Time, pass func(time.Duration) time.Time) {
	var mu sync.Mutex
	pass = func(d time.Duration) time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(d)
		return now
	}
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(step)
		return now
	}, pass
}

// survey asks what can be read when a story is over, and says how much was asked
// before.
func (w notedWorld) survey() (told int) {
	told = w.in.calls
	w.in.own = len(w.in.asks)
	survey(w)
	return told
}

// survey asks what can be read when a story is over: as the person who leads, and
// as an agent, who may not read all of it.
func survey(w apitest.World) {
	ctx := context.Background()
	for _, s := range []api.Service{w.PI(), w.As("GreenValley")} {
		_, _ = s.Project(ctx)
		_, _ = s.Status(ctx)
		_, _ = s.Forks(ctx)
		_, _ = s.Spine(ctx)
		_, _ = s.Views(ctx)
		_, _ = s.AutomationRules(ctx)
		_, _ = s.Rosters(ctx)
		_, _ = s.Stale(ctx, api.StaleRequest{})
		_, _ = s.Waiting(ctx, api.WaitingRequest{})
		_, _ = s.Firings(ctx, api.FiringsRequest{})
		_, _ = s.Denials(ctx, api.DenialsRequest{})
		_, _ = s.OpenWork(ctx, api.OpenWorkRequest{})
		_, _ = s.RunCosts(ctx, api.RunCostsRequest{})
		_, _ = s.PlaybookStats(ctx, api.PlaybookStatsRequest{})
		_, _ = s.ExportPlaybook(ctx, api.ExportPlaybookRequest{})
		_, _ = s.Conflicts(ctx, api.ListConflictsRequest{})
		_, _ = s.Inbox(ctx, api.InboxRequest{})
		_, _ = s.Tasks(ctx, api.ListTasksRequest{Newest: true})
		_, _ = s.Runs(ctx, api.ListRunsRequest{})
		_, _ = s.Records(ctx, api.RecordsRequest{Newest: true, Limit: 40})
		_, _ = s.SearchArtifacts(ctx, api.SearchArtifactsRequest{Text: "fate of a cell lineage"})
		_, _ = s.PreviewContext(ctx, api.ContextRequest{Question: "what is known about fate?", Modules: []brenner.Module{"lineage"}})
		if list, err := s.Artifacts(ctx, api.ListArtifactsRequest{Sort: api.SortUpdated, Total: true}); err == nil {
			for _, a := range list.Items[:min(4, len(list.Items))] {
				_, _ = s.Review(ctx, api.ReviewRequest{Ref: brenner.Ref{Artifact: a.ID}})
				_, _ = s.History(ctx, api.HistoryRequest{ID: a.ID})
				_, _ = s.Lineage(ctx, api.LineageRequest{Ref: brenner.Ref{Artifact: a.ID}, Down: true, Format: "text"})
			}
		}
		if list, err := s.Sessions(ctx, api.ListSessionsRequest{}); err == nil {
			for _, x := range list.Sessions[:min(2, len(list.Sessions))] {
				_, _ = s.Session(ctx, api.SessionRequest{ID: x.ID, Full: true})
				_, _ = s.SessionStatus(ctx, api.SessionStatusRequest{ID: x.ID})
				_, _ = s.DiagnoseSession(ctx, api.DiagnoseSessionRequest{ID: x.ID})
			}
		}
		if list, err := s.Stalemates(ctx, api.ListStalematesRequest{}); err == nil {
			for _, x := range list.Stalemates[:min(2, len(list.Stalemates))] {
				_, _ = s.Stalemate(ctx, api.StalemateRequest{ID: x.ID})
				_, _ = s.ExportStalemate(ctx, api.StalemateRequest{ID: x.ID})
			}
		}
		if list, err := s.Bullets(ctx, api.ListBulletsRequest{}); err == nil {
			for _, x := range list.Bullets[:min(3, len(list.Bullets))] {
				_, _ = s.Bullet(ctx, api.BulletRequest{ID: x.ID, History: true})
			}
		}
		if list, err := s.Invocations(ctx, api.ListInvocationsRequest{}); err == nil && len(list.Invocations) > 0 {
			_, _ = s.Invocation(ctx, api.InvocationRequest{ID: list.Invocations[0].ID})
		}
	}
	_, _ = w.PI().Snapshot(ctx, api.SnapshotRequest{Format: "markdown"})
}

// What is noted is all there is: a use case that is new has to be noted, too.
func TestTranscript_HasEveryUseCase(t *testing.T) {
	service, note := reflect.TypeFor[api.Service](), reflect.TypeFor[noted]()
	for i := range service.NumMethod() {
		m, _ := note.MethodByName(service.Method(i).Name)
		f := runtime.FuncForPC(m.Func.Pointer())
		if file, _ := f.FileLine(f.Entry()); !strings.HasSuffix(file, "noted_test.go") {
			t.Errorf("%s is not noted: see noted_test.go", m.Name)
		}
	}
}
