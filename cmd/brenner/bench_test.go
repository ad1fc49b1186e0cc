package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/httpapi"
	"brenner/internal/locate"
	"brenner/internal/mcpserver"
	"brenner/internal/pgtest"
	"brenner/roster"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// site is a served project with work for agents in it.
type site struct {
	app     *app.App
	address string
	session brenner.SessionID
	team    roster.Roster
	tokens  map[brenner.ActorName]string
	n       atomic.Int64 // makes every submission its own
}

const benchAgents = 64

func agentName(i int) brenner.ActorName { return brenner.ActorName(fmt.Sprintf("Agent%d", i)) }

// newSite serves a project of a few hundred notes on a store.
func newSite(b *testing.B, at locate.Address) *site {
	b.Helper()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	st, err := openStore(b.Context(), at, true)
	must(err)
	b.Cleanup(func() { _ = st.Close() })
	s := &site{app: newApp(st, at), tokens: map[brenner.ActorName]string{}}
	_, err = s.app.Init(b.Context(), api.InitRequest{Name: "Fate", PI: "ada"})
	must(err)
	pi := s.app.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	var team roster.Roster
	names := []brenner.ActorName{"ada"}
	for i := range benchAgents {
		_, err := pi.AddAgent(b.Context(), api.AddAgentRequest{Name: agentName(i), Role: roster.HypothesisGenerator})
		must(err)
		team.Entries = append(team.Entries, roster.Entry{AgentName: agentName(i), Role: roster.HypothesisGenerator, Program: roster.ClaudeCode})
		names = append(names, agentName(i))
	}
	for _, name := range names {
		t, err := pi.IssueToken(b.Context(), api.IssueTokenRequest{Actor: name})
		must(err)
		s.tokens[name] = t.Secret
	}
	for i := range 300 {
		_, err := pi.CreateArtifact(b.Context(), api.CreateArtifactRequest{
			ID: brenner.ArtifactID(fmt.Sprintf("note-%d", i)), Type: "paper_note", Summary: fmt.Sprintf("clone %d of the gradient", i),
			Content: api.Body{Format: artifact.Text, Data: fmt.Sprintf("the clone %d keeps its fate when it is moved", i)},
		})
		must(err)
	}
	s.team = team
	boundMemory() // as serve does
	server := httptest.NewServer(httpapi.New(httpapi.Options{
		Backend: backend{s.app}, Rate: 1 << 30, Burst: 1 << 30,
		MCP: mcpserver.Handler(mcpserver.Options{Service: asCaller}),
	}))
	b.Cleanup(server.Close)
	s.address = server.URL
	return s
}

// begin starts a session in which some deltas wait.
func (s *site) begin(b *testing.B) {
	b.Helper()
	started, err := s.app.As(app.Identity{Name: "ada", Auth: app.AuthOwner}).StartSession(b.Context(), api.StartSessionRequest{
		ID: brenner.SessionID(fmt.Sprintf("RS-bench-%d", s.n.Add(1))), Question: "What decides cell fate?", Roster: s.team, Compile: api.CompileManual,
	})
	if err != nil {
		b.Fatal(err)
	}
	s.session = started.Session.ID
	var reply strings.Builder
	for range serverWaiting {
		reply.WriteString(s.arguments("delta_submit")["text"].(string))
	}
	_, err = s.app.As(app.Identity{Name: agentName(0), Auth: app.AuthOwner}).SubmitDeltas(b.Context(), api.SubmitDeltasRequest{Session: s.session, Text: reply.String()})
	if err != nil {
		b.Fatal(err)
	}
}

// arguments are those of one call of a tool.
func (s *site) arguments(tool string) map[string]any {
	n := s.n.Add(1)
	switch tool {
	case "artifact_get":
		return map[string]any{"ref": fmt.Sprintf("note-%d", n%300)}
	case "context_assemble":
		return map[string]any{"question": fmt.Sprintf("what keeps the fate of clone %d?", n%300)}
	}
	return map[string]any{"session": string(s.session), "text": fmt.Sprintf("```delta\n"+
		`{"operation":"ADD","target_id":null,"section":"anomaly_register","rationale":"seen","payload":{"name":"x%d","observation":"seen %d"}}`+"\n```\n", n, n)}
}

