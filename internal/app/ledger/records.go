package ledger

import (
	"context"
	"fmt"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/journal"
	"brenner/internal/store"
)

// Written says that a version was written, the first or a later one.
type Written struct {
	ID      brenner.ArtifactID `json:"id"`
	Type    brenner.TypeName   `json:"type"`
	Module  brenner.Module     `json:"module"`
	Version brenner.Version    `json:"version"`
	Parent  brenner.Version    `json:"parent"`
	Status  artifact.Status    `json:"status"`
	Slot    string             `json:"slot"`
	Summary string             `json:"summary"`
	Format  artifact.Format    `json:"format"`
	Content brenner.Digest     `json:"content"`
	Size    int64              `json:"size"`
	Tags    []string           `json:"tags"`
	Links   []artifact.Link    `json:"links"`
	Change  *artifact.Change   `json:"change,omitzero"`
	// SummaryHolds says that the writer confirmed the summary of the parent for
	// other content (C11).
	SummaryHolds bool `json:"summary_holds,omitzero"`
	// Merged lists versions of the artifact that this one takes the place of.
	Merged []brenner.Version `json:"merged,omitzero"`
	// Head is the head afterwards: this version, unless it is an alternative.
	Head       brenner.Version `json:"head"`
	Task       string          `json:"task,omitzero"`
	Invocation string          `json:"invocation,omitzero"`
}

func applyWritten(ctx context.Context, tx store.Tx, rec journal.Record, p Written) error {
	v := store.Version{
		Artifact: p.ID, Version: p.Version, Parent: p.Parent, Status: p.Status, Slot: p.Slot,
		Summary: p.Summary, Format: p.Format, Content: p.Content, Size: p.Size,
		Creator: rec.Actor, Role: rec.Role, Created: rec.At, Tags: p.Tags,
		Task: p.Task, Invocation: p.Invocation, Seq: rec.Seq,
	}
	if p.Change != nil {
		v.What, v.Why = p.Change.What, p.Change.Why
	}
	a := store.Artifact{ID: p.ID, Type: p.Type, Module: p.Module, Creator: rec.Actor, Created: rec.At}
	if p.Version > 1 {
		var err error
		if a, err = tx.Artifact(ctx, p.ID); err != nil {
			return err
		}
	}
	a.Latest, a.Head = p.Version, p.Head
	a.Updated, a.Seq = rec.At, rec.Seq
	if p.Head == p.Version {
		a.HeadStatus, a.Summary, a.Size, a.Tags = p.Status, p.Summary, p.Size, p.Tags
	}
	if err := tx.PutArtifact(ctx, a); err != nil {
		return err
	}
	if err := tx.InsertVersion(ctx, v); err != nil {
		return err
	}
	for _, l := range p.Links {
		if err := tx.InsertLink(ctx, store.Link{From: v.Ref(), Rel: l.Rel, To: l.To(), Seq: rec.Seq}); err != nil {
			return err
		}
	}
	for _, m := range p.Merged {
		if err := tx.SetStatus(ctx, brenner.Ref{Artifact: p.ID, Version: m}, artifact.Superseded); err != nil {
			return err
		}
	}
	if p.Head != p.Version {
		return nil
	}
	return tx.Index(ctx, p.ID, findable(a))
}

// Linked says that a link was added to a version after it was written.
type Linked struct {
	From brenner.Ref       `json:"from"`
	Rel  artifact.Relation `json:"rel"`
	To   brenner.Ref       `json:"to"`
}

func applyLinked(ctx context.Context, tx store.Tx, rec journal.Record, p Linked) error {
	if err := tx.InsertLink(ctx, store.Link{From: p.From, Rel: p.Rel, To: p.To, Seq: rec.Seq}); err != nil {
		return err
	}
	a, err := tx.Artifact(ctx, p.From.Artifact)
	if err != nil {
		return err
	}
	a.Seq = rec.Seq
	return tx.PutArtifact(ctx, a)
}

// Decided says that somebody decided about a version, and every status
// that changed by it.
type Decided struct {
	Ref      brenner.Ref     `json:"ref"`
	Status   artifact.Status `json:"status"`
	Reason   string          `json:"reason"`
	Override bool            `json:"override,omitzero"`
	Changes  []StatusChange  `json:"changes"`
	// Head is the head of the artifact afterwards.
	Head brenner.Version `json:"head"`
	// Over are the names of what stood against a version that was promoted, the first of
	// them.
	Over []string `json:"over,omitzero"`
	// Session is how a session stands whose document goes on from another version by it.
	Session *SessionStanding `json:"session,omitzero"`
}

// SessionStanding is what a session's document is like.
type SessionStanding struct {
	Conflicts   int  `json:"conflicts"`
	ThreadEmpty bool `json:"thread_empty"`
	Concluded   bool `json:"concluded"`
}

