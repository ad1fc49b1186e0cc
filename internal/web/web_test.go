package web_test

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/web"
)

// browser is a client with cookies and without a script.
type browser struct {
	*world
	client *http.Client
}

// login opens the one-time address.
func (w *world) login() *browser {
	w.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.Fatal(err)
	}
	b := &browser{w, &http.Client{Jar: jar}}
	if status, _, _ := b.get(w.server.LoginPath()); status != http.StatusOK {
		w.Fatalf("login: %d", status)
	}
	return b
}

func (b *browser) get(path string) (int, http.Header, string) {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, b.address+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	return b.send(req)
}

func (b *browser) send(req *http.Request) (int, http.Header, string) {
	b.Helper()
	res, err := b.client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	return res.StatusCode, res.Header, string(body)
}

var formToken = regexp.MustCompile(`name="token" value="([0-9a-f]{64})"`)

// submit sends a form as the page that holds it would.
func (b *browser) submit(path string, fields url.Values) (int, string) {
	b.Helper()
	_, _, page := b.get(path)
	m := formToken.FindStringSubmatch(page)
	if m == nil {
		b.Fatalf("%s has no form", path)
	}
	fields.Set("token", m[1])
	return b.post(path, fields)
}

func (b *browser) post(path string, fields url.Values, headers ...string) (int, string) {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, b.address+path, strings.NewReader(fields.Encode()))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	status, _, body := b.send(req)
	return status, body
}

func (b *browser) sees(body string, want ...string) {
	b.Helper()
	for _, text := range want {
		if !strings.Contains(body, text) {
			b.Errorf("the page lacks %q:\n%s", text, body)
		}
	}
}

// addresses are the pages of the demo's project as tellMore leaves it.
func addresses(s told) []string {
	return []string{
		"/", "/knowledge", "/activity", "/activity?about=oxygen-log", "/find?q=oxygen", "/write", "/write?type=project_brief", "/write?type=paper_note", "/artifacts/brief/edit", "/artifacts/memo-biology/edit",
		"/?kind=stale", "/review/discussion@1", "/review/memo-biology@5", "/review/RS-larr@3", "/review/RS-larr@2", "/stale/oxygen-log", "/artifacts/RS-larr", "/artifacts/RS-larr@1", "/artifacts/RS-larr/diff", "/agents/GreyStone", "/artifacts", "/artifacts?q=oxygen", "/artifacts?status=canonical&module=biology", "/artifacts/oxygen-log",
		"/artifacts/memo-biology@4", "/artifacts/hostile", "/artifacts/discussion@1", "/artifacts/brief", "/artifacts/oxygen-log/diff",
		"/artifacts/memo-biology/diff?from=5&to=6", "/artifacts/results/diff?from=1&to=2",
		"/lineage/memo-biology@4", "/lineage/oxygen-log@2?direction=down&zoom=fit", "/lineage/oxygen-log?direction=down", "/forks", "/stale", "/automation", "/tasks", "/tasks?state=done", "/tasks/" + s.task,
		"/contexts", "/contexts/preview?agent=GreyStone&question=when+does+oxygen+fall&module=biology", "/contexts/" + s.context,
		"/playbook", "/playbook/field-work.1", "/playbook/field-work.2", "/playbook/county.1",
		"/stalemates", "/stalemates/" + string(s.settled), "/stalemates/" + string(s.open),
		"/sessions", "/sessions/RS-larr", "/runs", "/agents", "/journal", "/journal?q=promote",
	}
}

// maxPage is how much a page of an ordinary project may weigh.
const maxPage = 150 << 10

func TestPages_EachIsWholeWithoutAScript(t *testing.T) {
	w := newDemo(t)
	b := w.login()
	inline := regexp.MustCompile(`(?i)<script(?: [^>]*)?>[^<]|\son[a-z]+\s*=|\sstyle\s*=|<style|(?:href|src|action)\s*=\s*["']?\s*(?:javascript|data|vbscript):`)
	for _, path := range addresses(w.tellMore()) {
		status, header, body := b.get(path)
		if status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %s\n%s", path, status, header.Get("Content-Type"), body)
			continue
		}
		if !strings.HasSuffix(strings.TrimSpace(body), "</html>") || strings.Count(body, "<h1") != 1 || strings.Contains(body, "ZgotmplZ") {
			t.Errorf("%s is not a whole page:\n%s", path, body)
		}
		if m := inline.FindString(body); m != "" {
			t.Errorf("%s has inline code: %q", path, m)
		}
		if len(body) > maxPage {
			t.Errorf("%s weighs %d bytes", path, len(body))
		}
		if forms, tokens := strings.Count(body, `method="post"`), len(formToken.FindAllString(body, -1)); forms != tokens {
			t.Errorf("%s has %d forms and %d tokens", path, forms, tokens)
		}
	}
}

