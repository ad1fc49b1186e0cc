package api

import (
	"context"
	"time"

	"brenner"
	"brenner/program"
)

// Runs is agents at work. A run is one start of an agent's program for one
// piece of work: the kickoff of a session, or a task. A runner is a process
// that finds work, starts runs and ends them; it acts as the PI, or as an actor
// of kind runner for the agents it is registered for (W17).
type Runs interface {
	// OpenWork lists what agents can be started for now: sessions that wait for
	// an answer and tasks that are free, without those that a run holds or that
	// have failed too often. Codes: NOT_FOUND.
	OpenWork(ctx context.Context, req OpenWorkRequest) (WorkList, error)
	// StartRun takes a piece of work for an agent, and a task with it, for as
	// long as the lease goes; it gives the token of the run. Codes: WORK_TAKEN,
	// WORK_DONE, WORK_BLOCKED, TASK_TAKEN, TASK_CLOSED, BUDGET_SPENT,
	// COST_UNKNOWN.
	StartRun(ctx context.Context, req StartRunRequest) (StartedRun, error)
	// BeatRuns says that runs are alive and what they do. It renews what needs
	// renewing, and answers which of them are to stop and which are gone.
	BeatRuns(ctx context.Context, req BeatRunsRequest) (Beat, error)
	// EndRun says how a run ended: its token dies, and a task that is not done
	// is free again. Codes: RUN_ENDED.
	EndRun(ctx context.Context, req EndRunRequest) (RunInfo, error)
	// StopRun asks for a run to be stopped; its runner does it. A run whose
	// lease has run out is ended here, as lost. Codes: RUN_ENDED.
	StopRun(ctx context.Context, req StopRunRequest) (RunInfo, error)
	Run(ctx context.Context, req RunRequest) (RunInfo, error)
	// Runs lists runs, the newest first.
	Runs(ctx context.Context, req ListRunsRequest) (RunList, error)
	// RunCosts sums what runs used, by agent, work and day (UTC).
	RunCosts(ctx context.Context, req RunCostsRequest) (RunCosts, error)
	// RunLog is what a run printed, with secrets struck out (W11); while it goes
	// on, the end of that as its runner last told it. For persons and whoever
	// reads raw logs.
	RunLog(ctx context.Context, req RunRequest) (RunLog, error)
}

// Work is what a run is for: one of both.
type Work struct {
	Session brenner.SessionID `json:"session,omitzero"`
	Task    string            `json:"task,omitzero"`
}

func (w Work) String() string {
	if w.Task != "" {
		return w.Task
	}
	return string(w.Session)
}

// Arguments names the work for an action.
func (w Work) Arguments() []string { return []string{"session", string(w.Session), "task", w.Task} }

// OpenWorkRequest selects work: of a session, a task, or all.
type OpenWorkRequest struct {
	Work
	// Again counts in sessions that have been answered, and work that has
	// failed too often: a person asks for it.
	Again bool `json:"again,omitzero"`
	// Bounded says that the runner has a budget of its own. Tasks that a rule
	// opened are listed only under a budget, this or the project's (A3).
	Bounded bool `json:"bounded,omitzero"`
	// OnlyPrograms asks which programs the project names, and for no work.
	OnlyPrograms bool `json:"only_programs,omitzero"`
	// Program names a program. Whoever is about to have work for it is refused here
	// what StartRun would refuse over the day's budget. Codes: BUDGET_SPENT,
	// COST_UNKNOWN.
	Program string `json:"program,omitzero"`
	// Bound is what a run of it costs at most.
	Bound program.Money `json:"bound_usd,omitzero"`
	// TellsCost says that it reports what a run cost.
	TellsCost bool `json:"tells_cost,omitzero"`
}

// WorkList lists work, what has waited longest first.
type WorkList struct {
	Work []WorkItem `json:"items"`
	// Blocked are pieces of work that have failed too often.
	Blocked []WorkItem `json:"blocked"`
	// Why says why there is none, of one task or session that was named.
	Why string `json:"why,omitzero"`
	// Project is whose work it is, Programs the programs that its configuration
	// in force names.
	Project  brenner.ProjectID          `json:"project"`
	Programs map[string]program.Program `json:"programs"`
}

// WorkItem is work that one of some agents could do.
type WorkItem struct {
	Work
	Title string       `json:"title"`
	Role  brenner.Role `json:"role"`
	// Agents are those who could; of a session the one who was asked.
	Agents []WorkAgent `json:"agents"`
	Since  time.Time   `json:"since"`
	// Failures counts the runs that have failed at it in a row, Last is the
	// newest of them.
	Failures int    `json:"failures,omitzero"`
	Last     string `json:"last,omitzero"`
	WorkSettings
}

// WorkSettings are what the PI has set for a task (W5).
type WorkSettings struct {
	Tools     program.Tools     `json:"tools,omitzero"`
	Directory program.Directory `json:"directory,omitzero"`
	// Test is a command line that is run in the worktree afterwards.
	Test string `json:"test,omitzero"`
}

