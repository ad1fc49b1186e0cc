package ledger

import (
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/lineage"
	"brenner/policy"
)

// mostBefallen is how much is said of what befell one version, befallenRunes how much of what
// each of that says.
const (
	mostBefallen  = 3
	befallenRunes = 200
)

// Befell says of versions who contradicts or criticises them, and what takes their place: what
// is in use, and the reader may know of.
// Relations may be named to ask for these alone.
func Befell(c *kernel.Call, refs []brenner.Ref, only ...artifact.Relation) (map[brenner.Ref][]api.Befallen, error) {
	if len(only) == 0 {
		only = []artifact.Relation{artifact.Supersedes, artifact.Contradicts, artifact.Reviews}
	}
	links, err := c.LinksTo(c.Ctx, refs, only...)
	links = slices.DeleteFunc(links, func(l store.Link) bool { return l.From.Artifact == l.To.Artifact })
	if err != nil || len(links) == 0 {
		return nil, err
	}
	from := make([]brenner.Ref, len(links))
	for i, l := range links {
		from[i] = l.From
	}
	from = slices.Compact(slices.SortedFunc(slices.Values(from), brenner.Ref.Compare))
	found, err := Nodes(c, from)
	if err != nil {
		return nil, err
	}
	nodes := make(map[brenner.Ref]lineage.Node, len(found))
	for _, n := range found {
		within, none := c.InScope([]brenner.Module{n.Module})
		inUse := n.Status.Live() && (n.Ref.Version == n.Head || n.Ref.Version == n.Canonical)
		if inUse && !none && slices.Contains(within, n.Module) && c.May(policy.Read, n.Type, n.Module) {
			nodes[n.Ref] = n
		}
	}
	out := map[brenner.Ref][]api.Befallen{}
	for _, l := range links {
		n, counts := nodes[l.From]
		objects := l.Rel != artifact.Reviews || n.Type == artifact.TypeCritique
		if counts && objects && len(out[l.To]) < mostBefallen {
			out[l.To] = append(out[l.To], api.Befallen{Rel: l.Rel, By: l.From, Says: brenner.ClipWords(n.Summary, befallenRunes)})
		}
	}
	return out, nil
}

// decidedAbout is the last decision that changed the status of a version, as far as the reader
// may read what it was about; nil if none did.
func decidedAbout(c *kernel.Call, ref brenner.Ref) (*api.Decided, error) {
	rows, err := decisions.List(c.Ctx, c.Reader, kernel.Query{Group: string(ref.Artifact), Newest: true}, brenner.MaxPage)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		d := row.Value
		i := slices.IndexFunc(d.Changes, func(ch StatusChange) bool { return ch.Ref == ref })
		if i < 0 {
			continue
		}
		out := &api.Decided{Status: d.Changes[i].To, By: d.Actor, At: d.At, Reason: d.Reason}
		if d.Ref.Artifact == ref.Artifact {
			return out, nil
		}
		other, err := c.Reader.Artifact(c.Ctx, d.Ref.Artifact)
		if err != nil || !c.Sees(other.Type, other.Module) {
			return nil, err
		}
		out.About = d.Ref
		return out, nil
	}
	return nil, nil
}
