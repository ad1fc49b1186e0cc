package web

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"brenner"
	"brenner/api"
)

// entry is the page that asks somebody to log in. It leads back to where they
// were going, and carries what they had typed (N8).
type entry struct {
	// Next is where the browser was going.
	Next string
	// Kept is the form it was sending, if it was.
	Kept []keptField
	// Agent is set when the browser is logged in as somebody who may not come
	// in: it can log out.
	Agent bool
}

// keptField is a field of a form on its way through a login.
type keptField struct{ Name, Value string }

// keptPrefix begins the name of a field that is kept, resumedField is what a
// form carries that comes back with them.
const (
	keptPrefix   = "kept."
	resumedField = "resumed"
)

// person refuses whoever is not: the pages are for persons (C1).
func person(info api.ProjectInfo) error {
	if info.Person {
		return nil
	}
	return brenner.Errorf(brenner.CodePersonRequired, "%s is an agent, and the pages are for persons", info.Actor).
		WithHint("an agent works through MCP, the HTTP API or the command line")
}

// login takes a one-time address or a token, and leads to where the browser
// was going. A form that was under way is sent there once more, to be filled
// in again, not to be acted upon.
func (s *site) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, brenner.MaxFormBytes)
	err := s.LogIn(w, r, func(svc api.Service) error {
		info, err := svc.Project(r.Context())
		if err != nil {
			return err
		}
		return person(info)
	})
	if err != nil {
		s.askLogin(w, r, err)
		return
	}
	status := http.StatusSeeOther
	if r.PostFormValue(resumedField) != "" {
		status = http.StatusTemporaryRedirect // keeps the method, and so the form
	}
	w.Header().Set("Location", localPath(r.PostFormValue("next")))
	w.WriteHeader(status)
}

func (s *site) logout(w http.ResponseWriter, r *http.Request) {
	s.LogOut(w, r)
	w.Header().Set("Location", "/")
	w.WriteHeader(http.StatusSeeOther)
}

// localPath is an address of this site as it stands in a form: the front page
// if it could lead anywhere else, or back to the login.
func localPath(address string) string {
	if !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") || strings.ContainsAny(address, "\\\r\n\t") || strings.HasPrefix(address, "/log") {
		return "/"
	}
	return address
}

// askLogin shows how to log in, and why it is necessary. err is why nobody is
// let in; it is of the class denied.
func (s *site) askLogin(w http.ResponseWriter, r *http.Request, err error) {
	out := &shown{Title: "Log in"}
	status := s.explain(nil, out, err)
	at := entry{Next: r.URL.RequestURI(), Agent: errors.Is(err, brenner.CodePersonRequired)}
	switch {
	case r.URL.Path == "/login":
		at.Next, at.Kept = localPath(r.PostFormValue("next")), keptFields(r)
	case r.Method == http.MethodPost:
		at.Next, at.Kept = r.URL.Path, keptFields(r)
	}
	if errors.Is(err, brenner.CodeUnauthenticated) {
		switch out.Problem = nil; {
		case r.URL.Path == "/login" && r.Method == http.MethodPost:
			out.Problem = brenner.Errorf(brenner.CodeUnauthenticated, "that token is not valid, or was revoked")
		case r.URL.Path == "/login":
			out.Problem = brenner.Errorf(brenner.CodeUnauthenticated, "that address is not valid, or was used before")
		}
	}
	out.Data = at
	s.write(w, status, "login", out)
}

// keptFields lists the fields of a form that arrives before its sender is
// known, or that was kept before. Tokens and keys of forms are made anew, and
// files have to be chosen again.
func keptFields(r *http.Request) []keptField {
	if err := parseForm(r); err != nil {
		return nil
	}
	resumed := r.PostForm.Get(resumedField) != ""
	var out []keptField
	for _, name := range slices.Sorted(maps.Keys(r.PostForm)) {
		plain, kept := strings.CutPrefix(name, keptPrefix)
		if kept != resumed || slices.Contains([]string{"token", "key", resumedField}, plain) {
			continue
		}
		if len(out)+len(r.PostForm[name]) > brenner.MaxKeptFields {
			return nil // no form of ours
		}
		for _, value := range r.PostForm[name] {
			out = append(out, keptField{keptPrefix + plain, value})
		}
	}
	return out
}

// resume puts a form that came through a login back into place, and reports
// whether there is one.
func (v *visit) resume() bool {
	if v.PostForm.Get(resumedField) == "" {
		return false
	}
	form := map[string][]string{}
	for _, f := range keptFields(v.Request) {
		name := strings.TrimPrefix(f.Name, keptPrefix)
		form[name] = append(form[name], f.Value)
	}
	v.PostForm, v.refill, v.resumed = form, true, true
	return true
}
