package mcpserver_test

import (
	"testing"

	"brenner"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// X11: a refusal says what was wrong by the name that the tool has for it, and gives the
// call that was probably meant.
func TestRefusals_SayWhatWasMeant(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	text := arguments{"format": "text", "data": "x"}
	for _, c := range []struct {
		tool string
		in   arguments
		code brenner.Code // "": it is answered
		want string
	}{
		{"session_show", arguments{"session": "RS-pair@2"}, "", "RS-pair@2 · module lineage\n"},
		{"session_show", arguments{"session": "RS-pair@1"}, brenner.CodeInvalidValue, "try: artifact_get {\"ref\":\"RS-pair@1\"}\ntry: session_show {\"session\":\"RS-pair\",\"since\":1}\n"},
		{"session_show", arguments{"session": "RS-pair@9"}, brenner.CodeInvalidValue, "RS-pair is at version 2, which is what is shown here (at /session)\ntry: session_show {\"session\":\"RS-pair\"}\n"},
		{"session_show", arguments{"session": "RS-none@1"}, brenner.CodeNotFound, "there is no session \"RS-none\""},
		{"stalemate_reply", arguments{"id": "x", "step": "dance"}, brenner.CodeInvalidValue, "\"dance\" is not a step of a stalemate (at /step)\nhint: steps: reply, "},
		{"artifact_write", arguments{"type": "analysis_result", "id": "x", "summary": "s"}, brenner.CodeInvalidValue, "the content is missing\nhint: give its format, json or text, and its data"},
		{"artifact_write", arguments{"type": "analysis_reslt", "id": "x", "summary": "s", "content": text}, brenner.CodeUnknownType, "try: the same call with {\"type\":\"analysis_result\"}\n"},
		{"artifact_write", arguments{"type": "analysis_result", "module": "linege", "id": "x", "summary": "s", "content": text}, brenner.CodeUnknownModule, "try: the same call with {\"module\":\"lineage\"}\n"},
		{"artifact_search", arguments{"text": "x", "types": []any{"analysis_reslt"}}, brenner.CodeUnknownType, "try: the same call with {\"types\":[\"analysis_result\"]}\n"},
		{"artifact_search", arguments{"text": "x", "modules": []any{"linege"}}, brenner.CodeUnknownModule, "hint: did you mean lineage? modules in force: lineage, gradient, project; the PI declares more in the configuration\ntry: the same call with {\"modules\":[\"lineage\"]}\n"},
		{"artifact_search", arguments{"text": "x", "modules": []any{"weather"}}, brenner.CodeUnknownModule, "try: the same call with {\"modules\":[\"MODULE\"]} (yours to give: modules)\n"},
		{"context_assemble", arguments{"question": "x", "modules": []any{"linege"}}, brenner.CodeUnknownModule, "try: the same call with {\"modules\":[\"lineage\"]}\n"},
	} {
		res, err := blue.session.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: c.in})
		if err != nil {
			t.Fatal(err)
		}
		said := res.Content[0].(*mcp.TextContent).Text
		blue.must(said, c.want)
		if res.IsError != (c.code != "") || res.IsError && brenner.CodeOf(refused(res)) != c.code {
			t.Errorf("%s %v: %s", c.tool, c.in, said)
		}
	}
}

// A task that is done is held by nobody until any time.
func TestTask_DoneHasNoEnd(t *testing.T) {
	blue, red := duo(t)
	both(blue, red)
	_, asked := blue.call("request", arguments{"session": "RS-pair", "to": "RedSky", "title": "Count the weirs", "spec": "how many?"})
	red.call("task_claim", arguments{"id": asked["id"]})
	red.call("artifact_write", analysis("weirs", arguments{"task": asked["id"], "done": true}))
	said := first(blue.call("artifact_get", arguments{"ref": asked["id"]}))
	blue.must(said, "is a task, done, for ", "(asked by BlueLake, done by RedSky)")
	blue.mustNot(said, "until 00:00")
}
