package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/httpapi"

	"github.com/go-json-experiment/json"
)

// ask sends a request with headers as "Name: value" and gives the answer.
func (w *world) ask(method, path, body string, headers ...string) (int, http.Header, string) {
	w.t.Helper()
	h, err := http.NewRequestWithContext(w.t.Context(), method, w.address+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	h.Header.Set("Authorization", "Bearer "+w.token("ada"))
	if body != "" {
		h.Header.Set("Content-Type", "application/json")
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		h.Header.Set(name, value)
		if name == "Host" {
			h.Host = value
		}
	}
	// No cookies, no redirects: what the server says is what is looked at.
	res, err := http.DefaultTransport.RoundTrip(h)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(text)
}

// codeOf reads the code of a problem document.
func codeOf(t testing.TB, body string) brenner.Code {
	t.Helper()
	var p struct {
		Type   string       `json:"type"`
		Title  string       `json:"title"`
		Status int          `json:"status"`
		Detail string       `json:"detail"`
		Code   brenner.Code `json:"code"`
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if p.Code != "" && (p.Type != "urn:brenner:problem:"+string(p.Code) || p.Title == "" || p.Detail == "" || p.Status == 0) {
		t.Errorf("not a whole problem document: %s", body)
	}
	return p.Code
}

const aNote = `{"id":"n","type":"paper_note","module":"lineage","summary":"s","content":{"format":"text","data":"t"}}`

// X1, X2, X3: bad use gets a coded problem, whatever is bad about it.
func TestServer_BadUseIsAnsweredWithACode(t *testing.T) {
	w := newWorld(t)
	revoked := w.token("ada")
	w.mu.Lock()
	delete(w.tokens, "ada")
	w.mu.Unlock()
	list, err := w.owner().Tokens(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.owner().RevokeToken(t.Context(), api.RevokeTokenRequest{ID: list.Tokens[0].ID}); err != nil {
		t.Fatal(err)
	}
	other := newWorld(t) // another project
	if status, _, body := w.ask("POST", "/api/v1/artifacts", aNote, "Idempotency-Key: once"); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	for _, c := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		code                     brenner.Code
	}{
		{"no token", "GET", "/api/v1/project", "", []string{"Authorization: "}, 401, brenner.CodeUnauthenticated},
		{"another scheme", "GET", "/api/v1/project", "", []string{"Authorization: Basic YTpi"}, 401, brenner.CodeUnauthenticated},
		{"a wrong token", "GET", "/api/v1/project", "", []string{"Authorization: Bearer brn_" + strings.Repeat("A", 43)}, 401, brenner.CodeUnauthenticated},
		{"a revoked token", "GET", "/api/v1/project", "", []string{"Authorization: Bearer " + revoked}, 401, brenner.CodeUnauthenticated},
		{"a token of another project", "GET", "/api/v1/project", "", []string{"Authorization: Bearer " + other.token("ada")}, 401, brenner.CodeUnauthenticated},
		{"an unknown path", "GET", "/api/v1/nowhere", "", nil, 404, brenner.CodeNotFound},
		{"an unknown method", "DELETE", "/api/v1/artifacts/n", "", nil, 404, brenner.CodeNotFound},
		{"a path that climbs", "GET", "/api/v1/artifacts/%2e%2e%2f", "", nil, 422, brenner.CodeInvalidID},
		{"no such artifact", "GET", "/api/v1/artifacts/none", "", nil, 404, brenner.CodeNotFound},
		{"an unknown parameter", "GET", "/api/v1/artifacts?colour=red", "", nil, 422, brenner.CodeInvalidValue},
		{"a parameter twice", "GET", "/api/v1/artifacts?limit=1&limit=2", "", nil, 422, brenner.CodeInvalidValue},
		{"a number that is none", "GET", "/api/v1/artifacts?limit=many", "", nil, 422, brenner.CodeInvalidValue},
		{"a bad cursor", "GET", "/api/v1/artifacts?cursor=x", "", nil, 422, brenner.CodeInvalidCursor},
		{"a page too large", "GET", "/api/v1/artifacts?limit=100000", "", nil, 413, brenner.CodeLimitExceeded},
		{"a broken query", "GET", "/api/v1/artifacts?tag=%zz", "", nil, 422, brenner.CodeInvalidValue},
		{"text that is not UTF-8", "GET", "/api/v1/artifacts?tag=%ff", "", nil, 422, brenner.CodeInvalidText},
		{"no JSON", "POST", "/api/v1/artifacts", "{", nil, 422, brenner.CodeInvalidJSON},
		{"a member twice", "POST", "/api/v1/artifacts", `{"id":"a","id":"b"}`, nil, 422, brenner.CodeInvalidJSON},
		{"an unknown member", "POST", "/api/v1/artifacts", `{"colour":"red"}`, nil, 422, brenner.CodeInvalidJSON},
		{"deep JSON", "POST", "/api/v1/artifacts", strings.Repeat("[", 1000), nil, 413, brenner.CodeLimitExceeded},
		{"a NUL", "POST", "/api/v1/artifacts", `{"summary":"\u0000"}`, nil, 422, brenner.CodeInvalidText},
		{"a body of another type", "POST", "/api/v1/artifacts", "a=b", []string{"Content-Type: text/plain"}, 422, brenner.CodeInvalidValue},
		{"a query on a POST", "POST", "/api/v1/artifacts?id=n", aNote, nil, 422, brenner.CodeInvalidValue},
		{"a request where none is taken", "POST", "/api/v1/checkpoint", `{"a":1}`, nil, 422, brenner.CodeInvalidJSON},
		{"path and body that differ", "POST", "/api/v1/artifacts/n/versions", `{"id":"m"}`, nil, 422, brenner.CodeInvalidValue},
		{"a body over the limit", "POST", "/api/v1/artifacts", strings.Repeat(" ", brenner.MaxRequestBytes+1), nil, 413, brenner.CodeLimitExceeded},
		{"a key used for another request", "POST", "/api/v1/artifacts", strings.Replace(aNote, `"n"`, `"m"`, 1), []string{"Idempotency-Key: once"}, 409, brenner.CodeIdempotencyReused},
		{"a key that is too long", "POST", "/api/v1/artifacts", aNote, []string{"Idempotency-Key: " + strings.Repeat("k", 200)}, 413, brenner.CodeLimitExceeded},
		{"a foreign name", "GET", "/api/v1/project", "", []string{"Host: evil.example"}, 401, brenner.CodeUnauthenticated},
		{"a foreign origin", "POST", "/api/v1/artifacts", aNote, []string{"Origin: https://evil.example"}, 401, brenner.CodeUnauthenticated},
		{"a foreign page", "POST", "/api/v1/artifacts", aNote, []string{"Sec-Fetch-Site: cross-site"}, 401, brenner.CodeUnauthenticated},
		{"a feed from nowhere", "GET", "/api/v1/feed?after=x", "", nil, 422, brenner.CodeInvalidValue},
		{"a bad entity tag", "POST", "/api/v1/artifacts/n/versions", `{}`, []string{"If-Match: x"}, 422, brenner.CodeInvalidValue},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, header, body := w.ask(c.method, c.path, c.body, c.headers...)
			if status != c.status || codeOf(t, body) != c.code || header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("got %d %s", status, body)
			}
			if strings.Contains(body, "goroutine") || strings.Contains(body, ".go:") {
				t.Errorf("a stack trace: %s", body)
			}
		})
	}
	// X2: the first request repeated gives the first result.
	if status, _, body := w.ask("POST", "/api/v1/artifacts", aNote, "Idempotency-Key: once"); status != 200 || !strings.Contains(body, `"n@1"`) {
		t.Errorf("repeated: %d %s", status, body)
	}
}

