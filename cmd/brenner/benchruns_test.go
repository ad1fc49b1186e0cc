//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"brenner/canon"
)

// workshop is a project whose agents are started as other processes.
type workshop struct {
	b   *testing.B
	dir string
}

// newWorkshop makes a project with a program of its user's own.
func newWorkshop(b *testing.B, program map[string]any) workshop {
	w := workshop{b, b.TempDir()}
	own := map[string]any{"version": 1, "default": "worker", "programs": map[string]any{"worker": program}}
	if err := os.WriteFile(filepath.Join(w.dir, "programs.json"), canon.MustMarshal(own), 0o600); err != nil {
		b.Fatal(err)
	}
	w.must("init", "--name", "Fate", "--pi", "ada")
	return w
}

func (w workshop) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.b.Context(), os.Args[0], args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), runVariable+"=1", "USER=ada", "BRENNER_KEYS="+filepath.Join(w.dir, "keys"),
		"BRENNER_PROGRAMS="+filepath.Join(w.dir, "programs.json"), "BRENNER_STATE="+filepath.Join(w.dir, "state"))
	return cmd
}

func (w workshop) must(args ...string) {
	w.b.Helper()
	if out, err := w.command(args...).CombinedOutput(); err != nil {
		w.b.Fatalf("brenner %v: %v\n%s", args, err, out)
	}
}

// BenchmarkAsk is `brenner ask` with three agents at once, as a process of its
// own; over-ms is how much longer it takes than its agents.
func BenchmarkAsk(b *testing.B) {
	const takes = 300 * time.Millisecond
	dir := b.TempDir()
	script := filepath.Join(dir, "play.txt")
	part := func(agent, section, payload string) string {
		return fmt.Sprintf("== %s\nwait %s\nreply\n```delta\n{\"operation\":\"ADD\",\"target_id\":null,\"section\":%q,\"payload\":%s,\"rationale\":\"so\"}\n```\n\n", agent, takes, section, payload)
	}
	play := part("Proposer", "hypothesis_slate", `{"name":"Gradient","claim":"It is too shallow","mechanism":"Cells cannot read it"}`) +
		part("Tester", "discriminative_tests", `{"name":"Steepen it","procedure":"Double the source","discriminates":"gradient or not","expected_outcomes":{"H1":"closes"},"potency_check":"the dye moves"}`) +
		part("Critic", "adversarial_critique", `{"name":"Frame","attack":"A ring need not close"}`)
	if err := os.WriteFile(script, []byte(play), 0o600); err != nil {
		b.Fatal(err)
	}
	w := newWorkshop(b, map[string]any{"profile": "script", "file": script})
	var over time.Duration
	n := 0
	for b.Loop() {
		begun := time.Now()
		w.must("ask", "Why does the ring not close?")
		over += time.Since(begun) - takes
		n++
	}
	b.ReportMetric(float64(over.Milliseconds())/float64(n), "over-ms")
	b.ReportMetric(float64(takes), "agents-ns")
}

// peak is the most memory that a process has had.
var peak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// BenchmarkRuns is 20 runs at once, each a process that uses the tools; MB is
// the most that the runner needed for itself.
func BenchmarkRuns(b *testing.B) {
	const runs = 20
	w := newWorkshop(b, map[string]any{"profile": "command", "executable": os.Args[0], "args": []string{
		actAsProgram, "wait 2s",
		`tool artifact_write {"type":"manuscript_section","task":"{task}","summary":"what came of {task}","content":{"format":"text","data":"done"},"change":{"what":"it","why":"asked for"}}`,
		`tool task_complete {"id":"{task}"}`,
	}})
	w.must("agent", "add", "BlueLake", "--role", "writer")
	most := 0.0
	for b.Loop() {
		for i := range runs {
			w.must("task", "new", fmt.Sprintf("Write part %d", i), "--role", "writer")
		}
		cmd := w.command("run", "--once", "--jobs", strconv.Itoa(runs))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		over := make(chan error, 1)
		go func() { over <- cmd.Wait() }()
		for running := true; running; {
			select {
			case err := <-over:
				if running = false; err != nil {
					b.Fatalf("the runner: %v\n%s", err, out.String())
				}
			case <-time.After(20 * time.Millisecond):
				status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
				if m := peak.FindSubmatch(status); m != nil {
					kib, _ := strconv.ParseFloat(string(m[1]), 64)
					most = max(most, kib*1024/1e6)
				}
			}
		}
		if n := bytes.Count(out.Bytes(), []byte("worked")); n < runs {
			b.Fatalf("%d of %d runs worked\n%s", n, runs, out.String())
		}
	}
	b.ReportMetric(most, "MB")
	b.ReportMetric(runs, "runs")
}
