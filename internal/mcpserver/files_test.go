package mcpserver

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app"
	"brenner/internal/store/memory"
	"brenner/roster"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// X3, X8: a ticket is good for its time and for whom it was given to; who asks for many
// has few, and takes none of another's.
func TestTickets_AreFewAndEnd(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	tickets := NewTickets(func() time.Time { now = now.Add(time.Millisecond); return now })
	shown := func(secret string) (string, bool) {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+FilePath, nil)
		req.Header.Set("Authorization", "Bearer of-the-sender")
		req.Header.Set(ticketHeader, secret)
		req, err := tickets.Holder(req)
		return req.Header.Get("Authorization"), err == nil
	}
	theirs, until := tickets.issue(ticket{authorization: "Bearer theirs"})
	if want := now.Add(brenner.TicketLife); !until.Equal(want) {
		t.Errorf("good until %v, want %v", until, want)
	}
	var ours []string
	for range brenner.MaxTicketsPerToken + 1 {
		secret, _ := tickets.issue(ticket{authorization: "Bearer ours"})
		ours = append(ours, secret)
	}
	for _, c := range []struct{ secret, want string }{
		{theirs, "Bearer theirs"}, {ours[0], ""}, {ours[1], "Bearer ours"}, {ours[len(ours)-1], "Bearer ours"}, {"", ""}, {strings.ToLower(theirs), ""},
	} {
		got, ok := shown(c.secret)
		if ok != (c.want != "") || ok && got != c.want || !ok && got != "Bearer of-the-sender" {
			t.Errorf("%q is of %q, %v; want %q", c.secret, got, ok, c.want)
		}
	}
	for n := len(tickets.open); n <= brenner.MaxTickets; n++ {
		tickets.issue(ticket{authorization: fmt.Sprintf("Bearer %d", n)})
	}
	if _, ok := shown(theirs); ok || len(tickets.open) != brenner.MaxTickets {
		t.Errorf("the oldest of %d is still good: %v", len(tickets.open), ok)
	}
	last, _ := tickets.issue(ticket{authorization: "Bearer last"})
	now = now.Add(brenner.TicketLife)
	if _, ok := shown(last); ok {
		t.Error("a ticket is good after its time")
	}
	tickets.issue(ticket{})
	if len(tickets.open) != 1 {
		t.Errorf("%d are kept, of which one is good", len(tickets.open))
	}
}

// fileWorld is a project, and an agent of it that has tools and, by the commands that they
// give, files.
func fileWorld(t *testing.T) (pi api.Service, call func(tool, arguments string) string, do func(command, body string) (int, string)) {
	t.Helper()
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	a := app.New(s, app.Options{})
	if _, err := a.Init(t.Context(), api.InitRequest{Name: "Fate", PI: "ada"}); err != nil {
		t.Fatal(err)
	}
	pi = a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	if _, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: "test_designer"}); err != nil {
		t.Fatal(err)
	}
	o := Options{
		Service: func(context.Context, http.Header) (api.Service, error) {
			return a.As(app.Identity{Name: "BlueLake", Auth: app.AuthAs}), nil
		},
		Tickets: NewTickets(nil), Files: func() (string, error) { return "http://files.example", nil },
	}.complete()
	call = func(name, arguments string) string {
		t.Helper()
		i := slices.IndexFunc(tools(), func(t tool) bool { return t.name == name })
		res, err := o.handle(tools()[i])(t.Context(), &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: name, Arguments: []byte(arguments)}})
		if err != nil {
			t.Fatal(err)
		}
		return res.Content[0].(*mcp.TextContent).Text
	}
	do = func(command, body string) (int, string) {
		t.Helper()
		m := regexp.MustCompile(`\ncurl (-\S+) -[oT] \S+ -H 'Brenner-Ticket: (\S+)' '?(http://files\.example/mcp/file[^\s']*)'?\n$`).FindStringSubmatch(command)
		if m == nil {
			t.Fatalf("no command: %s", command)
		}
		method := http.MethodGet
		if m[1] == "-sS" {
			method = http.MethodPut
		}
		req := httptest.NewRequestWithContext(t.Context(), method, m[3], strings.NewReader(body))
		req.Header.Set(ticketHeader, m[2])
		out := httptest.NewRecorder()
		FileHandler(o).ServeHTTP(out, req)
		return out.Code, out.Body.String()
	}
	return pi, call, do
}

func writesLog(t *testing.T, pi api.Service, id brenner.ArtifactID, content string) {
	t.Helper()
	_, err := pi.CreateArtifact(t.Context(), api.CreateArtifactRequest{ID: id, Type: "analysis_result", Module: "main", Summary: "what was measured", Content: api.Body{Format: artifact.Text, Data: content}})
	if err != nil {
		t.Fatal(err)
	}
}

