package ledger

import (
	"context"
	"errors"
	"slices"

	"brenner"
	"brenner/api"
	"brenner/artifact"
	"brenner/internal/app/kernel"
	"brenner/internal/store"
	"brenner/policy"
)

// WriteBatch implements api.Files.
func (s *Service) WriteBatch(ctx context.Context, req api.BatchRequest) (api.BatchResult, error) {
	plan := kernel.Plan[batchRead]{
		Make: func(c *kernel.Call) (batchRead, error) { return readBatch(c, req.Items) },
		// What was read stays read; the rest is decided in the transaction.
		Holds: func(*kernel.Call, batchRead) (bool, error) { return true, nil },
	}
	return kernel.WritePlan(ctx, s.caller, "files.batch", req, kernel.ItemByItem(), plan, func(ch *kernel.Change, read batchRead) (api.BatchResult, error) {
		read.vouch(ch.Call)
		return s.writeBatch(ch, req, read)
	})
}

// batchRead has the contents of a batch that somebody may write, read, hashed and
// found valid under some settings while others write (X9). Of the other items
// the transaction says what is wrong with them.
type batchRead struct {
	settings *kernel.Settings
	types    []brenner.TypeName
	contents []*artifact.Content
}

func readBatch(c *kernel.Call, items []api.BatchItem) (batchRead, error) {
	out := batchRead{c.Settings, make([]brenner.TypeName, len(items)), make([]*artifact.Content, len(items))}
	c.May(policy.Write, "", "") // every item asks for itself
	for i, item := range items {
		if err := c.Ctx.Err(); err != nil {
			return out, err
		}
		body, a := bodyOf(item)
		if body == nil || i >= brenner.MaxBatchItems {
			continue
		}
		if item.Update != nil {
			var err error
			a, err = c.Artifact(c.Ctx, item.Update.ID)
			if errors.Is(err, brenner.CodeNotFound) {
				continue
			}
			if err != nil {
				return out, err
			}
		}
		if !c.May(policy.Write, a.Type, a.Module) {
			continue
		}
		content, err := artifact.NewContent(body.Format, []byte(body.Data))
		if err != nil || c.Validate(a.Type, content) != nil {
			continue
		}
		content = content.Hashed()
		out.types[i], out.contents[i] = a.Type, &content
	}
	return out, nil
}

// bodyOf is what an item writes, nil if it leaves that as it is, and of a new
// artifact what is known of it.
func bodyOf(item api.BatchItem) (*api.Body, store.Artifact) {
	switch {
	case item.Create != nil:
		return &item.Create.Content, store.Artifact{Type: item.Create.Type, Module: item.Create.Module}
	case item.Update != nil:
		return item.Update.Content, store.Artifact{}
	}
	return nil, store.Artifact{}
}

// vouch has the transaction look at nothing again that was found valid.
func (b batchRead) vouch(c *kernel.Call) {
	for i, content := range b.contents {
		if content != nil {
			c.Vouch(b.settings, b.types[i], *content)
		}
	}
}

// writeBatch tries every item, so that all refusals are found at once; one
// refusal refuses the batch.
func (r *Room) writeBatch(ch *kernel.Change, req api.BatchRequest, read batchRead) (api.BatchResult, error) {
	out := api.BatchResult{DryRun: req.DryRun, Items: []api.BatchWritten{}}
	if err := checkBatch(ch, req.Items); err != nil {
		return out, err
	}
	var findings []brenner.Diagnostic
	for i, item := range req.Items {
		standing := ch.Who.Role // an item may enter a task; the next one starts afresh
		done, err := r.writeItem(ch, item, read.contents[i])
		ch.Who.Role = standing
		var refusal *brenner.Error
		switch {
		case err == nil:
			out.Items = append(out.Items, done)
		case errors.As(err, &refusal) && aboutItem(refusal):
			findings = append(findings, api.Finding(item.Name, refusal))
		default:
			return out, err
		}
	}
	return out, api.RefuseBatch(findings)
}

// aboutItem says whether a refusal is about the item that met it, and not
// about the store or the request as a whole.
func aboutItem(e *brenner.Error) bool {
	switch brenner.ClassOf(e.Code) {
	case brenner.ClassInternal, brenner.ClassUnavailable, brenner.ClassCanceled:
		return false
	}
	return true
}

// checkBatch bounds a batch and refuses items that are neither one thing nor
// the other, or that write one artifact twice.
func checkBatch(ch *kernel.Change, items []api.BatchItem) error {
	if len(items) == 0 { // every item asks for itself; without one, who asks at all?
		if err := ch.Allow(policy.Status, "", "", "batch"); err != nil {
			return err
		}
	}
	if len(items) > brenner.MaxBatchItems {
		return brenner.Errorf(brenner.CodeLimitExceeded, "a batch has at most %d items, not %d", brenner.MaxBatchItems, len(items))
	}
	size, seen := 0, map[brenner.ArtifactID]bool{}
	for _, item := range items {
		if (item.Create == nil) == (item.Update == nil) {
			return brenner.Errorf(brenner.CodeInvalidValue, "the item %q must create or update, one of the two", item.Name)
		}
		if err := kernel.CheckText(item.Name); err != nil {
			return err
		}
		var id brenner.ArtifactID
		if item.Create != nil {
			id, size = item.Create.ID, size+len(item.Create.Content.Data)
		} else {
			id = item.Update.ID
			if item.Update.Content != nil {
				size += len(item.Update.Content.Data)
			}
		}
		if id != "" && seen[id] {
			return brenner.Errorf(brenner.CodeInvalidValue, "the batch writes %s twice", id)
		}
		seen[id] = true
		if size > brenner.MaxBatchBytes {
			return brenner.Errorf(brenner.CodeLimitExceeded, "a batch has at most %d bytes of content", brenner.MaxBatchBytes)
		}
	}
	return nil
}

