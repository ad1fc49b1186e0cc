package web

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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

// errForm refuses a form that did not come from a page of ours in this browser.
var errForm = brenner.Errorf(brenner.CodeFormExpired, "this form did not come from a page of this server, or is from before it was restarted")

// readForm reads what a form says, if the browser tells that the form is ours.
func (v *visit) readForm() error {
	if err := http.NewCrossOriginProtection().Check(v.Request); err != nil {
		return errForm.Because(err)
	}
	return parseForm(v.Request)
}

// checkToken refuses a form without the token of this browser.
func (v *visit) checkToken() error {
	if subtle.ConstantTimeCompare([]byte(v.PostForm.Get("token")), []byte(formToken(v.secret))) != 1 {
		return errForm
	}
	return nil
}

// parseForm reads the fields of a form. A file takes the place of the field
// that it is named after.
func parseForm(r *http.Request) error {
	err := r.ParseMultipartForm(brenner.MaxFormBytes)
	if errors.Is(err, http.ErrNotMultipart) {
		err = r.ParseForm()
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return brenner.Errorf(brenner.CodeLimitExceeded, "the form is larger than %d bytes", tooLarge.Limit).Because(err)
	case err != nil:
		return errForm.Because(err)
	case r.MultipartForm == nil:
		return nil
	}
	for name, files := range r.MultipartForm.File {
		for _, f := range files {
			text, err := readUpload(f)
			if err != nil {
				return err
			}
			if text != "" {
				r.PostForm.Set(strings.TrimSuffix(name, ".file"), text)
			}
		}
	}
	return nil
}

// readUpload gives a file that came with a form as a text.
func readUpload(f *multipart.FileHeader) (string, error) {
	in, err := f.Open()
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	data, err := io.ReadAll(in)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return "", brenner.Errorf(brenner.CodeInvalidValue, "the file %s is not a text in UTF-8", f.Filename)
	}
	return string(bytes.TrimPrefix(data, []byte("\ufeff"))), nil
}

// Form writes the hidden fields that every form begins with: the token of the
// browser, the key of the form and, unless its buttons say that, what it does.
func (s *shown) Form(act string) template.HTML {
	fields := `<input type="hidden" name="token" value="` + formToken(s.visit.secret) + `"><input type="hidden" name="key" value="` + newKey() + `">`
	if act != "" {
		fields += `<input type="hidden" name="act" value="` + template.HTMLEscapeString(act) + `">`
	}
	return template.HTML(fields)
}

// Old gives what was typed into a field of the form that has just failed, or
// came through a login, so that nobody types it twice (N8).
func (s *shown) Old(act, field string) string {
	if !s.refilled(act) {
		return ""
	}
	return s.visit.PostForm.Get(field)
}

// Had reports whether a value was chosen in a field of such a form, Or gives
// what was typed or, in a form that is new, what it begins with.
func (s *shown) Had(act, field string, value any) bool {
	return s.refilled(act) && slices.Contains(s.visit.PostForm[field], fmt.Sprint(value))
}

// Or is what was typed into a field, or what a new form holds there.
func (s *shown) Or(act, field string, begin any) string {
	if s.refilled(act) {
		return s.visit.PostForm.Get(field)
	}
	return fmt.Sprint(begin)
}

// Refilled says that the form on the page was sent before.
func (s *shown) Refilled() bool { return s.visit.PostForm.Get("act") != "" }

func (s *shown) refilled(act string) bool {
	return s.visit != nil && (s.Problem != nil || s.visit.refill) && (s.visit.PostForm.Get("act") == act || s.visit.PostForm.Get("act") == "preview")
}

// Fault is what is wrong with a field of the form that has just failed.
func (s *shown) Fault(act, field string) string {
	if s.Problem == nil || !s.refilled(act) || fieldOf(s.Problem.Pointer) != field {
		return ""
	}
	return s.Problem.Message
}

// Typed gives what the form that led to this page held.
func (s *shown) Typed(field string) string { return s.visit.PostForm.Get(field) }

// Query gives a parameter of the address.
func (s *shown) Query(name string) string { return s.visit.URL.Query().Get(name) }

// Path is the address of the page without its parameters.
func (s *shown) Path() string { return s.visit.URL.Path }

// A list that is too long for a page is shown in parts. The address holds the
// cursors of all parts up to this one, so that there is a way back.

// maxTrail is how many parts one can go back.
const maxTrail = 100

// Paged says that this is not the first part of the list.
func (s *shown) Paged() bool { return s.visit.query("cursor") != "" }

// NextPage is the address of the part that begins at a cursor, PreviousPage
// that of the part before this one.
func (s *shown) NextPage(cursor string) string {
	return s.visit.trail(append(s.visit.cursors(), cursor))
}

// PreviousPage is the address of the part before this one.
func (s *shown) PreviousPage() string {
	all := s.visit.cursors()
	return s.visit.trail(all[:max(0, len(all)-1)])
}

// SortHead is the head of a column that the list can be sorted by. It leads to
// the first part of the list in an order that the address names; chosen says
// that the list has the order of this column now, in that direction.
func (s *shown) SortHead(label, order string, chosen bool, direction string) template.HTML {
	now := ""
	if chosen {
		now = ` aria-sort="` + direction + `"`
	}
	q := s.visit.URL.Query()
	q.Del("cursor")
	q.Del("done")
	q.Del("sort")
	if order != "" {
		q.Set("sort", order)
	}
	to := (&url.URL{Path: s.visit.URL.Path, RawQuery: q.Encode()}).String()
	return template.HTML(`<th scope="col"` + now + `><a href="` + template.HTMLEscapeString(to) + `">` + template.HTMLEscapeString(label) + `</a></th>`)
}

// cursors are those of the parts up to this one.
func (v *visit) cursors() []string { return v.URL.Query()["cursor"] }

func (v *visit) trail(cursors []string) string {
	q := v.URL.Query()
	q.Del("done")
	q["cursor"] = cursors[max(0, len(cursors)-maxTrail):]
	return (&url.URL{Path: v.URL.Path, RawQuery: q.Encode()}).String()
}

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
func (v *visit) page(limit int) api.Page {
	p := api.Page{Limit: limit}
	if all := v.cursors(); len(all) > 0 {
		p.Cursor = all[len(all)-1]
	}
	return p
}

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
