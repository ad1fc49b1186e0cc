// Package rehearsal lets a change be made that leaves nothing: on a snapshot,
// with what it writes kept beside it and thrown away. It is what a dry run goes
// through, and takes no writer's turn.
//
// What was written is read back as from a real transaction; storetest plays the
// same operations to both. Where that would take the database (which versions
// are stale, what is found by its words, whether a place is free) a rehearsal
// that has written does not guess: it fails.
package rehearsal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/internal/order"
	"brenner/internal/store"
)

// ErrUncharted is the fault of a use case that asks a rehearsal for more than it
// can say. No input brings it about.
var ErrUncharted = errors.New("this cannot be rehearsed")

// Tx is a transaction that will not be.
type Tx struct {
	store.Reader // the snapshot, and all that a rehearsal cannot change

	artifacts map[brenner.ArtifactID]store.Artifact
	versions  map[brenner.Ref]store.Version
	links     map[linkKey]store.Link
	actors    map[brenner.ActorName]store.Actor
	objects   map[objectKey]store.Object
	requests  map[requestKey]store.Request
	indexed   bool                      // something was
	blobs     map[brenner.Digest][]byte // nil: redacted

	doom   error // the first error of a writing method
	shared any
}

type (
	linkKey struct {
		from brenner.Ref
		rel  artifact.Relation
		to   brenner.Ref
	}
	objectKey  struct{ kind, id string }
	requestKey struct {
		actor brenner.ActorName
		key   string
	}
)

// On begins a rehearsal on a snapshot.
func On(r store.Reader) *Tx {
	return &Tx{
		Reader:    r,
		artifacts: map[brenner.ArtifactID]store.Artifact{},
		versions:  map[brenner.Ref]store.Version{},
		links:     map[linkKey]store.Link{},
		actors:    map[brenner.ActorName]store.Actor{},
		objects:   map[objectKey]store.Object{},
		requests:  map[requestKey]store.Request{},
		blobs:     map[brenner.Digest][]byte{},
	}
}

// Err is why the real transaction would not have been committed: the first
// error of a writing method, whatever was made of it.
func (t *Tx) Err() error { return t.doom }

// Shared is a place of the rehearsal alone.
func (t *Tx) Shared() *any { return &t.shared }

// Generation grows with what the rehearsal took away.
func (t *Tx) Generation(ctx context.Context) (int64, error) {
	n, err := t.Reader.Generation(ctx)
	for _, data := range t.blobs { // order-free: a sum
		if data == nil {
			n++
		}
	}
	return n, err
}

// RefuseLate changes nothing.
func (t *Tx) RefuseLate() {}

// found gives a row from those that were written, or else from the snapshot.
func found[K comparable, V any](written map[K]V, key K, besides func() (V, error)) (V, error) {
	if v, there := written[key]; there {
		return v, nil
	}
	return besides()
}

// Artifact gives an artifact as it would be.
func (t *Tx) Artifact(ctx context.Context, id brenner.ArtifactID) (store.Artifact, error) {
	a, err := found(t.artifacts, id, func() (store.Artifact, error) { return t.Reader.Artifact(ctx, id) })
	a.Tags = slices.Clone(a.Tags)
	return a, err
}

// Version gives a version as it would be.
func (t *Tx) Version(ctx context.Context, ref brenner.Ref) (store.Version, error) {
	v, err := found(t.versions, ref, func() (store.Version, error) { return t.Reader.Version(ctx, ref) })
	v.Tags = slices.Clone(v.Tags)
	return v, err
}

// Versions lists the versions of an artifact as they would be.
func (t *Tx) Versions(ctx context.Context, id brenner.ArtifactID, after brenner.Version, limit int) ([]store.Version, error) {
	rows, err := t.Reader.Versions(ctx, id, after, limit)
	if err != nil {
		return nil, err
	}
	rows = t.overlaid(rows, func(ref brenner.Ref) bool { return ref.Artifact == id && ref.Version > after })
	return first(rows, limit), nil
}

