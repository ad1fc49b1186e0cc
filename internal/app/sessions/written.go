package sessions

import (
	"context"
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/order"
	"brenner/internal/store"
	"brenner/policy"
)

const (
	mostWritten = 5  // versions are announced at a time
	lookedAt    = 50 // newest artifacts of the module

	mostBefore   = 10 // versions before one are looked at for what is the reader's
	mostConcerns = 3  // are said of one
)

// readOfWritten is what contexts call it to be told what others wrote. It names no
// session: what was told in one is known in all.
const readOfWritten = "what others wrote"

// written announces versions that others wrote beside a session. A line of it is a
// read like any other (C33), and given once (C34); it shows none of them in full.
func (s *Service) written(ctx context.Context, req api.SessionRequest) (api.SessionView, error) {
	ask := kernel.Ask{What: readOfWritten, Peek: req.Unseen}
	refs := func(api.SessionView) []brenner.Ref { return []brenner.Ref{} }
	guard := kernel.Acting(kernel.Act{Action: policy.Read, Type: artifact.TypeSessionArtifact, Target: string(req.ID)})
	out, shown, err := kernel.ReadPassages(ctx, s.caller.Unasked(req.Unasked), ask, refs, guard, func(c *kernel.Call) (api.SessionView, []kernel.Passage, error) {
		info, err := findSession(c, req.ID)
		if err != nil {
			return api.SessionView{}, nil, err
		}
		if err := c.Allow(policy.Read, artifact.TypeSessionArtifact, info.Module, string(req.ID)); err != nil {
			return api.SessionView{}, nil, err
		}
		all, err := writtenBeside(c, info, req.Unseen)
		lines := make([]kernel.Passage, len(all))
		for i, w := range all {
			lines[i] = kernel.Passage{Text: w.Words() + "\n", Says: []string{w.Ref.String()}}
		}
		return api.SessionView{SessionInfo: info, Ref: info.Artifact, Written: all}, lines, err
	})
	if err != nil {
		return api.SessionView{}, err
	}
	all := out.Written
	if out.Left = shown.Left; req.Unseen {
		return out, nil
	}
	out.Written = nil
	for _, i := range shown.Now {
		out.Written = append(out.Written, all[i])
	}
	return out, nil
}

// writtenBeside are the newest versions that others wrote in the module of a session since it
// began, that the caller may read, and of which its context has nothing, or, of those that
// are unopened, no more than a line or a summary: those of all who were asked in it, and of
// anybody those that concern what the caller wrote, which come first.
func writtenBeside(c *kernel.Call, info api.SessionInfo, unopened bool) ([]api.WrittenVersion, error) {
	rows, err := c.Reader.Artifacts(c.Ctx, store.ArtifactQuery{
		Modules: []brenner.Module{info.Module}, Statuses: []artifact.Status{artifact.Draft, artifact.Canonical}, Recent: true, Limit: lookedAt,
	})
	if err != nil {
		return nil, err
	}
	var heads []brenner.Ref
	for _, a := range rows {
		typ, err := c.Types.Lookup(a.Type)
		if err != nil || !typ.Contextual || typ.Record || a.Type == artifact.TypeSessionArtifact || !c.May(policy.Read, a.Type, a.Module) || a.Updated.Before(info.Created) {
			continue // a type that is not registered any more is nobody's news
		}
		ref := brenner.Ref{Artifact: a.ID, Version: a.Head}
		has := c.LastOpened(a.ID) >= a.Head
		if !unopened {
			has = toldOf(c, ref)
		}
		if has && !c.Person() {
			continue
		}
		heads = append(heads, ref)
	}
	if len(heads) == 0 {
		return nil, nil
	}
	fresh, err := c.Reader.VersionsOf(c.Ctx, heads)
	if err != nil {
		return nil, err
	}
	fresh = slices.DeleteFunc(fresh, func(v store.Version) bool { return v.Creator == c.Who.Name || v.Created.Before(info.Created) })
	order.By(fresh, func(a, b store.Version) int { return slices.Index(heads, a.Ref()) - slices.Index(heads, b.Ref()) })
	concerns, err := concerning(c, info.ID, fresh)
	if err != nil {
		return nil, err
	}
	var out []api.WrittenVersion
	for _, v := range fresh {
		if _, asked := recipientOf(info, v.Creator); asked || len(concerns[v.Ref()]) > 0 {
			out = append(out, api.WrittenVersion{Ref: v.Ref(), Agent: v.Creator, Summary: v.Summary, Concerns: concerns[v.Ref()], Told: toldOf(c, v.Ref())})
		}
	}
	order.By(out, func(a, b api.WrittenVersion) int { return min(1, len(b.Concerns)) - min(1, len(a.Concerns)) })
	out = out[:min(len(out), mostWritten)]
	return out, sayChanged(c, out)
}

