package kernel

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
)

// recall remembers rows and small contents that were read at one position of the journal,
// the newest that a snapshot stood at: tables follow from the journal, so that at the
// same position they are the same, whoever wrote and in whichever process. Only making the
// tables anew is not in the journal: therefore nothing is remembered for longer than
// recallFor. The zero recall is empty; it is safe for concurrent use.
type recall struct {
	mu       sync.Mutex
	position int64
	since    time.Time
	found    map[any]any
	size     int // of what was found, in bytes by estimate
}

const (
	// recallFor is how long something is remembered.
	recallFor = time.Second
	// mostRecalled bounds what is remembered; then it begins anew.
	mostRecalled = 16 << 20
	// recalledContent is the largest content that is remembered.
	recalledContent = 32 << 10
	// recalledRefs is how many versions are asked about at once at most for the answer to be
	// remembered.
	recalledRefs = 16
	// recalledRows is how many rows are asked for at once at most for each to be remembered.
	recalledRows = 512
	// recalledRow is what a row takes besides its texts.
	recalledRow = 512
)

// at brings the recall to the position of a snapshot, and reports whether that is the newest.
func (k *recall) at(position int64, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if position < k.position {
		return false
	}
	if age := now.Sub(k.since); position > k.position || k.found == nil || age < 0 || age > recallFor {
		k.begin(position, now)
	}
	return true
}

// begin forgets everything; the lock is held.
func (k *recall) begin(position int64, now time.Time) {
	k.position, k.since, k.found, k.size = position, now, map[any]any{}, 0
}

// find gives what was found at a position.
func (k *recall) find(position int64, key any) (any, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if position != k.position {
		return nil, false
	}
	found, ok := k.found[key]
	return found, ok
}

// keep remembers what was found at a position.
func (k *recall) keep(position int64, key, found any, size int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if position != k.position {
		return
	}
	if k.size += size; k.size > mostRecalled {
		k.begin(position, k.since)
		k.size = size
	}
	k.found[key] = found
}

// Recalling is the caller reading rows that another call has read at the same position of
// the journal from memory: for use cases that are called often. What looks at the tables
// themselves, such as a verification, does not.
func (k Caller) Recalling() Caller {
	k.recalls = true
	return k
}

// recalled is a snapshot of which some rows are remembered.
type recalled struct {
	store.Reader
	recall   *recall
	position int64
}

// recalling gives a snapshot with what is remembered at its position.
func (k Caller) recalling(r store.Reader, c *Call) store.Reader {
	if !k.recalls || !k.recall.at(c.Position, c.Clock) {
		return r
	}
	return recalled{r, &k.recall, c.Position}
}

// Keys of what is remembered.
type (
	artifactKey brenner.ArtifactID
	versionKey  brenner.Ref
	leavesKey   brenner.ArtifactID
	linksKey    struct {
		refs string
		to   bool
		rels string
	}
	outdatedKey string
	staleKey    struct {
		refs, rels string
		limit      int
	}
	objectKey  struct{ kind, id string }
	objectsKey struct {
		kind, group, states, afterID string
		afterOrder                   int64
		newest                       bool
		limit                        int
	}
	contentKey struct {
		digest brenner.Digest
		most   int64
	}
)

// smallContent is a content as SmallBlob gives it.
type smallContent struct {
	data []byte
	size int64
}

// recollect gives what is remembered, or else reads it and remembers it if it is good.
func recollect[T any](r recalled, key any, read func() (T, error), size func(T) int) (T, error) {
	if found, ok := r.recall.find(r.position, key); ok {
		return found.(T), nil
	}
	out, err := read()
	if err == nil {
		r.recall.keep(r.position, key, out, size(out))
	}
	return out, err
}

// recollectList is recollect for a list, of which everybody has one of its own.
func recollectList[T any](r recalled, key any, read func() ([]T, error), size func(T) int) ([]T, error) {
	out, err := recollect(r, key, read, func(all []T) int {
		n := recalledRow
		for _, each := range all {
			n += size(each)
		}
		return n
	})
	return slices.Clone(out), err
}

