package mcpserver_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/artifact"
	"brenner/assembly"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var counter = sync.OnceValues(func() (*assembly.Tokenizer, error) { return assembly.NewTokenizer(assembly.O200k) })

func tokens(t testing.TB, text string) int {
	t.Helper()
	c, err := counter()
	if err != nil {
		t.Fatal(err)
	}
	return c.Count(text)
}

// X3: an agent pays for the description of all tools in every conversation.
func TestTools_AreFewAndShortlyDescribed(t *testing.T) {
	w := newWorld(t)
	list, err := w.session("ada").ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(list.Tools, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	n := tokens(t, string(raw))
	t.Logf("%d tools, %d tokens", len(list.Tools), n)
	if n > brenner.MaxToolListTokens || len(list.Tools) != 19 {
		t.Errorf("%d tools take %d tokens", len(list.Tools), n)
	}
	writes := 0
	for _, tool := range list.Tools {
		for _, s := range []any{tool.InputSchema, tool.OutputSchema} {
			c := jsonschema.NewCompiler()
			if err := c.AddResource("s.json", s); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Compile("s.json"); err != nil {
				t.Errorf("%s: %v", tool.Name, err)
			}
		}
		if tool.Annotations == nil || tool.Description == "" || !tool.Annotations.ReadOnlyHint && *tool.Annotations.DestructiveHint {
			t.Errorf("%s is not described", tool.Name)
		}
		if !tool.Annotations.ReadOnlyHint {
			writes++
		}
	}
	if writes != 14 {
		t.Errorf("%d tools write", writes)
	}
}

// X1, X3: bad arguments are refused with a code, as a result that can be read.
func TestTools_BadArgumentsAreRefusedWithACode(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		tool, arguments string
		code            brenner.Code
	}{
		{"artifact_get", `{"ref":"none"}`, brenner.CodeNotFound},
		{"artifact_get", `{"ref":"a b"}`, brenner.CodeInvalidID},
		{"artifact_get", `{"ref":"n","colour":"red"}`, brenner.CodeInvalidJSON},
		{"artifact_get", `{"ref":"n","ref":"m"}`, brenner.CodeInvalidJSON},
		{"artifact_get", `[]`, brenner.CodeInvalidJSON},
		{"artifact_search", `{"text":"x","limit":100000}`, brenner.CodeLimitExceeded},
		{"artifact_write", `{"type":"paper_note","key":7}`, brenner.CodeInvalidJSON},
		{"artifact_write", `{"type":"paper_note","parent":1}`, brenner.CodeInvalidValue},
		{"artifact_write", `{"summary":"\u0000"}`, brenner.CodeInvalidText},
		{"task_claim", `{"lease":"soon"}`, brenner.CodeInvalidValue},
		{"context_assemble", `{"question":"why","offset":3}`, brenner.CodeInvalidValue},
		{"inbox", `{"cursor":"x"}`, brenner.CodeInvalidCursor},
		{"status", `{"x":1}`, brenner.CodeInvalidJSON},
	} {
		res, err := w.session("ada").CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: raw(c.arguments)})
		if err != nil {
			t.Errorf("%s %s: %v", c.tool, c.arguments, err)
			continue
		}
		if err := refused(res); !res.IsError || !errors.Is(err, c.code) {
			t.Errorf("%s %s: %v, want %s", c.tool, c.arguments, err, c.code)
		}
	}
}

