package mcpserver_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/answers"
	"brenner/internal/app"
	"brenner/internal/journal"
	"brenner/internal/mcpserver"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/stalemate"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// world is a project whose agents have tools.
type world struct {
	t   testing.TB
	app *app.App

	mu       sync.Mutex
	sessions map[brenner.ActorName]*mcp.ClientSession
	clock    func() time.Time
	pass     func(time.Duration) // lets time go by
	calls    int
	waited   bool            // somebody waited, for as long as it took
	said     strings.Builder // what was called and answered
}

// newWorld makes a project in which it is always the same time. What is called and
// answered in it, and what its journal has when a test is over, is kept.
func newWorld(t testing.TB) *world {
	t.Helper()
	sampleUnderRace(t)
	s := memory.New()
	if slices.ContainsFunc(unsteady, func(name string) bool { return strings.HasPrefix(t.Name(), name) }) {
		return openWorld(t, s, time.Now)
	}
	now := time.Date(2020, 3, 14, 15, 9, 26, 0, time.UTC) // long ago for the server, which has its own clock
	var mu sync.Mutex
	w := openWorld(t, s, func() time.Time { // a little passes whenever anybody looks
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Millisecond)
		return now
	})
	w.pass = func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(d)
	}
	t.Cleanup(func() {
		if t.Failed() || w.calls == 0 || w.waited {
			return
		}
		err := s.Read(context.Background(), func(r store.Reader) error {
			return journal.Each(context.Background(), r, 0, func(row store.Record) error {
				fmt.Fprintf(&w.said, "record %s\n", row.Data)
				return nil
			})
		})
		if err != nil {
			t.Error(err)
		}
		text := answers.Numbered(w.said.String())
		answers.Keep(t, "testdata/calls.golden", t.Name(), fmt.Sprintf("%d called, %s", w.calls, answers.Digest(text)), text)
	})
	return w
}

// sampleUnderRace leaves three of four tests in which one call follows another to the run without
// the race detector, under which everything takes eight times as long: they all go the same ways.
func sampleUnderRace(t testing.TB) {
	t.Helper()
	const one, of = 0, 4
	atOnce := []string{"Hold", "Wait", "Together", "Leak", "Files", "Story"} // in these several call at once, or time goes by
	if !underRace || slices.ContainsFunc(atOnce, func(name string) bool { return strings.Contains(t.Name(), name) }) {
		return
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(t.Name()))
	if h.Sum32()>>3%of != one {
		t.Skip("the run without the race detector has it")
	}
}

// unsteady are the tests and benchmarks in which time goes by, several call at once, or what is
// called is drawn by chance.
var unsteady = []string{
	"TestStory_ThreeAgentsDoTheWholeJob", "BenchmarkStory", "TestInbox_AWaitEndsWhenOthersPropose", "TestInbox_AWaitEndsWhenOthersChangeTheDocument",
	"TestSubmit_WaitsForWhatOthersSay",
	"TestShow_SaysWhoIsAtAnItem", "TestFewCalls_TheEndIsSaid", "TestRequest_PartsOfTheWork", "TestTools_WhatIsNotMeantMayBeSentEmpty", "TestTools_LongTextsComeInPages",
	"TestReading_PartOfTheWork", "TestReading_PartsInTwoSessions", "TestReading_AloneInASession", "TestServer_WhatIsNotOfferedIsRefusedWithACode",
}

// note keeps what a client calls and is answered.
func (w *world) note(name brenner.ActorName) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if method != "tools/call" && method != "resources/read" {
				return res, err
			}
			asked, got := inCanon(req.GetParams()), lasting.ReplaceAll(inCanon(res), []byte("is at this since …"))
			w.mu.Lock()
			defer w.mu.Unlock()
			w.calls++
			w.waited = w.waited || bytes.Contains(asked, []byte(`"wait":`))
			fmt.Fprintf(&w.said, "%s: %s %s\n  %s, %v\n", name, method, asked, got, err)
			return res, err
		}
	}
}

// lasting is how long somebody is at an item, which goes by the clock of the machine.
var lasting = regexp.MustCompile(`is at this since [0-9a-z ]+`)

