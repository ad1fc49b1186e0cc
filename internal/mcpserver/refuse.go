package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"brenner"
	"brenner/internal/problem"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// coded gives what the library itself refuses a code of ours, as the data of
// its error. The name that was asked for is not repeated: it may be long.
func coded(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		var theirs *jsonrpc.Error
		if !errors.As(err, &theirs) || theirs.Code != jsonrpc.CodeInvalidParams || isOurs(theirs) {
			return res, err
		}
		return nil, onTheWire(theirs.Code, libraryRefusal(method))
	}
}

// onTheWire is an error of ours where MCP knows only its own.
func onTheWire(code int64, e *brenner.Error) *jsonrpc.Error {
	return &jsonrpc.Error{Code: code, Message: string(e.Code) + ": " + e.Message, Data: mustJSON(e)}
}

// libraryRefusal says what the library refuses a method for.
func libraryRefusal(method string) *brenner.Error {
	switch method {
	case "tools/call":
		return brenner.Errorf(brenner.CodeNotFound, "there is no such tool").WithHint("tools/list names them")
	case "prompts/get":
		return brenner.Errorf(brenner.CodeNotFound, "there is no such prompt").WithHint("prompts/list names them")
	case "resources/read":
		return brenner.Errorf(brenner.CodeNotFound, "there is no such resource").WithHint("resources/list and resources/templates/list name them")
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		return brenner.Errorf(brenner.CodeInvalidCursor, "the cursor is not one of this list").WithHint("start without a cursor")
	}
	return wrongShape()
}

func wrongShape() *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidJSON, "the parameters do not have the shape that the method wants").
		WithHint("params is an object; tools/list gives the shape of each tool's arguments")
}

// isOurs says whether an error has a code of ours already.
func isOurs(e *jsonrpc.Error) bool {
	var data struct {
		Code brenner.Code `json:"code"`
	}
	return json.Unmarshal(e.Data, &data) == nil && data.Code != ""
}

// answered is a message as it goes out. An error that the library found by
// itself, before any method was reached, gets a code of ours.
func answered(msg jsonrpc.Message) jsonrpc.Message {
	res, ok := msg.(*jsonrpc.Response)
	if !ok || res.Error == nil {
		return msg
	}
	out := *res
	out.Error = inOurWords(res.Error)
	return &out
}

// inOurWords gives an error a code of ours, unless it has data already: ours,
// or what the protocol wants there.
func inOurWords(err error) error {
	var code int64
	if theirs := (*jsonrpc.Error)(nil); errors.As(err, &theirs) {
		if len(theirs.Data) > 0 {
			return err
		}
		code = theirs.Code
	}
	e := early(code, err)
	if code == 0 {
		code = int64(problem.Of(brenner.ClassOf(e.Code)).MCP)
	}
	return onTheWire(code, e)
}

// early says what the library refused before a method was reached. Its own
// words are kept where they are about the protocol; about a shape they repeat
// what was sent and name types of Go.
func early(code int64, err error) *brenner.Error {
	words := strings.ToValidUTF8(err.Error(), "")
	switch {
	case strings.Contains(words, "unmarshal"):
		return wrongShape()
	case code == jsonrpc.CodeMethodNotFound:
		return brenner.Errorf(brenner.CodeNotFound, "there is no such method")
	case code == 0 || code == jsonrpc.CodeInternalError:
		e, _ := problem.From(err)
		return e
	}
	return brenner.Errorf(brenner.CodeInvalidValue, "%.200s", words)
}

// answeringResponse is an HTTP response in which errors of the library get a
// code.
type answeringResponse struct{ http.ResponseWriter }

// Write implements http.ResponseWriter. The library writes a message, a batch
// of them or an event with one at a time.
func (w answeringResponse) Write(data []byte) (int, error) {
	start := bytes.IndexAny(data, "{[")
	if start < 0 || !bytes.Contains(data, []byte(`"error":`)) {
		return w.ResponseWriter.Write(data)
	}
	message := bytes.TrimRight(data[start:], "\n")
	rest := data[start+len(message):]
	_, err := w.ResponseWriter.Write(slices.Concat(data[:start], rewritten(message), rest))
	return len(data), err
}

// Unwrap lets http.ResponseController reach the connection.
func (w answeringResponse) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// rewritten is a message, or a batch of them, as it goes out.
func rewritten(raw []byte) []byte {
	var batch []jsontext.Value
	if json.Unmarshal(raw, &batch) == nil {
		for i := range batch {
			batch[i] = rewritten(batch[i])
		}
		return mustJSON(batch)
	}
	msg, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		return raw
	}
	out, err := jsonrpc.EncodeMessage(answered(msg))
	if err != nil {
		return raw
	}
	return out
}
