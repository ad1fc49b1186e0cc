package web

import (
	"bytes"
	"crypto/rand"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
	"brenner/internal/problem"
)

// page is one kind of page.
type page struct {
	section string // of the navigation
	name    string // of the template, pages/NAME.html
	load    func(*visit) (title string, data any, err error)
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
	if !v.project.Person {
		return nil, brenner.Errorf(brenner.CodePersonRequired, "the pages are for persons; %s is an agent", v.project.Actor).
			WithHint("an agent uses MCP, the HTTP API or the command line")
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

// maxForm bounds what a form may send.
const maxForm = 2 << 20

// act answers a POST: it does what the form says and leads to a page, or shows
// the page again with what was wrong, and what was typed.
func (s *site) act(p page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		v, err := s.enter(w, r)
		if err == nil {
			err = v.checkForm()
		}
		if err != nil {
			s.fail(w, r, v, err)
			return
		}
		name := r.PostFormValue("act")
		do, ok := p.acts[name]
		if !ok {
			s.fail(w, r, v, brenner.Errorf(brenner.CodeInvalidValue, "the page has no form %q", name))
			return
		}
		to, err := do(v)
		if err != nil || to == "" {
			s.render(w, v, p, err)
			return
		}
		w.Header().Set("Location", to+"?"+url.Values{"done": {name}}.Encode())
		w.WriteHeader(http.StatusSeeOther)
	})
}

// shown is what a template gets.
type shown struct {
	Title    string
	Section  string
	Sections any
	Project  api.ProjectInfo
	Data     any
	Result   any
	Notice   string
	Problem  *brenner.Error
	// Login offers to log in.
	Login bool
	visit *visit
}

// render shows a page, after an act that failed together with why.
func (s *site) render(w http.ResponseWriter, v *visit, p page, failed error) {
	title, data, err := p.load(v)
	if err != nil {
		s.fail(w, v.Request, v, errors.Join(failed, err))
		return
	}
	out := &shown{Title: title, Section: p.section, Data: data, Result: v.result, Notice: notices[v.URL.Query().Get("done")], visit: v}
	status := http.StatusOK
	if failed != nil {
		status = s.explain(v, out, failed)
	}
	s.write(w, status, p.name, out)
}

// fail shows what went wrong in place of a page.
func (s *site) fail(w http.ResponseWriter, r *http.Request, v *visit, err error) {
	out := &shown{Title: "That did not work", visit: v}
	status := s.explain(v, out, err)
	if out.Problem.Code == brenner.CodeUnauthenticated {
		// What to do is said by the page, better than to a program.
		out.Problem = brenner.Errorf(out.Problem.Code, "nobody is logged in in this browser")
		if r.URL.Query().Get("login") == "refused" {
			out.Problem.Message = "that address or token is not valid, or was used before"
		}
		status, out.Title, out.Login = http.StatusUnauthorized, "Please log in", true
	}
	s.write(w, status, "error", out)
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
	}
	out.Sections = sections
	var b bytes.Buffer
	if err := templates[name].ExecuteTemplate(&b, "layout", out); err != nil {
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
	"promote": "Promoted. What was canonical in its place is superseded.", "demote": "Demoted to draft.",
	"deprecate": "Deprecated: out of use, still readable.",
	"open":      "Opened.", "cancel": "Canceled.", "reassign": "Reassigned.",
	"approve": "Approved.", "reject": "Rejected and retired.", "gates": "Gate pass made.", "force": "Put on the stage.",
	"release": "Released from quarantine.", "amend": "Amended: the old wording is retired.", "undo": "Taken back.", "feedback": "Counted.",
	"start": "Started; the agents have been asked.", "nudge": "Asked again.", "resend": "Sent.", "submit": "Taken; compile to see it in the artifact.",
	"arbitrate": "In arbitration.", "verdict": "Verdict delivered.", "adopt": "The draft is the verdict now.", "move": "Done.",
	"add": "Registered.", "revoke": "Revoked, at once.",
}

//go:embed pages/*.html
var pageFiles embed.FS

// templates holds one set per page: the layout, the parts, and the page.
var templates = func() map[string]*template.Template {
	names, err := fs.Glob(pageFiles, "pages/*.html")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	base := template.Must(template.New("").Funcs(functions).ParseFS(pageFiles, "pages/layout.html", "pages/parts.html"))
	all := map[string]*template.Template{}
	for _, path := range names {
		name := strings.TrimSuffix(strings.TrimPrefix(path, "pages/"), ".html")
		all[name] = template.Must(template.Must(base.Clone()).ParseFS(pageFiles, path))
	}
	return all
}()

// newKey makes the idempotency key of one form (X2): sending it twice does
// what it says once.
func newKey() string { return "web-" + rand.Text() }
