package httpapi_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/internal/app"
	"brenner/internal/httpapi"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/policy"
)

// backend serves an application, as the program does.
type backend struct{ *app.App }

func (b backend) Authenticate(ctx context.Context, token string) (httpapi.Caller, error) {
	who, err := b.App.Authenticate(ctx, token)
	if err != nil {
		return httpapi.Caller{}, err
	}
	return b.caller(who), nil
}

func (b backend) Owner(ctx context.Context) (httpapi.Caller, error) {
	name, err := b.App.Owner(ctx)
	return b.caller(app.Identity{Name: name, Auth: app.AuthLogin}), err
}

func (b backend) caller(who app.Identity) httpapi.Caller {
	may := func(ctx context.Context, acts []policy.Action) error { return b.May(ctx, who, acts) }
	return httpapi.Caller{Service: b.As(who), Name: who.Name, Auth: who.Auth, May: may}
}

// world is a project behind a server.
type world struct {
	t       testing.TB
	app     *app.App
	server  *httpapi.Server
	address string
	log     *lockedBuffer
	mu      sync.Mutex
	tokens  map[brenner.ActorName]string
}

// lockedBuffer takes a log.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newWorld(t testing.TB, options ...func(*httpapi.Options)) *world {
	t.Helper()
	return newWorldOn(t, memory.New(), options...)
}

func newWorldOn(t testing.TB, s store.Store, options ...func(*httpapi.Options)) *world {
	t.Helper()
	t.Cleanup(func() { _ = s.Close() })
	a := app.New(s, app.Options{
		Keys:    app.Keyring{Dir: t.TempDir()},
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	})
	_, err := a.Init(t.Context(), api.InitRequest{
		Name: "Cell fate", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: apitest.Config},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, app: a, log: &lockedBuffer{}, tokens: map[brenner.ActorName]string{}}
	o := httpapi.Options{Backend: backend{a}, Log: slog.New(slog.NewJSONHandler(w.log, nil)), Rate: 1_000_000, Burst: 1_000_000, Login: true}
	for _, set := range options {
		set(&o)
	}
	w.server = httpapi.New(o)
	hs := httptest.NewServer(w.server)
	t.Cleanup(hs.Close)
	w.address = hs.URL
	return w
}

// waitFor waits until something holds.
func waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func (w *world) owner() api.Service {
	return w.app.As(app.Identity{Name: "ada", Auth: app.AuthOwner})
}

// token gives the token of an actor.
func (w *world) token(name brenner.ActorName) string {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tokens[name] == "" {
		res, err := w.owner().IssueToken(w.t.Context(), api.IssueTokenRequest{Actor: name})
		if brenner.CodeOf(err) == brenner.CodeNotFound {
			return "brn_" + strings.Repeat("A", 43) // a stranger has somebody's, perhaps
		}
		if err != nil {
			w.t.Error(err)
		}
		w.tokens[name] = res.Secret
	}
	return w.tokens[name]
}

func (w *world) client(name brenner.ActorName) api.Service {
	w.t.Helper()
	c, err := httpapi.NewClient(w.address, w.token(name), described{w.t})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// registering gives every actor its token when it is registered, so that the
// journal does not grow later, in the midst of a story.
type registering struct {
	api.Service
	w *world
}

func (r registering) AddAgent(ctx context.Context, req api.AddAgentRequest) (api.AgentInfo, error) {
	info, err := r.Service.AddAgent(ctx, req)
	if err == nil {
		r.w.token(info.Name)
	}
	return info, err
}

// PI and As implement apitest.World.
func (w *world) PI() api.Service { return registering{w.client("ada"), w} }

func (w *world) As(name brenner.ActorName) api.Service { return w.client(name) }

// X1: the same cases give the same codes over HTTP.
func TestService_OverHTTP(t *testing.T) {
	if testing.Short() {
		t.Skip("the stories run on the memory store")
	}
	apitest.Run(t, func(t *testing.T) apitest.World { return newWorld(t) })
}
