package app

import (
	"context"
	"fmt"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/policy"
)

// findArtifact loads an artifact and asks whether the actor may do this to it.
// What may not be read is reported as denied, not as absent: names are no
// secret inside a project, contents are.
func (c *call) findArtifact(id brenner.ArtifactID, action policy.Action) (store.Artifact, error) {
	if err := id.Check(); err != nil {
		return store.Artifact{}, err
	}
	a, err := c.Reader.Artifact(c.ctx, id)
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		c.decided = true // there is nothing to decide about
		return store.Artifact{}, brenner.Errorf(brenner.CodeNotFound, "there is no artifact %q", id).
			WithHint("list them with `brenner artifact list`")
	}
	if err != nil {
		return store.Artifact{}, err
	}
	return a, c.allow(action, a.Type, a.Module, string(a.ID))
}

// inForce loads a version: the one named, or with version 0 the canonical one,
// or else the head.
func (c *call) inForce(a store.Artifact, asked brenner.Version) (store.Version, error) {
	if asked == 0 {
		asked = a.Canonical
	}
	if asked == 0 {
		asked = a.Head
	}
	v, err := c.Version(c.ctx, brenner.Ref{Artifact: a.ID, Version: asked})
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return store.Version{}, brenner.Errorf(brenner.CodeNotFound, "%s has no version %d", a.ID, asked).
			WithHint(fmt.Sprintf("its versions are 1–%d", a.Latest))
	}
	return v, err
}

// content loads what a version says.
func (c *call) content(v store.Version) (artifact.Content, error) {
	data, err := c.Blob(c.ctx, v.Content)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return artifact.Content{}, brenner.Errorf(brenner.CodeRedacted, "the content of %s was redacted", v.Ref())
	}
	return artifact.Content{Format: v.Format, Data: data}, err
}

// links gives the links that leave a version.
func (c *call) links(ref brenner.Ref) ([]artifact.Link, error) {
	rows, err := c.LinksFrom(c.ctx, []brenner.Ref{ref})
	out := make([]artifact.Link, 0, len(rows))
	for _, l := range rows {
		out = append(out, artifact.Link{Rel: l.Rel, Artifact: l.To.Artifact, Version: l.To.Version})
	}
	return out, err
}

// fork gives the live heads of an artifact if there are several.
func (c *call) fork(id brenner.ArtifactID) ([]brenner.Ref, error) {
	leaves, err := c.Leaves(c.ctx, id)
	if err != nil || len(leaves) < 2 {
		return nil, err
	}
	out := make([]brenner.Ref, len(leaves))
	for i, v := range leaves {
		out[i] = v.Ref()
	}
	return out, nil
}

// whole puts a version together from its rows.
func (c *call) whole(a store.Artifact, v store.Version, brief bool) (artifact.Version, error) {
	out := artifact.Version{
		ID: a.ID, Type: a.Type, Version: v.Version, Status: v.Status, Module: a.Module,
		Summary: v.Summary, Format: v.Format, SHA256: v.Content,
		Metadata: artifact.Metadata{Creator: v.Creator, CreatedAt: a.Created, UpdatedAt: v.Created, Tags: orEmpty(v.Tags)},
	}
	if v.Parent != 0 {
		parent := v.Parent
		out.Parent = &parent
	}
	if v.What != "" || v.Why != "" {
		out.Change = &artifact.Change{What: v.What, Why: v.Why}
	}
	var err error
	if out.Links, err = c.links(v.Ref()); err != nil || brief {
		return out, err
	}
	content, err := c.content(v)
	if err == nil {
		out.Content = artifact.ContentValue(content)
	}
	return out, err
}

