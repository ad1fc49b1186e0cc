package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/canon"
	"brenner/delta"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/playbook"
	"brenner/policy"

	"github.com/go-json-experiment/json/jsontext"
)

func refsOfView(v api.ArtifactView) []brenner.Ref { return []brenner.Ref{v.Ref()} }

func refsOfDiff(d api.DiffResult) []brenner.Ref { return []brenner.Ref{d.From, d.To} }

// FindArtifact loads an artifact and asks whether the actor may do this to it.
// What may not be read is reported as denied, not as absent: names are no
// secret inside a project, contents are.
func FindArtifact(c *kernel.Call, id brenner.ArtifactID, action policy.Action) (store.Artifact, error) {
	a, err := loadArtifact(c, id)
	if err != nil {
		return store.Artifact{}, err
	}
	if own, err := ownLog(c, a, action); own || err != nil {
		return a, err
	}
	return a, c.Ask(actOn(a, action))
}

// ownLog reports whether somebody reads what it wrote itself: one's own replies
// are no secret to oneself (C2). A log of which another wrote any version is not
// one's own: a new version can carry the old text on.
func ownLog(c *kernel.Call, a store.Artifact, action policy.Action) (bool, error) {
	if action != policy.Read || a.Type != artifact.TypeRawLog {
		return false, nil
	}
	versions, err := c.Versions(c.Ctx, a.ID, 0, brenner.MaxPage)
	others := func(v store.Version) bool { return v.Creator != c.Who.Name }
	if err != nil || len(versions) < int(a.Latest) || slices.ContainsFunc(versions, others) {
		return false, err
	}
	c.Settle()
	return true, nil
}

// ToArtifact guards an act on an artifact, whose type and module decide who
// may. It loads the artifact for the use case.
func ToArtifact(action policy.Action, id brenner.ArtifactID, into *store.Artifact) kernel.Guard {
	return kernel.Either(func(c *kernel.Call) (bool, error) {
		var err error
		if *into, err = loadArtifact(c, id); err != nil {
			return false, err
		}
		return ownLog(c, *into, action)
	}, kernel.On(func(*kernel.Call) (kernel.Act, error) { return actOn(*into, action), nil }))
}

// ToSendBack is ToArtifact for who asks for changes: that takes the right to promote, and is
// called what it is.
func ToSendBack(id brenner.ArtifactID, into *store.Artifact) kernel.Guard {
	return kernel.On(func(c *kernel.Call) (kernel.Act, error) {
		var err error
		*into, err = loadArtifact(c, id)
		return sendingBack(*into), err
	})
}

// FindToSendBack is FindArtifact for the same.
func FindToSendBack(c *kernel.Call, id brenner.ArtifactID) (store.Artifact, error) {
	a, err := loadArtifact(c, id)
	if err != nil {
		return store.Artifact{}, err
	}
	return a, c.Ask(sendingBack(a))
}

func sendingBack(a store.Artifact) kernel.Act {
	act := actOn(a, policy.Promote)
	act.Doing = "request changes of"
	return act
}

func loadArtifact(c *kernel.Call, id brenner.ArtifactID) (store.Artifact, error) {
	if err := id.Check(); err != nil {
		return store.Artifact{}, err
	}
	a, err := c.Reader.Artifact(c.Ctx, id)
	if errors.Is(err, brenner.CodeNotFound) {
		return store.Artifact{}, brenner.Errorf(brenner.CodeNotFound, "there is no artifact %q", id).Try(whereItMayBe(id)...)
	}
	return a, err
}

// whereItMayBe says what to try for a name that no artifact has: tasks and lessons are no
// artifacts, and a search does not find them.
func whereItMayBe(id brenner.ArtifactID) []brenner.Action {
	search := []brenner.Action{brenner.Do("artifact.search", "text", string(id)), brenner.Do("artifact.list")}
	if strings.HasPrefix(string(id), "task-") {
		return []brenner.Action{brenner.Do("task.list")}
	}
	if _, err := playbook.ParseBulletID(string(id)); err == nil {
		return append([]brenner.Action{brenner.Do("playbook.list")}, search...)
	}
	return search
}

