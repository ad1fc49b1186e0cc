package api

import (
	"context"
	"fmt"
	"strings"
	"time"

	"brenner"
	"brenner/stalemate"

	"github.com/go-json-experiment/json/jsontext"
)

// Stalemates is what is done when agents are stuck: a stalemate with its
// evidence is an artifact, so is the verdict on it (S2, S5), and how far it
// has come (S3) is in the journal.
type Stalemates interface {
	// RaiseStalemate opens a stalemate. Codes: INVALID_STALEMATE,
	// EVIDENCE_PLACEHOLDER, LIMIT_EXCEEDED, WRITE_DENIED.
	RaiseStalemate(ctx context.Context, req RaiseStalemateRequest) (StalemateInfo, error)
	// ImportStalemate opens one from a Stalemate_Protocol_v1.1 request; unlike
	// raising it keeps placeholder evidence, marked missing.
	ImportStalemate(ctx context.Context, req ImportStalemateRequest) (StalemateInfo, error)
	// ExportStalemate gives a stalemate in that format, as canonical JSON (S1).
	ExportStalemate(ctx context.Context, req StalemateRequest) (StalemateExport, error)
	// Stalemate reads one, with its evidence and the latest verdict.
	Stalemate(ctx context.Context, req StalemateRequest) (StalemateView, error)
	Stalemates(ctx context.Context, req ListStalematesRequest) (StalemateList, error)
	// ArbitrateStalemate takes an open stalemate on, and lets the mechanical
	// arbiter draft a verdict from the evidence (S6). Codes: ARBITER_IS_PARTY,
	// STATUS_CONFLICT, WRITE_DENIED.
	ArbitrateStalemate(ctx context.Context, req StalemateRequest) (StalemateInfo, error)
	// DecideStalemate delivers a verdict (S5): the caller's, or the draft as it
	// is. Codes also: INVALID_VERDICT.
	DecideStalemate(ctx context.Context, req VerdictRequest) (StalemateInfo, error)
	// MoveStalemate takes a step after the verdict: accept, appeal, implement,
	// verify or reopen; or withdraws it (S3); or replies: a party says itself
	// what it holds, before there is a verdict. Codes: STATUS_CONFLICT,
	// REASON_REQUIRED, EVIDENCE_PLACEHOLDER, WRITE_DENIED.
	MoveStalemate(ctx context.Context, req MoveStalemateRequest) (StalemateInfo, error)
}

// How a stalemate came to be.
const (
	StalemateByHand   = "hand"
	StalemateByImport = "import"
	StalemateBySystem = "system" // patches failed (S4)
)

// StalemateRequest names a stalemate.
type StalemateRequest struct {
	Write
	ID brenner.ArtifactID `json:"id"`
	// Size asks for at most so many bytes of evidence, from Offset on: what the
	// parties hold comes with the first part, and agents are charged for what
	// they are sent. 0 asks for all.
	Size   int `json:"size,omitzero"`
	Offset int `json:"offset,omitzero"`
}

// RaiseStalemateRequest opens a stalemate.
type RaiseStalemateRequest struct {
	Write
	// ID is chosen by the service when empty.
	ID brenner.ArtifactID `json:"id,omitzero"`
	// Module is where the artifact belongs; empty: where its target does, or
	// the project as a whole.
	Module  brenner.Module    `json:"module,omitzero"`
	Session brenner.SessionID `json:"session,omitzero"`
	// Stalemate is what it is about. Ids, digests, time and state are set by
	// the service.
	Stalemate stalemate.Stalemate `json:"stalemate"`
}

// ImportStalemateRequest opens a stalemate from elsewhere.
type ImportStalemateRequest struct {
	Write
	ID      brenner.ArtifactID `json:"id,omitzero"`
	Module  brenner.Module     `json:"module,omitzero"`
	Session brenner.SessionID  `json:"session,omitzero"`
	Request jsontext.Value     `json:"request"`
}

