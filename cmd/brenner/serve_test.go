package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"brenner"
	"brenner/internal/cli"
)

// shell runs commands as a user in a directory would.
type shell struct {
	t   *testing.T
	dir string
	env map[string]string
}

func newShell(t *testing.T) *shell {
	dir := t.TempDir()
	t.Setenv("BRENNER_KEYS", filepath.Join(dir, "keys"))
	return &shell{t: t, dir: dir, env: map[string]string{"USER": "ada"}}
}

// with is the same shell with another variable.
func (s *shell) with(name, value string) *shell {
	env := map[string]string{name: value}
	for k, v := range s.env {
		if k != name {
			env[k] = v
		}
	}
	return &shell{s.t, s.dir, env}
}

// run gives the exit status and what was printed.
func (s *shell) run(args ...string) (int, string, string) {
	var out, errs bytes.Buffer
	status := s.start(s.t.Context(), strings.NewReader(""), &out, &errs, args...)
	return status, out.String(), errs.String()
}

func (s *shell) start(ctx context.Context, in io.Reader, out, errs io.Writer, args ...string) int {
	return cli.Run(ctx, cli.Env{
		In: in, Out: out, Err: errs, Dir: s.dir, Version: "test",
		Getenv: func(k string) string { return s.env[k] },
		Open:   openProject, Store: storeOf, Init: initProject, Import: importProject, Serve: serveProject, MCP: mcpProject, Runner: newRunner,
		EmbeddingAllowed: embeddingAllowed, AllowEmbedding: allowEmbedding,
	}, args)
}

// must runs a command that works, and gives its output.
func (s *shell) must(args ...string) string {
	s.t.Helper()
	status, out, errs := s.run(args...)
	if status != 0 {
		s.t.Fatalf("brenner %s: %d\n%s%s", strings.Join(args, " "), status, out, errs)
	}
	return strings.TrimSpace(out)
}

// refused runs a command that does not work, with this code.
func (s *shell) refused(code string, args ...string) {
	s.t.Helper()
	if status, out, errs := s.run(args...); status == 0 || !strings.Contains(errs, code) {
		s.t.Errorf("brenner %s: %d\n%s%s, want %s", strings.Join(args, " "), status, out, errs, code)
	}
}

// serves starts a server and gives its address; it stops with the test.
func (s *shell) serves(args ...string) string {
	s.t.Helper()
	address, _ := s.servesUntil(s.t.Context(), args...)
	return address
}

