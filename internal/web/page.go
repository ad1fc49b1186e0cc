package web

import (
	"bytes"
	"crypto/rand"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"brenner"
	"brenner/api"
	"brenner/internal/problem"
)

// page is one kind of page.
type page struct {
	area string // of the navigation
	tab  string // of the area, if it has any
	name string // of the template, pages/NAME.html
	load func(*visit) (title string, data any, err error)
	// acts are what its forms do, by the value of their field "act".
	acts map[string]act
}

// act does what a form says and tells where to go on: a path of this site. An
// empty path shows the page again with what the act left in visit.result.
type act func(*visit) (to string, err error)

// visit is one request by one person.
type visit struct {
	*http.Request
	svc     api.Service
	project api.ProjectInfo
	secret  string // of this browser, for its forms
	result  any
	// refill shows the form as it was typed, resumed because it came through a
	// login and was not acted upon.
	refill, resumed bool
}

// enter says who comes. An agent may not: pages are for persons.
func (s *site) enter(w http.ResponseWriter, r *http.Request) (*visit, error) {
	svc, err := s.Service(r)
	if err != nil {
		return nil, err
	}
	v := &visit{Request: r, svc: svc}
	if v.project, err = svc.Project(r.Context()); err != nil {
		return nil, err
	}
	if err := person(v.project); err != nil {
		return nil, err
	}
	v.secret, err = browserSecret(w, r)
	return v, err
}

// show answers a GET.
func (s *site) show(p page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := s.enter(w, r)
		if err != nil {
			s.fail(w, r, v, err)
			return
		}
		s.render(w, v, p, nil)
	})
}

// act answers a POST: it does what the form says and leads to a page, or shows
// the page again with what was wrong, and what was typed.
func (s *site) act(p page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, brenner.MaxFormBytes)
		v, err := s.enter(w, r)
		if err == nil {
			err = v.readForm()
		}
		if err != nil {
			s.fail(w, r, v, err)
			return
		}
		if v.resume() {
			s.render(w, v, p, nil)
			return
		}
		if err := v.checkToken(); err != nil {
			s.render(w, v, p, err)
			return
		}
		name := r.PostForm.Get("act")
		do, ok := p.acts[name]
		if !ok {
			s.fail(w, r, v, brenner.Errorf(brenner.CodeInvalidValue, "the page has no form %q", name))
			return
		}
		to, err := do(v)
		if err != nil || to == "" {
			if err != nil {
				v.result = nil
			}
			s.render(w, v, p, err)
			return
		}
		w.Header().Set("Location", withDone(to, name))
		w.WriteHeader(http.StatusSeeOther)
	})
}

// withDone is the address to go on to, which says what was done.
func withDone(to, act string) string {
	u, err := url.Parse(to)
	if err != nil {
		return to // made by us; shown without the notice
	}
	q := u.Query()
	q.Set("done", act)
	u.RawQuery = q.Encode()
	return u.String()
}

// shown is what a template gets.
type shown struct {
	Title   string
	Area    string
	Tab     string
	Areas   []area
	Waiting int // in the inbox
	Project api.ProjectInfo
	Data    any
	Result  any
	Notice  string
	Problem *brenner.Error
	// Main is the page within the layout.
	Main  template.HTML
	visit *visit
}

// SkipTo is where a keyboard can go at once, past the navigation: the list, if
// the page has one.
func (s *shown) SkipTo() string {
	if strings.Contains(string(s.Main), ` id="list"`) {
		return "list"
	}
	return "main"
}

// Tabs are the pages of the area that is shown.
func (s *shown) Tabs() []link {
	for _, a := range s.Areas {
		if a.Name == s.Area {
			return a.Tabs
		}
	}
	return nil
}

// Advice says what to do about the problem, Actions where that is done.
func (s *shown) Advice() string  { return advice(s.Problem) }
func (s *shown) Actions() []link { return actionsOf(s.Problem) }

// render shows a page, after an act that failed together with why.
func (s *site) render(w http.ResponseWriter, v *visit, p page, failed error) {
	title, data, err := p.load(v)
	if err != nil {
		s.fail(w, v.Request, v, errors.Join(failed, err))
		return
	}
	out := &shown{Title: title, Area: p.area, Tab: p.tab, Data: data, Result: v.result, Notice: notices[v.URL.Query().Get("done")], visit: v}
	if v.resumed {
		out.Notice = "You are logged in again. What you typed is below: look it over and send it."
	}
	status := http.StatusOK
	if failed != nil {
		status = s.explain(v, out, failed)
	}
	s.write(w, status, p.name, out)
}

