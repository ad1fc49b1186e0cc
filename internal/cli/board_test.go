package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"brenner/api"
	work "brenner/internal/runner"
	"brenner/program"
)

// W18: on a terminal each run under way has one line, drawn over in place, with
// agent, program, since when, what it does, tokens and cost; its end stays.
func TestBoard_DrawsALineForEachRun(t *testing.T) {
	var errs bytes.Buffer
	r := &runner{out: newPrinter(&bytes.Buffer{}), env: Env{Err: &errs, Getenv: func(string) string { return "" }, Columns: func() int { return 100 }}}
	b := r.newBoard()
	cost := program.Money(20_000)
	used := program.Usage{Turns: 1, Tokens: &program.Tokens{In: 1200, Out: 34}, Cost: &cost}
	first := api.RunInfo{ID: "run-1", Agent: "BlueLake", Program: api.RunProgram{Name: "claude"}, State: api.RunRunning}
	second := api.RunInfo{ID: "run-2", Agent: "RedCave", Program: api.RunProgram{Name: "codex"}, State: api.RunRunning}
	b.tell(work.Progress{Run: first, Does: "starts"})
	b.tell(work.Progress{Run: second, Does: "starts"})
	b.tell(work.Progress{Run: first, Line: "a line of its log"})
	b.tell(work.Progress{Run: first, Does: "uses artifact_write\x1b[2J", Used: used})
	first.State, first.Started, first.Ended = api.RunEnded, time.Unix(0, 0), time.Unix(7, 0)
	first.RunEnd = api.RunEnd{Outcome: api.OutcomeFailed, Cause: program.RateLimited}
	b.tell(work.Progress{Run: first, Used: used})
	b.close()
	frames := strings.Split(errs.String(), "\033[J")
	if len(frames) < 4 {
		t.Fatalf("drawn:\n%q", errs.String())
	}
	shown := func(frame, line int, words ...string) {
		t.Helper()
		lines := strings.Split(frames[frame], "\n")
		for _, word := range words {
			if line >= len(lines) || !strings.Contains(lines[line], word) {
				t.Errorf("frame %d, line %d lacks %q:\n%q", frame, line, word, frames[frame])
			}
		}
	}
	last := len(frames) - 1
	shown(0, 0, "BlueLake", "claude", "0s", "starts")
	shown(last-1, 0, "BlueLake", "uses artifact_write", "1200 tokens in, 34 out", "$0.02")
	shown(last-1, 1, "RedCave", "codex", "starts")
	shown(last, 0, "BlueLake", "7s", "failed", "the provider limits the rate of requests", "$0.02")
	shown(last, 1, "RedCave", "starts")
	if strings.Contains(errs.String(), "a line of its log") || strings.Contains(errs.String(), "\x1b[2J") {
		t.Errorf("drawn:\n%q", errs.String())
	}
}
