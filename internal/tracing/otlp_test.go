package tracing

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// taken keeps what the library's exporter would send.
type taken struct{ spans []*tracepb.ResourceSpans }

func (*taken) Start(context.Context) error { return nil }
func (*taken) Stop(context.Context) error  { return nil }
func (k *taken) UploadTraces(_ context.Context, spans []*tracepb.ResourceSpans) error {
	k.spans = spans
	return nil
}

type maker struct{ *rand.Rand }

func (r maker) some(most int, each func()) {
	for range r.IntN(most + 1) {
		each()
	}
}

func (r maker) text() string {
	return []string{"", "a", "artifact.get", "é ⟨x⟩", string(make([]byte, 200))}[r.IntN(5)]
}

func (r maker) at() time.Time {
	return []time.Time{{}, time.Unix(0, 0), time.Unix(0, -5), time.Unix(1_795_000_000, r.Int64N(1e9))}[r.IntN(4)]
}

func (r maker) value() attribute.Value {
	number := []int64{0, 1, -1, 127, 128, math.MaxInt64, math.MinInt64}[r.IntN(7)]
	real := []float64{0, math.Copysign(0, -1), 1.5, math.Inf(1), -1e300}[r.IntN(5)]
	switch r.IntN(11) {
	case 0:
		return attribute.BoolValue(r.IntN(2) == 0)
	case 1:
		return attribute.Int64Value(number)
	case 2:
		return attribute.Float64Value(real)
	case 3:
		return attribute.BoolSliceValue([]bool{true, false}[:r.IntN(3)])
	case 4:
		return attribute.Int64SliceValue([]int64{number, 0}[:r.IntN(3)])
	case 5:
		return attribute.Float64SliceValue([]float64{real, 0}[:r.IntN(3)])
	case 6:
		return attribute.StringSliceValue([]string{r.text(), ""}[:r.IntN(3)])
	case 7:
		return attribute.ByteSliceValue([]byte{0, 255}[:r.IntN(3)])
	case 8:
		return attribute.SliceValue(attribute.StringValue(r.text()), attribute.Int64Value(number), attribute.Value{})
	case 9:
		return attribute.MapValue(attribute.String("b", r.text()), attribute.Bool("a", false))
	}
	return attribute.StringValue(r.text())
}

func (r maker) attributes() (out []attribute.KeyValue) {
	r.some(4, func() { out = append(out, attribute.KeyValue{Key: attribute.Key(r.text()), Value: r.value()}) })
	return out
}

func (r maker) context() trace.SpanContext {
	var c trace.SpanContextConfig
	if r.IntN(4) > 0 {
		for i := range c.TraceID {
			c.TraceID[i] = byte(r.IntN(256))
		}
		for i := range c.SpanID {
			c.SpanID[i] = byte(r.IntN(256))
		}
	}
	c.TraceFlags, c.Remote = trace.TraceFlags(r.IntN(3)), r.IntN(2) == 0
	if r.IntN(2) == 0 {
		c.TraceState, _ = trace.ParseTraceState("vendor=1,other=b")
	}
	return trace.NewSpanContext(c)
}

// What is sent is the message that the library's exporter sends, whatever the spans.
func TestTracesData_IsTheLibrarys(t *testing.T) {
	sent := &taken{}
	library, err := otlptrace.New(t.Context(), sent)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(500) {
		r := maker{rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // a test
		of := resource.NewWithAttributes([]string{"", "https://schema"}[r.IntN(2)], r.attributes()...)
		scopes := []instrumentation.Scope{
			{},
			{Name: "brenner/http"},
			{Name: "brenner/mcp", Version: "1", SchemaURL: "https://s", Attributes: attribute.NewSet(attribute.Int("n", 3))},
		}
		var stubs tracetest.SpanStubs
		for range 1 + r.IntN(6) {
			s := tracetest.SpanStub{
				Name: r.text(), SpanContext: r.context(), Parent: r.context(), SpanKind: trace.SpanKind(r.IntN(6)), StartTime: r.at(), EndTime: r.at(),
				Attributes: r.attributes(), Status: sdk.Status{Code: codes.Code(r.IntN(3)), Description: r.text()},
				DroppedAttributes: r.IntN(3) - 1, DroppedEvents: r.IntN(200), DroppedLinks: r.IntN(2), Resource: of, InstrumentationScope: scopes[r.IntN(3)],
			}
			r.some(2, func() {
				s.Events = append(s.Events, sdk.Event{Name: r.text(), Attributes: r.attributes(), DroppedAttributeCount: r.IntN(2), Time: r.at()})
			})
			r.some(2, func() {
				s.Links = append(s.Links, sdk.Link{SpanContext: r.context(), Attributes: r.attributes(), DroppedAttributeCount: r.IntN(2)})
			})
			stubs = append(stubs, s)
		}
		if err := library.ExportSpans(t.Context(), stubs.Snapshots()); err != nil {
			t.Fatal(err)
		}
		var got tracepb.TracesData
		if err := proto.Unmarshal(tracesData(stubs.Snapshots()), &got); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if want := (&tracepb.TracesData{ResourceSpans: sent.spans}); !proto.Equal(&got, want) {
			t.Fatalf("seed %d\nours:    %v\nlibrary: %v", seed, &got, want)
		}
	}
}

// Spans of several resources stay apart.
func TestTracesData_GroupsByResource(t *testing.T) {
	var stubs tracetest.SpanStubs
	for _, name := range []string{"a", "b", "a"} {
		stubs = append(stubs, tracetest.SpanStub{Name: name, Resource: resource.NewSchemaless(attribute.String("of", name))})
	}
	var got tracepb.TracesData
	if err := proto.Unmarshal(tracesData(stubs.Snapshots()), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.GetResourceSpans()) != 2 || len(got.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()) != 2 {
		t.Errorf("got %v", &got)
	}
}

// Text that is no UTF-8 costs no span but its own letters.
func TestTracesData_MendsText(t *testing.T) {
	stubs := tracetest.SpanStubs{{Name: "a\xff", Attributes: []attribute.KeyValue{attribute.String("k", "\xfe")}, Resource: resource.Empty()}}
	var got tracepb.TracesData
	if err := proto.Unmarshal(tracesData(stubs.Snapshots()), &got); err != nil {
		t.Fatal(err)
	}
	span := got.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()[0]
	if span.GetName() != "a\uFFFD" || span.GetAttributes()[0].GetValue().GetStringValue() != "\uFFFD" {
		t.Errorf("got %v", span)
	}
}
