package postgres_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"brenner"
	"brenner/artifact"
	"brenner/internal/pgtest"
	"brenner/internal/store"
)

// benchContent makes about 2 KiB of text that does not compress like a toy.
func benchContent(n int64) []byte {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	var b strings.Builder
	for b.Len() < 2048 {
		fmt.Fprintf(&b, "%x ", r.Uint32())
	}
	return []byte(b.String())
}

// writeVersion does what the service does to make an artifact: record, hashes,
// content, rows, a link and the words of its summary.
func writeVersion(ctx context.Context, tx store.Tx, n int64) error {
	content := benchContent(n)
	digest := store.DigestOf(sha256.Sum256(content))
	id := brenner.ArtifactID(fmt.Sprintf("a-%09d", n))
	key := fmt.Sprintf("key-%09d", n)
	if _, err := tx.Request(ctx, "ada", key); brenner.CodeOf(err) != brenner.CodeNotFound {
		return fmt.Errorf("request: %v", err)
	}
	size, err := tx.Size(ctx)
	if err != nil {
		return err
	}
	seq := size + 1
	now := time.Unix(1_800_000_000, n*1000)
	v := store.Version{
		Artifact: id, Version: 1, Status: artifact.Draft, Summary: "what it says, shortly", Format: artifact.Text, Content: digest,
		Size: int64(len(content)), What: "all", Why: "new", Creator: "ada", Role: "reader", Created: now, Tags: []string{"bench"}, Seq: seq,
	}
	for _, err := range []error{
		tx.AppendRecord(ctx, store.Record{Seq: seq, At: now, Actor: "ada", Kind: "version.written", Data: content[:400]}),
		tx.PutHashes(ctx, 2*size, [][32]byte{{1}, {2}}),
		tx.PutBlob(ctx, digest, content),
		tx.PutArtifact(ctx, store.Artifact{
			ID: id, Type: "paper_note", Module: "genetics", Creator: "ada", Created: now, Updated: now,
			Head: 1, Latest: 1, HeadStatus: artifact.Draft, Summary: v.Summary, Tags: v.Tags, Seq: seq,
		}),
		tx.InsertVersion(ctx, v),
		tx.InsertLink(ctx, store.Link{From: v.Ref(), Rel: artifact.Cites, To: v.Ref(), Seq: seq}),
		tx.Index(ctx, id, v.Summary),
		tx.PutRequest(ctx, store.Request{Actor: "ada", Key: key, Digest: digest, Result: content[:100], Seq: seq}),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// rawTable is the least that could hold the same content: the reference.
func rawTable(b *testing.B, address string) *pgxpool.Pool {
	b.Helper()
	pool, err := pgxpool.New(b.Context(), address)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	if _, err := pool.Exec(b.Context(), `CREATE TABLE raw (n bigint PRIMARY KEY, content bytea);
		CREATE TABLE raw_link (a bigint, b bigint, PRIMARY KEY (a, b))`); err != nil {
		b.Fatal(err)
	}
	return pool
}

func rawInsert(batch *pgx.Batch, n int64) {
	batch.Queue(`INSERT INTO raw VALUES ($1, $2)`, n, benchContent(n))
	batch.Queue(`INSERT INTO raw_link VALUES ($1, $1)`, n)
}

// rate gives how many times a second fn runs.
func rate(n int, fn func()) float64 {
	start := time.Now()
	fn()
	return float64(n) / time.Since(start).Seconds()
}

// One writer, every write durable by itself.
func BenchmarkWrite_Single(b *testing.B) {
	address := pgtest.OpenDurable(b)
	raw := rawTable(b, address)
	s := open(b, project(address, "bench"))
	ctx := context.Background()
	var n int64
	reference := rate(b.N, func() {
		for i := range int64(b.N) {
			batch := new(pgx.Batch)
			rawInsert(batch, i)
			if err := raw.SendBatch(ctx, batch).Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ResetTimer()
	ours := rate(b.N, func() {
		for range b.N {
			n++
			if err := s.Write(ctx, func(tx store.Tx) error { return writeVersion(ctx, tx, n) }); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ReportMetric(ours, "writes/s")
	b.ReportMetric(reference, "raw/s")
	b.ReportMetric(ours/reference, "×raw")
}

// Many writers at once, sharing commits; the reference shares them as widely.
func BenchmarkWrite_Group(b *testing.B) {
	address := pgtest.OpenDurable(b)
	raw := rawTable(b, address)
	s := open(b, project(address, "bench"))
	ctx := context.Background()
	const share = 64
	reference := rate(b.N, func() {
		for first := 0; first < b.N; first += share {
			batch := new(pgx.Batch)
			for i := first; i < min(first+share, b.N); i++ {
				rawInsert(batch, int64(i))
			}
			if err := raw.SendBatch(ctx, batch).Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	var n atomic.Int64
	b.SetParallelism(share / 2)
	b.ResetTimer()
	ours := rate(b.N, func() {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				n := n.Add(1)
				if err := s.Write(ctx, func(tx store.Tx) error { return writeVersion(ctx, tx, n) }); err != nil {
					b.Error(err)
				}
			}
		})
	})
	b.ReportMetric(ours, "writes/s")
	b.ReportMetric(reference, "raw/s")
	b.ReportMetric(ours/reference, "×raw")
}