func actOn(a store.Artifact, action policy.Action) kernel.Act {
	return kernel.Act{Action: action, Type: a.Type, Module: a.Module, Target: string(a.ID)}
}

// InForce loads a version: the one named, or with version 0 the canonical one,
// or else the head.
func InForce(c *kernel.Call, a store.Artifact, asked brenner.Version) (store.Version, error) {
	if asked == 0 {
		asked = a.Canonical
	}
	if asked == 0 {
		asked = a.Head
	}
	v, err := c.Version(c.Ctx, brenner.Ref{Artifact: a.ID, Version: asked})
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return store.Version{}, brenner.Errorf(brenner.CodeNotFound, "%s has no version %d", a.ID, asked).
			WithHint(fmt.Sprintf("its versions are 1–%d", a.Latest))
	}
	return v, err
}

// ContentOf loads what a version says.
func ContentOf(c *kernel.Call, v store.Version) (artifact.Content, error) {
	data, err := c.Blob(c.Ctx, v.Content)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return artifact.Content{}, brenner.Errorf(brenner.CodeRedacted, "the content of %s was redacted", v.Ref()).
			WithHint("the record of the redaction has the reason; see what rests on it, or what it rested on").Try(brenner.Do("lineage", "ref", v.Ref().String()))
	}
	return artifact.Content{Format: v.Format, Data: data}, err
}

// LinksOf gives the links that leave a version.
func LinksOf(c *kernel.Call, ref brenner.Ref) ([]artifact.Link, error) {
	rows, err := c.LinksFrom(c.Ctx, []brenner.Ref{ref})
	out := make([]artifact.Link, 0, len(rows))
	for _, l := range rows {
		out = append(out, artifact.Link{Rel: l.Rel, Artifact: l.To.Artifact, Version: l.To.Version})
	}
	return out, err
}

// ForkOf gives the live heads of an artifact if there are several. The store is
// not asked about one with a single version.
func ForkOf(c *kernel.Call, id brenner.ArtifactID, latest brenner.Version) ([]brenner.Ref, error) {
	if latest < 2 {
		return nil, nil
	}
	leaves, err := c.Leaves(c.Ctx, id)
	if err != nil || len(leaves) < 2 {
		return nil, err
	}
	out := make([]brenner.Ref, len(leaves))
	for i, v := range leaves {
		out[i] = v.Ref()
	}
	return out, nil
}

// wholeOf puts a version together from its rows.
func wholeOf(c *kernel.Call, a store.Artifact, v store.Version, brief bool) (artifact.Version, error) {
	out := artifact.Version{
		ID: a.ID, Type: a.Type, Version: v.Version, Status: v.Status, Module: a.Module,
		Summary: v.Summary, Format: v.Format, SHA256: v.Content,
		Metadata: artifact.Metadata{Creator: v.Creator, CreatedAt: a.Created, UpdatedAt: v.Created, Tags: kernel.OrEmpty(v.Tags)},
	}
	if v.Parent != 0 {
		parent := v.Parent
		out.Parent = &parent
	}
	if v.What != "" || v.Why != "" {
		out.Change = &artifact.Change{What: v.What, Why: v.Why}
	}
	var err error
	if out.Links, err = LinksOf(c, v.Ref()); err != nil || brief {
		return out, err
	}
	content, err := ContentOf(c, v)
	if err == nil {
		out.Content = artifact.ContentValue(content)
	}
	return out, err
}

