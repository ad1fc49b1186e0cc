package mcpserver

import (
	"bytes"
	escaped "encoding/json"
	"net/http"

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

// answer answers a message, or leaves it. It has been admitted, with these parameters.
func (d direct) answer(w http.ResponseWriter, h *http.Request, msg jsonrpc.Message, params any) bool {
	req, _ := msg.(*jsonrpc.Request)
	called, ok := params.(*mcp.CallToolParamsRaw)
	if !ok || h.Header.Get(revisionHeader) >= noSessions {
		return false
	}
	handle, ok := d.tools[called.Name]
	if _, named := called.Meta[mcp.MetaKeyProtocolVersion]; !ok || named {
		return false
	}
	result, err := handle(d.waiting(h.Context()), &mcp.CallToolRequest{Params: called, Extra: &mcp.RequestExtra{Header: h.Header}})
	var id []byte
	if err == nil {
		id, err = json.Marshal(req.ID.Raw(), jsontext.AllowInvalidUTF8(true))
	}
	var out bytes.Buffer
	if err == nil {
		out.WriteString(`{"jsonrpc":"2.0","id":`)
		out.Write(id)
		out.WriteString(`,"result":`)
		err = writeResult(&out, result)
	}
	if err != nil {
		panic(err) // we made it: what goes wrong in a tool is a result
	}
	out.WriteByte('}')
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(out.Bytes()) // the client is gone
	return true
}

// writeResult writes a result as the library does, which reads its data twice more for it
// than need be.
func writeResult(to *bytes.Buffer, r *mcp.CallToolResult) error {
	data, ours := r.StructuredContent.(jsonValue)
	if !ours || len(r.Content) != 1 || len(r.Meta) > 0 || r.IsError {
		raw, err := r.MarshalJSON()
		to.Write(raw)
		return err
	}
	text, err := r.Content[0].MarshalJSON()
	if err != nil {
		return err
	}
	to.Grow(len(text) + len(data) + 64)
	to.WriteString(`{"content":[`)
	to.Write(text)
	to.WriteString(`],"structuredContent":`)
	escaped.HTMLEscape(to, data) // as the library does everywhere
	to.WriteByte('}')
	return nil
}
