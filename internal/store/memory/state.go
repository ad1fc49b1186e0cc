package memory

import (
	"maps"
	"slices"

	"brenner"
	"brenner/internal/store"
)

type objectKey struct{ kind, id string }

type requestKey struct {
	actor brenner.ActorName
	key   string
}

type linkKey struct {
	from brenner.Ref
	rel  string
	to   brenner.Ref
}

// state is everything a store holds. Values are never changed in place: rows
// are copied on the way in and on the way out.
type state struct {
	project *store.Project
	records []store.Record
	hashes  [][32]byte
	blobs   map[brenner.Digest]blob

	artifacts map[brenner.ArtifactID]store.Artifact
	versions  map[brenner.Ref]store.Version
	links     map[linkKey]store.Link
	actors    map[brenner.ActorName]store.Actor
	objects   map[objectKey]store.Object
	requests  map[requestKey]store.Request

	generation int64 // see store.Ranking

	indexed map[brenner.ArtifactID][]store.Indexed
	tokens  map[string]store.Token
	denials []store.Denial // oldest first
	stored  map[brenner.ActorName]int64
	vectors map[string]map[string][]float32
}

type blob struct {
	data     []byte
	redacted bool
}

func newState() *state {
	s := &state{
		blobs:   map[brenner.Digest]blob{},
		tokens:  map[string]store.Token{},
		stored:  map[brenner.ActorName]int64{},
		vectors: map[string]map[string][]float32{},
	}
	s.reset()
	return s
}

// reset empties the digest tables and the full-text index.
func (s *state) reset() {
	s.artifacts = map[brenner.ArtifactID]store.Artifact{}
	s.versions = map[brenner.Ref]store.Version{}
	s.links = map[linkKey]store.Link{}
	s.actors = map[brenner.ActorName]store.Actor{}
	s.objects = map[objectKey]store.Object{}
	s.requests = map[requestKey]store.Request{}
	s.indexed = map[brenner.ArtifactID][]store.Indexed{}
}

func (s *state) clone() *state {
	c := *s
	c.records = slices.Clone(s.records)
	c.hashes = slices.Clone(s.hashes)
	c.blobs = maps.Clone(s.blobs)
	c.artifacts = maps.Clone(s.artifacts)
	c.versions = maps.Clone(s.versions)
	c.links = maps.Clone(s.links)
	c.actors = maps.Clone(s.actors)
	c.objects = maps.Clone(s.objects)
	c.requests = maps.Clone(s.requests)
	c.indexed = maps.Clone(s.indexed)
	c.tokens = maps.Clone(s.tokens)
	c.denials = slices.Clone(s.denials)
	c.stored = maps.Clone(s.stored)
	c.vectors = map[string]map[string][]float32{}
	for space, v := range s.vectors {
		c.vectors[space] = maps.Clone(v)
	}
	return &c
}
