package firings

import (
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/automation"
	"brenner/delta"
	"brenner/harvest"
	"brenner/internal/app/kernel"
	"brenner/internal/app/ledger"
	"brenner/internal/store"
	"brenner/policy"
)

// planHarvest writes the items of a promoted session as artifacts of their own
// (A5): drafts of those that are new, versions of those that changed. What was
// harvested from an item that was killed since is deprecated as long as it is a
// draft of nobody else's; of anything more the person is told.
func (r *Room) planHarvest(c *kernel.Call, e automation.Event) ([]deed, error) {
	a, err := c.Reader.Artifact(c.Ctx, e.Ref.Artifact)
	if err != nil || a.Canonical != e.Ref.Version {
		return nil, err // a later promotion says what stands
	}
	doc, err := r.Sessions.Document(c, e.Ref)
	if err != nil {
		return nil, err
	}
	var out, told []deed
	for batch := range slices.Chunk(harvest.Items(doc), brenner.HarvestBatch) {
		changes := 0
		for _, item := range batch {
			s, err := r.stateOf(c, a.ID, item)
			if err != nil {
				return nil, err
			}
			if s.due != leave {
				changes++
			}
			if s.tell != "" {
				told = append(told, telling(string(harvest.Artifact(a.ID, item.ID)), s.tell))
			}
		}
		if changes > 0 {
			subject := fmt.Sprintf("%s %s–%s", a.ID, batch[0].ID, batch[len(batch)-1].ID)
			why := fmt.Sprintf("%s was promoted, and %d of its items are new, changed or killed", e.Ref, changes)
			out = append(out, deed{act: automation.Harvest, subject: subject, why: why, do: func(ch *kernel.Change) (did, error) {
				return r.harvest(ch, a, e.Ref, batch)
			}})
		}
	}
	return append(out, told...), nil
}

// harvesting is what is to be done about an item.
type harvesting int

const (
	leave  harvesting = iota // nothing changed
	create                   // it is new
	renew                    // it changed
	drop                     // it was killed
)

// harvested is how an item stands among the artifacts.
type harvested struct {
	due      harvesting
	artifact store.Artifact
	last     store.Version // the last that was harvested
	tell     string        // what a person has to know
}

// stateOf finds what is to be done about an item of a session. An artifact of
// that name which somebody else made is left alone.
func (r *Room) stateOf(c *kernel.Call, session brenner.ArtifactID, item harvest.Item) (harvested, error) {
	var s harvested
	id := harvest.Artifact(session, item.ID)
	var err error
	s.artifact, err = c.Reader.Artifact(c.Ctx, id)
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		if item.Killed == nil {
			s.due = create
		}
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if s.last, err = lastHarvested(c, id); err != nil {
		return s, err
	}
	if s.last.Version == 0 {
		s.tell = fmt.Sprintf("%s of %s is not harvested: somebody else made an artifact %s", item.ID, session, id)
		return s, nil
	}
	if item.Killed != nil {
		return s.killed(item), nil
	}
	content, err := ledger.ContentOf(c, s.last)
	if err != nil {
		return s, err
	}
	links, err := ledger.LinksOf(c, s.last.Ref())
	if err != nil {
		return s, err
	}
	missing := func(rel artifact.Relation, ids []delta.ItemID) bool {
		return slices.ContainsFunc(ids, func(other delta.ItemID) bool {
			return !slices.ContainsFunc(links, func(l artifact.Link) bool { return l.Rel == rel && l.Artifact == harvest.Artifact(session, other) })
		})
	}
	if string(content.Data) != string(item.Content) || missing(artifact.DerivedFrom, item.Rests) || missing(artifact.Reviews, item.Reviews) {
		s.due = renew
	}
	return s, nil
}

// lastHarvested is the last version of an artifact that was harvested; the zero
// version if there is no such artifact, or it is somebody else's.
func lastHarvested(c *kernel.Call, id brenner.ArtifactID) (last store.Version, err error) {
	for after := brenner.Version(0); ; {
		versions, err := c.Versions(c.Ctx, id, after, brenner.MaxPage)
		if err != nil {
			return last, err
		}
		for _, v := range versions {
			if v.Creator == kernel.System {
				last = v
			} else if v.Version == 1 {
				return store.Version{}, nil
			}
		}
		if len(versions) < brenner.MaxPage {
			return last, nil
		}
		after = versions[len(versions)-1].Version
	}
}