// VersionsOf gives the named versions as they would be.
func (t *Tx) VersionsOf(ctx context.Context, refs []brenner.Ref) ([]store.Version, error) {
	rows, err := t.Reader.VersionsOf(ctx, refs)
	if err != nil {
		return nil, err
	}
	return t.overlaid(rows, func(ref brenner.Ref) bool { return slices.Contains(refs, ref) }), nil
}

// overlaid puts the versions that were written over those of the snapshot.
func (t *Tx) overlaid(rows []store.Version, chosen func(brenner.Ref) bool) []store.Version {
	rows = slices.DeleteFunc(rows, func(v store.Version) bool { _, written := t.versions[v.Ref()]; return written })
	for ref, v := range t.versions {
		if chosen(ref) {
			v.Tags = slices.Clone(v.Tags)
			rows = append(rows, v)
		}
	}
	order.By(rows, func(a, b store.Version) int { return a.Ref().Compare(b.Ref()) })
	return rows
}

// Leaves lists the heads of one artifact as they would be.
func (t *Tx) Leaves(ctx context.Context, id brenner.ArtifactID) ([]store.Version, error) {
	if id == "" {
		return whole(t, "the forks of all artifacts", func() ([]store.Version, error) { return t.Reader.Leaves(ctx, id) })
	}
	all, err := t.Versions(ctx, id, 0, 0)
	if err != nil {
		return nil, err
	}
	parents, covered := map[brenner.Version]brenner.Version{}, map[brenner.Version]bool{} // has a live descendant
	for _, v := range all {                                                               // a parent comes before its children
		parents[v.Version] = v.Parent
		for p := v.Parent; v.Status.Live() && p != 0 && !covered[p]; p = parents[p] {
			covered[p] = true
		}
	}
	return slices.DeleteFunc(all, func(v store.Version) bool { return !v.Status.Live() || covered[v.Version] }), nil
}

// LinksFrom gives the links that would leave these versions.
func (t *Tx) LinksFrom(ctx context.Context, refs []brenner.Ref) ([]store.Link, error) {
	rows, err := t.Reader.LinksFrom(ctx, refs)
	return t.linked(rows, err, func(l store.Link) bool { return slices.Contains(refs, l.From) })
}

// LinksTo gives the links that would reach these versions.
func (t *Tx) LinksTo(ctx context.Context, refs []brenner.Ref, rels ...artifact.Relation) ([]store.Link, error) {
	rows, err := t.Reader.LinksTo(ctx, refs, rels...)
	return t.linked(rows, err, func(l store.Link) bool {
		return slices.Contains(refs, l.To) && (len(rels) == 0 || slices.Contains(rels, l.Rel))
	})
}

// linked adds the links that were written; none is ever taken away.
func (t *Tx) linked(rows []store.Link, err error, chosen func(store.Link) bool) ([]store.Link, error) {
	for _, l := range t.links {
		if chosen(l) {
			rows = append(rows, l)
		}
	}
	order.By(rows, func(a, b store.Link) int {
		return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.Rel, b.Rel), a.To.Compare(b.To))
	})
	return rows, err
}

// Actor gives an actor as it would be.
func (t *Tx) Actor(ctx context.Context, name brenner.ActorName) (store.Actor, error) {
	return found(t.actors, name, func() (store.Actor, error) { return t.Reader.Actor(ctx, name) })
}

// Object gives an object as it would be.
func (t *Tx) Object(ctx context.Context, kind, id string) (store.Object, error) {
	return found(t.objects, objectKey{kind, id}, func() (store.Object, error) { return t.Reader.Object(ctx, kind, id) })
}

