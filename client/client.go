// Package client reaches a Brenner server from another Go program.
//
// A server (`brenner serve`) keeps a project for people and agents; whoever
// asks is known by a token, made with `brenner agent token NAME`. New gives the
// project as the actor of that token has it: an api.Service, the same interface
// that Brenner's own commands speak to, with the same refusals.
//
//	c, err := client.New("https://brenner.example", os.Getenv("BRENNER_TOKEN"))
//	if err != nil {
//		return err
//	}
//	got, err := c.Artifact(ctx, api.ArtifactRequest{Ref: brenner.Ref{Artifact: "brief"}})
//	if errors.Is(err, brenner.CodeNotFound) {
//		…
//	}
//
// A refusal is a *brenner.Error with a stable code, a message and what to do. A
// write with a Key can be repeated after a failure: it happens once. A client
// may be used by several goroutines at once.
package client

import (
	"net/http"

	"brenner/api"
	"brenner/internal/httpapi"
)

// Option changes how a client reaches its server.
type Option func(*options)

type options struct{ transport http.RoundTripper }

// WithTransport sends requests by another transport, for a proxy or an authority
// of your own. The token is added to every request behind it.
func WithTransport(t http.RoundTripper) Option { return func(o *options) { o.transport = t } }

// New gives the project of the server at an address such as
// https://brenner.example, as the actor of a token. It asks nothing yet: a
// server that is not there is STORE_UNAVAILABLE, and a token that it does not
// know UNAUTHENTICATED, at the first call. An address that is none is
// INVALID_VALUE.
func New(address, token string, with ...Option) (api.Service, error) {
	var o options
	for _, set := range with {
		set(&o)
	}
	c, err := httpapi.NewClient(address, token, o.transport)
	if err != nil {
		return nil, err // not a nil *Client in an interface
	}
	return c, nil
}
