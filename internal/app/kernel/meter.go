package kernel

import (
	"context"

	"brenner"
	"brenner/artifact"
	"brenner/internal/admission"
	"brenner/internal/store"
)

// What reading costs in memory, by estimate: a content comes as bytes, as JSON,
// as the answer and as the bytes of the answer; a row with what is made of it.
const (
	contentWeight = 4
	rowBytes      = 1 << 10
	linkBytes     = 256
	// comparedWeight is what comparing two texts, or rendering one, holds for
	// each of their bytes at worst: where every line has two or three.
	comparedWeight = 12
	// visitedBytes is what visiting every content holds at a time: the largest, as
	// the store and as its visitor have it.
	visitedBytes = 3 * brenner.MaxContentBytes
	// extractWeight is what reading the deltas of a reply holds for each of its
	// bytes, where it is full of small ones.
	extractWeight = 32
)

// Compares says, before it is done, that the call compares or renders texts of
// so many bytes (X10). In a transaction nothing waits: what is long was planned
// before.
func (c *Call) Compares(bytes int64) error {
	if c.work == nil {
		return nil
	}
	return c.work.Spend(comparedWeight * bytes)
}

// Extracts says, before it is done, that the call reads the deltas of a reply of
// so many bytes (X10).
func (c *Call) Extracts(bytes int) error {
	if c.work == nil {
		return nil
	}
	return c.work.Spend(extractWeight * int64(bytes))
}

// Holds says, before it is so, that the call holds so many bytes that it does not
// read as contents or rows (X10).
func (c *Call) Holds(bytes int64) error {
	if c.work == nil {
		return nil
	}
	return c.work.Spend(bytes)
}

// Passing does a part of a call that holds nothing when it is done, such as
// looking at one content of many.
func (c *Call) Passing(do func() error) error {
	if c.work == nil {
		return do()
	}
	return c.work.Pass(do)
}

// metered is a snapshot whose reader says beforehand what it will hold: every
// call pays, whatever it is for (X10). What is visited row by row, such as the
// journal, is not held.
type metered struct {
	store.Reader
	work *admission.Work
}

func (m metered) Blob(ctx context.Context, d brenner.Digest) ([]byte, error) {
	data, size, err := m.SmallBlob(ctx, d, brenner.LargeContentBytes)
	if err != nil {
		return nil, err
	}
	if err := m.work.Spend(contentWeight * size); err != nil {
		return nil, err
	}
	if size <= brenner.LargeContentBytes {
		return data, nil
	}
	return m.Reader.Blob(ctx, d)
}

// EachBlob has room for the largest content there may be.
func (m metered) EachBlob(ctx context.Context, fn func(d brenner.Digest, data []byte) error) error {
	return m.work.Pass(func() error {
		if err := m.work.Spend(visitedBytes); err != nil {
			return err
		}
		return m.Reader.EachBlob(ctx, fn)
	})
}

func (m metered) Versions(ctx context.Context, id brenner.ArtifactID, after brenner.Version, limit int) ([]store.Version, error) {
	rows, err := m.Reader.Versions(ctx, id, after, limit)
	return rows, m.pay(rowBytes, len(rows), err)
}

func (m metered) VersionsOf(ctx context.Context, refs []brenner.Ref) ([]store.Version, error) {
	rows, err := m.Reader.VersionsOf(ctx, refs)
	return rows, m.pay(rowBytes, len(rows), err)
}

func (m metered) LinksFrom(ctx context.Context, refs []brenner.Ref) ([]store.Link, error) {
	rows, err := m.Reader.LinksFrom(ctx, refs)
	return rows, m.pay(linkBytes, len(rows), err)
}

func (m metered) LinksTo(ctx context.Context, refs []brenner.Ref, rels ...artifact.Relation) ([]store.Link, error) {
	rows, err := m.Reader.LinksTo(ctx, refs, rels...)
	return rows, m.pay(linkBytes, len(rows), err)
}

// Rank takes a place among those who compute, however little it finds.
func (m metered) Rank(ctx context.Context, q store.RankQuery) (store.Ranking, error) {
	if err := m.work.Spend(brenner.FreeWorkBytes + 1); err != nil {
		return store.Ranking{}, err
	}
	return m.Reader.Rank(ctx, q)
}

// pay pays for rows that came: they come in portions, so those that there is no
// room for are few.
func (m metered) pay(each int64, rows int, err error) error {
	if err != nil {
		return err
	}
	return m.work.Spend(each * int64(rows))
}