func (r *Room) writeItem(ch *kernel.Change, item api.BatchItem, read *artifact.Content) (api.BatchWritten, error) {
	out := api.BatchWritten{Name: item.Name}
	if err := r.Tasks.Enter(ch.Call, taskOf(item)); err != nil {
		return out, err
	}
	same, err := sameItem(ch, item, read)
	switch {
	case err != nil:
		return out, err
	case same != nil:
		out.Outcome = api.BatchSame
		out.WriteResult = api.WriteResult{Ref: same.Ref(), Status: same.Status, SHA256: same.Content, Seq: same.Seq}
	case item.Create != nil:
		out.Outcome = api.BatchCreated
		if out.WriteResult, err = r.create(ch, *item.Create, read); err == nil && len(item.Create.Links) == 0 {
			out.Summary, out.Tags, out.Links = item.Create.Summary, kernel.OrEmpty(item.Create.Tags), []artifact.Link{}
			return out, nil // what was written stands there
		}
	default:
		out.Outcome = api.BatchUpdated
		out.WriteResult, err = r.update(ch, *item.Update, read)
	}
	if err != nil {
		return out, err
	}
	v, err := ch.Version(ch.Ctx, out.Ref)
	if err != nil {
		return out, err
	}
	out.Summary, out.Tags = v.Summary, kernel.OrEmpty(v.Tags)
	out.Links, err = LinksOf(ch.Call, out.Ref)
	return out, err
}

func taskOf(item api.BatchItem) string {
	if item.Create != nil {
		return item.Create.Task
	}
	return item.Update.Task
}

// sameItem finds the version that says what an item says already; nil if there
// is none.
func sameItem(ch *kernel.Change, item api.BatchItem, read *artifact.Content) (*store.Version, error) {
	if item.Create != nil {
		return sameContent(ch, *item.Create, read)
	}
	return sameVersion(ch, *item.Update, read)
}

// sameContent finds the artifact that a repeated import made: one of that name,
// type and module whose first version, or the one of today, has that content.
func sameContent(ch *kernel.Change, req api.CreateArtifactRequest, read *artifact.Content) (*store.Version, error) {
	if req.ID == "" || req.ID.Check() != nil {
		return nil, nil //nolint:nilerr // a bad name is refused where the artifact is made
	}
	a, err := ch.Artifact(ch.Ctx, req.ID)
	if brenner.CodeOf(err) == brenner.CodeNotFound ||
		err == nil && (a.Type != req.Type || req.Module != "" && a.Module != req.Module) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := ch.Allow(policy.Write, a.Type, a.Module, string(a.ID)); err != nil {
		return nil, err
	}
	content, err := contentOf(req.Content, read)
	if err != nil {
		return nil, err
	}
	return firstAmong(ch, a, []brenner.Version{a.Head, 1}, func(v store.Version) (bool, error) {
		return v.Format == content.Format && v.Content == content.Digest(), nil
	})
}

// sameVersion finds a version that an update would only repeat: the one it goes
// on, the head, or the latest, which an interrupted commit may have written.
func sameVersion(ch *kernel.Change, req api.UpdateArtifactRequest, read *artifact.Content) (*store.Version, error) {
	a, err := FindArtifact(ch.Call, req.ID, policy.Write)
	if err != nil {
		return nil, err
	}
	parent := req.Parent
	if parent == 0 {
		parent = a.Head
	}
	if parent < 1 || parent > a.Latest {
		return nil, nil // update says what is wrong with it
	}
	row, err := ch.Version(ch.Ctx, brenner.Ref{Artifact: a.ID, Version: parent})
	if err != nil {
		return nil, err
	}
	want, err := proposalWith(ch.Call, req, a, row, read)
	if err != nil {
		return nil, err
	}
	return firstAmong(ch, a, []brenner.Version{parent, a.Head, a.Latest}, func(v store.Version) (bool, error) {
		if v.Format != want.Content.Format || v.Content != want.Content.Digest() ||
			v.Summary != want.Summary || !slices.Equal(v.Tags, want.Tags) {
			return false, nil
		}
		links, err := LinksOf(ch.Call, v.Ref())
		return sameLinks(links, want.Links) || sameLinks(moveLinks(links, nil), want.Links), err
	})
}

// firstAmong gives the first of some versions that passes the test.
func firstAmong(ch *kernel.Change, a store.Artifact, numbers []brenner.Version, test func(store.Version) (bool, error)) (*store.Version, error) {
	for _, n := range numbers {
		v, err := ch.Version(ch.Ctx, brenner.Ref{Artifact: a.ID, Version: n})
		if err != nil {
			return nil, err
		}
		if ok, err := test(v); ok || err != nil {
			return &v, err
		}
	}
	return nil, nil
}

// sameLinks compares links whatever their order.
func sameLinks(a, b []artifact.Link) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(l artifact.Link) bool { return !slices.Contains(b, l) })
}
