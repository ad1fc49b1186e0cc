// Package httpapi is the service over HTTP: a server, and a client that
// implements the same interface.
//
// One table (routes.go) is the server, the client and the OpenAPI document at
// once. A row is made from a method of api.Service; path and query parameters
// and members of the body bind to the fields of its request by their JSON
// names, and what does not bind is refused. A new use case is a row here; the
// method of the client is generated (methods_gen.go).
package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"brenner/api"
	"brenner/internal/lazy"
	"brenner/policy"
)

// prefix is where the API is.
const prefix = "/api/v1"

// route is one use case over HTTP.
type route struct {
	name    string // of the method of api.Service
	method  string
	path    string // below prefix; parameters are named as fields of the request
	summary string
	in, out reflect.Type // in is nil where the method takes no request
	invoke  func(ctx context.Context, s api.Service, req any) (any, error)
	// large are the acts of which the caller's role must have one before a body
	// larger than brenner.LargeRequestBytes is read; none: it never is.
	large []policy.Action
}

// routes is the API. Reading is GET unless what is asked for may be long.
var routes = lazy.Value(func() []route {
	return []route{
		view("/status", api.Service.Status, "Say what needs the PI now"),
		get("/snapshot", api.Service.Snapshot, "Show what stands, from canonical artifacts only"),
		view("/project", api.Service.Project, "Say what the project is and where it stands"),
		post("/config", api.Service.ApplyConfig, "Put a configuration in force").upTo(policy.Admin),
		get("/prompts/{name}", api.Service.RolePrompt, "Say what is asked of a role here"),
		get("/types", api.Service.Types, "List artifact types, or one with its schema"),

		post("/artifacts", api.Service.CreateArtifact, "Write the first version of an artifact").upTo(policy.Write),
		get("/artifacts", api.Service.Artifacts, "List artifacts"),
		post("/artifacts/search", api.Service.SearchArtifacts, "Search artifacts by full text"),
		get("/artifacts/{ref}", api.Service.Artifact, "Read a version: the one named, else the one in force"),
		post("/artifacts/{id}/versions", api.Service.UpdateArtifact, "Write a new version").upTo(policy.Write),
		get("/artifacts/{id}/history", api.Service.History, "List versions and the decisions about them"),
		post("/artifacts/{ref}/promote", api.Service.Promote, "Make a version canonical"),
		post("/artifacts/{ref}/demote", api.Service.Demote, "Take a canonical version out of force"),
		post("/artifacts/{ref}/deprecate", api.Service.Deprecate, "Take a version, or an artifact, out of use"),
		get("/waiting", api.Service.Waiting, "List what waits for a person, what most rests on first"),
		get("/reviews/{ref}", api.Service.Review, "Show everything needed to decide about a version"),
		post("/reviews/{ref}/hand-in", api.Service.HandIn, "Put a version before a person"),
		post("/reviews/{ref}/approve", api.Service.Approve, "Approve a version before it is promoted"),
		post("/reviews/{ref}/changes", api.Service.RequestChanges, "Send a version back to its author"),
		post("/reviews/{ref}/comments", api.Service.Comment, "Comment on a version"),
		post("/comments/{id}/settle", api.Service.SettleComment, "Settle a comment"),
		post("/decisions", api.Service.Decide, "Decide about many versions, all or none"),
		get("/diff", api.Service.Diff, "Say what changed between two versions, and why"),
		post("/links", api.Service.Link, "Link a version to another"),
		post("/batch", api.Service.WriteBatch, "Write many artifacts and versions, all or none").upTo(policy.Write),

		post("/artifacts/{ref}/patch", api.Service.ApplyPatch, "Patch a text: a new version").upTo(policy.Write),
		post("/artifacts/{ref}/patch/explain", api.Service.ExplainPatch, "Say whether a patch fits, and why not").upTo(policy.Write),
		get("/patch", api.Service.PatchBetween, "Make the patch between two versions"),

		view("/forks", api.Service.Forks, "List forks"),
		get("/stale", api.Service.Stale, "List versions that rest on something that moved"),
		view("/spine", api.Service.Spine, "Show brief, memos and summary"),
		get("/lineage/{ref}", api.Service.Lineage, "Walk what a version rests on, or what rests on it"),

		post("/forks/tasks", api.Service.OpenForkTasks, "Open a task for each fork that has none"),
		post("/checks/alignment", api.Service.CheckAlignment, "Hold core artifacts to the canonical brief"),
		post("/checks/assumptions", api.Service.CheckAssumptions, "Look for assumptions of different modules that clash"),
		post("/consolidate", api.Service.Consolidate, "Find artifacts that overlap and drafts nobody uses"),
		post("/gc", api.Service.CollectGarbage, "List what nothing in use refers to, or deprecate it"),

		view("/automation", api.Service.AutomationRules, "List what happens by itself, and how each rule stands"),
		get("/automation/firings", api.Service.Firings, "List what rules did, and why"),
		get("/automation/test", api.Service.TestAutomation, "Say what rules would do on the events of a record"),
		post("/automation/pause", api.Service.PauseAutomation, "Have a rule, or all, do nothing"),
		post("/automation/resume", api.Service.ResumeAutomation, "Have a rule, or all, go on"),
		post("/automation/settle", api.Service.SettleNotices, "Take what rules told out of the inbox"),

		post("/tasks", api.Service.NewTask, "Open a task"),
		get("/tasks", api.Service.Tasks, "List tasks"),
		post("/tasks/claim", api.Service.ClaimTask, "Claim a task, or the oldest free one of the role"),
		get("/tasks/{id}", api.Service.Task, "Show a task"),
		post("/tasks/{id}/release", api.Service.ReleaseTask, "Give a task back"),
		post("/tasks/{id}/reassign", api.Service.ReassignTask, "Give a task to another agent"),
		post("/tasks/{id}/cancel", api.Service.CancelTask, "Close a task that is no longer wanted"),
		post("/tasks/{id}/complete", api.Service.CompleteTask, "Close a task with its result"),

		post("/contexts", api.Service.AssembleContext, "Assemble the caller's context, inside its budget"),
		post("/contexts/preview", api.Service.PreviewContext, "Show what another agent would see"),
		get("/invocations", api.Service.Invocations, "List the contexts that were assembled"),
		get("/invocations/{id}", api.Service.Invocation, "Show what a context held, and why"),
		view("/views", api.Service.Views, "List the views in force"),

		post("/stalemates", api.Service.RaiseStalemate, "Raise a stalemate").upTo(policy.StalemateRaise),
		get("/stalemates", api.Service.Stalemates, "List stalemates"),
		post("/stalemates/import", api.Service.ImportStalemate, "Raise a stalemate from the exchange format").upTo(policy.StalemateRaise),
		get("/stalemates/{id}", api.Service.Stalemate, "Read a stalemate and its verdict"),
		get("/stalemates/{id}/export", api.Service.ExportStalemate, "Write a stalemate in the exchange format"),
		post("/stalemates/{id}/arbitrate", api.Service.ArbitrateStalemate, "Take a stalemate on and draft a verdict"),
		post("/stalemates/{id}/verdict", api.Service.DecideStalemate, "Deliver a verdict"),
		post("/stalemates/{id}/move", api.Service.MoveStalemate, "Take a step after the verdict, or withdraw"),

		get("/work", api.Service.OpenWork, "List what agents could be started for"),
		post("/runs", api.Service.StartRun, "Take a piece of work for an agent, with a token for this run"),
		get("/runs", api.Service.Runs, "List runs"),
		get("/runs/costs", api.Service.RunCosts, "Sum what runs used"),
		post("/runs/beat", api.Service.BeatRuns, "Say that runs are alive, and hear which are to stop"),
		get("/runs/{id}", api.Service.Run, "Show a run"),
		get("/runs/{id}/log", api.Service.RunLog, "Read what a run printed"),
		post("/runs/{id}/end", api.Service.EndRun, "Say how a run ended").upTo(policy.Run),
		post("/runs/{id}/stop", api.Service.StopRun, "Have a run stopped"),

		post("/sessions", api.Service.StartSession, "Start a session").upTo(policy.Session),
		get("/sessions", api.Service.Sessions, "List sessions"),
		view("/rosters", api.Service.Rosters, "List the project's roster and the presets"),
		get("/sessions/{id}", api.Service.Session, "Show a session and its artifact"),
		get("/sessions/{id}/status", api.Service.SessionStatus, "Say who has answered and what to do next"),
		get("/sessions/{id}/diagnosis", api.Service.DiagnoseSession, "Explain what was found in the replies"),
		post("/sessions/{id}/fetch", api.Service.FetchReplies, "Take replies in from the mail server"),
		post("/sessions/{id}/compile", api.Service.CompileSession, "Merge what was submitted"),
		post("/sessions/{id}/nudge", api.Service.NudgeSession, "Remind who has not answered"),
		post("/sessions/{id}/close", api.Service.CloseSession, "Close a session: nobody is waited for any more"),
		post("/sessions/{id}/resend", api.Service.ResendSession, "Send again what was not delivered"),
		post("/deltas", api.Service.SubmitDeltas, "Submit deltas to a session").upTo(policy.Delta),
		get("/conflicts", api.Service.Conflicts, "List conflicts of sessions"),
		post("/conflicts/resolve", api.Service.ResolveConflict, "Decide a conflict"),

		get("/inbox", api.Service.Inbox, "List the caller's messages"),
		post("/inbox/{id}/read", api.Service.ReadMessage, "Read a message"),
		post("/inbox/{id}/ack", api.Service.AckMessage, "Acknowledge a message"),
		post("/inbox/{id}/reply", api.Service.ReplyMessage, "Answer a message").upTo(policy.Mail),

		post("/playbook/learn", api.Service.Learn, "Learn from insights").upTo(policy.PlaybookLearn),
		get("/playbook", api.Service.Bullets, "List bullets"),
		get("/playbook/stats", api.Service.PlaybookStats, "Count bullets by domain and stage"),
		get("/playbook/export", api.Service.ExportPlaybook, "Write the playbook as text"),
		post("/playbook/same", api.Service.SameBullets, "Fold the younger of two bullets into the older"),
		post("/playbook/promote", api.Service.PromoteBullets, "Let bullets with enough support step up"),
		post("/playbook/undo", api.Service.UndoBullet, "Undo a record"),
		post("/playbook/reembed", api.Service.Reembed, "Change the embedding"),
		get("/bullets/{id}", api.Service.Bullet, "Show a bullet and its history"),
		post("/bullets/{id}/feedback", api.Service.Feedback, "Say how a bullet served"),
		post("/bullets/{id}/force", api.Service.ForceBullet, "Set the stage of a bullet"),
		post("/bullets/{id}/release", api.Service.ReleaseBullet, "Release a bullet from quarantine"),
		post("/bullets/{id}/review", api.Service.ReviewBullet, "Approve or reject a bullet"),
		post("/bullets/{id}/amend", api.Service.AmendBullet, "Put a successor in a bullet's place"),

		post("/agents", api.Service.AddAgent, "Register an actor"),
		view("/agents", api.Service.Agents, "List actors and roles"),
		get("/denials", api.Service.Denials, "List what the policy refused"),
		post("/tokens", api.Service.IssueToken, "Make a token, shown once"),
		view("/tokens", api.Service.Tokens, "List tokens"),
		post("/tokens/revoke", api.Service.RevokeToken, "Revoke a token, or all of an actor's"),

		get("/records", api.Service.Records, "List records of the journal"),
		post("/verify", api.Service.Verify, "Recompute everything from the records"),
		post("/replay", api.Service.Replay, "Rebuild the tables from the journal"),
		act("/checkpoint", api.Service.Checkpoint, "Sign what the journal is now"),
		post("/redact", api.Service.Redact, "Remove a content and leave its hash"),
	}
})

