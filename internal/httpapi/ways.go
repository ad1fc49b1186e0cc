package httpapi

import (
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"brenner"
	"brenner/internal/lazy"
	"brenner/internal/schema"
)

// way is what can be done about a problem, as a request of this API (X11). What
// is done where the store or the programs are has no address.
type way struct {
	Action    string            `json:"action"`
	Arguments map[string]string `json:"arguments,omitzero"`
	// Fill names the arguments whose value the reader gives.
	Fill   []string `json:"fill,omitzero"`
	Method string   `json:"method,omitzero"`
	Href   string   `json:"href,omitzero"`
	// Body is what is sent there, or what is put over the members of the refused
	// request where that is to be repeated. One to fill keeps its place in
	// capitals.
	Body map[string]any `json:"body,omitzero"`
}

// acts are the methods of the service that do an action.
var acts = lazy.Value(func() map[string]string {
	return map[string]string{
		"agent.add":            "AddAgent",
		"agent.list":           "Agents",
		"agent.revoke":         "RevokeToken",
		"agent.token":          "IssueToken",
		"agent.tokens":         "Tokens",
		"artifact.list":        "Artifacts",
		"artifact.new":         "CreateArtifact",
		"artifact.search":      "SearchArtifacts",
		"artifact.show":        "Artifact",
		"artifact.types":       "Types",
		"artifact.update":      "UpdateArtifact",
		"automation.list":      "AutomationRules",
		"automation.log":       "Firings",
		"checkpoint":           "Checkpoint",
		"config.apply":         "ApplyConfig",
		"conflict.list":        "Conflicts",
		"consolidate":          "Consolidate",
		"context.assemble":     "AssembleContext",
		"context.list":         "Invocations",
		"delta.submit":         "SubmitDeltas",
		"forks":                "Forks",
		"inbox":                "Waiting",
		"lineage":              "Lineage",
		"mail.ack":             "AckMessage",
		"mail.inbox":           "Inbox",
		"mail.read":            "ReadMessage",
		"patch.artifact":       "ApplyPatch",
		"playbook.learn":       "Learn",
		"playbook.list":        "Bullets",
		"playbook.reembed":     "Reembed",
		"playbook.review.list": "Bullets",
		"review":               "Review",
		"review.approve":       "Approve",
		"roster.presets":       "Rosters",
		"run.log":              "RunLog",
		"run.stop":             "StopRun",
		"runs":                 "Runs",
		"session.compile":      "CompileSession",
		"session.diagnose":     "DiagnoseSession",
		"session.ingest":       "SubmitDeltas",
		"session.list":         "Sessions",
		"session.nudge":        "NudgeSession",
		"session.resend":       "ResendSession",
		"session.show":         "Session",
		"session.start":        "StartSession",
		"spine":                "Spine",
		"stalemate.accept":     "MoveStalemate",
		"stalemate.list":       "Stalemates",
		"stalemate.raise":      "RaiseStalemate",
		"stalemate.reply":      "MoveStalemate",
		"stalemate.show":       "Stalemate",
		"stalemate.withdraw":   "MoveStalemate",
		"status":               "Status",
		"task.claim":           "ClaimTask",
		"task.complete":        "CompleteTask",
		"task.list":            "Tasks",
		"task.new":             "NewTask",
		"task.release":         "ReleaseTask",
		"task.show":            "Task",
		"verify":               "Verify",
	}
})

// waysOf lists what can be done about an error, the best first.
func waysOf(e *brenner.Error) []way {
	var out []way
	for _, a := range e.Actions {
		w := way{Action: a.Name, Arguments: a.Args, Fill: a.Fill}
		if a.Repeats() {
			_, w.Body, _ = a.Call()
		}
		if r, ok := byName()[acts()[a.Name]]; ok {
			w.Method, w.Href = r.method, r.address(a)
			if w.Method != http.MethodGet && w.Href != "" {
				w.Body = r.body(a)
			}
		}
		if w.Href == "" {
			w.Method = ""
		}
		out = append(out, w)
	}
	return out
}

// address is where an action is done; "" if a part of the path is for the
// reader to say.
func (r route) address(a brenner.Action) string {
	path, query := r.path, url.Values{}
	taken := r.parameters()
	for _, name := range taken {
		value, ok := a.Args[name]
		if !ok || slices.Contains(a.Fill, name) {
			return ""
		}
		path = strings.Replace(path, "{"+name+"}", url.PathEscape(value), 1)
	}
	if r.method == http.MethodGet && r.in != nil {
		fields := schema.Fields(r.in)
		for _, name := range slices.Sorted(maps.Keys(a.Args)) {
			if !slices.Contains(taken, name) && slices.ContainsFunc(fields, func(f schema.Field) bool { return f.Name == name }) {
				query.Set(name, a.Args[name])
			}
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return prefix + path
}

// steps are the actions that are one step of a stalemate each.
var steps = map[string]string{"stalemate.accept": "accept", "stalemate.reply": "reply", "stalemate.withdraw": "withdraw"}

// body is what a request says besides its address, in the members it has: those
// that a tool takes under the same names, and a text where a content is wanted.
func (r route) body(a brenner.Action) map[string]any {
	_, named, ok := a.Call()
	if !ok {
		named = map[string]any{}
		for name, value := range a.Args {
			named[name] = value
		}
	}
	if step := steps[a.Name]; step != "" {
		named["action"] = step
	}
	out := map[string]any{}
	if r.in == nil { // it is asked for without a word
		return out
	}
	for _, f := range schema.Fields(r.in) {
		value, given := named[f.Name]
		if one, named := a.Args[strings.TrimSuffix(f.Name, "s")]; !given && named && f.Type.Kind() == reflect.Slice {
			value, given = []any{one}, true // a list of which an action names one, such as the module of a task
		}
		if !given || slices.Contains(r.parameters(), f.Name) {
			continue
		}
		text, isText := value.(string)
		if kind := f.Type; isText && !schema.IsText(kind) && (kind.Kind() == reflect.Struct || kind.Kind() == reflect.Pointer && kind.Elem().Kind() == reflect.Struct) {
			value = map[string]any{"format": "text", "data": text}
		}
		out[f.Name] = value
	}
	return out
}

// actionsIn gives the ways of a problem as the actions they were made from.
func actionsIn(ways []way) []brenner.Action {
	var out []brenner.Action
	for _, w := range ways {
		out = append(out, brenner.Action{Name: w.Action, Args: w.Arguments, Fill: w.Fill})
	}
	return out
}
