package mcpserver

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app"
	"brenner/internal/store/memory"
	"brenner/roster"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace/noop"
)

// fuzzOptions serve a project to anybody, as its PI: what is fuzzed is the
// input.
func fuzzOptions(t testing.TB) Options {
	t.Helper()
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	a := app.New(s, app.Options{Clock: func() time.Time { return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) }})
	if _, err := a.Init(t.Context(), api.InitRequest{Name: "Fate", PI: "ada"}); err != nil {
		t.Fatal(err)
	}
	return Options{Version: "1", Tracer: noop.NewTracerProvider(), Service: func(context.Context, http.Header) (api.Service, error) {
		return a.As(app.Identity{Name: "ada", Auth: app.AuthOwner}), nil
	}}
}

// toolSeeds are arguments that some tools understand.
var toolSeeds = []string{
	`{}`,
	`{"key":"k","ref":"n@1","id":"n","type":"paper_note","summary":"s","content":{"format":"text","data":"t"}}`,
	`{"type":"paper_note","id":"n","module":"main","summary":"s","content":{"format":"text","data":"t"}}`,
	`{"patch":{"operations":[]},"ref":"n","question":"q","offset":-1,"text":"t","message":"m","lease":"1h"}`,
	`{"insights":[{"section":"helpful","content":"c","vector":[1e308]}]}`,
	`{"ref":"n"}`, `{"ref":"n","patch":{}}`, `{"text":"t"}`, `{"question":"q"}`, `{"session":"s","text":"t"}`, `{"id":"n","as":"helpful"}`, `{"stalemate":{}}`,
	`{"ref":"n@1","patch":"x"}`, `{"session":"s"}`, `{"role":"pi","title":"t","spec":"s"}`, `{"id":"n"}`, `{"insights":[{"section":"helpful","content":"c"}]}`,
	`{"summary":"s","hypotheses":[],"alternatives":[],"evidence":[],"arbitration_request":"r"}`,
}

// Whatever arguments a tool gets, it neither panics nor says that it failed
// inside, and its answer fits.
func FuzzTools_NoArgumentsMakeThemFail(f *testing.F) {
	o := fuzzOptions(f)
	for i := range tools() {
		for _, seed := range toolSeeds {
			f.Add(uint8(i), seed)
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, arguments string) { o.try(t, tools()[int(n)%len(tools())], arguments) })
}

func (o Options) try(t *testing.T, tool tool, arguments string) {
	t.Helper()
	res, err := o.handle(tool)(t.Context(), &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: tool.name, Arguments: []byte(arguments)}})
	if err != nil {
		t.Fatalf("%s %q: %v", tool.name, arguments, err)
	}
	carried := res.StructuredContent
	if res.IsError {
		carried = res.Meta[metaError]
	}
	raw, err := json.Marshal(carried)
	if err != nil {
		t.Fatalf("%s %q: %v", tool.name, arguments, err)
	}
	var e brenner.Error
	if res.IsError && (json.Unmarshal(raw, &e) != nil || e.Code == "" || e.Code == brenner.CodeInternal) {
		t.Errorf("%s %q: %s", tool.name, arguments, raw)
	}
	if !fits(string(raw), brenner.MaxToolResultTokens) {
		t.Errorf("%s %q: %d bytes", tool.name, arguments, len(raw))
	}
}

// The seeds reach every tool, past the reading of its arguments: fuzzing
// starts behind each door, not in front of it.
func TestFuzz_ReachesEveryTool(t *testing.T) {
	o := fuzzOptions(t)
	if len(tools()) == 0 {
		t.Fatal("there are no tools")
	}
	for _, tool := range tools() {
		bound := 0
		for _, seed := range toolSeeds {
			if bind([]byte(seed), reflect.New(tool.in).Interface()) == nil {
				bound++
			}
			o.try(t, tool, seed)
		}
		if bound == 0 || bound == len(toolSeeds) {
			t.Errorf("%s takes %d of %d seeds", tool.name, bound, len(toolSeeds))
		}
	}
}

// revisions are those of the protocol, and what is none.
var revisions = []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "yesterday"}

