package httpapi

import (
	"errors"
	"net/http"
	"strings"

	"brenner"
)

// plainly is the answer of the MCP library. What it refuses in plain text,
// before there is a message to answer, becomes a problem document with a code,
// under the status that clients know it by.
type plainly struct {
	http.ResponseWriter
	h       *http.Request
	refused int // the status of a refusal whose text is awaited
}

// WriteHeader implements http.ResponseWriter.
func (p *plainly) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(p.Header().Get("Content-Type"), "text/plain") {
		p.refused = status
		return
	}
	p.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (p *plainly) Write(text []byte) (int, error) {
	if p.refused == 0 {
		return p.ResponseWriter.Write(text)
	}
	err := refusalOf(p.refused, clip(strings.TrimSpace(string(text))))
	t := newTrouble(err, noteOf(p.h).id)
	t.Status = p.refused
	noteOf(p.h).failed(err, t)
	send(p.ResponseWriter, t.Status, problemType, mustJSON(t))
	return len(text), nil
}

// refusalOf is what the library refuses with a status and a text.
func refusalOf(status int, text string) error {
	switch {
	case status >= http.StatusInternalServerError:
		return errors.New(text) // a cause, which is not shown
	case status == http.StatusRequestEntityTooLarge:
		return brenner.Errorf(brenner.CodeLimitExceeded, "%s", text)
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return brenner.Errorf(brenner.CodeNotFound, "%s", text)
	case strings.HasPrefix(text, "malformed payload"): // and then types of Go
		return brenner.Errorf(brenner.CodeInvalidJSON, "the body is not a message of JSON-RPC 2.0").
			WithHint(`send {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}} or the like`)
	case strings.HasPrefix(text, "JSON RPC not handled"):
		return brenner.Errorf(brenner.CodeNotFound, "there is no such method")
	}
	return brenner.Errorf(brenner.CodeInvalidValue, "%s", text)
}

// Unwrap lets http.ResponseController reach the connection.
func (p *plainly) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Flush sends what was written; the MCP library asks for it by this name.
func (p *plainly) Flush() { _ = http.NewResponseController(p.ResponseWriter).Flush() }
