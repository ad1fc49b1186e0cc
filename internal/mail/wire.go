package mail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"brenner"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// wire is the HTTP under MCP: it adds the token, bounds what is read, and
// remembers how the call under way failed, which MCP does not tell us.
type wire struct {
	host    string
	token   string
	refused atomic.Bool // the server does not accept the token
	broken  atomic.Bool // the server was not reached
	// call is the call under way, or one that ended too late. Once it is over
	// nothing more is sent for it: MCP would tell a server that is silent that
	// we no longer listen, and wait for its answer.
	call atomic.Pointer[context.Context]
}

// begin bounds one call in time; the caller must call its end.
func (w *wire) begin(ctx context.Context, most time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(ctx, most)
	w.refused.Store(false)
	w.broken.Store(false)
	w.call.Store(&ctx)
	return ctx, func() {
		if ctx.Err() == nil {
			w.call.Store(nil)
		}
		cancel()
	}
}

// RoundTrip implements http.RoundTripper. The token goes to the server it is
// for and to no other.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	if call := w.call.Load(); call != nil && (*call).Err() != nil {
		return nil, (*call).Err()
	}
	if w.token != "" && req.URL.Host == w.host {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+w.token)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		w.broken.Store(true)
		return nil, err
	}
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		w.refused.Store(true)
	}
	resp.Body = bounded{io.LimitReader(resp.Body, brenner.MaxMailBytes), resp.Body}
	return resp, nil
}

// sameHost lets a server redirect to itself only.
func (w *wire) sameHost(req *http.Request, via []*http.Request) error {
	if req.URL.Host != w.host || len(via) > 3 {
		return http.ErrUseLastResponse
	}
	return nil
}

// bounded is a body of which only so much is read.
type bounded struct {
	io.Reader
	io.Closer
}

// fault turns an error of the client into ours. After anything but a refusal
// the connection is given up; the next call makes a new one.
func (a *AgentMail) fault(ctx context.Context, err error) error {
	var rpc *jsonrpc.Error
	if said := errors.As(err, &rpc) && !a.wire.broken.Load(); said && ctx.Err() == nil && !a.wire.refused.Load() {
		return a.refused("the request", rpc.Message)
	}
	if a.session != nil {
		_ = a.session.Close()
		a.session = nil
	}
	switch {
	case a.wire.refused.Load():
		return brenner.Errorf(brenner.CodeMailUnauthorized, "the mail server at %s does not accept our token", a.host).
			WithHint("set AGENT_MAIL_BEARER_TOKEN").Because(err)
	case errors.Is(ctx.Err(), context.Canceled):
		return brenner.Errorf(brenner.CodeCanceled, "stopped while talking to the mail server").Because(err)
	case ctx.Err() != nil:
		return brenner.Errorf(brenner.CodeMailUnavailable, "the mail server at %s did not answer in time", a.host).
			WithHint("what it has not confirmed may have arrived; sending again looks before it sends").Because(err)
	}
	return brenner.Errorf(brenner.CodeMailUnavailable, "the mail server at %s cannot be reached", a.host).
		WithHint("check AGENT_MAIL_BASE_URL and AGENT_MAIL_PATH, and that the server runs").Because(err)
}

// refused is the server's no to one request, in its own words.
func (a *AgentMail) refused(what, reason string) error {
	return brenner.Errorf(brenner.CodeMailRefused, "the mail server at %s refused %s: %s", a.host, what, clip(reason))
}

// nonsense is an answer we cannot read.
func (a *AgentMail) nonsense(err error) error {
	return brenner.Errorf(brenner.CodeMailUnavailable, "the mail server at %s gave an answer we cannot read", a.host).
		WithHint("check that an Agent Mail server stands at AGENT_MAIL_BASE_URL and AGENT_MAIL_PATH").Because(err)
}

// textOf gives the JSON or the text of a tool's result.
func textOf(res *mcp.CallToolResult) string {
	if res.StructuredContent != nil && !res.IsError {
		if b, err := json.Marshal(res.StructuredContent); err == nil {
			return unwrap(b)
		}
	}
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			return t.Text
		}
	}
	return ""
}

// unwrap takes off the {"result": …} that some servers put around a result.
func unwrap(b []byte) string {
	var outer map[string]jsontext.Value
	if err := json.Unmarshal(b, &outer); err == nil && len(outer) == 1 && outer["result"] != nil {
		return string(outer["result"])
	}
	return string(b)
}

// plainID writes an id that may be a number or a string.
func plainID(v jsontext.Value) string {
	if s, err := strconv.Unquote(string(v)); err == nil {
		return s
	}
	return string(v)
}

const keyPrefix = "<!-- message key: "

// keyLine is how a message carries its key.
func keyLine(key string) string {
	if key == "" {
		return ""
	}
	return fmt.Sprintf("\n\n%s%s -->\n", keyPrefix, key)
}

// parseTime reads the instants servers write, with or without a zone.
func parseTime(s string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// clip keeps a server's words short and on one line.
func clip(s string) string {
	return brenner.Clip(strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " "), 300)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// asError gives an error of ours; what is none is an internal fault.
func asError(err error) *brenner.Error {
	var e *brenner.Error
	if errors.As(err, &e) {
		return e
	}
	return brenner.Errorf(brenner.CodeInternal, "delivery failed").Because(err)
}
