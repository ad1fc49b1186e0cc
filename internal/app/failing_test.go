package app_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"brenner"
	"brenner/api/apitest"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/internal/store/memory"
)

// N1: what the store could not do is never reported as done. Every story is told
// on a store that fails, once at every place that calls it: the call it failed
// in must fail as a whole, and, asked again, the story goes on as if nothing had
// been.
func TestService_OnMemoryThatFails(t *testing.T) {
	skipShort(t)
	t.Parallel()
	seen := map[[depth]uintptr]bool{}
	apitest.Run(t, func(t *testing.T) apitest.World {
		w := openNoted(t, &failing{Store: memory.New(), t: t, seen: seen})
		t.Cleanup(func() {
			if !t.Failed() {
				_ = w.survey()
				w.vary(storyOf(t), 3)
			}
		})
		return w
	})
}

// failingOften is a store that does all it is asked, but not before it has failed
// once at every place that asks.
func failingOften(t *testing.T) store.Store {
	return &failing{Store: memory.New(), t: t, seen: map[[depth]uintptr]bool{}}
}

// failing is a store that fails at every place once.
type failing struct {
	store.Store
	t      *testing.T
	before func() // is called before every transaction; nil: nothing is

	mu   sync.Mutex
	seen map[[depth]uintptr]bool
}

// depth is how many callers tell one place from another.
const depth = 10

var errFault = brenner.Errorf(brenner.CodeStoreUnavailable, "the store failed, as the test wants it")

func (s *failing) Read(ctx context.Context, fn func(store.Reader) error) error {
	return s.again(func(f *faults) error {
		return s.Store.Read(ctx, func(r store.Reader) error { return fn(failingReader{f, r}) })
	})
}

func (s *failing) Write(ctx context.Context, fn func(store.Tx) error) error {
	return s.again(func(f *faults) error {
		return s.Store.Write(ctx, func(tx store.Tx) error { return fn(failingTx{failingReader{f, tx}, tx}) })
	})
}

// again repeats a transaction until it met no place that has not failed yet.
func (s *failing) again(do func(*faults) error) error {
	for {
		f := &faults{of: s}
		if s.before != nil {
			s.before()
		}
		err := do(f)
		if f.where == "" {
			return err
		}
		if err == nil {
			s.t.Errorf("the store failed, and nobody said so:\n%s", f.where)
		}
	}
}

// faults is the one failure of a transaction.
type faults struct {
	of    *failing
	where string // it failed; empty: not yet
}

// fails decides whether a call fails.
func (f *faults) fails() bool {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	if f.where != "" {
		return false
	}
	var at [depth]uintptr
	runtime.Callers(4, at[:])
	if f.of.seen[at] {
		return false
	}
	f.of.seen[at] = true
	var names []string
	for frames := runtime.CallersFrames(at[:]); ; {
		frame, more := frames.Next()
		names = append(names, fmt.Sprintf("  %s:%d", frame.Function, frame.Line))
		if !more {
			break
		}
	}
	f.where = strings.Join(names, "\n")
	return true
}

func (f *faults) call(do func() error) error {
	if f.fails() {
		return errFault
	}
	return do()
}

func fetch[T any](f *faults, do func() (T, error)) (T, error) {
	if f.fails() {
		var none T
		return none, errFault
	}
	return do()
}

type failingReader struct {
	*faults
	real store.Reader
}

type failingTx struct {
	failingReader
	tx store.Tx
}

func (x failingTx) Shared() *any { return x.tx.Shared() }
func (x failingTx) RefuseLate()  { x.tx.RefuseLate() }

func (r failingReader) Project(ctx context.Context) (store.Project, error) {
	return fetch(r.faults, func() (store.Project, error) { return r.real.Project(ctx) })
}

func (r failingReader) Size(ctx context.Context) (int64, error) {
	return fetch(r.faults, func() (int64, error) { return r.real.Size(ctx) })
}

