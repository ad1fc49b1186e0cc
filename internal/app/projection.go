package app

import (
	"context"
	"fmt"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/canon"
	"brenner/internal/journal"
	"brenner/internal/store"
)

// A projection turns a record into rows. It sees the record and the rows that
// earlier records made, never a clock or a request: the same journal gives the
// same tables, live and in a replay (J4).
type projection func(ctx context.Context, tx store.Tx, rec journal.Record) error

// projections maps every kind of record to its projection. A record of a kind
// that is not here cannot be written.
var projections = join(
	ledgerProjections,
	taskProjections,
	stalemateProjections,
	playbookProjections,
	sessionProjections,
	mailProjections,
	tokenProjections,
	contextProjections,
	upkeepProjections,
)

// join makes one table of several; a kind has one projection.
func join(tables ...map[string]projection) map[string]projection {
	all := map[string]projection{}
	for _, t := range tables {
		for kind, p := range t {
			if _, twice := all[kind]; twice {
				panic("two projections of " + kind)
			}
			all[kind] = p
		}
	}
	return all
}

var ledgerProjections = map[string]projection{
	kindProjectCreated:  on(projectProjectCreated),
	kindConfigApplied:   on(projectConfigApplied),
	kindActorPut:        on(projectActorPut),
	kindVersionWritten:  on(projectVersionWritten),
	kindLinkAdded:       on(projectLinkAdded),
	kindStatusDecided:   on(projectStatusDecided),
	kindContentRedacted: on(projectContentRedacted),
}

// on reads the payload for a projection.
func on[T any](fn func(ctx context.Context, tx store.Tx, rec journal.Record, payload T) error) projection {
	return func(ctx context.Context, tx store.Tx, rec journal.Record) error {
		var payload T
		if err := canon.Unmarshal(rec.Payload, &payload); err != nil {
			return fmt.Errorf("payload of record %d: %w", rec.Seq, err)
		}
		return fn(ctx, tx, rec, payload)
	}
}

// project applies one record to the tables.
func project(ctx context.Context, tx store.Tx, rec journal.Record) error {
	p, ok := projections[rec.Kind]
	if !ok {
		return brenner.Errorf(brenner.CodeJournalCorrupt, "record %d is of unknown kind %q", rec.Seq, rec.Kind)
	}
	if err := p(ctx, tx, rec); err != nil {
		return err
	}
	return projectRequest(ctx, tx, rec)
}

// projectRequest remembers what an idempotency key was used for.
func projectRequest(ctx context.Context, tx store.Tx, rec journal.Record) error {
	if rec.Request == nil {
		return nil
	}
	return tx.PutRequest(ctx, store.Request{
		Actor: rec.Actor, Key: rec.Request.Key, Digest: rec.Request.Digest,
		Result: rec.Request.Result, Seq: rec.Seq,
	})
}

// The kinds of record of the ledger, and their payloads.
const (
	kindProjectCreated  = "project.created"
	kindConfigApplied   = "config.applied"
	kindActorPut        = "actor.put"
	kindVersionWritten  = "version.written"
	kindLinkAdded       = "link.added"
	kindStatusDecided   = "status.decided"
	kindContentRedacted = "content.redacted"
)

// versionWritten says that a version was written, the first or a later one.
type versionWritten struct {
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
	// Merged lists versions of the artifact that this one takes the place of.
	Merged []brenner.Version `json:"merged,omitzero"`
	// Head is the head afterwards: this version, unless it is an alternative.
	Head       brenner.Version `json:"head"`
	Task       string          `json:"task,omitzero"`
	Invocation string          `json:"invocation,omitzero"`
}

func projectVersionWritten(ctx context.Context, tx store.Tx, rec journal.Record, p versionWritten) error {
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
	if a.Canonical == 0 && p.Head == p.Version {
		if err := index(ctx, tx, v); err != nil {
			return err
		}
	}
	return projectTaskOutput(ctx, tx, rec, p.Task, v.Ref())
}

// linkAdded says that a link was added to a version after it was written.
type linkAdded struct {
	From brenner.Ref       `json:"from"`
	Rel  artifact.Relation `json:"rel"`
	To   brenner.Ref       `json:"to"`
}

