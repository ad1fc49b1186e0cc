package api

import (
	"context"
	"time"

	"brenner"
	"brenner/artifact"

	"github.com/go-json-experiment/json/jsontext"
)

// Projects is about the project as a whole.
type Projects interface {
	// Project says what the project is and where it stands.
	Project(ctx context.Context) (ProjectInfo, error)
	// ApplyConfig puts a configuration in force (C4). PI only.
	ApplyConfig(ctx context.Context, req ApplyConfigRequest) (ApplyConfigResult, error)
	// Types lists the artifact types in force, or one with its schema.
	Types(ctx context.Context, req TypesRequest) (TypesResult, error)
	// RolePrompt is what is asked of a role: the project's own text or the
	// built-in one, and what the policy in force lets the role do (R11). It holds
	// no knowledge of the project, which agents read through contexts (C3).
	// Codes: UNKNOWN_ROLE.
	RolePrompt(ctx context.Context, req RolePromptRequest) (RolePrompt, error)
}

// InitRequest makes a project.
type InitRequest struct {
	Name string `json:"name"`
	// PI names the person who leads it.
	PI brenner.ActorName `json:"pi"`
	// Config is a configuration file to put in force at once, if any.
	Config *ConfigFile `json:"config,omitzero"`
}

// InitResult says what was made.
type InitResult struct {
	Project ProjectInfo `json:"project"`
	Store   string      `json:"store"`
}

// ProjectInfo is a project at a glance.
type ProjectInfo struct {
	ID   brenner.ProjectID `json:"id"`
	Name string            `json:"name"`
	// Size is the journal position.
	Size int64 `json:"size"`
	// Actor and Role are who is asking, Person whether a human being is.
	Actor   brenner.ActorName `json:"actor"`
	Role    brenner.Role      `json:"role"`
	Person  bool              `json:"person"`
	Modules []brenner.Module  `json:"modules"`
	// ConfigDigest is that of the configuration in force; empty if none.
	ConfigDigest brenner.Digest `json:"config_digest,omitzero"`
	// LastChange is when the newest record was written, Now the service's time.
	LastChange time.Time `json:"last_change"`
	Now        time.Time `json:"now"`
}

// ConfigFile is a project configuration as it stands in a file.
type ConfigFile struct {
	Name string `json:"name"` // .brennerrc or brenner.config.ts
	Data string `json:"data"`
	// Prompts are the texts of the prompt files that the configuration names,
	// by their paths in it (R11).
	Prompts map[string]string `json:"prompts,omitzero"`
}

// ApplyConfigRequest puts a configuration in force.
type ApplyConfigRequest struct {
	Write
	File ConfigFile `json:"file"`
	// Found says that the file was merely found, not named by the person: then it
	// is refused where it gives away, takes back or loosens anything (X12).
	Found bool `json:"found,omitzero"`
}

// ApplyConfigResult says what is in force now.
type ApplyConfigResult struct {
	Changed bool               `json:"changed"`
	Digest  brenner.Digest     `json:"digest"`
	Modules []brenner.Module   `json:"modules"`
	Types   []brenner.TypeName `json:"types"`
	// Alters says, a line each, what it gave away, took back or loosened.
	Alters []string `json:"alters,omitempty"`
	Seq    int64    `json:"seq,omitzero"`
}

// RolePromptRequest names a prompt: a role, or unified.
type RolePromptRequest struct {
	Name string `json:"name"`
	// Session is the one it is asked in, if any.
	Session brenner.SessionID `json:"session,omitzero"`
}

// RolePrompt is a prompt as its reader gets it. What to do stands in it as
// actions, for brenner.Speak.
type RolePrompt struct {
	Name string `json:"name"`
	// Own says that it is the project's text, not the built-in one.
	Own  bool   `json:"own"`
	Text string `json:"text"`
}

// TypesRequest asks for all types, or for one by name.
type TypesRequest struct {
	Name brenner.TypeName `json:"name,omitzero"`
}

// TypesResult lists types; schemas only when one was asked for.
type TypesResult struct {
	Types []TypeInfo `json:"items"`
}

// TypeInfo is an artifact type.
type TypeInfo struct {
	Name        brenner.TypeName  `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Core        bool              `json:"core"`
	Singleton   string            `json:"singleton,omitzero"`
	Contextual  bool              `json:"contextual"`
	Builtin     bool              `json:"builtin"`
	Formats     []artifact.Format `json:"formats"`
	Schema      jsontext.Value    `json:"schema,omitzero"`
}
