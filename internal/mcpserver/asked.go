package mcpserver

import (
	"context"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The library ends the work for a request over HTTP with its client only in
// revisions without sessions, which few clients speak yet. The context of the
// request is therefore handed down as a value, and a call lives no longer.

type (
	requestKey struct{}
	leavingKey struct{}
	lingerKey  struct{}
)

// remembering hands down the context of a request.
func remembering(h *http.Request) *http.Request {
	ctx := h.Context()
	return h.WithContext(context.WithValue(ctx, requestKey{}, ctx))
}

// whileAsked ends a call when the client that asked is gone.
func (o Options) whileAsked(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if request, ok := ctx.Value(requestKey{}).(context.Context); ok {
			var end context.CancelFunc
			ctx, end = context.WithCancel(ctx)
			defer end()
			defer context.AfterFunc(request, end)()
		}
		return next(o.waiting(ctx), method, req)
	}
}

// waiting says to a call how long it may wait.
func (o Options) waiting(ctx context.Context) context.Context {
	return context.WithValue(context.WithValue(ctx, lingerKey{}, o.Linger), leavingKey{}, o.Leaving)
}

// leaving is closed when the server that a call came to is about to end.
func leaving(ctx context.Context) <-chan struct{} {
	c, _ := ctx.Value(leavingKey{}).(<-chan struct{})
	return c
}

// lingering is how long a wait goes on for more once something has come.
func lingering(ctx context.Context) time.Duration {
	d, _ := ctx.Value(lingerKey{}).(time.Duration)
	return d
}