// StatusChange is one version whose status changed.
type StatusChange struct {
	Ref  brenner.Ref     `json:"ref"`
	From artifact.Status `json:"from"`
	To   artifact.Status `json:"to"`
}

func applyDecided(ctx context.Context, tx store.Tx, rec journal.Record, p Decided) error {
	// Out of force first, so that the database never sees two in one slot.
	for _, leaving := range []bool{true, false} {
		for _, c := range p.Changes {
			if (c.To != artifact.Canonical) != leaving {
				continue
			}
			if err := tx.SetStatus(ctx, c.Ref, c.To); err != nil {
				return err
			}
		}
	}
	for i, c := range p.Changes {
		if i > 0 && c.Ref.Artifact == p.Changes[i-1].Ref.Artifact {
			continue // changes are grouped by artifact
		}
		head := brenner.Version(0)
		if c.Ref.Artifact == p.Ref.Artifact {
			head = p.Head
		}
		if err := Settle(ctx, tx, rec, c.Ref.Artifact, head, p.Changes); err != nil {
			return err
		}
		if err := decisions.Put(ctx, tx, rec.Seq, decisionMade{At: rec.At, Actor: rec.Actor, Decided: p, about: c.Ref.Artifact, seq: rec.Seq}); err != nil {
			return err
		}
	}
	return nil
}

// decisionMade is a decision as it is kept for the history of each artifact it
// touched.
type decisionMade struct {
	At    time.Time         `json:"at"`
	Actor brenner.ActorName `json:"actor"`
	Decided

	about brenner.ArtifactID // one of those it touched
	seq   int64
}

var decisions = kernel.Table[decisionMade]{
	Kind: "decision",
	Key: func(d decisionMade) kernel.Key {
		return kernel.Key{ID: fmt.Sprintf("%s@%d", d.about, d.seq), Group: string(d.about), State: string(d.Status)}
	},
}

// LastDecision is the record of the last decision that touched an artifact; 0 if
// there is none.
func LastDecision(c *kernel.Call, id brenner.ArtifactID) (int64, error) {
	rows, err := decisions.List(c.Ctx, c.Reader, kernel.Query{Group: string(id), Newest: true}, 1)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0].Seq, nil
}

// Settle brings the row of an artifact in line with its versions' statuses.
func Settle(ctx context.Context, tx store.Tx, rec journal.Record, id brenner.ArtifactID, head brenner.Version, changes []StatusChange) error {
	a, err := tx.Artifact(ctx, id)
	if err != nil {
		return err
	}
	if head != 0 {
		a.Head = head
	}
	for _, c := range changes {
		switch {
		case c.Ref.Artifact != id:
		case c.To == artifact.Canonical:
			a.Canonical = c.Ref.Version
		case c.Ref.Version == a.Canonical:
			a.Canonical = 0
		}
	}
	h, err := tx.Version(ctx, brenner.Ref{Artifact: id, Version: a.Head})
	if err != nil {
		return err
	}
	a.HeadStatus, a.Summary, a.Size, a.Tags = h.Status, h.Summary, h.Size, h.Tags
	a.Seq = rec.Seq
	if err := tx.PutArtifact(ctx, a); err != nil {
		return err
	}
	return tx.Index(ctx, id, findable(a))
}

// findable lists the versions by which an artifact is found: the one in force,
// and a later draft behind it for those who ask for drafts. What is out of use
// is not found (C27).
func findable(a store.Artifact) []store.Indexed {
	switch {
	case a.Canonical == 0 && a.HeadStatus.Live():
		return []store.Indexed{{Version: a.Head}}
	case a.Canonical == 0:
		return nil
	case a.Head == a.Canonical || !a.HeadStatus.Live():
		return []store.Indexed{{Version: a.Canonical}}
	case a.Head < a.Canonical:
		return []store.Indexed{{Version: a.Head, Draft: true}, {Version: a.Canonical}}
	}
	return []store.Indexed{{Version: a.Canonical}, {Version: a.Head, Draft: true}}
}

// Redacted says that a content was removed.
type Redacted struct {
	Digest   brenner.Digest `json:"digest"`
	Reason   string         `json:"reason"`
	Versions []brenner.Ref  `json:"versions"`
	// Records are those that say it, if it is a text of records (J7).
	Records []int64 `json:"records,omitzero"`
}

func applyRedacted(ctx context.Context, tx store.Tx, rec journal.Record, p Redacted) error {
	if err := tx.RedactBlob(ctx, p.Digest); err != nil || len(p.Records) == 0 { // which takes its words out of the index
		return err
	}
	return kernel.GoneTexts.Put(ctx, tx, rec.Seq, kernel.GoneText{Digest: p.Digest})
}