// recollectRows gives those of some rows that there are, in no order: what is remembered, and
// what is read and then remembered of the others. No row is named twice.
func recollectRows[N, T any](r recalled, names []N, read func([]N) ([]T, error), key func(N) any, name func(T) N, size func(T) int) ([]T, error) {
	out := make([]T, 0, len(names))
	var missing []N
	for _, n := range names {
		if found, ok := r.recall.find(r.position, key(n)); ok {
			out = append(out, found.(T))
		} else {
			missing = append(missing, n)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	rows, err := read(missing)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		r.recall.keep(r.position, key(name(row)), row, size(row))
	}
	return append(out, rows...), nil
}

func (r recalled) Artifact(ctx context.Context, id brenner.ArtifactID) (store.Artifact, error) {
	return recollect(r, artifactKey(id), func() (store.Artifact, error) { return r.Reader.Artifact(ctx, id) }, sizeOfArtifact)
}

// Artifacts remembers rows that are asked for by their ids.
func (r recalled) Artifacts(ctx context.Context, q store.ArtifactQuery) ([]store.Artifact, error) {
	if !q.OnlyIDs() || len(q.IDs) > recalledRows {
		return r.Reader.Artifacts(ctx, q)
	}
	ids := slices.Compact(slices.Sorted(slices.Values(q.IDs)))
	out, err := recollectRows(r, ids, func(missing []brenner.ArtifactID) ([]store.Artifact, error) {
		return r.Reader.Artifacts(ctx, store.ArtifactQuery{IDs: missing})
	}, func(id brenner.ArtifactID) any { return artifactKey(id) }, func(a store.Artifact) brenner.ArtifactID { return a.ID }, sizeOfArtifact)
	slices.SortFunc(out, func(a, b store.Artifact) int { return cmp.Compare(a.ID, b.ID) })
	return out, err
}

func sizeOfArtifact(a store.Artifact) int { return recalledRow + len(a.Summary) + sizeOf(a.Tags) }

func (r recalled) VersionsOf(ctx context.Context, refs []brenner.Ref) ([]store.Version, error) {
	read := func(some []brenner.Ref) ([]store.Version, error) { return r.Reader.VersionsOf(ctx, some) }
	each := slices.Compact(slices.SortedFunc(slices.Values(refs), brenner.Ref.Compare))
	if len(each) > recalledRows || len(each) < len(refs) {
		return read(refs)
	}
	out, err := recollectRows(r, each, read, func(ref brenner.Ref) any { return versionKey(ref) }, store.Version.Ref, sizeOfVersion)
	slices.SortFunc(out, func(a, b store.Version) int { return a.Ref().Compare(b.Ref()) })
	return out, err
}

func (r recalled) Version(ctx context.Context, ref brenner.Ref) (store.Version, error) {
	return recollect(r, versionKey(ref), func() (store.Version, error) { return r.Reader.Version(ctx, ref) }, sizeOfVersion)
}

func sizeOfVersion(v store.Version) int {
	return recalledRow + len(v.Summary) + len(v.What) + len(v.Why) + sizeOf(v.Tags)
}

func sizeOf(tags []string) int {
	n := 0
	for _, tag := range tags {
		n += 16 + len(tag)
	}
	return n
}

func (r recalled) Leaves(ctx context.Context, id brenner.ArtifactID) ([]store.Version, error) {
	return recollectList(r, leavesKey(id), func() ([]store.Version, error) { return r.Reader.Leaves(ctx, id) }, sizeOfVersion)
}

func (r recalled) LinksFrom(ctx context.Context, refs []brenner.Ref) ([]store.Link, error) {
	read := func() ([]store.Link, error) { return r.Reader.LinksFrom(ctx, refs) }
	if len(refs) > recalledRefs {
		return read()
	}
	return recollectList(r, linksKey{refs: named(refs)}, read, sizeOfLink)
}

func (r recalled) LinksTo(ctx context.Context, refs []brenner.Ref, rels ...artifact.Relation) ([]store.Link, error) {
	read := func() ([]store.Link, error) { return r.Reader.LinksTo(ctx, refs, rels...) }
	if len(refs) > recalledRefs {
		return read()
	}
	return recollectList(r, linksKey{named(refs), true, joined(rels)}, read, sizeOfLink)
}

func (r recalled) Outdated(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error) {
	read := func() ([]brenner.Ref, error) { return r.Reader.Outdated(ctx, refs) }
	if len(refs) > recalledRefs {
		return read()
	}
	return recollectList(r, outdatedKey(named(refs)), read, func(brenner.Ref) int { return linkBytes })
}

func (r recalled) Stale(ctx context.Context, refs []brenner.Ref, rels []artifact.Relation, limit int) ([]brenner.Ref, error) {
	read := func() ([]brenner.Ref, error) { return r.Reader.Stale(ctx, refs, rels, limit) }
	if len(refs) > recalledRefs {
		return read()
	}
	return recollectList(r, staleKey{named(refs), joined(rels), limit}, read, func(brenner.Ref) int { return linkBytes })
}

func sizeOfLink(store.Link) int { return linkBytes }

// named are versions as part of a key.
func named(refs []brenner.Ref) string {
	if len(refs) == 1 {
		return refs[0].String()
	}
	words := make([]string, len(refs))
	for i, ref := range refs {
		words[i] = ref.String()
	}
	return joined(words)
}

// joined is a list of words as part of a key.
func joined[T ~string](words []T) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return string(words[0])
	}
	var b strings.Builder
	for _, w := range words {
		b.WriteString(string(w))
		b.WriteByte(0)
	}
	return b.String()
}

func (r recalled) Object(ctx context.Context, kind, id string) (store.Object, error) {
	return recollect(r, objectKey{kind, id}, func() (store.Object, error) { return r.Reader.Object(ctx, kind, id) }, sizeOfObject)
}

func (r recalled) Objects(ctx context.Context, q store.ObjectQuery) ([]store.Object, error) {
	key := objectsKey{q.Kind, q.Group, joined(q.States), q.AfterID, q.AfterOrder, q.Newest, q.Limit}
	return recollectList(r, key, func() ([]store.Object, error) { return r.Reader.Objects(ctx, q) }, sizeOfObject)
}

func sizeOfObject(o store.Object) int { return recalledRow + len(o.Body) }

func (r recalled) SmallBlob(ctx context.Context, d brenner.Digest, most int64) ([]byte, int64, error) {
	if found, ok := r.recall.find(r.position, contentKey{d, most}); ok {
		c := found.(smallContent)
		return bytes.Clone(c.data), c.size, nil
	}
	data, size, err := r.Reader.SmallBlob(ctx, d, most)
	if err == nil && len(data) <= recalledContent {
		r.recall.keep(r.position, contentKey{d, most}, smallContent{bytes.Clone(data), size}, recalledRow+len(data))
	}
	return data, size, err
}