func (r failingReader) Records(ctx context.Context, after int64, limit int) ([]store.Record, error) {
	return fetch(r.faults, func() ([]store.Record, error) { return r.real.Records(ctx, after, limit) })
}

func (r failingReader) FindRecords(ctx context.Context, q store.RecordQuery) ([]store.Record, error) {
	return fetch(r.faults, func() ([]store.Record, error) { return r.real.FindRecords(ctx, q) })
}

func (r failingReader) Hashes(ctx context.Context, indexes []int64) ([][32]byte, error) {
	return fetch(r.faults, func() ([][32]byte, error) { return r.real.Hashes(ctx, indexes) })
}

func (r failingReader) Generation(ctx context.Context) (int64, error) {
	return fetch(r.faults, func() (int64, error) { return r.real.Generation(ctx) })
}

func (r failingReader) Blob(ctx context.Context, d brenner.Digest) ([]byte, error) {
	return fetch(r.faults, func() ([]byte, error) { return r.real.Blob(ctx, d) })
}

func (r failingReader) Blobs(ctx context.Context, digests []brenner.Digest, most int64, fn func(d brenner.Digest, data []byte) error) error {
	_, err := fetch(r.faults, func() (any, error) { return nil, r.real.Blobs(ctx, digests, most, fn) })
	return err
}

func (r failingReader) Expect(ctx context.Context, refs []brenner.Ref, most int64) {
	r.real.Expect(ctx, refs, most)
}

func (r failingReader) SmallBlob(ctx context.Context, d brenner.Digest, most int64) (data []byte, size int64, err error) {
	err = r.call(func() (err error) { data, size, err = r.real.SmallBlob(ctx, d, most); return err })
	return data, size, err
}

func (r failingReader) Redacted(ctx context.Context, digests []brenner.Digest) ([]brenner.Digest, error) {
	return fetch(r.faults, func() ([]brenner.Digest, error) { return r.real.Redacted(ctx, digests) })
}

func (r failingReader) EachBlob(ctx context.Context, fn func(d brenner.Digest, data []byte) error) error {
	return r.call(func() error { return r.real.EachBlob(ctx, fn) })
}

func (r failingReader) Artifact(ctx context.Context, id brenner.ArtifactID) (store.Artifact, error) {
	return fetch(r.faults, func() (store.Artifact, error) { return r.real.Artifact(ctx, id) })
}

func (r failingReader) Artifacts(ctx context.Context, q store.ArtifactQuery) ([]store.Artifact, error) {
	return fetch(r.faults, func() ([]store.Artifact, error) { return r.real.Artifacts(ctx, q) })
}

func (r failingReader) CountArtifacts(ctx context.Context, q store.ArtifactQuery) (int, error) {
	return fetch(r.faults, func() (int, error) { return r.real.CountArtifacts(ctx, q) })
}

func (r failingReader) Tagged(ctx context.Context, q store.TagQuery) ([]store.Artifact, error) {
	return fetch(r.faults, func() ([]store.Artifact, error) { return r.real.Tagged(ctx, q) })
}

func (r failingReader) RareTags(ctx context.Context, tags []string, most int) ([]string, error) {
	return fetch(r.faults, func() ([]string, error) { return r.real.RareTags(ctx, tags, most) })
}

func (r failingReader) Kinds(ctx context.Context) ([]store.Kind, error) {
	return fetch(r.faults, func() ([]store.Kind, error) { return r.real.Kinds(ctx) })
}

func (r failingReader) Version(ctx context.Context, ref brenner.Ref) (store.Version, error) {
	return fetch(r.faults, func() (store.Version, error) { return r.real.Version(ctx, ref) })
}

func (r failingReader) Versions(ctx context.Context, id brenner.ArtifactID, after brenner.Version, limit int) ([]store.Version, error) {
	return fetch(r.faults, func() ([]store.Version, error) { return r.real.Versions(ctx, id, after, limit) })
}

func (r failingReader) VersionsOf(ctx context.Context, refs []brenner.Ref) ([]store.Version, error) {
	return fetch(r.faults, func() ([]store.Version, error) { return r.real.VersionsOf(ctx, refs) })
}

