package lineage

import (
	"maps"
	"slices"

	"brenner"
	"brenner/internal/order"
)

// Fork is a place where more than one version could be the truth (C19).
type Fork struct {
	// Artifact is set when one artifact has several live heads, Slot when
	// several live artifacts stand in one singleton slot.
	Artifact brenner.ArtifactID `json:"artifact,omitzero"`
	Slot     string             `json:"slot,omitzero"`
	Heads    []Node             `json:"heads"`
}

// Forks finds the forks among live heads: versions that no live version has as
// parent. Heads that are not live are passed over. Forks of artifacts come
// first, by id, then those of slots, by name.
func Forks(heads []Node) []Fork {
	byArtifact := map[brenner.ArtifactID][]Node{}
	bySlot := map[string][]Node{}
	seen := map[brenner.Ref]bool{}
	for _, n := range order.Of(heads, compareNodes) {
		if !n.Status.Live() || seen[n.Ref] {
			continue
		}
		seen[n.Ref] = true
		byArtifact[n.Ref.Artifact] = append(byArtifact[n.Ref.Artifact], n)
		if n.Slot != "" {
			bySlot[n.Slot] = append(bySlot[n.Slot], n)
		}
	}
	forks := []Fork{}
	for _, id := range slices.Sorted(maps.Keys(byArtifact)) {
		if group := byArtifact[id]; len(group) > 1 {
			forks = append(forks, Fork{Artifact: id, Heads: group})
		}
	}
	for _, slot := range slices.Sorted(maps.Keys(bySlot)) {
		if group := bySlot[slot]; group[0].Ref.Artifact != group[len(group)-1].Ref.Artifact {
			forks = append(forks, Fork{Slot: slot, Heads: group})
		}
	}
	return forks
}
