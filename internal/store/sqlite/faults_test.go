package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/internal/store"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, want brenner.Code, err error) {
	t.Helper()
	var e *brenner.Error
	if !errors.As(err, &e) || e.Code != want {
		t.Fatalf("error = %v, want %s", err, want)
	}
	if strings.Contains(e.Message, "locked") || strings.Contains(e.Message, "SQLITE") {
		t.Errorf("the message speaks of the database's insides: %s", e.Message)
	}
}

// create makes a store with one entry and gives its path.
func create(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "brenner.db")
	s, err := Open(context.Background(), path, Options{Create: true})
	must(t, err)
	must(t, writeMany(context.Background(), s, "first", 1, io.Discard))
	must(t, s.Close())
	return path
}

// rounds is how often a crash is tried; soaking tries more.
func rounds(t *testing.T, usual int) int {
	t.Helper()
	if os.Getenv("BRENNER_SOAK") != "" {
		return 1000
	}
	return usual
}

// X7, J1: a writer killed at any moment loses nothing it was told is written,
// and leaves nothing half written.
func TestKill_LosesNothingAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "brenner.db")
	var acked []string
	for round := range rounds(t, 10) {
		cmd := child("1000000", path, fmt.Sprint("round", round))
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		enough := rand.IntN(60)
		var kill sync.Once
		acknowledged(out, func(entry string) {
			acked = append(acked, entry)
			if enough--; enough < 0 {
				kill.Do(func() {
					time.AfterFunc(rand.N(3*time.Millisecond), func() { _ = cmd.Process.Kill() })
				})
			}
		})
		if err := cmd.Wait(); err == nil {
			t.Fatal("the writer ended by itself")
		}
		there := inspect(t, path)
		for _, entry := range acked {
			if !there[entry] {
				t.Fatalf("round %d: %s was acknowledged and is lost", round, entry)
			}
		}
	}
	if len(acked) == 0 {
		t.Fatal("nothing was written")
	}
}

// X7: several processes write one file; each write waits for the others.
func TestProcesses_WriteOneFile(t *testing.T) {
	const processes, writes = 4, 50
	path := filepath.Join(t.TempDir(), "brenner.db") // the first of them makes it
	var wg sync.WaitGroup
	var mu sync.Mutex
	var acked []string
	for p := range processes {
		cmd := child(strconv.Itoa(writes), path, fmt.Sprint("process", p))
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		wg.Go(func() {
			acknowledged(out, func(entry string) {
				mu.Lock()
				defer mu.Unlock()
				acked = append(acked, entry)
			})
			if err := cmd.Wait(); err != nil {
				t.Errorf("process %d: %v", p, err)
			}
		})
	}
	wg.Wait()
	there := inspect(t, path)
	if len(acked) != processes*writes || len(there) != len(acked) {
		t.Errorf("%d of %d writes acknowledged, %d there", len(acked), processes*writes, len(there))
	}
	for _, entry := range acked {
		if !there[entry] {
			t.Errorf("%s was acknowledged and is lost", entry)
		}
	}
}

// X7: a write that another process keeps out until its deadline is STORE_BUSY;
// reading goes on.
func TestProcesses_BusyAtTheDeadline(t *testing.T) {
	path := create(t)
	cmd := child("hold", path, "")
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if _, err := io.ReadAtLeast(out, make([]byte, 4), 4); err != nil {
		t.Fatal(err)
	}
	s, err := Open(context.Background(), path, Options{})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	wantCode(t, brenner.CodeStoreBusy, s.Write(ctx, func(store.Tx) error { t.Error("it ran"); return nil }))
	gone, leave := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, leave)
	wantCode(t, brenner.CodeCanceled, s.Write(gone, func(store.Tx) error { t.Error("it ran"); return nil }))
	must(t, s.Read(context.Background(), func(r store.Reader) error { _, err := r.Size(context.Background()); return err }))
	must(t, in.Close())
	must(t, writeMany(context.Background(), s, "second", 1, io.Discard))
	must(t, cmd.Wait())
}

