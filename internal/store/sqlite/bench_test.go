package sqlite

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/internal/store/fulltext"
	"brenner/retrieval"
)

// sample is one version as the ledger writes it: 2 KiB of content, its record,
// its row, the row of its artifact, a link, and about two hashes.
type sample struct {
	record   store.Record
	hashes   [][32]byte
	first    int64
	content  []byte
	digest   brenner.Digest
	artifact store.Artifact
	version  store.Version
	link     store.Link
	text     string
}

// vocabulary is what samples are written with; common words are frequent, as in
// a language.
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
		b.WriteString(vocabulary[int(float64(len(vocabulary))*r.Float64()*r.Float64()*r.Float64())])
		b.WriteByte(' ')
	}
	return b.String()[:size]
}

// samples makes n versions of n artifacts, the first being number from+1.
func samples(from, n int) []sample {
	r := rand.New(rand.NewPCG(uint64(from), 7))
	at := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	out := make([]sample, n)
	for i := range out {
		seq := from + i + 1
		text := prose(r, 2048)
		sum := sha256.Sum256([]byte(text))
		id := brenner.ArtifactID(fmt.Sprintf("note-%06d", seq))
		summary := prose(r, 120)
		s := sample{
			record:  store.Record{Seq: int64(seq), At: at, Actor: "ada", Kind: "artifact.create", Data: []byte(prose(r, 600))},
			content: []byte(text), digest: store.DigestOf(sum), text: summary + "\n" + text,
			artifact: store.Artifact{
				ID: id, Type: "paper_note", Module: "genetics", Creator: "ada", Created: at, Updated: at, Head: 1, Latest: 1,
				HeadStatus: artifact.Draft, Summary: summary, Tags: []string{"reading"}, Seq: int64(seq),
			},
			version: store.Version{
				Artifact: id, Version: 1, Status: artifact.Draft, Summary: summary, Format: artifact.Text, Content: store.DigestOf(sum),
				Size: 2048, What: "first note", Why: "read the paper", Creator: "ada", Role: "reader", Created: at, Tags: []string{"reading"}, Seq: int64(seq),
			},
			first: int64(2 * (seq - 1)), hashes: [][32]byte{sum, sha256.Sum256(sum[:])},
		}
		s.link = store.Link{From: s.version.Ref(), Rel: artifact.Cites, To: s.version.Ref(), Seq: int64(seq)}
		if seq > 1 {
			s.link.To = brenner.Ref{Artifact: brenner.ArtifactID(fmt.Sprintf("note-%06d", seq/2)), Version: 1}
		}
		out[i] = s
	}
	return out
}

