package postgres_test

import (
	"context"
	"testing"
	"time"

	"brenner"
	"brenner/internal/pgtest"
	"brenner/internal/store"
	"brenner/internal/store/postgres"
)

func TestWait_WakesWhenAnotherServerWrites(t *testing.T) {
	address := project(pgtest.Open(t), "p")
	reader, writer := open(t, address).(*postgres.Store), open(t, address)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for n := range int64(5) {
		woken := make(chan error, 3)
		for range cap(woken) {
			go func() { woken <- reader.Wait(ctx, n) }()
		}
		if err := writer.Write(ctx, func(tx store.Tx) error { return note(ctx, tx, "k") }); err != nil {
			t.Fatal(err)
		}
		for range cap(woken) {
			if err := <-woken; err != nil {
				t.Fatal(err)
			}
		}
		if err := reader.Wait(ctx, n); err != nil { // what has happened is not waited for
			t.Fatal(err)
		}
	}
}

func TestWait_SurvivesALostConnection(t *testing.T) {
	address := pgtest.Open(t)
	s := open(t, address).(*postgres.Store)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	woken := make(chan error, 1)
	go func() { woken <- s.Wait(ctx, 0) }()
	time.Sleep(50 * time.Millisecond) // for it to listen; only the path depends on it
	terminate(t, address)
	if err := s.Write(ctx, func(tx store.Tx) error { return note(ctx, tx, "k") }); err != nil {
		t.Fatal(err)
	}
	if err := <-woken; err != nil {
		t.Error(err)
	}
}

func TestWait_EndsWithItsContextOrTheStore(t *testing.T) {
	s := open(t, pgtest.Open(t)).(*postgres.Store)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Wait(ctx, 0) }()
	stop()
	wantCode(t, brenner.CodeCanceled, <-ended)
	go func() { ended <- s.Wait(context.Background(), 0) }()
	time.Sleep(10 * time.Millisecond) // either before or after, it must end
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantCode(t, brenner.CodeStoreUnavailable, <-ended)
}

// The announcements of many writes are few, but the last of them is made, also by a
// process that ends.
func TestWait_HearsTheLastOfMany(t *testing.T) {
	address := project(pgtest.Open(t), "p")
	reader, writer := open(t, address).(*postgres.Store), open(t, address)
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second) // before it looks by itself
	defer stop()
	size := int64(0)
	write := func(n int) {
		for range n {
			if err := writer.Write(ctx, func(tx store.Tx) error { return note(ctx, tx, "k") }); err != nil {
				t.Fatal(err)
			}
			size++
		}
	}
	write(1)
	if err := reader.Wait(ctx, 0); err != nil { // it listens from now on
		t.Fatal(err)
	}
	write(50)
	if err := reader.Wait(ctx, size-1); err != nil {
		t.Fatal(err)
	}
	write(2)
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := reader.Wait(ctx, size-1); err != nil {
		t.Fatal(err)
	}
}
