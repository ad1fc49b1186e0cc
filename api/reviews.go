package api

import (
	"context"
	"fmt"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/delta"
)

// Reviews is what waits for a person, everything needed to decide about it, and
// the decisions that are about many (N1–N6).
type Reviews interface {
	// Waiting is the inbox: everything that waits for a person, what most rests
	// on first (N1). The same list is behind Status.
	Waiting(ctx context.Context, req WaitingRequest) (WaitingList, error)
	// Review computes what is needed to decide about a version (N2). Version 0
	// is the newest head. Persons only.
	Review(ctx context.Context, req ReviewRequest) (ReviewView, error)
	// HandIn puts a version before a person: it waits in the inbox until it is
	// decided upon or replaced. Codes: STATUS_CONFLICT for one that is out of
	// use or canonical.
	HandIn(ctx context.Context, req HandInRequest) (HandedIn, error)
	// Approve says that a version holds, for a type that asks for it before a
	// promotion (A6). Codes: APPROVAL_DENIED for its author and for other roles,
	// STATUS_CONFLICT for a version that is not the head, or a type that asks
	// for none.
	Approve(ctx context.Context, req ApproveRequest) (Approvals, error)
	// Decide takes one decision about many versions: all or none, each with a
	// record of its own (N4). To say that a stale version still holds writes it
	// anew on the current versions of what it rests on (N5). Codes as Promote
	// and RequestChanges, and NOT_STALE, STILL_STALE, LIMIT_EXCEEDED.
	Decide(ctx context.Context, req DecideRequest) (DecideResult, error)
	// RequestChanges writes a critique of a version and opens a task for the
	// role of its author (N3). Persons only. Codes: UNKNOWN_ROLE for one that
	// cannot make the changes, TASK_TAKEN where another is at them.
	RequestChanges(ctx context.Context, req RequestChangesRequest) (ChangesRequested, error)
	// Comment says something about a version, or answers a comment (N6).
	// Persons only: an agent writes a critique.
	Comment(ctx context.Context, req CommentRequest) (CommentInfo, error)
	// SettleComment closes a comment and its answers. Persons only.
	SettleComment(ctx context.Context, req SettleCommentRequest) (CommentInfo, error)
}

// WaitKind says what kind of thing waits.
type WaitKind string

// The kinds of things that wait, as Status names them.
const (
	WaitStalemate     WaitKind = "stalemate"     // agents are stuck
	WaitConflict      WaitKind = "conflict"      // fields of a session in conflict
	WaitCompile       WaitKind = "compile"       // replies to be compiled
	WaitResend        WaitKind = "resend"        // messages that were not delivered
	WaitFork          WaitKind = "fork"          // more than one truth
	WaitStale         WaitKind = "stale"         // canonical versions that rest on what moved
	WaitPromotion     WaitKind = "promotion"     // a version to decide upon
	WaitApproval      WaitKind = "approval"      // one that the reader, who does not lead, is asked to approve
	WaitRebase        WaitKind = "rebase"        // one made from inputs that moved
	WaitLesson        WaitKind = "review"        // lessons of low confidence
	WaitFinding       WaitKind = "finding"       // what a check found
	WaitTask          WaitKind = "task"          // claimed and overdue
	WaitRequest       WaitKind = "request"       // an agent asks the PI for something
	WaitRun           WaitKind = "run"           // runs that failed
	WaitMemo          WaitKind = "memo"          // memos that are behind
	WaitAutomation    WaitKind = "automation"    // what a rule tells
	WaitConsolidation WaitKind = "consolidation" // overdue
	WaitSpine         WaitKind = "spine"         // what the spine lacks
)

// What needs somebody itself, and is in no inbox of what waits for persons.
const (
	NeedMessage = "message" // messages that it has not read
	NeedAnswer  = "answer"  // sessions that wait for its answer
	NeedWork    = "work"    // tasks that it holds or that are free for its role
	NeedSilence = "silence" // sessions that nobody has answered, for who leads
)

// WaitKinds lists the kinds of what waits.
func WaitKinds() []WaitKind {
	return []WaitKind{
		WaitStalemate,
		WaitConflict,
		WaitCompile,
		WaitResend,
		WaitFork,
		WaitStale,
		WaitPromotion,
		WaitApproval,
		WaitRebase,
		WaitLesson,
		WaitFinding,
		WaitTask,
		WaitRequest,
		WaitRun,
		WaitMemo,
		WaitAutomation,
		WaitConsolidation,
		WaitSpine,
	}
}

// MaxMembers is how many of the things that an item stands for it names.
const MaxMembers = 20

