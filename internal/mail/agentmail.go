package mail

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"brenner"
	"brenner/internal/order"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options says where the Agent Mail server is and who we are to it.
type Options struct {
	URL   string // of the MCP endpoint
	Token string // bearer token, if the server wants one
	// Project is the absolute path that names the project there.
	Project string
	// Sender is the name we ask for.
	Sender  brenner.ActorName
	Version string
	// Names are the names the server gave to agents earlier (Receipt.As).
	Names map[brenner.ActorName]string
	// Timeout bounds each call; zero means brenner.MailDeadline.
	Timeout time.Duration
}

// FromEnv reads address and token from AGENT_MAIL_BASE_URL, AGENT_MAIL_PATH and
// AGENT_MAIL_BEARER_TOKEN, with the server's own defaults.
func FromEnv(getenv func(string) string) Options {
	base, path := getenv("AGENT_MAIL_BASE_URL"), getenv("AGENT_MAIL_PATH")
	if base == "" {
		base = "http://127.0.0.1:8765"
	}
	if path == "" {
		path = "/mcp/"
	}
	return Options{
		URL:   strings.TrimRight(base, "/") + "/" + strings.TrimLeft(path, "/"),
		Token: getenv("AGENT_MAIL_BEARER_TOKEN"),
	}
}

// AgentMail is a Transport over an Agent Mail server. It connects when it is
// first used.
type AgentMail struct {
	opts Options
	host string // for messages: the URL may hold secrets
	wire *wire

	mu      sync.Mutex
	session *mcp.ClientSession
	ready   bool                         // the project exists and so do we
	sender  string                       // the name the server gave us
	names   map[brenner.ActorName]string // the names it gave to agents
}

// NewAgentMail makes a client; it does not connect yet. A URL that is none is
// MAIL_UNAVAILABLE.
func NewAgentMail(o Options) (*AgentMail, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, brenner.Errorf(brenner.CodeMailUnavailable, "the address of the mail server is not an http or https URL").
			WithHint("set AGENT_MAIL_BASE_URL, for example http://127.0.0.1:8765")
	}
	if o.Timeout == 0 {
		o.Timeout = brenner.MailDeadline
	}
	a := &AgentMail{opts: o, host: u.Host, names: map[brenner.ActorName]string{}}
	for name, as := range o.Names {
		a.names[name] = as
	}
	a.wire = &wire{host: u.Host, token: o.Token}
	return a, nil
}

var _ Transport = (*AgentMail)(nil)

// Deliver implements Transport.
func (a *AgentMail) Deliver(ctx context.Context, m Message) (Receipt, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.prepare(ctx); err != nil {
		return Receipt{}, err
	}
	as, err := a.register(ctx, m.To)
	if err != nil {
		return Receipt{}, err
	}
	if m.Again {
		if id, err := a.sent(ctx, m); err != nil || id != "" {
			return Receipt{To: m.To.Name, As: as, From: a.sender, ID: id}, err
		}
	}
	var out struct {
		Deliveries []struct {
			Payload struct {
				ID jsontext.Value `json:"id"`
			} `json:"payload"`
		} `json:"deliveries"`
	}
	err = a.call(ctx, "send_message", map[string]any{
		"project_key": a.opts.Project, "sender_name": a.sender, "to": []string{as},
		"subject": m.Subject, "body_md": m.Body + keyLine(m.Key), "thread_id": m.Thread,
		"ack_required": true, "importance": "normal",
	}, &out)
	if err != nil {
		return Receipt{}, err
	}
	if len(out.Deliveries) == 0 {
		return Receipt{}, brenner.Errorf(brenner.CodeMailRefused, "the mail server at %s delivered the message to nobody", a.host)
	}
	return Receipt{To: m.To.Name, As: as, From: a.sender, ID: plainID(out.Deliveries[0].Payload.ID)}, nil
}

// Replies implements Transport.
func (a *AgentMail) Replies(ctx context.Context, thread string) ([]Reply, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.prepare(ctx); err != nil {
		return nil, err
	}
	messages, err := a.thread(ctx, thread)
	if err != nil {
		return nil, err
	}
	var out []Reply
	for _, m := range messages {
		if a.ours(m) {
			continue
		}
		out = append(out, Reply{ID: plainID(m.ID), From: a.whose(m.From), As: m.From, Subject: m.Subject, Body: m.Body, At: parseTime(m.Created)})
	}
	order.By(out, func(x, y Reply) int { return x.At.Compare(y.At) })
	return out, nil
}

// Close implements Transport.
func (a *AgentMail) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.session == nil {
		return nil
	}
	err := a.session.Close()
	a.session = nil
	return err
}

