package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"brenner"
	"brenner/internal/store"
)

func putActor(ctx context.Context, tx store.Tx, name string) error {
	return tx.PutActor(ctx, store.Actor{Name: brenner.ActorName(name), Kind: "agent", Active: true, Created: day})
}

func actorNames(t testing.TB, s store.Store) []string {
	t.Helper()
	actors := get(t, s, func(ctx context.Context, r store.Reader) ([]store.Actor, error) { return r.Actors(ctx) })
	return names(actors, func(a store.Actor) string { return string(a.Name) })
}

// hold occupies the writer until the function it gives is called.
func hold(t testing.TB, s store.Store) (release func()) {
	t.Helper()
	started, done, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	start := sync.OnceFunc(func() { close(started) }) // it may run again
	go func() {
		ended <- s.Write(context.Background(), func(store.Tx) error {
			start()
			<-done
			return nil
		})
	}()
	<-started
	return sync.OnceFunc(func() {
		close(done)
		if err := <-ended; err != nil {
			t.Errorf("the write that held the others up: %v", err)
		}
	})
}

// settle gives other goroutines time to queue; nothing depends on it but which
// path is taken.
func settle() { time.Sleep(20 * time.Millisecond) }

var writeCases = []testCase{
	{"Write_CommitsAllOrNothing", func(t *testing.T, s store.Store) {
		ctx := context.Background()
		given := errors.New("given up")
		if err := s.Write(ctx, func(tx store.Tx) error {
			if err := putActor(ctx, tx, "a"); err != nil {
				return err
			}
			if _, err := tx.Actor(ctx, "a"); err != nil {
				t.Errorf("a write does not see itself: %v", err)
			}
			return given
		}); !errors.Is(err, given) {
			t.Fatalf("the error of fn came back as %v", err)
		}
		if got := actorNames(t, s); len(got) != 0 {
			t.Errorf("an abandoned write left %v", got)
		}
		write(t, s, func(ctx context.Context, tx store.Tx) error { return putActor(ctx, tx, "b") })
		wantEqual(t, "committed", []string{"b"}, actorNames(t, s))
	}},
	{"Write_IsDoomedByAFailedMethod", func(t *testing.T, s store.Store) {
		refuse(t, s, brenner.CodeNotFound, func(ctx context.Context, tx store.Tx) error {
			if err := putActor(ctx, tx, "a"); err != nil {
				return err
			}
			if err := tx.InsertVersion(ctx, aVersion("nothing", 1, 0, "draft")); err == nil {
				t.Error("a version without an artifact was taken")
			}
			return nil
		})
		if got := actorNames(t, s); len(got) != 0 {
			t.Errorf("a doomed write left %v", got)
		}
	}},
	{"Write_RefusedLateIsTheWritersAlone", func(t *testing.T, s store.Store) {
		release := hold(t, s)
		var wg sync.WaitGroup
		var want []string
		for i := range 24 {
			name := fmt.Sprintf("w%02d", i)
			if i%6 > 1 {
				want = append(want, name)
			}
			wg.Go(func() {
				ctx := context.Background()
				err := s.Write(ctx, func(tx store.Tx) error {
					tx.RefuseLate()
					if err := do(putActor(ctx, tx, name), putVersions(ctx, tx, name, aVersion(name, 1, 0, "draft"))); err != nil {
						return err
					}
					to := ref(name, 1)
					if i%6 == 0 {
						to = ref("nothing", 1)
					}
					if err := tx.InsertLink(ctx, store.Link{From: ref(name, 1), Rel: "cites", To: to}); err != nil {
						return err
					}
					if i%6 != 1 {
						return nil
					}
					_ = tx.InsertVersion(ctx, aVersion("nothing", 1, 0, "draft"))
					_, err := tx.Actors(ctx) // a question must not hide it
					_ = err
					return nil
				})
				if i%6 > 1 {
					if err != nil {
						t.Errorf("writer %d: %v", i, err)
					}
					return
				}
				wantCode(t, brenner.CodeNotFound, err)
			})
		}
		settle()
		release()
		wg.Wait()
		wantEqual(t, "committed", want, actorNames(t, s))
	}},
	{"Write_HashesOfAnAbandonedOneAreForgotten", func(t *testing.T, s store.Store) {
		for i := range byte(3) {
			ctx := context.Background()
			for _, end := range []error{errGivenUp, nil} {
				h := [32]byte{i}
				if end != nil {
					h[1] = 1
				}
				if err := s.Write(ctx, func(tx store.Tx) error {
					if err := tx.PutHashes(ctx, int64(i), [][32]byte{h}); err != nil {
						return err
					}
					for j := range i + 1 {
						got, err := tx.Hashes(ctx, []int64{int64(j)})
						if want := ([32]byte{j}); err == nil && j < i && got[0] != want {
							t.Errorf("hash %d is %x", j, got[0])
						}
						if err == nil && j == i && got[0] != h {
							t.Errorf("hash %d of this write is %x", j, got[0])
						}
						if err != nil {
							return err
						}
					}
					return end
				}); !errors.Is(err, end) {
					t.Fatal(err)
				}
			}
		}
	}},
	{"Write_GoesOnAfterAMissedRead", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			_, err1 := tx.Artifact(ctx, "nothing")
			wantCode(t, brenner.CodeNotFound, err1)
			_, err2 := tx.Request(ctx, "ada", "k")
			wantCode(t, brenner.CodeNotFound, err2)
			return putActor(ctx, tx, "a")
		})
		wantEqual(t, "committed", []string{"a"}, actorNames(t, s))
	}},
	{"Write_PanicIsTheCallersAlone", func(t *testing.T, s store.Store) {
		release := hold(t, s)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				defer func() {
					if p := recover(); (p == "boom") != (i%4 == 0) {
						t.Errorf("writer %d: recovered %v", i, p)
					}
				}()
				ctx := context.Background()
				if err := s.Write(ctx, func(tx store.Tx) error {
					if err := putActor(ctx, tx, fmt.Sprint("w", i)); err != nil {
						return err
					}
					if i%4 == 0 {
						panic("boom")
					}
					return nil
				}); err != nil {
					t.Errorf("writer %d: %v", i, err)
				}
			})
		}
		settle()
		release()
		wg.Wait()
		wantEqual(t, "committed", []string{"w1", "w2", "w3", "w5", "w6", "w7"}, actorNames(t, s))
	}},
	{"Write_FailureNeverUndoesAnother", func(t *testing.T, s store.Store) {
		release := hold(t, s)
		var wg sync.WaitGroup
		var want []string
		for i := range 40 {
			name := fmt.Sprintf("w%02d", i)
			if i%3 != 0 {
				want = append(want, name)
			}
			wg.Go(func() {
				ctx := context.Background()
				err := s.Write(ctx, func(tx store.Tx) error {
					n, err := tx.Size(ctx)
					if err := do(err, putActor(ctx, tx, name), tx.PutHashes(ctx, n, [][32]byte{{byte(i)}}),
						tx.AppendRecord(ctx, store.Record{Seq: n + 1, At: day, Kind: name})); err != nil {
						return err
					}
					switch {
					case i%6 == 0:
						return errors.New("given up")
					case i%3 == 0:
						return tx.AppendRecord(ctx, store.Record{Seq: 1000, At: day})
					}
					return nil
				})
				if (err != nil) != (i%3 == 0) {
					t.Errorf("writer %d: %v", i, err)
				}
			})
		}
		settle()
		release()
		wg.Wait()
		wantEqual(t, "committed", want, actorNames(t, s))
		records := get(t, s, func(ctx context.Context, r store.Reader) ([]store.Record, error) { return r.Records(ctx, 0, 0) })
		if len(records) != len(want) || records[len(records)-1].Seq != int64(len(want)) {
			t.Errorf("%d writes left %d records", len(want), len(records))
		}
	}},
	{"Write_IsAloneAmongWriters", func(t *testing.T, s store.Store) {
		const writers, each = 16, 12
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				ctx := context.Background()
				for i := range each {
					if err := s.Write(ctx, func(tx store.Tx) error {
						n, err := tx.Size(ctx)
						if err != nil {
							return err
						}
						return do(tx.AppendRecord(ctx, store.Record{Seq: n + 1, At: day, Actor: "ada", Kind: fmt.Sprintf("w%d.%d", w, i), Data: []byte("{}")}),
							tx.PutHashes(ctx, n, [][32]byte{{byte(w), byte(i)}}))
					}); err != nil {
						t.Errorf("writer %d: %v", w, err)
						return
					}
					if err := s.Read(ctx, func(r store.Reader) error { _, err := r.Records(ctx, 0, 10); return err }); err != nil {
						t.Errorf("reader %d: %v", w, err)
					}
				}
			})
		}
		wg.Wait()
		records := get(t, s, func(ctx context.Context, r store.Reader) ([]store.Record, error) { return r.Records(ctx, 0, 0) })
		seen := map[string]bool{}
		for i, r := range records {
			if r.Seq != int64(i+1) {
				t.Fatalf("record %d has seq %d", i+1, r.Seq)
			}
			seen[r.Kind] = true
		}
		if len(seen) != writers*each {
			t.Errorf("%d of %d writes are there", len(seen), writers*each)
		}
	}},
	{"Write_BusyAtTheDeadline", func(t *testing.T, s store.Store) {
		release := hold(t, s)
		defer release()
		ctx, stop := context.WithTimeout(context.Background(), 30*time.Millisecond)
		defer stop()
		wantCode(t, brenner.CodeStoreBusy, s.Write(ctx, func(store.Tx) error { t.Error("it ran"); return nil }))
		wantCode(t, brenner.CodeStoreBusy, s.Write(ctx, func(store.Tx) error { t.Error("it ran, late"); return nil }))
		release()
		write(t, s, func(ctx context.Context, tx store.Tx) error { return putActor(ctx, tx, "later") })
	}},
	{"Write_CanceledWhileWaiting", func(t *testing.T, s store.Store) {
		release := hold(t, s)
		defer release()
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- s.Write(ctx, func(store.Tx) error { t.Error("it ran"); return nil }) }()
		settle()
		stop()
		wantCode(t, brenner.CodeCanceled, <-ended)
		wantCode(t, brenner.CodeCanceled, s.Write(ctx, func(store.Tx) error { t.Error("it ran, late"); return nil }))
	}},
	{"Write_CanceledUnderWayLeavesNothing", func(t *testing.T, s store.Store) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		err := s.Write(ctx, func(tx store.Tx) error {
			if err := putActor(ctx, tx, "a"); err != nil {
				return err
			}
			stop()
			return putActor(ctx, tx, "b")
		})
		wantCode(t, brenner.CodeCanceled, err)
		if got := actorNames(t, s); len(got) != 0 {
			t.Errorf("a canceled write left %v", got)
		}
		write(t, s, func(ctx context.Context, tx store.Tx) error { return putActor(ctx, tx, "c") })
	}},
	{"Read_Canceled", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error { return putActor(ctx, tx, "a") })
		ctx, stop := context.WithCancel(context.Background())
		err := s.Read(ctx, func(r store.Reader) error {
			if _, err := r.Actors(ctx); err != nil {
				t.Errorf("before: %v", err)
			}
			stop()
			_, err := r.Actors(ctx)
			return err
		})
		wantCode(t, brenner.CodeCanceled, err)
		wantCode(t, brenner.CodeCanceled, s.Read(ctx, func(store.Reader) error { t.Error("it ran"); return nil }))
		wantEqual(t, "still readable", []string{"a"}, actorNames(t, s))
	}},
	{"Read_IsOneSnapshot", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(putActor(ctx, tx, "a"), tx.PutBlob(ctx, digestOf("x"), nil))
		})
		read(t, s, func(ctx context.Context, r store.Reader) error {
			before, err := r.Actors(ctx)
			if err != nil {
				return err
			}
			for _, name := range []string{"b", "c"} {
				write(t, s, func(ctx context.Context, tx store.Tx) error {
					return do(putActor(ctx, tx, name), tx.PutObject(ctx, store.Object{Kind: "k", ID: name}))
				})
			}
			after, err := r.Actors(ctx)
			wantEqual(t, "snapshot", before, after)
			objects, err2 := r.Objects(ctx, store.ObjectQuery{Kind: "k"})
			wantEqual(t, "another table", []store.Object(nil), objects)
			wantEqual(t, "outside", []string{"a", "b", "c"}, actorNames(t, s))
			return errors.Join(err, err2)
		})
	}},
	{"Read_GivesItsErrorAndPanicBack", func(t *testing.T, s store.Store) {
		given := errors.New("given up")
		if err := s.Read(context.Background(), func(store.Reader) error { return given }); !errors.Is(err, given) {
			t.Errorf("the error of fn came back as %v", err)
		}
		func() {
			defer func() {
				if p := recover(); p != "boom" {
					t.Errorf("recovered %v", p)
				}
			}()
			_ = s.Read(context.Background(), func(store.Reader) error { panic("boom") })
		}()
		for range 20 { // whatever was taken for reading was given back
			actorNames(t, s)
		}
	}},
	{"Read_ManyAtOnce", func(t *testing.T, s store.Store) {
		write(t, s, func(ctx context.Context, tx store.Tx) error { return putActor(ctx, tx, "a") })
		var inside, wg sync.WaitGroup
		inside.Add(32)
		for range 32 {
			wg.Go(func() {
				ctx := context.Background()
				if err := s.Read(ctx, func(r store.Reader) error {
					inside.Done()
					inside.Wait()
					_, err := r.Actor(ctx, "a")
					return err
				}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}},
	{"Results_BelongToTheCaller", func(t *testing.T, s store.Store) {
		data, body, tags := []byte("data"), []byte("body"), []string{"tag"}
		a := anArtifact("a", 1)
		a.Tags = tags
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return do(tx.PutArtifact(ctx, a), tx.PutBlob(ctx, digestOf("data"), data), tx.PutObject(ctx, store.Object{Kind: "k", ID: "1", Body: body}))
		})
		data[0], body[0], tags[0] = 'X', 'X', "X"
		spoil := func() (string, string, string) {
			var one, two, three string
			read(t, s, func(ctx context.Context, r store.Reader) error {
				b, err1 := r.Blob(ctx, digestOf("data"))
				o, err2 := r.Object(ctx, "k", "1")
				a, err3 := r.Artifact(ctx, "a")
				if err := do(err1, err2, err3); err != nil {
					return err
				}
				one, two, three = string(b), string(o.Body), a.Tags[0]
				b[0], o.Body[0], a.Tags[0] = 'Y', 'Y', "Y"
				return nil
			})
			return one, two, three
		}
		spoil()
		if one, two, three := spoil(); one != "data" || two != "body" || three != "tag" {
			t.Errorf("the store holds %q %q %q", one, two, three)
		}
	}},
	{"Close_EndsEverything", func(t *testing.T, s store.Store) {
		release := hold(t, s)
		closed := make(chan error, 1)
		go func() { closed <- s.Close() }()
		settle()
		release()
		if err := <-closed; err != nil {
			t.Fatalf("Close: %v", err)
		}
		ctx := context.Background()
		wantCode(t, brenner.CodeStoreUnavailable, s.Read(ctx, func(store.Reader) error { return nil }))
		wantCode(t, brenner.CodeStoreUnavailable, s.Write(ctx, func(store.Tx) error { return nil }))
	}},
}