// toldOf says whether the caller was told of a version, or of a later one.
func toldOf(c *kernel.Call, ref brenner.Ref) bool {
	return c.LastRead(ref.Artifact) >= ref.Version || c.Has(readOfWritten, kernel.Passage{Says: []string{ref.String()}})
}

// sayChanged says of versions what changed since the one that the caller was told of, if it
// was of one.
func sayChanged(c *kernel.Call, all []api.WrittenVersion) error {
	if c.Person() {
		return nil
	}
	since := make([][]brenner.Ref, len(all)) // the one it was told of, and those after it
	for i, w := range all {
		at := func(n brenner.Version) brenner.Ref { return brenner.Ref{Artifact: w.Ref.Artifact, Version: n} }
		for told := w.Ref.Version - 1; told > 0 && told+mostBefore > w.Ref.Version && since[i] == nil; told-- {
			if toldOf(c, at(told)) {
				for n := told; n <= w.Ref.Version; n++ {
					since[i] = append(since[i], at(n))
				}
			}
		}
	}
	versions, err := c.Reader.VersionsOf(c.Ctx, slices.Concat(since...))
	if err != nil {
		return err
	}
	of := map[brenner.Ref]store.Version{}
	for _, v := range versions {
		of[v.Ref()] = v
	}
	for i, refs := range since {
		for n, ref := range refs {
			if n == 0 {
				all[i].Was = of[ref].Summary
			} else if what := of[ref].What; what != "" {
				all[i].Changed = append(all[i].Changed, what)
			}
		}
	}
	return nil
}

// concerning says of versions that others wrote what they have to do with the caller's own:
// one of its artifacts has a new version, one of its versions is linked to, or one rests on an
// earlier version of what was written. The document of the session is nobody's own, whoever's
// deltas had it compiled.
func concerning(c *kernel.Call, session brenner.SessionID, fresh []store.Version) (map[brenner.Ref][]string, error) {
	if c.Person() || len(fresh) == 0 {
		return nil, nil
	}
	var refs, earlier []brenner.Ref
	for _, v := range fresh {
		refs = append(refs, v.Ref())
		for n := max(1, v.Version-mostBefore); n < v.Version; n++ {
			earlier = append(earlier, brenner.Ref{Artifact: v.Artifact, Version: n})
		}
	}
	to, err := c.Reader.LinksFrom(c.Ctx, refs)
	if err != nil {
		return nil, err
	}
	on, err := c.Reader.LinksTo(c.Ctx, earlier)
	if err != nil {
		return nil, err
	}
	look := slices.Clone(earlier)
	for _, l := range to {
		look = append(look, l.To)
	}
	for _, l := range on {
		look = append(look, l.From)
	}
	found, err := c.Reader.VersionsOf(c.Ctx, look)
	if err != nil {
		return nil, err
	}
	mine := map[brenner.Ref]bool{}
	for _, v := range found {
		mine[v.Ref()] = v.Creator == c.Who.Name && v.Status.Live() && v.Artifact != brenner.ArtifactID(session)
	}
	out := map[brenner.Ref][]string{}
	for _, ref := range refs {
		var said []string
		for n := ref.Version - 1; n > 0 && len(said) == 0; n-- {
			if own := (brenner.Ref{Artifact: ref.Artifact, Version: n}); mine[own] {
				said = append(said, fmt.Sprintf("after your %s", own))
			}
		}
		for _, l := range to {
			if l.From == ref && mine[l.To] && l.To.Artifact != ref.Artifact {
				said = append(said, fmt.Sprintf("%s your %s", l.Rel, l.To))
			}
		}
		for _, l := range on {
			if l.To.Artifact == ref.Artifact && l.From.Artifact != ref.Artifact && mine[l.From] && l.Rel.Carries() && !replacedIn(on, mine, l) {
				said = append(said, fmt.Sprintf("your %s %s %s", l.From, l.Rel, l.To))
			}
		}
		out[ref] = said[:min(len(said), mostConcerns)]
	}
	return out, nil
}

// replacedIn says whether a later version of what a link is from, which is of the same
// author, links to the same artifact: then that one speaks for both.
func replacedIn(all []store.Link, mine map[brenner.Ref]bool, l store.Link) bool {
	return slices.ContainsFunc(all, func(o store.Link) bool {
		return mine[o.From] && o.From.Artifact == l.From.Artifact && o.From.Version > l.From.Version && o.To.Artifact == l.To.Artifact && o.Rel.Carries()
	})
}