// C20, C33: what is fetched is charged and recorded as any reading is, in as many contexts
// as it needs, but not in many; a part of it is the part alone; and it is decided upon when
// it is fetched.
func TestFiles_AreReadAsContentsAre(t *testing.T) {
	pi, call, do := fileWorld(t)
	long := strings.Repeat("run 17 took 4.1 ms on a quiet machine, é\n", 4000)
	writesLog(t, pi, "long", long)
	writesLog(t, pi, "longer", strings.Repeat(long, 10))
	writesLog(t, pi, "parts", "## .1 How\nby hand\n## .2 What\nfour\n")
	writesLog(t, pi, "secret", "who took part")
	if said := call("artifact_get", `{"ref":"long","file":true}`); !strings.HasPrefix(said, "CONTEXT_REQUIRED: ") {
		t.Fatal(said)
	}
	call("context_assemble", `{"question":"How long does it take?"}`)
	contexts := func() int {
		t.Helper()
		all, err := pi.Records(t.Context(), api.RecordsRequest{Kind: "context.assembled", Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		return len(all.Records)
	}
	before := contexts()
	if status, got := do(call("artifact_get", `{"ref":"long","file":true}`), ""); status != 200 || got != long {
		t.Fatalf("%d: %d of %d bytes, %.200s", status, len(got), len(long), got)
	}
	if n := contexts() - before; n < 2 || n >= brenner.MaxFileContexts {
		t.Errorf("it was read in %d contexts more", n)
	}
	before = contexts()
	status, got := do(call("artifact_get", `{"ref":"longer","file":true}`), "")
	if n := contexts() - before; status != 413 && status != 422 || !strings.HasPrefix(got, "CONTEXT_OVERFLOW: ") || n > brenner.MaxFileContexts {
		t.Errorf("more than it may have: %d in %d contexts, %.200s", status, n, got)
	}
	if status, got := do(call("artifact_get", `{"ref":"parts@1.2","file":true}`), ""); status != 200 || got != "## .2 What\nfour\n" {
		t.Errorf("a part: %d %q", status, got)
	}
	if status, got := do(call("artifact_get", `{"ref":"parts@1.3","file":true}`), ""); status != 404 || !strings.HasPrefix(got, "NOT_FOUND: ") {
		t.Errorf("no part: %d %q", status, got)
	}
	asked := call("artifact_get", `{"ref":"secret","file":true}`)
	if _, err := pi.Redact(t.Context(), api.RedactRequest{Ref: brenner.Ref{Artifact: "secret", Version: 1}, Reason: "names"}); err != nil {
		t.Fatal(err)
	}
	if status, got := do(asked, ""); status != 410 || !strings.HasPrefix(got, "REDACTED: ") {
		t.Errorf("redacted since it was asked for: %d %q", status, got)
	}
}

// C4, N1: what is sent closes a task, answers a session and is JSON as the call with its
// content would; what is no longer allowed is refused, and nothing is written.
func TestFiles_AreWrittenAsCallsAre(t *testing.T) {
	pi, call, do := fileWorld(t)
	made, err := pi.NewTask(t.Context(), api.NewTaskRequest{Title: "Count", Spec: "count", Role: "test_designer"})
	if err != nil {
		t.Fatal(err)
	}
	call("context_assemble", fmt.Sprintf(`{"task":%q}`, made.ID))
	asked := call("artifact_write", fmt.Sprintf(`{"type":"assumption","id":"a","summary":"it is linear","content":{"format":"json","data":""},"task":%q,"done":true,"file":true}`, made.ID))
	if status, got := do(asked, `{"polarity":"asserted"}`); status != 422 || !strings.HasPrefix(got, "SCHEMA_VIOLATION: ") {
		t.Errorf("%d %s", status, got)
	}
	if status, got := do(asked, `{"statement": "it is linear"}`); status != 200 || !strings.Contains(got, "wrote a@1, draft\n"+made.ID+" · done") {
		t.Errorf("%d %s", status, got)
	}
	v, err := pi.Artifact(t.Context(), api.ArtifactRequest{Ref: brenner.Ref{Artifact: "a"}})
	if err != nil || v.Version.Version != 1 || string(v.Content) != `{"statement":"it is linear"}` {
		t.Errorf("%s, %v", v.Content, err)
	}
	asked = call("artifact_write", `{"type":"analysis_result","id":"b","summary":"s","file":true}`)
	if _, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: "reviewer", Update: true}); err != nil {
		t.Fatal(err)
	}
	if status, got := do(asked, "text"); status != 403 || !strings.HasPrefix(got, "WRITE_DENIED: ") {
		t.Errorf("%d %s", status, got)
	}
	long := strings.Repeat("x", brenner.MaxTicketBytes)
	if got := call("artifact_write", fmt.Sprintf(`{"id":"b","deltas":%q,"file":true}`, long)); !strings.HasPrefix(got, "LIMIT_EXCEEDED: ") {
		t.Error(got[:200])
	}
}