func (r failingReader) Leaves(ctx context.Context, id brenner.ArtifactID) ([]store.Version, error) {
	return fetch(r.faults, func() ([]store.Version, error) { return r.real.Leaves(ctx, id) })
}

func (r failingReader) LinksFrom(ctx context.Context, refs []brenner.Ref) ([]store.Link, error) {
	return fetch(r.faults, func() ([]store.Link, error) { return r.real.LinksFrom(ctx, refs) })
}

func (r failingReader) LinksTo(ctx context.Context, refs []brenner.Ref, rels ...artifact.Relation) ([]store.Link, error) {
	return fetch(r.faults, func() ([]store.Link, error) { return r.real.LinksTo(ctx, refs, rels...) })
}

func (r failingReader) Outdated(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error) {
	return fetch(r.faults, func() ([]brenner.Ref, error) { return r.real.Outdated(ctx, refs) })
}

func (r failingReader) Corrected(ctx context.Context, refs []brenner.Ref) ([]brenner.Ref, error) {
	return fetch(r.faults, func() ([]brenner.Ref, error) { return r.real.Corrected(ctx, refs) })
}

func (r failingReader) Stale(ctx context.Context, refs []brenner.Ref, rels []artifact.Relation, limit int) ([]brenner.Ref, error) {
	return fetch(r.faults, func() ([]brenner.Ref, error) { return r.real.Stale(ctx, refs, rels, limit) })
}

func (r failingReader) OutdatedTargets(ctx context.Context) ([]brenner.Ref, error) {
	return fetch(r.faults, func() ([]brenner.Ref, error) { return r.real.OutdatedTargets(ctx) })
}

func (r failingReader) CorrectedTargets(ctx context.Context) ([]brenner.Ref, error) {
	return fetch(r.faults, func() ([]brenner.Ref, error) { return r.real.CorrectedTargets(ctx) })
}

func (r failingReader) Actor(ctx context.Context, name brenner.ActorName) (store.Actor, error) {
	return fetch(r.faults, func() (store.Actor, error) { return r.real.Actor(ctx, name) })
}

func (r failingReader) Actors(ctx context.Context) ([]store.Actor, error) {
	return fetch(r.faults, func() ([]store.Actor, error) { return r.real.Actors(ctx) })
}

func (r failingReader) Object(ctx context.Context, kind, id string) (store.Object, error) {
	return fetch(r.faults, func() (store.Object, error) { return r.real.Object(ctx, kind, id) })
}

func (r failingReader) Objects(ctx context.Context, q store.ObjectQuery) ([]store.Object, error) {
	return fetch(r.faults, func() ([]store.Object, error) { return r.real.Objects(ctx, q) })
}

func (r failingReader) CountObjects(ctx context.Context, kind, group string) (map[string]int, error) {
	return fetch(r.faults, func() (map[string]int, error) { return r.real.CountObjects(ctx, kind, group) })
}

func (r failingReader) Request(ctx context.Context, actor brenner.ActorName, key string) (store.Request, error) {
	return fetch(r.faults, func() (store.Request, error) { return r.real.Request(ctx, actor, key) })
}

func (r failingReader) Rank(ctx context.Context, q store.RankQuery) (store.Ranking, error) {
	return fetch(r.faults, func() (store.Ranking, error) { return r.real.Rank(ctx, q) })
}

func (r failingReader) Token(ctx context.Context, secret brenner.Digest) (store.Token, error) {
	return fetch(r.faults, func() (store.Token, error) { return r.real.Token(ctx, secret) })
}

func (r failingReader) Tokens(ctx context.Context) ([]store.Token, error) {
	return fetch(r.faults, func() ([]store.Token, error) { return r.real.Tokens(ctx) })
}

func (r failingReader) Denials(ctx context.Context, limit int) ([]store.Denial, error) {
	return fetch(r.faults, func() ([]store.Denial, error) { return r.real.Denials(ctx, limit) })
}

