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
// One small script of our own listens to the change feed and refreshes what
// is shown. Without it every page works, and is reloaded by hand.
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
		"/{$}":                 {section: "Home", name: "home", load: loadHome},
		"/artifacts":           {section: "Artifacts", name: "artifacts", load: loadArtifacts},
		"/artifacts/{ref}":     {section: "Artifacts", name: "artifact", load: loadArtifact, acts: artifactActs},
		"/artifacts/{id}/diff": {section: "Artifacts", name: "diff", load: loadDiff},
		"/lineage/{ref}":       {section: "Artifacts", name: "lineage", load: loadLineage},
		"/forks":               {section: "Forks", name: "forks", load: loadForks},
		"/stale":               {section: "Stale", name: "stale", load: loadStale},
		"/tasks":               {section: "Tasks", name: "tasks", load: loadTasks, acts: tasksActs},
		"/tasks/{id}":          {section: "Tasks", name: "task", load: loadTask, acts: taskActs},
		"/contexts":            {section: "Contexts", name: "contexts", load: loadContexts},
		"/contexts/preview":    {section: "Contexts", name: "preview", load: loadPreview},
		"/contexts/{id}":       {section: "Contexts", name: "invocation", load: loadInvocation},
		"/sessions":            {section: "Sessions", name: "sessions", load: loadSessions, acts: sessionsActs},
		"/sessions/{id}":       {section: "Sessions", name: "session", load: loadSession, acts: sessionActs},
		"/playbook":            {section: "Playbook", name: "playbook", load: loadPlaybook, acts: playbookActs},
		"/playbook/{id}":       {section: "Playbook", name: "bullet", load: loadBullet, acts: bulletActs},
		"/stalemates":          {section: "Stalemates", name: "stalemates", load: loadStalemates},
		"/stalemates/{id}":     {section: "Stalemates", name: "stalemate", load: loadStalemate, acts: stalemateActs},
		"/agents":              {section: "Agents", name: "agents", load: loadAgents, acts: agentActs},
		"/journal":             {section: "Journal", name: "journal", load: loadJournal, acts: journalActs},
	}
}

// sections is the navigation, in its order.
var sections = []struct{ Name, Path string }{
	{"Home", "/"},
	{"Artifacts", "/artifacts"},
	{"Sessions", "/sessions"},
	{"Forks", "/forks"},
	{"Stale", "/stale"},
	{"Tasks", "/tasks"},
	{"Contexts", "/contexts"},
	{"Playbook", "/playbook"},
	{"Stalemates", "/stalemates"},
	{"Agents", "/agents"},
	{"Journal", "/journal"},
}
