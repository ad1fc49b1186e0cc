package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"brenner"
	"brenner/api"
	"brenner/client"
	"brenner/internal/app"
	"brenner/internal/cli"
	"brenner/internal/locate"
	"brenner/internal/mail"
	"brenner/internal/patchfs"
	"brenner/internal/runner"
	"brenner/internal/store"
	"brenner/internal/store/postgres"
	"brenner/internal/store/sqlite"
)

// openProject gives the service of the project a command is about.
func openProject(ctx context.Context, w cli.Where) (api.Service, func() error, error) {
	if w.Server != "" {
		c, err := openServer(w)
		return c, func() error { return nil }, err
	}
	a, s, closer, err := openLocal(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	return s, func() error {
		if a.AutomateAfterWrite(ctx) {
			_ = compileOnce(ctx, a, onePage) // the next command does, then
		}
		return closer()
	}, nil
}

// openLocal opens the project of a store that is at hand, for who asks.
func openLocal(ctx context.Context, w cli.Where) (*app.App, api.Service, func() error, error) {
	a, closer, err := openApp(ctx, w)
	if err != nil {
		return nil, nil, nil, err
	}
	who, err := identify(ctx, a, w)
	if err != nil {
		return nil, nil, nil, errors.Join(err, closer())
	}
	return a, a.As(who), closer, nil
}

// openServer gives the service of a server, trusted by the certificates of
// this machine and those that were named.
func openServer(w cli.Where) (api.Service, error) {
	if w.CA == "" {
		return client.New(w.Server, w.Token)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	pem, err := os.ReadFile(w.CA)
	if err != nil || !roots.AppendCertsFromPEM(pem) {
		return nil, brenner.Errorf(brenner.CodeFileError, "there is no certificate in %s", w.CA).
			WithHint("BRENNER_CA names a file of certificates in PEM").Because(err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return client.New(w.Server, w.Token, client.WithTransport(transport))
}

// openApp opens the application on the store a command names.
func openApp(ctx context.Context, w cli.Where) (*app.App, func() error, error) {
	at, err := address(w)
	if err != nil {
		return nil, nil, err
	}
	s, err := openStore(ctx, at, false)
	if err != nil {
		return nil, nil, err
	}
	a := newApp(s, at)
	stop := a.Follow(ctx, followEvery)
	return a, func() error {
		stop()
		return s.Close()
	}, nil
}

// followEvery is how often a process that goes on writing notes outside the
// project how far its journal is.
const followEvery = time.Second

// identify says who asks, on a store that is at hand: the agent that was
// named, else whoever a token names, else the owner (X8).
func identify(ctx context.Context, a *app.App, w cli.Where) (app.Identity, error) {
	switch {
	case w.As != "":
		// A token of another project says nothing here.
		if who, err := a.Authenticate(ctx, w.Token); w.Token != "" && err == nil && who.Name != w.As {
			return app.Identity{}, brenner.Errorf(brenner.CodeUsage, "the agent that is named is %s, and the token in BRENNER_TOKEN is of %s", w.As, who.Name).
				WithHint("leave out one of them: who acts must be plain")
		}
		return app.Identity{Name: w.As, Auth: app.AuthAs}, nil
	case w.Token != "":
		return a.Authenticate(ctx, w.Token)
	}
	name, err := a.Owner(ctx)
	return app.Identity{Name: name, Auth: app.AuthOwner}, err
}

// initProject makes a project where the command says, or here.
func initProject(ctx context.Context, w cli.Where, req api.InitRequest) (out api.InitResult, err error) {
	err = withNewStore(ctx, w, func(s store.Store, at locate.Address) error {
		a := newApp(s, at)
		info, err := a.Init(ctx, req)
		out = api.InitResult{Project: info, Store: at.String()}
		if err == nil {
			_ = a.Remember(ctx) // the next command does, then
		}
		return err
	})
	return out, err
}

// importProject reads an export into a new project. Where that fails it leaves nothing
// that would be found as a project.
func importProject(ctx context.Context, w cli.Where, in io.Reader, tell api.Progress) (out api.ImportResult, err error) {
	undo := func() {}
	if at, err := newAddress(w); err == nil && at.SQLite != "" {
		undo = forget(at.SQLite)
	}
	defer func() {
		if err != nil {
			undo()
		}
	}()
	err = withNewStore(ctx, w, func(s store.Store, at locate.Address) error {
		a := newApp(s, at)
		if out, err = a.Import(ctx, in, tell); err == nil {
			_ = a.Remember(ctx) // the next command does, then
		}
		return err
	})
	return out, err
}

// forget notes which of a project's files are not there, and gives what removes them
// again.
func forget(database string) func() {
	dir := filepath.Dir(database)
	files := []string{database, database + "-wal", database + "-shm"}
	if filepath.Base(dir) == locate.Dir {
		files = append(files, filepath.Join(dir, ".gitignore"), dir)
	}
	files = slices.DeleteFunc(files, func(name string) bool {
		_, err := os.Lstat(name)
		return !errors.Is(err, fs.ErrNotExist)
	})
	return func() {
		for _, name := range files {
			_ = os.Remove(name) // a directory goes only if it is empty
		}
	}
}

// newAddress is where a project is to be made.
func newAddress(w cli.Where) (locate.Address, error) {
	if w.Store == "" {
		return locate.Default(w.Dir), nil
	}
	return locate.Parse(w.Store, w.Dir)
}

// withNewStore opens the store of a project that is to be made.
func withNewStore(ctx context.Context, w cli.Where, fn func(store.Store, locate.Address) error) (err error) {
	at, err := newAddress(w)
	if err != nil {
		return err
	}
	if w.Store != "" {
		if at.SQLite != "" {
			if err := patchfs.BelowGit(at.SQLite); err != nil {
				return err
			}
		}
	} else if err := trust().Check(at); err != nil {
		return err
	} else if err := makeDir(filepath.Dir(at.SQLite)); err != nil {
		return err
	}
	s, err := openStore(ctx, at, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return fn(s, at)
}

// makeDir makes the .brenner directory, for its owner's eyes only and out of
// git's sight.
func makeDir(dir string) error {
	if err := patchfs.BelowGit(dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return brenner.Errorf(brenner.CodeStoreReadOnly, "%s cannot be made here", locate.Dir).Because(err)
	}
	ignore := filepath.Join(dir, ".gitignore")
	if _, err := os.Stat(ignore); err == nil {
		return nil
	}
	if err := os.WriteFile(ignore, []byte("*\n"), 0o600); err != nil {
		return brenner.Errorf(brenner.CodeStoreReadOnly, "%s cannot be written", locate.Dir).Because(err)
	}
	return nil
}

func address(w cli.Where) (locate.Address, error) {
	if w.Store != "" {
		return locate.Parse(w.Store, w.Dir)
	}
	at, err := locate.Find(w.Dir)
	if err != nil {
		return at, err
	}
	return at, trust().Check(at)
}

// trust is whose projects this user uses without naming them.
func trust() locate.Trust {
	t := locate.Trust{User: os.Getuid(), File: configPath("projects")}
	if n, err := strconv.Atoi(os.Getenv("SUDO_UID")); err == nil {
		t.Behind = n
	}
	return t
}

// configPath is a file or directory of the user's own configuration, outside
// every project; empty if there is no such place.
func configPath(name string) string {
	base, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "brenner", name)
}

// storeOf says where a project is.
func storeOf(w cli.Where) (string, error) {
	if w.Server != "" {
		return w.Server, nil
	}
	at, err := address(w)
	return at.String(), err
}

func openStore(ctx context.Context, at locate.Address, create bool) (store.Store, error) {
	if at.Postgres != "" {
		return postgres.Open(ctx, at.Postgres, postgres.Options{Create: create})
	}
	return sqlite.Open(ctx, at.SQLite, sqlite.Options{Create: create})
}

func newApp(s store.Store, at locate.Address) *app.App {
	return app.New(s, app.Options{
		Keys: app.Keyring{Dir: keysDir()}, Witness: app.Witness{Dir: headsDir(), Place: placeOf(at)}, EmbedKey: embedKey, Mail: mailServer(at), Seen: runner.Seen(stateDir()),
		Scratch: func(ctx context.Context) (store.Store, error) {
			return sqlite.Open(ctx, "", sqlite.Options{Create: true, Scratch: true})
		},
	})
}

// headsDir is where it is remembered how far journals were, beside what runs
// keep; empty if there is no such place.
func headsDir() string {
	if d := stateDir(); d != "" {
		return filepath.Join(filepath.Dir(d), "heads")
	}
	return ""
}

// placeOf names a store by where it is, without what is secret in its address.
func placeOf(at locate.Address) string {
	if u, err := url.Parse(at.Postgres); at.Postgres != "" && err == nil {
		return "postgres://" + u.Host + u.Path + "?project=" + u.Query().Get("project")
	}
	return at.String()
}

// mailServer reaches the Agent Mail server that the environment names. There a
// project goes by its directory.
func mailServer(at locate.Address) func(mail.Options) (mail.Transport, error) {
	return func(o mail.Options) (mail.Transport, error) {
		env := mail.FromEnv(os.Getenv)
		o.URL, o.Token, o.Version = env.URL, env.Token, version
		if dir := filepath.Dir(at.SQLite); at.SQLite != "" {
			o.Project = strings.TrimSuffix(dir, string(filepath.Separator)+locate.Dir)
		}
		return mail.NewAgentMail(o)
	}
}

// keysDir is where signing keys are kept, outside every project; empty if
// there is no such place.
func keysDir() string {
	if d := os.Getenv("BRENNER_KEYS"); d != "" {
		return d
	}
	return configPath("keys")
}