// C13: If-Match names the version that must be the head.
func TestServer_EntityTagsGuardVersions(t *testing.T) {
	w := newWorld(t)
	w.ask("POST", "/api/v1/artifacts", aNote)
	_, header, _ := w.ask("GET", "/api/v1/artifacts/n", "")
	first := header.Get("ETag")
	if status, _, body := w.ask("GET", "/api/v1/artifacts/n", "", "If-None-Match: "+first); status != 304 || body != "" {
		t.Errorf("got %d %q", status, body)
	}
	update := `{"summary":"s2","content":{"format":"text","data":"t2"},"change":{"what":"a","why":"b"}}`
	if status, _, body := w.ask("POST", "/api/v1/artifacts/n/versions", update, "If-Match: "+first); status != 200 {
		t.Fatalf("got %d %s", status, body)
	}
	if status, _, body := w.ask("POST", "/api/v1/artifacts/n/versions", update, "If-Match: "+first); status != 412 || codeOf(t, body) != brenner.CodeConflictHead {
		t.Errorf("got %d %s", status, body)
	}
	if status, _, _ := w.ask("GET", "/api/v1/artifacts/n", "", "If-None-Match: "+first); status != 200 {
		t.Errorf("the tag did not change: %d", status)
	}
}

// X8: whoever started the server logs in once with the address it printed;
// the cookie is not for scripts and not for other sites.
func TestServer_TheLoginAddressWorksOnce(t *testing.T) {
	w := newWorld(t)
	path := w.server.LoginPath()
	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Jar: jar}
	res, err := browser.Get(w.address + path)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	set := res.Request.Response.Header.Get("Set-Cookie")
	if !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Strict") {
		t.Errorf("cookie: %q", set)
	}
	res, err = browser.Get(w.address + "/api/v1/project")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if res.StatusCode != 200 || !strings.Contains(string(body), `"actor":"ada"`) {
		t.Errorf("got %d %s", res.StatusCode, body)
	}
	if status, _, body := w.ask("GET", path, "", "Authorization: "); status != 401 || codeOf(t, body) != brenner.CodeUnauthenticated {
		t.Errorf("a second time: %d %s", status, body)
	}
	// A browser can also log in with a token, and out again.
	jar2, _ := cookiejar.New(nil)
	browser2 := &http.Client{Jar: jar2}
	if res, err = browser2.PostForm(w.address+"/login", url.Values{"token": {w.token("ada")}}); err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	for _, want := range []int{200, 401} {
		if res, err = browser2.Get(w.address + "/api/v1/project"); err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("got %d, want %d", res.StatusCode, want)
		}
		if res, err = browser2.PostForm(w.address+"/logout", nil); err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
	}
}

