package app_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/store/memory"
	"brenner/internal/store/sqlite"
	"brenner/playbook"
	"brenner/stalemate"

	"github.com/go-json-experiment/json"
)

// labour is a project in which everything that can take long is large.
type labour struct {
	pi      api.Service
	size    int // of a text
	notes   int
	session brenner.SessionID
	dispute brenner.ArtifactID
}

// newLabour fills a project: texts of a size, of which two versions differ in
// every second line; notes that say much the same; a session with deltas that
// wait; a playbook; and a stalemate about a patch that does not fit.
func newLabour(t *testing.T, w world, size, notes int) labour {
	t.Helper()
	l := labour{pi: w.PI(), size: size, notes: notes}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := l.pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "text", Type: "paper_note", Module: "lineage", Summary: "s", Content: api.Body{Format: artifact.Text, Data: shortLines(size, 0)},
	})
	must(err)
	summary, second := "t", api.Body{Format: artifact.Text, Data: shortLines(size, 1)}
	_, err = l.pi.UpdateArtifact(t.Context(), api.UpdateArtifactRequest{ID: "text", Parent: 1, Summary: &summary, Content: &second})
	must(err)
	brief, err := l.pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "brief", Type: "project_brief", Summary: "s", Content: api.Body{Format: artifact.JSON, Data: `{"question":"what decides fate?","goals":["find the cause of the fate of a cell"]}`},
	})
	must(err)
	_, err = l.pi.Promote(t.Context(), api.PromoteRequest{Ref: brief.Ref, Reason: "r"})
	must(err)
	kinds := []brenner.TypeName{"paper_note", "manuscript_section"}
	for at := 0; at < notes; at += 100 {
		var items []api.BatchItem
		for i := at; i < min(notes, at+100); i++ {
			id := brenner.ArtifactID(fmt.Sprintf("note-%d", i))
			items = append(items, api.BatchItem{Name: string(id), Create: &api.CreateArtifactRequest{
				ID: id, Type: kinds[i%2], Module: "lineage", Summary: prose(i, 300), Content: api.Body{Format: artifact.Text, Data: paragraphed(i, 30<<10)},
			}})
		}
		_, err = l.pi.WriteBatch(t.Context(), api.BatchRequest{Items: items})
		must(err)
		if at%500 == 0 {
			_, err = l.pi.Learn(t.Context(), api.LearnRequest{Insights: insights(at, min(notes, 1000))})
			must(err)
		}
	}
	started, err := l.pi.StartSession(t.Context(), api.StartSessionRequest{Roster: trio, Question: "What decides the fate of a cell?"})
	must(err)
	l.session = started.Session.ID
	for i := range max(1, notes/200) {
		_, err = l.pi.SubmitDeltas(t.Context(), api.SubmitDeltasRequest{Session: l.session, Text: slate(i, 1000*min(notes, 200)/200)})
		must(err)
	}
	raised, err := l.pi.RaiseStalemate(t.Context(), api.RaiseStalemateRequest{Module: "lineage", Stalemate: stalemate.Stalemate{
		Summary: "who is right", Target: "text", Request: "decide", Expected: "one of them",
		Hypotheses:   []stalemate.Hypothesis{{Statement: "a", Justification: "b", Author: "ada"}, {Author: "BlueLake"}},
		Alternatives: []stalemate.Hypothesis{{Statement: "both are wrong", Justification: "it happens"}},
		Evidence: []stalemate.Evidence{
			{Kind: "file", Path: "text", Content: shortLines(size/2, 1)},
			{Kind: "patch", Path: "text", Content: string(misfit(size / 4))},
		},
	}})
	must(err)
	l.dispute = raised.ID
	return l
}

func shortLines(size, v int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%03d\n", (i*7919+v*(i%2))%1000)
	}
	return b.String()
}

func paragraphed(i, size int) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		b.WriteString(prose(i+n, 200) + "\n\n")
	}
	return b.String()
}

