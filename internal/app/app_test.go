package app_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"brenner"
	"brenner/api"
	"brenner/api/apitest"
	"brenner/internal/app"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/memory"
	"brenner/internal/store/postgres"
	"brenner/internal/store/sqlite"
)

// world is a project on a store, asked directly.
type world struct {
	app *app.App
	pi  brenner.ActorName
	in  *transcript // what is said is noted there; nil: nowhere
}

func (w world) PI() api.Service {
	return w.note(w.pi, w.app.As(app.Identity{Name: w.pi, Auth: app.AuthOwner}))
}

func (w world) As(name brenner.ActorName) api.Service {
	return w.note(name, w.app.As(app.Identity{Name: name, Auth: app.AuthAs}))
}

func (w world) note(name brenner.ActorName, s api.Service) api.Service {
	if w.in == nil {
		return s
	}
	return noted{s, name, w.in}
}

// newWorld makes a project on an empty store. On one that fails and goes on, where
// one thing comes after the other, what is said and stored is kept (see
// transcript_test.go), and it is always the same time.
func newWorld(t *testing.T, s store.Store) world {
	t.Helper()
	t.Cleanup(func() { _ = s.Close() })
	o := app.Options{
		Keys:    app.Keyring{Dir: t.TempDir()},
		Scratch: func(context.Context) (store.Store, error) { return memory.New(), nil },
	}
	_, fails := s.(*failing)
	if fails {
		o.Clock, _ = stepping(time.Millisecond)
	}
	w := world{app: app.New(s, o), pi: "ada"}
	begin(t, w.app)
	if fails {
		w.in = newTranscript()
		w.in.keepAfter(t, s, w)
	}
	return w
}

// begin makes the project that stories are told in.
func begin(t *testing.T, a *app.App) {
	t.Helper()
	_, err := a.Init(t.Context(), api.InitRequest{
		Name: "Cell fate", PI: "ada", Config: &api.ConfigFile{Name: ".brennerrc", Data: apitest.Config},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every story on the quickest store, where what is answered in each of them, and
// what can be read when it is over, is what it was before (see transcript_test.go).
func TestService_OnMemory(t *testing.T) { apitest.Run(t, newNotedWorld) }

// skipShort leaves to the whole run what the race detector learns nothing from:
// the same stories on the other stores, which have their own tests, and what one
// goroutine does from beginning to end.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("the whole run has it")
	}
}

// skipRace leaves to the run without the race detector, under which everything takes
// eight times as long, what one goroutine does from beginning to end and others rely on
// in a short run.
func skipRace(t *testing.T) {
	t.Helper()
	if underRace {
		t.Skip("the run without the race detector has it")
	}
}

func TestService_OnSQLite(t *testing.T) {
	skipShort(t)
	t.Parallel()
	apitest.Run(t, func(t *testing.T) apitest.World {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "project.db"), sqlite.Options{Create: true})
		if err != nil {
			t.Fatal(err)
		}
		return newWorld(t, s)
	})
}

func TestService_OnPostgreSQL(t *testing.T) {
	skipShort(t)
	t.Parallel()
	database, worlds := pgtest.Open(t), 0 // many projects share a database
	apitest.Run(t, func(t *testing.T) apitest.World {
		worlds++
		s, err := postgres.Open(t.Context(), fmt.Sprintf("%s&project=fate-%d", database, worlds), postgres.Options{Create: true})
		if err != nil {
			t.Fatal(err)
		}
		return newWorld(t, s)
	})
}
