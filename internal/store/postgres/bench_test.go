package postgres_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"brenner"
	"brenner/artifact"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/fulltext"
	"brenner/internal/store/postgres"
	"brenner/retrieval"
)

// sample is one version as the ledger writes it: 2 KiB of content, its record,
// its row, the row of its artifact, a link, two hashes and its words.
type sample struct {
	record   store.Record
	hashes   [][32]byte
	content  []byte
	body     []byte // of the row of the content
	size     *int32
	artifact store.Artifact
	version  store.Version
	link     store.Link
}

// vocabulary is what samples are written with; some words are frequent, as in a
// language.
var vocabulary = func() []string {
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 20_000)
	for i := range words {
		w := make([]byte, 3+r.IntN(8))
		for j := range w {
			w[j] = byte('a' + r.IntN(26))
		}
		words[i] = string(w)
	}
	return words
}()

func prose(r *rand.Rand, size int) string {
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(vocabulary[int(float64(len(vocabulary))*r.Float64()*r.Float64()*r.Float64())] + " ")
	}
	return b.String()[:size]
}

func noteID(n int) brenner.ArtifactID { return brenner.ArtifactID(fmt.Sprintf("note-%06d", n)) }

// samples makes n versions of n artifacts, the first being number from+1. Each
// cites one of half its number.
func samples(from, n int) []sample {
	r := rand.New(rand.NewPCG(uint64(from), 7))
	at := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	out := make([]sample, n)
	for i := range out {
		number, seq := from+i+1, int64(from+i+1)
		content, summary := []byte(prose(r, 2048)), prose(r, 120)
		sum := sha256.Sum256(content)
		v := store.Version{
			Artifact: noteID(number), Version: 1, Status: artifact.Draft, Summary: summary, Format: artifact.Text, Content: store.DigestOf(sum),
			Size: 2048, What: "first note", Why: "read the paper", Creator: "ada", Role: "reader", Created: at, Tags: []string{"reading"}, Seq: seq,
		}
		body, size := postgres.Pack(content)
		out[i] = sample{
			record:  store.Record{Seq: seq, At: at, Actor: "ada", Kind: "artifact.create", Data: []byte(prose(r, 600))},
			hashes:  [][32]byte{sum, sha256.Sum256(sum[:])},
			content: content,
			body:    body,
			size:    size,
			artifact: store.Artifact{
				ID: v.Artifact, Type: "paper_note", Module: "genetics", Creator: "ada", Created: at, Updated: at, Head: 1, Latest: 1,
				HeadStatus: artifact.Draft, Summary: summary, Tags: v.Tags, Seq: seq,
			},
			version: v,
			link:    store.Link{From: v.Ref(), Rel: artifact.Cites, To: brenner.Ref{Artifact: noteID(max(1, number/2)), Version: 1}, Seq: seq},
		}
	}
	return out
}