// X1: what the library refuses has a code too.
func TestServer_WhatIsNotOfferedIsRefusedWithACode(t *testing.T) {
	s := newWorld(t).session("ada")
	for name, c := range map[string]struct {
		call func() error
		code brenner.Code
	}{
		"tool": {func() error {
			_, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "drop_everything"})
			return err
		}, brenner.CodeNotFound},
		"prompt": {func() error {
			_, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "nobody"})
			return err
		}, brenner.CodeNotFound},
		"resource": {func() error {
			_, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "file:///etc/passwd"})
			return err
		}, brenner.CodeNotFound},
		"artifact": {func() error {
			_, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "brenner://artifact/a%20b"})
			return err
		}, brenner.CodeInvalidID},
		"cursor": {func() error {
			_, err := s.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: "x"})
			return err
		}, brenner.CodeInvalidCursor},
	} {
		var e *jsonrpc.Error
		var data brenner.Error
		if err := c.call(); !errors.As(err, &e) || json.Unmarshal(e.Data, &data) != nil || data.Code != c.code ||
			data.Message == "" || !strings.HasPrefix(e.Message, string(c.code)+": ") {
			t.Errorf("%s: %v, %+v, want %s", name, err, e, c.code)
		}
	}
}

// X3: a long text comes in pages that fit a result, and they are the text.
func TestTools_LongTextsComeInPages(t *testing.T) {
	w := newWorld(t)
	texts := map[string]string{
		"words":  strings.Repeat("the quick brown fox jumps over the lazy dog\n", 5_000),
		"oneway": strings.Repeat("é\"\\", 25_000),
	}
	for id, text := range texts {
		if _, err := w.local("ada").CreateArtifact(t.Context(), api.CreateArtifactRequest{
			ID: brenner.ArtifactID(id), Type: "paper_note", Module: "lineage", Summary: "long",
			Content: api.Body{Format: artifact.Text, Data: text},
		}); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for offset, pages := 0, 0; ; pages++ {
			res, err := w.session("ada").CallTool(t.Context(), &mcp.CallToolParams{Name: "artifact_get", Arguments: map[string]any{"ref": id, "offset": offset}})
			if err != nil || res.IsError {
				t.Fatalf("%v %+v", err, res)
			}
			if n := tokens(t, res.Content[0].(*mcp.TextContent).Text); n > brenner.MaxToolResultTokens {
				t.Fatalf("a page has %d tokens", n)
			}
			structured, _ := json.Marshal(res.StructuredContent)
			var page struct {
				Next int `json:"next_offset"`
			}
			if err := json.Unmarshal(structured, &page); err != nil {
				t.Fatal(err)
			}
			got.WriteString(contentIn(res.Content[0].(*mcp.TextContent).Text))
			if offset = page.Next; offset == 0 {
				if pages == 0 {
					t.Errorf("%s came in one page", id)
				}
				break
			}
		}
		if got.String() != text {
			t.Errorf("%s: the pages are not the text", id)
		}
	}
}

// C3: a context in pages is one context, recorded once.
func TestTools_AContextInPagesIsOneContext(t *testing.T) {
	w := newWorld(t)
	type context struct {
		Invocation string `json:"invocation"`
	}
	ask := map[string]any{"question": "what is known?", "modules": []string{"lineage"}, "key": "k"}
	first, whole, err := answered[context](t.Context(), w.session("ada"), "context_assemble", ask)
	if err != nil {
		t.Fatal(err)
	}
	ask["offset"] = 1
	again, rest, err := answered[context](t.Context(), w.session("ada"), "context_assemble", ask)
	if err != nil || again.Invocation != first.Invocation || len(whole) < 100 || whole[1:] != rest {
		t.Errorf("got %+v, then %+v, %v", first, again, err)
	}
}

func TestResources_AreReadAsTheCaller(t *testing.T) {
	w := newWorld(t)
	if _, err := w.local("ada").AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.local("ada").CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "log", Type: "raw_log", Module: "lineage", Summary: "talk", Content: api.Body{Format: artifact.Text, Data: "t"},
	}); err != nil {
		t.Fatal(err)
	}
	for uri, want := range inOrder(map[string]string{"brenner://artifact/log@1": `"talk"`, "brenner://snapshot": "#", "brenner://inbox": "items"}) {
		res, err := w.session("ada").ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(res.Contents) != 1 || !strings.Contains(res.Contents[0].Text, want) {
			t.Errorf("%s: %+v, %v", uri, res, err)
		}
	}
	// C2, C7: a raw log is not for everybody, by whatever way it is asked for.
	if _, err := w.session("BlueLake").ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "brenner://artifact/log@1"}); err == nil ||
		(!strings.Contains(err.Error(), "READ_DENIED") && !strings.Contains(err.Error(), "CONTEXT_REQUIRED")) {
		t.Errorf("got %v", err)
	}
	if _, err := w.session("ada").ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "brenner://artifact/a%20b"}); err == nil {
		t.Error("a bad name was read")
	}
}