// fail shows what went wrong in place of a page; who is not known, or may not
// come in, is asked to log in.
func (s *site) fail(w http.ResponseWriter, r *http.Request, v *visit, err error) {
	if v == nil && (errors.Is(err, brenner.CodeUnauthenticated) || errors.Is(err, brenner.CodePersonRequired)) {
		s.askLogin(w, r, err)
		return
	}
	out := &shown{Title: "That did not work", visit: v}
	if errors.Is(err, brenner.CodeNotFound) {
		out.Title = "Not found"
	}
	s.write(w, s.explain(v, out, err), "error", out)
}

// explain puts an error into the words of a page. What is our own fault is
// logged and not shown.
func (s *site) explain(v *visit, out *shown, err error) int {
	e, status := problem.From(err)
	if e.Code == brenner.CodeInternal {
		path := ""
		if v != nil {
			path = v.URL.Path
		}
		s.Log.Error("page failed", "path", path, "error", err)
	}
	out.Problem = e
	return status.HTTP
}

func (s *site) write(w http.ResponseWriter, status int, name string, out *shown) {
	if out.visit != nil {
		out.Project = out.visit.project
		list, err := out.visit.svc.Waiting(out.visit.Context(), api.WaitingRequest{Page: api.Page{Limit: 1}})
		if err != nil && !errors.Is(err, brenner.CodeCanceled) { // whoever asked has gone
			s.Log.Error("inbox not counted", "error", err) // the page is worth showing all the same
		}
		out.Waiting = list.Total
	}
	out.Areas = areas
	var main, b bytes.Buffer
	page := templateOf(name)
	err := page.ExecuteTemplate(&main, "main", out)
	out.Main = template.HTML(main.String()) //nolint:gosec // made by the template just now
	if err == nil {
		err = page.ExecuteTemplate(&b, "layout", out)
	}
	if err != nil {
		s.Log.Error("template failed", "page", name, "error", err)
		http.Error(w, string(brenner.CodeInternal)+": the page could not be made", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// part is the beginning of a list that may be long, and how much it leaves out.
type part[T any] struct {
	Items []T
	More  int
}

// first takes as much of a list as a page shows.
func first[T any](all []T) part[T] {
	n := min(len(all), perPage)
	return part[T]{all[:n], len(all) - n}
}

// newest takes as much from the end of a list, the last first.
func newest[T any](all []T) part[T] {
	all = slices.Clone(all)
	slices.Reverse(all)
	return first(all)
}

// notices say what a form has done.
var notices = map[string]string{
	"comment": "Said.", "settle": "Settled.",
	"open": "Opened.", "cancel": "Canceled.", "reassign": "Reassigned.",
	"approve": "Approved.", "reject": "Rejected and retired.", "gates": "Gate pass made.", "force": "Put on the stage.",
	"release": "Released from quarantine.", "amend": "Amended: the old wording is retired.", "undo": "Taken back.", "feedback": "Counted.",
	"start": "Started; the agents have been asked.", "nudge": "Asked again.", "close": "Closed. Nobody is waited for any more.", "resend": "Sent.", "submit": "Taken; compile to see it in the artifact.",
	"arbitrate": "In arbitration.", "verdict": "Verdict delivered.", "adopt": "The draft is the verdict now.", "move": "Done.",
	"write": "Written as a draft. Promote it to make it canonical.",
	"stop":  "Asked to stop.",
	"add":   "Registered.", "revoke": "Revoked, at once.",
}

//go:embed pages/*.html
var pageFiles embed.FS

// base is what every page is made of: the layout and the parts. Nothing is
// parsed before a page needs it, so that a command that shows none pays
// nothing.
var base = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(functions).ParseFS(pageFiles, "pages/layout.html", "pages/parts.html"))
})

// parsed holds for each page that was shown a function that gives its
// template, and parses it the first time.
var parsed sync.Map

// templateOf gives the template of a page. The files are part of the program:
// one that does not parse is a fault of ours, which the tests find.
func templateOf(name string) *template.Template {
	parse, _ := parsed.LoadOrStore(name, sync.OnceValue(func() *template.Template {
		return template.Must(template.Must(base().Clone()).ParseFS(pageFiles, "pages/"+name+".html"))
	}))
	return parse.(func() *template.Template)() //nolint:forcetypeassert // nothing else is stored
}

// newKey makes the idempotency key of one form (X2): sending it twice does
// what it says once.
func newKey() string { return "web-" + rand.Text() }
