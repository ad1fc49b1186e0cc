package web_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
)

// BenchmarkPage measures each page of a project with many artifacts
// (BRENNER_BENCH_ARTIFACTS, 5,000 unless said): the median, the 99th
// percentile and the weight of an answer, beside an answer of the same server
// that asks the store for nothing.
func BenchmarkPage(b *testing.B) {
	n := 5000
	if s := os.Getenv("BRENNER_BENCH_ARTIFACTS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	w := newDemo(b)
	story := w.tellMore()
	w.grow(n)
	client := w.login()
	idle := client.time(b, "/assets/icon.svg", 200)
	for _, path := range addresses(story) {
		b.Run(path, func(b *testing.B) {
			_, _, body := client.get(path)
			times := client.time(b, path, max(b.N, 100))
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64(times[len(times)/2])/float64(idle[len(idle)/2]), "p50/idle")
			b.ReportMetric(float64(len(body))/1024, "KiB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// time asks for a page so many times and gives how long each answer took, in
// order.
func (c *browser) time(b *testing.B, path string, times int) []time.Duration {
	b.Helper()
	took := make([]time.Duration, times)
	for i := range took {
		start := time.Now()
		if status, _, _ := c.get(path); status != http.StatusOK {
			b.Fatalf("%s: %d", path, status)
		}
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return took
}

// grow adds notes, some of which cite another, written by many at once.
func (w *world) grow(n int) {
	w.Helper()
	words := []string{"oxygen", "night", "weir", "algae", "flow", "gauge"}
	for r := rand.New(rand.NewPCG(1, 1)); len(words) < 4000; { // enough that a word is found in some notes, not in all
		word := make([]byte, 3+r.IntN(8))
		for j := range word {
			word[j] = byte('a' + r.IntN(26))
		}
		words = append(words, string(word))
	}
	var all sync.WaitGroup
	next := make(chan int)
	for range 32 {
		all.Go(func() {
			for i := range next {
				r := rand.New(rand.NewPCG(2, uint64(i)))
				text := ""
				for range 40 {
					text += words[r.IntN(len(words))] + " "
				}
				req := api.CreateArtifactRequest{
					ID: brenner.ArtifactID(fmt.Sprintf("note-%d", i)), Type: "paper_note", Module: "biology",
					Summary: fmt.Sprintf("Note %d: %s", i, text[:60]), Content: textBody(text),
				}
				if i%10 == 9 {
					req.Links = []artifact.Link{{Rel: artifact.Cites, Artifact: "oxygen-log", Version: 3}}
				}
				if _, err := w.pi().CreateArtifact(w.Context(), req); err != nil {
					w.Error(err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	for range 10 { // a search indexes what is not yet, a part at a time
		if _, err := w.pi().SearchArtifacts(w.Context(), api.SearchArtifactsRequest{Text: "oxygen"}); err != nil {
			w.Error(err)
		}
	}
}
