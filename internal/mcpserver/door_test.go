package mcpserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"brenner"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// X1: what is wrong with a message before anybody looks at what it asks for is
// told by a number of the protocol and a code of ours, with the place.
func TestDoor_RefusesWhatTheProtocolHasNot(t *testing.T) {
	const meta = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`
	for _, c := range []struct {
		message string
		number  int64 // 0: nothing is wrong
		code    brenner.Code
		pointer string
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 0, "", ""},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}`, 0, "", ""},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"later":true}}`, 0, "", ""},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status"}}`, 0, "", ""},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, 0, "", ""},
		{`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":` + meta + `}`, 0, "", ""},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/drop"}`, -32601, brenner.CodeNotFound, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x"}}`, -32601, brenner.CodeNotFound, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, -32601, brenner.CodeNotFound, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + meta + `}`, -32601, brenner.CodeNotFound, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, -32600, brenner.CodeInvalidValue, ""},
		{`{"jsonrpc":"2.0","method":"tools/list"}`, -32600, brenner.CodeInvalidValue, ""},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, -32602, brenner.CodeInvalidValue, "/params"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`, -32602, brenner.CodeInvalidValue, "/params"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, -32602, brenner.CodeInvalidJSON, "/params"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`, -32602, brenner.CodeInvalidJSON, "/params/name"},
	} {
		msg, err := jsonrpc.DecodeMessage([]byte(c.message))
		if err != nil {
			t.Fatal(err)
		}
		_, refusal := placed(msg.(*jsonrpc.Request))
		if (refusal == nil) != (c.number == 0) {
			t.Errorf("%s: %+v", c.message, refusal)
			continue
		}
		if refusal == nil {
			continue
		}
		var e brenner.Error
		if json.Unmarshal(refusal.Data, &e) != nil || refusal.Code != c.number || e.Code != c.code || e.Pointer != c.pointer ||
			!strings.HasPrefix(refusal.Message, string(c.code)+": ") {
			t.Errorf("%s: %+v %s", c.message, refusal, refusal.Data)
		}
	}
}

// What the door lets through is what the server answers: no method of the table
// is unknown to the library.
func TestDoor_KnowsWhatTheServerAnswers(t *testing.T) {
	handler := Handler(fuzzOptions(t))
	seen := map[string]bool{}
	for _, revision := range []string{"2025-06-18", noSessions} {
		for _, seed := range messageSeeds(revision) {
			msg, err := jsonrpc.DecodeMessage([]byte(seed))
			req, ok := msg.(*jsonrpc.Request)
			if err != nil || !ok || isMisplaced(req) {
				continue
			}
			seen[req.Method] = true
			if answer := deliver(t, handler, revision, seed); strings.Contains(answer, "-32601") {
				t.Errorf("%s %s: %s", revision, seed, answer)
			}
		}
	}
	for name, m := range methods {
		if !m.notifies && !seen[name] {
			t.Errorf("%s was not tried", name)
		}
	}
}

// X1, X3: a request that is no message is refused as JSON-RPC, under the HTTP
// status that clients know it by.
func TestHandler_RefusesWhatIsNoMessage(t *testing.T) {
	handler := Handler(fuzzOptions(t))
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	ask := func(method, body string, headers ...string) *httptest.ResponseRecorder {
		h := httptest.NewRequestWithContext(t.Context(), method, "http://localhost/mcp", strings.NewReader(body))
		h.Header = http.Header{"Content-Type": {"application/json; charset=utf-8"}, "Accept": {"*/*"}}
		for i := 0; i < len(headers); i += 2 {
			h.Header.Set(headers[i], headers[i+1])
		}
		out := httptest.NewRecorder()
		handler.ServeHTTP(out, h)
		return out
	}
	for _, c := range []struct {
		name   string
		answer *httptest.ResponseRecorder
		status int
		number int64 // 0: it is answered
		code   brenner.Code
	}{
		{"a message", ask("POST", list), 200, 0, ""},
		{"a batch of old", ask("POST", "["+list+"]"), 200, 0, ""},
		{"another method of HTTP", ask("GET", ""), 405, -32600, brenner.CodeNotFound},
		{"another type", ask("POST", list, "Content-Type", "text/plain"), 415, -32600, brenner.CodeInvalidValue},
		{"half of the answers", ask("POST", list, "Accept", "application/json"), 400, -32600, brenner.CodeInvalidValue},
		{"an unknown revision", ask("POST", list, revisionHeader, "1999-12-31"), 400, mcp.CodeUnsupportedProtocolVersion, brenner.CodeInvalidValue},
		{"nothing", ask("POST", ""), 400, -32700, brenner.CodeInvalidJSON},
		{"no JSON", ask("POST", "{"), 400, -32700, brenner.CodeInvalidJSON},
		{"no message", ask("POST", `{"id":1}`), 400, -32700, brenner.CodeInvalidJSON},
		{"an empty batch", ask("POST", "[]"), 400, -32700, brenner.CodeInvalidJSON},
		{"a batch of today", ask("POST", "["+list+"]", revisionHeader, "2025-06-18"), 400, -32600, brenner.CodeInvalidValue},
		{"too many messages", ask("POST", "["+strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`, brenner.MaxMessages)+`{"jsonrpc":"2.0","id":1,"method":"ping"}]`), 413, -32600, brenner.CodeLimitExceeded},
		{"too many values", ask("POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[`+strings.Repeat("{},", 1<<16)+`{}]}`), 413, -32600, brenner.CodeLimitExceeded},
		{"too much", ask("POST", strings.Repeat(" ", brenner.MaxRequestBytes+1)), 413, -32600, brenner.CodeLimitExceeded},
		{"an unknown method", ask("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/drop"}`), 200, -32601, brenner.CodeNotFound},
		{"an unknown method of today", ask("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/drop"}`, revisionHeader, noSessions), 404, -32601, brenner.CodeNotFound},
		{"an unknown notification", ask("POST", `{"jsonrpc":"2.0","method":"notifications/drop"}`), 400, -32601, brenner.CodeNotFound},
	} {
		found := errorsIn(c.answer.Body.String())
		if c.answer.Code != c.status || len(found) == 0 != (c.number == 0) {
			t.Errorf("%s: %d %s", c.name, c.answer.Code, c.answer.Body)
			continue
		}
		if c.number != 0 && (found[0].Code != c.number || found[0].Data.Code != c.code) {
			t.Errorf("%s: %s", c.name, c.answer.Body)
		}
	}
	refused := errorsIn(ask("POST", list, revisionHeader, "1999-12-31").Body.String())[0]
	if !slices.Equal(refused.Data.Supported, mcp.SupportedProtocolVersions()) {
		t.Errorf("spoken here: %v", refused.Data.Supported)
	}
}

// X1: what a method fails with without a number is INTERNAL; the cause is
// logged and not shown.
func TestServer_AFaultIsLoggedAndNotShown(t *testing.T) {
	var log strings.Builder
	o := Options{Log: slog.New(slog.NewJSONHandler(&log, nil))}
	fails := func(context.Context, string, mcp.Request) (mcp.Result, error) {
		return nil, errors.New("the disk is on fire")
	}
	_, err := o.coded(fails)(t.Context(), "tools/list", nil)
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e.Code != jsonrpc.CodeInternalError || !strings.Contains(string(e.Data), `"code":"INTERNAL"`) ||
		strings.Contains(e.Message+string(e.Data), "fire") {
		t.Errorf("shown: %v, %s", err, e.Data)
	}
	if !strings.Contains(log.String(), "the disk is on fire") {
		t.Errorf("logged: %q", log.String())
	}
}

func isMisplaced(req *jsonrpc.Request) bool {
	_, refusal := placed(req)
	return refusal != nil
}
