package lineage

import (
	"slices"

	"brenner"
	"brenner/artifact"
)

// Holding is an artifact as far as it keeps others in use.
type Holding struct {
	ID brenner.ArtifactID
	// Speaking are the versions whose links count as long as the artifact is
	// in use: the canonical one and the live heads.
	Speaking []brenner.Ref
	// Used says that the artifact is in use whoever refers to it.
	Used bool
}

// Unused lists the artifacts that nothing in use refers to (C27), in id order.
//
// An artifact is in use if it says so, or if a version that counts refers to
// one of its versions; then that version and its speaking ones count too. To
// supersede something is not to use it. A review is in use as long as what it
// judges: a version that speaks for an artifact in use.
func Unused(all []Holding, links []Edge) []brenner.ArtifactID {
	u := newUsage(all, links)
	for _, h := range all {
		if h.Used {
			u.use(h.ID)
		}
	}
	for len(u.queue) > 0 {
		ref := u.queue[len(u.queue)-1]
		u.queue = u.queue[:len(u.queue)-1]
		u.follow(ref)
	}
	unused := []brenner.ArtifactID{}
	for _, h := range all {
		if !u.used[h.ID] {
			unused = append(unused, h.ID)
		}
	}
	slices.Sort(unused)
	return unused
}

// usage is how far use has spread.
type usage struct {
	speaking map[brenner.ArtifactID][]brenner.Ref
	speaks   map[brenner.Ref]bool
	from     map[brenner.Ref][]Edge
	reviews  map[brenner.Ref][]Edge // by what they judge
	used     map[brenner.ArtifactID]bool
	counted  map[brenner.Ref]bool
	queue    []brenner.Ref
}

func newUsage(all []Holding, links []Edge) *usage {
	u := &usage{
		speaking: make(map[brenner.ArtifactID][]brenner.Ref, len(all)),
		speaks:   map[brenner.Ref]bool{},
		from:     map[brenner.Ref][]Edge{},
		reviews:  map[brenner.Ref][]Edge{},
		used:     map[brenner.ArtifactID]bool{},
		counted:  map[brenner.Ref]bool{},
	}
	for _, h := range all {
		u.speaking[h.ID] = h.Speaking
		for _, ref := range h.Speaking {
			u.speaks[ref] = true
		}
	}
	for _, e := range links {
		if e.Rel == artifact.Supersedes {
			continue
		}
		u.from[e.From] = append(u.from[e.From], e)
		if e.Rel == artifact.Reviews && u.speaks[e.From] && u.speaks[e.To] {
			u.reviews[e.To] = append(u.reviews[e.To], e)
		}
	}
	return u
}

// use puts an artifact in use.
func (u *usage) use(id brenner.ArtifactID) {
	if u.used[id] {
		return
	}
	u.used[id] = true
	for _, ref := range u.speaking[id] {
		u.count(ref)
	}
}

// count lets the links of a version count.
func (u *usage) count(ref brenner.Ref) {
	if !u.counted[ref] {
		u.counted[ref] = true
		u.queue = append(u.queue, ref)
	}
}

// follow puts in use what a version that counts refers to, and what reviews it.
func (u *usage) follow(ref brenner.Ref) {
	for _, e := range u.from[ref] {
		u.use(e.To.Artifact)
		u.count(e.To)
	}
	for _, e := range u.reviews[ref] {
		u.use(e.From.Artifact)
	}
}
