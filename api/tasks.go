package api

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/delta"
)

// Tasks is work to be done: with pinned inputs, for a role, by one agent at a
// time (C16).
type Tasks interface {
	// NewTask opens a task. Inputs without a version are pinned at the one in
	// force. Codes: UNKNOWN_ROLE, UNKNOWN_MODULE, COMPRESSION_REQUIRED.
	NewTask(ctx context.Context, req NewTaskRequest) (TaskInfo, error)
	// ClaimTask takes a task, or with an empty ID the oldest one that is free
	// and for the caller's role; one agent wins. Claiming a task one holds
	// renews the lease; without a length it gets no shorter. Codes: TASK_TAKEN,
	// TASK_CLOSED, TASK_NOT_YOURS, COMPRESSION_REQUIRED.
	ClaimTask(ctx context.Context, req ClaimTaskRequest) (TaskInfo, error)
	// ReleaseTask gives a task back, with a word to who takes it next. Codes:
	// TASK_NOT_YOURS, TASK_CLOSED, LIMIT_EXCEEDED.
	ReleaseTask(ctx context.Context, req ReleaseTaskRequest) (TaskInfo, error)
	// ReassignTask gives a task to another agent, whoever holds it, for no shorter
	// than its holder has it. PI only.
	ReassignTask(ctx context.Context, req ReassignTaskRequest) (TaskInfo, error)
	// CancelTask closes a task that is no longer wanted: whoever asked for it, or
	// the PI.
	CancelTask(ctx context.Context, req CancelTaskRequest) (TaskInfo, error)
	// CompleteTask closes a task. What was written for it is marked
	// needs_rebase if an input has moved meanwhile (C17).
	CompleteTask(ctx context.Context, req CompleteTaskRequest) (TaskInfo, error)
	Task(ctx context.Context, req TaskRequest) (TaskInfo, error)
	Tasks(ctx context.Context, req ListTasksRequest) (TaskList, error)
}

// TaskState is where a task stands.
type TaskState string

// The states of a task.
const (
	TaskOpen     TaskState = "open"
	TaskClaimed  TaskState = "claimed"
	TaskDone     TaskState = "done"
	TaskCanceled TaskState = "canceled"
)

// TaskNote is the kind of a task that asks for nothing: a word to the author of
// what it is about, done as soon as it is said. TaskMark is the kind of one that
// says that somebody is at something; it ends with its lease. TaskDoing is as light as
// that: what somebody in a session said that it does next, till its next reply there, or
// till it says what else.
const (
	TaskNote  = "note"
	TaskMark  = "mark"
	TaskDoing = "doing"
)

// TaskRevise is the kind of a task that sends a version back to its author
// (N3).
const TaskRevise = "revise"

// NewTaskRequest opens a task.
type NewTaskRequest struct {
	Write
	Title string `json:"title"`
	// Spec says what is to be done and what counts as done.
	Spec    string           `json:"spec"`
	Role    brenner.Role     `json:"role,omitzero"`
	Modules []brenner.Module `json:"modules,omitzero"` // empty: the only one
	// CrossCutting allows more than one module (C23).
	CrossCutting bool          `json:"cross_cutting,omitzero"`
	Inputs       []brenner.Ref `json:"inputs,omitzero"`
	// Session, if any, gives the agents their roster roles (C8).
	Session brenner.SessionID `json:"session,omitzero"`
	// Items of the session that it is about: their authors are told, and without
	// a role it is for that of the first.
	Items []delta.ItemID `json:"items,omitzero"`
	// To names who is asked: an agent, in a session one who takes part in it. It is told
	// alone, and without a role the task is for the one that it has there. What is asked
	// need be about nothing but the session.
	To brenner.ActorName `json:"to,omitzero"`
	// Claim announces work that the caller does itself: it holds the task at once,
	// which is for its role unless another is named, and nobody else is asked.
	Claim bool `json:"claim,omitzero"`
	// Parts say, with Claim, who else of the session does what: each is told its
	// part, and that stands above what is announced later.
	Parts []TaskPart `json:"parts,omitzero"`
	// Note leaves a word, the title, with the authors of Items or Inputs, among which
	// may be tasks: those who are at them, or asked for them, are told. Nothing is
	// asked for, and nobody takes it. Announced work without a spec is as light: it
	// says that the caller is at it, until its lease ends.
	Note bool `json:"note,omitzero"`
	// Doing says in the title what the caller does next in the session: those who take part
	// are shown it, till the caller's next reply there or the next such word.
	Doing bool `json:"doing,omitzero"`
	// Hold is, with Doing, what the caller is to have alone in the session for it: a machine
	// to time on, RT while it writes that; with how long behind it ("machine 2m"), else for
	// HoldFor. It has it till then or till its next such word, an item till its next reply.
	// Where another has it, or waited longer for it, Held says who, and the caller waits in
	// line. "none" gives back what it has, and waits for nothing.
	Hold string `json:"hold,omitzero"`
	// WorkSettings are what a run of it may use. PI only.
	WorkSettings
}

