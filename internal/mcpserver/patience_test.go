package mcpserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/mcpserver"
	"brenner/internal/patience"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// flickering is a service whose answers get lost now and then: what was asked
// for has been done, but who asked hears that the server is away.
type flickering struct {
	api.Service
	lose *atomic.Int32 // how many more answers
}

func lost[T any](s flickering, out T, err error) (T, error) {
	if s.lose.Add(-1) >= 0 {
		return out, brenner.Errorf(brenner.CodeStoreUnavailable, "the server cannot be reached")
	}
	return out, err
}

func (s flickering) NewTask(ctx context.Context, req api.NewTaskRequest) (api.TaskInfo, error) {
	out, err := s.Service.NewTask(ctx, req)
	return lost(s, out, err)
}

func (s flickering) Artifact(ctx context.Context, req api.ArtifactRequest) (api.ArtifactView, error) {
	out, err := s.Service.Artifact(ctx, req)
	return lost(s, out, err)
}

// W16, X2: an agent at work is not told of a server that goes away for a moment:
// its call is made again, under a key of ours where it gave none, and counts
// once.
func TestTools_CallsOfAPatientServerCountOnce(t *testing.T) {
	w := newWorld(t)
	var lose atomic.Int32
	handler := mcpserver.Handler(mcpserver.Options{
		Version: "test", Service: func(context.Context, http.Header) (api.Service, error) { return flickering{w.local("ada"), &lose}, nil },
	})
	var wait atomic.Int64
	var gaveUp atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		if most := time.Duration(wait.Load()); most > 0 {
			req = req.WithContext(patience.With(req.Context(), most, &gaveUp))
		}
		handler.ServeHTTP(rw, req)
	}))
	defer server.Close()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: server.URL, DisableStandaloneSSE: true, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	call := func(name string, arguments map[string]any) (string, bool) {
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		return res.Content[0].(*mcp.TextContent).Text, res.IsError
	}
	work := func(title string) map[string]any {
		return map[string]any{"role": "writer", "title": title, "spec": "write it", "module": "lineage"}
	}
	tasks := func() int {
		list, err := w.local("ada").Tasks(t.Context(), api.ListTasksRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return len(list.Tasks)
	}

	wait.Store(int64(30 * time.Second))
	lose.Store(2)
	if text, refused := call("request", work("one")); refused || strings.Contains(text, "duplicate") || tasks() != 1 {
		t.Errorf("%d tasks: %s", tasks(), text)
	}
	lose.Store(1)
	keyed := work("two")
	keyed["key"] = "mine"
	if text, refused := call("request", keyed); refused || tasks() != 2 {
		t.Errorf("%d tasks: %s", tasks(), text)
	}
	lose.Store(1)
	if text, refused := call("artifact_get", map[string]any{"ref": "none"}); !refused || !strings.Contains(text, "NOT_FOUND") {
		t.Errorf("a read: %s", text)
	}
	if gaveUp.Load() {
		t.Error("patience was given up")
	}

	wait.Store(int64(time.Millisecond))
	lose.Store(9)
	if text, refused := call("request", work("three")); !refused || !strings.Contains(text, "STORE_UNAVAILABLE") || !gaveUp.Load() {
		t.Errorf("gave up %t: %s", gaveUp.Load(), text)
	}
	wait.Store(0) // as a server that serves persons and their programs
	lose.Store(1)
	if text, refused := call("request", work("four")); !refused || !strings.Contains(text, "STORE_UNAVAILABLE") {
		t.Error(text)
	}
}
