package mcpserver_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/canon"
	"brenner/internal/app"
	"brenner/internal/mcpserver"
	"brenner/internal/store"
	"brenner/internal/store/memory"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// world is a project whose agents have tools.
type world struct {
	t   testing.TB
	app *app.App

	mu       sync.Mutex
	sessions map[brenner.ActorName]*mcp.ClientSession
}

func newWorld(t testing.TB) *world {
	t.Helper()
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	a := app.New(s, app.Options{
		Keys:    app.Keyring{Dir: t.TempDir()},
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	})
	_, err := a.Init(t.Context(), api.InitRequest{
		Name: "Cell fate", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: apitest.Config},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, app: a, sessions: map[brenner.ActorName]*mcp.ClientSession{}}
}

func (w *world) local(name brenner.ActorName) api.Service {
	return w.app.As(app.Identity{Name: name, Auth: app.AuthAs})
}

// session is a client of a server that acts as an agent.
func (w *world) session(name brenner.ActorName) *mcp.ClientSession {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.sessions[name]; s != nil {
		return s
	}
	server := mcpserver.New(mcpserver.Options{
		Version: "test", Service: func(context.Context, http.Header) (api.Service, error) { return w.local(name), nil },
	})
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	there := mcpserver.Stdio(toServer, fromServer)
	here := &mcp.IOTransport{Reader: toClient, Writer: fromClient, MaxLineLength: -1}
	if _, err := server.Connect(context.Background(), there, nil); err != nil {
		w.t.Fatal(err)
	}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(), here, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = s.Close() })
	w.sessions[name] = s
	return s
}

// PI and As implement apitest.World.
func (w *world) PI() api.Service { return w.As("ada") }

func (w *world) As(name brenner.ActorName) api.Service {
	return &agent{Service: w.local(name), session: w.session(name)}
}

// X1: the same cases give the same codes through the tools.
func TestService_OverMCP(t *testing.T) {
	apitest.Run(t, func(t *testing.T) apitest.World { return newWorld(t) })
}

// agent is the service as one has it who uses tools where there are any.
type agent struct {
	api.Service
	session *mcp.ClientSession
}

// use calls a tool with a request, and turns a refusal back into an error.
func use[Out any](ctx context.Context, a *agent, name string, write api.Write, req any) (Out, error) {
	var out Out
	raw, err := json.Marshal(req)
	if err != nil {
		return out, brenner.Errorf(brenner.CodeInvalidText, "not UTF-8").Because(err)
	}
	var arguments map[string]jsontext.Value
	if err := json.Unmarshal(raw, &arguments); err != nil {
		return out, err
	}
	if write.Key != "" {
		if arguments["key"], err = json.Marshal(write.Key); err != nil {
			return out, err
		}
	}
	return called[Out](ctx, a.session, name, arguments)
}

func called[Out any](ctx context.Context, session *mcp.ClientSession, name string, arguments any) (Out, error) {
	var out Out
	text, err := json.Marshal(arguments)
	if err != nil {
		return out, err
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: raw(text)})
	if err != nil {
		return out, err
	}
	structured, err := canon.Marshal(res.StructuredContent)
	if err != nil {
		return out, err
	}
	if res.IsError {
		var e brenner.Error
		if err := json.Unmarshal(structured, &e); err != nil {
			return out, err
		}
		return out, &e
	}
	// The library read the structured result into maps, which have no order; the
	// text is the same result as the server wrote it.
	written := []byte(res.Content[0].(*mcp.TextContent).Text)
	if same, err := canon.Transform(written); err != nil || string(same) != string(structured) {
		return out, fmt.Errorf("%s: the text %s is not the result %s: %w", name, written, structured, err)
	}
	return out, json.Unmarshal(written, &out)
}

// raw is JSON that is sent as it stands.
type raw []byte

func (r raw) MarshalJSON() ([]byte, error) { return r, nil }

func (a *agent) CreateArtifact(ctx context.Context, req api.CreateArtifactRequest) (api.WriteResult, error) {
	return use[api.WriteResult](ctx, a, "artifact_write", req.Write, req)
}

func (a *agent) UpdateArtifact(ctx context.Context, req api.UpdateArtifactRequest) (api.WriteResult, error) {
	return use[api.WriteResult](ctx, a, "artifact_write", req.Write, req)
}

func (a *agent) Artifact(ctx context.Context, req api.ArtifactRequest) (api.ArtifactView, error) {
	return use[api.ArtifactView](ctx, a, "artifact_get", api.Write{}, req)
}

func (a *agent) SearchArtifacts(ctx context.Context, req api.SearchArtifactsRequest) (api.SearchResult, error) {
	return use[api.SearchResult](ctx, a, "artifact_search", api.Write{}, req)
}

func (a *agent) ApplyPatch(ctx context.Context, req api.ApplyPatchRequest) (api.PatchResult, error) {
	return use[api.PatchResult](ctx, a, "patch_apply", req.Write, req)
}

func (a *agent) SubmitDeltas(ctx context.Context, req api.SubmitDeltasRequest) (api.Submission, error) {
	return use[api.Submission](ctx, a, "delta_submit", req.Write, req)
}

func (a *agent) ClaimTask(ctx context.Context, req api.ClaimTaskRequest) (api.TaskInfo, error) {
	return use[api.TaskInfo](ctx, a, "task_claim", req.Write, req)
}

func (a *agent) CompleteTask(ctx context.Context, req api.CompleteTaskRequest) (api.TaskInfo, error) {
	return use[api.TaskInfo](ctx, a, "task_complete", req.Write, req)
}

func (a *agent) Learn(ctx context.Context, req api.LearnRequest) (api.LearnResult, error) {
	return use[api.LearnResult](ctx, a, "playbook_learn", req.Write, req)
}

func (a *agent) Feedback(ctx context.Context, req api.FeedbackRequest) (api.BulletResult, error) {
	return use[api.BulletResult](ctx, a, "playbook_feedback", req.Write, req)
}

func (a *agent) RaiseStalemate(ctx context.Context, req api.RaiseStalemateRequest) (api.StalemateInfo, error) {
	return use[api.StalemateInfo](ctx, a, "stalemate_raise", req.Write, req)
}

func (a *agent) Lineage(ctx context.Context, req api.LineageRequest) (api.LineageResult, error) {
	return use[api.LineageResult](ctx, a, "lineage", api.Write{}, req)
}

func (a *agent) Inbox(ctx context.Context, req api.InboxRequest) (api.MessageList, error) {
	return use[api.MessageList](ctx, a, "inbox", api.Write{}, req)
}
