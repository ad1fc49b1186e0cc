package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"brenner"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var curl = regexp.MustCompile(`(?:until|till) \d\d:\d\d UTC:\n(curl -\S+ (?:(-o|-T)) (\S+) -H 'Brenner-Ticket: ([A-Z0-9]+)' '?(http://[^\s']+)'?)\n`)

// transfer is a command that an agent was given for a file.
type transfer struct {
	command, file, ticket, address string
	sends                          bool
}

func transferIn(t *testing.T, result map[string]any) transfer {
	t.Helper()
	words, _ := result["words"].(string)
	m := curl.FindStringSubmatch(words)
	if m == nil {
		t.Fatalf("no command in %q", words)
	}
	return transfer{m[1], m[3], m[4], m[5], m[2] == "-T"}
}

// make makes the request that the command makes.
func (f transfer) make(t *testing.T, content []byte) (status int, answer string) {
	t.Helper()
	method, body := http.MethodGet, io.Reader(nil)
	if f.sends {
		method, body = http.MethodPut, bytes.NewReader(content)
	}
	return f.with(t, method, body)
}

func (f transfer) with(t *testing.T, method string, body io.Reader) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, f.address, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Brenner-Ticket", f.ticket)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

// run runs the command itself, where there is curl.
func (f transfer) run(t *testing.T, file string) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Log("without curl its command was not run")
		return
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", f.command)
	cmd.Dir = t.TempDir()
	held := filepath.Join(cmd.Dir, f.file)
	if content, err := os.ReadFile(file); err == nil {
		if err := os.WriteFile(held, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v: %s", f.command, err, out)
	}
	if f.sends {
		if !strings.Contains(string(out), "wrote ") {
			t.Errorf("%s: %s", f.command, out)
		}
		return
	}
	got, err := os.ReadFile(held)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := os.ReadFile(file + ".want"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, want %d, %v", f.command, len(got), len(want), err)
	}
}