// Waiting is something that waits for a person.
type Waiting struct {
	Kind WaitKind `json:"kind"`
	// Subject names what it is about: a version, an artifact, a session, a task
	// or whatever the kind has names for.
	Subject string `json:"subject"`
	// Title is the subject in words, Why says why it waits.
	Title  string            `json:"title"`
	Why    string            `json:"why"`
	Author brenner.ActorName `json:"author,omitzero"`
	Since  time.Time         `json:"since,omitzero"`
	// Rests counts the versions that link to what it is about: how much rests
	// on the decision.
	Rests int `json:"rests"`
	// Count is how many things it stands for, Members the first of them. Shared are
	// how many of them another that waits, of the same kind, stands for already.
	Count   int      `json:"count"`
	Shared  int      `json:"shared,omitzero"`
	Members []string `json:"members,omitzero"`
}

// WaitingRequest selects what waits; no kinds select all.
type WaitingRequest struct {
	Page
	Kinds []WaitKind `json:"kinds,omitzero"`
}

// WaitingList is a page of the inbox.
type WaitingList struct {
	Next
	Items []Waiting `json:"items"`
	// Total counts the items of all pages, Counts those of each kind, whatever
	// was selected.
	Total  int              `json:"total"`
	Counts map[WaitKind]int `json:"counts"`
}

// ReviewRequest names a version.
type ReviewRequest struct {
	Ref brenner.Ref `json:"ref"`
}

// ReviewView is everything needed to decide about a version. It is computed,
// never stored (N2).
type ReviewView struct {
	ArtifactView
	// Against is the canonical version that it is compared with, and Difference
	// what is different; absent the first time.
	Against    brenner.Ref          `json:"against,omitzero"`
	Difference *artifact.Difference `json:"difference,omitzero"`
	// Evidence is what the version rests on, Opposes what it contradicts or says it takes
	// the place of.
	Evidence []ReviewEvidence `json:"evidence"`
	Opposes  []ReviewEvidence `json:"opposes,omitzero"`
	// Findings is what speaks against the version and stands.
	Findings []ReviewFinding `json:"findings"`
	// MoreFindings is how much more there is.
	MoreFindings int `json:"more_findings,omitzero"`
	// Lacks says of a session's document what nobody has done so far: who has not
	// answered, that nobody was asked to attack it, that nobody has said the answer.
	Lacks []string `json:"lacks,omitzero"`
	// Warnings is what the protocol asks of a session's document and this version
	// has not (D21), the first of it.
	Warnings []brenner.Diagnostic `json:"warnings,omitzero"`
	// Answered are critiques that a later version or a decision names: they stand no more.
	Answered []ReviewFinding `json:"answered,omitzero"`
	// Decisions are the newest of those about the artifact, the oldest first.
	Decisions []Decision `json:"decisions,omitzero"`
	// Promotion is what a promotion would come to, absent if there can be none;
	// Hindrance says why, or what it takes.
	Promotion *DecisionResult `json:"promotion,omitzero"`
	Hindrance *Hindrance      `json:"hindrance,omitzero"`
	// Role is what the author was, Context what it was shown before it wrote.
	Role    brenner.Role `json:"role,omitzero"`
	Context string       `json:"context,omitzero"`
	// Moved are inputs of its task that were no longer what they had been when
	// it was completed; Glanced moved too, and were only shown as a summary
	// (C17).
	Moved   []Moved `json:"moved,omitzero"`
	Glanced []Moved `json:"summaries_moved,omitzero"`
	// Waits says why it is in the inbox; empty if it is not.
	Waits string `json:"waits,omitzero"`
	// Comments are about any version of the artifact, the oldest first.
	Comments []CommentInfo `json:"comments"`
	// Approvals are those the type asks for and this version has; absent where
	// it asks for none (A6).
	Approvals *Approvals `json:"approvals,omitzero"`
}

// Approvals is how many others have approved a version, and how many must.
type Approvals struct {
	Ref    brenner.Ref    `json:"ref"`
	Needed int            `json:"needed"`
	Roles  []brenner.Role `json:"roles"`
	// Void says that a newer version stands at the head: what was approved does
	// not count any more.
	Void bool           `json:"void,omitzero"`
	By   []ApprovalInfo `json:"by"`
	// Against is what stands against the version, in the answer to an approval.
	Against []ReviewFinding `json:"against,omitzero"`
	// MoreAgainst is how much more there is.
	MoreAgainst int `json:"more_against,omitzero"`
}

// ApprovalInfo is an approval.
type ApprovalInfo struct {
	Actor brenner.ActorName `json:"actor"`
	Role  brenner.Role      `json:"role"`
	At    time.Time         `json:"at"`
}

// ApproveRequest approves a version, which must be the head; version 0 is that.
type ApproveRequest struct {
	Write
	Ref brenner.Ref `json:"ref"`
}

