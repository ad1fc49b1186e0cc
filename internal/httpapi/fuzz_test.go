package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"brenner/internal/api"
	"brenner/internal/app"
	"brenner/internal/store/memory"
)

// fuzzBackend lets everybody in as the PI: what is fuzzed is the input.
type fuzzBackend struct{ *app.App }

func (b fuzzBackend) Authenticate(context.Context, string) (Caller, error) {
	return Caller{Service: b.As(app.Identity{Name: "ada", Auth: app.AuthOwner}), Name: "ada", Auth: "fuzz"}, nil
}

func (b fuzzBackend) Owner(context.Context) (Caller, error) {
	return b.Authenticate(context.Background(), "")
}

// Whatever arrives at whatever route, the server neither panics nor answers
// that it failed inside.
func FuzzServer_NoInputMakesItFail(f *testing.F) {
	s := memory.New()
	defer func() { _ = s.Close() }()
	a := app.New(s, app.Options{Keys: app.Keyring{Dir: f.TempDir()}})
	if _, err := a.Init(f.Context(), api.InitRequest{Name: "Fate", PI: "ada"}); err != nil {
		f.Fatal(err)
	}
	server := New(Options{Backend: fuzzBackend{a}, Rate: 1 << 30, Burst: 1 << 30})
	f.Add(uint8(0), "n@1", "limit=3", `{"id":"n"}`, "key", `"1-a"`)
	for i := range routes {
		f.Add(uint8(i), "n", "", `{}`, "", "")
		f.Add(uint8(i), "_", "ref=n&id=n&from=n&to=n", `{"ref":"n@1","reason":"r","content":{"format":"json","data":"{}"},"patch":{},"stalemate":{},"request":{}}`, "k", "")
	}
	f.Add(uint8(2), "n", "types=paper_note&modules=main&statuses=draft&cursor=eyJ9", `[]`, "UTF-8''%ff", "*")
	f.Fuzz(func(t *testing.T, n uint8, parameter, query, body, key, tag string) {
		r := routes[int(n)%len(routes)]
		switch r.name {
		case "Verify", "Replay", "Checkpoint": // they read everything, and take nothing that is worth fuzzing
			return
		}
		path := r.path
		for _, name := range r.parameters() {
			path = strings.Replace(path, "{"+name+"}", url.PathEscape(parameter), 1)
		}
		h := httptest.NewRequest(r.method, "http://localhost"+prefix+"/project", strings.NewReader(body))
		u, err := url.Parse("http://localhost" + prefix + path)
		if err != nil {
			return
		}
		u.RawQuery = query
		h.URL, h.RequestURI = u, u.RequestURI()
		h.Header = http.Header{"Authorization": {"Bearer x"}, "Content-Type": {"application/json"}, keyHeader: {key}, "If-Match": {tag}, "If-None-Match": {tag}}
		out := httptest.NewRecorder()
		server.ServeHTTP(out, h)
		if out.Code >= 500 {
			t.Errorf("%s %s?%s %q: %d %s", r.method, path, query, body, out.Code, out.Body)
		}
		if out.Code >= 400 && !strings.Contains(out.Body.String(), `"code":"`) {
			t.Errorf("%d without a code: %s", out.Code, out.Body)
		}
	})
}
