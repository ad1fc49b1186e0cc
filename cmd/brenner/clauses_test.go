package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/artifact"
	"brenner/internal/httpapi"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A6, C8, C12, C17, C23, C30, C36: the clauses hold for whoever uses the program
// itself: each case is played with commands, each a process; over HTTP with a
// server that is one; and with the tools of an MCP client whose server is one. In
// the long run every case is played on every surface.
func TestClauses_OnEverySurface(t *testing.T) {
	if testing.Short() {
		t.Skip("processes are started in the whole run")
	}
	surfaces := []struct {
		name string
		open func(t *testing.T, home *shell) apitest.World
	}{
		{"cli", func(t *testing.T, home *shell) apitest.World { return commands{t, home} }},
		{"http", func(t *testing.T, home *shell) apitest.World { return newServed(t, home) }},
		{"mcp", func(t *testing.T, home *shell) apitest.World {
			return &tooled{t: t, home: home, agents: map[brenner.ActorName]*tools{}}
		}},
	}
	for i, on := range surfaces {
		first, every := i, len(surfaces) // the surfaces share the cases
		if os.Getenv("BRENNER_SOAK") != "" {
			first, every = 0, 1
		}
		t.Run(on.name, func(t *testing.T) {
			apitest.RunClauses(t, first, every, func(t *testing.T) apitest.World {
				home := newShell(t)
				if err := os.WriteFile(filepath.Join(home.dir, ".brennerrc"), []byte(apitest.Config), 0o600); err != nil {
					t.Fatal(err)
				}
				home.must("init", "--name", "Cell fate", "--pi", "ada")
				return on.open(t, home)
			})
		})
	}
}

// commands is a project whose people and agents type.
type commands struct {
	t    *testing.T
	home *shell
}

func (c commands) PI() api.Service { return c.As("") }

func (c commands) As(name brenner.ActorName) api.Service { return &typist{home: c.home, as: name} }

// typist is the service as somebody has it who types. What a case needs and no
// command is written down for here is missing, and fails the case.
type typist struct {
	api.Service
	home *shell
	as   brenner.ActorName
}

// line is a command in the making.
type line struct {
	args  []string
	input string
}

func command(args ...string) *line { return &line{args: args} }

// with adds a flag that says something, and as often as there is something to
// say.
func (l *line) with(flag string, values ...string) *line {
	for _, v := range values {
		if v != "" {
			l.args = append(l.args, "--"+flag+"="+v)
		}
	}
	return l
}

func (l *line) when(flag string, on bool) *line {
	if on {
		l.args = append(l.args, "--"+flag)
	}
	return l
}