func (r failingReader) Stored(ctx context.Context, actor brenner.ActorName) (int64, error) {
	return fetch(r.faults, func() (int64, error) { return r.real.Stored(ctx, actor) })
}

func (r failingReader) Vectors(ctx context.Context, space string, ids []string) (map[string][]float32, error) {
	return fetch(r.faults, func() (map[string][]float32, error) { return r.real.Vectors(ctx, space, ids) })
}

func (r failingReader) EachVector(ctx context.Context, space string, fn func(id string, v []float32) error) error {
	return r.call(func() error { return r.real.EachVector(ctx, space, fn) })
}

func (r failingReader) Each(ctx context.Context, t store.Table, fn func(row any) error) error {
	return r.call(func() error { return r.real.Each(ctx, t, fn) })
}

func (x failingTx) Init(ctx context.Context, p store.Project) error {
	return x.call(func() error { return x.tx.Init(ctx, p) })
}

func (x failingTx) AppendRecord(ctx context.Context, r store.Record) error {
	return x.call(func() error { return x.tx.AppendRecord(ctx, r) })
}

func (x failingTx) PutHashes(ctx context.Context, first int64, hashes [][32]byte) error {
	return x.call(func() error { return x.tx.PutHashes(ctx, first, hashes) })
}

func (x failingTx) PutBlob(ctx context.Context, d brenner.Digest, data []byte) error {
	return x.call(func() error { return x.tx.PutBlob(ctx, d, data) })
}

func (x failingTx) RedactBlob(ctx context.Context, d brenner.Digest) error {
	return x.call(func() error { return x.tx.RedactBlob(ctx, d) })
}

func (x failingTx) PutArtifact(ctx context.Context, a store.Artifact) error {
	return x.call(func() error { return x.tx.PutArtifact(ctx, a) })
}

func (x failingTx) InsertVersion(ctx context.Context, v store.Version) error {
	return x.call(func() error { return x.tx.InsertVersion(ctx, v) })
}

func (x failingTx) SetStatus(ctx context.Context, ref brenner.Ref, s artifact.Status) error {
	return x.call(func() error { return x.tx.SetStatus(ctx, ref, s) })
}

func (x failingTx) InsertLink(ctx context.Context, l store.Link) error {
	return x.call(func() error { return x.tx.InsertLink(ctx, l) })
}

func (x failingTx) PutActor(ctx context.Context, a store.Actor) error {
	return x.call(func() error { return x.tx.PutActor(ctx, a) })
}

func (x failingTx) PutObject(ctx context.Context, o store.Object) error {
	return x.call(func() error { return x.tx.PutObject(ctx, o) })
}

func (x failingTx) PutRequest(ctx context.Context, r store.Request) error {
	return x.call(func() error { return x.tx.PutRequest(ctx, r) })
}

func (x failingTx) Index(ctx context.Context, id brenner.ArtifactID, versions []store.Indexed) error {
	return x.call(func() error { return x.tx.Index(ctx, id, versions) })
}

func (x failingTx) PutToken(ctx context.Context, t store.Token) error {
	return x.call(func() error { return x.tx.PutToken(ctx, t) })
}

func (x failingTx) AddDenial(ctx context.Context, d store.Denial) error {
	return x.call(func() error { return x.tx.AddDenial(ctx, d) })
}

func (x failingTx) AddStored(ctx context.Context, actor brenner.ActorName, bytes int64) error {
	return x.call(func() error { return x.tx.AddStored(ctx, actor, bytes) })
}

func (x failingTx) PutVectors(ctx context.Context, space string, v map[string][]float32) error {
	return x.call(func() error { return x.tx.PutVectors(ctx, space, v) })
}

func (x failingTx) DeleteVectors(ctx context.Context, space string) error {
	return x.call(func() error { return x.tx.DeleteVectors(ctx, space) })
}

func (x failingTx) Reset(ctx context.Context) error {
	return x.call(func() error { return x.tx.Reset(ctx) })
}