// killed says what is to be done about the artifact of an item that was killed.
func (s harvested) killed(item harvest.Item) harvested {
	reason := ""
	if item.Killed.Reason != "" {
		reason = ": " + item.Killed.Reason
	}
	switch {
	case s.artifact.Canonical != 0:
		s.tell = fmt.Sprintf("%s was killed by %s%s; %s@%d is canonical still", item.ID, item.Killed.By, reason, s.artifact.ID, s.artifact.Canonical)
	case !s.artifact.HeadStatus.Live():
	case s.last.Version == s.artifact.Head:
		s.due = drop
	default:
		s.tell = fmt.Sprintf("%s was killed by %s%s; somebody went on with it as %s@%d", item.ID, item.Killed.By, reason, s.artifact.ID, s.artifact.Head)
	}
	return s
}

// harvest writes down what changed of some items.
func (r *Room) harvest(ch *kernel.Change, session store.Artifact, ref brenner.Ref, items []harvest.Item) (did, error) {
	var out did
	for _, item := range items {
		s, err := r.stateOf(ch.Call, session.ID, item)
		if err != nil {
			return did{}, err
		}
		var wrote brenner.Ref
		switch s.due {
		case leave:
			continue
		case drop:
			wrote, err = r.dropHarvested(ch, s, item, ref)
		default:
			wrote, err = r.writeHarvested(ch, session, ref, s, item)
		}
		if err != nil {
			return did{}, err
		}
		out.refs = append(out.refs, wrote)
	}
	return out, nil
}

func (r *Room) writeHarvested(ch *kernel.Change, session store.Artifact, ref brenner.Ref, s harvested, item harvest.Item) (brenner.Ref, error) {
	links, err := harvestedLinks(ch.Call, ref, item)
	if err != nil {
		return brenner.Ref{}, err
	}
	content := api.Body{Format: artifact.JSON, Data: string(item.Content)}
	change := &artifact.Change{What: fmt.Sprintf("%s as it stands in %s", item.ID, ref), Why: "the session was promoted"}
	if s.due == create {
		out, err := r.Ledger.Create(ch, api.CreateArtifactRequest{
			ID: harvest.Artifact(session.ID, item.ID), Type: item.Type, Module: session.Module, Summary: item.Summary,
			Content: content, Links: links, Change: change,
		})
		return out.Ref, err
	}
	out, err := r.Ledger.Update(ch, api.UpdateArtifactRequest{
		ID: s.artifact.ID, Parent: s.last.Version, Summary: &item.Summary, SummaryHolds: true, Content: &content, Links: links, Change: change,
	})
	return out.Ref, err
}

// harvestedLinks lead from an item to its session, and to what was harvested of
// the items that it rests on or is about.
func harvestedLinks(c *kernel.Call, session brenner.Ref, item harvest.Item) ([]artifact.Link, error) {
	links := []artifact.Link{{Rel: artifact.HarvestedFrom, Artifact: session.Artifact, Version: session.Version}}
	for _, to := range []struct {
		rel   artifact.Relation
		items []delta.ItemID
	}{{artifact.DerivedFrom, item.Rests}, {artifact.Reviews, item.Reviews}} {
		for _, other := range to.items {
			last, err := lastHarvested(c, harvest.Artifact(session.Artifact, other))
			if err != nil {
				return nil, err
			}
			if last.Version != 0 {
				links = append(links, artifact.Link{Rel: to.rel, Artifact: last.Artifact, Version: last.Version})
			}
		}
	}
	return links, nil
}

// dropHarvested deprecates the draft of an item that was killed.
func (r *Room) dropHarvested(ch *kernel.Change, s harvested, item harvest.Item, session brenner.Ref) (brenner.Ref, error) {
	reason := fmt.Sprintf("%s was killed in %s by %s", item.ID, session, item.Killed.By)
	d, err := r.Ledger.Plan(ch.Call, s.artifact, s.last.Version, ledger.Decision{Action: policy.Deprecate, Reason: reason})
	if err != nil {
		return brenner.Ref{}, err
	}
	_, err = ledger.Record(ch, d)
	return s.last.Ref(), err
}
