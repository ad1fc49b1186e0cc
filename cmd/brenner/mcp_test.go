package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/cli"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// process is the program as another process in the directory of a shell.
func (s *shell) process(ctx context.Context, args ...string) *exec.Cmd {
	s.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), runVariable+"=1")
	for k, v := range s.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	return cmd
}

// serverProcess starts a server as another process; it stops with the test.
func (s *shell) serverProcess(args ...string) (address string, cmd *exec.Cmd) {
	s.t.Helper()
	cmd = s.process(context.Background(), append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	return s.started(cmd), cmd
}

// started starts a server and gives its address.
func (s *shell) started(cmd *exec.Cmd) (address string) {
	s.t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.t.Fatalf("the server said nothing: %v", err)
	}
	return strings.TrimSpace(strings.TrimPrefix(line, "serving "))
}

// bearing adds a token to every request.
type bearing string

func (b bearing) RoundTrip(h *http.Request) (*http.Response, error) {
	h = h.Clone(h.Context())
	h.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(h)
}

// agent is an MCP client.
type agent struct {
	t       *testing.T
	session *mcp.ClientSession
}

func connect(t *testing.T, transport mcp.Transport) agent {
	t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return agent{t, s}
}

// call calls a tool and gives its structured result.
func (a agent) call(tool string, arguments map[string]any) (result map[string]any, refused bool) {
	a.t.Helper()
	res, err := a.session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	carried := res.StructuredContent
	if res.IsError {
		carried = res.Meta["brenner/error"]
	}
	raw, err := json.Marshal(carried)
	if err == nil {
		err = json.Unmarshal(raw, &result)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	if words, ok := res.Content[0].(*mcp.TextContent); ok && !res.IsError {
		result["words"] = words.Text
	}
	return result, res.IsError
}

// does calls a tool that works.
func (a agent) does(tool string, arguments map[string]any) map[string]any {
	a.t.Helper()
	result, refused := a.call(tool, arguments)
	if refused {
		a.t.Fatalf("%s: %v", tool, result)
	}
	return result
}

// isRefused calls a tool that does not work, for this reason.
func (a agent) isRefused(code brenner.Code, tool string, arguments map[string]any) {
	a.t.Helper()
	if result, refused := a.call(tool, arguments); !refused || result["code"] != string(code) {
		a.t.Errorf("%s: %v, want %s", tool, result, code)
	}
}

// C7, C8, C16, X8: two agents with different roles work a task to its end,
// through real clients and separate processes, and each is refused what its
// role forbids.
func TestMCP_TwoAgentsWorkATaskToItsEnd(t *testing.T) {
	for name, connected := range map[string]func(t *testing.T, home *shell) (writer, critic agent){
		"over stdio": func(t *testing.T, home *shell) (agent, agent) {
			return connect(t, &mcp.CommandTransport{Command: home.process(t.Context(), "mcp", "--as", "GreyStone")}),
				connect(t, &mcp.CommandTransport{Command: home.with("BRENNER_AGENT", "GreenValley").process(t.Context(), "mcp")})
		},
		"over HTTP": func(t *testing.T, home *shell) (agent, agent) {
			grey, green := home.must("agent", "token", "GreyStone"), home.must("agent", "token", "GreenValley")
			address, _ := home.serverProcess()
			over := func(token string) agent {
				return connect(t, &mcp.StreamableClientTransport{Endpoint: address + "/mcp", HTTPClient: &http.Client{Transport: bearing(token)}})
			}
			return over(grey), over(green)
		},
		"over stdio, on a server": func(t *testing.T, home *shell) (agent, agent) {
			grey, green := home.must("agent", "token", "GreyStone"), home.must("agent", "token", "GreenValley")
			address, _ := home.serverProcess()
			over := func(token string) agent {
				return connect(t, &mcp.CommandTransport{Command: home.with("BRENNER_TOKEN", token).process(t.Context(), "mcp", "--server", address)})
			}
			return over(grey), over(green)
		},
	} {
		t.Run(name, func(t *testing.T) {
			home := newShell(t)
			home.must("init", "--name", "Fate", "--pi", "ada")
			home.must("agent", "add", "GreyStone", "--role", "writer")
			home.must("agent", "add", "GreenValley", "--role", "adversarial_critic")
			pi, closer, err := openProject(t.Context(), cli.Where{Dir: home.dir})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = closer() }()
			task, err := pi.NewTask(t.Context(), api.NewTaskRequest{Title: "Write the methods", Spec: "cover the counts", Role: "writer"})
			if err != nil {
				t.Fatal(err)
			}
			writer, critic := connected(t, home)
			workTask(t, writer, critic, task.ID)
			done, err := pi.Task(t.Context(), api.TaskRequest{ID: task.ID})
			if err != nil || done.State != api.TaskDone || len(done.Outputs) != 1 {
				t.Errorf("the task is %+v, %v", done, err)
			}
		})
	}
}

