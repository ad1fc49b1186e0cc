package mcpserver

import (
	"context"
	"errors"

	"brenner"

	"github.com/go-json-experiment/json"
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
		e := libraryRefusal(method)
		return nil, &jsonrpc.Error{Code: theirs.Code, Message: string(e.Code) + ": " + e.Message, Data: mustJSON(e)}
	}
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
	return brenner.Errorf(brenner.CodeInvalidValue, "the parameters are not those of %s", method)
}

// isOurs says whether an error has a code of ours already.
func isOurs(e *jsonrpc.Error) bool {
	var data struct {
		Code brenner.Code `json:"code"`
	}
	return json.Unmarshal(e.Data, &data) == nil && data.Code != ""
}
