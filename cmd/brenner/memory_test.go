package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// peakMemory is the most that a process ever had resident, in MB, as the system
// counts it.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("no peak in %s", status)
	}
	kb, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kb >> 10
}

// watchPrivate samples what a process has resident that is not of a file, and
// gives the most of it in MB.
func watchPrivate(t *testing.T, pid int) func() int {
	own := regexp.MustCompile(`RssAnon:\s+(\d+) kB`)
	var most int
	stop, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for {
			if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
				if found := own.FindSubmatch(status); found != nil {
					kb, _ := strconv.Atoi(string(found[1]))
					most = max(most, kb)
				}
			}
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	end := sync.OnceFunc(func() { close(stop); <-over })
	t.Cleanup(end)
	return func() int { end(); return most >> 10 }
}

// X10: several who ask at the same time for the dearest that each kind of request
// gives do not bring a server, a process of its own, over a gigabyte, and it goes
// on: comparisons of the largest versions, tables that become long pages, replies
// and patches that are long to read, searches, contexts, lineage, exports, and
// new versions of the largest size. In make soak with the largest inputs.
func TestServe_TheWorstMixStaysWithinItsMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the peak of a process is read from /proc")
	}
	if testing.Short() {
		t.Skip("the whole run has it")
	}
	size, rounds, people := 64<<10, 1, 2
	if os.Getenv("BRENNER_SOAK") != "" {
		size, rounds, people = 14<<20, 3, 6
	}
	home := newShell(t)
	home.must("init", "--name", "Fate", "--pi", "ada")
	lines := func(v int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, "%03d\n", (i*7919+v*(i%2))%1000)
		}
		return b.String()
	}
	file := func(name, text string) string {
		path := filepath.Join(home.dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	home.must("artifact", "new", "--id", "n", "--type", "paper_note", "--summary", "s", "--file", file("n1", lines(0)))
	home.must("artifact", "update", "n", "--summary", "t", "--file", file("n2", lines(1)))
	table := strings.Repeat("|a", 500) + "|\n" + strings.Repeat("|-", 500) + "|\n" + strings.Repeat("|\n", 30_000)
	home.must("artifact", "new", "--id", "bomb", "--type", "paper_note", "--summary", "s", "--file", file("bomb", table))
	home.must("agent", "add", "BlueLake", "--role", "hypothesis_generator")
	home.must("session", "start", "--id", "RS-1", "--to", "BlueLake", "--role", "hypothesis_generator", "--question", "What decides fate?")
	var tokens []string
	for i := range people {
		name := fmt.Sprintf("person%d", i)
		home.must("agent", "add", name, "--role", "pi", "--person")
		tokens = append(tokens, home.must("agent", "token", name))
	}
	address, server := home.serverProcess()

	type object = map[string]any
	body := func(v any) []byte {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	notes := func(n, size int) []object {
		var items []object
		text := lines(0)
		for i := range n {
			id := fmt.Sprintf("batch-%d", i)
			items = append(items, object{"name": id, "create": object{
				"id": id, "type": "paper_note", "module": "main", "summary": "s", "content": object{"format": "text", "data": id + text[:size]},
			}})
		}
		return items
	}
	reply := body(object{"session": "RS-1", "from": "BlueLake", "dry_run": true, "text": strings.Repeat("```delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"name\":\"x\",\"claim\":\"y\"},\"rationale\":\"z\"}\n```\n", min(size, 4<<20)/110)})
	patch := body(object{"ref": "n", "patch": object{"old_string": strings.Repeat("123\n4567\n", min(size, 1<<20)/9), "new_string": "x"}})
	asks := []struct {
		what, method, path string
		body               []byte
	}{
		{"diff", "GET", "/api/v1/diff?from=n@1&to=n@2", nil},
		{"page of a diff", "GET", "/artifacts/n/diff?from=1&to=2", nil},
		{"page of a table", "GET", "/artifacts/bomb", nil},
		{"whole text", "GET", "/api/v1/artifacts/n@2", nil},
		{"reply", "POST", "/api/v1/deltas", reply},
		{"patch", "POST", "/api/v1/artifacts/n/patch/explain", patch},
		{"search", "POST", "/api/v1/artifacts/search", body(object{"text": strings.Repeat("fate 001 002 003 ", 20)})},
		{"context", "POST", "/api/v1/contexts", body(object{"question": "What decides fate?"})},
		{"lineage", "GET", "/api/v1/artifacts/n/history", nil},
		{"export", "GET", "/api/v1/export", nil},
		{"batch", "POST", "/api/v1/batch", body(object{"dry_run": true, "items": notes(1000, 2*size/1000)})},
		{"call of a tool", "POST", "/mcp", body(object{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": object{
			"name": "patch_apply", "arguments": object{"ref": "n@2", "dry_run": true, "patch": object{"old_string": lines(7), "new_string": "x"}},
		}})},
		{"verify", "POST", "/api/v1/verify", body(object{"deep": true})},
	}
	var mu sync.Mutex
	got := map[string]map[int]int{}
	ask := func(ctx context.Context, token, what, method, path string, sent []byte) {
		h, err := http.NewRequestWithContext(ctx, method, address+path, bytes.NewReader(sent))
		if err != nil {
			t.Error(err)
			return
		}
		h.Header.Set("Authorization", "Bearer "+token)
		if sent != nil {
			h.Header.Set("Content-Type", "application/json")
			h.Header.Set("Accept", "application/json, text/event-stream")
		}
		answer, err := http.DefaultClient.Do(h)
		if err != nil {
			t.Errorf("%s: the server is gone? %v", what, err)
			return
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		mu.Lock()
		defer mu.Unlock()
		if got[what] == nil {
			got[what] = map[int]int{}
		}
		got[what][answer.StatusCode]++
	}
	idle := peakMemory(t, server.Process.Pid)
	private := watchPrivate(t, server.Process.Pid)
	for round := range rounds {
		var all sync.WaitGroup
		for i, token := range tokens {
			for _, a := range asks {
				all.Go(func() { ask(t.Context(), token, a.what, a.method, a.path, a.body) })
			}
			all.Go(func() {
				id := fmt.Sprintf("new-%d-%d", round, i)
				ask(t.Context(), token, "new text", "POST", "/api/v1/artifacts", body(object{
					"id": id, "type": "paper_note", "module": "main", "summary": "s", "content": object{"format": "text", "data": id + lines(i)},
				}))
			})
		}
		all.Wait()
	}
	for what, statuses := range got {
		for status, n := range statuses {
			if status >= 500 && status != http.StatusServiceUnavailable {
				t.Errorf("%s: %d times %d", what, n, status)
			}
		}
	}
	ask(t.Context(), tokens[0], "afterwards", "GET", "/api/v1/project", nil)
	if got["afterwards"][http.StatusOK] != 1 {
		t.Errorf("the server does not go on: %v", got["afterwards"])
	}
	peak := peakMemory(t, server.Process.Pid)
	t.Logf("%d rounds of %d people with texts of %d MB: peak %d MB resident, of them %d its own and not of the file of the project, %d at the start; answers by status: %v",
		rounds, people, size>>20, peak, private(), idle, got)
	if peak > 1<<10 {
		t.Errorf("%d MB of memory", peak)
	}
}
