package httpapi

import (
	"context"
	"net/http"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traceHeaders carry a trace from one program to the next (W3C Trace Context).
var traceHeaders propagation.TraceContext

// span starts the span of a request, below the one that the caller names.
func (s *Server) span(h *http.Request) (context.Context, trace.Span) {
	ctx := traceHeaders.Extract(h.Context(), propagation.HeaderCarrier(h.Header))
	return s.tracer.Start(ctx, methodOf(h), trace.WithSpanKind(trace.SpanKindServer))
}

// ended says what became of a request, as its log line does: no path, query,
// header or body, which may hold secrets.
func (s *Server) ended(span trace.Span, h *http.Request, n *note) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	attrs := []attribute.KeyValue{
		attribute.String("http.request.method", methodOf(h)),
		attribute.Int("http.response.status_code", n.status),
		attribute.String("brenner.request_id", n.id),
		attribute.String("brenner.project", string(s.options.Project)),
	}
	if n.route != "" {
		span.SetName(methodOf(h) + " " + n.route)
		attrs = append(attrs, attribute.String("http.route", n.route), attribute.String("brenner.call", n.name))
	}
	if n.caller.Auth != "" {
		attrs = append(attrs, attribute.String("brenner.actor", string(n.caller.Name)), attribute.String("brenner.auth", n.caller.Auth))
	}
	if n.code != "" {
		attrs = append(attrs, attribute.String("error.type", string(n.code)))
	}
	span.SetAttributes(attrs...)
	if n.status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, string(n.code))
	}
}

// methodOf is the method of a request, if it is one that is known: strangers
// do not name spans.
func methodOf(h *http.Request) string {
	if slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}, h.Method) {
		return h.Method
	}
	return "_OTHER"
}