// Artifact implements api.Artifacts.
func (s *service) Artifact(ctx context.Context, req api.ArtifactRequest) (api.ArtifactView, error) {
	return read(ctx, s, "artifact", refsOfView, func(c *call) (api.ArtifactView, error) {
		a, err := c.findArtifact(req.Ref.Artifact, policy.Read)
		if err != nil {
			return api.ArtifactView{}, err
		}
		v, err := c.inForce(a, req.Ref.Version)
		if err != nil {
			return api.ArtifactView{}, err
		}
		whole, err := c.whole(a, v, req.Brief)
		if err != nil {
			return api.ArtifactView{}, err
		}
		out := api.ArtifactView{
			Version: whole, Head: a.Head, Latest: a.Latest, Canonical: a.Canonical, Task: v.Task, Seq: v.Seq,
		}
		if out.Fork, err = c.fork(a.ID); err != nil {
			return api.ArtifactView{}, err
		}
		out.Stale, err = c.stalePath(v.Ref())
		out.NeedsUpdate = len(out.Stale) > 0
		return out, err
	})
}

// Artifacts implements api.Artifacts.
func (s *service) Artifacts(ctx context.Context, req api.ListArtifactsRequest) (api.ArtifactList, error) {
	return read(ctx, s, "list", nil, func(c *call) (api.ArtifactList, error) {
		limit, err := pageSize(req.Limit)
		if err != nil {
			return api.ArtifactList{}, err
		}
		after, err := openCursor[brenner.ArtifactID](req.Cursor)
		if err != nil {
			return api.ArtifactList{}, err
		}
		types, err := c.readable(req.Types)
		if err != nil {
			return api.ArtifactList{}, err
		}
		modules, none := c.inScope(req.Modules)
		if none {
			return api.ArtifactList{Items: []api.ArtifactItem{}}, nil
		}
		if err := checkStatuses(req.Statuses); err != nil {
			return api.ArtifactList{}, err
		}
		statuses := req.Statuses
		if len(statuses) == 0 {
			statuses = slices.DeleteFunc(artifact.Statuses(), func(st artifact.Status) bool { return st == artifact.Deprecated })
		}
		rows, err := c.Reader.Artifacts(ctx, store.ArtifactQuery{
			Types: types, Modules: modules, Statuses: statuses, Tag: req.Tag, After: after, Limit: limit + 1,
		})
		out := api.ArtifactList{Items: []api.ArtifactItem{}}
		if len(rows) > limit {
			rows = rows[:limit]
			out.Cursor = makeCursor(rows[limit-1].ID)
		}
		for _, a := range rows {
			out.Items = append(out.Items, item(a))
		}
		return out, err
	})
}

func checkStatuses(asked []artifact.Status) error {
	for _, st := range asked {
		if !slices.Contains(artifact.Statuses(), st) {
			return brenner.Errorf(brenner.CodeInvalidValue, "%q is not a status", st).
				WithHint("statuses: " + list(artifact.Statuses()))
		}
	}
	return nil
}

func item(a store.Artifact) api.ArtifactItem {
	return api.ArtifactItem{
		ID: a.ID, Type: a.Type, Module: a.Module, Status: a.HeadStatus, Head: a.Head, Canonical: a.Canonical,
		Summary: a.Summary, Tags: orEmpty(a.Tags), Updated: a.Updated,
	}
}

// readable narrows a choice of types to those the actor may read. Asking for a
// type by name that may not be read is refused; asking for all is not.
func (c *call) readable(asked []brenner.TypeName) ([]brenner.TypeName, error) {
	for _, t := range asked {
		if _, err := c.types.Lookup(t); err != nil {
			return nil, err
		}
		if err := c.allow(policy.Read, t, "", string(t)); err != nil {
			return nil, err
		}
	}
	if len(asked) > 0 {
		return asked, nil
	}
	var out []brenner.TypeName
	all := c.types.Types()
	for _, t := range all {
		if c.may(policy.Read, t.Name, "") {
			out = append(out, t.Name)
		}
	}
	if len(out) == 0 {
		return nil, c.allow(policy.Read, "", "", "artifacts")
	}
	if len(out) == len(all) {
		return nil, nil
	}
	return out, nil
}

