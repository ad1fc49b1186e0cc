package mcpserver_test

import (
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/roster"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// X11: what a refusal tells an agent to try is a call that is executed here as
// it stands, and gets further. C35: that holds for a refusal for scope too.
func TestRefusals_NameACallThatGetsFurther(t *testing.T) {
	w := newWorld(t)
	pi := w.local("ada")
	for _, name := range []brenner.ActorName{"BlueLake", "RedSky"} {
		if _, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: name, Role: roster.HypothesisGenerator}); err != nil {
			t.Fatal(err)
		}
	}
	for id, module := range map[brenner.ArtifactID]brenner.Module{"near": "lineage", "far": "gradient"} {
		_, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: id, Type: artifact.TypePaperNote, Module: module, Summary: "a note",
			Content: api.Body{Format: artifact.JSON, Data: `{"title":"A note","claims":["c"]}`},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	task, err := pi.NewTask(t.Context(), api.NewTaskRequest{Title: "Look", Spec: "look", Role: roster.HypothesisGenerator, Modules: []brenner.Module{"lineage"}})
	if err != nil {
		t.Fatal(err)
	}
	team := roster.Roster{Entries: []roster.Entry{{AgentName: "BlueLake", Role: roster.HypothesisGenerator}}}
	if _, err := pi.StartSession(t.Context(), api.StartSessionRequest{ID: "RS-1", Question: "Why?", Module: "lineage", Roster: team}); err != nil {
		t.Fatal(err)
	}
	note := map[string]any{"format": "json", "data": `{"title":"B","claims":["d"]}`}
	for _, c := range []struct {
		agent brenner.ActorName
		tool  string
		args  map[string]any
		code  brenner.Code
		fill  map[string]any // what the agent alone can know
		then  bool           // the refused call comes through afterwards
	}{
		{"BlueLake", "artifact_get", map[string]any{"ref": "near"}, brenner.CodeContextRequired, nil, true},
		{"BlueLake", "artifact_get", map[string]any{"ref": "far"}, brenner.CodeReadDenied, nil, true},
		{"BlueLake", "artifact_get", map[string]any{"ref": "nowhere"}, brenner.CodeNotFound, nil, false},
		{"BlueLake", "inbox", map[string]any{"message": "msg-1"}, brenner.CodeNotFound, nil, false},
		{"BlueLake", "task_claim", map[string]any{"id": "task-0"}, brenner.CodeNotFound, nil, false},
		{"BlueLake", "artifact_write", map[string]any{"id": "mine", "type": "paper_note", "module": "lineage", "summary": "s", "content": note, "task": task.ID}, brenner.CodeTaskNotYours, nil, true},
		{"RedSky", "task_complete", map[string]any{"id": task.ID}, brenner.CodeTaskNotYours, nil, false},
		{
			"BlueLake", "artifact_write",
			map[string]any{"id": "near", "type": "paper_note", "module": "lineage", "summary": "t", "content": note},
			brenner.CodeAlreadyExists,
			map[string]any{"summary": "t", "content": note, "change": map[string]any{"what": "w", "why": "y"}},
			false,
		},
		{"BlueLake", "artifact_write", map[string]any{"id": "RS-1", "summary": "t", "content": note}, brenner.CodeWriteDenied, nil, false},
	} {
		words, code := refusedWords(t, w.session(c.agent), c.tool, c.args)
		if code != c.code {
			t.Errorf("%s %v: %s, want %s:\n%s", c.tool, c.args, code, c.code, words)
			continue
		}
		_, rest, ok := strings.Cut(words, "\ntry: ")
		if !ok {
			if code != brenner.CodeWriteDenied { // what only a person may, nobody else gets further with
				t.Errorf("%s %v is told nothing to try:\n%s", c.tool, c.args, words)
			}
			continue
		}
		line, _, _ := strings.Cut(rest, "\n")
		tool, given, _ := strings.Cut(line, " ")
		arguments := map[string]any{}
		if err := json.Unmarshal([]byte(given), &arguments); err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		for k, v := range c.fill {
			arguments[k] = v
		}
		if _, err := called[map[string]any](t.Context(), w.session(c.agent), tool, arguments); err != nil {
			t.Errorf("%s %v says to try %s %v: %v", c.tool, c.args, tool, arguments, err)
		}
		if c.then {
			if _, err := called[map[string]any](t.Context(), w.session(c.agent), c.tool, c.args); err != nil {
				t.Errorf("%s %v, after %s: %v", c.tool, c.args, line, err)
			}
		}
	}
}

// refusedWords makes a call that is refused, and gives what the agent is told.
func refusedWords(t *testing.T, s *mcp.ClientSession, tool string, arguments map[string]any) (string, brenner.Code) {
	t.Helper()
	_, words, err := answered[map[string]any](t.Context(), s, tool, arguments)
	return words, brenner.CodeOf(err)
}

// X11: every action that agents have a tool for is a tool that there is, and
// takes the arguments that it is called with.
func TestActions_AreTools(t *testing.T) {
	list, err := newWorld(t).session("ada").ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	takes := map[string]map[string]any{}
	for _, tool := range list.Tools {
		raw, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema struct {
			Properties map[string]any `json:"properties"`
		}
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		takes[tool.Name] = schema.Properties
	}
	actions := brenner.ToolActions()
	for _, name := range actions {
		call := brenner.Do(name, "id", "x", "ref", "x@1", "session", "RS-1", "task", "task-1", "text", "x", "file", "FILE", "type", "critique", "module", "m").Tool()
		tool, _, _ := strings.Cut(call, " ")
		if takes[tool] == nil {
			t.Errorf("%s is done by %s, which is no tool", name, call)
		}
	}
	if len(actions) < 20 {
		t.Errorf("only %d actions", len(actions))
	}
}
