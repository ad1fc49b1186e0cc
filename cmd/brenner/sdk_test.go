package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"brenner"
	"brenner/roster"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

//go:embed testdata/sdk/package.json
var sdkPackage []byte

// sdkDirectory is where the official clients are, installed once by npm.
var sdkDirectory = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(sdkPackage)
	dir := filepath.Join(cache, "brenner-test", "sdk-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), sdkPackage, 0o644); err != nil {
		return "", err
	}
	install := exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install: %w\n%s", err, out)
	}
	return dir, os.WriteFile(filepath.Join(dir, "ready"), nil, 0o644)
})

// officialClient is a client of the protocol's own library, in a process of
// its own.
type officialClient struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func newOfficialClient(t *testing.T, home *shell, args ...string) *officialClient {
	t.Helper()
	dir, err := sdkDirectory()
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/sdk/client.mjs")
	if err != nil {
		t.Fatal(err)
	}
	// Modules are found from where the script is.
	here := filepath.Join(dir, "client.mjs")
	if err := os.WriteFile(here, script, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := home.process(ctx)
	cmd.Args = append([]string{"node", here}, args...)
	if cmd.Path, err = exec.LookPath("node"); err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		cancel()
	})
	return &officialClient{t, in, bufio.NewReaderSize(out, 1<<20)}
}

