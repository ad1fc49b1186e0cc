package rehearsal

import (
	"context"
	"fmt"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
)

// try makes one change, and remembers why it could not be made.
func (t *Tx) try(change func() error) error {
	err := change()
	if err != nil && t.doom == nil {
		t.doom = err
	}
	return err
}

// there reports whether a row is there.
func there(err error) (bool, error) {
	if brenner.CodeOf(err) == brenner.CodeNotFound {
		return false, nil
	}
	return err == nil, err
}

// PutBlob keeps content, unless it is there.
func (t *Tx) PutBlob(ctx context.Context, d brenner.Digest, data []byte) error {
	return t.try(func() error {
		if _, err := store.Sum(d); err != nil {
			return err
		}
		_, _, err := t.SmallBlob(ctx, d, 0)
		switch brenner.CodeOf(err) {
		case "":
			return nil
		case brenner.CodeRedacted:
			return store.GoneForGood(d)
		case brenner.CodeNotFound:
			t.blobs[d] = append([]byte{}, data...)
			return nil
		}
		return err
	})
}

// RedactBlob takes content away.
func (t *Tx) RedactBlob(_ context.Context, d brenner.Digest) error {
	return t.try(func() error {
		if _, err := store.Sum(d); err != nil {
			return err
		}
		t.blobs[d] = nil
		return nil
	})
}

// PutArtifact inserts or replaces an artifact.
func (t *Tx) PutArtifact(ctx context.Context, a store.Artifact) error {
	return t.try(func() error {
		if err := a.Check(); err != nil {
			return err
		}
		before, err := t.Artifact(ctx, a.ID)
		switch is, err := there(err); {
		case err != nil:
			return err
		case is:
			a.Type, a.Module = before.Type, before.Module
		}
		a.Created, a.Updated, a.Tags = instant(a.Created), instant(a.Updated), tags(a.Tags)
		t.artifacts[a.ID] = a
		return nil
	})
}

// InsertVersion adds a version.
func (t *Tx) InsertVersion(ctx context.Context, v store.Version) error {
	return t.try(func() error {
		if err := v.Check(); err != nil {
			return err
		}
		if _, err := t.Artifact(ctx, v.Artifact); err != nil {
			return err
		}
		_, err := t.Version(ctx, v.Ref())
		switch is, err := there(err); {
		case err != nil:
			return err
		case is:
			return brenner.Errorf(brenner.CodeAlreadyExists, "version %s exists", v.Ref())
		}
		parent := brenner.Ref{Artifact: v.Artifact, Version: v.Parent}
		if v.Parent >= v.Version {
			return brenner.Errorf(brenner.CodeNotFound, "there is no earlier version %s", parent)
		}
		if v.Parent != 0 {
			if _, err := t.Version(ctx, parent); err != nil {
				return err
			}
		}
		if err := charted(v.Status); err != nil {
			return err
		}
		v.Created, v.Tags = instant(v.Created), tags(v.Tags)
		t.versions[v.Ref()] = v
		return nil
	})
}

// charted refuses to put a version in force: whether its place is free only the
// database can say.
func charted(s artifact.Status) error {
	if s == artifact.Canonical {
		return fmt.Errorf("%w: a version in force", ErrUncharted)
	}
	return nil
}

// SetStatus changes the status of a version.
func (t *Tx) SetStatus(ctx context.Context, ref brenner.Ref, s artifact.Status) error {
	return t.try(func() error {
		if err := store.CheckText(string(s)); err != nil {
			return err
		}
		v, err := t.Version(ctx, ref)
		if err != nil {
			return err
		}
		if err := charted(s); err != nil {
			return err
		}
		t.versions[ref] = v.WithStatus(s)
		return nil
	})
}

// InsertLink adds a link.
func (t *Tx) InsertLink(ctx context.Context, l store.Link) error {
	return t.try(func() error {
		if err := l.Check(); err != nil {
			return err
		}
		for _, end := range []brenner.Ref{l.From, l.To} {
			if _, err := t.Version(ctx, end); err != nil {
				return err
			}
		}
		present, err := t.LinksFrom(ctx, []brenner.Ref{l.From})
		if err != nil {
			return err
		}
		for _, p := range present {
			if p.Rel == l.Rel && p.To == l.To {
				return brenner.Errorf(brenner.CodeAlreadyExists, "the link %s %s %s exists", l.From, l.Rel, l.To)
			}
		}
		t.links[linkKey{l.From, l.Rel, l.To}] = l
		return nil
	})
}

// PutActor inserts or replaces an actor.
func (t *Tx) PutActor(_ context.Context, a store.Actor) error {
	return t.try(func() error {
		if err := a.Check(); err != nil {
			return err
		}
		a.Created = instant(a.Created)
		t.actors[a.Name] = a
		return nil
	})
}

// PutObject inserts or replaces an object.
func (t *Tx) PutObject(_ context.Context, o store.Object) error {
	return t.try(func() error {
		if err := o.Check(); err != nil {
			return err
		}
		t.objects[objectKey{o.Kind, o.ID}] = o
		return nil
	})
}

// PutRequest notes what a key was used for, once.
func (t *Tx) PutRequest(ctx context.Context, r store.Request) error {
	return t.try(func() error {
		if err := r.Check(); err != nil {
			return err
		}
		_, err := t.Request(ctx, r.Actor, r.Key)
		switch is, err := there(err); {
		case err != nil:
			return err
		case is:
			return brenner.Errorf(brenner.CodeAlreadyExists, "the key %q was used", r.Key)
		}
		t.requests[requestKey{r.Actor, r.Key}] = r
		return nil
	})
}

// Index only looks whether there is such an artifact: a rehearsal that has
// written is not searched.
func (t *Tx) Index(ctx context.Context, id brenner.ArtifactID, _ []store.Indexed) error {
	return t.try(func() error {
		_, err := t.Artifact(ctx, id)
		t.indexed = t.indexed || err == nil
		return err
	})
}

// uncharted refuses what no dry run does.
func (t *Tx) uncharted(what string) error {
	return t.try(func() error { return fmt.Errorf("%w: %s", ErrUncharted, what) })
}

// Init is not rehearsed.
func (t *Tx) Init(context.Context, store.Project) error { return t.uncharted("a new project") }

// AppendRecord is not rehearsed: there is no record of what is thrown away.
func (t *Tx) AppendRecord(context.Context, store.Record) error { return t.uncharted("a record") }

// PutHashes is not rehearsed.
func (t *Tx) PutHashes(context.Context, int64, [][32]byte) error { return t.uncharted("hashes") }

// PutToken is not rehearsed.
func (t *Tx) PutToken(context.Context, store.Token) error { return t.uncharted("a token") }

// AddDenial is not rehearsed.
func (t *Tx) AddDenial(context.Context, store.Denial) error { return t.uncharted("a denial") }

// AddStored is not rehearsed: nothing is stored.
func (t *Tx) AddStored(context.Context, brenner.ActorName, int64) error {
	return t.uncharted("what is stored")
}

// PutVectors is not rehearsed.
func (t *Tx) PutVectors(context.Context, string, map[string][]float32) error {
	return t.uncharted("vectors")
}

// DeleteVectors is not rehearsed.
func (t *Tx) DeleteVectors(context.Context, string) error { return t.uncharted("vectors") }

// Reset is not rehearsed.
func (t *Tx) Reset(context.Context) error { return t.uncharted("a rebuild") }
