// Package lineage reads the graph of versions and links: what a version rests
// on and what rests on it (C31), what has gone stale or fallen behind and why
// (C26), where there are forks (C19) and what the spine of the project is (C29).
//
// Nodes are versions, edges are links between them. Every function is pure:
// where a graph is too large to be held, the caller hands in a Fetch that
// brings the edges of one layer at a time. Cycles are allowed everywhere. All
// results are in a fixed order: by id, then version.
package lineage

import (
	"cmp"
	"slices"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/internal/order"
)

// Node is a version as the graph sees it.
type Node struct {
	Ref     brenner.Ref      `json:"ref"`
	Type    brenner.TypeName `json:"type"`
	Module  brenner.Module   `json:"module"`
	Status  artifact.Status  `json:"status"`
	Summary string           `json:"summary"`
	// Creator, Role and Task say who wrote the version, as what and for what.
	Creator brenner.ActorName `json:"creator"`
	Role    brenner.Role      `json:"role,omitzero"`
	Task    string            `json:"task,omitzero"`
	At      time.Time         `json:"at,omitzero"`
	// Demoted marks a version that was in force, was made a draft again and has
	// not been promoted since.
	Demoted bool `json:"demoted,omitzero"`
	// Canonical is the version of the same artifact that is in force, 0 if
	// none.
	Canonical brenner.Version `json:"canonical,omitzero"`
	// Head is the version of the same artifact that work goes on from.
	Head brenner.Version `json:"head,omitzero"`
	// Slot is the singleton slot of the artifact, if it has one.
	Slot string `json:"slot,omitzero"`
	// Record marks a version of a record type, which is never stale (C4).
	Record bool `json:"record,omitzero"`
	// Stale is set by whoever knows; see Staleness.
	Stale bool `json:"needs_update,omitzero"`
	// Depth is how many links away from the start of a walk the node is.
	Depth int `json:"depth,omitzero"`
}

// Edge is a link between two versions.
type Edge struct {
	From brenner.Ref       `json:"from"`
	Rel  artifact.Relation `json:"rel"`
	To   brenner.Ref       `json:"to"`
}

// Revises is the relation of a version to its parent, for graphs that show
// versions as well as links. No link is stored under it.
const Revises artifact.Relation = "revises"

// Fetch gives the edges that leave these versions, or those that reach them,
// as the function it is handed to asks. Order and repetitions do not matter.
type Fetch func(refs []brenner.Ref) ([]Edge, error)

// Outdated reports whether a version is no longer what one should rest on: it
// is superseded or deprecated, was taken out of force, or is older than its
// artifact's canonical version (C26).
func Outdated(n Node) bool {
	return n.Status == artifact.Superseded || n.Status == artifact.Deprecated || n.Demoted || n.Ref.Version < n.Canonical
}

// Corrected reports whether a version is a draft that has a newer version,
// while none of its artifact is canonical (C26): nobody has decided that the
// newer one is right, so what rests on the older is behind, not stale. A
// version that waits for a rebase is a draft too; an alternative is not older
// than the head but beside it.
func Corrected(n Node) bool {
	draft := n.Status == artifact.Draft || n.Status == artifact.NeedsRebase
	return draft && n.Canonical == 0 && n.Ref.Version < n.Head
}

func compareEdges(a, b Edge) int {
	return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.Rel, b.Rel), a.To.Compare(b.To))
}

func compareNodes(a, b Node) int { return a.Ref.Compare(b.Ref) }

// ordered gives the edges in order, each once.
func ordered(edges []Edge) []Edge {
	list := slices.Clone(edges)
	order.By(list, compareEdges)
	return slices.Compact(list)
}

// unique gives the refs in order, each once.
func unique(refs []brenner.Ref) []brenner.Ref {
	list := slices.Clone(refs)
	slices.SortFunc(list, brenner.Ref.Compare)
	return slices.Compact(list)
}

func tooMany(limit int) error {
	return brenner.Errorf(brenner.CodeLimitExceeded, "the walk visits more than %d versions", limit).
		WithHint("ask for fewer levels, or for one module")
}
