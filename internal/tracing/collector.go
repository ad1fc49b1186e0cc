package tracing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// collector takes spans with OTLP over HTTP. The library has an exporter for
// this, which brings gRPC and its gateway along; all it does for us is a POST of
// one message.
type collector struct {
	url    string
	header http.Header
	http   *http.Client
}

// Shutdown implements sdk.SpanExporter.
func (c *collector) Shutdown(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// firstWait is how long to wait for a collector that is busy, at first.
const firstWait = 100 * time.Millisecond

// ExportSpans implements sdk.SpanExporter. A collector that is busy is asked again
// while the context lasts; what it does not take is lost.
func (c *collector) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body := tracesData(spans)
	for wait := firstWait; ; wait *= 2 {
		busy, err := c.post(ctx, body)
		if err == nil || !busy {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}

func (c *collector) post(ctx context.Context, body []byte) (busy bool, err error) {
	h, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	h.Header = c.header.Clone()
	h.Header.Set("Content-Type", "application/x-protobuf")
	res, err := c.http.Do(h)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // the address may hold a key
		}
		return false, fmt.Errorf("spans are lost: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16)) // so that the connection is used again
	switch res.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return false, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		busy = true
	}
	return busy, fmt.Errorf("spans are lost: the collector answered %s", res.Status)
}
