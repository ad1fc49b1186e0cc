package mcpserver

import (
	"context"
	"net/http"
	"testing"

	"brenner"
	"brenner/internal/api"
	"brenner/internal/app"
	"brenner/internal/store/memory"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace/noop"
)

// Whatever arguments a tool gets, it neither panics nor says that it failed
// inside, and its answer fits.
func FuzzTools_NoArgumentsMakeThemFail(f *testing.F) {
	s := memory.New()
	defer func() { _ = s.Close() }()
	a := app.New(s, app.Options{})
	if _, err := a.Init(f.Context(), api.InitRequest{Name: "Fate", PI: "ada"}); err != nil {
		f.Fatal(err)
	}
	o := Options{Tracer: noop.NewTracerProvider(), Service: func(context.Context, http.Header) (api.Service, error) {
		return a.As(app.Identity{Name: "ada", Auth: app.AuthOwner}), nil
	}}
	for i := range tools {
		f.Add(uint8(i), `{}`)
		f.Add(uint8(i), `{"key":"k","ref":"n@1","id":"n","type":"paper_note","summary":"s","content":{"format":"text","data":"t"}}`)
		f.Add(uint8(i), `{"patch":{"operations":[]},"ref":"n","question":"q","offset":-1,"text":"t","message":"m","lease":"1h"}`)
	}
	f.Add(uint8(3), `{"type":"paper_note","id":"n","module":"main","summary":"s","content":{"format":"text","data":"t"}}`)
	f.Add(uint8(8), `{"insights":[{"section":"helpful","content":"c","vector":[1e308]}]}`)
	f.Fuzz(func(t *testing.T, n uint8, arguments string) {
		tool := tools[int(n)%len(tools)]
		res, err := o.handle(tool)(t.Context(), &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: tool.name, Arguments: []byte(arguments)}})
		if err != nil {
			t.Fatalf("%s %q: %v", tool.name, arguments, err)
		}
		raw, err := json.Marshal(res.StructuredContent)
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
	})
}