// messageSeeds are messages of every kind that a client may send.
func messageSeeds(revision string) []string {
	call := func(method, params string) string {
		if rest, ok := strings.CutPrefix(params, "{"); ok && revision == noSessions {
			params = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + noSessions + `","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},` + rest
			params = strings.Replace(params, ",}", "}", 1)
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	}
	out := []string{
		"", "{", "null", "[]", `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		call("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`),
		call("server/discover", `{}`),
		call("tools/call", `{"name":"drop_everything"}`), call("tools/call", `[]`), call("tools/call", `{"name":7}`), call("initialize", `[]`), call("subscriptions/listen", `[]`),
		`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7},{"jsonrpc":"2.0","id":2,"method":"ping"}]`,
		call("resources/read", `{"uri":"brenner://artifact/a%20b"}`), call("resources/read", `{"uri":"file:///etc/passwd"}`),
		call("resources/subscribe", `{"uri":"brenner://inbox"}`), call("completion/complete", `{}`), call("logging/setLevel", `{"level":"x"}`),
		call("prompts/get", `{"name":"none"}`), call("subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`), call("nothing", `{}`),
	}
	for _, method := range []string{"ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		out = append(out, call(method, `{}`), call(method, `{"cursor":"x"}`))
	}
	for _, uri := range []string{artifactURI + "n@1", snapshotURI, inboxURI} {
		out = append(out, call("resources/read", `{"uri":"`+uri+`"}`))
	}
	for _, name := range roster.PromptNames() {
		out = append(out, call("prompts/get", `{"name":"`+name+`","arguments":{"session":"RS-1"}}`))
	}
	for _, tool := range tools() {
		out = append(out, call("tools/call", `{"name":"`+tool.name+`","arguments":{"ref":"n"}}`))
	}
	return out
}

// X1: whatever message arrives, in whatever revision, the server neither
// panics nor answers that it failed inside, and an error has a code of ours.
func FuzzHandler_NoMessageMakesItFail(f *testing.F) {
	handler := Handler(fuzzOptions(f))
	for i, revision := range revisions {
		for _, seed := range messageSeeds(revision) {
			f.Add(uint8(i), seed)
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, message string) {
		deliver(t, handler, revisions[int(n)%len(revisions)], message)
	})
}

// What is read without the library is read as the library would.
func FuzzDecode_ReadsAsTheLibrary(f *testing.F) {
	for _, revision := range revisions {
		for _, seed := range messageSeeds(revision) {
			f.Add(seed)
		}
	}
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping","params":null}`, `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"\u2028<","method":"p\u0069ng","params": { "a" : [1,2] } }`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"JSONRPC":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","method":"pong"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, `{"jsonrpc":"2.0","id":1,"method":null}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, message string) {
		plain := plainRequest([]byte(message))
		if plain == nil {
			return
		}
		theirs, err := jsonrpc.DecodeMessage([]byte(message))
		if err != nil || !reflect.DeepEqual(theirs, jsonrpc.Message(plain)) {
			t.Fatalf("%s\nread as %#v\nthe library reads %#v: %v", message, plain, theirs, err)
		}
	})
}

func deliver(t *testing.T, handler http.Handler, revision, message string) string {
	t.Helper()
	// A subscription lasts until its client leaves.
	ctx, leave := context.WithTimeout(t.Context(), time.Second)
	defer leave()
	h := httptest.NewRequestWithContext(ctx, "POST", "http://localhost/mcp", strings.NewReader(message))
	h.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if revision != "" {
		h.Header.Set("Mcp-Protocol-Version", revision)
	}
	var m struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
			URI  string `json:"uri"`
		} `json:"params"`
	}
	if json.Unmarshal([]byte(message), &m) == nil { // else the server says so
		h.Header.Set("Mcp-Method", m.Method)
		h.Header.Set("Mcp-Name", m.Params.Name+m.Params.URI)
	}
	out := httptest.NewRecorder()
	handler.ServeHTTP(out, h)
	if body := out.Body.String(); out.Code >= 500 || strings.Contains(body, string(brenner.CodeInternal)) {
		t.Errorf("%s %q: %d %s", revision, message, out.Code, body)
	}
	if kind := out.Header().Get("Content-Type"); out.Code >= 400 && kind != "application/json" {
		t.Errorf("%s %q: %d in %s: %s", revision, message, out.Code, kind, out.Body)
	}
	for _, e := range errorsIn(out.Body.String()) {
		if e.Data.Code == "" && !e.isOfTheRevision(revision) || strings.Contains(e.Message, " Go ") {
			t.Errorf("%s %q: %+v in %s", revision, message, e, out.Body)
		}
	}
	return out.Body.String()
}

// wireError is an error in an answer. What revisions are supported is data of
// the protocol.
type wireError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    struct {
		Code      brenner.Code `json:"code"`
		Supported []string     `json:"supported"`
	} `json:"data"`
}

// isOfTheRevision says whether an error is about what the headers and _meta of
// a request say of each other, or which revisions there are. There the library
// lets nobody in between (docs/adr/0007).
func (e wireError) isOfTheRevision(revision string) bool {
	switch e.Code {
	case mcp.CodeUnsupportedProtocolVersion:
		return e.Data.Supported != nil
	case mcp.CodeHeaderMismatch:
		return true
	case jsonrpc.CodeInvalidParams:
		return revision == noSessions && strings.Contains(e.Message, "_meta")
	}
	return false
}

// errorsIn reads the errors of an answer, of a batch of them, or of events.
func errorsIn(body string) (found []wireError) {
	type answer struct {
		Error *wireError `json:"error"`
	}
	for line := range strings.Lines(body) {
		line = strings.TrimPrefix(line, "data: ")
		var one answer
		var batch []answer
		if json.Unmarshal([]byte(line), &one) == nil {
			batch = []answer{one}
		} else if json.Unmarshal([]byte(line), &batch) != nil {
			continue
		}
		for _, a := range batch {
			if a.Error != nil {
				found = append(found, *a.Error)
			}
		}
	}
	return found
}

// The look-out for errors without a code sees them in every form of answer.
func TestFuzz_ErrorsAreSeen(t *testing.T) {
	const one = `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":{"code":"C"}}}`
	for _, body := range []string{one, "[" + one + "]", "event: message\ndata: " + one + "\n\n"} {
		if found := errorsIn(body); len(found) != 1 || found[0].Message != "m" || found[0].Data.Code != "C" {
			t.Errorf("%q: %+v", body, found)
		}
	}
}

// The seeds reach every tool, resource and prompt through the protocol.
func TestFuzz_ReachesEverythingOffered(t *testing.T) {
	handler := Handler(fuzzOptions(t))
	for _, revision := range []string{"2025-06-18", noSessions} {
		answered := 0
		for _, seed := range messageSeeds(revision) {
			if strings.Contains(deliver(t, handler, revision, seed), `"result":`) {
				answered++
			}
		}
		// What is listed, what is read but the artifact that is not there, and
		// what refuses with a result.
		if want := 4 + 2 + len(roster.PromptNames()) + len(tools()); answered < want {
			t.Errorf("%s: %d messages were answered, want at least %d", revision, answered, want)
		}
	}
}
