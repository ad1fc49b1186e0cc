package api

import (
	"bytes"
	"context"
	"strings"

	"brenner"
	"brenner/anchor"
	"brenner/artifact"

	"github.com/go-json-experiment/json/jsontext"
)

// Patches changes text artifacts by quoting them. Which text a patch is for is
// said by the reference and by the checksum it names; its target.path is not
// looked at.
type Patches interface {
	// ApplyPatch makes a new version of a text artifact on the version named
	// (P15). Codes: those of a patch (P10), each with PatchRefusal as details,
	// and those of UpdateArtifact.
	ApplyPatch(ctx context.Context, req ApplyPatchRequest) (PatchResult, error)
	// ExplainPatch says whether a patch fits a version and, if not, why (P11).
	// It writes nothing and refuses nothing that is a patch.
	ExplainPatch(ctx context.Context, req ExplainPatchRequest) (PatchExplanation, error)
	// PatchBetween makes the patch that turns one version of an artifact into
	// another (P12).
	PatchBetween(ctx context.Context, req PatchBetweenRequest) (PatchBetweenResult, error)
}

// ApplyPatchRequest applies one patch to one version.
type ApplyPatchRequest struct {
	Write
	// Ref is the version the patch is applied to, and the parent of the new
	// one; version 0 is the head.
	Ref brenner.Ref `json:"ref"`
	// Patch is the change in any format that is read (P16): an anchor patch or
	// an edit with old_string and new_string as an object, everything else as a
	// string. A change without a checksum is for the version that Base names,
	// or Ref.
	Patch jsontext.Value `json:"patch"`
	// Format names the format; empty: it is recognised.
	Format anchor.Format `json:"format,omitzero"`
	// Base is the version that a change without a checksum was made for, if
	// that is not the version it is to be applied to.
	Base brenner.Version `json:"base,omitzero"`
	// Rebase carries the change over if the patch was made for another text
	// (P13).
	Rebase bool `json:"rebase,omitzero"`
	// DryRun goes the same way and writes nothing.
	DryRun bool `json:"dry_run,omitzero"`
	// Summary, SummaryHolds, Links, Change and Task are as in UpdateArtifactRequest.
	Summary      *string          `json:"summary,omitzero"`
	SummaryHolds bool             `json:"summary_holds,omitzero"`
	Links        []artifact.Link  `json:"links,omitzero"`
	Change       *artifact.Change `json:"change,omitzero"`
	Task         string           `json:"task,omitzero"`
	// Session is what refusals are counted by (S4): that of the task if it has
	// one; empty: the actor's refusals of the last day count.
	Session brenner.SessionID `json:"session,omitzero"`
}

// PatchResult says what a patch came to.
type PatchResult struct {
	Outcome anchor.Outcome `json:"outcome"`
	// From is the version the patch was applied to.
	From brenner.Ref `json:"from"`
	// Version is the new version; absent if there was nothing to change. In a
	// dry run it is the one that would have been written.
	Version *WriteResult `json:"version,omitzero"`
	// Before and After are checksums of the canonical text, which patches name.
	Before brenner.Digest `json:"before_sha256"`
	After  brenner.Digest `json:"after_sha256"`
	// Rebased is the patch that was really applied, if not the one given;
	// Already counts those of its changes that the text had made before.
	Rebased *anchor.Patch `json:"rebased,omitzero"`
	Already int           `json:"already,omitzero"`
	// Warnings say what looks odd about the change (P17).
	Warnings []brenner.Diagnostic `json:"warnings,omitzero"`
	DryRun   bool                 `json:"dry_run,omitzero"`
}

// Outline is the result without the patch that was really applied.
func (r PatchResult) Outline() any {
	r.Rebased = nil
	return r
}

// PatchRefusal is attached to the refusal of a patch.
type PatchRefusal struct {
	Ref brenner.Ref `json:"ref"`
	// Expected and Actual are the checksums that differ, if that is why.
	Expected brenner.Digest `json:"expected,omitzero"`
	Actual   brenner.Digest `json:"actual,omitzero"`
	// Rebased is a patch that does apply, where one exists (P13); Conflicts are
	// the lines that both sides changed, where that is why there is none.
	Rebased     *anchor.Patch      `json:"rebased,omitzero"`
	Conflicts   *anchor.Conflicts  `json:"conflicts,omitzero"`
	Explanation anchor.Explanation `json:"explanation"`
	// Failures counts the refusals of this kind on this artifact, in the
	// session or by the actor. Stalemate is what they have led to (S4).
	Failures  int                `json:"failures,omitzero"`
	Stalemate brenner.ArtifactID `json:"stalemate,omitzero"`
}

// ExplainPatchRequest asks about one patch and one version.
type ExplainPatchRequest struct {
	Ref brenner.Ref `json:"ref"` // version 0: the head
	// Patch and Format are as in ApplyPatchRequest.
	Patch  jsontext.Value `json:"patch"`
	Format anchor.Format  `json:"format,omitzero"`
	// Also are versions of other text artifacts to look in.
	Also []brenner.Ref `json:"also,omitzero"`
}

// PatchOf gives a change as it was written the form in which requests carry it.
func PatchOf(raw []byte) jsontext.Value {
	if v := jsontext.Value(bytes.TrimSpace(raw)); v.IsValid() {
		return v
	}
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(string(raw), "\uFFFD"))
	if err != nil {
		panic(err) // valid UTF-8 can be quoted
	}
	return quoted
}

// PatchExplanation says of one version why a patch does not fit it.
type PatchExplanation struct {
	Ref brenner.Ref `json:"ref"`
	anchor.Explanation
}

// PatchBetweenRequest names two versions of one text artifact.
type PatchBetweenRequest struct {
	From brenner.Ref `json:"from"`
	To   brenner.Ref `json:"to"`
}

// PatchBetweenResult is the patch; it has been applied to From.
type PatchBetweenResult struct {
	From  brenner.Ref  `json:"from"`
	To    brenner.Ref  `json:"to"`
	Patch anchor.Patch `json:"patch"`
}
