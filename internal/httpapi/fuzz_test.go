package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"brenner"
	"brenner/api"
	"brenner/internal/app"
	"brenner/internal/store"
	"brenner/internal/store/memory"

	"github.com/go-json-experiment/json"
)

// fuzzBackend lets everybody in as the PI: what is fuzzed is the input.
type fuzzBackend struct{ *app.App }

func (b fuzzBackend) Authenticate(context.Context, string) (Caller, error) {
	return Caller{Service: b.As(app.Identity{Name: "ada", Auth: app.AuthOwner}), Name: "ada", Auth: "fuzz"}, nil
}

func (b fuzzBackend) Owner(context.Context) (Caller, error) {
	return b.Authenticate(context.Background(), "")
}

// fuzzed is every route: those of the table, and those with handlers of their
// own.
var fuzzed = append(append([]route{}, routes()...),
	route{name: "Export", method: "GET", path: "/export"},
	route{name: "Feed", method: "GET", path: "/feed"},
	route{name: "OpenAPI", method: "GET", path: "/openapi.json"},
	route{name: "Health", method: "GET", path: "/../../healthz"},
	route{name: "Ready", method: "GET", path: "/../../readyz"},
	route{name: "Metrics", method: "GET", path: "/../../metrics"},
	route{name: "Login", method: "GET", path: "/../../login"},
	route{name: "Login", method: "POST", path: "/../../login"},
	route{name: "Logout", method: "POST", path: "/../../logout"},
	route{name: "None", method: "PUT", path: "/../../{id}"},
	route{name: "None", method: "GET", path: "/{id}/nowhere"},
)

// input is one request to one of the routes.
type input struct {
	route                             uint8
	parameter, query, body, key, tags string
}

// fuzzSeeds has for each route a request that says nothing, and one that says
// something about everything.
func fuzzSeeds() []input {
	out := []input{
		{0, "n@1", "limit=3", `{"id":"n"}`, "key", `"1-a"`},
		{2, "n", "types=paper_note&modules=main&statuses=draft&cursor=eyJ9", `[]`, "UTF-8''%ff", "*"},
	}
	for i, r := range fuzzed {
		out = append(out, input{uint8(i), "n", "", `{}`, "", ""})
		if r.in != nil {
			out = append(out, input{uint8(i), "n", "", filled(r.in), "k" + r.name, ""})
		}
		if r.name == "Login" {
			out = append(out, input{uint8(i), "", "", "token=x", "", ""})
		}
		out = append(out, input{uint8(i), "_", "ref=n&id=n&from=n&to=n&after=0&code=x", `{"ref":"n@1","reason":"r","content":{"format":"json","data":"{}"},"patch":{},"stalemate":{},"request":{}}`, "k", ""})
	}
	return out
}

// filled is a request with something in every field.
func filled(t reflect.Type) string {
	v := reflect.New(t).Elem()
	fill(v, 4)
	raw, err := json.Marshal(v.Interface(), json.Deterministic(true))
	if err != nil {
		return "{}"
	}
	return string(raw)
}

func fill(v reflect.Value, depth int) {
	if depth == 0 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("n")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("{}")) // JSON as it stands
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth-1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth-1)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth-1)
		}
	}
}

// fuzzServer is a server whose project is made anew when it has grown, so that
// what reads a whole journal stays quick.
type fuzzServer struct {
	keys   string // directory
	app    *app.App
	server *Server
	close  func() error
}

// fuzzRecords is how large a journal grows.
const fuzzRecords = 100

func (f *fuzzServer) get(t testing.TB) *Server {
	t.Helper()
	if f.app != nil {
		owner, _ := fuzzBackend{f.app}.Owner(context.Background())
		if info, err := owner.Service.Project(context.Background()); err == nil && info.Size < fuzzRecords {
			return f.server
		}
		_ = f.close()
	}
	s := memory.New()
	f.close = s.Close
	f.app = app.New(s, app.Options{
		Keys:    app.Keyring{Dir: f.keys},
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	})
	if _, err := f.app.Init(context.Background(), api.InitRequest{Name: "Fate", PI: "ada"}); err != nil {
		t.Fatal(err)
	}
	f.server = New(Options{Backend: fuzzBackend{f.app}, Rate: 1 << 30, Burst: 1 << 30, Login: true})
	return f.server
}