// W11: what a run printed is a raw log: its distiller reads it, page by page,
// and the agent whose run it was does not.
func TestResources_WhatARunPrintedIsForTheDistiller(t *testing.T) {
	w := newWorld(t)
	pi := w.local("ada")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, role := range inOrder(map[brenner.ActorName]brenner.Role{"BlueLake": "writer", "WhiteFox": "distiller"}) {
		_, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: name, Role: role})
		must(err)
	}
	task, err := pi.NewTask(t.Context(), api.NewTaskRequest{Title: "Write", Role: "writer", Modules: []brenner.Module{"lineage"}})
	must(err)
	run, err := pi.StartRun(t.Context(), api.StartRunRequest{Work: api.Work{Task: task.ID}, Agent: "BlueLake", Runner: "here/1/2"})
	must(err)
	printed := strings.Repeat("one line of many that it printed\n", 5000) + "the last\n"
	_, err = pi.EndRun(t.Context(), api.EndRunRequest{ID: run.ID, Runner: "here/1/2", RunEnd: api.RunEnd{Outcome: api.OutcomeFailed}, Transcript: printed})
	must(err)
	read := func(as brenner.ActorName, uri string) (string, error) {
		res, err := w.session(as).ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return "", err
		}
		return res.Contents[0].Text, nil
	}
	var all strings.Builder
	pages := 0
	for uri := "brenner://run-log/" + run.ID; uri != ""; pages++ {
		text, err := read("WhiteFox", uri)
		must(err)
		text, rest, _ := strings.Cut(text, "\n── it goes on at ")
		all.WriteString(text)
		uri = strings.TrimSpace(rest)
	}
	if all.String() != printed || pages < 2 {
		t.Errorf("%d pages of %d bytes, want %d", pages, all.Len(), len(printed))
	}
	for as, uri := range inOrder(map[brenner.ActorName]string{"BlueLake": "brenner://run-log/" + run.ID, "WhiteFox": "brenner://run-log/" + run.ID + "@x", "ada": "brenner://run-log/run-0"}) {
		if text, err := read(as, uri); err == nil {
			t.Errorf("%s reads %s: %.80s", as, uri, text)
		}
	}
}

// R11, X11: there is a prompt for each role: the project's own where it has one,
// with what the policy in force lets the role do, in words of tools.
func TestPrompts_ThereIsOneForEachRole(t *testing.T) {
	w := newWorld(t)
	mine := api.ConfigFile{Name: ".brennerrc", Data: apitest.Config + "prompts:\n  reviewer: {text: 'You, {{agent}}, review gels in session {{session}}.'}\n"}
	if _, err := w.local("ada").ApplyConfig(t.Context(), api.ApplyConfigRequest{File: mine}); err != nil {
		t.Fatal(err)
	}
	list, err := w.session("ada").ListPrompts(t.Context(), nil)
	if err != nil || len(list.Prompts) == 0 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, p := range list.Prompts {
		res, err := w.session("ada").GetPrompt(t.Context(), &mcp.GetPromptParams{Name: p.Name, Arguments: map[string]string{"session": "RS-1"}})
		if err != nil || len(res.Messages) != 1 {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		text := res.Messages[0].Content.(*mcp.TextContent).Text
		if strings.Contains(text, "{{") || strings.Contains(text, "brenner ") || !strings.Contains(text, `context_assemble {"session":"RS-1"}`) ||
			!strings.Contains(text, "The policy in force lets the role") {
			t.Errorf("%s: %s", p.Name, text)
		}
		if own := strings.HasPrefix(text, "You, ada, review gels in session RS-1.\n"); own != (p.Name == "reviewer") {
			t.Errorf("%s is the project's own: %v", p.Name, own)
		}
	}
	_, err = w.session("ada").GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "writer", Arguments: map[string]string{"session": "no session"}})
	if err == nil {
		t.Error("a session of no such name was taken")
	}
}