// Artifact implements api.Artifacts.
func (s *Service) Artifact(ctx context.Context, req api.ArtifactRequest) (api.ArtifactView, error) {
	var a store.Artifact
	return kernel.ReadOnce(ctx, s.caller.For(req.Task).Unasked(req.Unasked), "artifact", req.Again, refsOfView, ToArtifact(policy.Read, req.Ref.Artifact, &a), func(c *kernel.Call) (api.ArtifactView, error) {
		v, err := InForce(c, a, req.Ref.Version)
		if err != nil {
			return api.ArtifactView{}, err
		}
		out, err := ViewOf(c, a, v, req.Brief)
		if err != nil || req.Brief || req.Size == 0 && req.Part == "" {
			return out, err
		}
		if req.Changes {
			changed, err := changesOf(c, a, out, req)
			if err != nil || changed.Since > 0 {
				return changed, err
			}
		}
		err = onPage(&out, req)
		if err == nil && a.Type == artifact.TypeSessionArtifact && !c.Person() && out.Offset+out.NextOffset == 0 {
			return inPassages(c, out, v)
		}
		return out, err
	})
}

// mostOlder is how many versions before one are looked at for whether its reader wrote
// them.
const mostOlder = 20

// NewestKnown is the newest version of an artifact before one that an agent wrote, or that
// it read from end to end if that is later; 0 if there is none.
func NewestKnown(c *kernel.Call, ref brenner.Ref, read brenner.Version, agent brenner.ActorName) (known brenner.Version, how string, err error) {
	for v := ref.Version - 1; v > read && v+mostOlder >= ref.Version; v-- {
		row, err := c.Version(c.Ctx, brenner.Ref{Artifact: ref.Artifact, Version: v})
		if err != nil {
			return 0, "", err
		}
		if row.Creator == agent {
			return v, "which you wrote", nil
		}
	}
	return read, "which you were given", nil
}

// changesOf is a view as what changed after the newest version before it that the caller
// wrote or its context was given from end to end, where that is shorter; else as it is. What
// a redacted version said nobody has any more. A session's document is read item by item.
func changesOf(c *kernel.Call, a store.Artifact, out api.ArtifactView, req api.ArtifactRequest) (api.ArtifactView, error) {
	if req.Again || req.Offset > 0 || req.Part != "" || a.Type == artifact.TypeSessionArtifact || a.Type == artifact.TypeStalemate {
		return out, nil
	}
	known, _, err := NewestKnown(c, out.Ref(), c.ShownInFull(a.ID), c.Who.Name)
	if err != nil || known == 0 || known >= out.Version.Version {
		return out, err
	}
	d, err := DifferenceOf(c, a, known, out.Version.Version)
	if brenner.CodeOf(err) == brenner.CodeRedacted {
		return out, nil
	}
	if text := (api.DiffResult{Difference: d}).Words(); err == nil && len(text) < min(len(out.Content), req.Size) {
		out.Content, out.Text, out.Since = nil, text, known
	}
	return out, err
}

// inPassages is the view of a whole session document, which is read item by item
// as well.
func inPassages(c *kernel.Call, out api.ArtifactView, v store.Version) (api.ArtifactView, error) {
	content, err := ContentOf(c, v)
	if err != nil {
		return out, err
	}
	doc, err := delta.ReadArtifact(content.Data)
	if err != nil {
		return out, err
	}
	var texts []string
	for _, p := range delta.Passages(doc, delta.Part{Sections: delta.Sections()}) {
		texts = append(texts, kernel.CutItem(p.Section, p.Text)...)
	}
	return out.InPassages(kernel.ReadOfSession(brenner.SessionID(out.ID)), texts), nil
}

// onPage gives the content of a view as text, and only the part that is asked
// for.
func onPage(v *api.ArtifactView, req api.ArtifactRequest) error {
	text := string(v.Content)
	if v.Format == artifact.Text {
		raw, err := jsontext.AppendUnquote(nil, v.Content)
		if err != nil {
			return err
		}
		text = string(raw)
	} else {
		indented := jsontext.Value(text)
		if err := indented.Indent(jsontext.WithIndent("  ")); err == nil {
			text = string(indented)
		}
	}
	end := len(text)
	if req.Part != "" {
		from, to, err := partOf(v.Ref(), text, req)
		if err != nil {
			return err
		}
		req.Offset, end, v.Part = from, to, strings.Trim(req.Part, ".")
		if req.Size == 0 {
			req.Size = max(end-from, utf8.UTFMax)
		}
	}
	var err error
	v.Content, v.Offset = nil, req.Offset
	v.Text, v.NextOffset, err = artifact.Page(text[:end], req.Offset, req.Size)
	if v.Ends = req.Part != "" && v.NextOffset == 0; v.Ends && end < len(text) {
		v.NextOffset = end
	}
	if v.NextOffset > 0 || v.Offset > 0 {
		v.Total = len(text)
	}
	return err
}