// came is what came of a step.
type came struct {
	Result struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Structured jsontext.Value            `json:"structuredContent"`
		Meta       map[string]jsontext.Value `json:"_meta"`
		Tools      []struct {
			Name string `json:"name"`
		} `json:"tools"`
		Prompts []struct {
			Name string `json:"name"`
		} `json:"prompts"`
		Contents []struct {
			Text string `json:"text"`
		} `json:"contents"`
		Resources []struct {
			URI string `json:"uri"`
		} `json:"resources"`
		Templates []jsontext.Value `json:"resourceTemplates"`
		Messages  []struct {
			Content struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"messages"`
	} `json:"result"`
	Error string         `json:"error"`
	Code  jsontext.Value `json:"code"`
}

func (c *officialClient) plays(step map[string]any) came {
	c.t.Helper()
	raw, err := json.Marshal(step)
	if err == nil {
		_, err = fmt.Fprintf(c.in, "%s\n", raw)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("%s: the client has ended: %v", raw, err)
	}
	var out came
	if err := json.Unmarshal(line, &out); err != nil {
		c.t.Fatalf("%s: %s: %v", raw, line, err)
	}
	return out
}

// does calls a tool that works, and gives its words.
func (c *officialClient) does(tool string, arguments map[string]any) string {
	c.t.Helper()
	got := c.plays(map[string]any{"do": "call", "name": tool, "arguments": arguments})
	if got.Error != "" || got.Result.IsError || len(got.Result.Content) != 1 || len(got.Result.Structured) == 0 {
		c.t.Errorf("%s %v: %+v", tool, arguments, got)
		return ""
	}
	return got.Result.Content[0].Text
}

// isRefused calls a tool that does not work: the model is told the code, in
// words, and a program finds it in _meta.
func (c *officialClient) isRefused(code brenner.Code, tool string, arguments map[string]any) {
	c.t.Helper()
	got := c.plays(map[string]any{"do": "call", "name": tool, "arguments": arguments})
	var e brenner.Error
	if got.Error != "" || !got.Result.IsError || len(got.Result.Content) != 1 ||
		!strings.HasPrefix(got.Result.Content[0].Text, string(code)+": ") ||
		json.Unmarshal(got.Result.Meta["brenner/error"], &e) != nil || e.Code != code {
		c.t.Errorf("%s %v: %+v, want %s", tool, arguments, got, code)
	}
}

// X1: the protocol's official clients, of both major versions, can call every
// tool rightly and wrongly, over both transports, and see what is said.
func TestMCP_TheOfficialClientsUseEveryTool(t *testing.T) {
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil && os.Getenv("CI") != "true" {
			t.Skipf("the official TypeScript clients need %s: %v", name, err)
		}
	}
	for _, major := range []string{"1", "2"} {
		for _, transport := range []string{"stdio", "http"} {
			t.Run("version "+major+" over "+transport, func(t *testing.T) {
				home := newShell(t)
				home.must("init", "--name", "Fate", "--pi", "ada")
				home.must("agent", "add", "GreyStone", "--role", "hypothesis_generator")
				home.must("session", "start", "--compile", "manual", "--id", "RS-night", "--question", "Why at night?", "--to", "GreyStone", "--role", "hypothesis_generator")
				if err := os.WriteFile(filepath.Join(home.dir, "lesson.md"), []byte("- Look at the counts before the graphs.\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				home.must("playbook", "learn", "lesson.md")
				home.must("playbook", "promote", "general.1", "--force", "PROD", "--reason", "house rule")
				home.must("task", "new", "Look", "--spec", "look at the counts", "--role", "hypothesis_generator")
				var c *officialClient
				if transport == "stdio" {
					exe, err := os.Executable()
					if err != nil {
						t.Fatal(err)
					}
					c = newOfficialClient(t, home, major, "stdio", exe, "mcp", "--as", "GreyStone")
				} else {
					address, _ := home.serverProcess()
					c = newOfficialClient(t, home, major, "http", address+"/mcp", home.must("agent", "token", "GreyStone"))
				}
				useEveryTool(t, c)
			})
		}
	}
}

func useEveryTool(t *testing.T, c *officialClient) {
	t.Helper()
	called := map[string]bool{}
	does := func(tool string, arguments map[string]any) string {
		t.Helper()
		called[tool] = true
		return c.does(tool, arguments)
	}
	if text := does("status", nil); !strings.Contains(text, "GreyStone") || !strings.Contains(text, "unread: ") {
		t.Errorf("status says %q", text)
	}
	message := firstWord(does("inbox", map[string]any{"states": []string{"unread"}}))
	if text := does("inbox", map[string]any{"message": message}); !strings.Contains(text, "Why at night?") {
		t.Errorf("the kickoff is %q", text)
	}
	task := firstWord(does("task_claim", map[string]any{}))
	if text := does("context_assemble", map[string]any{"task": task}); !strings.Contains(text, "look at the counts") {
		t.Errorf("the context is %q", text)
	}
	does("artifact_write", map[string]any{
		"type": "paper_note", "id": "n", "summary": "counts", "task": task,
		"content": map[string]any{"format": "text", "data": "we counted twice\n"},
	})
	// The first version has no parent, which strict clients once refused.
	if text := does("artifact_get", map[string]any{"ref": "n@1"}); !strings.Contains(text, "we counted twice") {
		t.Errorf("artifact_get says %q", text)
	}
	does("artifact_search", map[string]any{"text": "counts"})
	does("lineage", map[string]any{"ref": "n@1"})
	does("patch_apply", map[string]any{"ref": "n@1", "summary_holds": true, "patch": `{"protocol_id":"anchor_diff_v2.1",` +
		`"target":{"base_checksum_sha256":"` + hexSum("we counted twice\n") + `"},` +
		`"op_groups":[{"anchor":{"text":"we counted "},"targets":[{"op":"replace_block","old_block":"twice","new_block":"thrice"}]}]}`})
	does("delta_submit", map[string]any{"session": "RS-night", "text": "```delta\n" +
		`{"operation":"ADD","section":"hypothesis_slate","target_id":null,"payload":{"claim":"c","mechanism":"m"},"rationale":"r"}` + "\n```\n"})
	if text := does("session_show", map[string]any{"session": "RS-night", "again": true}); !strings.Contains(text, "Why at night?") || !strings.Contains(text, "proposed by you") {
		t.Errorf("session_show says %q", text)
	}
	does("playbook_learn", map[string]any{"insights": []map[string]any{{"section": "helpful", "content": "count thrice"}}})
	does("playbook_feedback", map[string]any{"id": "general.1", "as": "helpful"})
	does("review", map[string]any{})
	does("request", map[string]any{"role": "pi", "title": "Count again", "spec": "count once more", "about": []string{"n@2"}})
	stalemate := firstWord(does("stalemate_raise", map[string]any{
		"summary": "twice or thrice", "arbitration_request": "which?", "session": "RS-night",
		"hypotheses": []map[string]any{
			{"author": "GreyStone", "statement": "twice", "justification": "j"}, {"author": "ada"},
		},
		"alternatives": []map[string]any{{"statement": "never", "justification": "l"}},
		"evidence":     []map[string]any{{"kind": "error_log", "content": "the count was 3"}},
	}))
	stalemate, _, _ = strings.Cut(stalemate, "@")
	does("stalemate_reply", map[string]any{"id": stalemate, "statement": "twice it was", "justification": "we saw it"})
	if text := does("artifact_get", map[string]any{"ref": stalemate}); !strings.Contains(text, "twice it was") || !strings.Contains(text, "the count was 3") {
		t.Errorf("the stalemate is %q", text)
	}
	does("task_release", map[string]any{"id": task})
	does("task_claim", map[string]any{"id": task})
	does("task_complete", map[string]any{"id": task})

	wrong := map[string]struct {
		arguments map[string]any
		code      brenner.Code
	}{
		"status":            {map[string]any{"colour": "red"}, brenner.CodeInvalidJSON},
		"inbox":             {map[string]any{"message": "none"}, brenner.CodeNotFound},
		"context_assemble":  {map[string]any{"task": "none"}, brenner.CodeNotFound},
		"artifact_get":      {map[string]any{"ref": "none"}, brenner.CodeNotFound},
		"artifact_search":   {map[string]any{"text": "x", "limit": 1_000_000}, brenner.CodeLimitExceeded},
		"artifact_write":    {map[string]any{"type": "paper_note", "parent": 1}, brenner.CodeInvalidValue},
		"patch_apply":       {map[string]any{"ref": "n@2", "patch": "{}"}, brenner.CodeInvalidPatch},
		"session_show":      {map[string]any{"session": "RS-night", "sections": []string{"thoughts"}}, brenner.CodeInvalidValue},
		"delta_submit":      {map[string]any{"session": "RS-none", "text": "x"}, brenner.CodeNotFound},
		"task_claim":        {map[string]any{"id": "none"}, brenner.CodeNotFound},
		"task_complete":     {map[string]any{"id": task}, brenner.CodeTaskClosed},
		"task_release":      {map[string]any{"id": task}, brenner.CodeTaskClosed},
		"playbook_learn":    {map[string]any{"insights": []map[string]any{{"section": "grey", "content": "c"}}}, brenner.CodeUnknownSection},
		"playbook_feedback": {map[string]any{"id": "general.99", "as": "helpful"}, brenner.CodeNotFound},
		"review":            {map[string]any{"ref": "nowhere@1", "verdict": "approve"}, brenner.CodeNotFound},
		"stalemate_raise":   {map[string]any{"summary": "s", "hypotheses": []any{}, "alternatives": []any{}, "evidence": []any{}, "arbitration_request": "r"}, brenner.CodeInvalidStalemate},
		"stalemate_reply":   {map[string]any{"id": stalemate, "step": "verify"}, brenner.CodeStatusConflict},
		"request":           {map[string]any{"role": "nobody", "title": "t", "spec": "s"}, brenner.CodeUnknownRole},
		"lineage":           {map[string]any{"ref": "none"}, brenner.CodeNotFound},
	}
	tools := c.plays(map[string]any{"do": "tools"}).Result.Tools
	for _, tool := range tools {
		refusal, ok := wrong[tool.Name]
		if !called[tool.Name] || !ok {
			t.Errorf("%s was called rightly: %v, wrongly: %v", tool.Name, called[tool.Name], ok)
			continue
		}
		c.isRefused(refusal.code, tool.Name, refusal.arguments)
	}
	if len(tools) != len(wrong) {
		t.Errorf("%d tools, and %d are called wrongly", len(tools), len(wrong))
	}
	readEverything(t, c)
}