// get is a use case that reads.
func get[Req, Res any](path string, fn func(api.Service, context.Context, Req) (Res, error), summary string) route {
	return row(http.MethodGet, path, fn, summary)
}

// post is a use case that writes, or that asks at length.
func post[Req, Res any](path string, fn func(api.Service, context.Context, Req) (Res, error), summary string) route {
	return row(http.MethodPost, path, fn, summary)
}

// view is a use case that reads and takes no request.
func view[Res any](path string, fn func(api.Service, context.Context) (Res, error), summary string) route {
	return plain(http.MethodGet, path, fn, summary)
}

// act is a use case that writes and takes no request.
func act[Res any](path string, fn func(api.Service, context.Context) (Res, error), summary string) route {
	return plain(http.MethodPost, path, fn, summary)
}

func row[Req, Res any](method, path string, fn func(api.Service, context.Context, Req) (Res, error), summary string) route {
	return made(method, path, fn, summary, reflect.TypeFor[Req](), reflect.TypeFor[Res](),
		func(ctx context.Context, s api.Service, req any) (any, error) { return fn(s, ctx, *req.(*Req)) })
}

func plain[Res any](method, path string, fn func(api.Service, context.Context) (Res, error), summary string) route {
	return made(method, path, fn, summary, nil, reflect.TypeFor[Res](),
		func(ctx context.Context, s api.Service, _ any) (any, error) { return fn(s, ctx) })
}