// ask sends one request. Whatever it is, the answer is no failure inside, and
// a refusal has a code.
func (f *fuzzServer) ask(t testing.TB, in input) (name string, code brenner.Code) {
	t.Helper()
	r := fuzzed[int(in.route)%len(fuzzed)]
	path := r.path
	for _, name := range r.parameters() {
		path = strings.Replace(path, "{"+name+"}", url.PathEscape(in.parameter), 1)
	}
	path, climbs := strings.CutPrefix(path, "/../..")
	if !climbs {
		path = prefix + path
	}
	u, err := url.Parse("http://localhost" + path)
	if err != nil {
		return "", ""
	}
	u.RawQuery = in.query
	h := httptest.NewRequest(r.method, "http://localhost/", strings.NewReader(in.body))
	h.URL, h.RequestURI = u, u.RequestURI()
	h.Header = http.Header{"Authorization": {"Bearer x"}, "Content-Type": {"application/json"}, keyHeader: {in.key}, "If-Match": {in.tags}, "If-None-Match": {in.tags}}
	if r.name == "Login" || r.name == "Feed" {
		h.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		h.Header.Set("Last-Event-ID", in.tags)
	}
	out := leaving{httptest.NewRecorder()}
	f.get(t).ServeHTTP(out, h)
	if out.Code >= 500 {
		t.Errorf("%s %s?%s %q: %d %s", r.method, path, in.query, in.body, out.Code, out.Body)
	}
	var problem trouble
	if out.Code >= 400 {
		if err := json.Unmarshal(out.Body.Bytes(), &problem); err != nil || problem.Code == "" {
			t.Errorf("%s %s: %d without a code: %s", r.method, path, out.Code, out.Body)
		}
	}
	return r.name, problem.Code
}

// leaving is the reader of an answer who leaves a feed when it starts: it would
// never end.
type leaving struct{ *httptest.ResponseRecorder }

func (l leaving) Write(p []byte) (int, error) {
	if l.Header().Get("Content-Type") == "text/event-stream" {
		return 0, errGone
	}
	return l.ResponseRecorder.Write(p)
}

// Whatever arrives at whatever route, the server neither panics nor answers
// that it failed inside.
func FuzzServer_NoInputMakesItFail(f *testing.F) {
	for _, in := range fuzzSeeds() {
		f.Add(in.route, in.parameter, in.query, in.body, in.key, in.tags)
	}
	server := &fuzzServer{keys: f.TempDir()}
	f.Fuzz(func(t *testing.T, n uint8, parameter, query, body, key, tags string) {
		server.ask(t, input{n, parameter, query, body, key, tags})
	})
}

// The seeds reach every use case, past the reading of its request: fuzzing
// starts behind each door, not in front of it.
func TestFuzz_ReachesEveryRoute(t *testing.T) {
	reached := map[string]bool{}
	for i, r := range routes() {
		inner := r.invoke
		routes()[i].invoke = func(ctx context.Context, s api.Service, req any) (any, error) {
			reached[r.name] = true
			return inner(ctx, s, req)
		}
		defer func() { routes()[i].invoke = inner }()
	}
	server := &fuzzServer{keys: t.TempDir()}
	for _, in := range fuzzSeeds() {
		name, code := server.ask(t, in)
		if code == "" || name == "None" {
			reached[name] = true
		}
	}
	for _, r := range fuzzed {
		if !reached[r.name] {
			t.Errorf("no seed reaches %s", r.name)
		}
	}
	for m := range reflect.TypeFor[api.Service]().Methods() {
		if !reached[m.Name] {
			t.Errorf("no seed reaches %s of the service", m.Name)
		}
	}
}
