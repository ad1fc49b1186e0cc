package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"brenner"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/retrieval"
)

// note appends one record.
func note(ctx context.Context, tx store.Tx, kind string) error {
	n, err := tx.Size(ctx)
	if err != nil {
		return err
	}
	return tx.AppendRecord(ctx, store.Record{Seq: n + 1, At: day, Actor: "ada", Kind: kind, Data: []byte("{}")})
}

// kinds lists the kinds of all records, and fails on a gap.
func kinds(t *testing.T, s store.Store) []string {
	t.Helper()
	var out []string
	if err := s.Read(t.Context(), func(r store.Reader) error {
		records, err := r.Records(t.Context(), 0, 0)
		for i, rec := range records {
			if rec.Seq != int64(i+1) {
				t.Errorf("record %d has seq %d", i+1, rec.Seq)
			}
			out = append(out, rec.Kind)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// queued starts n writes while the writer is occupied, so that they share a
// transaction, and gives how each ended.
func queued(t *testing.T, s store.Store, n int, fn func(ctx context.Context, tx store.Tx, i int) error) []error {
	t.Helper()
	var wg sync.WaitGroup
	started, release := make(chan bool, 8), make(chan bool)
	wg.Go(func() {
		_ = s.Write(context.Background(), func(store.Tx) error {
			started <- true
			<-release
			return nil
		})
	})
	<-started
	ended := make([]error, n)
	for i := range n {
		wg.Go(func() {
			ctx := context.Background()
			ended[i] = s.Write(ctx, func(tx store.Tx) error { return fn(ctx, tx, i) })
		})
	}
	time.Sleep(20 * time.Millisecond) // for them to queue; only the path depends on it
	close(release)
	wg.Wait()
	return ended
}

// terminate ends every other connection to the database.
func terminate(t testing.TB, address string) {
	t.Helper()
	if _, err := connect(t, address).Exec(context.Background(),
		`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
		t.Error(err)
	}
}

// X7: any number of processes may write one project.
func TestWrite_SeveralServersKeepTheJournalGapless(t *testing.T) {
	const servers, writers, each = 4, 4, 15
	address := pgtest.Open(t)
	var wg sync.WaitGroup
	for i := range servers {
		s := open(t, project(address, "p"))
		for j := range writers {
			wg.Go(func() {
				ctx := context.Background()
				for k := range each {
					if err := s.Write(ctx, func(tx store.Tx) error { return note(ctx, tx, fmt.Sprintf("%d.%d.%d", i, j, k)) }); err != nil {
						t.Errorf("server %d: %v", i, err)
					}
				}
			})
		}
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, k := range kinds(t, open(t, project(address, "p"))) {
		seen[k] = true
	}
	if len(seen) != servers*writers*each {
		t.Errorf("%d of %d writes are there", len(seen), servers*writers*each)
	}
}

func TestProjects_DoNotSeeEachOther(t *testing.T) {
	address := pgtest.Open(t)
	a, b := open(t, project(address, "a")), open(t, project(address, "b"))
	ctx := t.Context()
	if err := a.Write(ctx, func(tx store.Tx) error {
		sample := samples(0, 1)[0]
		return errors.Join(tx.Init(ctx, store.Project{ID: "a", Name: "A", At: day}), sample.write(ctx, tx),
			tx.PutVectors(ctx, "m", map[string][]float32{"v": {1}}))
	}); err != nil {
		t.Fatal(err)
	}
	if err := b.Read(ctx, func(r store.Reader) error {
		_, err := r.Project(ctx)
		wantCode(t, brenner.CodeNoProject, err)
		size, err1 := r.Size(ctx)
		hits, err2 := r.Rank(ctx, store.RankQuery{Terms: retrieval.Question(string(samples(0, 1)[0].content))})
		vectors, err3 := r.Vectors(ctx, "m", []string{"v"})
		rows := 0
		var err4 error
		for _, table := range store.Tables() {
			err4 = errors.Join(err4, r.Each(ctx, table, func(any) error { rows++; return nil }))
		}
		err5 := r.EachBlob(ctx, func(brenner.Digest, []byte) error { rows++; return nil })
		if size != 0 || len(hits.Hits) != 0 || len(vectors) != 0 || rows != 0 {
			t.Errorf("b sees %d records, %d hits, %d vectors and %d rows of a", size, len(hits.Hits), len(vectors), rows)
		}
		return errors.Join(err1, err2, err3, err4, err5)
	}); err != nil {
		t.Fatal(err)
	}
	if err := b.Write(ctx, func(tx store.Tx) error { return errors.Join(note(ctx, tx, "b"), tx.Reset(ctx)) }); err != nil {
		t.Fatal(err)
	}
	if n := len(kinds(t, a)); n != 1 {
		t.Errorf("a has %d records after b was written", n)
	}
}

func TestWrite_LostConnectionLeavesNothing(t *testing.T) {
	address := pgtest.Open(t)
	s := open(t, address)
	ctx := t.Context()
	err := s.Write(ctx, func(tx store.Tx) error {
		if err := note(ctx, tx, "lost"); err != nil {
			return err
		}
		if _, err := tx.Actors(ctx); err != nil { // sends the record
			return err
		}
		terminate(t, address)
		_, err := tx.Actors(ctx)
		return err
	})
	wantCode(t, brenner.CodeStoreUnavailable, err)
	if err := s.Write(ctx, func(tx store.Tx) error { return note(ctx, tx, "kept") }); err != nil {
		t.Fatalf("after the loss: %v", err)
	}
	if got := kinds(t, s); len(got) != 1 || got[0] != "kept" {
		t.Errorf("the journal has %v", got)
	}
}

func TestWrite_LostConnectionBeforeTheCommitIsNeverSuccess(t *testing.T) {
	address := pgtest.Open(t)
	s := open(t, address)
	const n = 8
	for i, err := range queued(t, s, n, func(ctx context.Context, tx store.Tx, i int) error {
		if err := note(ctx, tx, fmt.Sprint(i)); err != nil || i != 5 {
			return err
		}
		terminate(t, address)
		return nil
	}) {
		there := strings.Contains(" "+strings.Join(kinds(t, s), " ")+" ", fmt.Sprintf(" %d ", i))
		if (err == nil) != there {
			t.Errorf("write %d: %v, and it is there: %v", i, err, there)
		}
		if err != nil {
			wantCode(t, brenner.CodeStoreUnavailable, err)
		}
	}
}

func TestWrite_ConnectionLostWhileIdleIsReplaced(t *testing.T) {
	address := pgtest.Open(t)
	s := open(t, address)
	for i := range 3 {
		if err := s.Write(t.Context(), func(tx store.Tx) error { return note(t.Context(), tx, fmt.Sprint(i)) }); err != nil {
			t.Fatalf("write %d: %v", i, err)
		}
		terminate(t, address)
	}
}

// A commit that happened but whose acknowledgement got lost.
func TestWrite_UnacknowledgedCommitIsNotSuccess(t *testing.T) {
	address := pgtest.Open(t)
	proxied, wire := proxy(t, address)
	s := open(t, proxied)
	ctx := t.Context()
	if err := s.Write(ctx, func(tx store.Tx) error { return note(ctx, tx, "before") }); err != nil {
		t.Fatal(err)
	}
	wire.cut.Store(true)
	err := s.Write(ctx, func(tx store.Tx) error { return note(ctx, tx, "cut") })
	wantCode(t, brenner.CodeStoreUnavailable, err)
	var e *brenner.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint, "idempotency key") {
		t.Errorf("%v does not say what to do", err)
	}
	wire.cut.Store(false)
	if err := s.Write(ctx, func(tx store.Tx) error { return note(ctx, tx, "after") }); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(kinds(t, s)); got != "[before cut after]" {
		t.Errorf("the journal has %s: the test did not lose an acknowledgement", got)
	}
}

// wire is what goes between the store and the server.
type wire struct {
	cut   atomic.Bool // the connection, instead of passing on that a commit was done
	mu    sync.Mutex
	lines []*atomic.Int64 // ways there and back, of each connection
}

// busiest is how many ways went over the connection that most went over: that of
// the writer, where others only announce and index behind it.
func (w *wire) busiest() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	most := int64(0)
	for _, ways := range w.lines {
		most = max(most, ways.Load())
	}
	return most
}

// proxy stands before the server.
func proxy(t *testing.T, address string) (proxied string, w *wire) {
	t.Helper()
	u := mustParse(t, address)
	q := u.Query()
	if q.Get("host") == "" {
		t.Skipf("skipped: %s is not on a Unix socket", u.Host)
	}
	upstream, dir := filepath.Join(q.Get("host"), ".s.PGSQL.5432"), t.TempDir()
	listener, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	w = new(wire)
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", upstream)
			if err != nil {
				client.Close()
				continue
			}
			ways := new(atomic.Int64)
			w.mu.Lock()
			w.lines = append(w.lines, ways)
			w.mu.Unlock()
			go func() { io.Copy(server, client); server.Close() }()
			go func() {
				defer client.Close()
				defer server.Close()
				for buf := make([]byte, 1<<16); ; {
					n, err := server.Read(buf)
					ways.Add(int64(bytes.Count(buf[:n], readyForQuery)))
					if err != nil || w.cut.Load() && bytes.Contains(buf[:n], []byte("COMMIT\x00")) {
						return
					}
					if _, err := client.Write(buf[:n]); err != nil {
						return
					}
				}
			}()
		}
	}()
	q.Set("host", dir)
	u.RawQuery = q.Encode()
	return (&url.URL{Scheme: u.Scheme, User: u.User, Path: u.Path, RawQuery: u.RawQuery}).String(), w
}

// readyForQuery is how the server ends an answer.
var readyForQuery = []byte{'Z', 0, 0, 0, 5}

// What is refused late costs no way to the server and back of its own, alone or
// among others.
func TestWrite_WaysToTheServer(t *testing.T) {
	proxied, wire := proxy(t, pgtest.Open(t))
	s := open(t, proxied)
	const warm, n = 40, 40
	some := samples(0, warm+2*n)
	write := func(ctx context.Context, tx store.Tx, i int) error { return some[i].write(ctx, tx) }
	for i := range warm {
		if err := s.Write(t.Context(), func(tx store.Tx) error { return write(t.Context(), tx, i) }); err != nil {
			t.Fatal(err)
		}
	}
	before := wire.busiest()
	for i := range n {
		if err := s.Write(t.Context(), func(tx store.Tx) error { return write(t.Context(), tx, warm+i) }); err != nil {
			t.Fatal(err)
		}
	}
	if ways := wire.busiest() - before; ways > n {
		t.Errorf("%d writes went %d times to the server and back", n, ways)
	}
	before, next := wire.busiest(), warm+n
	for i, err := range queued(t, s, n, func(ctx context.Context, tx store.Tx, _ int) error {
		next++
		return write(ctx, tx, next-1)
	}) {
		if err != nil {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if ways := wire.busiest() - before; ways > n/4 {
		t.Errorf("%d writes at once went %d times to the server and back", n, ways)
	}
}

// Who wrote last runs its writes before it has the lock: what others wrote
// meanwhile is seen to.
func TestWrite_WhatIsPresumedIsSeenTo(t *testing.T) {
	address := pgtest.Open(t)
	a, b := open(t, project(address, "p")), open(t, project(address, "p"))
	ctx := t.Context()
	write := func(s store.Store, kind string) {
		t.Helper()
		if err := s.Write(ctx, func(tx store.Tx) error { return note(ctx, tx, kind) }); err != nil {
			t.Fatal(err)
		}
	}
	settled := func(s store.Store) { // from now on it presumes
		for range 4 {
			write(s, "a")
		}
	}
	size := func(r store.Reader) int64 { n, _ := r.Size(ctx); return n }

	settled(a)
	write(b, "b")
	runs := 0
	if err := a.Write(ctx, func(tx store.Tx) error { runs++; return note(ctx, tx, "behind b") }); err != nil || runs != 2 {
		t.Errorf("a write after %d runs: %v", runs, err)
	}

	settled(a)
	write(b, "b")
	var found []int64
	err := a.Write(ctx, func(tx store.Tx) error { found = append(found, size(tx)); return errEnough })
	if !errors.Is(err, errEnough) || len(found) != 2 || found[1] != found[0]+1 {
		t.Errorf("a write that was given up found %v, and ended with %v", found, err)
	}

	settled(a)
	write(b, "b")
	asked := 0
	if err := a.Write(ctx, func(tx store.Tx) error {
		_, err := tx.Actor(ctx, "nobody")
		if brenner.CodeOf(err) == brenner.CodeNotFound { // the answer holds
			asked++
			err = nil
		}
		return errors.Join(err, note(ctx, tx, "asked"))
	}); err != nil || asked != 1 {
		t.Errorf("a write that asks got %d answers: %v", asked, err)
	}

	settled(a)
	other := connect(t, address)
	if _, err := other.Exec(ctx, `BEGIN; SELECT FROM brenner.projects FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
	defer stop()
	wantCode(t, brenner.CodeStoreBusy, a.Write(short, func(tx store.Tx) error { return note(ctx, tx, "late") }))
	ended := make(chan error, 1)
	go func() { ended <- a.Write(ctx, func(tx store.Tx) error { return note(ctx, tx, "patient") }) }()
	if _, err := other.Exec(ctx, `COMMIT`); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := strings.Join(kinds(t, a), ","); got != "a,a,a,a,b,behind b,a,a,a,a,b,a,a,a,a,b,asked,a,a,a,a,patient" {
		t.Errorf("the journal has %s", got)
	}
}

// What fails for its own reasons, unforeseen by the store, fails alone.
func TestWrite_FaultOfOneNeverUndoesAnother(t *testing.T) {
	s := open(t, pgtest.Open(t))
	var id strings.Builder // too long for an index, and not to be compressed
	for i := range 3000 {
		fmt.Fprintf(&id, "%x", (i*i*7919)%4093)
	}
	const n = 9
	ended := queued(t, s, n, func(ctx context.Context, tx store.Tx, i int) error {
		if err := note(ctx, tx, fmt.Sprint(i)); err != nil || i%4 != 1 {
			return err
		}
		return tx.PutObject(ctx, store.Object{Kind: "k", ID: id.String()})
	})
	there := " " + strings.Join(kinds(t, s), " ") + " "
	for i, err := range ended {
		if (err != nil) != (i%4 == 1) {
			t.Errorf("write %d: %v", i, err)
		}
		if strings.Contains(there, fmt.Sprintf(" %d ", i)) != (i%4 != 1) {
			t.Errorf("write %d: the journal has%s", i, there)
		}
	}
}

func TestPutArtifact_NumberThatCannotBeIsRefused(t *testing.T) {
	s := open(t, pgtest.Open(t))
	for _, a := range []store.Artifact{{ID: "a", Head: 1 << 40}, {ID: "a", Latest: -1}, {ID: "a", Canonical: brenner.MaxVersions + 1}} {
		wantCode(t, brenner.CodeInvalidValue, s.Write(t.Context(), func(tx store.Tx) error { return tx.PutArtifact(t.Context(), a) }))
	}
}

// A refusal that is seen in the middle of a write takes back that write alone.
func TestWrite_RefusalInTheMiddleTakesBackThatWriteAlone(t *testing.T) {
	s := open(t, pgtest.Open(t))
	const n = 12
	ended := queued(t, s, n, func(ctx context.Context, tx store.Tx, i int) error {
		if err := note(ctx, tx, fmt.Sprint(i)); err != nil {
			return err
		}
		if _, err := tx.Actors(ctx); err != nil { // sends what is held
			return err
		}
		switch i % 3 {
		case 1:
			return tx.PutRequest(ctx, store.Request{Actor: "ada", Key: "the same", Digest: digest})
		case 2:
			return errEnough
		}
		return nil
	})
	refused, there := 0, " "+strings.Join(kinds(t, s), " ")+" "
	for i, err := range ended {
		switch {
		case i%3 == 1 && err != nil:
			refused++
			wantCode(t, brenner.CodeAlreadyExists, err)
		case i%3 == 2 && !errors.Is(err, errEnough), i%3 == 0 && err != nil:
			t.Errorf("write %d: %v", i, err)
		}
		if strings.Contains(there, fmt.Sprintf(" %d ", i)) != (err == nil) {
			t.Errorf("write %d: %v, but the journal has%s", i, err, there)
		}
	}
	if refused != n/3-1 {
		t.Errorf("the same key was refused %d times, want all but once of %d", refused, n/3)
	}
}

var digest = store.DigestOf([32]byte{1})

func TestWrite_DeadlockIsTriedAgain(t *testing.T) {
	address := pgtest.Open(t)
	s := open(t, address)
	ctx := t.Context()
	put := func(tx store.Tx, summary string) error {
		return tx.PutArtifact(ctx, store.Artifact{ID: "a", Summary: summary, Created: day, Updated: day})
	}
	if err := s.Write(ctx, func(tx store.Tx) error { return put(tx, "first") }); err != nil {
		t.Fatal(err)
	}
	other := connect(t, address)
	begin := func(sql string) {
		t.Helper()
		if _, err := other.Exec(ctx, sql); err != nil {
			t.Error(err)
		}
	}
	// The other side never looks for deadlocks, so it is the write that is
	// broken off.
	begin(`BEGIN; SET LOCAL deadlock_timeout = '1h'; UPDATE brenner.artifacts SET summary = 'other' WHERE id = 'a'`)
	var runs int
	var wg sync.WaitGroup
	err := s.Write(ctx, func(tx store.Tx) error {
		if _, err := tx.Actors(ctx); err != nil { // from now on it has the lock
			return err
		}
		if runs++; runs == 1 {
			wg.Go(func() { begin(`SELECT FROM brenner.projects FOR UPDATE; COMMIT`) })
		}
		if err := put(tx, "second"); err != nil {
			return err
		}
		_, err := tx.Artifact(ctx, "a") // sends it, and waits for the other
		return err
	})
	wg.Wait()
	if err != nil || runs < 2 {
		t.Errorf("after %d runs: %v", runs, err)
	}
}

func TestWrite_OtherProcessesAreWaitedForToTheDeadline(t *testing.T) {
	address := pgtest.Open(t)
	s := open(t, address)
	other := connect(t, address)
	if _, err := other.Exec(t.Context(), `BEGIN; SELECT FROM brenner.projects FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	wantCode(t, brenner.CodeStoreBusy, s.Write(short, func(store.Tx) error { t.Error("it ran"); return nil }))

	ended := make(chan error, 1)
	go func() {
		ended <- s.Write(context.Background(), func(tx store.Tx) error { return note(t.Context(), tx, "k") })
	}()
	if _, err := other.Exec(t.Context(), `COMMIT`); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("after the other had gone: %v", err)
	}
}

func TestWrite_ReadOnlyDatabase(t *testing.T) {
	address := pgtest.Open(t)
	initProject(t, address, "p")
	s := open(t, address+"&default_transaction_read_only=on")
	wantCode(t, brenner.CodeStoreReadOnly, s.Write(t.Context(), func(tx store.Tx) error { return note(t.Context(), tx, "k") }))
	if n := len(kinds(t, s)); n != 0 {
		t.Errorf("%d records", n)
	}
}

func TestWrite_FunctionThatEndsItsGoroutineHoldsNobodyUp(t *testing.T) {
	s := open(t, pgtest.Open(t))
	ctx := t.Context()
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = s.Write(ctx, func(tx store.Tx) error {
			_ = note(ctx, tx, "never")
			runtime.Goexit()
			return nil
		})
	})
	wg.Wait()
	if err := s.Write(ctx, func(tx store.Tx) error { return note(ctx, tx, "next") }); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(kinds(t, s)); got != "[next]" {
		t.Errorf("the journal has %s", got)
	}
}

// More than is held at a time, in one write.
func TestWrite_LargeWriteIsOneWrite(t *testing.T) {
	s := open(t, pgtest.Open(t))
	ctx := t.Context()
	const n = 1500
	write := func(end error) error {
		return s.Write(ctx, func(tx store.Tx) error {
			for i := range n {
				if err := errors.Join(note(ctx, tx, fmt.Sprint(i)), tx.PutBlob(ctx, store.DigestOf([32]byte{byte(i), byte(i >> 8)}), make([]byte, 4096))); err != nil {
					return err
				}
			}
			return end
		})
	}
	if err := write(errEnough); !errors.Is(err, errEnough) {
		t.Errorf("given up: %v", err)
	}
	if got := len(kinds(t, s)); got != 0 {
		t.Errorf("a write that was given up left %d records", got)
	}
	if err := write(nil); err != nil {
		t.Fatal(err)
	}
	if got := len(kinds(t, s)); got != n {
		t.Errorf("%d of %d records are there", got, n)
	}
}

// A write that nobody else waits behind runs where its caller is. One that panics or ends its
// goroutine leaves nothing, neither rows nor the lock, and the connection stays.
func TestWrite_AloneAndLeft(t *testing.T) {
	address := pgtest.Open(t)
	s, beside := open(t, address), connect(t, address)
	put := func(tx store.Tx, id brenner.ArtifactID) error {
		return tx.PutArtifact(t.Context(), store.Artifact{ID: id})
	}
	sessions := func() []int {
		t.Helper()
		rows, _ := beside.Query(t.Context(), `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY pid`)
		pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
		if err != nil {
			t.Fatal(err)
		}
		return pids
	}
	for range 3 { // from the second on it presumes where the journal ends
		if err := s.Write(t.Context(), func(tx store.Tx) error { return put(tx, "kept") }); err != nil {
			t.Fatal(err)
		}
	}
	before := sessions()
	for name, leave := range map[string]func(){"panics": func() { panic("left") }, "ends its goroutine": runtime.Goexit} {
		for _, asks := range []bool{false, true} {
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				defer func() { _ = recover() }()
				_ = s.Write(t.Context(), func(tx store.Tx) error {
					if err := put(tx, "lost"); err != nil {
						t.Error(err)
					}
					if _, err := tx.Artifact(t.Context(), "kept"); asks && err != nil { // which sends what is held
						t.Error(err)
					}
					leave()
					return nil
				})
			}()
			<-ended
			if err := s.Write(t.Context(), func(tx store.Tx) error {
				if _, err := tx.Artifact(t.Context(), "lost"); brenner.CodeOf(err) != brenner.CodeNotFound {
					t.Errorf("of one that %s: %v", name, err)
				}
				return put(tx, "kept")
			}); err != nil {
				t.Error(err)
			}
		}
	}
	if after := sessions(); !slices.Equal(before, after) {
		t.Errorf("sessions %v became %v", before, after)
	}
}
