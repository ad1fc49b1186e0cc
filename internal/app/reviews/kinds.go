package reviews

import (
	"context"
	"time"

	"brenner"
	"brenner/api"
	"brenner/automation"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
)

// Kinds are the kinds of record of this room.
func Kinds() []kernel.AnyKind {
	return []kernel.AnyKind{
		kindReviewRequested,
		kindChangesRequested,
		kindReaffirmed,
		kindCommentWritten,
		kindCommentSettled,
		kindApproved,
	}
}

var (
	kindReviewRequested  = kernel.Kind[handedIn]{Name: "review.requested", Apply: applyHandedIn, Stores: func(p handedIn) []brenner.Digest { return named(p.Note) }, Events: handedInEvents}
	kindChangesRequested = kernel.Kind[changesRequested]{Name: "changes.requested", Apply: applyChangesRequested}
	kindReaffirmed       = kernel.Kind[reaffirmed]{Name: "version.reaffirmed"}
	kindCommentWritten   = kernel.Kind[commentWritten]{Name: "comment.written", Apply: applyCommentWritten, Stores: func(p commentWritten) []brenner.Digest { return named(p.Text) }}
	kindCommentSettled   = kernel.Kind[commentSettled]{Name: "comment.settled", Apply: applyCommentSettled}
	kindApproved         = kernel.Kind[approved]{Name: "review.approved", Apply: applyApproved}
)

func named(d brenner.Digest) []brenner.Digest {
	if d == "" {
		return nil
	}
	return []brenner.Digest{d}
}

// handedIn says that somebody put a version before a person. What is said about
// it stands by its hash (J7).
type handedIn struct {
	Ref  brenner.Ref    `json:"ref"`
	Note brenner.Digest `json:"note,omitzero"`
}

func handedInEvents(p handedIn) []automation.Event {
	return []automation.Event{{On: automation.HandedIn, Subject: p.Ref.String(), Ref: p.Ref}}
}

// plea is a version that was handed in, or sent back.
type plea struct {
	Ref   brenner.Ref       `json:"ref"`
	Actor brenner.ActorName `json:"actor"`
	At    time.Time         `json:"at"`
	Note  brenner.Digest    `json:"note,omitzero"`
	// Task is what came of a request for changes.
	Task string `json:"task,omitzero"`
}

// pleas are the versions that were handed in, sentBack those for which changes
// were requested.
var (
	pleas    = kernel.Table[plea]{Kind: "handed_in", Key: func(p plea) kernel.Key { return kernel.Key{ID: p.Ref.String()} }}
	sentBack = kernel.Table[plea]{Kind: "sent_back", Key: func(p plea) kernel.Key { return kernel.Key{ID: p.Ref.String()} }}
)

func applyHandedIn(ctx context.Context, tx store.Tx, rec journal.Record, p handedIn) error {
	return pleas.Put(ctx, tx, rec.Seq, plea{Ref: p.Ref, Actor: rec.Actor, At: rec.At, Note: p.Note})
}

// changesRequested says that a version was sent back: the critique says why,
// the task is to mend it.
type changesRequested struct {
	Ref      brenner.Ref `json:"ref"`
	Critique brenner.Ref `json:"critique"`
	Task     string      `json:"task"`
	// Comments went along with it.
	Comments []string `json:"comments"`
}

func applyChangesRequested(ctx context.Context, tx store.Tx, rec journal.Record, p changesRequested) error {
	return sentBack.Put(ctx, tx, rec.Seq, plea{Ref: p.Ref, Actor: rec.Actor, At: rec.At, Task: p.Task})
}

// reaffirmed says that a stale version still holds, as a new one, and what was
// looked at (N5).
type reaffirmed struct {
	Ref    brenner.Ref     `json:"ref"`
	New    brenner.Ref     `json:"new"`
	Looked []api.LinkMoved `json:"looked"`
}

// commentWritten is something a person said about a version, by its hash.
type commentWritten struct {
	ID    string         `json:"id"`
	Ref   brenner.Ref    `json:"ref"`
	Text  brenner.Digest `json:"text"`
	Reply string         `json:"reply,omitzero"`
}

type commentSettled struct {
	ID string `json:"id"`
}

// comment is a comment as it is kept.
type comment struct {
	commentWritten
	Author  brenner.ActorName `json:"author"`
	At      time.Time         `json:"at"`
	Settled bool              `json:"settled"`
}

// comments are listed by their artifact, the oldest first.
var comments = kernel.Table[comment]{
	Kind: "comment",
	Key: func(c comment) kernel.Key {
		return kernel.Key{ID: c.ID, Group: string(c.Ref.Artifact), Order: kernel.NumberOf(c.ID)}
	},
	Missing: func(id string) error {
		return brenner.Errorf(brenner.CodeNotFound, "there is no comment %q", id)
	},
}

func applyCommentWritten(ctx context.Context, tx store.Tx, rec journal.Record, p commentWritten) error {
	return comments.Put(ctx, tx, rec.Seq, comment{commentWritten: p, Author: rec.Actor, At: rec.At})
}

func applyCommentSettled(ctx context.Context, tx store.Tx, rec journal.Record, p commentSettled) error {
	_, err := comments.Change(ctx, tx, rec.Seq, p.ID, func(c *comment) { c.Settled = true })
	return err
}
