package mcpserver

import (
	"context"
	"errors"
	"io"
	"maps"
	"sync"
	"time"

	"brenner"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio is a transport over a pair of streams, such as standard input and
// output. One message is one line, and no longer than a request may be. When
// the input ends, what was asked before is still answered.
func Stdio(in io.ReadCloser, out io.WriteCloser) mcp.Transport {
	return answering{&mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: brenner.MaxRequestBytes}}
}

// answering is a transport whose connections end when everything that was
// asked is answered. The library would drop what is under way at the end of
// the input, and `printf … | brenner mcp` would print nothing.
type answering struct{ mcp.Transport }

// Connect implements mcp.Transport.
func (a answering) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := a.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &answeringConn{Connection: c, open: map[jsonrpc.ID]bool{}, idle: make(chan struct{}, 1)}, nil
}

type answeringConn struct {
	mcp.Connection
	mu   sync.Mutex
	open map[jsonrpc.ID]bool
	idle chan struct{} // has one when the last open request was answered
}

// Read implements mcp.Connection.
func (c *answeringConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if err != nil {
		c.finish(ctx)
		return nil, ended(ctx, err)
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
		c.mu.Lock()
		c.open[req.ID] = true
		c.mu.Unlock()
	}
	return msg, nil
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
	err := c.Connection.Write(ctx, answered(msg))
	if res, ok := msg.(*jsonrpc.Response); ok {
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
