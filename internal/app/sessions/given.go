package sessions

import (
	"slices"

	"brenner"
	"brenner/delta"
	"brenner/internal/app/kernel"
)

// longPassage is the length from which on it is asked whether an item was given to
// its reader before it changed.
const longPassage = 400

// writeNew takes in passages of the document, or, since an earlier version, what
// became of items. Of an item that the reader's context was given in a later version
// only what changed after that is taken in, where that leaves something long out (C34).
func (d *document) writeNew(c *kernel.Call, all []delta.Passage, since *delta.Artifact, version brenner.Ref) error {
	whole := func(p delta.Passage) {
		if since == nil {
			d.write([]delta.Passage{p})
		} else {
			d.writeChanges([]delta.Passage{p}, since, version)
		}
	}
	var given []*document
	if slices.ContainsFunc(all, func(p delta.Passage) bool { return len(p.Text) >= longPassage }) {
		versions := slices.DeleteFunc(slices.Clone(c.HasRead(d.view.Ref.Artifact)), func(v brenner.Version) bool { return v <= version.Version || v >= d.view.Ref.Version })
		if len(versions) > 0 {
			var err error
			if given, err = earlierVersions(c, d, versions); err != nil {
				return err
			}
		}
	}
	has := func(p kernel.Passage) bool { return c.Has(kernel.ReadOfSession(d.view.ID), p) }
	knows := func(e *document, id delta.ItemID) bool {
		it, ok := e.doc.Item(id)
		return ok && (since != nil || !onlyBy(it, c.Who.Name)) && e.has(c.Who.Name, id, has) // what it wrote it may ask for whole
	}
	now := d.copied(d.view.Ref, d.doc)
	for _, p := range all {
		at := -1
		if len(p.Text) >= longPassage && !(d.named && now.has(c.Who.Name, p.Item, has)) { // who has the changes asks for the whole
			at = slices.IndexFunc(given, func(e *document) bool { return knows(e, p.Item) })
		}
		if at < 0 {
			whole(p)
			continue
		}
		changed := delta.Changes(d.doc, delta.Part{Since: given[at].doc, Items: []delta.ItemID{p.Item}})
		if len(changed) != 1 || !changed[0].InPart {
			whole(p)
			continue
		}
		d.writeChanges(changed, given[at].doc, given[at].view.Ref)
	}
	return nil
}
