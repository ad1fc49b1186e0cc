package api

import (
	"context"

	"brenner"
	"brenner/playbook"
)

// Playbook is what was learned: lessons that count evidence and never rewrite
// themselves. Each domain has a playbook of its own.
type Playbook interface {
	// Learn matches a batch of insights with the bullets there are: each
	// strengthens one or begins one (B2, B3). All of the batch or nothing.
	// Codes: CONTENT_BLANK, UNKNOWN_SECTION, INVALID_DOMAIN, INVALID_VALUE,
	// INVALID_VECTOR, EMBEDDING_MISMATCH, VECTORS_MISSING, EMBED_UNAVAILABLE,
	// EMBED_REFUSED, EMBED_REPLY_INVALID.
	Learn(ctx context.Context, req LearnRequest) (LearnResult, error)
	// Bullets lists bullets, oldest first.
	Bullets(ctx context.Context, req ListBulletsRequest) (BulletList, error)
	// Bullet gives one, for persons with the records that made it.
	Bullet(ctx context.Context, req BulletRequest) (BulletView, error)
	// Feedback counts a judgement of a bullet that was used (B8). Code:
	// FEEDBACK_DENIED for an agent none of whose contexts carried it.
	Feedback(ctx context.Context, req FeedbackRequest) (BulletResult, error)
	// SameBullets folds the younger of two bullets into the older (B8).
	SameBullets(ctx context.Context, req SameBulletsRequest) (BulletResult, error)
	// PromoteBullets makes one gate pass over a domain (B6).
	PromoteBullets(ctx context.Context, req PromoteBulletsRequest) (BulletResult, error)
	// ForceBullet puts a bullet on a stage whatever its gates say. Persons
	// only, with a reason. Codes: PERSON_REQUIRED, REASON_REQUIRED,
	// STATUS_CONFLICT.
	ForceBullet(ctx context.Context, req ForceBulletRequest) (BulletResult, error)
	// ReleaseBullet lets a bullet out of quarantine. Persons only, with a
	// reason.
	ReleaseBullet(ctx context.Context, req ReleaseBulletRequest) (BulletResult, error)
	// ReviewBullet approves or rejects a bullet that waits for it (B7). Code:
	// ALREADY_REVIEWED.
	ReviewBullet(ctx context.Context, req ReviewBulletRequest) (BulletResult, error)
	// AmendBullet retires a bullet for a better worded one (B1). Persons only,
	// with a reason.
	AmendBullet(ctx context.Context, req AmendBulletRequest) (BulletResult, error)
	// UndoBullet takes one record of a bullet back by another (B9). Codes:
	// ALREADY_UNDONE, NOT_UNDOABLE.
	UndoBullet(ctx context.Context, req UndoBulletRequest) (BulletResult, error)
	// ExportPlaybook writes a playbook as Markdown or JSON Lines (B13).
	// Persons only.
	ExportPlaybook(ctx context.Context, req ExportPlaybookRequest) (PlaybookExport, error)
	// PlaybookStats counts what is there.
	PlaybookStats(ctx context.Context, req PlaybookStatsRequest) (PlaybookStats, error)
	// Reembed moves playbooks over to the embedding that is configured now
	// (B12). What was embedded before an interruption is not embedded again.
	Reembed(ctx context.Context, req ReembedRequest) (ReembedResult, error)
}

// DefaultDomain is the domain of insights that name none.
const DefaultDomain playbook.Domain = "general"

// LearnRequest is a batch of insights for one domain.
type LearnRequest struct {
	Write
	Domain   playbook.Domain `json:"domain,omitzero"` // empty: DefaultDomain
	Insights []Insight       `json:"insights"`
	// Guard keeps lessons with other numbers or opposite negation apart (B4);
	// nil: as configured.
	Guard *bool `json:"guard,omitzero"`
	// DryRun decides and explains, and changes nothing.
	DryRun bool `json:"dry_run,omitzero"`
}

// Insight is something somebody learned.
type Insight struct {
	Section playbook.Section `json:"section"`
	Content string           `json:"content"`
	// Confidence is 0 to 1; nil: just enough to need no review.
	Confidence *float64 `json:"confidence,omitzero"`
	Tags       []string `json:"tags,omitzero"`
	// Task it was learned in, Agent who learned it; empty: who is asking.
	Task  string            `json:"task,omitzero"`
	Agent brenner.ActorName `json:"agent,omitzero"`
	// Vector of the content, for playbooks whose vectors are given and not
	// computed: all insights of a batch have one, or none.
	Vector []float64 `json:"vector,omitzero"`
}

// LearnResult says what became of each insight.
type LearnResult struct {
	Domain   playbook.Domain `json:"domain"`
	DryRun   bool            `json:"dry_run,omitzero"`
	Outcomes []LearnOutcome  `json:"outcomes"`
	// Texts is what the bullets named in the outcomes say; to an agent that has
	// no context only what it sent itself.
	Texts map[playbook.BulletID]string `json:"texts"`
	Seq   int64                        `json:"seq,omitzero"`
}

// LearnOutcome is what became of one insight, and why.
type LearnOutcome struct {
	playbook.Outcome
	// Record names what was or would be written: BULLET#SEQ, for undo.
	Record string `json:"record"`
}

