package mcpserver

import (
	"context"
	"errors"

	"brenner"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// coded gives the refusals of every method a code of ours: those of the library
// by the number of its error, and what fails without one as INTERNAL, logged.
func (o Options) coded(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if err == nil {
			return res, nil
		}
		return nil, o.refusalOf(ctx, method, err)
	}
}

// refusalOf is an error of a method with a code of ours.
func (o Options) refusalOf(ctx context.Context, method string, err error) error {
	var theirs *jsonrpc.Error
	if !errors.As(err, &theirs) {
		return o.protocolError(ctx, err)
	}
	return withCode(method, theirs)
}

// onTheWire is an error of ours where MCP knows only its own.
func onTheWire(code int64, e *brenner.Error) *jsonrpc.Error {
	return &jsonrpc.Error{Code: code, Message: string(e.Code) + ": " + e.Message, Data: mustJSON(e)}
}

// withCode gives an error of the library a code of ours, unless its data are
// ours already, or what the protocol wants there.
func withCode(method string, theirs *jsonrpc.Error) *jsonrpc.Error {
	var ours brenner.Error
	if json.Unmarshal(theirs.Data, &ours) == nil && ours.Code != "" {
		return theirs
	}
	switch theirs.Code {
	case mcp.CodeUnsupportedProtocolVersion:
		return theirs
	case jsonrpc.CodeInvalidParams:
		return onTheWire(theirs.Code, notOffered(method))
	case jsonrpc.CodeMethodNotFound:
		return onTheWire(theirs.Code, noMethod())
	}
	return onTheWire(theirs.Code, brenner.Errorf(brenner.CodeInvalidValue, "the message does not fit the protocol"))
}

// notOffered says what the library refuses the parameters of a method for. The
// name that was asked for is not repeated: it may be long.
func notOffered(method string) *brenner.Error {
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