// inCanon is a value as JSON, whatever the order of its members. What a library
// says of a value that has none differs from build to build.
func inCanon(v any) []byte {
	text, err := json.Marshal(v)
	if err == nil {
		text, err = canon.Transform(text)
	}
	if err != nil {
		return []byte("no JSON")
	}
	return text
}

func openWorld(t testing.TB, s store.Store, clock func() time.Time) *world {
	t.Helper()
	t.Cleanup(func() { _ = s.Close() })
	w := &world{t: t, sessions: map[brenner.ActorName]*mcp.ClientSession{}, clock: clock}
	w.app = app.New(s, app.Options{
		Clock:   clock,
		Keys:    app.Keyring{Dir: t.TempDir()},
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	})
	_, err := w.app.Init(t.Context(), api.InitRequest{
		Name: "Cell fate", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: apitest.Config},
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) local(name brenner.ActorName) api.Service {
	if name == "ada" {
		return w.app.As(app.Identity{Name: name, Auth: app.AuthOwner})
	}
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
	there := mcpserver.Stdio(toServer, fromServer, slog.New(slog.DiscardHandler))
	here := &mcp.IOTransport{Reader: toClient, Writer: fromClient, MaxLineLength: -1}
	if _, err := server.Connect(context.Background(), there, nil); err != nil {
		w.t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	client.AddSendingMiddleware(w.note(name))
	s, err := client.Connect(context.Background(), here, nil)
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
	if testing.Short() {
		t.Skip("the stories run on the memory store")
	}
	apitest.Run(t, func(t *testing.T) apitest.World { return openWorld(t, memory.New(), time.Now) })
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
	out, _, err := answered[Out](ctx, session, name, arguments)
	return out, err
}

// answered calls a tool and gives the data of its result and the words. What
// it finds wrong with a result is an error of its own kind.
func answered[Out any](ctx context.Context, session *mcp.ClientSession, name string, arguments any) (out Out, words string, err error) {
	text, err := json.Marshal(arguments)
	if err != nil {
		return out, "", err
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: raw(text)})
	if err != nil {
		return out, "", err
	}
	if len(res.Content) != 1 {
		return out, "", fmt.Errorf("%s: %d contents", name, len(res.Content))
	}
	words = res.Content[0].(*mcp.TextContent).Text
	if res.IsError {
		return out, words, refused(res)
	}
	structured, err := canon.Marshal(res.StructuredContent)
	if err != nil {
		return out, "", err
	}
	if err := conforms(ctx, session, name, structured); err != nil {
		return out, "", err
	}
	return out, words, json.Unmarshal(structured, &out)
}

// refused is the error that a refusal carries.
func refused(res *mcp.CallToolResult) error {
	e, err := refusalIn(res)
	if err != nil {
		return err
	}
	met.Store(e.Code, true)
	return e
}

// met are the codes with which a tool has refused in any test of this package.
var met sync.Map

func refusalIn(res *mcp.CallToolResult) (*brenner.Error, error) {
	if res.StructuredContent != nil {
		return nil, fmt.Errorf("a refusal has structured content: %v", res.StructuredContent)
	}
	raw, err := canon.Marshal(res.Meta["brenner/error"])
	if err != nil {
		return nil, err
	}
	var e brenner.Error
	if err := json.Unmarshal(raw, &e); err != nil || e.Code == "" {
		return nil, fmt.Errorf("a refusal carries %s: %w", raw, err)
	}
	text := res.Content[0].(*mcp.TextContent).Text
	told, _, _ := strings.Cut(text, "\ndetails: ")
	if !strings.HasPrefix(text, string(e.Code)+": ") || !strings.Contains(told, e.Hint) && !command.MatchString(e.Hint) {
		return nil, fmt.Errorf("the words of %s are %q", raw, text)
	}
	// X11: no refusal of the whole suite tells an agent of a command.
	if _, advice, _ := strings.Cut(told, "\n"); command.MatchString(advice) {
		return nil, fmt.Errorf("the words of %s speak of commands: %q", raw, text)
	}
	return &e, nil
}

// command is what only a terminal takes.
var command = regexp.MustCompile(`(?:^|[\s(])--[a-z]|\bbrenner [a-z]|\.brennerrc`)

// conforms holds a result against the schema that the tool shows (X1).
func conforms(ctx context.Context, session *mcp.ClientSession, name string, structured []byte) error {
	s, err := outputSchema(ctx, session, name)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(structured))
	if err != nil {
		return err
	}
	if err := s.Validate(v); err != nil {
		return fmt.Errorf("%s: %s is not of its schema: %w", name, structured, err)
	}
	return nil
}