func insights(from, n int) []api.Insight {
	out := make([]api.Insight, n)
	for i := range out {
		out[i] = api.Insight{Section: playbook.Helpful, Content: prose(from*1000+i, 400)}
	}
	return out
}

func slate(from, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "```delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"name\":\"H%d-%d\",\"claim\":%q,\"mechanism\":%q}}\n```\n", from, i, prose(i+from, 200), prose(-i, 200))
	}
	return b.String()
}

// misfit is a patch that quotes what is almost there, many times.
func misfit(size int) []byte {
	b, err := json.Marshal(map[string]string{"old_string": strings.Repeat("123\n4567\n", size/9), "new_string": "x"})
	if err != nil {
		panic(err)
	}
	return b
}

// long are the use cases whose work grows with what there is.
func (l labour) long() map[string]func(ctx context.Context) error {
	from, to := brenner.Ref{Artifact: "text", Version: 1}, brenner.Ref{Artifact: "text", Version: 2}
	first := func(_ any, err error) error { return err }
	return map[string]func(ctx context.Context) error{
		"patch tried": func(ctx context.Context) error {
			_, err := l.pi.ApplyPatch(ctx, api.ApplyPatchRequest{Ref: to, Patch: misfit(l.size / 15), SummaryHolds: true, DryRun: true})
			return err
		},
		"patch explained": func(ctx context.Context) error {
			_, err := l.pi.ExplainPatch(ctx, api.ExplainPatchRequest{Ref: to, Patch: misfit(l.size / 15)})
			return err
		},
		"patch between": func(ctx context.Context) error {
			_, err := l.pi.PatchBetween(ctx, api.PatchBetweenRequest{From: from, To: to})
			return err
		},
		"arbitrate": func(ctx context.Context) error {
			_, err := l.pi.ArbitrateStalemate(ctx, api.StalemateRequest{ID: l.dispute})
			return err
		},
		"context": func(ctx context.Context) error {
			_, err := l.pi.AssembleContext(ctx, api.ContextRequest{Question: "What decides the fate of a cell?", Modules: []brenner.Module{"lineage"}})
			return err
		},
		"diff":    func(ctx context.Context) error { return first(l.pi.Diff(ctx, api.DiffRequest{From: from, To: to})) },
		"lineage": func(ctx context.Context) error { return first(l.pi.Lineage(ctx, api.LineageRequest{Ref: to})) },
		"search": func(ctx context.Context) error {
			return first(l.pi.SearchArtifacts(ctx, api.SearchArtifactsRequest{Text: prose(3, 400)}))
		},
		"diagnosis": func(ctx context.Context) error {
			return first(l.pi.DiagnoseSession(ctx, api.DiagnoseSessionRequest{ID: l.session}))
		},
		"session":  func(ctx context.Context) error { return first(l.pi.Session(ctx, api.SessionRequest{ID: l.session})) },
		"snapshot": func(ctx context.Context) error { return first(l.pi.Snapshot(ctx, api.SnapshotRequest{})) },
		"playbook": func(ctx context.Context) error {
			return first(l.pi.ExportPlaybook(ctx, api.ExportPlaybookRequest{}))
		},
		"export": func(ctx context.Context) error { return first(l.pi.Export(ctx, io.Discard)) },
		"verify": func(ctx context.Context) error { return first(l.pi.Verify(ctx, api.VerifyRequest{Deep: true})) },
		"batch": func(ctx context.Context) error {
			var items []api.BatchItem
			for i := range min(l.notes, brenner.MaxBatchItems) {
				req := benchNote(i)
				req.ID = brenner.ArtifactID(fmt.Sprintf("batch-%d", i))
				req.Content.Data = paragraphed(i, 30<<10)
				items = append(items, api.BatchItem{Name: string(req.ID), Create: &req})
			}
			return first(l.pi.WriteBatch(ctx, api.BatchRequest{Items: items, DryRun: true}))
		},
		"learn": func(ctx context.Context) error {
			return first(l.pi.Learn(ctx, api.LearnRequest{Insights: insights(7_000_000, min(l.notes, brenner.MaxInsights)), DryRun: true}))
		},
		"promote lessons": func(ctx context.Context) error {
			return first(l.pi.PromoteBullets(ctx, api.PromoteBulletsRequest{}))
		},
		"reply": func(ctx context.Context) error {
			return first(l.pi.SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: l.session, Text: slate(-1, l.notes), DryRun: true}))
		},
		"compile": func(ctx context.Context) error {
			return first(l.pi.CompileSession(ctx, api.CompileSessionRequest{ID: l.session}))
		},
		"alignment": func(ctx context.Context) error {
			return first(l.pi.CheckAlignment(ctx, api.CheckRequest{DryRun: true}))
		},
		"assumptions": func(ctx context.Context) error {
			return first(l.pi.CheckAssumptions(ctx, api.CheckRequest{DryRun: true}))
		},
		"consolidate": func(ctx context.Context) error {
			return first(l.pi.Consolidate(ctx, api.ConsolidateRequest{}))
		},
		"gc":    func(ctx context.Context) error { return first(l.pi.CollectGarbage(ctx, api.GarbageRequest{})) },
		"stale": func(ctx context.Context) error { return first(l.pi.Stale(ctx, api.StaleRequest{})) },
		"redact": func(ctx context.Context) error {
			return first(l.pi.Redact(ctx, api.RedactRequest{Ref: from, Reason: "r", DryRun: true}))
		},
	}
}

