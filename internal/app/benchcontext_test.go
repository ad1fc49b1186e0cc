package app_test

import (
	"fmt"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

// percentiles reports the median and the 99th percentile of some times.
func percentiles(b *testing.B, took []time.Duration) (p50, p99 float64) {
	b.Helper()
	slices.Sort(took)
	at := func(q float64) float64 { return float64(took[int(q*float64(len(took)-1))].Microseconds()) / 1000 }
	p50, p99 = at(0.5), at(0.99)
	b.ReportMetric(p50, "p50-ms")
	b.ReportMetric(p99, "p99-ms")
	return p50, p99
}

// BenchmarkContext measures the assembly of a context, for a question and for a
// task that pins three artifacts and so brings links and tags, semantic scores
// of the preselected candidates included, as the project grows, for a server that has
// read ahead; growth is that
// of the median against the smallest size, in the same run.
func BenchmarkContext(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(brenner.ServerGarbage)) // as `brenner serve` has it
	sizes := []int{1_000, 10_000, 100_000}
	if testing.Short() {
		sizes = sizes[:2]
	}
	base := map[string]float64{}
	for _, size := range sizes {
		a, svc := filled(b, size)
		if _, err := svc.AddAgent(b.Context(), api.AddAgentRequest{Name: "T", Role: "test_designer"}); err != nil {
			b.Fatal(err)
		}
		tasks := pinning(b, svc, size)
		for _, of := range []string{"question", "task"} {
			b.Run(fmt.Sprintf("%s/artifacts=%d", of, size), func(b *testing.B) {
				var took, spent []time.Duration
				asked := 0
				preview := func() {
					asked++ // always another question
					req := api.ContextRequest{As: "T", Question: prose(asked, 200)}
					if of == "task" {
						req.Task = tasks[asked%len(tasks)]
					}
					start, cpu := time.Now(), processTime()
					res, err := svc.PreviewContext(b.Context(), req)
					took, spent = append(took, time.Since(start)), append(spent, processTime()-cpu)
					if err != nil || len(res.Record.LeftOut) < brenner.MaxCandidates-100 {
						b.Fatalf("%d were left out, %v", len(res.Record.LeftOut), err)
					}
				}
				for range 50 { // the process is warm: the model is read, the texts are indexed
					preview()
				}
				if err := a.ReadAhead(b.Context(), func(time.Duration) {}); err != nil { // as a server does
					b.Fatal(err)
				}
				took, spent = took[:0], spent[:0]
				for b.Loop() {
					preview()
				}
				for len(took) < 1000 { // the 99th percentile of few is their worst
					preview()
				}
				p50, _ := percentiles(b, took)
				slices.Sort(spent) // processor time: what a busy machine does not change much
				b.ReportMetric(float64(spent[len(spent)/2].Microseconds())/1000, "cpu-p50-ms")
				b.ReportMetric(float64(spent[len(spent)*99/100].Microseconds())/1000, "cpu-p99-ms")
				if base[of] == 0 {
					base[of] = p50
				}
				b.ReportMetric(p50/base[of], "growth")
			})
		}
	}
}

// pinning opens tasks that each pin three artifacts.
func pinning(b *testing.B, svc api.Service, size int) (tasks []string) {
	b.Helper()
	for i := range 100 {
		req := api.NewTaskRequest{Title: prose(i, 40), Spec: prose(-i, 400), Role: "test_designer", Modules: []brenner.Module{"lineage"}}
		for j := range 3 {
			req.Inputs = append(req.Inputs, brenner.Ref{Artifact: noteID((977*i + 31_337*j) % size), Version: 1})
		}
		t, err := svc.NewTask(b.Context(), req)
		if err != nil {
			b.Fatal(err)
		}
		tasks = append(tasks, t.ID)
	}
	return tasks
}

// BenchmarkStale measures how long it takes to list the dependents of a version
// that moved, and the snapshot of that project, with few and with many of them.
func BenchmarkStale(b *testing.B) {
	for _, dependents := range []int{100, 10_000} {
		svc := moved(b, dependents)
		b.Run(fmt.Sprintf("list/dependents=%d", dependents), func(b *testing.B) {
			for b.Loop() {
				res, err := svc.Stale(b.Context(), api.StaleRequest{})
				if err != nil || res.Total != dependents {
					b.Fatalf("%d stale, %v", res.Total, err)
				}
			}
		})
		b.Run(fmt.Sprintf("snapshot/dependents=%d", dependents), func(b *testing.B) {
			for b.Loop() {
				if _, err := svc.Snapshot(b.Context(), api.SnapshotRequest{Format: "markdown"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// moved is a project in which so many artifacts rest, directly or through
// others, on a version that is canonical no more.
func moved(b *testing.B, dependents int) api.Service {
	b.Helper()
	svc, _ := benchProject(b)
	create := func(id string, links ...artifact.Link) {
		req := benchNote(1)
		req.ID, req.Links = brenner.ArtifactID(id), links
		if _, err := svc.CreateArtifact(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
	promote := func(id brenner.ArtifactID) {
		if _, err := svc.Promote(b.Context(), api.PromoteRequest{Ref: brenner.Ref{Artifact: id}, Reason: "bench"}); err != nil {
			b.Fatal(err)
		}
	}
	create("data")
	promote("data")
	for i := range dependents {
		to := "data"
		if i >= 10 {
			to = fmt.Sprintf("d%05d", i/10)
		}
		create(fmt.Sprintf("d%05d", i), artifact.Link{Rel: artifact.DependsOn, Artifact: brenner.ArtifactID(to), Version: 1})
	}
	summary := "moved"
	if _, err := svc.UpdateArtifact(b.Context(), api.UpdateArtifactRequest{ID: "data", Summary: &summary}); err != nil {
		b.Fatal(err)
	}
	promote("data")
	return svc
}
