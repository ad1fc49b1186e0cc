package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/canon"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/internal/store/sqlite"
	"brenner/playbook"
)

// endpoint is an embedding server whose models give a text the vector (length
// of the text, 1, 0 …) of their own dimension. It refuses texts that contain
// "poison", and all once it is broken.
type endpoint struct {
	*httptest.Server
	mu     sync.Mutex
	texts  []string
	keys   map[string]bool
	broken bool
}

func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	e := &endpoint{keys: map[string]bool{}}
	e.Server = httptest.NewServer(http.HandlerFunc(e.answer))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) answer(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	raw, _ := io.ReadAll(r.Body)
	var req struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	if err := canon.Unmarshal(raw, &req); err != nil || e.broken || strings.Contains(string(raw), "poison") {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	e.keys[r.Header.Get("Authorization")] = true
	e.texts = append(e.texts, req.Input...)
	var items []string
	for i, text := range req.Input {
		items = append(items, fmt.Sprintf(`{"index":%d,"embedding":[%d,1%s]}`, i, len(text), strings.Repeat(",0", len(req.Model))))
	}
	_, _ = fmt.Fprintf(w, `{"object":"list","data":[%s]}`, strings.Join(items, ","))
}

// asked forgets and gives the texts that were sent, but for the probe.
func (e *endpoint) asked() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
	for _, text := range e.texts {
		if !strings.HasPrefix(text, "Write down what was tried") {
			out = append(out, text)
		}
	}
	e.texts = nil
	return out
}

// config names a model of the endpoint.
func (e *endpoint) config(model string) api.ApplyConfigRequest {
	return api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: fmt.Sprintf(
		"playbook: {guard: false, embedding: {provider: openai, url: %q, model: %s}}\n", e.URL+"/v1", model)}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v (%v)", err, errors.Unwrap(err))
	}
}

func wantCode(t *testing.T, err error, code brenner.Code) {
	t.Helper()
	if brenner.CodeOf(err) != code {
		t.Fatalf("got %v, want %s", err, code)
	}
}

func helpful(contents ...string) api.LearnRequest {
	req := api.LearnRequest{Domain: "lab"}
	for _, c := range contents {
		req.Insights = append(req.Insights, api.Insight{Section: playbook.Helpful, Content: c})
	}
	return req
}

func sizeOf(t *testing.T, svc api.Service) int64 {
	t.Helper()
	info, err := svc.Project(t.Context())
	must(t, err)
	return info.Size
}

// B12: a playbook that began with a remote model stays with it until it is
// moved; the key comes from the environment.
func TestPlaybook_RemoteEmbeddingIsFrozenUntilReembed(t *testing.T) {
	e := newEndpoint(t)
	t.Setenv("TEST_EMBED_KEY", "s3cret")
	s := failingOften(t)
	w := newWorld(t, s)
	w.app = app.New(s, app.Options{EmbedKey: func(string) (string, error) { return "TEST_EMBED_KEY", nil }})
	svc := w.PI()
	_, err := svc.ApplyConfig(t.Context(), e.config("old"))
	must(t, err)
	_, err = svc.Learn(t.Context(), helpful("a", "bbbbbbbbbb"))
	must(t, err)
	if !e.keys["Bearer s3cret"] || len(e.keys) != 1 {
		t.Errorf("keys %v", e.keys)
	}
	stats, err := svc.PlaybookStats(t.Context(), api.PlaybookStatsRequest{})
	must(t, err)
	if id := stats.Domains[0].Embedding; id.Provider != "openai" || id.Model != "old" || id.Dimension != 5 || id.Fingerprint == "" {
		t.Errorf("embedding %+v", id)
	}

	_, err = svc.ApplyConfig(t.Context(), e.config("newer"))
	must(t, err)
	e.asked()
	before := sizeOf(t, svc)
	_, err = svc.Learn(t.Context(), helpful("a"))
	wantCode(t, err, brenner.CodeEmbeddingMismatch)
	if asked := e.asked(); len(asked) != 0 || sizeOf(t, svc) != before {
		t.Errorf("%v was embedded for nothing", asked)
	}
	res, err := svc.Reembed(t.Context(), api.ReembedRequest{})
	must(t, err)
	if d := res.Domains[0]; !d.Moved || d.Embedded != 2 || d.To.Model != "newer" || d.To.Dimension != 7 {
		t.Errorf("reembed %+v", d)
	}
	out, err := svc.Learn(t.Context(), helpful("a"))
	must(t, err)
	if out.Outcomes[0].Bullet != "lab.1" || out.Outcomes[0].Decision.Cosine != 1 {
		t.Errorf("outcome %+v", out.Outcomes[0])
	}
}

