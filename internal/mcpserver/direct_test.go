package mcpserver

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// X1: what is answered without the library is answered as the library would, word for
// word, and only calls of tools in revisions with sessions are.
func TestDirect_AnswersAsTheLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole run has it")
	}
	ours, theirs := fuzzOptions(t), fuzzOptions(t)
	d := newDirect(ours)
	alone, beside := handlerOf(New(theirs), direct{}), handlerOf(New(ours), d)
	ask := func(h http.Handler, revision, body string) *httptest.ResponseRecorder {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {bothAccepted}, "Mcp-Protocol-Version": {revision}}
		out := httptest.NewRecorder()
		h.ServeHTTP(out, req)
		return out
	}
	var calls []string
	for _, id := range []string{`1`, `"a-1<\u2028"`, `9007199254740993`} {
		for _, tool := range tools() {
			for _, arguments := range append(toolSeeds, `[]`, `7`, `null`, `{"ref":"n","ref":"m"}`) {
				calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool.name, arguments))
			}
			calls = append(calls,
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q}}`, id, tool.name),
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"_meta":{"progressToken":1},"name":%q,"arguments":{}}}`, id, tool.name))
		}
	}
	written := 0
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		for _, call := range append(calls, messageSeeds(revision)...) {
			a, b := ask(alone, revision, call), ask(beside, revision, call)
			if kind := b.Header().Get("Content-Type"); a.Code != b.Code || a.Header().Get("Content-Type") != kind {
				t.Fatalf("%s %s\nlibrary %d %v\ndirect  %d %s", revision, call, a.Code, a.Header(), b.Code, kind)
			}
			if x, y := canonical(a.Body.Bytes()), canonical(b.Body.Bytes()); x != y {
				t.Fatalf("%s %s\nlibrary %s\ndirect  %s", revision, call, x, y)
			}
			if strings.Contains(a.Body.String(), `"version":1`) {
				written++
			}
		}
	}
	if written == 0 {
		t.Error("nothing was written or read: the calls say too little")
	}
	for _, c := range []struct {
		revision, message string
		direct            bool
	}{
		{"2025-06-18", calls[0], true},
		{"", calls[0], true},
		{noSessions, calls[0], false},
		{"2025-06-18", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, false},
		{"2025-06-18", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such_tool"}}`, false},
		{"2025-06-18", strings.Replace(calls[0], `"params":{`, `"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-06-18"},`, 1), false},
	} {
		messages, _, err := decode([]byte(c.message))
		if err != nil {
			t.Fatal(err)
		}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", nil)
		req.Header.Set(revisionHeader, c.revision)
		params, refusal := placed(messages[0].(*jsonrpc.Request))
		if refusal != nil {
			t.Fatal(refusal)
		}
		if got := d.answer(httptest.NewRecorder(), req, messages[0], params); got != c.direct {
			t.Errorf("%q %s: answered directly: %v", c.revision, c.message, got)
		}
	}
}

// X1: a result is written as the library writes it, byte for byte.
func TestDirect_WritesResultsAsTheLibrary(t *testing.T) {
	data := jsonValue(`{"a":"<&>\u2028 é","b":[1,2.5e3,null]}`)
	for _, text := range []string{"", "one\n\ttwo \"three\" <b>&amp;</b> \u2028 \x00\x7f é \U0001f9ea", "not \xff text"} {
		content := []mcp.Content{&mcp.TextContent{Text: text}}
		for _, r := range []*mcp.CallToolResult{
			{Meta: mcp.Meta{}, Content: content, StructuredContent: data},
			{Meta: mcp.Meta{metaDuplicate: true}, Content: content, StructuredContent: data},
			{Content: content, IsError: true, Meta: mcp.Meta{metaError: data}},
			{Content: content},
		} {
			want, err := r.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := writeResult(&got, r); err != nil || got.String() != string(want) {
				t.Errorf("%q: %v\nlibrary %s\ndirect  %s", text, err, want, got.String())
			}
		}
	}
}

// drawn is what every project draws for itself: its id, and what is hashed with it.
var drawn = regexp.MustCompile(`[0-9a-f]{16,64}`)

// canonical is a JSON text whatever the order of its names, or what it is if it is none.
func canonical(text []byte) string {
	v := jsontext.Value(text).Clone()
	if v.Canonicalize() != nil {
		return string(text)
	}
	return drawn.ReplaceAllString(string(v), "…")
}