func (s *sample) write(ctx context.Context, tx store.Tx) error {
	tx.RefuseLate() // as the service does
	for _, step := range []func() error{
		func() error { return tx.AppendRecord(ctx, s.record) },
		func() error { return tx.PutHashes(ctx, 2*(s.record.Seq-1), s.hashes) },
		func() error { return tx.PutBlob(ctx, s.version.Content, s.content) },
		func() error { return tx.PutArtifact(ctx, s.artifact) },
		func() error { return tx.InsertVersion(ctx, s.version) },
		func() error { return tx.InsertLink(ctx, s.link) },
		func() error { return tx.Index(ctx, s.artifact.ID, []store.Indexed{{Version: 1}}) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// queueRaw adds the rows of a sample as they are, for the store's own tables:
// nothing is asked and nothing checked.
func (s *sample) queueRaw(batch *pgx.Batch) error {
	r, a, v, l := s.record, s.artifact, s.version, s.link
	content, err := store.Sum(v.Content)
	if err != nil {
		return err
	}
	batch.Queue(`INSERT INTO records VALUES (1, $1, $2, $3, $4, $5)`, r.Seq, r.At, string(r.Actor), r.Kind, r.Data)
	batch.Queue(`INSERT INTO hashes VALUES (1, $1, $2)`, 2*(r.Seq-1), append(s.hashes[0][:], s.hashes[1][:]...))
	batch.Queue(`INSERT INTO blobs VALUES (1, $1, $2, $3)`, content[:], s.body, s.size)
	batch.Queue(`INSERT INTO artifacts VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`, string(a.ID), string(a.Type), string(a.Module),
		string(a.Creator), a.Created, a.Updated, int(a.Head), int(a.Latest), int(a.Canonical), string(a.HeadStatus), a.Summary, a.Tags, a.Seq, a.Size)
	batch.Queue(`INSERT INTO versions VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`, string(v.Artifact),
		int(v.Version), int(v.Parent), string(v.Status), v.Slot, v.Summary, string(v.Format), content[:], v.Size, v.What, v.Why,
		string(v.Creator), string(v.Role), v.Created, v.Tags, v.Task, v.Invocation, v.Seq, v.Demoted)
	batch.Queue(`INSERT INTO links VALUES (1, $1, $2, $3, $4, $5, $6)`, string(l.From.Artifact), int(l.From.Version), string(l.Rel),
		string(l.To.Artifact), int(l.To.Version), l.Seq)
	batch.Queue(`INSERT INTO index_notes VALUES (1, $1, $2)`, string(a.ID), fulltext.Encode([]store.Indexed{{Version: 1}}))
	return nil
}

// rawWrites inserts samples, so many to a transaction and a round trip.
func rawWrites(ctx context.Context, conn *pgx.Conn, some []sample, share int) error {
	for len(some) > 0 {
		batch := new(pgx.Batch)
		n := min(share, len(some))
		for i := range some[:n] {
			if err := some[i].queueRaw(batch); err != nil {
				return err
			}
		}
		if err := conn.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		some = some[n:]
	}
	return nil
}

// compare inserts a chunk of rows into the tables of a database of their own,
// then writes the same chunk through the store, in turn until b.N writes are
// done, and reports how many times as fast the store is.
func compare(b *testing.B, chunk, share int, stored func(s store.Store, some []sample) error) {
	ctx := b.Context()
	beside := pgtest.OpenDurable(b)
	_ = open(b, beside).Close() // with the tables
	raw, s := connect(b, beside), open(b, pgtest.OpenDurable(b))
	var inRaw, inStore time.Duration
	b.ResetTimer()
	b.StopTimer()
	for done := 0; done < b.N; {
		some := samples(done, min(chunk, b.N-done))
		start := time.Now()
		if err := rawWrites(ctx, raw, some, share); err != nil {
			b.Fatal(err)
		}
		inRaw += time.Since(start)
		b.StartTimer()
		start = time.Now()
		if err := stored(s, some); err != nil {
			b.Fatal(err)
		}
		inStore += time.Since(start)
		b.StopTimer()
		if share > 1 {
			if err := s.Settle(ctx); err != nil {
				b.Fatal(err)
			}
		}
		done += len(some)
	}
	b.ReportMetric(float64(inRaw.Nanoseconds())/float64(b.N), "raw-ns/op")
	b.ReportMetric(inRaw.Seconds()/inStore.Seconds(), "×raw")
}

// Durable writes of one caller, one commit each.
func BenchmarkWrite_Single(b *testing.B) {
	compare(b, 50, 1, func(s store.Store, some []sample) error {
		for i := range some {
			if err := s.Write(b.Context(), func(tx store.Tx) error { return some[i].write(b.Context(), tx) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// burst is how many writes of a group are measured at a time. They leave their texts to be
// indexed behind them, which is done before the rows of the next are measured.
const burst = 4096

// Writes of 64 callers that share commits, against raw inserts with 64 to a
// commit.
func BenchmarkWrite_Group(b *testing.B) {
	const writers = 64
	compare(b, burst, writers, func(s store.Store, some []sample) error {
		var wg sync.WaitGroup
		ended := make([]error, writers)
		next := 0
		for w := range writers {
			wg.Go(func() {
				for ended[w] == nil {
					ended[w] = s.Write(b.Context(), func(tx store.Tx) error {
						if next == len(some) { // next belongs to whoever writes
							return errEnough
						}
						next++
						return some[next-1].write(b.Context(), tx)
					})
				}
			})
		}
		wg.Wait()
		for _, err := range ended {
			if !errors.Is(err, errEnough) {
				return err
			}
		}
		return nil
	})
}

var errEnough = errors.New("enough")

// fill writes n samples with few commits.
func fill(tb testing.TB, s store.Store, from, n int) {
	tb.Helper()
	fillBy(tb, s, from, n, 500)
}

// fillBy writes n samples, so many to a commit.
func fillBy(tb testing.TB, s store.Store, from, n, share int) {
	tb.Helper()
	for done := 0; done < n; {
		some := samples(from+done, min(share, n-done))
		if err := s.Write(tb.Context(), func(tx store.Tx) error {
			for i := range some {
				if err := some[i].write(tb.Context(), tx); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			tb.Fatal(err)
		}
		done += len(some)
	}
}

// What a version of 2 KiB takes on disk, everything included, the text indexed,
// once the server has tidied up as it does by itself. Each is a write of its own,
// as the service's are: of commits with hundreds of them the index makes more
// segments, and those that were merged leave room that is used again only later.
func BenchmarkDisk(b *testing.B) {
	const n = 4000
	for b.Loop() {
		address := pgtest.Open(b)
		s := open(b, address)
		fillBy(b, s, 0, n, 1)
		if err := s.Settle(b.Context()); err != nil {
			b.Fatal(err)
		}
		conn := connect(b, address)
		if _, err := conn.Exec(b.Context(), `VACUUM`); err != nil {
			b.Fatal(err)
		}
		rows, _ := conn.Query(b.Context(), `SELECT relname::text, pg_total_relation_size(oid) FROM pg_class
			WHERE relnamespace = 'brenner'::regnamespace AND relkind = 'r'`)
		total, size, table := int64(0), int64(0), ""
		_, err := pgx.ForEachRow(rows, []any{&table, &size}, func() error {
			total += size
			b.ReportMetric(float64(size)/n, table+"-B/version")
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(total)/n, "B/version")
		b.ReportMetric(float64(total)/n/2048, "×content")
	}
}

// Reads at growing sizes; each also reports its time over that at the smallest
// size. BRENNER_BENCH_LARGE adds 100,000.
func BenchmarkRead(b *testing.B) {
	sizes := []int{1_000, 10_000}
	if os.Getenv("BRENNER_BENCH_LARGE") != "" {
		sizes = append(sizes, 100_000)
	}
	address := pgtest.Open(b)
	s := open(b, address)
	have := 0
	smallest := map[string]float64{}
	for _, size := range sizes {
		fill(b, s, have, size-have)
		have = size
		// As the server does by itself, a minute later.
		if _, err := connect(b, address).Exec(b.Context(), `VACUUM ANALYZE`); err != nil {
			b.Fatal(err)
		}
		for _, q := range questions(size) {
			b.Run(fmt.Sprintf("%s/%d", q.name, size), func(b *testing.B) {
				r := rand.New(rand.NewPCG(5, 6))
				for b.Loop() {
					if err := s.Read(b.Context(), func(rd store.Reader) error { return q.ask(b.Context(), rd, r) }); err != nil {
						b.Fatal(err)
					}
				}
				took := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				if size == sizes[0] {
					smallest[q.name] = took
				}
				b.ReportMetric(took/smallest[q.name], "×smallest")
			})
		}
	}
}

type question struct {
	name string
	ask  func(ctx context.Context, rd store.Reader, r *rand.Rand) error
}

func questions(size int) []question {
	some := func(r *rand.Rand) brenner.ArtifactID { return noteID(1 + r.IntN(size)) }
	return []question{
		{"point", func(ctx context.Context, rd store.Reader, r *rand.Rand) error {
			id := some(r)
			if _, err := rd.Artifact(ctx, id); err != nil {
				return err
			}
			v, err := rd.Version(ctx, brenner.Ref{Artifact: id, Version: 1})
			if err != nil {
				return err
			}
			_, err = rd.Blob(ctx, v.Content)
			return err
		}},
		{"list100", func(ctx context.Context, rd store.Reader, r *rand.Rand) error {
			_, err := rd.Artifacts(ctx, store.ArtifactQuery{Types: []brenner.TypeName{"paper_note"}, After: some(r), Limit: 100})
			return err
		}},
		{"recent100", func(ctx context.Context, rd store.Reader, r *rand.Rand) error {
			_, err := rd.Artifacts(ctx, store.ArtifactQuery{Modules: []brenner.Module{"genetics"}, Recent: true, Limit: 100})
			return err
		}},
		{"lineage10", func(ctx context.Context, rd store.Reader, r *rand.Rand) error {
			at := []brenner.Ref{{Artifact: noteID(size/2 + r.IntN(size/2)), Version: 1}}
			for range 10 {
				links, err := rd.LinksFrom(ctx, at)
				if err != nil || len(links) == 0 {
					return err
				}
				at = []brenner.Ref{links[0].To}
			}
			return nil
		}},
		{"search", func(ctx context.Context, rd store.Reader, r *rand.Rand) error {
			_, err := rd.Rank(ctx, store.RankQuery{Terms: retrieval.Question(vocabulary[500+r.IntN(5000)] + " " + vocabulary[500+r.IntN(5000)]), Limit: 20})
			return err
		}},
		{"forks", func(ctx context.Context, rd store.Reader, r *rand.Rand) error {
			_, err := rd.Leaves(ctx, "")
			return err
		}},
		{"outdated", func(ctx context.Context, rd store.Reader, r *rand.Rand) error {
			_, err := rd.OutdatedTargets(ctx)
			return err
		}},
		{"corrected", func(ctx context.Context, rd store.Reader, r *rand.Rand) error {
			_, err := rd.CorrectedTargets(ctx)
			return err
		}},
	}
}