// mostNumbers is how many numbers of parts are named where one is not there.
const mostNumbers = 20

// partOf finds the part of a text that is asked for.
func partOf(ref brenner.Ref, text string, req api.ArtifactRequest) (from, to int, err error) {
	if req.Offset != 0 {
		return 0, 0, brenner.Errorf(brenner.CodeInvalidValue, "a part and an offset are asked for").At("/offset").
			WithHint("leave one of them out; what comes behind a part is read by its offset")
	}
	from, to, found := artifact.Section(text, req.Part)
	if found {
		return from, to, nil
	}
	numbers := artifact.SectionNumbers(text)
	hint := "it has no parts that are headed by a number"
	if len(numbers) > 0 {
		hint = "it has " + strings.Join(numbers[:min(len(numbers), mostNumbers)], ", ")
	}
	return 0, 0, brenner.Errorf(brenner.CodeNotFound, "%s has no part .%s", ref, strings.TrimPrefix(brenner.Clip(brenner.OneLine(req.Part), brenner.MaxQuote), ".")).At("/part").
		WithHint(hint).Try(brenner.Do("artifact.show", "ref", ref.String()))
}

// ViewOf is a version with what the project knows about it.
func ViewOf(c *kernel.Call, a store.Artifact, v store.Version, brief bool) (api.ArtifactView, error) {
	whole, err := wholeOf(c, a, v, brief)
	if err != nil {
		return api.ArtifactView{}, err
	}
	if a.Type == artifact.TypeSessionArtifact && !brief && !c.Person() {
		if err := c.Compares(v.Size); err != nil {
			return api.ArtifactView{}, err
		}
		if err := asDocument(&whole); err != nil {
			return api.ArtifactView{}, err
		}
	}
	out := api.ArtifactView{
		Version: whole, Head: a.Head, Latest: a.Latest, Canonical: a.Canonical, Task: v.Task, Seq: v.Seq, MayNot: mayNot(c, a, v),
	}
	if out.Fork, err = ForkOf(c, a.ID, a.Latest); err != nil {
		return api.ArtifactView{}, err
	}
	if out.Decided, err = decidedAbout(c, v.Ref()); err != nil {
		return api.ArtifactView{}, err
	}
	befell, err := Befell(c, []brenner.Ref{v.Ref()})
	if err != nil {
		return api.ArtifactView{}, err
	}
	out.Befell = befell[v.Ref()]
	out.Stale, err = stalePath(c, v.Ref())
	out.NeedsUpdate = len(out.Stale) > 0
	return out, err
}

// mayNot are the decisions about a version that are not for a person who reads it. Who
// wrote it may take it back.
func mayNot(c *kernel.Call, a store.Artifact, v store.Version) []string {
	var out []string
	for _, act := range []policy.Action{policy.Promote, policy.Demote, policy.Deprecate} {
		own := act == policy.Deprecate && v.Creator == c.Who.Name
		if c.Person() && !own && !c.May(act, a.Type, a.Module) {
			out = append(out, string(act))
		}
	}
	return out
}

// asDocument gives a session artifact as its document: its content also holds
// every delta it ever took, which no agent needs and no budget holds (C34).
func asDocument(v *artifact.Version) error {
	var doc delta.Artifact
	err := canon.Unmarshal(v.Content, &doc)
	if err != nil {
		return err
	}
	v.Format = artifact.Text
	v.Content, err = canon.Marshal(delta.RenderPlain(&doc))
	return err
}