// TaskPart is what announced work leaves to another.
type TaskPart struct {
	Agent brenner.ActorName `json:"agent"`
	Part  string            `json:"part"` // what it is to do
}

// ParsePart reads a part as people and agents write it: "NAME: what it does".
func ParsePart(text string) (TaskPart, error) {
	name, part, ok := strings.Cut(text, ":")
	p := TaskPart{Agent: brenner.ActorName(strings.TrimSpace(name)), Part: strings.TrimSpace(part)}
	if !ok || p.Agent == "" || p.Part == "" {
		return TaskPart{}, brenner.Errorf(brenner.CodeInvalidValue, "%q is no part of a division", brenner.Clip(text, brenner.MaxQuote)).At("/parts").
			WithHint(`write "NAME: what NAME does"`)
	}
	return p, nil
}

// TaskRequest names a task.
type TaskRequest struct {
	Write
	ID string `json:"id"`
}

// ClaimTaskRequest takes a task.
type ClaimTaskRequest struct {
	Write
	ID string `json:"id,omitzero"`
	// Lease is how long the claim holds; 0: the default, or for as long as the
	// caller has the task already.
	Lease Duration `json:"lease,omitzero"`
}

// ReleaseTaskRequest gives a task back.
type ReleaseTaskRequest struct {
	Write
	ID string `json:"id"`
	// Note says why, and how far it is: whoever holds it next and whoever asked for it
	// read that.
	Note string `json:"note,omitzero"`
}

// ReassignTaskRequest gives a task to an agent.
type ReassignTaskRequest struct {
	Write
	ID string            `json:"id"`
	To brenner.ActorName `json:"to"`
}