// prepare connects, and makes the project and ourselves known.
func (a *AgentMail) prepare(ctx context.Context) error {
	if a.session == nil {
		if err := a.connect(ctx); err != nil {
			return err
		}
	}
	if a.ready {
		return nil
	}
	if err := a.call(ctx, "ensure_project", map[string]any{"human_key": a.opts.Project}, nil); err != nil {
		return err
	}
	as, err := a.register(ctx, Party{Name: a.opts.Sender, Program: "brenner", Model: "-", Task: "starts sessions and compiles what agents answer"})
	if err != nil {
		return err
	}
	a.sender, a.ready = as, true
	return nil
}

func (a *AgentMail) connect(ctx context.Context) error {
	ctx, end := a.wire.begin(ctx, a.opts.Timeout)
	defer end()
	client := mcp.NewClient(&mcp.Implementation{Name: "brenner", Version: a.opts.Version}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:   a.opts.URL,
		HTTPClient: &http.Client{Transport: a.wire, CheckRedirect: a.wire.sameHost},
		// Deliveries are retried by whoever can tell what has arrived.
		MaxRetries:           -1,
		DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return a.fault(ctx, err)
	}
	a.session = session
	return nil
}

// register makes an agent known and gives the name the server knows it by,
// which may be another than the one asked for.
func (a *AgentMail) register(ctx context.Context, p Party) (string, error) {
	if as, ok := a.names[p.Name]; ok {
		return as, nil
	}
	in := map[string]any{"project_key": a.opts.Project, "name": string(p.Name), "program": orDash(p.Program), "model": orDash(p.Model)}
	if p.Task != "" {
		in["task_description"] = p.Task
	}
	var out struct {
		Name string `json:"name"`
	}
	if err := a.call(ctx, "register_agent", in, &out); err != nil {
		return "", err
	}
	if out.Name == "" {
		return "", a.nonsense(errors.New("register_agent gave no name"))
	}
	a.names[p.Name] = out.Name
	return out.Name, nil
}

// whose gives the agent behind a name of the server, "" if it is nobody's.
func (a *AgentMail) whose(as string) brenner.ActorName {
	var found brenner.ActorName
	for name, n := range a.names {
		// Two of ours never share a name there; the least makes it certain.
		if n == as && (found == "" || name < found) {
			found = name
		}
	}
	return found
}

// sent gives the id of our message with this key, "" if there is none.
func (a *AgentMail) sent(ctx context.Context, m Message) (string, error) {
	messages, err := a.thread(ctx, m.Thread)
	if brenner.CodeOf(err) == brenner.CodeMailRefused {
		return "", nil // a thread without messages is unknown to the server
	}
	for _, t := range messages {
		if a.ours(t) && m.Key != "" && strings.HasSuffix(strings.TrimRight(t.Body, "\n"), strings.TrimSpace(keyLine(m.Key))) {
			return plainID(t.ID), nil
		}
	}
	return "", err
}

// ours says whether we wrote a message: under our name, or under one that a
// server gave us before and nobody kept, with a key.
func (a *AgentMail) ours(m threadMessage) bool {
	if m.From == a.sender {
		return true
	}
	last := m.Body[strings.LastIndexByte(strings.TrimRight(m.Body, "\n"), '\n')+1:]
	return a.whose(m.From) == "" && strings.HasPrefix(last, keyPrefix)
}

// threadMessage is a message as the server lists it.
type threadMessage struct {
	ID      jsontext.Value `json:"id"`
	From    string         `json:"from"`
	Subject string         `json:"subject"`
	Body    string         `json:"body_md"`
	Created string         `json:"created_ts"`
}

func (a *AgentMail) thread(ctx context.Context, thread string) ([]threadMessage, error) {
	ctx, end := a.wire.begin(ctx, a.opts.Timeout)
	defer end()
	query := url.Values{"project": {a.opts.Project}, "include_bodies": {"true"}}
	res, err := a.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "resource://thread/" + url.PathEscape(thread) + "?" + query.Encode()})
	if err != nil {
		return nil, a.fault(ctx, err)
	}
	var out struct {
		Messages []threadMessage `json:"messages"`
	}
	if len(res.Contents) == 0 {
		return nil, a.nonsense(errors.New("the thread has no content"))
	}
	if err := json.Unmarshal([]byte(res.Contents[0].Text), &out); err != nil {
		return nil, a.nonsense(err)
	}
	return out.Messages, nil
}

// call calls a tool and reads its result into out.
func (a *AgentMail) call(ctx context.Context, tool string, in map[string]any, out any) error {
	ctx, end := a.wire.begin(ctx, a.opts.Timeout)
	defer end()
	res, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		return a.fault(ctx, err)
	}
	if res.IsError {
		return a.refused(tool, textOf(res))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal([]byte(textOf(res)), out); err != nil {
		return a.nonsense(err)
	}
	return nil
}