// X3: a token that asks too much is told to wait; others are not.
func TestServer_RequestsAreLimitedPerToken(t *testing.T) {
	w := newWorld(t, func(o *httpapi.Options) { o.Rate, o.Burst = 1, 3 })
	if _, err := w.owner().AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	var last int
	var header http.Header
	var body string
	for range 10 {
		last, header, body = w.ask("GET", "/api/v1/project", "")
	}
	if last != 429 || header.Get("Retry-After") == "" || codeOf(t, body) != brenner.CodeRateLimited {
		t.Errorf("got %d %s", last, body)
	}
	if status, _, _ := w.ask("GET", "/api/v1/project", "", "Authorization: Bearer "+w.token("BlueLake")); status != 200 {
		t.Errorf("another token: %d", status)
	}
	if status, _, _ := w.ask("GET", "/healthz", ""); status != 200 {
		t.Errorf("health: %d", status)
	}
}

// X8: no secret is in the log, whatever was asked.
func TestServer_LogsNoSecret(t *testing.T) {
	w := newWorld(t)
	login := w.server.LoginPath()
	w.ask("GET", login, "", "Authorization: ")
	w.ask("GET", "/api/v1/project?token="+w.token("ada"), "")
	status, _, body := w.ask("POST", "/api/v1/tokens", `{"actor":"ada"}`)
	if status != 200 {
		t.Fatal(body)
	}
	var issued api.IssuedToken
	if err := json.Unmarshal([]byte(body), &issued); err != nil || issued.Secret == "" {
		t.Fatal(err, body)
	}
	log := w.log.String()
	if !strings.Contains(log, `"call":"IssueToken"`) || !strings.Contains(log, `"auth":"token:`) {
		t.Fatalf("the log is not what this test looks through: %s", log)
	}
	for _, secret := range []string{w.token("ada"), issued.Secret, strings.TrimPrefix(login, "/login?code=")} {
		if strings.Contains(log, secret) {
			t.Errorf("a secret is in the log")
		}
	}
}

func TestServer_TellsItsHealthAndMetrics(t *testing.T) {
	w := newWorld(t)
	for path, want := range map[string]string{"/healthz": "ok", "/readyz": "ready", "/api/v1/openapi.json": `"openapi":"3.1.0"`} {
		if status, _, body := w.ask("GET", path, "", "Authorization: "); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %.200s", path, status, body)
		}
	}
	// A load balancer knows the server by another name.
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/api/v1/openapi.json": 401, "/metrics": 401} {
		if status, _, body := w.ask("GET", path, "", "Host: 10.0.0.7:7420"); status != want {
			t.Errorf("%s by another name: %d %s", path, status, body)
		}
	}
	w.ask("GET", "/api/v1/project", "")
	if _, _, body := w.ask("GET", "/metrics", ""); !strings.Contains(body, `brenner_requests_total{call="Project",code="",status="200"} 1`) {
		t.Errorf("metrics: %.2000s", body)
	}
	if status, _, _ := w.ask("GET", "/metrics", "", "Authorization: "); status != 401 {
		t.Errorf("metrics without a token: %d", status)
	}
}

