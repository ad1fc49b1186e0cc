package web_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app"
	"brenner/internal/httpapi"
	"brenner/internal/mail"
	"brenner/internal/mail/mailtest"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/internal/store/sqlite"
	"brenner/internal/web"
	"brenner/policy"
)

// world is a served project.
type world struct {
	testing.TB
	app     *app.App
	server  *httpapi.Server
	address string
	// mail is the Agent Mail server that the project's sessions can use.
	mail *mailtest.Server
	// ahead is how far the clock of the server was put forward.
	ahead *atomic.Int64
}

// backend is an application as the server asks it.
type backend struct{ *app.App }

func (b backend) Authenticate(ctx context.Context, token string) (httpapi.Caller, error) {
	who, err := b.App.Authenticate(ctx, token)
	return b.caller(who), err
}

func (b backend) Owner(ctx context.Context) (httpapi.Caller, error) {
	name, err := b.App.Owner(ctx)
	return b.caller(app.Identity{Name: name, Auth: app.AuthLogin}), err
}

func (b backend) caller(who app.Identity) httpapi.Caller {
	may := func(ctx context.Context, acts []policy.Action) error { return b.May(ctx, who, acts) }
	return httpapi.Caller{Service: b.As(who), Name: who.Name, Auth: who.Auth, May: may}
}

// newWorld serves a project in which nothing has happened yet.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := openWorld(t, t.TempDir(), true)
	if _, err := w.app.Init(t.Context(), api.InitRequest{Name: "A fresh start", PI: "ada"}); err != nil {
		t.Fatal(err)
	}
	return w
}

// newDemo serves the project that the demo leaves behind.
func newDemo(t testing.TB) *world {
	t.Helper()
	from, err := demo()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return openWorld(t, dir, false)
}

// openWorld serves the project of a directory.
func openWorld(t testing.TB, dir string, create bool) *world {
	t.Helper()
	path := filepath.Join(dir, ".brenner", "brenner.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{Create: create})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	w := &world{TB: t, mail: &mailtest.Server{}, ahead: new(atomic.Int64)}
	post := w.mail.Start(nil)
	t.Cleanup(w.mail.Close)
	w.app = app.New(s, app.Options{
		Clock:   func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) },
		Keys:    app.Keyring{Dir: filepath.Join(dir, ".keys")},
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
		Mail: func(asked mail.Options) (mail.Transport, error) {
			asked.URL, asked.Project = post.URL, post.Project
			return mail.NewAgentMail(asked)
		},
	})
	w.server = httpapi.New(httpapi.Options{
		Backend: backend{w.app}, Login: true, Rate: 1_000_000, Burst: 1_000_000,
		Pages: func(v httpapi.Visitors) http.Handler {
			return web.New(web.Options{Service: v.Who, Wait: v.Wait, LogIn: v.LogIn, LogOut: v.LogOut, Log: slog.New(slog.NewTextHandler(testWriter{t}, nil))})
		},
	})
	hs := httptest.NewServer(w.server)
	t.Cleanup(hs.Close)
	t.Cleanup(hs.CloseClientConnections) // open feeds end first
	w.address = hs.URL
	return w
}

// testWriter lets a fault that a page does not show fail the test.
type testWriter struct{ testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.Errorf("logged: %s", p)
	return len(p), nil
}

// TestMain closes the browser and removes the project of the demo after the
// last test.
func TestMain(m *testing.M) {
	status := m.Run()
	if theBrowser.close != nil {
		theBrowser.close()
	}
	if demoDir != "" {
		_ = os.RemoveAll(demoDir)
	}
	os.Exit(status)
}

var demoDir string

// demo builds the program, lets it tell its story and gives the directory that
// it leaves behind; once, for the tests to copy.
var demo = sync.OnceValues(func() (string, error) {
	// Opening the story makes its text part of what a test's result rests on.
	_, err := os.ReadFile("../cli/demo/story.txt")
	if err != nil {
		return "", err
	}
	if demoDir, err = os.MkdirTemp("", "brenner-web-"); err != nil {
		return "", err
	}
	program, project := filepath.Join(demoDir, "brenner"), filepath.Join(demoDir, "project")
	for _, args := range [][]string{
		{"go", "build", "-o", program, "brenner/cmd/brenner"},
		{program, "demo", "--json", "--keep", project},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return "", errors.Join(err, errors.New(string(out)))
		}
	}
	return project, nil
})

func (w *world) pi() api.Service { return w.app.As(app.Identity{Name: "ada", Auth: app.AuthOwner}) }

func (w *world) as(name brenner.ActorName) api.Service {
	auth := app.AuthAs
	if name == "ada" {
		auth = app.AuthOwner
	}
	return w.app.As(app.Identity{Name: name, Auth: auth})
}

// must gives a result or ends the test.
func must[T any](w *world) func(T, error) T {
	return func(v T, err error) T {
		w.Helper()
		if err != nil {
			w.Fatal(err)
		}
		return v
	}
}
