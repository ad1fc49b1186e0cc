package mcpserver

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"brenner"
	"brenner/internal/admission"
	"brenner/internal/problem"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// revisionHeader names the revision of the protocol that a request is in.
const revisionHeader = "Mcp-Protocol-Version"

// noBatches is the revision since which a request is one message.
const noBatches = "2025-06-18"

// bothAccepted are the forms of answer that a client has to take.
const bothAccepted = "application/json, text/event-stream"

// Handler serves MCP over streamable HTTP, without sessions. What is no message of
// the protocol is refused as an error of JSON-RPC whose data is our error, under the
// HTTP status that clients know it by.
func Handler(o Options) http.Handler { return handlerOf(New(o), newDirect(o)) }

// FileHandler serves files alone, of an agent that has its tools over other ways.
func FileHandler(o Options) http.Handler { return http.HandlerFunc(o.complete().serveFile) }

// handlerOf leaves to the library what is not answered directly.
func handlerOf(s *mcp.Server, d direct) http.Handler {
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: brenner.MaxRequestBytes,
		// Names and origins are checked in front of this handler.
		DisableLocalhostProtection:   true,
		PropagateRequestCancellation: true,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == FilePath && d.Tickets != nil {
			d.serveFile(w, req)
			return
		}
		req = based(req)
		messages, params, no := admit(w, req)
		if no != nil {
			no.send(w)
			return
		}
		if len(messages) == 1 && d.answer(w, req, messages[0], params) {
			return
		}
		h.ServeHTTP(w, remembering(req))
	})
}

// rejection answers a request that does not get to the library.
type rejection struct {
	status int
	id     jsonrpc.ID // of the message, if there is one
	err    *jsonrpc.Error
}

func (r *rejection) send(w http.ResponseWriter) {
	raw, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: r.id, Error: r.err})
	if err != nil {
		panic(err) // we made it
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.status)
	_, _ = w.Write(raw) // the client is gone
}

// admit lets a request through that the library will find to be a message, and
// says the rest no. The parameters are those of the last message.
func admit(w http.ResponseWriter, h *http.Request) (messages []jsonrpc.Message, params any, no *rejection) {
	invalid := func(status int, code brenner.Code, message, hint string) *rejection {
		return &rejection{status: status, err: onTheWire(jsonrpc.CodeInvalidRequest, brenner.Errorf(code, "%s", message).WithHint(hint))}
	}
	if h.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return nil, nil, invalid(http.StatusMethodNotAllowed, brenner.CodeNotFound, "messages are sent with POST", "there are no streams to open or sessions to end")
	}
	if kind, _, err := mime.ParseMediaType(h.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, nil, invalid(http.StatusUnsupportedMediaType, brenner.CodeInvalidValue, "the body is not said to be JSON", "send Content-Type: application/json")
	}
	if !accepts(h.Header.Values("Accept")) {
		return nil, nil, invalid(http.StatusBadRequest, brenner.CodeInvalidValue, "the answer may be JSON or a stream of events", "send Accept: "+bothAccepted)
	}
	revision := h.Header.Get(revisionHeader)
	if revision != "" && !slices.Contains(mcp.SupportedProtocolVersions(), revision) {
		return nil, nil, &rejection{status: http.StatusBadRequest, err: unknownRevision(revision)}
	}
	body, err := admission.ReadBody(http.MaxBytesReader(w, h.Body, brenner.MaxRequestBytes), h.ContentLength)
	if err != nil {
		e, status := problem.From(unread(err))
		if e.Code != brenner.CodeLimitExceeded {
			status.HTTP = http.StatusBadRequest
		}
		return nil, nil, &rejection{status: status.HTTP, err: onTheWire(jsonrpc.CodeInvalidRequest, e)}
	}
	if err := admission.CheckValues(body); err != nil {
		return nil, nil, tooLarge(err)
	}
	messages, batch, err := decode(body)
	if errors.Is(err, brenner.CodeLimitExceeded) {
		return nil, nil, tooLarge(err)
	}
	if err != nil {
		return nil, nil, &rejection{status: http.StatusBadRequest, err: onTheWire(jsonrpc.CodeParseError,
			brenner.Errorf(brenner.CodeInvalidJSON, "the body is not a message of JSON-RPC 2.0").
				WithHint(`send {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}} or the like`).Because(err))}
	}
	if batch && revision >= noBatches {
		return nil, nil, invalid(http.StatusBadRequest, brenner.CodeInvalidValue, "this revision of the protocol has no batches", "send one message at a time")
	}
	for _, msg := range messages {
		if req, ok := msg.(*jsonrpc.Request); ok {
			read, err := placed(req)
			if err != nil {
				return nil, nil, &rejection{status: statusOf(req, revision, err), id: req.ID, err: err}
			}
			params = read
		}
	}
	// The library reads these again, and not always as generously.
	h.Header.Set("Content-Type", "application/json")
	h.Header.Set("Accept", bothAccepted)
	h.Header.Del("Last-Event-ID")
	h.Body = io.NopCloser(&given{body})
	return messages, params, nil
}

