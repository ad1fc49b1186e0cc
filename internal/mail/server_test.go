package mail_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner/internal/mail"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// post is a message as the server keeps it.
type post struct {
	ID      int      `json:"id"`
	Thread  string   `json:"thread_id"`
	From    string   `json:"from"`
	To      []string `json:"to"`
	Subject string   `json:"subject"`
	Body    string   `json:"body_md"`
	Ack     bool     `json:"ack_required"`
	Created string   `json:"created_ts"`
}

// server is an Agent Mail server: a real MCP server over HTTP that keeps what
// it is told.
type server struct {
	t      *testing.T
	token  string
	rename map[string]string // names it assigns instead of those asked for
	refuse string            // a recipient it cannot deliver to
	slow   chan struct{}     // if set, send_message keeps the message, then waits
	bare   bool              // results as text only, without structured content

	mu       sync.Mutex
	projects []string
	agents   map[string]string // name → program
	posts    []post
}

type projectIn struct {
	HumanKey string `json:"human_key"`
}

type agentIn struct {
	ProjectKey string `json:"project_key"`
	Name       string `json:"name,omitempty"`
	Program    string `json:"program"`
	Model      string `json:"model"`
	Task       string `json:"task_description,omitempty"`
}

type agentOut struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

type sendIn struct {
	ProjectKey string   `json:"project_key"`
	Sender     string   `json:"sender_name"`
	To         []string `json:"to"`
	Subject    string   `json:"subject"`
	Body       string   `json:"body_md"`
	Thread     string   `json:"thread_id,omitempty"`
	Ack        bool     `json:"ack_required,omitempty"`
	Importance string   `json:"importance,omitempty"`
}

type sendOut struct {
	Deliveries []delivery `json:"deliveries"`
	Count      int        `json:"count"`
}

type delivery struct {
	Project string `json:"project"`
	Payload post   `json:"payload"`
}

// start serves until the test ends and gives the options that reach it.
func (s *server) start(o *mcp.StreamableHTTPOptions) mail.Options {
	s.agents = map[string]string{}
	m := mcp.NewServer(&mcp.Implementation{Name: "agent-mail", Version: "test"}, nil)
	add(s, m, "ensure_project", s.ensureProject)
	add(s, m, "register_agent", s.registerAgent)
	add(s, m, "send_message", s.send)
	m.AddResourceTemplate(&mcp.ResourceTemplate{Name: "thread", URITemplate: "resource://thread/{id}{?project,include_bodies}"}, s.thread)
	mux := http.NewServeMux()
	mux.Handle("/mcp/", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return m }, o))
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.token != "" && r.Header.Get("Authorization") != "Bearer "+s.token {
			http.Error(w, "unauthorized", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	s.t.Cleanup(func() {
		if s.slow != nil {
			close(s.slow)
		}
		h.CloseClientConnections()
		h.Close()
	})
	return mail.Options{URL: h.URL + "/mcp/", Token: s.token, Project: "/data/cell-fate", Sender: "Brenner"}
}

// add puts a tool on the server, answering in the form the server is set to.
func add[In, Out any](s *server, m *mcp.Server, name string, fn func(context.Context, In) (Out, error)) {
	tool := &mcp.Tool{Name: name}
	if s.bare {
		mcp.AddTool(m, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
			out, err := fn(ctx, in)
			if err != nil {
				return nil, nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: marshal(s.t, out)}}}, nil, nil
		})
		return
	}
	mcp.AddTool(m, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		out, err := fn(ctx, in)
		return nil, out, err
	})
}

func (s *server) ensureProject(_ context.Context, in projectIn) (projectIn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.projects = append(s.projects, in.HumanKey)
	return in, nil
}

func (s *server) registerAgent(_ context.Context, in agentIn) (agentOut, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := in.Name
	if as, ok := s.rename[name]; ok {
		name = as
	}
	s.agents[name] = in.Program
	return agentOut{ID: len(s.agents), Name: name}, nil
}

func (s *server) send(ctx context.Context, in sendIn) (sendOut, error) {
	s.mu.Lock()
	p := post{ID: len(s.posts) + 1, Thread: in.Thread, From: in.Sender, To: in.To, Subject: in.Subject, Body: in.Body, Ack: in.Ack}
	p.Created = time.Date(2026, 1, 2, 3, 4, p.ID, 0, time.UTC).Format(time.RFC3339)
	var err error
	for _, name := range append(in.To, in.Sender) {
		if _, ok := s.agents[name]; !ok {
			err = fmt.Errorf("agent %q is not registered", name)
		}
		if name == s.refuse {
			err = errors.New("contact request\nneeded first")
		}
	}
	if err == nil {
		s.posts = append(s.posts, p)
	}
	slow := s.slow
	s.mu.Unlock()
	if slow != nil {
		select {
		case <-slow:
		case <-ctx.Done():
		}
	}
	return sendOut{Deliveries: []delivery{{Project: in.ProjectKey, Payload: p}}, Count: 1}, err
}

// reply posts what an agent writes.
func (s *server) reply(from, thread, subject, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.posts) + 1
	s.posts = append(s.posts, post{ID: n, Thread: thread, From: from, Subject: subject, Body: body, Created: time.Date(2026, 1, 2, 3, 4, n, 0, time.UTC).Format("2006-01-02T15:04:05.999999")})
}

func (s *server) thread(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, err := url.Parse(req.Params.URI)
	if err != nil {
		return nil, err
	}
	if u.Query().Get("project") != "/data/cell-fate" || u.Query().Get("include_bodies") != "true" {
		return nil, fmt.Errorf("bad query %s", u.RawQuery)
	}
	id := strings.TrimPrefix(u.Path, "/")
	found := []post{}
	for i := len(s.posts) - 1; i >= 0; i-- { // newest first: order is ours to make
		if s.posts[i].Thread == id {
			found = append(found, s.posts[i])
		}
	}
	if len(found) == 0 {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	text := marshal(s.t, map[string]any{"project": "cell-fate", "thread_id": id, "messages": found})
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: text}}}, nil
}
