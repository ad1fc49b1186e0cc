package mcpserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"brenner/api"
	"brenner/internal/mcpserver"
)

// slow is a service whose searches end only when nobody waits for them.
type slow struct {
	api.Service
	begun chan struct{}
	ended chan bool // before anybody's patience was
}

func (s slow) SearchArtifacts(ctx context.Context, _ api.SearchArtifactsRequest) (api.SearchResult, error) {
	close(s.begun)
	select {
	case <-ctx.Done():
		s.ended <- true
	case <-time.After(30 * time.Second):
		s.ended <- false
	}
	return api.SearchResult{}, ctx.Err()
}

// looked counts how often somebody looked for mail.
type looked struct {
	api.Service
	looks *atomic.Int32
}

func (s looked) Inbox(ctx context.Context, req api.InboxRequest) (api.MessageList, error) {
	s.looks.Add(1)
	return s.Service.Inbox(ctx, req)
}

// asking sends one message of a revision with sessions.
func asking(ctx context.Context, url, message string) error {
	h, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		return err
	}
	h.Header.Set("Content-Type", "application/json")
	h.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(h)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// X9: the work for a call over HTTP ends when its client is gone.
func TestHandler_ACallEndsWithItsClient(t *testing.T) {
	w := newWorld(t)
	s := slow{w.local("ada"), make(chan struct{}), make(chan bool, 1)}
	server := httptest.NewServer(mcpserver.Handler(mcpserver.Options{
		Service: func(context.Context, http.Header) (api.Service, error) { return s, nil },
	}))
	defer server.Close()
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-s.begun
		leave()
	}()
	if err := asking(ctx, server.URL, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"artifact_search","arguments":{"text":"night"}}}`); err == nil {
		t.Error("the call came to an end that nobody waited for")
	}
	if !<-s.ended {
		t.Error("the search went on without its client")
	}
}

// X9: who waits for mail does not keep a server from ending.
func TestInbox_AWaitEndsWithTheServer(t *testing.T) {
	w := newWorld(t)
	leaving := make(chan struct{})
	var looks atomic.Int32
	server := httptest.NewServer(mcpserver.Handler(mcpserver.Options{
		Service: func(context.Context, http.Header) (api.Service, error) { return looked{w.local("ada"), &looks}, nil }, Leaving: leaving,
	}))
	defer server.Close()
	close(leaving)
	if err := asking(t.Context(), server.URL, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"inbox","arguments":{"wait":60,"states":["unread"]}}}`); err != nil {
		t.Fatal(err)
	}
	if n := looks.Load(); n == 0 || n > 5 { // in 15 seconds there are 30
		t.Errorf("it was looked for mail %d times", n)
	}
}
