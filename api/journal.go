package api

import (
	"context"
	"fmt"
	"io"
	"time"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
)

// Journal is the history itself. Persons only: no agent gets it (C1).
type Journal interface {
	// Records lists records, all or those that are asked for.
	Records(ctx context.Context, req RecordsRequest) (RecordList, error)
	// Verify recomputes everything from the records' bytes: hashes, contents,
	// and the tables by replaying into a scratch store (J3). It reports what
	// is wrong in the result; the error is for when it could not look.
	Verify(ctx context.Context, req VerifyRequest) (VerifyResult, error)
	// Replay rebuilds the tables from the journal (J4).
	Replay(ctx context.Context, req ReplayRequest) (ReplayResult, error)
	// Checkpoint signs what the journal is now (J2).
	Checkpoint(ctx context.Context) (CheckpointResult, error)
	// Export writes the project as JSON Lines (J5).
	Export(ctx context.Context, w io.Writer) (ExportResult, error)
	// Redact removes a blob and leaves its hash and a record (J6).
	Redact(ctx context.Context, req RedactRequest) (RedactResult, error)
}

// Progress is told now and then how far a long task is; total is 0 when it is
// not known.
type Progress func(what string, done, total int64)

// RecordsRequest lists records, the oldest first or the newest first, that lie
// after one position and before another; 0 is no bound.
type RecordsRequest struct {
	After  int64 `json:"after,omitzero"`
	Before int64 `json:"before,omitzero"`
	Newest bool  `json:"newest,omitzero"`
	Limit  int   `json:"limit,omitzero"`
	// Cursor goes on where a page ended, whatever After and Before say.
	Cursor string `json:"cursor,omitzero"`
	// Kind and Actor keep records of one kind, or by one actor.
	Kind  string            `json:"kind,omitzero"`
	Actor brenner.ActorName `json:"actor,omitzero"`
	// About keeps records that name this artifact, session, task or whatever
	// else has a name, with or without a version.
	About string `json:"about,omitzero"`
	// Text keeps records that contain it, in upper or lower case.
	Text string `json:"text,omitzero"`
}

// RecordList is a page of the journal. Last is where the next page starts: its
// After, or its Before if the newest come first. A search looks
// through a bounded stretch at a time, so a page may hold few records, or none,
// although there is More.
type RecordList struct {
	Next
	Records []RecordInfo `json:"items"`
	Last    int64        `json:"last"`
	More    bool         `json:"more"`
}

// RecordInfo is one record.
type RecordInfo struct {
	Seq     int64             `json:"seq"`
	At      time.Time         `json:"at"`
	Actor   brenner.ActorName `json:"actor"`
	Role    brenner.Role      `json:"role"`
	Auth    string            `json:"auth"`
	Kind    string            `json:"kind"`
	Payload jsontext.Value    `json:"payload"`
}

// VerifyRequest says what to compare with.
type VerifyRequest struct {
	// Checkpoints are signed notes saved earlier.
	Checkpoints []string `json:"checkpoints,omitzero"`
	// PublicKey checks them; empty: the key kept for this project.
	PublicKey string `json:"public_key,omitzero"`
	// Quick leaves out the replay of the tables.
	Quick bool `json:"quick,omitzero"`
	// Deep also rebuilds every session artifact from its deltas.
	Deep bool `json:"deep,omitzero"`
	// Accept takes a journal that is shorter than it was, or another one, for
	// the history of the project, unless something else is wrong with it.
	Accept   bool     `json:"accept,omitzero"`
	Progress Progress `json:"-"`
}

// VerifyResult is the verdict.
type VerifyResult struct {
	OK   bool   `json:"ok"`
	Size int64  `json:"size"`
	Root string `json:"root"`
	// Digest is the state digest of the tables; empty when Quick.
	Digest brenner.Digest `json:"digest,omitzero"`
	// Findings are what is wrong, in order.
	Findings []VerifyFinding `json:"findings"`
	// Redacted lists contents that were removed on purpose.
	Redacted []brenner.Digest `json:"redacted,omitzero"`
	// Blobs is how many contents were checked, Checkpoints how many held.
	Blobs       int64 `json:"blobs"`
	Checkpoints int   `json:"checkpoints"`
	// Rebuilt is how many versions of session artifacts were made again.
	Rebuilt int `json:"rebuilt,omitzero"`
	// Accepted says that the journal is taken for the history from now on.
	Accepted bool `json:"accepted,omitzero"`
}

// VerifyFinding is one thing that is wrong.
type VerifyFinding struct {
	Code    brenner.Code `json:"code"`
	First   int64        `json:"first_seq,omitzero"`
	Last    int64        `json:"last_seq,omitzero"`
	Message string       `json:"message"`
}