func workTask(t *testing.T, writer, critic agent, task string) {
	t.Helper()
	who := writer.does("status", nil)["project"].(map[string]any)
	if who["actor"] != "GreyStone" || who["role"] != "writer" {
		t.Errorf("the writer is %v", who)
	}
	critic.isRefused(brenner.CodeTaskNotYours, "task_claim", map[string]any{"id": task})
	if got := writer.does("task_claim", map[string]any{"lease": "1h"}); got["id"] != task {
		t.Fatalf("claimed %v", got)
	}
	got := writer.does("context_assemble", map[string]any{"task": task})
	if text, _ := got["words"].(string); !strings.Contains(text, "cover the counts") {
		t.Errorf("the context is %v", got)
	}
	section := map[string]any{
		"type": "manuscript_section", "id": "methods", "summary": "how we counted", "task": task, "key": "once",
		"content": map[string]any{"format": "text", "data": "we counted twice"},
	}
	critic.isRefused(brenner.CodeWriteDenied, "artifact_write", map[string]any{
		"type": "manuscript_section", "summary": "mine", "content": map[string]any{"format": "text", "data": "x"},
	})
	writer.isRefused(brenner.CodeWriteDenied, "artifact_write", map[string]any{
		"type": "critique", "summary": "mine", "content": map[string]any{"format": "text", "data": "x"},
	})
	writer.does("artifact_write", section)
	if again := writer.does("artifact_write", section); again["ref"] != "methods@1" || !strings.HasPrefix(fmt.Sprint(again["words"]), "duplicate: true") { // X2
		t.Errorf("written again: %v", again)
	}
	critic.does("context_assemble", map[string]any{"question": "is it sound?"})
	critic.does("artifact_get", map[string]any{"ref": "methods@1"})
	critic.does("artifact_write", map[string]any{
		"type": "critique", "summary": "counted twice is not enough",
		"content": map[string]any{"format": "json", "data": `{"finding":"two counts are few","target":"methods@1"}`},
	})
	critic.isRefused(brenner.CodeTaskNotYours, "task_complete", map[string]any{"id": task})
	if done := writer.does("task_complete", map[string]any{"id": task, "note": "done"}); done["state"] != "done" {
		t.Errorf("completed: %v", done)
	}
	writer.isRefused(brenner.CodeTaskClosed, "task_complete", map[string]any{"id": task})
}

// X8: nobody gets tools without being named.
func TestMCP_StartsOnlyForSomebody(t *testing.T) {
	home := newShell(t)
	home.must("init", "--name", "Fate", "--pi", "ada")
	home.refused("UNAUTHENTICATED", "mcp")
	home.refused("UNAUTHENTICATED", "mcp", "--as", "Stranger")
	home.with("BRENNER_TOKEN", "brn_wrong").refused("UNAUTHENTICATED", "mcp")
	home.must("agent", "add", "GreyStone", "--role", "writer")
	home.must("agent", "add", "GreenValley", "--role", "adversarial_critic")
	ofGrey := home.with("BRENNER_TOKEN", home.must("agent", "token", "GreyStone"))
	address, _ := home.serverProcess()
	ofGrey.refused("is of GreyStone", "mcp", "--as", "GreenValley")
	ofGrey.refused("is of GreyStone", "mcp", "--as", "GreenValley", "--server", address)
	res, err := http.Post(address+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %s", res.Status)
	}
}

// D27: a session that compiles after a time does so where there is no server and
// nobody types: the process that hands an agent its tools looks.
func TestMCP_WhatIsDueIsCompiledBesideTools(t *testing.T) {
	home := newShell(t)
	home.must("init", "--name", "Fate", "--pi", "ada")
	for name, role := range map[string]string{"BlueLake": "hypothesis_generator", "GreenValley": "adversarial_critic"} {
		home.must("agent", "add", name, "--role", role)
	}
	home.must("session", "start", "Why?", "--id", "RS-1", "--compile", "1s", "--roster-mode", "unified",
		"--to", "BlueLake", "--role", "hypothesis_generator", "--to", "GreenValley", "--role", "adversarial_critic")
	reply := filepath.Join(home.dir, "reply.md")
	if err := os.WriteFile(reply, []byte("```delta\n{\"operation\":\"ADD\",\"section\":\"hypothesis_slate\",\"payload\":{\"name\":\"Parser\",\"claim\":\"the parser is slow\",\"mechanism\":\"it copies\"}}\n```\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	home.must("session", "ingest", "--from", "BlueLake", reply)
	time.Sleep(1100 * time.Millisecond) // later than that it is found a little later
	connect(t, &mcp.CommandTransport{Command: home.process(t.Context(), "mcp", "--as", "GreenValley")})
	pi, closer, err := openProject(t.Context(), cli.Where{Dir: home.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = closer() }()
	for {
		list, err := pi.Sessions(t.Context(), api.ListSessionsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if list.Sessions[0].Artifact.Version > 1 {
			return // or the test never ends
		}
		time.Sleep(100 * time.Millisecond)
	}
}
