package web_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"brenner/api"
	"brenner/api/apitest"
	"brenner/internal/web"
)

// C33: no page and no form gives a person a word that its role may not read, and
// agents get no page at all. What there is to ask is what the site serves, with
// every field that any page has.
func TestLeak_NoPageGivesAwayWhatItsReaderMayNotSee(t *testing.T) {
	if testing.Short() {
		t.Skip("one caller at a time")
	}
	fields := fieldNames(t)
	w := openWorld(t, t.TempDir(), true)
	must[api.ProjectInfo](w)(w.app.Init(t.Context(), api.InitRequest{Name: "Vault", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: apitest.VaultConfig}}))
	vault := apitest.FillVault(t, w.pi())
	for _, reader := range slices.Concat(vault.Few(true), vault.Few(false)[:2]) {
		t.Run(reader.String(), func(t *testing.T) {
			w := *w
			w.TB = t
			b := w.loginWith(must[api.IssuedToken](&w)(w.pi().IssueToken(t.Context(), api.IssueTokenRequest{Actor: reader.Name})).Secret)
			found, heard, asked := map[string]bool{}, false, 0
			hear := func(what, said string) {
				asked++
				heard = heard || strings.Contains(said, apitest.Marker+"-")
				if leaked := reader.Leaks(said, ""); leaked != "" && !found[what+leaked] {
					found[what+leaked] = true
					t.Errorf("%s says %s", what, leaked)
				}
			}
			for _, name := range vault.Some(0).Some(0).Names {
				query := url.Values{}
				for _, field := range fields {
					query.Set(field, name)
				}
				for _, pattern := range web.Pages() {
					path := variable.ReplaceAllString(strings.TrimSuffix(pattern, "{$}"), name)
					for _, address := range []string{path, path + "?" + query.Encode()} {
						_, _, body := b.get(address)
						hear(pattern, body)
					}
				}
				for _, form := range web.Forms() {
					if form.Page == "/login" || form.Page == "/logout" {
						continue // they end the login
					}
					query.Set("act", form.Act)
					query.Set("token", b.formToken())
					_, body := b.post(variable.ReplaceAllString(strings.TrimSuffix(form.Page, "{$}"), name), query)
					hear(form.Page+" "+form.Act, body)
				}
			}
			if reader.Person && reader.Reads() && !heard {
				t.Error("it was not shown what it may see either: this would pass on nothing")
			}
			t.Logf("%d requests to %d pages and %d forms", asked, len(web.Pages()), len(web.Forms()))
		})
	}
}

var variable = regexp.MustCompile(`\{[^}]*\}`)

// fieldNames are those of all forms of the templates, as they stand there.
func fieldNames(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("pages/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	var out []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`name="([a-z_]+)"`).FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains(out, m[1]) && m[1] != "token" && m[1] != "act" {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// loginWith logs a browser in with a token.
func (w *world) loginWith(token string) *browser {
	w.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.Fatal(err)
	}
	b := &browser{w, &http.Client{Jar: jar}}
	b.post("/login", url.Values{"token": {token}})
	return b
}

// formToken is that of a form of the home page, "" where there is none.
func (b *browser) formToken() string {
	b.Helper()
	_, _, page := b.get("/playbook")
	if m := formToken.FindStringSubmatch(page); m != nil {
		return m[1]
	}
	return ""
}