// strictWords are the words of JSON Schema that strict tool calling takes from
// every large provider.
var strictWords = []string{"type", "properties", "required", "items", "enum", "description", "additionalProperties"}

// X1: the input of every tool can be used in strict tool calling: each member
// has one type, objects are closed, and nothing beyond a few words is used.
func TestTools_InputsAreInTheStrictSubset(t *testing.T) {
	list, err := newWorld(t).session("ada").ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		members := strict(t, tool.Name, tool.InputSchema.(map[string]any))
		if members == 0 {
			t.Errorf("%s takes nothing", tool.Name)
		}
	}
}

func strict(t *testing.T, at string, s map[string]any) (members int) {
	t.Helper()
	for word := range s {
		if !slices.Contains(strictWords, word) {
			t.Errorf("%s uses %s", at, word)
		}
	}
	kind, one := s["type"].(string)
	if !one {
		t.Errorf("%s has the type %v", at, s["type"])
	}
	if items, ok := s["items"].(map[string]any); ok {
		members += strict(t, at+"[]", items)
	} else if kind == "array" {
		t.Errorf("%s does not say of what", at)
	}
	properties, _ := s["properties"].(map[string]any)
	if kind == "object" && (len(properties) == 0 || s["additionalProperties"] != false) {
		t.Errorf("%s is open", at)
	}
	for name, p := range properties {
		members += 1 + strict(t, at+"/"+name, p.(map[string]any))
	}
	return members
}

// X1: strict tool calling of one provider knows no argument that may be left
// out: its clients make every one required and send null, or what is empty. Both
// are as good as leaving it out, through the whole story.
func TestTools_WhatIsNotMeantMayBeSentEmpty(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole run has it")
	}
	empty := map[string]any{"string": "", "integer": 0, "number": 0, "boolean": false, "array": []any{}}
	for name, nothing := range map[string]func(schema map[string]any) any{
		"null":  func(map[string]any) any { return nil },
		"empty": func(s map[string]any) any { return empty[s["type"].(string)] },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			list, err := w.session("ada").ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			filled := map[string]bool{}
			team := playStory(t, w, func(tool string, arguments map[string]any) map[string]any {
				out := maps.Clone(arguments)
				if out == nil {
					out = map[string]any{}
				}
				i := slices.IndexFunc(list.Tools, func(l *mcp.Tool) bool { return l.Name == tool })
				for argument, schema := range list.Tools[i].InputSchema.(map[string]any)["properties"].(map[string]any) {
					if _, given := out[argument]; !given {
						out[argument] = nothing(schema.(map[string]any))
						filled[tool] = true
					}
				}
				return out
			})
			purple := team[1] // who calls what the story has no need of
			_, asked := purple.call("request", map[string]any{"role": "test_designer", "title": "Time it", "spec": "Twice.", "module": "lineage"})
			for _, tool := range []string{"task_claim", "task_release", "task_claim", "task_complete"} {
				purple.call(tool, map[string]any{"id": asked["id"]})
			}
			purple.call("status", nil)
			purple.call("artifact_search", map[string]any{"text": "start"})
			purple.call("session_show", map[string]any{"session": "RS-speed"})
			purple.call("lineage", map[string]any{"ref": "timings@1"})
			purple.call("playbook_learn", map[string]any{"insights": []any{map[string]any{"section": "helpful", "content": "Start twice"}}})
			if len(filled) < len(list.Tools)-2 { // no bullet to judge, and nothing to review
				t.Errorf("only %d tools were called so", len(filled))
			}
		})
	}
}