// WorkAgent is an agent and the program that its roster names.
type WorkAgent struct {
	Name    brenner.ActorName `json:"name"`
	Program string            `json:"program,omitzero"`
	Model   string            `json:"model,omitzero"`
	// Busy counts its live runs.
	Busy int `json:"busy,omitzero"`
}

// RunProgram is what a run was started with, for the record.
type RunProgram struct {
	Name      string            `json:"name"`
	Profile   program.Profile   `json:"profile"`
	Model     string            `json:"model,omitzero"`
	Tools     program.Tools     `json:"tools"`
	Directory program.Directory `json:"directory"`
	// Digest is that of the whole resolved program.
	Digest brenner.Digest `json:"digest"`
	// Bound is the most that a run of it can cost; 0: there is none.
	Bound program.Money `json:"bound_usd,omitzero"`
	// TellsCost says that it reports what it cost.
	TellsCost bool `json:"tells_cost,omitzero"`
}

// StartRunRequest takes work.
type StartRunRequest struct {
	Write
	Work
	Agent   brenner.ActorName `json:"agent"`
	Program RunProgram        `json:"program"`
	// Runner is the process that does it, as RunnerName writes it.
	Runner string `json:"runner"`
	// Lease is how long it holds without a beat; 0: brenner.RunLease.
	Lease Duration `json:"lease,omitzero"`
	// Again starts although the session was answered, or the work has failed
	// too often.
	Again bool `json:"again,omitzero"`
}

// StartedRun is a run and what it starts with.
type StartedRun struct {
	RunInfo
	// Token is good for this run alone and dies with it. It is given once; a
	// repeated request has none.
	Token string `json:"token,omitzero"`
	// Messages are those that ask, to be read by the agent, oldest first; none
	// for a task.
	Messages []string `json:"messages,omitzero"`
	// Prompt is that of the agent's role, for a task; a kickoff holds its own.
	Prompt string `json:"prompt,omitzero"`
	// LeaseLeft is how long the lease goes from now.
	LeaseLeft Duration `json:"lease_left"`
	WorkSettings
}

// RunState is where a run stands.
type RunState string

// The states of a run.
const (
	RunRunning RunState = "running"
	RunEnded   RunState = "ended"
)

// Outcome is how a run ended (W10).
type Outcome string

// The outcomes.
const (
	OutcomeAnswered Outcome = "answered"  // a session has its answer
	OutcomeWorked   Outcome = "worked"    // a task is completed
	OutcomeNothing  Outcome = "nothing"   // no usable answer
	OutcomeRefused  Outcome = "refused"   // the model would not
	OutcomeFailed   Outcome = "failed"    // the program could not
	OutcomeTimedOut Outcome = "timed_out" // a bound was met
	OutcomeStopped  Outcome = "stopped"   // a person stopped it
	OutcomeLost     Outcome = "lost"      // its runner died
)

// Good reports whether the work is done.
func (o Outcome) Good() bool { return o == OutcomeAnswered || o == OutcomeWorked }

// RunInfo is a run.
type RunInfo struct {
	ID string `json:"id"`
	Work
	Agent brenner.ActorName `json:"agent"`
	Role  brenner.Role      `json:"role"`
	// Attempt counts the runs of this agent for this work, from 1.
	Attempt int        `json:"attempt"`
	Program RunProgram `json:"program"`
	Runner  string     `json:"runner"`
	// Starter is who had it started.
	Starter    brenner.ActorName `json:"starter"`
	State      RunState          `json:"state"`
	Started    time.Time         `json:"started_at"`
	LeaseUntil time.Time         `json:"lease_until,omitzero"`
	// Stopping says that a person wants it stopped, and why.
	Stopping string `json:"stopping,omitzero"`
	// Doing is what it does now, while it runs.
	Doing *RunProgress `json:"doing,omitzero"`

	Ended time.Time `json:"ended_at,omitzero"`
	RunEnd
	// Wrote are the versions that the run wrote.
	Wrote []brenner.Ref `json:"wrote,omitzero"`
	// Change is the artifact that holds what it changed in its worktree.
	Change brenner.Ref `json:"change,omitzero"`
	// Transcript is the hash of what it printed, by which that can be redacted.
	Transcript brenner.Digest `json:"transcript,omitzero"`
}

// RunEnd is how a run ended.
type RunEnd struct {
	Outcome Outcome       `json:"outcome,omitzero"`
	Cause   program.Cause `json:"cause,omitzero"`
	// Said is what the program said about it.
	Said  string        `json:"said,omitzero"`
	Exit  *program.Exit `json:"exit,omitzero"`
	Usage program.Usage `json:"usage,omitzero"`
	// Answered is the model as the program named it.
	Answered string `json:"model,omitzero"`
	// Context is the invocation it worked from, Message the reply taken in.
	Context string `json:"context,omitzero"`
	Message string `json:"message,omitzero"`
	// Starts counts how often the program was started, Repairs how often an
	// answer was sent back.
	Starts  int `json:"starts,omitzero"`
	Repairs int `json:"repairs,omitzero"`
	// Notes are what a person should know about it.
	Notes []string `json:"notes,omitzero"`
	// Branch is where a worktree's changes are, Base what they rest on.
	Branch string `json:"branch,omitzero"`
	Base   string `json:"base,omitzero"`
}

