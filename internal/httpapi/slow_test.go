package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/artifact"
	"brenner/internal/httpapi"
)

// narrow is a listener whose connections hold little that is not yet read, and
// which knows the ones that are open.
type narrow struct {
	net.Listener
	open sync.Map // by the address of the client
}

func (l *narrow) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	_ = c.(*net.TCPConn).SetWriteBuffer(4 << 10)
	l.open.Store(c.RemoteAddr().String(), true)
	return narrowConn{c, l}, nil
}

func (l *narrow) has(client net.Conn) bool {
	_, open := l.open.Load(client.LocalAddr().String())
	return open
}

type narrowConn struct {
	net.Conn
	l *narrow
}

func (c narrowConn) Close() error {
	c.l.open.Delete(c.RemoteAddr().String())
	return c.Conn.Close()
}

// impatient is a server that waits for nobody.
func impatient(t *testing.T) (*world, *narrow) {
	t.Helper()
	w := newWorld(t, func(o *httpapi.Options) {
		o.Deadlines = httpapi.Deadlines{Header: time.Second, Request: 2 * time.Second, Heartbeat: time.Minute}
	})
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &narrow{Listener: inner}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.server.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("stopped with %v", err)
		}
	})
	w.address = "http://" + inner.Addr().String()
	return w, l
}

// dial opens a connection that takes little unless it is read.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
	return c
}

// X3: a client that is slow to send or to read is cut off, whatever it is slow
// at; nothing of it stays, and others are served meanwhile.
func TestServer_SlowClientsAreCutOff(t *testing.T) {
	w, l := impatient(t)
	for i := range 200 { // records and a content that fill the buffers of a connection
		if _, err := w.owner().CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: brenner.ArtifactID(fmt.Sprintf("n%d", i)), Type: "paper_note", Module: "lineage", Summary: strings.Repeat("s", 1000),
			Content: api.Body{Format: artifact.Text, Data: strings.Repeat("t", 1+(i/199)*(1<<20))},
		}); err != nil {
			t.Fatal(err)
		}
	}
	head := func(line string) string {
		return line + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + w.token("ada") + "\r\n"
	}
	post := head("POST /api/v1/artifacts") + "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
	large := strings.NewReplacer(": 1000000", ": 30000000", "/artifacts", "/artifacts/n1/versions").Replace(post)
	type client struct {
		name, opens string
		dribbles    bool
		call        string // as the log names it; "" if it never became a request
		conn        net.Conn
	}
	clients := []*client{
		{name: "says nothing"},
		{name: "dribbles the header", opens: "GET /healthz HTTP/1.1\r\nX: ", dribbles: true},
		{name: "dribbles the body", opens: post + " ", dribbles: true, call: "CreateArtifact"},
		{name: "stops in a large body", opens: large + " ", call: "UpdateArtifact"},
		{name: "dribbles a body that nobody wants", opens: strings.Replace(large, "/artifacts/n1/versions", "/nothing", 1), dribbles: true, call: "None"},
		{name: "does not read its answer", opens: head("GET /api/v1/artifacts/n199") + "\r\n", call: "Artifact"},
		{name: "does not read its export", opens: head("GET /api/v1/export") + "\r\n", call: "Export"},
		{name: "does not read its feed", opens: head("GET /api/v1/feed?after=0") + "\r\n", call: "Feed"},
	}
	goroutines := runtime.NumGoroutine()
	for _, c := range clients {
		c.conn = dial(t, w.address)
		if _, err := io.WriteString(c.conn, c.opens); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the server to take the connection", func() bool { return l.has(c.conn) })
	}
	for served := 0; len(clients) > 0; served++ {
		w.isServed(t)
		clients = slices.DeleteFunc(clients, func(c *client) bool {
			if l.has(c.conn) {
				if c.dribbles {
					_, _ = io.WriteString(c.conn, "x")
				}
				return false
			}
			if c.call == "" {
				return true
			}
			// A connection may be gone a moment before its request has ended.
			ended := func() int { return strings.Count(w.log.String(), `"call":"`+c.call+`"`) }
			waitFor(t, "the request of who "+c.name+" to end", func() bool { return ended() > 0 })
			if n := ended(); n != 1 {
				t.Errorf("who %s: %d requests of %s ended", c.name, n, c.call)
			}
			return true
		})
		if served == 100_000 {
			for _, c := range clients {
				t.Errorf("who %s is not cut off", c.name)
			}
			return
		}
	}
	waitFor(t, "their goroutines to end", func() bool { return runtime.NumGoroutine() <= goroutines })
}

