package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/store/sqlite"
)

// inMemory is what the runtime has of the system and has not given back.
func inMemory() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() - sample[1].Value.Uint64()
}

// X10: 24 who compare the largest versions at the same time, and of them those
// whose lines are shortest, which takes the most memory, do not bring the server
// over a gigabyte; who asks for little is served meanwhile. The whole of it is
// in make soak.
func TestServer_ComparingLargeVersionsStaysWithinItsMemory(t *testing.T) {
	size, line := 1<<20, 20
	switch {
	case os.Getenv("BRENNER_SOAK") != "":
		size, line = 14<<20, 3
	case testing.Short():
		size = 1 << 17
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(brenner.ServerMemory))
	defer debug.SetGCPercent(debug.SetGCPercent(brenner.ServerGarbage))
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "project.db"), sqlite.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorldOn(t, s)
	text := func(v int) api.Body {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, "%0*d\n", line, (i*7919+v*(i%2))%1000)
		}
		return api.Body{Format: artifact.Text, Data: b.String()}
	}
	if _, err := w.owner().CreateArtifact(t.Context(), api.CreateArtifactRequest{ID: "n", Type: "paper_note", Module: "lineage", Summary: "s", Content: text(0)}); err != nil {
		t.Fatal(err)
	}
	second, summary := text(1), "t"
	if _, err := w.owner().UpdateArtifact(t.Context(), api.UpdateArtifactRequest{ID: "n", Parent: 1, Summary: &summary, Content: &second}); err != nil {
		t.Fatal(err)
	}
	second = api.Body{}
	agents := []brenner.ActorName{"ada"}
	for _, name := range []brenner.ActorName{"BlueLake", "RedHill", "GreenPine"} {
		if _, err := w.owner().AddAgent(t.Context(), api.AddAgentRequest{Name: name, Person: true, Role: brenner.PI}); err != nil {
			t.Fatal(err)
		}
		agents = append(agents, name)
	}
	ask := func(name brenner.ActorName, path string) int {
		h, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		h.Header.Set("Authorization", "Bearer "+w.token(name))
		answer, err := http.DefaultClient.Do(h)
		if err != nil {
			t.Error(err)
			return 0
		}
		defer func() { _ = answer.Body.Close() }()
		_, _ = io.Copy(io.Discard, answer.Body)
		return answer.StatusCode
	}
	for _, name := range agents {
		w.token(name)
	}
	var peak atomic.Uint64
	var all sync.WaitGroup
	answers := make(chan int, 24)
	for i := range 24 {
		all.Go(func() { answers <- ask(agents[i%len(agents)], "/api/v1/diff?from=n@1&to=n@2") })
	}
	over := make(chan struct{})
	go func() { all.Wait(); close(over) }()
	served := 0
	for working := true; working; {
		select {
		case <-over:
			working = false
		case <-time.After(20 * time.Millisecond):
			if status := ask("ada", "/api/v1/project"); status != http.StatusOK {
				t.Errorf("who asks for little gets %d", status)
			}
			served++
		}
		peak.Store(max(peak.Load(), inMemory()))
	}
	close(answers)
	got := map[int]int{}
	for status := range answers {
		got[status]++
	}
	if got[200]+got[429] != 24 || got[200] == 0 {
		t.Errorf("answers by status: %v", got)
	}
	if peak.Load() > 1<<30 {
		t.Errorf("%d MB of memory", peak.Load()>>20)
	}
	t.Logf("peak %d MB, answers by status %v, %d others served meanwhile", peak.Load()>>20, got, served)
}
