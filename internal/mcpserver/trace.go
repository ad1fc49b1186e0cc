package mcpserver

import (
	"context"

	"brenner"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// span starts the span of a call, below that of its HTTP request, or without
// one below the span that the caller names in _meta.
func (o Options) span(ctx context.Context, t tool, req *mcp.CallToolRequest) (context.Context, trace.Span) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		ctx = propagation.TraceContext{}.Extract(ctx, metaCarrier(req.Params.Meta))
	}
	return o.Tracer.Tracer("brenner/mcp").Start(ctx, "tools/call "+t.name,
		trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
			attribute.String("mcp.method.name", "tools/call"), attribute.String("gen_ai.tool.name", t.name)))
}

// refused notes why a call was refused. Only what failed inside is an error of
// ours.
func refused(span trace.Span, code brenner.Code) {
	span.SetAttributes(attribute.String("error.type", string(code)))
	if code == brenner.CodeInternal {
		span.SetStatus(codes.Error, string(code))
	}
}

// metaCarrier reads a trace from the _meta of a request.
type metaCarrier mcp.Meta

// Get implements propagation.TextMapCarrier.
func (m metaCarrier) Get(name string) string {
	text, _ := m[name].(string)
	return text
}

// Set implements propagation.TextMapCarrier.
func (m metaCarrier) Set(name, value string) { m[name] = value }

// Keys implements propagation.TextMapCarrier.
func (m metaCarrier) Keys() []string { return nil }
