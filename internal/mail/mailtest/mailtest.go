// Package mailtest is an Agent Mail server for tests: a real MCP server over
// HTTP that keeps what it is told, and can be told to misbehave.
package mailtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"brenner/internal/mail"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Post is a message as the server keeps it.
type Post struct {
	ID      int      `json:"id"`
	Thread  string   `json:"thread_id"`
	From    string   `json:"from"`
	To      []string `json:"to"`
	Subject string   `json:"subject"`
	Body    string   `json:"body_md"`
	Ack     bool     `json:"ack_required"`
	Created string   `json:"created_ts"`
}

// Server is an Agent Mail server. Set it up before Start.
type Server struct {
	Token  string            // the bearer token it wants, if any
	Rename map[string]string // names it assigns instead of those asked for
	Bare   bool              // results as text only, without structured content
	// Slow, if set, makes send_message keep the message and then wait for it.
	Slow chan struct{}

	http *httptest.Server

	mu       sync.Mutex
	refuse   string
	projects []string
	agents   map[string]string // name → program
	posts    []Post
}

// Refuse names a recipient that the server does not deliver to; "" is nobody.
func (s *Server) Refuse(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = name
}

// Hurry ends the waiting of this and later messages.
func (s *Server) Hurry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Slow != nil {
		close(s.Slow)
		s.Slow = nil
	}
}

// Posts lists the messages that were delivered or written by agents.
func (s *Server) Posts() []Post {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.posts)
}

// Agents gives the names that were registered, with their programs.
func (s *Server) Agents() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for name, program := range s.agents {
		out[name] = program
	}
	return out
}

// Projects lists the projects that were asked for.
func (s *Server) Projects() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.projects)
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
	Payload Post   `json:"payload"`
}

// Start serves until Close and gives the options that reach it.
func (s *Server) Start(o *mcp.StreamableHTTPOptions) mail.Options {
	s.agents = map[string]string{}
	m := mcp.NewServer(&mcp.Implementation{Name: "agent-mail", Version: "test"}, nil)
	add(s, m, "ensure_project", s.ensureProject)
	add(s, m, "register_agent", s.registerAgent)
	add(s, m, "send_message", s.send)
	m.AddResourceTemplate(&mcp.ResourceTemplate{Name: "thread", URITemplate: "resource://thread/{id}{?project,include_bodies}"}, s.thread)
	mux := http.NewServeMux()
	mux.Handle("/mcp/", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return m }, o))
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.Token != "" && r.Header.Get("Authorization") != "Bearer "+s.Token {
			http.Error(w, "unauthorized", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	return mail.Options{URL: s.http.URL + "/mcp/", Token: s.Token, Project: "/data/cell-fate", Sender: "Brenner"}
}

// Close ends the server and the connections to it; closing again is nothing.
func (s *Server) Close() {
	s.Hurry()
	s.http.CloseClientConnections()
	s.http.Close()
}

// add puts a tool on the server, answering in the form the server is set to.
func add[In, Out any](s *Server, m *mcp.Server, name string, fn func(context.Context, In) (Out, error)) {
	tool := &mcp.Tool{Name: name}
	if s.Bare {
		mcp.AddTool(m, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
			out, err := fn(ctx, in)
			if err != nil {
				return nil, nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: marshal(out)}}}, nil, nil
		})
		return
	}
	mcp.AddTool(m, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		out, err := fn(ctx, in)
		return nil, out, err
	})
}

func (s *Server) ensureProject(_ context.Context, in projectIn) (projectIn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.projects = append(s.projects, in.HumanKey)
	return in, nil
}

func (s *Server) registerAgent(_ context.Context, in agentIn) (agentOut, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := in.Name
	if as, ok := s.Rename[name]; ok {
		name = as
	}
	s.agents[name] = in.Program
	return agentOut{ID: len(s.agents), Name: name}, nil
}

func (s *Server) send(ctx context.Context, in sendIn) (sendOut, error) {
	s.mu.Lock()
	p := Post{ID: len(s.posts) + 1, Thread: in.Thread, From: in.Sender, To: in.To, Subject: in.Subject, Body: in.Body, Ack: in.Ack}
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
	slow := s.Slow
	s.mu.Unlock()
	if slow != nil {
		select {
		case <-slow:
		case <-ctx.Done():
		}
	}
	return sendOut{Deliveries: []delivery{{Project: in.ProjectKey, Payload: p}}, Count: 1}, err
}

// Reply posts what an agent writes.
func (s *Server) Reply(from, thread, subject, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.posts) + 1
	s.posts = append(s.posts, Post{ID: n, Thread: thread, From: from, Subject: subject, Body: body, Created: time.Date(2026, 1, 2, 3, 4, n, 0, time.UTC).Format("2006-01-02T15:04:05.999999")})
}

func (s *Server) thread(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, err := url.Parse(req.Params.URI)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(s.projects, u.Query().Get("project")) || u.Query().Get("include_bodies") != "true" {
		return nil, fmt.Errorf("bad query %s", u.RawQuery)
	}
	id := strings.TrimPrefix(u.Path, "/")
	found := []Post{}
	for i := len(s.posts) - 1; i >= 0; i-- { // newest first: order is ours to make
		if s.posts[i].Thread == id {
			found = append(found, s.posts[i])
		}
	}
	if len(found) == 0 {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	text := marshal(map[string]any{"project": "cell-fate", "thread_id": id, "messages": found})
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: text}}}, nil
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