func TestPages_AStrictPolicyIsOnEveryAnswer(t *testing.T) {
	w := newWorld(t)
	b := w.login()
	for _, path := range []string{"/", "/nothing", "/artifacts/none", "/assets/style.css", "/assets/none"} {
		_, h, _ := b.get(path)
		const want = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
		if got := h.Get("Content-Security-Policy"); got != want {
			t.Errorf("%s: %s", path, got)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", path, h)
		}
	}
	u, _ := url.Parse(w.address)
	if len(b.client.Jar.Cookies(u)) != 2 {
		t.Errorf("cookies: %v", b.client.Jar.Cookies(u))
	}
}

func TestCookies_NoScriptAndNoOtherSiteHasThem(t *testing.T) {
	w := newWorld(t)
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, w.address+"/", nil)
	req.Header.Set("Authorization", "Bearer "+must[api.IssuedToken](w)(w.pi().IssueToken(t.Context(), api.IssueTokenRequest{Actor: "ada"})).Secret)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if len(res.Cookies()) != 1 {
		t.Fatalf("cookies: %v", res.Cookies())
	}
	if c := res.Cookies()[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
		t.Errorf("%+v", c)
	}
}

// X8: who is nobody sees how to log in, and nothing else.
func TestPages_NobodyGetsOnlyTheWayIn(t *testing.T) {
	w := newDemo(t)
	w.tellMore()
	b := &browser{w, &http.Client{}}
	for _, page := range append(web.Pages(), "/nothing") {
		path := at(page)
		status, _, body := b.get(path)
		if status != http.StatusUnauthorized || strings.Contains(body, "Lärr") {
			t.Errorf("%s: %d\n%s", path, status, body)
		}
		b.sees(body, "Log in", `name="token"`, "Nobody is logged in")
	}
	if status, _, body := b.get("/login?code=guess"); status != http.StatusUnauthorized || !strings.Contains(body, "not valid") {
		t.Errorf("a guessed code: %d\n%s", status, body)
	}
	if status, body := b.post("/login", url.Values{"token": {"guess"}}); status != http.StatusUnauthorized || !strings.Contains(body, "not valid") {
		t.Errorf("a guessed token: %d\n%s", status, body)
	}
	if status, _, _ := b.get("/live"); status != http.StatusNoContent {
		t.Errorf("the change feed: %d", status)
	}
}

// C1, N8: an agent's token gets no pages, says so, and does not lock the browser
// out: a person's token still opens it.
func TestPages_AnAgentGetsNone(t *testing.T) {
	w := newDemo(t)
	w.tellMore()
	issued := must[api.IssuedToken](w)(w.pi().IssueToken(t.Context(), api.IssueTokenRequest{Actor: "GreyStone"}))
	jar, _ := cookiejar.New(nil)
	b := &browser{w, &http.Client{Jar: jar}}
	status, body := b.post("/login", url.Values{"token": {issued.Secret}, "next": {"/tasks"}})
	if status != http.StatusForbidden {
		t.Errorf("login: %d", status)
	}
	b.sees(body, string(brenner.CodePersonRequired), "GreyStone is an agent", "MCP", `name="token"`, `name="next" value="/tasks"`, `action="/logout"`)
	for _, page := range append(web.Pages(), "/nothing") {
		path := at(page)
		if status, _, body := b.get(path); status != http.StatusUnauthorized || strings.Contains(body, "Lärr") {
			t.Errorf("%s: %d\n%s", path, status, body)
		}
	}
	agent := "Authorization: Bearer " + issued.Secret
	if status, _ := b.post("/artifacts/discussion@1", url.Values{"act": {"promote"}, "reason": {"mine"}}, agent); status != http.StatusForbidden {
		t.Errorf("a form: %d", status)
	}
	if status, _, _ := b.get("/live"); status != http.StatusNoContent {
		t.Errorf("the change feed: %d", status)
	}
	person := must[api.IssuedToken](w)(w.pi().IssueToken(t.Context(), api.IssueTokenRequest{Actor: "ada"}))
	if status, body = b.post("/login", url.Values{"token": {person.Secret}, "next": {"/tasks"}}); status != http.StatusOK || !strings.Contains(body, "<h1>Tasks") {
		t.Errorf("a person in the same browser: %d\n%s", status, body)
	}
}