// Artifacts implements api.Artifacts.
func (s *Service) Artifacts(ctx context.Context, req api.ListArtifactsRequest) (api.ArtifactList, error) {
	return kernel.Read(ctx, s.caller, "list", nil, kernel.ItemByItem(), func(c *kernel.Call) (api.ArtifactList, error) {
		limit, err := kernel.PageSize(req.Limit)
		if err != nil {
			return api.ArtifactList{}, err
		}
		q := store.ArtifactQuery{Tag: req.Tag, Limit: limit + 1}
		if err := order(&q, req); err != nil {
			return api.ArtifactList{}, err
		}
		types, err := readableTypes(c, req.Types)
		if err != nil {
			return api.ArtifactList{}, err
		}
		if err := c.KnownModules(req.Modules); err != nil {
			return api.ArtifactList{}, err
		}
		modules, none := c.InScope(req.Modules)
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
		q.Types, q.Modules, q.Statuses = types, modules, statuses
		rows, err := c.Reader.Artifacts(ctx, q)
		if err != nil {
			return api.ArtifactList{}, err
		}
		out := api.ArtifactList{Items: []api.ArtifactItem{}}
		if len(rows) > limit {
			rows = rows[:limit]
			out.Cursor = placeOf(rows[limit-1], q)
		}
		for _, a := range rows {
			out.Items = append(out.Items, itemOf(a))
		}
		if err := markRedacted(c, out.Items); err != nil {
			return api.ArtifactList{}, err
		}
		if req.Total {
			out.Total, err = c.CountArtifacts(ctx, q)
		}
		return out, err
	})
}

// markRedacted says of items whether the content of their heads was redacted.
func markRedacted(c *kernel.Call, items []api.ArtifactItem) error {
	if len(items) == 0 {
		return nil
	}
	refs := make([]brenner.Ref, len(items))
	for i, one := range items {
		refs[i] = brenner.Ref{Artifact: one.ID, Version: one.Head}
	}
	gone, err := RedactedOf(c, refs)
	for i := range items {
		items[i].Redacted = gone[refs[i]]
	}
	return err
}

// RedactedOf are those of some versions whose content was redacted.
func RedactedOf(c *kernel.Call, refs []brenner.Ref) (map[brenner.Ref]bool, error) {
	rows, err := c.VersionsOf(c.Ctx, refs)
	if err != nil {
		return nil, err
	}
	gone, err := redactedOf(c, rows)
	out := map[brenner.Ref]bool{}
	for _, v := range rows {
		out[v.Ref()] = gone[v.Content]
	}
	return out, err
}

// redactedOf are the contents of versions that were redacted.
func redactedOf(c *kernel.Call, versions []store.Version) (map[brenner.Digest]bool, error) {
	digests := make([]brenner.Digest, len(versions))
	for i, v := range versions {
		digests[i] = v.Content
	}
	found, err := c.Reader.Redacted(c.Ctx, digests)
	gone := make(map[brenner.Digest]bool, len(found))
	for _, d := range found {
		gone[d] = true
	}
	return gone, err
}

// order puts the order that was asked for into a query, and where it goes on.
func order(q *store.ArtifactQuery, req api.ListArtifactsRequest) (err error) {
	switch req.Sort {
	case "", api.SortID:
		q.After, err = kernel.OpenCursor[brenner.ArtifactID](req.Cursor)
		return err
	case api.SortUpdated:
		place, err := kernel.OpenCursor[kernel.Place](req.Cursor)
		q.Recent, q.ChangedAt, q.After = true, place.Order, brenner.ArtifactID(place.ID)
		return err
	}
	return brenner.Errorf(brenner.CodeInvalidValue, "%.40q is not an order of artifacts", req.Sort).At("/sort").
		WithHint("orders: " + kernel.Join([]api.ArtifactSort{api.SortID, api.SortUpdated}))
}

// placeOf is the cursor behind an artifact in the order of a query.
func placeOf(a store.Artifact, q store.ArtifactQuery) string {
	if q.Recent {
		return kernel.MakeCursor(kernel.Place{Order: a.Seq, ID: string(a.ID)})
	}
	return kernel.MakeCursor(a.ID)
}