// follow reads events of a feed as "id kind".
func (w *world) follow(query, token string, headers ...string) (events func(n int) []string, closer func()) {
	w.t.Helper()
	h, err := http.NewRequestWithContext(w.t.Context(), "GET", w.address+"/api/v1/feed"+query, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	h.Header.Set("Authorization", "Bearer "+token)
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		h.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(h)
	if err != nil || res.StatusCode != 200 {
		w.t.Fatalf("%v %v", res, err)
	}
	lines := bufio.NewScanner(res.Body)
	return func(n int) []string {
		var out []string
		kind := ""
		for len(out) < n && lines.Scan() {
			if k, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				kind = k
				if k == "error" {
					return append(out, k)
				}
			}
			if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				out = append(out, id+" "+kind)
			}
		}
		return out
	}, func() { _ = res.Body.Close() }
}

// C1: the feed is for persons; it can be resumed, and ends with its token.
func TestServer_FeedFollowsTheJournal(t *testing.T) {
	w := newWorld(t)
	if _, err := w.owner().AddAgent(t.Context(), api.AddAgentRequest{Name: "BlueLake", Role: "writer"}); err != nil {
		t.Fatal(err)
	}
	if status, _, body := w.ask("GET", "/api/v1/feed", "", "Authorization: Bearer "+w.token("BlueLake")); status != 403 || codeOf(t, body) != brenner.CodeReadDenied {
		t.Errorf("an agent: %d %s", status, body)
	}
	events, closer := w.follow("?after=0", w.token("ada"))
	defer closer()
	first := events(2)
	if len(first) != 2 || first[0] != "1 project.created" {
		t.Fatalf("got %q", first)
	}
	resumed, closeResumed := w.follow("", w.token("ada"), "Last-Event-ID: 1")
	defer closeResumed()
	if got := resumed(1); len(got) != 1 || got[0] != first[1] {
		t.Errorf("resumed at %q, want %q", got, first[1])
	}
	info, err := w.owner().Project(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tail, closeTail := w.follow("", w.token("ada"))
	defer closeTail()
	if _, err := w.owner().CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "n", Type: "paper_note", Module: "lineage", Summary: "s", Content: api.Body{Format: artifact.Text, Data: "t"},
	}); err != nil {
		t.Fatal(err)
	}
	if got := tail(1); len(got) != 1 || got[0] != fmt.Sprintf("%d version.written", info.Size+1) {
		t.Errorf("the feed went on with %q", got)
	}
	if _, err := w.owner().RevokeToken(t.Context(), api.RevokeTokenRequest{Actor: "ada"}); err != nil {
		t.Fatal(err)
	}
	if got := tail(1); len(got) != 1 || got[0] != "error" {
		t.Errorf("after its token was revoked the feed went on: %q", got)
	}
}

// X8: a feed ends when its token expires, also when there is nothing new.
func TestServer_FeedEndsWithItsToken(t *testing.T) {
	w := newWorld(t, func(o *httpapi.Options) {
		o.Deadlines = httpapi.Deadlines{Header: time.Minute, Request: time.Minute, Heartbeat: 10 * time.Millisecond}
	})
	short, err := w.owner().IssueToken(t.Context(), api.IssueTokenRequest{Actor: "ada", Expires: api.Duration(time.Second)})
	if err != nil {
		t.Fatal(err)
	}
	events, closer := w.follow("", short.Secret)
	defer closer()
	if got := events(1); len(got) != 1 || got[0] != "error" {
		t.Errorf("after its token had expired the feed went on: %q", got)
	}
}

// A server that is told to stop finishes what is under way and takes no more.
func TestServer_StopsGracefully(t *testing.T) {
	w := newWorld(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.server.Serve(ctx, l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = fmt.Fprintf(conn, "POST /api/v1/artifacts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", w.token("ada"), len(aNote))
	answer := bufio.NewReader(conn)
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q, %v", line, err) // the server is reading the body
	}
	_, _ = answer.ReadString('\n')
	stop()
	for {
		late, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			break // nobody listens any more
		}
		_ = late.Close()
	}
	_, _ = io.WriteString(conn, aNote)
	res, err := http.ReadResponse(answer, nil)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("the request under way: %v, %v", res, err)
	}
	_ = res.Body.Close()
	if err := <-ended; err != nil {
		t.Errorf("stopped with %v", err)
	}
}
