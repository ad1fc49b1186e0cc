package mcpserver_test

import (
	"strings"
	"testing"

	"brenner"

	"github.com/go-json-experiment/json"
)

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
		if name == brenner.Again().Name {
			continue // the tool that was called
		}
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
