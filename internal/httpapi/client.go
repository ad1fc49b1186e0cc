package httpapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/lazy"
	"brenner/internal/schema"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.opentelemetry.io/otel/propagation"
)

// Client is the service of a server, as the actor of a token has it.
type Client struct {
	base  string
	token string
	http  *http.Client
}

var _ api.Service = (*Client)(nil)

// NewClient makes a client of the server at an address such as
// https://brenner.example. transport is nil for the usual one.
func NewClient(address, token string, transport http.RoundTripper) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return nil, brenner.Errorf(brenner.CodeInvalidValue, "%q is not the address of a server", brenner.Clip(address, brenner.MaxQuote)).
			WithHint("write http://HOST:PORT or https://HOST")
	}
	if token == "" {
		return nil, brenner.Errorf(brenner.CodeUnauthenticated, "a server wants to know who asks").
			WithHint("set BRENNER_TOKEN to a token, which the PI makes").Try(brenner.Do("agent.token").Asking("name"))
	}
	if strings.ContainsFunc(token, func(c rune) bool { return c < '!' || c > '~' }) {
		return nil, brenner.Errorf(brenner.CodeUnauthenticated, "the token does not have the form of one")
	}
	return &Client{
		base: strings.TrimSuffix(u.Scheme+"://"+u.Host+u.Path, "/") + prefix, token: token,
		http: &http.Client{
			Transport: transport,
			// A token must not travel to another address.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// call makes one call of the table; req points to the request, if there is one.
func call[Res any](ctx context.Context, c *Client, name string, req any) (Res, error) {
	var out Res
	err := c.call(ctx, name, req, &out)
	return out, err
}

// call reads the answer of one call of the table into what out points to.
func (c *Client) call(ctx context.Context, name string, req, out any) error {
	h, err := c.request(ctx, byName()[name], req)
	if err != nil {
		return err
	}
	res, err := c.do(h)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, brenner.MaxAnswerBytes))
	if err != nil {
		return unreachable(ctx, err)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return brenner.Errorf(brenner.CodeStoreUnavailable, "the server's answer cannot be read").
			WithHint("server and client may be of different versions").Because(err)
	}
	if res.Header.Get(duplicateHeader) != "" {
		api.Replayed(ctx)
	}
	return nil
}

// plainPath is a value that can stand in a path as it is.
var plainPath = lazy.NewPattern(`^[A-Za-z0-9][A-Za-z0-9._@-]*$`)

// request makes the HTTP request of a call: what the path names goes there,
// the rest into the query or the body.
func (c *Client) request(ctx context.Context, r route, req any) (*http.Request, error) {
	members := map[string]jsontext.Value{}
	if req != nil && len(schema.Fields(r.in)) > 0 {
		raw, err := json.Marshal(req)
		if err != nil {
			return nil, brenner.Errorf(brenner.CodeInvalidText, "the request holds text that is not UTF-8").Because(err)
		}
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, err
		}
	}
	path := r.path
	for _, name := range r.parameters() {
		text := elsewhere
		if v := plainText(members[name]); plainPath.MatchString(v) {
			text = v
			delete(members, name)
		}
		path = strings.Replace(path, "{"+name+"}", text, 1)
	}
	h, err := http.NewRequestWithContext(ctx, r.method, c.base+path, nil)
	if err != nil {
		return nil, err
	}
	if r.method == http.MethodGet {
		h.URL.RawQuery = query(members).Encode()
	} else if len(members) > 0 {
		body, err := json.Marshal(members, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		h.Header.Set("Content-Type", "application/json")
		h.Body, h.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	if w, writes := req.(api.Writer); writes && w.Writing().Key != "" {
		h.Header.Set(keyHeader, writeKey(w.Writing().Key))
	}
	return h, nil
}

// query writes members as parameters: a list as one for each item.
func query(members map[string]jsontext.Value) url.Values {
	out := url.Values{}
	for name, v := range members {
		if v.Kind() != '[' {
			out.Set(name, plainText(v))
			continue
		}
		var items []jsontext.Value
		_ = json.Unmarshal(v, &items) // it was marshalled a moment ago
		for _, item := range items {
			out.Add(name, plainText(item))
		}
	}
	return out
}

// plainText is a JSON string without its quotes, or any other value as it is.
func plainText(v jsontext.Value) string {
	if v.Kind() != '"' {
		return string(v)
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(text)
}

// do sends a request and turns a refusal back into the error it was.
func (c *Client) do(h *http.Request) (*http.Response, error) {
	h.Header.Set("Authorization", "Bearer "+c.token)
	traceHeaders.Inject(h.Context(), propagation.HeaderCarrier(h.Header))
	res, err := c.http.Do(h)
	if err != nil {
		return nil, unreachable(h.Context(), err)
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, brenner.MaxAnswerBytes))
	var t trouble
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	if err != nil || meanings()[t.Code] == "" {
		return nil, brenner.Errorf(brenner.CodeStoreUnavailable, "the server answered %s, which is no answer of ours", res.Status).
			WithHint("check the address; a server that speaks TLS wants https://").Because(err)
	}
	return nil, t.error()
}

func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &untrusted):
		return brenner.Errorf(brenner.CodeStoreUnavailable, "the certificate of the server is not trusted: %v", untrusted.Err).
			WithHint("check the address; name the certificate of your own authority with BRENNER_CA").Because(err)
	case errors.Is(err, http.ErrSchemeMismatch):
		return brenner.Errorf(brenner.CodeStoreUnavailable, "the server does not speak TLS").
			WithHint("write http:// if it is on this machine, or start it with a certificate").Try(brenner.Do("serve").Asking("tls_cert", "tls_key")).Because(err)
	}
	return brenner.Errorf(brenner.CodeStoreUnavailable, "the server cannot be reached").
		WithHint("check the address, and that the server runs").Try(brenner.Do("serve")).Because(err)
}

// Export implements api.Journal.
func (c *Client) Export(ctx context.Context, w io.Writer) (api.ExportResult, error) {
	h, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/export", nil)
	if err != nil {
		return api.ExportResult{}, err
	}
	res, err := c.do(h)
	if err != nil {
		return api.ExportResult{}, err
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(w, res.Body); err != nil {
		return api.ExportResult{}, unreachable(ctx, err)
	}
	var out api.ExportResult
	if err := json.Unmarshal([]byte(res.Trailer.Get(resultTrailer)), &out); err != nil {
		return out, brenner.Errorf(brenner.CodeStoreUnavailable, "the export has no end").Because(err)
	}
	return out, nil
}