func (s *sample) write(ctx context.Context, tx store.Tx) error {
	tx.RefuseLate() // as the service does
	for _, step := range []func() error{
		func() error { return tx.AppendRecord(ctx, s.record) },
		func() error { return tx.PutHashes(ctx, s.first, s.hashes) },
		func() error { return tx.PutBlob(ctx, s.digest, s.content) },
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

// bareTables take the same bytes without any promise: no index, no constraint,
// no text to search.
const bareTables = `
	CREATE TABLE records (seq INTEGER PRIMARY KEY, at, actor, kind, data);
	CREATE TABLE hashes (first INTEGER PRIMARY KEY, run);
	CREATE TABLE blobs (key INTEGER PRIMARY KEY, digest, data);
	CREATE TABLE artifacts (key INTEGER PRIMARY KEY, id, type, module, creator, created, updated, head, latest, canonical, head_status, seq, tags, summary, size);
	CREATE TABLE artifact_tags (tag, artifact);
	CREATE TABLE versions (key INTEGER PRIMARY KEY, artifact, parent, status, slot, format, content, size, creator, role, created, task, invocation, seq, tags, summary, what, why, demoted);
	CREATE TABLE links (src, rel, dst, seq);
	CREATE TABLE index_notes (artifact INTEGER PRIMARY KEY, versions);`

// writeRaw inserts the rows of a sample as they are, nothing asked and nothing
// checked.
func (s *sample) writeRaw(c *conn) error {
	a, v, l := s.artifact, s.version, s.link
	content, err := store.Sum(s.digest)
	if err != nil {
		return err
	}
	var from, to int64
	if _, err := fmt.Sscanf(string(l.From.Artifact)+" "+string(l.To.Artifact), "note-%d note-%d", &from, &to); err != nil {
		return err
	}
	for _, row := range []struct {
		sql  string
		args []any
	}{
		{"INSERT INTO records VALUES (?, ?, ?, ?, ?)", []any{s.record.Seq, micros(s.record.At), string(s.record.Actor), s.record.Kind, s.record.Data}},
		{"INSERT INTO hashes VALUES (?, ?)", []any{s.first, append(s.hashes[0][:], s.hashes[1][:]...)}},
		{"INSERT INTO blobs VALUES (?, ?, ?)", []any{a.Seq, content[:], s.content}},
		{"INSERT INTO artifacts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", []any{
			a.Seq, string(a.ID), string(a.Type), string(a.Module), string(a.Creator), micros(a.Created), micros(a.Updated), int64(a.Head),
			int64(a.Latest), int64(a.Canonical), string(a.HeadStatus), a.Seq, joined(a.Tags), a.Summary, a.Size,
		}},
		{"INSERT INTO artifact_tags VALUES (?, ?)", []any{a.Tags[0], a.Seq}},
		{"INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)", []any{
			versionKey(a.Seq, 1), a.Seq, int64(v.Parent), string(v.Status), v.Slot, string(v.Format), content[:], v.Size, string(v.Creator),
			string(v.Role), micros(v.Created), v.Task, v.Invocation, v.Seq, joined(v.Tags), v.Summary, v.What, v.Why,
		}},
		{"INSERT INTO links VALUES (?, ?, ?, ?)", []any{versionKey(from, 1), string(l.Rel), versionKey(to, 1), l.Seq}},
		{"INSERT INTO index_notes VALUES (?, ?)", []any{a.Seq, fulltext.Encode([]store.Indexed{{Version: 1}})}},
	} {
		if err := c.do(context.Background(), row.sql, row.args...); err != nil {
			return err
		}
	}
	return nil
}

func openStore(b *testing.B) *database {
	b.Helper()
	s, err := Open(context.Background(), filepath.Join(b.TempDir(), "brenner.db"), Options{Create: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s.(*database)
}

// openRaw opens a file with the settings of the store and these tables.
func openRaw(b *testing.B, tables string) *conn {
	b.Helper()
	c, err := dial(filepath.Join(b.TempDir(), "raw.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.close() })
	for _, set := range slices.Concat([]string{fmt.Sprintf("PRAGMA page_size = %d", pageSize), "PRAGMA journal_mode = WAL"}, writerSettings, []string{tables}) {
		if err := c.do(context.Background(), set); err != nil {
			b.Fatal(err)
		}
	}
	return c
}

// schemaOf is what migrations make, one after the other.
func schemaOf(all []store.Migration) string {
	var b strings.Builder
	for _, m := range all {
		b.WriteString(m.SQL + "\n")
	}
	return b.String()
}

// compare writes chunk after chunk three times: raw into bare tables, raw into
// the store's own tables with their indexes and constraints, and through the
// store; and reports how many times as fast as either the store is.
func compare(b *testing.B, chunk, group int, stored func(s *database, some []sample) error) {
	s, bare, same := openStore(b), openRaw(b, bareTables), openRaw(b, schemaOf(migrations()))
	var inBare, inSame, inStore time.Duration
	clock := func(total *time.Duration, run func() error) {
		start := time.Now()
		if err := run(); err != nil {
			b.Fatal(err)
		}
		*total += time.Since(start)
	}
	b.ResetTimer()
	b.StopTimer()
	for done := 0; done < b.N; {
		some := samples(done, min(chunk, b.N-done))
		clock(&inBare, func() error { return rawGroups(bare, some, group) })
		clock(&inSame, func() error { return rawGroups(same, some, group) })
		b.StartTimer()
		clock(&inStore, func() error { return stored(s, some) })
		b.StopTimer()
		if group > 1 {
			if err := s.Settle(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
		done += len(some)
	}
	b.ReportMetric(float64(inBare.Nanoseconds())/float64(b.N), "raw-bare-ns/op")
	b.ReportMetric(float64(inSame.Nanoseconds())/float64(b.N), "raw-same-ns/op")
	b.ReportMetric(inBare.Seconds()/inStore.Seconds(), "×bare")
	b.ReportMetric(inSame.Seconds()/inStore.Seconds(), "×same")
}

// Durable single writes, one commit each, against raw inserts, one commit each.
func BenchmarkWrite_Single(b *testing.B) {
	compare(b, 50, 1, func(s *database, some []sample) error {
		ctx := context.Background()
		for i := range some {
			if err := s.Write(ctx, func(tx store.Tx) error { return some[i].write(ctx, tx) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// burst is how many writes of a group are measured at a time. They leave their texts to be
// indexed behind them, which is done before the rows of the next are measured.
const burst = 4096

// Writes of 64 goroutines that share commits, against raw inserts with 64 to a
// commit.
func BenchmarkWrite_Group(b *testing.B) {
	const writers = 64
	compare(b, burst, writers, func(s *database, some []sample) error {
		var mu sync.Mutex
		var failed error
		next := 0
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				ctx := context.Background()
				for {
					err := s.Write(ctx, func(tx store.Tx) error {
						if next >= len(some) { // next is the writers' own: they are alone here
							return errEnough
						}
						next++
						return some[next-1].write(ctx, tx)
					})
					if err == nil {
						continue
					}
					if !errors.Is(err, errEnough) {
						mu.Lock()
						failed = err
						mu.Unlock()
					}
					return
				}
			})
		}
		wg.Wait()
		return failed
	})
}

func rawGroups(c *conn, some []sample, size int) error {
	ctx := context.Background()
	for i := range some {
		if i%size == 0 {
			if err := c.do(ctx, "BEGIN IMMEDIATE"); err != nil {
				return err
			}
		}
		if err := some[i].writeRaw(c); err != nil {
			return err
		}
		if i%size == size-1 || i == len(some)-1 {
			if err := c.do(ctx, "COMMIT"); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill writes n samples with few commits.
func fill(tb testing.TB, s *database, from, n int) {
	tb.Helper()
	ctx := context.Background()
	for done := 0; done < n; {
		some := samples(from+done, min(500, n-done))
		if err := s.Write(ctx, func(tx store.Tx) error {
			for i := range some {
				if err := some[i].write(ctx, tx); err != nil {
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

// What a version of 2 KiB takes on disk, everything included, the text indexed: the median of
// seven files, and the largest. The index is merged beside the writers, which leaves more or
// fewer pages free, to be used again.
func BenchmarkDisk(b *testing.B) {
	const n = 4000
	var sizes []float64
	for b.Loop() { // nothing is timed
	}
	for range 7 {
		path := filepath.Join(b.TempDir(), "brenner.db")
		opened, err := Open(context.Background(), path, Options{Create: true})
		if err != nil {
			b.Fatal(err)
		}
		s := opened.(*database)
		fill(b, s, 0, n)
		if err := s.Settle(context.Background()); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		sizes = append(sizes, float64(info.Size())/n)
	}
	slices.Sort(sizes)
	b.ReportMetric(sizes[len(sizes)/2], "B/version")
	b.ReportMetric(sizes[len(sizes)/2]/2048, "×content")
	b.ReportMetric(sizes[len(sizes)-1], "B-most")
}

// What it costs later to make a text findable, in the batches it is done in.
func BenchmarkIndex(b *testing.B) {
	s := openStore(b)
	const n = 1024
	texts := 0
	for b.Loop() {
		b.StopTimer()
		fill(b, s, texts, n)
		texts += n
		b.StartTimer()
		if err := s.Settle(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(texts), "ns/text")
}

// Reads at growing sizes; each size also reports its time over the smallest's.
func BenchmarkRead(b *testing.B) {
	sizes := []int{1_000, 10_000}
	if os.Getenv("BRENNER_BENCH_LARGE") != "" {
		sizes = append(sizes, 100_000)
	}
	s := openStore(b)
	have := 0
	smallest := map[string]float64{}
	for _, size := range sizes {
		fill(b, s, have, size-have)
		if err := s.Settle(context.Background()); err != nil {
			b.Fatal(err)
		}
		have = size
		for _, q := range readers(size) {
			b.Run(fmt.Sprintf("%s/%d", q.name, size), func(b *testing.B) {
				ctx := context.Background()
				r := rand.New(rand.NewPCG(5, 6))
				for b.Loop() {
					if err := s.Read(ctx, func(rd store.Reader) error { return q.ask(ctx, rd, r) }); err != nil {
						b.Fatal(err)
					}
				}
				took := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				if smallest[q.name] == 0 || size == sizes[0] {
					smallest[q.name] = took
				}
				b.ReportMetric(took/smallest[q.name], "×smallest")
			})
		}
	}
}

type readBench struct {
	name string
	ask  func(ctx context.Context, rd store.Reader, r *rand.Rand) error
}

func readers(size int) []readBench {
	any := func(r *rand.Rand) brenner.ArtifactID {
		return brenner.ArtifactID(fmt.Sprintf("note-%06d", 1+r.IntN(size)))
	}
	return []readBench{
		{"point", func(ctx context.Context, rd store.Reader, r *rand.Rand) error {
			id := any(r)
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
			_, err := rd.Artifacts(ctx, store.ArtifactQuery{Types: []brenner.TypeName{"paper_note"}, After: any(r), Limit: 100})
			return err
		}},
		{"recent100", func(ctx context.Context, rd store.Reader, r *rand.Rand) error {
			_, err := rd.Artifacts(ctx, store.ArtifactQuery{Modules: []brenner.Module{"genetics"}, Recent: true, Limit: 100})
			return err
		}},
		{"lineage10", func(ctx context.Context, rd store.Reader, r *rand.Rand) error {
			at := []brenner.Ref{{Artifact: brenner.ArtifactID(fmt.Sprintf("note-%06d", size/2+r.IntN(size/2))), Version: 1}}
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
	}
}