// ReviewEvidence is a version that another rests on.
type ReviewEvidence struct {
	Rel     artifact.Relation `json:"rel"`
	Ref     brenner.Ref       `json:"ref"`
	Type    brenner.TypeName  `json:"type"`
	Status  artifact.Status   `json:"status"`
	Summary string            `json:"summary"`
	// Stale says that it needs an update itself.
	Stale bool `json:"needs_update,omitzero"`
	// Demoted says that it was taken out of force.
	Demoted bool `json:"demoted,omitzero"`
	// Redacted says that its content was removed: what it said can no longer be read.
	Redacted bool `json:"redacted,omitzero"`
	// Now is the version of it that is in force, if that is another.
	Now brenner.Version `json:"now,omitzero"`
}

// FindingKind is what speaks against a version.
type FindingKind string

// The kinds of what speaks against a version.
const (
	FindingCritique    FindingKind = "critique"    // a critique of it
	FindingContradicts FindingKind = "contradicts" // something says that it contradicts it
	FindingItem        FindingKind = "item"        // a critique in the document of a session that is open, or beside its answer
	FindingConflict    FindingKind = "conflict"    // a field in the document of a session that is in conflict
	FindingStalemate   FindingKind = "stalemate"   // a stalemate about it that is not closed
	FindingFork        FindingKind = "fork"        // another version that could be the truth
)

// ReviewFinding is what speaks against a version: a critique of it that stands, what
// contradicts it, a critique or a conflict in it that is open, a stalemate about it that
// nobody has settled, or another version beside it.
type ReviewFinding struct {
	Kind FindingKind `json:"kind"`
	// Ref is the critique, what contradicts it, or the other version; of what stands in
	// the version, or is a stalemate, the version.
	Ref brenner.Ref `json:"ref"`
	// About is the earlier version that a critique is of; it stands until somebody
	// takes it back, whatever was changed since.
	About brenner.Ref `json:"about,omitzero"`
	// Item is the critique in the document of a session, or what is in conflict there.
	Item delta.ItemID `json:"item,omitzero"`
	// State is how far that critique has come, Bears how it bears on the answer.
	State delta.CritiqueState `json:"state,omitzero"`
	Bears delta.Bearing       `json:"bears,omitzero"`
	// Field is what of the item is in conflict.
	Field string `json:"field,omitzero"`
	// Stalemate is its id.
	Stalemate string `json:"stalemate,omitzero"`
	// Summary is what it says; absent in the answer to a change, and where it may not be
	// read.
	Summary string            `json:"summary,omitzero"`
	Creator brenner.ActorName `json:"creator"`
	At      time.Time         `json:"at"`
	// Answer is the version that names it, or that was promoted with a reason which does.
	Answer brenner.Ref `json:"answer,omitzero"`
}

// Stands reports whether nobody has answered it: a review shows critiques beside the answer
// of a session that were answered as well.
func (f ReviewFinding) Stands() bool {
	return f.Kind != FindingItem || f.State == delta.CritiqueOpen
}

// Name is what a finding is called: the critique, the item, or the stalemate.
func (f ReviewFinding) Name() string {
	switch f.Kind {
	case FindingItem, FindingConflict:
		return string(f.Item)
	case FindingStalemate:
		return f.Stalemate
	}
	return f.Ref.String()
}

// Hindrance is what stands in the way of a promotion.
type Hindrance struct {
	Code    brenner.Code `json:"code"`
	Message string       `json:"message"`
}

// CritiqueWords names a critique in the document of a session, how far it has come, and
// how it bears on the answer.
func (f ReviewFinding) CritiqueWords() string {
	words := fmt.Sprintf("%s critique %s", f.State, f.Item)
	if against := AgainstWords(f.Bears); against != "" {
		words += " " + against
	}
	return words
}

// HandInRequest puts a version before a person.
type HandInRequest struct {
	Write
	Ref brenner.Ref `json:"ref"` // version 0: the head
	// Note says what the reader should know.
	Note string `json:"note,omitzero"`
}

// HandedIn says what waits now.
type HandedIn struct {
	Ref brenner.Ref `json:"ref"`
	Seq int64       `json:"seq"`
}

// DecisionKind is a decision about versions.
type DecisionKind string

// The decisions.
const (
	DecidePromote    DecisionKind = "promote"
	DecideDemote     DecisionKind = "demote"
	DecideDeprecate  DecisionKind = "deprecate"
	DecideStillHolds DecisionKind = "still_holds"
	DecideChanges    DecisionKind = "request_changes"
)

// DecideRequest takes one decision about many versions.
type DecideRequest struct {
	Write
	Decision DecisionKind `json:"decision"`
	// Refs are what it is about, or Filter chooses them; version 0 is the head
	// of what is promoted, and otherwise the version in force.
	Refs   []brenner.Ref   `json:"refs,omitzero"`
	Filter *DecisionFilter `json:"filter,omitzero"`
	Reason string          `json:"reason"`
	// Replace and Override as in a single promotion.
	Replace  bool `json:"replace,omitzero"`
	Override bool `json:"override,omitzero"`
	// Role, of a request for changes, is who is to make them; empty: the role of
	// each author.
	Role   brenner.Role `json:"role,omitzero"`
	DryRun bool         `json:"dry_run,omitzero"`
}

