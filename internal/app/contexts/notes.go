package contexts

import (
	"cmp"
	"slices"

	"brenner"
	"brenner/artifact"
	"brenner/assembly"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
)

// notesOf gives what the reader of a context has to know of some versions
// besides what they say: who wrote them, what they refer to, who disputes them,
// whether there is something newer. What lies outside its scope, or what its
// role may not read, is not named (C33).
func notesOf(c *kernel.Call, scope assembly.Scope, refs []brenner.Ref) (map[brenner.Ref]assembly.Notes, error) {
	n := noter{Call: c, scope: scope}
	if err := n.load(refs); err != nil {
		return nil, err
	}
	stale, err := c.Reader.Stale(c.Ctx, refs, ledger.Carrying, brenner.MaxWalk)
	if err != nil {
		return nil, err
	}
	out := make(map[brenner.Ref]assembly.Notes, len(refs))
	for _, v := range n.versions {
		a := n.artifacts[v.Artifact]
		one := assembly.Notes{Author: v.Creator}
		_, one.NeedsUpdate = slices.BinarySearchFunc(stale, v.Ref(), brenner.Ref.Compare)
		if a.Canonical != 0 && a.Canonical != v.Version {
			one.InForce = a.Canonical
		}
		if a.Head > v.Version && a.Head != a.Canonical && a.HeadStatus.Live() {
			one.Draft = a.Head
		}
		out[v.Ref()] = one
	}
	for _, l := range n.from {
		if one, asked := out[l.From]; asked && n.mayName(l.To) {
			one.Links = append(one.Links, assembly.Relation{Rel: l.Rel, To: l.To})
			out[l.From] = one
		}
	}
	for _, l := range n.to {
		one, asked := out[l.To]
		if !asked || !n.mayName(l.From) || !n.live[l.From] {
			continue
		}
		if l.Rel == artifact.Contradicts {
			one.Contradicted = append(one.Contradicted, l.From)
		} else {
			one.Criticised = append(one.Criticised, l.From)
		}
		out[l.To] = one
	}
	return out, nil
}

// noter loads what notes are made of.
type noter struct {
	*kernel.Call
	scope     assembly.Scope
	versions  []store.Version
	artifacts map[brenner.ArtifactID]store.Artifact
	from, to  []store.Link
	live      map[brenner.Ref]bool // versions that dispute one of those asked for
}

func (n *noter) load(refs []brenner.Ref) (err error) {
	if n.versions, err = n.VersionsOf(n.Ctx, refs); err != nil {
		return err
	}
	if n.from, err = n.LinksFrom(n.Ctx, refs); err != nil {
		return err
	}
	if n.to, err = n.LinksTo(n.Ctx, refs); err != nil {
		return err
	}
	n.to = slices.DeleteFunc(n.to, func(l store.Link) bool { return l.Rel != artifact.Contradicts && l.Rel != artifact.Reviews })
	order := func(a, b store.Link) int {
		return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.Rel, b.Rel), a.To.Compare(b.To))
	}
	slices.SortFunc(n.from, order)
	slices.SortFunc(n.to, order)
	named := slices.Clone(refs)
	disputing := make([]brenner.Ref, len(n.to))
	for i, l := range n.to {
		disputing[i] = l.From
	}
	for _, l := range n.from {
		named = append(named, l.To)
	}
	if n.artifacts, err = ledger.ArtifactsOf(n.Call, slices.Concat(named, disputing)); err != nil {
		return err
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