// RunProgress is what a run does now. It is not recorded.
type RunProgress struct {
	Does  string        `json:"does"`
	Since time.Time     `json:"since"`
	Usage program.Usage `json:"usage,omitzero"`
}

// BeatRunsRequest says what the runs of one runner do.
type BeatRunsRequest struct {
	Runner string    `json:"runner"`
	Runs   []RunBeat `json:"runs"`
}

// RunBeat is one run that is alive.
type RunBeat struct {
	ID    string        `json:"id"`
	Does  string        `json:"does,omitzero"`
	Since time.Time     `json:"since,omitzero"`
	Usage program.Usage `json:"usage,omitzero"`
	// Tail is the end of what it has printed, with secrets struck out; empty:
	// as it was told before.
	Tail string `json:"tail,omitzero"`
}

// Beat answers for each run that was named.
type Beat struct {
	Runs []BeatAnswer `json:"runs"`
}

// BeatAnswer says how a run stands with the project.
type BeatAnswer struct {
	ID string `json:"id"`
	// LeaseLeft is how long the run may go on without another beat.
	LeaseLeft Duration `json:"lease_left,omitzero"`
	// Stop says that it is to stop, and why.
	Stop string `json:"stop,omitzero"`
	// Gone says that it is no longer this runner's: it has ended, or its lease
	// has.
	Gone bool `json:"gone,omitzero"`
}

// EndRunRequest ends a run.
type EndRunRequest struct {
	Write
	ID     string `json:"id"`
	Runner string `json:"runner"`
	RunEnd
	// Transcript is what it printed.
	Transcript string `json:"transcript,omitzero"`
	// Change is what it changed in its worktree.
	Change *CodeChange `json:"change,omitzero"`
}

// CodeChange is what a run changed in a worktree: the content of an artifact
// of that type (W15).
type CodeChange struct {
	Base   string       `json:"base"`
	Branch string       `json:"branch"`
	Commit string       `json:"commit"`
	Files  []FileChange `json:"files"`
	Diff   string       `json:"diff"`
	// Cut says that the diff was too long to be kept whole.
	Cut  bool        `json:"cut,omitzero"`
	Test *TestResult `json:"test,omitzero"`
}

// FileChange is a file of a change.
type FileChange struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Binary  bool   `json:"binary,omitzero"`
}

// TestResult is what the test command of a task said.
type TestResult struct {
	Command string `json:"command"`
	Exit    int    `json:"exit"`
	// Output is the end of what it printed.
	Output string `json:"output"`
}

// StopRunRequest stops a run.
type StopRunRequest struct {
	Write
	ID     string `json:"id"`
	Reason string `json:"reason,omitzero"`
}

// RunRequest names a run.
type RunRequest struct {
	ID string `json:"id"`
}

// ListRunsRequest selects runs.
type ListRunsRequest struct {
	Page
	Work
	Agent  brenner.ActorName `json:"agent,omitzero"`
	States []RunState        `json:"states,omitzero"` // empty: all
	// Runner keeps to those of one runner, or of all of one machine.
	Runner string `json:"runner,omitzero"`
	// Since and Before select by when they started.
	Since  time.Time `json:"since,omitzero"`
	Before time.Time `json:"before,omitzero"`
	// Oldest lists the run that was started first first.
	Oldest bool `json:"oldest,omitzero"`
}

// RunList is a page of runs.
type RunList struct {
	Next
	Runs []RunInfo `json:"items"`
}

// RunSum is what some runs used together.
type RunSum struct {
	Runs   int            `json:"runs"`
	Good   int            `json:"good"`
	Tokens program.Tokens `json:"tokens"`
	Cost   program.Money  `json:"cost_usd"`
	// Unknown counts the runs whose cost was not told.
	Unknown int `json:"unknown,omitzero"`
	// Running counts those at work whose cost was not told yet.
	Running int `json:"running,omitzero"`
}

// RunCostsRequest selects runs to be summed: of one piece of work, or since an
// instant, or all.
type RunCostsRequest struct {
	Work
	Since time.Time `json:"since,omitzero"`
}

// RunCosts are sums.
type RunCosts struct {
	Total   RunSum            `json:"total"`
	ByAgent map[string]RunSum `json:"by_agent"`
	ByWork  map[string]RunSum `json:"by_work"`
	ByDay   map[string]RunSum `json:"by_day"`
	// Partial says that there are more runs: the sums are of the newest.
	Partial bool `json:"partial,omitzero"`
}

// RunLog is what a run printed.
type RunLog struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	// Running says that it goes on, and that the text is its end so far.
	Running bool `json:"running,omitzero"`
}
