// Package web is the project in a browser: pages for the person who leads it,
// made by the server, readable without a script.
//
// A page is a template and two kinds of function (see page): load asks the
// service for what the page shows, an act does what one of its forms says and
// leads back to a page. Neither decides anything; that is the service's part.
// What artifacts say is data of strangers: it reaches a page only through
// html/template or through the Markdown of this package, which lets no HTML,
// no image and no strange link through.
//
// Small scripts of our own, one for each behaviour, make the pages quicker to
// work with: live refreshes what is shown, rows and keys move through lists,
// find searches as one types, picture pans and zooms, preview shows what is
// being written. Without them every page works, and is reloaded by hand.
package web

import (
	"context"
	"log/slog"
	"net/http"

	"brenner"
	"brenner/api"
)

// Options are what the pages need from outside.
type Options struct {
	// Service gives the service of whoever sent the request, or reports
	// UNAUTHENTICATED. Who it is and how we know is for the server to say.
	Service func(*http.Request) (api.Service, error)
	// Wait returns when the journal may hold more than after records.
	Wait func(ctx context.Context, after int64) error
	// LogIn logs in the browser that asks if admit lets it, LogOut ends that.
	LogIn  func(w http.ResponseWriter, r *http.Request, admit func(api.Service) error) error
	LogOut func(http.ResponseWriter, *http.Request)
	// Log is told about faults that a page does not show; nil: nobody is.
	Log *slog.Logger
}

// site is the pages of one project.
type site struct {
	Options
	mux *http.ServeMux
	// feeds has one for each change feed that is open.
	feeds chan struct{}
}

// New gives the pages of a project, to be served at the root.
func New(o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &site{Options: o, mux: http.NewServeMux(), feeds: make(chan struct{}, brenner.MaxFeeds)}
	for path, p := range pages() {
		s.mux.Handle("GET "+path, s.show(p))
		if len(p.acts) > 0 {
			s.mux.Handle("POST "+path, s.act(p))
		}
	}
	// What happens by itself is by nobody who has a page; there is one of what it does.
	s.mux.Handle("GET /agents/system", http.RedirectHandler("/automation", http.StatusSeeOther))
	s.mux.HandleFunc("GET /login", s.login)
	s.mux.HandleFunc("POST /login", s.login)
	s.mux.HandleFunc("POST /logout", s.logout)
	s.mux.HandleFunc("GET /live", s.live)
	s.mux.Handle("GET /assets/{name}", http.HandlerFunc(asset))
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		v, err := s.enter(w, r)
		if err == nil {
			err = brenner.Errorf(brenner.CodeNotFound, "there is no page %s", r.URL.Path).WithHint("start from the home page")
		}
		s.fail(w, r, v, err)
	})
	return secure(s.mux)
}

// secure sets what every answer carries. Nothing inline and nothing from
// elsewhere runs, is shown or is asked, whatever a page contains.
func secure(next http.Handler) http.Handler {
	const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
		"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// pages lists every page by its path.
func pages() map[string]page {
	return map[string]page{
		"/{$}":                  {area: "Inbox", name: "home", load: loadHome, acts: homeActs},
		"/review/{ref}":         {area: "Inbox", name: "review", load: loadReview, acts: reviewActs},
		"/stale/{id}":           {area: "Inbox", name: "cause", load: loadCause, acts: causeActs},
		"/knowledge":            {area: "Knowledge", tab: "Overview", name: "knowledge", load: loadKnowledge},
		"/artifacts":            {area: "Knowledge", tab: "Artifacts", name: "artifacts", load: loadArtifacts},
		"/artifacts/{ref}":      {area: "Knowledge", tab: "Artifacts", name: "artifact", load: loadArtifact, acts: artifactActs},
		"/write":                {area: "Knowledge", tab: "Artifacts", name: "write", load: loadNew, acts: newActs},
		"/artifacts/{ref}/edit": {area: "Knowledge", tab: "Artifacts", name: "write", load: loadEdit, acts: editActs},
		"/artifacts/{id}/diff":  {area: "Knowledge", tab: "Artifacts", name: "diff", load: loadDiff},
		"/lineage/{ref}":        {area: "Knowledge", tab: "Artifacts", name: "lineage", load: loadLineage},
		"/stale":                {area: "Knowledge", tab: "Stale", name: "stale", load: loadStale},
		"/forks":                {area: "Knowledge", tab: "Forks", name: "forks", load: loadForks},
		"/sessions":             {area: "Work", tab: "Sessions", name: "sessions", load: loadSessions, acts: sessionsActs},
		"/sessions/{id}":        {area: "Work", tab: "Sessions", name: "session", load: loadSession, acts: sessionActs},
		"/tasks":                {area: "Work", tab: "Tasks", name: "tasks", load: loadTasks, acts: tasksActs},
		"/tasks/{id}":           {area: "Work", tab: "Tasks", name: "task", load: loadTask, acts: taskActs},
		"/runs":                 {area: "Work", tab: "Runs", name: "runs", load: loadRuns},
		"/runs/{id}":            {area: "Work", tab: "Runs", name: "run", load: loadRun, acts: runActs},
		"/stalemates":           {area: "Work", tab: "Stalemates", name: "stalemates", load: loadStalemates},
		"/stalemates/{id}":      {area: "Work", tab: "Stalemates", name: "stalemate", load: loadStalemate, acts: stalemateActs},
		"/playbook":             {area: "Lessons", name: "playbook", load: loadPlaybook, acts: playbookActs},
		"/playbook/{id}":        {area: "Lessons", name: "bullet", load: loadBullet, acts: bulletActs},
		"/activity":             {area: "Record", tab: "Activity", name: "activity", load: loadActivity},
		"/automation":           {area: "Record", tab: "Automation", name: "automation", load: loadAutomation, acts: automationActs},
		"/find":                 {name: "find", load: loadFind},
		"/journal":              {area: "Record", tab: "Journal", name: "journal", load: loadJournal, acts: journalActs},
		"/contexts":             {area: "Record", tab: "Contexts", name: "contexts", load: loadContexts},
		"/contexts/preview":     {area: "Record", tab: "Contexts", name: "preview", load: loadPreview},
		"/contexts/{id}":        {area: "Record", tab: "Contexts", name: "invocation", load: loadInvocation},
		"/agents":               {area: "Record", tab: "Agents", name: "agents", load: loadAgents, acts: agentsActs},
		"/agents/{name}":        {area: "Record", tab: "Agents", name: "agent", load: loadAgent, acts: agentActs},
	}
}

// area is a part of the project in the navigation, and the pages it has.
type area struct {
	link
	Tabs []link
}

// areas is the navigation, in its order.
var areas = []area{
	{link{"Inbox", "/"}, nil},
	{link{"Knowledge", "/knowledge"}, []link{{"Overview", "/knowledge"}, {"Artifacts", "/artifacts"}, {"Stale", "/stale"}, {"Forks", "/forks"}}},
	{link{"Work", "/sessions"}, []link{{"Sessions", "/sessions"}, {"Tasks", "/tasks"}, {"Runs", "/runs"}, {"Stalemates", "/stalemates"}}},
	{link{"Lessons", "/playbook"}, nil},
	{link{"Record", "/activity"}, []link{{"Activity", "/activity"}, {"Automation", "/automation"}, {"Journal", "/journal"}, {"Contexts", "/contexts"}, {"Agents", "/agents"}}},
}