// B12, X4: an interrupted reembed goes on where it stopped, and until it is
// done the playbook is what it was.
func TestPlaybook_ReembedResumes(t *testing.T) {
	skipRace(t)
	e := newEndpoint(t)
	w := newWorld(t, failingOften(t))
	svc := w.PI()
	const bullets = 600
	req := api.LearnRequest{Domain: "lab"}
	for i := range bullets {
		v := make([]float64, bullets)
		v[i] = 1
		content := fmt.Sprintf("lesson %d", i)
		if i == bullets-1 {
			content += " poison"
		}
		req.Insights = append(req.Insights, api.Insight{Section: playbook.Neutral, Content: content, Vector: v})
	}
	_, err := svc.Learn(t.Context(), req)
	must(t, err)
	_, err = svc.ApplyConfig(t.Context(), e.config("toy"))
	must(t, err)
	before := sizeOf(t, svc)
	_, err = svc.Reembed(t.Context(), api.ReembedRequest{})
	wantCode(t, err, brenner.CodeEmbedRefused)
	first := len(e.asked())
	stats, err := svc.PlaybookStats(t.Context(), api.PlaybookStatsRequest{Domain: "lab"})
	must(t, err)
	if stats.Domains[0].Embedding.Provider != playbook.ProviderExplicit || sizeOf(t, svc) != before || first < 512 {
		t.Errorf("after %d texts: %+v", first, stats)
	}
	// What stood in the way is retired; what is left is one portion.
	_, err = svc.UndoBullet(t.Context(), api.UndoBulletRequest{Record: fmt.Sprintf("lab.%d#1", bullets)})
	must(t, err)
	var told []int64
	res, err := svc.Reembed(t.Context(), api.ReembedRequest{Progress: func(_ string, done, total int64) { told = append(told, done, total) }})
	must(t, err)
	again := len(e.asked())
	if d := res.Domains[0]; !d.Moved || d.Embedded != again || again > bullets-512 {
		t.Errorf("%d texts again, %+v", again, d)
	}
	if want := []int64{int64(again), int64(again)}; fmt.Sprint(told) != fmt.Sprint(want) {
		t.Errorf("progress %v, want %v", told, want)
	}
	out, err := svc.Learn(t.Context(), helpful("lesson 42"))
	must(t, err)
	if out.Outcomes[0].Added {
		t.Errorf("outcome %+v", out.Outcomes[0])
	}
}

// X2: a repeat gives the first result even when there is nobody left to embed
// it, and a new request leaves nothing behind.
func TestPlaybook_LearningNeedsTheEndpointOnce(t *testing.T) {
	e := newEndpoint(t)
	w := newWorld(t, failingOften(t))
	svc := w.PI()
	_, err := svc.ApplyConfig(t.Context(), e.config("toy"))
	must(t, err)
	req := helpful("a")
	req.Key = "once"
	first, err := svc.Learn(t.Context(), req)
	must(t, err)
	e.broken = true
	again, err := svc.Learn(t.Context(), req)
	must(t, err)
	if fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("again %+v, first %+v", again, first)
	}
	before := sizeOf(t, svc)
	_, err = svc.Learn(t.Context(), helpful("b"))
	wantCode(t, err, brenner.CodeEmbedRefused)
	if sizeOf(t, svc) != before {
		t.Error("the journal grew")
	}
}

// B2, J5: an import carries no computed vectors; they are computed again when
// they are needed, and those that came with insights are in the records.
func TestPlaybook_LearnsOnAfterAnImport(t *testing.T) {
	w := newWorld(t, failingOften(t))
	lesson := "Write the failing test before the fix."
	_, err := w.PI().Learn(t.Context(), helpful(lesson, "Label every tube with the date."))
	must(t, err)
	given := api.LearnRequest{Domain: "given", Insights: []api.Insight{{Section: "helpful", Content: "x", Vector: []float64{1, 0}}}}
	_, err = w.PI().Learn(t.Context(), given)
	must(t, err)
	var file bytes.Buffer
	_, err = w.PI().Export(t.Context(), &file)
	must(t, err)

	copied := app.New(memory.New(), app.Options{})
	_, err = copied.Import(t.Context(), &file, nil)
	must(t, err)
	svc := world{app: copied, pi: "ada"}.PI()
	dry := helpful(lesson)
	dry.DryRun = true
	for _, req := range []api.LearnRequest{dry, helpful(lesson), given} {
		out, err := svc.Learn(t.Context(), req)
		must(t, err)
		if o := out.Outcomes[0]; o.Added || o.Decision.Cosine != 1 {
			t.Errorf("%s: %+v", req.Domain, o)
		}
	}
}

// B12: no number that is none gets in, not even from Go.
func TestPlaybook_RefusesNaN(t *testing.T) {
	svc := newWorld(t, failingOften(t)).PI()
	before := sizeOf(t, svc)
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		_, err := svc.Learn(t.Context(), api.LearnRequest{Insights: []api.Insight{{Section: "helpful", Content: "x", Vector: []float64{1, bad}}}})
		wantCode(t, err, brenner.CodeInvalidVector)
	}
	if sizeOf(t, svc) != before {
		t.Error("the journal grew")
	}
}

