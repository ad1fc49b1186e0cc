package overview

import (
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/policy"
)

// What an agent can do about each kind of thing that waits; a kind that is not
// here is for others to decide (N1).
var (
	// ownVersions wait for the next version of whoever wrote them.
	ownVersions = []api.WaitKind{api.WaitStale, api.WaitRebase, api.WaitFinding}
	// byAct wait for whoever may do something.
	byAct = map[api.WaitKind]policy.Action{
		api.WaitStalemate: policy.StalemateVerdict,
		api.WaitConflict:  policy.Conflict,
		api.WaitCompile:   policy.Session,
		api.WaitResend:    policy.Session,
		api.WaitLesson:    policy.PlaybookReview,
	}
)

// forAgent keeps of what waits that which the calling agent can do something
// about. Its tasks and messages are listed apart.
func forAgent(c *kernel.Call, all []api.Waiting) ([]api.Waiting, error) {
	own, err := ownOf(c, all)
	var out []api.Waiting
	for _, w := range all {
		act, acts := byAct[w.Kind]
		switch {
		case acts && c.May(act, "", ""), w.Kind == api.WaitStalemate && w.Author == c.Who.Name:
		case w.Kind == api.WaitMemo && c.May(policy.Write, artifact.TypeIntegratedMemo, brenner.Module(w.Subject)):
		case w.Kind == api.WaitStale:
			w.Members = slices.DeleteFunc(slices.Clone(w.Members), func(name string) bool { return !own[name] })
			w.Count = len(w.Members)
			if w.Count == 0 {
				continue
			}
		case w.Kind == api.WaitApproval, own[w.Subject] && slices.Contains(ownVersions, w.Kind):
		default:
			continue
		}
		out = append(out, w)
	}
	return out, err
}

// ownOf finds those of the versions that wait which the caller wrote.
func ownOf(c *kernel.Call, all []api.Waiting) (map[string]bool, error) {
	var refs []brenner.Ref
	for _, w := range all {
		if !slices.Contains(ownVersions, w.Kind) {
			continue
		}
		names := []string{w.Subject}
		if w.Kind == api.WaitStale {
			names = w.Members // all of them are stale because of one
		}
		for _, name := range names {
			if ref, err := brenner.ParseRef(name); err == nil && ref.Version > 0 {
				refs = append(refs, ref)
			}
		}
	}
	slices.SortFunc(refs, brenner.Ref.Compare)
	versions, err := c.VersionsOf(c.Ctx, slices.Compact(refs))
	own := map[string]bool{}
	for _, v := range versions {
		own[v.Ref().String()] = v.Creator == c.Who.Name
	}
	return own, err
}

// asAgent gives a need the call that an agent has for it: to look at what waits.
func asAgent(n api.Need) api.Need {
	if slices.Contains(ownVersions, api.WaitKind(n.Kind)) {
		n.Do = brenner.Do("artifact.show", "ref", kernel.First(n.Names))
	}
	return n
}