// SearchArtifacts implements api.Artifacts.
func (s *service) SearchArtifacts(ctx context.Context, req api.SearchArtifactsRequest) (api.SearchResult, error) {
	return read(ctx, s, "search", nil, func(c *call) (api.SearchResult, error) {
		limit, err := pageSize(req.Limit)
		if err != nil {
			return api.SearchResult{}, err
		}
		if err := checkText(req.Text); err != nil {
			return api.SearchResult{}, err
		}
		types, err := c.readable(req.Types)
		if err != nil {
			return api.SearchResult{}, err
		}
		modules, none := c.inScope(req.Modules)
		if none {
			return api.SearchResult{Items: []api.SearchHit{}}, nil
		}
		if err := checkStatuses(req.Statuses); err != nil {
			return api.SearchResult{}, err
		}
		most := limit
		if len(req.Statuses) > 0 || req.Tag != "" {
			most = brenner.MaxPage
		}
		hits, err := c.Search(ctx, store.SearchQuery{Text: req.Text, Types: types, Modules: modules, Limit: most})
		if err != nil {
			return api.SearchResult{}, err
		}
		out := api.SearchResult{Items: []api.SearchHit{}}
		for _, h := range hits {
			if len(out.Items) < limit && chosen(h.Artifact, req.Statuses, req.Tag) {
				out.Items = append(out.Items, api.SearchHit{ArtifactItem: item(h.Artifact), Score: h.Score})
			}
		}
		return out, nil
	})
}

// chosen reports whether an artifact has one of these statuses and this tag, as
// listings choose (store.ArtifactQuery); none asked for is any.
func chosen(a store.Artifact, statuses []artifact.Status, tag string) bool {
	status := len(statuses) == 0 || slices.Contains(statuses, a.HeadStatus) ||
		a.Canonical != 0 && slices.Contains(statuses, artifact.Canonical)
	return status && (tag == "" || slices.Contains(a.Tags, tag))
}

// History implements api.Artifacts.
func (s *service) History(ctx context.Context, req api.HistoryRequest) (api.HistoryResult, error) {
	return read(ctx, s, "history", nil, func(c *call) (api.HistoryResult, error) {
		a, err := c.findArtifact(req.ID, policy.Read)
		if err != nil {
			return api.HistoryResult{}, err
		}
		limit, err := pageSize(req.Limit)
		if err != nil {
			return api.HistoryResult{}, err
		}
		from, err := openCursor[brenner.Version](req.Cursor)
		if err != nil {
			return api.HistoryResult{}, err
		}
		rows, next, err := c.versionsFrom(a, from, req.Newest, limit)
		if err != nil {
			return api.HistoryResult{}, err
		}
		out := api.HistoryResult{
			ID: a.ID, Type: a.Type, Module: a.Module, Head: a.Head, Canonical: a.Canonical,
			Versions: []api.HistoryItem{}, Decisions: []api.Decision{},
		}
		if next != 0 {
			out.Cursor = makeCursor(next)
		}
		for _, v := range rows {
			out.Versions = append(out.Versions, historyItem(v))
		}
		out.Decisions, err = c.decisions(a.ID)
		return out, err
	})
}

// versionsFrom gives a page of versions behind one that was given before, 0: from
// the beginning; next is the last of them, 0 if there are no more. Versions are
// numbered without a gap, so the newest are found by their numbers.
func (c *call) versionsFrom(a store.Artifact, from brenner.Version, newest bool, limit int) (rows []store.Version, next brenner.Version, err error) {
	if newest {
		if from == 0 || from > a.Latest {
			from = a.Latest + 1
		}
		after := max(0, from-1-brenner.Version(limit))
		if rows, err = c.Versions(c.ctx, a.ID, after, limit); after > 0 {
			next = after + 1
		}
		rows = slices.DeleteFunc(rows, func(v store.Version) bool { return v.Version >= from })
		slices.Reverse(rows)
		return rows, next, err
	}
	if rows, err = c.Versions(c.ctx, a.ID, from, limit+1); len(rows) > limit {
		rows = rows[:limit]
		next = rows[limit-1].Version
	}
	return rows, next, err
}