// DecisionFilter chooses versions. For a promotion or a request for changes these
// are heads that wait to be decided upon; for a version that still holds, canonical ones that are
// stale; otherwise the versions in force.
type DecisionFilter struct {
	Types   []brenner.TypeName `json:"types,omitzero"`
	Modules []brenner.Module   `json:"modules,omitzero"`
	Tag     string             `json:"tag,omitzero"`
	// Moved keeps what is stale because this artifact has moved. What still holds is
	// confirmed for that alone, also where versions are named: it stays stale by what
	// else has moved.
	Moved brenner.ArtifactID `json:"moved,omitzero"`
}

// OnlyMoved reports a filter that says nothing but what has moved.
func (f DecisionFilter) OnlyMoved() bool {
	return f.Moved != "" && len(f.Types)+len(f.Modules) == 0 && f.Tag == ""
}

// DecideResult is what a decision came to, or in a dry run would come to.
type DecideResult struct {
	DryRun    bool           `json:"dry_run,omitzero"`
	Decisions []DecisionMade `json:"decisions"`
	// Stale and Fresh are the consequences of all of them together, as in
	// DecisionResult.
	Stale []brenner.Ref `json:"stale,omitzero"`
	Fresh []brenner.Ref `json:"fresh,omitzero"`
	// MoreStale is how many become stale beside those that are listed.
	MoreStale int `json:"more_stale,omitzero"`
	// MoreFresh is how many are stale no more beside those that are listed.
	MoreFresh int `json:"more_fresh,omitzero"`
}

// DecisionMade is the decision about one version.
type DecisionMade struct {
	Ref     brenner.Ref    `json:"ref"`
	Changes []StatusChange `json:"changes"`
	// New is the version that says that it still holds, and Looked what was
	// looked at: the links that moved.
	New    brenner.Ref `json:"new,omitzero"`
	Looked []LinkMoved `json:"looked,omitzero"`
	// Approvals are what the new version needs before it comes into force; absent
	// where it is in force at once (A6).
	Approvals *Approvals `json:"approvals,omitzero"`
	// Critique and Task came of a request for changes.
	Critique brenner.Ref `json:"critique,omitzero"`
	Task     *TaskInfo   `json:"task,omitzero"`
	// Lacks says what nobody has done so far in the session whose document comes into force.
	Lacks []string `json:"lacks,omitzero"`
	// Against is what stands against a version that comes into force.
	Against []ReviewFinding `json:"against,omitzero"`
	// MoreAgainst is how much more there is.
	MoreAgainst int   `json:"more_against,omitzero"`
	Seq         int64 `json:"seq,omitzero"`
}

// LinkMoved is a link that names another version now.
type LinkMoved struct {
	Rel artifact.Relation `json:"rel"`
	Was brenner.Ref       `json:"was"`
	Now brenner.Ref       `json:"now"`
}

// RequestChangesRequest sends a version back to its author.
type RequestChangesRequest struct {
	Write
	Ref    brenner.Ref `json:"ref"`
	Reason string      `json:"reason"`
	// Role is who is to make the changes; empty: the role of the author.
	Role   brenner.Role `json:"role,omitzero"`
	DryRun bool         `json:"dry_run,omitzero"`
}

// ChangesRequested is the critique and the task that came of a request.
type ChangesRequested struct {
	DryRun   bool        `json:"dry_run,omitzero"`
	Ref      brenner.Ref `json:"ref"`
	Critique brenner.Ref `json:"critique,omitzero"`
	Task     TaskInfo    `json:"task"`
	// Comments are those that went along with it.
	Comments []string `json:"comments,omitzero"`
	Seq      int64    `json:"seq,omitzero"`
}

// CommentRequest says something about a version.
type CommentRequest struct {
	Write
	Ref  brenner.Ref `json:"ref"`
	Text string      `json:"text"`
	// Reply is the comment that it answers.
	Reply string `json:"reply,omitzero"`
}

// SettleCommentRequest closes a comment.
type SettleCommentRequest struct {
	Write
	ID string `json:"id"`
}

// CommentInfo is a comment.
type CommentInfo struct {
	ID      string            `json:"id"`
	Ref     brenner.Ref       `json:"ref"`
	Author  brenner.ActorName `json:"author"`
	At      time.Time         `json:"at"`
	Text    string            `json:"text"`
	Reply   string            `json:"reply,omitzero"`
	Settled bool              `json:"settled,omitzero"`
}

// Outline is the comment without its text.
func (c CommentInfo) Outline() any {
	c.Text = ""
	return c
}
