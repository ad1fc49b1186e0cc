package runner

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tools are Brenner's tools as the programs have them that we run ourselves:
// over the same server, with the same token, as everybody else.
type tools struct {
	session *mcp.ClientSession
	list    []*mcp.Tool
}

// toolDeadline bounds one call.
const toolDeadline = 2 * time.Minute

// carrier adds the token to what goes to the server.
type carrier struct {
	token string
}

// RoundTrip implements http.RoundTripper.
func (c carrier) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+c.token)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, brenner.MaxAnswerBytes), res.Body}
	}
	return res, err
}

func openTools(ctx context.Context, url, token string) (*tools, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "brenner-runner", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: url, DisableStandaloneSSE: true, MaxRetries: -1, HTTPClient: &http.Client{Transport: carrier{token}},
	}, nil)
	if err != nil {
		return nil, err
	}
	t := &tools{session: session}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			_ = session.Close()
			return nil, err
		}
		t.list = append(t.list, tool)
	}
	return t, nil
}

// call calls a tool and gives what a model reads of the answer. A refusal is an
// answer.
func (t *tools) call(ctx context.Context, name string, args jsontext.Value) (text string, refused bool) {
	ctx, cancel := context.WithTimeout(ctx, toolDeadline)
	defer cancel()
	res, err := t.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: rawJSON(args)})
	if err != nil {
		return "the call failed: " + err.Error(), true
	}
	var b strings.Builder
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			b.WriteString(text.Text + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n"), res.IsError
}

func (t *tools) close() {
	if t != nil && t.session != nil {
		_ = t.session.Close()
	}
}

// rawJSON is JSON that is written as it stands.
type rawJSON []byte

// MarshalJSON implements json.Marshaler.
func (v rawJSON) MarshalJSON() ([]byte, error) { return v, nil }