// ListBulletsRequest selects bullets.
type ListBulletsRequest struct {
	Page
	Domain   playbook.Domain    `json:"domain,omitzero"`   // empty: all
	Stages   []playbook.Stage   `json:"stages,omitzero"`   // empty: all but RETIRED
	Sections []playbook.Section `json:"sections,omitzero"` // empty: all
	Tag      string             `json:"tag,omitzero"`
	// Review keeps only the bullets that wait for a review (B7).
	Review bool `json:"review,omitzero"`
}

// BulletList is a page of bullets.
type BulletList struct {
	Next
	Bullets []playbook.Bullet `json:"items"`
}

// BulletRequest asks for a bullet and a page of its records, newest first.
type BulletRequest struct {
	Page
	ID playbook.BulletID `json:"id"`
	// History asks for the records too: persons only (C1).
	History bool `json:"history,omitzero"`
}

// BulletView is a bullet, where it stands, and how it got there.
type BulletView struct {
	Next
	Bullet playbook.Bullet `json:"bullet"`
	SHA256 brenner.Digest  `json:"sha256"`
	// Gate is the next one, if there is one.
	Gate *playbook.Gate `json:"gate,omitzero"`
	// Records made the bullet, newest first.
	Records []playbook.DeltaUpdate `json:"records,omitzero"`
}

// FeedbackRequest is a judgement of a bullet that was used.
type FeedbackRequest struct {
	Write
	ID playbook.BulletID `json:"id"`
	// As is what it turned out to be.
	As playbook.Section `json:"as"`
	// Invocation names the context that carried it; empty: a recent one of
	// the agent's.
	Invocation string `json:"invocation,omitzero"`
	Reason     string `json:"reason,omitzero"`
}

// SameBulletsRequest names two bullets that say the same.
type SameBulletsRequest struct {
	Write
	A      playbook.BulletID `json:"a"`
	B      playbook.BulletID `json:"b"`
	Reason string            `json:"reason,omitzero"`
}

// PromoteBulletsRequest asks for a gate pass.
type PromoteBulletsRequest struct {
	Write
	Domain playbook.Domain `json:"domain,omitzero"` // empty: DefaultDomain
}

// ForceBulletRequest puts a bullet on a stage.
type ForceBulletRequest struct {
	Write
	ID     playbook.BulletID `json:"id"`
	Stage  playbook.Stage    `json:"stage"`
	Reason string            `json:"reason"`
}

// ReleaseBulletRequest lets a bullet out of quarantine.
type ReleaseBulletRequest struct {
	Write
	ID     playbook.BulletID `json:"id"`
	Reason string            `json:"reason"`
}

// ReviewBulletRequest closes a review.
type ReviewBulletRequest struct {
	Write
	ID      playbook.BulletID `json:"id"`
	Approve bool              `json:"approve"` // otherwise reject
	Reason  string            `json:"reason,omitzero"`
}

// AmendBulletRequest words a lesson better.
type AmendBulletRequest struct {
	Write
	ID      playbook.BulletID `json:"id"`
	Content string            `json:"content"`
	Section playbook.Section  `json:"section,omitzero"` // empty: as before
	Reason  string            `json:"reason"`
	// Vector as in Insight.
	Vector []float64 `json:"vector,omitzero"`
}

// UndoBulletRequest takes a record back.
type UndoBulletRequest struct {
	Write
	Record string `json:"record"` // BULLET#SEQ
	Reason string `json:"reason,omitzero"`
}

// BulletResult says what changed.
type BulletResult struct {
	// Bullets are those that changed, as they are now.
	Bullets []playbook.Bullet `json:"bullets"`
	// Records name what was written: BULLET#SEQ.
	Records []string `json:"records"`
	Seq     int64    `json:"seq,omitzero"`
}

// ExportPlaybookRequest asks for a playbook as a text.
type ExportPlaybookRequest struct {
	Domain playbook.Domain `json:"domain,omitzero"` // empty: all
	Format playbook.Format `json:"format,omitzero"` // markdown (default) or jsonl
}

// PlaybookExport is a playbook as a text.
type PlaybookExport struct {
	Format  playbook.Format `json:"format"`
	Bullets int             `json:"bullets"`
	Text    string          `json:"text"`
}

// PlaybookStatsRequest asks about one domain, or all.
type PlaybookStatsRequest struct {
	Domain playbook.Domain `json:"domain,omitzero"`
}

// PlaybookStats counts bullets.
type PlaybookStats struct {
	// Threshold and Guard are in force for what is learned next.
	Threshold float64       `json:"threshold"`
	Guard     bool          `json:"guard"`
	Domains   []DomainStats `json:"domains"`
}

// DomainStats counts the bullets of one domain.
type DomainStats struct {
	Domain    playbook.Domain        `json:"domain"`
	Embedding playbook.Identity      `json:"embedding"`
	Stages    map[playbook.Stage]int `json:"stages"`
	Review    int                    `json:"review"` // waiting
}

// ReembedRequest moves playbooks to another embedding.
type ReembedRequest struct {
	Write
	Domain   playbook.Domain `json:"domain,omitzero"` // empty: all
	Progress Progress        `json:"-"`
}

// ReembedResult says what moved.
type ReembedResult struct {
	Domains []DomainReembed `json:"domains"`
}

// DomainReembed is one playbook that was looked at.
type DomainReembed struct {
	Domain playbook.Domain   `json:"domain"`
	From   playbook.Identity `json:"from"`
	To     playbook.Identity `json:"to"`
	// Moved is false when it was there already.
	Moved bool `json:"moved"`
	// Embedded is how many bullets got a vector in this run.
	Embedded int   `json:"embedded"`
	Seq      int64 `json:"seq,omitzero"`
}