// Objects lists objects as they would be. Each that was written may have left
// the page: that many more are asked for.
func (t *Tx) Objects(ctx context.Context, q store.ObjectQuery) ([]store.Object, error) {
	more := q
	if q.Limit > 0 {
		more.Limit += len(t.objects)
	}
	rows, err := t.Reader.Objects(ctx, more)
	if err != nil {
		return nil, err
	}
	along := func(a, b store.Object) int {
		c := cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
		if q.Newest {
			return -c
		}
		return c
	}
	rows = slices.DeleteFunc(rows, func(o store.Object) bool { _, written := t.objects[objectKey{o.Kind, o.ID}]; return written })
	start := store.Object{Order: q.AfterOrder, ID: q.AfterID}
	for _, o := range t.objects {
		if o.Kind == q.Kind && (q.Group == "" || o.Group == q.Group) &&
			(len(q.States) == 0 || slices.Contains(q.States, o.State)) && (q.AfterID == "" || along(o, start) > 0) {
			rows = append(rows, o)
		}
	}
	order.By(rows, along)
	return first(rows, q.Limit), nil
}

// Request gives what a key would have been used for.
func (t *Tx) Request(ctx context.Context, actor brenner.ActorName, key string) (store.Request, error) {
	return found(t.requests, requestKey{actor, key}, func() (store.Request, error) { return t.Reader.Request(ctx, actor, key) })
}

// Blob gives content that is or would be there.
func (t *Tx) Blob(ctx context.Context, d brenner.Digest) ([]byte, error) {
	data, written := t.blobs[d]
	switch {
	case !written:
		return t.Reader.Blob(ctx, d)
	case data == nil:
		return nil, brenner.Errorf(brenner.CodeRedacted, "content %s was redacted", d)
	}
	return slices.Clone(data), nil
}

// SmallBlob is Blob for a small content.
func (t *Tx) SmallBlob(ctx context.Context, d brenner.Digest, most int64) ([]byte, int64, error) {
	if _, written := t.blobs[d]; !written {
		return t.Reader.SmallBlob(ctx, d, most)
	}
	data, err := t.Blob(ctx, d)
	size := int64(len(data))
	if size > most {
		data = nil
	}
	return data, size, err
}

// Blobs visits contents that are or would be there.
func (t *Tx) Blobs(ctx context.Context, digests []brenner.Digest, most int64, fn func(d brenner.Digest, data []byte) error) error {
	var before []brenner.Digest
	for _, d := range slices.Compact(slices.Sorted(slices.Values(digests))) {
		data, written := t.blobs[d]
		if !written {
			before = append(before, d)
		} else if data != nil && int64(len(data)) <= most {
			if err := fn(d, slices.Clone(data)); err != nil {
				return err
			}
		}
	}
	return t.Reader.Blobs(ctx, before, most, fn)
}

// Redacted implements store.Reader.
func (t *Tx) Redacted(ctx context.Context, digests []brenner.Digest) ([]brenner.Digest, error) {
	var before, out []brenner.Digest
	for _, d := range slices.Compact(slices.Sorted(slices.Values(digests))) {
		if data, written := t.blobs[d]; !written {
			before = append(before, d)
		} else if data == nil {
			out = append(out, d)
		}
	}
	more, err := t.Reader.Redacted(ctx, before)
	return slices.Sorted(slices.Values(append(out, more...))), err
}

// first cuts a list; a limit of 0 or less is none.
func first[T any](rows []T, limit int) []T {
	if limit > 0 && len(rows) > limit {
		return rows[:limit]
	}
	return rows
}

// whole asks the snapshot about more than single rows, which is right only as
// long as nothing was written.
func whole[T any](t *Tx, what string, ask func() (T, error)) (T, error) {
	if len(t.artifacts)+len(t.versions)+len(t.links)+len(t.actors)+len(t.objects)+len(t.requests)+len(t.blobs) > 0 {
		var zero T
		return zero, fmt.Errorf("%w: %s, after something was written", ErrUncharted, what)
	}
	return ask()
}

// What follows asks about many rows at once.

// Artifacts lists artifacts.
func (t *Tx) Artifacts(ctx context.Context, q store.ArtifactQuery) ([]store.Artifact, error) {
	return whole(t, "a list of artifacts", func() ([]store.Artifact, error) { return t.Reader.Artifacts(ctx, q) })
}

