package app_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner/api"
	"brenner/internal/app"
	"brenner/internal/store/sqlite"
	"brenner/playbook"
)

// What benchmark lessons are made of: real words, since vectors of made-up ones
// are all alike, and enough of them for a million lessons.
var lessonParts = [][]string{
	strings.Fields("check cache retry log measure freeze label rotate validate batch trace escape compress index verify " +
		"archive review sample filter mock pin document profile lock sort split merge encrypt count simulate"),
	strings.Fields("tubes requests commits queries backups samples certificates invoices sensors tickets reagents headers " +
		"migrations antibodies dashboards receipts microscopes packets passwords citations embryos pipelines drawings vaccines " +
		"contracts spreadsheets telescopes interviews cables photographs"),
	strings.Fields("before after during without near despite beyond inside outside through under above between across behind"),
	strings.Fields("release lunch surgery winter training shipping calibration lectures elections rehearsal harvest audits storms " +
		"meetings holidays incubation debugging negotiation centrifugation publication landing baking auctions exams inspections " +
		"maintenance onboarding dissection sequencing irrigation"),
}

// benchInsights are lessons, other ones for every number, most of them new.
func benchInsights(from, n int) []api.Insight {
	out := make([]api.Insight, n)
	for i := range out {
		r := rand.New(rand.NewPCG(uint64(from+i), 3))
		var words []string
		for range 2 {
			for _, part := range lessonParts {
				words = append(words, part[r.IntN(len(part))])
			}
		}
		out[i] = api.Insight{Section: playbook.Sections[i%3], Content: strings.Join(words, " ")}
	}
	return out
}

// BenchmarkLearn measures one durable insight through the whole service
// (policy, embedding, exact search, journal, Merkle log, tables) as the
// playbook grows, beside one small note through the same service in the same
// run; and how long the first insight of a process takes, which reads the book.
func BenchmarkLearn(b *testing.B) {
	sizes := []int{1_000, 10_000}
	if soak() {
		sizes = append(sizes, 100_000)
	}
	for _, size := range sizes {
		b.Run(fmt.Sprintf("bullets=%d", size), func(b *testing.B) {
			svc, path := benchProject(b)
			for done := 0; done < size; done += 1000 {
				if _, err := svc.Learn(b.Context(), api.LearnRequest{Insights: benchInsights(done, 1000)}); err != nil {
					b.Fatal(err)
				}
			}
			first := firstInsight(b, path)
			r := rand.New(rand.NewPCG(1, 2))
			var took []time.Duration
			for b.Loop() {
				req := api.LearnRequest{Insights: benchInsights(r.IntN(2*size), 1)} // half are there already
				start := time.Now()
				if _, err := svc.Learn(b.Context(), req); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			ours := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(ours/noteTime(b, svc), "of-a-note")
			b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
		})
	}
}

// firstInsight is how long the first insight of another process takes.
func firstInsight(b *testing.B, path string) time.Duration {
	b.Helper()
	s, err := sqlite.Open(b.Context(), path, sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	svc := app.New(s, app.Options{}).As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	start := time.Now()
	if _, err := svc.Learn(b.Context(), api.LearnRequest{DryRun: true, Insights: benchInsights(0, 1)}); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

// noteTime is how many nanoseconds a small note takes.
func noteTime(b *testing.B, svc api.Service) float64 {
	b.Helper()
	const notes = 200
	start := time.Now()
	for i := range notes {
		req := benchNote(i)
		req.Content.Data = req.Content.Data[:80]
		if _, err := svc.CreateArtifact(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
	return float64(time.Since(start).Nanoseconds()) / notes
}
