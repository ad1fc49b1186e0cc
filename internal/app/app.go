// Package app is the service: it implements api.Service on a store.
//
// One file per use case, and each has the same shape: say who may, load what
// is needed, let a pure package decide, append the records that say what
// happened. The tables follow from the records (projection.go), in the same
// transaction, by the same code that replays them. Time, randomness and
// transactions live here and nowhere else.
package app

import (
	"context"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/mail"
	"brenner/internal/store"
)

// Options are what the application needs from outside.
type Options struct {
	// Clock tells the time; nil: time.Now.
	Clock func() time.Time
	// Scratch opens an empty throw-away store, for verifying the tables.
	Scratch func(ctx context.Context) (store.Store, error)
	// Keys keeps the keys that sign checkpoints, outside the project.
	Keys Keyring
	// EmbedKeyVariable names the environment variable that holds the key of a
	// remote embedding endpoint; empty: no key is sent.
	EmbedKeyVariable string
	// Mail reaches the Agent Mail server; nil: there is none. What the caller
	// leaves open in the options (address, token, project) is for it to say.
	Mail func(mail.Options) (mail.Transport, error)
}

// App serves one project.
type App struct {
	store    store.Store
	clock    func() time.Time
	scratch  func(ctx context.Context) (store.Store, error)
	keys     Keyring
	mail     func(mail.Options) (mail.Transport, error)
	settings settingsCache
	known    known
	counts   countCache
	vectors  vectorCache
	embedder embedderCache
	books    bookCache
}

// New makes the application on a store. The caller closes the store.
func New(s store.Store, o Options) *App {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &App{
		store: s, clock: o.Clock, scratch: o.Scratch, keys: o.Keys,
		mail: o.Mail, embedder: embedderCache{keyVariable: o.EmbedKeyVariable},
	}
}

// How an actor was authenticated (J1). A token's id follows "token:".
const (
	AuthOwner = "owner" // has the project file, and therefore is the PI
	AuthAs    = "as"    // has the project file and chose to act as an agent
	AuthLogin = "login" // started the server and opened its login address
)

// Identity is who asks and how we know.
type Identity struct {
	Name brenner.ActorName
	Auth string
}

// As gives the service as it is for one actor.
func (a *App) As(who Identity) api.Service { return &service{app: a, who: who} }

// Owner names the person who leads the project: the one the owner of the
// project file acts as (X8).
func (a *App) Owner(ctx context.Context) (brenner.ActorName, error) {
	var name brenner.ActorName
	err := a.store.Read(ctx, func(r store.Reader) error {
		actors, err := r.Actors(ctx)
		if err != nil {
			return err
		}
		first := int64(-1)
		for _, actor := range actors {
			if actor.Kind == kindPerson && actor.Role == brenner.PI && actor.Active && (first < 0 || actor.Seq < first) {
				name, first = actor.Name, actor.Seq
			}
		}
		if first < 0 {
			return brenner.Errorf(brenner.CodeNoProject, "the store holds no project").
				WithHint("run `brenner init`")
		}
		return nil
	})
	return name, err
}

// service is the application bound to who is asking.
type service struct {
	app *App
	who Identity
}

var _ api.Service = (*service)(nil)
