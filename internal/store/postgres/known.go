package postgres

import (
	"context"
	"maps"

	"github.com/jackc/pgx/v5"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
)

// known is what a write has learned about the project since it began. Nobody
// else writes, so it stays true; and a change that it shows cannot be refused
// needs neither to be checked nor to wait for an answer.
type known struct {
	artifacts map[brenner.ArtifactID]bool            // which are there
	latest    map[brenner.ArtifactID]brenner.Version // the highest version, 0 if none
	versions  map[brenner.Ref]bool                   // which are there
	// fresh are the versions that this write made: no link can leave them but
	// those that it made too.
	fresh map[brenner.Ref]bool
	links map[store.Link]bool // made by this write, with Seq 0
	// unused are the idempotency keys that are free.
	unused map[requestKey]bool
}

type requestKey struct {
	actor brenner.ActorName
	key   string
}

func newKnown() known {
	return known{
		artifacts: map[brenner.ArtifactID]bool{},
		latest:    map[brenner.ArtifactID]brenner.Version{},
		versions:  map[brenner.Ref]bool{},
		fresh:     map[brenner.Ref]bool{},
		links:     map[store.Link]bool{},
		unused:    map[requestKey]bool{},
	}
}

// insertable tells that a version is new, on a parent that is there.
func (k *known) insertable(v store.Version) bool {
	latest, asked := k.latest[v.Artifact]
	return asked && k.artifacts[v.Artifact] && v.Version > latest && v.Status != artifact.Canonical &&
		(v.Parent == 0 || v.Parent == latest || v.Parent < latest && k.versions[brenner.Ref{Artifact: v.Artifact, Version: v.Parent}])
}

// placed tells that the artifact of a version is there, and its parent if it has one.
func (k *known) placed(v store.Version) bool {
	return k.artifacts[v.Artifact] &&
		(v.Parent == 0 || v.Parent < v.Version && k.versions[brenner.Ref{Artifact: v.Artifact, Version: v.Parent}])
}

func (k *known) inserted(v store.Version) {
	k.versions[v.Ref()], k.fresh[v.Ref()] = true, true
	if latest, asked := k.latest[v.Artifact]; asked {
		k.latest[v.Artifact] = max(latest, v.Version)
	}
}

// linkable tells that a link is new and that both its ends are there.
func (k *known) linkable(l store.Link) bool {
	l.Seq = 0
	return k.fresh[l.From] && k.versions[l.To] && !k.links[l]
}

func (k *known) linked(l store.Link) {
	l.Seq = 0
	k.links[l] = true
}

// Artifact also asks for the highest version that is there.
func (t *tx) Artifact(ctx context.Context, id brenner.ArtifactID) (store.Artifact, error) {
	var latest brenner.Version
	a, err := one(ctx, t.session, notFound("there is no artifact %s", id), func(rows pgx.Rows, a *store.Artifact) error {
		return rows.Scan(append(artifactFields(a), (*int)(&latest))...)
	}, `SELECT `+artifactColumns+`, coalesce((SELECT max(version) FROM versions WHERE project = $1 AND artifact = $2), 0)
		FROM artifacts WHERE project = $1 AND id = $2`, t.project, string(id))
	if err == nil || brenner.CodeOf(err) == brenner.CodeNotFound {
		t.known.artifacts[id], t.known.latest[id] = err == nil, latest
	}
	return a, err
}

// Hashes remembers what it has given: the next hash of a Merkle log is made of
// the same few.
func (t *tx) Hashes(ctx context.Context, indexes []int64) ([][32]byte, error) {
	out := make([][32]byte, len(indexes))
	for i, index := range indexes {
		known := false
		for _, edge := range append([]map[int64][32]byte{t.edge}, t.edges...) {
			if out[i], known = edge[index]; known {
				break
			}
		}
		if !known {
			return t.readHashes(ctx, indexes)
		}
	}
	return out, t.ready(ctx, nil)
}

func (t *tx) readHashes(ctx context.Context, indexes []int64) ([][32]byte, error) {
	hashes, err := t.reader.Hashes(ctx, indexes)
	for i, h := range hashes {
		t.rememberHash(indexes[i], h)
	}
	return hashes, err
}

func (t *tx) rememberHash(index int64, h [32]byte) {
	if len(t.edge) >= maxEdge {
		clear(t.edge)
	}
	t.edge[index] = h
}

// maxEdge bounds the hashes that are remembered; when there are as many, it begins
// anew.
const maxEdge = 4096

// remember adds hashes to those that are remembered.
func remember(edge, more map[int64][32]byte) map[int64][32]byte {
	if edge == nil || len(edge)+len(more) > maxEdge {
		edge = map[int64][32]byte{}
	}
	maps.Copy(edge, more)
	return edge
}

func (t *tx) Version(ctx context.Context, ref brenner.Ref) (store.Version, error) {
	v, err := t.reader.Version(ctx, ref)
	if err == nil {
		t.known.versions[ref] = true
	}
	return v, err
}

func (t *tx) VersionsOf(ctx context.Context, refs []brenner.Ref) ([]store.Version, error) {
	versions, err := t.reader.VersionsOf(ctx, refs)
	for _, v := range versions {
		t.known.versions[v.Ref()] = true
	}
	return versions, err
}

func (t *tx) Request(ctx context.Context, actor brenner.ActorName, key string) (store.Request, error) {
	r, err := t.reader.Request(ctx, actor, key)
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		t.known.unused[requestKey{actor, key}] = true
	}
	return r, err
}