// isServed is another client, who is not slow.
func (w *world) isServed(t *testing.T) {
	t.Helper()
	conn := dial(t, w.address)
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "GET /api/v1/project HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer "+w.token("ada")+"\r\n\r\n")
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200 ") {
		t.Fatalf("another client gets %v, %s", err, answer)
	}
}

var spaces = bytes.Repeat([]byte(" "), 64<<10)

// body is a large body of which it is known whether it is being read.
type body struct {
	left  int
	begin func()
	end   func()
	begun bool
}

func (b *body) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		b.begin()
	}
	if b.left == 0 {
		b.end()
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), b.left)], spaces)
	b.left -= n
	return n, nil
}

// X3: a token has so many requests under way and no more; others have theirs,
// and a place is free again when a request ends.
func TestServer_RequestsUnderWayAreLimitedPerToken(t *testing.T) {
	w := newWorld(t)
	if _, err := w.owner().AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	ask := func(name brenner.ActorName, b io.Reader) int {
		h := httptest.NewRequest("POST", "http://localhost/api/v1/gc", b)
		h.ContentLength = 1
		h.Header.Set("Authorization", "Bearer "+w.token(name))
		out := httptest.NewRecorder()
		w.server.ServeHTTP(out, h)
		return out.Code
	}
	release := make(chan struct{})
	var all, inside sync.WaitGroup
	for range brenner.MaxRequestsUnderWay {
		inside.Add(1)
		all.Go(func() {
			ask("ada", &body{begin: func() { inside.Done(); <-release }, end: func() {}})
		})
	}
	inside.Wait()
	if status := ask("ada", strings.NewReader("")); status != http.StatusTooManyRequests {
		t.Errorf("one too many: %d", status)
	}
	if status := ask("BlueLake", strings.NewReader("")); status == http.StatusTooManyRequests {
		t.Errorf("another token: %d", status)
	}
	close(release)
	all.Wait()
	if status := ask("ada", strings.NewReader("")); status == http.StatusTooManyRequests {
		t.Errorf("afterwards: %d", status)
	}
}

// X10: bodies of so many bytes are read at once and no more, whoever sends them,
// so that many need no more memory than a few; one that is larger than any may be
// is refused without being read to its end, or at all if it says so.
func TestServer_LargeBodiesTakeTurns(t *testing.T) {
	const size, atOnce = 12 << 20, 4 // four times that is what there is room for
	w := newWorld(t)
	agents := make([]brenner.ActorName, atOnce)
	for i := range agents {
		agents[i] = brenner.ActorName(fmt.Sprintf("Agent%c", 'A'+i))
		if _, err := w.owner().AddAgent(t.Context(), api.AddAgentRequest{Name: agents[i], Role: "writer"}); err != nil {
			t.Fatal(err)
		}
	}
	post := func(name brenner.ActorName, size int64, b io.Reader) int {
		h := httptest.NewRequest("POST", "http://localhost/api/v1/artifacts", b)
		h.ContentLength = size
		h.Header.Set("Authorization", "Bearer "+w.token(name))
		h.Header.Set("Content-Type", "application/json")
		out := httptest.NewRecorder()
		w.server.ServeHTTP(out, h)
		return out.Code
	}
	var reading, most atomic.Int64
	full := make(chan struct{})
	fill := sync.OnceFunc(func() { close(full) })
	var all sync.WaitGroup
	for i := range 3 * atOnce {
		all.Go(func() {
			status := post(agents[i%len(agents)], size, &body{left: 1 << 10, end: func() { reading.Add(-1) }, begin: func() {
				n := reading.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				if n == atOnce {
					fill()
				}
				<-full
			}})
			if status != http.StatusUnprocessableEntity { // spaces are no JSON
				t.Errorf("got %d", status)
			}
		})
	}
	all.Wait()
	if most.Load() != atOnce {
		t.Errorf("%d large bodies were read at once", most.Load())
	}
	endless := &body{left: 1 << 40, begin: func() {}, end: func() {}}
	if status := post("ada", -1, endless); status != http.StatusRequestEntityTooLarge || 1<<40-endless.left > brenner.MaxRequestBytes+1<<20 {
		t.Errorf("a body without end: %d, after %d bytes", status, 1<<40-endless.left)
	}
	unread := &body{left: 1, begin: func() { t.Error("a body that says it is too large was read") }}
	if status := post("ada", 1<<40, unread); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that says it is too large: %d", status)
	}
}

