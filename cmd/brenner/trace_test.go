package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/internal/httpapi"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector is a server that takes spans, as an OpenTelemetry collector does.
type collector struct {
	mu    sync.Mutex
	raw   bytes.Buffer // all that was sent
	spans []*tracepb.Span
	names map[string]string // of the resource
}

func newCollector(t *testing.T) (*collector, string) {
	c := &collector{names: map[string]string{}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, h *http.Request) {
		body, err := io.ReadAll(h.Body)
		var data tracepb.TracesData
		if err != nil || h.URL.Path != "/v1/traces" || h.Header.Get("X-Key") != "a b" || proto.Unmarshal(body, &data) != nil {
			t.Errorf("the collector got %s with %v, %v", h.URL, h.Header, err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.raw.Write(body)
		for _, r := range data.ResourceSpans {
			for _, a := range r.Resource.Attributes {
				c.names[a.Key] = a.Value.GetStringValue()
			}
			for _, s := range r.ScopeSpans {
				c.spans = append(c.spans, s.Spans...)
			}
		}
	}))
	t.Cleanup(s.Close)
	return c, s.URL
}

// find gives the only span that has an attribute.
func (c *collector) find(t *testing.T, name, key, value string) (*tracepb.Span, map[string]string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var found *tracepb.Span
	var has map[string]string
	for _, s := range c.spans {
		attributes := map[string]string{}
		for _, a := range s.Attributes {
			attributes[a.Key] = a.Value.GetStringValue()
		}
		if s.Name == name && attributes[key] == value {
			if found != nil {
				t.Fatalf("two spans %s have %s=%s", name, key, value)
			}
			found, has = s, attributes
		}
	}
	if found == nil {
		t.Fatalf("no span %s has %s=%s; got %v", name, key, value, c.spans)
	}
	return found, has
}

// A server whose environment names a collector sends it a span of each
// request, below that of the caller, and the last of them when it stops.
// Nothing secret is in them (X8).
func TestServe_SendsSpansToACollector(t *testing.T) {
	home := newShell(t)
	home.must("init", "--name", "Fate", "--pi", "ada")
	home.must("agent", "add", "BlueLake", "--role", "hypothesis_generator")
	token := home.must("agent", "token", "BlueLake")
	c, address := newCollector(t)
	traced := home.with("OTEL_EXPORTER_OTLP_ENDPOINT", address).with("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b")
	cmd := traced.process(context.Background(), "serve", "--addr", "127.0.0.1:0")
	var log bytes.Buffer
	cmd.Stderr = &log
	base := home.started(cmd)

	const caller, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	from := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: mustHex[trace.TraceID](caller), SpanID: mustHex[trace.SpanID](parent), TraceFlags: trace.FlagsSampled,
	}))
	client, err := httpapi.NewClient(base, token, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Artifact(from, api.ArtifactRequest{Ref: brenner.Ref{Artifact: "nowhere"}}); brenner.CodeOf(err) != brenner.CodeContextRequired {
		t.Fatalf("got %v", err)
	}
	if res, err := http.Get(base + "/api/v1/project?token=" + token); err != nil || res.Body.Close() != nil || res.StatusCode != http.StatusUnauthorized {
		t.Fatalf("got %v, %v", res, err)
	}
	blue := connect(t, &mcp.StreamableClientTransport{Endpoint: base + "/mcp", HTTPClient: &http.Client{Transport: bearing(token)}, DisableStandaloneSSE: true})
	blue.isRefused(brenner.CodeNotFound, "task_claim", map[string]any{"id": "task-9"})
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the server ended with %v: %s", err, log.String())
	}

	if c.names["service.name"] != "brenner" || c.names["service.version"] == "" {
		t.Errorf("the resource is %v", c.names)
	}
	span, has := c.find(t, "GET /api/v1/artifacts/{ref}", "error.type", "CONTEXT_REQUIRED")
	if hex.EncodeToString(span.TraceId) != caller || hex.EncodeToString(span.ParentSpanId) != parent {
		t.Errorf("the span is not below its caller's: %v", span)
	}
	if has["brenner.actor"] != "BlueLake" || !strings.HasPrefix(has["brenner.auth"], "token:token-") ||
		!strings.HasPrefix(has["brenner.project"], "p-") || has["brenner.call"] != "Artifact" || has["http.route"] != "/api/v1/artifacts/{ref}" {
		t.Errorf("the span says %v", has)
	}
	if line := lineWith(log.String(), has["brenner.request_id"]); !strings.Contains(line, `"trace":"`+caller+`"`) {
		t.Errorf("the log says %s", line)
	}
	if _, has := c.find(t, "GET /api/v1/project", "error.type", "UNAUTHENTICATED"); has["brenner.actor"] != "" {
		t.Errorf("the span of a stranger says %v", has)
	}
	tool, _ := c.find(t, "tools/call task_claim", "error.type", "NOT_FOUND")
	below := false
	for _, s := range c.spans {
		below = below || (s.Name == "POST /mcp" && bytes.Equal(s.SpanId, tool.ParentSpanId) && bytes.Equal(s.TraceId, tool.TraceId))
	}
	if !below {
		t.Errorf("the call of the tool is not below its request")
	}
	for what, secret := range map[string]string{"token": token, "header of the collector": "a b", "prefix of tokens": "brn_"} {
		if strings.Contains(c.raw.String(), secret) {
			t.Errorf("a %s was sent", what)
		}
	}
}

// mustHex reads an id.
func mustHex[ID ~[8]byte | ~[16]byte](text string) (id ID) {
	raw, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	for i := range len(id) {
		id[i] = raw[i]
	}
	return id
}

func lineWith(text, word string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			return line
		}
	}
	return ""
}

// The tools of an agent over standard input are below the span that its client
// names, and those of a server below them.
func TestMCP_SendsSpansToACollector(t *testing.T) {
	home := newShell(t)
	home.must("init", "--name", "Fate", "--pi", "ada")
	home.must("agent", "add", "BlueLake", "--role", "hypothesis_generator")
	token := home.must("agent", "token", "BlueLake")
	c, address := newCollector(t)
	traced := home.with("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", address+"/v1/traces").with("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "X-Key=a%20b")
	base, server := traced.serverProcess()
	cmd := traced.with("BRENNER_TOKEN", token).process(t.Context(), "mcp", "--server", base)
	const caller = "0af7651916cd43dd8448eb211c80319c"
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lineage","arguments":{"ref":"n@1"},"_meta":{"traceparent":"00-` + caller + `-b7ad6b7169203331-01"}}}
`)
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "CONTEXT_REQUIRED") {
		t.Fatalf("got %s, %v", out, err)
	}
	_ = server.Process.Signal(syscall.SIGTERM)
	_ = server.Wait()
	tool, _ := c.find(t, "tools/call lineage", "error.type", "CONTEXT_REQUIRED")
	request, _ := c.find(t, "GET /api/v1/lineage/{ref}", "error.type", "CONTEXT_REQUIRED")
	if hex.EncodeToString(tool.TraceId) != caller || hex.EncodeToString(tool.ParentSpanId) != "b7ad6b7169203331" {
		t.Errorf("the call is not below its caller's span: %v", tool)
	}
	if !bytes.Equal(request.ParentSpanId, tool.SpanId) || !bytes.Equal(request.TraceId, tool.TraceId) {
		t.Errorf("the request is not below the call: %v", request)
	}
}
