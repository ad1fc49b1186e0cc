package lineage_test

import (
	"fmt"

	"brenner"
	"brenner/artifact"
	"brenner/lineage"
)

// A model that rests on an assumption needs an update once the assumption has
// a newer canonical version.
func ExampleStale() {
	old := brenner.Ref{Artifact: "as-1", Version: 1}
	model := brenner.Ref{Artifact: "mod-1", Version: 1}
	nodes := []lineage.Node{
		{Ref: old, Status: artifact.Superseded, Canonical: 2},
		{Ref: model, Status: artifact.Canonical, Canonical: 1},
	}
	stale := lineage.Stale(nodes, []lineage.Edge{{From: model, Rel: artifact.DependsOn, To: old}})
	fmt.Println(stale.Refs, stale.Path(model))
	// Output:
	// [mod-1@1] [mod-1@1 as-1@1]
}