// X7: writes that queue share a commit; one that is refused before it has written
// disturbs nobody.
func TestWrite_QueuedWritesShareACommit(t *testing.T) {
	opened, err := Open(context.Background(), "", Options{Scratch: true})
	must(t, err)
	s := opened.(*database)
	defer func() { must(t, s.Close()) }()
	const writers = 200
	ctx := context.Background()
	started, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		must(t, s.Write(ctx, func(store.Tx) error { close(started); <-release; return nil }))
	})
	<-started
	groups := map[*tail]int{} // the writers are alone while they touch it
	failed := errors.New("failed")
	for i := range writers {
		wg.Go(func() {
			err := s.Write(ctx, func(t store.Tx) error {
				if i%10 == 0 {
					return failed
				}
				if err := t.PutActor(ctx, store.Actor{Name: brenner.ActorName(fmt.Sprint("w", i))}); err != nil {
					return err
				}
				groups[t.(*tx).tail]++
				return nil
			})
			if (err != nil) != (i%10 == 0) {
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	for s.writers.inLine() < writers {
		runtime.Gosched()
	}
	close(release)
	wg.Wait()
	most := 0
	for _, n := range groups {
		most = max(most, n)
	}
	if len(groups) != 2 || most > brenner.MaxGroupCommit {
		t.Errorf("%d writes made %d commits, the largest of %d", writers, len(groups), most)
	}
	must(t, s.Read(ctx, func(r store.Reader) error {
		actors, err := r.Actors(ctx)
		if len(actors) != writers-writers/10 {
			t.Errorf("%d actors", len(actors))
		}
		return err
	}))
}

func (q *queue) inLine() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.line)
}

// A goroutine that ends inside a write takes nothing with it.
func TestWrite_SurvivesTheEndOfItsGoroutine(t *testing.T) {
	s, err := Open(context.Background(), "", Options{Scratch: true})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	ctx := context.Background()
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = s.Write(ctx, func(tx store.Tx) error {
			if err := writeEntry(ctx, tx, "gone"); err != nil {
				return err
			}
			runtime.Goexit()
			return nil
		})
	})
	wg.Wait()
	must(t, writeMany(ctx, s, "later", 3, io.Discard))
	must(t, s.Read(ctx, func(r store.Reader) error {
		n, err := r.Size(ctx)
		if n != 3 {
			t.Errorf("%d records, want 3", n)
		}
		return err
	}))
}

func TestOpen_NeedsAStoreOfOurs(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, data, 0o600))
		return path
	}
	foreign := filepath.Join(dir, "foreign.db")
	c, err := dial(foreign)
	must(t, err)
	must(t, c.do(ctx, "CREATE TABLE t (x)"))
	must(t, c.close())
	for _, c := range []struct {
		name, path string
		create     bool
		want       brenner.Code
	}{
		{"missing", filepath.Join(dir, "missing.db"), false, brenner.CodeNoProject},
		{"missing directory", filepath.Join(dir, "no", "such.db"), false, brenner.CodeNoProject},
		{"a directory", dir, false, brenner.CodeStoreUnavailable},
		{"a directory, to be made", dir, true, brenner.CodeStoreUnavailable},
		{"below a file", filepath.Join(foreign, "x.db"), true, brenner.CodeStoreUnavailable},
		{"not a database", file("text", bytes.Repeat([]byte("no database "), 1000)), false, brenner.CodeStoreUnavailable},
		{"somebody else's database", foreign, true, brenner.CodeStoreUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, _ := os.ReadFile(c.path)
			_, err := Open(ctx, c.path, Options{Create: c.create})
			wantCode(t, c.want, err)
			var e *brenner.Error
			if errors.As(err, &e); e.Hint == "" {
				t.Errorf("no hint with %v", err)
			}
			if after, _ := os.ReadFile(c.path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestOpen_MakesAFileForItsOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "a b?c#d%e.db")
	s, err := Open(context.Background(), path, Options{Create: true})
	must(t, err)
	must(t, writeMany(context.Background(), s, "x", 1, io.Discard))
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		must(t, err)
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", filepath.Base(name), info.Mode())
		}
	}
	must(t, s.Close())
	if left, _ := filepath.Glob(filepath.Dir(path) + "/*"); len(left) != 1 {
		t.Errorf("after Close there are %q", left)
	}
}

