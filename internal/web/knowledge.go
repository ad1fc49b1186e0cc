package web

import (
	"brenner/api"
	"brenner/lineage"
	"brenner/snapshot"
)

// overview is the state of the project, from what is canonical.
type overview struct {
	Snapshot api.SnapshotResult
	Spine    lineage.SpineView
	// The beginnings of what may be long in the snapshot.
	Hypotheses, Open part[snapshot.Statement]
	Models, Evidence part[snapshot.Entry]
}

// link is a name and where it leads.
type link struct{ Name, Path string }

func loadKnowledge(v *visit) (string, any, error) {
	snap, err := v.svc.Snapshot(v.Context(), api.SnapshotRequest{})
	if err != nil {
		return "", nil, err
	}
	spine, err := v.svc.Spine(v.Context())
	return "Where it stands", overview{
		Snapshot: snap, Spine: spine.SpineView,
		Hypotheses: first(snap.Hypotheses), Models: first(snap.Models), Evidence: first(snap.Evidence), Open: first(snap.Open),
	}, err
}
