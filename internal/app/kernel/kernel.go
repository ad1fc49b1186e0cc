// Package kernel is what every room of the service stands on: who asks, what is
// in force, and the one way to read and the one way to write.
//
// A use case names what it does before it does it. View, Read and Write take
// the act as an argument and ask the policy first, so a use case that was not
// allowed never starts, and one that forgot to ask cannot be written down:
//
//	kernel.Write(ctx, s.caller, "task.new", req, kernel.To(policy.TaskCreate, "task"),
//		func(ch *kernel.Change) (api.TaskInfo, error) { … })
//
// What happened is a record of some Kind, appended by the change; the tables
// follow from the records in the same transaction, by the same code that
// replays them. Objects of a room are rows of a Table.
package kernel

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"brenner"
	"brenner/canon"
	"brenner/internal/admission"
	"brenner/internal/journal"
	"brenner/internal/store"
	"brenner/policy"
)

// Kernel serves one project. It is safe for concurrent use once it is set up.
type Kernel struct {
	store    store.Store
	clock    func() time.Time
	kinds    *Kinds
	meter    Meter
	settings settingsCache
	known    known
	recall   recall
	kept     sync.Map // by type, see Kept
	turns    func(context.Context, Turn)
	gate     *admission.Gate
	wrote    atomic.Bool
	grew     atomic.Bool
	halt     atomic.Pointer[error]
}

// New makes a kernel on a store. It can be used once SetUp has told it the
// kinds of records and who counts the reads of agents.
func New(s store.Store, clock func() time.Time) *Kernel {
	return &Kernel{store: s, clock: clock, gate: admission.NewGate(admission.Server())}
}

// SetUp completes the kernel with what the rooms bring: the kinds of their
// records, and the meter of what agents read. It is called once, before any
// use.
func (k *Kernel) SetUp(kinds *Kinds, m Meter) { k.kinds, k.meter = kinds, m }

// Kinds are the kinds of records there are.
func (k *Kernel) Kinds() *Kinds { return k.kinds }

// Now is the time as records keep it.
func (k *Kernel) Now() time.Time { return journal.Instant(k.clock()) }

// Wrote reports whether a record was written through this kernel, and forgets
// it.
func (k *Kernel) Wrote() bool { return k.wrote.Swap(false) }

// Grew is Wrote for whoever follows the journal.
func (k *Kernel) Grew() bool { return k.grew.Swap(false) }

// Halt lets nothing be written, for the reason given, until it is nil.
func (k *Kernel) Halt(err error) { k.halt.Store(&err) }

// Halted says why nothing is written, if so.
func (k *Kernel) Halted() error {
	if p := k.halt.Load(); p != nil {
		return *p
	}
	return nil
}

type despiteHalt struct{}

// DespiteHalt is for the one write that ends a halt.
func DespiteHalt(ctx context.Context) context.Context {
	return context.WithValue(ctx, despiteHalt{}, true)
}

// Store is the store below, for what is no use case: opening, importing,
// vectors, waiting.
func (k *Kernel) Store() store.Store { return k.store }

// How an actor was authenticated (J1). A token's id follows AuthToken.
const (
	AuthOwner = "owner" // has the project file, and therefore is the PI
	AuthAs    = "as"    // has the project file and chose to act as an agent
	AuthLogin = "login" // started the server and opened its login address
	// AuthServer is the server itself, in the name of who leads the project.
	AuthServer = "server"
	AuthToken  = "token:"
	// AuthAutomation is nobody: what a rule that the PI put in force brings
	// about (A1).
	AuthAutomation = "automation"
)

// System is the actor that automation acts as. It is no agent and no person:
// nobody can be registered, authenticated or addressed by this name.
const System brenner.ActorName = "system"

// Automation is the identity that automation acts under.
var Automation = Identity{Name: System, Auth: AuthAutomation}

// systemActor is System as calls know it.
var systemActor = store.Actor{Name: System, Kind: "system", Role: policy.System, Active: true}