func TestOpen_ScratchLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s, err := Open(context.Background(), "never/used.db", Options{Scratch: true})
	must(t, err)
	must(t, writeMany(context.Background(), s, "x", 3, io.Discard))
	must(t, s.Close())
	if left, _ := filepath.Glob(os.TempDir() + "/*"); len(left) != 0 {
		t.Errorf("after Close there are %q", left)
	}
}

// Many open a store that is not there yet: one makes it, all can use it.
func TestOpen_ManyAtOnceMakeOneStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "brenner.db")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s, err := Open(context.Background(), path, Options{Create: true})
			if err != nil {
				t.Error(err)
				return
			}
			if err := writeMany(context.Background(), s, fmt.Sprint("opener", i), 4, io.Discard); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(inspect(t, path)); n != 32 {
		t.Errorf("%d entries, want 32", n)
	}
}

func TestOpen_RefusesANewerSchema(t *testing.T) {
	path := create(t)
	c, err := dial(path)
	must(t, err)
	must(t, c.do(context.Background(), fmt.Sprintf("PRAGMA user_version = %d", latest()+1)))
	must(t, c.close())
	for _, make := range []bool{false, true} {
		_, err = Open(context.Background(), path, Options{Create: make})
		wantCode(t, brenner.CodeStoreNewer, err)
	}
}

func TestOpen_BringsAnOlderSchemaUpToDate(t *testing.T) {
	path, ctx := filepath.Join(t.TempDir(), "old.db"), context.Background()
	c, err := dial(path)
	must(t, err)
	must(t, c.do(ctx, migrations()[0].SQL+fmt.Sprintf("; PRAGMA application_id = %d; PRAGMA user_version = 1", applicationID)))
	must(t, c.close())
	s, err := Open(ctx, path, Options{})
	must(t, err)
	must(t, s.Close())
	c, err = dial(path)
	must(t, err)
	have, err := version(ctx, c)
	must(t, err)
	indexes, err := c.number(ctx, "SELECT count(*) FROM sqlite_schema WHERE name IN ('canonical_by_id', 'decided_by_status')")
	must(t, err)
	must(t, c.close())
	if have != latest() || indexes != 2 {
		t.Errorf("schema %d with %d of the indexes, want %d with 2", have, indexes, latest())
	}
}

func TestOpen_DamageIsSaid(t *testing.T) {
	path := create(t)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	info, err := f.Stat()
	must(t, err)
	_, err = f.WriteAt(bytes.Repeat([]byte{0xa5}, int(info.Size())-pageSize), pageSize) // all but the first page
	must(t, err)
	must(t, f.Close())
	ctx := context.Background()
	s, err := Open(ctx, path, Options{})
	if err == nil {
		err = s.Read(ctx, func(r store.Reader) error { _, err := r.Records(ctx, 0, 0); return err })
		defer func() { _ = s.Close() }()
	}
	wantCode(t, brenner.CodeStoreUnavailable, err)
}

// A full disk refuses the write, keeps what was there, and takes writes again
// when there is room.
func TestWrite_FullDisk(t *testing.T) {
	path := create(t)
	ctx := context.Background()
	opened, err := Open(ctx, path, Options{})
	must(t, err)
	s := opened.(*database)
	inTurn(t, s, func(c *conn) {
		pages, err := c.number(ctx, "PRAGMA page_count")
		must(t, err)
		must(t, c.do(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", pages+20)))
	})
	written := 0
	for ; err == nil && written < 1000; written++ {
		err = writeMany(ctx, s, fmt.Sprint("fill", written), 4, io.Discard)
	}
	wantCode(t, brenner.CodeStoreFull, err)
	wantCode(t, brenner.CodeStoreFull, s.Write(ctx, func(tx store.Tx) error {
		return tx.PutBlob(ctx, store.DigestOf([32]byte{1}), make([]byte, 1<<20))
	}))
	inTurn(t, s, func(c *conn) { must(t, c.do(ctx, "PRAGMA max_page_count = 1000000")) })
	must(t, writeMany(ctx, s, "room", 4, io.Discard))
	must(t, s.Close())
	if there := inspect(t, path); !there["first.0"] || !there["room.3"] {
		t.Errorf("there are %v", there)
	}
}
