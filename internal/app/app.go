// Package app is the service: it implements api.Service on a store.
//
// It is only the composition. The kernel knows who asks and what is in force,
// and has the one way to read and the one way to write; the use cases are in
// the rooms, each with the records, tables and rules of one subject. No room
// imports another besides the ledger: what it needs of another it says in an
// interface of its own, and here they are put together.
package app

import (
	"time"

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
	"brenner/internal/store"
)

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
	a.reviews = &reviews.Room{Kernel: k, Ledger: a.ledger, Tasks: a.tasks, Sessions: a.sessions, Disputes: a.disputes, Sources: a.waiting()}
	a.notices = &notices.Room{Kernel: k, Inbox: a.reviews}
	a.firings = &firings.Room{
		Kernel: k, Ledger: a.ledger, Tasks: a.tasks, Contexts: a.contexts, Sessions: a.sessions, Lessons: a.lessons,
		Upkeep: a.upkeep, Runs: a.runs,
	}
	a.reviews.Sources = append(a.reviews.Sources, a.firings.Waiting)
	a.sessions.Notes, a.sessions.Askers, a.sessions.Unfinished = a.tasks.NotesIn, a.tasks.AskersIn, a.tasks.UnfinishedIn
	a.sessions.Doing = a.tasks.Doing
	a.sessions.Paused, a.runs.ByRule = a.firings.Paused, a.firings.ByRule
	a.overview = &overview.Room{Kernel: k, Inbox: a.reviews, Checks: a.upkeep, Sessions: a.sessions, Tasks: a.tasks}
	a.ledger.Tasks, a.ledger.Sessions, a.ledger.Reviews, a.ledger.Disputes = a.tasks, a.sessions, a.reviews, a.disputes
	a.tasks.Sessions, a.tasks.Contexts, a.tasks.Mail, a.tasks.Failures = a.sessions, a.contexts, a.sessions, a.runs.Failures
	a.contexts.Tasks, a.contexts.Lessons, a.contexts.Sessions, a.contexts.Disputes = a.tasks, a.lessons, a.sessions, a.disputes
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

// Payloads are what records say, by their kind.
func Payloads() map[string]kernel.Payload { return kinds().Payloads() }

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