// N8: a login leads back to where the browser was going, and nowhere else.
func TestLogin_LeadsBack(t *testing.T) {
	w := newDemo(t)
	token := must[api.IssuedToken](w)(w.pi().IssueToken(t.Context(), api.IssueTokenRequest{Actor: "ada"})).Secret
	for next, want := range map[string]string{
		"/tasks?state=done": "/tasks?state=done", "/artifacts/brief@1": "/artifacts/brief@1", "": "/",
		"https://example.org/": "/", "//example.org/": "/", "/\\example.org": "/", "/login?code=x": "/", "tasks": "/",
	} {
		jar, _ := cookiejar.New(nil)
		b := &browser{w, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.address+"/login", strings.NewReader(url.Values{"token": {token}, "next": {next}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if status, h, _ := b.send(req); status != http.StatusSeeOther || h.Get("Location") != want {
			t.Errorf("%q: %d to %q, want %q", next, status, h.Get("Location"), want)
		}
	}
	b := &browser{w, &http.Client{}}
	_, _, body := b.get("/tasks?state=done")
	b.sees(body, `name="next" value="/tasks?state=done"`)
}

// N8: a form that is sent after the login has expired comes back filled once
// somebody logs in, in the same tab or in another; nothing is done before it is
// sent again.
func TestLogin_AFormUnderWayComesBackFilled(t *testing.T) {
	w := newDemo(t)
	token := must[api.IssuedToken](w)(w.pi().IssueToken(t.Context(), api.IssueTokenRequest{Actor: "ada"})).Secret
	before := must[api.ProjectInfo](w)(w.pi().Project(t.Context())).Size
	jar, _ := cookiejar.New(nil)
	b := &browser{w, &http.Client{Jar: jar}}
	typed := url.Values{"act": {"open"}, "title": {"Count the <fish>"}, "spec": {"all of\nthem"}, "module": {"biology", "hydrology"}, "cross": {"1"}, "token": {"old"}, "key": {"k"}}
	status, body := b.post("/tasks", typed)
	if status != http.StatusUnauthorized {
		t.Errorf("status %d", status)
	}
	b.sees(body, "What you typed is kept", `name="kept.title" value="Count the &lt;fish&gt;"`, `name="next" value="/tasks"`, `formaction="/tasks"`)
	kept := url.Values{"resumed": {"1"}, "next": {"/tasks"}}
	for _, m := range regexp.MustCompile(`name="(kept\.[a-z]+)" value="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		kept.Add(m[1], html.UnescapeString(m[2]))
	}
	// A wrong token keeps it as well.
	kept.Set("token", "guess")
	status, body = b.post("/login", kept)
	if status != http.StatusUnauthorized {
		t.Errorf("status %d", status)
	}
	b.sees(body, "not valid", `name="kept.title" value="Count the &lt;fish&gt;"`)
	kept.Set("token", token)
	for _, to := range []string{"/login", "/tasks"} { // then, now that somebody is logged in, as from another tab
		status, body = b.post(to, kept)
		if status != http.StatusOK {
			t.Errorf("%s: status %d", to, status)
		}
		b.sees(body, "You are logged in again", `value="Count the &lt;fish&gt;"`, "all of\nthem</textarea>", `value="biology" checked`, `value="hydrology" checked`, `id="open" open`)
	}
	if after := must[api.ProjectInfo](w)(w.pi().Project(t.Context())).Size; after != before {
		t.Errorf("%d records were written", after-before)
	}
}

// X10: of a form with more fields than any of ours nothing is kept through a
// login: the page would be many times what was sent.
func TestLogin_KeepsNoFormOfManyFields(t *testing.T) {
	b := &browser{newWorld(t), &http.Client{}}
	many := url.Values{"a": make([]string, 20_000)}
	for _, path := range []string{"/tasks", "/login"} {
		if path == "/login" {
			many = url.Values{"resumed": {"1"}, "kept.a": many["a"], "token": {"guess"}}
		}
		if status, body := b.post(path, many); status != http.StatusUnauthorized || strings.Contains(body, "kept.") {
			t.Errorf("%s: status %d, %d bytes", path, status, len(body))
		}
	}
}

func TestForms_OnlyFromAPageOfOurs(t *testing.T) {
	w := newDemo(t)
	w.tellMore()
	b, other := w.login(), w.login()
	fields := url.Values{"act": {"demote"}, "reason": {"because"}}
	expired := func(what string, status int, body string) {
		t.Helper()
		if status != http.StatusForbidden || !strings.Contains(body, string(brenner.CodeFormExpired)) {
			t.Errorf("%s: %d\n%s", what, status, body)
		}
	}
	status, body := b.post("/artifacts/brief@1", fields)
	expired("without a token", status, body)
	_, _, page := other.get("/artifacts/brief@1")
	fields.Set("token", formToken.FindStringSubmatch(page)[1])
	status, body = b.post("/artifacts/brief@1", fields)
	expired("with another browser's token", status, body)
	_, _, page = b.get("/artifacts/brief@1")
	fields.Set("token", formToken.FindStringSubmatch(page)[1])
	if status, _ = b.post("/artifacts/brief@1", fields, "Sec-Fetch-Site: cross-site"); status < 400 {
		t.Errorf("from another site: %d", status)
	}
	if status, _ = b.post("/artifacts/brief@1", fields, "Origin: https://example.org"); status < 400 {
		t.Errorf("from another origin: %d", status)
	}
	view := must[api.ArtifactView](w)(w.pi().Artifact(t.Context(), api.ArtifactRequest{Ref: ref("brief", 1)}))
	if view.Status != "canonical" {
		t.Errorf("a refused form did something: %s", view.Status)
	}
	if status, body = b.post("/artifacts/brief@1", fields); status != http.StatusOK || !strings.Contains(body, "Demoted") {
		t.Errorf("our own form: %d\n%s", status, body)
	}
}

// at makes a path of the pattern of a page.
func at(pattern string) string {
	return regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(strings.ReplaceAll(pattern, "{$}", ""), "oxygen-log")
}

// Every form there is: without the token of this browser, from another site or
// from an agent it does nothing.
func TestForms_EachIsRefusedToStrangers(t *testing.T) {
	w := newDemo(t)
	b := w.login()
	agent := "Authorization: Bearer " + must[api.IssuedToken](w)(w.pi().IssueToken(t.Context(), api.IssueTokenRequest{Actor: "GreyStone"})).Secret
	stranger := &browser{w, &http.Client{}}
	before := must[api.ProjectInfo](w)(w.pi().Project(t.Context())).Size
	for _, form := range web.Forms() {
		fields := url.Values{"act": {form.Act}, "reason": {"because"}}
		if status, body := b.post(at(form.Page), fields, "Sec-Fetch-Site: cross-site"); status != http.StatusUnauthorized || !strings.Contains(body, "another origin") {
			t.Errorf("%s from another site: %d", form, status)
		}
		if !strings.Contains(form.Page, "/log") { // these change nothing in the project, and need no token
			if status, body := b.post(at(form.Page), fields); status != http.StatusForbidden || !strings.Contains(body, string(brenner.CodeFormExpired)) {
				t.Errorf("%s without a token: %d", form, status)
			}
			if status, body := stranger.post(at(form.Page), fields, agent); status != http.StatusForbidden || !strings.Contains(body, string(brenner.CodePersonRequired)) {
				t.Errorf("%s by an agent: %d", form, status)
			}
			if status, _ := stranger.post(at(form.Page), fields); status != http.StatusUnauthorized {
				t.Errorf("%s by nobody: %d", form, status)
			}
		}
	}
	if after := must[api.ProjectInfo](w)(w.pi().Project(t.Context())).Size; after != before {
		t.Errorf("%d records were written", after-before)
	}
}

var anyForm = regexp.MustCompile(`<form[^>]*method="post"(?: action="([^"]*)")?[^>]*>.*?name="act" value="([a-z]+)"`)

// What is in a page can be done: each of its forms is one of the table.
func TestForms_EachLeadsSomewhere(t *testing.T) {
	w := newDemo(t)
	b := w.login()
	known := web.Forms()
	for _, path := range addresses(w.tellMore()) {
		_, _, body := b.get(path)
		for _, m := range anyForm.FindAllStringSubmatch(strings.ReplaceAll(body, "\n", " "), -1) {
			to := m[1]
			if to == "" {
				to, _, _ = strings.Cut(path, "?")
			}
			if form := (web.Form{Page: web.PageAt(to), Act: m[2]}); !slices.Contains(known, form) {
				t.Errorf("%s has a form that leads nowhere: %v", path, form)
			}
		}
	}
	for _, name := range web.Notices() {
		if !slices.ContainsFunc(known, func(f web.Form) bool { return f.Act == name }) {
			t.Errorf("a notice speaks of %q, which no form does", name)
		}
	}
}

// C18: a decision needs a reason; what was typed is not lost with the refusal.
func TestForms_ARefusalShowsCodeHintAndWhatWasTyped(t *testing.T) {
	w := newDemo(t)
	w.tellMore()
	b := w.login()
	status, body := b.submit("/artifacts/discussion@1", url.Values{"act": {"promote"}, "reason": {"good <enough>"}})
	if status != http.StatusConflict {
		t.Errorf("status %d", status)
	}
	b.sees(body, string(brenner.CodeNeedsRebase), "although its inputs have moved", "good &lt;enough&gt;</textarea>", "Discussion: respiration empties")
	status, body = b.submit("/artifacts/discussion@1", url.Values{"act": {"deprecate"}, "reason": {" "}})
	if status != http.StatusUnprocessableEntity {
		t.Errorf("status %d", status)
	}
	b.sees(body, string(brenner.CodeReasonRequired))
	if status, body = b.submit("/artifacts/discussion@1", url.Values{"act": {"launch"}}); status != http.StatusUnprocessableEntity {
		t.Errorf("an unknown form: %d\n%s", status, body)
	}
}

// ADR 0148: who takes a version of a session's document out of use reads what is in none
// any more.
func TestForms_ADecisionNamesTheRepliesThatGoOutOfUse(t *testing.T) {
	b := newDemo(t).login()
	if status, body := b.submit("/artifacts/RS-larr@3", url.Values{"act": {"demote"}, "reason": {"too early"}}); status >= http.StatusBadRequest {
		t.Fatalf("status %d\n%s", status, body)
	}
	if _, body := b.submit("/artifacts/RS-larr@3", url.Values{"act": {"deprecate"}, "reason": {"too early"}}); strings.Contains(body, "In no version") {
		t.Error("it only settled a conflict, which is open again")
	}
	_, body := b.submit("/artifacts/RS-larr@2", url.Values{"act": {"deprecate"}, "reason": {"too early"}})
	b.sees(body, "Deprecated", "In no version of the document any more: ", " of BlueLake, ", "is taken in again; its items get new ids")
}

// X2: a form that is sent twice does what it says once.
func TestForms_SentTwiceDoOnce(t *testing.T) {
	w := newDemo(t)
	w.tellMore()
	b := w.login()
	fields := url.Values{"act": {"open"}, "title": {"Count the fish"}, "spec": {"all of them"}, "role": {"writer"}, "module": {"biology"}, "key": {"web-once"}}
	for range 2 {
		if status, body := b.submit("/tasks", fields); status != http.StatusOK {
			t.Fatalf("%d\n%s", status, body)
		}
	}
	n := 0
	for _, task := range must[api.TaskList](w)(w.pi().Tasks(t.Context(), api.ListTasksRequest{})).Tasks {
		if task.Title == "Count the fish" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d tasks", n)
	}
}

// C21: a search of the pages understands beginnings, phrases, conditions and slips,
// and marks the words it found.
func TestSearch_ShowsTheWords(t *testing.T) {
	w := newWorld(t)
	must[api.WriteResult](w)(w.pi().CreateArtifact(t.Context(), api.CreateArtifactRequest{
		ID: "enzymes", Type: artifact.TypePaperNote, Module: "project", Summary: "What the liver has",
		Content: api.Body{Format: artifact.Text, Data: "It has <b>catalase</b>, which breaks down peroxide."},
	}))
	b := w.login()
	for path, want := range map[string][]string{
		"/artifacts?q=catal*": {"What the liver has", "&lt;b&gt;<mark>catalase</mark>&lt;/b&gt;"},
		"/find?q=catalaze":    {"What the liver has", "<mark>catalase</mark>", `no text has &#34;catalaze&#34;; read as &#34;catalase&#34;`},
		"/artifacts?q=" + url.QueryEscape(`"breaks peroxide"`):      {"Nothing is like that"},
		"/artifacts?q=" + url.QueryEscape(`"breaks down" since:1d`): {"<mark>breaks</mark>"},
		"/artifacts?q=peroxide+author:system":                       {"Nothing is like that"},
		"/find?q=peroxide+since:whenever":                           {"no day, moment or length of time"},
	} {
		_, _, body := b.get(path)
		b.sees(body, want...)
	}
	for _, path := range []string{"/find?q=catalaze", "/artifacts?q=catalaze"} {
		_, _, body := b.get(path)
		if said, hit := strings.Index(body, "read as"), strings.Index(body, "What the liver has"); said < 0 || hit < said {
			t.Errorf("%s says at %d what was looked for and at %d what was found", path, said, hit)
		}
	}
}

// A task is found among the newest, however many there are.
func TestFind_LooksAtTheNewestTasks(t *testing.T) {
	w := newWorld(t)
	for i := range 205 {
		must[api.TaskInfo](w)(w.pi().NewTask(t.Context(), api.NewTaskRequest{Title: fmt.Sprintf("Count the herons in reach %d", i), Spec: "all", Role: "writer", Modules: []brenner.Module{"project"}}))
	}
	b := w.login()
	_, _, body := b.get("/find?q=herons")
	b.sees(body, "reach 204", "of sessions and tasks the newest 1")
}

func TestErrors_ShowCodeAndHint(t *testing.T) {
	w := newWorld(t)
	b := w.login()
	for path, want := range map[string]int{
		"/artifacts/none": 404, "/artifacts/a%20b": 422, "/tasks/none": 404, "/sessions/none": 404, "/sessions?preset=none": 422, "/contexts/none": 404, "/playbook/none": 404,
		"/stalemates/none": 404, "/lineage/none": 404, "/artifacts/none/diff": 404, "/nothing/here": 404, "/artifacts?cursor=forged": 422,
		"/contexts/preview": 404, "/agents/none": 404, "/write?type=none": 422, "/artifacts/none/edit": 404,
	} {
		status, _, body := b.get(path)
		if status != want || !strings.Contains(body, "<code>") || !strings.Contains(body, "Go to the inbox") {
			t.Errorf("%s: %d, want %d\n%s", path, status, want, body)
		}
	}
}

// C31: many versions are drawn as clusters, which can be opened, and all are
// listed, by the page.
func TestLineage_OfManyIsAPictureOfClustersAndAList(t *testing.T) {
	w := newDemo(t)
	w.create(w.pi(), api.CreateArtifactRequest{ID: "gauge", Type: "paper_note", Module: "hydrology", Summary: "the gauge", Content: textBody("x")})
	for i := range 90 {
		w.create(w.pi(), api.CreateArtifactRequest{
			ID: brenner.ArtifactID(fmt.Sprint("note-", i)), Type: "paper_note", Module: "hydrology", Summary: "a note", Content: textBody("x"),
			Links: []artifact.Link{{Rel: artifact.Cites, Artifact: "gauge", Version: 1}},
		})
	}
	b := w.login()
	path, listed := "/lineage/gauge@1?direction=down", 0
	for page := 1; ; page++ {
		_, _, body := b.get(path)
		b.sees(body, "91 versions", "90 × paper note", "1 link away: 90")
		if boxes := strings.Count(body, `<rect class="box`); boxes != 2 {
			t.Errorf("%d boxes", boxes)
		}
		listed += strings.Count(body, `<td class="num" data-label="Links away">`)
		next := regexp.MustCompile(`rel="next" href="([^"]*)"`).FindStringSubmatch(body)
		if next == nil {
			break
		}
		if path = html.UnescapeString(next[1]); page == 5 {
			t.Fatal("there is no end")
		}
	}
	if listed != 91 {
		t.Errorf("%d versions are listed", listed)
	}
	_, _, body := b.get("/lineage/gauge@1?direction=down&open=1.hydrology.paper_note")
	b.sees(body, "90 versions of type paper note in hydrology are opened", "30 × paper note", "Close them")
	if boxes := strings.Count(body, `<rect class="box`); boxes != 1+60+1 {
		t.Errorf("%d boxes", boxes)
	}
}

// nextSteps is what each board says when there is nothing to show.
var nextSteps = map[string]string{
	"/": "Write the brief", "/knowledge": "Write the brief", "/artifacts": "Write a note", "/forks": "No artifact is forked", "/stale": "Nothing is stale",
	"/tasks": "Open one below", "/contexts": "Register one", "/playbook": "Nothing was learned yet", "/sessions": "Ask one below", "/stalemates": "Nobody is stuck",
	"/agents": "Register an agent", "/journal": "Verify now", "/activity": "began the project", "/find": "lessons, agents and pages", "/write": "What is it?",
}

func TestEmptyProject_EveryBoardSaysWhatToDoNext(t *testing.T) {
	w := newWorld(t)
	b := w.login()
	for path, want := range nextSteps {
		status, _, body := b.get(path)
		if status != http.StatusOK {
			t.Errorf("%s: %d", path, status)
		}
		b.sees(body, want)
	}
}