// B2: the book in memory follows what others write, whoever they are.
func TestPlaybook_FollowsOtherWriters(t *testing.T) {
	s := failingOften(t)
	w := newWorld(t, s)
	other := world{app: app.New(s, app.Options{}), pi: "ada"}
	lesson := "Write the failing test before the fix."
	for i, svc := range []api.Service{w.PI(), other.PI(), w.PI(), other.PI()} {
		out, err := svc.Learn(t.Context(), helpful(lesson))
		must(t, err)
		if o := out.Outcomes[0]; o.Bullet != "lab.1" || o.Counts.Helpful != i+1 {
			t.Fatalf("turn %d: %+v", i, o)
		}
	}
	// What the other retires is not matched here, what it brings back is.
	_, err := other.PI().UndoBullet(t.Context(), api.UndoBulletRequest{Record: "lab.1#1"})
	must(t, err)
	out, err := w.PI().Learn(t.Context(), helpful(lesson))
	must(t, err)
	if o := out.Outcomes[0]; o.Bullet != "lab.2" {
		t.Errorf("after the undo: %+v", o)
	}
	_, err = other.PI().ForceBullet(t.Context(), api.ForceBulletRequest{ID: "lab.2", Stage: playbook.Prod, Reason: "house rule"})
	must(t, err)
	out, err = w.PI().Learn(t.Context(), helpful(lesson))
	must(t, err)
	if o := out.Outcomes[0]; o.Stage != playbook.Prod {
		t.Errorf("after the promotion: %+v", o)
	}
}

// sharing is a store whose writes can share a transaction that then fails, as
// a group commit on a full disk does.
type sharing struct {
	store.Store
	// then, if set, runs inside the transaction of the next write, which fails.
	then func()
	tx   store.Tx
}

var errDisk = errors.New("the disk is full")

func (s *sharing) Write(ctx context.Context, fn func(store.Tx) error) error {
	if s.tx != nil {
		return fn(s.tx)
	}
	then := s.then
	if then == nil {
		return s.Store.Write(ctx, fn)
	}
	s.then = nil
	return s.Store.Write(ctx, func(tx store.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		s.tx = tx
		then()
		s.tx = nil
		return errDisk
	})
}

// B3, J1: a write that sees another one of its group and fails with it leaves
// no trace in the book, even if others take the same places in the journal.
func TestPlaybook_AFailedCommitLeavesNoTraceInTheBook(t *testing.T) {
	inner, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "p.db"), sqlite.Options{Create: true})
	must(t, err)
	shared := &sharing{Store: inner}
	w := newWorld(t, shared)
	svc := w.PI()
	_, err = svc.Learn(t.Context(), helpful("Label every tube with the date."))
	must(t, err)
	shared.then = func() {
		// Sees the lost insight of the same group, and counts it.
		out, err := svc.Learn(t.Context(), helpful("Write the failing test before the fix."))
		if err != nil || out.Outcomes[0].Counts.Helpful != 2 {
			t.Errorf("in the group: %+v, %v", out, err)
		}
	}
	_, err = svc.Learn(t.Context(), helpful("Write the failing test before the fix."))
	if !errors.Is(err, errDisk) {
		t.Fatalf("got %v", err)
	}
	// Another process takes the places the two lost records had, and more.
	other := world{app: app.New(inner, app.Options{}), pi: "ada"}
	for _, lesson := range []string{"Swallowing errors hides the cause.", "Measure the membrane again.", "Freeze the samples at once."} {
		_, err := other.PI().Learn(t.Context(), helpful(lesson))
		must(t, err)
	}
	out, err := svc.Learn(t.Context(), helpful("Write the failing test before the fix.", "Swallowing errors hides the cause."))
	must(t, err)
	if o := out.Outcomes; !o[0].Added || o[0].Bullet != "lab.5" || o[1].Bullet != "lab.2" || o[1].Added {
		t.Errorf("outcomes %+v", o)
	}
	verified, err := svc.Verify(t.Context(), api.VerifyRequest{})
	if err != nil || !verified.OK {
		t.Errorf("verify %+v, %v", verified, err)
	}
}

// C33: an agent without a context is shown the words it sent, and of the lesson
// they were merged into no others.
func TestPlaybook_AuthorsSeeTheirOwnWords(t *testing.T) {
	w := newWorld(t, failingOften(t))
	_, err := w.PI().AddAgent(t.Context(), api.AddAgentRequest{Name: "RedSky", Role: "writer"})
	must(t, err)
	_, err = w.PI().Learn(t.Context(), helpful("Write the failing test before the fix."))
	must(t, err)
	out, err := w.As("RedSky").Learn(t.Context(), helpful("Write the failing test before the fix!", "Label every tube with the date."))
	must(t, err)
	if out.Outcomes[0].Added || !out.Outcomes[1].Added {
		t.Fatalf("outcomes: %+v", out.Outcomes)
	}
	want := map[playbook.BulletID]string{"lab.1": "Write the failing test before the fix!", "lab.2": "Label every tube with the date."}
	if !maps.Equal(out.Texts, want) {
		t.Errorf("texts: %q, want %q", out.Texts, want)
	}
}
