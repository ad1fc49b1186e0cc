package sqlite

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/artifact"
	"brenner/internal/store"
	"brenner/retrieval"
)

// Tests that need another process run this test binary again with a job in the
// environment.
const (
	jobVariable  = "BRENNER_SQLITE_TEST_JOB"
	pathVariable = "BRENNER_SQLITE_TEST_PATH"
	nameVariable = "BRENNER_SQLITE_TEST_NAME"
)

func TestMain(m *testing.M) {
	if job := os.Getenv(jobVariable); job != "" {
		if err := work(job, os.Getenv(pathVariable), os.Getenv(nameVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child prepares another process for a job.
func child(job, path, name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), jobVariable+"="+job, pathVariable+"="+path, nameVariable+"="+name)
	cmd.Stderr = os.Stderr
	return cmd
}

// work does the job of a child. A job that is a number writes so many times.
func work(job, path, name string) error {
	ctx := context.Background()
	s, err := Open(ctx, path, Options{Create: job != "read"})
	if err != nil {
		if job == "read" {
			fmt.Println("open", brenner.CodeOf(err))
			return nil
		}
		return err
	}
	defer func() { _ = s.Close() }()
	switch job {
	case "hold": // the writer, until the parent closes our input
		return s.Write(ctx, func(store.Tx) error {
			fmt.Println("held")
			_, err := io.Copy(io.Discard, os.Stdin)
			return err
		})
	case "read":
		err := s.Read(ctx, func(r store.Reader) error { _, err := r.Records(ctx, 0, 0); return err })
		fmt.Println("read", brenner.CodeOf(err))
		err = s.Read(ctx, func(r store.Reader) error {
			hits, err := r.Rank(ctx, store.RankQuery{Terms: retrieval.Question("entry")})
			fmt.Println("found", len(hits.Hits), brenner.CodeOf(err))
			return nil
		})
		if err != nil {
			return err
		}
		fmt.Println("write", brenner.CodeOf(s.Write(ctx, func(tx store.Tx) error { return writeEntry(ctx, tx, "x") })))
		return nil
	}
	times, err := strconv.Atoi(job)
	if err != nil {
		return err
	}
	return writeMany(ctx, s, name, times, os.Stdout)
}

// writeMany writes so many entries from a few goroutines and says which of them
// were acknowledged.
func writeMany(ctx context.Context, s store.Store, name string, times int, out io.Writer) error {
	const writers = 4
	var mu sync.Mutex
	var failed error
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := w; i < times; i += writers {
				entry := fmt.Sprintf("%s.%d", name, i)
				err := s.Write(ctx, func(tx store.Tx) error { return writeEntry(ctx, tx, entry) })
				mu.Lock()
				if err != nil {
					failed = err
				} else {
					fmt.Fprintln(out, entry)
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return failed
}

// writeEntry writes one thing to every table a version touches, so that half of
// it would show.
func writeEntry(ctx context.Context, tx store.Tx, name string) error {
	n, err := tx.Size(ctx)
	if err != nil {
		return err
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	id := brenner.ArtifactID(name)
	sum := sha256.Sum256([]byte(name))
	ref := brenner.Ref{Artifact: id, Version: 1}
	for _, step := range []func() error{
		func() error {
			return tx.AppendRecord(ctx, store.Record{Seq: n + 1, At: at, Actor: "ada", Kind: name, Data: []byte(name)})
		},
		func() error { return tx.PutHashes(ctx, n, [][32]byte{sum}) },
		func() error { return tx.PutBlob(ctx, store.DigestOf(sum), []byte(name)) },
		func() error {
			return tx.PutArtifact(ctx, store.Artifact{ID: id, Created: at, Updated: at, Tags: []string{"t"}, Seq: n + 1})
		},
		func() error {
			return tx.InsertVersion(ctx, store.Version{Artifact: id, Version: 1, Status: artifact.Draft, Summary: "entry", Content: store.DigestOf(sum), Created: at, Seq: n + 1})
		},
		func() error {
			return tx.InsertLink(ctx, store.Link{From: ref, Rel: artifact.Cites, To: ref, Seq: n + 1})
		},
		func() error { return tx.Index(ctx, id, []store.Indexed{{Version: 1}}) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// acknowledged reads the lines of a child until it ends.
func acknowledged(r io.Reader, each func(string)) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		each(lines.Text())
	}
}

// inTurn uses the writing connection while nobody else does: the log is folded
// and texts are indexed on it without being asked.
func inTurn(t *testing.T, s *database, use func(c *conn)) {
	t.Helper()
	must(t, s.writers.enter(t.Context()))
	defer s.writers.pass()
	use(s.writers.conn)
}

// inspect checks that nothing is half written and gives the entries that are
// there.
func inspect(t *testing.T, path string) map[string]bool {
	t.Helper()
	ctx := context.Background()
	opened, err := Open(ctx, path, Options{})
	if err != nil {
		t.Fatalf("Open after a crash: %v", err)
	}
	s := opened.(*database)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	inTurn(t, s, func(c *conn) {
		if _, err := c.one(ctx, func(r row) {
			if r.text(0) != "ok" {
				t.Errorf("integrity: %s", r.text(0))
			}
		}, "PRAGMA integrity_check"); err != nil {
			t.Fatal(err)
		}
		if dangling, err := c.one(ctx, func(row) {}, "PRAGMA foreign_key_check"); err != nil || dangling {
			t.Errorf("foreign keys: %v, %v", dangling, err)
		}
	})
	there := map[string]bool{}
	if err := s.Read(ctx, func(r store.Reader) error {
		records, err := r.Records(ctx, 0, 0)
		if err != nil {
			return err
		}
		for i, rec := range records {
			if rec.Seq != int64(i+1) {
				t.Fatalf("record %d has seq %d", i+1, rec.Seq)
			}
			there[rec.Kind] = true
			sum := sha256.Sum256([]byte(rec.Kind))
			v, err := r.Version(ctx, brenner.Ref{Artifact: brenner.ArtifactID(rec.Kind), Version: 1})
			if err != nil || v.Seq != rec.Seq {
				t.Errorf("the version of record %d: %+v, %v", rec.Seq, v, err)
			}
			if data, err := r.Blob(ctx, v.Content); err != nil || string(data) != rec.Kind {
				t.Errorf("the content of record %d: %q, %v", rec.Seq, data, err)
			}
			if hashes, err := r.Hashes(ctx, []int64{rec.Seq - 1}); err != nil || hashes[0] != sum {
				t.Errorf("the hash of record %d: %x, %v", rec.Seq, hashes, err)
			}
		}
		for table, sql := range map[string]string{
			"versions": "SELECT count(*) FROM versions", "links": "SELECT count(*) FROM links", "blobs": "SELECT count(*) FROM blobs",
			"tags": "SELECT count(*) FROM artifact_tags", "artifacts": "SELECT count(*) FROM artifacts",
		} {
			if n, err := r.(*reader).c.number(ctx, sql); err != nil || n != int64(len(records)) {
				t.Errorf("%d records, %d %s (%v)", len(records), n, table, err)
			}
		}
		hits, err := r.Rank(ctx, store.RankQuery{Terms: retrieval.Question("entry")})
		if len(hits.Hits) != len(records) {
			t.Errorf("%d records, %d found by their text", len(records), len(hits.Hits))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return there
}