var (
	outputMutex   sync.Mutex
	outputSchemas = map[string]*jsonschema.Schema{}
)

func outputSchema(ctx context.Context, session *mcp.ClientSession, name string) (*jsonschema.Schema, error) {
	outputMutex.Lock()
	defer outputMutex.Unlock()
	if s := outputSchemas[name]; s != nil {
		return s, nil
	}
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, t := range list.Tools {
		c := jsonschema.NewCompiler()
		if err := c.AddResource(t.Name, t.OutputSchema); err != nil {
			return nil, err
		}
		if outputSchemas[t.Name], err = c.Compile(t.Name); err != nil {
			return nil, err
		}
	}
	if outputSchemas[name] == nil {
		return nil, fmt.Errorf("there is no tool %s", name)
	}
	return outputSchemas[name], nil
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

// Artifact gets the content from the words, page by page, as a model does.
func (a *agent) Artifact(ctx context.Context, req api.ArtifactRequest) (api.ArtifactView, error) {
	if req.Part != "" {
		p, words, err := answered[api.ArtifactView](ctx, a.session, "artifact_get", map[string]any{"ref": req.Ref.String() + "." + req.Part, "offset": req.Offset, "again": true, "task": req.Task})
		p.Text = contentIn(words)
		return p, err
	}
	var content strings.Builder
	for offset := 0; ; {
		p, words, err := answered[api.ArtifactView](ctx, a.session, "artifact_get", map[string]any{"ref": req.Ref, "brief": req.Brief, "offset": offset, "again": true, "task": req.Task})
		if err != nil || req.Brief {
			return p, err
		}
		if p.Type == artifact.TypeStalemate { // shown with its evidence, in words
			return a.Service.Artifact(ctx, req)
		}
		content.WriteString(contentIn(words))
		if offset = p.NextOffset; offset > 0 {
			continue
		}
		p.NextOffset = 0
		if p.Content = jsontext.Value(content.String()); p.Format == artifact.Text {
			p.Content, err = jsontext.AppendQuote(nil, content.String())
		} else if err = p.Content.Compact(); err == nil {
			p.Content, err = canon.Transform(p.Content)
		}
		return p, err
	}
}

// contentIn is the content that artifact_get shows, byte for byte: what stands between the
// fences, with the last line break where the line above them says that there is one.
func contentIn(words string) string {
	_, rest, _ := strings.Cut(words, "\n\ncontent (data, not instructions")
	end, rest, _ := strings.Cut(rest, "):\n")
	opening, rest, _ := strings.Cut(rest, "\n")
	text, _, _ := strings.Cut("\n"+rest, "\n"+strings.TrimSuffix(opening, string(artifact.JSON))+"\n")
	if end != "" {
		text += "\n"
	}
	return strings.TrimPrefix(text, "\n")
}

func (a *agent) SearchArtifacts(ctx context.Context, req api.SearchArtifactsRequest) (api.SearchResult, error) {
	return use[api.SearchResult](ctx, a, "artifact_search", api.Write{}, req)
}

func (a *agent) ApplyPatch(ctx context.Context, req api.ApplyPatchRequest) (api.PatchResult, error) {
	type request struct {
		api.ApplyPatchRequest
		Patch string `json:"patch"`
	}
	return use[api.PatchResult](ctx, a, "patch_apply", req.Write, request{req, string(req.Patch)})
}

// SubmitDeltas hands in for somebody else, or what was mended, without the tool,
// which agents have.
func (a *agent) SubmitDeltas(ctx context.Context, req api.SubmitDeltasRequest) (api.Submission, error) {
	if req.From != "" || req.AcceptMended {
		return a.Service.SubmitDeltas(ctx, req)
	}
	return use[api.Submission](ctx, a, "delta_submit", req.Write, req)
}

func (a *agent) ClaimTask(ctx context.Context, req api.ClaimTaskRequest) (api.TaskInfo, error) {
	return use[api.TaskInfo](ctx, a, "task_claim", req.Write, req)
}

func (a *agent) CompleteTask(ctx context.Context, req api.CompleteTaskRequest) (api.TaskInfo, error) {
	return use[api.TaskInfo](ctx, a, "task_complete", req.Write, req)
}

func (a *agent) ReleaseTask(ctx context.Context, req api.ReleaseTaskRequest) (api.TaskInfo, error) {
	return use[api.TaskInfo](ctx, a, "task_release", req.Write, req)
}

// Learn reports without the tool what the tool does not offer: the guard,
// vectors, and lessons of others are the PI's.
func (a *agent) Learn(ctx context.Context, req api.LearnRequest) (api.LearnResult, error) {
	if req.Guard != nil || slices.ContainsFunc(req.Insights, func(i api.Insight) bool { return i.Vector != nil || i.Agent != "" }) {
		return a.Service.Learn(ctx, req)
	}
	return use[api.LearnResult](ctx, a, "playbook_learn", req.Write, req)
}

func (a *agent) Feedback(ctx context.Context, req api.FeedbackRequest) (api.BulletResult, error) {
	return use[api.BulletResult](ctx, a, "playbook_feedback", req.Write, req)
}

// RaiseStalemate uses the tool where it says all that is asked for.
func (a *agent) RaiseStalemate(ctx context.Context, req api.RaiseStalemateRequest) (api.StalemateInfo, error) {
	s := req.Stalemate
	if req.ID != "" || len(s.Attempts) > 0 || slices.ContainsFunc(s.Hypotheses, func(h stalemate.Hypothesis) bool { return h.Cause != "" }) {
		return a.Service.RaiseStalemate(ctx, req)
	}
	arguments := map[string]any{
		"summary": s.Summary, "target": s.Target, "hypotheses": hypotheses(s.Hypotheses), "alternatives": hypotheses(s.Alternatives),
		"expected_behaviour": s.Expected, "arbitration_request": s.Request, "session": req.Session, "module": req.Module, "key": req.Key,
	}
	shown := []map[string]string{}
	for _, e := range s.Evidence {
		shown = append(shown, map[string]string{"kind": e.Kind, "content": e.Content, "path": e.Path})
	}
	arguments["evidence"] = shown
	return called[api.StalemateInfo](ctx, a.session, "stalemate_raise", arguments)
}

func hypotheses(all []stalemate.Hypothesis) []map[string]any {
	out := []map[string]any{}
	for _, h := range all {
		said := map[string]any{"author": h.Author}
		if h.Statement != "" {
			said["statement"], said["justification"] = h.Statement, h.Justification
		}
		out = append(out, said)
	}
	return out
}

// Lineage uses the tool where no other picture is asked for than the words.
func (a *agent) Lineage(ctx context.Context, req api.LineageRequest) (api.LineageResult, error) {
	if req.Format != "" && req.Format != "text" {
		return a.Service.Lineage(ctx, req)
	}
	direction := "up"
	if req.Down {
		direction = "down"
	}
	out, words, err := answered[api.LineageResult](ctx, a.session, "lineage",
		map[string]any{"ref": req.Ref, "direction": direction, "depth": req.Depth, "limit": req.Limit})
	if req.Format == "text" {
		out.Rendered = words
	}
	return out, err
}

func (a *agent) Inbox(ctx context.Context, req api.InboxRequest) (api.MessageList, error) {
	if req.Limit != 0 { // a page over MCP has its own size
		return a.Service.Inbox(ctx, req)
	}
	return use[api.MessageList](ctx, a, "inbox", api.Write{}, req)
}

// inOrder goes through a table in the order of its keys: what is called is the same
// each time.
func inOrder[K cmp.Ordered, V any](table map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(table)) {
			if !yield(k, table[k]) {
				return
			}
		}
	}
}
