package runner

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"brenner/api"
)

// W18: another process of the machine sees what a run does and has printed, with
// secrets struck out, while it goes on and no longer.
func TestSeen_AnotherProcessSeesWhatARunDoes(t *testing.T) {
	w := newWorld(t)
	r := w.runner(t)
	seen := Seen(r.state.dir)
	done := make(chan api.RunInfo, 1)
	go func() {
		info, _ := r.Do(t.Context(), kickoff(acting("deaf")))
		done <- info
	}()
	of := api.RunInfo{ID: "run-1", Runner: r.name}
	var b api.RunBeat
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(b.Tail, "I stay.") && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		b, _ = seen(of)
	}
	if !strings.Contains(b.Tail, "I stay.") || b.ID != "run-1" || b.Does == "" {
		t.Errorf("it is seen as %+v", b)
	}
	if b, ok := seen(api.RunInfo{ID: "run-1", Runner: "another/1/2"}); ok {
		t.Errorf("a run of another project is taken for it: %+v", b)
	}
	w.mu.Lock()
	w.stop["run-1"] = "enough"
	w.mu.Unlock()
	<-done
	if left, _ := filepath.Glob(filepath.Join(r.state.dir, "*")); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
	if _, ok := seen(of); ok {
		t.Error("a run that has ended is seen")
	}
}

// W18: the end of a log begins at a line and fits.
func TestTranscript_EndFits(t *testing.T) {
	log := newTranscript([]string{"brn_secret"}, nil)
	log.line([]byte("with brn_secret"))
	if got := log.end(100); got != "with "+struck+"\n" {
		t.Errorf("got %q", got)
	}
	for range 100 {
		log.line([]byte("a line of äöü"))
	}
	if got := log.end(100); len(got) > 100 || !strings.HasPrefix(got, "a line of äöü\n") || !strings.HasSuffix(got, "äöü\n") {
		t.Errorf("got %q", got)
	}
}
