package memory

import (
	"bytes"
	"context"
	"slices"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
)

// tx writes to a copy of the state that becomes the state on commit.
type tx struct {
	reader
	doom   error // the first error of a writing method
	shared any
}

func (t *tx) Shared() *any { return &t.shared }

// RefuseLate changes nothing.
func (t *tx) RefuseLate() {}

// try runs one change unless the context is done, and remembers its failure.
func (t *tx) try(ctx context.Context, change func() error) error {
	err := canceled(ctx)
	if err == nil {
		err = change()
	}
	if err != nil && t.doom == nil {
		t.doom = err
	}
	return err
}

func (t *tx) Init(ctx context.Context, p store.Project) error {
	return t.try(ctx, func() error {
		if t.project != nil {
			return brenner.Errorf(brenner.CodeProjectExists, "the store holds project %q", t.project.Name)
		}
		if err := p.Check(); err != nil {
			return err
		}
		p.At = instant(p.At)
		t.project = &p
		return nil
	})
}

// next reports whether a row numbered n can be the next after have rows.
func next(n, have int64) error {
	if n < have {
		return exists("number %d is taken", n)
	}
	if n > have {
		return brenner.Errorf(brenner.CodeInvalidValue, "number %d would leave a gap after %d", n, have)
	}
	return nil
}

func (t *tx) AppendRecord(ctx context.Context, r store.Record) error {
	return t.try(ctx, func() error {
		if err := next(r.Seq, int64(len(t.records)+1)); err != nil {
			return err
		}
		if err := r.Check(); err != nil {
			return err
		}
		r.At, r.Data = instant(r.At), bytes.Clone(r.Data)
		t.records = append(t.records, r)
		return nil
	})
}

func (t *tx) PutHashes(ctx context.Context, first int64, hashes [][32]byte) error {
	return t.try(ctx, func() error {
		if err := next(first, int64(len(t.hashes))); err != nil {
			return err
		}
		t.hashes = append(t.hashes, hashes...)
		return nil
	})
}

func (t *tx) PutBlob(ctx context.Context, d brenner.Digest, data []byte) error {
	return t.try(ctx, func() error {
		if _, err := store.Sum(d); err != nil {
			return err
		}
		b, there := t.blobs[d]
		switch {
		case !there:
			t.blobs[d] = blob{data: append([]byte{}, data...)}
		case b.redacted:
			return store.GoneForGood(d)
		}
		return nil
	})
}

func (t *tx) RedactBlob(ctx context.Context, d brenner.Digest) error {
	return t.try(ctx, func() error {
		if _, err := store.Sum(d); err != nil {
			return err
		}
		t.blobs[d] = blob{redacted: true}
		t.generation++
		return nil
	})
}

func (t *tx) PutArtifact(ctx context.Context, a store.Artifact) error {
	return t.try(ctx, func() error {
		if err := a.Check(); err != nil {
			return err
		}
		a.Created, a.Updated, a.Tags = instant(a.Created), instant(a.Updated), list(a.Tags)
		if before, there := t.artifacts[a.ID]; there {
			a.Type, a.Module = before.Type, before.Module
		}
		t.artifacts[a.ID] = a
		return nil
	})
}

func (t *tx) InsertVersion(ctx context.Context, v store.Version) error {
	return t.try(ctx, func() error {
		if err := v.Check(); err != nil {
			return err
		}
		if _, there := t.artifacts[v.Artifact]; !there {
			return notFound("there is no artifact %s", v.Artifact)
		}
		if _, there := t.versions[v.Ref()]; there {
			return exists("version %s exists", v.Ref())
		}
		parent := brenner.Ref{Artifact: v.Artifact, Version: v.Parent}
		if _, there := t.versions[parent]; v.Parent != 0 && (!there || v.Parent >= v.Version) {
			return notFound("there is no earlier version %s", parent)
		}
		if err := t.free(v); err != nil {
			return err
		}
		v.Created, v.Tags = instant(v.Created), list(v.Tags)
		t.versions[v.Ref()] = v
		return nil
	})
}

