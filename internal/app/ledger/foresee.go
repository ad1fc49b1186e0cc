package ledger

import (
	"slices"

	"brenner"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/lineage"
)

// Staled is what the list of stale versions gains and loses by a change, each in
// order.
type Staled struct {
	Becomes []brenner.Ref // stale by it
	Stops   []brenner.Ref // being so
	Stays   []brenner.Ref // so, of what comes into force
	Again   []brenner.Ref // stale before, and now by this too
}

// StaleAfter says which versions become stale by some changes of status, and
// which are stale now and will be no more. It changes nothing.
func StaleAfter(c *kernel.Call, changes []StatusChange) (out Staled, err error) {
	f := forecast{Call: c, to: map[brenner.Ref]artifact.Status{}, usedBefore: map[brenner.Ref]bool{}, usedAfter: map[brenner.Ref]bool{}}
	for _, ch := range changes {
		f.to[ch.Ref] = ch.To
		if !slices.Contains(f.touched, ch.Ref.Artifact) {
			f.touched = append(f.touched, ch.Ref.Artifact)
		}
	}
	slices.Sort(f.touched)
	for _, id := range f.touched {
		if err := f.look(id); err != nil {
			return out, err
		}
	}
	if err := f.findOthers(); err != nil {
		return out, err
	}
	before, after, err := f.stale()
	if err != nil {
		return out, err
	}
	for _, r := range f.candidates {
		was, is := f.usedBefore[r] && contains(before, r), f.usedAfter[r] && after(r)
		switch {
		case is && !was:
			out.Becomes = append(out.Becomes, r)
		case was && !is:
			out.Stops = append(out.Stops, r)
		case is && f.to[r] == artifact.Canonical:
			out.Stays = append(out.Stays, r)
		case is && contains(f.spread.Refs, r):
			out.Again = append(out.Again, r)
		}
	}
	return out, nil
}

// forecast is such a question under way.
type forecast struct {
	*kernel.Call
	to      map[brenner.Ref]artifact.Status // the statuses that change
	touched []brenner.ArtifactID
	// gone become outdated, back are so no longer, each in order.
	gone, back []brenner.Ref
	// candidates are the versions about which anything can change, in order,
	// and which of them are in use before and after.
	candidates            []brenner.Ref
	usedBefore, usedAfter map[brenner.Ref]bool
	spread                lineage.Staleness // over what is gone
}

// look finds out what changes among the versions of one artifact.
func (f *forecast) look(id brenner.ArtifactID) error {
	versions, err := AllVersions(f.Call, id)
	if err != nil {
		return err
	}
	now := func(v store.Version) artifact.Status { return v.Status }
	then := func(v store.Version) artifact.Status {
		if s, ok := f.to[v.Ref()]; ok {
			return s
		}
		return v.Status
	}
	markUsed(versions, now, f.usedBefore)
	markUsed(versions, then, f.usedAfter)
	canonicalNow, canonicalThen := canonicalOf(versions, now), canonicalOf(versions, then)
	for _, v := range versions {
		ref := v.Ref()
		if f.usedBefore[ref] || f.usedAfter[ref] {
			f.candidates = append(f.candidates, ref)
		}
		before := lineage.Outdated(lineage.Node{Ref: ref, Status: v.Status, Demoted: v.Demoted, Canonical: canonicalNow})
		v = v.WithStatus(then(v))
		after := lineage.Outdated(lineage.Node{Ref: ref, Status: v.Status, Demoted: v.Demoted, Canonical: canonicalThen})
		switch {
		case after && !before:
			f.gone = append(f.gone, ref)
		case before && !after:
			f.back = append(f.back, ref)
		}
	}
	return nil
}