// Identity is who asks and how we know.
type Identity struct {
	Name brenner.ActorName
	Auth string
}

// Caller is somebody who asks the kernel for something.
type Caller struct {
	*Kernel
	Identity
	task string // through whose context an agent reads; "": the newest
	// unasked says that what is read comes with the answer to something else.
	unasked bool
	recalls bool // see Recalling
}

// For is the caller reading for one of its tasks (C30).
func (k Caller) For(task string) Caller {
	k.task = task
	return k
}

// Unasked is the caller as it is told what it did not ask for.
func (k Caller) Unasked(yes bool) Caller {
	k.unasked = yes
	return k
}

// By gives the kernel as it is for one actor.
func (k *Kernel) By(who Identity) Caller { return Caller{Kernel: k, Identity: who} }

// Owner names the person who leads the project: the one the owner of the
// project file acts as (X8). Of several it is who has led it longest.
func (k *Kernel) Owner(ctx context.Context) (brenner.ActorName, error) {
	var name brenner.ActorName
	err := k.store.Read(ctx, func(r store.Reader) error {
		actors, err := r.Actors(ctx)
		if err != nil {
			return err
		}
		actors = slices.DeleteFunc(actors, func(a store.Actor) bool { return a.Kind != Person || a.Role != brenner.PI || !a.Active })
		if len(actors) == 0 {
			return brenner.Errorf(brenner.CodeNoProject, "the store holds no project").
				WithHint("make one").Try(brenner.Do("init"))
		}
		name = actors[0].Name
		if len(actors) > 1 {
			name, err = longestPI(ctx, r)
		}
		return err
	})
	return name, err
}

// longestPI names who has led the project longest of those who do. The journal is
// asked: the row of an actor says only when it was changed last.
func longestPI(ctx context.Context, r store.Reader) (brenner.ActorName, error) {
	first, err := r.Records(ctx, 0, 1)
	if err != nil || len(first) == 0 {
		return "", err
	}
	var made Project
	if err := payloadOf(first[0], &made); err != nil {
		return "", err
	}
	leading := []brenner.ActorName{made.PI} // longest first
	for after := int64(0); ; {
		rows, err := r.FindRecords(ctx, store.RecordQuery{Kind: ActorPut.Name, After: after, Limit: brenner.MaxPage})
		if err != nil || len(rows) == 0 {
			return leading[0], err
		}
		for _, rec := range rows {
			var a Actor
			if err := payloadOf(rec, &a); err != nil {
				return "", err
			}
			leads := a.Kind == Person && a.Role == brenner.PI && a.Active
			at := slices.Index(leading, a.Name)
			switch {
			case leads && at < 0:
				leading = append(leading, a.Name)
			case !leads && at >= 0:
				leading = slices.Delete(leading, at, at+1)
			}
		}
		after = rows[len(rows)-1].Seq
	}
}

func payloadOf(row store.Record, into any) error {
	rec, err := journal.Parse(row)
	if err != nil {
		return err
	}
	return canon.Unmarshal(rec.Payload, into)
}

// Found makes the project in an empty store and runs the first change in it,
// for the person who leads it.
func (k *Kernel) Found(ctx context.Context, p store.Project, pi brenner.ActorName, fn func(*Change) error) error {
	return k.store.Write(ctx, func(tx store.Tx) error {
		if err := tx.Init(ctx, p); err != nil {
			return err
		}
		c := &Call{
			Reader: tx, Ctx: ctx, Now: p.At, Clock: p.At, allowed: true, kernel: k,
			Identity: Identity{Name: pi, Auth: AuthOwner},
			Who:      store.Actor{Name: pi, Kind: Person, Role: brenner.PI, Active: true},
		}
		ch := &Change{Call: c, tx: tx}
		if err := fn(ch); err != nil {
			return err
		}
		return ch.commit("", "", nil)
	})
}
