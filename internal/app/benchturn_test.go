package app_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/anchor"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/store/sqlite"
	"brenner/playbook"
	"brenner/stalemate"
)

// BenchmarkTurn measures how long the largest inputs that are allowed keep the
// other writers waiting (X9: 250 ms): not how long they take.
func BenchmarkTurn(b *testing.B) {
	for name, write := range map[string]func(b *testing.B, pi api.Service, n int){
		"learn":   turnLearn,
		"content": turnContent,
		"reply":   turnReply,
		"batch":   turnBatch,
		"json":    turnJSON,
		"patch":   turnPatch,
		"dispute": turnDispute,
		"decide":  turnDecide,
	} {
		b.Run(name, func(b *testing.B) {
			s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "project.db"), sqlite.Options{Create: true})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() })
			a := app.New(s, app.Options{})
			config := &api.ConfigFile{Name: ".brennerrc", Data: "modules: [lineage]"}
			if _, err := a.Init(b.Context(), api.InitRequest{Name: "bench", PI: "ada", Config: config}); err != nil {
				b.Fatal(err)
			}
			pi := a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
			var mu sync.Mutex
			var longest time.Duration
			a.WatchTurns(func(_ context.Context, t app.Turn) {
				mu.Lock()
				defer mu.Unlock()
				longest = max(longest, t.Took)
			})
			others := writeBeside(b, pi)
			for n := range b.N {
				write(b, pi, n)
			}
			waits := others()
			mu.Lock()
			defer mu.Unlock()
			b.ReportMetric(float64(longest.Milliseconds()), "ms/turn")
			b.ReportMetric(float64(waits[len(waits)*99/100].Milliseconds()), "ms/other-p99")
			b.ReportMetric(float64(len(waits)), "others")
			b.ReportMetric(float64(reference().Milliseconds()), "ms/hash-64MB")
		})
	}
}

// writeBeside writes small notes, one after the other, until what it gives is
// called, which gives how long each took, in order.
func writeBeside(b *testing.B, pi api.Service) (end func() []time.Duration) {
	var waits []time.Duration
	stop, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for n := 0; ; n++ {
			req := benchNote(n)
			req.ID = brenner.ArtifactID(fmt.Sprintf("beside-%d", n))
			start := time.Now()
			if _, err := pi.CreateArtifact(b.Context(), req); err != nil {
				b.Error(err)
				return
			}
			waits = append(waits, time.Since(start))
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	return func() []time.Duration {
		close(stop)
		<-over
		slices.Sort(waits)
		return waits
	}
}

// turnBatch writes as many versions, and as many bytes, as a batch may have.
func turnBatch(b *testing.B, pi api.Service, n int) {
	items := make([]api.BatchItem, brenner.MaxBatchItems)
	for i := range items {
		req := benchNote(n*len(items) + i)
		req.ID = brenner.ArtifactID(fmt.Sprintf("batch-%d-%d", n, i))
		req.Content.Data = strings.Repeat(prose(i, 1<<10), brenner.MaxBatchBytes/brenner.MaxBatchItems>>10)
		items[i] = api.BatchItem{Name: string(req.ID), Create: &req}
	}
	if _, err := pi.WriteBatch(b.Context(), api.BatchRequest{Items: items}); err != nil {
		b.Fatal(err)
	}
}

func turnLearn(b *testing.B, pi api.Service, n int) {
	insights := make([]api.Insight, brenner.MaxInsights)
	for i := range insights {
		insights[i] = api.Insight{Section: playbook.Helpful, Content: prose(n*len(insights)+i, 200)}
	}
	if _, err := pi.Learn(b.Context(), api.LearnRequest{Insights: insights}); err != nil {
		b.Fatal(err)
	}
}

func turnContent(b *testing.B, pi api.Service, n int) {
	req := benchNote(n)
	req.Content.Data = strings.Repeat(prose(n, 1<<10), brenner.MaxContentBytes>>10)
	if _, err := pi.CreateArtifact(b.Context(), req); err != nil {
		b.Fatal(err)
	}
}

// turnReply hands in as many deltas as fit into a reply and a queue, and
// compiles them.
func turnReply(b *testing.B, pi api.Service, n int) {
	started, err := pi.StartSession(b.Context(), api.StartSessionRequest{Roster: trio, Question: fmt.Sprintf("What decides the fate of a cell, in round %d?", n)})
	if err != nil {
		b.Fatal(err)
	}
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "```delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"name\":\"H%d\",\"claim\":%q,\"mechanism\":%q}}\n```\n", i, prose(i, 200), prose(-i, 200))
	}
	id := started.Session.ID
	if _, err := pi.SubmitDeltas(b.Context(), api.SubmitDeltasRequest{Session: id, Text: text.String()}); err != nil {
		b.Fatal(err)
	}
	if _, err := pi.CompileSession(b.Context(), api.CompileSessionRequest{ID: id}); err != nil {
		b.Fatal(err)
	}
}