// X3: the address of a file stands in a command, and is one that may.
func TestFiles_TheAddressIsPlain(t *testing.T) {
	o := fuzzOptions(t)
	o.Tickets = NewTickets(nil)
	h := Handler(o)
	for host, want := range map[string]bool{"localhost:7420": true, "[::1]:7420": true, "brenner.example": true, "localhost:1;reboot": false, "a'b": false, "$(x)": false} {
		const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"artifact_write","arguments":{"id":"log","file":true}}}`
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", strings.NewReader(call))
		req.Host = host
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {bothAccepted}}
		out := httptest.NewRecorder()
		h.ServeHTTP(out, req)
		if got := strings.Contains(out.Body.String(), "http://"+host+FilePath); got != want {
			t.Errorf("%s: %s", host, out.Body)
		}
	}
}

// X1: where no address is known, files are refused with what to do instead.
func TestFiles_NeedAnAddress(t *testing.T) {
	o := fuzzOptions(t)
	o.Tickets = NewTickets(nil)
	for i, tool := range tools() {
		if tool.name != "artifact_write" && tool.name != "artifact_get" {
			continue
		}
		if tool.name == "artifact_get" {
			s, err := o.Service(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			writesLog(t, s, "log", "four")
		}
		res, err := o.handle(tools()[i])(t.Context(), &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{
			Name: tool.name, Arguments: []byte(map[string]string{"artifact_get": `{"ref":"log","file":true}`, "artifact_write": `{"id":"log","file":true}`}[tool.name]),
		}})
		if err != nil {
			t.Fatal(err)
		}
		if said := res.Content[0].(*mcp.TextContent).Text; !res.IsError || !strings.Contains(said, "files are not to be had over this connection (at /file)\nhint: leave file out") {
			t.Errorf("%s: %s", tool.name, said)
		}
	}
}

// C16: a shell that waits for its turn is refused as long as another has it, and keeps its place;
// it gives back what it had, and nothing else.
func TestFiles_AShellIsRefusedTillItIsItsTurn(t *testing.T) {
	s := memory.New()
	t.Cleanup(func() { _ = s.Close() })
	a := app.New(s, app.Options{})
	if _, err := a.Init(t.Context(), api.InitRequest{Name: "Fate", PI: "ada"}); err != nil {
		t.Fatal(err)
	}
	pi := a.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
	start := api.StartSessionRequest{ID: "RS-1", Question: "Why?", Compile: api.CompileAnswered, Roster: roster.Roster{Mode: roster.Unified}}
	for _, name := range []brenner.ActorName{"BlueLake", "RedSky"} {
		if _, err := pi.AddAgent(t.Context(), api.AddAgentRequest{Name: name, Role: "test_designer"}); err != nil {
			t.Fatal(err)
		}
		start.Roster.Entries = append(start.Roster.Entries, roster.Entry{AgentName: name, Role: roster.TestDesigner})
	}
	if _, err := pi.StartSession(t.Context(), start); err != nil {
		t.Fatal(err)
	}
	closing := make(chan struct{})
	close(closing)
	ctx := Options{Leaving: closing}.waiting(t.Context())
	asks := func(name brenner.ActorName, hold string) (string, error) {
		t.Helper()
		who := a.As(app.Identity{Name: name, Auth: app.AuthAs})
		if _, err := who.AssembleContext(t.Context(), api.ContextRequest{Session: "RS-1"}); err != nil {
			t.Fatal(err)
		}
		return taken(who, ctx, hold)
	}
	if said, err := asks("BlueLake", "machine"); err != nil || !strings.HasPrefix(said, "machine is yours alone till ") {
		t.Fatalf("%v: %s", err, said)
	}
	if _, err := asks("RedSky", "machine 3m"); brenner.CodeOf(err) != brenner.CodeTaskTaken || !strings.Contains(err.Error(), "machine is not yours yet: BlueLake has it") {
		t.Errorf("%v", err)
	}
	gives := func(name brenner.ActorName, what string) string {
		t.Helper()
		said, err := gaveBack(a.As(app.Identity{Name: name, Auth: app.AuthAs}), ctx, what)
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	if said := gives("BlueLake", "port 80"); said != "" { // it has something else
		t.Errorf("%s", said)
	}
	if said := gives("BlueLake", "Machine"); said != "with that you gave machine back\n" {
		t.Errorf("%s", said)
	}
	if said := gives("BlueLake", "machine"); said != "" {
		t.Errorf("%s", said)
	}
	if said, err := asks("RedSky", "machine"); err != nil || !strings.HasPrefix(said, "machine is yours alone till ") {
		t.Errorf("%v: %s", err, said)
	}
}
