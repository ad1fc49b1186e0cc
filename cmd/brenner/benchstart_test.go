package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkStart builds the program as it is released, puts it where it stands as whoever has a
// release does, from its first byte to its last, and says how large it is,
// what processor time `brenner version` takes, and after how long `brenner mcp`
// has answered initialize and tools/list. Beside it stands a program of the same
// language that does nothing.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	build := func(name, of string) string {
		to := filepath.Join(dir, name)
		cmd := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", to+".linked", of)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("go build %s: %v\n%s", of, err, out)
		}
		built, err := os.ReadFile(to + ".linked")
		if err == nil {
			err = os.WriteFile(to, built, 0o700) // what the linker wrote lies in memory in small pieces
		}
		if err != nil {
			b.Fatal(err)
		}
		return to
	}
	idle := filepath.Join(dir, "idle.go")
	if err := os.WriteFile(idle, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	program, nothing := build("brenner", "."), build("nothing", idle)
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(b.Context(), name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "USER=ada", "BRENNER_KEYS="+filepath.Join(dir, "keys"))
		return cmd
	}
	spent := func(name string, args ...string) float64 {
		cmd := command(name, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() * 1000
	}
	spent(program, "init", "--name", "Fate")
	spent(program, "agent", "add", "BlueLake", "--role", "hypothesis_generator")
	var version, bare, listed []float64
	once := func() {
		version, bare = append(version, spent(program, "version")), append(bare, spent(nothing))
		start := time.Now()
		client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
		session, err := client.Connect(b.Context(), &mcp.CommandTransport{Command: command(program, "mcp", "--as", "BlueLake")}, nil)
		if err != nil {
			b.Fatal(err)
		}
		tools, err := session.ListTools(b.Context(), nil)
		if err != nil || len(tools.Tools) == 0 {
			b.Fatalf("%v: %v", tools, err)
		}
		listed = append(listed, time.Since(start).Seconds()*1000)
		if err := session.Close(); err != nil {
			b.Fatal(err)
		}
	}
	once() // the files are in memory
	version, bare, listed = nil, nil, nil
	for b.Loop() {
		once()
	}
	for len(listed) < 50 {
		once()
	}
	median := func(of []float64) float64 { slices.Sort(of); return of[len(of)/2] }
	size := func(of string) float64 {
		data, err := os.Stat(of)
		if err != nil {
			b.Fatal(err)
		}
		return float64(data.Size()) / 1e6
	}
	b.ReportMetric(median(version), "version-cpu-ms")
	b.ReportMetric(median(bare), "nothing-cpu-ms")
	b.ReportMetric(median(listed), "tools-ms")
	b.ReportMetric(size(program), "MB")
	b.ReportMetric(size(nothing), "nothing-MB")
}
