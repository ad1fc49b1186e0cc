// Package firings is the room of what happens by itself: it follows the journal,
// and where a record is an event that a rule waits for it does what the rule
// says, as the actor system (A1–A4, A7).
//
// What a firing does and the record that says so are one transaction, and one
// event fires a rule about one subject once: a process that dies loses no firing
// and doubles none, and of two that look at one journal the faster fires, the
// other finds it done (A2). There is no lease to hold or to lose.
//
// Every rule has a place in the journal up to which it has looked. A firing
// moves it; a stretch without one is noted now and then (brenner.AutomationStride),
// so that a command that starts does not look at the whole history.
package firings

import (
	"sync"

	"brenner"
	"brenner/api"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
)

// Room is where the firings of one project are.
type Room struct {
	*kernel.Kernel
	Ledger   *ledger.Room
	Tasks    Tasks
	Contexts Contexts
	Sessions Sessions
	Lessons  Lessons
	Upkeep   Upkeep
	Runs     Runs

	seen seen
}

// Tasks is what firings need of tasks.
type Tasks interface {
	// Find gives a task.
	Find(c *kernel.Call, id string) (api.TaskInfo, error)
	// Open checks and opens a task of some kind.
	Open(ch *kernel.Change, req api.NewTaskRequest, kind string) (api.TaskInfo, error)
	// Cancel closes a task that nobody has to do any more.
	Cancel(ch *kernel.Change, id, reason string) (api.TaskInfo, error)
	// Closed is the record that closed a task; 0 while it is open.
	Closed(c *kernel.Call, id string) (int64, error)
	// Each visits tasks in these states, the oldest first.
	Each(c *kernel.Call, states []api.TaskState, fn func(api.TaskInfo) bool) error
	// FellBehind reports whether at a record the memo of a module was over the
	// threshold.
	FellBehind(c *kernel.Call, m brenner.Module, at int64) (bool, error)
}

// Contexts is what firings need of contexts.
type Contexts interface {
	// TaskOf is the task that a context was for, "" if for none.
	TaskOf(c *kernel.Call, id string) (string, error)
}

// Sessions is what firings need of sessions.
type Sessions interface {
	// Answered reports whether everybody who was asked had answered by a record.
	Answered(c *kernel.Call, id brenner.SessionID, by int64) (bool, error)
	// ModuleOf is the module of a session.
	ModuleOf(c *kernel.Call, id brenner.SessionID) (brenner.Module, error)
	// Pending reports whether deltas wait to be compiled.
	Pending(c *kernel.Call, id brenner.SessionID) (bool, error)
	// CompileNow compiles what waits.
	CompileNow(ch *kernel.Change, id brenner.SessionID) (brenner.Ref, error)
	// Document is what a version of a session says.
	Document(c *kernel.Call, ref brenner.Ref) (*delta.Artifact, error)
}

// Lessons is what firings need of lessons.
type Lessons interface {
	// Rises reports whether a bullet has the evidence for its next step, and a
	// record is the last that moved it; Rise lets it take that step.
	Rises(c *kernel.Call, bullet string, at int64) (bool, error)
	Rise(ch *kernel.Change, bullet string) error
	// Ready lists bullets that have the evidence for their next step.
	Ready(c *kernel.Call, most int) ([]string, error)
	// Unsure lists the bullets of the domain of one that wait for a review; none
	// if that one does not.
	Unsure(c *kernel.Call, bullet string, most int) (domain string, waiting []string, err error)
}

// Upkeep is what firings need of upkeep.
type Upkeep interface {
	// Examine looks for what a check finds about one version and has not said
	// yet; Keep writes that down.
	Examine(c *kernel.Call, check string, ref brenner.Ref) ([]api.CheckFinding, error)
	// ExamineAll is Examine for all that is in use.
	ExamineAll(c *kernel.Call, check string) ([]api.CheckFinding, error)
	Keep(ch *kernel.Change, check string, findings []api.CheckFinding) ([]brenner.Ref, error)
	// ForkTask words the task to resolve the fork that a version is part of;
	// false if there is none.
	ForkTask(c *kernel.Call, id brenner.ArtifactID) (api.NewTaskRequest, bool, error)
	// SettledForks lists the tasks to resolve a fork of an artifact that is gone
	// and that nobody has begun.
	SettledForks(c *kernel.Call, id brenner.ArtifactID) ([]string, error)
	// Consolidation looks for what could be brought together; what it gives
	// opens the tasks, nil if there is nothing.
	Consolidation(c *kernel.Call) (open func(ch *kernel.Change) (tasks []string, err error), err error)
}

// Runs is what firings need of runs.
type Runs interface {
	// BlockedTask is the task of a run if it has failed too often; "" if not.
	BlockedTask(c *kernel.Call, run string) (string, error)
}

// seen is how far this process has looked for each rule, besides what the
// journal says: a server does not look at the same records after every write.
type seen struct {
	mu      sync.Mutex
	through map[string]int64 // by rule and version
}

func (s *seen) of(key string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.through[key]
}

func (s *seen) note(keys []string, through int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.through == nil {
		s.through = map[string]int64{}
	}
	for _, k := range keys {
		s.through[k] = max(s.through[k], through)
	}
}

// Service is the room as it is for one caller.
type Service struct {
	*Room
	caller kernel.Caller
}

// As gives the room as it is for one caller.
func (r *Room) As(who kernel.Identity) *Service { return &Service{Room: r, caller: r.By(who)} }