// StalemateExport is a request in canonical JSON.
type StalemateExport struct {
	Request jsontext.Value `json:"request"`
}

// VerdictRequest delivers a verdict.
type VerdictRequest struct {
	Write
	ID brenner.ArtifactID `json:"id"`
	// Verdict is the caller's; nil adopts the draft of the mechanical arbiter.
	// Arbiter and round are set by the service.
	Verdict *stalemate.Verdict `json:"verdict,omitzero"`
}

// MoveStalemateRequest takes one step.
type MoveStalemateRequest struct {
	Write
	ID     brenner.ArtifactID `json:"id"`
	Action stalemate.Action   `json:"action"`
	Reason string             `json:"reason,omitzero"`
	// Statement and Justification are a party's own words, in a reply.
	Statement     string `json:"statement,omitzero"`
	Justification string `json:"justification,omitzero"`
	// Cause may name what a party holds to be the cause, one of stalemate.Causes.
	Cause string `json:"cause,omitzero"`
	// Evidence is added by a reply, or when a stalemate is reopened.
	Evidence []stalemate.Evidence `json:"evidence,omitzero"`
}

// ListStalematesRequest selects stalemates.
type ListStalematesRequest struct {
	Page
	States []stalemate.State `json:"states,omitzero"` // empty: all that are not closed
	// About is a target, or the session of those without one.
	About string `json:"about,omitzero"`
	// Newest lists the stalemate that was raised last first.
	Newest bool `json:"newest,omitzero"`
}

// StalemateList is a page of stalemates, oldest first unless it was asked
// otherwise.
type StalemateList struct {
	Next
	Stalemates []StalemateInfo `json:"items"`
	// Total counts those of all pages that the caller may read.
	Total int `json:"total"`
}

// StalemateInfo is a stalemate at a glance.
type StalemateInfo struct {
	ID brenner.ArtifactID `json:"id"`
	// Ref is the version that says what it is about; a round with new evidence
	// has a new one.
	Ref     brenner.Ref         `json:"ref"`
	Origin  string              `json:"origin"` // hand, import or system
	State   stalemate.State     `json:"state"`
	Round   int                 `json:"round"`
	Module  brenner.Module      `json:"module"`
	Summary string              `json:"summary"`
	Target  string              `json:"target,omitzero"`
	Session brenner.SessionID   `json:"session,omitzero"`
	Parties []brenner.ActorName `json:"parties"`
	Raiser  brenner.ActorName   `json:"raiser"`
	Raised  time.Time           `json:"raised_at"`
	// Missing lists the evidence that is only a placeholder.
	Missing []string `json:"missing_evidence,omitzero"`
	// VerdictRef is the latest verdict, and Outcome what it found. In
	// arbitration it is a draft.
	VerdictRef brenner.Ref       `json:"verdict_ref,omitzero"`
	Outcome    stalemate.Outcome `json:"outcome,omitzero"`
	Seq        int64             `json:"seq"`
}

// Stands says in a few words how far the stalemate has come, and what its verdict found once
// that was delivered.
func (s StalemateInfo) Stands() string {
	said := "stalemate " + strings.ReplaceAll(string(s.State), "_", " ")
	if s.State.Closed() {
		said = "closed " + said
	}
	switch s.State {
	case stalemate.Decided, stalemate.Accepted, stalemate.Appealed, stalemate.Implemented, stalemate.Verified:
		said += fmt.Sprintf(", %s by %s", strings.ReplaceAll(string(s.Outcome), "_", " "), s.VerdictRef)
	}
	return said
}

// StalemateView is a stalemate with everything that is known about it.
type StalemateView struct {
	StalemateInfo
	Stalemate stalemate.Stalemate `json:"stalemate"`
	Verdict   *stalemate.Verdict  `json:"verdict,omitzero"`
	// NextOffset is where the evidence goes on, 0 if nowhere.
	NextOffset int `json:"next_offset,omitzero"`
}
