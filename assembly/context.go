package assembly

import (
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/playbook"
)

// Input is everything an assembly depends on.
type Input struct {
	Project string
	Agent   brenner.ActorName
	View    View
	// ViewFrom says where the view comes from: the version of an artifact, the
	// configuration, or that it is built in. It is recorded, not looked at.
	ViewFrom string
	Format   Format

	// Task is what the agent is to do; nil outside a task.
	Task *Task
	// Asked are the questions that the context is for, besides the task.
	Asked []Asked
	// Modules and CrossCutting are those of the work, Shared the modules where
	// what concerns the whole project lives.
	Modules      []brenner.Module
	CrossCutting bool
	Shared       []brenner.Module

	// Overview is the brief in force, empty if there is none. Pinned are the
	// task's inputs. All of them must fit, in their order.
	Overview []Item
	Pinned   []Item

	// Written is what was written for the task by who held it, the newest first: in full
	// where it fits, and nothing has to.
	Written []Item

	// Candidates compete for the room that is left, in any order; Rest is what
	// was not even looked at.
	Candidates []Candidate
	Rest       []Rest
	// Bullets are lessons, ranked by the playbook, in any order.
	Bullets []playbook.Ranked

	// Tags are those of the task, Now is the instant recency counts from.
	Tags []string
	Now  time.Time

	// Counter counts what the view's budget is in: Bytes, or the Tokenizer of
	// Budget.Encoding. Cache may be nil.
	Counter Counter
	Cache   Cache
	// Load gives the content of an item that is wanted in full. An item whose
	// content is REDACTED is shown as a summary; other errors end the assembly.
	Load func(brenner.Ref) (artifact.Content, error)
	// Bearing, if it is set, says that others do the rest of the work, each with a context
	// of its own: of what was selected what Named names is given in full, and of the rest
	// the passages that Bearing chooses among their texts (see grow and quote).
	Bearing func(texts []string) []Passage
	Named   []brenner.ArtifactID
	// ForPart, if it is set, makes the context one of what bears on a part of the work, in
	// short, and of nothing else that its reader was given: of some texts it gives those that
	// do, the best first, each with the passage that bears most on it (see part.go).
	ForPart func(texts []Said) []Passage
	// Soon, if it is set, is told which contents are likely to be loaded next.
	Soon func([]brenner.Ref)
	// After names the context that this one goes on from, if it does, and Has says
	// why its reader need not be given an item: it has it. "" says that it has not.
	After string
	Has   func(Item) (why string, err error)
	// Since is when its reader was last given a context for the same work, zero if it
	// was not: what is selected and older stays a summary, which it can open.
	Since time.Time
	// Survey asks for what is needed before the work is divided: the brief, and the documents
	// of the sessions that are asked about. With ForPart, which then goes by the question, it
	// is for who divides, and has what bears on that as well.
	Survey bool
	// About gives the notes of some versions, which then count as part of their
	// text; nil: they are those of the items.
	About func([]brenner.Ref) (map[brenner.Ref]Notes, error)
	// Made says what the context was made of; it is recorded.
	Made Positions
}

// Said is a text and its summary.
type Said struct{ Summary, Text string }

// Passage is a part of one of several texts.
type Passage struct {
	Text  int // which
	Words string
}

// Asked is a question: of the one who asks for the context, or of a session.
type Asked struct {
	Session brenner.SessionID
	Text    string
}

// Positions say what a context is a function of (C21): how many records the
// journal had, and how many artifacts had changed that the full text did not
// know yet. What those say now was not looked at.
type Positions struct {
	Journal int64 `json:"journal"`
	Behind  int   `json:"behind,omitzero"`
}

// Task is what an agent is asked to do.
type Task struct {
	ID    string
	Title string
	Spec  string
	// Earlier are those who held it before, the last first.
	Earlier []Holder
}

// Holder is somebody who held a task: how that ended, in our words, and why, in its own.
type Holder struct {
	How  string
	Note string
}

