package mcpserver

import (
	"errors"

	"brenner"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The library refuses a message that it cannot place before any middleware is
// asked, with an error that only its words tell apart from others. Such
// messages are therefore refused here, in front of it, with a code
// (docs/adr/0007-refusals-in-front-of-the-library.md).

// noSessions is the revision of the protocol since which every request says
// for itself what a session said once.
const noSessions = "2026-07-28"

// method is what the protocol wants of a message with this method.
type method struct {
	notifies bool // it is a notification: nobody waits for an answer
	bare     bool // it may come without parameters
	in       era
	params   func() any
}

// era says in which revisions of the protocol a method is.
type era int

const (
	always era = iota
	withSessions
	withoutSessions
)

// methods are those of the protocol that this server answers.
var methods = map[string]method{
	"initialize":               {params: newOf[mcp.InitializeParams], in: withSessions},
	"ping":                     {params: newOf[mcp.PingParams], in: withSessions, bare: true},
	"logging/setLevel":         {params: newOf[mcp.SetLoggingLevelParams], in: withSessions}, //nolint:staticcheck // older revisions have it
	"server/discover":          {params: newOf[mcp.DiscoverParams], in: withoutSessions, bare: true},
	"subscriptions/listen":     {params: newOf[mcp.SubscriptionsListenParams], in: withoutSessions},
	"tools/list":               {params: newOf[mcp.ListToolsParams], bare: true},
	"tools/call":               {params: newOf[mcp.CallToolParamsRaw]},
	"prompts/list":             {params: newOf[mcp.ListPromptsParams], bare: true},
	"prompts/get":              {params: newOf[mcp.GetPromptParams]},
	"resources/list":           {params: newOf[mcp.ListResourcesParams], bare: true},
	"resources/templates/list": {params: newOf[mcp.ListResourceTemplatesParams], bare: true},
	"resources/read":           {params: newOf[mcp.ReadResourceParams]},

	"notifications/cancelled":          {params: newOf[mcp.CancelledParams], notifies: true, bare: true},
	"notifications/initialized":        {params: newOf[mcp.InitializedParams], notifies: true, bare: true},
	"notifications/roots/list_changed": {params: newOf[mcp.RootsListChangedParams], notifies: true, bare: true}, //nolint:staticcheck // older revisions have it
	"notifications/progress":           {params: newOf[mcp.ProgressNotificationParams], notifies: true},
}

func newOf[T any]() any { return new(T) }

// placed reads the parameters of a message, or says what is wrong with it, before
// anybody looks at what it asks for. One may have none.
func placed(req *jsonrpc.Request) (params any, no *jsonrpc.Error) {
	m, known := methods[req.Method]
	switch {
	case !known, m.in != always && (m.in == withoutSessions) != sessionless(req):
		return nil, onTheWire(jsonrpc.CodeMethodNotFound, noMethod())
	case m.notifies && req.IsCall():
		return nil, onTheWire(jsonrpc.CodeInvalidRequest, brenner.Errorf(brenner.CodeInvalidValue, "a notification has no id"))
	case !m.notifies && !req.IsCall():
		return nil, onTheWire(jsonrpc.CodeInvalidRequest, brenner.Errorf(brenner.CodeInvalidValue, "a request needs an id"))
	case len(req.Params) == 0 || jsontext.Value(req.Params).Kind() == 'n':
		if m.bare {
			return nil, nil
		}
		return nil, onTheWire(jsonrpc.CodeInvalidParams, brenner.Errorf(brenner.CodeInvalidValue, "the method needs params").At("/params"))
	}
	// Arguments are read again, strictly, by whoever they are for.
	params = m.params()
	if err := json.Unmarshal(req.Params, params, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, onTheWire(jsonrpc.CodeInvalidParams, wrongShape().At("/params"+pointerOf(err)).Because(err))
	}
	return params, nil
}

// sessionless says whether a request is of a revision without sessions: it
// names its revision itself.
func sessionless(req *jsonrpc.Request) bool {
	var params struct {
		Meta map[string]any `json:"_meta"`
	}
	if json.Unmarshal(req.Params, &params, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return false // the library reads none there either
	}
	revision, _ := params.Meta[mcp.MetaKeyProtocolVersion].(string)
	return req.IsCall() && revision >= noSessions
}

// needsGreeting says whether a request may come only after initialize.
func needsGreeting(req *jsonrpc.Request) bool {
	return req.IsCall() && req.Method != "initialize" && req.Method != "ping" && !sessionless(req)
}

// notGreeted refuses what comes before initialize.
func notGreeted() *jsonrpc.Error {
	return onTheWire(jsonrpc.CodeInvalidRequest, brenner.Errorf(brenner.CodeNotInitialized, "the client has not introduced itself").
		WithHint("call initialize first, or name the revision of the protocol in _meta"))
}

func noMethod() *brenner.Error {
	return brenner.Errorf(brenner.CodeNotFound, "there is no such method")
}

func wrongShape() *brenner.Error {
	return brenner.Errorf(brenner.CodeInvalidJSON, "the parameters do not have the shape that the method wants").
		WithHint("params is an object; tools/list gives the shape of each tool's arguments")
}

// pointerOf is where in a JSON text an error is about.
func pointerOf(err error) string {
	var shape *json.SemanticError
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &shape):
		return string(shape.JSONPointer)
	case errors.As(err, &syntax):
		return string(syntax.JSONPointer)
	}
	return ""
}