// given is a body that is let go when it has been read.
type given struct{ rest []byte }

func (g *given) Read(p []byte) (int, error) {
	if len(g.rest) == 0 {
		g.rest = nil
		return 0, io.EOF
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	return n, nil
}

// accepts says whether a client takes both forms of answer.
func accepts(headers []string) bool {
	var objects, streams bool
	for kind := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		kind, _, _ = strings.Cut(kind, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "application/json", "application/*":
			objects = true
		case "text/event-stream", "text/*":
			streams = true
		case "*/*":
			return true
		}
	}
	return objects && streams
}

// decode reads a message, or in old revisions a batch of them.
func decode(body []byte) (messages []jsonrpc.Message, batch bool, err error) {
	parts := []jsontext.Value{body}
	if batch = jsontext.Value(body).Kind() == '['; batch {
		if err := json.Unmarshal(body, &parts); err != nil {
			return nil, true, err
		}
		if len(parts) == 0 {
			return nil, true, errors.New("an empty batch")
		}
		if len(parts) > brenner.MaxMessages {
			return nil, true, brenner.Errorf(brenner.CodeLimitExceeded, "a batch has at most %d messages", brenner.MaxMessages).
				WithHint("send the others after these")
		}
	}
	for _, part := range parts {
		if req := plainRequest(part); req != nil {
			messages = append(messages, req)
			continue
		}
		msg, err := jsonrpc.DecodeMessage(part)
		if err != nil {
			return nil, batch, err
		}
		messages = append(messages, msg)
	}
	return messages, batch, nil
}

// plainDepth is fewer values within each other than the library refuses.
const plainDepth = 500

// plainRequest reads a request about which there is no doubt, as the library would,
// which takes two buffers of 32 KiB for each. The library says what the rest is.
func plainRequest(message []byte) *jsonrpc.Request {
	if bytes.Count(message, []byte{'{'})+bytes.Count(message, []byte{'['}) > plainDepth {
		return nil
	}
	var m struct {
		Version string         `json:"jsonrpc"`
		ID      any            `json:"id"`
		Method  string         `json:"method"`
		Params  jsontext.Value `json:"params"`
	}
	if json.Unmarshal(message, &m, json.RejectUnknownMembers(true)) != nil || m.Version != "2.0" || m.Method == "" {
		return nil
	}
	id, err := jsonrpc.MakeID(m.ID)
	if err != nil {
		return nil
	}
	return &jsonrpc.Request{ID: id, Method: m.Method, Params: []byte(m.Params)}
}

// statusOf is the HTTP status of a message that was refused. A client of older
// revisions reads the error only where the request was fine by HTTP.
func statusOf(req *jsonrpc.Request, revision string, err *jsonrpc.Error) int {
	switch {
	case !req.IsCall():
		return http.StatusBadRequest
	case revision >= noSessions && err.Code == jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusOK
}

// tooLarge refuses a request that goes over a limit.
func tooLarge(err error) *rejection {
	e, _ := problem.From(err)
	return &rejection{status: http.StatusRequestEntityTooLarge, err: onTheWire(jsonrpc.CodeInvalidRequest, e)}
}

// unread says why a body could not be read.
func unread(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return brenner.Errorf(brenner.CodeLimitExceeded, "the body is larger than %d bytes", large.Limit)
	}
	return brenner.Errorf(brenner.CodeCanceled, "the body did not arrive").Because(err)
}

// unknownRevision refuses a revision that is not spoken here. The data names
// those that are, as the protocol wants, beside our error.
func unknownRevision(revision string) *jsonrpc.Error {
	if len(revision) > len(noSessions) {
		revision = revision[:len(noSessions)]
	}
	e := brenner.Errorf(brenner.CodeInvalidValue, "this revision of the protocol is not spoken here")
	return &jsonrpc.Error{Code: mcp.CodeUnsupportedProtocolVersion, Message: e.Error(), Data: mustJSON(struct {
		brenner.Error
		Supported []string `json:"supported"`
		Requested string   `json:"requested"`
	}{*e, mcp.SupportedProtocolVersions(), strings.ToValidUTF8(revision, "")})}
}