// Context is what an agent gets, and why. Without Text it is the record of the
// assembly (C30). LeftOut names things that the agent may not see; it is for
// those who may.
type Context struct {
	Agent brenner.ActorName `json:"agent"`
	Role  brenner.Role      `json:"role"`
	Task  string            `json:"task,omitzero"`
	View  UsedView          `json:"view"`

	// Text is what the agent gets, SHA256 its digest.
	Text   string         `json:"-"`
	SHA256 brenner.Digest `json:"sha256"`
	Format Format         `json:"format"`
	Scope  Scope          `json:"scope"`
	Made   Positions      `json:"made,omitzero"`
	Budget Budget         `json:"budget"`
	// More is how many texts bear on the part of the work besides those shown.
	More int `json:"-"`
	// Used is the size of Text in the units of the budget. It never exceeds
	// Size less Reserve.
	Used int `json:"used"`
	// Parts say how Used divides over the sections.
	Parts []Part `json:"parts"`
	// Items and Bullets are what the text shows, in its order.
	Items   []Included       `json:"items"`
	Bullets []IncludedBullet `json:"bullets"`
	// LeftOut lists every candidate that the text does not show: those that
	// were ranked, by rank, then the others by id.
	LeftOut        []LeftOut       `json:"left_out"`
	BulletsLeftOut []LeftOutBullet `json:"bullets_left_out"`
	// Rest counts, by cause, what was not looked at.
	Rest []Rest `json:"rest"`
}

// UsedView names the view that a context was assembled by.
type UsedView struct {
	From   string         `json:"from"`
	SHA256 brenner.Digest `json:"sha256"` // of its canonical JSON
}

// Part is a section of a context and its share of the budget.
type Part struct {
	Section Section `json:"section"`
	Items   int     `json:"items"`
	Tokens  int     `json:"tokens"` // in the units of the budget
}

// Included is an artifact in the context.
type Included struct {
	Ref     brenner.Ref      `json:"ref"`
	Type    brenner.TypeName `json:"type"`
	Module  brenner.Module   `json:"module"`
	Status  artifact.Status  `json:"status"`
	Section Section          `json:"section"`
	Variant Variant          `json:"variant"`
	Tokens  int              `json:"tokens"` // in the units of the budget
	Why     string           `json:"why"`
	// Rank and Score are those of a selected candidate, By what brought it.
	Rank  int     `json:"rank,omitzero"`
	Score *Score  `json:"score,omitzero"`
	By    []Cause `json:"by,omitzero"`
}

// Reason is why a candidate is not in the context.
type Reason string

// The reasons.
const (
	NotPermitted   Reason = "not_permitted"   // the policy does not let the role read it
	AlreadyPresent Reason = "already_present" // it is the overview, a pinned input or was written for the task
	NotInView      Reason = "not_in_view"     // the view does not receive its type
	OutOfUse       Reason = "out_of_use"      // deprecated or superseded
	OtherModule    Reason = "other_module"    // outside the scope
	MaxOfType      Reason = "max_of_type"     // better-ranked ones fill the type's places
	OverBudget     Reason = "over_budget"     // not even its summary fits
	NotBearing     Reason = "not_bearing"     // it has too little to do with the part of the work
)

// LeftOut is a candidate that is not in the context.
type LeftOut struct {
	Ref    brenner.Ref      `json:"ref"`
	Type   brenner.TypeName `json:"type"`
	Reason Reason           `json:"reason"`
	Why    string           `json:"why"`
	Rank   int              `json:"rank,omitzero"`
	Score  *Score           `json:"score,omitzero"`
	By     []Cause          `json:"by,omitzero"`
}

// IncludedBullet is a lesson in the context.
type IncludedBullet struct {
	ID     playbook.BulletID `json:"id"`
	Stage  playbook.Stage    `json:"stage"`
	Score  float64           `json:"score"`
	Tokens int               `json:"tokens"` // in the units of the budget
}

// LeftOutBullet is a lesson that is not in the context.
type LeftOutBullet struct {
	ID     playbook.BulletID `json:"id"`
	Reason BulletReason      `json:"reason"`
}

// BulletReason is why a lesson is not in the context.
type BulletReason string

// The reasons for lessons.
const (
	StageNotInView   BulletReason = "stage_not_in_view"
	DomainNotInView  BulletReason = "domain_not_in_view"
	MaxOfBullets     BulletReason = "max_of_bullets"
	BelowFloor       BulletReason = "below_floor" // it has too little to do with the work
	BulletOverBudget BulletReason = "over_budget"
)

// Overflow is the detail of CONTEXT_OVERFLOW: what was needed, and where.
type Overflow struct {
	Budget Budget `json:"budget"`
	Needed int    `json:"needed"`
	Parts  []Part `json:"parts,omitzero"`
}
