package tracing

import (
	"encoding/binary"
	"math"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// message is one of protocol buffers as it is on the wire. Numbers of fields are
// those of OTLP 1 (opentelemetry/proto/trace/v1/trace.proto and common/v1); what is
// nothing is left out, as everywhere in its third version.
type message []byte

// Kinds of fields on the wire.
const (
	varint  = 0
	fixed64 = 1
	sized   = 2
	fixed32 = 5
)

func (m *message) tag(field, kind uint64) { *m = binary.AppendUvarint(*m, field<<3|kind) }

func (m *message) raw(field uint64, data []byte) {
	m.tag(field, sized)
	*m = append(binary.AppendUvarint(*m, uint64(len(data))), data...)
}

func (m *message) bytes(field uint64, data []byte) {
	if len(data) > 0 {
		m.raw(field, data)
	}
}

// text is UTF-8, or the collector would refuse all spans for one of them.
func (m *message) text(field uint64, text string) {
	m.bytes(field, []byte(strings.ToValidUTF8(text, "\uFFFD")))
}

func (m *message) number(field, n uint64) {
	if n > 0 {
		m.tag(field, varint)
		*m = binary.AppendUvarint(*m, n)
	}
}

// count writes a number of things.
func (m *message) count(field uint64, n int) { m.number(field, uint64(min(max(n, 0), math.MaxUint32))) }

func (m *message) time(field uint64, at time.Time) {
	if n := at.UnixNano(); n > 0 {
		m.tag(field, fixed64)
		*m = binary.LittleEndian.AppendUint64(*m, uint64(n))
	}
}

// flags are those of a span or link, and whether what it comes from is elsewhere,
// which is known.
func (m *message) flags(field uint64, own trace.TraceFlags, from trace.SpanContext) {
	flags := uint32(own) | 0x100
	if from.IsRemote() {
		flags |= 0x200
	}
	m.tag(field, fixed32)
	*m = binary.LittleEndian.AppendUint32(*m, flags)
}

func (m *message) attributes(field uint64, all []attribute.KeyValue) {
	for _, kv := range all {
		var one message
		one.text(1, string(kv.Key))
		one.raw(2, anyValue(kv.Value))
		m.raw(field, one)
	}
}

// anyValue is a value of an attribute, which is there also if it is nothing.
func anyValue(v attribute.Value) (m message) {
	switch v.Type() {
	case attribute.EMPTY:
	case attribute.BOOL:
		m.tag(2, varint)
		m = append(m, 0)
		if v.AsBool() {
			m[len(m)-1] = 1
		}
	case attribute.INT64:
		m.tag(3, varint)
		m = binary.AppendUvarint(m, uint64(v.AsInt64())) //nolint:gosec // as the wire has it
	case attribute.FLOAT64:
		m.tag(4, fixed64)
		m = binary.LittleEndian.AppendUint64(m, math.Float64bits(v.AsFloat64()))
	case attribute.STRING:
		m.raw(1, []byte(strings.ToValidUTF8(v.AsString(), "\uFFFD")))
	case attribute.BYTESLICE:
		m.raw(7, v.AsByteSlice())
	case attribute.BOOLSLICE:
		m.raw(5, array(v.AsBoolSlice(), attribute.BoolValue))
	case attribute.INT64SLICE:
		m.raw(5, array(v.AsInt64Slice(), attribute.Int64Value))
	case attribute.FLOAT64SLICE:
		m.raw(5, array(v.AsFloat64Slice(), attribute.Float64Value))
	case attribute.STRINGSLICE:
		m.raw(5, array(v.AsStringSlice(), attribute.StringValue))
	case attribute.SLICE:
		m.raw(5, array(v.AsSlice(), func(v attribute.Value) attribute.Value { return v }))
	case attribute.MAP:
		var pairs message
		pairs.attributes(1, v.AsMap())
		m.raw(6, pairs)
	default:
		m.raw(1, []byte("INVALID"))
	}
	return m
}

func array[T any](all []T, value func(T) attribute.Value) (m message) {
	for _, one := range all {
		m.raw(1, anyValue(value(one)))
	}
	return m
}

// tracesData is what a collector takes: spans by what they are of, and by who made them.
func tracesData(spans []sdk.ReadOnlySpan) (data message) {
	type made struct {
		by    instrumentation.Scope
		spans message
	}
	type group struct {
		of   *resource.Resource
		made []*made
	}
	var groups []*group
	for _, s := range spans {
		g := first(&groups, func(g *group) bool { return g.of.Equivalent() == s.Resource().Equivalent() }, &group{of: s.Resource()})
		by := first(&g.made, func(m *made) bool { return m.by == s.InstrumentationScope() }, &made{by: s.InstrumentationScope()})
		by.spans.raw(2, spanOf(s))
	}
	for _, g := range groups {
		var about, all message
		about.attributes(1, g.of.Attributes())
		all.raw(1, about)
		for _, by := range g.made {
			var scope, some message
			scope.text(1, by.by.Name)
			scope.text(2, by.by.Version)
			scope.attributes(3, by.by.Attributes.ToSlice())
			if by.by != (instrumentation.Scope{}) {
				some.raw(1, scope)
			}
			some = append(some, by.spans...)
			some.text(3, by.by.SchemaURL)
			all.raw(2, some)
		}
		all.text(3, g.of.SchemaURL())
		data.raw(1, all)
	}
	return data
}

// first gives the first of a list that is meant, or a new one at its end.
func first[T any](list *[]*T, meant func(*T) bool, otherwise *T) *T {
	for _, one := range *list {
		if meant(one) {
			return one
		}
	}
	*list = append(*list, otherwise)
	return otherwise
}

func spanOf(s sdk.ReadOnlySpan) (m message) {
	m.ids(s.SpanContext())
	m.text(3, s.SpanContext().TraceState().String())
	if parent := s.Parent().SpanID(); parent.IsValid() {
		m.bytes(4, parent[:])
	}
	m.text(5, s.Name())
	m.number(6, uint64(max(s.SpanKind(), 0))) // the numbers are the same
	m.time(7, s.StartTime())
	m.time(8, s.EndTime())
	m.attributes(9, s.Attributes())
	m.count(10, s.DroppedAttributes())
	for _, e := range s.Events() {
		var one message
		one.time(1, e.Time)
		one.text(2, e.Name)
		one.attributes(3, e.Attributes)
		one.count(4, e.DroppedAttributeCount)
		m.raw(11, one)
	}
	m.count(12, s.DroppedEvents())
	for _, l := range s.Links() {
		var one message
		one.ids(l.SpanContext)
		one.attributes(4, l.Attributes)
		one.count(5, l.DroppedAttributeCount)
		one.flags(6, l.SpanContext.TraceFlags(), l.SpanContext)
		m.raw(13, one)
	}
	m.count(14, s.DroppedLinks())
	var status message
	status.text(2, s.Status().Description)
	switch s.Status().Code {
	case codes.Ok:
		status.number(3, 1)
	case codes.Error:
		status.number(3, 2)
	}
	m.raw(15, status)
	m.flags(16, s.SpanContext().TraceFlags(), s.Parent())
	return m
}

func (m *message) ids(c trace.SpanContext) {
	of, id := c.TraceID(), c.SpanID()
	m.bytes(1, of[:])
	m.bytes(2, id[:])
}
