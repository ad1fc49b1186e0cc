package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/internal/api"
	"brenner/internal/app"
	"brenner/internal/httpapi"
	"brenner/internal/locate"
	"brenner/internal/mcpserver"
	"brenner/internal/pgtest"
	"brenner/roster"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// site is a served project with work for agents in it.
type site struct {
	app     *app.App
	address string
	session brenner.SessionID
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
	started, err := pi.StartSession(b.Context(), api.StartSessionRequest{Question: "What decides cell fate?", Roster: team})
	must(err)
	s.session = started.Session.ID
	server := httptest.NewServer(httpapi.New(httpapi.Options{
		Backend: backend{s.app}, Rate: 1 << 30, Burst: 1 << 30,
		MCP: mcpserver.Handler(mcpserver.New(mcpserver.Options{Service: byToken(s.app)})),
	}))
	b.Cleanup(server.Close)
	s.address = server.URL
	return s
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
func (s *site) direct(b *testing.B, tool string) time.Duration {
	b.Helper()
	const calls = 50
	who := app.Identity{Name: agentName(0), Auth: app.AuthOwner}
	if tool == "artifact_get" {
		who.Name = "ada"
	}
	service := s.app.As(who)
	start := time.Now()
	for range calls {
		var err error
		switch a := s.arguments(tool); tool {
		case "artifact_get":
			ref, _ := brenner.ParseRef(a["ref"].(string))
			_, err = service.Artifact(b.Context(), api.ArtifactRequest{Ref: ref})
		case "context_assemble":
			_, err = service.AssembleContext(b.Context(), api.ContextRequest{Question: a["question"].(string)})
		default:
			_, err = service.SubmitDeltas(b.Context(), api.SubmitDeltasRequest{Session: s.session, Text: a["text"].(string)})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start) / calls
}

func (s *site) connect(b *testing.B, name brenner.ActorName) *mcp.ClientSession {
	b.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(b.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.address + "/mcp", HTTPClient: &http.Client{Transport: bearing(s.tokens[name])}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	return c
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
// tools, through MCP over HTTP with a token, and how many times slower one call
// by one client is than the same call of the service itself.
func BenchmarkServer(b *testing.B) {
	stores := map[string]func(b *testing.B) locate.Address{
		"sqlite": func(b *testing.B) locate.Address {
			return locate.Address{SQLite: filepath.Join(b.TempDir(), "project.db")}
		},
		"postgres": func(b *testing.B) locate.Address { return locate.Address{Postgres: pgtest.OpenDurable(b)} },
	}
	for _, store := range []string{"sqlite", "postgres"} {
		for _, tool := range []string{"artifact_get", "delta_submit", "context_assemble"} {
			for _, clients := range []int{1, 16, 64} {
				b.Run(fmt.Sprintf("%s/%s/clients=%d", store, tool, clients), func(b *testing.B) {
					s := newSite(b, stores[store](b))
					s.measure(b, tool, clients)
				})
			}
		}
	}
}

func (s *site) measure(b *testing.B, tool string, clients int) {
	reference := s.direct(b, tool)
	sessions := make([]*mcp.ClientSession, clients)
	for i := range sessions {
		name := agentName(i)
		if tool == "artifact_get" {
			name = "ada" // agents read inside a budget
		}
		sessions[i] = s.connect(b, name)
	}
	var left atomic.Int64
	left.Store(int64(b.N))
	took := make([][]time.Duration, clients)
	var all sync.WaitGroup
	b.ResetTimer()
	for i, session := range sessions {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				start := time.Now()
				res, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: s.arguments(tool)})
				if err != nil || res.IsError {
					b.Errorf("%s: %v %+v", tool, err, res)
					return
				}
				took[i] = append(took[i], time.Since(start))
			}
		})
	}
	all.Wait()
	b.StopTimer()
	every := slices.Concat(took...)
	slices.Sort(every)
	if len(every) == 0 {
		return
	}
	b.ReportMetric(float64(len(every))/b.Elapsed().Seconds(), "req/s")
	b.ReportMetric(float64(every[len(every)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(every[len(every)*99/100].Microseconds())/1000, "p99-ms")
	if clients == 1 {
		b.ReportMetric(float64(every[len(every)/2])/float64(reference), "x-direct")
	}
}