// looked is a context that counts how often somebody asks whether it is over, and
// is over from some time on.
type looked struct {
	context.Context
	most int64 // 0: it is never over
	n    atomic.Int64
}

func (c *looked) Err() error {
	if n := c.n.Add(1); c.most > 0 && n >= c.most {
		return context.Canceled
	}
	return nil
}

func isGone(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, brenner.CodeCanceled)
}

// X9: whoever goes away, at whatever point, ends what it asked for: everything
// whose work grows with what there is asks again and again whether somebody
// still waits.
func TestGone_WorkEndsWithItsClient(t *testing.T) {
	l := newLabour(t, newWorld(t, memory.New()), 20<<10, 12)
	for name, do := range l.long() {
		t.Run(name, func(t *testing.T) {
			for most := int64(1); ; most *= 2 {
				ctx := &looked{Context: t.Context(), most: most}
				err := do(ctx)
				if isGone(err) {
					continue
				}
				if n := ctx.n.Load(); n >= most {
					t.Errorf("it was not noticed at %d of %d that nobody waits: %v", most, n, err)
				}
				return
			}
		})
	}
}

// X9: the same at the largest that is allowed, in make soak: who goes away after
// a second costs no more than some two seconds of a processor.
func TestGone_SoonAtTheLargestSizes(t *testing.T) {
	if os.Getenv("BRENNER_SOAK") == "" {
		t.Skip("in make soak")
	}
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "project.db"), sqlite.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	l := newLabour(t, newWorld(t, s), 15<<20, 1000)
	t.Log("filled")
	names := slices.Sorted(maps.Keys(l.long()))
	for _, name := range names {
		ctx, cancel := context.WithCancel(t.Context())
		var before atomic.Int64
		timer := time.AfterFunc(time.Second, func() {
			before.Store(int64(processTime()))
			cancel()
		})
		start := time.Now()
		err := l.long()[name](ctx)
		took, after := time.Since(start), time.Duration(0)
		if !timer.Stop() {
			after = processTime() - time.Duration(before.Load())
		}
		cancel()
		t.Logf("%-16s %6.2f s, of which a processor %6.2f s after its client had gone: %s", name, took.Seconds(), after.Seconds(), brenner.CodeOf(err))
		if after > 2*time.Second {
			t.Errorf("%s went on for %v", name, after)
		}
	}
}

// processTime is the processor time this process has used.
func processTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