// reference is how long this machine takes, now, to hash 64 MB: what the turns are
// to be read beside.
func reference() time.Duration {
	data, start := make([]byte, 64<<20), time.Now()
	_ = sha256.Sum256(data)
	return time.Since(start)
}

// turnJSON writes the largest content that has a schema.
func turnJSON(b *testing.B, pi api.Service, n int) {
	var goals strings.Builder
	for i := 0; goals.Len() < brenner.MaxContentBytes-1<<12; i++ {
		fmt.Fprintf(&goals, ",%q", prose(n*7+i%100, 1<<10))
	}
	req := api.CreateArtifactRequest{
		Type: "project_brief", Summary: "s", Content: api.Body{Format: "json", Data: `{"question":"q","goals":[` + goals.String()[1:] + `]}`},
	}
	if _, err := pi.CreateArtifact(b.Context(), req); err != nil {
		b.Fatal(err)
	}
}

// turnPatch changes a text in as many places as a patch may.
func turnPatch(b *testing.B, pi api.Service, n int) {
	var text [2]strings.Builder
	for i := range 2 * brenner.MaxPatchOperations {
		line := prose(i, 100) + fmt.Sprintf(" %d\n", i)
		text[0].WriteString(line)
		if i%2 == 0 {
			line = "changed: " + line
		}
		text[1].WriteString(line)
	}
	req := benchNote(n)
	req.Content.Data = text[0].String()
	written, err := pi.CreateArtifact(b.Context(), req)
	if err != nil {
		b.Fatal(err)
	}
	from, err := anchor.Canonical([]byte(text[0].String()))
	if err != nil {
		b.Fatal(err)
	}
	to, err := anchor.Canonical([]byte(text[1].String()))
	if err != nil {
		b.Fatal(err)
	}
	patch, err := anchor.Diff(from, to, "")
	if err != nil {
		b.Fatal(err)
	}
	change := &artifact.Change{What: "every second line", Why: "to measure"}
	if _, err := pi.ApplyPatch(b.Context(), api.ApplyPatchRequest{Ref: written.Ref, Patch: patch.JSON(), SummaryHolds: true, Change: change}); err != nil {
		b.Fatal(err)
	}
}

// turnDispute raises a stalemate with as much evidence as fits into a request.
func turnDispute(b *testing.B, pi api.Service, n int) {
	evidence := make([]stalemate.Evidence, brenner.MaxEvidence)
	for i := range evidence {
		evidence[i] = stalemate.Evidence{Kind: "error_log", Description: "x", Content: strings.Repeat(prose(n*len(evidence)+i, 1<<10), 300)}
	}
	_, err := pi.RaiseStalemate(b.Context(), api.RaiseStalemateRequest{Module: "lineage", Stalemate: stalemate.Stalemate{
		Summary: "who is right", Request: "decide", Expected: "one of them",
		Hypotheses:   []stalemate.Hypothesis{{Statement: "a", Justification: "b", Author: "ada"}, {Author: "BlueLake"}},
		Alternatives: []stalemate.Hypothesis{{Statement: "both are wrong", Justification: "it happens"}},
		Evidence:     evidence,
	}})
	if err != nil {
		b.Fatal(err)
	}
}

// turnDecide promotes as many versions as one decision may be about.
func turnDecide(b *testing.B, pi api.Service, n int) {
	items := make([]api.BatchItem, brenner.MaxDecisions)
	refs := make([]brenner.Ref, len(items))
	for i := range items {
		req := benchNote(n*len(items) + i)
		req.ID = brenner.ArtifactID(fmt.Sprintf("decide-%d-%d", n, i))
		items[i] = api.BatchItem{Name: string(req.ID), Create: &req}
		refs[i] = brenner.Ref{Artifact: req.ID, Version: 1}
	}
	if _, err := pi.WriteBatch(b.Context(), api.BatchRequest{Items: items}); err != nil {
		b.Fatal(err)
	}
	if _, err := pi.Decide(b.Context(), api.DecideRequest{Decision: api.DecidePromote, Refs: refs, Reason: "measured"}); err != nil {
		b.Fatal(err)
	}
}