// ReplayRequest rebuilds the tables.
type ReplayRequest struct {
	Progress Progress `json:"-"`
}

// ReplayResult compares the tables before and after.
type ReplayResult struct {
	Records int64          `json:"records"`
	Before  brenner.Digest `json:"before"`
	After   brenner.Digest `json:"after"`
	Same    bool           `json:"same"`
}

// CheckpointResult is a signed note, to be kept somewhere else.
type CheckpointResult struct {
	Note      string `json:"note"`
	Size      int64  `json:"size"`
	Root      string `json:"root"`
	PublicKey string `json:"public_key"`
}

// ExportFormat names the format of an export in its first line.
const ExportFormat = "brenner-export"

// ExportResult says what was written.
type ExportResult struct {
	Records int64          `json:"records"`
	Blobs   int64          `json:"blobs"`
	Root    string         `json:"root"`
	Digest  brenner.Digest `json:"digest"`
	// DigestVersion is the form of the tables that Digest is over; digests of
	// two forms say nothing about each other.
	DigestVersion int `json:"digest_version"`
}

// ImportResult says what was read into a new project.
type ImportResult struct {
	Project brenner.ProjectID `json:"project"`
	Name    string            `json:"name"`
	Records int64             `json:"records"`
	Blobs   int64             `json:"blobs"`
	Root    string            `json:"root"`
	Digest  brenner.Digest    `json:"digest"`
}

// RedactRequest removes a content, or a text of a record, for good.
type RedactRequest struct {
	Write
	// Digest of the content; or Ref, whose content it is; or Record, a text of
	// which it is.
	Digest brenner.Digest `json:"digest,omitzero"`
	Ref    brenner.Ref    `json:"ref,omitzero"`
	// Record is a position in the journal.
	Record int64 `json:"record,omitzero"`
	// Member says which text of Record, or of the record that wrote Ref: summary,
	// change/what, reason and so on.
	Member string `json:"member,omitzero"`
	// Also are further contents and texts that go at the same time, such as those
	// that have its words among theirs: the tables are made anew once for all.
	Also   []brenner.Digest `json:"also,omitzero"`
	Reason string           `json:"reason"`
	// Everywhere confirms that it goes from all versions and records that have it,
	// where there are several.
	Everywhere bool `json:"everywhere,omitzero"`
	// DryRun only says what would be lost.
	DryRun bool `json:"dry_run,omitzero"`
}

// RedactResult says what no longer can be read.
type RedactResult struct {
	Digest brenner.Digest `json:"digest"`
	// Also are those that go at the same time, with the deltas of a reply that
	// goes; what follows is about all.
	Also []brenner.Digest `json:"also,omitzero"`
	// Versions lists the versions that had the content, InForce those of them
	// that are canonical.
	Versions []brenner.Ref `json:"versions"`
	InForce  []brenner.Ref `json:"in_force,omitzero"`
	// Closes lists the roles that may do nothing afterwards, until a policy of
	// theirs is promoted. That is one where another version of the policy says
	// which, and otherwise every role but that of the PI.
	Closes []brenner.Role `json:"closes,omitzero"`
	// Rest lists versions that link to them, Resting counts them all.
	Rest    []brenner.Ref `json:"rest,omitzero"`
	Resting int           `json:"resting,omitzero"`
	// Texts lists the records that say it, and where. Inline lists older ones,
	// which hold the text itself and keep it.
	Texts  []RecordText `json:"texts,omitzero"`
	Inline []RecordText `json:"inline,omitzero"`
	// Containing lists other contents and texts that have these words among
	// theirs, and keep them.
	Containing []brenner.Digest `json:"containing,omitzero"`
	// Summaries lists the versions that lose their content and whose summaries say
	// some of it, and keep it.
	Summaries []brenner.Ref `json:"summaries,omitzero"`
	// Sharing lists other versions of the same artifacts that have lines or texts of it,
	// and keep them.
	Sharing []brenner.Ref `json:"sharing,omitzero"`
	// Retained says where the database keeps the bytes nevertheless, if it does.
	Retained string `json:"retained,omitzero"`
	Seq      int64  `json:"seq,omitzero"`
	DryRun   bool   `json:"dry_run,omitzero"`
}

// RecordText is a text that a record says.
type RecordText struct {
	// Record is its position in the journal.
	Record int64  `json:"record"`
	Kind   string `json:"kind"`
	// Member says where in the record.
	Member string `json:"member"`
}

func (t RecordText) String() string { return fmt.Sprintf("%d %s", t.Record, t.Member) }
