package mcpserver

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"sync"
	"time"

	"brenner"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio is a transport over a pair of streams, such as standard input and
// output. One message is one line, and no longer than a request may be. When
// the input ends, what was asked before is still answered. The causes of
// internal errors go to the log.
func Stdio(in io.ReadCloser, out io.WriteCloser, log *slog.Logger) mcp.Transport {
	return answering{&mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: brenner.MaxRequestBytes}, Options{Log: log}}
}

// answering is a transport whose connections end when everything that was
// asked is answered. The library would drop what is under way at the end of
// the input, and `printf … | brenner mcp` would print nothing.
type answering struct {
	mcp.Transport
	options Options
}

// Connect implements mcp.Transport.
func (a answering) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := a.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &answeringConn{Connection: c, options: a.options, open: map[jsonrpc.ID]bool{}, idle: make(chan struct{}, 1)}, nil
}

type answeringConn struct {
	mcp.Connection
	options Options
	greeted bool // initialize has come; only the reader looks

	mu   sync.Mutex
	open map[jsonrpc.ID]bool
	idle chan struct{} // has one when the last open request was answered
}

// Read implements mcp.Connection. What the library could not place is answered
// here, and the next message read.
func (c *answeringConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := c.Connection.Read(ctx)
		if err != nil {
			c.finish(ctx)
			return nil, ended(ctx, err)
		}
		req, ok := msg.(*jsonrpc.Request)
		if !ok {
			return msg, nil
		}
		if refusal := c.refuse(req); refusal == nil {
			c.expect(req)
			return msg, nil
		} else if !req.IsCall() {
			continue // a notification is answered with nothing
		} else if err := c.Connection.Write(ctx, &jsonrpc.Response{ID: req.ID, Error: refusal}); err != nil {
			return nil, err
		}
	}
}

// refuse says what is wrong with a message where it stands in the conversation;
// nil if nothing is.
func (c *answeringConn) refuse(req *jsonrpc.Request) *jsonrpc.Error {
	if _, err := placed(req); err != nil {
		return err
	}
	if !c.greeted && needsGreeting(req) {
		return notGreeted()
	}
	c.greeted = c.greeted || req.Method == "initialize"
	return nil
}

// expect notes that a request is to be answered.
func (c *answeringConn) expect(req *jsonrpc.Request) {
	if !req.IsCall() {
		return
	}
	c.mu.Lock()
	c.open[req.ID] = true
	c.mu.Unlock()
}

// ended says why nothing more is read.
func ended(ctx context.Context, err error) error {
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return err
	}
	return brenner.Errorf(brenner.CodeInvalidJSON, "the input is not a stream of messages").
		WithHint("write one JSON-RPC message a line").Because(err)
}

// finish waits for the answers that are due, as long as a server that stops.
func (c *answeringConn) finish(ctx context.Context) {
	late := time.NewTimer(brenner.ShutdownDeadline)
	defer late.Stop()
	for {
		c.mu.Lock()
		left := len(c.open)
		c.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-c.idle:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Write implements mcp.Connection.
func (c *answeringConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	res, ok := msg.(*jsonrpc.Response)
	if ok && res.Error != nil {
		msg = &jsonrpc.Response{ID: res.ID, Error: c.options.refusalOf(ctx, "", res.Error)}
	}
	err := c.Connection.Write(ctx, msg)
	if ok {
		c.answered(func(id jsonrpc.ID, _ bool) bool { return err != nil || id == res.ID })
	}
	return err
}

// Close implements mcp.Connection: nobody waits for answers any more.
func (c *answeringConn) Close() error {
	c.answered(func(jsonrpc.ID, bool) bool { return true })
	return c.Connection.Close()
}

// answered takes requests off those that are due; where nothing can be
// written any more, all of them.
func (c *answeringConn) answered(which func(jsonrpc.ID, bool) bool) {
	c.mu.Lock()
	maps.DeleteFunc(c.open, which)
	last := len(c.open) == 0
	c.mu.Unlock()
	if last {
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}
}