// direct is the same call without a network.
func (s *site) direct(ctx context.Context, tool string, client int) error {
	service := s.app.As(app.Identity{Name: caller(tool, client), Auth: app.AuthOwner})
	var err error
	switch a := s.arguments(tool); tool {
	case "artifact_get":
		ref, _ := brenner.ParseRef(a["ref"].(string))
		_, err = service.Artifact(ctx, api.ArtifactRequest{Ref: ref})
	case "context_assemble":
		_, err = service.AssembleContext(ctx, api.ContextRequest{Question: a["question"].(string)})
	default:
		_, err = service.SubmitDeltas(ctx, api.SubmitDeltasRequest{Session: s.session, Text: a["text"].(string)})
	}
	return err
}

// caller is who calls a tool: agents, except where they read inside a budget,
// which would run out.
func caller(tool string, client int) brenner.ActorName {
	if tool == "artifact_get" {
		return "ada"
	}
	return agentName(client)
}

// wire is what carries the requests of many clients, each with a connection
// that stays.
func wire(clients int) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = clients
	return t
}

// carried adds a token to every request, and counts what is answered.
type carried struct {
	token    string
	over     *http.Transport
	answered *atomic.Int64
}

func (c carried) RoundTrip(h *http.Request) (*http.Response, error) {
	h = h.Clone(h.Context())
	h.Header.Set("Authorization", "Bearer "+c.token)
	res, err := c.over.RoundTrip(h)
	if err == nil {
		res.Body = &weighed{ReadCloser: res.Body, on: c.answered}
	}
	return res, err
}

// weighed is a body that says at its end how many bytes it had.
type weighed struct {
	io.ReadCloser
	bytes int64
	on    *atomic.Int64
}

func (w *weighed) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if w.bytes += int64(n); err != nil {
		w.on.Store(w.bytes)
	}
	return n, err
}

func (s *site) connect(b *testing.B, name brenner.ActorName, over *http.Transport, answered *atomic.Int64) *mcp.ClientSession {
	b.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(b.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.address + "/mcp", DisableStandaloneSSE: true,
		HTTPClient: &http.Client{Transport: carried{s.tokens[name], over, answered}},
	}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	return c
}

// plain answers every request with so many bytes and does nothing else: what
// HTTP costs by itself here.
func plain(b *testing.B, size int64) string {
	body := make([]byte, size)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, h *http.Request) {
		_, _ = io.Copy(io.Discard, h.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	b.Cleanup(s.Close)
	return s.URL
}

// BenchmarkDemo tells the whole story once, and starts the program as often
// without anything to do.
func BenchmarkDemo(b *testing.B) {
	dir := b.TempDir()
	process := func(args ...string) ([]byte, time.Duration) {
		cmd := exec.CommandContext(b.Context(), os.Args[0], args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), runVariable+"=1", "USER=ada", "BRENNER_KEYS="+filepath.Join(dir, "keys"))
		start := time.Now()
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("brenner %v: %v\n%s", args, err, out)
		}
		return out, time.Since(start)
	}
	steps := 0
	for b.Loop() {
		out, _ := process("demo", "--json")
		steps = bytes.Count(out, []byte(`"command":`))
	}
	starts := time.Duration(0)
	for range steps {
		_, took := process("--version")
		starts += took
	}
	b.ReportMetric(float64(steps), "steps")
	b.ReportMetric(float64(starts), "starts-ns")
}

