package contexts

import (
	"slices"

	"brenner"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/internal/app/ledger"
	"brenner/internal/order"
	"brenner/internal/store"
	"brenner/policy"
)

// notesOf gives what the reader of a context has to know of some versions
// besides what they say: who wrote them, what they refer to, who disputes them,
// whether there is something newer. What lies outside its scope, or what its
// role may not read, is not named (C33).
func (room *Room) notesOf(r reading, scope assembly.Scope, refs []brenner.Ref) (map[brenner.Ref]assembly.Notes, error) {
	n := noter{reading: r, scope: scope}
	if err := n.load(refs); err != nil {
		return nil, err
	}
	stale, err := n.stale(carried(n.up)) // what rests on nothing cannot be
	if err != nil {
		return nil, err
	}
	out := make(map[brenner.Ref]assembly.Notes, len(refs))
	for ref, from := range n.from {
		a := n.artifacts[ref.Artifact]
		if a == nil {
			continue
		}
		one := assembly.Notes{Author: from.creator}
		_, one.NeedsUpdate = slices.BinarySearchFunc(stale, ref, brenner.Ref.Compare)
		if a.Canonical != 0 && a.Canonical != ref.Version {
			one.InForce = a.Canonical
		}
		if a.Head > ref.Version && a.Head != a.Canonical && a.HeadStatus.Live() {
			one.Draft = a.Head
		}
		if a.Type == artifact.TypeStalemate {
			if one.Stands, err = room.Disputes.Stands(r.Call, a.ID); err != nil {
				return nil, err
			}
		}
		out[ref] = one
	}
	for _, l := range n.up {
		if one, asked := out[l.From]; asked && n.mayName(l.To) {
			one.Links = append(one.Links, assembly.Relation{Rel: l.Rel, To: l.To})
			out[l.From] = one
		}
	}
	for _, l := range n.down {
		one, asked := out[l.To]
		if !asked || !n.mayName(l.From) || !n.live[l.From] {
			continue
		}
		switch l.Rel {
		case artifact.Supersedes:
			if by := n.artifacts[l.From.Artifact]; l.From.Artifact != l.To.Artifact && (l.From.Version == by.Head || l.From.Version == by.Canonical) {
				one.Superseded = append(one.Superseded, l.From)
			}
		case artifact.Contradicts:
			one.Contradicted = append(one.Contradicted, l.From)
		default:
			one.Criticised = append(one.Criticised, l.From)
		}
		out[l.To] = one
	}
	return out, nil
}

// carried are the versions that links say rest on something, in the order of the links.
func carried(links []store.Link) []brenner.Ref {
	var out []brenner.Ref
	for _, l := range links {
		if slices.Contains(ledger.Carrying, l.Rel) {
			out = append(out, l.From)
		}
	}
	return slices.Compact(out)
}

// disputes are the links by which a version says something against another, or takes its place.
var disputes = []artifact.Relation{artifact.Supersedes, artifact.Contradicts, artifact.Reviews}

// noter loads what notes are made of.
type noter struct {
	reading
	scope     assembly.Scope
	from      map[brenner.Ref]origin
	artifacts map[brenner.ArtifactID]*store.Artifact
	up, down  []store.Link         // links from and to those asked for
	live      map[brenner.Ref]bool // versions that dispute one of those asked for
}

func (n *noter) load(refs []brenner.Ref) (err error) {
	if n.from, err = n.origins(refs); err != nil {
		return err
	}
	var hubs []brenner.Ref
	if n.up, n.down, hubs, err = n.links(refs); err != nil {
		return err
	}
	n.down = slices.DeleteFunc(n.down, func(l store.Link) bool { return !slices.Contains(disputes, l.Rel) })
	if len(hubs) > 0 {
		more, err := n.LinksTo(n.Ctx, hubs, disputes...)
		if err != nil {
			return err
		}
		n.down = append(n.down, more...)
		order.By(n.down, compareLinks)
	}
	var named []brenner.ArtifactID
	disputing := make([]brenner.Ref, len(n.down))
	for _, ref := range refs {
		named = append(named, ref.Artifact)
	}
	for i, l := range n.down {
		disputing[i] = l.From
		named = append(named, l.From.Artifact)
	}
	for _, l := range n.up {
		named = append(named, l.To.Artifact)
	}
	if n.artifacts, err = n.reading.artifacts(named); err != nil {
		return err
	}
	if len(disputing) == 0 {
		return nil
	}
	versions, err := n.VersionsOf(n.Ctx, disputing)
	n.live = make(map[brenner.Ref]bool, len(versions))
	for _, v := range versions {
		n.live[v.Ref()] = v.Status.Live()
	}
	return err
}

// mayName reports whether the reader may learn that there is a version.
func (n *noter) mayName(ref brenner.Ref) bool {
	a, found := n.artifacts[ref.Artifact]
	return found && n.scope.Covers(a.Module) && n.May(policy.Read, a.Type, a.Module)
}