// CountArtifacts counts artifacts.
func (t *Tx) CountArtifacts(ctx context.Context, q store.ArtifactQuery) (int, error) {
	return whole(t, "a count of artifacts", func() (int, error) { return t.Reader.CountArtifacts(ctx, q) })
}

// Tagged lists artifacts by tags.
func (t *Tx) Tagged(ctx context.Context, q store.TagQuery) ([]store.Artifact, error) {
	return whole(t, "artifacts by tags", func() ([]store.Artifact, error) { return t.Reader.Tagged(ctx, q) })
}

// RareTags gives the rare ones of some tags.
func (t *Tx) RareTags(ctx context.Context, tags []string, most int) ([]string, error) {
	return whole(t, "rare tags", func() ([]string, error) { return t.Reader.RareTags(ctx, tags, most) })
}

// Kinds counts artifacts by type and module.
func (t *Tx) Kinds(ctx context.Context) ([]store.Kind, error) {
	return whole(t, "a count of kinds", func() ([]store.Kind, error) { return t.Reader.Kinds(ctx) })
}

// Outdated gives the outdated among some versions.
func (t *Tx) Outdated(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error) {
	return whole(t, "outdated versions", func() ([]brenner.Ref, error) { return t.Reader.Outdated(ctx, refs) })
}

// Corrected gives the corrected among some versions.
func (t *Tx) Corrected(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error) {
	return whole(t, "corrected versions", func() ([]brenner.Ref, error) { return t.Reader.Corrected(ctx, refs) })
}

// Stale gives the stale among some versions.
func (t *Tx) Stale(ctx context.Context, refs []brenner.Ref, rels []artifact.Relation, limit int) ([]brenner.Ref, error) {
	return whole(t, "stale versions", func() ([]brenner.Ref, error) { return t.Reader.Stale(ctx, refs, rels, limit) })
}

// OutdatedTargets lists what is linked to and outdated.
func (t *Tx) OutdatedTargets(ctx context.Context) ([]brenner.Ref, error) {
	return whole(t, "outdated targets", func() ([]brenner.Ref, error) { return t.Reader.OutdatedTargets(ctx) })
}

// CorrectedTargets lists what is linked to and corrected.
func (t *Tx) CorrectedTargets(ctx context.Context) ([]brenner.Ref, error) {
	return whole(t, "corrected targets", func() ([]brenner.Ref, error) { return t.Reader.CorrectedTargets(ctx) })
}

// Actors lists every actor.
func (t *Tx) Actors(ctx context.Context) ([]store.Actor, error) {
	return whole(t, "a list of actors", func() ([]store.Actor, error) { return t.Reader.Actors(ctx) })
}

// CountObjects counts objects by state.
func (t *Tx) CountObjects(ctx context.Context, kind, group string) (map[string]int, error) {
	return whole(t, "a count of objects", func() (map[string]int, error) { return t.Reader.CountObjects(ctx, kind, group) })
}

// Rank ranks versions by their words.
func (t *Tx) Rank(ctx context.Context, q store.RankQuery) (store.Ranking, error) {
	if t.indexed {
		return store.Ranking{}, fmt.Errorf("%w: a ranking, after something was indexed", ErrUncharted)
	}
	return whole(t, "a ranking", func() (store.Ranking, error) { return t.Reader.Rank(ctx, q) })
}

// EachBlob visits every content.
func (t *Tx) EachBlob(ctx context.Context, fn func(d brenner.Digest, data []byte) error) error {
	_, err := whole(t, "every content", func() (any, error) { return nil, t.Reader.EachBlob(ctx, fn) })
	return err
}

// Each visits every row of a table.
func (t *Tx) Each(ctx context.Context, table store.Table, fn func(row any) error) error {
	_, err := whole(t, "every row", func() (any, error) { return nil, t.Reader.Each(ctx, table, fn) })
	return err
}

// instant is how a store keeps a time.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// tags are never nil in a row.
func tags(list []string) []string { return append([]string{}, list...) }