// X10: the bodies of one token, however slow and however many, leave room for
// those of others; of its own so many wait, and those beyond are RATE_LIMITED.
func TestServer_SlowLargeBodiesOfOneTokenDelayNobodyElse(t *testing.T) {
	const size, share = 12 << 20, 2
	w := newWorld(t)
	if _, err := w.owner().AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	post := func(ctx context.Context, name brenner.ActorName, b io.Reader) int {
		h := httptest.NewRequestWithContext(ctx, "POST", "http://localhost/api/v1/artifacts", b)
		h.ContentLength = size
		h.Header.Set("Authorization", "Bearer "+w.token(name))
		h.Header.Set("Content-Type", "application/json")
		out := httptest.NewRecorder()
		w.server.ServeHTTP(out, h)
		return out.Code
	}
	w.token("BlueLake")
	w.token("ada")
	release := make(chan struct{})
	var reading, refused atomic.Int64
	var all sync.WaitGroup
	for range share + brenner.MaxWorkWaiting + 5 {
		all.Go(func() {
			if post(t.Context(), "BlueLake", &body{begin: func() { reading.Add(1); <-release }, end: func() {}}) == http.StatusTooManyRequests {
				refused.Add(1)
			}
		})
	}
	waitFor(t, "the slow bodies to be read and the others to wait", func() bool { return reading.Load() >= share && refused.Load() >= 5 })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // only a failure waits for it
	defer cancel()
	begun := false
	post(ctx, "ada", &body{begin: func() { begun = true }, end: func() {}})
	if !begun {
		t.Error("the body of another token was not read")
	}
	if n := reading.Load(); n != share {
		t.Errorf("%d large bodies of one token are read at once", n)
	}
	close(release)
	all.Wait()
	if n := refused.Load(); n != 5 {
		t.Errorf("%d were refused", n)
	}
}

// X10: what a role may do is decided from the header: no large body is read of
// somebody who could do nothing with it, however many are sent, however slowly,
// by however many, over HTTP or MCP; those of others are read meanwhile. What
// takes no large request reads none of anybody's.
func TestServer_LargeBodiesOfWhoMayNotWriteAreNotRead(t *testing.T) {
	w := newWorld(t)
	if _, err := w.owner().ApplyConfig(t.Context(), api.ApplyConfigRequest{File: api.ConfigFile{Name: ".brennerrc", Data: apitest.Config + `
policies:
  observer: {read: ["*"], write: [], promote: [], acts: [status, context_assemble]}
`}}); err != nil {
		t.Fatal(err)
	}
	agents := make([]brenner.ActorName, 8)
	for i := range agents {
		agents[i] = brenner.ActorName(fmt.Sprintf("Agent%c", 'A'+i))
		if _, err := w.owner().AddAgent(t.Context(), api.AddAgentRequest{Name: agents[i], Role: "observer"}); err != nil {
			t.Fatal(err)
		}
	}
	post := func(name brenner.ActorName, path string, b io.Reader) int {
		h := httptest.NewRequestWithContext(t.Context(), "POST", "http://localhost"+path, b)
		h.ContentLength = -1
		h.Header.Set("Authorization", "Bearer "+w.token(name))
		h.Header.Set("Content-Type", "application/json")
		out := httptest.NewRecorder()
		w.server.ServeHTTP(out, h)
		return out.Code
	}
	for _, path := range []string{"/api/v1/artifacts", "/api/v1/batch", "/api/v1/deltas", "/api/v1/playbook/learn", "/api/v1/config"} {
		for _, name := range agents {
			unread := &body{left: 1 << 40, begin: func() { t.Errorf("%s: a body of %s is read", path, name) }, end: func() {}}
			if status := post(name, path, unread); status != http.StatusForbidden {
				t.Errorf("%s: %d", path, status)
			}
		}
	}
	small := &body{left: 1 << 40, begin: func() {}, end: func() {}}
	if status := post("ada", "/api/v1/gc", small); status != http.StatusRequestEntityTooLarge || 1<<40-small.left > brenner.LargeRequestBytes+1<<20 {
		t.Errorf("what takes no large request: %d after %d bytes", status, 1<<40-small.left)
	}
	begun := false
	post("ada", "/api/v1/artifacts", &body{left: 2 * brenner.LargeRequestBytes, begin: func() { begun = true }, end: func() {}})
	if !begun {
		t.Error("the body of who may write is not read")
	}
}