func checkStatuses(asked []artifact.Status) error {
	for _, st := range asked {
		if !slices.Contains(artifact.Statuses(), st) {
			return brenner.Errorf(brenner.CodeInvalidValue, "%q is not a status", st).
				WithHint("statuses: " + kernel.Join(artifact.Statuses()))
		}
	}
	return nil
}

func itemOf(a store.Artifact) api.ArtifactItem {
	return api.ArtifactItem{
		ID: a.ID, Type: a.Type, Module: a.Module, Status: a.HeadStatus, Head: a.Head, Canonical: a.Canonical,
		Summary: a.Summary, Tags: kernel.OrEmpty(a.Tags), Updated: a.Updated,
	}
}

// readableTypes narrows a choice of types to those the actor may read. Asking for a
// type by name that may not be read is refused; asking for all is not.
func readableTypes(c *kernel.Call, asked []brenner.TypeName) ([]brenner.TypeName, error) {
	for _, t := range asked {
		if _, err := c.Types.Lookup(t); err != nil {
			return nil, err
		}
		if err := c.Allow(policy.Read, t, "", string(t)); err != nil {
			return nil, err
		}
	}
	if len(asked) > 0 {
		return asked, nil
	}
	var out []brenner.TypeName
	all := c.Types.Types()
	for _, t := range all {
		if c.May(policy.Read, t.Name, "") {
			out = append(out, t.Name)
		}
	}
	if len(out) == 0 {
		return nil, c.Allow(policy.Read, "", "", "artifacts")
	}
	if len(out) == len(all) {
		return nil, nil
	}
	return out, nil
}

// chosen reports whether an artifact has one of these statuses and this tag, as
// listings choose (store.ArtifactQuery); none asked for is any.
func chosen(a store.Artifact, statuses []artifact.Status, tag string) bool {
	status := len(statuses) == 0 || slices.Contains(statuses, a.HeadStatus) ||
		a.Canonical != 0 && slices.Contains(statuses, artifact.Canonical)
	return status && (tag == "" || slices.Contains(a.Tags, tag))
}

// History implements api.Artifacts.
func (s *Service) History(ctx context.Context, req api.HistoryRequest) (api.HistoryResult, error) {
	var a store.Artifact
	return kernel.Read(ctx, s.caller, "history", nil, ToArtifact(policy.Read, req.ID, &a), func(c *kernel.Call) (api.HistoryResult, error) {
		limit, err := kernel.PageSize(req.Limit)
		if err != nil {
			return api.HistoryResult{}, err
		}
		from, err := kernel.OpenCursor[brenner.Version](req.Cursor)
		if err != nil {
			return api.HistoryResult{}, err
		}
		rows, next, err := versionsFrom(c, a, from, req.Newest, limit)
		if err != nil {
			return api.HistoryResult{}, err
		}
		out := api.HistoryResult{
			ID: a.ID, Type: a.Type, Module: a.Module, Head: a.Head, Canonical: a.Canonical,
			Versions: []api.HistoryItem{}, Decisions: []api.Decision{},
		}
		if next != 0 {
			out.Cursor = kernel.MakeCursor(next)
		}
		gone, err := redactedOf(c, rows)
		if err != nil {
			return api.HistoryResult{}, err
		}
		for _, v := range rows {
			one := historyItem(v)
			one.Redacted = gone[v.Content]
			out.Versions = append(out.Versions, one)
		}
		out.Decisions, err = DecisionsAbout(c, a.ID)
		return out, err
	})
}