// servesUntil starts a server that stops with a context, or with the test.
func (s *shell) servesUntil(ctx context.Context, args ...string) (address string, stopped <-chan struct{}) {
	s.t.Helper()
	r, w := io.Pipe()
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	status := 0
	var errs bytes.Buffer
	go func() {
		status = s.start(ctx, strings.NewReader(""), w, &errs, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
		_ = w.Close()
		close(ended)
	}()
	s.t.Cleanup(func() {
		stop()
		if <-ended; status != 0 {
			s.t.Errorf("serve ended with %d: %s", status, errs.String())
		}
	})
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		s.t.Fatalf("serve said nothing: %v, %s", err, errs.String())
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return strings.TrimSpace(strings.TrimPrefix(line, "serving ")), ended
}

// X1, X8: with --server every command works from afar, as whoever the token
// names, with the codes it has at home.
func TestServer_CommandsWorkFromAfar(t *testing.T) {
	home := newShell(t)
	home.must("init", "--name", "Fate", "--pi", "ada")
	home.must("agent", "add", "BlueLake", "--role", "hypothesis_generator")
	ada := home.with("BRENNER_TOKEN", home.must("agent", "token", "ada"))
	blue := home.with("BRENNER_TOKEN", home.must("agent", "token", "BlueLake"))
	address := home.serves()

	if out := blue.must("--server", address, "agent", "list"); !strings.Contains(out, "BlueLake") {
		t.Errorf("got %s", out)
	}
	blue.must("--server", address, "artifact", "new", "--type", "paper_note", "--id", "n", "--summary", "a note", "--content", "text")
	ada.with("BRENNER_SERVER", address).must("artifact", "promote", "n", "--reason", "it holds")
	blue.refused("WRITE_DENIED", "--server", address, "artifact", "promote", "n", "--reason", "mine")
	blue.refused("READ_DENIED", "--server", address, "verify")
	ada.refused("NOT_FOUND", "--server", address, "artifact", "show", "nowhere")
	if out := ada.must("--server", address, "verify"); !strings.Contains(out, "ok") {
		t.Errorf("verify: %s", out)
	}
	ada.must("--server", address, "export", "there.jsonl")
	home.must("export", "here.jsonl")
	there, err := os.ReadFile(filepath.Join(home.dir, "there.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.ReadFile(filepath.Join(home.dir, "here.jsonl"))
	if err != nil || !bytes.Equal(here, there) {
		t.Errorf("the exports differ: %v", err)
	}
	// A token names the actor at home too.
	blue.refused("READ_DENIED", "verify")

	home.refused("UNAUTHENTICATED", "--server", address, "agent", "list")
	home.with("BRENNER_TOKEN", "brn_x").refused("UNAUTHENTICATED", "--server", address, "agent", "list")
	blue.refused("USAGE", "--server", address, "--as", "BlueLake", "agent", "list")
	blue.refused("INVALID_VALUE", "--server", "ftp://x", "agent", "list")
	blue.refused("STORE_UNAVAILABLE", "--server", "http://127.0.0.1:1", "agent", "list")
}

// X8: a server that knows no token stays on this machine.
func TestServer_WithoutTokensListensOnThisMachineOnly(t *testing.T) {
	home := newShell(t)
	home.must("init", "--name", "Fate", "--pi", "ada")
	home.refused("USAGE", "serve", "--addr", "0.0.0.0:0")
	home.refused("USAGE", "serve", "--addr", ":0")
	home.refused("USAGE", "serve", "--addr", "nonsense")
	home.refused("USAGE", "serve", "--as", "BlueLake")
	home.refused("FILE_ERROR", "serve", "--tls-cert", "none", "--tls-key", "none")
}

// X1: an address that is taken has a code of its own: the store is fine.
func TestServer_ATakenAddressHasItsOwnCode(t *testing.T) {
	home := newShell(t)
	home.must("init", "--name", "Fate", "--pi", "ada")
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	home.refused("ADDRESS_UNAVAILABLE", "serve", "--addr", l.Addr().String())
}

// X1, X3: a program that asks badly is told so with a code, never with a page.
func TestServer_ProgramsThatAskBadlyGetACode(t *testing.T) {
	home := newShell(t)
	home.must("init", "--name", "Fate", "--pi", "ada")
	token := home.must("agent", "token", "ada")
	address := home.serves()
	for _, c := range []struct {
		name, method, path, kind, body string
		status                         int
		code                           string
	}{
		{"an unknown path", "GET", "/api/v1/nowhere", "", "", 404, "NOT_FOUND"},
		{"an unknown method", "DELETE", "/api/v1/artifacts/n", "", "", 404, "NOT_FOUND"},
		{"no message", "POST", "/mcp", "application/json", "{", 400, "INVALID_JSON"},
		{"no message but JSON", "POST", "/mcp", "application/json", `{"jsonrpc":"2.0","id":{},"method":7}`, 400, "INVALID_JSON"},
		{"no parameters", "POST", "/mcp", "application/json", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, 200, "INVALID_VALUE"},
		{"parameters of another shape", "POST", "/mcp", "application/json", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, 200, "INVALID_JSON"},
		{"no method of the protocol", "POST", "/mcp", "application/json", `{"jsonrpc":"2.0","id":1,"method":"tools/drop"}`, 200, "NOT_FOUND"},
		{"no JSON", "POST", "/mcp", "text/plain", "{}", 415, "INVALID_VALUE"},
		{"no method of MCP", "GET", "/mcp", "", "", 405, "NOT_FOUND"},
		{"no tool", "POST", "/mcp", "application/json", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}`, 200, "NOT_FOUND"},
		{"an endless message", "POST", "/mcp", "application/json", strings.Repeat(" ", brenner.MaxRequestBytes+1), 413, "LIMIT_EXCEEDED"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, address+c.path, io.MultiReader(strings.NewReader(c.body))) // of no known length
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {c.kind}, "Accept": {"application/json, text/event-stream"}}
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != c.status || !strings.Contains(string(body), `"code":"`+c.code+`"`) || strings.Contains(string(body), "Go ") {
			t.Errorf("%s: %d, %v, %s", c.name, res.StatusCode, err, body)
		}
	}
}

// X5, X8: the same server shows the project to a person with a browser, and
// nothing to an agent.
func TestServer_ShowsPagesToPersons(t *testing.T) {
	home := newShell(t)
	home.must("init", "--name", "Fate", "--pi", "ada")
	home.must("agent", "add", "BlueLake", "--role", "hypothesis_generator")
	tokens := map[string]string{"ada": home.must("agent", "token", "ada"), "BlueLake": home.must("agent", "token", "BlueLake"), "nobody": ""}
	address := home.serves()
	for who, want := range map[string]string{"ada": "<h1>Inbox", "BlueLake": "PERSON_REQUIRED", "nobody": "Nobody is logged in"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+tokens[who])
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || !strings.Contains(string(body), want) || !strings.Contains(string(body), "</html>") {
			t.Errorf("%s gets %d, %v\n%s, want %s", who, res.StatusCode, err, body, want)
		}
	}
}