func historyItem(v store.Version) api.HistoryItem {
	h := api.HistoryItem{
		Version: v.Version, Parent: v.Parent, Status: v.Status, Summary: v.Summary, Creator: v.Creator,
		Created: v.Created, SHA256: v.Content, Size: v.Size, Seq: v.Seq,
	}
	if v.What != "" || v.Why != "" {
		h.Change = &artifact.Change{What: v.What, Why: v.Why}
	}
	return h
}

// Diff implements api.Artifacts.
func (s *service) Diff(ctx context.Context, req api.DiffRequest) (api.DiffResult, error) {
	return read(ctx, s, "diff", refsOfDiff, func(c *call) (api.DiffResult, error) {
		if req.From.Artifact != req.To.Artifact {
			c.decided = true
			return api.DiffResult{}, brenner.Errorf(brenner.CodeInvalidValue, "%s and %s are different artifacts", req.From.Artifact, req.To.Artifact).
				WithHint("compare two versions of one artifact")
		}
		a, err := c.findArtifact(req.From.Artifact, policy.Read)
		if err != nil {
			return api.DiffResult{}, err
		}
		var ends [2]artifact.Version
		for i, ref := range []brenner.Ref{req.From, req.To} {
			row, err := c.inForce(a, ref.Version)
			if err != nil {
				return api.DiffResult{}, err
			}
			if ends[i], err = c.whole(a, row, false); err != nil {
				return api.DiffResult{}, err
			}
		}
		between, err := c.between(a, ends[0].Version, ends[1].Version)
		if err != nil {
			return api.DiffResult{}, err
		}
		return api.DiffResult{Difference: artifact.Diff(ends[0], ends[1], between)}, nil
	})
}

// between loads the ancestors of two versions, without their contents, down
// to where the lines meet.
func (c *call) between(a store.Artifact, from, to brenner.Version) ([]artifact.Version, error) {
	var out []artifact.Version
	seen := map[brenner.Version]bool{}
	for from != to && from+to > 0 {
		newer := &from // the greater number is never an ancestor of the smaller
		if to > from {
			newer = &to
		}
		row, err := c.Version(c.ctx, brenner.Ref{Artifact: a.ID, Version: *newer})
		if err != nil {
			return nil, err
		}
		whole, err := c.whole(a, row, true)
		if err != nil {
			return nil, err
		}
		if !seen[row.Version] {
			seen[row.Version] = true
			out = append(out, whole)
		}
		*newer = row.Parent
	}
	if from == to && from > 0 && !seen[from] {
		row, err := c.Version(c.ctx, brenner.Ref{Artifact: a.ID, Version: from})
		if err != nil {
			return nil, err
		}
		whole, err := c.whole(a, row, true)
		return append(out, whole), err
	}
	return out, nil
}

// decisions reads the decisions about an artifact from the journal's index of
// them.
func (c *call) decisions(id brenner.ArtifactID) ([]api.Decision, error) {
	out := []api.Decision{}
	rows, err := c.Objects(c.ctx, store.ObjectQuery{Kind: objectDecision, Group: string(id), Limit: brenner.MaxPage})
	if err != nil {
		return nil, err
	}
	for _, o := range rows {
		var d decisionMade
		if err := unmarshalBody(o, &d); err != nil {
			return nil, err
		}
		info := api.Decision{Seq: o.Seq, At: d.At, Actor: d.Actor, Ref: d.Ref, Status: d.Status, Reason: d.Reason}
		for _, ch := range d.Changes {
			info.Changes = append(info.Changes, api.StatusChange(ch))
		}
		out = append(out, info)
	}
	return out, nil
}