// C33, X8: what an agent writes as a file another fetches, byte for byte, over each way to
// the tools and as each itself; by nobody without a ticket, and by nobody whose token is
// revoked.
func TestMCP_ContentsGoAsFiles(t *testing.T) {
	for _, way := range []string{"stdio", "HTTP", "stdio, on a server"} {
		t.Run(way, func(t *testing.T) {
			home := newShell(t)
			home.must("init", "--name", "Fate", "--pi", "ada")
			home.must("agent", "add", "GreyStone", "--role", "test_designer")
			home.must("agent", "add", "GreenValley", "--role", "adversarial_critic")
			address := ""
			if way != "stdio" {
				address, _ = home.serverProcess()
			}
			agentOf := func(name string) agent {
				if way == "stdio" {
					return connect(t, &mcp.CommandTransport{Command: home.process(t.Context(), "mcp", "--as", name)})
				}
				token := home.must("agent", "token", name)
				if way == "HTTP" {
					return connect(t, &mcp.StreamableClientTransport{Endpoint: address + "/mcp", HTTPClient: &http.Client{Transport: bearing(token)}})
				}
				return connect(t, &mcp.CommandTransport{Command: home.with("BRENNER_TOKEN", token).process(t.Context(), "mcp", "--server", address)})
			}
			writer, reader := agentOf("GreyStone"), agentOf("GreenValley")
			content := []byte(strings.Repeat("func f() string { return \"å\\n`````\" }\t\r\n", 3000) + "no end of line")

			send := transferIn(t, writer.does("artifact_write", map[string]any{"type": "analysis_result", "id": "code", "summary": "what runs", "file": true}))
			writer.isRefused(brenner.CodeContextRequired, "artifact_get", map[string]any{"ref": "code"})
			if status, answer := send.make(t, content[:1000]); status != 200 || !strings.Contains(answer, "wrote code@1, draft") {
				t.Fatalf("%d %s", status, answer)
			}
			if status, answer := send.make(t, content[:1000]); status != 200 || !strings.HasPrefix(answer, "duplicate: true") {
				t.Errorf("sent again: %d %s", status, answer)
			}
			if status, answer := send.make(t, content); status != 409 || !strings.HasPrefix(answer, "IDEMPOTENCY_REUSED: ") {
				t.Errorf("sent otherwise: %d %s", status, answer)
			}
			again := transferIn(t, writer.does("artifact_write", map[string]any{"id": "code", "summary_holds": true, "file": true}))
			for _, c := range []struct {
				content string
				code    brenner.Code
				status  int
			}{
				{"\xff\xfe no text", brenner.CodeInvalidText, 422},
				{"nul \x00", brenner.CodeInvalidText, 422},
				{strings.Repeat("x", brenner.MaxContentBytes+1), brenner.CodeLimitExceeded, 413},
			} {
				if status, answer := again.make(t, []byte(c.content)); status != c.status || !strings.HasPrefix(answer, string(c.code)+": ") {
					t.Errorf("%.20q: %d %s", c.content, status, answer)
				}
			}
			if status, answer := again.with(t, http.MethodGet, nil); status != 422 || !strings.Contains(answer, "this ticket is for PUT") {
				t.Errorf("fetched with the ticket of a write: %d %s", status, answer)
			}
			file := filepath.Join(t.TempDir(), "code.go")
			for _, name := range []string{file, file + ".want"} {
				if err := os.WriteFile(name, content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			again.run(t, file)
			if status, answer := again.make(t, content); status != 200 || !strings.Contains(answer, "wrote code@2, draft") {
				t.Fatalf("%d %s", status, answer)
			}

			reader.does("context_assemble", map[string]any{"question": "does it run?"})
			fetch := transferIn(t, reader.does("artifact_get", map[string]any{"ref": "code@2", "file": true}))
			if status, answer := fetch.make(t, nil); status != 200 || answer != string(content) {
				t.Fatalf("%d, %d bytes for %d", status, len(answer), len(content))
			}
			fetch.run(t, file)
			if got := reader.does("artifact_get", map[string]any{"ref": "code@2"}); got["unchanged"] != true {
				t.Errorf("what was fetched was not read: %v", got)
			}
			first := transferIn(t, reader.does("artifact_get", map[string]any{"ref": "code@1", "file": true}))
			if status, answer := first.with(t, http.MethodDelete, nil); status != 422 || !strings.Contains(answer, "this ticket is for GET") {
				t.Errorf("deleted: %d %s", status, answer)
			}
			both, _ := reader.does("artifact_get", map[string]any{"ref": "code@1", "file": true, "more": []any{"code@2", "none"}})["words"].(string)
			if n := strings.Count(both, "curl -fsS -o code@"); n != 2 || !strings.Contains(both, "none: NOT_FOUND: ") {
				t.Errorf("%d commands in %s", n, both)
			}
			// One ticket reads whatever its holder may, and no more.
			for _, other := range []struct {
				query  string
				status int
				answer string
			}{
				{"?ref=code@1.1", 404, "NOT_FOUND: "}, {"?ref=code@2", 200, string(content)}, {"?ref=code", 200, string(content)}, {"", 200, string(content[:1000])}, {"?ref=none", 404, "NOT_FOUND: "}, {"?ref=no%20ref", 422, "INVALID_ID: "},
			} {
				by := transfer{ticket: first.ticket, address: strings.TrimSuffix(first.address, "?ref=code@1") + other.query}
				if status, answer := by.make(t, nil); status != other.status || !strings.HasPrefix(answer, other.answer) {
					t.Errorf("%s: %d %.100s", other.query, status, answer)
				}
			}
			writer.isRefused(brenner.CodeInvalidValue, "artifact_write", map[string]any{"id": "code", "file": true, "content": map[string]any{"format": "text", "data": "t"}})

			unknown := transfer{ticket: "AAAA", address: fetch.address}
			if status, answer := unknown.make(t, nil); status != 401 || !strings.Contains(answer, "this ticket is not known here") {
				t.Errorf("without a ticket: %d %s", status, answer)
			}
			if way == "HTTP" {
				home.must("agent", "revoke", tokenOf(t, home, "GreenValley"))
				if status, answer := fetch.make(t, nil); status != 401 {
					t.Errorf("with a token that is revoked: %d %s", status, answer)
				}
			}
		})
	}
}

// tokenOf is the id of the token of an agent.
func tokenOf(t *testing.T, home *shell, name string) string {
	t.Helper()
	for line := range strings.Lines(home.must("agent", "tokens")) {
		if f := strings.Fields(line); strings.Contains(line, name) && strings.HasPrefix(f[0], "token-") {
			return f[0]
		}
	}
	t.Fatal(fmt.Errorf("%s has no token", name))
	return ""
}

// C16: a command that stands behind one that waits for its turn runs when it has it, and not
// before; over each way to the tools.
func TestMCP_AShellWaitsForItsTurn(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no curl, and in CI nothing may be skipped")
		}
		t.Skip("there is no curl")
	}
	for _, way := range []string{"stdio", "HTTP"} {
		t.Run(way, func(t *testing.T) {
			home := newShell(t)
			home.must("init", "--name", "Fate", "--pi", "ada")
			home.must("agent", "add", "GreyStone", "--role", "test_designer")
			home.must("agent", "add", "GreenValley", "--role", "adversarial_critic")
			home.must("session", "start", "Why?", "--id", "RS-1", "--to", "GreyStone=test_designer", "--to", "GreenValley=adversarial_critic")
			address := ""
			if way == "HTTP" {
				address, _ = home.serverProcess()
			}
			agentOf := func(name string) agent {
				if way == "stdio" {
					return connect(t, &mcp.CommandTransport{Command: home.process(t.Context(), "mcp", "--as", name)})
				}
				token := home.must("agent", "token", name)
				return connect(t, &mcp.StreamableClientTransport{Endpoint: address + "/mcp", HTTPClient: &http.Client{Transport: bearing(token)}})
			}
			grey, green := agentOf("GreyStone"), agentOf("GreenValley")
			grey.does("inbox", map[string]any{})
			green.does("inbox", map[string]any{})
			grey.does("inbox", map[string]any{"doing": "I time it", "hold": "machine"})
			words, _ := green.does("inbox", map[string]any{"doing": "I time it, too", "hold": "machine 2m"})["words"].(string)
			m := regexp.MustCompile(`(?s)for a shell, as often as you like till \d\d:\d\d UTC: sh turn COMMAND waits for your turn, has machine while COMMAND runs, and gives it back:\n(cat > turn <<'E'\n.*?\nE\n)`).FindStringSubmatch(words)
			if m == nil {
				t.Fatalf("no command in %q", words)
			}
			dir := t.TempDir()
			began, ran := filepath.Join(dir, "began"), filepath.Join(dir, "ran")
			shell := func(command string) (*exec.Cmd, *bytes.Buffer) {
				cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
				out := new(bytes.Buffer)
				cmd.Dir = dir
				cmd.Stdout, cmd.Stderr = out, out
				return cmd, out
			}
			cmd, out := shell(m[1] + "touch began\nsh turn sh -c 'touch ran; exit 7'")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case err := <-ended:
				t.Fatalf("it went on before its turn: %v %s", err, out)
			case <-time.After(2 * time.Second):
			}
			if _, err := os.Stat(began); err != nil {
				t.Fatal("the shell has not begun")
			}
			if _, err := os.Stat(ran); err == nil {
				t.Fatal("what waits has run")
			}
			grey.does("inbox", map[string]any{"hold": "none"})
			if err := <-ended; cmd.ProcessState.ExitCode() != 7 || !strings.Contains(out.String(), "machine is yours alone till ") || !strings.HasSuffix(out.String(), "with that you gave machine back\n") {
				t.Fatalf("%v %s", err, out)
			}
			if _, err := os.Stat(ran); err != nil {
				t.Error("what waited has not run")
			}
			// It was given back, and the line may be run again.
			if words, _ := grey.does("inbox", map[string]any{"hold": "machine"})["words"].(string); !strings.Contains(words, "machine is yours alone till ") {
				t.Fatalf("it was not given back: %s", words)
			}
			grey.does("inbox", map[string]any{"hold": "none"})
			if again, out := shell("sh turn echo 'a  b'"); again.Run() != nil || !strings.Contains(out.String(), "\na  b\nwith that you gave machine back\n") {
				t.Errorf("not again: %s", out)
			}
		})
	}
}