// markUsed marks the versions of an artifact that are canonical or live heads.
func markUsed(versions []store.Version, status func(store.Version) artifact.Status, used map[brenner.Ref]bool) {
	parent := map[brenner.Version]brenner.Version{}
	covered := map[brenner.Version]bool{} // has a live descendant
	for _, v := range versions {
		if parent[v.Version] = v.Parent; !status(v).Live() {
			continue
		}
		for p := v.Parent; p != 0 && !covered[p]; p = parent[p] {
			covered[p] = true
		}
	}
	for _, v := range versions {
		if s := status(v); s == artifact.Canonical || s.Live() && !covered[v.Version] {
			used[v.Ref()] = true
		}
	}
}

func canonicalOf(versions []store.Version, status func(store.Version) artifact.Status) brenner.Version {
	for _, v := range versions {
		if status(v) == artifact.Canonical {
			return v.Version
		}
	}
	return 0
}

// AllVersions loads every version of an artifact, the oldest first.
func AllVersions(c *kernel.Call, id brenner.ArtifactID) ([]store.Version, error) {
	var all []store.Version
	for after := brenner.Version(0); ; after = all[len(all)-1].Version {
		rows, err := c.Versions(c.Ctx, id, after, brenner.MaxPage)
		if all = append(all, rows...); err != nil || len(rows) < brenner.MaxPage {
			return all, err
		}
	}
}

// findOthers adds the versions of other artifacts that rest on what moves; their
// use does not change.
func (f *forecast) findOthers() error {
	var err error
	if f.spread, err = lineage.Spread(f.gone, LinksDown(f.Call), brenner.MaxWalk); err != nil {
		return err
	}
	resting := slices.Clone(f.spread.Refs)
	if len(f.back) > 0 {
		more, err := lineage.Spread(f.back, LinksDown(f.Call), brenner.MaxWalk)
		if err != nil {
			return err
		}
		resting = append(resting, more.Refs...)
	}
	resting = slices.DeleteFunc(resting, func(r brenner.Ref) bool { return slices.Contains(f.touched, r.Artifact) })
	artifacts, err := ArtifactsOf(f.Call, resting)
	if err != nil {
		return err
	}
	nodes, err := NodesOf(f.Call, artifacts, resting)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if !n.Status.Live() || n.Record {
			continue
		}
		used, err := InUse(f.Call, n, artifacts[n.Ref.Artifact].Latest)
		if err != nil {
			return err
		}
		if used {
			f.candidates = append(f.candidates, n.Ref)
			f.usedBefore[n.Ref], f.usedAfter[n.Ref] = true, true
		}
	}
	slices.SortFunc(f.candidates, brenner.Ref.Compare)
	f.candidates = slices.Compact(f.candidates)
	return nil
}

// stale says which candidates are stale now, and which will be. Where nothing
// comes back into force, what is stale stays so, and what rests on what is gone
// joins it.
func (f *forecast) stale() (before []brenner.Ref, after func(brenner.Ref) bool, err error) {
	if len(f.candidates) == 0 {
		return nil, nil, nil
	}
	if before, err = f.Reader.Stale(f.Ctx, f.candidates, Carrying, brenner.MaxWalk); err != nil {
		return nil, nil, err
	}
	if len(f.back) == 0 {
		return before, func(r brenner.Ref) bool { return contains(before, r) || contains(f.spread.Refs, r) }, nil
	}
	outdated := func(some []brenner.Ref) ([]brenner.Ref, error) {
		now, err := f.Outdated(f.Ctx, some)
		now = slices.DeleteFunc(now, func(r brenner.Ref) bool { return contains(f.back, r) })
		for _, r := range some {
			if contains(f.gone, r) {
				now = append(now, r)
			}
		}
		return now, err
	}
	then, err := lineage.StaleAmong(f.candidates, LinksUp(f.Call), outdated, brenner.MaxWalk)
	return before, func(r brenner.Ref) bool { return then.Path(r) != nil }, err
}

// contains looks a version up in a list that is in order.
func contains(list []brenner.Ref, ref brenner.Ref) bool {
	_, found := slices.BinarySearchFunc(list, ref, brenner.Ref.Compare)
	return found
}
