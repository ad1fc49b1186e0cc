package api

import (
	"context"

	"brenner"
	"brenner/artifact"
	"brenner/lineage"
)

// Graph is about how versions rest on each other.
type Graph interface {
	// Forks lists artifacts with several live heads, and singleton slots with
	// several live artifacts (C19).
	Forks(ctx context.Context) (ForksResult, error)
	// Stale lists live versions that rest on something that moved, and apart
	// from them those that are only behind (C26).
	Stale(ctx context.Context, req StaleRequest) (StaleResult, error)
	// Spine is the minimum consistent view: brief, memos, summary (C29).
	Spine(ctx context.Context) (SpineResult, error)
	// Lineage walks from a version to what it rests on, or to what rests on
	// it (C31).
	Lineage(ctx context.Context, req LineageRequest) (LineageResult, error)
}

// ForksResult lists forks.
type ForksResult struct {
	Forks []lineage.Fork `json:"items"`
}

// StaleRequest selects stale versions by module; empty: all.
type StaleRequest struct {
	Page
	Modules []brenner.Module `json:"modules,omitzero"`
	// Moved keeps what is stale because this artifact has moved, whatever else has.
	Moved brenner.ArtifactID `json:"moved,omitzero"`
}

// StaleResult lists stale versions in id order.
type StaleResult struct {
	Next
	Items []StaleItem `json:"items"`
	Total int         `json:"total"`
	// Behind lists, with the first page, versions that rest on a draft which has
	// a newer version while none is canonical: weaker than stale. BehindTotal
	// counts them all.
	Behind      []StaleItem `json:"behind,omitzero"`
	BehindTotal int         `json:"behind_total,omitzero"`
}

// StaleItem is a version that needs an update, and why.
type StaleItem struct {
	Ref    brenner.Ref      `json:"ref"`
	Type   brenner.TypeName `json:"type"`
	Module brenner.Module   `json:"module"`
	Status artifact.Status  `json:"status"`
	// Path leads from the version to what moved; Now is the version in force
	// there, 0 if none.
	Path []brenner.Ref   `json:"path"`
	Now  brenner.Version `json:"now,omitzero"`
	// Demoted says that what moved was taken out of force and is a draft again.
	Demoted bool `json:"demoted,omitzero"`
	// Head is the version that work goes on from there.
	Head brenner.Version `json:"head,omitzero"`
	// Superseded are versions of other artifacts that say to take its place, as far as the
	// reader may know of them, the first of them.
	Superseded []brenner.Ref `json:"superseded_by,omitzero"`
}

// SpineResult is the spine.
type SpineResult struct {
	lineage.SpineView
}

// LineageRequest asks for one direction of the graph.
type LineageRequest struct {
	Ref   brenner.Ref `json:"ref"`
	Down  bool        `json:"down,omitzero"`  // what rests on it, instead of what it rests on
	Depth int         `json:"depth,omitzero"` // 0: all
	// Limit is how many versions at most, the nearest; 0: as many as a walk may
	// meet.
	Limit int `json:"limit,omitzero"`
	// Format asks for a rendering as well: text, svg or prov; empty: none.
	Format string `json:"format,omitzero"`
}

// LineageResult is the graph around a version.
type LineageResult struct {
	lineage.Graph
	// Rendered is the graph in the format that was asked for.
	Rendered string `json:"rendered,omitzero"`
}
