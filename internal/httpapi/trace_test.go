package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"brenner/internal/httpapi"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// A caller's trace is in the log also where no collector is named; what is no
// trace is not.
func TestServer_LogsTheTraceOfTheCaller(t *testing.T) {
	w := newWorld(t)
	const id = "0af7651916cd43dd8448eb211c80319c"
	w.ask("GET", "/healthz", "", "Traceparent: 00-"+id+"-b7ad6b7169203331-01")
	if log := w.log.String(); !strings.Contains(log, `"trace":"`+id+`"`) {
		t.Errorf("the log says %s", log)
	}
	w.ask("GET", "/readyz", "", "Traceparent: 00-"+id+"X")
	if log := w.log.String(); strings.Count(log, `"trace":`) != 1 {
		t.Errorf("the log says %s", log)
	}
}

// What strangers write names no span, and a failure inside is an error.
func TestServer_SpansSayWhatBecameOfARequest(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	w := newWorld(t, func(o *httpapi.Options) {
		o.Tracer = sdk.NewTracerProvider(sdk.WithSpanProcessor(spans))
		o.MCP = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a fault") })
	})
	for i, c := range []struct {
		method, path string
		status       int
		name, code   string
		failed       codes.Code
	}{
		{"GET", "/api/v1/project", 200, "GET /api/v1/project", "", codes.Unset},
		{"GET", "/api/v1/artifacts/none", 404, "GET /api/v1/artifacts/{ref}", "NOT_FOUND", codes.Unset},
		{"BREW", "/secret", 404, "_OTHER /", "NOT_FOUND", codes.Unset},
		{"POST", "/mcp", 500, "POST /mcp", "INTERNAL", codes.Error},
	} {
		if status, _, body := w.ask(c.method, c.path, ""); status != c.status {
			t.Errorf("%s %s: %d %s", c.method, c.path, status, body)
		}
		waitFor(t, "the span to end", func() bool { return len(spans.Ended()) > i })
		span := spans.Ended()[i]
		has := map[attribute.Key]attribute.Value{}
		for _, a := range span.Attributes() {
			has[a.Key] = a.Value
		}
		if span.Name() != c.name || has["error.type"].AsString() != c.code || span.Status().Code != c.failed ||
			has["http.response.status_code"].AsInt64() != int64(c.status) {
			t.Errorf("%s %s: %s, %v, %v", c.method, c.path, span.Name(), span.Status(), has)
		}
	}
}
