// Package tracing sends spans to an OpenTelemetry collector, when the
// environment names one. Otherwise its tracers do nothing, at next to no cost.
//
// The variables are the standard ones of OpenTelemetry:
// OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT turns it on;
// headers, timeout, resource, sampler and batches have theirs.
package tracing

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"brenner"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Options are what a program says about itself.
type Options struct {
	Version string
	// Log takes what goes wrong with sending.
	Log *slog.Logger
}

// Start gives a source of tracers, and a function that sends what is left, no
// longer than brenner.TraceDeadline. Code: INVALID_VALUE, for a variable that
// means nothing.
func Start(ctx context.Context, o Options) (trace.TracerProvider, func(), error) {
	to, err := fromEnvironment()
	if err != nil {
		return nil, nil, err
	}
	if to == nil {
		return noop.NewTracerProvider(), func() {}, nil
	}
	who, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "brenner"), attribute.String("service.version", o.Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, nil, invalid("OTEL_RESOURCE_ATTRIBUTES", "a list of NAME=VALUE").Because(err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		o.Log.Warn("tracing", slog.String("cause", err.Error()))
	}))
	provider := sdk.NewTracerProvider(sdk.WithBatcher(to), sdk.WithResource(who))
	return provider, func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), brenner.TraceDeadline)
		defer cancel()
		if err := provider.Shutdown(late); err != nil {
			otel.Handle(err)
		}
	}, nil
}

// fromEnvironment gives the collector that the environment names, nil if it
// names none.
func fromEnvironment() (*collector, error) {
	exporter := os.Getenv("OTEL_TRACES_EXPORTER")
	address, err := endpoint()
	if err != nil || address == "" || exporter == "none" || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return nil, err
	}
	if exporter != "" && exporter != "otlp" {
		return nil, invalid("OTEL_TRACES_EXPORTER", "otlp or none")
	}
	if name, protocol := setting("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return nil, invalid(name, "http/protobuf, which is what is spoken here")
	}
	headers, err := headers()
	if err != nil {
		return nil, err
	}
	timeout, err := timeout()
	if err != nil {
		return nil, err
	}
	return &collector{url: address, header: headers, http: &http.Client{
		Timeout: timeout,
		// The headers may hold a key that is for one address only.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// setting reads a variable of the exporter: the one for traces, else the one
// for everything.
func setting(name string) (variable, value string) {
	for _, prefix := range []string{"OTEL_EXPORTER_OTLP_TRACES_", "OTEL_EXPORTER_OTLP_"} {
		if value := os.Getenv(prefix + name); value != "" {
			return prefix + name, value
		}
	}
	return "", ""
}

// endpoint is where to send: the address for traces as it stands, the one for
// everything with the path of traces.
func endpoint() (string, error) {
	variable, text := setting("ENDPOINT")
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", invalid(variable, "an address such as http://localhost:4318")
	}
	if variable == "OTEL_EXPORTER_OTLP_ENDPOINT" {
		u = u.JoinPath("v1/traces")
	}
	return u.String(), nil
}

// headers are sent along with spans; their values are escaped as in a URL.
func headers() (http.Header, error) {
	out := http.Header{}
	variable, list := setting("HEADERS")
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, escaped, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(escaped))
		if name = strings.TrimSpace(name); !ok || err != nil || name == "" {
			return nil, invalid(variable, "a list of NAME=VALUE")
		}
		out.Set(name, value)
	}
	return out, nil
}

func timeout() (time.Duration, error) {
	variable, text := setting("TIMEOUT")
	if text == "" {
		return 10 * time.Second, nil
	}
	ms, err := strconv.Atoi(text)
	if err != nil || ms <= 0 {
		return 0, invalid(variable, "a number of milliseconds")
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// invalid does not quote the value: headers hold keys.
func invalid(variable, want string) *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidValue, "%s is not %s", variable, want).WithHint("correct it, or unset it to send no traces")
}
