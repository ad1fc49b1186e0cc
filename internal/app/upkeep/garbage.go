package upkeep

import (
	"context"
	"fmt"
	"time"

	"brenner"
	"brenner/api"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/lineage"
	"brenner/policy"
)

// CollectGarbage implements api.Upkeep.
func (s *Service) CollectGarbage(ctx context.Context, req api.GarbageRequest) (api.GarbageResult, error) {
	if !req.Apply {
		return kernel.View(ctx, s.caller, kernel.ItemByItem(), func(c *kernel.Call) (api.GarbageResult, error) {
			out, _, err := s.findGarbage(c, req)
			return out, err
		})
	}
	// What is in use is looked at inside the transaction: nothing can come
	// into use between looking and deciding.
	return kernel.Write(ctx, s.caller, "gc", req, kernel.ItemByItem(), func(ch *kernel.Change) (api.GarbageResult, error) {
		out, period, err := s.findGarbage(ch.Call, req)
		if err != nil {
			return api.GarbageResult{}, err
		}
		out.Applied = true
		reason := fmt.Sprintf("gc: nothing in use has referred to it for %s", period)
		for i, item := range out.Items {
			decided, err := collectArtifact(ch, item.ID, reason)
			if err != nil {
				return api.GarbageResult{}, err
			}
			out.Items[i].Seq = decided.Seq
		}
		return out, nil
	})
}

// collectArtifact deprecates every live version of an artifact.
func collectArtifact(ch *kernel.Change, id brenner.ArtifactID, reason string) (api.DecisionResult, error) {
	a, v, err := ledger.Subject(ch, brenner.Ref{Artifact: id}, reason, policy.Deprecate)
	if err != nil {
		return api.DecisionResult{}, err
	}
	gone, err := ledger.LiveVersions(ch.Call, a)
	if err != nil {
		return api.DecisionResult{}, err
	}
	return ledger.DeprecateVersions(ch, a, v, gone, reason)
}

// findGarbage lists what nothing in use has referred to for the period (C27), as
// far as the actor may deprecate it. In use is what is canonical, what an open
// task rests on, what is not kept by use, what changed within the period, and
// whatever those refer to.
func (r *Room) findGarbage(c *kernel.Call, req api.GarbageRequest) (api.GarbageResult, time.Duration, error) {
	types := map[brenner.TypeName]bool{}
	for _, t := range c.Types.Types() {
		types[t.Name] = upkept(t) && c.May(policy.Deprecate, t.Name, "")
	}
	if !anyOf(types) {
		return api.GarbageResult{}, 0, c.Allow(policy.Deprecate, "", "", "anything")
	}
	period, err := unusedFor(req.OlderThan)
	if err != nil {
		return api.GarbageResult{}, 0, err
	}
	before, cutoff, err := cutoffBefore(c, period)
	if err != nil {
		return api.GarbageResult{}, 0, err
	}
	rows, unused, err := r.findUnused(c, func(a store.Artifact) bool { return !types[a.Type] || a.Seq > cutoff })
	if err != nil {
		return api.GarbageResult{}, 0, err
	}
	out := api.GarbageResult{Before: before, Items: []api.GarbageItem{}}
	for _, id := range unused {
		a := rows[id]
		if !a.HeadStatus.Live() || !c.May(policy.Deprecate, a.Type, a.Module) {
			continue
		}
		if out.Total++; out.Total <= brenner.MaxCollected {
			out.Items = append(out.Items, api.GarbageItem{
				ID: a.ID, Type: a.Type, Module: a.Module, Status: a.HeadStatus, Head: a.Head, Updated: a.Updated,
			})
		}
	}
	return out, period, nil
}

func anyOf(types map[brenner.TypeName]bool) bool {
	for _, yes := range types {
		if yes {
			return true
		}
	}
	return false
}

// findUnused reads the whole graph once and lists what nothing in use refers to.
// kept names artifacts that are in use of themselves, besides what is
// canonical and what open tasks rest on.
func (r *Room) findUnused(c *kernel.Call, kept func(store.Artifact) bool) (map[brenner.ArtifactID]store.Artifact, []brenner.ArtifactID, error) {
	rows := map[brenner.ArtifactID]store.Artifact{}
	err := c.Each(c.Ctx, store.TableArtifacts, func(row any) error {
		a := row.(store.Artifact)
		rows[a.ID] = a
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	speaking, err := speakingVersions(c, rows)
	if err != nil {
		return nil, nil, err
	}
	busy, err := r.Tasks.Resting(c)
	if err != nil {
		return nil, nil, err
	}
	used := map[brenner.ArtifactID]bool{}
	for _, ref := range busy { // a version that is pinned speaks like a head
		used[ref.Artifact] = true
		speaking[ref.Artifact] = append(speaking[ref.Artifact], ref)
	}
	holdings := make([]lineage.Holding, 0, len(rows))
	for id, a := range rows {
		holdings = append(holdings, lineage.Holding{
			ID: id, Speaking: speaking[id], Used: used[id] || a.Canonical != 0 || kept(a),
		})
	}
	var links []lineage.Edge
	err = c.Each(c.Ctx, store.TableLinks, func(row any) error {
		l := row.(store.Link)
		links = append(links, lineage.Edge{From: l.From, Rel: l.Rel, To: l.To})
		return nil
	})
	return rows, lineage.Unused(holdings, links), err
}

// speakingVersions gives the versions that speak for each artifact: the canonical one
// and every live head.
func speakingVersions(c *kernel.Call, rows map[brenner.ArtifactID]store.Artifact) (map[brenner.ArtifactID][]brenner.Ref, error) {
	out := make(map[brenner.ArtifactID][]brenner.Ref, len(rows))
	heads, err := c.Leaves(c.Ctx, "") // of what has several
	if err != nil {
		return nil, err
	}
	for id, a := range rows {
		if a.Canonical != 0 {
			out[id] = append(out[id], brenner.Ref{Artifact: id, Version: a.Canonical})
		}
		if a.HeadStatus.Live() {
			out[id] = append(out[id], brenner.Ref{Artifact: id, Version: a.Head})
			continue
		}
		if a.Latest == 1 {
			continue
		}
		other, err := c.Leaves(c.Ctx, id) // a line beside the one that ended
		if err != nil {
			return nil, err
		}
		heads = append(heads, other...)
	}
	for _, v := range heads {
		out[v.Artifact] = append(out[v.Artifact], v.Ref())
	}
	return out, nil
}
