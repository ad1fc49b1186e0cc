package kernel

import (
	"context"
	"errors"

	"brenner"
	"brenner/canon"
	"brenner/config"
	"brenner/internal/journal"
	"brenner/internal/store"
)

// OwnKinds are the kinds of record that the kernel itself rests on: what there
// is, who the actors are, what is in force.
func OwnKinds() []AnyKind { return []AnyKind{ProjectCreated, ActorPut, ConfigApplied} }

// ProjectCreated is the first record of every journal.
var ProjectCreated = Kind[Project]{Name: "project.created", Apply: applyProject, Governs: true}

// Project says which project this is and who leads it.
type Project struct {
	ID   brenner.ProjectID `json:"id"`
	Name string            `json:"name"`
	PI   brenner.ActorName `json:"pi"`
}

func applyProject(ctx context.Context, tx store.Tx, rec journal.Record, p Project) error {
	return tx.PutActor(ctx, store.Actor{
		Name: p.PI, Kind: Person, Role: brenner.PI, Active: true, Created: rec.At, Seq: rec.Seq,
	})
}

// ActorPut says that an actor was registered or changed.
var ActorPut = Kind[Actor]{Name: "actor.put", Apply: applyActor, Governs: true, Texts: []string{"/note"}}

// Actor is an actor as it is registered.
type Actor struct {
	Name   brenner.ActorName `json:"name"`
	Kind   string            `json:"kind"`
	Role   brenner.Role      `json:"role"`
	Note   string            `json:"note"`
	Active bool              `json:"active"`
	// For are the agents that a runner may start (W17).
	For []brenner.ActorName `json:"for,omitzero"`
}

// The kinds of actor.
const (
	Agent  = "agent"
	Person = "person"
	Runner = "runner" // a process that starts agents (W17)
)

func applyActor(ctx context.Context, tx store.Tx, rec journal.Record, p Actor) error {
	a := store.Actor{Name: p.Name, Created: rec.At}
	if old, err := tx.Actor(ctx, p.Name); err == nil {
		a.Created = old.Created
	} else if !errors.Is(err, brenner.CodeNotFound) {
		return err
	}
	a.Kind, a.Role, a.Note, a.Active, a.Seq = p.Kind, p.Role, p.Note, p.Active, rec.Seq
	return tx.PutActor(ctx, a)
}

// ConfigApplied says that a configuration was put in force.
var ConfigApplied = Kind[Configuration]{Name: "config.applied", Apply: applyConfig, Governs: true, Texts: []string{"/config/modules/*/description", "/config/types/*/title", "/config/types/*/description", "/config/roster/entries/*/notes", "/config/roster/presets/*/description", "/config/roster/presets/*/entries/*/notes", "/config/prompts/*/text", "/config/automation/*/do/title", "/config/automation/*/do/spec"}}

// Configuration is what was put in force, and the file it was read from.
type Configuration struct {
	File   string         `json:"file"`
	Digest brenner.Digest `json:"digest"`
	Config config.Config  `json:"config"`
}

// Where the configuration in force is kept.
const (
	objectConfig  = "config"
	configCurrent = "current"
)

func applyConfig(ctx context.Context, tx store.Tx, rec journal.Record, p Configuration) error {
	body, err := canon.Marshal(p)
	if err != nil {
		return err
	}
	return tx.PutObject(ctx, store.Object{
		Kind: objectConfig, ID: configCurrent, Order: rec.Seq, Body: body, Seq: rec.Seq,
	})
}
