// Package artifact says what a piece of knowledge is: its type, its versions,
// their status, their links and what makes content valid.
//
// An artifact is a name with a type and a module; all that can change is in
// its versions, and a version, once written, never changes but for its status.
// Nothing here stores anything.
package artifact

import (
	"time"

	"brenner"

	"github.com/go-json-experiment/json/jsontext"
)

// Status is where a version stands. Only a decision changes it (C14, C18).
type Status string

// The statuses.
const (
	Draft       Status = "draft"        // written, not decided upon
	Alternative Status = "alternative"  // written on a parent that was no longer the head
	Canonical   Status = "canonical"    // in force; at most one per artifact and per slot
	Superseded  Status = "superseded"   // was canonical, or was merged into another version
	Deprecated  Status = "deprecated"   // out of use, still readable
	NeedsRebase Status = "needs_rebase" // made from inputs that have moved since
)

// Statuses lists every status, in the order they are explained above.
func Statuses() []Status {
	return []Status{Draft, Alternative, Canonical, Superseded, Deprecated, NeedsRebase}
}

// Live reports whether a version of this status can still become or stay the
// truth; two live heads are a fork (C19).
func (s Status) Live() bool { return s != Superseded && s != Deprecated }

// Relation is how one version refers to another (C6).
type Relation string

// The relations.
const (
	DependsOn   Relation = "depends_on"
	Cites       Relation = "cites"
	DerivedFrom Relation = "derived_from"
	Supersedes  Relation = "supersedes"
	Contradicts Relation = "contradicts"
	Reviews     Relation = "reviews"
	// HarvestedFrom leads from an artifact to the version of the session that it
	// is an item of (A5). It carries no staleness: that follows the item, and not
	// whatever else the session says by now.
	HarvestedFrom Relation = "harvested_from"
)

// Relations lists every relation.
func Relations() []Relation {
	return []Relation{DependsOn, Cites, DerivedFrom, Supersedes, Contradicts, Reviews, HarvestedFrom}
}

// Carries reports whether staleness travels along the relation (C26).
func (r Relation) Carries() bool { return r == DependsOn || r == Cites || r == DerivedFrom }

// Backwards says the relation as seen from the version that the link points at.
func (r Relation) Backwards() string {
	switch r {
	case DependsOn:
		return "needed by"
	case Cites:
		return "cited by"
	case DerivedFrom:
		return "source of"
	case Supersedes:
		return "superseded by"
	case Contradicts:
		return "contradicted by"
	case Reviews:
		return "reviewed by"
	case HarvestedFrom:
		return "harvested into"
	}
	return "referred to by"
}

// Link points from a version to another version.
type Link struct {
	Rel      Relation           `json:"rel"`
	Artifact brenner.ArtifactID `json:"artifact"`
	Version  brenner.Version    `json:"version"`
}

// To is the version the link points at.
func (l Link) To() brenner.Ref { return brenner.Ref{Artifact: l.Artifact, Version: l.Version} }

// Format is how the content is written.
type Format string

// The formats.
const (
	JSON Format = "json" // canonical JSON (RFC 8785)
	Text Format = "text" // UTF-8 text, kept byte for byte
)

// Content is what a version says. JSON content is held in canonical form.
type Content struct {
	Format Format
	Data   []byte
	digest brenner.Digest // once it was computed; see Hashed
}

// Change says what a version changed and why (C15).
type Change struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Metadata is who, when and under which tags (C5). CreatedAt is when the
// artifact began, UpdatedAt when this version was written.
type Metadata struct {
	Creator   brenner.ActorName `json:"creator"`
	CreatedAt time.Time         `json:"created_at"`
	UpdatedAt time.Time         `json:"updated_at"`
	Tags      []string          `json:"tags"`
}

// Version is one version of an artifact, whole (C5).
type Version struct {
	ID      brenner.ArtifactID `json:"id"`
	Type    brenner.TypeName   `json:"type"`
	Version brenner.Version    `json:"version"`
	// Parent is null only at version 1.
	Parent  *brenner.Version `json:"parent_version"`
	Status  Status           `json:"status"`
	Module  brenner.Module   `json:"module"`
	Summary string           `json:"summary"`
	// Content is the JSON itself, or the text as a JSON string.
	Content jsontext.Value `json:"content,omitzero"`
	Format  Format         `json:"format"`
	// SHA256 is the digest of the content's bytes.
	SHA256   brenner.Digest `json:"content_sha256"`
	Links    []Link         `json:"links"`
	Change   *Change        `json:"change,omitzero"`
	Metadata Metadata       `json:"metadata"`
}

// Ref names this version.
func (v Version) Ref() brenner.Ref { return brenner.Ref{Artifact: v.ID, Version: v.Version} }
