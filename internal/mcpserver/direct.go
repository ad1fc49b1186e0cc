package mcpserver

import (
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// direct answers calls of tools over HTTP without the library, which makes a
// session with goroutines of its own for every request, and reads and writes each
// message several times (docs/adr/0164-calls-of-tools-without-a-session.md). It answers
// only what needs nothing of a session, and leaves the rest to the library.
type direct struct {
	Options
	tools map[string]mcp.ToolHandler
}

func newDirect(o Options) direct {
	d := direct{o.complete(), make(map[string]mcp.ToolHandler, len(tools()))}
	for _, t := range tools() {
		d.tools[t.name] = d.handle(t)
	}
	return d
}

// answer answers a message, or leaves it. It has been admitted.
func (d direct) answer(w http.ResponseWriter, h *http.Request, msg jsonrpc.Message) bool {
	req, ok := msg.(*jsonrpc.Request)
	if !ok || req.Method != "tools/call" || h.Header.Get(revisionHeader) >= noSessions {
		return false
	}
	var params mcp.CallToolParamsRaw
	if json.Unmarshal(req.Params, &params, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return false
	}
	handle, ok := d.tools[params.Name]
	if _, named := params.Meta[mcp.MetaKeyProtocolVersion]; !ok || named {
		return false
	}
	result, err := handle(d.waiting(h.Context()), &mcp.CallToolRequest{Params: &params, Extra: &mcp.RequestExtra{Header: h.Header}})
	var id, raw []byte
	if err == nil {
		raw, err = result.MarshalJSON()
	}
	if err == nil {
		id, err = json.Marshal(req.ID.Raw(), jsontext.AllowInvalidUTF8(true))
	}
	if err != nil {
		panic(err) // we made it: what goes wrong in a tool is a result
	}
	w.Header().Set("Content-Type", "application/json")
	// The library would read the result once more before it writes it.
	_, _ = w.Write(slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), raw, []byte{'}'})) // the client is gone
	return true
}
