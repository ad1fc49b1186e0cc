// Package app is the service: it implements api.Service on a store.
//
// It is only the composition. The kernel knows who asks and what is in force,
// and has the one way to read and the one way to write; the use cases are in
// the rooms, each with the records, tables and rules of one subject. No room
// imports another besides the ledger: what it needs of another it says in an
// interface of its own, and here they are put together.
package app

import (
	"context"
	"io"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app/access"
	"brenner/internal/app/contexts"
	"brenner/internal/app/disputes"
	"brenner/internal/app/firings"
	"brenner/internal/app/history"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/app/lessons"
	"brenner/internal/app/notices"
	"brenner/internal/app/overview"
	"brenner/internal/app/reviews"
	"brenner/internal/app/runs"
	"brenner/internal/app/sessions"
	"brenner/internal/app/tasks"
	"brenner/internal/app/upkeep"
	"brenner/internal/mail"
	"brenner/internal/store"
	"brenner/policy"
)

// Options are what the application needs from outside.
type Options struct {
	// Clock tells the time; nil: time.Now.
	Clock func() time.Time
	// Scratch opens an empty throw-away store, for verifying the tables.
	Scratch func(ctx context.Context) (store.Store, error)
	// Keys keeps the keys that sign checkpoints, outside the project.
	Keys Keyring
	// Witness remembers how far the journal was, outside the project.
	Witness Witness
	// EmbedKey names the environment variable that holds the key for the remote
	// embedding endpoint at an address, "" if it is sent none, or says why the
	// endpoint is asked nothing; nil: any is asked, without a key.
	EmbedKey func(address string) (variable string, err error)
	// Mail reaches the Agent Mail server; nil: there is none. What the caller
	// leaves open in the options (address, token, project) is for it to say.
	Mail func(mail.Options) (mail.Transport, error)
	// Seen is what a run does whose runner is another process of this machine;
	// nil: nobody knows.
	Seen func(api.RunInfo) (api.RunBeat, bool)
}

// Identity is who asks and how we know.
type Identity = kernel.Identity

// How an actor was authenticated (J1).
const (
	AuthOwner = kernel.AuthOwner
	AuthAs    = kernel.AuthAs
	AuthLogin = kernel.AuthLogin
	// AuthServer is the server itself, for the person who leads.
	AuthServer = kernel.AuthServer
)

// Keyring keeps the keys that sign checkpoints.
type Keyring = history.Keyring

// Witness remembers how far the journal was, outside the project.
type Witness = history.Witness

// App serves one project.
type App struct {
	kernel   *kernel.Kernel
	ledger   *ledger.Room
	tasks    *tasks.Room
	contexts *contexts.Room
	lessons  *lessons.Room
	sessions *sessions.Room
	disputes *disputes.Room
	upkeep   *upkeep.Room
	history  *history.Room
	access   *access.Room
	overview *overview.Room
	runs     *runs.Room
	reviews  *reviews.Room
	notices  *notices.Room
	firings  *firings.Room
}

// New makes the application on a store. The caller closes the store.
func New(s store.Store, o Options) *App {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	k := kernel.New(s, o.Clock)
	a := &App{
		kernel:   k,
		ledger:   &ledger.Room{Kernel: k},
		tasks:    &tasks.Room{Kernel: k},
		contexts: &contexts.Room{Kernel: k},
		lessons:  lessons.New(k, o.EmbedKey),
		access:   &access.Room{Kernel: k},
	}
	a.sessions = &sessions.Room{Kernel: k, Ledger: a.ledger, Mail: o.Mail}
	a.disputes = &disputes.Room{Kernel: k, Ledger: a.ledger, Tasks: a.tasks, Mail: a.sessions}
	a.upkeep = &upkeep.Room{Kernel: k, Ledger: a.ledger, Tasks: a.tasks}
	a.runs = &runs.Room{Kernel: k, Tasks: a.tasks, Sessions: a.sessions, Tokens: a.access, Seen: o.Seen}
	a.history = &history.Room{Kernel: k, Sessions: a.sessions, Scratch: o.Scratch, Keys: o.Keys, Witness: o.Witness, Tokens: a.access}
	a.reviews = &reviews.Room{Kernel: k, Ledger: a.ledger, Tasks: a.tasks, Sessions: a.sessions, Sources: a.waiting()}
	a.notices = &notices.Room{Kernel: k, Inbox: a.reviews}
	a.firings = &firings.Room{
		Kernel: k, Ledger: a.ledger, Tasks: a.tasks, Contexts: a.contexts, Sessions: a.sessions, Lessons: a.lessons,
		Upkeep: a.upkeep, Runs: a.runs,
	}
	a.reviews.Sources = append(a.reviews.Sources, a.firings.Waiting)
	a.overview = &overview.Room{Kernel: k, Inbox: a.reviews}
	a.ledger.Tasks, a.ledger.Sessions, a.ledger.Reviews = a.tasks, a.sessions, a.reviews
	a.tasks.Sessions, a.tasks.Contexts, a.tasks.Mail = a.sessions, a.contexts, a.sessions
	a.contexts.Tasks, a.contexts.Lessons, a.contexts.Sessions = a.tasks, a.lessons, a.sessions
	a.lessons.Contexts = a.contexts
	k.SetUp(kinds(), a.contexts)
	return a
}