// BenchmarkServer prints requests a second and the 99th percentile of three
// tools, through MCP over HTTP with a token, called by clients of the protocol's
// library. Beside them, in the same run and with as many callers: bytes-req/s, how many
// calls a second the server answers clients that only send and read bytes, which leave it
// more of the processors; x-direct, how many times more calls a second than with the
// library the service itself takes without a network; x-http, how many times more
// requests a second a server takes that only sends as many bytes. As many calls are made in
// every run: replies fill their session, and a context reads what those before it wrote. Those
// of so many clients go to a session of their own, in which some deltas wait already.
func BenchmarkServer(b *testing.B) {
	stores := map[string]func(b *testing.B) locate.Address{
		"sqlite": func(b *testing.B) locate.Address {
			return locate.Address{SQLite: filepath.Join(b.TempDir(), "project.db")}
		},
		"postgres": func(b *testing.B) locate.Address { return locate.Address{Postgres: pgtest.OpenDurable(b)} },
	}
	for _, store := range []string{"sqlite", "postgres"} {
		for _, tool := range []string{"artifact_get", "delta_submit", "context_assemble"} {
			b.Run(store+"/"+tool, func(b *testing.B) {
				s := newSite(b, stores[store](b))
				for _, clients := range []int{1, 16, 64} {
					b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) { s.measure(b, tool, clients) })
				}
			})
		}
	}
}

// serverCalls is how often each tool is called by the clients of each kind.
var serverCalls = map[string]int{"artifact_get": 4_000, "delta_submit": 512, "context_assemble": 256}

// serverWaiting is how many deltas wait in a session before replies are handed in to it.
const serverWaiting = 300

func (s *site) measure(b *testing.B, tool string, clients int) {
	if tool == "delta_submit" {
		s.begin(b)
	}
	for b.Loop() { // one run is a measurement; its size is fixed
	}
	calls := serverCalls[tool]
	over := wire(clients)
	defer over.CloseIdleConnections()
	var answered atomic.Int64
	sessions := make([]*mcp.ClientSession, clients)
	for i := range sessions {
		sessions[i] = s.connect(b, caller(tool, i), over, &answered)
	}
	ours := load(b, calls, clients, func(ctx context.Context, client int) error {
		res, err := sessions[client].CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: s.arguments(tool)})
		if err == nil && res.IsError {
			err = fmt.Errorf("%s: %v", tool, res.StructuredContent)
		}
		return err
	})
	direct := load(b, calls, clients, func(ctx context.Context, client int) error { return s.direct(ctx, tool, client) })
	bare := &http.Client{Transport: over}
	plainly := load(b, calls, clients, func(ctx context.Context, client int) error {
		arguments, err := json.Marshal(s.arguments(tool))
		if err != nil {
			return err
		}
		return post(ctx, bare, s.address+"/mcp", s.tokens[caller(tool, client)],
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments))
	})
	address := plain(b, answered.Load())
	raw := load(b, calls, clients, func(ctx context.Context, _ int) error {
		return post(ctx, bare, address, "", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	})
	b.ReportMetric(ours.perSecond, "req/s")
	b.ReportMetric(float64(ours.p50.Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(ours.p99.Microseconds())/1000, "p99-ms")
	b.ReportMetric(plainly.perSecond, "bytes-req/s")
	b.ReportMetric(direct.perSecond/ours.perSecond, "x-direct")
	b.ReportMetric(raw.perSecond/ours.perSecond, "x-http")
}

// post sends a call and reads the answer, of which it knows only whether it is a refusal.
func post(ctx context.Context, by *http.Client, address, token, body string) error {
	h, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return err
	}
	h.Header = http.Header{
		"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2025-11-25"},
	}
	res, err := by.Do(h)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || strings.Contains(string(answer), `"isError":true`)) {
		err = fmt.Errorf("%s: %d %s", address, res.StatusCode, answer)
	}
	return errors.Join(err, res.Body.Close())
}

// loaded is what some callers at once got.
type loaded struct {
	perSecond float64
	p50, p99  time.Duration
}

// load makes so many calls by some callers at once.
func load(b *testing.B, calls, clients int, call func(ctx context.Context, client int) error) loaded {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(calls))
	took := make([][]time.Duration, clients)
	var all sync.WaitGroup
	begin := time.Now()
	for i := range clients {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				start := time.Now()
				if err := call(b.Context(), i); err != nil {
					b.Error(err)
					return
				}
				took[i] = append(took[i], time.Since(start))
			}
		})
	}
	all.Wait()
	whole := time.Since(begin)
	every := slices.Concat(took...)
	if len(every) == 0 {
		b.FailNow()
	}
	slices.Sort(every)
	return loaded{perSecond: float64(len(every)) / whole.Seconds(), p50: every[len(every)/2], p99: every[len(every)*99/100]}
}