// CancelTaskRequest closes a task without a result.
type CancelTaskRequest struct {
	Write
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// CompleteTaskRequest closes a task with its result.
type CompleteTaskRequest struct {
	Write
	ID string `json:"id"`
	// Outputs are versions that belong to the result besides those that were
	// written for the task.
	Outputs []brenner.Ref `json:"outputs,omitzero"`
	Note    string        `json:"note,omitzero"`
}

// ListTasksRequest selects tasks.
type ListTasksRequest struct {
	Page
	States []TaskState  `json:"states,omitzero"` // empty: open and claimed
	Role   brenner.Role `json:"role,omitzero"`
	// Newest lists the task that was opened last first.
	Newest bool `json:"newest,omitzero"`
	// Mine lists what the caller holds, or what is for the role that counts for
	// it there: in a session the roster's.
	Mine bool `json:"mine,omitzero"`
	// Tell lists only these, in whatever state: it tells an agent what they are, which
	// its context is given once (C34).
	Tell []string `json:"tell,omitzero"`
}

// TaskList is a page of tasks, oldest first.
type TaskList struct {
	Next
	Tasks []TaskInfo `json:"items"`
	// Total counts those of all pages.
	Total int `json:"total"`
}

// TaskInfo is a task.
type TaskInfo struct {
	ID    string    `json:"id"`
	Kind  string    `json:"kind"` // work, note, mark, doing, fork, consolidate, review; or what a rule opened it for: update, distil, memo, lessons, task
	State TaskState `json:"state"`
	Title string    `json:"title"`
	Spec  string    `json:"spec"`
	// SpecLeft counts the bytes of the spec that an agent who takes the task was
	// not sent: they stand in the context of the task.
	SpecLeft     int               `json:"spec_left,omitzero"`
	Role         brenner.Role      `json:"role"`
	Modules      []brenner.Module  `json:"modules"`
	CrossCutting bool              `json:"cross_cutting"`
	Inputs       []Pin             `json:"inputs"`
	Session      brenner.SessionID `json:"session,omitzero"`
	// Items are those of the session that it is about, Changed those of them that
	// others than the caller have changed since it was asked.
	Items   []delta.ItemID `json:"items,omitzero"`
	Changed []ItemChange   `json:"changed,omitzero"`
	// On are the tasks that a note is about.
	On []string `json:"on,omitzero"`
	// Parts are what announced work leaves to others of its session.
	Parts []TaskPart `json:"parts,omitzero"`
	// To is who was asked by name.
	To         brenner.ActorName `json:"to,omitzero"`
	Creator    brenner.ActorName `json:"creator"`
	Created    time.Time         `json:"created_at"`
	Holder     brenner.ActorName `json:"holder,omitzero"`
	LeaseUntil time.Time         `json:"lease_until,omitzero"`
	// Overdue says that the lease has ended: anyone of the role may claim it.
	Overdue bool `json:"overdue,omitzero"`
	// Earlier are those who held it before, the last few, and how that ended.
	Earlier []TaskHolder `json:"earlier,omitzero"`
	// Told says, where an agent is told of tasks by name, that it opened this one, or that
	// its context was given what it is before.
	Told bool `json:"told,omitzero"`
	// Killed are those of its items that are dead, in the answer to whoever opens it.
	Killed []delta.Dead `json:"killed,omitzero"`
	// Unmanned says, in the answer to whoever opens it, that nobody else can
	// take it: no active agent has the role.
	Unmanned bool `json:"unmanned,omitzero"`
	// NotedTo are, in the answer to whoever leaves a note, those who are told of it.
	NotedTo []brenner.ActorName `json:"noted_to,omitzero"`
	// Opened counts, in the answer to an agent that opens it, what was opened under its
	// context, this as well.
	Opened int `json:"opened,omitzero"`
	// Untold counts, in the answer to whoever opens it, the agents that it is for and that
	// no message tells of it: they see it among the open tasks.
	Untold int `json:"untold,omitzero"`
	// Failed is how many runs of it have failed in a row, in the answer to whoever
	// claims it: from as many on as no run is started for it any more (W10).
	Failed int `json:"failed,omitzero"`
	// Hold is what its holder has alone in the session, while it has, and HoldUntil how long.
	Hold      string    `json:"hold,omitzero"`
	HoldUntil time.Time `json:"hold_until,omitzero"` // unless it is given up before
	// Wants is what its holder would have alone, and another has.
	Wants      string    `json:"wants,omitzero"`
	WantsSince time.Time `json:"wants_since,omitzero"` // who waits longest has it first
	WantsFor   int       `json:"wants_for,omitzero"`   // for how many seconds it would have it
	// OfferedUntil says that it came free, and how long it is kept for its holder.
	OfferedUntil time.Time `json:"offered_until,omitzero"`
	// Held is, in the answer to whoever would have something alone, who has it.
	Held *Holding `json:"held,omitzero"`
	// GaveBack is, in the answer to whoever says what else it does, what it had alone.
	GaveBack string `json:"gave_back,omitzero"`
	// Alike are unfinished tasks that ask for much the same, in the answer to
	// whoever opens it.
	Alike   []AlikeTask   `json:"alike,omitzero"`
	Outputs []brenner.Ref `json:"outputs"`
	// Written says of the newest of its outputs who wrote them, where the task is shown.
	Written []TaskOutput `json:"written,omitzero"`
	// Moved lists the inputs that changed before the task was completed.
	Moved []Moved `json:"moved,omitzero"`
	// Summaries lists what changed and was only shown as a summary, or is a document of a
	// session of which the outputs name nothing that changed: it marks nothing, and is for
	// whoever reviews the outputs.
	Summaries []Moved   `json:"summaries_moved,omitzero"`
	Note      string    `json:"note,omitzero"`
	Completed time.Time `json:"completed_at,omitzero"`
	WorkSettings
}

// EndsByItself says of a task that nobody else is to take: its lease ends it.
func (t TaskInfo) EndsByItself() bool { return t.Kind == TaskMark || t.Kind == TaskDoing }

// Holding is who has what only one has at a time, as it calls that, for what, and till when.
type Holding struct {
	Name  string            `json:"name"`
	Agent brenner.ActorName `json:"agent"`
	Title string            `json:"title,omitzero"`
	Until time.Time         `json:"until"` // unless it is given up before
	// Offered says that it came free, and is kept for who waited longest to look.
	Offered bool `json:"offered,omitzero"`
	// Before are those who wait for it longer than the caller.
	Before []brenner.ActorName `json:"before,omitzero"`
}

// NoHold is what one would have alone who gives back what one has.
const NoHold = "none"

// Asks is the title of the task in a line, or where the reader is not told that, that it is not.
func (t TaskInfo) Asks() string {
	if t.Title == "" {
		return "(what it asks is told to its role)"
	}
	return brenner.OneLine(t.Title)
}

// LeftBy says whether somebody held the task and left it to another.
func (t TaskInfo) LeftBy(who brenner.ActorName) bool {
	return t.Holder != who && slices.ContainsFunc(t.Earlier, func(h TaskHolder) bool { return h.Agent == who })
}

// HoldingEnd is how somebody came to hold a task no more.
type HoldingEnd string

// How a task comes to be another's.
const (
	HoldingReleased   HoldingEnd = "released"
	HoldingLapsed     HoldingEnd = "lapsed" // the lease ended, and another claimed it
	HoldingReassigned HoldingEnd = "reassigned"
)

// TaskHolder is somebody who held a task and does not any more.
type TaskHolder struct {
	Agent brenner.ActorName `json:"agent"`
	// Until is when it held it last: when it gave it back, or when its lease ended.
	Until time.Time  `json:"until"`
	How   HoldingEnd `json:"how"`
	// Note is why it gave it back, in its own words.
	Note string `json:"note,omitzero"`
}

// Words say how the holding ended.
func (h TaskHolder) Words() string {
	at := h.Until.UTC().Format("2006-01-02 15:04 UTC")
	switch h.How {
	case HoldingLapsed:
		return "The claim of " + string(h.Agent) + " ended " + at + " and was not renewed"
	case HoldingReassigned:
		return "It was taken from " + string(h.Agent) + " " + at + " and given to another"
	}
	return string(h.Agent) + " gave it back " + at
}

// TaskOutput is a version that was written for a task.
type TaskOutput struct {
	Ref    brenner.Ref       `json:"ref"`
	Author brenner.ActorName `json:"author"`
	Status artifact.Status   `json:"status"`
	// Result says that the task was completed with it; else it was only written for it.
	Result bool `json:"result,omitzero"`
}

// Words say what a version is to a task, and who wrote it.
func (o TaskOutput) Words() string {
	if o.Result {
		return fmt.Sprintf("result: %s (%s, by %s)", o.Ref, o.Status, o.Author)
	}
	return fmt.Sprintf("written for it: %s (%s, by %s)", o.Ref, o.Status, o.Author)
}

// Pin is an input as it stood when the task was opened.
type Pin struct {
	Ref brenner.Ref `json:"ref"`
	// Canonical and Head are those of the artifact at that time.
	Canonical brenner.Version `json:"canonical,omitzero"`
	Head      brenner.Version `json:"head"`
}

// Moved is an input that is no longer what it was.
type Moved struct {
	Ref brenner.Ref `json:"ref"`
	// Was and Now are the canonical version, or for a draft the head, then
	// and at completion; 0: none.
	Was brenner.Version `json:"was"`
	Now brenner.Version `json:"now"`
	// Through names the invocation that read it, if it was not pinned.
	Through string `json:"through,omitzero"`
	// Items are those of a session's document that others changed, of those that
	// the outputs name.
	Items []delta.ItemID `json:"items,omitzero"`
}

// AlikeTask is an unfinished task that asks for much the same as another.
type AlikeTask struct {
	ID      string            `json:"id"`
	Title   string            `json:"title"`
	State   TaskState         `json:"state"`
	Creator brenner.ActorName `json:"creator"`
	Holder  brenner.ActorName `json:"holder,omitzero"`
	// Since is when it was opened.
	Since time.Time `json:"since"`
	// Spec is how what is asked begins, for whoever takes part in its session.
	Spec string `json:"spec,omitzero"`
	// Part says that the title is a part that the task leaves to its holder.
	Part bool `json:"part,omitzero"`
	// Yields says that it is about a part that was left to who announces: that stands, and
	// its author was told to leave it.
	Yields bool `json:"yields,omitzero"`
}
