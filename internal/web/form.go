package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"brenner"
	"brenner/api"

	"github.com/go-json-experiment/json/jsontext"
)

// formCookie holds a secret of the browser. Every form carries a digest of it,
// which no other site can know or send along.
const formCookie = "brenner_form"

// browserSecret reads the secret of a browser, or gives it one.
func browserSecret(w http.ResponseWriter, r *http.Request) (string, error) {
	if c, err := r.Cookie(formCookie); err == nil && len(c.Value) >= 26 {
		return c.Value, nil
	}
	secret := rand.Text()
	http.SetCookie(w, &http.Cookie{
		Name: formCookie, Value: secret, Path: "/", HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
	return secret, nil
}

// formToken is what a form of the browser with this secret carries.
func formToken(secret string) string {
	sum := sha256.Sum256([]byte("brenner form\x00" + secret))
	return hex.EncodeToString(sum[:])
}

// checkForm refuses a form that did not come from a page of ours in this
// browser: by what the browser says about its origin, and by its token.
func (v *visit) checkForm() error {
	refused := brenner.Errorf(brenner.CodeFormExpired, "this form did not come from a page of this server").
		WithHint("reload the page and send it again")
	if err := http.NewCrossOriginProtection().Check(v.Request); err != nil {
		return refused.Because(err)
	}
	if err := v.ParseForm(); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return brenner.Errorf(brenner.CodeLimitExceeded, "the form is larger than %d bytes", tooLarge.Limit)
		}
		return refused.Because(err)
	}
	want := formToken(v.secret)
	if subtle.ConstantTimeCompare([]byte(v.PostForm.Get("token")), []byte(want)) != 1 {
		return refused
	}
	return nil
}

// Form writes the hidden fields that every form begins with.
func (s *shown) Form(act string) template.HTML {
	return template.HTML(`<input type="hidden" name="token" value="` + formToken(s.visit.secret) +
		`"><input type="hidden" name="key" value="` + newKey() +
		`"><input type="hidden" name="act" value="` + template.HTMLEscapeString(act) + `">`)
}

// Old gives what was typed into a field of the form that has just failed, so
// that nobody types it twice.
func (s *shown) Old(act, field string) string {
	if s.Problem == nil || s.visit.PostForm.Get("act") != act {
		return ""
	}
	return s.visit.PostForm.Get(field)
}

// Typed gives what the form that led to this page held.
func (s *shown) Typed(field string) string { return s.visit.PostForm.Get(field) }

// Query gives a parameter of the address.
func (s *shown) Query(name string) string { return s.visit.URL.Query().Get(name) }

// Path is the address of the page without its parameters.
func (s *shown) Path() string { return s.visit.URL.Path }

// NextPage is the address of the page with another cursor.
func (s *shown) NextPage(cursor string) string { return s.visit.with("cursor", cursor) }

// field gives a field of the form without blanks around it.
func (v *visit) field(name string) string {
	return strings.TrimSpace(strings.ReplaceAll(v.PostForm.Get(name), "\r\n", "\n"))
}

// write carries the idempotency key of the form.
func (v *visit) write() api.Write { return api.Write{Key: v.PostForm.Get("key")} }

// query gives a parameter of the address without blanks around it.
func (v *visit) query(name string) string { return strings.TrimSpace(v.URL.Query().Get(name)) }

// number gives a parameter of the address as a number, 0 if it is none.
func (v *visit) number(name string) int64 {
	n, err := strconv.ParseInt(v.query(name), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// page asks for as many as a page shows, from where the address says.
func (v *visit) page(limit int) api.Page { return api.Page{Limit: limit, Cursor: v.query("cursor")} }

// ref reads the reference that is part of the path.
func (v *visit) ref() (brenner.Ref, error) { return brenner.ParseRef(v.PathValue("ref")) }

// one makes a list of a choice: empty if nothing was chosen.
func one[T ~string](choice string) []T {
	if choice == "" {
		return nil
	}
	return []T{T(choice)}
}

// lines splits a text at its line ends, without empty lines.
func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// quoted writes a text as JSON.
func quoted(text string) []byte {
	raw, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\ufffd"))
	if err != nil {
		return []byte(`""`) // text that is valid can be quoted
	}
	return raw
}
