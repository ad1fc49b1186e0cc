package api

import (
	"context"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/check"
)

// Upkeep keeps a project in order: it finds drift, clutter and forks, and opens
// tasks for them. It decides nothing but what gc is told to apply.
type Upkeep interface {
	// CheckAlignment holds core artifacts to the canonical brief (C24), and
	// CheckAssumptions looks for assumptions that clash, of one module or of several
	// (C25). Each finding becomes one critique that reviews what it judges;
	// found again, it is not written again. Codes: NOT_FOUND without a
	// canonical brief, LIMIT_EXCEEDED, WRITE_DENIED.
	CheckAlignment(ctx context.Context, req CheckRequest) (CheckResult, error)
	CheckAssumptions(ctx context.Context, req CheckRequest) (CheckResult, error)
	// CollectGarbage lists what nothing in use has referred to for a period,
	// and with Apply deprecates it (C27).
	CollectGarbage(ctx context.Context, req GarbageRequest) (GarbageResult, error)
	// Consolidate finds artifacts that overlap and drafts that nobody uses,
	// and with OpenTasks opens tasks for them (C28).
	Consolidate(ctx context.Context, req ConsolidateRequest) (ConsolidateResult, error)
	// OpenForkTasks opens a task for each fork that has none open (C19).
	OpenForkTasks(ctx context.Context, req OpenForkTasksRequest) (OpenedTasks, error)
}

// CheckRequest runs a check.
type CheckRequest struct {
	Write
	// Modules keeps to what is in these; empty: all.
	Modules []brenner.Module `json:"modules,omitzero"`
	// Review opens review tasks for the findings as well.
	Review bool `json:"review,omitzero"`
	// DryRun only reports.
	DryRun bool `json:"dry_run,omitzero"`
}

// FindingState says what became of a finding.
type FindingState string

// The states of a finding.
const (
	FindingNew       FindingState = "new"       // seen for the first time
	FindingAgain     FindingState = "again"     // known of an earlier version
	FindingKnown     FindingState = "known"     // its critique stands
	FindingDismissed FindingState = "dismissed" // its critique was deprecated
	FindingLeft      FindingState = "left"      // too many for one run: run it again
)

// CheckFinding is a finding and the critique that records it. An agent gets no
// quotations: it reads the critique through a context (C3).
type CheckFinding struct {
	check.Finding
	State FindingState `json:"state"`
	// Critique is absent while none has been written.
	Critique brenner.Ref `json:"critique,omitzero"`
}

// CheckResult is what a check found.
type CheckResult struct {
	OpenedTasks
	// Brief is what artifacts were held to.
	Brief brenner.Ref `json:"brief,omitzero"`
	// Checked counts the artifacts that were read, Skipped those that were too
	// many.
	Checked  int            `json:"checked"`
	Skipped  int            `json:"skipped,omitzero"`
	Findings []CheckFinding `json:"findings"`
	// More counts findings that are neither listed nor recorded, because there are
	// many of one artifact: the next run has the next ones. Unread counts
	// paragraphs that were too many to be compared by meaning.
	More   int `json:"more,omitzero"`
	Unread int `json:"unread,omitzero"`
}

// OpenedTasks says which tasks were opened.
type OpenedTasks struct {
	Tasks []TaskInfo `json:"tasks"`
	// Held are tasks that cannot be opened now, and why.
	Held []HeldTask `json:"held,omitzero"`
	// Waiting counts tasks that were too many for one run.
	Waiting int `json:"waiting,omitzero"`
}

// HeldTask is a task that could not be opened.
type HeldTask struct {
	Title  string        `json:"title"`
	Code   brenner.Code  `json:"code"`
	Reason string        `json:"reason"`
	Inputs []brenner.Ref `json:"inputs"`
}

// GarbageRequest asks for what is not in use.
type GarbageRequest struct {
	Write
	// OlderThan is how long nothing must have happened; 0:
	// brenner.DefaultUnusedFor.
	OlderThan Duration `json:"older_than,omitzero"`
	// Apply deprecates what is found.
	Apply bool `json:"apply,omitzero"`
}

// GarbageResult lists what is not in use, in id order.
type GarbageResult struct {
	// Before is the instant before which it was last touched.
	Before time.Time     `json:"before"`
	Items  []GarbageItem `json:"items"`
	// Total also counts what is more than one run lists and applies.
	Total   int  `json:"total"`
	Applied bool `json:"applied"`
}

// GarbageItem is an artifact that nothing in use refers to.
type GarbageItem struct {
	ID      brenner.ArtifactID `json:"id"`
	Type    brenner.TypeName   `json:"type"`
	Module  brenner.Module     `json:"module"`
	Status  artifact.Status    `json:"status"` // of the head, before
	Head    brenner.Version    `json:"head"`
	Updated time.Time          `json:"updated_at"`
	// Seq is the position of the decision, once it is applied.
	Seq int64 `json:"seq,omitzero"`
}

// ConsolidateRequest looks for what could be brought together.
type ConsolidateRequest struct {
	Write
	Modules []brenner.Module `json:"modules,omitzero"` // empty: all
	// OlderThan is how old a draft must be to be of low value; 0:
	// brenner.DefaultUnusedFor.
	OlderThan Duration `json:"older_than,omitzero"`
	// OpenTasks opens a task for each group and records that a consolidation
	// was done.
	OpenTasks bool `json:"open_tasks,omitzero"`
}

// ConsolidateResult is what could be brought together.
type ConsolidateResult struct {
	OpenedTasks
	// Overlaps are groups that say the same; Drafts are old drafts that nothing
	// has ever linked to.
	Overlaps []check.Overlap `json:"overlaps"`
	Drafts   []DraftItem     `json:"drafts"`
	// Compared counts the artifacts that were compared; Skipped says that there
	// are more, changed less recently.
	Compared int  `json:"compared"`
	Skipped  bool `json:"skipped,omitzero"`
	// Last is the consolidation before this one, if there was one.
	Last Consolidation `json:"last,omitzero"`
}

// DraftItem is a draft of low value.
type DraftItem struct {
	Ref     brenner.Ref      `json:"ref"`
	Type    brenner.TypeName `json:"type"`
	Module  brenner.Module   `json:"module"`
	Updated time.Time        `json:"updated_at"`
}

// Consolidation is when a consolidation was done.
type Consolidation struct {
	At  time.Time `json:"at,omitzero"`
	Seq int64     `json:"seq,omitzero"`
}

// OpenForkTasksRequest opens tasks for forks.
type OpenForkTasksRequest struct {
	Write
}
