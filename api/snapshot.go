package api

import (
	"context"
	"time"

	"brenner"
	"brenner/snapshot"
)

// Overview is the project as the person who leads it looks at it.
type Overview interface {
	// Snapshot is where the project stands, from canonical artifacts (C32).
	Snapshot(ctx context.Context, req SnapshotRequest) (SnapshotResult, error)
	// Status answers "what needs me" (X5).
	Status(ctx context.Context) (StatusResult, error)
}

// SnapshotRequest asks for a rendering besides the data.
type SnapshotRequest struct {
	Format string `json:"format,omitzero"` // markdown or html; empty: none
}

// SnapshotResult is a snapshot, and its rendering if one was asked for.
type SnapshotResult struct {
	snapshot.Snapshot
	Rendered string `json:"rendered,omitzero"`
}

// StatusResult lists what needs a decision or a hand, the most pressing first.
type StatusResult struct {
	Position int64     `json:"position"`
	At       time.Time `json:"at"`
	Items    []Need    `json:"items"`
}

// Need is one kind of thing that needs somebody.
type Need struct {
	Kind  string `json:"kind"` // a kind of what waits, message or answer
	Count int    `json:"count"`
	// What says it in words, for the first few by name; Do is what to do.
	What string         `json:"what"`
	Do   brenner.Action `json:"do"`
	// Names are the first of what it is about, at most MaxNeedNames: versions,
	// tasks, stalemates or whatever the kind has names for.
	Names []string `json:"names,omitzero"`
}

// MaxNeedNames is how many names a need carries.
const MaxNeedNames = 20