// versionsFrom gives a page of versions behind one that was given before, 0: from
// the beginning; next is the last of them, 0 if there are no more. Versions are
// numbered without a gap, so the newest are found by their numbers.
func versionsFrom(c *kernel.Call, a store.Artifact, from brenner.Version, newest bool, limit int) (rows []store.Version, next brenner.Version, err error) {
	if newest {
		if from == 0 || from > a.Latest {
			from = a.Latest + 1
		}
		after := max(0, from-1-brenner.Version(limit))
		if rows, err = c.Versions(c.Ctx, a.ID, after, limit); after > 0 {
			next = after + 1
		}
		rows = slices.DeleteFunc(rows, func(v store.Version) bool { return v.Version >= from })
		slices.Reverse(rows)
		return rows, next, err
	}
	if rows, err = c.Versions(c.Ctx, a.ID, from, limit+1); len(rows) > limit {
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
func (s *Service) Diff(ctx context.Context, req api.DiffRequest) (api.DiffResult, error) {
	if req.From.Artifact != req.To.Artifact {
		return api.DiffResult{}, brenner.Errorf(brenner.CodeInvalidValue, "%s and %s are different artifacts", req.From.Artifact, req.To.Artifact).
			WithHint("compare two versions of one artifact")
	}
	var a store.Artifact
	return kernel.Read(ctx, s.caller.Unasked(req.Unasked), "diff", refsOfDiff, ToArtifact(policy.Read, req.From.Artifact, &a), func(c *kernel.Call) (api.DiffResult, error) {
		from := req.From.Version
		if known := c.LastOpened(a.ID); req.Unasked && known > from {
			to, err := InForce(c, a, req.To.Version)
			if err != nil {
				return api.DiffResult{}, err
			}
			from = min(known, to.Version)
		}
		d, err := DifferenceOf(c, a, from, req.To.Version)
		return api.DiffResult{Difference: d, Most: req.Most}, err
	})
}

// DifferenceOf says what changed between two versions of an artifact, and why.
func DifferenceOf(c *kernel.Call, a store.Artifact, from, to brenner.Version) (artifact.Difference, error) {
	var ends [2]artifact.Version
	for i, version := range []brenner.Version{from, to} {
		row, err := InForce(c, a, version)
		if err != nil {
			return artifact.Difference{}, err
		}
		if err := c.Compares(row.Size); err != nil {
			return artifact.Difference{}, err
		}
		if ends[i], err = wholeOf(c, a, row, false); err != nil {
			return artifact.Difference{}, err
		}
	}
	between, err := ancestors(c, a, ends[0].Version, ends[1].Version)
	if err != nil {
		return artifact.Difference{}, err
	}
	d, whole := artifact.DiffUntil(c.Gone, ends[0], ends[1], between)
	if !whole {
		return artifact.Difference{}, c.Ctx.Err()
	}
	return d, nil
}

// ancestors loads the ancestors of two versions, without their contents, down
// to where the lines meet.
func ancestors(c *kernel.Call, a store.Artifact, from, to brenner.Version) ([]artifact.Version, error) {
	var out []artifact.Version
	seen := map[brenner.Version]bool{}
	for from != to && from+to > 0 {
		newer := &from // the greater number is never an ancestor of the smaller
		if to > from {
			newer = &to
		}
		row, err := c.Version(c.Ctx, brenner.Ref{Artifact: a.ID, Version: *newer})
		if err != nil {
			return nil, err
		}
		whole, err := wholeOf(c, a, row, true)
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
		row, err := c.Version(c.Ctx, brenner.Ref{Artifact: a.ID, Version: from})
		if err != nil {
			return nil, err
		}
		whole, err := wholeOf(c, a, row, true)
		return append(out, whole), err
	}
	return out, nil
}

// DecisionsAbout reads the decisions about an artifact from the journal's index of
// them.
func DecisionsAbout(c *kernel.Call, id brenner.ArtifactID) ([]api.Decision, error) {
	out := []api.Decision{}
	rows, err := decisions.List(c.Ctx, c.Reader, kernel.Query{Group: string(id)}, brenner.MaxPage)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		d := row.Value
		info := api.Decision{Seq: row.Seq, At: d.At, Actor: d.Actor, Ref: d.Ref, Status: d.Status, Reason: d.Reason, Over: d.Over}
		for _, ch := range d.Changes {
			info.Changes = append(info.Changes, api.StatusChange(ch))
		}
		out = append(out, info)
	}
	return out, nil
}
