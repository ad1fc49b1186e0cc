// Package journal is the truth: the numbered records from which every table is
// derived, hashed into a Merkle log so that no record can be changed, removed,
// swapped or slipped in without it showing (J1–J3).
//
// A record is the canonical JSON of a Record; its bytes are a leaf of the log.
// The package appends, verifies, signs and checks checkpoints, and digests the
// derived tables. What a record means is the application's business.
package journal

import (
	"context"
	"fmt"
	"time"

	"brenner"
	"brenner/canon"
	"brenner/internal/store"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/sumdb/tlog"
)

// Record is one change: who did what, when, and how we know it was them.
type Record struct {
	Seq   int64             `json:"seq"`
	At    time.Time         `json:"at"`
	Actor brenner.ActorName `json:"actor"`
	Role  brenner.Role      `json:"role"`
	// Auth says how the actor was authenticated: owner, as, token:ID, system.
	Auth string `json:"auth"`
	// Context names what an agent saw before it wrote: an invocation (C30).
	Context string         `json:"context,omitzero"`
	Kind    string         `json:"kind"`
	Payload jsontext.Value `json:"payload"`
	// Texts says that the free texts of the payload stand there by their hash, and
	// are contents (J7). Records from before that have them inline.
	Texts bool `json:"texts,omitzero"`
	// Request is on the last record of a write that had an idempotency key.
	Request *Request `json:"request,omitzero"`
}

// Request is what an idempotency key was used for and what it gave (X2).
type Request struct {
	Key    string         `json:"key"`
	Digest brenner.Digest `json:"digest"`
	Result jsontext.Value `json:"result"`
}

// Instant cuts a time to what records and tables keep: UTC microseconds.
func Instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// Append writes the next records and their hashes. Their Seq must continue the
// journal without a gap.
func Append(ctx context.Context, tx store.Tx, records []Record) error {
	for _, rec := range records {
		data, err := canon.Marshal(rec)
		if err != nil {
			return err
		}
		if err := appendData(ctx, tx, rec, data); err != nil {
			return err
		}
	}
	return nil
}

func appendData(ctx context.Context, tx store.Tx, rec Record, data []byte) error {
	index := rec.Seq - 1
	hashes, err := tlog.StoredHashes(index, data, hashReader(ctx, tx))
	if err != nil {
		return fmt.Errorf("hash record %d: %w", rec.Seq, err)
	}
	row := store.Record{Seq: rec.Seq, At: rec.At, Actor: rec.Actor, Kind: rec.Kind, Data: data}
	if err := tx.AppendRecord(ctx, row); err != nil {
		return err
	}
	raw := make([][32]byte, len(hashes))
	for i, h := range hashes {
		raw[i] = h
	}
	return tx.PutHashes(ctx, tlog.StoredHashIndex(0, index), raw)
}

// Parse reads a stored record.
func Parse(row store.Record) (Record, error) {
	var rec Record
	if err := canon.Unmarshal(row.Data, &rec); err != nil {
		return Record{}, err
	}
	return rec, nil
}

// Each visits every record after a position, in order.
func Each(ctx context.Context, r store.Reader, after int64, fn func(store.Record) error) error {
	const batch = 1000
	for {
		rows, err := r.Records(ctx, after, batch)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := fn(row); err != nil {
				return err
			}
			after = row.Seq
		}
		if len(rows) < batch {
			return nil
		}
	}
}

// Root is the Merkle root over the first size records, from the stored hashes.
func Root(ctx context.Context, r store.Reader, size int64) (tlog.Hash, error) {
	if size == 0 {
		return tlog.TreeHash(0, nil)
	}
	return tlog.TreeHash(size, hashReader(ctx, r))
}

func hashReader(ctx context.Context, r store.Reader) tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		if len(indexes) == 0 {
			return nil, nil
		}
		raw, err := r.Hashes(ctx, indexes)
		if brenner.CodeOf(err) == brenner.CodeNotFound {
			return nil, brenner.Errorf(brenner.CodeJournalCorrupt, "a hash of the journal is missing or cut short").Because(err).Try(brenner.Do("verify"))
		}
		if err != nil {
			return nil, err
		}
		out := make([]tlog.Hash, len(raw))
		for i, h := range raw {
			out[i] = h
		}
		return out, nil
	})
}