// made is the route of a method of the service, whatever its types; in is nil where
// it is asked without a request.
func made(method, path string, fn any, summary string, in, out reflect.Type, invoke func(context.Context, api.Service, any) (any, error)) route {
	return route{name: methodName(fn), method: method, path: path, summary: summary, in: in, out: out, invoke: invoke}
}

// upTo lets the body of a route be as large as any may be, for those whose role
// has an act. The service decides what they may do with it.
func (r route) upTo(act policy.Action) route {
	r.large = []policy.Action{act}
	return r
}

// contributing are the acts that any route reads a large body for.
func contributing() []policy.Action {
	var all []policy.Action
	for _, r := range routes() {
		for _, act := range r.large {
			if !slices.Contains(all, act) {
				all = append(all, act)
			}
		}
	}
	return all
}

// methodName gives X of the method expression api.Service.X.
func methodName(fn any) string {
	name := runtime.FuncForPC(reflect.ValueOf(fn).Pointer()).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}

// byName finds the row of a method of the service.
var byName = lazy.Value(func() map[string]route {
	m := map[string]route{}
	for _, r := range routes() {
		m[r.name] = r
	}
	return m
})

// parameters lists the names in the path, in order.
func (r route) parameters() []string {
	var out []string
	for part := range strings.SplitSeq(r.path, "/") {
		if strings.HasPrefix(part, "{") {
			out = append(out, strings.Trim(part, "{}"))
		}
	}
	return out
}
