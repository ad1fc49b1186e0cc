package mcpserver_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"brenner/artifact"
	"brenner/policy"
	"brenner/stalemate"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// free are the arguments that are an agent's own words, or a name that some
// answer gave it. Every other argument of text has its values listed.
var free = []string{
	"about", "artifact", "content", "cursor", "data", "deltas", "domain", "hold", "id", "invocation", "items", "justification", "key", "lease", "lesson", "message", "more",
	"module", "modules", "note", "outputs", "patch", "question", "reason", "ref", "session", "spec", "statement", "summary", "tag",
	"tags", "target", "task", "text", "title", "what", "why", "path", "author", "arbitration_request", "expected_behaviour",
	"after", "cancel", "doing", "parts", "to",
}

// chosen are the arguments whose values a project may add to: the description
// names those that every project has.
func chosen() map[string][]string {
	var types, roles []string
	for _, t := range artifact.Builtin() {
		if writable(string(t.Name)) {
			types = append(types, string(t.Name))
		}
	}
	for _, p := range policy.Builtin() {
		if p.Role != policy.Runner { // a process, which does no work itself
			roles = append(roles, string(p.Role))
		}
	}
	return map[string][]string{
		"artifact_write/type":             types,
		"artifact_search/types[]":         {"artifact_write"},
		"request/role":                    roles,
		"stalemate_raise/evidence[]/kind": {stalemate.KindErrorLog, stalemate.KindFileContent, stalemate.KindOlderContent, stalemate.KindPatch, stalemate.KindExplanation},
		"stalemate_reply/evidence[]/kind": {stalemate.KindErrorLog, stalemate.KindFileContent, stalemate.KindOlderContent, stalemate.KindPatch, stalemate.KindExplanation},
		"stalemate_reply/verdict": {
			string(stalemate.HypothesisUpheld), string(stalemate.OtherCause), string(stalemate.InsufficientEvidence), string(stalemate.NotReproducible),
			string(stalemate.Upheld), string(stalemate.Refuted), string(stalemate.Undetermined),
		},
	}
}

// writable says whether agents write artifacts of a type with the tool for it:
// the others are made by acts of their own, or are not theirs.
func writable(kind string) bool {
	return !slices.Contains([]string{
		string(artifact.TypeProjectBrief), string(artifact.TypeSessionArtifact), string(artifact.TypeStalemate), string(artifact.TypeVerdict),
		string(artifact.TypeRoster), string(artifact.TypeRolePolicy), string(artifact.TypeContextView), string(artifact.TypeTask), string(artifact.TypeRawLog),
		string(artifact.TypeCodeChange),
	}, kind)
}

// X3, X11: every argument of every tool is described, its values are listed or
// named, and every tool shows a call that its own schema takes.
func TestTools_EveryArgumentIsDescribedAndEveryToolShowsACall(t *testing.T) {
	list, err := newWorld(t).session("ada").ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	named := chosen()
	for _, tool := range list.Tools {
		described(t, tool.Name, "", tool.InputSchema.(map[string]any), named)
		shows(t, tool)
	}
	for at := range named {
		t.Errorf("%s is no argument", at)
	}
}

// described checks an argument, and those inside it.
func described(t *testing.T, at, said string, s map[string]any, named map[string][]string) {
	t.Helper()
	if own, ok := s["description"].(string); ok {
		said = own
	}
	if strings.Contains(at, "/") && strings.TrimSpace(said) == "" {
		t.Errorf("%s is not described", at)
	}
	if items, ok := s["items"].(map[string]any); ok {
		described(t, at+"[]", said, items, named)
	}
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		described(t, at+"/"+name, "", p.(map[string]any), named)
	}
	if s["type"] != "string" || s["enum"] != nil {
		return
	}
	values, listed := named[at]
	name := strings.TrimSuffix(at[strings.LastIndexByte(at, '/')+1:], "[]")
	if !listed && !slices.Contains(free, name) {
		t.Errorf("%s lists no values: give it an enum, or name them in its description", at)
	}
	for _, value := range values {
		if !strings.Contains(said, value) {
			t.Errorf("%s does not name %s: %s", at, value, said)
		}
	}
	delete(named, at)
}

// shows checks that the description of a tool ends with calls that can be made.
func shows(t *testing.T, tool *mcp.Tool) {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("s.json", tool.InputSchema); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("s.json")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(tool.Description, ". {")
	if !found {
		t.Errorf("%s shows no call: %s", tool.Name, tool.Description)
		return
	}
	read := jsontext.NewDecoder(bytes.NewBufferString("{" + rest))
	for read.PeekKind() == '{' {
		raw, err := read.ReadValue()
		if err != nil {
			t.Errorf("%s: %v", tool.Name, err)
			return
		}
		call, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(call); err != nil {
			t.Errorf("%s shows %s: %v", tool.Name, raw, err)
		}
	}
}

// X3: the guide says what the descriptions of all tools cost.
func TestTools_TheGuideSaysWhatTheyCost(t *testing.T) {
	list, err := newWorld(t).session("ada").ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(list.Tools, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	n := tokens(t, string(raw))
	said := fmt.Sprintf("All of them together take %d,%03d tokens", n/1000, n%1000)
	guide, err := os.ReadFile("../../docs/guide-agents.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(guide), said) {
		t.Errorf("docs/guide-agents.md does not say %q", said)
	}
}