// readEverything reads the resources and the prompts, and gives a call up.
func readEverything(t *testing.T, c *officialClient) {
	t.Helper()
	list := c.plays(map[string]any{"do": "resources"}).Result.Resources
	if len(list) != 2 {
		t.Errorf("the resources are %+v", list)
	}
	for _, r := range list {
		if got := c.plays(map[string]any{"do": "read", "uri": r.URI}); got.Error != "" || len(got.Result.Contents) != 1 {
			t.Errorf("%s: %+v", r.URI, got)
		}
	}
	if got := c.plays(map[string]any{"do": "templates"}).Result.Templates; len(got) != 2 {
		t.Errorf("the templates are %+v", got)
	}
	if got := c.plays(map[string]any{"do": "read", "uri": "brenner://artifact/n@2"}); got.Error != "" || !strings.Contains(got.Result.Contents[0].Text, "we counted thrice") {
		t.Errorf("an artifact as a resource: %+v", got)
	}
	if got := c.plays(map[string]any{"do": "read", "uri": "brenner://run-log/run-1"}); !strings.Contains(got.Error, "READ_DENIED") {
		t.Errorf("the log of a run: %+v", got)
	}
	if got := c.plays(map[string]any{"do": "read", "uri": "brenner://inbox"}); got.Error != "" || len(got.Result.Contents) != 1 {
		t.Errorf("the inbox as a resource: %+v", got)
	}
	if got := c.plays(map[string]any{"do": "read", "uri": "brenner://nothing"}); !strings.Contains(got.Error, "NOT_FOUND") {
		t.Errorf("no such resource: %+v", got)
	}
	prompts := c.plays(map[string]any{"do": "prompts"}).Result.Prompts
	if len(prompts) != len(roster.PromptNames()) {
		t.Errorf("the prompts are %+v", prompts)
	}
	for _, p := range prompts {
		got := c.plays(map[string]any{"do": "prompt", "name": p.Name, "arguments": map[string]any{"session": "RS-night"}})
		if got.Error != "" || len(got.Result.Messages) != 1 || !strings.Contains(got.Result.Messages[0].Content.Text, "You are GreyStone") {
			t.Errorf("the prompt %s: %+v", p.Name, got)
		}
	}
	if got := c.plays(map[string]any{"do": "prompt", "name": "nobody"}); !strings.Contains(got.Error, "NOT_FOUND") {
		t.Errorf("no such prompt: %+v", got)
	}
	for range 20 { // until there is nothing unread
		list := c.does("inbox", map[string]any{"states": []string{"unread"}})
		if strings.HasPrefix(list, "no messages") {
			break
		}
		c.does("inbox", map[string]any{"message": firstWord(list)})
	}
	// A call that waits is given up; the server goes on answering at once.
	if got := c.plays(map[string]any{"do": "cancel", "name": "inbox", "arguments": map[string]any{"wait": 60}}); got.Error == "" {
		t.Errorf("a call that was given up: %+v", got)
	}
	c.does("status", nil) // and the connection goes on
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return word
}

func hexSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