// typed runs a command as a process and gives its result, or its refusal.
func typed[Out any](ctx context.Context, t *typist, l *line) (out Out, err error) {
	args := append(l.args, "--json")
	if t.as != "" {
		args = append(args, "--as", string(t.as))
	}
	cmd := t.home.process(ctx, args...)
	cmd.Stdin = strings.NewReader(l.input)
	var said, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &failed
	ran := cmd.Run()
	var answer struct {
		Data  Out            `json:"data"`
		Error *brenner.Error `json:"error"`
	}
	text := said.Bytes()
	if len(text) == 0 {
		text = failed.Bytes()
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return out, fmt.Errorf("brenner %s: %v: %s%s", strings.Join(args, " "), ran, said.Bytes(), failed.Bytes())
	}
	if answer.Error != nil {
		return out, answer.Error
	}
	return answer.Data, ran
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

func refsOf(list []brenner.Ref) []string {
	out := make([]string, len(list))
	for i, r := range list {
		out[i] = r.String()
	}
	return out
}

func linksOf(list []artifact.Link) []string {
	out := make([]string, len(list))
	for i, l := range list {
		out[i] = fmt.Sprintf("%s:%s@%d", l.Rel, l.Artifact, l.Version)
	}
	return out
}

func (t *typist) Project(ctx context.Context) (api.ProjectInfo, error) {
	s, err := typed[api.StatusResult](ctx, t, command("status"))
	return api.ProjectInfo{Size: s.Position}, err
}

func (t *typist) AddAgent(ctx context.Context, req api.AddAgentRequest) (api.AgentInfo, error) {
	return typed[api.AgentInfo](ctx, t, command("agent", "add", string(req.Name)).with("role", string(req.Role)))
}

func (t *typist) CreateArtifact(ctx context.Context, req api.CreateArtifactRequest) (api.WriteResult, error) {
	l := command("artifact", "new").with("type", string(req.Type)).with("id", string(req.ID)).with("module", string(req.Module)).
		with("summary", req.Summary).with("tag", req.Tags...).with("link", linksOf(req.Links)...).with("task", req.Task).
		with("format", string(req.Content.Format)).with("file", "-").when("review", req.Review)
	l.input = req.Content.Data
	return typed[api.WriteResult](ctx, t, l)
}

func (t *typist) UpdateArtifact(ctx context.Context, req api.UpdateArtifactRequest) (api.WriteResult, error) {
	name := string(req.ID)
	if req.Parent != 0 {
		name = fmt.Sprintf("%s@%d", req.ID, req.Parent)
	}
	l := command("artifact", "update", name).with("link", linksOf(req.Links)...).with("task", req.Task).
		when("summary-holds", req.SummaryHolds).when("drop-links", req.DropLinks)
	if req.Summary != nil {
		l.with("summary", *req.Summary)
	}
	if req.Tags != nil {
		l.with("tag", *req.Tags...)
	}
	if req.Change != nil {
		l.with("what", req.Change.What).with("why", req.Change.Why)
	}
	if req.Content != nil {
		l.with("format", string(req.Content.Format)).with("file", "-").input = req.Content.Data
	}
	return typed[api.WriteResult](ctx, t, l)
}

func (t *typist) Artifact(ctx context.Context, req api.ArtifactRequest) (api.ArtifactView, error) {
	return typed[api.ArtifactView](ctx, t, command("artifact", "show", req.Ref.String()).with("task", req.Task).when("again", req.Again))
}

func (t *typist) Promote(ctx context.Context, req api.PromoteRequest) (api.DecisionResult, error) {
	return typed[api.DecisionResult](ctx, t, command("artifact", "promote", req.Ref.String()).with("reason", req.Reason).
		when("override", req.Override).when("replace", req.Replace))
}

func (t *typist) Deprecate(ctx context.Context, req api.DecisionRequest) (api.DecisionResult, error) {
	return typed[api.DecisionResult](ctx, t, command("artifact", "deprecate", req.Ref.String()).with("reason", req.Reason))
}

func (t *typist) Review(ctx context.Context, req api.ReviewRequest) (api.ReviewView, error) {
	return typed[api.ReviewView](ctx, t, command("review", req.Ref.String()))
}

func (t *typist) Status(ctx context.Context) (api.StatusResult, error) {
	return typed[api.StatusResult](ctx, t, command("status"))
}

func (t *typist) Approve(ctx context.Context, req api.ApproveRequest) (api.Approvals, error) {
	return typed[api.Approvals](ctx, t, command("review", "approve", req.Ref.String()))
}

func (t *typist) ReviewBullet(ctx context.Context, req api.ReviewBulletRequest) (api.BulletResult, error) {
	return typed[api.BulletResult](ctx, t, command("playbook", "review", map[bool]string{true: "approve", false: "reject"}[req.Approve], string(req.ID)).
		with("reason", req.Reason))
}

func (t *typist) Records(ctx context.Context, req api.RecordsRequest) (api.RecordList, error) {
	return typed[api.RecordList](ctx, t, command("journal").with("kind", req.Kind))
}

func (t *typist) NewTask(ctx context.Context, req api.NewTaskRequest) (api.TaskInfo, error) {
	return typed[api.TaskInfo](ctx, t, command("task", "new", req.Title).with("spec", req.Spec).with("role", string(req.Role)).
		with("module", texts(req.Modules)...).with("input", refsOf(req.Inputs)...).with("session", string(req.Session)).when("cross-cutting", req.CrossCutting))
}

func (t *typist) ClaimTask(ctx context.Context, req api.ClaimTaskRequest) (api.TaskInfo, error) {
	return typed[api.TaskInfo](ctx, t, command("task", "claim", req.ID))
}

func (t *typist) Tasks(ctx context.Context, req api.ListTasksRequest) (api.TaskList, error) {
	return typed[api.TaskList](ctx, t, command("task", "list").when("mine", req.Mine))
}

func (t *typist) ReleaseTask(ctx context.Context, req api.ReleaseTaskRequest) (api.TaskInfo, error) {
	return typed[api.TaskInfo](ctx, t, command("task", "release", req.ID))
}

func (t *typist) CancelTask(ctx context.Context, req api.CancelTaskRequest) (api.TaskInfo, error) {
	return typed[api.TaskInfo](ctx, t, command("task", "cancel", req.ID).with("reason", req.Reason))
}

func (t *typist) CompleteTask(ctx context.Context, req api.CompleteTaskRequest) (api.TaskInfo, error) {
	return typed[api.TaskInfo](ctx, t, command("task", "complete", req.ID).with("output", refsOf(req.Outputs)...))
}

func (t *typist) AssembleContext(ctx context.Context, req api.ContextRequest) (api.ContextResult, error) {
	return typed[api.ContextResult](ctx, t, command("context", "assemble").with("task", req.Task).with("session", string(req.Session)).
		with("question", req.Question).with("module", texts(req.Modules)...))
}

func (t *typist) Invocation(ctx context.Context, req api.InvocationRequest) (api.InvocationInfo, error) {
	return typed[api.InvocationInfo](ctx, t, command("context", "explain", req.ID))
}

func (t *typist) StartSession(ctx context.Context, req api.StartSessionRequest) (api.SessionStart, error) {
	entries, err := json.Marshal(req.Roster)
	if err != nil {
		return api.SessionStart{}, err
	}
	return typed[api.SessionStart](ctx, t, command("session", "start").with("id", string(req.ID)).with("question", req.Question).
		with("module", string(req.Module)).with("compile", string(req.Compile)).with("roster", string(entries)))
}

// SubmitDeltas answers the kickoff, which is how an agent hands in that types.
func (t *typist) SubmitDeltas(ctx context.Context, req api.SubmitDeltasRequest) (api.Submission, error) {
	inbox, err := typed[api.MessageList](ctx, t, command("mail", "inbox"))
	if err != nil {
		return api.Submission{}, err
	}
	i := slices.IndexFunc(inbox.Messages, func(m api.MessageInfo) bool { return m.Session == req.Session && m.Kind == api.MessageKickoff })
	if i < 0 {
		return api.Submission{}, fmt.Errorf("no kickoff among %+v", inbox.Messages)
	}
	l := command("mail", "reply", inbox.Messages[i].ID, "-")
	l.input = req.Text
	return typed[api.Submission](ctx, t, l)
}

func (t *typist) Learn(ctx context.Context, req api.LearnRequest) (api.LearnResult, error) {
	insights, err := json.Marshal(req.Insights)
	if err != nil {
		return api.LearnResult{}, err
	}
	l := command("playbook", "learn", "-").with("domain", string(req.Domain)).with("format", "json")
	if req.Guard != nil {
		l.with("guard", map[bool]string{true: "on", false: "off"}[*req.Guard])
	}
	l.input = string(insights)
	return typed[api.LearnResult](ctx, t, l)
}

func (t *typist) Feedback(ctx context.Context, req api.FeedbackRequest) (api.BulletResult, error) {
	return typed[api.BulletResult](ctx, t, command("playbook", "feedback", string(req.ID), string(req.As)).with("invocation", req.Invocation).with("reason", req.Reason))
}

func (t *typist) PromoteBullets(ctx context.Context, req api.PromoteBulletsRequest) (api.BulletResult, error) {
	return typed[api.BulletResult](ctx, t, command("playbook", "promote").with("domain", string(req.Domain)))
}

func (t *typist) ForceBullet(ctx context.Context, req api.ForceBulletRequest) (api.BulletResult, error) {
	return typed[api.BulletResult](ctx, t, command("playbook", "promote", string(req.ID)).with("force", string(req.Stage)).with("reason", req.Reason))
}

func (t *typist) Bullet(ctx context.Context, req api.BulletRequest) (api.BulletView, error) {
	l := command("playbook", "show", string(req.ID)).when("history", true)
	if req.Page.Limit > 0 {
		l.with("limit", strconv.Itoa(req.Page.Limit))
	}
	return typed[api.BulletView](ctx, t, l)
}

// served is a project behind a server that is a process.
type served struct {
	t       *testing.T
	home    *shell
	address string
	tokens  map[brenner.ActorName]string
}

func newServed(t *testing.T, home *shell) *served {
	s := &served{t: t, home: home, tokens: map[brenner.ActorName]string{}}
	s.issue("ada")
	s.address, _ = home.serverProcess()
	return s
}

func (s *served) issue(name brenner.ActorName) {
	s.t.Helper()
	s.tokens[name] = s.home.must("agent", "token", string(name))
}

func (s *served) PI() api.Service { return issuing{s.As("ada"), s} }

func (s *served) As(name brenner.ActorName) api.Service {
	s.t.Helper()
	c, err := httpapi.NewClient(s.address, s.tokens[name], http.DefaultTransport)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// issuing gives every agent its token when it is registered, so that the journal
// does not grow in the midst of a case.
type issuing struct {
	api.Service
	s *served
}

func (i issuing) AddAgent(ctx context.Context, req api.AddAgentRequest) (api.AgentInfo, error) {
	info, err := i.Service.AddAgent(ctx, req)
	if err == nil {
		i.s.issue(req.Name)
	}
	return info, err
}

// tooled is a project whose agents have tools; its PI types.
type tooled struct {
	t      *testing.T
	home   *shell
	agents map[brenner.ActorName]*tools
}

func (w *tooled) PI() api.Service { return commands{w.t, w.home}.PI() }

func (w *tooled) As(name brenner.ActorName) api.Service {
	if w.agents[name] == nil {
		session := connect(w.t, &mcp.CommandTransport{Command: w.home.process(w.t.Context(), "mcp", "--as", string(name))})
		w.agents[name] = &tools{Service: commands{w.t, w.home}.As(name), agent: session}
	}
	return w.agents[name]
}

// tools is the service as an agent has it. What the tools leave out of an answer
// it looks up with a command.
type tools struct {
	api.Service
	agent
}

func used[Out any](t *tools, tool string, req any) (out Out, err error) {
	raw, err := json.Marshal(req)
	if err != nil {
		return out, err
	}
	arguments := map[string]any{}
	if err := json.Unmarshal(raw, &arguments); err != nil {
		return out, err
	}
	result, refused := t.call(tool, arguments)
	if raw, err = json.Marshal(result); err != nil {
		return out, err
	}
	if refused {
		var e brenner.Error
		if err := json.Unmarshal(raw, &e); err != nil {
			return out, err
		}
		return out, &e
	}
	return out, json.Unmarshal(raw, &out)
}

func (t *tools) CreateArtifact(_ context.Context, req api.CreateArtifactRequest) (api.WriteResult, error) {
	return used[api.WriteResult](t, "artifact_write", req)
}

func (t *tools) UpdateArtifact(_ context.Context, req api.UpdateArtifactRequest) (api.WriteResult, error) {
	return used[api.WriteResult](t, "artifact_write", req)
}

func (t *tools) Artifact(_ context.Context, req api.ArtifactRequest) (api.ArtifactView, error) {
	return used[api.ArtifactView](t, "artifact_get", req)
}

func (t *tools) ClaimTask(_ context.Context, req api.ClaimTaskRequest) (api.TaskInfo, error) {
	return used[api.TaskInfo](t, "task_claim", req)
}

func (t *tools) ReleaseTask(_ context.Context, req api.ReleaseTaskRequest) (api.TaskInfo, error) {
	return used[api.TaskInfo](t, "task_release", req)
}

func (t *tools) CompleteTask(_ context.Context, req api.CompleteTaskRequest) (api.TaskInfo, error) {
	return used[api.TaskInfo](t, "task_complete", req)
}

// AssembleContext gives the record of the context, too, as the project has it.
func (t *tools) AssembleContext(ctx context.Context, req api.ContextRequest) (api.ContextResult, error) {
	out, err := used[struct {
		api.ContextResult
		Words string `json:"words"`
	}](t, "context_assemble", req)
	if err != nil {
		return api.ContextResult{}, err
	}
	out.Text = out.Words
	got, err := t.Service.Invocation(ctx, api.InvocationRequest{ID: out.Invocation})
	out.Record = got.Record
	return out.ContextResult, err
}

func (t *tools) Status(context.Context) (api.StatusResult, error) {
	out, err := used[struct {
		Needs []api.Need `json:"needs"`
	}](t, "status", struct{}{})
	return api.StatusResult{Items: out.Needs}, err
}

func (t *tools) Approve(_ context.Context, req api.ApproveRequest) (api.Approvals, error) {
	out, err := used[struct {
		Approvals api.Approvals `json:"approvals"`
	}](t, "review", map[string]any{"ref": req.Ref, "verdict": "approve"})
	return out.Approvals, err
}

func (t *tools) ReviewBullet(_ context.Context, req api.ReviewBulletRequest) (api.BulletResult, error) {
	return used[api.BulletResult](t, "review", map[string]any{
		"lesson": req.ID, "verdict": map[bool]string{true: "approve", false: "reject"}[req.Approve], "reason": req.Reason,
	})
}

func (t *tools) SubmitDeltas(_ context.Context, req api.SubmitDeltasRequest) (api.Submission, error) {
	return used[api.Submission](t, "delta_submit", req)
}

// Learn types what the tool does not offer: the guard and vectors are the PI's.
func (t *tools) Learn(ctx context.Context, req api.LearnRequest) (api.LearnResult, error) {
	if req.Guard != nil || slices.ContainsFunc(req.Insights, func(i api.Insight) bool { return i.Vector != nil }) {
		return t.Service.Learn(ctx, req)
	}
	return used[api.LearnResult](t, "playbook_learn", req)
}

func (t *tools) Feedback(_ context.Context, req api.FeedbackRequest) (api.BulletResult, error) {
	return used[api.BulletResult](t, "playbook_feedback", req)
}