// kinds are the kinds of record of all rooms. That two rooms claim one is a
// fault of the program, which no input brings about.
func kinds() *kernel.Kinds {
	all, err := kernel.NewKinds(kernel.OwnKinds(), ledger.Kinds(), access.Kinds(), tasks.Kinds(),
		contexts.Kinds(), lessons.Kinds(), sessions.Kinds(), disputes.Kinds(), upkeep.Kinds(), reviews.Kinds(), runs.Kinds(), notices.Kinds(), firings.Kinds(), history.Kinds())
	if err != nil {
		panic(err)
	}
	return all
}

// waiting is where things wait for a person, besides the versions that reviews
// know of (N1).
func (a *App) waiting() []func(*kernel.Call) ([]kernel.Waiting, error) {
	return []func(*kernel.Call) ([]kernel.Waiting, error){
		a.disputes.Waiting,
		a.sessions.Waiting,
		a.ledger.WaitingForks,
		a.ledger.WaitingStale,
		a.ledger.WaitingSpine,
		a.lessons.Waiting,
		a.tasks.Waiting,
		a.tasks.WaitingRequests,
		a.tasks.WaitingMemos,
		a.upkeep.WaitingFindings,
		a.upkeep.WaitingConsolidation,
		a.runs.Waiting,
	}
}

// The rooms as the service embeds them: each brings the use cases of its
// subject.
type (
	ledgerService   = ledger.Service
	tasksService    = tasks.Service
	contextsService = contexts.Service
	lessonsService  = lessons.Service
	sessionsService = sessions.Service
	disputesService = disputes.Service
	upkeepService   = upkeep.Service
	historyService  = history.Service
	accessService   = access.Service
	overviewService = overview.Service
	runsService     = runs.Service
	reviewsService  = reviews.Service
	firingsService  = firings.Service
)

// service is the application bound to who is asking.
type service struct {
	*ledgerService
	*tasksService
	*contextsService
	*lessonsService
	*sessionsService
	*disputesService
	*upkeepService
	*historyService
	*accessService
	*overviewService
	*runsService
	*reviewsService
	*firingsService
}

var _ api.Service = (*service)(nil)

// As gives the service as it is for one actor.
func (a *App) As(who Identity) api.Service {
	return &service{
		a.ledger.As(who), a.tasks.As(who), a.contexts.As(who), a.lessons.As(who), a.sessions.As(who),
		a.disputes.As(who), a.upkeep.As(who), a.history.As(who), a.access.As(who), a.overview.As(who),
		a.runs.As(who), a.reviews.As(who), a.firings.As(who),
	}
}

// Automation does what happens by itself, for a server (A2).
func (a *App) Automation() *firings.Worker { return a.firings.Worker() }

// AutomateAfterWrite does what is due if anything was written since it was
// called last: a few things, and quickly. That it cannot fails nobody (A2).
func (a *App) AutomateAfterWrite(ctx context.Context) {
	if a.kernel.Wrote() {
		a.firings.Worker().After(ctx)
		a.kernel.Wrote()
	}
}

// Notices is the outbox of notifications, as the server keeps it (N7).
func (a *App) Notices(who Identity) *notices.Service { return a.notices.As(who) }

// Notice is a notification that waits to be sent.
type Notice = notices.Notice

// Init makes a project in an empty store, led by the person named.
func (a *App) Init(ctx context.Context, req api.InitRequest) (api.ProjectInfo, error) {
	return a.access.Init(ctx, req)
}

// Turn is the time one request had the store to itself among the writers.
type Turn = kernel.Turn

// WatchTurns has somebody told of every such turn. It is called before any use.
func (a *App) WatchTurns(tell func(context.Context, Turn)) { a.kernel.WatchTurns(tell) }

// Owner names the person who leads the project (X8).
func (a *App) Owner(ctx context.Context) (brenner.ActorName, error) { return a.kernel.Owner(ctx) }

// Authenticate says whom a token's secret names.
func (a *App) Authenticate(ctx context.Context, secret string) (Identity, error) {
	return a.access.Authenticate(ctx, secret)
}

// May refuses who may do none of some acts, whatever they are about: before the
// server reads what they are to be done with.
func (a *App) May(ctx context.Context, who Identity, acts []policy.Action) error {
	return a.access.May(ctx, who, acts)
}

// HasTokens says whether any token is live.
func (a *App) HasTokens(ctx context.Context) (bool, error) { return a.access.HasTokens(ctx) }

// Import reads an export into an empty store.
func (a *App) Import(ctx context.Context, r io.Reader, tell api.Progress) (api.ImportResult, error) {
	return a.history.Import(ctx, r, tell)
}

// Wait returns when the journal holds more than after records.
func (a *App) Wait(ctx context.Context, after int64) error { return a.history.Wait(ctx, after) }

// Follow compares the journal with what is remembered of it outside the project,
// now, and remembers it as it grows until what it gives is called: at least
// every so often, and at the end (J8). A journal that is not the one remembered
// is not written to.
func (a *App) Follow(ctx context.Context, every time.Duration) (stop func()) {
	_ = a.history.Compare(ctx) // a store that cannot be read says so to who asks
	return a.history.Follow(every)
}

// Remember notes outside the project how far its journal is.
func (a *App) Remember(ctx context.Context) error { return a.history.Remember(ctx) }

// Size is how many records the journal holds.
func (a *App) Size(ctx context.Context) (size int64, err error) {
	err = a.kernel.Store().Read(ctx, func(r store.Reader) (err error) {
		size, err = r.Size(ctx)
		return err
	})
	return size, err
}

// Ready reads the project, and says why it cannot.
func (a *App) Ready(ctx context.Context) error { return a.history.Ready(ctx) }
