package api

import (
	"context"
	"fmt"

	"brenner"
	"brenner/artifact"
)

// Files is many artifacts at once, as a directory of files brings them (X6).
type Files interface {
	// WriteBatch writes new artifacts and new versions in one transaction: all
	// of them or none. An item that says what is in the project already is
	// left alone and reported as such, so that a batch can be repeated.
	// A refusal carries the code of the first item that was refused, and a
	// finding for each. Codes: those of CreateArtifact and UpdateArtifact, and
	// LIMIT_EXCEEDED for a batch that is too long or too large.
	WriteBatch(ctx context.Context, req BatchRequest) (BatchResult, error)
}

// BatchRequest writes several artifacts.
type BatchRequest struct {
	Write
	Items []BatchItem `json:"items"`
	// DryRun goes the same way, up to the decision, and writes nothing.
	DryRun bool `json:"dry_run,omitzero"`
}

// BatchItem is a new artifact or a new version: one of Create and Update is
// given. Their own idempotency keys are not looked at.
type BatchItem struct {
	// Name is what the caller calls the item, such as the path of a file:
	// findings about the item carry it as their subject.
	Name   string                 `json:"name"`
	Create *CreateArtifactRequest `json:"create,omitzero"`
	Update *UpdateArtifactRequest `json:"update,omitzero"`
}

// BatchOutcome is what became of an item.
type BatchOutcome string

// The outcomes.
const (
	BatchCreated BatchOutcome = "created"
	BatchUpdated BatchOutcome = "updated"
	// BatchSame: a version says the same already; it is the one named.
	BatchSame BatchOutcome = "same"
)

// BatchWritten says what became of one item.
type BatchWritten struct {
	Name    string       `json:"name"`
	Outcome BatchOutcome `json:"outcome"`
	WriteResult
	// Summary, Tags and Links are those of the version; every link says which
	// version it points at.
	Summary string          `json:"summary"`
	Tags    []string        `json:"tags"`
	Links   []artifact.Link `json:"links"`
}

// BatchResult says what became of every item, in the order of the request.
type BatchResult struct {
	DryRun bool           `json:"dry_run"`
	Items  []BatchWritten `json:"items"`
}

// Finding makes a refusal of one of several things a finding about it.
func Finding(subject string, e *brenner.Error) brenner.Diagnostic {
	return brenner.Diagnostic{
		Code: e.Code, Severity: brenner.SeverityError, Subject: subject,
		Message: e.Message, Hint: e.Hint, Pointer: e.Pointer,
	}
}

// RefuseBatch makes one refusal of the findings about several things: the code
// of the first, and all of them up to a bound. It gives nil when there are none.
func RefuseBatch(findings []brenner.Diagnostic) error {
	if len(findings) == 0 {
		return nil
	}
	count := "one was"
	if len(findings) > 1 {
		count = fmt.Sprintf("%d were", len(findings))
	}
	if len(findings) > brenner.MaxBatchFindings {
		count = fmt.Sprintf("%d, of which the first %d are listed, were", len(findings), brenner.MaxBatchFindings)
	}
	return brenner.Errorf(findings[0].Code, "%s refused, and nothing was written", count).
		WithHint("mend what is named and repeat").
		WithDiagnostics(findings[:min(len(findings), brenner.MaxBatchFindings)])
}