func projectLinkAdded(ctx context.Context, tx store.Tx, rec journal.Record, p linkAdded) error {
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

// statusDecided says that somebody decided about a version, and every status
// that changed by it.
type statusDecided struct {
	Ref      brenner.Ref     `json:"ref"`
	Status   artifact.Status `json:"status"`
	Reason   string          `json:"reason"`
	Override bool            `json:"override,omitzero"`
	Changes  []statusChange  `json:"changes"`
	// Head is the head of the artifact afterwards.
	Head brenner.Version `json:"head"`
}

type statusChange struct {
	Ref  brenner.Ref     `json:"ref"`
	From artifact.Status `json:"from"`
	To   artifact.Status `json:"to"`
}

func projectStatusDecided(ctx context.Context, tx store.Tx, rec journal.Record, p statusDecided) error {
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
		if err := settle(ctx, tx, rec, c.Ref.Artifact, head, p.Changes); err != nil {
			return err
		}
		if err := remember(ctx, tx, rec, c.Ref.Artifact, p); err != nil {
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
	statusDecided
}

const objectDecision = "decision"

// remember keeps a decision for the history of an artifact it touched: what
// was canonical when.
func remember(ctx context.Context, tx store.Tx, rec journal.Record, id brenner.ArtifactID, p statusDecided) error {
	body, err := canon.Marshal(decisionMade{At: rec.At, Actor: rec.Actor, statusDecided: p})
	if err != nil {
		return err
	}
	return tx.PutObject(ctx, store.Object{
		Kind: objectDecision, ID: fmt.Sprintf("%s@%d", id, rec.Seq), Group: string(id),
		State: string(p.Status), Order: rec.Seq, Body: body, Seq: rec.Seq,
	})
}

// settle brings the row of an artifact in line with its versions' statuses.
func settle(ctx context.Context, tx store.Tx, rec journal.Record, id brenner.ArtifactID, head brenner.Version, changes []statusChange) error {
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
	shown := h
	if a.Canonical != 0 && a.Canonical != a.Head {
		if shown, err = tx.Version(ctx, brenner.Ref{Artifact: id, Version: a.Canonical}); err != nil {
			return err
		}
	}
	return index(ctx, tx, shown)
}

// index makes an artifact findable by its version in force. What is out of
// use is not found (C27).
func index(ctx context.Context, tx store.Tx, v store.Version) error {
	if !v.Status.Live() {
		return tx.Index(ctx, v.Artifact, "")
	}
	data, err := tx.Blob(ctx, v.Content)
	if code := brenner.CodeOf(err); code == brenner.CodeRedacted || code == brenner.CodeNotFound {
		data, err = nil, nil // a scratch store holds no contents
	}
	if err != nil {
		return err
	}
	return tx.Index(ctx, v.Artifact, searchText(v, data))
}

// contentRedacted says that a content was removed.
type contentRedacted struct {
	Digest   brenner.Digest `json:"digest"`
	Reason   string         `json:"reason"`
	Versions []brenner.Ref  `json:"versions"`
}

func projectContentRedacted(ctx context.Context, tx store.Tx, _ journal.Record, p contentRedacted) error {
	if err := tx.RedactBlob(ctx, p.Digest); err != nil {
		return err
	}
	for _, ref := range p.Versions {
		a, err := tx.Artifact(ctx, ref.Artifact)
		if err != nil {
			return err
		}
		shown := a.Head
		if a.Canonical != 0 {
			shown = a.Canonical
		}
		if ref.Version != shown {
			continue
		}
		v, err := tx.Version(ctx, ref)
		if err != nil {
			return err
		}
		if err := index(ctx, tx, v); err != nil {
			return err
		}
	}
	return nil
}

// projectCreated is the first record of every journal.
type projectCreated struct {
	ID   brenner.ProjectID `json:"id"`
	Name string            `json:"name"`
	PI   brenner.ActorName `json:"pi"`
}

func projectProjectCreated(ctx context.Context, tx store.Tx, rec journal.Record, p projectCreated) error {
	return tx.PutActor(ctx, store.Actor{
		Name: p.PI, Kind: kindPerson, Role: brenner.PI, Active: true, Created: rec.At, Seq: rec.Seq,
	})
}

// actorPut says that an actor was registered or changed.
type actorPut struct {
	Name   brenner.ActorName `json:"name"`
	Kind   string            `json:"kind"`
	Role   brenner.Role      `json:"role"`
	Note   string            `json:"note"`
	Active bool              `json:"active"`
}

// The kinds of actor.
const (
	kindAgent  = "agent"
	kindPerson = "person"
)

func projectActorPut(ctx context.Context, tx store.Tx, rec journal.Record, p actorPut) error {
	a := store.Actor{Name: p.Name, Created: rec.At}
	if old, err := tx.Actor(ctx, p.Name); err == nil {
		a.Created = old.Created
	} else if brenner.CodeOf(err) != brenner.CodeNotFound {
		return err
	}
	a.Kind, a.Role, a.Note, a.Active, a.Seq = p.Kind, p.Role, p.Note, p.Active, rec.Seq
	return tx.PutActor(ctx, a)
}

func projectConfigApplied(ctx context.Context, tx store.Tx, rec journal.Record, p configApplied) error {
	body, err := canon.Marshal(p)
	if err != nil {
		return err
	}
	return tx.PutObject(ctx, store.Object{
		Kind: objectConfig, ID: configCurrent, Order: rec.Seq, Body: body, Seq: rec.Seq,
	})
}
