package tracing

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"brenner"
)

// clear leaves no variable of a collector in the environment.
func clear(t *testing.T) {
	t.Helper()
	for _, name := range []string{"ENDPOINT", "HEADERS", "TIMEOUT", "PROTOCOL"} {
		t.Setenv("OTEL_EXPORTER_OTLP_"+name, "")
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_"+name, "")
	}
	t.Setenv("OTEL_TRACES_EXPORTER", "")
	t.Setenv("OTEL_SDK_DISABLED", "")
}

func TestStart_TheEnvironmentDecides(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for _, c := range []struct {
		name string
		env  []string
		on   bool
		code brenner.Code
		url  string
	}{
		{name: "nothing"},
		{name: "for everything", env: []string{endpoint, "http://here:4318/x"}, on: true, url: "http://here:4318/x/v1/traces"},
		{name: "for traces", env: []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://here/x", endpoint, "http://there"}, on: true, url: "https://here/x"},
		{name: "disabled", env: []string{endpoint, "http://here", "OTEL_SDK_DISABLED", "True"}},
		{name: "no exporter", env: []string{endpoint, "http://here", "OTEL_TRACES_EXPORTER", "none"}},
		{name: "another exporter", env: []string{endpoint, "http://here", "OTEL_TRACES_EXPORTER", "zipkin"}, code: brenner.CodeInvalidValue},
		{name: "our protocol", env: []string{endpoint, "http://here", "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"}, on: true, url: "http://here/v1/traces"},
		{name: "another protocol", env: []string{endpoint, "http://here", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, code: brenner.CodeInvalidValue},
		{name: "no address", env: []string{endpoint, "here:4318"}, code: brenner.CodeInvalidValue},
		{name: "no headers", env: []string{endpoint, "http://here", "OTEL_EXPORTER_OTLP_HEADERS", "secret"}, code: brenner.CodeInvalidValue},
		{name: "no escape", env: []string{endpoint, "http://here", "OTEL_EXPORTER_OTLP_HEADERS", "a=secret%z"}, code: brenner.CodeInvalidValue},
		{name: "no time", env: []string{endpoint, "http://here", "OTEL_EXPORTER_OTLP_TIMEOUT", "soon"}, code: brenner.CodeInvalidValue},
	} {
		t.Run(c.name, func(t *testing.T) {
			clear(t)
			for i := 0; i < len(c.env); i += 2 {
				t.Setenv(c.env[i], c.env[i+1])
			}
			provider, flush, err := Start(t.Context(), Options{Version: "1", Log: slog.New(slog.DiscardHandler)})
			if brenner.CodeOf(err) != c.code {
				t.Fatalf("got %v, want %q", err, c.code)
			}
			if err != nil {
				if strings.Contains(err.Error(), "secret") {
					t.Errorf("the error quotes a header: %v", err)
				}
				return
			}
			defer flush()
			_, span := provider.Tracer("t").Start(t.Context(), "s")
			if span.IsRecording() != c.on {
				t.Errorf("recording is %v", span.IsRecording())
			}
			to, err := fromEnvironment()
			if err != nil || (to != nil) != c.on || (c.on && to.url != c.url) {
				t.Errorf("spans go to %+v, %v", to, err)
			}
		})
	}
}

func TestCollector_ABusyOneIsAskedAgain(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []int
		lost    bool
	}{
		{"taken", []int{200}, false},
		{"busy, then taken", []int{503, 429, 200}, false},
		{"refused", []int{400}, true},
		{"sent elsewhere", []int{307}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, h *http.Request) {
				n := asked.Add(1)
				if h.Header.Get("Authorization") != "secret key" || h.Header.Get("Content-Type") != "application/x-protobuf" {
					t.Errorf("the headers are %v", h.Header)
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.answers[min(int(n), len(c.answers))-1])
			}))
			defer s.Close()
			clear(t)
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL)
			t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", " authorization = secret%20key ,")
			var log bytes.Buffer
			provider, flush, err := Start(t.Context(), Options{Version: "1", Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			_, span := provider.Tracer("t").Start(t.Context(), "s")
			span.End()
			flush()
			if int(asked.Load()) != len(c.answers) {
				t.Errorf("asked %d times", asked.Load())
			}
			if lost := strings.Contains(log.String(), "spans are lost"); lost != c.lost || strings.Contains(log.String(), "secret") {
				t.Errorf("the log says %q", log.String())
			}
		})
	}
}