// free reports SLOT_TAKEN if the version would be a second canonical one.
func (t *tx) free(v store.Version) error {
	if v.Status != artifact.Canonical {
		return nil
	}
	for _, o := range t.versions {
		if o.Status != artifact.Canonical || o.Ref() == v.Ref() {
			continue
		}
		if o.Artifact == v.Artifact || o.Slot == v.Slot && v.Slot != "" {
			return brenner.Errorf(brenner.CodeSlotTaken, "another version is canonical in this place")
		}
	}
	return nil
}

func (t *tx) SetStatus(ctx context.Context, ref brenner.Ref, s artifact.Status) error {
	return t.try(ctx, func() error {
		if err := store.CheckText(string(s)); err != nil {
			return err
		}
		v, there := t.versions[ref]
		if !there {
			return notFound("there is no version %s", ref)
		}
		v = v.WithStatus(s)
		if err := t.free(v); err != nil {
			return err
		}
		t.versions[ref] = v
		return nil
	})
}

func (t *tx) InsertLink(ctx context.Context, l store.Link) error {
	return t.try(ctx, func() error {
		if err := l.Check(); err != nil {
			return err
		}
		for _, end := range []brenner.Ref{l.From, l.To} {
			if _, there := t.versions[end]; !there {
				return notFound("there is no version %s", end)
			}
		}
		key := linkKey{l.From, string(l.Rel), l.To}
		if _, there := t.links[key]; there {
			return exists("the link %s %s %s exists", l.From, l.Rel, l.To)
		}
		t.links[key] = l
		return nil
	})
}

func (t *tx) PutActor(ctx context.Context, a store.Actor) error {
	return t.try(ctx, func() error {
		if err := a.Check(); err != nil {
			return err
		}
		a.Created = instant(a.Created)
		t.actors[a.Name] = a
		return nil
	})
}

func (t *tx) PutObject(ctx context.Context, o store.Object) error {
	return t.try(ctx, func() error {
		if err := o.Check(); err != nil {
			return err
		}
		o.Body = bytes.Clone(o.Body)
		t.objects[objectKey{o.Kind, o.ID}] = o
		return nil
	})
}

func (t *tx) PutRequest(ctx context.Context, r store.Request) error {
	return t.try(ctx, func() error {
		if err := r.Check(); err != nil {
			return err
		}
		key := requestKey{r.Actor, r.Key}
		if _, there := t.requests[key]; there {
			return exists("the key %q was used", r.Key)
		}
		r.Result = bytes.Clone(r.Result)
		t.requests[key] = r
		return nil
	})
}

func (t *tx) PutToken(ctx context.Context, k store.Token) error {
	return t.try(ctx, func() error {
		if err := k.Check(); err != nil {
			return err
		}
		for _, o := range t.tokens {
			if o.Secret == k.Secret && o.ID != k.ID {
				return exists("another token has this secret")
			}
		}
		k.Created, k.Expires = instant(k.Created), instant(k.Expires)
		t.tokens[k.ID] = k
		return nil
	})
}

func (t *tx) AddDenial(ctx context.Context, d store.Denial) error {
	return t.try(ctx, func() error {
		if err := d.Check(); err != nil {
			return err
		}
		d.At = instant(d.At)
		t.denials = append(t.denials, d)
		if over := len(t.denials) - store.MaxDenials; over > 0 {
			t.denials = t.denials[over:]
		}
		return nil
	})
}

func (t *tx) AddStored(ctx context.Context, actor brenner.ActorName, bytes int64) error {
	return t.try(ctx, func() error {
		if err := store.CheckText(string(actor)); err != nil {
			return err
		}
		t.stored[actor] += bytes
		return nil
	})
}

func (t *tx) PutVectors(ctx context.Context, space string, vectors map[string][]float32) error {
	return t.try(ctx, func() error {
		if err := store.CheckText(space); err != nil {
			return err
		}
		for id := range vectors {
			if err := store.CheckText(id); err != nil {
				return err
			}
		}
		if t.vectors[space] == nil {
			t.vectors[space] = map[string][]float32{}
		}
		for id, v := range vectors {
			t.vectors[space][id] = slices.Clone(v)
		}
		return nil
	})
}

func (t *tx) DeleteVectors(ctx context.Context, space string) error {
	return t.try(ctx, func() error {
		delete(t.vectors, space)
		return nil
	})
}

func (t *tx) Reset(ctx context.Context) error {
	return t.try(ctx, func() error {
		t.reset()
		t.generation++
		return nil
	})
}
